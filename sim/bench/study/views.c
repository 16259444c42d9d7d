/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications, baseline, best, plot and series: all that needs the points. */
#include "sim/bench/study/views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/study/break_even.h"
#include "sim/bench/study/plan.h"
#include "sim/bench/study/reading.h"

#define MAX_LISTED 12        /* values that a message lists */
#define MAX_SERIES_POINTS 32 /* up to which a study keeps series by default */

/* The axis of a path; num_axes: it is not swept, which is reported. key: of the study,
 * which names the path; place: of the path, NULL: that of the key. */
static size_t find_axis(
    const spot_reading_t *self, const char *key, const spot_node_t *place, const char *path)
{
    const spot_study_head_t *head = &self->study->head;
    size_t axis_id = 0;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    while (axis_id < head->num_axes && strcmp(head->axes[axis_id].path, path) != 0) {
        axis_id++;
    }
    if (axis_id == head->num_axes) {
        spot_node_error(self, place != NULL ? place : spot_reading_place(self, key), key,
            "\"%s\" is not swept", spot_utf8_shown(path, shown));
    }
    return axis_id;
}

/* Reports a key that compares points along an axis, which a design does not have. */
static void check_no_design(const spot_reading_t *self, const char *key)
{
    const spot_plan_kind_t kind = self->study->head.plan.kind;

    if (spot_plan_is_design(kind)) {
        spot_reading_error(self, key, "a %s plan has no points that differ in one key only",
            spot_plan_names[kind]);
    }
}

/* ---- Replications ---- */

/* With a precision or a race each point gets the minimum rounded up to whole batches,
 * but not above the maximum. */
static void settle_minimum(spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const spot_request_t *request = &self->request;
    const bool is_asked = request->min > 0;
    const int64_t min = is_asked ? request->min : outputs->min_replications;
    const int64_t size = outputs->batch_replications;
    const int64_t whole = (min + size - 1) / size * size;
    const int64_t used = whole < request->max ? whole : request->max;

    self->study->head.num_replications = request->max;
    self->study->head.min_replications = used;
    if (!is_asked && min > request->max) {
        spot_reading_error(
            self, "replications.min", "%" PRId64 " is above max, %" PRId64, min, request->max);
    } else if (is_asked && min < used) {
        const spot_node_t *place = spot_reading_place(self, "replications.min");

        spot_diag_warn(self->diag, place->file, place->line, place->column,
            "replications.min: %" PRId64 " is not a multiple of %" PRId64
            ", the replications of a batch: each point gets at least %" PRId64,
            min, size, used);
    }
}

/* How many replications each point gets. */
static void settle_replications(spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const int64_t count = self->request.count;
    spot_study_head_t *head = &self->study->head;

    head->batch_replications = outputs->batch_replications;
    if (head->until.metric != NULL || head->optimise.metric != NULL) {
        settle_minimum(self);
        return;
    }
    head->num_replications = count > 0 ? count : outputs->is_random ? outputs->num_replications : 1;
    head->min_replications = head->num_replications;
}

/* ---- The baseline ---- */

/* Reports a value that an axis does not have, with those that it has; of many the first
 * ones and the number of the others. */
static void report_no_value(
    const spot_reading_t *self, const spot_node_t *node, const spot_axis_t *axis)
{
    char path[SPOT_UTF8_SHOWN_BYTES], text[SPOT_UTF8_SHOWN_BYTES];
    char values[SPOT_UTF8_SHOWN_BYTES * (MAX_LISTED + 1)];
    size_t used = 0, num_left = axis->num_values;

    for (size_t j = 0; j < MAX_LISTED && num_left > 0; j++) {
        num_left--;
        used += (size_t) sprintf(values + used, "%s%s",
            j == 0          ? ""
            : num_left == 0 ? " or "
                            : ", ",
            spot_utf8_shown(axis->texts[j], text));
    }
    if (num_left > 0) {
        sprintf(values + used, " or one of %zu more", num_left);
    }
    spot_node_error(self, node, "baseline", "%s is never \"%s\", it is %s",
        spot_utf8_shown(axis->path, path),
        node->kind == SPOT_NODE_SCALAR ? spot_utf8_shown(node->text, text) : "that", values);
}

/* Finds a key of the baseline and its value. found->axis_id is num_axes if the key is
 * not swept. */
