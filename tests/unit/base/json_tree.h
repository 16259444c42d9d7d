/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON that tests look into: a whole text as a tree, and its values. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/number.h"

typedef const spot_json_value_t json_t;

/* The value of a text, for json_delete(). */
typedef struct {
    spot_json_value_t value;
    spot_arena_t arena;
} json_document_t;

static inline json_t *json_parse(const char *text)
{
    json_document_t *self = calloc(1, sizeof(*self));
    spot_json_value_t *value = NULL;

    assert_non_null(self);
    assert_int_equal(spot_json_parse(text, &self->arena, &value), 0);
    self->value = *value;
    return &self->value;
}

static inline void json_delete(json_t *value)
{
    json_document_t *self = (json_document_t *) (uintptr_t) value;

    if (self != NULL) {
        spot_arena_free(&self->arena);
        free(self);
    }
}

static inline json_t *json_first(json_t *self)
{
    return self == NULL ? NULL : self->first;
}

static inline json_t *json_item(json_t *self, int item_id)
{
    json_t *item = json_first(self);

    for (; item != NULL && item_id > 0; item_id--) {
        item = item->next;
    }
    return item;
}

static inline int json_size(json_t *self)
{
    int num = 0;

    for (json_t *item = json_first(self); item != NULL; item = item->next) {
        num++;
    }
    return num;
}

static inline bool json_is_object(json_t *self)
{
    return self != NULL && self->kind == SPOT_JSON_OPEN_OBJECT;
}

static inline bool json_is_list(json_t *self)
{
    return self != NULL && self->kind == SPOT_JSON_OPEN_ARRAY;
}

static inline bool json_is_text(json_t *self)
{
    return self != NULL && self->kind == SPOT_JSON_TEXT;
}

/* null, true or false. */
static inline bool json_is_word(json_t *self, const char *word)
{
    return self != NULL && self->kind == SPOT_JSON_WORD && strcmp(self->text, word) == 0;
}

static inline bool json_is_number(json_t *self)
{
    const char *end =
        self == NULL || self->kind != SPOT_JSON_WORD ? NULL : spot_number_end(self->text);

    return end != NULL && *end == '\0';
}

/* Of a number, and of a text that is one. */
static inline double json_number(json_t *self)
{
    double number = 0;

    assert_non_null(self);
    assert_non_null(spot_number_read(self->text, &number));
    return number;
}

/* Takes a member out of an object, if it is there. */
static inline void json_remove(json_t *object, const char *key)
{
    spot_json_value_t **at = &((spot_json_value_t *) (uintptr_t) object)->first;

    while (*at != NULL && strcmp((*at)->key, key) != 0) {
        at = &(*at)->next;
    }
    *at = *at == NULL ? NULL : (*at)->next;
}
