/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The difference of two quantiles: as a slow twin counts it, with ties and values that are
 * cut off; without an end where a quantile lacks one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/quantiles.h"

#define MAX_PAIRS 200
#define Z_95 1.9599639845400545

static spot_paired_t pair_of(const double *x, const double *y, size_t num, double p)
{
    spot_paired_t pair = {.num_left_out = 0};

    assert_int_equal(spot_quantile_pair((spot_paired_side_t){x, false},
                         (spot_paired_side_t){y, false}, num, p, 0.95, &pair),
        0);
    return pair;
}

/* Whether value j stands before value k: equal ones by their place. */
static bool is_before(const double *values, size_t j, size_t k)
{
    return values[j] < values[k] || (values[j] == values[k] && j < k);
}

/* The rank of each value, from 1 on. O(n^2). */
static void rank(const double *values, size_t num, size_t *ranks)
{
    for (size_t j = 0; j < num; j++) {
        ranks[j] = 1;
        for (size_t k = 0; k < num; k++) {
            ranks[j] += is_before(values, k, j);
        }
    }
}

static double value_at(const double *values, const size_t *ranks, size_t num, size_t rank_id)
{
    for (size_t j = 0; j < num; j++) {
        if (ranks[j] == rank_id) {
            return values[j];
        }
    }
    return rank_id == 0 ? -HUGE_VAL : HUGE_VAL;
}

/* All pairs of ranks, each counted anew. O(n^3). */
static void twin(const double *x, const double *y, size_t num, double p, double *low, double *high)
{
    const double expected = p * (double) num, variance = expected * (1 - p);
    size_t x_ranks[MAX_PAIRS], y_ranks[MAX_PAIRS];

    rank(x, num, x_ranks);
    rank(y, num, y_ranks);
    for (size_t i = 0; i <= num; i++) {
        for (size_t j = 0; j <= num; j++) {
            const double u = (double) i - expected, v = (double) j - expected;
            double num_alone = 0, of_difference, of_sum;

            for (size_t k = 0; k < num; k++) {
                num_alone += (x_ranks[k] <= i) != (y_ranks[k] <= j);
            }
            of_difference = fmin(num_alone + 2, 0.99 * 4 * variance);
            of_sum = fmax(4 * variance - of_difference, 2);
            if (fabs(u) <= Z_95 * sqrt(variance) && fabs(v) <= Z_95 * sqrt(variance) &&
                (u - v) * (u - v) / of_difference + (u + v) * (u + v) / of_sum <= Z_95 * Z_95) {
                *low = fmin(*low, value_at(x, x_ranks, num, i) - value_at(y, y_ranks, num, j + 1));
                *high =
                    fmax(*high, value_at(x, x_ranks, num, i + 1) - value_at(y, y_ranks, num, j));
            }
        }
    }
}

static void test_as_a_twin(void **state)
{
    static const double ps[] = {0.5, 0.3, 0.9};
    spot_rng_t rng;

    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        double x[MAX_PAIRS], y[MAX_PAIRS], low, high;
        const size_t num = 60 + seed;
        const bool has_ties = seed % 3 == 0;
        spot_paired_t pair;

        spot_rng_seek(&rng, seed, 0, SPOT_STREAM_GAP, 0);
        for (size_t j = 0; j < num; j++) {
            const double common = gsl_rng_uniform(spot_rng_gsl(&rng));
            const double one = gsl_rng_uniform(spot_rng_gsl(&rng));
            const double two = gsl_rng_uniform(spot_rng_gsl(&rng));

            x[j] = has_ties ? floor(5 * common + 2 * one) : common + 0.1 * one;
            y[j] = has_ties ? floor(5 * common + 2 * two) : 2 * common + 0.3 * two;
        }
        pair = pair_of(x, y, num, ps[seed % 3]);
        low = high = pair.value;
        twin(x, y, num, ps[seed % 3], &low, &high);
        assert_true(pair.low == low && pair.high == high);
        assert_true(pair.low <= pair.value && pair.value <= pair.high);
    }
}

static void fill(double *values, size_t num)
{
    for (size_t j = 0; j < num; j++) {
        values[j] = (double) (j * 37 % num);
    }
}

