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

#include "base/csv.h"

static void test_fields(void **state)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"a,b", "\"a,b\""},
        {"a \"b\"", "\"a \"\"b\"\"\""},
        {" edge", "\" edge\""},
        {"a\nb", "\"a\nb\""},
        {"漢字", "漢字"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        char *text = NULL;
        size_t num_bytes;
        FILE *out = open_memstream(&text, &num_bytes);

        assert_non_null(out);
        spot_csv_field_text(out, cases[j][0]);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, cases[j][1]);
        free(text);
    }
}

static void test_numbers(void **state)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    spot_csv_field_number(out, 1.0 / 3);
    spot_csv_field_number(out, 123456789);
    spot_csv_field_number(out, (double) NAN);
    spot_csv_field_number(out, (double) INFINITY);
    spot_csv_field_number(out, -0.5);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, ",0.33333333,1.2345679e+08,,,-0.5");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
