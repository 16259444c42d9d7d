/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between points of a study: all points meet the same events in the same
 * replication, so points are compared replication by replication. */
#ifndef SPOT_SIM_ANALYSIS_DIFFERENCE_H
#define SPOT_SIM_ANALYSIS_DIFFERENCE_H

#include "base/paired.h"
#include "sim/store/store.h"

/* All metrics of a point (x) and of another one (y), in order of replication, so that
 * the result does not depend on threads: pairs is [head->num_metrics]. A pair is a
 * replication that both points have; a fixed point has its value in all of them. There
 * is none of a metric that one of them lacks. Errors of reading the store. O(rows), in
 * the memory of a block of rows. */
SPOT_MUST_CHECK int spot_store_difference(
    const spot_store_t *store, size_t point_id, size_t base_id, spot_paired_t *pairs);

/* A point of a store, and those of its metrics that are compared. */
typedef struct {
    const spot_store_t *store;
    size_t point_id;
    const size_t *metric_ids; /* [num_metrics] */
} spot_compared_t;

/* The same for points of two stores: metrics of one place in both lists are compared,
 * pairs is [num_metrics]. Same replications meet the same events where the stores have
 * the same seed and the same trace. */
SPOT_MUST_CHECK int spot_store_difference_between(const spot_compared_t *point,
    const spot_compared_t *base, size_t num_metrics, spot_paired_t *pairs);

/* Each point and the one that it is compared with: *pairs is [num_points][num_metrics],
 * freed by the caller, without pairs where there is no such point. NULL if that fails.
 */
SPOT_MUST_CHECK int spot_store_differences(
    const spot_store_t *store, spot_paired_t **pairs);

#endif
