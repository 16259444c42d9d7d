/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-order and total Sobol indices of a mean that has replication noise.
 *
 * The first-order index of an input is the share of the variance over the design that
 * disappears if this input alone is known. The total index is the share that remains if
 * all other inputs are known. Both concern the expected value at a point, without
 * replication noise.
 *
 * Replications come in groups, the same at every point (common random numbers). The
 * square of a mean over G groups is too large by the variance of that mean; the product
 * of two means is too large by their covariance, which is unknown. Products of different
 * groups have no such bias: (sum a sum b - sum a b) / (G (G - 1)) has the expected value
 * E[a] E[b]. All sums below consist of these products, so numerators and variance are
 * unbiased up to O(1 / num_samples). A jackknife over the groups removes the bias of
 * their ratio.
 *
 * Sources: Saltelli et al., Computer Physics Communications 181(2), 2010, table 2: (b)
 * for the first order, with B centred (least error in trials on four functions, against
 * Jansen, and Janon and Monod); (f), Jansen (Computer Physics Communications 117, 1999),
 * for the total. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/stats.h"
#include "sim/bench/analysis/estimate.h"
#include "sim/bench/store/store.h"

/* Outcomes of an analysis other than 0: nothing is known. */
enum {
    SPOT_ANALYSIS_TOO_FEW = 1, /* points, or base samples, without undefined values */
    SPOT_ANALYSIS_CONSTANT,    /* the same value everywhere */
    SPOT_ANALYSIS_NOISE        /* differences between points do not stand out of noise */
};

/* The reason in words, or NULL for 0. too_few: the words for TOO_FEW. */
const char *spot_analysis_problem(int outcome, const char *too_few);

/* The number of groups is 1 (noise is unknown and not removed) or in this range. */
#define SPOT_MIN_GROUPS 4
#define SPOT_MAX_GROUPS 64

typedef struct {
    int64_t num_used;  /* replications of each point */
    size_t num_groups; /* of these replications; 1: noise is unknown */
    size_t num_metrics;
    double *means; /* [num_points][num_groups][num_metrics], NAN where undefined */
} spot_group_means_t;

/* Means of num_metrics metrics from first_metric on, over the replications that all
 * points have, without null values. NO_MEMORY, errors of reading; free self even then.
 */
SPOT_MUST_CHECK int spot_group_means_init(
    spot_group_means_t *self, const spot_store_t *store, size_t first_metric, size_t num_metrics);
void spot_group_means_free(spot_group_means_t *self);

/* Estimates the product of two expected values from products of different groups; a and
 * b are [num_groups]. Group omitted_id is left out (num_groups: none). A single group
 * counts as free of noise. */
double spot_group_product(const double *a, const double *b, size_t num_groups, size_t omitted_id);

/* Half the width of the interval of a figure from its values with one of num_values
 * things left out: Tukey's jackknife, Student's t. */
double spot_jackknife_half_width(const spot_moments_t *left_out, double confidence);

/* With fewer base samples the intervals are too narrow. */
#define SPOT_SENSITIVITY_MIN_SAMPLES 64

/* The input. Group g of a point is the mean over some replications, the same ones at all
 * points; the groups should have about equal sizes. NAN: undefined. */
typedef struct {
    size_t num_inputs;
    size_t num_samples;   /* base samples */
    size_t num_groups;    /* 1, or MIN_GROUPS ... MAX_GROUPS */
    const double *values; /* [num_samples][num_inputs + 2][num_groups], the points in the
                           * order of spot_design_saltelli() */
} spot_sensitivity_data_t;

/* An unbiased estimate, which may be a little below 0 or above 1. The interval combines
 * two errors: that of base samples (bootstrap percentiles, as if they were independent)
 * and, with more than one group, that of replications (jackknife, Student's t).
 *
 * A Sobol design varies less than the bootstrap assumes: from about 1,000 base samples
 * on the intervals are conservative. With 64, one interval in five may miss a share
 * below 1 %, by a small error. Noise that is common to all points decreases with
 * replications only, not with base samples. If it is 5 % of the variance, a 95 %
 * interval may cover the truth in 85 % of cases. */
typedef struct {
    double value;
    double ci_low;
    double ci_high;
} spot_sensitivity_index_t;

typedef struct {
    size_t num_inputs;
    size_t num_used;                 /* base samples */
    size_t num_left_out;             /* those with an undefined value at any of their points */
    double mean;                     /* over A and B; NAN where undefined, as all below */
    double variance;                 /* over points, of the expected value */
    double noise_variance;           /* that was removed; NAN with one group */
    spot_sensitivity_index_t *first; /* [num_inputs] */
    spot_sensitivity_index_t *total; /* [num_inputs] */
} spot_sensitivity_t;

/* confidence: of each interval, e.g. 0.95. The same seed gives the same intervals.
 * BAD_PARAM: sizes, confidence; NO_MEMORY; > 0 an outcome. Free self even then.
 * O(num_samples num_inputs (1000 + num_groups^2)). */
SPOT_MUST_CHECK int spot_sensitivity_init(spot_sensitivity_t *self,
    const spot_sensitivity_data_t *data, double confidence, uint64_t seed);
void spot_sensitivity_free(spot_sensitivity_t *self);

/* ---- Of a study ---- */

/* Sobol indices of the metrics of a study whose plan is made for them. */

typedef struct {
    int outcome; /* 0, or SPOT_ANALYSIS_...: then the indices are undefined */
    spot_sensitivity_t indices;
} spot_metric_sensitivity_t;

typedef struct {
    int64_t num_replications; /* used, of each point */
    size_t num_groups;        /* of replications; 1: noise is unknown */
    size_t num_metrics;
    spot_metric_sensitivity_t *metrics; /* [num_metrics] those listed */
} spot_study_sensitivity_t;

/* Reads the store, whose head must have a sensitivity plan. Uses the same replications
 * of all points, without null values. NO_MEMORY, errors of reading; free self even then.
 */
SPOT_MUST_CHECK int spot_study_sensitivity_init(
    spot_study_sensitivity_t *self, const spot_store_t *store);
void spot_study_sensitivity_free(spot_study_sensitivity_t *self);

/* The reason why there are no indices, or NULL. */
const char *spot_metric_sensitivity_problem(const spot_metric_sensitivity_t *self);

/* A warning about indices from too few replications, or NULL. */
const char *spot_metric_sensitivity_warning(const spot_metric_sensitivity_t *self);

/* The share of replication noise in the variance of the points' means, which was
 * removed. NAN: unknown. */
double spot_sensitivity_noise_share(const spot_sensitivity_t *indices);
