/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forecasts of the number of instances from the counts so far. */
#pragma once

#include <stdint.h>

/* Limits of the forecasts. */
typedef struct {
    int64_t min;
    int64_t max;
    int64_t range; /* the most that a forecast may differ from the first one */
} spot_parcae_limits_t;

/* ARIMA(1,1,0): the latest change recurs, each time phi times as large. phi, from -1 to
 * 1, minimises the squared errors of the changes of the counts (conditional least
 * squares). counts: [num_counts] at least one, the latest last; forecasts:
 * [num_forecasts] rounded, then cut off at the limits. Returns how many were cut off. */
int32_t spot_parcae_forecast(const int32_t *counts, int32_t num_counts,
    const spot_parcae_limits_t *limits, int32_t *forecasts, int32_t num_forecasts);
