/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates and their intervals against known values, against each other, and against a
 * bootstrap. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/estimate.h"

/* Columns of a row, and metrics. */
enum { COST, SAMPLES, FINISHED, PER_1000, MEAN_PER_1000, TIME, P50_TIME, P90_COST };
#define NUM_METRICS 8

static spot_metric_t metrics[NUM_METRICS] = {
    [COST] = {.name = "cost", .unit = "USD", .known_if = "finished"},
    [SAMPLES] = {.name = "samples", .unit = "samples"},
    [FINISHED] = {.name = "finished", .unit = "1", .kind = SPOT_METRIC_PROBABILITY},
    [PER_1000] = {.name = "per_1000",
        .unit = "USD",
        .numerator = "cost",
        .denominator = "samples",
        .per = 1000},
    [MEAN_PER_1000] = {.name = "mean(per_1000)",
        .unit = "USD",
        .numerator = "cost",
        .denominator = "samples",
        .per = 1000,
        .estimator = SPOT_ESTIMATOR_MEAN},
    [TIME] =
        {.name = "time", .unit = "USD", .numerator = "cost", .per = 0.5, .known_if = "finished"},
    [P50_TIME] = {.name = "p50(time)",
        .unit = "USD",
        .numerator = "cost",
        .per = 0.5,
        .known_if = "finished",
        .estimator = SPOT_ESTIMATOR_QUANTILE,
        .p = 0.5},
    [P90_COST] = {.name = "p90(cost)",
        .unit = "USD",
        .numerator = "cost",
        .known_if = "finished",
        .estimator = SPOT_ESTIMATOR_QUANTILE,
        .p = 0.9},
};

static const spot_study_head_t head = {.num_metrics = NUM_METRICS, .metrics = metrics};

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fmax(fabs(expected), 1e-300))) {
        print_error("%.17g, expected %.17g\n", value, expected);
        fail();
    }
}

static void add(spot_estimate_t *self, double cost, double samples, double is_finished)
{
    double row[NUM_METRICS] = {cost, samples, is_finished};

    spot_study_derive(&head, row);
    assert_int_equal(spot_estimate_add(self, row), 0);
}

/* Costs grow with samples, and some runs keep none. */
static void draw(spot_rng_t *rng, double *cost, double *samples)
{
    *samples = spot_rng_below(rng, 20) == 0 ? 0 : spot_rng_exponential(rng, 1000);
    *cost = 50 + 0.1 * *samples + spot_rng_exponential(rng, 20);
}

static void fill(spot_estimate_t *self, size_t metric_id, uint64_t seed, int64_t num_rows)
{
    spot_rng_t rng;

    spot_estimate_init(self, &head, metric_id);
    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    for (int64_t j = 0; j < num_rows; j++) {
        double cost, samples;

        draw(&rng, &cost, &samples);
        add(self, cost, samples, j % 4 != 0);
    }
}

/* A plain metric has the bits of running moments. */
static void test_means(void **state)
{
    spot_moments_t moments = {0};
    spot_estimate_t estimate;
    double low, high;

    (void) state;
    spot_estimate_init(&estimate, &head, SAMPLES);
    assert_true(isnan(spot_estimate_value(&estimate)));
    for (int j = 0; j < 50; j++) {
        const double value = 1e6 + sin(j);

        add(&estimate, 1, value, 1);
        spot_moments_add(&moments, value);
    }
    spot_estimate_bounds(&estimate, 0.95, &low, &high);
    assert_true(spot_estimate_value(&estimate) == spot_moments_mean(&moments));
    assert_near(high - low, 2 * spot_moments_half_width(&moments, 0.95), 1e-6);
    assert_true(spot_estimate_moments(&estimate).sum_squares == moments.sum_squares);
    spot_estimate_free(&estimate);
}

/* The total over the total, also where a run has nothing to divide by; the mean of the
 * ratios leaves such runs out. */
static void test_ratio_of_totals(void **state)
{
    spot_estimate_t ratio, mean;

    (void) state;
    spot_estimate_init(&ratio, &head, PER_1000);
    spot_estimate_init(&mean, &head, MEAN_PER_1000);
    for (int j = 0; j < 3; j++) {
        static const double costs[] = {10, 30, 20}, samples[] = {1000, 0, 4000};

        add(&ratio, costs[j], samples[j], 1);
        add(&mean, costs[j], samples[j], 1);
    }
    assert_near(spot_estimate_value(&ratio), 60 / 5.0, 1e-14);
    assert_int_equal(ratio.num_nulls, 0);
    assert_near(spot_estimate_value(&mean), (10 + 5) / 2.0, 1e-14);
    assert_int_equal(mean.num_nulls, 1);
    spot_estimate_free(&ratio);
    spot_estimate_free(&mean);
}

static void test_equal_ratios_have_no_width(void **state)
{
    spot_estimate_t estimate;

    (void) state;
    spot_estimate_init(&estimate, &head, PER_1000);
    for (int j = 1; j < 40; j++) {
        add(&estimate, 0.37 * j * j, 1.1 * j * j, 1);
    }
    assert_near(spot_estimate_value(&estimate), 370 / 1.1, 1e-12);
    assert_true(spot_estimate_stderr(&estimate) == 0);
    assert_true(spot_estimate_is_constant(&estimate));
    spot_estimate_free(&estimate);
}

