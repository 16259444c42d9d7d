/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items by their keys: finding, grouping, sorting.
 *
 * spot_key_table_t finds an item of the owner's array by its key in O(1); the owner keeps
 * the items. spot_names_t owns distinct texts and numbers them. spot_group_equal() finds
 * repeats among keys that are all there, spot_order_integers() sorts by integers. */
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
    const unsigned char *byte = (const unsigned char *) bytes; /* C++ reads this too */

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

/* ---- Names ---- */

/* Distinct texts, numbered 0, 1, ... in the order of their addition. Zero it to start. */
typedef struct {
    size_t num_names;
    size_t max_names;
    char **names; /* [num_names] by id, owned */
    spot_key_table_t table;
} spot_names_t;

/* The id of a text of num_bytes bytes, or -1. O(bytes) expected. */
int32_t spot_names_find(const spot_names_t *self, const char *text, size_t num_bytes);

/* Sets name_id to the id of a text; adds a copy of one that is not there. NO_MEMORY
 * leaves self unchanged. O(bytes) expected. */
SPOT_MUST_CHECK int spot_names_add(
    spot_names_t *self, const char *text, size_t num_bytes, int32_t *name_id);

/* "" for -1. */
static inline const char *spot_names_text(const spot_names_t *self, int32_t name_id)
{
    return name_id < 0 ? "" : self->names[name_id];
}

void spot_names_free(spot_names_t *self);

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
