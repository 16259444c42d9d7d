/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits to metrics: subject_to. */
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/condition_parse.h"
#include "base/memory.h"
#include "sim/bench/study/reading.h"

int spot_constraints_check(const spot_condition_t *condition, const spot_metric_t *metrics,
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
    ret = ret == 0 ? spot_constraints_check(condition, metrics, ids, &is_plain, self->diag) : ret;
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
            ret = spot_forms_add(self, "optimise.subject_to", condition->node, name, &is_form);
        }
    }
    return ret == 0 && self->diag->num_errors > num_errors ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_constraints_find(const spot_reading_t *self)
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
