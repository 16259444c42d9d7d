/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/keys.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/base/support.h"

enum { NUM_KEYS = 5000, KEY_BYTES = 16 };

typedef struct {
    int number;
    const char *text;
} item_t;

static item_t items[NUM_KEYS];
static char texts[NUM_KEYS][KEY_BYTES];

/* Every key is found while the table grows, and no other one; a key that is the start of
 * another is not that one. */
static void test_texts_of_items(void **state)
{
    const spot_key_view_t view = {
        .items = items, .item_bytes = sizeof(items[0]), .text_offset = offsetof(item_t, text)};
    spot_key_table_t table = {0};

    (void) state;
    assert_int_equal(spot_key_table_find(&table, &view, "0"), -1);
    for (size_t j = 0; j < NUM_KEYS; j++) {
        snprintf(texts[j], KEY_BYTES, "%zu", j);
        items[j].text = texts[j];
        assert_int_equal(spot_key_table_find(&table, &view, texts[j]), -1);
        assert_int_equal(spot_key_table_enter(&table, &view, j), 0);
    }
    for (size_t j = 0; j < NUM_KEYS; j++) {
        assert_int_equal(spot_key_table_find(&table, &view, texts[j]), j);
    }
    assert_int_equal(table.num_items, NUM_KEYS);
    assert_true(3 * table.num_places >= 4 * table.num_items);
    assert_int_equal(spot_key_table_find(&table, &view, "00"), -1);
    assert_int_equal(spot_key_table_find(&table, &view, ""), -1);
    spot_key_table_free(&table);
    assert_int_equal(table.num_places, 0);
}

/* Keys of bytes may hold zeros. */
static void test_bytes(void **state)
{
    const int64_t numbers[] = {0, 1, INT64_C(1) << 32, INT64_MIN};
    const int64_t other = INT64_C(1) << 33;
    const spot_key_view_t view = {
        .items = numbers, .item_bytes = sizeof(numbers[0]), .is_bytes = true};
    spot_key_table_t table = {0};

    (void) state;
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(spot_key_table_enter(&table, &view, j), 0);
    }
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(spot_key_table_find(&table, &view, &numbers[j]), j);
    }
    assert_int_equal(spot_key_table_find(&table, &view, &other), -1);
    spot_key_table_free(&table);
}

static void test_set(void **state)
{
    spot_text_set_t set = {0};
    spot_arena_t arena = {0};
    char text[KEY_BYTES];
    int32_t id;

    (void) state;
    assert_int_equal(spot_text_set_add(&set, &arena, "", &id), 0);
    assert_int_equal(id, -1);
    for (int round = 0; round < 2; round++) {
        for (int j = 0; j < NUM_KEYS; j++) {
            snprintf(text, sizeof(text), "text %d", j);
            assert_int_equal(spot_text_set_add(&set, &arena, text, &id), 0);
            assert_int_equal(id, j);
        }
    }
    assert_int_equal(set.num_texts, NUM_KEYS);
    assert_string_equal(set.texts[4999], "text 4999");
    assert_int_equal(spot_text_set_find(&set, "text 17"), 17);
    assert_int_equal(spot_text_set_find(&set, "text"), -1);
    spot_text_set_free(&set);
    spot_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_of_items),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
