/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a mean, a difference or a share is known: intervals at a confidence.
 *
 * Each kind of sample has a struct that starts zeroed, takes one replication at a time
 * and then has bounds: spot_skewed_t a mean of values that may be skewed, spot_paired_t
 * the difference of two points over the same replications, spot_rare_share_t a share and
 * spot_rare_count_t a rate of which few replications have any. Student's interval itself
 * is in base/stats.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stats.h"

/* ---- Skewed values ---- */

/* Bounds of a mean that also hold for skewed values. Many comparisons at once need
 * confidences far out in the tails, where the error of Student's interval is wrong by an
 * order of magnitude for such values. Hall's transformation removes the skewness. Hall,
 * Journal of the Royal Statistical Society B 54(1), 1992. Zero it to start. */
typedef struct {
    spot_moments_t moments;
    double sum_cubes; /* of differences from the mean */
} spot_skewed_t;

/* value must be finite. */
void spot_skewed_add(spot_skewed_t *self, double value);

/* Sets an interval that contains the mean with a confidence, e.g. 0.95, with equal
 * probabilities below and above. It is never narrower than Student's interval. NAN for
 * fewer than two values. */
void spot_skewed_bounds(const spot_skewed_t *self, double confidence, double *low, double *high);

/* A sample of which no more is known. */
typedef struct {
    int64_t num_values; /* >= 2 */
    double mean;
    double std; /* > 0 */
    double skewness;
} spot_skew_t;

/* Widens Student's interval in the same way. */
void spot_skewed_widen(const spot_skew_t *self, double confidence, double *low, double *high);

/* ---- Pairs ---- */

/* Paired comparison: the same replications of two points have the same events (common
 * random numbers), so the mean of their differences is more exact than the difference of
 * their means. Law, Simulation Modeling and Analysis, 5th ed., sections 10.2 and
 * 11.2. */

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

/* ---- Rare shares ---- */

/* The share that a part has of a whole, such as late queries of all queries: the total of
 * the part over that of the whole, over replications. Where few replications have any of
 * it, Student's interval says nothing of those that were not seen. As a share is from 0 to 1, its
 * interval can: Gaffke's (Mathematical Methods of Statistics 14, 2005; Learned-Miller and Thomas,
 * arXiv 1905.06208), which weighs the replications, and one more that is all or nothing, at random.
 * Of values that are 0 or 1 it is Clopper and Pearson's. */

/* With more replications than this that have some of the part, but not all, a share is
 * not rare. */
#define SPOT_RARE_SHARE_PARTS 2048

/* Replications in which the whole is more than 0. Zero it to start. */
typedef struct {
    int64_t num_values;
    int64_t num_none; /* the part is 0 */
    int64_t num_all;  /* it is the whole */
    double whole;     /* total */
    double whole_of_none, whole_of_all;
    double largest;    /* whole */
    bool is_unbounded; /* a part was below 0 or above its whole */
    size_t num_parts;  /* all other replications; */
    bool is_many;      /* these were too many to keep */
    size_t max_parts;
    double (*parts)[2]; /* [num_parts] part and whole */
} spot_rare_share_t;

void spot_rare_share_free(spot_rare_share_t *self);

/* Adds a replication; both must be finite. NO_MEMORY. */
int spot_rare_share_add(spot_rare_share_t *self, double part, double whole);

/* Whether the replications that have something of it, or lack something of it, are fewer
 * than half, so that it is known by their number. */
bool spot_rare_share_is_rare(const spot_rare_share_t *self);

/* Sets the interval at a confidence. Of a part that no replication has it is from 0 to
 * what would have been missed with a chance of 1 - confidence: 3 of so many replications
 * at 0.95, the rule of three. O(parts). */
void spot_rare_share_bounds(
    const spot_rare_share_t *self, double confidence, double *low, double *high);

/* ---- Rare counts ---- */

/* The number of events in a replication, or for each unit of something such as an hour:
 * total of the events over that of the units. Where few replications have any, the
 * replications with some are events themselves, each worth so many, and the interval is the
 * one for weighted sums of Poisson variables by Fay and Feuer (Statistics in Medicine 16,
 * 1997). Zero it to start. */
typedef struct {
    int64_t num_values;
    int64_t num_none;               /* without an event */
    double units;                   /* total */
    double total, squares, largest; /* of the events of a replication */
    double at_once;                 /* events that may come at once, at most; NAN: not known */
    double first_events, first_units;
    bool differs;      /* from these */
    bool is_unbounded; /* a number was below 0 */
} spot_rare_count_t;

/* Adds a replication; events and units must be finite, units above 0. at_once: so many may
 * come at once in it, 1 if they come one at a time; NAN: not known. */
void spot_rare_count_add(spot_rare_count_t *self, double events, double units, double at_once);

/* Whether fewer than half of the replications have any, or all have as many. */
bool spot_rare_count_is_rare(const spot_rare_count_t *self);

/* Sets the interval at a confidence. Without an event it is from 0 to what would have been
 * missed with a chance of 1 - confidence, 3 in all at 0.95: the rule of three. Where all
 * replications have as many it is as far to both sides. high may be INFINITY. */
void spot_rare_count_bounds(
    const spot_rare_count_t *self, double confidence, double *low, double *high);
