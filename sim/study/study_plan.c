/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/group.h"
#include "base/memory.h"

typedef struct {
    spot_study_t *study;
    spot_bind_t *bind;
    spot_plan_t *plan; /* of the head */
    int64_t num_drawn; /* of a design */
    size_t num_sources;
    spot_axis_source_t *sources; /* [num_sources] */
    size_t num_rows;             /* points as they are planned, none for a grid */
    uint32_t *rows;              /* [num_rows][num_sources] value ids */
} planner_t;

/* Rows of a design; 0 if they are too many, which is told. */
static size_t
count_rows(const planner_t *self)
{
    const size_t max_keys = self->plan->kind == SPOT_PLAN_SENSITIVITY
                                ? SPOT_DESIGN_SALTELLI_INPUTS
                                : SPOT_DESIGN_SOBOL_DIMS;
    const char *name = spot_plan_name(self->plan->kind);
    size_t num_rows = (size_t) self->num_drawn;

    if (self->plan->kind != SPOT_PLAN_LATIN_HYPERCUBE && self->num_sources > max_keys) {
        spot_bind_error(self->bind, self->study->plan_node, NULL,
            "plan: %s sweeps at most %zu keys, not %zu", name, max_keys,
            self->num_sources);
        return 0;
    }
    if (self->plan->kind == SPOT_PLAN_SENSITIVITY) {
        num_rows *= self->num_sources + 2;
    }
    if (num_rows > SPOT_MAX_POINTS) {
        spot_bind_error(self->bind, self->study->plan_node, NULL,
            "plan: %lld base samples of %zu keys are more than %d points",
            (long long) self->num_drawn, self->num_sources, SPOT_MAX_POINTS);
        return 0;
    }
    return num_rows;
}

/* u: [num_rows][num_sources]. */
static int
draw_coordinates(const planner_t *self, double *u)
{
    const size_t num_dims = self->num_sources, num = (size_t) self->num_drawn;
    const uint64_t seed = self->plan->seed;

    switch (self->plan->kind) {
        case SPOT_PLAN_LATIN_HYPERCUBE:
            return spot_design_latin(num, num_dims, seed, u);
        case SPOT_PLAN_SOBOL:
            return spot_design_sobol(num, num_dims, seed, u);
        default:
            return spot_design_saltelli(num, num_dims, seed, u);
    }
}

/* Of a source that is a list: its items stay, rows choose among them. */
static void
choose_items(const planner_t *self, size_t source_id, const double *u, size_t *item_ids)
{
    const spot_design_axis_t axis = {
        .kind = SPOT_DESIGN_CHOICE, .num_choices = self->sources[source_id].num_items};

    for (size_t j = 0; j < self->num_rows; j++) {
        item_ids[j] =
            (size_t) spot_design_value(&axis, u[j * self->num_sources + source_id]);
    }
}

/* In a grid a value that stands twice makes points twice. */
static void
report_repeated(const planner_t *self, const spot_axis_source_t *source, size_t item_id,
    const spot_axis_t *axis)
{
    if (item_id < source->num_items) {
        spot_bind_error(self->bind, source->items[item_id], source->path,
            "the value %s stands twice", axis->texts[source->ids[item_id]]);
    }
}

/* Fills an axis and its column of the rows. u: of a design, else NULL. item_ids:
 * [num_rows] to work in. */
static int
fill_column(planner_t *self, size_t axis_id, const double *u, size_t *item_ids)
{
    spot_axis_source_t *source = &self->sources[axis_id];
    const bool is_choice = u != NULL && !source->is_spread;
    size_t repeated_id;
    int ret = 0;

    if (u != NULL && source->is_spread) {
        ret = spot_axis_source_draw(
            source, self->study, self->num_rows, u + axis_id, self->num_sources);
    }
    if (ret == 0) {
        ret = spot_study_fill_axis(self->study, axis_id, source, &repeated_id);
    }
    if (ret != 0) {
        return ret;
    }
    if (is_choice) {
        choose_items(self, axis_id, u, item_ids);
    }
    if (is_choice || self->plan->kind == SPOT_PLAN_GRID) {
        report_repeated(self, source, repeated_id, &self->study->head.axes[axis_id]);
    }
    for (size_t j = 0; j < self->num_rows; j++) {
        self->rows[j * self->num_sources + axis_id] =
            source->ids[is_choice ? item_ids[j] : j];
    }
    return 0;
}

static int
fill_columns(planner_t *self, const double *u)
{
    size_t *item_ids = spot_calloc(self->num_rows, sizeof(*item_ids));
    int ret = item_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < self->num_sources; j++) {
        ret = fill_column(self, j, u, item_ids);
    }
    free(item_ids);
    return ret;
}

