/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shares that few replications know: the rule of three, Clopper and Pearson's interval of
 * zeros and ones, and weights that are drawn instead. */
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
    assert_true(spot_rare_share_has_bounds(&often));
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
    assert_false(spot_rare_share_has_bounds(&many));
    add(&empty, 10, 0, 0);
    assert_int_equal(empty.num_values, 0);
    assert_false(spot_rare_share_has_bounds(&empty));
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
