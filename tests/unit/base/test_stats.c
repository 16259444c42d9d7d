/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "near.h"
#include "sketch_support.h"

/* ---- Stats ---- */

static double sum_of(const double *values, size_t num_values)
{
    spot_sum_t sum = {0};

    for (size_t j = 0; j < num_values; j++) {
        spot_sum_add(&sum, values[j]);
    }
    return spot_sum_total(&sum);
}

/* The second is the one that Kahan's own algorithm gets wrong. */
static void test_hard_sums(void **state)
{
    static const double tenths[] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1};
    static const double neumaier[] = {1, 1e100, 1, -1e100};
    static const double cancelling[] = {1e16, 1, -1e16};
    static const double small_first[] = {1, 1e16, -1e16};

    (void) state;
    assert_true(sum_of(NULL, 0) == 0);
    assert_true(sum_of(tenths, 10) == 1);
    assert_true(sum_of(neumaier, 4) == 2);
    assert_true(sum_of(cancelling, 3) == 1);
    assert_true(sum_of(small_first, 3) == 1);
}

/* A million prices of a cent: the error of a plain sum is some 1e-9 of it. */
static void test_long_sums_stay_exact(void **state)
{
    spot_sum_t sum = {0};

    (void) state;
    for (int j = 0; j < 1000000; j++) {
        spot_sum_add(&sum, 0.01);
    }
    assert_near(spot_sum_total(&sum), 10000, 1e-15);
}

static spot_moments_t moments_of(const double *values, size_t num_values, double offset)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < num_values; j++) {
        spot_moments_add(&moments, values[j] + offset);
    }
    return moments;
}

static void test_moments_are_undefined_without_values(void **state)
{
    static const double one[] = {7};
    spot_moments_t moments = {0};

    (void) state;
    assert_true(isnan(spot_moments_mean(&moments)));
    assert_true(isnan(spot_moments_std(&moments)));
    assert_true(isnan(spot_moments_stderr(&moments)));
    assert_true(isnan(spot_moments_half_width(&moments, 0.95)));
    moments = moments_of(one, 1, 0);
    assert_true(spot_moments_mean(&moments) == 7);
    assert_true(isnan(spot_moments_std(&moments)));
    assert_true(isnan(spot_moments_stderr(&moments)));
    assert_true(isnan(spot_moments_half_width(&moments, 0.95)));
}

/* The textbook case: the mean of squares minus the square of the mean gives nonsense. */
static void test_moments_survive_large_offsets(void **state)
{
    static const double values[] = {4, 7, 13, 16};
    static const double offsets[] = {0, 1e9, -1e9, 1e12};

    (void) state;
    for (size_t j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
        const spot_moments_t moments = moments_of(values, 4, offsets[j]);

        assert_int_equal(moments.num_values, 4);
        assert_true(spot_moments_mean(&moments) == 10 + offsets[j]);
        assert_near(spot_moments_std(&moments), sqrt(30), 1e-12);
        assert_near(spot_moments_stderr(&moments), sqrt(7.5), 1e-12);
    }
}

/* Against sums of whole numbers, which are exact. */
static void test_moments_agree_with_exact_sums(void **state)
{
    enum { NUM_VALUES = 1000 };
    const int64_t offset = 1000000000;
    int64_t sum = 0, sum_squares = 0;
    spot_moments_t moments = {0};
    spot_rng_t rng;
    double variance;

    (void) state;
    spot_rng_seek(&rng, 3, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < NUM_VALUES; j++) {
        const int64_t value = (int64_t) spot_rng_below(&rng, 100000);

        sum += value;
        sum_squares += value * value;
        spot_moments_add(&moments, (double) (value + offset));
    }
    variance =
        (double) (NUM_VALUES * sum_squares - sum * sum) / ((double) NUM_VALUES * (NUM_VALUES - 1));
    assert_near(
        spot_moments_mean(&moments), (double) (sum + NUM_VALUES * offset) / NUM_VALUES, 1e-15);
    assert_near(spot_moments_std(&moments), sqrt(variance), 1e-11);
}

