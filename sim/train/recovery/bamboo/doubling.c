/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/bamboo/doubling.h"

#include <string.h>

/* A place without a holder since before the latest loss. */
#define ABANDONED (-2)

static void clear_doubled(spot_doubling_t *self)
{
    const size_t num_bytes = (size_t) self->layout.capacity * sizeof(*self->second);

    memset(self->second, 0xff, num_bytes); /* all bits of NONE are set */
    memset(self->takers, 0xff, num_bytes);
    self->num_doubled = 0;
}

size_t spot_doubling_bytes(int64_t capacity)
{
    return spot_layout_bytes(capacity) + 3 * (size_t) capacity * sizeof(int32_t);
}

void spot_doubling_start(spot_doubling_t *self, void *memory, int64_t capacity)
{
    self->second = memory;
    self->takers = self->second + capacity;
    self->lost_places = self->takers + capacity;
    spot_layout_start(&self->layout, self->lost_places + capacity, capacity);
    clear_doubled(self);
}

void spot_doubling_form(
    spot_doubling_t *self, const spot_fleet_t *fleet, int32_t num_pipelines, int32_t depth)
{
    spot_layout_form(&self->layout, fleet, num_pipelines, depth);
    clear_doubled(self);
}

static int32_t place_before(const spot_layout_t *layout, int32_t place)
{
    return place % layout->depth == 0 ? place + layout->depth - 1 : place - 1;
}

/* Removes lost instances. Returns whether that is fatal: one of them held two places. */
static bool lose_doubled(spot_doubling_t *self, const int32_t *slots, int32_t num_slots)
{
    bool is_fatal = false;

    for (int32_t j = 0; j < num_slots; j++) {
        int32_t *second = &self->second[slots[j]];

        if (*second != SPOT_LAYOUT_NONE) {
            self->takers[*second] = ABANDONED;
            *second = SPOT_LAYOUT_NONE;
            self->num_doubled--;
            is_fatal = true;
        }
    }
    return is_fatal;
}

/* Hands a lost place to the holder of the stage before. Returns whether that is fatal:
 * the holder has two places already. If the stage before was abandoned earlier, no
 * instance notices; that happens in a pause, or once training should have ended. */
static bool hand_over(spot_doubling_t *self, int32_t place)
{
    const int32_t before = place_before(&self->layout, place);
    const int32_t slot = self->layout.slots[before];

    if (slot == SPOT_LAYOUT_NONE || self->second[slot] != SPOT_LAYOUT_NONE) {
        self->takers[place] = ABANDONED;
        return slot != SPOT_LAYOUT_NONE || self->takers[before] != ABANDONED;
    }
    self->second[slot] = place;
    self->takers[place] = slot;
    self->num_doubled++;
    return false;
}

/* Removes all lost instances before it hands over their places. */
bool spot_doubling_lose(spot_doubling_t *self, const int32_t *slots, int32_t num_slots)
{
    bool is_fatal = lose_doubled(self, slots, num_slots);
    int32_t num_places = 0;

    for (int32_t j = 0; j < num_slots; j++) {
        const int32_t place = self->layout.places[slots[j]];

        if (place != SPOT_LAYOUT_NONE) {
            self->lost_places[num_places++] = place;
        }
    }
    spot_layout_lose(&self->layout, slots, num_slots);
    for (int32_t j = 0; j < num_places; j++) {
        const bool has_failed = hand_over(self, self->lost_places[j]);

        is_fatal = is_fatal || has_failed;
    }
    return is_fatal;
}

bool spot_doubling_lacks_stage(const spot_doubling_t *self)
{
    const spot_layout_t *layout = &self->layout;

    for (int32_t s = 0; layout->num_pipelines > 0 && s < layout->depth; s++) {
        bool is_held = spot_layout_replicas(layout, s) > 0;

        for (int32_t d = 0; !is_held && d < layout->num_pipelines; d++) {
            is_held = self->takers[d * layout->depth + s] >= 0;
        }
        if (!is_held) {
            return true;
        }
    }
    return false;
}
