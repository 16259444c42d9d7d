/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replications, baseline, best, plot and series: all that needs the points. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/analysis/point_groups.h"
#include "sim/study/reading.h"

#define MAX_LISTED 12        /* values that a message lists */
#define MAX_SERIES_POINTS 32 /* up to which a study keeps series by default */

/* The axis of a path. Reports a path that is not swept at a place and returns num_axes.
 * key: of the study, which names the path. */
static size_t
find_axis(const spot_reading_t *self, const char *key, const spot_node_t *place,
    const char *path)
{
    const spot_study_head_t *head = &self->study->head;
    size_t axis_id = 0;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    while (axis_id < head->num_axes && strcmp(head->axes[axis_id].path, path) != 0) {
        axis_id++;
    }
    if (axis_id == head->num_axes) {
        spot_node_error(
            self, place, key, "\"%s\" is not swept", spot_utf8_shown(path, shown));
    }
    return axis_id;
}

/* Reports a key that compares points along an axis, which a design does not have. */
static void
check_no_design(const spot_reading_t *self, const char *key)
{
    const spot_plan_kind_t kind = self->study->head.plan.kind;

    if (spot_plan_is_design(kind)) {
        spot_reading_error(self, key,
            "a %s plan has no points that differ in one key only",
            spot_plan_names[kind]);
    }
}

/* ---- Replications ---- */

/* The minimum rounded up to whole batches, but not above the maximum. Warns if the study
 * asked for another one. */
static int64_t
whole_minimum(const spot_reading_t *self, bool is_asked)
{
    const spot_request_t *request = &self->request;
    const spot_node_t *place =
        spot_node_place(self->study->template->study.root, "replications.min");
    const int64_t size = spot_study_batch_size(&self->study->head);
    const int64_t whole = (request->min + size - 1) / size * size;
    const int64_t used = whole < request->max ? whole : request->max;

    if (is_asked && request->min < used) {
        spot_diag_warn(self->diag, place->file, place->line, place->column,
            "replications.min: %" PRId64 " is not a multiple of %" PRId64
            ", the replications of a batch: each point gets at least %" PRId64,
            request->min, size, used);
    }
    return used;
}

void
spot_views_settle_replications(spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    spot_request_t *request = &self->request;
    spot_study_head_t *head = &self->study->head;
    const bool is_asked = request->min > 0;

    head->batch_replications = outputs->batch_replications;
    if (head->until.metric == NULL && head->optimise.metric == NULL) {
        head->num_replications = request->count > 0   ? request->count
                                 : outputs->is_random ? outputs->num_replications
                                                      : 1;
        head->min_replications = head->num_replications;
        return;
    }
    if (!is_asked) {
        request->min = outputs->min_replications;
        if (request->min > request->max) {
            spot_reading_error(self, "replications.min",
                "%" PRId64 " is above max, %" PRId64, request->min, request->max);
        }
    }
    head->num_replications = request->max;
    head->min_replications = whole_minimum(self, is_asked);
}

/* ---- The baseline ---- */

/* Writes "2, 4, 8 or 16"; of many values the first ones and the number of the others. */
static void
list_values(const spot_axis_t *axis, char *text, size_t text_bytes)
{
    const size_t num_shown =
        axis->num_values <= MAX_LISTED ? axis->num_values : MAX_LISTED;
    size_t used = 0;

    for (size_t j = 0; j < num_shown && used < text_bytes; j++) {
        char shown[SPOT_UTF8_SHOWN_BYTES];

        used += (size_t) snprintf(text + used, text_bytes - used, "%s%s",
            j == 0                      ? ""
            : j + 1 == axis->num_values ? " or "
                                        : ", ",
            spot_utf8_shown(axis->texts[j], shown));
    }
    if (num_shown < axis->num_values && used < text_bytes) {
        snprintf(text + used, text_bytes - used, " or one of %zu more",
            axis->num_values - num_shown);
    }
}

/* Finds a key of the baseline and its value. found->axis_id is num_axes if the key is
 * not swept. */
