/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How well a study wants to know the mean of a metric. */
#ifndef SPOT_SIM_STORE_UNTIL_H
#define SPOT_SIM_STORE_UNTIL_H

#include "base/stats.h"

/* metric NULL: not asked for. Of the two widths one is above 0. */
typedef struct {
    char *metric;
    double half_width;          /* of the interval of the mean, in the metric's unit */
    double relative_half_width; /* the same as a fraction of the mean */
    double confidence;          /* of the interval, e.g. 0.95 */
} spot_until_t;

/* Half the width of the interval over the wanted one: at most 1 where the mean is known
 * well enough, infinite where nothing is known yet. Values that are all the same have no
 * width, but say nothing of what is rarer than about 3 in so many (the rule of three):
 * where a relative width is wanted that must be below it, and zeros never will do. */
double spot_until_excess(const spot_until_t *self, const spot_moments_t *moments);

#endif
