/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of a metric from the replications of a point, with intervals.
 *
 * A mean has Student's interval. A ratio is the total of its numerator over the total of
 * its denominator; the interval is that of the delta method (Cochran, Sampling
 * Techniques, 3rd ed., section 6.4). A share of a whole, and a number of events, that fewer
 * than half of the replications have any of has another one: see base/intervals.h. A probability
 * has Wilson's interval (Journal of the American Statistical Association 22, 1927). A quantile has
 * that of the order statistics (Conover, Practical Nonparametric Statistics, 3rd ed., section 3.2).
 */
#pragma once

#include "base/intervals.h"
#include "base/stats.h"
#include "sim/bench/store/store.h"

/* Whether the number of a metric in a row is only a lower bound. */
bool spot_metric_is_cut_off(
    const spot_metric_t *metric, const spot_metric_source_t *source, const double *row);

/* Rows are added in order of replication, so that results do not depend on threads. */
typedef struct {
    const spot_metric_t *metric; /* must outlive self */
    spot_metric_source_t source;
    spot_estimator_t estimator;
    double numbers[2];   /* of the latest row: kept here, an array on the stack would be guarded */
    int64_t num_values;  /* replications without null */
    int64_t num_nulls;   /* left out */
    int64_t num_unknown; /* of either: the number is only a lower bound */
    double origin;       /* about the ratio, so that v = a - origin b is small */
    double mean_v;       /* a: the numerator, or the value */
    double mean_b;       /* b: the denominator, or 1 */
    double vv, vb, bb;   /* sums of products of differences from the means */
    double vvv, vvb, vbb, bbb;
    size_t max_values, max_bounds;
    double *values; /* [num_values] of a quantile, INFINITY where unknown */
    double *bounds; /* [num_values] the same with the lower bounds */
    bool is_share;  /* a mean or a ratio that is a share of a whole: */
    spot_rare_share_t share;
    bool is_count; /* the same of a number of events: */
    spot_rare_count_t count;
    bool has_whole;               /* the events are a part of this metric: */
    size_t whole_id, num_metrics; /* the latter: it is not kept */
} spot_estimate_t;

void spot_estimate_init(spot_estimate_t *self, const spot_study_head_t *head, size_t metric_id);
void spot_estimate_free(spot_estimate_t *self);

/* Adds a replication; row: [num_metrics] of the head. NO_MEMORY, of a quantile or a
 * share only. */
SPOT_MUST_CHECK int spot_estimate_add(spot_estimate_t *self, const double *row);

/* The estimate. NAN: undefined. INFINITY: a quantile above all that is known. */
double spot_estimate_value(const spot_estimate_t *self);

/* A lower bound of the estimate where that is INFINITY. */
double spot_estimate_least(const spot_estimate_t *self);

/* Its standard error; NAN where undefined. */
double spot_estimate_stderr(const spot_estimate_t *self);

/* Moments of the values whose mean it is: see spot_line_t. */
spot_moments_t spot_estimate_moments(const spot_estimate_t *self);

/* Sets its interval at a confidence. NAN: undefined. */
void spot_estimate_bounds(
    const spot_estimate_t *self, double confidence, double *low, double *high);

/* Half the width of that interval, to the farther end where it is not symmetric. */
double spot_estimate_half_width(const spot_estimate_t *self, double confidence);

/* The same interval for confidences far out in the tails: corrected for skewness, and
 * exact for probabilities (Clopper and Pearson, Biometrika 26, 1934) and quantiles. */
void spot_estimate_safe_bounds(
    const spot_estimate_t *self, double confidence, double *low, double *high);

/* Clopper and Pearson's interval of a probability after num_hits of num. */
void spot_binomial_bounds(
    double num_hits, double num, double confidence, double *low, double *high);

/* Whether it has the interval of a share or a count that few replications know:
 * base/intervals.h. */
bool spot_estimate_is_rare(const spot_estimate_t *self);

/* Whether the replications that have some of such a share, or lack some of it, are so few
 * that with those that were missed it may be more than twice as much. */
bool spot_estimate_is_unseen(const spot_estimate_t *self);

/* The same by its interval at SPOT_CONFIDENCE, for whoever has that: finding it takes long. */
bool spot_estimate_is_unseen_by(const spot_estimate_t *self, double low, double high);

/* Whether the tail of the sample is too heavy for the interval of a mean or a ratio: the
 * largest values decide it, and larger ones may be missing. See docs/numbers.md for its
 * power. */
bool spot_estimate_is_heavy(const spot_estimate_t *self);

/* Whether all values are the same, so that nothing is known of rare ones. */
bool spot_estimate_is_constant(const spot_estimate_t *self);

/* How well the study knows its metric: half the width of the interval over the wanted
 * one: at most 1 where it is known well enough, INFINITY where nothing is known yet.
 * Values that are all the same have no width, but say nothing of what is rarer than
 * about 3 in so many (the rule of three): where a relative width is wanted that must be
 * below it, and zeros never will do. */
double spot_estimate_excess(const spot_estimate_t *self, const spot_until_t *until);

/* ---- Values whose mean is the estimate ---- */

/* What each replication adds to the estimate, to first order: the mean of these values
 * is the estimate, and their variance gives its standard error. So ratios and quantiles
 * are compared replication by replication like means (the infinitesimal jackknife;
 * Efron, Biometrika 68(3), 1981). */
typedef struct {
    const spot_metric_t *metric; /* must outlive self */
    spot_metric_source_t source;
    double offset;
    double of_a, of_b; /* value: offset + of_a a + of_b b */
    double quantile;   /* of a QUANTILE: offset, and of_a more above quantile */
} spot_line_t;

spot_line_t spot_estimate_line(const spot_estimate_t *self);

/* The two numbers of a replication that a line needs. Returns false if one is null. */
bool spot_line_numbers(const spot_metric_t *metric, const spot_metric_source_t *source,
    const double *row, double numbers[2]);

/* The value of a replication by its numbers, or by its row: NAN for null. */
double spot_line_at(const spot_line_t *self, const double numbers[2]);
double spot_line_value(const spot_line_t *self, const double *row);
