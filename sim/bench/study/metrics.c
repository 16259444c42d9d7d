/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/metrics.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/condition_parse.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/utf8.h"
#include "sim/bench/analysis/estimate.h"
#include "sim/bench/store/head.h"
#include "sim/bench/study/points.h"

static int metrics_keep(const spot_reading_t *self, const spot_metric_t *metric);
static void metrics_unknown(
    const spot_reading_t *self, const char *key, const spot_node_t *place, const char *name);
static int forms_add(const spot_reading_t *self, const char *key, const spot_node_t *place,
    const char *name, bool *is_form);

/* ---- Limits ---- */

/* Limits to metrics: subject_to. */

/* Whether a condition fits its metrics. A limit may have their units or be a plain
 * number; *is_plain: all numbers are plain. ids: [num_names] of the metrics. BAD_INPUT
 * with the reason in diag, NO_MEMORY. */
static int constraints_check(const spot_condition_t *condition, const spot_metric_t *metrics,
    const size_t *ids, bool *is_plain, spot_diag_t *diag)
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
    *is_plain = ret == 0;
    for (size_t j = 0; j < condition->num_names; j++) {
        const char *unit = metrics[ids[j]].unit;

        kinds[j].unit = strcmp(unit, "1") == 0 ? NULL : unit;
    }
    ret = ret == 0 ? 0 : spot_condition_check(condition, kinds, diag);
    free(kinds);
    return ret;
}

/* The metrics of the engine, then those of the head, which has the forms. The caller
 * frees it; NULL: no memory. */
static spot_metric_t *list_metrics(const spot_study_t *study, size_t *num_metrics)
{
    const spot_outputs_t *outputs = &study->yield.outputs;
    const spot_study_head_t *head = &study->head;
    spot_metric_t *metrics;

    *num_metrics = outputs->num_metrics;
    metrics = spot_calloc(outputs->num_metrics + head->num_metrics, sizeof(*metrics));
    if (metrics == NULL) {
        return NULL;
    }
    memcpy(metrics, outputs->metrics, outputs->num_metrics * sizeof(*metrics));
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (spot_outputs_metric_id(outputs, head->metrics[j].name) == outputs->num_metrics) {
            metrics[(*num_metrics)++] = head->metrics[j];
        }
    }
    return metrics;
}

/* Turns a parsed condition into a limit of one metric. */
static int resolve_constraint(
    const spot_reading_t *self, const spot_condition_t *condition, spot_constraint_t *constraint)
{
    size_t num_metrics;
    spot_metric_t *metrics = list_metrics(self->study, &num_metrics);
    const char **names = spot_calloc(num_metrics, sizeof(*names));
    size_t *ids = spot_calloc(condition->num_names, sizeof(*ids));
    int ret = metrics == NULL || names == NULL || ids == NULL ? SPOT_ERR_NO_MEMORY : 0;
    spot_condition_bound_t bound;
    bool is_plain;

    for (size_t j = 0; ret == 0 && j < num_metrics; j++) {
        names[j] = metrics[j].name;
    }
    ret = ret == 0 ? spot_condition_resolve(
                         condition, "metric", SPOT_SEE_METRICS, names, num_metrics, ids, self->diag)
                   : ret;
    ret = ret == 0 ? constraints_check(condition, metrics, ids, &is_plain, self->diag) : ret;
    ret = ret == 0 ? spot_condition_bound(condition, &bound, self->diag) : ret;
    if (ret == 0) {
        constraint->limit = bound.limit;
        constraint->is_upper = bound.is_upper;
        ret = spot_reading_copy(&constraint->metric, names[ids[0]]);
        ret = ret == 0 ? spot_reading_copy(&constraint->text, condition->node->text) : ret;
    }
    free(ids);
    free(names);
    free(metrics);
    return ret;
}

