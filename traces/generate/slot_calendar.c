/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/slot_calendar.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"

#define NUM_CHILDREN 4

size_t
spot_slot_calendar_bytes(int64_t num_slots)
{
    return (sizeof(spot_appointment_t) + sizeof(int32_t)) * (size_t) num_slots;
}

void
spot_slot_calendar_init(spot_slot_calendar_t *self, void *memory, int64_t num_slots)
{
    self->num_slots = (int32_t) num_slots;
    self->heap = memory;
    self->place = (int32_t *) (void *) (self->heap + num_slots);
    for (int32_t slot = 0; slot < num_slots; slot++) {
        self->heap[slot] = (spot_appointment_t){(double) INFINITY, slot};
        self->place[slot] = slot;
    }
}

static bool
is_before(const spot_appointment_t *a, const spot_appointment_t *b)
{
    return a->time_s < b->time_s || (a->time_s == b->time_s && a->slot < b->slot);
}

static void
put(spot_slot_calendar_t *self, int32_t place, spot_appointment_t item)
{
    self->heap[place] = item;
    self->place[item.slot] = place;
}

/* The place that becomes free when larger ancestors step down for item. */
static int32_t
rise(spot_slot_calendar_t *self, int32_t place, const spot_appointment_t *item)
{
    while (place > 0) {
        const int32_t parent = (place - 1) / NUM_CHILDREN;

        if (!is_before(item, &self->heap[parent])) {
            break;
        }
        put(self, place, self->heap[parent]);
        place = parent;
    }
    return place;
}

static int32_t
sink(spot_slot_calendar_t *self, int32_t place, const spot_appointment_t *item)
{
    for (;;) {
        const int64_t first = (int64_t) place * NUM_CHILDREN + 1;
        const int64_t end = first + NUM_CHILDREN < self->num_slots ? first + NUM_CHILDREN
                                                                   : self->num_slots;
        int64_t least = first;

        for (int64_t child = first + 1; child < end; child++) {
            least = is_before(&self->heap[child], &self->heap[least]) ? child : least;
        }
        if (first >= end || !is_before(&self->heap[least], item)) {
            return place;
        }
        put(self, place, self->heap[least]);
        place = (int32_t) least;
    }
}

void
spot_slot_calendar_set(spot_slot_calendar_t *self, int32_t slot, double time_s)
{
    const spot_appointment_t item = {time_s, slot};
    const int32_t start = self->place[slot];
    const int32_t place = rise(self, start, &item);

    put(self, place == start ? sink(self, place, &item) : place, item);
}

void
spot_slot_calendar_verify(const spot_slot_calendar_t *self)
{
    for (int32_t j = 0; j < self->num_slots; j++) {
        const spot_appointment_t *item = &self->heap[j];

        spot_bug_assert(!isnan(item->time_s) && self->place[item->slot] == j);
        spot_bug_assert(j == 0 || !is_before(item, &self->heap[(j - 1) / NUM_CHILDREN]));
    }
}
