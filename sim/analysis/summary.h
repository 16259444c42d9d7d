/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of one point say about one metric. */
#ifndef SPOT_SIM_ANALYSIS_SUMMARY_H
#define SPOT_SIM_ANALYSIS_SUMMARY_H

#include "base/stats.h"
#include "sim/store/store.h"

/* Values of a metric at a point above which quantiles come from a sketch, so that memory
 * stays flat. They are then known to 0.4 % in most cases; all else is exact. */
#define SPOT_EXACT_VALUES 262144

/* Of a metric that the point lacks all counts are 0. A fixed point is known exactly: its
 * interval is its value. */
typedef struct {
    int64_t num_values; /* not null */
    int64_t num_nulls;
    spot_moments_t moments;
    double mean; /* NAN where undefined, as all below */
    double std;
    double stderr_mean;
    double ci_low; /* Student interval of the mean at SPOT_CONFIDENCE */
    double ci_high;
    double p05; /* quantiles, type 7 */
    double median;
    double p95;
} spot_summary_t;

/* All metrics of a point in one reading, in order of replication, so that the result
 * does not depend on threads. summaries: [head->num_metrics]. Errors of reading the
 * store. O(rows log rows). */
SPOT_MUST_CHECK int spot_summarise(
    const spot_store_t *store, size_t point_id, spot_summary_t *summaries);

/* The same for all points: *summaries is [num_points][num_metrics], freed by the caller;
 * NULL if that fails. */
SPOT_MUST_CHECK int spot_summarise_all(
    const spot_store_t *store, spot_summary_t **summaries);

#endif
