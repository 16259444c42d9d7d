/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a parameter of a law becomes a number without limits, for searches and standard
 * errors. Internal to the room. */
#ifndef SPOT_TRACES_FIT_SCALE_H
#define SPOT_TRACES_FIT_SCALE_H

typedef enum {
    SPOT_SCALE_PLAIN,
    SPOT_SCALE_LOG,  /* above 0 */
    SPOT_SCALE_LOGIT /* between 0 and 1 */
} spot_scale_t;

/* d parameter / d theta, from the parameter's value. */
double spot_scale_slope(spot_scale_t scale, double parameter);

#endif
