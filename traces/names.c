/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/memory.h"

#define MAX_NAMES ((size_t) INT32_MAX / 2)

void spot_names_init(spot_names_t *self)
{
    memset(self, 0, sizeof(*self));
}

void spot_names_free(spot_names_t *self)
{
    for (size_t j = 0; j < self->num_names; j++) {
        free(self->names[j]);
    }
    free(self->names);
    free(self->slots);
    memset(self, 0, sizeof(*self));
}

static uint32_t hash_text(const char *text, size_t num_bytes)
{
    const uint64_t hash = spot_hash(SPOT_HASH_START, text, num_bytes);

    return (uint32_t) (hash ^ (hash >> 32));
}

/* The slot of the text, or the free slot for it. */
static spot_name_slot_t *find_slot(
    const spot_names_t *self, uint32_t hash, const char *text, size_t num_bytes)
{
    size_t place = hash & (self->num_slots - 1);

    for (;;) {
        spot_name_slot_t *slot = &self->slots[place];

        if (slot->name_id < 0) {
            return slot;
        }
        if (slot->hash == hash) {
            const char *name = self->names[slot->name_id];

            if (strncmp(name, text, num_bytes) == 0 && name[num_bytes] == '\0') {
                return slot;
            }
        }
        place = (place + 1) & (self->num_slots - 1);
    }
}

/* Doubles the slots; at most half of them are in use. */
static int grow_slots(spot_names_t *self)
{
    const spot_name_slot_t *old = self->slots;
    const size_t num_old = self->num_slots;
    const size_t num_slots = num_old == 0 ? 32 : 2 * num_old;
    spot_name_slot_t *slots = spot_calloc(num_slots, sizeof(*slots));

    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_slots; j++) {
        slots[j].name_id = -1;
    }
    for (size_t j = 0; j < num_old; j++) {
        size_t place = old[j].hash & (num_slots - 1);

        while (old[j].name_id >= 0 && slots[place].name_id >= 0) {
            place = (place + 1) & (num_slots - 1);
        }
        if (old[j].name_id >= 0) {
            slots[place] = old[j];
        }
    }
    free(self->slots);
    self->slots = slots;
    self->num_slots = num_slots;
    return 0;
}

int32_t spot_names_find(const spot_names_t *self, const char *text, size_t num_bytes)
{
    if (self->num_slots == 0) {
        return -1;
    }
    return find_slot(self, hash_text(text, num_bytes), text, num_bytes)->name_id;
}

int spot_names_add(spot_names_t *self, const char *text, size_t num_bytes, int32_t *name_id)
{
    const uint32_t hash = hash_text(text, num_bytes);
    spot_name_slot_t *slot;
    int ret = 0;

    if (2 * (self->num_names + 1) > self->num_slots) {
        ret = self->num_names < MAX_NAMES ? grow_slots(self) : SPOT_ERR_NO_MEMORY;
        if (ret != 0) {
            return ret;
        }
    }
    slot = find_slot(self, hash, text, num_bytes);
    if (slot->name_id < 0) {
        ret = SPOT_ARRAY_ROOM(self, names, self->num_names + 1);
        if (ret != 0) {
            return ret;
        }
        self->names[self->num_names] = spot_text_copy(text, num_bytes);
        if (self->names[self->num_names] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        slot->hash = hash;
        slot->name_id = (int32_t) self->num_names++;
    }
    *name_id = slot->name_id;
    return 0;
}
