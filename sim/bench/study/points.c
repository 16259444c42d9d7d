/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/study/reading.h"

#define POINT_BYTES 512      /* of the values of a point in a message */
#define MAX_KEPT_POINTS 4096 /* points whose scenarios are kept */
#define MAX_ASKED_POINTS 256 /* first points that are asked what they assume, whatever they are */

const char *spot_study_point_text(
    const spot_study_head_t *head, size_t point_id, char *text, size_t text_bytes)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used < text_bytes; j++) {
        used += (size_t) snprintf(text + used, text_bytes - used, "%s%s %s", j == 0 ? "" : ", ",
            head->axes[j].path,
            spot_utf8_shown(head->axes[j].texts[spot_study_value_id(head, point_id, j)], shown));
    }
    return text;
}

/* ---- One point ---- */

/* A scalar that is in place only gets another text. */
int spot_points_place_value(
    spot_template_t *self, const spot_study_head_t *head, size_t axis_id, size_t value_id)
{
    spot_swept_t *swept = &self->swept[axis_id];
    const bool is_there =
        swept->is_placed && (swept->nodes == NULL || swept->placed_id == value_id);

    swept->is_placed = true;
    swept->placed_id = value_id;
    swept->scalar = (spot_node_t){.file = swept->place->file,
        .line = swept->place->line,
        .column = swept->place->column,
        .text = head->axes[axis_id].texts[value_id]};
    return is_there ? 0
                    : spot_yaml_set(&self->scenario, swept->path,
                          swept->nodes == NULL ? &swept->scalar : swept->nodes[value_id]);
}

static int place_point(spot_template_t *self, const spot_study_head_t *head, size_t point_id)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = spot_points_place_value(self, head, j, spot_study_value_id(head, point_id, j));
    }
    return ret;
}

int spot_points_bind_one(
    const spot_study_t *self, size_t point_id, const void *like, void **scenario, spot_diag_t *diag)
{
    const int ret = place_point(self->template, &self->head, point_id);

    *scenario = NULL;
    return ret == 0 ? self->experiment->bind(scenario, self->template->scenario.root, like, diag)
                    : ret;
}

int spot_points_find(
    const spot_study_t *self, size_t point_id, const char *path, spot_node_t **scalar)
{
    const int ret = place_point(self->template, &self->head, point_id);

    *scalar = ret == 0 ? spot_node_at(self->template->scenario.root, path) : NULL;
    if (*scalar != NULL && (*scalar)->kind != SPOT_NODE_SCALAR) {
        *scalar = NULL;
    }
    return ret;
}

void spot_points_release(const spot_study_t *self, size_t point_id, void *scenario)
{
    if (scenario != self->scenarios[point_id]) {
        pthread_mutex_lock(&self->template->lock);
        self->experiment->free(scenario);
        pthread_mutex_unlock(&self->template->lock);
    }
}

/* ---- What points yield ---- */

/* Reports a metric whose unit at a point is not that at the first point with the metric.
 */
static void report_unit(const spot_reading_t *self, size_t point_id, const spot_metric_t *metric)
{
    const spot_study_t *study = self->study;
    const spot_metric_layout_t *layout = study->yield.layouts;
    char here[POINT_BYTES], there[POINT_BYTES];
    size_t metric_id = spot_outputs_metric_id(layout->outputs, metric->name);

    while (metric_id == layout->outputs->num_metrics) {
        metric_id = spot_outputs_metric_id((++layout)->outputs, metric->name);
    }
    spot_node_error(self, study->template->scenario.root, NULL,
        "metric %s has the unit \"%s\" at %s, and \"%s\" at %s", metric->name,
        layout->outputs->metrics[metric_id].unit,
        spot_study_point_text(&study->head, layout->first_point, there, sizeof(there)),
        metric->unit, spot_study_point_text(&study->head, point_id, here, sizeof(here)));
}

/* Appends the metrics that the union lacks. BAD_INPUT: a metric has another unit there.
 */
