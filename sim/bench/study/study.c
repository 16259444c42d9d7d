/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/provenance.h"
#include "base/utf8.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/store/head.h"
#include "sim/bench/store/store.h"
#include "sim/bench/store/stored_study.h"
#include "sim/bench/study/break_even.h"
#include "sim/bench/study/metrics.h"
#include "sim/bench/study/plan.h"
#include "sim/bench/study/points.h"

/* ---- What reports show ---- */

/* What reports of a study are asked to show, and how many replications its points get.
 * Internal to sim/bench/study. */

#define MAX_LISTED 12        /* values that a message lists */
#define MAX_SERIES_POINTS 32 /* up to which a study keeps series by default */

/* The axis of a path; num_axes: it is not swept, which is reported. key: of the study,
 * which names the path; place: of the path, NULL: that of the key. */
static size_t read_axis(
    const spot_reading_t *self, const char *key, const spot_node_t *place, const char *path)
{
    const spot_study_head_t *head = &self->study->head;
    const size_t axis_id = spot_study_axis_id(head, path);
    char shown[SPOT_UTF8_SHOWN_BYTES];

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

    found->axis_id = read_axis(self, "baseline", key, key->text);
    if (found->axis_id == head->num_axes) {
        return 0;
    }
    ret = spot_plan_find_value(self, found->axis_id, value, &found->value_id);
    if (ret == 0 && found->value_id == head->axes[found->axis_id].num_values) {
        report_no_value(self, value, &head->axes[found->axis_id]);
    }
    return ret;
}

/* The values that points are compared with, after the plan; and whether there are points
 * to compare, after the conditions. NO_MEMORY. */
/* A comparison has a value for each of its keys; another study has one key with its
 * value. A design has no partners. */
static int find_baseline(spot_reading_t *self)
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
static int check_baseline(const spot_reading_t *self)
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
        (void) read_axis(self, "plot.x", NULL, plot->x);
    }
    if (plot->curves == NULL) {
        return;
    }
    (void) read_axis(self, "plot.curves", NULL, plot->curves);
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
    best->axis_id = read_axis(self, "best.key", NULL, request->best_key);
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

/* How many replications each point gets, what reports are asked to show, and the
 * replications whose series are kept. NO_MEMORY. */
static int choose_views(spot_reading_t *self)
{
    int ret;

    settle_replications(self);
    check_plot(self);
    ret = find_best(self);
    return ret == 0 ? find_series(self) : ret;
}

/* ---- What rows depend on ---- */

#define PATH_BYTES 32

/* Adds what rows depend on besides the scenario. The swept keys are sorted, as rows do
 * not depend on their order. */
static int add_study(spot_canonical_t *list, const spot_study_head_t *head)
{
    char path[PATH_BYTES], seed[PATH_BYTES];
    int ret;

    snprintf(seed, sizeof(seed), "%" PRIu64, head->seed);
    ret = spot_canonical_add(list, "replications.seed", seed);
    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        snprintf(path, sizeof(path), "metrics[%zu]", j);
        ret = spot_canonical_add(list, path, head->metrics[j].name);
    }
    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        size_t rank = 0;

        for (size_t k = 0; k < head->num_axes; k++) {
            rank += strcmp(head->axes[k].path, head->axes[j].path) < 0;
        }
        snprintf(path, sizeof(path), "sweep[%zu]", rank);
        ret = spot_canonical_add(list, path, head->axes[j].path);
    }
    return ret;
}

/* Lists what the rows depend on: the scenario without its name and the swept keys, the
 * files that it names, and the seed, metrics and swept keys of the study. The numbers of
 * points and replications and the form of reports are not in the list. */
static int make_canonical(const spot_study_t *self, spot_canonical_t *list)
{
    int ret = spot_canonical_make(
        list, self->experiment->fields, self->template->scenario.root, self->inputs);

    spot_canonical_drop(list, "scenario"); /* a name */
    for (size_t j = 0; ret == 0 && j < self->head.num_axes; j++) {
        spot_canonical_drop(list, self->head.axes[j].path);
    }
    return ret == 0 ? add_study(list, &self->head) : ret;
}

