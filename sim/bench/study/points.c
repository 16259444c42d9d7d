/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/condition.h"
#include "base/condition_parse.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/store/head.h"

/* ---- Scenarios ---- */

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

/* Puts a value of an axis into the scenario. NO_MEMORY. */
/* A scalar that is in place only gets another text. */
static int points_place_value(
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
        ret = points_place_value(self, head, j, spot_study_value_id(head, point_id, j));
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

/* ---- Conditions ---- */

/* A name of a condition: a key of the scenario. */
typedef struct {
    size_t axis_id;                 /* whose value decides on it */
    spot_condition_value_t *values; /* at each value of the axis */
} name_t;

typedef struct {
    spot_condition_t condition;
    name_t *names;                  /* [condition.num_names] */
    spot_condition_value_t *values; /* [condition.num_names] at a point */
    size_t num_excluded;
} filter_t;

/* The conditions, and the keys of the scenario before anything is bound. Keys that no
 * axis decides on are those of one more axis, num_axes, with one value. */
typedef struct {
    spot_reading_t *reading;
    const spot_study_head_t *head;
    size_t num_filters;
    filter_t *filters; /* [num_filters] */
    size_t num_paths;
    size_t max_paths;
    char **paths;      /* [num_paths] of scalars, sorted, without repeats */
    spot_yaml_t texts; /* of values */
    spot_arena_t arena;
} where_t;

/* ---- Keys of the scenario ---- */

static size_t num_values(const where_t *self, size_t axis_id)
{
    return axis_id < self->head->num_axes ? self->head->axes[axis_id].num_values : 1;
}

/* The axis whose value decides on a path. */
static size_t axis_of(const where_t *self, const char *path)
{
    size_t axis_id = 0;

    while (axis_id < self->head->num_axes &&
           !spot_canonical_is_within(path, self->head->axes[axis_id].path)) {
        axis_id++;
    }
    return axis_id;
}

/* Makes the canonical form of the scenario with a value of one axis and the first values
 * of the others. */
static int list_keys(const where_t *self, size_t axis_id, size_t value_id, spot_canonical_t *list)
{
    const spot_study_t *study = self->reading->study;
    int ret = 0;

    memset(list, 0, sizeof(*list));
    for (size_t j = 0; ret == 0 && j < self->head->num_axes; j++) {
        ret = points_place_value(study->template, self->head, j, j == axis_id ? value_id : 0);
    }
    return ret == 0 ? spot_canonical_make(
                          list, study->experiment->fields, study->template->scenario.root, NULL)
                    : ret;
}

/* Whether there are keys within an axis: a value is a map or a list, or a scalar that is
 * short for a map, which the canonical form shows. */
static bool has_structure(const where_t *self, size_t axis_id, const spot_canonical_t *first)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    spot_node_t *const *nodes = self->reading->study->template->swept[axis_id].nodes;
    bool is_found = false;

    for (size_t j = 0; j < first->num_entries; j++) {
        const char *path = first->entries[j].path;

        is_found = is_found ||
                   (strcmp(path, axis->path) != 0 && spot_canonical_is_within(path, axis->path));
    }
    for (size_t j = 0; nodes != NULL && j < axis->num_values; j++) {
        is_found = is_found || nodes[j]->kind != SPOT_NODE_SCALAR;
    }
    return is_found;
}

/* Copies a path to its place among the others, unless it is there. */
static int add_path(where_t *self, const char *path)
{
    size_t path_id = self->num_paths;
    char *copy;

    while (path_id > 0 && strcmp(self->paths[path_id - 1], path) > 0) {
        path_id--;
    }
    if (path_id > 0 && strcmp(self->paths[path_id - 1], path) == 0) {
        return 0;
    }
    copy = spot_arena_text(&self->arena, path);
    if (copy == NULL || SPOT_ARRAY_ROOM(self, paths, self->num_paths + 1) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    memmove(&self->paths[path_id + 1], &self->paths[path_id],
        (self->num_paths++ - path_id) * sizeof(*self->paths));
    self->paths[path_id] = copy;
    return 0;
}

/* Conditions cannot name paths with \ or [; an empty map or list has no value. */
static int add_paths(where_t *self, const spot_canonical_t *list)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < list->num_entries; j++) {
        const spot_canonical_entry_t *entry = &list->entries[j];

        if (strpbrk(entry->path, "\\[") == NULL && strcmp(entry->text, "{}") != 0 &&
            strcmp(entry->text, "[]") != 0) {
            ret = add_path(self, entry->path);
        }
    }
    return ret;
}

