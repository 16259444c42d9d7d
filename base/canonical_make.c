/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/canonical_internal.h"
#include "base/memory.h"
#include "base/units.h"

typedef struct {
    spot_canonical_t *list;
    spot_canonical_path_t path;
    const spot_inputs_t *inputs; /* or NULL */
    bool is_chosen;              /* the defaults are of a table that was chosen */
} walk_t;

/* ---- Scalars by type; each is NULL where there is no memory ---- */

static char *
text_scalar(const spot_node_t *node)
{
    return spot_canonical_scalar(node->text, node->is_quoted || node->text[0] != '\0');
}

static char *
copy(const char *text)
{
    return spot_text_copy(text, strlen(text));
}

/* Whole numbers with all their digits, so that an integer reads them: 1e6 as 1000000.
 * The sign of -0 stays. */
static char *
number_copy(double number)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    if (nearbyint(number) == number && fabs(number) < 9e18 &&
        !(number == 0 && signbit(number))) {
        snprintf(text, sizeof(text), "%" PRId64, (int64_t) number);
    } else {
        spot_number_text(number, text);
    }
    return copy(text);
}

/* What reads as an integer is kept as one: a double may not have its last digits. */
static char *
number_scalar(const spot_node_t *node)
{
    char text[SPOT_NUMBER_TEXT_BYTES];
    int64_t integer = 0;
    double number = 0;

    if (node->is_quoted || spot_number_parse(node->text, &number) != 0) {
        return text_scalar(node);
    }
    if (number == 0 || spot_integer_parse(node->text, &integer) != 0) {
        return number_copy(number);
    }
    snprintf(text, sizeof(text), "%" PRId64, integer);
    return copy(text);
}

static char *
duration_scalar(const spot_node_t *node)
{
    char text[SPOT_DURATION_TEXT_BYTES];
    const char *problem = "";
    int64_t duration_ms = 0;

    if (spot_duration_parse(node->text, &duration_ms, &problem) != 0) {
        return number_scalar(node);
    }
    spot_duration_text(duration_ms, text);
    return copy(text);
}

/* As a number, which is USD per instance-hour wherever a price is read. */
static char *
price_scalar(const spot_node_t *node)
{
    const char *problem = "";
    double price_usd_per_h = 0;

    if (spot_price_parse(node->text, &price_usd_per_h, &problem) != 0) {
        return text_scalar(node);
    }
    return number_copy(price_usd_per_h);
}

/* *name: of the file that a scalar names, NULL if the journal does not have it. */
static int
find_file(const spot_inputs_t *inputs, const spot_node_t *node, const char **name)
{
    const spot_input_t *input;
    char *path;

    *name = NULL;
    if (inputs == NULL || node->text[0] == '\0') {
        return 0;
    }
    path = spot_node_file_path(node);
    if (path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    input = spot_inputs_find(inputs, path);
    *name = input == NULL ? NULL : input->name;
    free(path);
    return 0;
}

static char *
path_scalar(const spot_inputs_t *inputs, const spot_node_t *node)
{
    const char *name;

    if (find_file(inputs, node, &name) != 0) {
        return NULL;
    }
    return name == NULL ? text_scalar(node) : spot_canonical_scalar(name, true);
}

/* What a bind function of its own reads: judged by its look. */
static char *
any_scalar(const void *context, const spot_node_t *node)
{
    const char *name;

    if (find_file(context, node, &name) != 0) {
        return NULL;
    }
    if (name != NULL) {
        return spot_canonical_scalar(name, true);
    }
    if (strstr(node->text, "USD/") != NULL) {
        return price_scalar(node);
    }
    return duration_scalar(node);
}

static char *
typed_scalar(const walk_t *self, const spot_field_t *field, const spot_node_t *node)
{
    switch (field->type) {
        case SPOT_FIELD_INTEGER:
        case SPOT_FIELD_NUMBER:
            return number_scalar(node);
        case SPOT_FIELD_DURATION:
            return duration_scalar(node);
        case SPOT_FIELD_PRICE:
            return price_scalar(node);
        case SPOT_FIELD_TEXT:
        case SPOT_FIELD_CHOICE:
        case SPOT_FIELD_SELECTOR:
            return text_scalar(node);
        case SPOT_FIELD_PATH:
            return path_scalar(self->inputs, node);
        case SPOT_FIELD_MAP:
        case SPOT_FIELD_CUSTOM:
            break;
    }
    return any_scalar(self->inputs, node);
}

/* ---- The document ---- */

static int walk_fields(walk_t *self, const spot_field_t *fields, const spot_node_t *map);

/* The keys of a map as they stand, in a place of their own: entries are sorted. */
static int
walk_order(walk_t *self, const spot_node_t *map)
{
    spot_canonical_path_t path = {0};
    int ret = spot_canonical_path_key(&path, SPOT_CANONICAL_ORDER);
    size_t num_bytes;

    ret = ret == 0 ? spot_canonical_path_key(&path, self->path.bytes) : ret;
    num_bytes = path.num_bytes;
    for (size_t j = 0; ret == 0 && j < map->num_children; j++) {
        ret = spot_canonical_path_item(&path, j);
        if (ret == 0) {
            ret = spot_canonical_append(
                self->list, path.bytes, spot_canonical_scalar(map->keys[j]->text, true));
        }
        spot_canonical_path_cut(&path, num_bytes);
    }
    free(path.bytes);
    return ret;
}

/* A map, or a name alone, that is bound by a table which it chooses itself. */
static int
walk_chosen(walk_t *self, const spot_field_t *fields, const spot_node_t *node)
{
    const bool was_chosen = self->is_chosen;
    int ret;

    self->is_chosen = true;
    ret = walk_fields(self, fields, node);
    self->is_chosen = was_chosen;
    return ret;
}

static int
walk_value(walk_t *self, const spot_field_t *field, const spot_node_t *node)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;
    const spot_field_t *fields = field->table != NULL ? field->table(node) : NULL;
    int ret = is_map && field->is_ordered ? walk_order(self, node) : 0;

    if (ret != 0) {
        return ret;
    }
    if (fields != NULL) {
        return walk_chosen(self, fields, node);
    }
    if (field->type == SPOT_FIELD_MAP && is_map) {
        return walk_fields(self, field->fields, node);
    }
    if (node->kind != SPOT_NODE_SCALAR) {
        return spot_canonical_append_tree(
            self->list, &self->path, node, any_scalar, self->inputs);
    }
    ret = spot_canonical_append(
        self->list, self->path.bytes, typed_scalar(self, field, node));
    if (ret == 0) {
        self->list->entries[self->list->num_entries - 1].is_selector =
            field->type == SPOT_FIELD_SELECTOR;
    }
    return ret;
}

