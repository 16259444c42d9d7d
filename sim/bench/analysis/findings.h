/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What means of a metric surely show: differences between points, the shape of a curve,
 * and what the values of a key do. A difference is sure where its interval excludes 0,
 * at SPOT_CONFIDENCE for all that were looked at to find it. */
#pragma once

#include "sim/bench/analysis/summary.h"
#include "sim/bench/store/store.h"

/* Studies of up to so many rows are compared replication by replication. */
#define SPOT_FINDINGS_PAIRED_ROWS 200000

typedef struct {
    const spot_store_t *store;
    const spot_study_head_t *head;   /* of the store */
    const spot_summary_t *summaries; /* [num_points][num_metrics] */
    int64_t num_rows;                /* in the store */
    size_t metric_id;
} spot_findings_t;

const spot_summary_t *spot_findings_at(const spot_findings_t *self, size_t point_id);

/* By how much the metric of one point exceeds that of another. An unknown bound is
 * infinite, an unknown mean NAN. */
typedef struct {
    double mean, low, high;
    int sign; /* 1, -1: surely above, below 0; else 0 */
} spot_gap_t;

/* Of x_id over y_id, if num_looks gaps are looked at. Of means of replications that both
 * have where the store is small, else of the intervals of both means. Errors of reading,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_findings_gap(
    const spot_findings_t *self, size_t x_id, size_t y_id, size_t num_looks, spot_gap_t *gap);

/* A point and that of the baseline. */
typedef struct {
    size_t point_id, base_id;
    spot_gap_t gap;
} spot_contrast_t;

/* Fills sure, [num_points], with those that surely differ, the largest difference first,
 * and tells how many were compared. */
SPOT_MUST_CHECK int spot_findings_contrast(
    const spot_findings_t *self, spot_contrast_t *sure, size_t *num_sure, size_t *num_compared);

typedef enum {
    SPOT_SHAPE_TOP, /* an extreme stands out from both ends */
    SPOT_SHAPE_BOTTOM,
    SPOT_SHAPE_GROWS, /* the ends differ */
    SPOT_SHAPE_FALLS,
    SPOT_SHAPE_VARIES, /* the extremes differ, or both stand out */
    SPOT_SHAPE_UNSURE
} spot_shape_t;

/* Of a curve through points with a value; low and high are places of its lowest and its
 * highest mean. */
SPOT_MUST_CHECK int spot_findings_shape(const spot_findings_t *self, const size_t *point_ids,
    size_t num_places, size_t low, size_t high, spot_shape_t *shape);

enum { SPOT_LOWERS, SPOT_RAISES, SPOT_NUM_SIGNS };

/* What a value of a key does in place of another one, wherever both are. */
typedef struct {
    size_t num_pairs; /* sure or not */
    struct {
        size_t num_sure;
        double least, most; /* sizes of the sure differences */
        double least_ratio, most_ratio;
    } changes[SPOT_NUM_SIGNS];
} spot_value_effect_t;

/* Of all values of an axis in place of that of reference. effects: [num_values] zeros.
 */
SPOT_MUST_CHECK int spot_findings_effects(
    const spot_findings_t *self, size_t axis_id, size_t reference, spot_value_effect_t *effects);

/* The value that surely lowers or raises the metric most somewhere; num_values: none. */
size_t spot_strongest_effect(const spot_value_effect_t *effects, size_t num_values, int sign_id);
