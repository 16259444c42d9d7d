/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Partners of points, whatever the plan: as looking at all pairs finds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/bench/analysis/point_groups.h"

#define NUM_AXES 3

/* Points of a 4 x 3 x 5 grid, each with a probability; all of it without value_ids. */
static void make_head(spot_study_head_t *head, spot_axis_t axes[NUM_AXES], uint32_t *value_ids,
    uint32_t *random, bool is_whole)
{
    static const size_t sizes[NUM_AXES] = {4, 3, 5};

    *head = (spot_study_head_t){.num_axes = NUM_AXES, .axes = axes};
    for (size_t j = 0; j < NUM_AXES; j++) {
        axes[j] = (spot_axis_t){.num_values = sizes[j]};
    }
    for (uint32_t j = 0; j < 60; j++) {
        *random = *random * 1664525u + 1013904223u;
        if (is_whole || (*random >> 24) % 3 != 0) {
            uint32_t *ids = &value_ids[head->num_points++ * NUM_AXES];

            ids[0] = j / 15;
            ids[1] = j / 5 % 3;
            ids[2] = j % 5;
        }
    }
    head->value_ids = is_whole ? NULL : value_ids;
}

static bool differ_in_one(const spot_study_head_t *head, size_t a, size_t b, size_t axis_id)
{
    for (size_t j = 0; j < NUM_AXES; j++) {
        if (j != axis_id && spot_study_value_id(head, a, j) != spot_study_value_id(head, b, j)) {
            return false;
        }
    }
    return true;
}

static void assert_partners(const spot_study_head_t *head)
{
    size_t *base_ids;

    assert_int_equal(spot_baseline_points(head, &base_ids), 0);
    for (size_t j = 0; j < head->num_points; j++) {
        size_t wanted = SPOT_NO_POINT;

        for (size_t k = 0; k < head->num_points; k++) {
            if (differ_in_one(head, j, k, head->baseline_axis_id) &&
                spot_study_value_id(head, k, head->baseline_axis_id) == head->baseline_value_id) {
                wanted = k;
            }
        }
        assert_int_equal(base_ids[j], wanted);
    }
    free(base_ids);
}

static void test_partners(void **state)
{
    uint32_t value_ids[60 * NUM_AXES], random = 7;
    spot_axis_t axes[NUM_AXES];
    spot_study_head_t head;

    (void) state;
    for (int round = 0; round < 50; round++) {
        make_head(&head, axes, value_ids, &random, round == 0);
        head.has_baseline = true;
        head.baseline_axis_id = (size_t) round % NUM_AXES;
        head.baseline_value_id = (size_t) round % 3;
        assert_partners(&head);
    }
}

static void test_groups(void **state)
{
    uint32_t value_ids[60 * NUM_AXES], random = 3;
    spot_axis_t axes[NUM_AXES];
    spot_point_groups_t groups;
    spot_study_head_t head;

    (void) state;
    for (int round = 0; round < 50; round++) {
        const size_t axis_id = (size_t) round % NUM_AXES;
        size_t num_groups = 0;

        make_head(&head, axes, value_ids, &random, round == 0);
        assert_int_equal(spot_point_groups_init(&groups, &head, axis_id), 0);
        for (size_t j = 0; j < head.num_points; j++) {
            assert_true(groups.group_ids[j] <= num_groups); /* numbered as they come */
            num_groups += groups.group_ids[j] == num_groups;
            for (size_t k = 0; k < j; k++) {
                assert_true((groups.group_ids[j] == groups.group_ids[k]) ==
                            differ_in_one(&head, j, k, axis_id));
            }
        }
        assert_int_equal(groups.num_groups, num_groups);
        spot_point_groups_free(&groups);
    }
}

/* The keys of a zip move together: the point with the value is everybody's partner. */
static void test_zip(void **state)
{
    uint32_t value_ids[] = {0, 0, 1, 1, 2, 0};
    spot_axis_t axes[2] = {{.num_values = 3}, {.num_values = 2}};
    const spot_study_head_t head = {.plan = {.kind = SPOT_PLAN_ZIP},
        .num_axes = 2,
        .axes = axes,
        .num_points = 3,
        .value_ids = value_ids,
        .has_baseline = true,
        .baseline_value_id = 1};
    size_t *base_ids;

    (void) state;
    assert_int_equal(spot_baseline_points(&head, &base_ids), 0);
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(base_ids[j], 1);
    }
    free(base_ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partners),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_zip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