/* Makes metrics of the forms that a condition names. */
static int add_forms(const spot_reading_t *self, const spot_condition_t *condition)
{
    const size_t num_errors = self->diag->num_errors;
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < condition->num_names; j++) {
        const char *name = condition->names[j].text;
        bool is_form;

        if (spot_study_metric_id(&self->study->head, name) == self->study->head.num_metrics) {
            ret = forms_add(self, "optimise.subject_to", condition->node, name, &is_form);
        }
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

/* Reads the limits of subject_to, and keeps the forms that they name. NO_MEMORY, or
 * BAD_INPUT: errors are in diag. */
static int constraints_find(const spot_reading_t *self)
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
        spot_constraint_t *constraint = &optimise->constraints[optimise->num_constraints];
        spot_condition_t condition = {0};
        int ret;

        if (word->kind != SPOT_NODE_SCALAR) {
            continue; /* reported */
        }
        optimise->num_constraints++;
        ret = spot_condition_parse(&condition, word, "optimise.subject_to", self->diag);
        ret = ret == 0 ? add_forms(self, &condition) : ret;
        ret = ret == 0 ? resolve_constraint(self, &condition, constraint) : ret;
        spot_condition_free(&condition);
        error = ret != 0 ? ret : error;
    }
    return error;
}

/* ---- Forms ---- */

/* Forms of metrics: what a study asks of a metric beside its usual estimate. mean(M) is
 * the mean of the values of all replications, also of a ratio; p95(M) a quantile;
 * probability(M) of a 0/1 metric; probability(CONDITION) of a condition on metrics. */

/* A condition whose truth is a metric, 0 or 1. */
typedef struct {
    size_t metric_id; /* of the head */
    bool is_settled;
    spot_condition_t condition;
    spot_node_t node; /* of the condition; its text is in the name */
    size_t *ids;      /* [condition.num_names] metrics of the engine; once settled, of the
                         head */
    spot_condition_value_t *values; /* [condition.num_names] with their units */
} event_t;

struct spot_forms {
    spot_arena_t arena; /* names and words of metrics of the head too */
    size_t num_events;
    size_t max_events;
    event_t **events;   /* [num_events] */
    size_t most_values; /* of one condition */
};

void spot_forms_free(spot_study_t *study)
{
    struct spot_forms *self = study->forms;

    if (self != NULL) {
        for (size_t j = 0; j < self->num_events; j++) {
            spot_condition_free(&self->events[j]->condition);
        }
        free(self->events);
        spot_arena_free(&self->arena);
        free(self);
    }
}

/* ---- The text of a form ---- */

typedef struct {
    spot_estimator_t estimator;
    double p;
    const char *inside; /* what is between the parentheses */
    size_t num_bytes;   /* of it */
} form_t;

/* Returns false if the name is that of a metric or of nothing. */
static bool read_form(const char *name, form_t *form)
{
    static const spot_estimator_t estimators[] = {
        [SPOT_ESTIMATE_MEAN] = SPOT_ESTIMATOR_MEAN,
        [SPOT_ESTIMATE_PROBABILITY] = SPOT_ESTIMATOR_PROBABILITY,
        [SPOT_ESTIMATE_QUANTILE] = SPOT_ESTIMATOR_QUANTILE,
    };
    const size_t length = strlen(name), word_bytes = strcspn(name, "(");
    double percent = 0;
    const spot_estimate_kind_t kind = spot_condition_estimate(name, word_bytes, &percent);

    if (word_bytes + 2 > length || name[length - 1] != ')' || kind == SPOT_ESTIMATE_NONE ||
        (kind == SPOT_ESTIMATE_QUANTILE && !(percent > 0 && percent < 100))) {
        return false;
    }
    *form = (form_t){.estimator = estimators[kind],
        .p = percent / 100,
        .inside = name + word_bytes + 1,
        .num_bytes = length - word_bytes - 2};
    return true;
}

/* The metric of the outputs that is inside, or their number. */
static size_t find_inside(const spot_outputs_t *outputs, const form_t *form)
{
    size_t metric_id = 0;

    while (metric_id < outputs->num_metrics &&
           (strlen(outputs->metrics[metric_id].name) != form->num_bytes ||
               memcmp(outputs->metrics[metric_id].name, form->inside, form->num_bytes) != 0)) {
        metric_id++;
    }
    return metric_id;
}

/* ---- Conditions ---- */

