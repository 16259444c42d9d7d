/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/terminal.h"

static void assert_wrapped(const char *text, int width, int hanging, const char *expected)
{
    char *written = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&written, &num_bytes);

    assert_non_null(out);
    spot_wrap_write(out, text, width, hanging);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, expected);
    free(written);
}

static void test_lines(void **state)
{
    (void) state;
    assert_wrapped("", 10, 0, "");
    assert_wrapped("one two three", 13, 0, "one two three");
    assert_wrapped("one two three", 12, 0, "one two\nthree");
    assert_wrapped("one two\n\nthree four\n", 8, 0, "one two\n\nthree\nfour\n");
    assert_wrapped("  one two three", 9, 0, "  one two\n  three");
    assert_wrapped("a: one two three", 10, 3, "a: one two\n   three");
    assert_wrapped("name  one two three", 14, SPOT_WRAP_BELOW, "name  one two\n      three");
    assert_wrapped("  one two  three four", 12, SPOT_WRAP_BELOW, "  one two\n  three four");
}

/* Nothing is cut; a blank at the end of a line is no reason for a new one. */
static void test_words_stay_whole(void **state)
{
    (void) state;
    assert_wrapped("https://example.org/long and", 8, 0, "https://example.org/long\nand");
    assert_wrapped("one two   ", 7, 0, "one two");
    assert_wrapped("größer über", 6, 0, "größer\nüber");
    assert_wrapped("\033[1mbold\033[0m word", 9, 0, "\033[1mbold\033[0m word");
    assert_wrapped("a b", 0, 0, "a\nb");
}

static int print(const void *context, const spot_terminal_t *terminal, FILE *out)
{
    (void) terminal;
    fputs(context, out);
    return 0;
}

static void test_terminal(void **state)
{
    const spot_terminal_t ascii = {.width = 12};
    char *written = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&written, &num_bytes);

    (void) state;
    assert_non_null(out);
    assert_int_equal(spot_terminal_write(&ascii, print, "mean 1.5 ±0.3 of it\n", out), 0);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, "mean\n1.5+-0.3 of\nit\n");
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_words_stay_whole),
        cmocka_unit_test(test_terminal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