static int find_baseline_value(const spot_reading_t *self, size_t key_id, spot_axis_value_t *found)
{
    const spot_node_t *key = self->request.baseline->keys[key_id];
    const spot_node_t *value = self->request.baseline->children[key_id];
    const spot_study_head_t *head = &self->study->head;
    int ret;

    found->axis_id = find_axis(self, "baseline", key, key->text);
    if (found->axis_id == head->num_axes) {
        return 0;
    }
    ret = spot_plan_find_value(self, found->axis_id, value, &found->value_id);
    if (ret == 0 && found->value_id == head->axes[found->axis_id].num_values) {
        report_no_value(self, value, &head->axes[found->axis_id]);
    }
    return ret;
}

/* A comparison has a value for each of its keys; another study has one key with its
 * value. A design has no partners. */
int spot_views_find_baseline(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    const spot_node_t *baseline = self->request.baseline;
    const size_t num_keys = baseline == NULL ? 0 : baseline->num_children;
    spot_study_head_t *head = &self->study->head;
    spot_axis_value_t first = {0};
    int ret;

    if (baseline == NULL) {
        return 0;
    }
    if (num_keys != 1 && !(self->study->is_comparison && num_keys > 0)) {
        spot_reading_error(self, "baseline", "expected one swept key with its value");
        return 0;
    }
    head->more_baselines = spot_calloc(num_keys - 1, sizeof(*head->more_baselines));
    if (head->more_baselines == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = find_baseline_value(self, 0, &first);
    for (size_t j = 1; ret == 0 && j < num_keys; j++) {
        ret = find_baseline_value(self, j, &head->more_baselines[head->num_more_baselines++]);
    }
    head->has_baseline = ret == 0 && self->diag->num_errors == num_errors;
    head->baseline_axis_id = first.axis_id;
    head->baseline_value_id = first.value_id;
    check_no_design(self, "baseline");
    return ret;
}

/* A point must have one partner at most. */
int spot_views_check_baseline(const spot_reading_t *self)
{
    const spot_study_head_t *head = &self->study->head;
    const bool is_zip = head->plan.kind == SPOT_PLAN_ZIP;
    const spot_axis_t *axis;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t *base_ids, num_compared = 0, num_baselines = 0;
    int ret;

    if (!head->has_baseline) {
        return 0;
    }
    axis = &head->axes[head->baseline_axis_id];
    ret = spot_baseline_points(head, &base_ids);
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        num_compared += base_ids[j] != SPOT_NO_POINT && base_ids[j] != j;
        num_baselines += is_zip && spot_study_is_baseline(head, j);
    }
    free(base_ids);
    if (num_baselines > 1) {
        spot_reading_error(
            self, "baseline", "%zu points of the zip have this value: expected one", num_baselines);
    } else if (ret == 0 && num_compared == 0) {
        spot_reading_error(self, "baseline",
            "nothing to compare: no point differs in %s only from one where it is %s", axis->path,
            spot_utf8_shown(axis->texts[head->baseline_value_id], shown));
    }
    return ret;
}

/* ---- The plot ---- */

static void check_plot(const spot_reading_t *self)
{
    const spot_plot_request_t *plot = &self->study->head.plot;

    if (plot->x != NULL) {
        (void) find_axis(self, "plot.x", NULL, plot->x);
    }
    if (plot->curves == NULL) {
        return;
    }
    (void) find_axis(self, "plot.curves", NULL, plot->curves);
    if (plot->x != NULL && strcmp(plot->x, plot->curves) == 0) {
        spot_reading_error(self, "plot.curves", "is the key of x too: give another one");
    }
    if (plot->num_stack > 0 || plot->second_x != NULL) {
        spot_reading_error(
            self, "plot.curves", "is not used with stack and second_x: curves stand alone");
    }
}

/* ---- The best value of a key ---- */

/* Reports where fewer than two values are left without those whose points rest on what
 * was not measured, or cannot run. */
static int check_competitors(const spot_reading_t *self)
{
    const spot_study_head_t *head = &self->study->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    bool *competes = spot_calloc(axis->num_values, sizeof(*competes));
    const char *reason = NULL;
    size_t num_competing = 0;

    if (competes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        const size_t value_id = spot_study_value_id(head, j, head->best.axis_id);

        num_competing += spot_study_competes(head, j) && !competes[value_id];
        competes[value_id] = competes[value_id] || spot_study_competes(head, j);
        reason = reason == NULL ? spot_study_unmeasured(head, j) : reason;
    }
    free(competes);
    if (num_competing < 2 && reason != NULL) {
        spot_reading_error(self, "best",
            "expected two values of %s or more that compete; what was not measured does "
            "not: %s",
            axis->path, reason);
    }
    return 0;
}

