/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "models/step_time.h"

static void add(spot_step_time_t *self, int64_t world_size, int64_t step_ms)
{
    assert_int_equal(spot_step_time_add(self, world_size, step_ms), 0);
}

/* The defaults, in any order. */
static spot_step_time_t seed_table(void)
{
    spot_step_time_t table = {0};

    add(&table, 48, 9000);
    add(&table, 16, 18000);
    add(&table, 64, 8000);
    add(&table, 32, 11000);
    return table;
}

static void test_points_are_sorted(void **state)
{
    spot_step_time_t table = seed_table();

    (void) state;
    assert_int_equal(table.num_points, 4);
    for (size_t j = 0; j < 4; j++) {
        assert_int_equal(table.points[j].world_size, 16 * (j + 1));
    }
    assert_int_equal(table.points[0].step_ms, 18000);
    assert_int_equal(table.points[1].step_ms, 11000);
    assert_int_equal(table.points[2].step_ms, 9000);
    assert_int_equal(table.points[3].step_ms, 8000);
    spot_step_time_free(&table);
    assert_int_equal(table.num_points, 0);
    spot_step_time_free(&table);
}

static void test_many_points_in_falling_order(void **state)
{
    spot_step_time_t table = {0};

    (void) state;
    for (int64_t size = 100; size >= 1; size--) {
        add(&table, size, 1000 - size);
    }
    assert_int_equal(table.num_points, 100);
    for (int64_t size = 1; size <= 100; size++) {
        assert_int_equal(table.points[size - 1].world_size, size);
        assert_int_equal(spot_step_time_ms(&table, size), 1000 - size);
    }
    spot_step_time_free(&table);
}

static void test_duplicates_are_refused(void **state)
{
    spot_step_time_t table = seed_table();

    (void) state;
    assert_int_equal(spot_step_time_add(&table, 16, 1), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_step_time_add(&table, 48, 1), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_step_time_add(&table, 64, 8000), SPOT_ERR_BAD_PARAM);
    assert_int_equal(table.num_points, 4);
    assert_int_equal(spot_step_time_ms(&table, 16), 18000);
    spot_step_time_free(&table);
}

static void test_linear_between_flat_above(void **state)
{
    static const int64_t expected[][2] = {
        {1, 288000},
        {7, 41143}, /* 41142.86 */
        {15, 19200},
        {16, 18000},
        {17, 17562}, /* 17562.5: tie to even */
        {18, 17125},
        {19, 16688}, /* 16687.5 */
        {24, 14500},
        {31, 11438}, /* 11437.5 */
        {32, 11000},
        {33, 10875},
        {40, 10000},
        {48, 9000},
        {49, 8938}, /* 8937.5 */
        {51, 8812}, /* 8812.5 */
        {56, 8500},
        {64, 8000},
        {65, 8000},
        {SPOT_MAX_INSTANCES, 8000},
    };
    spot_step_time_t table = seed_table();

    (void) state;
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        assert_int_equal(spot_step_time_ms(&table, expected[j][0]), expected[j][1]);
    }
    spot_step_time_free(&table);
}

/* Below the smallest size its work is shared by fewer, to the ms, ties to even. */
static void test_work_below(void **state)
{
    static const int64_t expected[][4] = {
        /* size, its ms, instances, ms */
        {3, 7, 2, 10}, /* 10.5 */
        {3, 5, 2, 8},  /* 7.5 */
        {3, 9, 2, 14}, /* 13.5 */
        {4, 7, 3, 9},  /* 9.33 */
        {4, 2, 3, 3},  /* 2.67 */
        {12, 31000, 4, 93000},
        {12, 31000, 8, 46500},
        {16, 1, 15, 1}, /* 1.07 */
        {5, 1, 2, 2},   /* 2.5 */
        {7, 1, 2, 4},   /* 3.5 */
        {SPOT_MAX_INSTANCES, SPOT_MAX_DURATION_MS, 1, SPOT_MAX_DURATION_MS},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        spot_step_time_t table = {0};

        add(&table, expected[j][0], expected[j][1]);
        assert_int_equal(spot_step_time_ms(&table, expected[j][2]), expected[j][3]);
        table.outside = SPOT_OUTSIDE_FLAT;
        assert_int_equal(spot_step_time_ms(&table, expected[j][2]), expected[j][1]);
        spot_step_time_free(&table);
    }
}

/* The work of a step, size times time, is that of the smallest size up to the rounding
 * of the time, and no fewer instances are faster than what was measured. */
