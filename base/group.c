/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/group.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* A final mix, so that all bits of a slot depend on all bytes. */
static uint64_t hash_key(const spot_key_t *key)
{
    uint64_t hash = spot_hash(SPOT_HASH_START, key->bytes, key->num_bytes);

    hash ^= hash >> 32;
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

static bool is_equal(const spot_key_t *a, const spot_key_t *b)
{
    return a->num_bytes == b->num_bytes &&
           (a->num_bytes == 0 || memcmp(a->bytes, b->bytes, a->num_bytes) == 0);
}

/* A table of the first ids plus 1 with open addressing, at most half full. */
int spot_group_equal(const spot_key_t *keys, size_t num_keys, size_t *first_ids)
{
    size_t num_slots = 2;
    size_t *slots;

    while (num_slots < 2 * num_keys) {
        num_slots *= 2;
    }
    slots = spot_calloc(num_slots, sizeof(*slots));
    if (slots == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_keys; j++) {
        size_t slot = (size_t) hash_key(&keys[j]) & (num_slots - 1);

        while (slots[slot] != 0 && !is_equal(&keys[slots[slot] - 1], &keys[j])) {
            slot = (slot + 1) & (num_slots - 1);
        }
        if (slots[slot] == 0) {
            slots[slot] = j + 1;
        }
        first_ids[j] = slots[slot] - 1;
    }
    free(slots);
    return 0;
}
