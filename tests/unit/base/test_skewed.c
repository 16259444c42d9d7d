/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of means: Student's where values are symmetric, and right in the tails where
 * they are not. */
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

static void assert_near(double value, double expected)
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
    assert_near(self.moments.mean, mean);
    assert_near(self.sum_cubes / sum_cubes, 1);
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
    assert_near(low, 5 - half_width);
    assert_near(high, 5 + half_width);
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
    assert_near(low, self.moments.mean - half_width);
    assert_true(high > self.moments.mean + 1.2 * half_width);
    assert_true(fabs(cubic(&self, high) + half_width / spot_moments_stderr(&self.moments)) < 1e-9);
    assert_near(turned_low, -high);
    assert_near(turned_high, -low);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_third_moment),
        cmocka_unit_test(test_symmetric_values),
        cmocka_unit_test(test_skewed_values),
        cmocka_unit_test(test_few_or_equal_values),
        cmocka_unit_test(test_tail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