/* The standard error by the delta method is that of a bootstrap. */
static void test_delta_method_is_the_bootstrap(void **state)
{
    enum { NUM_ROWS = 400, NUM_RESAMPLES = 2000 };
    double costs[NUM_ROWS], samples[NUM_ROWS];
    spot_estimate_t estimate;
    spot_rng_t rng;

    (void) state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        spot_moments_t ratios = {0};

        fill(&estimate, PER_1000, seed, NUM_ROWS);
        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
        for (int j = 0; j < NUM_ROWS; j++) {
            draw(&rng, &costs[j], &samples[j]);
        }
        for (int k = 0; k < NUM_RESAMPLES; k++) {
            double cost = 0, kept = 0;

            for (int j = 0; j < NUM_ROWS; j++) {
                const size_t drawn = (size_t) spot_rng_below(&rng, NUM_ROWS);

                cost += costs[drawn];
                kept += samples[drawn];
            }
            spot_moments_add(&ratios, 1000 * cost / kept);
        }
        /* 2000 resamples know it to 1.6 % */
        assert_near(spot_estimate_stderr(&estimate), spot_moments_std(&ratios), 0.07);
        spot_estimate_free(&estimate);
    }
}

static void test_probabilities(void **state)
{
    spot_estimate_t estimate;
    double low, high;

    (void) state;
    spot_estimate_init(&estimate, &head, FINISHED);
    for (int j = 0; j < 100; j++) {
        add(&estimate, 1, 1, j % 2);
    }
    spot_estimate_bounds(&estimate, 0.95, &low, &high);
    assert_near(low, 0.40383, 1e-4); /* Wilson */
    assert_near(high, 0.59617, 1e-4);
    spot_estimate_free(&estimate);
    spot_estimate_init(&estimate, &head, FINISHED);
    for (int j = 0; j < 256; j++) {
        add(&estimate, 1, 1, 1);
    }
    spot_estimate_bounds(&estimate, 0.95, &low, &high);
    assert_true(high == 1);
    assert_near(low, 256 / (256 + 1.9599639845 * 1.9599639845), 1e-9);
    spot_estimate_safe_bounds(&estimate, 0.95, &low, &high);
    assert_near(low, pow(0.025, 1 / 256.0), 1e-9); /* Clopper and Pearson */
    assert_false(spot_estimate_is_heavy(&estimate));
    spot_estimate_free(&estimate);
    spot_binomial_bounds(0, 10, 0.95, &low, &high);
    assert_true(low == 0);
    assert_near(high, 0.30849710781876083, 1e-9);
}

/* The order statistics of ten values that contain the median with 95 % are the second
 * and the ninth: 97.9 %. */
static void test_quantiles(void **state)
{
    spot_estimate_t estimate;
    double low, high;

    (void) state;
    spot_estimate_init(&estimate, &head, P50_TIME);
    for (int j = 1; j <= 10; j++) {
        add(&estimate, 10 * ((7 * j) % 11), 1, 1);
    }
    spot_estimate_bounds(&estimate, 0.95, &low, &high);
    assert_near(spot_estimate_value(&estimate), 55 / 2.0, 1e-12); /* per 0.5 */
    assert_near(low, 20 / 2.0, 1e-12);
    assert_near(high, 90 / 2.0, 1e-12);
    spot_estimate_bounds(&estimate, 0.9999, &low, &high);
    assert_true(isinf(low) && low < 0 && isinf(high) && high > 0);
    spot_estimate_free(&estimate);
}

/* Runs that did not finish are later than all. */
static void test_cut_off(void **state)
{
    spot_estimate_t quantile, dear, mean;
    double low, high;

    (void) state;
    spot_estimate_init(&quantile, &head, P50_TIME);
    spot_estimate_init(&dear, &head, P90_COST);
    spot_estimate_init(&mean, &head, TIME);
    for (int j = 0; j < 100; j++) {
        add(&quantile, j < 75 ? j : 5, 1, j < 75);
        add(&dear, j < 75 ? j : 70, 1, j < 75);
        add(&mean, j < 75 ? j : 5, 1, j < 75);
    }
    assert_int_equal(quantile.num_unknown, 25);
    assert_near(spot_estimate_value(&quantile), 49.5 / 2, 1e-12);
    spot_estimate_bounds(&quantile, 0.95, &low, &high);
    assert_true(low < 49.5 / 2 && high > 49.5 / 2 && isfinite(high));
    assert_true(isinf(spot_estimate_value(&dear)));
    assert_near(spot_estimate_least(&dear), 70, 1e-12);
    assert_int_equal(mean.num_values, 75);
    assert_int_equal(mean.num_nulls, 25);
    assert_near(spot_estimate_value(&mean), 37.0 / 2, 1e-12);
    spot_estimate_free(&quantile);
    spot_estimate_free(&dear);
    spot_estimate_free(&mean);
}

