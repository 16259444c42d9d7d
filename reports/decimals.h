/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How precisely a number is shown. */
#ifndef SPOT_REPORTS_DECIMALS_H
#define SPOT_REPORTS_DECIMALS_H

#include <math.h>

#define SPOT_MAX_DECIMALS 12

/* Decimals that show two digits of value, e.g. half the width of an interval; as many as
 * there may be for 0. */
static inline int
spot_decimals_for(double value)
{
    return (int) fmax(0, fmin(1 - floor(log10(value)), SPOT_MAX_DECIMALS));
}

#endif
