/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both distances against slow readable twins: by definition over all values or all
 * ticks, and by numeric integration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "traces/fit/fit_law.h"

enum { NUM_VALUES = 60, NUM_SAMPLES = 30 };

static const spot_law_t law = {&spot_family_weibull, {300, 0.8}};

static double cumulative(double t_s)
{
    return -expm1(law.family->log_survival(law.parameters, t_s));
}

static void draw_sample(uint64_t stream, double tick_s, double *values, bool *is_censored)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, 2, stream, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_VALUES; j++) {
        const double value = 250 * -log1p(-spot_rng_uniform(&rng));

        values[j] = fmax(1, ceil(value / tick_s)) * tick_s;
        is_censored[j] = spot_rng_uniform(&rng) < 0.3;
    }
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(1, fabs(expected)))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void init(
    spot_fit_durations_t *durations, const double *values, const bool *is_censored, double tick_s)
{
    assert_int_equal(
        spot_fit_durations_init(durations, values, is_censored, NUM_VALUES, tick_s, 1), 0);
}

static void test_complete(void **state)
{
    (void) state;
    for (uint64_t i = 0; i < NUM_SAMPLES; i++) {
        double values[NUM_VALUES], ks = 0, ad = -NUM_VALUES;
        bool is_censored[NUM_VALUES];
        spot_fit_durations_t durations;

        draw_sample(i, 20, values, is_censored);
        init(&durations, values, NULL, 0);
        spot_sort(values, NUM_VALUES);
        for (int j = 1; j <= NUM_VALUES; j++) {
            const double f = cumulative(values[j - 1]);
            const double g = cumulative(values[NUM_VALUES - j]);

            ks = fmax(ks, fmax((double) j / NUM_VALUES - f, f - (j - 1.0) / NUM_VALUES));
            ad -= (2 * j - 1.0) / NUM_VALUES * (log(f) + log1p(-g));
        }
        assert_near(spot_fit_ks(&durations, &law), ks, 1e-13);
        assert_near(spot_fit_ad(&durations, &law), ad, 1e-11);
        spot_fit_durations_free(&durations);
    }
}

static void test_lattice(void **state)
{
    const double tick_s = 50;

    (void) state;
    for (uint64_t i = 0; i < NUM_SAMPLES; i++) {
        double values[NUM_VALUES], ks = 0;
        bool is_censored[NUM_VALUES];
        spot_fit_durations_t durations;

        draw_sample(i, i % 2 == 0 ? tick_s : 20, values, is_censored);
        init(&durations, values, NULL, tick_s);
        for (int k = 1; k <= (int) ceil(durations.max_s / tick_s - 1e-9); k++) {
            double num_below = 0;

            for (int j = 0; j < NUM_VALUES; j++) {
                num_below += ceil(values[j] / tick_s - 1e-9) <= k ? 1 : 0;
            }
            ks = fmax(ks, fabs(num_below / NUM_VALUES - cumulative(k * tick_s)));
        }
        assert_near(spot_fit_ks(&durations, &law), ks, 1e-13);
        assert_true(isnan(spot_fit_ad(&durations, &law)));
        spot_fit_durations_free(&durations);
        is_censored[0] = true;
        init(&durations, values, is_censored, tick_s);
        assert_true(isnan(spot_fit_ks(&durations, &law)));
        spot_fit_durations_free(&durations);
    }
}

/* F of Kaplan and Meier at t, by its definition. */
static double km_cumulative(const double *values, const bool *is_censored, double t_s)
{
    double survival = 1;

    for (int j = 0; j < NUM_VALUES; j++) {
        double num_at_risk = 0, num_deaths = 0;
        bool is_first = !is_censored[j] && values[j] <= t_s;

        for (int i = 0; i < NUM_VALUES; i++) {
            num_at_risk += values[i] >= values[j] ? 1 : 0;
            num_deaths += values[i] == values[j] && !is_censored[i] ? 1 : 0;
            is_first = is_first && !(i < j && values[i] == values[j] && !is_censored[i]);
        }
        survival *= is_first ? 1 - num_deaths / num_at_risk : 1;
    }
    return 1 - survival;
}

static void test_censored(void **state)
{
    enum { NUM_STEPS = 2000 };

    (void) state;
    for (uint64_t i = 0; i < NUM_SAMPLES; i++) {
        double values[NUM_VALUES], ks = 0, ad = 0, from = 0;
        bool is_censored[NUM_VALUES];
        spot_fit_durations_t durations;

        draw_sample(i, 20, values, is_censored);
        init(&durations, values, is_censored, 0);
        for (size_t j = 0; j < durations.num_groups; j++) {
            const double t_s = durations.groups[j].value_s, to = cumulative(t_s);
            const double c = km_cumulative(values, is_censored, t_s - 1);
            const double after = km_cumulative(values, is_censored, t_s);

            if (durations.groups[j].num_deaths == 0) {
                continue;
            }
            ks = fmax(ks, fmax(fabs(c - to), fabs(after - to)));
            for (int k = 0; k < NUM_STEPS; k++) { /* Gauss of 2 points a step */
                const double h = (to - from) / NUM_STEPS, middle = from + (k + 0.5) * h;

                for (int side = -1; side <= 1; side += 2) {
                    const double x = middle + side * h / 2 / sqrt(3.0);

                    ad += NUM_VALUES * h / 2 * pow(c - x, 2) / (x * (1 - x));
                }
            }
            from = to;
        }
        assert_near(spot_fit_ks(&durations, &law), ks, 1e-12);
        assert_near(spot_fit_ad(&durations, &law), ad, 1e-7);
        spot_fit_durations_free(&durations);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_censored),
    };

    return cmocka_run_group_tests_name("fit/quality", tests, NULL, NULL);
}
