/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "reports/pictures/parts.h"
#include "tests/unit/reports/sample.h"

/* A grid of num_rates numbers and num_systems names. */
static void make_head(spot_study_head_t *head, size_t num_rates, size_t num_systems)
{
    double numbers[64];

    for (size_t j = 0; j < 64; j++) {
        numbers[j] = (double) j;
    }
    memset(head, 0, sizeof(*head));
    head->num_axes = 2;
    head->axes = spot_calloc(2, sizeof(*head->axes));
    assert_non_null(head->axes);
    head->axes[0] = sample_axis("trace.preemption.per_minute", num_rates, numbers);
    head->axes[1] = sample_axis("recovery", num_systems, numbers);
    for (size_t j = 0; j < num_systems; j++) {
        head->axes[1].numbers[j] = (double) NAN;
    }
    head->num_points = num_rates * num_systems;
}

/* Both ends, no place twice, in order. */
static void test_spread(void **state)
{
    (void) state;
    for (size_t num_all = 1; num_all < 60; num_all++) {
        for (size_t num_shown = 2; num_shown <= num_all; num_shown++) {
            assert_int_equal(spot_spread(0, num_shown, num_all), 0);
            assert_int_equal(spot_spread(num_shown - 1, num_shown, num_all), num_all - 1);
            for (size_t j = 1; j < num_shown; j++) {
                assert_true(
                    spot_spread(j, num_shown, num_all) > spot_spread(j - 1, num_shown, num_all));
            }
        }
    }
    assert_int_equal(spot_spread(0, 1, 5), 2);
    assert_int_equal(spot_spread(0, 1, 1), 0);
}

/* Systems stand below each other, a group for each rate; whole groups only. */
static void test_groups(void **state)
{
    spot_study_head_t head;
    spot_bar_rows_t rows;
    spot_texts_t texts = {0};

    (void) state;
    make_head(&head, 12, 10);
    assert_int_equal(spot_bar_rows_init(&rows, &head), 0);
    assert_int_equal(rows.num_rows, 40);
    assert_true(rows.is_spread);
    for (size_t j = 0; j < rows.num_rows; j++) {
        static const size_t groups[] = {0, 4, 7, 11};

        assert_int_equal(rows.rows[j].is_first, j % 10 == 0);
        assert_int_equal(rows.rows[j].point_id, groups[j / 10] * 10 + j % 10);
    }
    assert_string_equal(spot_bar_group_words(&rows, 10, &texts), "preemption per minute 4");
    assert_string_equal(spot_bar_row_words(&rows, 12, &texts), "2");
    spot_texts_free(&texts);
    spot_study_head_free(&head);
}

/* Rows are those along the key that is drawn along, where all keys have numbers; of one
 * group with too many some are left out. */
static void test_numbers(void **state)
{
    spot_study_head_t head;
    spot_bar_rows_t rows;
    spot_texts_t texts = {0};

    (void) state;
    make_head(&head, 50, 2);
    head.axes[1].numbers[0] = 8;
    head.axes[1].numbers[1] = 16;
    assert_int_equal(spot_bar_rows_init(&rows, &head), 0);
    assert_int_equal(rows.row_axis_id, 0);
    assert_int_equal(rows.num_rows, 40);
    assert_int_equal(rows.rows[0].point_id, 0);
    assert_int_equal(rows.rows[39].point_id, 98); /* the last of the first group */
    assert_string_equal(spot_bar_row_words(&rows, 1, &texts), "1");
    assert_string_equal(
        spot_bar_group_words(&rows, 0, &texts), "recovery 0, by preemption per minute");
    head.plot.x = spot_text_copy("recovery", 8);
    assert_int_equal(spot_bar_rows_init(&rows, &head), 0);
    assert_int_equal(rows.row_axis_id, 1);
    assert_int_equal(rows.rows[1].point_id, 1);
    spot_texts_free(&texts);
    spot_study_head_free(&head);
}

/* A zip and a design have no groups. */
static void test_no_groups(void **state)
{
    spot_study_head_t head;
    spot_bar_rows_t rows;

    (void) state;
    make_head(&head, 50, 1);
    head.plan.kind = SPOT_PLAN_SOBOL;
    assert_int_equal(spot_bar_rows_init(&rows, &head), 0);
    assert_int_equal(rows.row_axis_id, head.num_axes);
    assert_false(rows.is_spread);
    assert_int_equal(rows.num_rows, 40);
    assert_int_equal(rows.rows[39].point_id, 39);
    assert_false(rows.rows[0].is_first);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_no_groups),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
