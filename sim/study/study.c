/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/baseline.h"
#include "sim/study/best.h"
#include "sim/study/optimise.h"
#include "sim/study/precision.h"
#include "sim/study/study_metrics.h"
#include "sim/study/study_plan.h"
#include "sim/study/study_sets.h"
#include "sim/study/study_timelines.h"
#include "sim/study/study_where.h"

static void
keep_metrics_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t item = {.name = field->name, .expected = "the name of a metric"};

    if (node->kind != SPOT_NODE_LIST || node->num_children == 0) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        if (node->children[j]->kind != SPOT_NODE_SCALAR) {
            spot_bind_unexpected(bind, &item, node->children[j], "");
        }
    }
    spot_bind_keep_node(bind, field, node, target);
}

static void
keep_map_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

/* A map of keys, or a list of points. */
static void
keep_sweep_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP ||
        (node->kind == SPOT_NODE_LIST && node->num_children > 0)) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

/* A scenario or a plan, in full or by name: a list is none, and neither is nothing. */
static void
keep_map_or_name(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP ||
        (node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0')) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

/* A condition, or a list of them. */
static void
keep_where_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    bool is_good = node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0';

    if (node->kind == SPOT_NODE_LIST) {
        is_good = node->num_children > 0;
        for (size_t j = 0; j < node->num_children; j++) {
            is_good = is_good && node->children[j]->kind == SPOT_NODE_SCALAR;
        }
    }
    if (is_good) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

/* A list of texts, e.g. names of metrics; the names are checked later. */
static void
bind_stack(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t item = {.name = field->name, .type = SPOT_FIELD_TEXT};
    spot_plot_request_t *plot = target;

    if (node->kind != SPOT_NODE_LIST) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    plot->stack = spot_calloc(node->num_children, sizeof(*plot->stack));
    if (plot->stack == NULL) {
        bind->is_out_of_memory = true;
        return;
    }
    plot->num_stack = node->num_children;
    for (size_t j = 0; j < node->num_children; j++) {
        spot_bind_field(bind, &item, node->children[j], &plot->stack[j]);
    }
}

static const spot_field_t replications_fields[] = {
    {.name = "count",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_replications_t, count),
        .min = 1,
        .max = 1e9,
        .initial = "1000",
        .help = "replications at each point"},
    {.name = "until",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_replications_t, until),
        .initial = "",
        .fields = spot_precision_fields,
        .help = "instead of count: as many as it takes to know the mean of a metric"},
    {.name = "min",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_replications_t, min),
        .min = 2,
        .max = 1e9,
        .initial = "256",
        .help = "with until or optimise: replications that each point gets at least, "
                "rounded up to whole batches of 64, or of 1024 with keep: summaries"},
    {.name = "max",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_replications_t, max),
        .min = 2,
        .max = 1e9,
        .initial = "100000",
        .help = "with until or optimise: replications that each point gets at most, "
                "exactly"},
    {.name = "seed",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(spot_replications_t, seed),
        .max = HUGE_VAL,
        .initial = "1",
        .help = "seed of the study; all points meet the same events"},
    {.name = NULL},
};

static const spot_field_t plot_fields[] = {
    {.name = "x",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_plot_request_t, x),
        .initial = "",
        .help = "swept key to draw along"},
    {.name = "y",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_plot_request_t, y),
        .initial = "",
        .help = "metric to draw with its confidence band"},
    {.name = "curves",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_plot_request_t, curves),
        .initial = "",
        .help =
            "swept key with a curve for each of its values in one panel, instead of "
            "a panel each; where best asks for the best of these by y, a strip above "
            "the curves shows who wins where"},
    {.name = "stack",
        .type = SPOT_FIELD_CUSTOM,
        .offset = 0,
        .initial = "",
        .bind = bind_stack,
        .expected = "a list of metrics",
        .help = "metrics that add up to y, drawn as a stack"},
    {.name = "second_x",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_plot_request_t, second_x),
        .initial = "",
        .help = "metric that labels the x axis a second time"},
    {.name = "x_label",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_plot_request_t, x_label),
        .initial = "",
        .help = "what x is, in words"},
    {.name = "second_x_label",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_plot_request_t, second_x_label),
        .initial = "",
        .help = "what second_x is, in words"},
    {.name = NULL},
};

static const char *const keep_names[] = {"rows", "summaries", NULL};

_Static_assert(sizeof(spot_keep_t) == sizeof(int), "a choice is bound as an int");

