/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/intervals.h"
#include "base/rng.h"
#include "base/stats.h"
#include "near.h"

/* ---- Skewed ---- */

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * (1 + fabs(expected)))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void test_third_moment(void **state)
{
    static const double values[] = {1e3 + 1, 1e3 + 2, 1e3 - 7, 1e3 + 40, 1e3};
    double mean = 0, sum_cubes = 0;
    spot_skewed_t self = {0};

    (void) state;
    for (size_t j = 0; j < 5; j++) {
        spot_skewed_add(&self, values[j]);
        mean += values[j] / 5;
    }
    for (size_t j = 0; j < 5; j++) {
        sum_cubes += pow(values[j] - mean, 3);
    }
    assert_close(self.moments.mean, mean);
    assert_close(self.sum_cubes / sum_cubes, 1);
}

static void test_symmetric_values(void **state)
{
    spot_skewed_t self = {0};
    double low, high, half_width;

    (void) state;
    for (int j = 0; j < 100; j++) {
        spot_skewed_add(&self, 5 + (j % 2 == 0 ? -1 : 1) * (double) (1 + j / 2 % 5));
    }
    spot_skewed_bounds(&self, 0.999, &low, &high);
    half_width = spot_moments_half_width(&self.moments, 0.999);
    assert_close(low, 5 - half_width);
    assert_close(high, 5 + half_width);
}

/* The cubic, evaluated at the bound, gives the quantile back. */
static double cubic(const spot_skewed_t *self, double bound)
{
    const double n = (double) self->moments.num_values, std = spot_moments_std(&self->moments);
    const double g = self->sum_cubes / n / pow(std, 3);
    const double w = (self->moments.mean - bound) / std;

    return sqrt(n) * (w + g * w * w / 3 + g * g * w * w * w / 27 + g / (6 * n));
}

/* Few large values: the mean may be higher than Student's interval has it; turned
 * around, lower. */
static void test_skewed_values(void **state)
{
    spot_skewed_t self = {0}, turned = {0};
    double low, high, turned_low, turned_high, half_width;

    (void) state;
    for (int j = 0; j < 100; j++) {
        spot_skewed_add(&self, j % 20 == 0 ? 10 : 0);
        spot_skewed_add(&turned, j % 20 == 0 ? -10 : 0);
    }
    spot_skewed_bounds(&self, 0.999, &low, &high);
    spot_skewed_bounds(&turned, 0.999, &turned_low, &turned_high);
    half_width = spot_moments_half_width(&self.moments, 0.999);
    assert_close(low, self.moments.mean - half_width);
    assert_true(high > self.moments.mean + 1.2 * half_width);
    assert_true(fabs(cubic(&self, high) + half_width / spot_moments_stderr(&self.moments)) < 1e-9);
    assert_close(turned_low, -high);
    assert_close(turned_high, -low);
}

static void test_few_or_equal_values(void **state)
{
    spot_skewed_t self = {0};
    double low, high;

    (void) state;
    spot_skewed_bounds(&self, 0.95, &low, &high);
    assert_true(isnan(low) && isnan(high));
    spot_skewed_add(&self, 3);
    spot_skewed_bounds(&self, 0.95, &low, &high);
    assert_true(isnan(low) && isnan(high));
    spot_skewed_add(&self, 3);
    spot_skewed_bounds(&self, 0.95, &low, &high);
    assert_true(low == 3 && high == 3);
}

#define NUM_SAMPLES 20000
#define NUM_VALUES 256
#define P_ERROR 5e-4 /* on each side */

/* The mean of exponential values is above the upper bound as rarely as asked for, in
 * some 10 of the samples; it is above that of Student's interval in some 40. */
static void test_tail(void **state)
{
    int num_above = 0, num_above_student = 0;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_TYPE, 0);
    for (int j = 0; j < NUM_SAMPLES; j++) {
        spot_skewed_t self = {0};
        double low, high;

        for (int k = 0; k < NUM_VALUES; k++) {
            spot_skewed_add(&self, gsl_ran_exponential(spot_rng_gsl(&rng), 1));
        }
        spot_skewed_bounds(&self, 1 - 2 * P_ERROR, &low, &high);
        num_above += high < 1;
        num_above_student +=
            self.moments.mean + spot_moments_half_width(&self.moments, 1 - 2 * P_ERROR) < 1;
    }
    print_message(
        "above in %d of %d samples, %d by Student\n", num_above, NUM_SAMPLES, num_above_student);
    assert_true(num_above <= 25);
    assert_true(num_above_student > 25);
}

/* ---- Paired ---- */

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

/* ---- Rare share ---- */

static void add(spot_rare_share_t *self, int num, double part, double whole)
{
    for (int j = 0; j < num; j++) {
        assert_int_equal(spot_rare_share_add(self, part, whole), 0);
    }
}