/* Resolves the names of a condition and keeps their metrics. */
static int resolve_event(const spot_reading_t *self, event_t *event)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const spot_condition_t *condition = &event->condition;
    spot_arena_t *arena = &self->study->forms->arena;
    const char **names = spot_arena_take(arena, outputs->num_metrics, sizeof(*names));
    bool is_plain = false;
    int ret;

    SPOT_ARENA_ARRAY(arena, event->ids, condition->num_names);
    SPOT_ARENA_ARRAY(arena, event->values, condition->num_names);
    if (arena->error != 0) {
        return arena->error;
    }
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        names[j] = outputs->metrics[j].name;
    }
    ret = spot_condition_resolve(
        condition, "metric", SPOT_SEE_METRICS, names, outputs->num_metrics, event->ids, self->diag);
    ret = ret == 0
              ? constraints_check(condition, outputs->metrics, event->ids, &is_plain, self->diag)
              : ret;
    for (size_t j = 0; ret == 0 && j < condition->num_names; j++) {
        const char *unit = outputs->metrics[event->ids[j]].unit;

        event->values[j] = (spot_condition_value_t){.type = SPOT_CONDITION_NUMBER,
            .unit = is_plain || strcmp(unit, "1") == 0 ? NULL : unit};
    }
    return ret;
}