const spot_field_t spot_study_fields[] = {
    {.name = "study",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_study_t, head.name),
        .help = "name of the study"},
    {.name = "question",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_study_t, head.question),
        .initial = "",
        .help = "what the study is to answer"},
    {.name = "scenario",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, scenario_node),
        .bind = keep_map_or_name,
        .expected = "a scenario file, relative to the study, or the scenario itself",
        .help = "what is studied"},
    {.name = "sweep",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, sweep_node),
        .initial = "",
        .bind = keep_sweep_node,
        .expected =
            "a map from keys of the scenario to lists such as [8, 16] or ranges such "
            "as {from: 0, to: 0.5, points: 11}, or a list of points such as "
            "[{job.pipeline_depth: 8, fleet.initial: 16}]",
        .help =
            "keys of the scenario and the values that they take. A range has points, "
            "both ends included, or a step, of which from, to is a whole number; with "
            "scale: log its points have equal ratios, and a step rounds them. A list of "
            "points has the same keys in each"},
    {.name = "plan",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, plan_node),
        .initial = "",
        .bind = keep_map_or_name,
        .expected = "grid, zip, list or {NAME: {points: 64, seed: 1}} with NAME one of "
                    "latin-hypercube, sobol and sensitivity",
        .help =
            "which points the values make. grid (the default): all combinations. zip: "
            "the first values of all keys, then the second ones and so on. list (the "
            "default of a list of points): each point. latin-hypercube and sobol: so "
            "many points spread over all ranges, which have no points then; where a "
            "range has a step, over its steps, otherwise over all numbers, so that "
            "whole "
            "numbers need step: 1; over lists as choices. More points of a Sobol "
            "sequence keep those that were there, of a Latin hypercube they do not. "
            "sensitivity: the design of Saltelli with N = points base samples of d "
            "keys, "
            "N (d + 2) points, for first-order and total Sobol indices of each metric. "
            "Points that are the same after rounding run once"},
    {.name = "where",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, where_node),
        .initial = "",
        .bind = keep_where_node,
        .expected =
            "a condition such as \"pipeline_depth <= initial\" or a list of them",
        .help =
            "which points are kept: those for which all conditions hold. Names are "
            "keys of the scenario, swept or not, or the ends of keys, and have their "
            "defaults where the scenario does not set them; durations need their "
            "units: reload < 60 s"},
    {.name = "optimise",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_study_t, optimise),
        .initial = "",
        .fields = spot_optimise_fields,
        .help = "instead of sweep: look for the best of all combinations by a race, in "
                "which points that are worse with confidence stop early"},
    {.name = "replications",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_study_t, replications),
        .initial = "{}",
        .fields = replications_fields,
        .help = "how often each point runs"},
    {.name = "keep",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(spot_study_t, head.keep),
        .choices = keep_names,
        .initial = "rows",
        .help =
            "what is kept of replications: rows: each one; summaries: of each 1024 of "
            "them counts, moments and quantiles, which cost next to nothing"},
    {.name = "metrics",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, metrics_node),
        .initial = "",
        .bind = keep_metrics_node,
        .expected = "a list of metrics such as [idle_fraction, cost_usd]",
        .help = "metrics to keep; where the key is missing all of them, or those that "
                "optimise needs"},
    {.name = "ledger",
        .type = SPOT_FIELD_CHOICE,
        .offset = offsetof(spot_study_t, has_ledger),
        .choices = spot_no_yes,
        .initial = "yes",
        .help =
            "with -o FILE.db: keep, beside the metrics asked for, where the time goes "
            "(the fractions of prepping to redundant), usd_per_h and samples_per_s, of "
            "which `spotsim report` shows the ledger of each point and cost against "
            "goodput. They are in the database and its exports, not in tables, and take "
            "up to 9 bytes each, 99 a replication; with keep: summaries next to "
            "nothing. "
            "no: only what is asked for. A database that was begun without them goes on "
            "without them"},
    {.name = "timelines",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, timelines_node),
        .initial = "",
        .bind = spot_study_keep_timelines_node,
        .expected = "a list of replications such as [0, 7], or []",
        .help =
            "with -o FILE.db: the replications of each point of which it keeps the "
            "timeline, what all instances do over time, for `spotsim report` to draw. "
            "They are made when all is run; more of them may be asked for later. "
            "Where the key is missing [0] up to 32 points, and [] beyond"},
    {.name = "baseline",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_study_t, baseline_node),
        .initial = "",
        .bind = keep_map_node,
        .expected = "a swept key with one of its values, e.g. {job.pipeline_depth: 8}",
        .help = "value of a swept key that the others are compared with: a second table "
                "has the mean differences of paired replications, which met the same "
                "events, with their own 95 % intervals; also in CSV and JSON"},
    {.name = "best",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_study_t, best),
        .initial = "",
        .fields = spot_best_fields,
        .help = "a swept key whose best value is told at each combination of the "
                "others, e.g. which recovery system wins at which preemption rate"},
    {.name = "plot",
        .type = SPOT_FIELD_MAP,
        .offset = offsetof(spot_study_t, head.plot),
        .initial = "",
        .fields = plot_fields,
        .help = "how the results are drawn"},
    {.name = NULL},
};

