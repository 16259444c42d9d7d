/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event calendar: what happens next. Ties break on (time, kind, order of adding),
 * never on the luck of the heap. Knows nothing of what the kinds mean. */
#ifndef SPOT_SIM_ENGINE_CALENDAR_H
#define SPOT_SIM_ENGINE_CALENDAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

typedef struct {
    int64_t time_ms;
    int32_t kind;      /* at one time the smaller kind goes first */
    int32_t entity_id; /* for the engine that added it */
    uint64_t sequence; /* order of adding */
} spot_calendar_item_t;

typedef struct {
    size_t num_items;
    size_t max_items;
    spot_calendar_item_t *items; /* [num_items] binary heap */
    uint64_t num_added;
} spot_calendar_t;

void spot_calendar_init(spot_calendar_t *self);
void spot_calendar_free(spot_calendar_t *self);

/* Forgets all items, keeps the memory. */
void spot_calendar_clear(spot_calendar_t *self);

/* Time complexity: O(log items). */
SPOT_MUST_CHECK int spot_calendar_add(
    spot_calendar_t *self, int64_t time_ms, int32_t kind, int32_t entity_id);

/* The next item, or NULL. Valid until the next call that changes the calendar. O(1). */
const spot_calendar_item_t *spot_calendar_first(const spot_calendar_t *self);

/* Takes the next item out. There must be one. O(log items). */
spot_calendar_item_t spot_calendar_take(spot_calendar_t *self);

/* One line an item, in the order of the heap. */
void spot_calendar_print_state(const spot_calendar_t *self, FILE *out);

/* Aborts if an item is before the one above it in the heap. O(items). */
void spot_calendar_verify(const spot_calendar_t *self);

#endif
