/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/study/plan.h"

typedef int (*design_t)(size_t, size_t, uint64_t, double *);

static double *make_points(design_t design, size_t num_points, size_t num_dims, uint64_t seed)
{
    double *points = malloc(num_points * num_dims * sizeof(*points));

    assert_non_null(points);
    assert_int_equal(design(num_points, num_dims, seed, points), 0);
    for (size_t j = 0; j < num_points * num_dims; j++) {
        assert_true(points[j] > 0 && points[j] < 1);
    }
    return points;
}

/* Plain random points, to compare with. */
static int random_points(size_t num_points, size_t num_dims, uint64_t seed, double *points)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, seed, 1, SPOT_STREAM_DESIGN, 1000);
    for (size_t j = 0; j < num_points * num_dims; j++) {
        points[j] = spot_rng_uniform(&rng);
    }
    return 0;
}

/* Each of num_points equal strata of a dimension holds one point. */
static void assert_strata(const double *points, size_t num_points, size_t num_dims, size_t dim)
{
    bool *is_taken = calloc(num_points, sizeof(*is_taken));

    assert_non_null(is_taken);
    for (size_t k = 0; k < num_points; k++) {
        const size_t stratum = (size_t) (points[k * num_dims + dim] * (double) num_points);

        assert_true(stratum < num_points);
        assert_false(is_taken[stratum]);
        is_taken[stratum] = true;
    }
    free(is_taken);
}

static void test_latin_strata(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 10, 97, 1000, 65537, 1000000};

    (void) state;
    for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
        double *points = make_points(spot_design_latin, sizes[j], 3, j);

        for (size_t dim = 0; dim < 3; dim++) {
            assert_strata(points, sizes[j], 3, dim);
        }
        free(points);
    }
}

/* Every stratum is as likely for every point, and a point is anywhere in it. */
static void test_latin_is_uniform(void **state)
{
    double sum = 0, sum_within = 0, counts[4][4] = {{0}};
    const double num_designs = 4000;

    (void) state;
    for (uint64_t seed = 0; seed < (uint64_t) num_designs; seed++) {
        double points[4];

        assert_int_equal(spot_design_latin(4, 1, seed, points), 0);
        for (size_t k = 0; k < 4; k++) {
            const size_t stratum = (size_t) (4 * points[k]);

            counts[k][stratum]++;
            sum_within += 4 * points[k] - (double) stratum;
        }
        sum += points[0];
    }
    for (size_t k = 0; k < 4; k++) {
        for (size_t j = 0; j < 4; j++) {
            assert_true(fabs(counts[k][j] - num_designs / 4) <= 4.5 * sqrt(num_designs * 3 / 16));
        }
    }
    assert_true(fabs(sum / num_designs - 0.5) <= 4.5 * sqrt(1.0 / 12 / num_designs));
    assert_true(
        fabs(sum_within / (4 * num_designs) - 0.5) <= 4.5 * sqrt(1.0 / 12 / (4 * num_designs)));
}

/* Every box of volume 2^-10 with sides that are powers of two holds one point of each
 * 2^10 of the first two dimensions: a (0, 10, 2)-net. Without the first point, or with a
 * scramble that is no bijection, it would not. */
static void test_sobol_is_a_net(void **state)
{
    enum { LOG2 = 10, NUM_POINTS = 1 << LOG2, NUM_BLOCKS = 3 };
    double *points = make_points(spot_design_sobol, NUM_BLOCKS * NUM_POINTS, 2, 7);

    (void) state;
    for (size_t block = 0; block < NUM_BLOCKS; block++) {
        for (int split = 0; split <= LOG2; split++) {
            bool is_taken[NUM_POINTS] = {false};

            for (size_t k = 0; k < NUM_POINTS; k++) {
                const double *point = &points[2 * (block * NUM_POINTS + k)];
                const size_t column = (size_t) ldexp(point[0], split);
                const size_t row = (size_t) ldexp(point[1], LOG2 - split);
                const size_t box = (column << (LOG2 - split)) + row;

                assert_false(is_taken[box]);
                is_taken[box] = true;
            }
        }
    }
    free(points);
}

static void test_sobol_strata_of_all_dimensions(void **state)
{
    double *points = make_points(spot_design_sobol, 4096, SPOT_DESIGN_SOBOL_DIMS, 99);

    (void) state;
    for (size_t dim = 0; dim < SPOT_DESIGN_SOBOL_DIMS; dim++) {
        assert_strata(points, 4096, SPOT_DESIGN_SOBOL_DIMS, dim);
    }
    free(points);
}

