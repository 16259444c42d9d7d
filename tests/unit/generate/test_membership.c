/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/base/support.h"
#include "tests/unit/generate/model_text.h"
#include "tests/unit/generate/recorded_model.h"
#include "traces/generate/membership.h"

/* The executable specification: the names of those that live in a plain array. */
#define MAX_LIVING 512

typedef struct {
    int capacity;
    int num_living;
    char names[MAX_LIVING][SPOT_INSTANCE_NAME_BYTES];
    int64_t num_births;
    spot_rng_t victims;
} naive_t;

static void naive_enter(naive_t *self, const char *name)
{
    char *place = self->names[self->num_living++];

    self->num_births++;
    if (name == NULL) {
        snprintf(place, SPOT_INSTANCE_NAME_BYTES, "i%" PRId64, self->num_births);
    } else {
        snprintf(place, SPOT_INSTANCE_NAME_BYTES, "%s", name);
    }
}

/* The last one takes the place that becomes free. */
static void naive_leave(naive_t *self, int place)
{
    self->num_living--;
    memmove(self->names[place], self->names[self->num_living], sizeof(self->names[0]));
}

static void naive_start(
    naive_t *self, const spot_trace_model_t *model, int capacity, uint64_t replication)
{
    const spot_trace_t *trace = model->recording;

    self->capacity = capacity;
    self->num_living = 0;
    self->num_births = 0;
    for (int64_t j = 0; j < spot_trace_model_initial(model); j++) {
        naive_enter(self, trace == NULL || trace->kind != SPOT_TRACE_NAMED
                              ? NULL
                              : trace->names[trace->name_ids[j]]);
    }
    spot_rng_seek(&self->victims, 1, replication, SPOT_STREAM_VICTIM, 0);
}

