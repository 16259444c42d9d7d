/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes of a study: what the sweep says of each key, and its distinct values with
 * their texts and numbers. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_AXES_H
#define SPOT_SIM_STUDY_STUDY_AXES_H

#include "sim/study/range.h"
#include "sim/study/study.h"

#define SPOT_MAX_POINTS 1000000

/* What the sweep says of one key: some values, or a range that a design fills. Zero it
 * to start. */
typedef struct {
    const spot_node_t *node; /* where it stands */
    const char *path;        /* of the scenario; borrowed */
    size_t num_items;
    spot_node_t **items; /* [num_items] owned array of nodes of the document */
    uint32_t *ids;       /* [num_items] the value of the axis that each is; owned */
    bool is_spread;      /* by a design over: */
    spot_range_t range;
} spot_axis_source_t;

void spot_axis_source_free(spot_axis_source_t *self);

/* Reads a list, range or single value. Faults are told through bind. NO_MEMORY. */
SPOT_MUST_CHECK int spot_axis_source_read(
    spot_axis_source_t *self, spot_study_t *study, spot_bind_t *bind, bool is_design);

/* Makes the items of a spread source: one for each of num_items coordinates, the first
 * at u[0], the next stride doubles behind. Equal ones are one node. NO_MEMORY. */
SPOT_MUST_CHECK int spot_axis_source_draw(spot_axis_source_t *self, spot_study_t *study,
    size_t num_items, const double *u, size_t stride);

/* Makes the distinct items the values of an axis of the head, in the order in which they
 * come first, and sets ids. *repeated_id: an item that is equal to an earlier one, or
 * num_items. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_fill_axis(
    spot_study_t *self, size_t axis_id, spot_axis_source_t *source, size_t *repeated_id);

/* The value of an axis that means the same as a node, or num_values. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_find_value(
    const spot_study_t *self, size_t axis_id, const spot_node_t *node, size_t *value_id);

/* After a point was refused, with the items of diag from first_item on: tells that the
 * range of a key that takes whole numbers lacks a step. */
void spot_study_hint_step(
    const spot_study_t *self, size_t point_id, size_t first_item, spot_diag_t *diag);

#endif
