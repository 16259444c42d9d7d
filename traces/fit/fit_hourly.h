/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the rates of events depend on the hour of the day. On held-out halves of
 * recordings little is gained by them: a switch, not a default. */
#ifndef SPOT_TRACES_FIT_FIT_HOURLY_H
#define SPOT_TRACES_FIT_FIT_HOURLY_H

#include <stdint.h>

#include "base/error.h"
#include "traces/describe/hours.h"
#include "traces/trace.h"

typedef struct {
    double start_hour;                  /* hour of the day at time 0, 0 <= h < 24 */
    double preempt[SPOT_HOURS_PER_DAY]; /* rates; their mean is 1 */
    double add[SPOT_HOURS_PER_DAY];
} spot_fit_hourly_t;

/* start_ms: time of day at the start of the trace, 0 <= start_ms < 24 h. Each hour is
 * drawn towards the mean rate by ten events. Without events all rates are 1. NO_MEMORY.
 * O(events). */
SPOT_MUST_CHECK int spot_fit_hourly(
    spot_fit_hourly_t *self, const spot_trace_t *trace, int64_t start_ms);

#endif
