/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Sum of the events of one kind at time_ms, which start at index first. */
static int32_t
size_at(const spot_trace_t *trace, size_t first, int64_t time_ms, spot_event_kind_t kind)
{
    int32_t size = 0;

    for (size_t j = first; j < trace->num_events && trace->events[j].time_ms == time_ms;
         j++) {
        size += trace->events[j].kind == kind ? trace->events[j].count : 0;
    }
    return size;
}

int
spot_bulks_init(spot_bulks_t *self, const spot_trace_t *trace)
{
    static const spot_event_kind_t order[] = {
        SPOT_EVENT_PREEMPT, SPOT_EVENT_STOP, SPOT_EVENT_ADD};
    int32_t population = trace->initial;
    size_t first = 0;

    memset(self, 0, sizeof(*self));
    self->bulks = spot_calloc(trace->num_events, sizeof(*self->bulks));
    if (self->bulks == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    while (first < trace->num_events) {
        const int64_t time_ms = trace->events[first].time_ms;

        for (size_t j = 0; j < sizeof(order) / sizeof(order[0]); j++) {
            const int32_t size = size_at(trace, first, time_ms, order[j]);

            if (size > 0) {
                self->bulks[self->num_bulks++] =
                    (spot_bulk_t){time_ms, order[j], size, population};
                population += order[j] == SPOT_EVENT_ADD ? size : -size;
            }
        }
        while (first < trace->num_events && trace->events[first].time_ms == time_ms) {
            first++;
        }
    }
    return 0;
}

void
spot_bulks_free(spot_bulks_t *self)
{
    free(self->bulks);
    memset(self, 0, sizeof(*self));
}
