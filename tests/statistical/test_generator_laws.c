/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generated traces have the requested rates, lives and hours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/units.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/generate/recorded_model.h"
#include "traces/generate/membership.h"
#include "traces/laws/law.h"

#define NUM_REPLICATIONS 400

/* Far from empty and full the types are a Markov chain, and the mean gap is that of its
 * stationary law: pi = b / (1 - a + b) with a, b the probabilities of a preemption after
 * a preemption and after an addition. */
static void test_rates_of_mrp(void **state)
{
    const double a = 0.7, b = 0.3, pi = b / (1 - a + b), horizon_s = 400000;
    const double mean_gap_s = pi * (a * 100 + (1 - a) * 300) + (1 - pi) * (b * 50 + (1 - b) * 200);
    spot_moments_t preempts = {0}, adds = {0};
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_model(&model,
        "generator: mrp\ncapacity: 1000000\ninitial: 500000\ntick_s: 0.001\n"
        "horizon_s: 400000\np_preempt_after: {preempt: 0.7, add: 0.3}\n"
        "gaps_s: {preempt_preempt: {family: exponential, mu: 100}, preempt_add: "
        "{family: "
        "exponential, mu: 300}, add_preempt: {family: exponential, mu: 50}, add_add: "
        "{family: exponential, mu: 200}, full: {family: exponential, mu: 1}, empty: "
        "{family: exponential, mu: 1}}\nbulk: {preempt: {p: 1}, add: {p: 1}}\n");
    events_init(&events, &model);
    for (uint64_t replication = 0; replication < NUM_REPLICATIONS; replication++) {
        double counts[2] = {0};

        events_start(&events, 21, replication);
        while (events_next(&events, &event)) {
            counts[event.kind] += event.count; /* two in a ms are one row */
        }
        spot_moments_add(&preempts, counts[SPOT_EVENT_PREEMPT]);
        spot_moments_add(&adds, counts[SPOT_EVENT_ADD]);
    }
    assert_mean(
        "preemptions", &preempts, pi * horizon_s / mean_gap_s, 0.03 * pi * horizon_s / mean_gap_s);
    assert_mean("additions", &adds, (1 - pi) * horizon_s / mean_gap_s,
        0.03 * (1 - pi) * horizon_s / mean_gap_s);
    events_free(&events);
    spot_trace_model_free(&model);
}

/* One slot: full and empty in turn, for the means of the two laws. */
static void test_boundaries_of_mrp(void **state)
{
    spot_moments_t full_s = {0}, empty_s = {0};
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;
    int64_t last_ms = 0;

    (void) state;
    make_model(&model,
        "generator: mrp\ncapacity: 1\ninitial: 1\ntick_s: 0.001\nhorizon_s: 1e8\n"
        "p_preempt_after: {preempt: 0.7, add: 0.3}\n"
        "gaps_s: {preempt_preempt: {family: exponential, mu: 100}, preempt_add: "
        "{family: "
        "exponential, mu: 300}, add_preempt: {family: exponential, mu: 50}, add_add: "
        "{family: exponential, mu: 200}, full: {family: gamma, shape: 0.5, scale: "
        "1400}, "
        "empty: {family: hyperexp2, p1: 0.8, mu1: 100, mu2: 1100}}\n"
        "bulk: {preempt: {p: 0.2}, add: {p: 0.2}}\n");
    events_init(&events, &model);
    events_start(&events, 22, 0);
    while (events_next(&events, &event)) {
        spot_moments_add(event.kind == SPOT_EVENT_ADD ? &empty_s : &full_s,
            (double) (event.time_ms - last_ms) / 1000);
        last_ms = event.time_ms;
    }
    assert_mean("full", &full_s, 700, 70);
    assert_mean("empty", &empty_s, 300, 30);
    events_free(&events);
    spot_trace_model_free(&model);
}

/* The lives that begin early enough to end before the horizon, in cells of equal
 * probability up to the wall and beyond it. */
