/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/generate/process_twin.h"
#include "tests/unit/generate/recorded_model.h"
#include "traces/trace.h"

#define MAX_ITEMS 200

typedef struct {
    int num_items;
    double gap_s[MAX_ITEMS];
    spot_event_kind_t kind[MAX_ITEMS];
    int64_t size[MAX_ITEMS], before[MAX_ITEMS];
} recorded_t;

static void read_items(recorded_t *self, const char *rows)
{
    char *bytes = malloc(strlen(rows) + 512);
    int64_t last_ms = 0;
    spot_bulks_t bulks;
    spot_trace_t trace;
    spot_diag_t diag;

    assert_non_null(bytes);
    sprintf(bytes,
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 10\n"
        "# kind: counts\n# capacity: 40\ntime_s,event,count,instances\n%s",
        rows);
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_read_bytes(&trace, "t", bytes, strlen(bytes), true, &diag), 0);
    assert_int_equal(spot_bulks_init(&bulks, &trace), 0);
    self->num_items = (int) bulks.num_bulks;
    for (int j = 0; j < self->num_items; j++) {
        self->gap_s[j] = (double) (bulks.bulks[j].time_ms - last_ms) / 1000;
        last_ms = bulks.bulks[j].time_ms;
        self->kind[j] = bulks.bulks[j].kind;
        self->size[j] = bulks.bulks[j].size;
        self->before[j] = bulks.bulks[j].before;
    }
    spot_bulks_free(&bulks);
    spot_trace_free(&trace);
    spot_diag_free(&diag);
    free(bytes);
}

/* The specification: order all events by |N_i - N| + 0.9 U, choose one of the first. */
static int literal_neighbour(
    const recorded_t *items, int64_t population, int neighbours, spot_rng_t *rng)
{
    double keys[MAX_ITEMS];
    int chosen = (int) spot_rng_below(
        rng, (uint64_t) (neighbours < items->num_items ? neighbours : items->num_items));

    for (int j = 0; j < items->num_items; j++) {
        keys[j] = (double) llabs(items->before[j] - population) + 0.9 * spot_rng_uniform(rng);
    }
    for (;; chosen--) {
        int least = 0;

        for (int j = 1; j < items->num_items; j++) {
            least = keys[j] < keys[least] ? j : least;
        }
        if (chosen == 0) {
            return least;
        }
        keys[least] = (double) INFINITY;
    }
}

/* The same law with the numbers that the generator draws: the events nearer than the
 * farthest of the neighbours, by population and then as recorded, then the farthest. */
static int indexed_neighbour(
    const recorded_t *items, int64_t population, int neighbours, spot_rng_t *rng)
{
    const int num_wanted = neighbours < items->num_items ? neighbours : items->num_items;
    int num_near = 0, num_far = 0, near[MAX_ITEMS], far[MAX_ITEMS], choice;
    int64_t radius = -1;

    while (num_near + num_far < num_wanted) {
        num_near = num_far = 0;
        radius++;
        for (int64_t before = 0; before <= 40; before++) {
            const int64_t distance = llabs(before - population);

            for (int j = 0; j < items->num_items; j++) {
                if (items->before[j] == before && distance < radius) {
                    near[num_near++] = j;
                } else if (items->before[j] == before && distance == radius) {
                    far[num_far++] = j;
                }
            }
        }
    }
    choice = (int) spot_rng_below(rng, (uint64_t) num_wanted);
    if (choice < num_near) {
        return near[choice];
    }
    return far[spot_rng_below(rng, (uint64_t) num_far)];
}

typedef int (*neighbour_t)(
    const recorded_t *items, int64_t population, int neighbours, spot_rng_t *rng);

static void twin_run(const recorded_t *items, neighbour_t find, double restart_every,
    int neighbours, int64_t initial, int64_t capacity, double horizon_s, spot_rng_t *rng,
    twin_list_t *raw)
{
    int64_t population = initial;
    double now_s = 0;
    int j = -1;

    raw->num_items = 0;
    for (;;) {
        int64_t most, size;

        if (j < 0 || j == items->num_items || spot_rng_uniform(rng) < 1 / restart_every) {
            j = find(items, population, neighbours, rng);
        }
        now_s += items->gap_s[j];
        if (now_s > horizon_s) {
            return;
        }
        most = items->kind[j] == SPOT_EVENT_ADD ? capacity - population : population;
        size = items->size[j] < most ? items->size[j] : most;
        if (size > 0) {
            twin_add(raw, now_s, items->kind[j], size);
            population += items->kind[j] == SPOT_EVENT_ADD ? size : -size;
        }
        j++;
    }
}

