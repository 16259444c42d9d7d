/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/stats.h"
#include "sketch_support.h"

/* The bound r of the relative error: half of the mantissa bits that keys drop, of those
 * that any value has. */
static double error_bound(const spot_quantile_sketch_t *sketch)
{
    const uint64_t dropped = sketch->any_bits & ((UINT64_C(1) << (45 + sketch->num_joined)) - 1);

    return ldexp((double) (dropped - (dropped >> 1)), -52);
}

/* The bound that the header gives, in units of it; rounding of 1e-13 aside. */
static double error_in_bounds(
    const spot_quantile_sketch_t *sketch, const double *sorted, double p, double quantile)
{
    const double position = p * (double) (sketch->num_values - 1);
    const double fraction = position - floor(position);
    const double low = sorted[(size_t) position];
    const double high = fraction > 0 ? sorted[(size_t) position + 1] : low;
    const double exact = (1 - fraction) * low + fraction * high;
    const double scale = (1 - fraction) * fabs(low) + fraction * fabs(high);
    const double bound =
        (error_bound(sketch) + 1e-13) * scale + ldexp(1, (int) sketch->num_joined - 1029);

    return fabs(quantile - exact) / bound;
}

static void assert_quantiles_hold(const char *name, double *values, size_t num_values)
{
    enum { NUM_P = 401 };
    double p[NUM_P], quantiles[NUM_P], worst = 0;
    spot_quantile_sketch_t sketch = sketch_of(values, num_values);

    spot_sort(values, num_values);
    for (size_t j = 0; j < NUM_P; j++) {
        p[j] = (double) j / (NUM_P - 1);
    }
    assert_int_equal(spot_quantile_sketch_quantiles(&sketch, NUM_P, p, quantiles), 0);
    for (size_t j = 0; j < NUM_P; j++) {
        const double error = error_in_bounds(&sketch, values, p[j], quantiles[j]);

        worst = fmax(worst, error);
        if (!(error <= 1)) {
            fail_msg("%s: %zu values, p %g: %.17g, %g times the bound", name, num_values, p[j],
                quantiles[j], error);
        }
        assert_true(quantiles[j] >= values[0] && quantiles[j] <= values[num_values - 1]);
        assert_true(j == 0 || quantiles[j] >= quantiles[j - 1] - 1e-15 * fabs(quantiles[j - 1]));
    }
    assert_true(quantiles[0] == values[0]);
    assert_true(quantiles[NUM_P - 1] == values[num_values - 1]);
    assert_true(error_bound(&sketch) <= ldexp(1, (int) sketch.num_joined - 8));
    if (num_values == MANY_VALUES) {
        print_message("%-14s %5zu keys, joined %u times, bound %.5f, worst error %.3f "
                      "of it\n",
            name, sketch.num_keys, sketch.num_joined, error_bound(&sketch), worst);
    }
    spot_quantile_sketch_free(&sketch);
}

static void test_quantiles_are_within_the_bound(void **state)
{
    static const size_t nums_values[] = {1, 2, 3, 7, 64, 1024, MANY_VALUES};
    double *values = malloc(MANY_VALUES * sizeof(*values));

    (void) state;
    assert_non_null(values);
    for (size_t j = 0; j < NUM_LAWS; j++) {
        for (size_t k = 0; k < sizeof(nums_values) / sizeof(nums_values[0]); k++) {
            draw_values(j, values, nums_values[k]);
            assert_quantiles_hold(sketch_laws[j].name, values, nums_values[k]);
        }
    }
    free(values);
}

/* The bound is no larger than it must be, and joins are only made for need. */
static void test_the_bound_is_tight(void **state)
{
    static const double values[] = {0.5, 1, 1, 1, 1.99999999999999978};
    spot_quantile_sketch_t sketch = sketch_of(values, 5);

    (void) state;
    assert_int_equal(sketch.num_joined, 0);
    assert_true(error_bound(&sketch) == 1.0 / 256);
    assert_true(fabs(quantile_of(&sketch, 0.5) - 1) > 0.999 / 256);
    spot_quantile_sketch_free(&sketch);
}

/* Counts, and all else without more bits than a key tells. */
static void test_short_values_are_exact(void **state)
{
    double values[1000];

    (void) state;
    for (int power = -300; power <= 300; power += 60) {
        spot_quantile_sketch_t sketch;
        spot_rng_t rng;

        spot_rng_seek(&rng, 5, (uint64_t) (power + 300), SPOT_STREAM_GAP, 0);
        for (size_t j = 0; j < 1000; j++) {
            values[j] = ldexp(draw_small_integer(&rng), power);
        }
        sketch = sketch_of(values, 1000);
        spot_sort(values, 1000);
        assert_true(error_bound(&sketch) == 0);
        for (int j = 0; j <= 100; j++) {
            const double exact = spot_quantile(values, 1000, j / 100.0);

            assert_true(fabs(quantile_of(&sketch, j / 100.0) - exact) <= 1e-14 * fabs(exact));
        }
        spot_quantile_sketch_free(&sketch);
    }
}

/* Also where other values have more bits than their keys tell. */
static void test_zero_is_zero(void **state)
{
    static const double values[] = {-1.0 / 3, 0, -0.0, 0, 0.1};
    spot_quantile_sketch_t sketch = sketch_of(values, 5);

    (void) state;
    assert_true(error_bound(&sketch) > 0);
    assert_true(quantile_of(&sketch, 0.25) == 0);
    assert_true(quantile_of(&sketch, 0.5) == 0);
    assert_true(quantile_of(&sketch, 0.75) == 0);
    spot_quantile_sketch_free(&sketch);
}

