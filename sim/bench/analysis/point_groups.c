/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/point_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"

/* Axes whose values do not matter: one, or those of the baseline. */
#define BASELINE_AXES SIZE_MAX

static bool has_any(const spot_study_head_t *head, size_t free_id, size_t axis_id)
{
    if (free_id != BASELINE_AXES || axis_id == head->baseline_axis_id) {
        return free_id == BASELINE_AXES || axis_id == free_id;
    }
    for (size_t j = 0; j < head->num_more_baselines; j++) {
        if (head->more_baselines[j].axis_id == axis_id) {
            return true;
        }
    }
    return false;
}

/* rows: [num_points][num_axes] the values of the points, 0 where they do not matter. */
static void fill_rows(const spot_study_head_t *head, size_t free_id, uint32_t *rows)
{
    for (size_t k = 0; k < head->num_axes; k++) {
        for (size_t j = 0; j < head->num_points && !has_any(head, free_id, k); j++) {
            rows[j * head->num_axes + k] = (uint32_t) spot_study_value_id(head, j, k);
        }
    }
}

/* Numbers the groups whose first points are in group_ids. */
static void number_groups(spot_point_groups_t *self, size_t num_points)
{
    for (size_t j = 0; j < num_points; j++) {
        const size_t first_id = self->group_ids[j];

        self->group_ids[j] = first_id == j ? self->num_groups++ : self->group_ids[first_id];
    }
}

static int find_groups(spot_point_groups_t *self, const spot_study_head_t *head, size_t free_id)
{
    const size_t num_points = head->num_points, num_axes = head->num_axes;
    const size_t row_bytes = head->plan.kind == SPOT_PLAN_ZIP ? 0 : num_axes * sizeof(uint32_t);
    spot_arena_t memory = {0};
    uint32_t *rows = spot_arena_take(&memory, num_points * num_axes, sizeof(*rows));
    spot_key_t *keys = spot_arena_take(&memory, num_points, sizeof(*keys));
    int ret = SPOT_ERR_NO_MEMORY;

    self->num_groups = 0;
    self->group_ids = spot_calloc(num_points, sizeof(*self->group_ids));
    if (memory.error == 0 && self->group_ids != NULL) {
        fill_rows(head, free_id, rows);
        for (size_t j = 0; j < num_points; j++) {
            keys[j] = (spot_key_t){&rows[j * num_axes], row_bytes};
        }
        ret = spot_group_equal(keys, num_points, self->group_ids);
    }
    if (ret == 0) {
        number_groups(self, num_points);
    }
    spot_arena_free(&memory);
    return ret;
}

int spot_point_groups_init(spot_point_groups_t *self, const spot_study_head_t *head, size_t axis_id)
{
    return find_groups(self, head, axis_id);
}

void spot_point_groups_free(spot_point_groups_t *self)
{
    free(self->group_ids);
    memset(self, 0, sizeof(*self));
}

int spot_baseline_points(const spot_study_head_t *head, size_t **base_ids)
{
    size_t *bases = spot_calloc(head->num_points, sizeof(*bases)); /* of the groups */
    size_t *ids = spot_calloc(head->num_points, sizeof(*ids));
    spot_point_groups_t groups;
    int ret = find_groups(&groups, head, BASELINE_AXES);

    if (ret == 0 && (bases == NULL || ids == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < groups.num_groups; j++) {
        bases[j] = SPOT_NO_POINT;
    }
    for (size_t j = head->num_points; ret == 0 && j-- > 0;) {
        if (spot_study_is_baseline(head, j)) {
            bases[groups.group_ids[j]] = j;
        }
    }
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        ids[j] = bases[groups.group_ids[j]];
    }
    spot_point_groups_free(&groups);
    free(bases);
    if (ret != 0) {
        free(ids);
        ids = NULL;
    }
    *base_ids = ids;
    return ret;
}