/* place: of the form in the study. */
static int make_event(const spot_reading_t *self, const char *key, const spot_node_t *place,
    const char *name, const form_t *form)
{
    struct spot_forms *forms = self->study->forms;
    event_t *event = spot_arena_take(&forms->arena, 1, sizeof(*event));
    char *text = spot_arena_take(&forms->arena, form->num_bytes + 1, 1);
    int ret;

    if (forms->arena.error != 0 || SPOT_ARRAY_ROOM(forms, events, forms->num_events + 1) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    event->node = *place;
    event->node.text = memcpy(text, form->inside, form->num_bytes);
    event->node.column += (size_t) (form->inside - name);
    ret = spot_condition_parse(&event->condition, &event->node, key, self->diag);
    ret = ret == 0 ? resolve_event(self, event) : ret;
    event->metric_id = self->study->head.num_metrics;
    if (ret != 0) {
        spot_condition_free(&event->condition);
        return ret;
    }
    forms->events[forms->num_events++] = event;
    if (event->condition.num_names > forms->most_values) {
        forms->most_values = event->condition.num_names;
    }
    return 0;
}

/* Appends the metrics that conditions are about to those of the head. NO_MEMORY. */
static int forms_keep_sources(const spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    struct spot_forms *forms = self->study->forms;
    int ret = 0;

    for (size_t j = 0; forms != NULL && j < forms->num_events; j++) {
        event_t *event = forms->events[j];

        for (size_t k = 0; ret == 0 && !event->is_settled && k < event->condition.num_names; k++) {
            const spot_metric_t *metric = &outputs->metrics[event->ids[k]];

            ret = metrics_keep(self, metric);
            event->ids[k] = spot_study_metric_id(&self->study->head, metric->name);
        }
        event->is_settled = true;
    }
    return ret;
}

/* A value that is cut off counts as larger than all numbers; where that leaves the
 * condition undefined, it does not hold. */
static double truth_of(const event_t *event, const spot_study_head_t *head, const double *row,
    spot_condition_value_t *values)
{
    bool holds = false, is_any_cut_off = false;
    size_t offset;

    for (size_t j = 0; j < event->condition.num_names; j++) {
        const size_t metric_id = event->ids[j];
        const spot_metric_source_t source = spot_study_source(head, metric_id);
        const bool is_larger = spot_metric_is_cut_off(&head->metrics[metric_id], &source, row);

        values[j] = event->values[j];
        values[j].number = is_larger ? DBL_MAX : row[metric_id];
        is_any_cut_off = is_any_cut_off || is_larger;
    }
    if (spot_condition_evaluate(&event->condition, values, &holds, &offset) == 0) {
        return holds;
    }
    return is_any_cut_off ? 0 : (double) NAN;
}

int spot_forms_evaluate(const spot_study_t *study, double *row)
{
    const struct spot_forms *self = study->forms;
    spot_condition_value_t *values;

    if (self == NULL || self->num_events == 0) {
        return 0;
    }
    values = spot_calloc(self->most_values, sizeof(*values)); /* of all conditions */
    if (values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_events; j++) {
        const event_t *event = self->events[j];

        row[event->metric_id] = truth_of(event, &study->head, row, values);
    }
    free(values);
    return 0;
}

/* Whether a metric of the head is that of a condition whose metrics the outputs have. */
static bool forms_has(const spot_study_t *study, const spot_outputs_t *outputs, size_t metric_id)
{
    const struct spot_forms *self = study->forms;

    for (size_t j = 0; self != NULL && j < self->num_events; j++) {
        const event_t *event = self->events[j];
        bool has_all = event->metric_id == metric_id;

        for (size_t k = 0; has_all && k < event->condition.num_names; k++) {
            has_all = spot_outputs_metric_id(outputs, study->head.metrics[event->ids[k]].name) <
                      outputs->num_metrics;
        }
        if (has_all) {
            return true;
        }
    }
    return false;
}

/* ---- A form as a metric of the head ---- */

/* "p95 of idle time": what a form is called, by what is inside. */
static const char *form_words(struct spot_forms *self, const char *name, const char *inside)
{
    const size_t num_bytes = strlen(name) + strlen(inside) + sizeof(" of ");
    char *text = spot_arena_take(&self->arena, num_bytes, 1);

    if (text != NULL) {
        snprintf(text, num_bytes, "%.*s of %s", (int) strcspn(name, "("), name, inside);
    }
    return text;
}

/* The metric inside as the form has it. */
static spot_metric_t metric_of(
    struct spot_forms *forms, const spot_metric_t *inside, const form_t *form, const char *name)
{
    spot_metric_t metric = *inside;

    metric.name = name;
    metric.estimator = form->estimator;
    metric.p = form->p;
    metric.is_total = false;
    if (inside->kind != SPOT_METRIC_PROBABILITY) {
        metric.label = form_words(forms, name, spot_metric_label(inside));
        metric.noun = form_words(forms, name, spot_metric_noun(inside));
    }
    if (inside->numerator == NULL) {
        metric.numerator = inside->name;
    }
    return metric;
}

/* Appends a metric whose name is a form of another one, such as "p95(cost_usd)". Sets
 * *is_form to false, and does nothing, if it is none. NO_MEMORY; else errors are in
 * diag. */
static int forms_add(const spot_reading_t *self, const char *key, const spot_node_t *place,
    const char *name, bool *is_form)
{
    spot_study_t *study = self->study;
    const spot_outputs_t *outputs = &study->yield.outputs;
    struct spot_forms *forms = study->forms;
    spot_metric_t metric = {
        .unit = "1", .help = "whether the condition holds", .kind = SPOT_METRIC_PROBABILITY};
    size_t inside_id;
    form_t form;
    char *copy;
    int ret;

    *is_form = read_form(name, &form);
    if (!*is_form) {
        return 0;
    }
    if (forms == NULL) {
        forms = study->forms = spot_calloc(1, sizeof(*forms));
    }
    copy = forms == NULL ? NULL : spot_arena_text(&forms->arena, name);
    if (copy == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    inside_id = find_inside(outputs, &form);
    if (inside_id < outputs->num_metrics) {
        const spot_metric_t *inside = &outputs->metrics[inside_id];

        if (form.estimator == SPOT_ESTIMATOR_PROBABILITY &&
            inside->kind != SPOT_METRIC_PROBABILITY) {
            spot_node_error(self, place, key,
                "%s is not 0 or 1 in each run: give a condition such as "
                "\"probability(%s <= 100)\"",
                inside->name, inside->name);
            return 0;
        }
        metric = metric_of(forms, inside, &form, copy);
    } else if (form.estimator != SPOT_ESTIMATOR_PROBABILITY) {
        copy[strlen(copy) - 1] = '\0';
        metrics_unknown(self, key, place, copy + (form.inside - name));
        return 0;
    } else {
        ret = make_event(self, key, place, name, &form);
        if (ret != 0) {
            return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
        }
        metric.name = copy;
        metric.label = form_words(forms, name, forms->events[forms->num_events - 1]->node.text);
    }
    return forms->arena.error == 0 ? metrics_keep(self, &metric) : forms->arena.error;
}

/* ---- Metrics ---- */

/* Appends a metric to those of the head, unless its name is there. NO_MEMORY. */
static int metrics_keep(const spot_reading_t *self, const spot_metric_t *metric)
{
    spot_study_t *study = self->study;
    const spot_outputs_t *outputs = &study->yield.outputs;
    spot_study_head_t *head = &study->head;
    spot_metric_t *kept;

    if (spot_study_metric_id(head, metric->name) < head->num_metrics) {
        return 0;
    }
    if (spot_array_reserve(&head->metrics, &study->max_metrics, head->num_metrics + 1,
            sizeof(*head->metrics)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    kept = &head->metrics[head->num_metrics++];
    *kept = *metric;
    if (spot_outputs_metric_id(outputs, kept->known_if) == outputs->num_metrics) {
        kept->known_if = NULL;
    }
    return 0;
}

/* Appends the sources of the metrics that derive from others, and finds them. */
static int keep_sources(const spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    spot_study_head_t *head = &self->study->head;
    int ret = forms_keep_sources(self);

    for (size_t j = 0; ret == 0 && j < head->num_metrics; j++) {
        const spot_metric_t metric = head->metrics[j];
        const char *const names[] = {metric.numerator, metric.denominator, metric.known_if};

        for (size_t k = 0; ret == 0 && k < sizeof(names) / sizeof(names[0]); k++) {
            if (names[k] != NULL) {
                const size_t metric_id = spot_outputs_metric_id(outputs, names[k]);

                spot_bug_assert(metric_id < outputs->num_metrics);
                ret = metrics_keep(self, &outputs->metrics[metric_id]);
            }
        }
    }
    return ret == 0 ? spot_study_head_find_sources(head) : ret;
}

/* Reports a name that is that of no metric. */
static void metrics_unknown(
    const spot_reading_t *self, const char *key, const spot_node_t *place, const char *name)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    spot_bind_t bind = {.diag = self->diag};
    spot_suggest_t near;

    spot_suggest_init(&near, name);
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        spot_suggest_offer(&near, outputs->metrics[j].name);
    }
    spot_bind_unknown(&bind, place, key, "metric", &near, SPOT_SEE_METRICS);
}

/* Appends the metric with this name to those that are kept, or reports the name with a
 * suggestion. key, place: of the name in the study; NULL if the engine gives it. */
static int add_metric(
    const spot_reading_t *self, const char *key, const spot_node_t *place, const char *name)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const size_t metric_id = spot_outputs_metric_id(outputs, name);
    bool is_form;
    int ret;

    if (metric_id < outputs->num_metrics) {
        return metrics_keep(self, &outputs->metrics[metric_id]);
    }
    if (spot_study_metric_id(&self->study->head, name) < self->study->head.num_metrics) {
        return 0;
    }
    ret = forms_add(self, key, place, name, &is_form);
    if (ret == 0 && !is_form) {
        metrics_unknown(self, key, place, name);
    }
    return ret;
}

/* The same for the metric that a key of the study names; name may be NULL. */
static int add_named_metric(const spot_reading_t *self, const char *key, const char *name)
{
    return name == NULL ? 0 : add_metric(self, key, spot_reading_place(self, key), name);
}

static int add_listed_metrics(const spot_reading_t *self)
{
    const spot_node_t *words = self->request.metrics;
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    const bool is_compared = self->study->is_comparison && outputs->num_compared > 0;
    const bool is_all = words == NULL && !is_compared && self->study->head.optimise.metric == NULL;
    int ret = 0;

    for (size_t j = 0; ret == 0 && words != NULL && j < words->num_children; j++) {
        if (words->children[j]->kind == SPOT_NODE_SCALAR) { /* else it is reported */
            ret = add_metric(self, "metrics", words->children[j], words->children[j]->text);
        }
    }
    for (size_t j = 0; ret == 0 && words == NULL && is_compared && j < outputs->num_compared; j++) {
        ret = add_metric(self, NULL, NULL, outputs->compared[j]);
    }
    for (size_t j = 0; ret == 0 && is_all && j < outputs->num_metrics; j++) {
        if (!outputs->metrics[j].is_total) {
            ret = metrics_keep(self, &outputs->metrics[j]);
        }
    }
    return ret;
}

/* The picture of a comparison shows the parts of the engine unless the study asks for
 * others. */
static int draw_parts(const spot_reading_t *self)
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
        ret = spot_reading_copy(&plot->x_label, label);
    }
    if (ret == 0 && plot->second_x == NULL && outputs->cost != NULL) {
        ret = spot_reading_copy(&plot->second_x, outputs->cost);
    }
    if (ret == 0 && plot->num_stack == 0) {
        free(plot->stack);
        plot->stack = spot_calloc(outputs->num_parts, sizeof(*plot->stack));
        ret = plot->stack == NULL ? SPOT_ERR_NO_MEMORY : 0;
        for (size_t j = 0; ret == 0 && j < outputs->num_parts; j++) {
            ret = spot_reading_copy(&plot->stack[plot->num_stack++], bars[j]);
        }
    }
    return ret;
}

