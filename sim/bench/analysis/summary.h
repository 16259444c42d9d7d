/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summaries of metrics over the rows of a point. */
#pragma once

#include "base/stats.h"
#include "sim/bench/analysis/estimate.h"

/* With more values than this, quantiles come from a sketch, which limits memory. Their
 * error is then 0.4 % in most cases; all other figures are exact. */
#define SPOT_EXACT_VALUES 262144

/* A metric that the point lacks has counts of 0. The interval of a fixed point is its
 * value. */
typedef struct {
    int64_t num_values; /* not null */
    int64_t num_nulls;
    int64_t num_unknown;    /* of either: cut off, the number is only a lower bound */
    int64_t num_cut_off;    /* of these, values that the estimate takes as they are */
    spot_moments_t moments; /* of the values whose mean is the estimate: see spot_line_t */
    double value;           /* the estimate, see estimate.h. NAN if undefined, like all below;
                               INFINITY: more than least */
    double least;
    double stderr_value;
    double ci_low; /* interval of the estimate at SPOT_CONFIDENCE; NAN: no such end */
    double ci_high;
    double half_width; /* of it, to the farther end where it is not symmetric; INFINITY:
                          it lacks an end */
    double std;        /* of the values of replications, like all below */
    double p05;        /* quantiles, type 7; INFINITY: among what is cut off */
    double median;
    double p95;
    double excess;   /* of the metric of until: see spot_estimate_excess() */
    int is_heavy;    /* see spot_estimate_is_heavy(); or it goes with a share of which the
                        replications show too little: see docs/numbers.md */
    int is_constant; /* see spot_estimate_is_constant() */
} spot_summary_t;

/* Summarises all metrics of a point, in order of replication, so the result does not
 * depend on threads. summaries: [head->num_metrics]. Errors of reading. O(rows). */
SPOT_MUST_CHECK int spot_summarise(
    const spot_store_t *store, size_t point_id, spot_summary_t *summaries);

/* The same for all points: *summaries is [num_points][num_metrics]; the caller frees it.
 * NULL after an error. */
SPOT_MUST_CHECK int spot_summarise_all(const spot_store_t *store, spot_summary_t **summaries);

/* An estimate with its interval, for differences. */
typedef struct {
    double value, low, high; /* infinite: it lacks this end */
    bool is_open;            /* it is a constant that may be luck, without ends */
    bool is_unseen;          /* it is of events of which hardly any was seen */
    spot_line_t line;
} spot_known_t;

/* Sets what a point knows of all metrics at a confidence; known: [head->num_metrics]. Only
 * means and ratios are open or unseen, and only of these the interval is set. Errors of
 * reading, NO_MEMORY. O(rows). */
SPOT_MUST_CHECK int spot_known_find(
    const spot_store_t *store, size_t point_id, double confidence, spot_known_t *known);

/* Which of the metrics asked for go with a share of which the first num_rows rows of a
 * point show too little: see is_heavy; or are the same in all of them by luck, as far as
 * is known: their interval has no ends. is_asked, is_with: [head->num_metrics]. Errors of
 * reading, NO_MEMORY. O(rows). */
SPOT_MUST_CHECK int spot_find_company(const spot_store_t *store, size_t point_id, int64_t num_rows,
    const bool *is_asked, bool *is_with);
