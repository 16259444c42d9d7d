/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_rng.h>
#include <math.h>

#include "base/stats.h"
#include "tests/unit/describe/near.h"
#include "traces/describe/sample.h"

static void test_moments(void **state)
{
    const double values[] = {4, 1, 2, 9};
    spot_value_stats_t series;

    (void) state;
    assert_int_equal(spot_value_stats_init(&series, values, 4), 0);
    assert_near(series.mean, 4);
    assert_near(series.sd, sqrt((0 + 9 + 4 + 25) / 3.0));
    assert_near(series.cv, sqrt(38 / 3.0) / 4);
    assert_near(series.median, 3);
    assert_near(series.max, 9);
    assert_int_equal(spot_value_stats_init(&series, values, 1), 0);
    assert_true(series.mean == 4 && series.median == 4);
    assert_true(isnan(series.sd) && isnan(series.cv));
    assert_int_equal(spot_value_stats_init(&series, values, 0), 0);
    assert_true(isnan(series.mean) && isnan(series.median) && isnan(series.max));
}

static void test_equal_values_have_no_deviation(void **state)
{
    double values[100], acf[3] = {9, 9, 9};
    spot_value_stats_t series;

    (void) state;
    for (size_t j = 0; j < 100; j++) {
        values[j] = 0.1;
    }
    assert_int_equal(spot_value_stats_init(&series, values, 100), 0);
    assert_true(series.sd == 0 && series.cv == 0);
    assert_false(spot_series_acf(values, 100, 3, acf));
    assert_true(acf[0] == 0 && acf[2] == 0);
    assert_false(spot_series_acf(values, 0, 3, acf));
}

static void test_acf(void **state)
{
    /* mean 2: -1, 1, -1, 1 */
    const double values[] = {1, 3, 1, 3};
    double acf[5];

    (void) state;
    assert_true(spot_series_acf(values, 4, 5, acf));
    assert_near(acf[0], -0.75);
    assert_near(acf[1], 0.5);
    assert_near(acf[2], -0.25);
    assert_true(acf[3] == 0 && acf[4] == 0);
}

static void test_ljung_box(void **state)
{
    const double acf[] = {0.3, -0.2};

    (void) state;
    /* Q = 10 * 12 * (0.09 / 9 + 0.04 / 8) = 1.8; 2 degrees of freedom: exp(-Q/2) */
    assert_near(spot_series_ljung_box_p(acf, 2, 10), exp(-0.9));
    assert_true(!!isnan(spot_series_ljung_box_p(acf, 2, 2)));
}

static void test_distance(void **state)
{
    const double f[] = {1, 2}, h[] = {2, 4};
    spot_distance_t distance = spot_series_distance(f, 2, h, 2);

    (void) state;
    /* F - H: 1/2 on [1, 2), 1/2 on [2, 4) */
    assert_near(distance.ks, 0.5);
    assert_near(distance.area, 1.5);
    assert_near(distance.area_squared, 0.75);
    distance = spot_series_distance(f, 2, f, 2);
    assert_true(distance.ks == 0 && distance.area == 0 && distance.area_squared == 0);
}

static double share_up_to(const double *values, size_t num, double x)
{
    size_t count = 0;

    for (size_t j = 0; j < num; j++) {
        count += values[j] <= x ? 1 : 0;
    }
    return (double) count / (double) num;
}

/* By definition, at every value of the grid that the samples live on. */
static void test_distance_by_definition(void **state)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

    (void) state;
    assert_non_null(rng);
    gsl_rng_set(rng, 11);
    for (int round = 0; round < 300; round++) {
        const size_t num_f = 1 + gsl_rng_uniform_int(rng, 8);
        const size_t num_h = 1 + gsl_rng_uniform_int(rng, 8);
        double f[8], h[8], ks = 0, area = 0, area_squared = 0;
        spot_distance_t distance;

        for (size_t j = 0; j < num_f; j++) {
            f[j] = (double) gsl_rng_uniform_int(rng, 12);
        }
        for (size_t j = 0; j < num_h; j++) {
            h[j] = (double) gsl_rng_uniform_int(rng, 12);
        }
        spot_sort(f, num_f);
        spot_sort(h, num_h);
        for (int x = 0; x < 12; x++) {
            const double d = fabs(share_up_to(f, num_f, x) - share_up_to(h, num_h, x));

            ks = fmax(ks, d);
            area += d;
            area_squared += d * d;
        }
        distance = spot_series_distance(f, num_f, h, num_h);
        assert_near(distance.ks, ks);
        assert_near(distance.area, area);
        assert_near(distance.area_squared, area_squared);
    }
    gsl_rng_free(rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_equal_values_have_no_deviation),
        cmocka_unit_test(test_acf),
        cmocka_unit_test(test_ljung_box),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_distance_by_definition),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
