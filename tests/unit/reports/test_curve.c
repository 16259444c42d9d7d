/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/chart.h"

#define NUM_POINTS 20000
#define LIMIT ((size_t) 4 * SPOT_MAX_COLUMNS)

static spot_curve_t curve_of(size_t num_points, double (*x)(size_t), double (*y)(size_t))
{
    spot_curve_t curve = {0};

    for (size_t j = 0; j < num_points; j++) {
        assert_int_equal(spot_curve_add(&curve, x(j), y(j)), 0);
    }
    return curve;
}

static double even(size_t j)
{
    return (double) j;
}

/* More and more of them at one time: columns of very different numbers of points. */
static double crowded(size_t j)
{
    return floor(sqrt((double) j) * 3);
}

static double growing(size_t j)
{
    return exp((double) j / 1800);
}

static double noise(size_t j)
{
    return (double) ((j * UINT64_C(2654435761)) % 1000);
}

static double single_peak(size_t j)
{
    return j == 14321 ? 7 : j == 14323 ? -7 : 0;
}

static double falling(size_t j)
{
    return -(double) j;
}

static void test_few_points_stay(void **state)
{
    spot_curve_t curve = curve_of(LIMIT, even, noise);

    (void) state;
    spot_curve_thin(&curve, SPOT_MAX_COLUMNS, 0, 1, false);
    assert_int_equal(curve.num_points, LIMIT);
    spot_curve_free(&curve);
    spot_curve_thin(&curve, SPOT_MAX_COLUMNS, 0, 1, false);
    assert_int_equal(curve.num_points, 0);
}

/* The slow twin: for each column looks through all points. */
static void assert_shows(
    const spot_curve_t *all, const spot_curve_t *thin, double low, double high, bool is_log)
{
    for (size_t column = 0; column < SPOT_MAX_COLUMNS; column++) {
        const double none = (double) NAN;
        double range[2][4] = {{none, none, none, none}, {none, none, none, none}};
        const spot_curve_t *curves[2] = {all, thin};

        for (size_t k = 0; k < 2; k++) {
            for (size_t j = 0; j < curves[k]->num_points; j++) {
                const spot_point_t point = curves[k]->points[j];
                const double place =
                    is_log ? log(point.x / low) / log(high / low) : (point.x - low) / (high - low);
                const double id = fmin(floor(place * SPOT_MAX_COLUMNS), SPOT_MAX_COLUMNS - 1);

                if ((size_t) id == column) {
                    range[k][0] = isnan(range[k][0]) ? point.y : range[k][0];
                    range[k][1] = fmin(range[k][1], point.y);
                    range[k][2] = fmax(range[k][2], point.y);
                    range[k][3] = point.y;
                }
            }
        }
        for (size_t j = 0; j < 4; j++) {
            assert_int_equal(isnan(range[0][j]), isnan(range[1][j]));
            assert_true(isnan(range[0][j]) || range[0][j] == range[1][j]);
        }
    }
}

static void test_no_peak_is_hidden(void **state)
{
    static const struct {
        double (*x)(size_t);
        double (*y)(size_t);
        bool is_log;
    } cases[] = {
        {even, noise, false},
        {even, single_peak, false},
        {even, falling, false},
        {crowded, noise, false},
        {growing, noise, true},
        {growing, falling, true},
    };

    (void) state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        spot_curve_t all = curve_of(NUM_POINTS, cases[k].x, cases[k].y);
        spot_curve_t thin = curve_of(NUM_POINTS, cases[k].x, cases[k].y);
        const double low = all.points[0].x, high = all.points[NUM_POINTS - 1].x;

        spot_curve_thin(&thin, SPOT_MAX_COLUMNS, low, high, cases[k].is_log);
        assert_true(thin.num_points <= LIMIT);
        assert_shows(&all, &thin, low, high, cases[k].is_log);
        for (size_t j = 1; j < thin.num_points; j++) {
            assert_true(thin.points[j].x >= thin.points[j - 1].x);
        }
        assert_memory_equal(&thin.points[0], &all.points[0], sizeof(spot_point_t));
        assert_memory_equal(
            &thin.points[thin.num_points - 1], &all.points[NUM_POINTS - 1], sizeof(spot_point_t));
        spot_curve_free(&all);
        spot_curve_free(&thin);
    }
}

/* 0 has no place on a logarithmic axis; what is behind the end belongs to it. */
static void test_points_outside(void **state)
{
    spot_curve_t curve = {0};

    (void) state;
    for (size_t j = 0; j <= LIMIT; j++) {
        assert_int_equal(spot_curve_add(&curve, j < 9 ? 0 : 1e6, (double) j), 0);
    }
    spot_curve_thin(&curve, SPOT_MAX_COLUMNS, 1, 10, true);
    assert_int_equal(curve.num_points, 4);
    assert_true(curve.points[0].y == 0 && curve.points[1].y == 8);
    assert_true(curve.points[2].y == 9 && curve.points[3].y == (double) LIMIT);
    spot_curve_free(&curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_points_stay),
        cmocka_unit_test(test_no_peak_is_hidden),
        cmocka_unit_test(test_points_outside),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