/* Appends the metrics of the plot. */
static int add_plot_metrics(const spot_reading_t *self)
{
    const spot_plot_request_t *plot = &self->study->head.plot;
    const spot_node_t *stack = spot_reading_place(self, "plot.stack");
    int ret = add_named_metric(self, "plot.y", plot->y);

    ret = ret == 0 ? add_named_metric(self, "plot.second_x", plot->second_x) : ret;
    for (size_t j = 0; ret == 0 && j < plot->num_stack; j++) {
        if (plot->stack[j] != NULL) { /* else it is reported */
            ret = add_metric(self, "plot.stack",
                stack->kind == SPOT_NODE_LIST ? stack->children[j] : NULL, plot->stack[j]);
        }
    }
    return ret;
}

/* ---- Kinds of points ---- */

/* Whether points of a layout have a metric of the head, which is one of the engine or
 * has sources that are. */
static bool has_metric(const spot_study_t *study, const spot_outputs_t *outputs, size_t metric_id)
{
    const spot_study_head_t *head = &study->head;
    const spot_metric_source_t source = spot_study_source(head, metric_id);
    const size_t ids[] = {source.of_id, source.per_id, source.known_id};
    bool has_all = true;

    for (size_t j = 0; j < sizeof(ids) / sizeof(ids[0]); j++) {
        if (ids[j] < head->num_metrics) {
            has_all = has_all && (forms_has(study, outputs, ids[j]) ||
                                     spot_outputs_metric_id(outputs, head->metrics[ids[j]].name) <
                                         outputs->num_metrics);
        }
    }
    return has_all;
}

