/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorder that looks at the population once a tick: what it writes down of a stream
 * of events. An event is seen at the next tick; what came and went between two ticks is
 * never seen. */
#ifndef SPOT_TRACES_RECORDER_H
#define SPOT_TRACES_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/trace.h"

typedef struct {
    int64_t tick_ms;
    bool is_net;        /* only the net change of a tick is seen, else both directions */
    int64_t population; /* at the start of the open tick */
    int64_t tick;       /* the open one; it is seen at tick * tick_ms */
    int64_t preempted;  /* in the open tick, like the other two */
    int64_t stopped;
    int64_t added;
} spot_recorder_t;

/* Events that one tick can have. */
#define SPOT_RECORDER_EVENTS 3

/* tick_ms > 0; population at time 0. */
void spot_recorder_init(
    spot_recorder_t *self, int64_t tick_ms, bool is_net, int64_t population);

/* Number of the tick that sees what happens at time_ms >= 0: ceil(time / tick - 1e-9);
 * the slack is for times that are a multiple of the tick but for rounding. */
static inline int64_t
spot_tick_seeing(int64_t tick_ms, double time_ms)
{
    const double ticks = time_ms / (double) tick_ms - 1e-9;
    const int64_t whole = (int64_t) ticks;

    return whole + ((double) whole < ticks);
}

/* The same for the recorder's own tick. */
int64_t spot_recorder_tick(const spot_recorder_t *self, double time_ms);

/* Takes the next event, times never decreasing. If that closes an earlier tick, its
 * events (without names; preempt, stop, add) are put into seen and their number is
 * returned. */
size_t spot_recorder_take(spot_recorder_t *self, double time_ms, spot_event_kind_t kind,
    int64_t count, spot_event_t seen[SPOT_RECORDER_EVENTS]);

/* Closes the last tick, in the same way. */
size_t spot_recorder_finish(
    spot_recorder_t *self, spot_event_t seen[SPOT_RECORDER_EVENTS]);

/* The trace that a recorder with another tick would have made of this one: kind counts
 * (availability stays), the same keys but for resolution_s, the same end. tick_ms at
 * least the trace's resolution. What is seen after the end is lost. NO_MEMORY; free
 * recorded even then. O(events). */
SPOT_MUST_CHECK int spot_recorder_trace(
    const spot_trace_t *trace, int64_t tick_ms, bool is_net, spot_trace_t *recorded);

#endif