/* Room for the rows, and their values. */
static int
make_rows(planner_t *self, size_t num_rows)
{
    const bool is_design = spot_plan_is_design(self->plan->kind);
    const size_t num_ids = num_rows * self->num_sources;
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
    const size_t row_bytes = self->num_sources * sizeof(*self->rows);
    spot_key_t *keys = spot_calloc(self->num_rows, sizeof(*keys));
    int ret = SPOT_ERR_NO_MEMORY;

    if (keys != NULL) {
        for (size_t j = 0; j < self->num_rows; j++) {
            keys[j] = (spot_key_t){&self->rows[j * self->num_sources], row_bytes};
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
    spot_study_head_t *head = &self->study->head;
    const size_t row_bytes = self->num_sources * sizeof(*self->rows);

    head->num_points = 0;
    for (size_t j = 0; j < self->num_rows; j++) {
        if (point_ids[j] != j) {
            point_ids[j] = point_ids[point_ids[j]]; /* that row has its point */
            self->plan->num_merged++;
            continue;
        }
        memmove(&self->rows[head->num_points * self->num_sources],
            &self->rows[j * self->num_sources], row_bytes);
        point_ids[j] = head->num_points++;
    }
    head->value_ids = self->rows;
    self->rows = NULL;
}

/* A point that is run twice is a mistake in a list, and chance in a design. */
static void
report_repeated_row(const planner_t *self, const size_t *first_ids)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        if (first_ids[j] != j) {
            const spot_node_t *node = self->plan->kind == SPOT_PLAN_LIST
                                          ? self->study->sweep_node->children[j]
                                          : self->sources[0].items[j];

            spot_bind_error(self->bind, node, NULL,
                "sweep: point %zu has the same values as point %zu", j + 1,
                first_ids[j] + 1);
            return;
        }
    }
}

static int
keep_sample_points(planner_t *self, const size_t *point_ids)
{
    self->plan->num_samples = (size_t) self->num_drawn;
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
    spot_study_head_t *head = &self->study->head;
    int ret = fill_columns(self, NULL);

    for (size_t j = 0; ret == 0 && j < self->num_sources; j++) {
        if (head->axes[j].num_values > SPOT_MAX_POINTS / head->num_points) {
            spot_bind_error(self->bind, self->sources[j].node, self->sources[j].path,
                "more than %d points in all", SPOT_MAX_POINTS);
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
    const spot_axis_source_t *first = &self->sources[0];
    const size_t num_errors = self->bind->diag->num_errors;

    for (size_t j = 1; j < self->num_sources; j++) {
        const spot_axis_source_t *source = &self->sources[j];

        if (source->num_items != first->num_items) {
            spot_bind_error(self->bind, source->node, source->path,
                "%zu values, but %s (line %zu) has %zu: a zip needs as many of each",
                source->num_items, first->path, first->node->line, first->num_items);
        }
    }
    return self->bind->diag->num_errors == num_errors;
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
        num_rows = self->sources[0].num_items;
    }
    return num_rows == 0 ? SPOT_ERR_BAD_INPUT : plan_rows(self, num_rows);
}

static void
free_planner(planner_t *self)
{
    for (size_t j = 0; self->sources != NULL && j < self->num_sources; j++) {
        spot_axis_source_free(&self->sources[j]);
    }
    free(self->sources);
    free(self->rows);
}

/* Room for the axes that are to be filled. */
static int
make_axes(planner_t *self)
{
    spot_study_t *study = self->study;

    study->head.axes = spot_calloc(self->num_sources, sizeof(*study->head.axes));
    study->values = spot_calloc(self->num_sources, sizeof(*study->values));
    if (study->head.axes == NULL || study->values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    study->head.num_axes = self->num_sources;
    return 0;
}

int
spot_study_plan(spot_study_t *self, spot_bind_t *bind)
{
    const size_t num_errors = bind->diag->num_errors;
    planner_t planner = {.study = self, .bind = bind, .plan = &self->head.plan};
    int ret;

    self->head.num_points = 1;
    if (!spot_plan_read(self, bind, planner.plan, &planner.num_drawn)) {
        return SPOT_ERR_BAD_INPUT;
    }
    ret = spot_sweep_read(self, bind, spot_plan_is_design(planner.plan->kind),
        &planner.num_sources, &planner.sources);
    if (ret == 0 && bind->diag->num_errors == num_errors && planner.num_sources > 0) {
        ret = make_axes(&planner);
        if (ret == 0) {
            sprintf(bind->path, "%s.", spot_sweep_name(self));
            ret = plan_points(&planner);
            bind->path[0] = '\0';
        }
    }
    free_planner(&planner);
    return ret == 0 && bind->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}
