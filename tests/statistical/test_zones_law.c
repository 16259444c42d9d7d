/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of losses that zones have in common. A zone that is filled up again at every
 * tick loses independently from tick to tick, so that mean, variance and covariance of
 * the losses are known exactly: with K shocks in a tick (Poisson with mean m), an
 * instance survives with probability q^K, q = 1 - p_zone * share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "statistics.h"
#include "tests/unit/generate/model_text.h"

enum { NUM_TICKS = 1800, TICK_S = 10, NUM_REPLICATIONS = 4000, NUM_ZONES = 2 };

#define TICKS_PER_H (3600.0 / TICK_S)

typedef struct {
    double per_hour, p_zone, share;
    double capacity[NUM_ZONES];
} setting_t;

static void make_setting_model(spot_trace_model_t *model, const setting_t *setting)
{
    static const char full[] = "preemption: {per_minute: 0, count: {fixed: 1}}, "
                               "addition: {per_minute: 1, count: {fixed: 1000}}";
    char text[1024];

    snprintf(text, sizeof(text),
        "generator: zones\ntick_s: %d\nhorizon_s: %d\nzones:\n"
        "  a: {generator: seed, capacity: %g, initial: %g, %s}\n"
        "  b: {generator: seed, capacity: %g, initial: %g, %s}\n"
        "shocks: {per_hour: %.17g, p_zone: %.17g, share: %.17g}\n",
        TICK_S, NUM_TICKS * TICK_S, setting->capacity[0], setting->capacity[0], full,
        setting->capacity[1], setting->capacity[1], full, setting->per_hour, setting->p_zone,
        setting->share);
    make_model(model, text);
}

static double tick_mean(const setting_t *setting, int zone_id)
{
    const double shocks = setting->per_hour / TICKS_PER_H;

    return -setting->capacity[zone_id] * expm1(-shocks * setting->p_zone * setting->share);
}

/* From pairs of survivors: both of a pair are lost by hits of their zone alone. */
static double tick_variance(const setting_t *setting, int zone_id)
{
    const double shocks = setting->per_hour / TICKS_PER_H, s = setting->share;
    const double c = setting->capacity[zone_id];
    const double one = exp(-shocks * setting->p_zone * s);
    const double two = exp(-shocks * setting->p_zone * (2 * s - s * s));

    return c * (c - 1) * two + c * one - c * c * one * one;
}

static double tick_covariance(const setting_t *setting)
{
    const double shocks = setting->per_hour / TICKS_PER_H;
    const double q = 1 - setting->p_zone * setting->share;

    return setting->capacity[0] * setting->capacity[1] *
           (exp(-shocks * (1 - q * q)) - exp(-2 * shocks * (1 - q)));
}

static void count_losses(events_t *events, uint64_t replication, double lost[NUM_ZONES])
{
    spot_event_t event;

    lost[0] = lost[1] = 0;
    events_start(events, 1, replication);
    while (events_next(events, &event)) {
        if (event.kind == SPOT_EVENT_PREEMPT) {
            lost[events->model->generator->members->zone(events->state)] += event.count;
        }
    }
}

static void check_setting(const setting_t *setting)
{
    const double means[NUM_ZONES] = {
        NUM_TICKS * tick_mean(setting, 0), NUM_TICKS * tick_mean(setting, 1)};
    const double covariance = NUM_TICKS * tick_covariance(setting);
    spot_moments_t lost[NUM_ZONES] = {{0}}, squares[NUM_ZONES] = {{0}}, product = {0};
    spot_trace_model_t model;
    events_t events;

    make_setting_model(&model, setting);
    events_init(&events, &model);
    for (uint64_t j = 0; j < NUM_REPLICATIONS; j++) {
        double values[NUM_ZONES];

        count_losses(&events, j, values);
        for (int k = 0; k < NUM_ZONES; k++) {
            spot_moments_add(&lost[k], values[k]);
            spot_moments_add(&squares[k], (values[k] - means[k]) * (values[k] - means[k]));
        }
        spot_moments_add(&product, (values[0] - means[0]) * (values[1] - means[1]));
    }
    for (int k = 0; k < NUM_ZONES; k++) {
        const double variance = NUM_TICKS * tick_variance(setting, k);

        assert_mean("lost by a zone", &lost[k], means[k], 0.06 * means[k]);
        assert_mean("their variance", &squares[k], variance, 0.3 * variance);
    }
    /* Relevant: half of it; without a common cause it would be 0. */
    assert_mean("covariance of the zones", &product, covariance, 0.5 * covariance);
    events_free(&events);
    spot_trace_model_free(&model);
}