/* The mean of the values of a line is the estimate, and their spread its error. */
static void test_lines(void **state)
{
    static const size_t ids[] = {COST, SAMPLES, FINISHED, PER_1000, P50_TIME};
    enum { NUM_ROWS = 300 };

    (void) state;
    for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++) {
        const bool is_quantile = ids[k] == P50_TIME;
        spot_moments_t moments = {0};
        spot_estimate_t estimate;
        spot_line_t line;
        spot_rng_t rng;

        fill(&estimate, ids[k], 9, NUM_ROWS);
        line = spot_estimate_line(&estimate);
        spot_rng_seek(&rng, 9, 0, SPOT_STREAM_OWN, 0);
        for (int j = 0; j < NUM_ROWS; j++) {
            double row[NUM_METRICS] = {0};

            draw(&rng, &row[COST], &row[SAMPLES]);
            row[FINISHED] = j % 4 != 0;
            spot_study_derive(&head, row);
            spot_moments_add(&moments, spot_line_value(&line, row));
        }
        assert_near(moments.mean, spot_estimate_value(&estimate), is_quantile ? 0.01 : 1e-9);
        assert_near(spot_moments_stderr(&moments), spot_estimate_stderr(&estimate),
            is_quantile ? 0.01 : 1e-9);
        spot_estimate_free(&estimate);
    }
}

/* The same with ties, where fewer values than 1 - p are above the quantile; a single
 * value, of a fixed point, is known. */
static void test_lines_of_ties(void **state)
{
    for (int num = 1; num <= 40; num += 39) {
        spot_moments_t moments = {0};
        spot_estimate_t estimate;
        spot_line_t line;

        (void) state;
        spot_estimate_init(&estimate, &head, P50_TIME);
        for (int j = 0; j < num; j++) {
            add(&estimate, j % 10 < 8 ? 3 : j % 10, 1, 1);
        }
        line = spot_estimate_line(&estimate);
        for (int j = 0; j < num; j++) {
            const double row[NUM_METRICS] = {j % 10 < 8 ? 3 : j % 10, 1, 1};

            spot_moments_add(&moments, spot_line_value(&line, row));
        }
        assert_near(spot_estimate_value(&estimate), 1.5, 1e-12);
        assert_near(moments.mean, 1.5, 1e-12);
        spot_estimate_free(&estimate);
    }
}

/* Of 300 samples of 256: nearly all of a heavy law are marked, hardly any of a light
 * one. */
static void test_heavy_tails(void **state)
{
    int num_marked[2] = {0};

    (void) state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        for (int k = 0; k < 2; k++) {
            spot_estimate_t estimate;
            spot_rng_t rng;

            spot_estimate_init(&estimate, &head, SAMPLES);
            spot_rng_seek(&rng, seed, (uint64_t) k, SPOT_STREAM_OWN, 0);
            for (int j = 0; j < 256; j++) {
                const double x = spot_rng_exponential(&rng, 1);

                add(&estimate, 1, k == 0 ? x : exp(x / 1.5), 1); /* Pareto, 1.5 */
            }
            num_marked[k] += spot_estimate_is_heavy(&estimate);
            spot_estimate_free(&estimate);
        }
    }
    print_message("marked: exponential %d, Pareto %d of 300\n", num_marked[0], num_marked[1]);
    assert_true(num_marked[0] <= 12);
    assert_true(num_marked[1] >= 285);
}

static void test_excess(void **state)
{
    const spot_until_t absolute = {.half_width = 0.1, .confidence = 0.95},
                       relative = {.relative_half_width = 0.1, .confidence = 0.95};
    spot_estimate_t estimate;
    double low, high;

    (void) state;
    spot_estimate_init(&estimate, &head, FINISHED);
    for (int j = 0; j < 100; j++) {
        add(&estimate, 1, 1, 1);
    }
    spot_estimate_bounds(&estimate, 0.95, &low, &high);
    assert_near(spot_estimate_excess(&estimate, &absolute), (high - low) / 2 / 0.1, 1e-12);
    spot_estimate_free(&estimate);
    spot_estimate_init(&estimate, &head, SAMPLES);
    assert_true(isinf(spot_estimate_excess(&estimate, &absolute)));
    for (int j = 0; j < 29; j++) {
        add(&estimate, 1, 7, 1);
    }
    assert_true(spot_estimate_excess(&estimate, &absolute) == 0);
    assert_true(isinf(spot_estimate_excess(&estimate, &relative))); /* rule of three */
    add(&estimate, 1, 7, 1);
    assert_true(spot_estimate_excess(&estimate, &relative) == 0);
    spot_estimate_free(&estimate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_ratio_of_totals),
        cmocka_unit_test(test_equal_ratios_have_no_width),
        cmocka_unit_test(test_delta_method_is_the_bootstrap),
        cmocka_unit_test(test_probabilities),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_lines_of_ties),
        cmocka_unit_test(test_heavy_tails),
        cmocka_unit_test(test_excess),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
