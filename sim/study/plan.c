/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/memory.h"
#include "base/units.h"
#include "sim/study/design.h"
#include "sim/study/documents.h"
#include "sim/study/reading.h"

#define MEANING_BYTES (SPOT_UNIT_BYTES + 32)

typedef struct {
    spot_reading_t *reading;
    spot_study_head_t *head;
    spot_plan_t *plan; /* of the head */
    size_t num_swept;
    spot_swept_t *swept; /* [num_swept] */
    size_t num_rows;     /* points as they are planned, none for a grid */
    uint32_t *rows;      /* [num_rows][num_swept] value ids */
} planner_t;

/* ---- Values ---- */

static const char *
item_text(const spot_swept_t *swept, size_t item_id)
{
    return swept->drawn != NULL ? swept->drawn[item_id]
                                : swept->items.words[item_id].text;
}

static const spot_node_t *
item_place(const spot_swept_t *swept, size_t item_id)
{
    return swept->drawn != NULL ? &swept->place : &swept->items.words[item_id];
}

/* What tells values apart. Quantities that are the same are so however they are written;
 * a number in quotes is a text. NULL: no memory. */
static char *
meaning_of(const char *text, bool is_quoted)
{
    spot_quantity_t quantity;
    char meaning[MEANING_BYTES + 2];
    char *copy;

    if (spot_quantity_parse(text, &quantity) && (!is_quoted || quantity.is_duration)) {
        snprintf(meaning, sizeof(meaning), "%c%.17g %s",
            quantity.is_duration ? 'd' : 'n', quantity.value + 0.0,
            quantity.unit); /* -0 is 0 */
        return spot_text_copy(meaning, strlen(meaning));
    }
    copy = malloc(strlen(text) + 2);
    if (copy != NULL) {
        copy[0] = 't';
        strcpy(copy + 1, text);
    }
    return copy;
}

static char *
meaning_of_item(const spot_swept_t *swept, size_t item_id)
{
    return meaning_of(item_text(swept, item_id),
        swept->drawn == NULL && swept->items.words[item_id].is_quoted);
}

/* first_ids: [num_items] for each item the first one that means the same. */
static int
find_equal_items(const spot_swept_t *swept, size_t *first_ids)
{
    spot_key_t *keys = spot_calloc(swept->num_items, sizeof(*keys));
    char **meanings = spot_calloc(swept->num_items, sizeof(*meanings));
    int ret = keys == NULL || meanings == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < swept->num_items; j++) {
        meanings[j] = meaning_of_item(swept, j);
        ret = meanings[j] == NULL ? SPOT_ERR_NO_MEMORY : 0;
        keys[j] =
            (spot_key_t){meanings[j], meanings[j] == NULL ? 0 : strlen(meanings[j])};
    }
    if (ret == 0) {
        ret = spot_group_equal(keys, swept->num_items, first_ids);
    }
    for (size_t j = 0; meanings != NULL && j < swept->num_items; j++) {
        free(meanings[j]);
    }
    free(meanings);
    free(keys);
    return ret;
}

