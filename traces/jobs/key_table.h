/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the items of an array by the bytes of their keys. Internal to job logs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* An item and a part of the hash of its key, so that most others need no look. */
typedef struct {
    uint32_t hash;
    int32_t item_id; /* -1: the place is free */
} spot_key_place_t;

/* The key of an item of owner. */
typedef const void *(*spot_key_of_t)(
    const void *owner, size_t item_id, size_t *num_bytes);

/* Zero it to start. */
typedef struct {
    size_t num_items;
    size_t num_places;        /* a power of two, at least 4/3 of num_items; or 0 */
    spot_key_place_t *places; /* open addressing */
} spot_key_table_t;

/* The item with this key, or -1. O(1). */
int32_t spot_key_table_find(const spot_key_table_t *self, spot_key_of_t key_of,
    const void *owner, const void *key, size_t num_bytes);

/* Enters an item, whose key no other item has. NO_MEMORY. O(1) amortised. */
SPOT_MUST_CHECK int spot_key_table_enter(
    spot_key_table_t *self, const void *key, size_t num_bytes, size_t item_id);

void spot_key_table_free(spot_key_table_t *self);
