/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/keys.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