static int
find_baseline_value(const spot_reading_t *self, size_t key_id, spot_axis_value_t *found)
{
    const spot_node_t *key = self->request.baseline->keys[key_id];
    const spot_node_t *value = self->request.baseline->children[key_id];
    const spot_study_head_t *head = &self->study->head;
    char text[SPOT_UTF8_SHOWN_BYTES], values[SPOT_UTF8_SHOWN_BYTES * (MAX_LISTED + 1)];
    char path[SPOT_UTF8_SHOWN_BYTES];
    int ret;

    found->axis_id = find_axis(self, "baseline", key, key->text);
    if (found->axis_id == head->num_axes) {
        return 0;
    }
    ret = spot_plan_find_value(self, found->axis_id, value, &found->value_id);
    if (ret == 0 && found->value_id == head->axes[found->axis_id].num_values) {
        list_values(&head->axes[found->axis_id], values, sizeof(values));
        spot_node_error(self, value, "baseline", "%s is never \"%s\", it is %s",
            spot_utf8_shown(key->text, path),
            value->kind == SPOT_NODE_SCALAR ? spot_utf8_shown(value->text, text)
                                            : "that",
            values);
    }
    return ret;
}

/* A point must have one partner at most. A design has no partners. */
static void
check_baseline_plan(const spot_reading_t *self)
{
    const spot_study_head_t *head = &self->study->head;
    size_t num_points = 0;

    check_no_design(self, "baseline");
    for (size_t j = 0;
         head->plan.kind == SPOT_PLAN_ZIP && head->has_baseline && j < head->num_points;
         j++) {
        num_points += spot_study_is_baseline(head, j);
    }
    if (num_points > 1) {
        spot_reading_error(self, "baseline",
            "%zu points of the zip have this value: expected one", num_points);
    }
}

/* A comparison has a value for each of its keys; another study has one key with its
 * value. */
int
spot_views_find_baseline(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    const spot_node_t *baseline = self->request.baseline;
    const size_t num_keys = baseline == NULL ? 0 : baseline->num_children;
    spot_study_head_t *head = &self->study->head;
    spot_axis_value_t first = {.axis_id = head->num_axes};
    int ret;

    if (baseline == NULL) {
        return 0;
    }
    if (num_keys != 1 && !(self->study->is_comparison && num_keys > 0)) {
        spot_reading_error(self, "baseline", "expected one swept key with its value");
        return 0;
    }
    head->more_baselines = spot_calloc(num_keys, sizeof(*head->more_baselines));
    ret = head->more_baselines == NULL ? SPOT_ERR_NO_MEMORY
                                       : find_baseline_value(self, 0, &first);
    for (size_t j = 1; ret == 0 && j < num_keys; j++) {
        ret = find_baseline_value(
            self, j, &head->more_baselines[head->num_more_baselines++]);
    }
    head->has_baseline = ret == 0 && self->diag->num_errors == num_errors;
    if (head->has_baseline) {
        head->baseline_axis_id = first.axis_id;
        head->baseline_value_id = first.value_id;
    }
    if (ret == 0 && first.axis_id < head->num_axes) {
        check_baseline_plan(self);
    }
    return ret;
}

int
spot_views_check_baseline(const spot_reading_t *self)
{
    const spot_study_head_t *head = &self->study->head;
    const spot_axis_t *axis;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t *base_ids, num_compared = 0;
    int ret;

    if (!head->has_baseline) {
        return 0;
    }
    axis = &head->axes[head->baseline_axis_id];
    ret = spot_baseline_points(head, &base_ids);
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        num_compared += base_ids[j] != SPOT_NO_POINT && base_ids[j] != j;
    }
    free(base_ids);
    if (ret == 0 && num_compared == 0) {
        spot_reading_error(self, "baseline",
            "nothing to compare: no point differs in %s only from one where it is %s",
            axis->path, spot_utf8_shown(axis->texts[head->baseline_value_id], shown));
    }
    return ret;
}

/* ---- The plot ---- */

static void
check_plot_axis(const spot_reading_t *self, const char *key, const char *path)
{
    const spot_node_t *root = self->study->template->study.root;

    if (path != NULL) {
        (void) find_axis(self, key, spot_node_place(root, key), path);
    }
}

static void
check_plot(const spot_reading_t *self)
{
    const spot_plot_request_t *plot = &self->study->head.plot;

    check_plot_axis(self, "plot.x", plot->x);
    check_plot_axis(self, "plot.curves", plot->curves);
    if (plot->curves == NULL) {
        return;
    }
    if (plot->x != NULL && strcmp(plot->x, plot->curves) == 0) {
        spot_reading_error(self, "plot.curves", "is the key of x too: give another one");
    }
    if (plot->num_stack > 0 || plot->second_x != NULL) {
        spot_reading_error(self, "plot.curves",
            "is not used with stack and second_x: curves stand alone");
    }
}