/* names: up to NULL, or NULL. */
static bool is_named(const char *const *names, const char *name)
{
    for (size_t j = 0; names != NULL && names[j] != NULL; j++) {
        if (strcmp(names[j], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the rules of a layout make a metric the same in all replications. */
static bool is_ruled(const spot_outputs_t *outputs, const spot_metric_t *metric)
{
    const char *name = metric->numerator == NULL ? metric->name : metric->numerator;

    return !outputs->is_random || outputs->is_ruled || is_named(outputs->never, name) ||
           is_named(outputs->ruled, metric->name) ||
           (is_named(outputs->ruled, name) &&
               (metric->denominator == NULL || is_named(outputs->ruled, metric->denominator)));
}

/* Finds the column of each metric of a layout, mostly the one after that of the metric
 * before, and what is special of its points. A point is fixed only if others are not: a
 * study without chance runs as many replications as it asks for. */
static int settle_layout(const spot_study_t *study, spot_metric_layout_t *layout,
    spot_point_kind_t *kind, bool *is_special)
{
    const spot_study_head_t *head = &study->head;
    const spot_outputs_t *outputs = layout->outputs;
    size_t next = 0;

    free(layout->columns);
    layout->columns = spot_calloc(outputs->num_metrics, sizeof(*layout->columns));
    kind->has_metric = spot_calloc(head->num_metrics, sizeof(*kind->has_metric));
    kind->is_ruled = spot_calloc(head->num_metrics, sizeof(*kind->is_ruled));
    if (layout->columns == NULL || kind->has_metric == NULL || kind->is_ruled == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (outputs->cannot_run != NULL) {
        *is_special = true;
        return spot_reading_copy(&kind->cannot_run, outputs->cannot_run);
    }
    if (outputs->unmeasured != NULL) {
        *is_special = true;
        if (spot_reading_copy(&kind->unmeasured, outputs->unmeasured) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    if (outputs->beyond.metric != NULL) {
        *is_special = true;
        kind->beyond_most = outputs->beyond.most;
        kind->beyond_warns = outputs->beyond.only_warns;
        if (spot_reading_copy(&kind->beyond_metric, outputs->beyond.metric) != 0 ||
            spot_reading_copy(&kind->beyond_words, outputs->beyond.words) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    for (size_t j = 0; j < outputs->num_metrics; j++) {
        const char *name = outputs->metrics[j].name;
        const bool is_next =
            next < head->num_metrics && strcmp(head->metrics[next].name, name) == 0;
        const size_t metric_id = is_next ? next : spot_study_metric_id(head, name);
        const bool is_kept = metric_id < head->num_metrics && outputs->metrics[j].numerator == NULL;

        layout->columns[j] = is_kept ? (int32_t) metric_id : -1;
        next = metric_id + 1;
    }
    kind->is_fixed = study->yield.outputs.is_random && !outputs->is_random;
    *is_special = *is_special || kind->is_fixed;
    for (size_t j = 0; j < head->num_metrics; j++) {
        kind->has_metric[j] = has_metric(study, outputs, j);
        kind->is_ruled[j] = is_ruled(outputs, &head->metrics[j]);
        *is_special = *is_special || !kind->has_metric[j] || kind->is_ruled[j];
    }
    return 0;
}

/* Settles the layouts, and gives the head its kinds of points where they differ. */
static int settle_kinds(spot_study_t *study)
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
        memcpy(head->kind_ids, yield->layout_ids, head->num_points * sizeof(*head->kind_ids));
    }
    if (ret != 0 || !is_special) {
        spot_study_head_free_kinds(head);
    }
    return ret;
}

/* ---- What reports show ---- */

/* Finds the metrics of the engine's overview that are kept. The parts add up only
 * together. */
static int find_overview(spot_study_t *self)
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
    head->has_overview = overview->num_parts > 0 || overview->cost_id < head->num_metrics ||
                         overview->gain_id < head->num_metrics;
    return 0;
}

static bool lacks(const spot_study_head_t *head, const char *name)
{
    return name != NULL && spot_study_metric_id(head, name) == head->num_metrics;
}

int spot_study_keep_ledger(spot_study_t *self, const spot_study_head_t *begun)
{
    const spot_outputs_t *outputs = &self->yield.outputs;
    const char *const others[] = {outputs->cost, outputs->gain};
    const spot_reading_t reading = {.study = self};
    const size_t num_before = self->head.num_metrics;
    int ret = 0;

    for (size_t j = 0; ret == 0 && self->has_ledger && j < outputs->num_parts + 2; j++) {
        const char *name =
            j < outputs->num_parts ? outputs->parts[j] : others[j - outputs->num_parts];

        ret = name == NULL ? 0 : add_metric(&reading, NULL, NULL, name);
    }
    ret = ret == 0 ? keep_sources(&reading) : ret;
    for (size_t j = num_before; begun != NULL && j < self->head.num_metrics; j++) {
        if (lacks(begun, self->head.metrics[j].name)) {
            self->head.num_metrics = num_before;
        }
    }
    ret = ret == 0 ? keep_sources(&reading) : ret;
    ret = ret == 0 ? settle_kinds(self) : ret;
    return ret == 0 ? find_overview(self) : ret;
}

static const char *optimise_key(const spot_study_head_t *head)
{
    return head->optimise.is_maximised ? "optimise.maximise" : "optimise.minimise";
}

/* A metric by which points are compared must exist at all points that run. key: its
 * path. */
static void check_everywhere(const spot_reading_t *self, const char *key, const char *name)
{
    const spot_study_head_t *head = &self->study->head;
    const size_t metric_id = spot_study_metric_id(head, name);
    char text[SPOT_UTF8_SHOWN_BYTES];

    for (size_t j = 0; metric_id < head->num_metrics && j < head->num_points; j++) {
        if (spot_study_cannot_run(head, j) == NULL && !spot_study_has_metric(head, j, metric_id)) {
            spot_reading_error(self, key, "there is no %s at %s", name,
                spot_study_point_text(head, j, text, sizeof(text)));
            return;
        }
    }
}

/* Appends all that the study names. */
static int add_all(spot_reading_t *self)
{
    const spot_request_t *request = &self->request;
    spot_study_head_t *head = &self->study->head;
    int ret = add_listed_metrics(self), error = 0;

    if (ret == 0) {
        error = constraints_find(self);
        ret = error == SPOT_ERR_NO_MEMORY ? error : 0;
    }
    ret = ret == 0 ? add_named_metric(self, optimise_key(head), head->optimise.metric) : ret;
    for (size_t j = 0; ret == 0 && error == 0 && j < head->optimise.num_constraints; j++) {
        ret = add_metric(self, NULL, NULL, head->optimise.constraints[j].metric);
    }
    ret = ret == 0 ? add_named_metric(self, "replications.until.metric", head->until.metric) : ret;
    ret = ret == 0 ? add_named_metric(self, "best.maximise", request->best_maximise) : ret;
    if (request->best_maximise == NULL) {
        ret = ret == 0 ? add_named_metric(self, "best.minimise", request->best_minimise) : ret;
    }
    head->num_listed = head->num_metrics;
    ret = ret == 0 ? draw_parts(self) : ret;
    ret = ret == 0 ? add_plot_metrics(self) : ret;
    if (ret == 0 && (head->optimise.metric != NULL || request->best_maximise != NULL ||
                        request->best_minimise != NULL)) {
        const char *beyond = self->study->yield.outputs.beyond.metric;

        ret = beyond == NULL ? 0 : add_metric(self, NULL, NULL, beyond);
    }
    return ret == 0 ? keep_sources(self) : ret;
}

/* Whether a limit keeps points out at which runs do not finish. */
static bool limits_cut_off(const spot_metric_t *metric)
{
    return metric->kind == SPOT_METRIC_PROBABILITY ||
           (metric->known_if != NULL && metric->estimator == SPOT_ESTIMATOR_QUANTILE);
}

/* A cost that is cut off is least where runs do not finish: warns where the least mean
 * is looked for and nothing limits how many do not. key: of the metric. */
static void check_cut_off(const spot_reading_t *self, const char *key, const char *name)
{
    const spot_study_head_t *head = &self->study->head;
    const spot_node_t *place = spot_reading_place(self, key);
    const size_t metric_id = spot_study_metric_id(head, name);
    bool is_limited = false;

    if (metric_id == head->num_metrics || head->metrics[metric_id].known_if == NULL ||
        spot_metric_estimator(&head->metrics[metric_id]) != SPOT_ESTIMATOR_MEAN) {
        return;
    }
    for (size_t j = 0; j < head->optimise.num_constraints; j++) {
        const size_t limit_id = spot_study_metric_id(head, head->optimise.constraints[j].metric);

        is_limited = is_limited || limits_cut_off(&head->metrics[limit_id]);
    }
    if (!is_limited) {
        spot_diag_warn(self->diag, place->file, place->line, place->column,
            "%s: %s of a run that does not finish is what was paid until it was cut "
            "off: a point where no run finishes may be the least; take \"p95(%s)\" "
            "instead, or with optimise add subject_to: [\"probability(%s) >= 0.95\"]",
            key, name, name, head->metrics[metric_id].known_if);
    }
}

int spot_metrics_choose(spot_reading_t *self)
{
    const size_t num_errors = self->diag->num_errors;
    spot_study_t *study = self->study;
    spot_study_head_t *head = &study->head;
    int ret = add_all(self);

    ret = ret == 0 ? settle_kinds(study) : ret;
    if (ret == 0 && self->diag->num_errors == num_errors) {
        check_everywhere(self, "replications.until.metric", head->until.metric);
        check_everywhere(self, optimise_key(head), head->optimise.metric);
        for (size_t j = 0; j < head->optimise.num_constraints; j++) {
            check_everywhere(self, "optimise.subject_to", head->optimise.constraints[j].metric);
        }
        check_cut_off(
            self, "optimise.minimise", head->optimise.is_maximised ? NULL : head->optimise.metric);
        check_cut_off(self, "best.minimise", self->request.best_minimise);
    }
    return ret == 0 ? find_overview(study) : ret;
}