/* As a shell reads it: an argument with special characters stands in single quotes. */
static void write_argument(const char *text, FILE *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'\\''" : (char[2]){*text, '\0'}, out);
    }
    fputc('\'', out);
}

/* Writes the libraries, the machine and the command line into one block. */
static int write_texts(spot_study_provenance_t *self, int argc, char *const *argv)
{
    const spot_library_t *const rooms[] = {spot_base_libraries, spot_store_libraries};
    spot_machine_t machine;
    size_t num_bytes;
    FILE *out = open_memstream(&self->texts, &num_bytes);

    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < sizeof(rooms) / sizeof(rooms[0]); j++) {
        for (size_t k = 0; rooms[j][k].name != NULL; k++) {
            fprintf(
                out, "%s%s %s", j + k == 0 ? "" : ", ", rooms[j][k].name, rooms[j][k].version());
        }
    }
    fputc('\0', out);
    spot_machine_read(&machine);
    fprintf(out, "%s: %" PRId64 " x %s, %.1f GB, %s %s %s", machine.host, machine.num_processors,
        machine.processor[0] == '\0' ? "processor" : machine.processor,
        1e-9 * (double) machine.memory_bytes, machine.system, machine.release,
        machine.architecture);
    fputc('\0', out);
    for (int j = 0; j < argc; j++) {
        fputs(j > 0 ? " " : "", out);
        write_argument(argv[j], out);
    }
    if (fclose(out) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->provenance.libraries = self->texts;
    self->provenance.machine = self->texts + strlen(self->texts) + 1;
    self->provenance.command_line = self->provenance.machine + strlen(self->provenance.machine) + 1;
    return 0;
}

int spot_study_provenance_init(
    spot_study_provenance_t *self, const spot_study_t *study, int argc, char *const *argv)
{
    spot_canonical_t list = {0};
    int ret = make_canonical(study, &list);

    memset(self, 0, sizeof(*self));
    self->provenance = (spot_provenance_t){.canonical_sha256 = self->sha256,
        .version = spot_build_info.version,
        .commit = spot_build_info.commit,
        .compiler = spot_build_info.compiler,
        .shard = ""};
    ret = ret == 0 ? spot_canonical_hash(&list, self->sha256) : ret;
    self->canonical = ret == 0 ? spot_canonical_text(&list) : NULL;
    self->provenance.canonical = self->canonical;
    if (ret == 0) {
        ret = self->canonical == NULL ? SPOT_ERR_NO_MEMORY : write_texts(self, argc, argv);
    }
    spot_canonical_free(&list);
    return ret;
}

void spot_study_provenance_free(spot_study_provenance_t *self)
{
    free(self->canonical);
    free(self->texts);
    memset(self, 0, sizeof(*self));
}

/* ---- Reading ---- */

static const char inline_prefix[] = "scenario.";

/* ---- Documents ---- */

/* What follows a prefix, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* In "sweep.KEY=VALUES" and "optimise.over.KEY=VALUES" KEY is one key, which may have
 * dots. */
static int set_study_key(spot_template_t *self, const char *assignment, spot_diag_t *diag)
{
    const char *const map = after(assignment, "sweep.") != NULL ? "sweep" : "optimise.over";
    const char *key = after(assignment, map);
    const char *equals = strchr(assignment, '=');
    int ret = 0;

    if (key != NULL && key[0] == '.' && equals != NULL && ++key < equals && equals[1] != '\0') {
        ret = spot_yaml_add_key(&self->study, map, key, (size_t) (equals - key));
    }
    if (ret == SPOT_ERR_BAD_PARAM) {
        return spot_diag_error(diag, "--set", 0, 0, "%s is no map of keys: set it as a whole", map);
    }
    return ret == 0 ? spot_yaml_assign(&self->study, "--set", assignment, diag) : ret;
}

