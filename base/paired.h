/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paired comparison: the same replications of two points have the same events (common
 * random numbers), so the mean of their differences is more exact than the difference of
 * their means. Law, Simulation Modeling and Analysis, 5th ed., sections 10.2 and
 * 11.2. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/stats.h"

/* Pairs (x, y) in order of replication. Zero it to start. */
typedef struct {
    spot_moments_t x;
    spot_moments_t y;
    spot_moments_t difference; /* x - y */
    double sum_cubes;          /* of differences of x - y from its mean */
    int64_t num_left_out;      /* pairs with a value that is not finite */
    bool is_binary;            /* values are 0 or 1 */
    bool is_quantile;          /* it is a difference of quantiles, and no mean: of difference,
                                  only num_values is set, and there is, instead of x and y, */
    double value;
    bool has_ends;              /* it is of events of which hardly any was seen, and has, too: */
    double confidence;          /* of low and high */
    double low, high;           /* its interval; infinite: it lacks this end */
    double separate_half_width; /* of the interval if x and y were independent */
} spot_paired_t;

/* Adds a pair. A pair with a value that is not finite only counts as left out. */
void spot_paired_add(spot_paired_t *self, double x, double y);

/* The number of pairs, including those left out. */
int64_t spot_paired_num_pairs(const spot_paired_t *self);

/* The mean of x - y, and half the width of its interval, e.g. at confidence 0.95:
 * Student's, or of 0 and 1 the adjusted one of Bonett and Price (Statistics in Medicine
 * 31, 2012), which has a width even where no pair differs. NAN where undefined: no pair,
 * or fewer than two. */
double spot_paired_mean(const spot_paired_t *self);
double spot_paired_half_width(const spot_paired_t *self, double confidence);

/* The ends of this interval, e.g. [mean - half width, mean + half width]; of 0 and 1
 * within [-1, 1]. A difference of quantiles, or one that has ends, has the interval at its
 * own confidence, which must be at least this one; half its width is to the farther end, and
 * INFINITY where it lacks one. */
void spot_paired_bounds(const spot_paired_t *self, double confidence, double *low, double *high);

/* 1: x - y is surely above 0, -1: below, by the half width, so by what is printed. */
int spot_paired_sign(const spot_paired_t *self, double confidence);

/* Whether the tail of x - y is too heavy for this interval: see
 * spot_skewness_is_heavy(). */
bool spot_paired_is_heavy(const spot_paired_t *self);

/* The half width of the interval of the difference of the means of two independent
 * samples. Welch, Biometrika 34, 1947, with Satterthwaite's degrees of freedom. NAN if a
 * sample has fewer than two values. */
double spot_welch_half_width(const spot_moments_t *x, const spot_moments_t *y, double confidence);

/* The width of the unpaired interval divided by that of the paired one: above 1 if
 * pairing helps. INFINITY if all differences are equal; NAN if x and y have no spread at
 * all, of binary values, and of one that has ends. */
double spot_paired_gain(const spot_paired_t *self, double confidence);