static int add_axis(where_t *self, size_t axis_id, const spot_canonical_t *first)
{
    const bool has_keys = has_structure(self, axis_id, first);
    int ret = add_path(self, self->head->axes[axis_id].path);

    for (size_t j = 0; ret == 0 && has_keys && j < num_values(self, axis_id); j++) {
        spot_canonical_t list;

        ret = list_keys(self, axis_id, j, &list);
        ret = ret == 0 ? add_paths(self, &list) : ret;
        spot_canonical_free(&list);
    }
    return ret;
}

/* Gathers the paths of all keys at any value. */
static int gather_paths(where_t *self)
{
    spot_canonical_t first;
    int ret = list_keys(self, self->head->num_axes, 0, &first);

    ret = ret == 0 ? add_paths(self, &first) : ret;
    for (size_t j = 0; ret == 0 && j < self->head->num_axes; j++) {
        ret = add_axis(self, j, &first);
    }
    spot_canonical_free(&first);
    return ret;
}

/* ---- Names of conditions ---- */

/* Reads the value of a path at a value of its axis; its type stays ANY if there is
 * none. */
static int read_value(
    where_t *self, const char *path, size_t axis_id, size_t value_id, spot_condition_value_t *value)
{
    spot_canonical_t list;
    spot_yaml_t document;
    const char *text;
    int ret;

    if (axis_id < self->head->num_axes && strcmp(path, self->head->axes[axis_id].path) == 0) {
        spot_node_t *const *nodes = self->reading->study->template->swept[axis_id].nodes;
        const spot_node_t number = {.text = self->head->axes[axis_id].texts[value_id]};

        if (spot_condition_value_of(nodes != NULL ? nodes[value_id] : &number, value)) {
            return 0;
        }
    }
    ret = list_keys(self, axis_id, value_id, &list);
    text = ret == 0 ? spot_canonical_get(&list, path) : NULL;
    if (text != NULL) {
        ret = spot_yaml_parse(&document, "where", text, strlen(text), self->reading->diag);
        if (ret == 0 && spot_condition_value_of(document.root, value)) {
            ret = spot_yaml_adopt(&self->texts, &document);
        }
        spot_yaml_free(&document);
    }
    spot_canonical_free(&list);
    return ret;
}

/* All values of a name, and the kind that they have in common. */
static int read_values(
    where_t *self, filter_t *filter, size_t name_id, const char *path, spot_condition_kind_t *kind)
{
    name_t *name = &filter->names[name_id];
    int ret = 0;

    name->axis_id = axis_of(self, path);
    if (SPOT_ARENA_ARRAY(&self->arena, name->values, num_values(self, name->axis_id)) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < num_values(self, name->axis_id); j++) {
        spot_condition_value_t *value = &name->values[j];
        char shown[SPOT_UTF8_SHOWN_BYTES];

        ret = read_value(self, path, name->axis_id, j, value);
        if (ret == 0 && value->type == SPOT_CONDITION_ANY) {
            const spot_axis_t *axis = &self->head->axes[name->axis_id];

            spot_bug_assert(name->axis_id < self->head->num_axes); /* else no path */
            spot_condition_error(&filter->condition, filter->condition.names[name_id].offset,
                self->reading->diag, "it has no value where %s is %s", axis->path,
                spot_utf8_shown(axis->texts[j], shown));
            ret = SPOT_ERR_BAD_INPUT;
        }
        if (j == 0) {
            *kind = (spot_condition_kind_t){value->type, value->unit};
        }
        kind->type = kind->type == value->type ? value->type : SPOT_CONDITION_ANY;
        /* Units are among a few constants. */
        kind->unit = kind->unit == value->unit ? value->unit : SPOT_CONDITION_ANY_UNIT;
    }
    return ret;
}

/* Resolves the names to keys, reads their values and checks their types and units. */
static int resolve(where_t *self, filter_t *filter)
{
    const size_t num_names = filter->condition.num_names;
    spot_condition_kind_t *kinds = spot_arena_take(&self->arena, num_names, sizeof(*kinds));
    size_t *path_ids = spot_arena_take(&self->arena, num_names, sizeof(*path_ids));
    int ret;

    SPOT_ARENA_ARRAY(&self->arena, filter->names, num_names);
    SPOT_ARENA_ARRAY(&self->arena, filter->values, num_names);
    if (self->arena.error != 0) {
        return self->arena.error;
    }
    ret = spot_condition_resolve(&filter->condition, "key", "", (const char *const *) self->paths,
        self->num_paths, path_ids, self->reading->diag);
    for (size_t j = 0; ret == 0 && j < num_names; j++) {
        ret = read_values(self, filter, j, self->paths[path_ids[j]], &kinds[j]);
    }
    return ret == 0 ? spot_condition_check(&filter->condition, kinds, self->reading->diag) : ret;
}

