/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

/* Texts stay as they are while others are added. */
static void test_add(void **state)
{
    spot_texts_t texts = {0};
    const char *first = spot_texts_add(&texts, "%d points", 12);
    const char *empty = spot_texts_add(&texts, "%s", "");
    char *room = spot_texts_room(&texts, 4);

    (void) state;
    for (int j = 0; j < 1000; j++) {
        (void) spot_texts_add(&texts, "%*d", j % 90, j);
    }
    memcpy(room, "abc", 3);
    assert_string_equal(first, "12 points");
    assert_string_equal(empty, "");
    assert_string_equal(room, "abc");
    assert_int_equal(texts.error, 0);
    spot_texts_free(&texts);
    assert_null(texts.arena.latest);
}

static void test_join(void **state)
{
    spot_texts_t texts = {0};

    (void) state;
    assert_string_equal(spot_texts_join(&texts, "a, b", ", ", "c"), "a, b, c");
    assert_string_equal(spot_texts_join(&texts, "", ", ", "c"), "c");
    assert_string_equal(spot_texts_join(&texts, "a", ", ", ""), "a");
    spot_texts_free(&texts);
}

/* Streams may be nested, and be ended in any order; one that is left open is freed. */
static void test_streams(void **state)
{
    spot_texts_t texts = {0};
    FILE *outer = spot_texts_begin(&texts);
    FILE *inner = spot_texts_begin(&texts);

    (void) state;
    fputs("out", outer);
    fputs("in", inner);
    fputs(spot_texts_add(&texts, "%c", 'x'), outer);
    assert_string_equal(spot_texts_end(&texts, outer), "outx");
    assert_string_equal(spot_texts_end(&texts, inner), "in");
    assert_string_equal(spot_texts_end(&texts, NULL), "");
    assert_non_null(spot_texts_begin(&texts));
    assert_int_equal(texts.error, 0);
    spot_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add), cmocka_unit_test(test_join), cmocka_unit_test(test_streams)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