static int join_metrics(const spot_reading_t *self, size_t point_id, const spot_outputs_t *outputs)
{
    spot_yield_t *yield = &self->study->yield;
    spot_outputs_t *all = &yield->outputs;

    if (SPOT_ARRAY_ROOM(yield, metrics, all->num_metrics + outputs->num_metrics) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    all->metrics = yield->metrics;
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        const spot_metric_t *metric = &outputs->metrics[j];
        const bool is_here =
            j < all->num_metrics && strcmp(all->metrics[j].name, metric->name) == 0;
        const size_t metric_id = is_here ? j : spot_outputs_metric_id(all, metric->name);

        if (metric_id == all->num_metrics) {
            yield->metrics[all->num_metrics++] = *metric;
        } else if (strcmp(all->metrics[metric_id].unit, metric->unit) != 0) {
            report_unit(self, point_id, metric);
            return SPOT_ERR_BAD_INPUT;
        }
    }
    return 0;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Lists up to NULL, or NULL. */
static bool are_same_names(const char *const *a, const char *const *b)
{
    size_t j = 0;

    while (a != NULL && b != NULL && a[j] != NULL && b[j] != NULL && strcmp(a[j], b[j]) == 0) {
        j++;
    }
    return a == b || ((a == NULL || a[j] == NULL) && (b == NULL || b[j] == NULL));
}

bool spot_points_are_alike(const spot_outputs_t *a, const spot_outputs_t *b)
{
    bool is_same =
        a->is_random == b->is_random && a->num_metrics == b->num_metrics &&
        is_same_text(a->cannot_run, b->cannot_run) && is_same_text(a->unmeasured, b->unmeasured) &&
        is_same_text(a->beyond.metric, b->beyond.metric) &&
        is_same_text(a->beyond.words, b->beyond.words) && a->beyond.most == b->beyond.most &&
        a->beyond.only_warns == b->beyond.only_warns && a->is_ruled == b->is_ruled &&
        are_same_names(a->never, b->never) && are_same_names(a->ruled, b->ruled);

    for (size_t j = 0; is_same && a->metrics != b->metrics && j < a->num_metrics; j++) {
        is_same = strcmp(a->metrics[j].name, b->metrics[j].name) == 0 &&
                  strcmp(a->metrics[j].unit, b->metrics[j].unit) == 0;
    }
    return is_same;
}

/* Adds a layout that no point before has. The yield borrows its texts. */
static int add_layout(const spot_reading_t *self, size_t point_id, const spot_outputs_t *outputs)
{
    spot_yield_t *yield = &self->study->yield;
    spot_outputs_t *all = &yield->outputs;
    int ret;

    if (yield->num_layouts == 0) {
        *all = *outputs;
        all->num_metrics = 0;
        all->cannot_run = NULL;
        all->unmeasured = NULL;
        all->never = all->ruled = NULL;
        all->is_ruled = false;
        all->beyond = (spot_beyond_t){.metric = NULL};
    }
    ret = join_metrics(self, point_id, outputs);
    ret = ret == 0 ? SPOT_ARRAY_ROOM(yield, layouts, yield->num_layouts + 1) : ret;
    if (ret == 0) {
        yield->layouts[yield->num_layouts++] =
            (spot_metric_layout_t){.outputs = outputs, .first_point = point_id};
        all->is_random = all->is_random || outputs->is_random;
        all->beyond = all->beyond.metric == NULL ? outputs->beyond : all->beyond;
        all->num_series =
            all->num_series > outputs->num_series ? all->num_series : outputs->num_series;
    }
    return ret;
}

/* Adds what a point yields; points come in order. BAD_INPUT: a metric has another unit
 * at a point before. O(metrics) where the point has the layout of the one before. */
static int add_yield(const spot_reading_t *self, size_t point_id, const void *scenario)
{
    const spot_outputs_t *outputs = self->study->experiment->outputs(scenario);
    spot_yield_t *yield = &self->study->yield;
    const size_t num_layouts = yield->num_layouts;
    size_t layout_id = point_id == 0 ? 0 : yield->layout_ids[point_id - 1];
    size_t num_others = 0;

    while (num_others < num_layouts &&
           !spot_points_are_alike(yield->layouts[layout_id].outputs, outputs)) {
        layout_id = (layout_id + 1) % num_layouts;
        num_others++;
    }
    if (num_others < num_layouts) {
        yield->layout_ids[point_id] = (uint32_t) layout_id;
        return 0;
    }
    yield->layout_ids[point_id] = (uint32_t) num_layouts;
    return add_layout(self, point_id, outputs);
}

/* ---- What is wrong with a point ---- */

/* After an error at a point: reports ranges without a step of keys that take whole
 * numbers. */
static void hint_step(const spot_reading_t *self, size_t point_id)
{
    const spot_study_head_t *head = &self->study->head;
    const spot_node_t *root = self->study->template->scenario.root;

    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_swept_t *swept = &self->study->template->swept[j];
        const double number = head->axes[j].numbers[spot_study_value_id(head, point_id, j)];
        const spot_field_t *field;

        if (swept->nodes != NULL || swept->range.step > 0 || number == nearbyint(number)) {
            continue;
        }
        field = spot_field_at(self->study->experiment->fields, root, swept->path);
        if (field != NULL && field->type == SPOT_FIELD_INTEGER) {
            spot_node_error(self, swept->place, NULL,
                "%s.%s: add step: 1 to the range, for whole numbers", self->request.sweep_key,
                swept->path);
        }
    }
}

