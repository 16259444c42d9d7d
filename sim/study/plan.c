/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/memory.h"
#include "base/units.h"
#include "sim/study/reading.h"

/* ---- Values ---- */

typedef struct {
    spot_reading_t *reading;
    spot_study_head_t *head;
    spot_plan_t *plan; /* of the head */
    size_t num_swept;
    spot_swept_t *swept; /* [num_swept] */
    size_t num_rows;     /* points as they are planned, none for a grid */
    uint32_t *rows;      /* [num_rows][num_swept] value ids */
} planner_t;

/* A text and its meaning. Equal quantities are equal however they are written; a number
 * in quotes is a text. */
typedef struct {
    char *text;
    spot_quantity_t quantity;
    bool is_number;   /* the text is a quantity */
    bool is_quantity; /* the quantity is the meaning, not the text */
} meaning_t;

static meaning_t
meaning_of(char *text, bool is_quoted)
{
    meaning_t meaning = {.text = text};

    meaning.is_number = spot_quantity_parse(text, &meaning.quantity);
    meaning.is_quantity =
        meaning.is_number && (!is_quoted || meaning.quantity.is_duration);
    meaning.quantity.value += 0.0; /* -0 is 0 */
    return meaning;
}

/* Without padding at the end. */
#define QUANTITY_BYTES (offsetof(spot_quantity_t, unit) + SPOT_UNIT_BYTES)

static spot_key_t
key_of(const meaning_t *meaning)
{
    return meaning->is_quantity ? (spot_key_t){&meaning->quantity, QUANTITY_BYTES}
                                : (spot_key_t){meaning->text, strlen(meaning->text)};
}

/* An item as YAML on one line; NULL: no memory. u: [num_rows][num_swept] of a design,
 * from the key on. */
static char *
item_text(
    const planner_t *self, const spot_swept_t *swept, const double *u, size_t item_id)
{
    char text[SPOT_RANGE_TEXT_BYTES];

    if (swept->nodes != NULL) {
        return spot_node_line(swept->nodes[item_id]);
    }
    if (swept->is_spread) {
        spot_range_draw(&swept->range, u[item_id * self->num_swept], text);
    } else {
        spot_range_text(&swept->range, item_id, text);
    }
    return spot_text_copy(text, strlen(text));
}

static const spot_node_t *
item_place(const spot_swept_t *swept, size_t item_id)
{
    return swept->place->kind == SPOT_NODE_LIST ? swept->place->children[item_id]
                                                : swept->place;
}

/* Gives the axis its values, and numbers where all values have the same unit. The axis
 * owns the texts from now on. */
