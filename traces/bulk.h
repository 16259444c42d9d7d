/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The events of a trace for statistics: rows of one kind at one time are one event, and
 * their sizes add up. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/trace.h"

/* All instances of one kind of change at one time. */
typedef struct {
    int64_t time_ms;
    spot_event_kind_t kind;
    int32_t size;   /* instances, >= 1 */
    int32_t before; /* population just before */
} spot_bulk_t;

typedef struct {
    size_t num_bulks;
    spot_bulk_t *bulks; /* [num_bulks] by time; at one time preempt, stop, add */
} spot_bulks_t;

/* Does not keep trace. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_bulks_init(spot_bulks_t *self, const spot_trace_t *trace);
void spot_bulks_free(spot_bulks_t *self);