static void test_twin(void **state)
{
    static const struct {
        double restart_every, tick_s;
        int neighbours, initial, capacity;
    } cases[] = {{10, 10, 3, 2, 40}, {1, 10, 1, 30, 40}, {3, 60, 7, 0, 25}, {1.5, 1, 1000, 40, 60},
        {2, 300, 2, 5, 12}};
    static twin_list_t raw, seen;
    static recorded_t items;
    size_t num_events = 0;

    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const size_t k = seed % (sizeof(cases) / sizeof(cases[0]));
        char *rows = random_rows(seed, false, 30);
        spot_trace_model_t model;
        char keys[256];

        read_items(&items, rows);
        snprintf(keys, sizeof(keys),
            "restart_every: %g\nneighbours: %d\ninitial: %d\ncapacity: %d\ntick_s: %g\n"
            "horizon_s: 50000\n",
            cases[k].restart_every, cases[k].neighbours, cases[k].initial, cases[k].capacity,
            cases[k].tick_s);
        make_recorded(&model, "block", "counts", "40", rows, keys);
        for (uint64_t replication = 0; replication < 5; replication++) {
            spot_rng_t rng;

            spot_rng_seek(&rng, 1, replication, SPOT_STREAM_RESTART, 0);
            twin_run(&items, indexed_neighbour, cases[k].restart_every, cases[k].neighbours,
                cases[k].initial, cases[k].capacity, 50000, &rng, &raw);
            twin_record(&raw, cases[k].tick_s, 50000, cases[k].initial, &seen);
            num_events += twin_compare(&model, 1, replication, &seen);
        }
        spot_trace_model_free(&model);
        free(rows);
    }
    assert_true(num_events > 5000);
}

/* Both ways to choose a neighbour have the same law, at every population. */
static void test_neighbours_are_those_of_the_specification(void **state)
{
    enum { NUM_DRAWS = 20000 / SPOT_FEWER };
    static recorded_t items;
    char *rows = random_rows(5, false, 60);

    (void) state;
    read_items(&items, rows);
    for (int64_t population = 0; population <= 45; population += 3) {
        double counts[MAX_ITEMS] = {0}, others[MAX_ITEMS] = {0};
        spot_rng_t rng, other_rng;

        spot_rng_seek(&rng, 11, 0, SPOT_STREAM_RESTART, (uint64_t) population);
        spot_rng_seek(&other_rng, 12, 0, SPOT_STREAM_RESTART, (uint64_t) population);
        for (int j = 0; j < NUM_DRAWS; j++) {
            counts[indexed_neighbour(&items, population, 7, &rng)]++;
            others[literal_neighbour(&items, population, 7, &other_rng)]++;
        }
        assert_same_counts("neighbours", counts, others, MAX_ITEMS);
    }
    free(rows);
}

/* What neither file nor scenario says is as recorded. */
static void test_defaults(void **state)
{
    const spot_model_common_t *common;
    spot_trace_model_t model;

    (void) state;
    make_recorded(&model, "block", "counts", "unbounded",
        "0,init,3,\n10,add,4,\n30,preempt,2,\n70,end,5,\n", "");
    common = spot_trace_model_common(&model);
    assert_int_equal(common->capacity, 7);
    assert_int_equal(common->initial, 3);
    assert_int_equal(common->tick_ms, 10000);
    assert_int_equal(common->horizon_ms, 70000);
    spot_trace_model_free(&model);
}

/* Every restart ends at the same event without a gap, which finds no room: no way out,
 * but an end. */
static void test_corner(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_recorded(&model, "block", "counts", "40",
        "0,init,3,\n10,preempt,3,\n10,add,5,\n70,end,5,\n",
        "restart_every: 1\nneighbours: 1\ninitial: 0\ncapacity: 1\nhorizon_s: 1e6\n");
    events_init(&events, &model);
    events_start(&events, 1, 0);
    while (events_next(&events, &event)) {
        assert_true(event.time_ms <= 1000000000);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_neighbours_are_those_of_the_specification),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_corner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
