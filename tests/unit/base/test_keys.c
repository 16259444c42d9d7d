/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/keys.h"
#include "base/rng.h"
#include "base/watch.h"
#include "tests/unit/base/support.h"

/* ---- Key table ---- */

enum { NUM_KEYS = 5000, KEY_BYTES = 16 };

typedef struct {
    int number;
    const char *text;
} item_t;

static item_t items[NUM_KEYS];
static char key_texts[NUM_KEYS][KEY_BYTES];

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
        snprintf(key_texts[j], KEY_BYTES, "%zu", j);
        items[j].text = key_texts[j];
        assert_int_equal(spot_key_table_find(&table, &view, key_texts[j]), -1);
        assert_int_equal(spot_key_table_enter(&table, &view, j), 0);
    }
    for (size_t j = 0; j < NUM_KEYS; j++) {
        assert_int_equal(spot_key_table_find(&table, &view, key_texts[j]), j);
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

/* Texts need no NUL behind them; one that is the start of another is not that one. */
static void test_names(void **state)
{
    spot_names_t names = {0};
    char text[KEY_BYTES + 1];
    int32_t id;

    (void) state;
    assert_int_equal(spot_names_find(&names, "", 0), -1);
    for (int round = 0; round < 2; round++) {
        for (int j = 0; j < NUM_KEYS; j++) {
            const int num_bytes = snprintf(text, sizeof(text), "text %d+", j) - 1;

            assert_int_equal(spot_names_add(&names, text, (size_t) num_bytes, &id), 0);
            assert_int_equal(id, j);
        }
    }
    assert_int_equal(names.num_names, NUM_KEYS);
    assert_string_equal(spot_names_text(&names, 4999), "text 4999");
    assert_string_equal(spot_names_text(&names, -1), "");
    assert_int_equal(spot_names_find(&names, "text 17", 7), 17);
    assert_int_equal(spot_names_find(&names, "text 17", 6), 1);
    assert_int_equal(spot_names_find(&names, "text", 4), -1);
    spot_names_free(&names);
}

/* ---- Group ---- */

static void test_texts(void **state)
{
    static const char *const texts[] = {"b", "a", "b", "", "ab", "a", "", "b"};
    static const size_t wanted[] = {0, 1, 0, 3, 4, 1, 3, 0};
    spot_key_t keys[8];
    size_t first_ids[8];

    (void) state;
    for (size_t j = 0; j < 8; j++) {
        keys[j] = (spot_key_t){texts[j], strlen(texts[j])};
    }
    assert_int_equal(spot_group_equal(keys, 8, first_ids), 0);
    assert_memory_equal(first_ids, wanted, sizeof(wanted));
    assert_int_equal(spot_group_equal(keys, 0, first_ids), 0);
}

/* As looking at all pairs does. */
static void test_pairs(void **state)
{
    enum { NUM = 500 };
    static unsigned char bytes[NUM][2];
    spot_key_t keys[NUM];
    size_t first_ids[NUM];
    uint32_t random = 1;

    (void) state;
    for (size_t j = 0; j < NUM; j++) {
        random = random * 1664525u + 1013904223u;
        bytes[j][0] = (unsigned char) (random >> 24 & 7);
        bytes[j][1] = (unsigned char) (random >> 16 & 7);
        keys[j] = (spot_key_t){bytes[j], 1 + (random >> 12 & 1)};
    }
    assert_int_equal(spot_group_equal(keys, NUM, first_ids), 0);
    for (size_t j = 0; j < NUM; j++) {
        size_t first = 0;

        while (keys[first].num_bytes != keys[j].num_bytes ||
               memcmp(keys[first].bytes, keys[j].bytes, keys[j].num_bytes) != 0) {
            first++;
        }
        assert_int_equal(first_ids[j], first);
    }
}

/* ---- Order ---- */

/* Numbers by value, whatever their zeros and their length, before texts by bytes. */
static void test_order_texts(void **state)
{
    static const char *const ids[] = {"0", "00", "7", "07", "9", "10", "99999999999999999999",
        "100000000000000000000", "", "-1", "1.5", "A", "a", "a1", "a10", "a2"};
    const size_t num_ids = sizeof(ids) / sizeof(ids[0]);

    (void) state;
    for (size_t j = 0; j < num_ids; j++) {
        for (size_t k = 0; k < num_ids; k++) {
            const int order = spot_order_texts(ids[j], ids[k]);

            if (strcmp(ids[j], "07") != 0 && strcmp(ids[k], "07") != 0 &&
                strcmp(ids[j], "00") != 0 && strcmp(ids[k], "00") != 0) {
                assert_true(j < k ? order < 0 : j > k ? order > 0 : order == 0);
            }
            assert_true((order < 0) == (spot_order_texts(ids[k], ids[j]) > 0));
        }
    }
    assert_true(spot_order_texts("07", "7") != 0);
    assert_true(spot_order_texts("07", "8") < 0);
    assert_true(spot_order_texts("07", "6") > 0);
}

/* Sorted and stable, whatever the range of the keys. */
static void test_integers(void **state)
{
    enum { NUM_ITEMS = 5000 };
    static const uint64_t ranges[] = {1, 2, 2047, 2048, 1 << 22, UINT64_C(1) << 62};
    static int64_t keys[NUM_ITEMS];
    static int32_t order[NUM_ITEMS], scratch[NUM_ITEMS];
    spot_rng_t rng;

    (void) state;
    assert_int_equal(spot_order_integers(keys, 0, order, scratch), 0);
    for (size_t k = 0; k < sizeof(ranges) / sizeof(ranges[0]); k++) {
        spot_rng_seek(&rng, k, 0, SPOT_STREAM_JOB_JITTER, 0);
        for (size_t j = 0; j < NUM_ITEMS; j++) {
            keys[j] = (int64_t) spot_rng_below(&rng, ranges[k]) - 1000;
        }
        assert_int_equal(spot_order_integers(keys, NUM_ITEMS, order, scratch), 0);
        for (size_t j = 1; j < NUM_ITEMS; j++) {
            const int64_t before = keys[order[j - 1]], key = keys[order[j]];

            assert_true(before < key || (before == key && order[j - 1] < order[j]));
        }
    }
    atomic_store(&spot_stop, SIGTERM);
    assert_int_equal(spot_order_integers(keys, NUM_ITEMS, order, scratch), SPOT_ERR_INTERRUPTED);
    atomic_store(&spot_stop, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_of_items),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_order_texts),
        cmocka_unit_test(test_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
