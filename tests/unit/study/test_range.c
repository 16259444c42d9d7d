/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of ranges at the coordinates of a design, and what makes no range. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/study/plan.h"
#include "sim/bench/study/reading.h"

/* Binds a range of a design; diag has what is wrong. */
static spot_range_t bind_range(const char *text, spot_diag_t *diag)
{
    spot_bind_t bind = {.diag = diag};
    spot_range_t range = {.num_values = 0};
    spot_yaml_t document;
    bool is_good;

    assert_int_equal(spot_yaml_parse(&document, "range", text, strlen(text), diag), 0);
    is_good = spot_range_bind(&range, &bind, "key", document.root, true);
    assert_true(is_good == (diag->num_errors == 0));
    spot_yaml_free(&document);
    return range;
}

static spot_range_t range_of(const char *text)
{
    spot_diag_t diag;
    spot_range_t range;

    spot_diag_init(&diag);
    range = bind_range(text, &diag);
    assert_int_equal(diag.num_errors, 0);
    spot_diag_free(&diag);
    return range;
}

#define LEAST_U 0x1p-53
#define GREATEST_U (1 - 0x1p-53)

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected))) {
        fail_msg("%.17g is not %.17g", value, expected);
    }
}

static void test_continuous(void **state)
{
    const spot_range_t linear = range_of("{from: -2, to: 6}");
    const spot_range_t log_range = range_of("{from: 0.001, to: 1000, scale: log}");
    const spot_range_t wide = range_of("{from: 1e-300, to: 1e300, scale: log}");

    (void) state;
    assert_near(spot_range_at(&linear, 0.5), 2);
    assert_near(spot_range_at(&linear, 0.125), -1);
    assert_near(spot_range_at(&linear, LEAST_U), -2);
    assert_true(spot_range_at(&linear, GREATEST_U) <= 6);
    assert_near(spot_range_at(&log_range, 0.5), 1);
    assert_near(spot_range_at(&log_range, 1 / 6.0), 0.01);
    assert_near(spot_range_at(&log_range, 5 / 6.0), 100);
    assert_near(spot_range_at(&log_range, LEAST_U), 0.001);
    assert_near(spot_range_at(&log_range, GREATEST_U), 1000);
    assert_true(spot_range_at(&log_range, LEAST_U) >= 0.001);
    assert_true(spot_range_at(&log_range, GREATEST_U) <= 1000);
    assert_true(fabs(spot_range_at(&wide, 0.5) - 1) < 1e-9);
    assert_true(fabs(spot_range_at(&wide, 0.75) / 1e150 - 1) < 1e-9);
}

/* A range with steps takes exactly num_values values, each once in as many equal cells,
 * both ends at the extremes of u. */
static void assert_equal_cells(const char *text, const double *values, size_t num_values)
{
    const spot_range_t range = range_of(text);
    const double width = 1.0 / (double) num_values;

    for (size_t j = 0; j < num_values; j++) {
        const double start = (double) j * width;

        assert_true(spot_range_at(&range, start + 1e-9 * width) == values[j]);
        assert_true(spot_range_at(&range, start + 0.5 * width) == values[j]);
        assert_true(spot_range_at(&range, start + (1 - 1e-9) * width) == values[j]);
    }
    assert_true(spot_range_at(&range, LEAST_U) == values[0]);
    assert_true(spot_range_at(&range, GREATEST_U) == values[num_values - 1]);
}

