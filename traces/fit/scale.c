/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/fit/scale.h"

double
spot_fit_scale_slope(spot_fit_scale_t scale, double parameter)
{
    switch (scale) {
        case SPOT_FIT_SCALE_LOG:
            return parameter;
        case SPOT_FIT_SCALE_LOGIT:
            return parameter * (1 - parameter);
        case SPOT_FIT_SCALE_PLAIN:
            break;
    }
    return 1;
}