/* What reports read of the values: texts, and numbers if all of them count the same. */
static int
describe_values(spot_axis_t *axis, const spot_swept_t *swept)
{
    char unit[SPOT_UNIT_BYTES] = "";

    axis->texts = spot_calloc(axis->num_values, sizeof(*axis->texts));
    axis->numbers = spot_calloc(axis->num_values, sizeof(*axis->numbers));
    if (axis->texts == NULL || axis->numbers == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        const char *text = item_text(swept, swept->item_ids[j]);
        spot_quantity_t quantity;
        const char *own_unit;
        bool is_quantity;

        axis->texts[j] = spot_text_copy(text, strlen(text));
        if (axis->texts[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        is_quantity = spot_quantity_parse(text, &quantity);
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

/* Makes the distinct items of a key the values of its axis, in the order in which they
 * come first. *repeated_id: an item that is equal to an earlier one, or num_items. */
static int
fill_axis(planner_t *self, size_t axis_id, size_t *repeated_id)
{
    spot_swept_t *swept = &self->swept[axis_id];
    spot_axis_t *axis = &self->head->axes[axis_id];
    size_t *first_ids = spot_calloc(swept->num_items, sizeof(*first_ids));
    int ret = SPOT_ERR_NO_MEMORY;

    *repeated_id = swept->num_items;
    swept->value_ids = spot_calloc(swept->num_items, sizeof(*swept->value_ids));
    swept->item_ids = spot_calloc(swept->num_items, sizeof(*swept->item_ids));
    axis->path = spot_text_copy(swept->path, strlen(swept->path));
    if (swept->item_ids != NULL && first_ids != NULL && swept->value_ids != NULL &&
        axis->path != NULL) {
        ret = find_equal_items(swept, first_ids);
    }
    for (size_t j = 0; ret == 0 && j < swept->num_items; j++) {
        if (first_ids[j] == j) {
            swept->value_ids[j] = (uint32_t) axis->num_values;
            swept->item_ids[axis->num_values++] = j;
        } else {
            swept->value_ids[j] = swept->value_ids[first_ids[j]];
            *repeated_id = *repeated_id == swept->num_items ? j : *repeated_id;
        }
    }
    if (ret == 0) {
        spot_documents_keep_values(
            self->reading->study->documents, axis_id, swept->item_ids, axis->num_values);
        ret = describe_values(axis, swept);
    }
    free(first_ids);
    return ret;
}

int
spot_plan_find_value(const spot_reading_t *self, size_t axis_id, const spot_node_t *word,
    size_t *value_id)
{
    const spot_swept_t *swept = &self->request.swept[axis_id];
    const size_t num_values = self->study->head.axes[axis_id].num_values;
    char *wanted = meaning_of(word->text, word->is_quoted);
    bool is_found = false;
    int ret = wanted == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (*value_id = 0; ret == 0 && *value_id < num_values && !is_found;) {
        char *meaning = meaning_of_item(swept, swept->item_ids[*value_id]);

        ret = meaning == NULL ? SPOT_ERR_NO_MEMORY : 0;
        is_found = ret == 0 && strcmp(meaning, wanted) == 0;
        *value_id += !is_found;
        free(meaning);
    }
    free(wanted);
    return ret;
}

/* ---- Rows ---- */

/* Rows of a design; 0 if they are too many. */
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

/* The values of a range at the coordinates of a key. */
static int
draw_items(const planner_t *self, spot_swept_t *swept, const double *u)
{
    char text[SPOT_RANGE_TEXT_BYTES];

    swept->drawn = spot_calloc(self->num_rows, sizeof(*swept->drawn));
    if (swept->drawn == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        spot_range_text_at(&swept->range, u[j * self->num_swept], text);
        swept->drawn[swept->num_items++] = spot_text_copy(text, strlen(text));
        if (swept->drawn[j] == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return 0;
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
    size_t repeated_id;
    int ret = 0;

    if (u != NULL && swept->is_spread) {
        ret = draw_items(self, swept, u);
    }
    if (ret == 0) {
        ret = fill_axis(self, axis_id, &repeated_id);
    }
    if (ret != 0) {
        return ret;
    }
    if ((is_choice || self->plan->kind == SPOT_PLAN_GRID) &&
        repeated_id < swept->num_items) { /* points would be there twice */
        spot_word_error(self->reading, item_place(swept, repeated_id), NULL,
            "%s.%s: the value %s stands twice", self->reading->request.sweep,
            swept->path, self->head->axes[axis_id].texts[swept->value_ids[repeated_id]]);
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        const size_t item_id =
            is_choice ? (size_t) spot_design_value(&choice, u[j * self->num_swept]) : j;

        self->rows[j * self->num_swept + axis_id] = swept->value_ids[item_id];
    }
    return 0;
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

/* Room for the rows, and their values. */
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
    if (ret == 0) {
        ret = fill_columns(self, u);
    }
    free(u);
    return ret;
}

/* first_ids: [num_rows] for each row the first one with the same values. */
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

/* Makes the distinct rows the points. point_ids: [num_rows] the first rows that they are
 * equal to; becomes their points. */
static void
keep_distinct(planner_t *self, size_t *point_ids)
{
    spot_study_head_t *head = self->head;
    const size_t row_bytes = self->num_swept * sizeof(*self->rows);

    head->num_points = 0;
    for (size_t j = 0; j < self->num_rows; j++) {
        if (point_ids[j] != j) {
            point_ids[j] = point_ids[point_ids[j]]; /* that row has its point */
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

/* A point that is run twice is a mistake in a list, and chance in a design. */
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
                    ? spot_node_place(
                          spot_documents_study(self->reading->study->documents), path)
                    : item_place(&self->swept[0], row_id);
        spot_word_error(self->reading, place, "sweep",
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

    if (ret == 0) {
        ret = find_equal_rows(self, point_ids);
    }
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
            spot_word_error(self->reading, &self->swept[j].place, NULL,
                "%s.%s: more than %d points in all", self->reading->request.sweep,
                self->swept[j].path, SPOT_MAX_POINTS);
            return SPOT_ERR_BAD_INPUT;
        }
        head->num_points *= head->axes[j].num_values;
    }
    return ret;
}

/* Keys that move together have as many values each. */
static bool
have_same_length(const planner_t *self)
{
    const spot_swept_t *first = &self->swept[0];
    bool is_same = true;

    for (size_t j = 1; j < self->num_swept; j++) {
        const spot_swept_t *swept = &self->swept[j];

        if (swept->num_items != first->num_items) {
            is_same = false;
            spot_word_error(self->reading, &swept->place, NULL,
                "%s.%s: %zu values, but %s (line %zu) has %zu: a zip needs as many of "
                "each",
                self->reading->request.sweep, swept->path, swept->num_items, first->path,
                first->place.line, first->num_items);
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
