/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items by their keys: finding, grouping, sorting.
 *
 * spot_key_table_t finds an item of the owner's array by its key in O(1); the owner keeps
 * the items. spot_text_set_t numbers different texts. spot_group_equal() finds repeats
 * among keys that are all there, spot_order_integers() sorts by integers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/* FNV-1a of 64 bits (Fowler, Noll, Vo, IETF draft-eastlake-fnv). */
#define SPOT_HASH_START UINT64_C(0xcbf29ce484222325)

/* Goes on from the hash of what was before. */
static inline uint64_t spot_hash(uint64_t hash, const void *bytes, size_t num_bytes)
{
    const unsigned char *byte = bytes;

    for (size_t j = 0; j < num_bytes; j++) {
        hash = (hash ^ byte[j]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* ---- Tables ---- */

/* Where the items of an array and their keys are: a text that an item points to, or all
 * bytes of the item. */
typedef struct {
    const void *items;
    size_t item_bytes;
    size_t text_offset; /* of a const char * in the item */
    bool is_bytes;
} spot_key_view_t;

/* An item and a part of the hash of its key, so that most others need no look. */
typedef struct {
    uint32_t hash;
    int32_t item_id; /* -1: the place is free */
} spot_key_place_t;

/* Zero it to start. */
typedef struct {
    size_t num_items;
    size_t num_places;        /* a power of two, at least 4/3 of num_items; or 0 */
    spot_key_place_t *places; /* open addressing */
} spot_key_table_t;

/* The item with this key, a text or bytes, or -1. O(1). */
int32_t spot_key_table_find(
    const spot_key_table_t *self, const spot_key_view_t *keys, const void *key);

/* Enters an item of the array, whose key no other item has. NO_MEMORY. O(1) amortised.
 */
SPOT_MUST_CHECK int spot_key_table_enter(
    spot_key_table_t *self, const spot_key_view_t *keys, size_t item_id);

void spot_key_table_free(spot_key_table_t *self);

/* Different texts. Zero it to start. */
typedef struct {
    size_t num_texts;
    size_t max_texts;
    const char **texts; /* [num_texts] by first appearance, in an arena */
    spot_key_table_t table;
} spot_text_set_t;

/* The id of a text, or -1. O(1). */
int32_t spot_text_set_find(const spot_text_set_t *self, const char *text);

/* The same, added with a copy in the arena if it is new; "" is none, -1. NO_MEMORY. */
SPOT_MUST_CHECK int spot_text_set_add(
    spot_text_set_t *self, spot_arena_t *arena, const char *text, int32_t *text_id);

void spot_text_set_free(spot_text_set_t *self);

/* ---- Groups ---- */

/* A text, or a point by its values. */
typedef struct {
    const void *bytes;
    size_t num_bytes;
} spot_key_t;

/* Sets first_ids[j], [num_keys], to the id of the first key with the bytes of key j,
 * which may be j. NO_MEMORY. O(bytes). */
SPOT_MUST_CHECK int spot_group_equal(const spot_key_t *keys, size_t num_keys, size_t *first_ids);

/* ---- Orders ---- */

/* Sets order to the indices of items by their keys, ties by index. Keys differ by less
 * than 2^63; order, scratch: [num_items]. INTERRUPTED: a signal has asked the process to
 * end. Radix sort, O(items). */
SPOT_MUST_CHECK int spot_order_integers(
    const int64_t *keys, size_t num_items, int32_t *order, int32_t *scratch);

/* Compares names: numbers by value, before texts by bytes. */
int spot_order_texts(const char *first, const char *second);
