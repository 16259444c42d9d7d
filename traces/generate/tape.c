/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/generate/tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void spot_tape_clear(spot_tape_t *self)
{
    self->is_begun = false;
    self->is_over = false;
    self->is_full = false;
    self->stopped_ms = -1;
    self->num_changes = 0;
    self->num_slots = 0;
    self->num_zones = 0;
}

void spot_tape_free(spot_tape_t *self)
{
    free(self->changes);
    free(self->slots);
    free(self->zones);
    memset(self, 0, sizeof(*self));
}

bool spot_tape_reserve(spot_tape_t *self, size_t num_changes, size_t num_slots, size_t num_zones)
{
    *self->num_bytes +=
        num_changes * sizeof(*self->changes) + (num_slots + num_zones) * sizeof(*self->slots);
    self->is_full = *self->num_bytes > SPOT_TAPES_BYTES ||
                    SPOT_ARRAY_ROOM(self, changes, self->num_changes + num_changes) != 0 ||
                    SPOT_ARRAY_ROOM(self, slots, self->num_slots + num_slots) != 0 ||
                    SPOT_ARRAY_ROOM(self, zones, self->num_zones + num_zones) != 0;
    return !self->is_full;
}

void spot_tape_add(spot_tape_t *self, const spot_taped_change_t *change, const int32_t *slots)
{
    const size_t count = (size_t) change->count;

    self->changes[self->num_changes++] = *change;
    memcpy(&self->slots[self->num_slots], slots, count * sizeof(*slots));
    self->num_slots += count;
}

void spot_tapes_clear(spot_tapes_t *self)
{
    self->num_tapes = 0;
    self->next = 0;
    self->num_bytes = 0;
}

void spot_tapes_free(spot_tapes_t *self)
{
    for (size_t j = 0; j < self->max_tapes; j++) {
        if (self->tapes[j] != NULL) {
            spot_tape_free(self->tapes[j]);
        }
        free(self->tapes[j]);
    }
    free(self->tapes);
    memset(self, 0, sizeof(*self));
}

/* Makes the next tape. */
static spot_tape_t *make(spot_tapes_t *self, const spot_dice_t *dice)
{
    const size_t max_before = self->max_tapes;
    spot_tape_t *tape;

    if (self->num_bytes >= SPOT_TAPES_BYTES ||
        SPOT_ARRAY_ROOM(self, tapes, self->num_tapes + 1) != 0) {
        return NULL;
    }
    for (size_t j = max_before; j < self->max_tapes; j++) {
        self->tapes[j] = NULL;
    }
    if (self->tapes[self->num_tapes] == NULL) {
        self->tapes[self->num_tapes] = spot_calloc(1, sizeof(*tape));
    }
    tape = self->tapes[self->num_tapes];
    if (tape != NULL) {
        spot_tape_clear(tape);
        tape->dice = *dice;
        tape->num_bytes = &self->num_bytes;
        self->num_bytes += sizeof(*tape);
        self->next = ++self->num_tapes;
    }
    return tape;
}

static bool is_of(const spot_tape_t *self, const spot_dice_t *dice)
{
    return self->dice.replication == dice->replication &&
           self->dice.first_entity == dice->first_entity && self->dice.seed == dice->seed;
}

/* Replications come in their order, or in the order in which they came before. */
spot_tape_t *spot_tapes_find(spot_tapes_t *self, const spot_dice_t *dice)
{
    const spot_dice_t *latest =
        self->num_tapes == 0 ? NULL : &self->tapes[self->num_tapes - 1]->dice;

    if (latest == NULL || (latest->seed == dice->seed && latest->replication < dice->replication)) {
        return make(self, dice);
    }
    for (size_t j = 0; j < self->num_tapes; j++) {
        const size_t place = (self->next + j) % self->num_tapes;

        if (is_of(self->tapes[place], dice)) {
            self->next = place;
            return self->tapes[place];
        }
    }
    return make(self, dice);
}
