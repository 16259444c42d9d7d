/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/yaml_internal.h"

/* The slot that holds a key with this text, or the free one where it belongs. FNV-1a. */
static const spot_node_t **
find_slot(const spot_key_set_t *self, const char *text)
{
    uint64_t slot_id = UINT64_C(0xcbf29ce484222325);

    for (const char *byte = text; *byte != '\0'; byte++) {
        slot_id = (slot_id ^ (unsigned char) *byte) * UINT64_C(0x100000001b3);
    }
    slot_id &= self->num_slots - 1;
    while (
        self->slots[slot_id] != NULL && strcmp(self->slots[slot_id]->text, text) != 0) {
        slot_id = (slot_id + 1) & (self->num_slots - 1);
    }
    return &self->slots[slot_id];
}

static int
grow(spot_key_set_t *self)
{
    const spot_key_set_t before = *self;
    const size_t num_slots = before.num_slots == 0 ? 16 : 2 * before.num_slots;
    const spot_node_t **slots = spot_calloc(num_slots, sizeof(*slots));

    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_slots = num_slots;
    self->slots = slots;
    for (size_t j = 0; j < before.num_slots; j++) {
        if (before.slots[j] != NULL) {
            *find_slot(self, before.slots[j]->text) = before.slots[j];
        }
    }
    free(before.slots);
    return 0;
}

int
spot_key_set_add(spot_key_set_t *self, const spot_node_t *key, const spot_node_t **first)
{
    const spot_node_t **slot;

    if (2 * self->num_keys >= self->num_slots && grow(self) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    slot = find_slot(self, key->text);
    if (*slot == NULL) {
        *slot = key;
        self->num_keys++;
    }
    *first = *slot;
    return 0;
}

void
spot_key_set_free(spot_key_set_t *self)
{
    free(self->slots);
    memset(self, 0, sizeof(*self));
}
