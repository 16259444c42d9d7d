/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of a mean that also hold for skewed values. Many comparisons at once need
 * confidences far out in the tails, where the error of Student's interval is wrong by an
 * order of magnitude for such values. Hall's transformation removes the skewness. Hall,
 * Journal of the Royal Statistical Society B 54(1), 1992. */
#pragma once

#include "base/stats.h"

/* Zero it to start. */
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
