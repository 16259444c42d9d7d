/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/texts.h"

#include <stdlib.h>

struct spot_texts_item {
    spot_texts_item_t *next;
    FILE *stream; /* that writes text; NULL: it is whole */
    char *text;
    size_t num_bytes;
};

void
spot_texts_free(spot_texts_t *self)
{
    while (self->items != NULL) {
        spot_texts_item_t *item = self->items;

        self->items = item->next;
        if (item->stream != NULL) {
            (void) fclose(item->stream);
        }
        free(item->text);
        free(item);
    }
    self->error = 0;
}

static spot_texts_item_t *
add_item(spot_texts_t *self)
{
    spot_texts_item_t *item = calloc(1, sizeof(*item));

    if (item == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
    } else {
        item->next = self->items;
        self->items = item;
    }
    return item;
}

char *
spot_texts_room(spot_texts_t *self, size_t num_bytes)
{
    spot_texts_item_t *item = add_item(self);

    if (item != NULL) {
        item->text = calloc(num_bytes, 1);
        self->error = item->text == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    }
    return item == NULL ? NULL : item->text;
}

const char *
spot_texts_vadd(spot_texts_t *self, const char *format, va_list values)
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

const char *
spot_texts_add(spot_texts_t *self, const char *format, ...)
{
    va_list values;
    const char *text;

    va_start(values, format);
    text = spot_texts_vadd(self, format, values);
    va_end(values);
    return text;
}

FILE *
spot_texts_begin(spot_texts_t *self)
{
    spot_texts_item_t *item = add_item(self);

    if (item == NULL) {
        return NULL;
    }
    item->stream = open_memstream(&item->text, &item->num_bytes);
    self->error = item->stream == NULL ? SPOT_ERR_NO_MEMORY : self->error;
    return item->stream;
}

const char *
spot_texts_end(spot_texts_t *self, FILE *stream)
{
    spot_texts_item_t *item = self->items;

    if (stream == NULL) {
        return "";
    }
    while (item->stream != stream) {
        item = item->next;
    }
    item->stream = NULL;
    if (fclose(stream) != 0 || item->text == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
        return "";
    }
    return item->text;
}
