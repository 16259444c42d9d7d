/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events by hour of day, per time in which they could happen. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/units.h"
#include "traces/trace.h"

typedef struct {
    int64_t num_events;
    double exposed_s;  /* preempt: with an instance; add: below the capacity */
    double rate_per_h; /* events per exposed hour; NAN without exposed time */
    /* Exact Poisson interval of 95 %. F. Garwood, Biometrika 28, 1936. */
    double low_per_h;
    double high_per_h;
} spot_hour_t;

typedef struct {
    bool is_start_known; /* else hour 0 begins with the trace: "hours since start" */
    spot_hour_t hours[SPOT_HOURS_PER_DAY];
} spot_hours_t;

/* Time of day in the header key start, in ms since midnight of the same zone; -1 if the
 * key gives none. */
int64_t spot_hours_start_ms(const spot_trace_t *trace);

/* Counts the events of one kind, preempt or add. start_ms: time of day at the start of
 * the trace, -1 unknown. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_hours_init(
    spot_hours_t *self, const spot_trace_t *trace, spot_event_kind_t kind, int64_t start_ms);
