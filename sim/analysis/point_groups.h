/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which points of a study differ in one key only, whatever its plan. */
#ifndef SPOT_SIM_ANALYSIS_POINT_GROUPS_H
#define SPOT_SIM_ANALYSIS_POINT_GROUPS_H

#include "base/error.h"
#include "sim/store/head.h"

#define SPOT_NO_POINT SIZE_MAX

/* Groups of points that have the same values of all axes but one. The keys of a zip move
 * together, so all its points are one group. */
typedef struct {
    size_t num_groups;
    size_t *group_ids; /* [num_points] in the order in which groups come first */
} spot_point_groups_t;

/* NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_point_groups_init(
    spot_point_groups_t *self, const spot_study_head_t *head, size_t axis_id);
void spot_point_groups_free(spot_point_groups_t *self);

/* The point that each point is compared with: *base_ids is [num_points], freed by the
 * caller; that of the same group with the baseline's value, or SPOT_NO_POINT. The head
 * has a baseline. NO_MEMORY leaves NULL. */
SPOT_MUST_CHECK int spot_baseline_points(
    const spot_study_head_t *head, size_t **base_ids);

#endif