static void test_work_below_is_constant(void **state)
{
    (void) state;
    for (int64_t least = 1; least <= 64; least++) {
        for (int64_t least_ms = 1; least_ms <= 20000; least_ms += 1 + least_ms / 3) {
            spot_step_time_t table = {0};
            int64_t before_ms = INT64_MAX;

            add(&table, least, least_ms);
            add(&table, least + 8, 1);
            for (int64_t size = 1; size <= least; size++) {
                const int64_t step_ms = spot_step_time_ms(&table, size);
                const int64_t rest = step_ms * size - least_ms * least;

                assert_true(2 * rest <= size && 2 * rest >= -size);
                assert_true(2 * llabs(rest) < size || step_ms % 2 == 0);
                assert_true(step_ms >= least_ms && step_ms <= before_ms);
                before_ms = step_ms;
            }
            assert_int_equal(before_ms, least_ms);
            spot_step_time_free(&table);
        }
    }
}

static void test_rise(void **state)
{
    spot_step_time_t table = seed_table();

    (void) state;
    assert_int_equal(spot_step_time_smallest(&table), 16);
    assert_int_equal(spot_step_time_largest(&table), 64);
    assert_null(spot_step_time_rise(&table));
    add(&table, 80, 8000);
    assert_null(spot_step_time_rise(&table));
    add(&table, 56, 7999);
    assert_int_equal(spot_step_time_rise(&table)->world_size, 64);
    spot_step_time_free(&table);
    assert_null(spot_step_time_rise(&table));
}

/* Between 1 and 1 + gap, rising by rise ms: the fraction is exact, also where it is no
 * tie. */
static void test_rounding(void **state)
{
    static const int64_t expected[][4] = {
        /* gap, rise, place, added ms */
        {2, 1, 1, 0}, /* 10.5 */
        {2, 3, 1, 2}, /* 11.5 */
        {2, 5, 1, 2}, /* 12.5 */
        {3, 1, 1, 0}, /* 10.33 */
        {3, 1, 2, 1}, /* 10.67 */
        {4, 2, 1, 0}, /* 10.5 */
        {4, 6, 1, 2}, /* 11.5 */
        {1000, 1, 500, 0},
        {1000, 1, 501, 1},
        {1000, 1, 499, 0},
        {1000, 3, 500, 2},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(expected) / sizeof(expected[0]); j++) {
        spot_step_time_t table = {0};

        add(&table, 1 + expected[j][0], 10 + expected[j][1]);
        add(&table, 1, 10);
        assert_int_equal(spot_step_time_ms(&table, 1 + expected[j][2]), 10 + expected[j][3]);
        spot_step_time_free(&table);
    }
}

static void test_largest_values_do_not_overflow(void **state)
{
    spot_step_time_t table = {0};

    (void) state;
    add(&table, 1, SPOT_MAX_DURATION_MS);
    add(&table, SPOT_MAX_INSTANCES, SPOT_MAX_DURATION_MS);
    assert_int_equal(spot_step_time_ms(&table, SPOT_MAX_INSTANCES / 2), SPOT_MAX_DURATION_MS);
    spot_step_time_free(&table);
    add(&table, 1, SPOT_MAX_DURATION_MS);
    add(&table, SPOT_MAX_INSTANCES, 1);
    assert_int_equal(spot_step_time_ms(&table, SPOT_MAX_INSTANCES - 1), 3155764);
    spot_step_time_free(&table);
}

static void test_covers(void **state)
{
    spot_step_time_t table = {0};

    (void) state;
    assert_false(spot_step_time_covers(&table, 16));
    add(&table, 32, 11000);
    assert_false(spot_step_time_covers(&table, 31));
    assert_true(spot_step_time_covers(&table, 32));
    assert_false(spot_step_time_covers(&table, 33));
    assert_int_equal(spot_step_time_ms(&table, 1), 352000);
    assert_int_equal(spot_step_time_ms(&table, 99), 11000);
    add(&table, 16, 18000);
    assert_false(spot_step_time_covers(&table, 15));
    assert_true(spot_step_time_covers(&table, 16));
    assert_true(spot_step_time_covers(&table, 20));
    assert_true(spot_step_time_covers(&table, 32));
    spot_step_time_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_are_sorted),
        cmocka_unit_test(test_many_points_in_falling_order),
        cmocka_unit_test(test_duplicates_are_refused),
        cmocka_unit_test(test_linear_between_flat_above),
        cmocka_unit_test(test_work_below),
        cmocka_unit_test(test_work_below_is_constant),
        cmocka_unit_test(test_rise),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_largest_values_do_not_overflow),
        cmocka_unit_test(test_covers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
