/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory_limit.h"

/* Of the latest request that was refused. */
static atomic_size_t refused_bytes;

static void refuse(size_t num_items, size_t item_bytes)
{
    const bool is_known = item_bytes == 0 || num_items <= SIZE_MAX / item_bytes;

    atomic_store(&refused_bytes, is_known ? num_items * item_bytes : SIZE_MAX);
}

/* A soft limit of the process; INFINITY: it has none. */
static double limit_of(int resource)
{
    struct rlimit limit;
    const bool is_known = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;

    return is_known ? (double) limit.rlim_cur : (double) INFINITY;
}

const char *spot_memory_shortage(char text[SPOT_MEMORY_TEXT_BYTES])
{
    const size_t num_bytes = atomic_load(&refused_bytes);
    const double address_bytes = limit_of(RLIMIT_AS), data_bytes = limit_of(RLIMIT_DATA);
    const double least_bytes = fmin(address_bytes, data_bytes);
    int used = 0;

    text[0] = '\0';
    if (num_bytes > 0) {
        used = num_bytes < 1000000
                   ? snprintf(text, SPOT_MEMORY_TEXT_BYTES, ": %zu bytes were asked for", num_bytes)
                   : snprintf(text, SPOT_MEMORY_TEXT_BYTES, ": %.3g %s were asked for",
                         (double) num_bytes / (num_bytes < 1000000000 ? 1e6 : 1e9),
                         num_bytes < 1000000000 ? "MB" : "GB");
    }
    if (isfinite(least_bytes)) {
        snprintf(text + used, SPOT_MEMORY_TEXT_BYTES - (size_t) used,
            "%s the process may have %.3g MB (%s)", used > 0 ? "," : ":", least_bytes / 1e6,
            address_bytes <= data_bytes       ? "ulimit -v"
            : spot_memory_limit_is_enforced() ? "--max-memory"
                                              : "ulimit -d");
    }
    return text;
}

enum { LEAST_TEXT_BLOCK_BYTES = 512, MOST_TEXT_BLOCK_BYTES = 1 << 16 };

int spot_array_reserve(void *array, size_t *max_items, size_t num_needed, size_t item_bytes)
{
    size_t grown = *max_items < 16 ? 16 : *max_items;
    void *items, *moved;

    if (num_needed <= *max_items) {
        return 0;
    }
    while (grown < num_needed) {
        if (grown > SIZE_MAX / 2) {
            refuse(num_needed, item_bytes);
            return SPOT_ERR_NO_MEMORY;
        }
        grown *= 2;
    }
    if (grown > SIZE_MAX / item_bytes) {
        refuse(grown, item_bytes);
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(&items, array, sizeof(items));
    moved = realloc(items, grown * item_bytes);
    if (moved == NULL) {
        refuse(grown, item_bytes);
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(array, &moved, sizeof(moved));
    *max_items = grown;
    return 0;
}

double spot_array_bytes(double num_items, size_t item_bytes)
{
    const double least = num_items < 16 ? 16 : num_items;

    return num_items > 0 ? exp2(ceil(log2(least))) * (double) item_bytes : 0;
}

void *spot_calloc(size_t num_items, size_t item_bytes)
{
    void *items = calloc(num_items == 0 ? 1 : num_items, item_bytes);

    if (items == NULL) {
        refuse(num_items, item_bytes);
    }
    return items;
}

struct spot_block {
    struct spot_block *before;
    max_align_t items[];
};

void *spot_arena_take(spot_arena_t *self, size_t num_items, size_t item_bytes)
{
    const size_t most = SIZE_MAX / 2 - sizeof(struct spot_block); /* as objects may be */
    struct spot_block *block = NULL;

    if (item_bytes == 0 || num_items <= most / item_bytes) {
        block = calloc(1, sizeof(*block) + num_items * item_bytes);
    }
    if (block == NULL) {
        refuse(num_items, item_bytes);
        self->error = SPOT_ERR_NO_MEMORY;
        return NULL;
    }
    block->before = self->latest;
    self->latest = block;
    return block->items;
}

/* Blocks of texts grow with their number, so that a few texts take little. */
static char *take_room(spot_arena_t *self, size_t num_bytes)
{
    char *taken;

    if (num_bytes > self->num_room) {
        const size_t grown = 2 * self->text_block_bytes;

        self->text_block_bytes = grown < LEAST_TEXT_BLOCK_BYTES  ? LEAST_TEXT_BLOCK_BYTES
                                 : grown > MOST_TEXT_BLOCK_BYTES ? MOST_TEXT_BLOCK_BYTES
                                                                 : grown;
        self->room = spot_arena_take(self, self->text_block_bytes, 1);
        self->num_room = self->room == NULL ? 0 : self->text_block_bytes;
    }
    if (self->num_room == 0) {
        return NULL;
    }
    taken = self->room;
    self->room += num_bytes;
    self->num_room -= num_bytes;
    return taken;
}

char *spot_arena_text(spot_arena_t *self, const char *text)
{
    const size_t num_bytes = strlen(text) + 1;
    char *copy = num_bytes > LEAST_TEXT_BLOCK_BYTES / 4 ? spot_arena_take(self, num_bytes, 1)
                                                        : take_room(self, num_bytes);

    return copy == NULL ? NULL : memcpy(copy, text, num_bytes);
}

void spot_arena_free(spot_arena_t *self)
{
    while (self->latest != NULL) {
        struct spot_block *block = self->latest;

        self->latest = block->before;
        free(block);
    }
    memset(self, 0, sizeof(*self));
}

char *spot_text_copy(const char *text, size_t num_bytes)
{
    char *copy = malloc(num_bytes + 1);

    if (copy != NULL) {
        memcpy(copy, text, num_bytes);
        copy[num_bytes] = '\0';
    } else {
        refuse(num_bytes, 1);
    }
    return copy;
}