static int
fill_axis(spot_axis_t *axis, const meaning_t *values, size_t num_values)
{
    const spot_quantity_t *first = &values[0].quantity;
    const char *unit = !values[0].is_number ? ""
                       : first->is_duration ? "s"
                                            : first->unit;

    axis->texts = spot_calloc(num_values, sizeof(*axis->texts));
    axis->numbers = spot_calloc(num_values, sizeof(*axis->numbers));
    axis->unit = spot_text_copy(unit, strlen(unit));
    if (axis->texts == NULL || axis->numbers == NULL || axis->unit == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    axis->num_values = num_values;
    for (size_t j = 0; j < num_values; j++) {
        const spot_quantity_t *quantity = &values[j].quantity;
        const char *own_unit = quantity->is_duration ? "s" : quantity->unit;

        axis->texts[j] = values[j].text;
        axis->numbers[j] =
            !values[j].is_number || strcmp(unit, own_unit) != 0 ? (double) NAN
            : quantity->is_duration ? quantity->value / (double) SPOT_MS_PER_S
                                    : quantity->value;
    }
    return 0;
}

static void
free_items(meaning_t *items, size_t num_items)
{
    for (size_t j = 0; items != NULL && j < num_items; j++) {
        free(items[j].text);
    }
    free(items);
}

/* Moves the distinct items of a key to the front, in their order. value_ids: [num_items]
 * the new places of all items; *repeated_id: the first item that equals an earlier one,
 * or num_items. */
static int
keep_distinct_items(spot_swept_t *swept, meaning_t *items, uint32_t *value_ids,
    size_t *num_values, size_t *repeated_id)
{
    spot_key_t *keys = spot_calloc(swept->num_items, sizeof(*keys));
    size_t *first_ids = spot_calloc(swept->num_items, sizeof(*first_ids));
    int ret = keys == NULL || first_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;

    *num_values = 0;
    *repeated_id = swept->num_items;
    for (size_t j = 0; ret == 0 && j < swept->num_items; j++) {
        keys[j] = key_of(&items[j]);
    }
    ret = ret == 0 ? spot_group_equal(keys, swept->num_items, first_ids) : ret;
    for (size_t j = 0; ret == 0 && j < swept->num_items; j++) {
        const meaning_t item = items[j];

        items[j].text = NULL;
        if (first_ids[j] < j) {
            value_ids[j] = value_ids[first_ids[j]];
            *repeated_id = *repeated_id == swept->num_items ? j : *repeated_id;
            free(item.text);
            continue;
        }
        if (swept->nodes != NULL) {
            swept->nodes[*num_values] = swept->nodes[j];
        }
        value_ids[j] = (uint32_t) *num_values;
        items[(*num_values)++] = item;
    }
    free(first_ids);
    free(keys);
    return ret;
}

/* Makes the distinct items of a key the values of its axis. */
static int
plan_axis(planner_t *self, size_t axis_id, const double *u, uint32_t *value_ids,
    size_t *repeated_id)
{
    spot_swept_t *swept = &self->swept[axis_id];
    spot_axis_t *axis = &self->head->axes[axis_id];
    meaning_t *items = spot_calloc(swept->num_items, sizeof(*items));
    size_t num_values = 0;
    int ret = items == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < swept->num_items; j++) {
        char *text = item_text(self, swept, u, j);
        const bool is_quoted = swept->nodes != NULL && swept->nodes[j]->is_quoted;

        if (text == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        } else {
            items[j] = meaning_of(text, is_quoted);
        }
    }
    if (ret == 0) {
        ret = keep_distinct_items(swept, items, value_ids, &num_values, repeated_id);
    }
    ret = ret == 0 ? fill_axis(axis, items, num_values) : ret;
    free_items(items, axis->num_values == 0 ? swept->num_items : 0);
    axis->path = spot_text_copy(swept->path, strlen(swept->path));
    if (ret == 0) {
        ret = spot_template_add_axis(self->reading->study->template, swept->path,
            swept->place, swept->nodes, num_values);
    }
    return ret == 0 && axis->path == NULL ? SPOT_ERR_NO_MEMORY : ret;
}

int
spot_plan_find_value(const spot_reading_t *self, size_t axis_id, const spot_node_t *node,
    size_t *value_id)
{
    const spot_axis_t *axis = &self->study->head.axes[axis_id];
    spot_node_t *const *nodes = self->request.swept[axis_id].nodes;
    char *text = spot_node_line(node);
    meaning_t wanted;
    bool is_found = false;

    *value_id = 0;
    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    wanted = meaning_of(text, node->is_quoted);
    while (*value_id < axis->num_values && !is_found) {
        const meaning_t meaning = meaning_of(
            axis->texts[*value_id], nodes != NULL && nodes[*value_id]->is_quoted);
        const spot_key_t a = key_of(&wanted), b = key_of(&meaning);

        is_found =
            a.num_bytes == b.num_bytes && memcmp(a.bytes, b.bytes, a.num_bytes) == 0;
        *value_id += !is_found;
    }
    free(text);
    return 0;
}

/* ---- Rows ---- */

/* The number of rows of a design; 0: too many. */
static size_t
count_rows(const planner_t *self)
{
    const long long num_drawn = (long long) self->reading->request.num_drawn;
    const size_t max_keys = self->plan->kind == SPOT_PLAN_SENSITIVITY
                                ? SPOT_DESIGN_SALTELLI_INPUTS
                                : SPOT_DESIGN_SOBOL_DIMS;
    size_t num_rows = (size_t) num_drawn;

    if (self->plan->kind != SPOT_PLAN_LATIN_HYPERCUBE && self->num_swept > max_keys) {
        spot_reading_error(self->reading, "plan", "%s sweeps at most %zu keys, not %zu",
            spot_plan_names[self->plan->kind], max_keys, self->num_swept);
        return 0;
    }
    if (self->plan->kind == SPOT_PLAN_SENSITIVITY) {
        num_rows *= self->num_swept + 2;
    }
    if (num_rows > SPOT_MAX_POINTS) {
        spot_reading_error(self->reading, "plan",
            "%lld base samples of %zu keys are more than %d points", num_drawn,
            self->num_swept, SPOT_MAX_POINTS);
        return 0;
    }
    return num_rows;
}

