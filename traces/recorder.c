/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/recorder.h"

#include <string.h>

#include "base/integers.h"
#include "base/memory.h"

void spot_recorder_init(spot_recorder_t *self, int64_t tick_ms, bool is_net, int64_t population)
{
    spot_bug_assert(tick_ms > 0);
    *self = (spot_recorder_t){.tick_ms = tick_ms, .is_net = is_net, .population = population};
}

static size_t see(const spot_recorder_t *self, spot_event_kind_t kind, int64_t count,
    spot_event_t *seen, size_t num_seen)
{
    if (count > 0) {
        seen[num_seen++] = (spot_event_t){
            .time_ms = self->tick * self->tick_ms, .kind = kind, .count = (int32_t) count};
    }
    return num_seen;
}

/* Cancels count losses against as many additions, preemptions first. */
static void lower_losses(spot_recorder_t *self, int64_t count)
{
    const int64_t preempted = spot_smaller(self->preempted, count);

    self->preempted -= preempted;
    self->stopped -= count - preempted;
    self->added -= count;
}

size_t spot_recorder_finish(spot_recorder_t *self, spot_event_t seen[SPOT_RECORDER_EVENTS])
{
    const int64_t lost = self->preempted + self->stopped;
    size_t num_seen = 0;

    if (self->is_net) {
        lower_losses(self, spot_smaller(lost, self->added));
    } else if (lost > self->population) {
        lower_losses(self, lost - self->population); /* came and went within the tick */
    }
    num_seen = see(self, SPOT_EVENT_PREEMPT, self->preempted, seen, num_seen);
    num_seen = see(self, SPOT_EVENT_STOP, self->stopped, seen, num_seen);
    num_seen = see(self, SPOT_EVENT_ADD, self->added, seen, num_seen);
    self->population += self->added - self->preempted - self->stopped;
    self->preempted = self->stopped = self->added = 0;
    return num_seen;
}

size_t spot_recorder_take(spot_recorder_t *self, double time_ms, spot_event_kind_t kind,
    int64_t count, spot_event_t seen[SPOT_RECORDER_EVENTS])
{
    const int64_t tick = spot_tick_seeing(self->tick_ms, time_ms);
    size_t num_seen = 0;

    spot_bug_assert(tick >= self->tick);
    if (tick > self->tick) {
        num_seen = spot_recorder_finish(self, seen);
        self->tick = tick;
    }
    switch (kind) {
        case SPOT_EVENT_PREEMPT:
            self->preempted += count;
            break;
        case SPOT_EVENT_STOP:
            self->stopped += count;
            break;
        default:
            self->added += count;
    }
    return num_seen;
}

/* Appends the events that are seen up to the end. */
static int append(spot_trace_t *trace, const spot_event_t *seen, size_t num_seen)
{
    const int ret = SPOT_ARRAY_ROOM(trace, events, trace->num_events + num_seen);

    for (size_t j = 0; ret == 0 && j < num_seen; j++) {
        if (seen[j].time_ms <= trace->end_ms) {
            trace->events[trace->num_events++] = seen[j];
            trace->final += seen[j].kind == SPOT_EVENT_ADD ? seen[j].count : -seen[j].count;
        }
    }
    return ret;
}

/* Copies the keys of the trace, with resolution_s and kind of recorded. */
static int copy_keys(const spot_trace_t *trace, spot_trace_t *recorded)
{
    char resolution[SPOT_TRACE_TIME_BYTES];
    int ret = 0;

    spot_trace_time_text(recorded->resolution_ms, resolution);
    for (size_t j = 0; ret == 0 && j < trace->header.num_keys; j++) {
        const char *key = trace->header.keys[j].key;
        const char *value = strcmp(key, "resolution_s") == 0 ? resolution
                            : strcmp(key, "kind") == 0       ? spot_trace_kind_names[recorded->kind]
                                                             : trace->header.keys[j].value;

        ret = spot_keys_append(&recorded->header, key, strlen(key), value, strlen(value));
    }
    return ret;
}

int spot_recorder_trace(
    const spot_trace_t *trace, int64_t tick_ms, bool is_net, spot_trace_t *recorded)
{
    spot_event_t seen[SPOT_RECORDER_EVENTS];
    spot_recorder_t recorder;
    int ret;

    spot_trace_init(recorded);
    recorded->kind = trace->kind == SPOT_TRACE_NAMED ? SPOT_TRACE_COUNTS : trace->kind;
    recorded->capacity = trace->capacity;
    recorded->resolution_ms = tick_ms;
    recorded->initial = recorded->final = trace->initial;
    recorded->end_ms = trace->end_ms;
    ret = copy_keys(trace, recorded);
    spot_recorder_init(&recorder, tick_ms, is_net, trace->initial);
    for (size_t j = 0; ret == 0 && j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        ret = append(recorded, seen,
            spot_recorder_take(
                &recorder, (double) event->time_ms, event->kind, event->count, seen));
    }
    ret = ret == 0 ? append(recorded, seen, spot_recorder_finish(&recorder, seen)) : ret;
    return ret;
}
