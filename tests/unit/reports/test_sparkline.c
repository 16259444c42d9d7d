/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "reports/report_text.h"

static void assert_line(const double *values, size_t num_values, double low, double high,
    const char *blocks, const char *ascii)
{
    spot_texts_t texts = {0};

    assert_string_equal(spot_sparkline(&texts, values, num_values, low, high, 40, true), blocks);
    assert_string_equal(spot_sparkline(&texts, values, num_values, low, high, 40, false), ascii);
    spot_texts_free(&texts);
}

static void test_levels(void **state)
{
    static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const double outside[] = {-5, 99, (double) INFINITY};

    (void) state;
    assert_line(values, 9, 0, 8, "▁▂▃▄▅▆▇██", "_.-~=+*##");
    assert_line(outside, 2, 0, 8, "▁█", "_#");
    assert_line(values, 0, 0, 8, "", "");
}

static void test_nulls_and_constants(void **state)
{
    static const double values[] = {1, (double) NAN, 1};
    static const double nulls[] = {(double) NAN, (double) NAN};

    (void) state;
    assert_line(values, 3, 1, 1, "▄ ▄", "~ ~");
    assert_line(values, 1, 1, 1, "▄", "~");
    assert_line(nulls, 2, (double) HUGE_VAL, (double) -HUGE_VAL, "  ", "  ");
}

static void test_many_points(void **state)
{
    static double values[1000];
    spot_texts_t texts = {0};
    const char *text;

    (void) state;
    for (size_t j = 0; j < 1000; j++) {
        values[j] = (double) j;
    }
    assert_string_equal(spot_sparkline(&texts, values, 1000, 0, 1000, 8, true), "▁▂▃▄▅▆▇█");
    text = spot_sparkline(&texts, values, 1000, 0, 1000, 100000, true);
    assert_int_equal(spot_utf8_count(text, strlen(text)), 1000);
    spot_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_nulls_and_constants),
        cmocka_unit_test(test_many_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
