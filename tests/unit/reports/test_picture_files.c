/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/utf8.h"
#include "reports/picture_files.h"

static void test_file_names(void **state)
{
    static const char *const cases[][2] = {
        {"plain-1.csv", "plain-1.csv"},
        {"", "_"},
        {"../../etc/passwd", "_._.._etc_passwd"},
        {"-o", "_o"},
        {".hidden", "_hidden"},
        {"a b'c\"d`e$f<g>&h\\i\n", "a_b_c_d_e_f_g__h_i_"},
        {"漢字é", "漢字é"},
        {"bad\xff\xc3", "bad__"},
        {"a\xe2\x80\xae\xe2\x80\x8f\xe2\x80\xaf\xd8\x9cz", "a____z"},
    };
    char file_name[SPOT_PICTURE_NAME_BYTES], name[600], cut[SPOT_PICTURE_NAME_BYTES];

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_picture_file_name(cases[j][0], file_name);
        assert_string_equal(file_name, cases[j][1]);
    }
    for (size_t j = 0; j < sizeof(name) - 3; j += 3) {
        memcpy(name + j, "漢", 4);
    }
    spot_picture_file_name(name, file_name);
    memset(cut, 0, sizeof(cut));
    memcpy(cut, name, 126);
    assert_string_equal(file_name, cut);
}

/* Of whatever bytes: a name that is in one folder and shows as what it is. */
static void test_any_bytes(void **state)
{
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 3, 0, 0, 0);
    for (int j = 0; j < 20000; j++) {
        char name[200], file_name[SPOT_PICTURE_NAME_BYTES], again[SPOT_PICTURE_NAME_BYTES];
        const size_t num_bytes = spot_rng_bits(&rng) % sizeof(name);

        for (size_t k = 0; k < num_bytes; k++) {
            const uint64_t bits = spot_rng_bits(&rng);

            name[k] = (char) (bits % 4 == 0 ? 0xe2 : bits % 4 == 1 ? 0x80 : bits >> 8);
        }
        name[num_bytes] = '\0';
        spot_picture_file_name(name, file_name);
        assert_in_range(strlen(file_name), 1, SPOT_PICTURE_NAME_BYTES - 1);
        assert_true(file_name[0] != '.' && file_name[0] != '-');
        assert_null(strpbrk(file_name, "/\\\"'`$&|;<>()*?[]{}!# \n\t\r\x7f"));
        for (size_t k = 0; file_name[k] != '\0';) {
            const size_t length = spot_utf8_length(file_name + k, strlen(file_name + k));

            assert_true(length > 0);
            assert_true((unsigned char) file_name[k] >= 0x20);
            k += length;
        }
        assert_null(strstr(file_name, "\xe2\x80\xae")); /* text from right to left */
        assert_null(strstr(file_name, "\xe2\x80\x8b")); /* a blank without width */
        spot_picture_file_name(file_name, again);
        assert_string_equal(again, file_name);
    }
}

static void test_paths(void **state)
{
    char *path = spot_picture_path("some/folder", "../a b", "curves", "svg");

    (void) state;
    assert_string_equal(path, "some/folder/_._a_b-curves.svg");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_names),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_paths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
