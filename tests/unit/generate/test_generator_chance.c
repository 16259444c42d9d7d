/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chances by the hour: what is certain is exact, what is not has its binomial law; who
 * lives is known by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/generate/model_text.h"

#define CAPACITY 20
#define NUM_HOURS 6
#define NUM_REPLICATIONS 4000

/* What an hour saw: at first who lived when it began. Hour 0 is time 0 itself. */
typedef struct {
    int population;
    int num_lost;
    int num_added;
} hour_t;

/* Runs a replication; checks that who goes lives, and who comes does not. */
static void run_hours(events_t *events, uint64_t replication, int initial, hour_t *hours)
{
    bool lives[CAPACITY] = {false};
    int64_t last_ms = 0;
    int population = initial, hour = 0;
    spot_event_t event;

    for (int j = 0; j < initial; j++) {
        lives[j] = true;
    }
    memset(hours, 0, (NUM_HOURS + 1) * sizeof(*hours));
    hours[0].population = initial;
    events_start(events, 1, replication);
    while (events_next(events, &event)) {
        const bool is_addition = event.kind == SPOT_EVENT_ADD;
        const int this_hour = (int) ((event.time_ms + SPOT_MS_PER_H - 1) / SPOT_MS_PER_H);

        assert_true(event.time_ms >= last_ms && this_hour <= NUM_HOURS);
        last_ms = event.time_ms;
        while (hour < this_hour) {
            hours[++hour].population = population;
        }
        for (int j = 0; j < event.count; j++) {
            assert_int_equal(lives[event.name_ids[j]], !is_addition);
            lives[event.name_ids[j]] = is_addition;
        }
        population += is_addition ? event.count : -event.count;
        assert_true(population >= 0 && population <= CAPACITY);
        *(is_addition ? &hours[hour].num_added : &hours[hour].num_lost) += event.count;
    }
    while (hour < NUM_HOURS) {
        hours[++hour].population = population;
    }
}

static void open_model(spot_trace_model_t *model, events_t *events, int initial, const char *keys)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "generator: chance\ncapacity: %d\ninitial: %d\ntick_s: 1\nhorizon_s: %d\n%s", CAPACITY,
        initial, NUM_HOURS * 3600, keys);
    make_model(model, text);
    events_init(events, model);
}

static void close_model(spot_trace_model_t *model, events_t *events)
{
    events_free(events);
    spot_trace_model_free(model);
}

static void test_certain(void **state)
{
    hour_t hours[NUM_HOURS + 1];
    spot_trace_model_t model;
    events_t events;

    (void) state;
    open_model(&model, &events, 7, "preempt_per_h: 0\nadd_per_h: 0\n");
    run_hours(&events, 0, 7, hours);
    assert_int_equal(hours[NUM_HOURS].population, 7);
    close_model(&model, &events);
    open_model(&model, &events, 7, "preempt_per_h: 1\nadd_per_h: 0\n");
    run_hours(&events, 0, 7, hours);
    assert_int_equal(hours[1].num_lost, 7);
    assert_int_equal(hours[NUM_HOURS].population, 0);
    close_model(&model, &events);
    open_model(&model, &events, 7, "preempt_per_h: 0\nadd_per_h: 1\n");
    run_hours(&events, 0, 7, hours);
    assert_int_equal(hours[0].num_added, 0);
    assert_int_equal(hours[1].num_added, CAPACITY - 7);
    close_model(&model, &events);
    open_model(&model, &events, 7, "preempt_per_h: 0\nadd_per_h: 1\nfills_at_start: yes\n");
    run_hours(&events, 0, 7, hours);
    assert_int_equal(hours[0].num_added, CAPACITY - 7);
    close_model(&model, &events);
}

/* From 22 h on, the fifth hour of the run is the one from 2 to 3 h. */
static void test_hours_of_the_day(void **state)
{
    hour_t hours[NUM_HOURS + 1];
    spot_trace_model_t model;
    events_t events;

    (void) state;
    open_model(&model, &events, 0,
        "preempt_per_h: 0\nstart_hour: 22\nadd_per_h: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, "
        "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n");
    run_hours(&events, 0, 0, hours);
    assert_int_equal(hours[5].population, 0);
    assert_int_equal(hours[5].num_added, CAPACITY);
    close_model(&model, &events);
}

/* Of n that live a share p goes in an hour; of the free places a share is filled. */
static void test_binomial(void **state)
{
    spot_moments_t lost = {0}, added = {0};
    hour_t hours[NUM_HOURS + 1];
    spot_trace_model_t model;
    events_t events;

    (void) state;
    open_model(&model, &events, CAPACITY, "preempt_per_h: 0.2\nadd_per_h: 0\n");
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        run_hours(&events, r, CAPACITY, hours);
        for (int h = 1; h <= NUM_HOURS; h++) {
            spot_moments_add(&lost, hours[h].num_lost - 0.2 * hours[h].population);
        }
    }
    close_model(&model, &events);
    open_model(&model, &events, 0, "preempt_per_h: 0\nadd_per_h: 0.3\n");
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        run_hours(&events, r, 0, hours);
        for (int h = 1; h <= NUM_HOURS; h++) {
            spot_moments_add(&added, hours[h].num_added - 0.3 * (CAPACITY - hours[h].population));
        }
    }
    close_model(&model, &events);
    assert_mean("losses in an hour, above their mean", &lost, 0, 0.12);
    assert_mean("additions in an hour, above their mean", &added, 0, 0.12);
}

/* Who comes at a uniform moment u of an hour is lost in the rest of it with p (1 - u):
 * half of p on average. With p = 1 and a single hour that counts. */
static void test_newcomers(void **state)
{
    spot_moments_t lost = {0};
    hour_t hours[NUM_HOURS + 1];
    spot_trace_model_t model;
    events_t events;

    (void) state;
    open_model(&model, &events, 0, "preempt_per_h: 0.6\nadd_per_h: 0.5\n");
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        run_hours(&events, r, 0, hours);
        spot_moments_add(&lost, hours[1].num_lost - 0.3 * hours[1].num_added);
    }
    close_model(&model, &events);
    assert_mean("losses of newcomers, above half of the chance", &lost, 0, 0.3);
}

/* A uniform probability makes every number from none to all as likely at time 0, and
 * is the same for all hours of one number of the day. */
static void test_random(void **state)
{
    double observed[CAPACITY + 1] = {0}, expected[CAPACITY + 1], sum;
    hour_t hours[NUM_HOURS + 1];
    spot_trace_model_t model;
    events_t events;
    size_t num_cells;

    (void) state;
    open_model(&model, &events, 0, "preempt_per_h: 0\nadd_per_h: random\nfills_at_start: yes\n");
    for (uint64_t r = 0; r < NUM_REPLICATIONS; r++) {
        run_hours(&events, r, 0, hours);
        observed[hours[0].num_added]++;
    }
    close_model(&model, &events);
    for (int j = 0; j <= CAPACITY; j++) {
        expected[j] = NUM_REPLICATIONS / (double) (CAPACITY + 1);
    }
    sum = chi_square(observed, expected, CAPACITY + 1, &num_cells);
    print_message("chi square %.1f of %zu cells\n", sum, num_cells);
    assert_true(gsl_cdf_chisq_Q(sum, (double) num_cells - 1) > 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_certain),
        cmocka_unit_test(test_hours_of_the_day),
        cmocka_unit_test(test_binomial),
        cmocka_unit_test(test_newcomers),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
