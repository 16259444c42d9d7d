/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of replications, some of which may be cut off, and the difference of two
 * quantiles of the same replications.
 *
 * A quantile has the interval of the order statistics (Conover, Practical Nonparametric
 * Statistics, 3rd ed., section 3.2). A difference of two has one of the same kind. A
 * pair (i, j) of ranks is plausible where i values of x below one quantile and j of y
 * below the other are no surprise together: the two counts are binomial, and the pairs
 * that are below one quantile alone give the variance of i - j, as in McNemar's test with
 * the two pairs that Bonett and Price add (Statistics in Medicine 31, 2012). The interval
 * holds the differences of the order statistics at all plausible ranks. So it needs no
 * density, takes ties and atoms as they come, and is narrow where common random numbers
 * keep the ranks of replications. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/intervals.h"

/* The p-quantile, type 7, of sorted numbers; INFINITY where it is cut off, NAN without
 * numbers. */
double spot_quantile_known(const double *sorted, size_t num, double p);

/* Its interval: -INFINITY, INFINITY where it has no such end, as too few numbers, or too
 * many that are cut off, are beyond the quantile. NAN for fewer than two. */
void spot_quantile_bounds(
    const double *sorted, size_t num, double p, double confidence, double *low, double *high);

/* The numbers of a point, in order of replication; INFINITY: cut off. */
typedef struct {
    const double *numbers;
    bool is_known; /* a fixed point, whose only number stands for all replications */
} spot_paired_side_t;

/* Sets the pair of the p-quantiles of x and y, [num] pairs, with the interval of their
 * difference at a confidence. The interval lacks an end where that of a quantile does; the
 * difference is NAN, and all pairs are left out, where a quantile is not known. NO_MEMORY.
 * O(n log n + n p (1 - p)). */
SPOT_MUST_CHECK int spot_quantile_pair(spot_paired_side_t x, spot_paired_side_t y, size_t num,
    double p, double confidence, spot_paired_t *pair);
