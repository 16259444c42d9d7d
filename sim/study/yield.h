/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the points of a study yield together: the union of their outputs, in the order in
 * which metrics come first, and which points have which. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_YIELD_H
#define SPOT_SIM_STUDY_YIELD_H

#include "sim/engine/experiment.h"
#include "sim/store/head.h"

/* The metrics of some points, in the order in which their scenarios yield them. */
typedef struct {
    bool is_random;
    size_t num_metrics;
    size_t *metric_ids; /* [num_metrics] of the union */
    int32_t *columns;   /* [num_metrics] metrics of the head; -1: not kept; NULL until
                           spot_yield_settle() */
} spot_metric_layout_t;

/* Zero it to start. */
typedef struct {
    spot_outputs_t outputs; /* of all points; its texts and arrays are copies. Numbers of
                               replications are those of the first point. Of the series
                               only how many a point has at most */
    size_t max_metrics;
    spot_metric_t *metrics; /* [outputs.num_metrics] */
    size_t *first_points;   /* [outputs.num_metrics] that have them first */
    const char **parts;     /* [outputs.num_parts] */
    const char **bars;      /* [outputs.num_parts] */
    const char **compared;  /* [outputs.num_compared] */
    size_t num_layouts;
    size_t max_layouts;
    spot_metric_layout_t *layouts; /* [num_layouts] */
    size_t max_points;
    uint32_t *layout_ids; /* [num_points] or NULL: all have the first layout */
    size_t num_texts;
    size_t max_texts;
    char **texts; /* [num_texts] owned */
} spot_yield_t;

void spot_yield_free(spot_yield_t *self);

/* Adds a point; points come in order. like: the outputs of a scenario that is still
 * bound, of the point before, or NULL. BAD_INPUT: *metric_id of the union has another
 * unit here; NO_MEMORY. O(metrics), O(metrics^2) where a layout is new. */
SPOT_MUST_CHECK int spot_yield_add(spot_yield_t *self, size_t point_id,
    const spot_outputs_t *outputs, const spot_outputs_t *like, size_t *metric_id);

/* The layout of a point. */
const spot_metric_layout_t *spot_yield_layout(const spot_yield_t *self, size_t point_id);

/* Whether a point has a metric of the union. */
bool spot_yield_has(const spot_yield_t *self, size_t point_id, size_t metric_id);

/* Once the head has its metrics: finds the columns of each layout, and gives the head
 * its kinds of points where they differ. metric_ids: [head->num_metrics] of the union.
 * May be called again after metrics were added. NO_MEMORY. */
SPOT_MUST_CHECK int spot_yield_settle(
    spot_yield_t *self, spot_study_head_t *head, const size_t *metric_ids);

#endif
