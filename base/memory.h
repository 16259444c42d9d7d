/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing arrays and copies of text, for all rooms. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* Makes room for num_needed items in an array, doubling its capacity *max_items from at
 * least 16, so that appending is O(1) amortised. array is the address of the pointer to
 * the items, which may be of any type. NO_MEMORY leaves both unchanged. */
SPOT_MUST_CHECK int spot_array_reserve(
    void *array, size_t *max_items, size_t num_needed, size_t item_bytes);

/* The bytes that an array has which grew to num_items in this way. Any number. */
double spot_array_bytes(double num_items, size_t item_bytes);

/* The same of an array "items" of owner with num_items and max_items beside it: room for
 * num_needed of them; or for one more, which is then appended. 0, NO_MEMORY. */
#define SPOT_ARRAY_ROOM(owner, items, num_needed)                                                  \
    spot_array_reserve(&(owner)->items, &(owner)->max_##items, num_needed, sizeof(*(owner)->items))
#define SPOT_ARRAY_APPEND(owner, items, ...)                                                       \
    (SPOT_ARRAY_ROOM(owner, items, (owner)->num_##items + 1) != 0                                  \
            ? SPOT_ERR_NO_MEMORY                                                                   \
            : ((owner)->items[(owner)->num_##items++] = (__VA_ARGS__), 0))

/* The same for an owner that remembers its errors: owner->error. */
#define SPOT_ARRAY_PUSH(owner, items, ...)                                                         \
    ((owner)->error = SPOT_ARRAY_APPEND(owner, items, __VA_ARGS__) != 0 ? SPOT_ERR_NO_MEMORY       \
                                                                        : (owner)->error)

/* calloc() that returns memory for zero items too. NULL: no memory. The caller frees
 * it. */
SPOT_MUST_CHECK void *spot_calloc(size_t num_items, size_t item_bytes);

/* Writes for a message of how many bytes memory was short last, of what is asked for by
 * the functions here, and which limit the process has: ": 3.2 GB were asked for, the
 * process may have 500 MB (ulimit -v)". Returns text, which is "" where neither is
 * known. */
#define SPOT_MEMORY_TEXT_BYTES 128
const char *spot_memory_shortage(char text[SPOT_MEMORY_TEXT_BYTES]);

/* Zeroed blocks of one owner, freed together. Zero it to start. It remembers that memory
 * was short, so that one check follows all blocks that are needed. */
typedef struct {
    struct spot_block *latest;
    char *room; /* [num_room] of a block, for texts */
    size_t num_room;
    size_t text_block_bytes; /* of the latest such block */
    int error;               /* NO_MEMORY: a block is missing; else 0 */
} spot_arena_t;

/* A block for num_items items, which may be none. NULL: no memory, see error. */
void *spot_arena_take(spot_arena_t *self, size_t num_items, size_t item_bytes);

/* The same for an array of the type that a pointer has. */
#define SPOT_ARENA_ARRAY(self, pointer, num_items)                                                 \
    ((pointer) = spot_arena_take(self, num_items, sizeof(*(pointer))))

/* A copy of a text, or NULL. Short ones share blocks. */
char *spot_arena_text(spot_arena_t *self, const char *text);

void spot_arena_free(spot_arena_t *self);

/* A copy of num_bytes bytes of text and a NUL, or NULL: no memory. The caller frees
 * it. */
SPOT_MUST_CHECK char *spot_text_copy(const char *text, size_t num_bytes);