/* The scramble is by seed and dimension, and a first point is uniform over seeds. */
static void test_sobol_scramble(void **state)
{
    const size_t num_seeds = 4000;
    double sum = 0, sum_squares = 0, sum_products = 0, point[2];

    (void) state;
    for (uint64_t seed = 0; seed < num_seeds; seed++) {
        assert_int_equal(spot_design_sobol(1, 2, seed, point), 0);
        sum += point[0];
        sum_squares += point[0] * point[0];
        sum_products += (point[0] - 0.5) * (point[1] - 0.5);
    }
    assert_true(fabs(sum / 4000 - 0.5) <= 4.5 * sqrt(1.0 / 12 / 4000));
    assert_true(fabs(sum_squares / 4000 - 1.0 / 3) <= 4.5 * sqrt(4.0 / 45 / 4000));
    assert_true(fabs(sum_products / 4000) <= 4.5 / 12 / sqrt(4000));
}

static void assert_prefix(design_t design, size_t values_per_point, size_t num_dims)
{
    static const size_t sizes[] = {0, 1, 2, 7, 64, 100, 1000};
    double *all = calloc(1024 * values_per_point, sizeof(*all));

    assert_non_null(all);
    assert_int_equal(design(1024, num_dims, 5, all), 0);
    for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
        double *some = calloc(1024 * values_per_point, sizeof(*some));

        assert_non_null(some);
        assert_int_equal(design(sizes[j], num_dims, 5, some), 0);
        assert_memory_equal(some, all, sizes[j] * values_per_point * sizeof(*some));
        assert_true(some[sizes[j] * values_per_point] == 0);
        free(some);
    }
    free(all);
}

static void test_prefixes(void **state)
{
    (void) state;
    assert_prefix(spot_design_sobol, 6, 6);
    assert_prefix(spot_design_saltelli, (6 + 2) * 6, 6);
}

static void test_seeds_differ(void **state)
{
    static const design_t designs[] = {spot_design_latin, spot_design_sobol};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        double *one = make_points(designs[j], 64, 3, 1);
        double *same = make_points(designs[j], 64, 3, 1);
        double *other = make_points(designs[j], 64, 3, UINT64_C(1) << 40 | 1);

        assert_memory_equal(one, same, 64 * 3 * sizeof(*one));
        for (size_t k = 0; k < 64 * 3; k++) {
            assert_true(one[k] != other[k]);
        }
        free(one);
        free(same);
        free(other);
    }
}

/* A dimension does not depend on how many others there are. */
static void test_dimensions_are_apart(void **state)
{
    static const design_t designs[] = {spot_design_latin, spot_design_sobol};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        double *few = make_points(designs[j], 100, 2, 3);
        double *many = make_points(designs[j], 100, 9, 3);

        for (size_t k = 0; k < 100; k++) {
            assert_memory_equal(&few[2 * k], &many[9 * k], 2 * sizeof(*few));
        }
        free(few);
        free(many);
    }
}

/* The mean square of volume error of boxes at the origin: Warnock's formula for the L2
 * star discrepancy, squared. */
static double discrepancy(const double *points, size_t num_points, size_t num_dims)
{
    const double n = (double) num_points;
    double sum_single = 0, sum_pairs = 0;

    for (size_t k = 0; k < num_points; k++) {
        double single = 1;

        for (size_t i = 0; i < num_dims; i++) {
            single *= (1 - points[k * num_dims + i] * points[k * num_dims + i]) / 2;
        }
        sum_single += single;
        for (size_t m = 0; m < num_points; m++) {
            double pair = 1;

            for (size_t i = 0; i < num_dims; i++) {
                pair *= 1 - fmax(points[k * num_dims + i], points[m * num_dims + i]);
            }
            sum_pairs += pair;
        }
    }
    return pow(3, -(double) num_dims) - 2 * sum_single / n + sum_pairs / (n * n);
}

static double mean_discrepancy(design_t design, size_t num_points, size_t num_dims)
{
    double sum = 0;

    for (uint64_t seed = 0; seed < 16; seed++) {
        double *points = make_points(design, num_points, num_dims, seed);

        sum += discrepancy(points, num_points, num_dims) / 16;
        free(points);
    }
    return sum;
}

