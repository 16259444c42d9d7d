/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/compare/observation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A population above the losses of any tick, so that the recorder keeps them all. */
#define UNLIMITED_POPULATION (INT64_MAX / 4)

int64_t
spot_observation_tick_ms(int64_t resolution_ms, int64_t other_resolution_ms)
{
    const int64_t coarsest_ms =
        resolution_ms > other_resolution_ms ? resolution_ms : other_resolution_ms;

    return coarsest_ms > SPOT_COMPARE_TICK_MS ? coarsest_ms : SPOT_COMPARE_TICK_MS;
}

static int64_t
change_of(spot_event_kind_t kind, int64_t count)
{
    return kind == SPOT_EVENT_ADD ? count : -count;
}

void
spot_observation_start(spot_observation_t *self, const spot_observation_frame_t *frame,
    int64_t initial, bool is_unlimited)
{
    self->frame = *frame;
    self->initial = initial;
    self->num_events = 0;
    spot_recorder_init(&self->recorder, frame->tick_ms, frame->is_net,
        is_unlimited ? UNLIMITED_POPULATION : initial);
}

/* Appends the events seen up to the end; those of a tick after the end are lost. */
static int
append(spot_observation_t *self, const spot_event_t *seen, size_t num_seen)
{
    const int ret = SPOT_ARRAY_ROOM(self, events, self->num_events + num_seen);

    for (size_t j = 0; ret == 0 && j < num_seen; j++) {
        if ((double) seen[j].time_ms <= self->frame.end_ms) {
            self->events[self->num_events++] = (spot_observation_event_t){
                (double) seen[j].time_ms, seen[j].kind, seen[j].count};
        }
    }
    return ret;
}

int
spot_observation_take(
    spot_observation_t *self, int64_t time_ms, spot_event_kind_t kind, int64_t count)
{
    spot_event_t seen[SPOT_RECORDER_EVENTS];
    const size_t num_seen =
        spot_recorder_take(&self->recorder, (double) time_ms, kind, count, seen);

    return num_seen == 0 ? 0 : append(self, seen, num_seen);
}

int
spot_observation_finish(spot_observation_t *self)
{
    spot_event_t seen[SPOT_RECORDER_EVENTS];
    const size_t num_seen = spot_recorder_finish(&self->recorder, seen);

    return append(self, seen, num_seen);
}

static int64_t
largest_population(const spot_observation_t *self)
{
    int64_t population = self->initial, largest = self->initial;

    for (size_t j = 0; j < self->num_events; j++) {
        population += change_of(self->events[j].kind, self->events[j].count);
        largest = population > largest ? population : largest;
    }
    return largest;
}

int
spot_observation_of_trace(
    spot_observation_t *self, const spot_trace_t *trace, int64_t tick_ms, bool is_net)
{
    const spot_observation_frame_t frame = {.tick_ms = tick_ms,
        .is_net = is_net,
        .end_ms = (double) trace->end_ms,
        .capacity = trace->capacity};
    int ret = 0;

    spot_observation_start(self, &frame, trace->initial, false);
    for (size_t j = 0; ret == 0 && j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        ret = spot_observation_take(self, event->time_ms, event->kind, event->count);
    }
    ret = ret == 0 ? spot_observation_finish(self) : ret;
    if (ret == 0 && trace->capacity == SPOT_UNBOUNDED) {
        self->frame.capacity = largest_population(self);
        self->frame.capacity += self->frame.capacity == 0; /* nothing ever ran */
    }
    return ret;
}

/* Population after the events of the last tick up to time_ms. */
static int64_t
population_at_tick(const spot_observation_t *self, double time_ms)
{
    const double tick_ms = (double) self->frame.tick_ms;
    const double last_ms = floor(time_ms / tick_ms) * tick_ms;
    int64_t population = self->initial;

    for (size_t j = 0; j < self->num_events && self->events[j].time_ms <= last_ms; j++) {
        population += change_of(self->events[j].kind, self->events[j].count);
    }
    return population;
}

int
spot_observation_half(
    spot_observation_t *self, const spot_observation_t *whole, bool is_second)
{
    const double half_ms = whole->frame.end_ms / 2; /* exact */
    const double start_ms = is_second ? half_ms : 0;
    const int ret = SPOT_ARRAY_ROOM(self, events, whole->num_events);

    self->frame = whole->frame;
    self->frame.end_ms = half_ms;
    self->initial = population_at_tick(whole, start_ms);
    self->num_events = 0;
    for (size_t j = 0; ret == 0 && j < whole->num_events; j++) {
        const spot_observation_event_t *event = &whole->events[j];

        if (event->time_ms > start_ms && event->time_ms <= start_ms + half_ms) {
            self->events[self->num_events] = *event;
            self->events[self->num_events++].time_ms -= start_ms;
        }
    }
    return ret;
}

void
spot_observation_free(spot_observation_t *self)
{
    free(self->events);
    memset(self, 0, sizeof(*self));
}

void
spot_observation_verify(const spot_observation_t *self)
{
    double time_ms = 0;

    spot_bug_assert(self->frame.tick_ms > 0 && self->frame.end_ms > 0);
    spot_bug_assert(self->frame.capacity >= 1);
    for (size_t j = 0; j < self->num_events; j++) {
        spot_bug_assert(self->events[j].count >= 1);
        spot_bug_assert(self->events[j].time_ms >= time_ms);
        time_ms = self->events[j].time_ms;
    }
    spot_bug_assert(time_ms <= self->frame.end_ms);
}