/* Whether the key of an assignment has a scalar value. */
static bool is_single(const spot_field_t *fields, const char *assignment)
{
    const size_t length = strcspn(assignment, ".=");
    const spot_field_t *field = spot_field_find(fields, assignment, length);

    if (field != NULL && field->type == SPOT_FIELD_MAP && assignment[length] == '.') {
        return is_single(field->fields, assignment + length + 1);
    }
    return field != NULL && field->type < SPOT_FIELD_MAP && assignment[length] == '=';
}

/* Warns of an assignment to a part of what is swept, as the swept values replace it. */
static void warn_of_replaced(const spot_node_t *sweep, const char *assignment, spot_diag_t *diag)
{
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;
    const spot_node_t *keys = is_list ? spot_word(sweep, 0) : sweep;
    const int key_bytes = (int) strcspn(assignment, "=");
    char whole[SPOT_UTF8_SHOWN_BYTES], outer[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; keys != NULL && keys->kind == SPOT_NODE_MAP && j < keys->num_children; j++) {
        if (spot_canonical_is_within(assignment, keys->keys[j]->text)) {
            spot_diag_warn(diag, "--set", 0, 0, "%.*s has no effect: %s is swept", key_bytes,
                spot_utf8_shown(assignment, whole), spot_utf8_shown(keys->keys[j]->text, outer));
        }
    }
}

/* The map of swept keys, or the list of points; NULL: nothing is swept. */
static const spot_node_t *sweep_of(const spot_template_t *self)
{
    const spot_node_t *optimise = spot_node_get(self->study.root, "optimise");

    return optimise != NULL ? spot_node_get(optimise, "over")
                            : spot_node_get(self->study.root, "sweep");
}

/* A key of the scenario, or the values of a swept one. */
static int set_scenario_key(spot_template_t *self, const spot_experiment_t *experiment,
    const char *assignment, spot_diag_t *diag)
{
    const spot_node_t *optimise = spot_node_get(self->study.root, "optimise");
    const spot_node_t *sweep = sweep_of(self);
    const char *inner = after(assignment, inline_prefix);
    const char *const set = inner == NULL ? assignment : inner;
    const size_t length = strcspn(set, "=");
    char *whole = malloc(sizeof("optimise.over.") + strlen(set));
    char shown[SPOT_UTF8_SHOWN_BYTES], *key;
    int ret = SPOT_ERR_BAD_INPUT;

    if (whole == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    key = whole + sprintf(whole, "%s.", optimise != NULL ? "optimise.over" : "sweep");
    memcpy(key, set, length);
    key[length] = '\0';
    if (set[length] == '=' && spot_node_get(sweep, key) != NULL) {
        strcpy(key, set);
        ret = spot_yaml_assign(&self->study, "--set", whole, diag);
    } else if (sweep != NULL && sweep->kind == SPOT_NODE_LIST &&
               spot_node_get(spot_word(sweep, 0), key) != NULL) {
        spot_diag_error(diag, "--set", 0, 0,
            "\"%s\" is for a key that each point of the sweep sets: set sweep as a "
            "whole",
            spot_utf8_shown(set, shown));
    } else if (after(set + length, "=[") != NULL && is_single(experiment->fields, set)) {
        spot_diag_error(diag, "--set", 0, 0, "%s is not swept; add it: --set %s=[...]", key, whole);
    } else {
        warn_of_replaced(sweep, set, diag);
        ret = spot_scenario_spell_file(&self->scenario, set, diag);
        ret = ret == 0 ? spot_yaml_assign(&self->scenario, "--set", set, diag) : ret;
    }
    free(whole);
    return ret;
}

/* Finds the scenario unless its document was given: the study has it or names its file.
 * What is no map is refused. */
static int read_scenario(spot_template_t *self, spot_diag_t *diag)
{
    const spot_field_t whole = {.expected = "a scenario, a map of keys"};
    spot_node_t *node = spot_node_get(self->study.root, "scenario");
    spot_bind_t bind = {.diag = diag};
    char *path;
    int ret = 0;

    if (self->scenario.root == NULL && node != NULL && node->kind == SPOT_NODE_MAP) {
        self->scenario.root = node;
    } else if (self->scenario.root == NULL && node != NULL && node->kind == SPOT_NODE_SCALAR &&
               node->text[0] != '\0') {
        path = spot_node_file_path(node);
        ret = path == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_read(&self->scenario, path, diag);
        free(path);
    }
    if (self->scenario.root != NULL && self->scenario.root->kind != SPOT_NODE_MAP) {
        spot_bind_unexpected(&bind, &whole, self->scenario.root, "");
        self->scenario.root = NULL;
        ret = spot_error_first(ret, SPOT_ERR_BAD_INPUT);
    }
    return ret;
}

/* The part that an assignment changes. Changes of the study come first; the engine is
 * chosen before other keys of the scenario are set. */
typedef enum { FOR_STUDY, FOR_ENGINE, FOR_SCENARIO } owner_t;

static owner_t owner_of(const char *assignment)
{
    const char *inner = after(assignment, inline_prefix);

    if (after(inner == NULL ? assignment : inner, "engine=") != NULL) {
        return FOR_ENGINE;
    }
    return inner == NULL && spot_field_find(
                                spot_study_fields, assignment, strcspn(assignment, ".[=")) != NULL
               ? FOR_STUDY
               : FOR_SCENARIO;
}

/* Reports --trace where each point of the study has a trace of its own. */
static int check_trace_is_unswept(const spot_study_t *self, spot_diag_t *diag)
{
    static const char *const keys[] = {"trace", "trace.file"};
    const spot_node_t *sweep = sweep_of(self->template);
    const bool is_list = sweep != NULL && sweep->kind == SPOT_NODE_LIST;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < sizeof(keys) / sizeof(keys[0]); j++) {
        if (spot_node_get(is_list ? spot_word(sweep, 0) : sweep, keys[j]) != NULL) {
            ret = spot_diag_error(diag, "--trace", 0, 0,
                self->is_comparison ? "%s is what is compared: name the file among its values"
                                    : "%s is swept: name the file among its values",
                keys[j]);
        }
    }
    return ret;
}

