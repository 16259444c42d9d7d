/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/memory.h"
#include "base/units.h"
#include "sim/study/study_plan.h"

void
spot_axis_source_free(spot_axis_source_t *self)
{
    free(self->items);
    free(self->ids);
    memset(self, 0, sizeof(*self));
}

static int
keep_items(spot_axis_source_t *self, spot_bind_t *bind, spot_node_t *const *items,
    size_t num_items)
{
    if (num_items == 0) {
        spot_bind_error(bind, self->node, self->path, "expected at least one value");
        return 0;
    }
    self->items = spot_calloc(num_items, sizeof(spot_node_t *));
    if (self->items == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(self->items, items, num_items * sizeof(*items));
    self->num_items = num_items;
    return 0;
}

static int
expand_range(spot_axis_source_t *self, spot_study_t *study)
{
    char text[SPOT_RANGE_TEXT_BYTES];

    self->items = spot_calloc((size_t) self->range.num_values, sizeof(spot_node_t *));
    if (self->items == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_items = (size_t) self->range.num_values;
    for (size_t j = 0; j < self->num_items; j++) {
        spot_range_text(&self->range, (int64_t) j, text);
        self->items[j] = spot_yaml_new_scalar(&study->document, text, self->node);
        if (self->items[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

static int
read_range(
    spot_axis_source_t *self, spot_study_t *study, spot_bind_t *bind, bool is_design)
{
    const size_t num_errors = bind->diag->num_errors;

    spot_range_bind(
        &self->range, bind, self->path, self->node, is_design, SPOT_MAX_POINTS);
    if (bind->is_out_of_memory) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->is_spread = is_design && bind->diag->num_errors == num_errors;
    return self->range.num_values > 0 ? expand_range(self, study) : 0;
}

int
spot_axis_source_read(
    spot_axis_source_t *self, spot_study_t *study, spot_bind_t *bind, bool is_design)
{
    const spot_node_t *node = self->node;
    spot_node_t *single;

    if (!spot_yaml_is_path(self->path)) {
        spot_bind_error(bind, node, self->path, "is no key of a scenario");
        return 0;
    }
    if (node->kind == SPOT_NODE_LIST) {
        return keep_items(self, bind, node->children, node->num_children);
    }
    if (node->kind == SPOT_NODE_MAP) {
        return read_range(self, study, bind, is_design);
    }
    single = spot_yaml_new_scalar(&study->document, node->text, node);
    return single == NULL ? SPOT_ERR_NO_MEMORY : keep_items(self, bind, &single, 1);
}

/* One node for equal texts: first_ids[j] is the first item with the text of item j. */
static int
make_nodes(spot_axis_source_t *self, spot_study_t *study,
    char (*texts)[SPOT_RANGE_TEXT_BYTES], const size_t *first_ids)
{
    for (size_t j = 0; j < self->num_items; j++) {
        self->items[j] = first_ids[j] < j ? self->items[first_ids[j]]
                                          : spot_yaml_new_scalar(
                                                &study->document, texts[j], self->node);
        if (self->items[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
}

int
spot_axis_source_draw(spot_axis_source_t *self, spot_study_t *study, size_t num_items,
    const double *u, size_t stride)
{
    char(*texts)[SPOT_RANGE_TEXT_BYTES] = spot_calloc(num_items, sizeof(*texts));
    spot_key_t *keys = spot_calloc(num_items, sizeof(*keys));
    size_t *first_ids = spot_calloc(num_items, sizeof(*first_ids));
    int ret = SPOT_ERR_NO_MEMORY;

    self->items = spot_calloc(num_items, sizeof(spot_node_t *));
    if (texts == NULL || keys == NULL || first_ids == NULL || self->items == NULL) {
        goto out;
    }
    self->num_items = num_items;
    for (size_t j = 0; j < num_items; j++) {
        spot_range_text_at(&self->range, u[j * stride], texts[j]);
        keys[j] = (spot_key_t){texts[j], strlen(texts[j])};
    }
    ret = spot_group_equal(keys, num_items, first_ids);
    if (ret == 0) {
        ret = make_nodes(self, study, texts, first_ids);
    }
out:
    free(first_ids);
    free(keys);
    free(texts);
    return ret;
}

/* In quotes where a bracket or comma would seem to be that of the list or map around. */
static void
write_inner_scalar(const char *text, FILE *out)
{
    if (strpbrk(text, ",[]{}\"") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A node as YAML on one line. */
static void
write_node(const spot_node_t *node, FILE *out)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;

    if (node->kind == SPOT_NODE_SCALAR) {
        fputs(node->text, out);
        return;
    }
    fputc(is_map ? '{' : '[', out);
    for (size_t j = 0; j < node->num_children; j++) {
        fprintf(out, "%s%s%s", j == 0 ? "" : ", ", is_map ? node->keys[j]->text : "",
            is_map ? ": " : "");
        if (node->children[j]->kind == SPOT_NODE_SCALAR) {
            write_inner_scalar(node->children[j]->text, out);
        } else {
            write_node(node->children[j], out);
        }
    }
    fputc(is_map ? '}' : ']', out);
}

/* What tells values apart. Quantities that are the same are so however they are written;
 * a number in quotes is a text. */
static void
write_key(const spot_node_t *node, FILE *out)
{
    spot_quantity_t quantity;

    if (node->kind == SPOT_NODE_SCALAR && spot_quantity_parse(node->text, &quantity) &&
        (!node->is_quoted || quantity.is_duration)) {
        fprintf(out, "%c%.17g %s", quantity.is_duration ? 'd' : 'n',
            quantity.value + 0.0, quantity.unit); /* -0 is 0 */
    } else {
        fputc('t', out);
        write_node(node, out);
    }
}

/* What writer writes of a node, or NULL: no memory. */
static char *
node_text(void (*writer)(const spot_node_t *, FILE *), const spot_node_t *node)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    bool is_whole;

    if (stream == NULL) {
        return NULL;
    }
    writer(node, stream);
    is_whole = ferror(stream) == 0;
    if (fclose(stream) != 0 || !is_whole) {
        free(text);
        return NULL;
    }
    return text;
}

/* first_ids: [num_items] for each item the first one that means the same. */
static int
find_equal_items(const spot_axis_source_t *source, size_t *first_ids)
{
    spot_key_t *keys = spot_calloc(source->num_items, sizeof(*keys));
    char **texts = spot_calloc(source->num_items, sizeof(*texts));
    int ret = keys == NULL || texts == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < source->num_items; j++) {
        texts[j] = node_text(write_key, source->items[j]);
        ret = texts[j] == NULL ? SPOT_ERR_NO_MEMORY : 0;
        keys[j] = (spot_key_t){texts[j], texts[j] == NULL ? 0 : strlen(texts[j])};
    }
    if (ret == 0) {
        ret = spot_group_equal(keys, source->num_items, first_ids);
    }
    for (size_t j = 0; texts != NULL && j < source->num_items; j++) {
        free(texts[j]);
    }
    free(texts);
    free(keys);
    return ret;
}

/* What reports read of the values: texts, and numbers if all of them count the same. */
static int
describe_values(spot_axis_t *axis, spot_node_t *const *values)
{
    char unit[SPOT_UNIT_BYTES] = "";

    axis->texts = spot_calloc(axis->num_values, sizeof(*axis->texts));
    axis->numbers = spot_calloc(axis->num_values, sizeof(*axis->numbers));
    if (axis->texts == NULL || axis->numbers == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        spot_quantity_t quantity;
        const char *own_unit;
        bool is_quantity;

        axis->texts[j] = node_text(write_node, values[j]);
        if (axis->texts[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        is_quantity = spot_quantity_parse(axis->texts[j], &quantity);
        own_unit = quantity.is_duration ? "s" : quantity.unit;
        if (j == 0) {
            strcpy(unit, is_quantity ? own_unit : "");
        }
        axis->numbers[j] =
            is_quantity && strcmp(unit, own_unit) == 0 ? quantity.value : (double) NAN;
        if (quantity.is_duration) {
            axis->numbers[j] /= (double) SPOT_MS_PER_S;
        }
    }
    axis->unit = spot_text_copy(unit, strlen(unit));
    return axis->unit == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int
spot_study_fill_axis(
    spot_study_t *self, size_t axis_id, spot_axis_source_t *source, size_t *repeated_id)
{
    const size_t num_items = source->num_items;
    spot_axis_t *axis = &self->head.axes[axis_id];
    size_t *first_ids = spot_calloc(num_items, sizeof(*first_ids));
    spot_node_t **values = spot_calloc(num_items, sizeof(spot_node_t *));
    int ret = SPOT_ERR_NO_MEMORY;

    *repeated_id = num_items;
    self->values[axis_id] = values;
    source->ids = spot_calloc(num_items, sizeof(*source->ids));
    axis->path = spot_text_copy(source->path, strlen(source->path));
    if (first_ids != NULL && values != NULL && source->ids != NULL &&
        axis->path != NULL) {
        ret = find_equal_items(source, first_ids);
    }
    for (size_t j = 0; ret == 0 && j < num_items; j++) {
        if (first_ids[j] == j) {
            source->ids[j] = (uint32_t) axis->num_values;
            values[axis->num_values++] = source->items[j];
        } else {
            source->ids[j] = source->ids[first_ids[j]];
            *repeated_id = *repeated_id == num_items ? j : *repeated_id;
        }
    }
    free(first_ids);
    return ret == 0 ? describe_values(axis, values) : ret;
}

int
spot_study_find_value(
    const spot_study_t *self, size_t axis_id, const spot_node_t *node, size_t *value_id)
{
    const size_t num_values = self->head.axes[axis_id].num_values;
    char *wanted = node_text(write_key, node);
    int ret = wanted == NULL ? SPOT_ERR_NO_MEMORY : 0;

    *value_id = num_values;
    for (size_t j = 0; ret == 0 && *value_id == num_values && j < num_values; j++) {
        char *text = node_text(write_key, self->values[axis_id][j]);

        ret = text == NULL ? SPOT_ERR_NO_MEMORY : 0;
        if (ret == 0 && strcmp(text, wanted) == 0) {
            *value_id = j;
        }
        free(text);
    }
    free(wanted);
    return ret;
}

/* Whether an item tells at the place of a node that a whole number was expected. */
static bool
wants_integer(const spot_diag_item_t *item, const spot_node_t *node)
{
    char place[64];
    const size_t file_bytes = strlen(node->file);

    snprintf(place, sizeof(place), ":%zu:%zu: ", node->line, node->column);
    return strncmp(item->text, node->file, file_bytes) == 0 &&
           strncmp(item->text + file_bytes, place, strlen(place)) == 0 &&
           strstr(item->text, ": expected an integer") != NULL;
}

void
spot_study_hint_step(
    const spot_study_t *self, size_t point_id, size_t first_item, spot_diag_t *diag)
{
    const spot_node_t *sweep = self->sweep_node;
    const size_t num_items = diag->num_items;

    for (size_t j = 0; j < self->head.num_axes && sweep->kind == SPOT_NODE_MAP; j++) {
        const spot_axis_t *axis = &self->head.axes[j];
        const spot_node_t *range = sweep->children[j];
        const double number =
            axis->numbers[spot_study_value_id(&self->head, point_id, j)];

        if (range->kind != SPOT_NODE_MAP || spot_node_get(range, "step") != NULL ||
            number == nearbyint(number)) {
            continue;
        }
        for (size_t k = first_item; k < num_items; k++) {
            if (wants_integer(&diag->items[k], range)) {
                spot_diag_error(diag, range->file, range->line, range->column,
                    "%s.%s: add step: 1 to the range, for whole numbers",
                    spot_sweep_name(self), axis->path);
                break;
            }
        }
    }
}