static void test_common_shocks(void **state)
{
    static const setting_t settings[] = {
        {6, 0.5, 0.4, {20, 50}},                      /* 30 shocks in a replication */
        {60, 0.6, 0.7, {10, 10}}, {20, 1, 1, {3, 7}}, /* all of all zones */
    };

    (void) state;
    for (size_t j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
        check_setting(&settings[j]);
    }
}

/* The gaps between shocks that are seen at a fine tick are exponential. */
static void test_gaps_between_shocks(void **state)
{
    static const setting_t setting = {6, 1, 1, {1, 1}};
    const double p = -expm1(-6 / TICKS_PER_H);
    spot_moments_t gaps = {0}, squares = {0};
    spot_trace_model_t model;
    events_t events;

    (void) state;
    make_setting_model(&model, &setting);
    spot_trace_model_set_horizon(&model, INT64_C(40000) * 3600000);
    events_init(&events, &model);
    events_start(&events, 2, 0);
    for (double last = 0; gaps.num_values < 200000;) {
        spot_event_t event;

        assert_true(events_next(&events, &event));
        if (event.kind == SPOT_EVENT_PREEMPT && model.generator->members->zone(events.state) == 0) {
            const double gap = (double) event.time_ms / (1000 * TICK_S) - last;

            spot_moments_add(&gaps, gap);
            spot_moments_add(&squares, (gap - 1 / p) * (gap - 1 / p));
            last += gap;
        }
    }
    /* Several shocks in one tick are seen as one: the gaps are geometric. */
    assert_mean("mean gap", &gaps, 1 / p, 0.025 / p);
    assert_mean("variance of the gaps", &squares, (1 - p) / (p * p), 0.08 / (p * p));
    events_free(&events);
    spot_trace_model_free(&model);
}

/* ---- Shocks on instances that are named and replaced one by one ---- */

#define FINE_TICK_S 10.0

/* Instances are lost by shocks only, and return after a gamma wait. */
static void make_lives(spot_trace_model_t *model, double horizon_s)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "generator: zones\ntick_s: %g\nhorizon_s: %.17g\nzones:\n"
        "  a: {generator: lifetimes, capacity: 12, initial: 12, lifetime: {family: "
        "exponential, mu: 1e15}, refill: {family: gamma, shape: 2, scale: 300}}\n"
        "  b: {generator: lifetimes, capacity: 8, initial: 8, lifetime: {family: "
        "exponential, mu: 1e15}, refill: {family: gamma, shape: 2, scale: 300}}\n"
        "shocks: {per_hour: 2, p_zone: 0.5, share: 0.4}\n",
        FINE_TICK_S, horizon_s);
    make_model(model, text);
}

/* A wait W that begins at a random instant of a tick is seen as ticks whose mean is that
 * of W exactly, and whose mean square is larger by tick^2 E(f (1 - f)), f the fraction
 * of the tick that W ends with: a sixth of tick^2 where the tick is small. */
static void test_refill_after_shocks(void **state)
{
    const double horizon_s = 400 * 86400.0, last_s = horizon_s - 30000;
    spot_moments_t waits = {0}, squares = {0};
    spot_trace_model_t model;
    double lost_s[20] = {0};
    spot_event_t event;
    events_t events;

    (void) state;
    make_lives(&model, horizon_s);
    events_init(&events, &model);
    events_start(&events, 1, 0);
    while (events_next(&events, &event)) {
        const double now_s = (double) event.time_ms / 1000;

        for (int32_t j = 0; j < event.count; j++) {
            double *since_s = &lost_s[event.name_ids[j]];

            if (event.kind == SPOT_EVENT_PREEMPT) {
                *since_s = now_s;
            } else if (*since_s < last_s) { /* no longer wait is cut off */
                spot_moments_add(&waits, now_s - *since_s);
                spot_moments_add(&squares, (now_s - *since_s) * (now_s - *since_s));
            }
        }
    }
    assert_mean("wait after a shock", &waits, 600, 0.03 * 600);
    assert_mean(
        "its square", &squares, 6 * 300.0 * 300 + FINE_TICK_S * FINE_TICK_S / 6, 0.06 * 540000);
    events_free(&events);
    spot_trace_model_free(&model);
}