static void test_nothing_has_no_quantiles(void **state)
{
    spot_quantile_sketch_t sketch = {0};

    (void) state;
    assert_true(isnan(quantile_of(&sketch, 0.5)));
    assert_int_equal(spot_quantile_sketch_add(&sketch, NULL, 0), 0);
    assert_int_equal(sketch.num_values, 0);
    spot_quantile_sketch_free(&sketch);
    spot_quantile_sketch_free(&sketch);
}

/* Whether values come at once, one by one or from the back. */
static void test_the_order_does_not_matter(void **state)
{
    double *values = malloc(MANY_VALUES * sizeof(*values));

    (void) state;
    assert_non_null(values);
    for (size_t j = 0; j < 2 * NUM_LAWS; j++) {
        const size_t num_values = j % 2 == 0 ? MANY_VALUES : 1500;
        spot_quantile_sketch_t backward = {0}, whole;

        draw_values(j % NUM_LAWS, values, num_values);
        whole = sketch_of(values, num_values);
        for (size_t k = num_values; k-- > 0;) {
            assert_int_equal(spot_quantile_sketch_add(&backward, &values[k], 1), 0);
        }
        assert_same_sketch(&backward, &whole);
        spot_quantile_sketch_free(&backward);
        spot_quantile_sketch_free(&whole);
    }
    free(values);
}

/* Everything that a double can be: one value in each bucket. */
static spot_quantile_sketch_t sketch_of_all_magnitudes(void)
{
    const uint64_t num_buckets = UINT64_C(2047) << 7; /* of one sign */
    spot_quantile_sketch_t sketch = {0};

    for (uint64_t j = 0; j < num_buckets; j++) {
        /* in an order that jumps; the last bits differ */
        const uint64_t bucket_id = j * 100003 % num_buckets;
        const double value = spot_double_from_bits(bucket_id << 45 | j);
        const double both[] = {value, -value};

        assert_int_equal(spot_quantile_sketch_add(&sketch, both, 2), 0);
    }
    return sketch;
}

/* Buckets in a row fall into slots of their own, so nothing but their number tells that
 * there are too many. */
static void test_buckets_in_a_row_are_counted(void **state)
{
    static const size_t nums_keys[] = {
        128, 129, 300, SPOT_SKETCH_MAX_KEYS, SPOT_SKETCH_MAX_KEYS + 1, 3 * SPOT_SKETCH_MAX_KEYS};
    double *values = malloc(3 * SPOT_SKETCH_MAX_KEYS * sizeof(*values));

    (void) state;
    assert_non_null(values);
    for (size_t j = 0; j < 3 * SPOT_SKETCH_MAX_KEYS; j++) {
        values[j] = ldexp(1 + (double) (j % 128) / 128, (int) (j / 128) - 50);
    }
    for (size_t j = 0; j < sizeof(nums_keys) / sizeof(nums_keys[0]); j++) {
        const size_t num_keys = nums_keys[j];
        const unsigned num_joined = j < 4 ? 0 : j < 5 ? 1 : 2;
        spot_quantile_sketch_t sketch = sketch_of(values, num_keys);

        assert_int_equal(sketch.num_joined, num_joined);
        assert_int_equal(sketch.num_keys, (num_keys + (1u << num_joined) - 1) >> num_joined);
        assert_true(sketch.num_keys <= SPOT_SKETCH_MAX_KEYS);
        spot_quantile_sketch_free(&sketch);
    }
    free(values);
}

static void test_memory_is_bounded(void **state)
{
    spot_quantile_sketch_t sketch = sketch_of_all_magnitudes();

    (void) state;
    assert_int_equal(sketch.num_joined, SPOT_SKETCH_MAX_JOINED);
    assert_int_equal(sketch.num_values, 2 * (UINT64_C(2047) << 7));
    assert_in_range(sketch.num_keys, 1, SPOT_SKETCH_MAX_KEYS);
    assert_true(error_bound(&sketch) <= 0.25);
    spot_quantile_sketch_free(&sketch);
}

/* Values that would be too many are refused and change nothing. */
static void test_too_many_values_are_refused(void **state)
{
    static const double one[] = {3.7};
    spot_quantile_sketch_t sketch = sketch_of(one, 1), same = sketch_of(one, 1);

    (void) state;
    assert_int_equal(
        spot_quantile_sketch_add(&sketch, one, SPOT_SKETCH_MAX_VALUES), SPOT_ERR_BAD_PARAM);
    assert_same_sketch(&sketch, &same);
    spot_quantile_sketch_free(&sketch);
    spot_quantile_sketch_free(&same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles_are_within_the_bound),
        cmocka_unit_test(test_the_bound_is_tight),
        cmocka_unit_test(test_short_values_are_exact),
        cmocka_unit_test(test_zero_is_zero),
        cmocka_unit_test(test_nothing_has_no_quantiles),
        cmocka_unit_test(test_the_order_does_not_matter),
        cmocka_unit_test(test_buckets_in_a_row_are_counted),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_too_many_values_are_refused),
    };

    return cmocka_run_group_tests_name("quantile_sketch", tests, NULL, NULL);
}