/* Without a scenario there is nothing to replace, unless the sets make one: binding reports what is
 * missing. */
static int replace_trace(
    const spot_study_t *self, const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    spot_yaml_t *scenario = &self->template->scenario;
    const bool may_make = spot_node_get(self->template->study.root, "scenario") == NULL;
    bool has_scenario = scenario->root != NULL;
    int ret;

    for (size_t j = 0; may_make && j < changes->num_sets; j++) {
        has_scenario = has_scenario || owner_of(changes->sets[j]) != FOR_STUDY;
    }
    if (changes->trace_path == NULL || !has_scenario) {
        return 0;
    }
    ret = check_trace_is_unswept(self, diag);
    ret = ret == 0 ? spot_scenario_check_trace(self->experiment, changes, diag) : ret;
    return ret == 0 ? spot_scenario_replace_trace(scenario, changes->trace_path) : ret;
}

static int set_keys(const spot_study_t *self, owner_t owner, const spot_scenario_changes_t *changes,
    spot_diag_t *diag)
{
    spot_template_t *template = self->template;
    int error = 0;

    for (size_t j = 0; j < changes->num_sets; j++) {
        const char *set = changes->sets[j];

        if (owner_of(set) == owner) {
            error = spot_error_first(error,
                owner == FOR_STUDY ? set_study_key(template, set, diag)
                                   : set_scenario_key(template, self->experiment, set, diag));
        }
    }
    for (size_t j = 0; owner == FOR_STUDY && j < changes->num_given; j++) {
        error = spot_error_first(error, spot_yaml_give(&template->study, &changes->given[j]));
    }
    return error;
}

/* Carries out the changes, reads the scenario, which changes alone may make, and finds
 * its engine. */
