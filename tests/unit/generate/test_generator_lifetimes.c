/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_randist.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"
#include "tests/unit/generate/process_twin.h"
#include "traces/generate/generator_parts.h"
#include "traces/generate/membership.h"

#define MAX_SLOTS 300

/* Slot by slot from the definition: lives and waits in turn, each with its own stream.
 */
typedef struct {
    spot_rng_t lives, waits;
    double end_s;                   /* of what is going on */
    bool lives_now, lived_at_start; /* of the open tick */
    bool is_lost;
} slot_t;

static double draw_life(slot_t *slot)
{
    return gsl_ran_weibull(spot_rng_gsl(&slot->lives), 900, 0.7);
}

static double draw_wait(slot_t *slot)
{
    return gsl_ran_gamma(spot_rng_gsl(&slot->waits), 0.4, 500);
}

static void expect(
    events_t *events, double time_s, spot_event_kind_t kind, const bool *is_in, int num_slots)
{
    bool seen[MAX_SLOTS] = {false};
    spot_event_t event;
    int count = 0;

    for (int j = 0; j < num_slots; j++) {
        count += is_in[j];
    }
    if (count == 0) {
        return;
    }
    assert_true(events_next(events, &event));
    assert_int_equal(event.time_ms, llround(1e3 * time_s));
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.count, count);
    for (int j = 0; j < count; j++) {
        seen[event.name_ids[j]] = true;
    }
    assert_memory_equal(seen, is_in, (size_t) num_slots * sizeof(bool));
}

/* What a tick shows: those who lived at its start and died; those who live at its end
 * and came in it. */
static void close_tick(slot_t *slots, int num_slots, events_t *events, double time_s)
{
    bool is_lost[MAX_SLOTS] = {false}, is_new[MAX_SLOTS] = {false};

    for (int j = 0; j < num_slots; j++) {
        is_lost[j] = slots[j].is_lost;
        is_new[j] = slots[j].lives_now && (!slots[j].lived_at_start || is_lost[j]);
        slots[j].lived_at_start = slots[j].lives_now;
        slots[j].is_lost = false;
    }
    expect(events, time_s, SPOT_EVENT_PREEMPT, is_lost, num_slots);
    expect(events, time_s, SPOT_EVENT_ADD, is_new, num_slots);
}

static void check_replication(const spot_trace_model_t *model, int num_slots, int initial,
    double tick_s, double horizon_s, uint64_t replication)
{
    static slot_t slots[MAX_SLOTS];
    double open_tick = 0;
    spot_event_t event;
    events_t events;

    events_init(&events, model);
    events_start(&events, 4, replication);
    memset(slots, 0, sizeof(slots));
    for (int j = 0; j < num_slots; j++) {
        spot_rng_seek(&slots[j].lives, 4, replication, SPOT_STREAM_LIFETIME, (uint64_t) j);
        spot_rng_seek(&slots[j].waits, 4, replication, SPOT_STREAM_REFILL, (uint64_t) j);
        slots[j].lives_now = slots[j].lived_at_start = j < initial;
        slots[j].end_s = j < initial ? draw_life(&slots[j]) : draw_wait(&slots[j]);
    }
    for (;;) {
        slot_t *first = &slots[0];

        for (int j = 1; j < num_slots; j++) {
            first = slots[j].end_s < first->end_s ? &slots[j] : first;
        }
        if (twin_tick(first->end_s, tick_s) != open_tick) {
            close_tick(slots, num_slots, &events, open_tick * tick_s);
            open_tick = twin_tick(first->end_s, tick_s);
        }
        if (open_tick * tick_s > horizon_s || first->end_s > horizon_s) {
            break;
        }
        first->is_lost |= first->lives_now && first->lived_at_start;
        first->lives_now = !first->lives_now;
        first->end_s += first->lives_now ? draw_life(first) : draw_wait(first);
    }
    assert_false(events_next(&events, &event));
    events_free(&events);
}

static void test_twin(void **state)
{
    static const struct {
        int capacity, initial;
        double tick_s;
    } cases[] = {{1, 0, 60}, {1, 1, 1}, {5, 2, 300}, {64, 32, 60}, {300, 300, 0.5}};
    spot_trace_model_t model;
    char text[512];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        snprintf(text, sizeof(text),
            "generator: lifetimes\ncapacity: %d\ninitial: %d\ntick_s: %g\n"
            "horizon_s: 20000\nlifetime: {law: weibull, scale: 900, shape: 0.7}\n"
            "refill: {family: gamma, shape: 0.4, scale: 500}\n",
            cases[j].capacity, cases[j].initial, cases[j].tick_s);
        make_model(&model, text);
        for (uint64_t replication = 0; replication < 4; replication++) {
            check_replication(
                &model, cases[j].capacity, cases[j].initial, cases[j].tick_s, 20000, replication);
        }
        spot_trace_model_free(&model);
    }
}

/* Nobody outlives the wall, to the tick, and many come to it; each death is that of the
 * instance whose life is over. */