/* ---- How points stand beside each other ---- */

/* The points that are bound so far. */
typedef struct {
    void *last; /* scenario, which may share its large parts with the next one */
    size_t last_id;
    const char *first, *other; /* sides; NULL: there is none */
    spot_standing_t breaker;   /* of the first point with a fault; path NULL: none */
    size_t breaker_id;
} bound_t;

static void note_standing(
    const spot_study_t *self, size_t point_id, const void *scenario, bound_t *noted)
{
    spot_standing_t standing;

    if (self->experiment->standing == NULL) {
        return;
    }
    standing = self->experiment->standing(scenario);
    noted->first = noted->first == NULL ? standing.side : noted->first;
    if (noted->other == NULL && strcmp(noted->first, standing.side) != 0) {
        noted->other = standing.side;
    }
    if (noted->breaker.path == NULL && standing.path != NULL) {
        noted->breaker = standing;
        noted->breaker_id = point_id;
    }
}

/* A side whose options break the rules of the others may be compared only with itself.
 */
static int check_standings(spot_reading_t *self, const bound_t *noted)
{
    const spot_standing_t *breaker = &noted->breaker;
    spot_study_t *study = self->study;
    int ret;

    if (noted->other == NULL || breaker->path == NULL) {
        return 0;
    }
    ret = place_point(study->template, &study->head, noted->breaker_id);
    if (ret != 0) {
        return ret;
    }
    spot_node_error(self, spot_node_place(study->template->scenario.root, breaker->path),
        breaker->path,
        "%s has options that break rules, and stands beside %s: leave them out, or "
        "compare it only with itself",
        breaker->side, strcmp(breaker->side, noted->first) == 0 ? noted->other : noted->first);
    return SPOT_ERR_BAD_INPUT;
}

/* ---- All points ---- */

void spot_points_free(spot_study_t *self)
{
    spot_yield_t *yield = &self->yield;

    for (size_t j = 0; self->scenarios != NULL && j < self->head.num_points; j++) {
        self->experiment->free(self->scenarios[j]);
    }
    for (size_t j = 0; j < yield->num_layouts; j++) {
        free(yield->layouts[j].columns);
    }
    free(self->scenarios);
    free(yield->layouts);
    free(yield->layout_ids);
    free(yield->metrics);
}

/* The number of swept keys that do not have their first value. */
static size_t num_moved(const spot_study_head_t *head, size_t point_id)
{
    size_t num = 0;

    for (size_t j = 0; j < head->num_axes; j++) {
        num += spot_study_value_id(head, point_id, j) != 0;
    }
    return num;
}

/* Whether a point may assume what no point before does. Beyond the first ones of a grid
 * those with one key moved tell what a value of it leaves out, and in a design all values
 * are numbers. */
static bool may_assume_more(const spot_study_head_t *head, size_t point_id)
{
    return point_id < MAX_ASKED_POINTS ||
           (head->plan.kind == SPOT_PLAN_GRID ? num_moved(head, point_id) <= 1
                                              : !spot_plan_is_design(head->plan.kind));
}

/* Keeps the warnings since mark with the study. */
static int keep_remarks(const spot_reading_t *self, spot_diag_mark_t mark)
{
    int ret = 0;

    for (size_t j = mark.num_items; ret == 0 && j < self->diag->num_items; j++) {
        if (!self->diag->items[j].is_error) {
            ret = spot_study_head_remark(&self->study->head, self->diag->items[j].text);
        }
    }
    return ret;
}

/* Binds a point and, if all before were good, adds what it yields. What a point lacks to
 * be run is no error: the others go on. The study keeps the scenarios of layouts, and
 * all of a few points; another one lives until the next point is bound. */
