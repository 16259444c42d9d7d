/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/calendar.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

#define NUM_CHILDREN 4

void spot_calendar_init(spot_calendar_t *self)
{
    memset(self, 0, sizeof(*self));
    self->free_slot = -1;
}

size_t spot_calendar_bytes(size_t num_items)
{
    return num_items * (sizeof(spot_due_t) + sizeof(spot_calendar_slot_t));
}

void spot_calendar_init_in(spot_calendar_t *self, void *memory, size_t num_items, int64_t tick)
{
    spot_calendar_init(self);
    self->is_lent = 1;
    self->heap = memory;
    self->slots = (void *) (self->heap + num_items);
    self->max_items = num_items;
    self->num_items = num_items;
    self->num_slots = num_items;
    self->num_sequence = num_items;
    for (size_t j = 0; j < num_items; j++) {
        const int32_t id = (int32_t) j;

        self->heap[j] = (spot_due_t){tick, id, id};
        self->slots[j] = (spot_calendar_slot_t){j, id, 0, id};
    }
}

void spot_calendar_free(spot_calendar_t *self)
{
    if (!self->is_lent) {
        free(self->heap);
        free(self->slots);
    }
    spot_calendar_init(self);
}

void spot_calendar_clear(spot_calendar_t *self)
{
    self->num_items = 0;
    self->num_slots = 0;
    self->free_slot = -1;
    self->num_sequence = 0;
}

static bool is_tie_before(const spot_calendar_t *self, const spot_due_t *a, const spot_due_t *b)
{
    return a->phase != b->phase ? a->phase < b->phase
                                : self->slots[a->handle].sequence < self->slots[b->handle].sequence;
}

static inline bool is_before(const spot_calendar_t *self, const spot_due_t *a, const spot_due_t *b)
{
    return a->tick != b->tick ? a->tick < b->tick : is_tie_before(self, a, b);
}

static inline void put(spot_calendar_t *self, size_t place, spot_due_t due)
{
    self->heap[place] = due;
    self->slots[due.handle].place = (int32_t) place;
}

/* Puts an item at a place, or further up as long as it goes before its parent. */
static inline void rise(spot_calendar_t *self, size_t place, spot_due_t due)
{
    while (place > 0) {
        const size_t parent = (place - 1) / NUM_CHILDREN;

        if (!is_before(self, &due, &self->heap[parent])) {
            break;
        }
        put(self, place, self->heap[parent]);
        place = parent;
    }
    put(self, place, due);
}

/* The one of two places that goes first. Branch-free: the branch would be
 * unpredictable. */
static inline size_t lesser(const spot_calendar_t *self, size_t a, size_t b)
{
    return a + (b - a) * (size_t) is_before(self, &self->heap[b], &self->heap[a]);
}

/* The child of a place that goes first among its children; first is the lowest child,
 * which exists. */
static inline size_t least_child(const spot_calendar_t *self, size_t first)
{
    size_t least = first;

    if (first + NUM_CHILDREN <= self->num_items) {
        return lesser(self, lesser(self, first, first + 1), lesser(self, first + 2, first + 3));
    }
    for (size_t child = first + 1; child < self->num_items; child++) {
        least = lesser(self, least, child);
    }
    return least;
}

/* Puts an item at a place, or further down as long as a child goes before it. */
static inline void sink(spot_calendar_t *self, size_t place, spot_due_t due)
{
    size_t first;

    while ((first = place * NUM_CHILDREN + 1) < self->num_items) {
        const size_t child = least_child(self, first);

        if (!is_before(self, &self->heap[child], &due)) {
            break;
        }
        put(self, place, self->heap[child]);
        place = child;
    }
    put(self, place, due);
}

/* Puts an item at a free place, or further up or down where it belongs. */
static void settle(spot_calendar_t *self, size_t place, spot_due_t due)
{
    if (place > 0 && is_before(self, &due, &self->heap[(place - 1) / NUM_CHILDREN])) {
        rise(self, place, due);
    } else {
        sink(self, place, due);
    }
}

SPOT_NOINLINE static int grow(spot_calendar_t *self)
{
    const size_t num_needed = self->num_items + 1;
    size_t max_heap = self->max_items, max_slots = self->max_items;
    int ret;

    if (self->is_lent || self->num_items >= INT32_MAX) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_array_reserve(&self->heap, &max_heap, num_needed, sizeof(*self->heap));
    if (ret == 0) {
        ret = spot_array_reserve(&self->slots, &max_slots, num_needed, sizeof(*self->slots));
    }
    if (ret == 0) {
        self->max_items = max_slots;
    }
    return ret;
}

