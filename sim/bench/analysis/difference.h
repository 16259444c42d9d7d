/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between points of a study, replication by replication: all points have the
 * same events in the same replication. */
#pragma once

#include "base/intervals.h"
#include "sim/bench/analysis/estimate.h"

/* Pairs all metrics of a point (x) with those of another one (y), by the values whose
 * means are the estimates (see spot_line_t), quantiles by their numbers
 * (sim/bench/analysis/quantiles.h) at SPOT_CONFIDENCE, in order of replication, so the
 * result does not depend on threads. pairs: [head->num_metrics]. A pair is a replication of both
 * points; a fixed point has its value in all of them. A metric that one of them lacks
 * has no pairs. Errors of reading. O(rows), with a block of rows in memory. */
SPOT_MUST_CHECK int spot_store_difference(
    const spot_store_t *store, size_t point_id, size_t base_id, spot_paired_t *pairs);

/* The same for intervals at another confidence, which that of a quantile needs to know. */
SPOT_MUST_CHECK int spot_store_difference_at(const spot_store_t *store, size_t point_id,
    size_t base_id, double confidence, spot_paired_t *pairs);

/* Pairs each point with its baseline point, if it has one. *pairs is
 * [num_points][num_metrics]; the caller frees it. NULL after an error. */
SPOT_MUST_CHECK int spot_store_differences(const spot_store_t *store, spot_paired_t **pairs);
