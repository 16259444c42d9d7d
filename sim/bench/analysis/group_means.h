/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means over groups of replications, the same ones at all points; of the values whose
 * means are the estimates (see spot_line_t). Products of different
 * groups have no bias from replication noise. */
#pragma once

#include "base/stats.h"
#include "sim/bench/analysis/estimate.h"

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