static int naive_find(const naive_t *self, const char *name)
{
    for (int j = 0; j < self->num_living; j++) {
        if (strcmp(self->names[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

/* Carries out one instance of an event; tells in name who it was. False: clipped. */
static bool naive_change(naive_t *self, const spot_event_t *event, int j, const char *const *names,
    char name[SPOT_INSTANCE_NAME_BYTES])
{
    const char *recorded = event->name_ids == NULL ? NULL : names[event->name_ids[j]];
    int place;

    if (event->kind == SPOT_EVENT_ADD) {
        if (self->num_living == self->capacity) {
            return false;
        }
        naive_enter(self, recorded);
        place = self->num_living - 1;
        memcpy(name, self->names[place], SPOT_INSTANCE_NAME_BYTES);
        return true;
    }
    if (recorded != NULL) {
        place = naive_find(self, recorded);
    } else if (self->num_living > 0) {
        place = (int) spot_rng_below(&self->victims, (uint64_t) self->num_living);
    } else {
        place = -1;
    }
    if (place >= 0) {
        memcpy(name, self->names[place], SPOT_INSTANCE_NAME_BYTES);
        naive_leave(self, place);
    }
    return place >= 0;
}

/* One event on both sides: the same instances in the same order, and the same ones left.
 */
static void check_change(naive_t *naive, const spot_membership_t *membership,
    const spot_event_t *event, const spot_change_t *change)
{
    const spot_trace_t *trace = membership->model->recording;
    const char *const *names = trace == NULL ? NULL : (const char *const *) trace->names;
    char name[SPOT_INSTANCE_NAME_BYTES], text[SPOT_INSTANCE_NAME_BYTES];
    int count = 0;

    assert_int_equal(change->time_ms, event->time_ms);
    assert_int_equal(change->kind, event->kind);
    for (int j = 0; j < event->count; j++) {
        if (naive_change(naive, event, j, names, name)) {
            assert_true(count < change->count);
            assert_string_equal(spot_membership_name(membership, change->slots[count], text), name);
            count++;
        }
    }
    assert_int_equal(change->count, count);
    assert_int_equal(change->num_clipped, event->count - count);
    assert_int_equal(membership->population, naive->num_living);
    for (int j = 0; j < naive->num_living; j++) {
        assert_string_equal(
            spot_membership_name(membership, membership->living[j], text), naive->names[j]);
    }
    spot_membership_verify(membership);
}

/* Returns how many instances were clipped. */
static int64_t check_against_naive(
    const spot_trace_model_t *model, int capacity, uint64_t replication, int max_events)
{
    static naive_t naive;
    spot_membership_t membership;
    int64_t num_clipped = 0;
    spot_change_t change;
    spot_event_t event;
    events_t events;

    assert_int_equal(spot_membership_init(&membership, model, capacity), 0);
    events_init(&events, model);
    events_start(&events, 1, replication);
    naive_start(&naive, model, capacity, replication);
    spot_membership_start(&membership, 1, replication);
    spot_membership_verify(&membership);
    for (int j = 0; j < max_events && events_next(&events, &event); j++) {
        assert_true(spot_membership_next(&membership, &change));
        check_change(&naive, &membership, &event, &change);
        num_clipped += change.num_clipped;
    }
    events_free(&events);
    spot_membership_free(&membership);
    return num_clipped;
}

static void make_seed_model(spot_trace_model_t *model, int capacity, int initial)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "spotsim-model: 1\ngenerator: seed\ncapacity: %d\ninitial: %d\n"
        "horizon_s: 1e6\n" SEED_STUDY,
        capacity, initial);
    make_model(model, text);
}

static void test_generated_traces(void **state)
{
    static const int capacities[] = {1, 2, 5, 64, 300};
    spot_trace_model_t model;

    (void) state;
    for (size_t j = 0; j < sizeof(capacities) / sizeof(capacities[0]); j++) {
        make_seed_model(&model, capacities[j], capacities[j] / 2);
        for (uint64_t replication = 0; replication < 20; replication++) {
            assert_int_equal(check_against_naive(&model, capacities[j], replication, 300), 0);
        }
        spot_trace_model_free(&model);
    }
}

/* Less room than the trace thinks: additions are clipped, and then losses too. */
static void test_clipping_of_generated_traces(void **state)
{
    spot_trace_model_t model;

    (void) state;
    make_seed_model(&model, 64, 3);
    for (int capacity = 3; capacity <= 33; capacity += 10) {
        int64_t num_clipped = 0;

        for (uint64_t replication = 0; replication < 20; replication++) {
            num_clipped += check_against_naive(&model, capacity, replication, 300);
        }
        assert_true(num_clipped > 0);
    }
    spot_trace_model_free(&model);
}

/* A recorded trace as a model; its text is put into a file for the time of reading. */
static void make_recorded_model(spot_trace_model_t *model, const char *rows, const char *kind)
{
    char path[PATH_BYTES], text[PATH_BYTES + 16];
    char *bytes = malloc(strlen(rows) + 256);

    assert_non_null(bytes);
    sprintf(bytes,
        "# spotsim-trace: 1\n# name: t\n# start: unknown\n# resolution_s: 1\n"
        "# kind: %s\n# capacity: unbounded\ntime_s,event,count,instances\n%s",
        kind, rows);
    test_path("membership.csv", path);
    write_file(path, bytes, strlen(bytes));
    snprintf(text, sizeof(text), "file: %s\n", path);
    make_model(model, text);
    assert_int_equal(remove(path), 0);
    free(bytes);
}

/* Names that come, go and come again; every kind of row. */
static void make_random_model(spot_trace_model_t *model, uint64_t seed, bool is_named)
{
    char *rows = random_rows(seed, is_named, 120);

    make_recorded_model(model, rows, is_named ? "named" : "counts");
    free(rows);
}

static void test_recorded_traces(void **state)
{
    spot_trace_model_t model;

    (void) state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        int64_t num_clipped = 0;

        make_random_model(&model, seed, seed % 2 == 0);
        assert_int_equal(check_against_naive(&model, 40, seed, 1000), 0);
        for (int capacity = 2; capacity < 40; capacity += 3) {
            num_clipped += check_against_naive(&model, capacity, seed, 1000);
        }
        assert_true(num_clipped > 0);
        spot_trace_model_free(&model);
    }
}

/* What is clipped on the way in, by name: the first ones enter, the loss of one that did
 * not is clipped too, and its name can come again. */
static void test_clipping_by_name(void **state)
{
    static const char rows[] = "0,init,1,a\n1,add,3,b c d\n2,preempt,2,c d\n"
                               "3,add,1,d\n4,stop,2,d a\n5,end,1,\n";
    static const struct {
        spot_event_kind_t kind;
        int32_t count, num_clipped;
        const char *first;
    } expected[] = {
        {SPOT_EVENT_ADD, 2, 1, "b"},
        {SPOT_EVENT_PREEMPT, 1, 1, "c"},
        {SPOT_EVENT_ADD, 1, 0, "d"},
        {SPOT_EVENT_STOP, 2, 0, "d"},
    };
    char text[SPOT_INSTANCE_NAME_BYTES];
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;

    (void) state;
    make_recorded_model(&model, rows, "named");
    assert_int_equal(spot_membership_init(&membership, &model, 3), 0);
    spot_membership_start(&membership, 1, 0);
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        assert_true(spot_membership_next(&membership, &change));
        assert_int_equal(change.kind, expected[j].kind);
        assert_int_equal(change.count, expected[j].count);
        assert_int_equal(change.num_clipped, expected[j].num_clipped);
        assert_string_equal(
            spot_membership_name(&membership, change.slots[0], text), expected[j].first);
        spot_membership_verify(&membership);
    }
    assert_false(spot_membership_next(&membership, &change));
    assert_int_equal(membership.population, 1);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

/* A change in which nobody comes is a change nevertheless: it is counted as clipped. */
static void test_changes_without_instances(void **state)
{
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;

    (void) state;
    make_recorded_model(&model, "0,init,1,a\n1,add,2,b c\n2,preempt,2,b c\n3,end,1,\n", "named");
    assert_int_equal(spot_membership_init(&membership, &model, 1), 0);
    spot_membership_start(&membership, 1, 0);
    for (int j = 0; j < 2; j++) {
        assert_true(spot_membership_next(&membership, &change));
        assert_int_equal(change.count, 0);
        assert_int_equal(change.num_clipped, 2);
        assert_int_equal(membership.population, 1);
    }
    assert_false(spot_membership_next(&membership, &change));
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

/* All that a replication consists of, as one number. */
static uint64_t replication_hash(spot_membership_t *membership, uint64_t seed, uint64_t replication)
{
    uint64_t hash = 1469598103934665603U;
    char text[SPOT_INSTANCE_NAME_BYTES];
    spot_change_t change;

    spot_membership_start(membership, seed, replication);
    for (int j = 0; j < 200 && spot_membership_next(membership, &change); j++) {
        hash = (hash ^ (uint64_t) change.time_ms) * 1099511628211U;
        for (int32_t k = 0; k < change.count; k++) {
            const char *name = spot_membership_name(membership, change.slots[k], text);

            for (; *name != '\0'; name++) {
                hash = (hash ^ (uint64_t) *name) * 1099511628211U;
            }
            hash = (hash ^ (uint64_t) change.slots[k]) * 1099511628211U;
        }
    }
    return hash;
}

static void test_replications_start_anew(void **state)
{
    spot_membership_t membership;
    spot_trace_model_t model;
    uint64_t hashes[3];

    (void) state;
    make_seed_model(&model, 64, 32);
    assert_int_equal(spot_membership_init(&membership, &model, 64), 0);
    hashes[0] = replication_hash(&membership, 1, 0);
    hashes[1] = replication_hash(&membership, 1, 1);
    hashes[2] = replication_hash(&membership, 2, 0);
    assert_true(hashes[0] != hashes[1] && hashes[0] != hashes[2]);
    assert_true(hashes[1] != hashes[2]);
    assert_true(replication_hash(&membership, 1, 1) == hashes[1]);
    assert_true(replication_hash(&membership, 1, 0) == hashes[0]);
    assert_true(replication_hash(&membership, 1, 0) == hashes[0]);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

static int number_of(const spot_membership_t *membership, int32_t slot)
{
    char text[SPOT_INSTANCE_NAME_BYTES];

    return atoi(spot_membership_name(membership, slot, text) + 1);
}

/* Six live, two are lost, two come, one is lost: all 30 ordered pairs are equally
 * likely, and so is then each of the six that live, whoever was lost before. */
static void test_victims_are_uniform(void **state)
{
    enum { NUM_REPLICATIONS = 60000 };
    double pairs[36] = {0}, next[36] = {0}, expected_pairs[36], biased_pairs[36];
    double expected_next[36];
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;

    (void) state;
    make_recorded_model(
        &model, "0,init,6,\n1,preempt,2,\n2,add,2,\n3,preempt,1,\n4,end,5,\n", "counts");
    assert_int_equal(spot_membership_init(&membership, &model, 6), 0);
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        int first, second, third, age;

        spot_membership_start(&membership, 1, replication);
        assert_true(spot_membership_next(&membership, &change));
        first = number_of(&membership, change.slots[0]) - 1;
        second = number_of(&membership, change.slots[1]) - 1;
        assert_true(first >= 0 && first < 6 && second >= 0 && second < 6);
        assert_true(spot_membership_next(&membership, &change));
        assert_true(spot_membership_next(&membership, &change));
        third = number_of(&membership, change.slots[0]) - 1;
        age = third - (third > first) - (third > second);
        assert_true(age >= 0 && age < 6 && third != first && third != second);
        pairs[6 * first + second]++;
        next[6 * first + age]++;
    }
    for (int j = 0; j < 36; j++) {
        expected_pairs[j] = j / 6 == j % 6 ? 0 : NUM_REPLICATIONS / 30.0;
        expected_next[j] = NUM_REPLICATIONS / 36.0;
        /* the oldest one 15 % more likely to go first */
        biased_pairs[j] = expected_pairs[j] * (j < 6 ? 1.15 : 0.97);
    }
    assert_counts("pairs of victims", pairs, expected_pairs, 36);
    assert_counts("next victim by age", next, expected_next, 36);
    assert_true(chi_square_z(pairs, biased_pairs, 36) > POWER_Z);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

static void test_free_accepts_nothing(void **state)
{
    spot_membership_t membership;

    (void) state;
    memset(&membership, 0, sizeof(membership));
    spot_membership_free(&membership);
    spot_membership_free(&membership);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated_traces),
        cmocka_unit_test(test_clipping_of_generated_traces),
        cmocka_unit_test(test_recorded_traces),
        cmocka_unit_test(test_clipping_by_name),
        cmocka_unit_test(test_changes_without_instances),
        cmocka_unit_test(test_replications_start_anew),
        cmocka_unit_test(test_victims_are_uniform),
        cmocka_unit_test(test_free_accepts_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