static void test_nothing_seen(void **state)
{
    spot_rare_share_t none = {0}, all = {0}, uneven = {0};
    double low, high;

    (void) state;
    add(&none, 96, 0, 2000);
    assert_true(spot_rare_share_is_rare(&none));
    spot_rare_share_bounds(&none, 0.95, &low, &high);
    assert_true(low == 0 && fabs(high - log(20) / 96) < 1e-12);
    add(&all, 24, 10, 10);
    assert_true(spot_rare_share_is_rare(&all));
    spot_rare_share_bounds(&all, 0.95, &low, &high);
    assert_true(high == 1 && fabs(low - (1 - log(20) / 24)) < 1e-12);
    add(&uneven, 9, 0, 1); /* the one that was missed may be large */
    add(&uneven, 1, 0, 10);
    spot_rare_share_bounds(&uneven, 0.95, &low, &high);
    assert_true(low == 0 && high == 1);
    spot_rare_share_free(&none);
    spot_rare_share_free(&all);
    spot_rare_share_free(&uneven);
}

static void test_zeros_and_ones(void **state)
{
    static const int nums[][2] = {{1, 20}, {3, 96}, {10, 1000}, {5, 12}};

    (void) state;
    for (size_t j = 0; j < sizeof(nums) / sizeof(nums[0]); j++) {
        const int num_hits = nums[j][0], num = nums[j][1];
        const double least = gsl_cdf_beta_Pinv(0.025, num_hits, num - num_hits + 1);
        const double most = gsl_cdf_beta_Pinv(0.975, num_hits + 1, num - num_hits);
        spot_rare_share_t share = {0};
        double low, high;

        add(&share, num_hits, 1, 1);
        add(&share, num - num_hits, 0, 1);
        spot_rare_share_bounds(&share, 0.95, &low, &high);
        assert_true(fabs(low / least - 1) < 0.06 && fabs(high / most - 1) < 0.01);
        spot_rare_share_free(&share);
    }
}

/* Parts of several sizes, and their chance by random weights, which needs no formula. */
static void test_weights_that_are_drawn(void **state)
{
    static const double parts[] = {0.5, 0.01, 0.002, 0.3, 0.04};
    const int num_none = 60, num_draws = 40000;
    int num_low = 0, num_high = 0;
    spot_rare_share_t share = {0};
    double low, high;
    spot_rng_t rng;

    (void) state;
    add(&share, num_none, 0, 1);
    for (size_t j = 0; j < 5; j++) {
        add(&share, 1, parts[j], 1);
    }
    spot_rare_share_bounds(&share, 0.95, &low, &high);
    assert_true(low > 0 && low < 0.852 / 65 && high > 0.852 / 65 && high < 0.1);
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_BOOTSTRAP, 0);
    for (int k = 0; k < num_draws; k++) {
        const double others = gsl_ran_gamma(spot_rng_gsl(&rng), num_none, 1);
        const double more = gsl_ran_exponential(spot_rng_gsl(&rng), 1);
        double sum = 0, whole = others + more;

        for (size_t j = 0; j < 5; j++) {
            const double weight = gsl_ran_exponential(spot_rng_gsl(&rng), 1);

            sum += weight * parts[j];
            whole += weight;
        }
        num_low += sum / whole <= low;
        num_high += (sum + more) / whole >= high;
    }
    /* of 1,000 expected, with a standard deviation of 31 */
    print_message("%d below, %d above\n", num_low, num_high);
    assert_in_range(num_low, 0.021 * num_draws, 0.029 * num_draws);
    assert_in_range(num_high, 0.021 * num_draws, 0.029 * num_draws);
    spot_rare_share_free(&share);
}

static void test_what_is_rare(void **state)
{
    spot_rare_share_t often = {0}, below = {0}, many = {0}, empty = {0};

    (void) state;
    add(&often, 50, 0, 1);
    add(&often, 50, 0.1, 1);
    assert_false(spot_rare_share_is_rare(&often));
    add(&often, 1, 0, 1);
    assert_true(spot_rare_share_is_rare(&often));
    add(&below, 9, 0, 1);
    add(&below, 1, -0.1, 1); /* a saving that is a loss is no share */
    assert_false(spot_rare_share_is_rare(&below));
    add(&many, 3 * SPOT_RARE_SHARE_PARTS, 0, 1);
    add(&many, SPOT_RARE_SHARE_PARTS, 0.1, 1);
    assert_true(spot_rare_share_is_rare(&many));
    add(&many, 1, 0.1, 1);
    assert_false(spot_rare_share_is_rare(&many));
    add(&empty, 10, 0, 0);
    assert_int_equal(empty.num_values, 0);
    assert_false(spot_rare_share_is_rare(&empty));
    spot_rare_share_free(&often);
    spot_rare_share_free(&below);
    spot_rare_share_free(&many);
    spot_rare_share_free(&empty);
}