/* Huge values give no wrong spread, but none. */
static void test_moments_that_overflow_say_so(void **state)
{
    static const double values[] = {-1.7e308, 1.7e308, 1, 2};
    const spot_moments_t moments = spot_moments_of(values, 4);

    (void) state;
    assert_true(!isfinite(spot_moments_std(&moments)));
    assert_true(!isfinite(spot_moments_half_width(&moments, 0.95)));
}

/* To the last bit, however many there are, and whatever they are. */
static void test_equal_values_have_no_spread(void **state)
{
    double values[1000];
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 9, 0, SPOT_STREAM_GAP, 0);
    for (size_t j = 2; j <= 1000; j++) {
        const double value = spot_rng_uniform(&rng);
        spot_moments_t moments;

        for (size_t k = 0; k < j; k++) {
            values[k] = value;
        }
        moments = spot_moments_of(values, j);
        assert_true(moments.mean == value && moments.sum_squares == 0);
        assert_true(spot_moments_mean(&moments) == value);
        assert_true(spot_moments_std(&moments) == 0);
        assert_true(spot_moments_half_width(&moments, 0.95) == 0);
    }
}

/* The half width over the standard error is Student's quantile: printed tables. */
static void test_half_widths_are_student_s(void **state)
{
    static const struct {
        size_t num_values;
        double confidence, quantile;
    } cases[] = {
        {2, 0.95, 12.706204736432095},
        {2, 0.99, 63.656741162871580},
        {3, 0.95, 4.302652729696142},
        {10, 0.95, 2.262157162740992},
        {10, 0.90, 1.833112932712997},
        {30, 0.95, 2.045229642132703},
        {1000, 0.95, 1.962341461133449},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_moments_t moments = {0};

        for (size_t k = 0; k < cases[j].num_values; k++) {
            spot_moments_add(&moments, (double) (k * k % 17));
        }
        assert_near(
            spot_moments_half_width(&moments, cases[j].confidence) / spot_moments_stderr(&moments),
            cases[j].quantile, 1e-9);
    }
}

/* Values of R's quantile(x, p, type = 7). */
static void test_quantiles_are_of_type_7(void **state)
{
    static const double ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const double uneven[] = {1, 2, 4, 8, 16};
    static const double two[] = {-1, 3};

    (void) state;
    assert_true(spot_quantile(ten, 10, 0) == 1);
    assert_true(spot_quantile(ten, 10, 0.25) == 3.25);
    assert_true(spot_quantile(ten, 10, 0.5) == 5.5);
    assert_near(spot_quantile(ten, 10, 0.9), 9.1, 1e-15);
    assert_true(spot_quantile(ten, 10, 1) == 10);
    assert_true(spot_quantile(uneven, 5, 0.5) == 4);
    assert_true(spot_quantile(uneven, 5, 0.75) == 8);
    assert_true(spot_quantile(uneven, 5, 0.625) == 6);
    assert_near(spot_quantile(uneven, 5, 0.95), 14.4, 1e-15);
    assert_true(spot_quantile(two, 2, 0.25) == 0);
    assert_true(spot_quantile(two, 1, 0) == -1);
    assert_true(spot_quantile(two, 1, 0.3) == -1);
    assert_true(spot_quantile(two, 1, 1) == -1);
    assert_true(isnan(spot_quantile(two, 0, 0.5)));
}

static void test_quantiles_never_leave_the_values(void **state)
{
    static const double values[] = {0.1, 0.1, 0.3, 0.7, 0.7};
    double before = values[0];

    (void) state;
    for (int j = 0; j <= 1000; j++) {
        const double quantile = spot_quantile(values, 5, j / 1000.0);

        assert_true(quantile >= before && quantile <= values[4]);
        before = quantile;
    }
    assert_true(before == values[4]);
}

