/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int
spot_array_reserve(void *array, size_t *max_items, size_t num_needed, size_t item_bytes)
{
    size_t grown = *max_items < 16 ? 16 : *max_items;
    void *items, *moved;

    if (num_needed <= *max_items) {
        return 0;
    }
    while (grown < num_needed) {
        if (grown > SIZE_MAX / 2) {
            return SPOT_ERR_NO_MEMORY;
        }
        grown *= 2;
    }
    if (grown > SIZE_MAX / item_bytes) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(&items, array, sizeof(items));
    moved = realloc(items, grown * item_bytes);
    if (moved == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(array, &moved, sizeof(moved));
    *max_items = grown;
    return 0;
}

void *
spot_calloc(size_t num_items, size_t item_bytes)
{
    return calloc(num_items == 0 ? 1 : num_items, item_bytes);
}

struct spot_block {
    struct spot_block *before;
    max_align_t items[];
};

void *
spot_arena_take(spot_arena_t *self, size_t num_items, size_t item_bytes)
{
    const size_t most = SIZE_MAX - sizeof(struct spot_block);
    struct spot_block *block = NULL;

    if (item_bytes == 0 || num_items <= most / item_bytes) {
        block = calloc(1, sizeof(*block) + num_items * item_bytes);
    }
    if (block == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
        return NULL;
    }
    block->before = self->latest;
    self->latest = block;
    return block->items;
}

char *
spot_arena_text(spot_arena_t *self, const char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    char *copy = spot_arena_take(self, num_bytes, 1);

    return copy == NULL ? NULL : memcpy(copy, text, num_bytes);
}

void
spot_arena_free(spot_arena_t *self)
{
    while (self->latest != NULL) {
        struct spot_block *block = self->latest;

        self->latest = block->before;
        free(block);
    }
    self->error = 0;
}

char *
spot_text_copy(const char *text, size_t num_bytes)
{
    char *copy = malloc(num_bytes + 1);

    if (copy != NULL) {
        memcpy(copy, text, num_bytes);
        copy[num_bytes] = '\0';
    }
    return copy;
}