static void check_wall(const char *text, int64_t wall_ms, double least_share)
{
    static int64_t birth_ms[64];
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;
    int64_t num_deaths = 0, num_at_wall = 0;

    make_model(&model, text);
    assert_int_equal(spot_membership_init(&membership, &model, 64), 0);
    spot_membership_start(&membership, 7, 0);
    memset(birth_ms, 0, sizeof(birth_ms));
    while (spot_membership_next(&membership, &change)) {
        for (int32_t j = 0; j < change.count; j++) {
            const int32_t slot = change.slots[j];

            if (change.kind == SPOT_EVENT_ADD) {
                birth_ms[slot] = change.time_ms;
            } else {
                const int64_t age_ms = change.time_ms - birth_ms[slot];

                num_deaths++;
                num_at_wall += age_ms >= wall_ms - SPOT_MS_PER_MIN;
                assert_true(age_ms <= wall_ms + SPOT_MS_PER_MIN);
            }
        }
        spot_membership_verify(&membership);
    }
    assert_true(num_deaths > 3000);
    assert_true((double) num_at_wall > least_share * (double) num_deaths);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

static void test_wall(void **state)
{
    (void) state;
    check_wall("generator: lifetimes\ncapacity: 64\ninitial: 64\nhorizon_s: 2e7\n"
               "lifetime: {law: deadline, zeta: 12.23, sigma: 3.62, deadline_s: 86400}\n"
               "refill: {family: exponential, mu: 600}\n",
        SPOT_MS_PER_D, 0.5);
    check_wall("generator: mrp\ncapacity: 64\ninitial: 64\nhorizon_s: 1e7\n"
               "p_preempt_after: {preempt: 0.5, add: 0.5}\ngaps_s:\n"
               "  preempt_preempt: {family: exponential, mu: 4000}\n"
               "  preempt_add: {family: exponential, mu: 4000}\n"
               "  add_preempt: {family: exponential, mu: 4000}\n"
               "  add_add: {family: exponential, mu: 4000}\n"
               "  full: {family: exponential, mu: 4000}\n"
               "  empty: {family: exponential, mu: 100}\n"
               "bulk: {preempt: {p: 0.6}, add: {p: 0.02}}\n"
               "lifetimes: {law: deadline, zeta: 30, sigma: 1, deadline_s: 86400}\n",
        SPOT_MS_PER_D, 0.3);
}

enum { NUM_ROSTER_SLOTS = 40 };

static void verify_roster(const spot_roster_t *self)
{
    assert_true(self->num_old >= 0 && self->num_old <= self->population);
    assert_true(self->population <= self->num_slots);
    assert_true(self->num_lost >= 0 && self->num_lost <= self->num_slots);
    for (int32_t j = 0; j < self->num_slots; j++) {
        assert_true(self->slots[self->place[j]] == j);
    }
}

/* What a tick shows: those who lived at its start and do not now are lost, those who
 * live now and did not are added, each once. */
static void assert_seen(spot_roster_t *roster, const bool *lived, const bool *lives)
{
    bool is_shown[NUM_ROSTER_SLOTS] = {false};
    spot_event_t event;

    while (spot_roster_see(roster, 60000, &event)) {
        const bool is_add = event.kind == SPOT_EVENT_ADD;

        verify_roster(roster);
        assert_true(event.count > 0 && event.time_ms == 60000);
        for (int32_t j = 0; j < event.count; j++) {
            const int32_t slot = event.name_ids[j];

            assert_true(is_add ? lives[slot] : lived[slot]);
            is_shown[slot] = !is_shown[slot]; /* twice: another one in its slot */
        }
    }
    for (int32_t slot = 0; slot < NUM_ROSTER_SLOTS; slot++) {
        assert_true(is_shown[slot] == (lived[slot] != lives[slot]));
    }
    verify_roster(roster);
}

/* Against plain flags, some changes a tick; every change leaves a sound roster. */
static void test_roster(void **state)
{
    bool lived[NUM_ROSTER_SLOTS] = {false}, lives[NUM_ROSTER_SLOTS] = {false};
    spot_roster_t roster;
    void *memory = malloc(spot_roster_bytes(NUM_ROSTER_SLOTS));
    spot_rng_t rng;

    (void) state;
    assert_non_null(memory);
    spot_rng_seek(&rng, 4, 0, SPOT_STREAM_BOOTSTRAP, 0);
    spot_roster_init(&roster, memory, NUM_ROSTER_SLOTS, 10);
    for (int32_t slot = 0; slot < 10; slot++) {
        lived[slot] = lives[slot] = true;
    }
    for (int round = 0; round < 20000; round++) {
        const int32_t slot = (int32_t) spot_rng_below(&rng, NUM_ROSTER_SLOTS);

        assert_true(spot_roster_lives(&roster, slot) == lives[slot]);
        if (lives[slot]) {
            spot_roster_leave(&roster, slot);
        } else {
            spot_roster_enter(&roster, slot);
        }
        lives[slot] = !lives[slot];
        verify_roster(&roster);
        if (spot_rng_below(&rng, 6) == 0) {
            assert_seen(&roster, lived, lives);
            memcpy(lived, lives, sizeof(lived));
        }
    }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_roster),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