/* Losses of instances, of pairs of them and across the zones, and how often each could
 * have been: who lives at the start of a tick, summed over the ticks. */
enum { ONE_A, ONE_B, PAIR_A, PAIR_B, ACROSS, NUM_THINGS };

typedef struct {
    double now_ms;
    double living[NUM_ZONES];
    double lost_now[NUM_ZONES]; /* at this tick */
    double lost[NUM_THINGS];
    double chances[NUM_THINGS];
    double lost_of_low, lost_of_high; /* ids below 6, and from 6 to 11 */
} tally_t;

static void add_things(double sums[NUM_THINGS], const double n[NUM_ZONES], double weight)
{
    sums[ONE_A] += weight * n[0];
    sums[ONE_B] += weight * n[1];
    sums[PAIR_A] += weight * n[0] * (n[0] - 1) / 2;
    sums[PAIR_B] += weight * n[1] * (n[1] - 1) / 2;
    sums[ACROSS] += weight * n[0] * n[1];
}

static void tally_advance(tally_t *self, double time_ms)
{
    if (time_ms > self->now_ms) {
        add_things(self->lost, self->lost_now, 1);
        add_things(self->chances, self->living, (time_ms - self->now_ms) / (1000 * FINE_TICK_S));
        self->lost_now[0] = self->lost_now[1] = 0;
        self->now_ms = time_ms;
    }
}

static void tally_take(tally_t *self, int32_t zone_id, const spot_event_t *event)
{
    tally_advance(self, (double) event->time_ms);
    if (event->kind == SPOT_EVENT_ADD) {
        self->living[zone_id] += event->count;
        return;
    }
    self->living[zone_id] -= event->count;
    self->lost_now[zone_id] += event->count;
    for (int32_t j = 0; j < event->count; j++) {
        self->lost_of_low += event->name_ids[j] < 6;
        self->lost_of_high += event->name_ids[j] >= 6 && event->name_ids[j] < 12;
    }
}

/* Marshall and Olkin: one, or two of a zone, or one each of two, are lost in a tick with
 * probabilities that only the shocks determine, whatever happened before: losses less
 * probability times chances have the mean 0, exactly. */
static void test_loss_of_each_instance(void **state)
{
    static const char *const names[] = {
        "one of a", "one of b", "two of a", "two of b", "one of each"};
    const double shocks = 2 * FINE_TICK_S / 3600, p = 0.5, s = 0.4;
    const double one = -expm1(-shocks * p * s);
    const double pair = 2 * one + expm1(-shocks * p * (2 * s - s * s));
    const double across = 2 * one + expm1(-shocks * (1 - (1 - p * s) * (1 - p * s)));
    const double p_lost[NUM_THINGS] = {one, one, pair, pair, across};
    spot_moments_t excess[NUM_THINGS] = {{0}}, lost[NUM_THINGS] = {{0}}, sides = {0};
    const double horizon_s = 20 * 86400.0;
    spot_trace_model_t model;
    events_t events;

    (void) state;
    make_lives(&model, horizon_s);
    events_init(&events, &model);
    for (uint64_t replication = 0; replication < 600; replication++) {
        tally_t tally = {.living = {12, 8}};
        spot_event_t event;

        events_start(&events, 1, replication);
        while (events_next(&events, &event)) {
            tally_take(&tally, model.generator->members->zone(events.state), &event);
        }
        tally_advance(&tally, 1000 * horizon_s);
        for (int k = 0; k < NUM_THINGS; k++) {
            spot_moments_add(&lost[k], tally.lost[k]);
            spot_moments_add(&excess[k], tally.lost[k] - p_lost[k] * tally.chances[k]);
        }
        spot_moments_add(&sides, tally.lost_of_low - tally.lost_of_high);
    }
    for (int k = 0; k < NUM_THINGS; k++) {
        assert_mean(names[k], &excess[k], 0, 0.03 * spot_moments_mean(&lost[k]));
    }
    assert_mean("low ids against high ones", &sides, 0, 0.01 * spot_moments_mean(&lost[ONE_A]));
    events_free(&events);
    spot_trace_model_free(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_shocks),
        cmocka_unit_test(test_gaps_between_shocks),
        cmocka_unit_test(test_refill_after_shocks),
        cmocka_unit_test(test_loss_of_each_instance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
