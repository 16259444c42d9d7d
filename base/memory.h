/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory, for all rooms: arrays that grow, blocks of one owner that are freed together
 * (spot_arena_t), and texts that are made while something is described (spot_texts_t).
 *
 * Without memory a function returns NO_MEMORY or NULL. An arena and texts remember it, so
 * that one check follows all that is needed. How much there may be is in
 * base/memory_limit.h. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"

/* ---- Arrays ---- */

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

/* The bytes of the latest request of the functions here that was refused; 0: none,
 * SIZE_MAX: more than can be counted. */
size_t spot_memory_refused_bytes(void);

/* ---- Arenas ---- */

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

/* ---- Texts ---- */

/* Texts that are freed together. A caller can use a text as an argument at once, without
 * a buffer of its own:
 *
 *     printf("%s\n", spot_texts_add(&texts, "%zu points", num_points));
 *
 * Without memory a text is "", and error stays NO_MEMORY: check it once, at the end. Zero
 * it to start. */
typedef struct {
    spot_arena_t arena;
    struct spot_texts_stream *open; /* the last one first */
    int error;                      /* 0, NO_MEMORY */
} spot_texts_t;

void spot_texts_free(spot_texts_t *self);

/* A formatted text. */
const char *spot_texts_add(spot_texts_t *self, const char *format, ...) SPOT_PRINTF(2, 3);
const char *spot_texts_vadd(spot_texts_t *self, const char *format, va_list values)
    SPOT_PRINTF(2, 0);

/* A list with one more item, and between in the middle where neither is "". */
const char *spot_texts_join(
    spot_texts_t *self, const char *list, const char *between, const char *item);

/* Zeroed room for a text of num_bytes bytes, the NUL among them. NULL: no memory. */
char *spot_texts_room(spot_texts_t *self, size_t num_bytes);

/* A stream for a text that is written piece by piece. NULL: no memory; the end takes
 * NULL too. Texts may be added, and streams begun and ended, while another one is
 * open. */
FILE *spot_texts_begin(spot_texts_t *self);
const char *spot_texts_end(spot_texts_t *self, FILE *stream);
