/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns a process in continuous time into the events of a trace: ticks up to the
 * horizon, and a recorder that merges the changes of a tick. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "traces/generate/generator.h"
#include "traces/recorder.h"

/* The ticks of a model. */
typedef struct {
    double horizon_s; /* no event is after it */
    int64_t tick_ms;
    int64_t last_tick; /* the last tick up to the horizon */
} spot_model_ticks_t;

void spot_model_ticks_init(spot_model_ticks_t *self, const spot_model_common_t *common);

/* The tick that sees an event at time_s >= 0; INT64_MAX: none does, also for INFINITY
 * and NAN. */
static inline int64_t spot_model_ticks_seeing(const spot_model_ticks_t *self, double time_s)
{
    int64_t tick;

    if (!(time_s <= self->horizon_s)) {
        return INT64_MAX;
    }
    tick = spot_tick_seeing(self->tick_ms, 1e3 * time_s);
    return tick <= self->last_tick ? tick : INT64_MAX;
}

/* A change of instances without names. */
typedef struct {
    spot_event_kind_t kind;
    int64_t count; /* may be 0 */
} spot_happening_t;

/* A process of such changes. */
typedef struct {
    /* Time of the next change, not before the latest one; INFINITY: there is none. */
    double (*due_s)(const void *state);
    /* Carries out the next change and schedules another one. */
    void (*happen)(void *state, spot_happening_t *happening);
} spot_process_t;

typedef struct {
    spot_model_ticks_t ticks;
    spot_recorder_t recorder; /* whose population others lower after a call that gave no
                                 event, where instances are lost otherwise */
    size_t num_seen;
    size_t num_given; /* of seen */
    spot_event_t seen[SPOT_RECORDER_EVENTS];
} spot_outlet_t;

void spot_outlet_init(spot_outlet_t *self, const spot_model_common_t *common, int64_t population);

/* Sets event to the next event of the trace up to last_tick, which never decreases;
 * false: there is none. */
bool spot_outlet_next_until(spot_outlet_t *self, const spot_process_t *process, void *state,
    int64_t last_tick, spot_event_t *event);

/* Settles a law of successive gaps: a mean below 1 ms is an error, since its events
 * would not reach the horizon. */
void spot_gap_law_check(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);
