/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/key_table.h"

enum { NUM_KEYS = 5000, KEY_BYTES = 16 };

static char keys[NUM_KEYS][KEY_BYTES];

static const void *
key_of(const void *owner, size_t item_id, size_t *num_bytes)
{
    assert_ptr_equal(owner, keys);
    *num_bytes = strlen(keys[item_id]);
    return keys[item_id];
}

/* Every key is found while the table grows, and no other one; a key that is the start of
 * another is not that one. */
static void
test_growing(void **state)
{
    spot_key_table_t table = {0};

    (void) state;
    assert_int_equal(spot_key_table_find(&table, key_of, keys, "0", 1), -1);
    for (size_t j = 0; j < NUM_KEYS; j++) {
        snprintf(keys[j], KEY_BYTES, "%zu", j);
        assert_int_equal(
            spot_key_table_find(&table, key_of, keys, keys[j], strlen(keys[j])), -1);
        assert_int_equal(spot_key_table_enter(&table, keys[j], strlen(keys[j]), j), 0);
    }
    for (size_t j = 0; j < NUM_KEYS; j++) {
        assert_int_equal(
            spot_key_table_find(&table, key_of, keys, keys[j], strlen(keys[j])), j);
    }
    assert_int_equal(table.num_items, NUM_KEYS);
    assert_true(3 * table.num_places >= 4 * table.num_items);
    assert_int_equal(spot_key_table_find(&table, key_of, keys, "00", 2), -1);
    assert_int_equal(spot_key_table_find(&table, key_of, keys, "1\0", 2), -1);
    assert_int_equal(spot_key_table_find(&table, key_of, keys, "4999", 4), 4999);
    spot_key_table_free(&table);
    assert_int_equal(table.num_places, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
