/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/layout.h"

#include <string.h>

#include "base/error.h"

size_t spot_layout_bytes(int64_t capacity)
{
    return 2 * (size_t) capacity * sizeof(int32_t);
}

/* No instance holds a place. */
static void clear(spot_layout_t *self)
{
    /* slots, then places: all bits of NONE are set */
    memset(self->slots, 0xff, spot_layout_bytes(self->capacity));
    self->num_held = 0;
}

void spot_layout_start(spot_layout_t *self, void *memory, int64_t capacity)
{
    self->capacity = (int32_t) capacity;
    self->num_pipelines = 0;
    self->depth = 0;
    self->slots = memory;
    self->places = self->slots + capacity;
    clear(self);
}

/* Gives places to the slots of a list, row by row. */
static void take_places(
    spot_layout_t *self, int32_t num_listed, int32_t num_pipelines, int32_t depth)
{
    const int32_t num_places = num_pipelines * depth;

    spot_bug_assert(num_places <= num_listed);
    self->num_pipelines = num_pipelines;
    self->depth = depth;
    for (int32_t place = 0; place < num_places; place++) {
        self->places[self->slots[place]] = place;
    }
    for (int32_t place = num_places; place < num_listed; place++) {
        self->slots[place] = SPOT_LAYOUT_NONE;
    }
    self->num_held = num_places;
}

void spot_layout_form(
    spot_layout_t *self, const spot_fleet_t *fleet, int32_t num_pipelines, int32_t depth)
{
    int32_t count;

    clear(self);
    count = spot_fleet_list(fleet, SPOT_ACTIVE, self->slots);
    if (count < num_pipelines * depth) {
        count += spot_fleet_list(fleet, SPOT_STANDBY, self->slots + count);
    }
    take_places(self, count, num_pipelines, depth);
}

void spot_layout_form_noticed_last(spot_layout_t *self, const spot_fleet_t *fleet,
    const int64_t *deadlines_ms, int32_t num_pipelines, int32_t depth)
{
    int32_t *const ready = self->places; /* not needed yet */
    int32_t num_ready, count = 0;

    if (deadlines_ms == NULL) {
        spot_layout_form(self, fleet, num_pipelines, depth);
        return;
    }
    num_ready = spot_fleet_list(fleet, SPOT_ACTIVE, ready);
    num_ready += spot_fleet_list(fleet, SPOT_STANDBY, ready + num_ready);
    for (int is_noticed = 0; is_noticed <= 1; is_noticed++) {
        for (int32_t j = 0; j < num_ready; j++) {
            if ((deadlines_ms[ready[j]] != INT64_MAX) == is_noticed) {
                self->slots[count++] = ready[j];
            }
        }
    }
    for (int32_t j = 0; j < self->capacity; j++) {
        self->slots[j] = j < count ? self->slots[j] : SPOT_LAYOUT_NONE;
        self->places[j] = SPOT_LAYOUT_NONE;
    }
    take_places(self, count, num_pipelines, depth);
}

void spot_layout_lose(spot_layout_t *self, const int32_t *lost, int32_t num_lost)
{
    for (int32_t j = 0; j < num_lost; j++) {
        const int32_t place = self->places[lost[j]];

        if (place != SPOT_LAYOUT_NONE) {
            self->slots[place] = SPOT_LAYOUT_NONE;
            self->places[lost[j]] = SPOT_LAYOUT_NONE;
            self->num_held--;
        }
    }
}

void spot_layout_put(spot_layout_t *self, int32_t slot, int32_t place)
{
    spot_bug_assert(self->slots[place] == SPOT_LAYOUT_NONE);
    spot_bug_assert(self->places[slot] == SPOT_LAYOUT_NONE);
    self->slots[place] = slot;
    self->places[slot] = place;
    self->num_held++;
}

int64_t spot_layout_first_deadline_ms(const spot_layout_t *self, const int64_t *deadlines_ms)
{
    const int32_t num_places = self->num_pipelines * self->depth;
    int64_t first_ms = INT64_MAX;

    for (int32_t place = 0; deadlines_ms != NULL && place < num_places; place++) {
        const int32_t slot = self->slots[place];

        if (slot != SPOT_LAYOUT_NONE && deadlines_ms[slot] < first_ms) {
            first_ms = deadlines_ms[slot];
        }
    }
    return first_ms;
}

int32_t spot_layout_replicas(const spot_layout_t *self, int32_t stage)
{
    int32_t count = 0;

    for (int32_t d = 0; d < self->num_pipelines; d++) {
        count += self->slots[d * self->depth + stage] != SPOT_LAYOUT_NONE;
    }
    return count;
}
