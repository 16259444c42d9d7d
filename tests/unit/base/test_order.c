/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/keys.h"

#include <signal.h>
#include <string.h>

#include "base/rng.h"
#include "base/watch.h"
#include "tests/unit/base/support.h"

/* Numbers by value, whatever their zeros and their length, before texts by bytes. */
static void test_texts(void **state)
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
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_integers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
