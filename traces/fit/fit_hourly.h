/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rates of events by hour of the day. They are off by default: on held-out halves of
 * recordings they improve the model little. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "traces/describe/hours.h"
#include "traces/trace.h"

typedef struct {
    double start_hour;                  /* hour of the day at time 0, 0 <= h < 24 */
    double preempt[SPOT_HOURS_PER_DAY]; /* rates; their mean is 1 */
    double add[SPOT_HOURS_PER_DAY];
} spot_fit_hourly_t;

/* Estimates the rates. start_ms: time of day at the start of the trace, 0 <= start_ms <
 * 24 h. A prior of ten events at the mean rate is added to each hour. Without events all
 * rates are 1. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_fit_hourly(
    spot_fit_hourly_t *self, const spot_trace_t *trace, int64_t start_ms);
