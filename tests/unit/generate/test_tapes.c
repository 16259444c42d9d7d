/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tapes: readers that share the changes of a replication, each at its own speed, meet
 * what a membership without a tape makes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/base/support.h"
#include "tests/unit/generate/patterns.h"
#include "traces/generate/membership.h"

enum { HORIZON_S = 50003, TICK_MS = 7000, NUM_READERS = 4, MAX_STEPS = 120 };

/* A membership that makes what the reader must meet, and a reader. */
typedef struct {
    spot_membership_t twin, reader;
    bool is_started, is_over;
    int num_changes;
} pair_t;

static void init_pair(pair_t *self, const spot_trace_model_t *model, int64_t capacity)
{
    memset(self, 0, sizeof(*self));
    assert_int_equal(spot_membership_init(&self->twin, model, capacity), 0);
    assert_int_equal(spot_membership_init(&self->reader, model, capacity), 0);
    self->twin.ticks = self->reader.ticks = spot_ticks_of(TICK_MS);
}

static void free_pair(pair_t *self)
{
    spot_membership_free(&self->twin);
    spot_membership_free(&self->reader);
}

static void assert_same_zones(const pair_t *self, const int32_t *slots, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        assert_int_equal(spot_membership_zone(&self->reader, slots[j]),
            spot_membership_zone(&self->twin, slots[j]));
    }
}

static void start_pair(pair_t *self, uint64_t replication, spot_tapes_t *tapes)
{
    const spot_dice_t dice = {.seed = 5, .replication = replication};

    spot_membership_start(&self->twin, 5, replication);
    spot_membership_start_with(&self->reader, &dice, tapes, false);
    self->is_started = true;
    self->is_over = false;
    assert_int_equal(self->reader.population, self->twin.population);
    assert_same_zones(self, self->reader.initial, self->reader.population);
}

static void step_pair(pair_t *self)
{
    spot_change_t made, met;
    bool is_there;

    assert_int_equal(spot_membership_next_ms(&self->reader), spot_membership_next_ms(&self->twin));
    assert_int_equal(spot_membership_seen_ms(&self->reader), spot_membership_seen_ms(&self->twin));
    is_there = spot_membership_next(&self->twin, &made);
    assert_int_equal(spot_membership_next(&self->reader, &met), is_there);
    if (!is_there) {
        assert_int_equal(
            spot_membership_stopped_ms(&self->reader), spot_membership_stopped_ms(&self->twin));
        self->is_over = true;
        return;
    }
    assert_int_equal(met.time_ms, made.time_ms);
    assert_int_equal(met.kind, made.kind);
    assert_int_equal(met.count, made.count);
    assert_int_equal(met.num_clipped, made.num_clipped);
    for (int32_t j = 0; j < met.count; j++) {
        assert_int_equal(met.slots[j], made.slots[j]);
    }
    assert_same_zones(self, met.slots, met.count);
    assert_int_equal(self->reader.population, self->twin.population);
    self->num_changes++;
}

/* Lets the readers of a replication go on by turns; each begins at its first one. */
static void read_at_random(
    pair_t *pairs, uint64_t replication, spot_tapes_t *tapes, spot_rng_t *rng)
{
    int num_over = 0;

    for (int j = 0; j < NUM_READERS; j++) {
        pairs[j].is_started = false;
    }
    while (num_over < NUM_READERS) {
        pair_t *pair = &pairs[spot_rng_below(rng, NUM_READERS)];

        if (!pair->is_started) {
            start_pair(pair, replication, tapes);
        }
        for (uint64_t k = spot_rng_below(rng, MAX_STEPS); !pair->is_over && k > 0; k--) {
            step_pair(pair);
            num_over += pair->is_over;
        }
        spot_membership_verify(&pair->reader);
    }
}

/* Reads replications of a model, some twice, with tapes that have spare bytes left;
 * tapes NULL: none. Returns the number of changes. */
static int read_model(
    const spot_trace_model_t *model, int64_t capacity, spot_tapes_t *tapes, size_t spare)
{
    static const uint64_t replications[] = {0, 1, 2, 0, 2};
    pair_t pairs[NUM_READERS];
    int num_changes = 0;
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_BOOTSTRAP, 0);
    for (int j = 0; j < NUM_READERS; j++) {
        init_pair(&pairs[j], model, capacity);
    }
    if (tapes != NULL) {
        spot_tapes_clear(tapes);
        tapes->num_bytes = SPOT_TAPES_BYTES - spare;
    }
    for (size_t j = 0; j < sizeof(replications) / sizeof(replications[0]); j++) {
        read_at_random(pairs, replications[j], tapes, &rng);
    }
    for (int j = 0; j < NUM_READERS; j++) {
        num_changes += pairs[j].num_changes;
        free_pair(&pairs[j]);
    }
    return num_changes;
}

/* Also where the tapes become full: before a change, within a replication, later. */
static void test_readers(void **state)
{
    static const size_t spares[] = {0, 300, 3000, 40000, SPOT_TAPES_BYTES};
    const size_t num_patterns = sizeof(patterns) / sizeof(patterns[0]);
    spot_tapes_t tapes = {0};
    char path[PATH_BYTES];

    (void) state;
    test_path("tapes.csv", path);
    write_recording(path);
    for (size_t j = 0; j < num_patterns; j++) {
        spot_trace_model_t model;
        int64_t capacity = 40;
        int num_changes;

        make_pattern(&model, patterns[j], path, j % 2 == 0 ? 1 : 1.3, HORIZON_S);
        if (!spot_trace_model_is_unbounded(&model)) {
            capacity = spot_trace_model_common(&model)->capacity;
        }
        num_changes = read_model(&model, capacity, NULL, 0);
        assert_true(num_changes > 0);
        for (size_t k = 0; k < sizeof(spares) / sizeof(spares[0]); k++) {
            assert_int_equal(read_model(&model, capacity, &tapes, spares[k]), num_changes);
        }
        spot_trace_model_free(&model);
    }
    spot_tapes_free(&tapes);
    assert_int_equal(remove(path), 0);
}

/* Changes of all instances at once, of which fewer fit what is made at a time and some
 * are clipped, and a fleet of one instance. */
static void test_large_changes(void **state)
{
    static const char *const texts[] = {
        "capacity: 900\ninitial: 650\npreemption: {per_minute: 0.9, count: {fixed: "
        "700}}\naddition: {per_minute: 0.9, count: {fixed: 650}}\n",
        "capacity: 1\ninitial: 0\npreemption: {per_minute: 0.5, count: {fixed: 1}}\n"
        "addition: {per_minute: 0.5, count: {fixed: 3}}\n",
    };
    static const int64_t capacities[] = {800, 1};
    spot_tapes_t tapes = {0};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_trace_model_t model;
        char text[512];
        int num_changes;

        snprintf(text, sizeof(text), "generator: seed\nhorizon_s: 20000\n%s", texts[j]);
        make_model(&model, text);
        num_changes = read_model(&model, capacities[j], NULL, 0);
        assert_true(num_changes > 1000);
        assert_int_equal(read_model(&model, capacities[j], &tapes, 100000), num_changes);
        assert_int_equal(read_model(&model, capacities[j], &tapes, SPOT_TAPES_BYTES), num_changes);
        spot_trace_model_free(&model);
    }
    spot_tapes_free(&tapes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_large_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
