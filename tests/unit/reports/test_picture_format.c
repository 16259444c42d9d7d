/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/draw.h"

static bool is_whole(spot_picture_format_t format, const char *bytes, size_t num_bytes)
{
    FILE *file = tmpfile();
    bool result;

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, num_bytes, file), num_bytes);
    result = spot_format_is_whole(format, file);
    fclose(file);
    return result;
}

#define BYTES(text) text, sizeof(text) - 1

/* What begins and ends as it should, and each of its beginnings. */
static void test_a_cut_picture_is_not_whole(void **state)
{
    static const struct {
        spot_picture_format_t format;
        const char *bytes;
        size_t num_bytes;
    } cases[] = {
        {SPOT_FORMAT_SVG, BYTES("<?xml version=\"1.0\"?><svg width=\"900\"></svg>")},
        {SPOT_FORMAT_PNG, BYTES("\x89PNG\r\n\x1a\n and what is in it, some bytes "
                                "\0\0\0\0IEND\xae\x42\x60\x82")},
        {SPOT_FORMAT_PDF, BYTES("%PDF-1.5 and what is in it, and more \nstartxref\n%%EOF")},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const size_t num_bytes = cases[j].num_bytes;

        assert_true(is_whole(cases[j].format, cases[j].bytes, num_bytes));
        for (size_t k = 0; k < num_bytes; k++) {
            assert_false(is_whole(cases[j].format, cases[j].bytes, k));
        }
        for (int k = 0; k < SPOT_NUM_FORMATS; k++) {
            assert_true(k == (int) cases[j].format ||
                        !is_whole((spot_picture_format_t) k, cases[j].bytes, num_bytes));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cut_picture_is_not_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
