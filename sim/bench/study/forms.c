/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms of metrics: what a study asks of a metric beside its usual estimate. mean(M) is
 * the mean of the values of all replications, also of a ratio; p95(M) a quantile;
 * probability(M) of a 0/1 metric; probability(CONDITION) of a condition on metrics. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/condition_parse.h"
#include "base/memory.h"
#include "sim/bench/study/reading.h"

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
    ret = ret == 0 ? spot_constraints_check(
                         condition, outputs->metrics, event->ids, &is_plain, self->diag)
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

int spot_forms_keep_sources(const spot_reading_t *self)
{
    const spot_outputs_t *outputs = &self->study->yield.outputs;
    struct spot_forms *forms = self->study->forms;
    int ret = 0;

    for (size_t j = 0; forms != NULL && j < forms->num_events; j++) {
        event_t *event = forms->events[j];

        for (size_t k = 0; ret == 0 && !event->is_settled && k < event->condition.num_names; k++) {
            const spot_metric_t *metric = &outputs->metrics[event->ids[k]];

            ret = spot_metrics_keep(self, metric);
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

bool spot_forms_has(const spot_study_t *study, const spot_outputs_t *outputs, size_t metric_id)
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

int spot_forms_add(const spot_reading_t *self, const char *key, const spot_node_t *place,
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
        spot_metrics_unknown(self, key, place, copy + (form.inside - name));
        return 0;
    } else {
        ret = make_event(self, key, place, name, &form);
        if (ret != 0) {
            return ret == SPOT_ERR_NO_MEMORY ? ret : 0;
        }
        metric.name = copy;
        metric.label = form_words(forms, name, forms->events[forms->num_events - 1]->node.text);
    }
    return forms->arena.error == 0 ? spot_metrics_keep(self, &metric) : forms->arena.error;
}