/* ---- The best value of a key ---- */

static int
leave_out(const spot_reading_t *self)
{
    const spot_node_t *words = self->request.best_except, *word;
    spot_best_t *best = &self->study->head.best;
    const spot_axis_t *axis = &self->study->head.axes[best->axis_id];
    size_t value_id, num_competing = 0;
    int ret = 0;

    best->is_left_out = spot_calloc(axis->num_values, sizeof(*best->is_left_out));
    if (best->is_left_out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && (word = spot_word(words, j)) != NULL; j++) {
        ret = spot_plan_find_value(self, best->axis_id, word, &value_id);
        if (ret == 0 && value_id < axis->num_values) {
            best->is_left_out[value_id] = true;
        } else if (ret == 0) {
            spot_node_error(
                self, word, "best.except", "%s never has this value", axis->path);
        }
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        num_competing += !best->is_left_out[j];
    }
    if (ret == 0 && num_competing < 2) {
        spot_reading_error(
            self, "best", "expected two values of %s or more that compete", axis->path);
    }
    return ret;
}

static int
find_best(const spot_reading_t *self)
{
    const spot_request_t *request = &self->request;
    const spot_node_t *root = self->study->template->study.root;
    spot_study_head_t *head = &self->study->head;
    spot_best_t *best = &head->best;

    if (request->best_key == NULL) {
        return 0;
    }
    if (head->optimise.metric != NULL) {
        spot_reading_error(self, "best",
            "is not used with optimise, which looks for the best of all points");
    }
    check_no_design(self, "best");
    if ((request->best_minimise == NULL) == (request->best_maximise == NULL)) {
        spot_reading_error(self, "best", "needs either minimise or maximise");
        return 0;
    }
    best->is_maximised = request->best_maximise != NULL;
    best->metric_id = spot_study_metric_id(
        head, best->is_maximised ? request->best_maximise : request->best_minimise);
    best->axis_id = find_axis(
        self, "best.key", spot_node_place(root, "best.key"), request->best_key);
    if (best->axis_id == head->num_axes) {
        return 0;
    }
    best->is_asked = best->metric_id < head->num_metrics;
    return leave_out(self);
}

/* ---- Series ---- */

/* Reads a replication of the list. Returns false after an error. */
static bool
read_replication(
    const spot_reading_t *self, const char *key, const spot_node_t *word, int64_t *value)
{
    const spot_field_t item = {
        .name = key, .type = SPOT_FIELD_INTEGER, .min = 0, .max = 1e9};
    const spot_study_t *study = self->study;
    const size_t num_errors = self->diag->num_errors;
    spot_bind_t bind = {.diag = self->diag};

    spot_bind_field(&bind, &item, word, value);
    if (self->diag->num_errors > num_errors) {
        return false;
    }
    if (*value >= study->head.num_replications) {
        spot_node_error(self, word, key,
            "replication %" PRId64 " is never run: the study asks for %" PRId64
            ", from 0 on",
            *value, study->head.num_replications);
        return false;
    }
    for (size_t j = 0; j < study->num_series; j++) {
        if (study->series[j] == *value) {
            spot_node_error(
                self, word, key, "replication %" PRId64 " is there twice", *value);
            return false;
        }
    }
    return true;
}

/* "timelines" is the old name of the key. */
static int
find_series(const spot_reading_t *self)
{
    const spot_request_t *request = &self->request;
    const bool is_old = request->timelines != NULL;
    const spot_node_t *words = is_old ? request->timelines : request->series, *word;
    spot_study_t *study = self->study;

    if (is_old && request->series != NULL) {
        spot_reading_error(
            self, "timelines", "is the old name of series: give one of them");
    }
    study->series =
        spot_calloc(words == NULL ? 1 : words->num_children, sizeof(*study->series));
    if (study->series == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (words == NULL) {
        study->num_series = study->head.num_points <= MAX_SERIES_POINTS;
    }
    for (size_t j = 0; (word = spot_word(words, j)) != NULL; j++) {
        int64_t value = 0;

        if (read_replication(self, is_old ? "timelines" : "series", word, &value)) {
            study->series[study->num_series++] = value;
        }
    }
    return 0;
}

int
spot_views_choose(spot_reading_t *self)
{
    int ret;

    check_plot(self);
    ret = find_best(self);
    return ret == 0 ? find_series(self) : ret;
}
