/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/assumed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static void free_item(spot_assumption_t *item)
{
    free(item->key);
    free(item->value);
    free(item->label);
}

void spot_assumed_free(spot_assumed_t *self)
{
    for (size_t j = 0; j < self->num_items; j++) {
        free_item(&self->items[j]);
    }
    free(self->items);
    memset(self, 0, sizeof(*self));
}

static bool has(const spot_assumed_t *self, const char *key, const char *value)
{
    for (size_t j = 0; j < self->num_items; j++) {
        if (strcmp(self->items[j].key, key) == 0 && strcmp(self->items[j].value, value) == 0) {
            return true;
        }
    }
    return false;
}

int spot_assumed_add(spot_assumed_t *self, const char *key, const char *value, const char *label)
{
    spot_assumption_t item = {.key = NULL};
    int ret;

    if (has(self, key, value)) {
        return 0;
    }
    item.key = spot_text_copy(key, strlen(key));
    item.value = spot_text_copy(value, strlen(value));
    item.label = label == NULL ? NULL : spot_text_copy(label, strlen(label));
    ret = item.key == NULL || item.value == NULL || (label != NULL && item.label == NULL)
              ? SPOT_ERR_NO_MEMORY
              : SPOT_ARRAY_APPEND(self, items, item);
    if (ret != 0) {
        free_item(&item);
    }
    return ret;
}

/* ---- Finding them ---- */

void spot_assumed_sift(
    spot_assumed_t *self, bool (*keeps)(const void *context, const char *key), const void *context)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_items; j++) {
        if (keeps(context, self->items[j].key)) {
            self->items[num_kept++] = self->items[j];
        } else {
            free_item(&self->items[j]);
        }
    }
    self->num_items = num_kept;
}

/* ---- Showing them ---- */

/* The label, or the key where another item has the same label. */
static const char *name_of(const spot_assumed_t *self, size_t item_id)
{
    const spot_assumption_t *item = &self->items[item_id];

    for (size_t j = 0; item->label != NULL && j < self->num_items; j++) {
        if (j != item_id && self->items[j].label != NULL &&
            strcmp(self->items[j].label, item->label) == 0 &&
            strcmp(self->items[j].key, item->key) != 0) {
            return item->key;
        }
    }
    return item->label == NULL ? item->key : item->label;
}

const char *spot_assumed_words(spot_texts_t *texts, const spot_assumed_t *self)
{
    FILE *out = spot_texts_begin(texts);

    for (size_t j = 0; out != NULL && j < self->num_items; j++) {
        fputs(j == 0 ? "assumed, not from your file: " : ", ", out);
        spot_utf8_print(out, name_of(self, j));
        putc(' ', out);
        spot_utf8_print(out, self->items[j].value);
    }
    return spot_texts_end(texts, out);
}

/* Parts of keys, those first that move time and money most. */
static const char *const weighty[] = {"price", "cost", "on_demand", "step", "checkpoint", "notice",
    "reload", "reconfiguration", "restart", "preparation", "load"};
enum { NUM_WEIGHTY = sizeof(weighty) / sizeof(weighty[0]) };

static size_t weight_of(const spot_assumption_t *item)
{
    size_t weight = 0;

    while (weight < NUM_WEIGHTY && strstr(item->key, weighty[weight]) == NULL) {
        weight++;
    }
    return weight;
}

/* "reload time 47 s". */
static const char *item_words(spot_texts_t *texts, const spot_assumed_t *self, size_t item_id)
{
    FILE *out = spot_texts_begin(texts);

    if (out != NULL) {
        spot_utf8_print(out, name_of(self, item_id));
        putc(' ', out);
        spot_utf8_print(out, self->items[item_id].value);
    }
    return spot_texts_end(texts, out);
}

const char *spot_assumed_brief(spot_texts_t *texts, const spot_assumed_t *self, size_t max_chars)
{
    const char *brief = spot_texts_add(texts, "assumed, not from your file: %zu key%s: --verbose",
        self->num_items, self->num_items == 1 ? "" : "s");
    const char *list = "";
    size_t num_listed = 0;

    for (size_t weight = 0; weight <= NUM_WEIGHTY; weight++) {
        for (size_t j = 0; j < self->num_items; j++) {
            const size_t num_left = self->num_items - num_listed - 1;
            const char *longer, *line;

            if (weight_of(&self->items[j]) != weight) {
                continue;
            }
            longer = spot_texts_join(texts, list, ", ", item_words(texts, self, j));
            line = num_left == 0 ? spot_texts_add(texts, "assumed, not from your file: %s", longer)
                                 : spot_texts_add(texts,
                                       "assumed, not from your file: %s, and %zu more: "
                                       "--verbose",
                                       longer, num_left);
            if (spot_utf8_count(line, strlen(line)) <= max_chars) {
                list = longer;
                brief = line;
                num_listed++;
            }
        }
    }
    return self->num_items == 0 ? "" : brief;
}

void spot_assumed_json(const spot_assumed_t *self, spot_json_t *json)
{
    spot_json_open(json, "assumed", '[');
    for (size_t j = 0; j < self->num_items; j++) {
        spot_json_open(json, NULL, '{');
        spot_json_text(json, "key", self->items[j].key);
        spot_json_text(json, "value", self->items[j].value);
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}