static int read_documents(spot_study_t *self, const spot_experiment_t *const *engines,
    const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    spot_template_t *template = self->template;
    int error, traced;

    if (template->study.root->kind != SPOT_NODE_MAP) {
        return 0; /* binding it reports what is wrong */
    }
    error = set_keys(self, FOR_STUDY, changes, diag);
    error = spot_error_first(error, read_scenario(template, diag));
    error = spot_error_first(error, set_keys(self, FOR_ENGINE, changes, diag));
    error = spot_error_first(
        error, spot_experiment_choose(&self->experiment, engines, template->scenario.root, diag));
    traced = replace_trace(self, changes, diag);
    error = spot_error_first(error, traced);
    error = spot_error_first(error, set_keys(self, FOR_SCENARIO, changes, diag));
    if (traced == 0) { /* over what the sets say of it */
        error = spot_error_first(error, replace_trace(self, changes, diag));
    }
    if (template->scenario.root != NULL) { /* also where changes alone made it */
        error = spot_error_first(
            error, spot_yaml_set(&template->study, "scenario", template->scenario.root));
    }
    return error;
}

/* ---- All ---- */

/* Drops points, binds the others, notes the files that they read, and chooses from what
 * they yield. */
static int read_points(spot_reading_t *self)
{
    int ret;

    self->diag->inputs = self->study->inputs;
    ret = spot_where_apply(self);
    ret = ret == 0 ? check_baseline(self) : ret;
    ret = ret == 0 ? spot_points_bind(self) : ret;
    self->diag->inputs = NULL;
    ret = ret == 0 ? spot_metrics_choose(self) : ret;
    return ret == 0 ? choose_views(self) : ret;
}

/* Reads all of the study. After an error in the plan the scenario alone may still say
 * which metrics there are. */
