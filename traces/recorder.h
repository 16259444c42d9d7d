/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorder that reads the population once a tick, and the events that it sees. An
 * event is seen at the next tick; instances that come and go between two ticks are never
 * seen. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/trace.h"

typedef struct {
    int64_t tick_ms;
    bool is_net;        /* sees only the net change of a tick, else both directions */
    int64_t population; /* at the start of the open tick */
    int64_t tick;       /* number of the open tick, which is seen at tick * tick_ms */
    int64_t preempted;  /* in the open tick, like stopped and added */
    int64_t stopped;
    int64_t added;
} spot_recorder_t;

/* Most events of one tick. */
#define SPOT_RECORDER_EVENTS 3

/* tick_ms > 0; population at time 0. */
void spot_recorder_init(spot_recorder_t *self, int64_t tick_ms, bool is_net, int64_t population);

/* Number of the tick that sees an event at time_ms >= 0: ceil(time / tick - 1e-9). The
 * slack is for multiples of the tick that rounding has moved. */
static inline int64_t spot_tick_seeing(int64_t tick_ms, double time_ms)
{
    const double ticks = time_ms / (double) tick_ms - 1e-9;
    const int64_t whole = (int64_t) ticks;

    return whole + ((double) whole < ticks);
}

/* Takes the next event; times never decrease. If that closes an earlier tick, writes its
 * events (without names; in the order preempt, stop, add) to seen. Returns their
 * number. */
size_t spot_recorder_take(spot_recorder_t *self, double time_ms, spot_event_kind_t kind,
    int64_t count, spot_event_t seen[SPOT_RECORDER_EVENTS]);

/* Closes the open tick: writes its events to seen and returns their number. */
size_t spot_recorder_finish(spot_recorder_t *self, spot_event_t seen[SPOT_RECORDER_EVENTS]);

/* Records a trace again with another tick. The kind becomes counts (availability stays),
 * the key resolution_s changes, the other keys and the end stay. tick_ms is at least the
 * resolution of the trace. Events seen after the end are lost. NO_MEMORY; free recorded
 * even then. O(events). */
SPOT_MUST_CHECK int spot_recorder_trace(
    const spot_trace_t *trace, int64_t tick_ms, bool is_net, spot_trace_t *recorded);