/* 64 replications have no end of p95, nor 200 of p99.5. */
static void test_lacks_an_end_as_its_quantiles(void **state)
{
    double x[MAX_PAIRS], y[MAX_PAIRS];
    spot_paired_t pair;

    (void) state;
    fill(x, 64);
    fill(y, 64);
    pair = pair_of(x, y, 64, 0.95);
    assert_true(pair.value == 0 && pair.low == -HUGE_VAL && pair.high == HUGE_VAL);
    assert_true(isinf(spot_paired_half_width(&pair, 0.95)));
    assert_int_equal(spot_paired_sign(&pair, 0.95), 0);
    assert_true(isnan(spot_paired_gain(&pair, 0.95)));
    fill(x, MAX_PAIRS);
    for (size_t j = 0; j < MAX_PAIRS; j++) {
        y[j] = x[j] - 5 * MAX_PAIRS; /* far below, and yet */
    }
    pair = pair_of(x, y, MAX_PAIRS, 0.995);
    assert_true(pair.value == 5 * MAX_PAIRS);
    assert_int_equal(spot_paired_sign(&pair, 0.95), 0);
    pair = pair_of(x, y, MAX_PAIRS, 0.9);
    assert_true(isfinite(pair.low) && isfinite(pair.high));
    assert_int_equal(spot_paired_sign(&pair, 0.95), 1);
}

/* So many are cut off at one point that its quantile has no upper end, or is not known. */
static void test_cut_off(void **state)
{
    double x[MAX_PAIRS], y[MAX_PAIRS];
    spot_paired_t pair;

    (void) state;
    fill(x, MAX_PAIRS);
    fill(y, MAX_PAIRS);
    for (size_t j = 0; j < MAX_PAIRS; j++) {
        x[j] = x[j] >= 184 ? HUGE_VAL : x[j]; /* 16 of 200 */
    }
    pair = pair_of(x, y, MAX_PAIRS, 0.9);
    assert_true(pair.value == 0 && isfinite(pair.low) && pair.high == HUGE_VAL);
    assert_true(isinf(spot_paired_half_width(&pair, 0.95)));
    pair = pair_of(y, x, MAX_PAIRS, 0.9);
    assert_true(pair.low == -HUGE_VAL && isfinite(pair.high));
    pair = pair_of(x, y, MAX_PAIRS, 0.95);
    assert_true(isnan(pair.value));
    assert_int_equal(spot_paired_sign(&pair, 0.95), 0);
    assert_int_equal(pair.num_left_out, MAX_PAIRS);
    assert_int_equal(spot_paired_num_pairs(&pair), MAX_PAIRS);
    pair = pair_of(x, y, MAX_PAIRS, 0.5);
    assert_true(isfinite(pair.low) && isfinite(pair.high));
}

/* A fixed point has no interval of its own, however far out its quantile is. */
static void test_known_points(void **state)
{
    double x[MAX_PAIRS], y[MAX_PAIRS];
    spot_paired_t pair = {.num_left_out = 0};

    (void) state;
    fill(x, MAX_PAIRS);
    for (size_t j = 0; j < MAX_PAIRS; j++) {
        y[j] = 7;
    }
    assert_int_equal(spot_quantile_pair((spot_paired_side_t){x, false},
                         (spot_paired_side_t){y, true}, MAX_PAIRS, 0.5, 0.95, &pair),
        0);
    assert_true(pair.low > 70 && pair.low < 85 && pair.high > 100 && pair.high < 115);
    assert_int_equal(spot_quantile_pair((spot_paired_side_t){y, true},
                         (spot_paired_side_t){y, true}, 1, 0.99, 0.95, &pair),
        0);
    assert_true(pair.value == 0 && pair.low == 0 && pair.high == 0);
    assert_true(spot_paired_half_width(&pair, 0.999) == 0);
}

static void test_few(void **state)
{
    const double x[] = {2}, y[] = {1};
    spot_paired_t pair = pair_of(x, y, 0, 0.5);

    (void) state;
    assert_true(isnan(pair.value));
    pair = pair_of(x, y, 1, 0.5);
    assert_true(pair.value == 1 && isnan(spot_paired_half_width(&pair, 0.95)));
    assert_int_equal(spot_paired_sign(&pair, 0.95), 0);
}

/* The wider half of the interval that both would have if they were independent. */
static void test_separate_samples(void **state)
{
    double x[MAX_PAIRS], y[MAX_PAIRS], value, low, high, up, down;
    spot_paired_t pair;

    (void) state;
    fill(x, MAX_PAIRS);
    for (size_t j = 0; j < MAX_PAIRS; j++) {
        y[j] = (double) j; /* x, sorted */
    }
    value = spot_quantile_known(y, MAX_PAIRS, 0.8);
    spot_quantile_bounds(y, MAX_PAIRS, 0.8, 0.95, &low, &high);
    for (size_t j = 0; j < MAX_PAIRS; j++) {
        y[j] = 3 * x[j];
    }
    up = hypot(high - value, 3 * (value - low));
    down = hypot(value - low, 3 * (high - value));
    pair = pair_of(x, y, MAX_PAIRS, 0.8);
    assert_true(up != down && fabs(pair.separate_half_width - fmax(up, down)) <= 1e-12 * up);
    pair = pair_of(x, y, 64, 0.95);
    assert_true(isinf(pair.separate_half_width));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_a_twin),
        cmocka_unit_test(test_lacks_an_end_as_its_quantiles),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_known_points),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_separate_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
