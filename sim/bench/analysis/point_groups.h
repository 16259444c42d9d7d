/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of points of a study that differ in one key only, for any plan. */
#pragma once

#include "base/error.h"
#include "sim/bench/store/head.h"

#define SPOT_NO_POINT SIZE_MAX

/* Points with the same values of all axes but one are a group. All points of a zip are
 * one group, as its keys change together. */
typedef struct {
    size_t num_groups;
    size_t *group_ids; /* [num_points]; groups are numbered by their first points */
} spot_point_groups_t;

/* NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_point_groups_init(
    spot_point_groups_t *self, const spot_study_head_t *head, size_t axis_id);
void spot_point_groups_free(spot_point_groups_t *self);

/* Sets *base_ids[num_points] to the baseline point of each point: the point of the same
 * group with the baseline's value, or SPOT_NO_POINT. The head must have a baseline. The
 * caller frees it. NO_MEMORY leaves NULL. */
SPOT_MUST_CHECK int spot_baseline_points(const spot_study_head_t *head, size_t **base_ids);