/* u: [num_rows][num_swept]. */
static int
draw_coordinates(const planner_t *self, double *u)
{
    const size_t num = (size_t) self->reading->request.num_drawn;

    switch (self->plan->kind) {
        case SPOT_PLAN_LATIN_HYPERCUBE:
            return spot_design_latin(num, self->num_swept, self->plan->seed, u);
        case SPOT_PLAN_SOBOL:
            return spot_design_sobol(num, self->num_swept, self->plan->seed, u);
        default:
            return spot_design_saltelli(num, self->num_swept, self->plan->seed, u);
    }
}

/* Fills an axis and its column of the rows. u: of a design, from this key on, else
 * NULL. */
static int
fill_column(planner_t *self, size_t axis_id, const double *u)
{
    spot_swept_t *swept = &self->swept[axis_id];
    const bool is_choice = u != NULL && !swept->is_spread;
    const spot_design_axis_t choice = {
        .kind = SPOT_DESIGN_CHOICE, .num_choices = swept->num_items};
    uint32_t *value_ids;
    size_t repeated_id = 0;
    int ret;

    swept->num_items = swept->is_spread ? self->num_rows : swept->num_items;
    value_ids = spot_calloc(swept->num_items, sizeof(*value_ids));
    ret = value_ids == NULL ? SPOT_ERR_NO_MEMORY
                            : plan_axis(self, axis_id, u, value_ids, &repeated_id);
    if (ret == 0 && (is_choice || self->plan->kind == SPOT_PLAN_GRID) &&
        repeated_id < swept->num_items) { /* points would be repeated */
        spot_node_error(self->reading, item_place(swept, repeated_id), NULL,
            "%s.%s: the value %s stands twice", self->reading->request.sweep_key,
            swept->path, self->head->axes[axis_id].texts[value_ids[repeated_id]]);
    }
    for (size_t j = 0; ret == 0 && j < self->num_rows; j++) {
        const size_t item_id =
            is_choice ? (size_t) spot_design_value(&choice, u[j * self->num_swept]) : j;

        self->rows[j * self->num_swept + axis_id] = value_ids[item_id];
    }
    free(value_ids);
    return ret;
}

static int
fill_columns(planner_t *self, const double *u)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_swept; j++) {
        ret = fill_column(self, j, u == NULL ? NULL : u + j);
    }
    return ret;
}

