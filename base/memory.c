/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of the latest request that was refused. */
static atomic_size_t refused_bytes;

static void refuse(size_t num_items, size_t item_bytes)
{
    const bool is_known = item_bytes == 0 || num_items <= SIZE_MAX / item_bytes;

    atomic_store(&refused_bytes, is_known ? num_items * item_bytes : SIZE_MAX);
}

size_t spot_memory_refused_bytes(void)
{
    return atomic_load(&refused_bytes);
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

/* ---- Texts ---- */

struct spot_texts_stream {
    struct spot_texts_stream *next;
    FILE *stream;
    char *text;
    size_t num_bytes;
};

void spot_texts_free(spot_texts_t *self)
{
    for (; self->open != NULL; self->open = self->open->next) {
        (void) fclose(self->open->stream);
        free(self->open->text);
    }
    spot_arena_free(&self->arena);
    self->error = 0;
}

char *spot_texts_room(spot_texts_t *self, size_t num_bytes)
{
    char *text = spot_arena_take(&self->arena, num_bytes, 1);

    self->error = spot_error_first(self->error, self->arena.error);
    return text;
}

const char *spot_texts_vadd(spot_texts_t *self, const char *format, va_list values)
{
    va_list again;
    char *text;
    int length;

    va_copy(again, values);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    text = length < 0 ? NULL : spot_texts_room(self, (size_t) length + 1);
    if (text == NULL) {
        return "";
    }
    (void) vsnprintf(text, (size_t) length + 1, format, values);
    return text;
}

const char *spot_texts_add(spot_texts_t *self, const char *format, ...)
{
    va_list values;
    const char *text;

    va_start(values, format);
    text = spot_texts_vadd(self, format, values);
    va_end(values);
    return text;
}

const char *spot_texts_join(
    spot_texts_t *self, const char *list, const char *between, const char *item)
{
    return list[0] == '\0'   ? item
           : item[0] == '\0' ? list
                             : spot_texts_add(self, "%s%s%s", list, between, item);
}

FILE *spot_texts_begin(spot_texts_t *self)
{
    struct spot_texts_stream *item = spot_arena_take(&self->arena, 1, sizeof(*item));

    if (item != NULL) {
        item->stream = open_memstream(&item->text, &item->num_bytes);
    }
    if (item == NULL || item->stream == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
        return NULL;
    }
    item->next = self->open;
    self->open = item;
    return item->stream;
}

const char *spot_texts_end(spot_texts_t *self, FILE *stream)
{
    struct spot_texts_stream **place = &self->open, *item;
    char *text = NULL;

    if (stream == NULL) {
        return "";
    }
    while ((*place)->stream != stream) {
        place = &(*place)->next;
    }
    item = *place;
    *place = item->next;
    if (fclose(stream) == 0 && item->text != NULL) {
        text = spot_texts_room(self, item->num_bytes + 1);
    }
    if (text != NULL) {
        memcpy(text, item->text, item->num_bytes);
    } else {
        self->error = SPOT_ERR_NO_MEMORY;
    }
    free(item->text);
    return text == NULL ? "" : text;
}
