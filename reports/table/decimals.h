/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How precisely a number is shown. */
#pragma once

#include <math.h>
#include <stdio.h>

#define SPOT_MAX_DECIMALS 12

/* Decimals that show two digits of value, e.g. half the width of an interval; as many as
 * there may be for 0. */
static inline int spot_decimals_for(double value)
{
    return (int) fmax(0, fmin(1 - floor(log10(value)), SPOT_MAX_DECIMALS));
}

/* The same for all cells of a column, so that they line up: two digits of the narrowest
 * interval, or one where the widest one makes two silly, and none where even that is
 * silly; -1, as many as it takes, for 0, when there is no interval. */
static inline int spot_decimals_of_column(double narrowest, double widest)
{
    int all, few;

    if (widest == 0) {
        return -1;
    }
    all = spot_decimals_for(narrowest);
    few = spot_decimals_for(widest) + 2;
    return (int) fmin(all, fmax(few, fmin(all - 1, few + 2)));
}