/* Makes the rows and fills them. */
static int
make_rows(planner_t *self, size_t num_rows)
{
    const bool is_design = spot_plan_is_design(self->plan->kind);
    const size_t num_ids = num_rows * self->num_swept;
    double *u = is_design ? spot_calloc(num_ids, sizeof(*u)) : NULL;
    int ret = 0;

    self->num_rows = num_rows;
    self->rows = spot_calloc(num_ids, sizeof(*self->rows));
    if (self->rows == NULL || (is_design && u == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && is_design) {
        ret = draw_coordinates(self, u);
    }
    ret = ret == 0 ? fill_columns(self, u) : ret;
    free(u);
    return ret;
}

/* Sets first_ids, [num_rows], to the first row with the values of each row. */
static int
find_equal_rows(const planner_t *self, size_t *first_ids)
{
    const size_t row_bytes = self->num_swept * sizeof(*self->rows);
    spot_key_t *keys = spot_calloc(self->num_rows, sizeof(*keys));
    int ret = SPOT_ERR_NO_MEMORY;

    if (keys != NULL) {
        for (size_t j = 0; j < self->num_rows; j++) {
            keys[j] = (spot_key_t){&self->rows[j * self->num_swept], row_bytes};
        }
        ret = spot_group_equal(keys, self->num_rows, first_ids);
    }
    free(keys);
    return ret;
}

/* Makes the distinct rows the points. point_ids: [num_rows] the first row that each row
 * equals; becomes the point of each row. */
static void
keep_distinct(planner_t *self, size_t *point_ids)
{
    spot_study_head_t *head = self->head;
    const size_t row_bytes = self->num_swept * sizeof(*self->rows);

    head->num_points = 0;
    for (size_t j = 0; j < self->num_rows; j++) {
        if (point_ids[j] != j) {
            point_ids[j] = point_ids[point_ids[j]]; /* the point of that row */
            self->plan->num_merged++;
            continue;
        }
        memmove(&self->rows[head->num_points * self->num_swept],
            &self->rows[j * self->num_swept], row_bytes);
        point_ids[j] = head->num_points++;
    }
    head->value_ids = self->rows;
    self->rows = NULL;
}

/* A repeated point is an error in a list; in a design it is chance. */
static void
report_repeated_row(const planner_t *self, const size_t *first_ids)
{
    const spot_node_t *place;
    char path[32];
    size_t row_id = 0;

    while (row_id < self->num_rows && first_ids[row_id] == row_id) {
        row_id++;
    }
    if (row_id < self->num_rows) {
        snprintf(path, sizeof(path), "sweep[%zu]", row_id);
        place = self->plan->kind == SPOT_PLAN_LIST
                    ? spot_node_place(self->reading->study->template->study.root, path)
                    : item_place(&self->swept[0], row_id);
        spot_node_error(self->reading, place, "sweep",
            "point %zu has the same values as point %zu", row_id + 1,
            first_ids[row_id] + 1);
    }
}

static int
keep_sample_points(planner_t *self, const size_t *point_ids)
{
    self->plan->num_samples = (size_t) self->reading->request.num_drawn;
    self->plan->sample_points =
        spot_calloc(self->num_rows, sizeof(*self->plan->sample_points));
    if (self->plan->sample_points == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        self->plan->sample_points[j] = (uint32_t) point_ids[j];
    }
    return 0;
}

static int
plan_rows(planner_t *self, size_t num_rows)
{
    size_t *point_ids = spot_calloc(num_rows, sizeof(*point_ids));
    int ret = point_ids == NULL ? SPOT_ERR_NO_MEMORY : make_rows(self, num_rows);

    ret = ret == 0 ? find_equal_rows(self, point_ids) : ret;
    if (ret == 0) {
        if (!spot_plan_is_design(self->plan->kind)) {
            report_repeated_row(self, point_ids);
        }
        keep_distinct(self, point_ids);
    }
    if (ret == 0 && self->plan->kind == SPOT_PLAN_SENSITIVITY) {
        ret = keep_sample_points(self, point_ids);
    }
    free(point_ids);
    return ret;
}

static int
plan_grid(planner_t *self)
{
    spot_study_head_t *head = self->head;
    int ret = fill_columns(self, NULL);

    for (size_t j = 0; ret == 0 && j < self->num_swept; j++) {
        if (head->axes[j].num_values > SPOT_MAX_POINTS / head->num_points) {
            spot_node_error(self->reading, self->swept[j].place, NULL,
                "%s.%s: more than %d points in all", self->reading->request.sweep_key,
                self->swept[j].path, SPOT_MAX_POINTS);
            return SPOT_ERR_BAD_INPUT;
        }
        head->num_points *= head->axes[j].num_values;
    }
    return ret;
}

/* Keys that move together need equal numbers of values. */
static bool
have_same_length(const planner_t *self)
{
    const spot_swept_t *first = &self->swept[0];
    bool is_same = true;

    for (size_t j = 1; j < self->num_swept; j++) {
        const spot_swept_t *swept = &self->swept[j];

        if (swept->num_items != first->num_items) {
            is_same = false;
            spot_node_error(self->reading, swept->place, NULL,
                "%s.%s: %zu values, but %s (line %zu) has %zu: a zip needs as many of "
                "each",
                self->reading->request.sweep_key, swept->path, swept->num_items,
                first->path, first->place->line, first->num_items);
        }
    }
    return is_same;
}

static int
plan_points(planner_t *self)
{
    size_t num_rows = 0;

    if (self->plan->kind == SPOT_PLAN_GRID) {
        return plan_grid(self);
    }
    if (spot_plan_is_design(self->plan->kind)) {
        num_rows = count_rows(self);
    } else if (have_same_length(self)) {
        num_rows = self->swept[0].num_items;
    }
    return num_rows == 0 ? SPOT_ERR_BAD_INPUT : plan_rows(self, num_rows);
}

int
spot_plan_make(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    spot_study_head_t *head = &self->study->head;
    planner_t planner = {.reading = self,
        .head = head,
        .plan = &head->plan,
        .num_swept = self->request.num_swept,
        .swept = self->request.swept};
    int ret = 0;

    head->num_points = 1;
    if (planner.num_swept > 0) {
        head->axes = spot_calloc(planner.num_swept, sizeof(*head->axes));
        if (head->axes == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        head->num_axes = planner.num_swept;
        ret = plan_points(&planner);
    }
    free(planner.rows);
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
