/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/integers.h"
#include "base/rng.h"

/* ---- Integers ---- */

static void assert_quotients(int64_t a, int64_t b)
{
    assert_int_equal(spot_quotient(a, b), a / b);
    assert_int_equal(spot_divide_up(a, b), a / b + (a % b != 0));
}

/* Around the largest number of 32 bits, and where nothing may overflow. */
static void test_borders(void **state)
{
    const int64_t border = INT64_C(1) << 32;

    (void) state;
    for (int64_t j = -2; j <= 2; j++) {
        assert_quotients(border + j, 1);
        assert_quotients(border + j, border - 1);
        assert_quotients(border + j, border);
        assert_quotients(7, border + j);
        assert_quotients(border / 2 * (border / 2) + j, border + j);
    }
    assert_quotients(0, 3);
    assert_quotients(INT64_MAX, 1);
    assert_quotients(INT64_MAX, 2);
    assert_quotients(INT64_MAX, INT64_MAX);
    assert_quotients(INT64_MAX - 1, INT64_MAX);
}

/* Numbers of all lengths. */
static void test_random(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_GAP, 0);
    for (int j = 0; j < 200000; j++) {
        const uint64_t a_digits = 1 + spot_rng_below(&rng, 63);
        const uint64_t b_digits = 1 + spot_rng_below(&rng, 63);
        const int64_t a = (int64_t) (spot_rng_bits(&rng) >> (64 - a_digits));
        const int64_t b = (int64_t) (spot_rng_bits(&rng) >> (64 - b_digits));

        assert_quotients(a, b > 0 ? b : 1);
    }
}

static void test_order(void **state)
{
    (void) state;
    assert_int_equal(spot_smaller(-3, 2), -3);
    assert_int_equal(spot_smaller(2, -3), -3);
    assert_int_equal(spot_larger(-3, 2), 2);
    assert_int_equal(spot_larger(INT64_MAX, INT64_MIN), INT64_MAX);
}

/* ---- Bytes ---- */

static void test_doubles_come_back(void **state)
{
    const double values[] = {0, -0.0, 1.0 / 3, -5e-324, 1.7976931348623157e308, (double) INFINITY};

    (void) state;
    for (size_t j = 0; j < 6; j++) {
        const double back = spot_double_from_bits(spot_double_bits(values[j]));

        assert_memory_equal(&back, &values[j], sizeof(back));
    }
    assert_true(spot_double_bits(-1.5) == UINT64_C(0xbff8000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_doubles_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
