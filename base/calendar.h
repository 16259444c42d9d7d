/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event calendar: an indexed heap of int64 ticks, whose unit (ms, ns) the owner
 * chooses. Items leave in the order (tick, phase, sequence). The sequence counts
 * additions and moves, so that the order does not depend on the shape of the heap. An
 * item keeps its handle until it leaves. No call allocates once the calendar has held
 * its largest number of items. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/integers.h"

/* A node of the heap: the due time of an item. */
typedef struct {
    int64_t tick;
    int32_t phase;  /* at one tick the smaller phase goes first */
    int32_t handle; /* >= 0; reused after the item has left */
} spot_due_t;

/* The rest of an item, found by its handle. */
typedef struct {
    uint64_t sequence; /* at one tick and phase the smaller one goes first */
    int32_t place;     /* index into heap; of a free slot: -2 - the next free slot */
    int32_t kind;      /* of the owner, like entity_id; they do not affect the order */
    int32_t entity_id;
} spot_calendar_slot_t;

typedef struct {
    int64_t tick;
    int32_t phase;
    int32_t kind;
    int32_t entity_id;
    int32_t handle;
} spot_calendar_item_t;

typedef struct {
    size_t num_items;
    size_t max_items;            /* room in heap and slots */
    size_t num_slots;            /* used so far, free ones included */
    spot_due_t *heap;            /* [num_items] four children per node */
    spot_calendar_slot_t *slots; /* [num_slots] by handle */
    int32_t free_slot;           /* the first free one, -1: none */
    int is_lent;                 /* the caller owns the memory, which does not grow */
    uint64_t num_sequence;
} spot_calendar_t;

void spot_calendar_init(spot_calendar_t *self);
void spot_calendar_free(spot_calendar_t *self);

/* Makes a calendar of num_items items in memory of the caller, which must be aligned for
 * int64_t, have spot_calendar_bytes(num_items) bytes and outlive self. All items are due
 * at tick; item j has handle j, phase j and entity j, so that of equal ticks the lowest
 * handle goes first. The calendar has no room for more items and does not free the
 * memory. O(items). */
void spot_calendar_init_in(spot_calendar_t *self, void *memory, size_t num_items, int64_t tick);
size_t spot_calendar_bytes(size_t num_items);

/* Removes all items and restarts handles and sequence at 0; keeps the memory. O(1). */
void spot_calendar_clear(spot_calendar_t *self);

/* Adds an item and sets *handle; handle may be NULL. Only tick, phase, kind and
 * entity_id of item are read. NO_MEMORY leaves the calendar unchanged. O(log items). */
SPOT_MUST_CHECK int spot_calendar_add(
    spot_calendar_t *self, const spot_calendar_item_t *item, int32_t *handle);

/* The next item, or NULL; valid until the next change. O(1). */
static inline const spot_due_t *spot_calendar_first(const spot_calendar_t *self)
{
    return self->num_items == 0 ? NULL : self->heap;
}

/* Removes and returns the next item; there must be one. O(log items). */
spot_calendar_item_t spot_calendar_take(spot_calendar_t *self);

/* Moves an item to another tick, as if it were cancelled and added again with the same
 * phase and handle. Cheaper than take() and add() for an event that schedules its
 * successor. O(log items). */
void spot_calendar_move(spot_calendar_t *self, int32_t handle, int64_t tick);

/* Removes an item before its time. O(log items). */
void spot_calendar_cancel(spot_calendar_t *self, int32_t handle);

/* The item of a handle. O(1). */
spot_calendar_item_t spot_calendar_item(const spot_calendar_t *self, int32_t handle);

/* Prints one line per item, in the order of the heap. */
void spot_calendar_print_state(const spot_calendar_t *self, FILE *out);

/* Aborts if an invariant is violated. O(items). */
void spot_calendar_verify(const spot_calendar_t *self);

/* Convert a double >= 0 or INFINITY to a tick and back, without loss: the bits of such
 * doubles have the order of their values. */
static inline int64_t spot_tick_of_double(double time)
{
    return (int64_t) spot_double_bits(time + 0.0); /* -0 becomes 0 */
}

static inline double spot_double_of_tick(int64_t tick)
{
    return spot_double_from_bits((uint64_t) tick);
}
