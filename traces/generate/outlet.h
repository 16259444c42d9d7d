/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a process in continuous time to the events of a trace: the ticks up to the
 * horizon, and a recorder that merges what falls into one. */
#ifndef SPOT_TRACES_GENERATE_OUTLET_H
#define SPOT_TRACES_GENERATE_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/generate/generator.h"
#include "traces/recorder.h"

/* The ticks of a model. */
typedef struct {
    double horizon_s; /* nothing happens after it */
    int64_t tick_ms;
    int64_t last_tick; /* the last one that is not after the horizon */
} spot_ticks_t;

void spot_ticks_init(spot_ticks_t *self, const spot_model_common_t *common);

/* The tick that sees what happens at time_s >= 0; INT64_MAX: none does, also for a time
 * that is infinite or no number. */
static inline int64_t
spot_ticks_seeing(const spot_ticks_t *self, double time_s)
{
    int64_t tick;

    if (!(time_s <= self->horizon_s)) {
        return INT64_MAX;
    }
    tick = spot_tick_seeing(self->tick_ms, 1e3 * time_s);
    return tick <= self->last_tick ? tick : INT64_MAX;
}

/* Something that happens to instances that have no names. */
typedef struct {
    spot_event_kind_t kind;
    int64_t count; /* may be 0 */
} spot_happening_t;

/* A process of such happenings. */
typedef struct {
    /* When the next one comes, never before the latest one; INFINITY: none does. */
    double (*due_s)(const void *state);
    /* It happens now, and another one is due. */
    void (*happen)(void *state, spot_happening_t *happening);
} spot_process_t;

typedef struct {
    spot_ticks_t ticks;
    spot_recorder_t recorder;
    size_t num_seen;
    size_t num_given; /* of seen */
    spot_event_t seen[SPOT_RECORDER_EVENTS];
} spot_outlet_t;

void spot_outlet_init(
    spot_outlet_t *self, const spot_model_common_t *common, int64_t population);

/* The next event of the trace up to last_tick, which never decreases; false: there is
 * none. */
bool spot_outlet_next_until(spot_outlet_t *self, const spot_process_t *process,
    void *state, int64_t last_tick, spot_event_t *event);

/* Instances are lost otherwise, after a call that gave no event. */
void spot_outlet_lose(spot_outlet_t *self, int64_t num_lost);

/* Bind function of a spot_law_t whose values follow one another: as spot_law_bind(), but
 * a law with a mean below 1 ms is an error, since its events would never come to the
 * horizon. */
void spot_gap_law_bind(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target);

#endif