/* A default as if it stood in the document. */
static int
walk_initial(walk_t *self, const spot_field_t *field, const spot_node_t *map)
{
    const size_t num_before = self->list->num_entries;
    spot_diag_t diag;
    spot_yaml_t document;
    int ret;

    spot_diag_init(&diag);
    ret = spot_yaml_parse(
        &document, map->file, field->initial, strlen(field->initial), &diag);
    spot_bug_assert(ret != SPOT_ERR_BAD_INPUT);
    if (ret == 0) {
        ret = walk_value(self, field, document.root);
    }
    for (size_t j = num_before; j < self->list->num_entries; j++) {
        self->list->entries[j].is_chosen |= self->is_chosen;
    }
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    return ret;
}

/* Keys without a field cannot be there: the document was bound. A scalar in place of a
 * map is its selector. */
static int
walk_fields(walk_t *self, const spot_field_t *fields, const spot_node_t *map)
{
    const size_t num_bytes = self->path.num_bytes;
    int ret = 0;

    for (const spot_field_t *field = spot_field_first(fields); ret == 0 && field != NULL;
         field = spot_field_next(field)) {
        const bool is_name =
            map->kind == SPOT_NODE_SCALAR && field->type == SPOT_FIELD_SELECTOR;
        const spot_node_t *node = is_name ? map : spot_node_get(map, field->name);

        ret = spot_canonical_path_key(&self->path, field->name);
        if (ret == 0 && node != NULL) {
            ret = walk_value(self, field, node);
        } else if (ret == 0 && field->initial != NULL && field->initial[0] != '\0') {
            ret = walk_initial(self, field, map);
        }
        spot_canonical_path_cut(&self->path, num_bytes);
    }
    return ret;
}

static int
walk_inputs(walk_t *self)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->inputs->num_inputs; j++) {
        const spot_input_t *input = &self->inputs->inputs[j];

        spot_bug_assert(input->name != NULL);
        ret = spot_canonical_path_key(&self->path, SPOT_CANONICAL_FILES);
        ret = ret == 0 ? spot_canonical_path_key(&self->path, input->name) : ret;
        if (ret == 0) {
            ret = spot_canonical_append(self->list, self->path.bytes,
                spot_canonical_scalar(input->sha256, true));
        }
        spot_canonical_path_cut(&self->path, 0);
    }
    return ret;
}

int
spot_canonical_make(spot_canonical_t *self, const spot_field_t *fields,
    const spot_node_t *node, const spot_inputs_t *inputs)
{
    walk_t walk = {.list = self, .inputs = inputs};
    int ret = walk_fields(&walk, fields, node);

    if (ret == 0 && inputs != NULL) {
        ret = walk_inputs(&walk);
    }
    free(walk.path.bytes);
    return ret == 0 ? spot_canonical_sort(self) : ret;
}
