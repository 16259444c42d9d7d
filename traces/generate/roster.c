/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/roster.h"

#include <string.h>

#include "base/error.h"

size_t spot_roster_bytes(int64_t num_slots)
{
    return 3 * sizeof(int32_t) * (size_t) num_slots;
}

void spot_roster_init(spot_roster_t *self, void *memory, int64_t num_slots, int64_t population)
{
    spot_bug_assert(population >= 0 && population <= num_slots);
    self->num_slots = (int32_t) num_slots;
    self->population = (int32_t) population;
    self->num_old = (int32_t) population;
    self->num_lost = 0;
    self->slots = memory;
    self->place = self->slots + num_slots;
    self->lost = self->place + num_slots;
    for (int32_t slot = 0; slot < num_slots; slot++) {
        self->slots[slot] = slot;
        self->place[slot] = slot;
    }
}

static void swap(spot_roster_t *self, int32_t place, int32_t other_place)
{
    const int32_t slot = self->slots[place], other = self->slots[other_place];

    self->slots[place] = other;
    self->place[other] = place;
    self->slots[other_place] = slot;
    self->place[slot] = other_place;
}

void spot_roster_leave(spot_roster_t *self, int32_t slot)
{
    if (self->place[slot] < self->num_old) {
        self->lost[self->num_lost++] = slot;
        swap(self, self->place[slot], --self->num_old);
    }
    swap(self, self->place[slot], --self->population);
}

void spot_roster_enter(spot_roster_t *self, int32_t slot)
{
    swap(self, self->place[slot], self->population++);
}

int32_t spot_roster_free_slot(const spot_roster_t *self)
{
    return self->slots[self->population];
}

int32_t spot_roster_victim(const spot_roster_t *self, spot_rng_t *rng)
{
    const int32_t num_eligible = self->num_old > 0 ? self->num_old : self->population;

    return self->slots[spot_rng_below(rng, (uint64_t) num_eligible)];
}

/* The victims end up just after the living instances. */
const int32_t *spot_roster_strike(spot_roster_t *self, int32_t num_lost, spot_rng_t *rng)
{
    spot_bug_assert(self->num_lost == 0 && self->num_old == self->population);
    spot_bug_assert(num_lost <= self->population);
    for (int32_t j = 0; j < num_lost; j++) {
        const int32_t slot = spot_roster_victim(self, rng);

        swap(self, self->place[slot], --self->population);
        self->num_old--;
    }
    return self->slots + self->population;
}

bool spot_roster_see(spot_roster_t *self, int64_t time_ms, spot_event_t *event)
{
    event->time_ms = time_ms;
    if (self->num_lost > 0) {
        event->kind = SPOT_EVENT_PREEMPT;
        event->count = self->num_lost;
        event->name_ids = self->lost;
        self->num_lost = 0;
        return true;
    }
    if (self->population > self->num_old) {
        event->kind = SPOT_EVENT_ADD;
        event->count = self->population - self->num_old;
        event->name_ids = self->slots + self->num_old;
        self->num_old = self->population;
        return true;
    }
    return false;
}

void spot_slot_dice_init(spot_slot_dice_t *self, const spot_dice_t *dice, spot_stream_t purpose,
    const spot_law_t *law, uint32_t *num_used, int64_t num_slots)
{
    self->dice = *dice;
    self->purpose = purpose;
    self->law = law;
    self->num_used = num_used;
    memset(num_used, 0, sizeof(*num_used) * (size_t) num_slots);
}

double spot_slot_dice_draw(spot_slot_dice_t *self, int32_t slot)
{
    double value_s;

    spot_dice_seek(&self->dice, &self->rng, self->purpose, (uint64_t) slot);
    spot_rng_skip_to(&self->rng, self->num_used[slot]);
    value_s = self->law->family->draw(self->law->parameters, &self->rng);
    self->num_used[slot] = (uint32_t) spot_rng_position(&self->rng);
    return value_s;
}
