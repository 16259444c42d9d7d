/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "base/intervals.h"
#include "base/rng.h"
#include "near.h"

static spot_paired_t paired_of(const double *x, const double *y, size_t num_pairs)
{
    spot_paired_t paired = {0};

    for (size_t j = 0; j < num_pairs; j++) {
        spot_paired_add(&paired, x[j], y[j]);
    }
    return paired;
}

/* Student's sleep data (Biometrika 6, 1908), whose differences have mean -1.58. R gives
 * t.test(x, y, paired = TRUE): [-2.4598858, -0.7001142]; t.test(x, y): [-3.3654832,
 * 0.2054832] with 17.77647 degrees of freedom. */
static void test_student_s_own_data(void **state)
{
    static const double x[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double y[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    const spot_paired_t paired = paired_of(x, y, 10);

    (void) state;
    assert_int_equal(paired.difference.num_values, 10);
    assert_int_equal(paired.num_left_out, 0);
    assert_near(spot_paired_mean(&paired), -1.58, 1e-14);
    assert_near(spot_paired_half_width(&paired, 0.95), (2.4598858 - 0.7001142) / 2, 1e-7);
    assert_near(
        spot_welch_half_width(&paired.x, &paired.y, 0.95), (3.3654832 + 0.2054832) / 2, 1e-7);
    assert_near(
        spot_paired_gain(&paired, 0.95), (3.3654832 + 0.2054832) / (2.4598858 - 0.7001142), 1e-7);
}

/* By hand: x - y is {1, 2, 3}, its standard error 1 / sqrt(3); the sums of squares are 2
 * and 0, so Welch is left with the 2 degrees of freedom of x. */
static void test_a_constant_partner(void **state)
{
    static const double x[] = {3, 4, 5}, y[] = {2, 2, 2};
    const spot_paired_t paired = paired_of(x, y, 3);
    const double half_width = 4.302652729696142 / sqrt(3);

    (void) state;
    assert_true(spot_paired_mean(&paired) == 2);
    assert_near(spot_paired_half_width(&paired, 0.95), half_width, 1e-9);
    assert_near(spot_welch_half_width(&paired.x, &paired.y, 0.95), half_width, 1e-9);
    assert_near(spot_paired_gain(&paired, 0.95), 1, 1e-9);
}

static void test_nulls_leave_their_pair_out(void **state)
{
    const double null = (double) NAN, infinite = (double) INFINITY;
    const double x[] = {null, 1, 2, null, 4, 7, infinite, 9};
    const double y[] = {5, 2, null, null, 3, 3, 2, -infinite};
    static const double kept_x[] = {1, 4, 7}, kept_y[] = {2, 3, 3};
    spot_paired_t paired = paired_of(x, y, 8);
    const spot_paired_t kept = paired_of(kept_x, kept_y, 3);

    (void) state;
    assert_int_equal(paired.num_left_out, 5);
    assert_int_equal(paired.difference.num_values, 3);
    paired.num_left_out = 0;
    assert_memory_equal(&paired, &kept, sizeof(kept));
}

static void test_too_few_pairs_have_no_interval(void **state)
{
    static const double x[] = {3}, y[] = {1};
    const spot_paired_t none = {0}, one = paired_of(x, y, 1);

    (void) state;
    assert_true(isnan(spot_paired_mean(&none)));
    assert_true(isnan(spot_paired_half_width(&none, 0.95)));
    assert_true(isnan(spot_welch_half_width(&none.x, &none.y, 0.95)));
    assert_true(spot_paired_mean(&one) == 2);
    assert_true(isnan(spot_paired_half_width(&one, 0.95)));
    assert_true(isnan(spot_welch_half_width(&one.x, &one.y, 0.95)));
    assert_true(isnan(spot_paired_gain(&one, 0.95)));
}

/* The same values, the same but for a shift, and none that spreads. */
static void test_pairs_without_spread(void **state)
{
    static const double x[] = {1, 2, 4, 8}, y[] = {3, 4, 6, 10}, same[] = {5, 5, 5, 5};
    const spot_paired_t shifted = paired_of(x, y, 4), equal = paired_of(same, same, 4);

    (void) state;
    assert_true(spot_paired_mean(&shifted) == -2);
    assert_true(spot_paired_half_width(&shifted, 0.95) == 0);
    assert_true(isinf(spot_paired_gain(&shifted, 0.95)));
    assert_true(spot_paired_mean(&equal) == 0);
    assert_true(spot_paired_half_width(&equal, 0.95) == 0);
    assert_true(spot_welch_half_width(&equal.x, &equal.y, 0.95) == 0);
    assert_true(isnan(spot_paired_gain(&equal, 0.95)));
}

/* By hand: about the mean, 1.1, the squares of the differences are 9.9^2 + 9 * 1.1^2,
 * and their cubes 9.9^3 - 9 * 1.1^3. */
static void test_heavy_tails_of_differences(void **state)
{
    static const double x[] = {0, 0, 0, 0, 11, 0, 0, 0, 0, 0}, y[10] = {0};
    static const double even[] = {-2, -1, 0, 1, 2, 2, 1, 0, -1, -2};
    spot_paired_t paired = paired_of(x, y, 10);

    (void) state;
    assert_near(paired.difference.sum_squares, 108.9, 1e-12);
    assert_near(paired.sum_cubes, 958.32, 1e-12);
    assert_true(spot_paired_is_heavy(&paired));
    paired = paired_of(y, x, 10);
    assert_near(paired.sum_cubes, -958.32, 1e-12);
    assert_true(spot_paired_is_heavy(&paired));
    paired.is_binary = true;
    assert_false(spot_paired_is_heavy(&paired));
    paired = paired_of(even, y, 10);
    assert_false(spot_paired_is_heavy(&paired));
    paired = paired_of(x, x, 10);
    assert_false(spot_paired_is_heavy(&paired));
}

/* An interval of a difference of probabilities ends where these do. */
static void test_bounds_of_probabilities(void **state)
{
    static const double ones[] = {1, 1, 1, 1, 1}, zeros[5] = {0};
    spot_paired_t above = paired_of(ones, zeros, 5), below = paired_of(zeros, ones, 5);
    double low, high, width;

    (void) state;
    spot_paired_bounds(&above, 0.95, &low, &high);
    assert_true(low == 1 && high == 1);
    above.is_binary = below.is_binary = true;
    width = spot_paired_half_width(&above, 0.95);
    assert_true(width > 0);
    spot_paired_bounds(&above, 0.95, &low, &high);
    assert_true(low == 1 - width && high == 1);
    spot_paired_bounds(&below, 0.95, &low, &high);
    assert_true(low == -1 && high == width - 1);
}

/* What holds for any pairs: exchanging x and y turns the sign of the difference; shifts
 * and scales go through; variances follow from the covariance. */
static void test_identities_of_pairs(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 8, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 200; j++) {
        const size_t num_pairs = 3 + (size_t) spot_rng_below(&rng, 30);
        const double scale = ldexp(1, (int) spot_rng_below(&rng, 600) - 300);
        const double weight = 2 * spot_rng_uniform(&rng) - 1;
        spot_paired_t paired = {0}, turned = {0}, scaled = {0};
        double xs[32], ys[32], covariance = 0;

        for (size_t k = 0; k < num_pairs; k++) {
            const double x = gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), 1);
            const double noise = gsl_ran_gaussian_ziggurat(spot_rng_gsl(&rng), 2);
            const double y = weight * x + (1 - fabs(weight)) * noise;

            xs[k] = x;
            ys[k] = y;
            spot_paired_add(&paired, x, y);
            spot_paired_add(&turned, y, x);
            spot_paired_add(&scaled, scale * x, scale * y);
        }
        assert_true(spot_paired_mean(&turned) == -spot_paired_mean(&paired));
        assert_near(
            spot_paired_half_width(&turned, 0.9), spot_paired_half_width(&paired, 0.9), 1e-12);
        assert_near(spot_paired_gain(&scaled, 0.9), spot_paired_gain(&paired, 0.9), 1e-9);
        for (size_t k = 0; k < num_pairs; k++) {
            covariance += (xs[k] - paired.x.mean) * (ys[k] - paired.y.mean);
        }
        assert_near(paired.difference.sum_squares,
            paired.x.sum_squares + paired.y.sum_squares - 2 * covariance, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student_s_own_data),
        cmocka_unit_test(test_a_constant_partner),
        cmocka_unit_test(test_nulls_leave_their_pair_out),
        cmocka_unit_test(test_too_few_pairs_have_no_interval),
        cmocka_unit_test(test_pairs_without_spread),
        cmocka_unit_test(test_heavy_tails_of_differences),
        cmocka_unit_test(test_bounds_of_probabilities),
        cmocka_unit_test(test_identities_of_pairs),
    };

    return cmocka_run_group_tests_name("paired", tests, NULL, NULL);
}