/* ---- Points ---- */

static int evaluate(const where_t *self, filter_t *filter, size_t point_id, bool *holds)
{
    const spot_study_head_t *head = self->head;
    char text[512];
    size_t offset = 0;
    int outcome;

    for (size_t j = 0; j < filter->condition.num_names; j++) {
        const name_t *name = &filter->names[j];
        const bool is_swept = name->axis_id < head->num_axes;

        filter->values[j] =
            name->values[is_swept ? spot_study_value_id(head, point_id, name->axis_id) : 0];
    }
    outcome = spot_condition_evaluate(&filter->condition, filter->values, holds, &offset);
    if (outcome == 0) {
        filter->num_excluded += !*holds;
        return 0;
    }
    spot_condition_error(&filter->condition, offset, self->reading->diag, "%s%s%s",
        spot_condition_outcome_text(outcome), head->num_axes > 0 ? " at " : "",
        spot_study_point_text(head, point_id, text, sizeof(text)));
    return SPOT_ERR_BAD_INPUT;
}

/* Drops the points for which a condition does not hold. */
static int drop_points(const where_t *self, spot_study_head_t *head)
{
    const size_t num_axes = head->num_axes;
    uint32_t *value_ids = spot_calloc(head->num_points * num_axes, sizeof(*value_ids));
    size_t num_kept = 0;
    int ret = value_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        bool holds = true;

        for (size_t k = 0; ret == 0 && holds && k < self->num_filters; k++) {
            ret = evaluate(self, &self->filters[k], j, &holds);
        }
        for (size_t k = 0; holds && k < num_axes; k++) {
            value_ids[num_kept * num_axes + k] = (uint32_t) spot_study_value_id(head, j, k);
        }
        num_kept += holds;
    }
    for (size_t j = 0; ret == 0 && num_kept == 0 && j < self->num_filters; j++) {
        spot_condition_error(&self->filters[j].condition, 0, self->reading->diag,
            "no point is left: this excludes %zu of %zu%s", self->filters[j].num_excluded,
            head->num_points, j == 0 ? "" : ", those before not counted");
    }
    ret = ret == 0 && num_kept == 0 ? SPOT_ERR_BAD_INPUT : ret;
    if (ret != 0 || num_kept == head->num_points) {
        free(value_ids);
        return ret;
    }
    head->plan.num_excluded = head->num_points - num_kept;
    head->num_points = num_kept;
    free(head->value_ids);
    head->value_ids = value_ids;
    return 0;
}

/* ---- All conditions ---- */

/* Reads all conditions and what their names are; reports all that is wrong. */
static int read_conditions(where_t *self)
{
    const spot_node_t *word;
    int error = 0, ret;

    while ((word = spot_word(self->reading->request.where, self->num_filters)) != NULL) {
        filter_t *filter = &self->filters[self->num_filters++];

        ret = spot_condition_parse(&filter->condition, word, "where", self->reading->diag);
        error = spot_error_first(error, ret);
    }
    error = error == 0 ? gather_paths(self) : error;
    if (error != 0) {
        return error;
    }
    for (size_t j = 0; j < self->num_filters; j++) {
        ret = resolve(self, &self->filters[j]);
        error = spot_error_first(error, ret);
    }
    return error;
}

static void free_where(where_t *self)
{
    for (size_t j = 0; j < self->num_filters; j++) {
        spot_condition_free(&self->filters[j].condition);
    }
    free(self->paths);
    spot_arena_free(&self->arena);
    spot_yaml_free(&self->texts);
}

int spot_where_apply(spot_reading_t *self)
{
    spot_study_head_t *head = &self->study->head;
    const spot_node_t *where = self->request.where;
    where_t conditions = {.reading = self, .head = head};
    int ret;

    if (where == NULL) {
        return 0;
    }
    if (head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        spot_reading_error(
            self, "where", "a sensitivity plan needs all its points: expected no condition");
        return SPOT_ERR_BAD_INPUT;
    }
    if (SPOT_ARENA_ARRAY(&conditions.arena, conditions.filters, where->num_children + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = read_conditions(&conditions);
    ret = ret == 0 ? drop_points(&conditions, head) : ret;
    free_where(&conditions);
    return ret;
}
