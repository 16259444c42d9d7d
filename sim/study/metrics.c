/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which metrics a study keeps, and limits to them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "sim/study/reading.h"

/* ---- Constraints ---- */

/* Whether a condition fits its metrics. A limit may have their units or be a plain
 * number. ids: of the metrics. */
static int
check_limit(const spot_condition_t *condition, const spot_metric_t *metrics,
    const size_t *ids, spot_diag_t *diag)
{
    spot_condition_kind_t *kinds = spot_calloc(condition->num_names, sizeof(*kinds));
    spot_diag_t quiet;
    int ret;

    if (kinds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < condition->num_names; j++) {
        kinds[j].type = SPOT_CONDITION_NUMBER;
    }
    spot_diag_init(&quiet);
    ret = spot_condition_check(condition, kinds, &quiet);
    spot_diag_free(&quiet);
    for (size_t j = 0; j < condition->num_names; j++) {
        const char *unit = metrics[ids[j]].unit;

        kinds[j].unit = strcmp(unit, "1") == 0 ? NULL : unit;
    }
    ret = ret == 0 ? 0 : spot_condition_check(condition, kinds, diag);
    free(kinds);
    return ret;
}

static int
copy_text(char **text, const char *source)
{
    *text = spot_text_copy(source, strlen(source));
    return *text == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* Turns a parsed condition into a limit of one metric. */
static int
resolve_constraint(const spot_reading_t *self, const spot_condition_t *condition,
    spot_constraint_t *constraint)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const char **names = spot_calloc(outputs->num_metrics, sizeof(*names));
    size_t *ids = spot_calloc(condition->num_names, sizeof(*ids));
    int ret = names == NULL || ids == NULL ? SPOT_ERR_NO_MEMORY : 0;
    spot_condition_bound_t bound;

    for (size_t j = 0; ret == 0 && j < outputs->num_metrics; j++) {
        names[j] = outputs->metrics[j].name;
    }
    ret = ret == 0 ? spot_condition_resolve(condition, "metric", SPOT_SEE_METRICS, names,
                         outputs->num_metrics, ids, self->diag)
                   : ret;
    ret = ret == 0 ? check_limit(condition, outputs->metrics, ids, self->diag) : ret;
    ret = ret == 0 ? spot_condition_bound(condition, &bound, self->diag) : ret;
    if (ret == 0) {
        constraint->limit = bound.limit;
        constraint->is_upper = bound.is_upper;
        ret = copy_text(&constraint->metric, names[ids[0]]);
        ret = ret == 0 ? copy_text(&constraint->text, condition->node->text) : ret;
    }
    free(ids);
    free(names);
    return ret;
}

/* Reads all limits. Errors are reported. */
static int
find_constraints(const spot_reading_t *self)
{
    const spot_node_t *words = self->request.subject_to;
    const size_t num_words = words == NULL ? 0 : words->num_children;
    spot_optimise_t *optimise = &self->study->head.optimise;
    int error = 0;

    optimise->constraints = spot_calloc(num_words, sizeof(*optimise->constraints));
    if (optimise->constraints == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; error != SPOT_ERR_NO_MEMORY && j < num_words; j++) {
        const spot_node_t *word = words->children[j];
        spot_constraint_t *constraint =
            &optimise->constraints[optimise->num_constraints];
        spot_condition_t condition = {0};
        int ret;

        if (word->kind != SPOT_NODE_SCALAR) {
            continue; /* reported */
        }
        optimise->num_constraints++;
        ret = spot_condition_parse(&condition, word, "optimise.subject_to", self->diag);
        ret = ret == 0 ? resolve_constraint(self, &condition, constraint) : ret;
        spot_condition_free(&condition);
        error = ret != 0 ? ret : error;
    }
    return error;
}

/* ---- Metrics ---- */

/* Appends the metric with this name to those that are kept, or reports the name with a
 * suggestion. key, place: of the name in the study; NULL if the engine gives it. */
static void
add_metric(const spot_reading_t *self, const char *key, const spot_node_t *place,
    const char *name)
{
    spot_study_t *study = self->study;
    const spot_outputs_t *outputs = &study->yield.outputs;
    const size_t metric_id = spot_outputs_metric_id(outputs, name);
    spot_bind_t bind = {.diag = self->diag};
    spot_suggest_t near;

    if (spot_study_metric_id(&study->head, name) < study->head.num_metrics) {
        return;
    }
    if (metric_id < outputs->num_metrics) {
        study->head.metrics[study->head.num_metrics++] = outputs->metrics[metric_id];
        return;
    }
    spot_suggest_init(&near, name);
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        spot_suggest_offer(&near, outputs->metrics[j].name);
    }
    spot_bind_unknown(&bind, place, key, "metric", &near, SPOT_SEE_METRICS);
}

/* The same for the metric that a key of the study names; name may be NULL. */
static void
add_named_metric(const spot_reading_t *self, const char *key, const char *name)
{
    if (name != NULL) {
        add_metric(self, key, spot_reading_place(self, key), name);
    }
}

