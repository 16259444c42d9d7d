/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

/* ---- Memory ---- */

static void test_array_starts_with_16_and_doubles(void **state)
{
    static const size_t needed[] = {1, 16, 17, 32, 33, 1000};
    static const size_t expected[] = {16, 16, 32, 32, 64, 1024};
    void *array = NULL;
    size_t max_items = 0;

    (void) state;
    for (size_t j = 0; j < sizeof(needed) / sizeof(needed[0]); j++) {
        assert_int_equal(spot_array_reserve(&array, &max_items, needed[j], sizeof(int64_t)), 0);
        assert_int_equal(max_items, expected[j]);
        memset(array, 1, max_items * sizeof(int64_t));
    }
    free(array);
}

static void test_array_keeps_what_it_holds(void **state)
{
    void *array = NULL;
    size_t max_items = 0;

    (void) state;
    for (int64_t j = 0; j < 5000; j++) {
        assert_int_equal(
            spot_array_reserve(&array, &max_items, (size_t) j + 1, sizeof(int64_t)), 0);
        ((int64_t *) array)[j] = j * j;
    }
    for (int64_t j = 0; j < 5000; j++) {
        assert_int_equal(((int64_t *) array)[j], j * j);
    }
    free(array);
}

static void test_nothing_needed_allocates_nothing(void **state)
{
    void *array = NULL;
    size_t max_items = 0;

    (void) state;
    assert_int_equal(spot_array_reserve(&array, &max_items, 0, 8), 0);
    assert_null(array);
    assert_int_equal(max_items, 0);
}

static void test_sizes_that_overflow_are_no_memory(void **state)
{
    void *array = NULL;
    void *before;
    size_t max_items = 0;

    (void) state;
    assert_int_equal(spot_array_reserve(&array, &max_items, 3, 8), 0);
    before = array;
    assert_int_equal(spot_array_reserve(&array, &max_items, SIZE_MAX, 1), SPOT_ERR_NO_MEMORY);
    assert_int_equal(
        spot_array_reserve(&array, &max_items, SIZE_MAX / 2 + 2, 1), SPOT_ERR_NO_MEMORY);
    assert_int_equal(spot_array_reserve(&array, &max_items, 17, SIZE_MAX / 31), SPOT_ERR_NO_MEMORY);
    assert_ptr_equal(array, before);
    assert_int_equal(max_items, 16);
    free(array);
}

static void test_calloc_is_zeroed_and_takes_none(void **state)
{
    int64_t *some = spot_calloc(100, sizeof(int64_t));
    int64_t *none = spot_calloc(0, sizeof(int64_t));

    (void) state;
    assert_non_null(some);
    assert_non_null(none);
    for (size_t j = 0; j < 100; j++) {
        assert_int_equal(some[j], 0);
    }
    free(some);
    free(none);
}

static void test_text_copy_takes_a_part(void **state)
{
    char *copy = spot_text_copy("checkpoint", 5);
    char *empty = spot_text_copy("", 0);
    char *bytes = spot_text_copy("a\0b", 3);

    (void) state;
    assert_string_equal(copy, "check");
    assert_string_equal(empty, "");
    assert_memory_equal(bytes, "a\0b", 4);
    free(copy);
    free(empty);
    free(bytes);
}

/* ---- Texts ---- */

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
        cmocka_unit_test(test_array_starts_with_16_and_doubles),
        cmocka_unit_test(test_array_keeps_what_it_holds),
        cmocka_unit_test(test_nothing_needed_allocates_nothing),
        cmocka_unit_test(test_sizes_that_overflow_are_no_memory),
        cmocka_unit_test(test_calloc_is_zeroed_and_takes_none),
        cmocka_unit_test(test_text_copy_takes_a_part),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_streams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
