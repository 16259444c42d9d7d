/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the items of an array by their keys; sets of texts with numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

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