static void test_steps(void **state)
{
    static const double tenths[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    static const double some[] = {0.1, 0.4, 0.7};
    static const double rounded[] = {-2, -0.9}; /* -2 + (-0.9 - -2) is not -0.9 */
    static const double depths[] = {8, 16, 24, 32};
    static const double dice[] = {1, 2, 3, 4, 5, 6};
    static const double signs[] = {-1, 0, 1};
    static const double pauses_ms[] = {30000, 60000, 90000};
    static const double ms[] = {1, 2, 3};

    (void) state;
    assert_equal_cells("{from: 0, to: 1, step: 0.1}", tenths, 11);
    assert_equal_cells("{from: 0.1, to: 0.7, step: 0.3}", some, 3);
    assert_equal_cells("{from: -2, to: -0.9, step: 1.1}", rounded, 2);
    assert_equal_cells("{from: 8, to: 32, step: 8}", depths, 4);
    assert_equal_cells("{from: 1, to: 6, step: 1}", dice, 6);
    assert_equal_cells("{from: -1, to: 1, step: 1}", signs, 3);
    assert_equal_cells("{from: 30000 ms, to: 90000 ms, step: 30000 ms}", pauses_ms, 3);
    assert_equal_cells("{from: 1 ms, to: 3 ms}", ms, 3);
}

/* Whole values stay whole however many there are, and steps are exact. */
static void test_long_ranges(void **state)
{
    const spot_range_t range = range_of("{from: 1 ms, to: 3155760000000 ms}");
    const spot_range_t whole = range_of("{from: 0, to: 49, step: 1}");
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 1, SPOT_STREAM_DESIGN, 0);
    for (int j = 0; j < 10000; j++) {
        const double u = (spot_rng_uniform(&rng) + 0x1p-54);
        const double value = spot_range_at(&range, u);

        assert_true(value == floor(value) && value >= 1 && value <= range.to);
    }
    for (int j = 0; j < 50; j++) {
        assert_true(spot_range_at(&whole, (j + 0.5) / 50) == j);
    }
    assert_true(spot_range_at(&range, GREATEST_U) == range.to);
    assert_true(spot_range_at(&range, LEAST_U) == range.from);
}

/* 1 ... 8 in the logarithm: n stands for [n, n + 1) of [1, 9). */
static void test_log_steps(void **state)
{
    const spot_range_t range = range_of("{from: 1, to: 8, step: 1, scale: log}");
    const spot_range_t coarse = range_of("{from: 10, to: 40, step: 10, scale: log}");
    double before = 0;

    (void) state;
    for (int n = 1; n <= 8; n++) {
        const double low = log(n) / log(9), high = log(n + 1) / log(9);

        assert_true(spot_range_at(&range, fmax(low + 1e-9, LEAST_U)) == n);
        assert_true(spot_range_at(&range, high - 1e-9) == n);
    }
    assert_true(spot_range_at(&range, LEAST_U) == 1);
    assert_true(spot_range_at(&range, GREATEST_U) == 8);
    assert_true(spot_range_at(&coarse, log(2) / log(5) - 1e-9) == 10);
    assert_true(spot_range_at(&coarse, log(2) / log(5) + 1e-9) == 20);
    assert_true(spot_range_at(&coarse, GREATEST_U) == 40);
    for (int j = 0; j < 10000; j++) { /* never falls */
        const double value = spot_range_at(&range, (j + 0.5) / 10000);

        assert_true(value >= before);
        before = value;
    }
}

static void assert_problem(const char *text, const char *expected)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    bind_range(text, &diag);
    assert_int_equal(diag.num_items, 1);
    if (strstr(diag.items[0].text, expected) == NULL) {
        fail_msg("%s: %s", text, diag.items[0].text);
    }
    spot_diag_free(&diag);
}

static void test_bad_ranges(void **state)
{
    static const char numbers[] = "key: from and to must be two numbers";
    static const char order[] = "key: from must be less than to";
    static const char above[] = "key: step must be above 0 and count what from and to do";
    static const char steps[] = "key: to must be a whole number of steps from from";

    (void) state;
    assert_problem("{from: .nan, to: 1}", numbers);
    assert_problem("{from: 0, to: 1e999}", numbers);
    assert_problem("{from: -1.5e308, to: 1.5e308}", "key: from, to and step must be finite");
    assert_problem("{from: 0, to: 1, step: .nan}", above);
    assert_problem("{from: 1, to: 1}", order);
    assert_problem("{from: 2, to: 1}", order);
    assert_problem(
        "{from: 0, to: 1, scale: log}", "key: a logarithmic range needs from and to above 0");
    assert_problem("{from: 0, to: 1, step: -0.1}", above);
    assert_problem("{from: 0, to: 1, step: 0.3}", steps);
    assert_problem("{from: 0, to: 1, step: 2}", steps);
    assert_problem("{from: 0, to: 1, step: 1e-300}", steps);
    assert_problem("{from: 8, to: 60, step: 8}", steps);
    assert_problem("{from: 1 ms, to: 4 ms, step: 0.5 ms}", above);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_continuous),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_long_ranges),
        cmocka_unit_test(test_log_steps),
        cmocka_unit_test(test_bad_ranges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
