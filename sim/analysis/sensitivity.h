/* SPDX-License-Identifier: GPL-3.0-or-later */
/* First-order and total Sobol indices of a mean that is known with replication noise.
 *
 * The first-order index of an input is the share of the variance over the design that
 * knowing this input alone would take away; the total index the share that would be left
 * if all others were known. Both are of the expected value at a point: replication noise
 * is taken out.
 *
 * Replications come in groups, the same ones at every point (common random numbers). A
 * square of a mean over G groups is too large by the variance of that mean, and a
 * product of two means by their covariance, which common random numbers make unknown.
 * Products of different groups have neither: (sum a sum b - sum a b) / (G (G - 1)) has
 * the expected value E[a] E[b] whatever the noise of the points has in common. All sums
 * below are made of these products, so numerators and variance are unbiased up to
 * O(1 / num_samples); the bias of their ratio is taken out by leaving out one group at a
 * time.
 *
 * Sources: Saltelli et al., Computer Physics Communications 181(2), 2010, table 2, (b)
 * for the first order - with B centred, which in trials on four functions had the least
 * error of (b), Jansen, and Janon and Monod - and (f), Jansen (Computer Physics
 * Communications 117, 1999), for the total. */
#ifndef SPOT_SIM_ANALYSIS_SENSITIVITY_H
#define SPOT_SIM_ANALYSIS_SENSITIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/analysis/group_means.h"

/* Fewer base samples, and the intervals would not hold what they promise. */
#define SPOT_SENSITIVITY_MIN_SAMPLES 64

/* Between one group (noise is unknown and not taken out) and these there is nothing. */
#define SPOT_SENSITIVITY_MIN_GROUPS SPOT_MIN_GROUPS
#define SPOT_SENSITIVITY_MAX_GROUPS SPOT_MAX_GROUPS

/* Outcomes other than 0: all indices are NAN. */
enum {
    SPOT_SENSITIVITY_TOO_FEW = 1, /* base samples without undefined values */
    SPOT_SENSITIVITY_CONSTANT,    /* the same value everywhere */
    SPOT_SENSITIVITY_NOISE /* differences between points do not stand out of noise */
};

/* What is known. Group g of a point is the mean of some of its replications, and of the
 * same ones at all points; sizes should be about equal. NAN is undefined. */
typedef struct {
    size_t num_inputs;
    size_t num_samples;   /* base samples */
    size_t num_groups;    /* 1, or MIN_GROUPS ... MAX_GROUPS */
    const double *values; /* [num_samples][num_inputs + 2][num_groups], the points in the
                           * order of spot_design_saltelli() */
} spot_sensitivity_data_t;

/* May fall a little below 0 or exceed 1, being free of bias. The interval has two parts:
 * base samples, by bootstrap percentiles as if they were independent, and, with more
 * than one group, replications, by leaving out one group at a time (Student's t).
 *
 * A Sobol design varies less than the bootstrap believes: from about 1,000 base samples
 * on the intervals hold the truth more often than they promise; with 64, one interval in
 * five may miss a share below 1 %, by an error that is small as a share. Noise that the
 * points have in common does not go away with base samples, only with replications;
 * where it is as much as 5 % of the variance, 95 % intervals may hold in 85 % only. */
typedef struct {
    double value;
    double ci_low;
    double ci_high;
} spot_sensitivity_index_t;

typedef struct {
    size_t num_inputs;
    size_t num_used;       /* base samples */
    size_t num_left_out;   /* those with an undefined value at any of their points */
    double mean;           /* over A and B; NAN where undefined, as all below */
    double variance;       /* over points, of the expected value */
    double noise_variance; /* that was taken out; its share of the variance of the means
                            * is noise_variance / (variance + noise_variance). NAN with
                            * one group */
    spot_sensitivity_index_t *first; /* [num_inputs] */
    spot_sensitivity_index_t *total; /* [num_inputs] */
} spot_sensitivity_t;

/* confidence: of each interval, e.g. 0.95. The same seed gives the same intervals.
 * BAD_PARAM: sizes, confidence; NO_MEMORY; > 0 an outcome. Free self even then.
 * O(num_samples num_inputs (1000 + num_groups^2)). */
SPOT_MUST_CHECK int spot_sensitivity_init(spot_sensitivity_t *self,
    const spot_sensitivity_data_t *data, double confidence, uint64_t seed);
void spot_sensitivity_free(spot_sensitivity_t *self);

#endif
