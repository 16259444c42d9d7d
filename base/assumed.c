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

typedef struct {
    spot_bind_visitor_t visitor;
    spot_assumed_t *assumed;
    bool is_in_file; /* that the document names */
} finder_t;

static finder_t *finder_of(const spot_bind_t *bind)
{
    return (finder_t *) (void *) bind->visitor;
}

/* A field takes its default. A label that starts with a blank follows that of its map. */
static void find_missing(spot_bind_t *bind, const spot_field_t *field)
{
    const finder_t *self = finder_of(bind);
    const char *above = self->visitor.label == NULL ? "" : self->visitor.label;
    const char *value = field->otherwise != NULL ? field->otherwise : field->initial;
    char key[sizeof(bind->path) + 128], label[256] = "";

    if (value == NULL || value[0] == '\0') {
        return; /* required, or nothing holds instead */
    }
    snprintf(key, sizeof(key), "%s%s", bind->path, field->name);
    if (field->label != NULL && !self->is_in_file && (field->label[0] != ' ' || above[0] != '\0')) {
        snprintf(label, sizeof(label), "%s%s", field->label[0] == ' ' ? above : "", field->label);
    }
    if (spot_assumed_add(self->assumed, key, value, label[0] == '\0' ? NULL : label) != 0) {
        bind->is_out_of_memory = true;
    }
}

/* Finds the defaults of the file that node names, by paths such as "trainers.llm:
 * job.reload". */
static void find_in_document(spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node)
{
    finder_t *self = finder_of(bind);
    const size_t length = strlen(bind->path);
    const bool was_in_file = self->is_in_file;
    char *path = spot_node_file_path(node);
    const spot_field_t *fields;
    spot_yaml_t document;
    spot_diag_t diag; /* stays unread: whoever bound the document has reported it */

    if (path == NULL) {
        bind->is_out_of_memory = true;
        return;
    }
    spot_diag_init(&diag);
    if (spot_yaml_read(&document, path, &diag) == 0) {
        fields = field->file_table(document.root);
        if (fields != NULL && length + strlen(field->name) + 3 <= sizeof(bind->path)) {
            sprintf(bind->path + length, "%s: ", field->name);
            self->is_in_file = true;
            spot_bind_chosen(bind, fields, NULL, document.root, NULL);
            self->is_in_file = was_in_file;
            bind->path[length] = '\0';
        }
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    free(path);
}

int spot_assumed_find(spot_assumed_t *self, const spot_field_t *fields, const spot_node_t *root)
{
    finder_t finder = {
        .assumed = self, .visitor = {.missing = find_missing, .document = find_in_document}};
    spot_bind_t bind = {.visitor = &finder.visitor};

    spot_bind_map(&bind, fields, NULL, root, NULL);
    return bind.is_out_of_memory ? SPOT_ERR_NO_MEMORY : 0;
}

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
