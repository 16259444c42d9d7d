/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many instances there will be: forecasts from the counts so far. */
#ifndef SPOT_SIM_RECOVERY_PARCAE_PREDICT_H
#define SPOT_SIM_RECOVERY_PARCAE_PREDICT_H

#include <stdint.h>

/* Limits of the forecasts. */
typedef struct {
    int64_t min;
    int64_t max;
    int64_t range; /* most that a forecast differs from the first one */
} spot_parcae_limits_t;

/* ARIMA(1,1,0): the latest change goes on, each time phi times as large, where phi, from
 * -1 to 1, makes the squares of the errors of the counts' changes least (conditional
 * least squares). counts: [num_counts] the latest last, at least one; forecasts:
 * [num_forecasts] rounded, then within the limits. Returns how many these cut off. */
int32_t spot_parcae_forecast(const int32_t *counts, int32_t num_counts,
    const spot_parcae_limits_t *limits, int32_t *forecasts, int32_t num_forecasts);

#endif
