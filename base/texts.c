/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

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
