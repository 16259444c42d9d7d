/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events by hour of day, against the time in which they could have happened. */
#ifndef SPOT_DESCRIBE_HOURS_H
#define SPOT_DESCRIBE_HOURS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/trace.h"

#define SPOT_HOURS_PER_DAY 24

typedef struct {
    int64_t num_events;
    double exposed_s;  /* preempt: with an instance; add: below the capacity */
    double rate_per_h; /* events per exposed hour; NAN where nothing was exposed */
    double low_per_h;  /* its exact Poisson interval of 95 % (F. Garwood, Biometrika */
    double high_per_h; /* 28, 1936) */
} spot_hour_t;

typedef struct {
    bool is_start_known; /* else hour 0 begins with the trace: "hours since start" */
    spot_hour_t hours[SPOT_HOURS_PER_DAY];
} spot_hours_t;

/* The time of day in a header's start, in ms since midnight there; -1 where it does not
 * say one. */
int64_t spot_hours_start_ms(const spot_trace_t *trace);

/* Events of one kind, preempt or add. start_ms: time of day at the start of the trace,
 * -1 unknown. NO_MEMORY. O(events). */
SPOT_MUST_CHECK int spot_hours_init(spot_hours_t *self, const spot_trace_t *trace,
    spot_event_kind_t kind, int64_t start_ms);

#endif
