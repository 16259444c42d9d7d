/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/unit/generate/model_text.h"
#include "traces/laws/law.h"

/* Longer than what a test looks at, short enough to be walked through. */
#define HORIZON_S 1e6

static void make_seed_model(spot_trace_model_t *model, int capacity, int initial, double tick_s,
    double p_preempt, double p_add, const char *count)
{
    char text[512];

    snprintf(text, sizeof(text),
        "spotsim-model: 1\ngenerator: seed\ncapacity: %d\ninitial: %d\ntick_s: %g\n"
        "horizon_s: %g\n"
        "preemption: {per_minute: %.17g, count: %s}\n"
        "addition: {per_minute: %.17g, count: %s}\n",
        capacity, initial, tick_s, HORIZON_S, p_preempt, count, p_add, count);
    make_model(model, text);
}

static void assert_same_event(const spot_event_t *event, const spot_event_t *other)
{
    assert_int_equal(event->time_ms, other->time_ms);
    assert_int_equal(event->kind, other->kind);
    assert_int_equal(event->count, other->count);
}

static void test_without_events(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_seed_model(&model, 8, 4, 60, 0, 0, "{fixed: 1}");
    events_init(&events, &model);
    events_start(&events, 1, 0);
    for (int j = 0; j < 3; j++) {
        assert_false(events_next(&events, &event));
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* One direction only: it goes on until there is nothing to take or no room, and then it
 * is over at once, though a trial would succeed at every tick for centuries. */
static void test_one_direction(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    for (int j = 0; j < 2; j++) {
        make_seed_model(&model, 8, 3, 1, j == 0, j == 1, "{fixed: 2}");
        events_init(&events, &model);
        events_start(&events, 1, 0);
        for (int tick = 1, rest = j == 0 ? 3 : 5; rest > 0; tick++, rest -= 2) {
            assert_true(events_next(&events, &event));
            assert_int_equal(event.time_ms, tick * SPOT_MS_PER_S);
            assert_int_equal(event.kind, j == 0 ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD);
            assert_int_equal(event.count, rest < 2 ? rest : 2);
            assert_null(event.name_ids);
        }
        assert_false(events_next(&events, &event));
        assert_false(events_next(&events, &event));
        events_free(&events);
        spot_trace_model_free(&model);
    }
}

/* p = 1: each tick has both, the preemption first; with room for one instance it goes
 * and comes at each of them. */
static void test_certain_events(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_seed_model(&model, 1, 1, 0.25, 1, 1, "{fixed: 3}");
    events_init(&events, &model);
    events_start(&events, 9, 4);
    for (int64_t j = 0; j < 20000; j++) {
        assert_true(events_next(&events, &event));
        assert_int_equal(event.time_ms, (j / 2 + 1) * 250);
        assert_int_equal(event.kind, j % 2 == 0 ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD);
        assert_int_equal(event.count, 1);
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* With nobody there the first event brings someone. */
static void test_empty_start(void **state)
{
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_seed_model(&model, 1, 0, 5, 0.9, 0.1, "{geometric: {p: 0.4}}");
    events_init(&events, &model);
    for (uint64_t replication = 0; replication < 100; replication++) {
        events_start(&events, 2, replication);
        for (int j = 0; j < 20; j++) {
            assert_true(events_next(&events, &event));
            assert_int_equal(event.kind, j % 2 == 0 ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT);
            assert_int_equal(event.count, 1);
        }
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* At most one event a tick and direction, the preemption first, the population within 0
 * and the capacity, and nothing without effect. */
static void check_invariants(const spot_trace_model_t *model, events_t *events)
{
    const spot_model_common_t *common = spot_trace_model_common(model);
    spot_event_t last = {.time_ms = 0, .kind = SPOT_EVENT_ADD}, event;
    int64_t population = common->initial;

    for (int j = 0; j < 300 && events_next(events, &event); j++) {
        assert_true(event.count >= 1);
        assert_int_equal(event.time_ms % common->tick_ms, 0);
        assert_true(event.time_ms > last.time_ms ||
                    (event.time_ms == last.time_ms && last.kind == SPOT_EVENT_PREEMPT &&
                        event.kind == SPOT_EVENT_ADD));
        population += event.kind == SPOT_EVENT_ADD ? event.count : -event.count;
        assert_true(population >= 0 && population <= common->capacity);
        last = event;
    }
}

static void test_population_stays_in_bounds(void **state)
{
    static const char *const counts[] = {"{fixed: 1}", "{fixed: 100}",
        "{normal: {mean: 2.4, std: 2.1}}", "{moments: {mean: 2.4, std: 2.1}}",
        "{geometric: {p: 0.02}}", "{negbin: {r: 0.3, p: 0.02}}"};
    static const double ps[] = {0.02, 0.3, 0.97, 1};
    static const int capacities[] = {1, 2, 7, 64, 3000};
    spot_trace_model_t model;
    events_t events;

    (void) state;
    for (unsigned j = 0; j < 6 * 4 * 4 * 5; j++) {
        const int capacity = capacities[j / 96];

        make_seed_model(&model, capacity, (int) (j % 3) * capacity / 2, j % 2 == 0 ? 60 : 7,
            ps[j / 6 % 4], ps[j / 24 % 4], counts[j % 6]);
        events_init(&events, &model);
        for (uint64_t replication = 0; replication < 4; replication++) {
            events_start(&events, j, replication);
            check_invariants(&model, &events);
        }
        events_free(&events);
        spot_trace_model_free(&model);
    }
}

/* A replication starts alone, and again, whatever ran before. */
static void test_replications_start_alone(void **state)
{
    enum { NUM_EVENTS = 500 };
    static spot_event_t first[NUM_EVENTS];
    int num_same_seed = 0, num_same_replication = 0;
    spot_trace_model_t model;
    spot_event_t event;
    events_t events, others;

    (void) state;
    make_model(&model, "spotsim-model: 1\ngenerator: seed\ncapacity: 64\ninitial: 32\n"
                       "horizon_s: 1e6\n" SEED_STUDY);
    events_init(&events, &model);
    events_init(&others, &model);
    events_start(&events, 7, 3);
    for (int j = 0; j < NUM_EVENTS; j++) {
        assert_true(events_next(&events, &first[j]));
    }
    events_start(&events, 8, 3);
    events_start(&others, 7, 4);
    for (int j = 0; j < NUM_EVENTS; j++) {
        assert_true(events_next(&events, &event));
        num_same_seed += event.time_ms == first[j].time_ms;
        assert_true(events_next(&others, &event));
        num_same_replication += event.time_ms == first[j].time_ms;
    }
    assert_true(num_same_seed < 50 && num_same_replication < 50);
    events_start(&events, 7, 3);
    for (int j = 0; j < NUM_EVENTS; j++) {
        assert_true(events_next(&events, &event));
        assert_same_event(&event, &first[j]);
    }
    events_free(&events);
    events_free(&others);
    spot_trace_model_free(&model);
}

/* The streams of the two directions do not touch: another law of additions moves no
 * preemption as long as there is someone to preempt. */
static void test_directions_have_their_own_streams(void **state)
{
    spot_trace_model_t one, other;
    events_t events, others;
    spot_event_t event, match;

    (void) state;
    make_seed_model(&one, 1000000, 500000, 5, 0.2, 0.1, "{geometric: {p: 0.3}}");
    make_seed_model(&other, 1000000, 500000, 5, 0.2, 0.7, "{geometric: {p: 0.3}}");
    events_init(&events, &one);
    events_init(&others, &other);
    events_start(&events, 3, 1);
    events_start(&others, 3, 1);
    for (int j = 0; j < 2000; j++) {
        do {
            assert_true(events_next(&events, &event));
        } while (event.kind != SPOT_EVENT_PREEMPT);
        do {
            assert_true(events_next(&others, &match));
        } while (match.kind != SPOT_EVENT_PREEMPT);
        assert_same_event(&event, &match);
    }
    events_free(&events);
    events_free(&others);
    spot_trace_model_free(&one);
    spot_trace_model_free(&other);
}

/* One direction of the plain reading of the streams: entity 0 is preemption, 1 addition;
 * a gap is one uniform number, so is a size. */
typedef struct {
    double p_per_tick;
    spot_rng_t gap, count;
    int64_t tick;
} reading_t;

static void reading_start(reading_t *self, double p_per_minute, double tick_s, uint64_t entity)
{
    self->p_per_tick = 1 - pow(1 - p_per_minute, tick_s / 60);
    spot_rng_seek(&self->gap, 11, 5, SPOT_STREAM_GAP, entity);
    spot_rng_seek(&self->count, 11, 5, SPOT_STREAM_COUNT, entity);
    self->tick = 0;
}

/* Trials until the next success: the k-th one has it if F(k - 1) <= u < F(k). */
static void reading_next(reading_t *self)
{
    const double u = spot_rng_uniform(&self->gap);
    double q = 1 - self->p_per_tick;

    self->tick++;
    while (u >= 1 - q) {
        q *= 1 - self->p_per_tick;
        self->tick++;
    }
}

static void test_events_come_from_the_named_streams(void **state)
{
    const spot_size_family_parameters_t geometric = {SPOT_SIZE_GEOMETRIC, 0.3, 0};
    const spot_size_big_t no_big = {0};
    spot_trace_model_t model;
    reading_t readings[2];
    spot_size_law_t law;
    spot_event_t event;
    events_t events;

    (void) state;
    make_seed_model(&model, 1000000, 500000, 5, 0.2, 0.1, "{geometric: {p: 0.3}}");
    assert_int_equal(spot_size_law_init(&law, &geometric, &no_big, 1000000), 0);
    events_init(&events, &model);
    events_start(&events, 11, 5);
    for (int j = 0; j < 2; j++) {
        reading_start(&readings[j], j == 0 ? 0.2 : 0.1, 5, (uint64_t) j);
        reading_next(&readings[j]);
    }
    for (int j = 0; j < 2000; j++) {
        const int is_add = readings[1].tick < readings[0].tick;
        reading_t *reading = &readings[is_add];

        assert_true(events_next(&events, &event));
        assert_int_equal(event.kind, is_add ? SPOT_EVENT_ADD : SPOT_EVENT_PREEMPT);
        assert_int_equal(event.time_ms, reading->tick * 5000);
        assert_int_equal(event.count, spot_size_law_draw(&law, &reading->count));
        reading_next(reading);
    }
    events_free(&events);
    spot_size_law_free(&law);
    spot_trace_model_free(&model);
}

/* Up to the horizon, that tick included. */
static void test_horizon(void **state)
{
    static const struct {
        int64_t horizon_ms, last_ms;
    } cases[] = {{1, 0}, {6999, 0}, {7000, 7000}, {20999, 14000}, {21000, 21000}};
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_seed_model(&model, 3, 1, 7, 1, 1, "{fixed: 1}");
    events_init(&events, &model);
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        int64_t last_ms = 0;

        spot_trace_model_set_horizon(&model, cases[j].horizon_ms);
        events_start(&events, 1, 0);
        while (events_next(&events, &event)) {
            last_ms = event.time_ms;
        }
        assert_int_equal(last_ms, cases[j].last_ms);
        assert_false(events_next(&events, &event));
    }
    events_free(&events);
    spot_trace_model_free(&model);
}

/* The rarest events that can be asked for, over the longest time: no overflow. */
static void test_rare_events(void **state)
{
    static const double ps[] = {1e-12, 1e-300, 4.9e-324};
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    for (size_t j = 0; j < sizeof(ps) / sizeof(ps[0]); j++) {
        make_seed_model(&model, 8, 4, 0.001, ps[j], ps[j], "{fixed: 1}");
        spot_trace_model_set_horizon(&model, 2 * SPOT_MAX_DURATION_MS);
        events_init(&events, &model);
        for (uint64_t replication = 0; replication < 200; replication++) {
            int64_t last_ms = 0;

            events_start(&events, 1, replication);
            while (events_next(&events, &event)) {
                assert_true(event.time_ms >= last_ms);
                assert_true(event.time_ms <= 2 * SPOT_MAX_DURATION_MS);
                last_ms = event.time_ms;
            }
        }
        events_free(&events);
        spot_trace_model_free(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_events),
        cmocka_unit_test(test_one_direction),
        cmocka_unit_test(test_certain_events),
        cmocka_unit_test(test_empty_start),
        cmocka_unit_test(test_population_stays_in_bounds),
        cmocka_unit_test(test_replications_start_alone),
        cmocka_unit_test(test_directions_have_their_own_streams),
        cmocka_unit_test(test_events_come_from_the_named_streams),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_rare_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