/* Of random points it is (2^-d - 3^-d) / n, a truth that checks the formula. A Latin
 * hypercube is somewhat better, and Sobol points fall faster: like 1 / n^2 up to
 * logarithms, so that 4 times the points give far more than a quarter. */
static void test_discrepancy(void **state)
{
    const size_t num_points = 256;

    (void) state;
    for (size_t num_dims = 2; num_dims <= 5; num_dims += 3) {
        const double d = (double) num_dims;
        const double of_random = (pow(2, -d) - pow(3, -d)) / (double) num_points;
        const double seen = mean_discrepancy(random_points, num_points, num_dims);
        const double latin = mean_discrepancy(spot_design_latin, num_points, num_dims);
        const double sobol = mean_discrepancy(spot_design_sobol, num_points, num_dims);
        const double more = mean_discrepancy(spot_design_sobol, 4 * num_points, num_dims);

        print_message("%zu dimensions: random %.3g (truth %.3g), Latin %.3g, Sobol "
                      "%.3g, of 4 times the points %.3g\n",
            num_dims, seen, of_random, latin, sobol, more);
        assert_true(seen > of_random / 2 && seen < of_random * 2);
        assert_true(latin < of_random);
        assert_true(sobol < latin / 2);
        assert_true(more < sobol / 8);
    }
}

static void test_limits_of_designs(void **state)
{
    double points[SPOT_DESIGN_SOBOL_DIMS + 1];

    (void) state;
    assert_int_equal(spot_design_sobol(1, SPOT_DESIGN_SOBOL_DIMS, 1, points), 0);
    assert_int_equal(
        spot_design_sobol(1, SPOT_DESIGN_SOBOL_DIMS + 1, 1, points), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_design_sobol(1, 0, 1, points), SPOT_ERR_BAD_PARAM);
    assert_int_equal(
        spot_design_sobol(SPOT_DESIGN_MAX_POINTS + (size_t) 1, 1, 1, NULL), SPOT_ERR_BAD_PARAM);
    assert_int_equal(
        spot_design_latin(SPOT_DESIGN_MAX_POINTS + (size_t) 1, 1, 1, NULL), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_design_saltelli(0, 0, 1, NULL), SPOT_ERR_BAD_PARAM);
    assert_int_equal(
        spot_design_saltelli(0, SPOT_DESIGN_SALTELLI_INPUTS + 1, 1, NULL), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_design_saltelli(0, SIZE_MAX / 2 + 2, 1, NULL), SPOT_ERR_BAD_PARAM);
}

static void check_saltelli(size_t num_samples, size_t num_inputs)
{
    const size_t num_points = num_inputs + 2;
    double *halves = make_points(spot_design_sobol, num_samples, 2 * num_inputs, 11);
    double *points = malloc(num_samples * num_points * num_inputs * sizeof(*points));

    assert_non_null(points);
    assert_int_equal(spot_design_saltelli(num_samples, num_inputs, 11, points), 0);
    for (size_t k = 0; k < num_samples; k++) {
        const double *a = &halves[2 * k * num_inputs], *b = a + num_inputs;
        const double *at = &points[k * num_points * num_inputs];

        assert_memory_equal(at, a, num_inputs * sizeof(*a));
        assert_memory_equal(at + num_inputs, b, num_inputs * sizeof(*b));
        for (size_t i = 0; i < num_inputs; i++) {
            for (size_t j = 0; j < num_inputs; j++) {
                assert_true(at[(2 + i) * num_inputs + j] == (i == j ? b[j] : a[j]));
            }
        }
    }
    free(halves);
    free(points);
}

static void test_saltelli(void **state)
{
    (void) state;
    check_saltelli(1, 1);
    check_saltelli(64, 3);
    check_saltelli(50, SPOT_DESIGN_SALTELLI_INPUTS);
    check_saltelli(100, SPOT_DESIGN_SALTELLI_INPUTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latin_strata),
        cmocka_unit_test(test_latin_is_uniform),
        cmocka_unit_test(test_sobol_is_a_net),
        cmocka_unit_test(test_sobol_strata_of_all_dimensions),
        cmocka_unit_test(test_sobol_scramble),
        cmocka_unit_test(test_prefixes),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_dimensions_are_apart),
        cmocka_unit_test(test_discrepancy),
        cmocka_unit_test(test_limits_of_designs),
        cmocka_unit_test(test_saltelli),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