static int read_all(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    int ret = spot_request_read(self);
    const bool has_scenario =
        self->request.scenario != NULL && self->study->template->scenario.root != NULL;

    ret = ret == 0 ? spot_sweep_read(self) : ret;
    ret = ret == 0 ? spot_plan_make(self) : ret;
    ret = ret == 0 ? find_baseline(self) : ret;
    if (ret == 0 && has_scenario) {
        ret = read_points(self);
    } else if (ret == SPOT_ERR_BAD_INPUT && has_scenario && spot_points_bind_unswept(self) == 0) {
        ret = spot_metrics_choose(self);
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_study_init(spot_study_t *self, const spot_experiment_t *const *engines,
    const spot_study_source_t *source, spot_diag_t *diag)
{
    static const spot_scenario_changes_t none = {.num_sets = 0};
    spot_reading_t reading = {.study = self, .diag = diag};
    int error;

    memset(self, 0, sizeof(*self));
    self->experiment = engines[0]; /* freeing needs it */
    self->is_comparison = source->is_comparison;
    self->template = spot_calloc(1, sizeof(*self->template));
    if (self->template == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->inputs = &self->template->inputs;
    self->inputs->memory = diag->memory;
    self->template->study = *source->study;
    self->template->scenario = *source->scenario;
    memset(source->study, 0, sizeof(*source->study));
    memset(source->scenario, 0, sizeof(*source->scenario));
    pthread_mutex_init(&self->template->lock, NULL);
    error = read_documents(self, engines, source->changes == NULL ? &none : source->changes, diag);
    error = spot_error_first(error, read_all(&reading));
    self->head.seed = (uint64_t) reading.request.seed;
    self->has_ledger = reading.request.has_ledger;
    spot_request_free(&reading.request);
    self->head.num_warnings = self->experiment->num_warnings;
    self->head.warnings = self->experiment->warnings;
    self->head.colours = self->experiment->colours;
    self->head.engine = spot_text_copy(self->experiment->name, strlen(self->experiment->name));
    error = self->head.engine == NULL ? SPOT_ERR_NO_MEMORY : error;
    return error != 0 ? error : spot_inputs_name(self->inputs, source->path, diag);
}

/* Whether a document has none of the keys of a study, so that it is probably a scenario.
 */
static bool is_no_study(const spot_node_t *root)
{
    return spot_node_get(root, "scenario") != NULL && root->num_children > 1 &&
           spot_node_get(root, "study") == NULL && spot_node_get(root, "sweep") == NULL &&
           spot_node_get(root, "optimise") == NULL && spot_node_get(root, "replications") == NULL &&
           spot_node_get(root, "metrics") == NULL;
}

size_t spot_study_give(spot_yaml_given_t *given, int64_t seed, int64_t num_replications)
{
    size_t num_given = 0;

    if (seed >= 0) {
        given[num_given++] = (spot_yaml_given_t){"--seed", "replications.seed", NULL, seed};
    }
    if (num_replications > 0) {
        given[num_given++] =
            (spot_yaml_given_t){"--replications", "replications.count", NULL, num_replications};
    }
    return num_given;
}

int spot_study_read(spot_study_t *self, const spot_experiment_t *const *engines, const char *path,
    const spot_scenario_changes_t *changes, spot_diag_t *diag)
{
    spot_yaml_t study, scenario = {0};
    const spot_study_source_t source = {&study, &scenario, path, false, changes};
    int error = spot_yaml_read(&study, path, diag);

    memset(self, 0, sizeof(*self));
    if (study.root != NULL && is_no_study(study.root)) {
        spot_diag_error(diag, path, 0, 0, "this is a scenario, not a study: use `spotsim run`");
        error = SPOT_ERR_BAD_INPUT;
    } else if (study.root != NULL) {
        error = spot_error_first(error, spot_study_init(self, engines, &source, diag));
    }
    spot_yaml_free(&study);
    return error;
}

void spot_study_free(spot_study_t *self)
{
    spot_template_t *template = self->template;

    spot_points_free(self);
    spot_forms_free(self);
    free(self->series);
    spot_study_head_free(&self->head);
    if (template != NULL) {
        for (size_t j = 0; j < template->num_swept; j++) {
            free(template->swept[j].nodes);
        }
        free(template->swept);
        spot_inputs_free(&template->inputs);
        spot_yaml_free(&template->scenario);
        spot_yaml_free(&template->study);
        pthread_mutex_destroy(&template->lock);
    }
    free(template);
    memset(self, 0, sizeof(*self));
}

const char *spot_study_file(const spot_study_t *self, size_t file_id)
{
    const spot_yaml_t *scenario = &self->template->scenario;

    return file_id < scenario->num_files ? scenario->files[file_id] : NULL;
}

int spot_study_check_memory(const spot_study_t *self, spot_diag_t *diag)
{
    const spot_study_head_t *head = &self->head;
    const double num_rows = (double) head->num_points * (double) head->num_replications;
    const spot_node_t *place = spot_node_place(self->template->study.root, "replications");
    /* the summary copies the values of a point, for quantiles */
    const double point_bytes =
        (double) head->num_replications * (double) head->num_metrics * sizeof(double);
    const spot_memory_need_t need = {
        num_rows, "rows", spot_store_memory_bytes(head) + point_bytes, false};
    char text[SPOT_MEMORY_NEED_BYTES];

    if (spot_memory_fits(&need, text)) {
        return 0;
    }
    return spot_diag_error(diag, place->file, place->line, place->column,
        "%zu points x %" PRId64 " replications x %zu metrics: %s; a database (-o FILE.db) keeps "
        "them on disk",
        head->num_points, head->num_replications, head->num_metrics, text);
}

int spot_study_check_recordings(const spot_study_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; self->num_series > 0 && ret == 0 && j < self->head.num_points; j++) {
        const bool is_able =
            self->yield.layouts[self->yield.layout_ids[j]].outputs->cannot_run == NULL;

        if (self->scenarios[j] != NULL && is_able) {
            ret = spot_experiment_check_recording(
                self->experiment, self->scenarios[j], self->template->scenario.root, diag);
        }
    }
    return ret;
}