static int bind_next(spot_reading_t *self, size_t point_id, bool is_good_so_far, bound_t *bound)
{
    spot_study_t *study = self->study;
    const size_t num_layouts = study->yield.num_layouts;
    const spot_diag_mark_t mark = spot_diag_mark(self->diag);
    void *scenario;
    int ret = spot_points_bind_one(study, point_id, bound->last, &scenario, self->diag);

    ret = ret == 0 ? keep_remarks(self, mark) : ret;
    if (ret == 0 && is_good_so_far &&
        may_assume_more(
            &study->head, point_id)) { /* one that cannot run takes nothing for granted */
        ret = spot_experiment_find_assumed(
            study->experiment, scenario, study->template->scenario.root, &study->head.assumed);
    }
    if (ret == SPOT_ERR_CANNOT_RUN) {
        spot_diag_soften(self->diag, mark);
        ret = 0;
    }
    if (ret == SPOT_ERR_BAD_INPUT) {
        hint_step(self, point_id);
    } else if (ret == 0 && is_good_so_far) {
        note_standing(study, point_id, scenario, bound);
        ret = add_yield(self, point_id, scenario);
    }
    if (ret != 0) {
        study->experiment->free(scenario);
        return ret;
    }
    if (study->yield.num_layouts > num_layouts || study->head.num_points <= MAX_KEPT_POINTS) {
        study->scenarios[point_id] = scenario;
    }
    spot_points_release(study, bound->last_id, bound->last);
    bound->last = scenario;
    bound->last_id = point_id;
    return 0;
}

/* The first point shows the errors of the scenario. In a grid the points with one key
 * moved show the errors of swept values; after an error the other points are skipped, as
 * they repeat it. In a list or zip all points are bound; in a design the first faulty
 * point is the only one reported. */
static int bind_all(spot_reading_t *self, bound_t *bound)
{
    const spot_study_head_t *head = &self->study->head;
    int error = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        const bool is_grid = head->plan.kind == SPOT_PLAN_GRID;
        int ret;

        if (error != 0 && is_grid && num_moved(head, j) != 1) {
            continue;
        }
        ret = bind_next(self, j, error == 0, bound);
        error = ret != 0 ? ret : error;
        if (ret == SPOT_ERR_NO_MEMORY || (ret != 0 && j == 0 && is_grid) ||
            (ret != 0 && spot_plan_is_design(head->plan.kind))) {
            break;
        }
    }
    spot_points_release(self->study, bound->last_id, bound->last);
    return error;
}

static int make_room(spot_study_t *self)
{
    const size_t num_points = self->head.num_points;

    self->scenarios = spot_calloc(num_points, sizeof(*self->scenarios));
    self->yield.layout_ids = spot_calloc(num_points, sizeof(*self->yield.layout_ids));
    return self->scenarios == NULL || self->yield.layout_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* At least one point must run. */
static int check_able(spot_reading_t *self)
{
    const spot_yield_t *yield = &self->study->yield;

    for (size_t j = 0; j < yield->num_layouts; j++) {
        if (yield->layouts[j].outputs->cannot_run == NULL) {
            return 0;
        }
    }
    spot_node_error(self, self->study->template->study.root, NULL, "no point can run: %s",
        yield->layouts[0].outputs->cannot_run);
    return SPOT_ERR_BAD_INPUT;
}

int spot_points_bind(spot_reading_t *self)
{
    bound_t bound = {.last = NULL};
    int ret = make_room(self->study);

    ret = ret == 0 ? bind_all(self, &bound) : ret;
    ret = ret == 0 ? check_able(self) : ret;
    return ret == 0 ? check_standings(self, &bound) : ret;
}

/* So that errors in the names of metrics are found in the same pass. */
int spot_points_bind_unswept(spot_reading_t *self)
{
    spot_study_t *study = self->study;
    spot_diag_t quiet;
    int ret;

    study->head.num_points = 1;
    ret = make_room(study);
    spot_diag_init_like(&quiet, self->diag);
    ret = ret == 0 ? study->experiment->bind(
                         &study->scenarios[0], study->template->scenario.root, NULL, &quiet)
                   : ret;
    spot_diag_free(&quiet);
    ret = ret == SPOT_ERR_CANNOT_RUN ? 0 : ret;
    return ret == 0 ? add_yield(self, 0, study->scenarios[0]) : ret;
}
