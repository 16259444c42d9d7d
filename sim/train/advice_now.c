/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/advice.h"
#include "traces/trace.h"

/* Whether an instance that came with an event is still there at the end. */
static bool
is_left(const spot_trace_t *trace, size_t event_id, int32_t name_id)
{
    for (size_t j = event_id + 1; j < trace->num_events; j++) {
        const spot_event_t *event = &trace->events[j];

        for (int32_t k = 0; event->kind != SPOT_EVENT_ADD && k < event->count; k++) {
            if (event->name_ids[k] == name_id) {
                return false;
            }
        }
    }
    return true;
}

int
spot_train_count_preparing(
    const char *path, int64_t preparation_ms, int64_t *num_preparing, spot_diag_t *diag)
{
    spot_trace_t trace;
    int ret;

    *num_preparing = 0;
    spot_trace_init(&trace);
    ret = spot_trace_read(&trace, path, false, diag);
    for (size_t j = 0; ret == 0 && j < trace.num_events; j++) {
        const spot_event_t *event = &trace.events[j];

        if (event->kind != SPOT_EVENT_ADD ||
            event->time_ms + preparation_ms <= trace.end_ms) {
            continue;
        }
        for (int32_t k = 0; k < event->count; k++) {
            *num_preparing +=
                event->name_ids == NULL || is_left(&trace, j, event->name_ids[k]);
        }
    }
    spot_trace_free(&trace);
    return ret;
}