/* path: the value of a key of plot, or NULL. */
static void
check_plot_axis(
    const spot_study_t *self, spot_bind_t *bind, const char *key, const char *path)
{
    char text[SPOT_UTF8_SHOWN_BYTES];

    if (path == NULL) {
        return;
    }
    for (size_t j = 0; j < self->head.num_axes; j++) {
        if (strcmp(self->head.axes[j].path, path) == 0) {
            return;
        }
    }
    spot_bind_error(bind, spot_node_place(self->document.root, key), key,
        "\"%s\" is not swept", spot_utf8_shown(path, text));
}

static void
check_plot(const spot_study_t *self, spot_bind_t *bind)
{
    const spot_plot_request_t *plot = &self->head.plot;

    check_plot_axis(self, bind, "plot.x", plot->x);
    check_plot_axis(self, bind, "plot.curves", plot->curves);
    if (plot->curves == NULL) {
        return;
    }
    if (plot->x != NULL && strcmp(plot->x, plot->curves) == 0) {
        spot_bind_error(bind, spot_node_place(self->document.root, "plot.curves"),
            "plot.curves", "is the key of x too: give another one");
    }
    if (plot->num_stack > 0 || plot->second_x != NULL) {
        spot_bind_error(bind, spot_node_place(self->document.root, "plot.curves"),
            "plot.curves", "is not used with stack and second_x: curves stand alone");
    }
}

/* Swept keys that do not have their first value. */
static size_t
num_moved(const spot_study_t *self, size_t point_id)
{
    size_t num = 0;

    for (size_t j = 0; j < self->head.num_axes; j++) {
        num += spot_study_value_id(&self->head, point_id, j) != 0;
    }
    return num;
}

static int
bind_point(spot_study_t *self, size_t point_id, spot_diag_t *diag)
{
    const spot_node_t *root = spot_study_scenario_root(self);
    const size_t first_item = diag->num_items;
    int ret = spot_study_place_point(self, point_id);

    if (ret == 0) {
        ret = self->experiment->bind(&self->scenarios[point_id], root,
            point_id == 0 ? NULL : self->scenarios[point_id - 1], diag);
    }
    if (ret == SPOT_ERR_BAD_INPUT) {
        spot_study_hint_step(self, point_id, first_item, diag);
    }
    return ret;
}

/* The first point shows what is wrong with the scenario. In a grid those with one key
 * moved show what is wrong with a swept value, and what is wrong there is wrong in every
 * combination, so the others are left then. In a list or zip all points are tried; a
 * design has too many to tell of more than one. */
static int
bind_points(spot_study_t *self, spot_diag_t *diag)
{
    const spot_plan_kind_t kind = self->head.plan.kind;
    int error = 0;

    self->scenarios = spot_calloc(self->head.num_points, sizeof(*self->scenarios));
    if (self->scenarios == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->head.num_points; j++) {
        int ret;

        if (error != 0 && kind == SPOT_PLAN_GRID && num_moved(self, j) != 1) {
            continue;
        }
        ret = bind_point(self, j, diag);
        error = ret != 0 ? ret : error;
        if (ret == SPOT_ERR_NO_MEMORY ||
            (ret != 0 && j == 0 && kind == SPOT_PLAN_GRID) ||
            (ret != 0 && spot_plan_is_design(kind))) {
            break;
        }
    }
    return error;
}

/* Whether all points may stand in one study. */
static int
check_points(spot_study_t *self, spot_diag_t *diag)
{
    const spot_node_t *node;
    spot_misfit_t misfit;
    int ret;

    if (self->experiment->is_fair == NULL ||
        self->experiment->is_fair(self->scenarios, self->head.num_points, &misfit)) {
        return 0;
    }
    ret = spot_study_place_point(self, misfit.scenario_id);
    if (ret != 0) {
        return ret;
    }
    node = spot_node_place(spot_study_scenario_root(self), misfit.path);
    spot_diag_error(
        diag, node->file, node->line, node->column, "%s: %s", misfit.path, misfit.text);
    return SPOT_ERR_BAD_INPUT;
}