static int leave_out(const spot_reading_t *self)
{
    const spot_node_t *words = self->request.best_except, *word;
    spot_best_t *best = &self->study->head.best;
    const spot_axis_t *axis = &self->study->head.axes[best->axis_id];
    size_t value_id, num_competing = axis->num_values;
    int ret = 0;

    best->is_left_out = spot_calloc(axis->num_values, sizeof(*best->is_left_out));
    if (best->is_left_out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && (word = spot_word(words, j)) != NULL; j++) {
        ret = spot_plan_find_value(self, best->axis_id, word, &value_id);
        if (ret == 0 && value_id < axis->num_values) {
            num_competing -= !best->is_left_out[value_id];
            best->is_left_out[value_id] = true;
        } else if (ret == 0) {
            spot_node_error(self, word, "best.except", "%s never has this value", axis->path);
        }
    }
    if (ret == 0 && num_competing < 2) {
        spot_reading_error(
            self, "best", "expected two values of %s or more that compete", axis->path);
    }
    return ret == 0 && num_competing >= 2 ? check_competitors(self) : ret;
}

static int find_best(const spot_reading_t *self)
{
    const spot_request_t *request = &self->request;
    spot_study_head_t *head = &self->study->head;
    spot_best_t *best = &head->best;
    int ret;

    if (request->best_key == NULL) {
        return 0;
    }
    if (head->optimise.metric != NULL) {
        spot_reading_error(
            self, "best", "is not used with optimise, which looks for the best of all points");
    }
    check_no_design(self, "best");
    if ((request->best_minimise == NULL) == (request->best_maximise == NULL)) {
        spot_reading_error(self, "best", "needs either minimise or maximise");
        return 0;
    }
    best->is_maximised = request->best_maximise != NULL;
    best->metric_id = spot_study_metric_id(
        head, best->is_maximised ? request->best_maximise : request->best_minimise);
    best->axis_id = find_axis(self, "best.key", NULL, request->best_key);
    if (best->axis_id == head->num_axes) {
        return 0;
    }
    best->is_asked = best->metric_id < head->num_metrics;
    ret = leave_out(self);
    return ret == 0 ? spot_break_evens_check(self) : ret;
}

/* ---- Series ---- */

/* Reads a replication of the list. Returns false after an error. */
static bool read_replication(
    const spot_reading_t *self, const char *key, const spot_node_t *word, int64_t *value)
{
    const spot_field_t item = {.name = key, .type = SPOT_FIELD_INTEGER, .min = 0, .max = 1e9};
    const spot_study_t *study = self->study;
    const size_t num_errors = self->diag->num_errors;
    spot_bind_t bind = {.diag = self->diag};

    spot_bind_field(&bind, &item, word, value);
    if (*value >= study->head.num_replications) {
        spot_node_error(self, word, key,
            "replication %" PRId64 " is never run: the study asks for %" PRId64 ", from 0 on",
            *value, study->head.num_replications);
    }
    for (size_t j = 0; j < study->num_series; j++) {
        if (study->series[j] == *value) {
            spot_node_error(self, word, key, "replication %" PRId64 " is there twice", *value);
        }
    }
    return self->diag->num_errors == num_errors;
}

/* "timelines" is the old name of the key. */
static int find_series(const spot_reading_t *self)
{
    const spot_request_t *request = &self->request;
    const bool is_old = request->timelines != NULL;
    const spot_node_t *words = is_old ? request->timelines : request->series, *word;
    spot_study_t *study = self->study;
    int64_t value;

    if (is_old && request->series != NULL) {
        spot_reading_error(self, "timelines", "is the old name of series: give one of them");
    }
    study->series = spot_calloc(words == NULL ? 1 : words->num_children, sizeof(*study->series));
    if (study->series == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    study->num_series = words == NULL && study->head.num_points <= MAX_SERIES_POINTS;
    study->series[0] = SPOT_MEDIAN_REPLICATION;
    for (size_t j = 0; (word = spot_word(words, j)) != NULL; j++) {
        value = -1;
        if (read_replication(self, is_old ? "timelines" : "series", word, &value)) {
            study->series[study->num_series++] = value;
        }
    }
    return 0;
}

int spot_views_choose(spot_reading_t *self)
{
    int ret;

    settle_replications(self);
    check_plot(self);
    ret = find_best(self);
    return ret == 0 ? find_series(self) : ret;
}