static void test_lives(void **state)
{
    enum { NUM_CELLS = 40 };
    static int64_t birth_ms[100];
    const char law_text[] = "{law: deadline, zeta: 10, sigma: 2, deadline_s: 86400, "
                            "overrun_mean_s: 1356, overrun_max_s: 3000}";
    double counts[NUM_CELLS] = {0}, expected[NUM_CELLS];
    spot_law_t law = {&spot_family_deadline, {10, 2, 86400, 1356, 3000}};
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;
    double num_lives = 0;
    char text[512];

    (void) state;
    snprintf(text, sizeof(text),
        "generator: lifetimes\ncapacity: 100\ninitial: 100\ntick_s: 0.001\n"
        "horizon_s: 2e7\nlifetime: %s\nrefill: {family: exponential, mu: 60}\n",
        law_text);
    make_model(&model, text);
    assert_int_equal(spot_membership_init(&membership, &model, 100), 0);
    spot_membership_start(&membership, 23, 0);
    while (spot_membership_next(&membership, &change)) {
        for (int32_t j = 0; j < change.count; j++) {
            int64_t *birth = &birth_ms[change.slots[j]];
            const double life_s = (double) (change.time_ms - *birth) / 1000;
            const bool is_whole = *birth < (int64_t) 1000 * (20000000 - 90000);

            if (change.kind == SPOT_EVENT_ADD) {
                *birth = change.time_ms;
            } else if (is_whole) {
                const double p = -expm1(law.family->log_survival(law.parameters, life_s));

                assert_true(life_s <= 86400 + 3000 + 0.001);
                counts[p < 1 ? (int) (NUM_CELLS * p) : NUM_CELLS - 1]++;
                num_lives++;
            }
        }
    }
    for (int j = 0; j < NUM_CELLS; j++) {
        expected[j] = num_lives / NUM_CELLS;
    }
    assert_true(num_lives > 30000);
    assert_counts("lives", counts, expected, NUM_CELLS);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

/* Additions only, exponential gaps: a Poisson process whose rate is that of the hour. */
static void test_hours(void **state)
{
    double counts[24] = {0}, expected[24];
    spot_trace_model_t model;
    spot_event_t event;
    events_t events;

    (void) state;
    make_model(&model,
        "generator: mrp\ncapacity: 1000000\ninitial: 1\ntick_s: 0.001\n"
        "horizon_s: 172800000\np_preempt_after: {preempt: 0, add: 0}\n"
        "gaps_s: {preempt_preempt: {family: exponential, mu: 1}, preempt_add: {family: "
        "exponential, mu: 1}, add_preempt: {family: exponential, mu: 1}, add_add: "
        "{family: exponential, mu: 1800}, full: {family: exponential, mu: 1}, empty: "
        "{family: exponential, mu: 1}}\nbulk: {preempt: {p: 1}, add: {p: 1}}\n"
        "hourly: {start_hour: 5, preempt: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
        "1, 1, 1, 1, 1, 1, 1, 1, 1], add: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, "
        "14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]}\n");
    events_init(&events, &model);
    events_start(&events, 24, 0);
    while (events_next(&events, &event)) {
        counts[(event.time_ms / SPOT_MS_PER_H + 5) % 24]++;
    }
    for (int hour = 0; hour < 24; hour++) {
        expected[hour] = 2000 * 2 * (hour + 1) / 12.5;
    }
    assert_counts("hours", counts, expected, 24);
    events_free(&events);
    spot_trace_model_free(&model);
}

/* A recording replayed in a circle from a random tick is stationary: the mean population
 * is that of the recording. */
static void test_random_start(void **state)
{
    spot_moments_t populations = {0};
    spot_membership_t membership;
    spot_trace_model_t model;
    spot_change_t change;

    (void) state;
    make_recorded(&model, "replay", "counts", "40",
        "0,init,10,\n100,preempt,6,\n400,add,30,\n500,preempt,20,\n1000,end,14,\n",
        "wrap: true\nstart: random\nhorizon_s: 3000\n");
    assert_int_equal(spot_membership_init(&membership, &model, 40), 0);
    for (uint64_t replication = 0; replication < 10000; replication++) {
        int64_t population;

        spot_membership_start(&membership, 25, replication);
        population = membership.population;
        while (spot_membership_next(&membership, &change) && change.time_ms <= 1730000) {
            population = membership.population;
        }
        spot_moments_add(&populations, (double) population);
    }
    assert_mean("population", &populations, 10 * 0.1 + 4 * 0.3 + 34 * 0.1 + 14 * 0.5, 1);
    spot_membership_free(&membership);
    spot_trace_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rates_of_mrp),
        cmocka_unit_test(test_boundaries_of_mrp),
        cmocka_unit_test(test_lives),
        cmocka_unit_test(test_hours),
        cmocka_unit_test(test_random_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
