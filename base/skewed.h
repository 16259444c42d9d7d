/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of a mean that hold for skewed values as well. Far out in the tails, where many
 * comparisons at once take it, Student's interval fails for them by an order of
 * magnitude; with the skewness taken out by Hall's transformation it holds. Hall,
 * Journal of the Royal Statistical Society B 54(1), 1992. */
#ifndef SPOT_BASE_SKEWED_H
#define SPOT_BASE_SKEWED_H

#include "base/stats.h"

/* Zero it to start. */
typedef struct {
    spot_moments_t moments;
    double sum_cubes; /* of differences from the mean */
} spot_skewed_t;

/* value must be finite. */
void spot_skewed_add(spot_skewed_t *self, double value);

/* The mean is in [*low, *high] with a confidence, e.g. 0.95, and as likely below as
 * above. Never narrower than Student's interval. NAN for fewer than two values. */
void spot_skewed_bounds(
    const spot_skewed_t *self, double confidence, double *low, double *high);

#endif