/* Whether there is a document to put the swept values into. */
static bool
has_scenario(const spot_study_t *self)
{
    return self->scenario_node != NULL && (self->scenario_node->kind == SPOT_NODE_MAP ||
                                              self->scenario_file.root != NULL);
}

/* The study's own keys, then the plan, then every point if the scenario is there. */
static int
bind_all(spot_study_t *self, spot_diag_t *diag)
{
    const size_t num_errors = diag->num_errors;
    spot_bind_t bind = {.diag = diag};
    int ret = spot_bind_document(spot_study_fields, self->document.root, diag, self);
    bool is_planned;

    spot_optimise_bind(self, &bind);
    spot_precision_bind(self, &bind);
    if (ret == SPOT_ERR_NO_MEMORY) {
        return ret;
    }
    ret = spot_study_plan(self, &bind);
    is_planned = ret == 0;
    if (ret != SPOT_ERR_NO_MEMORY) {
        ret = spot_study_choose_metrics(self, &bind);
    }
    if (ret == 0 && is_planned) {
        check_plot(self, &bind);
        ret = spot_study_find_baseline(self, &bind);
        ret = ret == 0 ? spot_study_find_best(self, &bind) : ret;
    }
    if (ret == 0 && is_planned && has_scenario(self)) {
        diag->inputs = &self->inputs;
        ret = spot_study_apply_where(self, diag);
        ret = ret == 0 ? spot_study_check_baseline(self, &bind) : ret;
        ret = ret == 0 ? spot_study_find_timelines(self, &bind) : ret;
        ret = ret == 0 ? bind_points(self, diag) : ret;
        ret = ret == 0 ? check_points(self, diag) : ret;
        diag->inputs = NULL;
    }
    return ret == 0 && diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

/* None of the keys that only a study has: somebody's scenario, most likely. */
static bool
is_no_study(const spot_node_t *root)
{
    static const char *const keys[] = {
        "study", "sweep", "optimise", "replications", "metrics"};

    for (size_t j = 0; j < sizeof(keys) / sizeof(keys[0]); j++) {
        if (spot_node_get(root, keys[j]) != NULL) {
            return false;
        }
    }
    return spot_node_get(root, "scenario") != NULL && root->num_children > 1;
}

int
spot_study_init(spot_study_t *self, const spot_experiment_t *experiment,
    const char *path, const char *const *sets, size_t num_sets, spot_diag_t *diag)
{
    int error, ret;

    self->experiment = experiment;
    error = spot_study_apply_sets(self, sets, num_sets, diag);
    ret = bind_all(self, diag);
    error = spot_error_first(error, ret);
    self->head.seed = (uint64_t) self->replications.seed;
    self->head.num_warnings = experiment->num_warnings;
    self->head.warnings = experiment->warnings;
    self->head.colours = experiment->colours;
    return error != 0 ? error : spot_inputs_name(&self->inputs, path, diag);
}

int
spot_study_read(spot_study_t *self, const spot_experiment_t *experiment,
    const char *path, const char *const *sets, size_t num_sets, spot_diag_t *diag)
{
    int error, ret;

    memset(self, 0, sizeof(*self));
    self->experiment = experiment; /* freeing needs it */
    error = spot_yaml_read(&self->document, path, diag);
    if (self->document.root == NULL) {
        return error;
    }
    if (is_no_study(self->document.root)) {
        spot_diag_error(diag, path, 0, 0, "this is a scenario, not a study");
        return SPOT_ERR_BAD_INPUT;
    }
    ret = spot_study_init(self, experiment, path, sets, num_sets, diag);
    return spot_error_first(error, ret);
}

void
spot_study_free(spot_study_t *self)
{
    for (size_t j = 0; self->scenarios != NULL && j < self->head.num_points; j++) {
        self->experiment->free(self->scenarios[j]);
    }
    for (size_t j = 0; self->values != NULL && j < self->head.num_axes; j++) {
        free(self->values[j]);
    }
    free(self->values);
    free(self->scenarios);
    free(self->metric_ids);
    free(self->timelines);
    free(self->optimise.minimise);
    free(self->optimise.maximise);
    free(self->best.key);
    free(self->best.minimise);
    free(self->best.maximise);
    spot_study_head_free(&self->head);
    spot_inputs_free(&self->inputs);
    spot_yaml_free(&self->document);
    spot_yaml_free(&self->scenario_file);
    memset(self, 0, sizeof(*self));
}