/* ---- Counts ---- */

static void count(spot_rare_count_t *self, int num, double events, double units, double at_once)
{
    for (int j = 0; j < num; j++) {
        spot_rare_count_add(self, events, units, at_once);
    }
}

static void test_no_event(void **state)
{
    spot_rare_count_t runs = {0}, hours = {0}, parts = {0}, unknown = {0};
    double low, high;

    (void) state;
    count(&runs, 96, 0, 1, 1);
    assert_true(spot_rare_count_is_rare(&runs));
    spot_rare_count_bounds(&runs, 0.95, &low, &high);
    assert_true(low == 0 && fabs(high - log(20) / 96) < 1e-12);
    count(&hours, 20, 0, 2, 1); /* two hours each, and more in all than replications */
    count(&hours, 4, 0, 7, 1);
    spot_rare_count_bounds(&hours, 0.95, &low, &high);
    assert_true(low == 0 && fabs(high - log(20) / 68) < 1e-12);
    count(&parts, 9, 0, 1, 100); /* all parts of a replication may go at once */
    count(&parts, 1, 0, 1, 500);
    spot_rare_count_bounds(&parts, 0.95, &low, &high);
    assert_true(low == 0 && fabs(high - 500 * log(20) / 10) < 1e-9);
    count(&unknown, 10, 0, 1, (double) NAN);
    assert_true(spot_rare_count_is_rare(&unknown));
    spot_rare_count_bounds(&unknown, 0.95, &low, &high);
    assert_true(low == 0 && isinf(high));
}

static void test_as_many_in_all(void **state)
{
    spot_rare_count_t same = {0}, many = {0}, once = {0};
    double low, high;

    (void) state;
    count(&same, 60, 2, 1, 1);
    assert_true(spot_rare_count_is_rare(&same));
    spot_rare_count_bounds(&same, 0.95, &low, &high);
    assert_true(fabs(low - (2 - log(20) / 60)) < 1e-12 && fabs(high - (2 + log(20) / 60)) < 1e-12);
    count(&same, 1, 3, 1, 1);
    assert_false(spot_rare_count_is_rare(&same));
    count(&many, 30, 0, 1, 1);
    count(&many, 30, 1, 1, 1);
    assert_false(spot_rare_count_is_rare(&many));
    count(&many, 1, 0, 1, 1);
    assert_true(spot_rare_count_is_rare(&many));
    count(&once, 1, 0, 1, 1);
    assert_false(spot_rare_count_is_rare(&once));
    count(&once, 5, -1, 1, 1);
    assert_false(spot_rare_count_is_rare(&once));
}

/* Of events that come one at a time it is the interval of a Poisson variable (Garwood,
 * Biometrika 28, 1936); where they come in fives, of fives. */
static void test_few_events(void **state)
{
    static const int nums[][2] = {{1, 20}, {3, 96}, {10, 1000}};

    (void) state;
    for (size_t j = 0; j < sizeof(nums) / sizeof(nums[0]); j++) {
        const int num_hits = nums[j][0], num = nums[j][1];
        const double least = gsl_cdf_chisq_Pinv(0.025, 2.0 * num_hits) / 2 / num;
        const double most = gsl_cdf_chisq_Pinv(0.975, 2.0 * num_hits + 2) / 2 / num;

        for (int size = 1; size <= 5; size += 4) {
            spot_rare_count_t self = {0};
            double low, high;

            count(&self, num_hits, size, 1, 1);
            count(&self, num - num_hits, 0, 1, 1);
            assert_true(spot_rare_count_is_rare(&self));
            spot_rare_count_bounds(&self, 0.95, &low, &high);
            assert_true(fabs(low / (size * least) - 1) < 1e-9);
            assert_true(fabs(high / (size * most) - 1) < 1e-9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_third_moment),
        cmocka_unit_test(test_symmetric_values),
        cmocka_unit_test(test_skewed_values),
        cmocka_unit_test(test_few_or_equal_values),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_student_s_own_data),
        cmocka_unit_test(test_a_constant_partner),
        cmocka_unit_test(test_nulls_leave_their_pair_out),
        cmocka_unit_test(test_too_few_pairs_have_no_interval),
        cmocka_unit_test(test_pairs_without_spread),
        cmocka_unit_test(test_heavy_tails_of_differences),
        cmocka_unit_test(test_bounds_of_probabilities),
        cmocka_unit_test(test_identities_of_pairs),
        cmocka_unit_test(test_nothing_seen),
        cmocka_unit_test(test_zeros_and_ones),
        cmocka_unit_test(test_weights_that_are_drawn),
        cmocka_unit_test(test_what_is_rare),
        cmocka_unit_test(test_no_event),
        cmocka_unit_test(test_as_many_in_all),
        cmocka_unit_test(test_few_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