static void
add_listed_metrics(const spot_reading_t *self)
{
    const spot_node_t *words = self->request.metrics;
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const bool is_compared = self->study->is_comparison && outputs->num_compared > 0;
    const bool is_all =
        words == NULL && !is_compared && self->study->head.optimise.metric == NULL;

    for (size_t j = 0; words != NULL && j < words->num_children; j++) {
        if (words->children[j]->kind == SPOT_NODE_SCALAR) { /* else it is reported */
            add_metric(self, "metrics", words->children[j], words->children[j]->text);
        }
    }
    for (size_t j = 0; words == NULL && is_compared && j < outputs->num_compared; j++) {
        add_metric(self, NULL, NULL, outputs->compared[j]);
    }
    for (size_t j = 0; is_all && j < outputs->num_metrics; j++) {
        add_metric(self, NULL, NULL, outputs->metrics[j].name);
    }
}

/* The picture of a comparison shows the parts of the engine unless the study asks for
 * others. */
static int
draw_parts(const spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const char *const *bars = outputs->bars == NULL ? outputs->parts : outputs->bars;
    spot_plot_request_t *plot = &self->study->head.plot;
    char label[SPOT_UTF8_SHOWN_BYTES];
    int ret = 0;

    if (!self->study->is_comparison || outputs->num_parts == 0) {
        return 0;
    }
    if (plot->x_label == NULL && outputs->whole != NULL) {
        snprintf(label, sizeof(label), "share of the %s", outputs->whole);
        ret = copy_text(&plot->x_label, label);
    }
    if (ret == 0 && plot->second_x == NULL && outputs->cost != NULL) {
        ret = copy_text(&plot->second_x, outputs->cost);
    }
    if (ret == 0 && plot->num_stack == 0) {
        free(plot->stack);
        plot->stack = spot_calloc(outputs->num_parts, sizeof(*plot->stack));
        ret = plot->stack == NULL ? SPOT_ERR_NO_MEMORY : 0;
        for (size_t j = 0; ret == 0 && j < outputs->num_parts; j++) {
            ret = copy_text(&plot->stack[plot->num_stack++], bars[j]);
        }
    }
    return ret;
}

/* Appends the metrics of the plot. */
static void
add_plot_metrics(const spot_reading_t *self)
{
    const spot_plot_request_t *plot = &self->study->head.plot;
    const spot_node_t *stack = spot_reading_place(self, "plot.stack");

    add_named_metric(self, "plot.y", plot->y);
    add_named_metric(self, "plot.second_x", plot->second_x);
    for (size_t j = 0; j < plot->num_stack; j++) {
        if (plot->stack[j] != NULL) { /* else it is reported */
            add_metric(self, "plot.stack",
                stack->kind == SPOT_NODE_LIST ? stack->children[j] : NULL,
                plot->stack[j]);
        }
    }
}

/* ---- Kinds of points ---- */

/* Finds the column of each metric of a layout, mostly the one after that of the metric
 * before, and what is special of its points. A point is fixed only if others are not: a
 * study without chance runs as many replications as it asks for. */
static int
settle_layout(const spot_study_t *study, spot_metric_layout_t *layout,
    spot_point_kind_t *kind, bool *is_special)
{
    const spot_study_head_t *head = &study->head;
    const spot_outputs_t *outputs = layout->outputs;
    size_t num_kept = 0, next = 0;

    free(layout->columns);
    layout->columns = spot_calloc(outputs->num_metrics, sizeof(*layout->columns));
    kind->has_metric = spot_calloc(head->num_metrics, sizeof(*kind->has_metric));
    if (layout->columns == NULL || kind->has_metric == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (outputs->cannot_run != NULL) {
        *is_special = true;
        return copy_text(&kind->cannot_run, outputs->cannot_run);
    }
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        const char *name = outputs->metrics[j].name;
        const bool is_next =
            next < head->num_metrics && strcmp(head->metrics[next].name, name) == 0;
        const size_t metric_id = is_next ? next : spot_study_metric_id(head, name);

        layout->columns[j] = -1;
        if (metric_id < head->num_metrics) {
            layout->columns[j] = (int32_t) metric_id;
            kind->has_metric[metric_id] = true;
            next = metric_id + 1;
            num_kept++;
        }
    }
    kind->is_fixed = study->yield.outputs.is_random && !outputs->is_random;
    *is_special = *is_special || kind->is_fixed || num_kept < head->num_metrics;
    return 0;
}

