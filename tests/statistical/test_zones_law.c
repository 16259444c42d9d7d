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

static void
make_setting_model(spot_trace_model_t *model, const setting_t *setting)
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
        setting->capacity[1], setting->capacity[1], full, setting->per_hour,
        setting->p_zone, setting->share);
    make_model(model, text);
}

static double
tick_mean(const setting_t *setting, int zone_id)
{
    const double shocks = setting->per_hour / TICKS_PER_H;

    return -setting->capacity[zone_id] *
           expm1(-shocks * setting->p_zone * setting->share);
}

/* From pairs of survivors: both of a pair are lost by hits of their zone alone. */
static double
tick_variance(const setting_t *setting, int zone_id)
{
    const double shocks = setting->per_hour / TICKS_PER_H, s = setting->share;
    const double c = setting->capacity[zone_id];
    const double one = exp(-shocks * setting->p_zone * s);
    const double two = exp(-shocks * setting->p_zone * (2 * s - s * s));

    return c * (c - 1) * two + c * one - c * c * one * one;
}

static double
tick_covariance(const setting_t *setting)
{
    const double shocks = setting->per_hour / TICKS_PER_H;
    const double q = 1 - setting->p_zone * setting->share;

    return setting->capacity[0] * setting->capacity[1] *
           (exp(-shocks * (1 - q * q)) - exp(-2 * shocks * (1 - q)));
}

static void
count_losses(events_t *events, uint64_t replication, double lost[NUM_ZONES])
{
    spot_event_t event;

    lost[0] = lost[1] = 0;
    events_start(events, 1, replication);
    while (events_next(events, &event)) {
        if (event.kind == SPOT_EVENT_PREEMPT) {
            lost[events->model->generator->zone(events->state)] += event.count;
        }
    }
}

static void
check_setting(const setting_t *setting)
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
            spot_moments_add(
                &squares[k], (values[k] - means[k]) * (values[k] - means[k]));
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

static void
test_common_shocks(void **state)
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
static void
test_gaps_between_shocks(void **state)
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
        if (event.kind == SPOT_EVENT_PREEMPT &&
            model.generator->zone(events.state) == 0) {
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common_shocks),
        cmocka_unit_test(test_gaps_between_shocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