static inline int32_t take_slot(spot_calendar_t *self)
{
    const int32_t handle = self->free_slot;

    if (handle < 0) {
        return (int32_t) self->num_slots++;
    }
    self->free_slot = -2 - self->slots[handle].place;
    return handle;
}

static inline void free_slot(spot_calendar_t *self, int32_t handle)
{
    self->slots[handle].place = -2 - self->free_slot;
    self->free_slot = handle;
}

int spot_calendar_add(spot_calendar_t *self, const spot_calendar_item_t *item, int32_t *handle)
{
    spot_due_t due = {.tick = item->tick, .phase = item->phase};
    int ret;

    if (self->num_items == self->max_items && (ret = grow(self)) != 0) {
        return ret;
    }
    due.handle = take_slot(self);
    self->slots[due.handle] = (spot_calendar_slot_t){
        .sequence = self->num_sequence++, .kind = item->kind, .entity_id = item->entity_id};
    rise(self, self->num_items++, due);
    if (handle != NULL) {
        *handle = due.handle;
    }
    return 0;
}

static inline spot_calendar_item_t join(const spot_calendar_t *self, const spot_due_t *due)
{
    const spot_calendar_slot_t *slot = &self->slots[due->handle];

    return (spot_calendar_item_t){due->tick, due->phase, slot->kind, slot->entity_id, due->handle};
}

spot_calendar_item_t spot_calendar_take(spot_calendar_t *self)
{
    spot_calendar_item_t item;

    spot_bug_assert(self->num_items > 0);
    item = join(self, self->heap);
    free_slot(self, item.handle);
    if (--self->num_items > 0) {
        sink(self, 0, self->heap[self->num_items]);
    }
    return item;
}

/* The place of an item that must be in the calendar. */
static inline size_t place_of(const spot_calendar_t *self, int32_t handle)
{
    spot_bug_assert(
        handle >= 0 && (size_t) handle < self->num_slots && self->slots[handle].place >= 0);
    return (size_t) self->slots[handle].place;
}

void spot_calendar_move(spot_calendar_t *self, int32_t handle, int64_t tick)
{
    const size_t place = place_of(self, handle);
    spot_due_t due = self->heap[place];

    due.tick = tick;
    self->slots[handle].sequence = self->num_sequence++;
    settle(self, place, due);
}

void spot_calendar_cancel(spot_calendar_t *self, int32_t handle)
{
    const size_t place = place_of(self, handle);

    free_slot(self, handle);
    if (place < --self->num_items) {
        settle(self, place, self->heap[self->num_items]);
    }
}

spot_calendar_item_t spot_calendar_item(const spot_calendar_t *self, int32_t handle)
{
    return join(self, &self->heap[place_of(self, handle)]);
}

void spot_calendar_print_state(const spot_calendar_t *self, FILE *out)
{
    for (size_t j = 0; j < self->num_items; j++) {
        const spot_calendar_item_t item = join(self, &self->heap[j]);

        fprintf(out,
            "calendar: tick %" PRId64 ", phase %" PRId32 ", kind %" PRId32 ", entity %" PRId32
            ", handle %" PRId32 ", sequence %" PRIu64 "\n",
            item.tick, item.phase, item.kind, item.entity_id, item.handle,
            self->slots[item.handle].sequence);
    }
}

void spot_calendar_verify(const spot_calendar_t *self)
{
    size_t num_free = 0;

    spot_bug_assert(self->num_items <= self->num_slots);
    spot_bug_assert(self->num_slots <= self->max_items);
    for (size_t j = 0; j < self->num_items; j++) {
        const spot_due_t *due = &self->heap[j];

        spot_bug_assert(place_of(self, due->handle) == j);
        spot_bug_assert(self->slots[due->handle].sequence < self->num_sequence);
        spot_bug_assert(j == 0 || is_before(self, &self->heap[(j - 1) / NUM_CHILDREN], due));
    }
    for (int32_t slot = self->free_slot; slot >= 0; slot = -2 - self->slots[slot].place) {
        spot_bug_assert((size_t) slot < self->num_slots && self->slots[slot].place < 0);
        num_free++;
    }
    spot_bug_assert(self->num_items + num_free == self->num_slots);
}