/* Settles the layouts, and gives the head its kinds of points where they differ. */
static int
settle_kinds(spot_study_t *study)
{
    const spot_yield_t *yield = &study->yield;
    spot_study_head_t *head = &study->head;
    bool is_special = false;
    int ret = 0;

    spot_study_head_free_kinds(head);
    head->kinds = spot_calloc(yield->num_layouts, sizeof(*head->kinds));
    if (head->kinds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    head->num_kinds = yield->num_layouts;
    for (size_t j = 0; ret == 0 && j < yield->num_layouts; j++) {
        ret = settle_layout(study, &yield->layouts[j], &head->kinds[j], &is_special);
    }
    if (ret == 0 && is_special && yield->num_layouts > 1) {
        head->kind_ids = spot_calloc(head->num_points, sizeof(*head->kind_ids));
        if (head->kind_ids == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        memcpy(head->kind_ids, yield->layout_ids,
            head->num_points * sizeof(*head->kind_ids));
    }
    if (ret != 0 || !is_special) {
        spot_study_head_free_kinds(head);
    }
    return ret;
}

/* ---- What reports show ---- */

/* Finds the metrics of the engine's overview that are kept. The parts add up only
 * together. */
static int
find_overview(spot_study_t *self)
{
    const spot_outputs_t *outputs = &self->yield.outputs;
    spot_study_head_t *head = &self->head;
    spot_overview_t *overview = &head->overview;

    free(overview->part_ids);
    overview->num_parts = 0;
    overview->part_ids = spot_calloc(outputs->num_parts, sizeof(*overview->part_ids));
    if (overview->part_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    overview->num_parts = outputs->num_parts;
    for (size_t j = 0; j < outputs->num_parts; j++) {
        overview->part_ids[j] = spot_study_metric_id(head, outputs->parts[j]);
        if (overview->part_ids[j] == head->num_metrics) {
            overview->num_parts = 0;
        }
    }
    overview->cost_id = spot_study_metric_id(head, outputs->cost);
    overview->gain_id = spot_study_metric_id(head, outputs->gain);
    head->has_overview = overview->num_parts > 0 ||
                         overview->cost_id < head->num_metrics ||
                         overview->gain_id < head->num_metrics;
    return 0;
}

static bool
lacks(const spot_study_head_t *head, const char *name)
{
    return name != NULL && spot_study_metric_id(head, name) == head->num_metrics;
}

int
spot_study_keep_ledger(spot_study_t *self, const spot_study_head_t *begun)
{
    const spot_outputs_t *outputs = &self->yield.outputs;
    const char *const others[] = {outputs->cost, outputs->gain};
    const spot_reading_t reading = {.study = self};
    const size_t num_before = self->head.num_metrics;
    int ret;

    for (size_t j = 0; self->has_ledger && j < outputs->num_parts + 2; j++) {
        const char *name =
            j < outputs->num_parts ? outputs->parts[j] : others[j - outputs->num_parts];

        if (lacks(&self->head, name)) {
            add_metric(&reading, NULL, NULL, name);
        }
    }
    for (size_t j = num_before; begun != NULL && j < self->head.num_metrics; j++) {
        if (lacks(begun, self->head.metrics[j].name)) {
            self->head.num_metrics = num_before;
        }
    }
    ret = settle_kinds(self);
    return ret == 0 ? find_overview(self) : ret;
}

static const char *
optimise_key(const spot_study_head_t *head)
{
    return head->optimise.is_maximised ? "optimise.maximise" : "optimise.minimise";
}

/* A metric by which points are compared must exist at all points that run. key: its
 * path. */
static void
check_everywhere(const spot_reading_t *self, const char *key, const char *name)
{
    const spot_study_head_t *head = &self->study->head;
    const size_t metric_id = spot_study_metric_id(head, name);
    char text[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; metric_id < head->num_metrics && j < head->num_points; j++) {
        if (spot_study_cannot_run(head, j) == NULL &&
            !spot_study_has_metric(head, j, metric_id)) {
            spot_reading_error(self, key, "there is no %s at %s", name,
                spot_study_point_text(head, j, text, sizeof(text)));
            return;
        }
    }
}

int
spot_metrics_choose(spot_reading_t *self)
{
    spot_study_t *study = self->study;
    spot_study_head_t *head = &study->head;
    const spot_request_t *request = &self->request;
    const size_t num_metrics = study->yield.outputs.num_metrics;
    int error, ret;

    head->metrics = spot_calloc(num_metrics, sizeof(*head->metrics));
    if (head->metrics == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    add_listed_metrics(self);
    error = find_constraints(self);
    add_named_metric(self, optimise_key(head), head->optimise.metric);
    for (size_t j = 0; error == 0 && j < head->optimise.num_constraints; j++) {
        add_metric(self, NULL, NULL, head->optimise.constraints[j].metric);
    }
    add_named_metric(self, "replications.until.metric", head->until.metric);
    add_named_metric(self, "best.maximise", request->best_maximise);
    add_named_metric(self, "best.minimise",
        request->best_maximise == NULL ? request->best_minimise : NULL);
    head->num_listed = head->num_metrics;
    ret = error == SPOT_ERR_NO_MEMORY ? error : draw_parts(self);
    add_plot_metrics(self);
    ret = ret == 0 ? settle_kinds(study) : ret;
    if (ret == 0 && error == 0) {
        check_everywhere(self, "replications.until.metric", head->until.metric);
        check_everywhere(self, optimise_key(head), head->optimise.metric);
        for (size_t j = 0; j < head->optimise.num_constraints; j++) {
            check_everywhere(
                self, "optimise.subject_to", head->optimise.constraints[j].metric);
        }
    }
    return ret == 0 ? find_overview(study) : ret;
}
