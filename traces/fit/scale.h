/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales that map a parameter of a law to an unconstrained number, for searches and
 * standard errors. Internal to the room. */
#pragma once

typedef enum {
    SPOT_FIT_SCALE_PLAIN,
    SPOT_FIT_SCALE_LOG,  /* above 0 */
    SPOT_FIT_SCALE_LOGIT /* between 0 and 1 */
} spot_fit_scale_t;

/* d parameter / d theta at the value of the parameter. */
static inline double
spot_fit_scale_slope(spot_fit_scale_t scale, double parameter)
{
    return scale == SPOT_FIT_SCALE_LOG     ? parameter
           : scale == SPOT_FIT_SCALE_LOGIT ? parameter * (1 - parameter)
                                           : 1;
}