/* All sizes up to 60 with few and many ties, and one that is large; p with repeats. */
static void test_quantiles_of_any_order_are_those_of_sorted_values(void **state)
{
    static const double p[] = {0, 0.05, 0.05, 0.051, 0.5, 0.95, 1, 1};
    enum { NUM_P = sizeof(p) / sizeof(p[0]), LARGE = 20000 };
    double *values = malloc(LARGE * sizeof(*values));
    double *sorted = malloc(LARGE * sizeof(*sorted));
    double quantiles[NUM_P];
    spot_rng_t rng;

    (void) state;
    assert_true(values != NULL && sorted != NULL);
    spot_rng_seek(&rng, 5, 0, SPOT_STREAM_GAP, 0);
    for (size_t trial = 0; trial <= 61 * 3; trial++) {
        const size_t num_values = trial == 61 * 3 ? LARGE : trial / 3;
        const uint64_t most[] = {1, 6, 1000000};

        for (size_t j = 0; j < num_values; j++) {
            values[j] = (double) spot_rng_below(&rng, most[trial % 3]) - 3;
            sorted[j] = values[j];
        }
        spot_sort(sorted, num_values);
        spot_quantiles(values, num_values, NUM_P, p, quantiles);
        for (size_t j = 0; j < NUM_P; j++) {
            const double expected = spot_quantile(sorted, num_values, p[j]);

            assert_true(quantiles[j] == expected || (isnan(expected) && num_values == 0));
        }
        spot_sort(values, num_values);
        assert_memory_equal(values, sorted, num_values * sizeof(*values));
    }
    free(values);
    free(sorted);
}

static void test_student_t_is_that_of_tables(void **state)
{
    (void) state;
    for (int repeat = 0; repeat < 2; repeat++) { /* the one before is remembered */
        assert_float_equal(spot_student_t(0.95, 1), 12.7062, 1e-4);
        assert_float_equal(spot_student_t(0.95, 10), 2.2281, 1e-4);
        assert_float_equal(spot_student_t(0.99, 10), 3.1693, 1e-4);
        assert_float_equal(spot_student_t(0.99, 10), 3.1693, 1e-4);
    }
}

static void test_sort_ascends(void **state)
{
    double values[1000], total = 0, sorted_total = 0;
    double few[] = {3, -1e300, 3, 0, 1e300, -2};
    static const double few_sorted[] = {-1e300, -2, 0, 3, 3, 1e300};
    spot_rng_t rng;

    (void) state;
    spot_sort(few, 6);
    assert_memory_equal(few, few_sorted, sizeof(few));
    spot_sort(few, 0);
    spot_rng_seek(&rng, 4, 0, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < 1000; j++) {
        values[j] = (double) spot_rng_below(&rng, 500);
        total += values[j];
    }
    spot_sort(values, 1000);
    for (size_t j = 0; j < 1000; j++) {
        assert_true(j == 0 || values[j - 1] <= values[j]);
        sorted_total += values[j];
    }
    assert_true(sorted_total == total);
}

/* ---- Quantile sketch ---- */

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
        cmocka_unit_test(test_hard_sums),
        cmocka_unit_test(test_long_sums_stay_exact),
        cmocka_unit_test(test_moments_are_undefined_without_values),
        cmocka_unit_test(test_moments_survive_large_offsets),
        cmocka_unit_test(test_moments_agree_with_exact_sums),
        cmocka_unit_test(test_moments_that_overflow_say_so),
        cmocka_unit_test(test_equal_values_have_no_spread),
        cmocka_unit_test(test_half_widths_are_student_s),
        cmocka_unit_test(test_quantiles_are_of_type_7),
        cmocka_unit_test(test_quantiles_never_leave_the_values),
        cmocka_unit_test(test_quantiles_of_any_order_are_those_of_sorted_values),
        cmocka_unit_test(test_student_t_is_that_of_tables),
        cmocka_unit_test(test_sort_ascends),
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

    return cmocka_run_group_tests(tests, NULL, NULL);
}
