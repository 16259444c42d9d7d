/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/optimise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/memory.h"
#include "sim/store/race.h"

#define SUBJECT_TO "optimise.subject_to"

static void
keep_over_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    if (node->kind == SPOT_NODE_MAP && node->num_children > 0) {
        spot_bind_keep_node(bind, field, node, target);
    } else {
        spot_bind_unexpected(bind, field, node, "");
    }
}

static void
keep_subject_node(
    spot_bind_t *bind, const spot_field_t *field, const spot_node_t *node, void *target)
{
    const spot_field_t item = {.name = field->name,
        .expected = "a condition such as \"lost_fraction <= 0.05\""};

    if (node->kind != SPOT_NODE_LIST) {
        spot_bind_unexpected(bind, field, node, "");
        return;
    }
    for (size_t j = 0; j < node->num_children; j++) {
        if (node->children[j]->kind != SPOT_NODE_SCALAR) {
            spot_bind_unexpected(bind, &item, node->children[j], "");
            return;
        }
    }
    spot_bind_keep_node(bind, field, node, target);
}

const spot_field_t spot_optimise_fields[] = {
    {.name = "minimise",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_optimise_request_t, minimise),
        .initial = "",
        .help = "metric whose mean is to be as small as possible"},
    {.name = "maximise",
        .type = SPOT_FIELD_TEXT,
        .offset = offsetof(spot_optimise_request_t, maximise),
        .initial = "",
        .help = "metric whose mean is to be as large as possible, instead of minimise"},
    {.name = "over",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_optimise_request_t, over_node),
        .bind = keep_over_node,
        .expected =
            "a map from keys of the scenario to their values, at least one, such as "
            "{job.pipeline_depth: [8, 16]}",
        .help = "keys of the scenario and the values among which the best are looked "
                "for, written as those of a sweep"},
    {.name = "subject_to",
        .type = SPOT_FIELD_CUSTOM,
        .offset = offsetof(spot_optimise_request_t, subject_node),
        .initial = "",
        .bind = keep_subject_node,
        .expected = "a list of conditions such as [\"lost_fraction <= 0.05\"]",
        .help = "limits that the means of metrics keep at the best point"},
    {.name = "confidence",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_optimise_request_t, confidence),
        .min = 0.5,
        .max = 0.9999,
        .initial = "0.95",
        .help = "confidence of the answer as a whole"},
    {.name = "indifference",
        .type = SPOT_FIELD_NUMBER,
        .offset = offsetof(spot_optimise_request_t, indifference),
        .max = 1,
        .initial = "0.001",
        .help =
            "difference to the best that does not matter, as a fraction of its mean: "
            "the race ends when no point can be better by more"},
    {.name = NULL},
};

/* Keys of the study that have no place beside optimise. */
static void
check_others(const spot_study_t *study, spot_bind_t *bind)
{
    const spot_node_t *root = study->document.root;

    if (spot_node_get(root, "sweep") != NULL) {
        spot_bind_error(bind, spot_node_get(root, "sweep"), "sweep",
            "is not used with optimise: put its keys into optimise.over");
    }
    if (study->head.keep == SPOT_KEEP_SUMMARIES) {
        spot_bind_error(bind, spot_node_get(root, "keep"), "keep",
            "optimise compares replications: it needs rows");
    }
}

void
spot_optimise_bind(spot_study_t *study, spot_bind_t *bind)
{
    const spot_node_t *node = spot_node_get(study->document.root, "optimise");
    spot_optimise_request_t *request = &study->optimise;
    spot_optimise_t *optimise = &study->head.optimise;
    char **wanted;

    if (node == NULL || node->kind != SPOT_NODE_MAP) {
        return;
    }
    check_others(study, bind);
    if ((request->minimise == NULL) == (request->maximise == NULL)) {
        spot_bind_error(bind, node, "optimise", "needs either minimise or maximise");
    }
    optimise->is_maximised = request->minimise == NULL;
    wanted = optimise->is_maximised ? &request->maximise : &request->minimise;
    optimise->metric = *wanted;
    *wanted = NULL; /* the head owns it now */
    optimise->confidence = request->confidence;
    optimise->indifference = request->indifference;
    study->sweep_node = request->over_node;
}

/* ---- Constraints ---- */

/* Whether a condition fits metrics, whose ids are given, with the units that they have,
 * or as plain numbers in these. */
static int
check_units(const spot_condition_t *condition, const spot_metric_t *metrics,
    const size_t *ids, bool has_units, spot_diag_t *diag)
{
    spot_condition_kind_t *kinds = spot_calloc(condition->num_names, sizeof(*kinds));
    int ret;

    if (kinds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < condition->num_names; j++) {
        const char *unit = metrics[ids[j]].unit;

        kinds[j].type = SPOT_CONDITION_NUMBER;
        kinds[j].unit = !has_units || strcmp(unit, "1") == 0 ? NULL : unit;
    }
    ret = spot_condition_check(condition, kinds, diag);
    free(kinds);
    return ret;
}

/* A metric's name tells its unit, so its limit may be a plain number. */
static int
check_limit(const spot_condition_t *condition, const spot_metric_t *metrics,
    const size_t *ids, spot_diag_t *diag)
{
    spot_diag_t quiet;
    int ret;

    spot_diag_init(&quiet);
    ret = check_units(condition, metrics, ids, false, &quiet);
    spot_diag_free(&quiet);
    return ret == 0 ? 0 : check_units(condition, metrics, ids, true, diag);
}

/* A parsed condition as a limit to one metric. */
static int
resolve_constraint(spot_constraint_t *self, const spot_condition_t *condition,
    const spot_experiment_t *experiment, spot_diag_t *diag)
{
    const char **names = spot_calloc(experiment->num_metrics, sizeof(*names));
    size_t *ids = spot_calloc(condition->num_names, sizeof(*ids));
    int ret = names == NULL || ids == NULL ? SPOT_ERR_NO_MEMORY : 0;
    spot_condition_bound_t bound;

    for (size_t j = 0; ret == 0 && j < experiment->num_metrics; j++) {
        names[j] = experiment->metrics[j].name;
    }
    if (ret == 0) {
        ret = spot_condition_resolve(condition, "metric", SPOT_SEE_METRICS, names,
            experiment->num_metrics, ids, diag);
    }
    if (ret == 0) {
        ret = check_limit(condition, experiment->metrics, ids, diag);
    }
    if (ret == 0) {
        ret = spot_condition_bound(condition, &bound, diag);
    }
    if (ret == 0) {
        self->limit = bound.limit;
        self->is_upper = bound.is_upper;
        self->metric = spot_text_copy(names[ids[0]], strlen(names[ids[0]]));
        self->text =
            spot_text_copy(condition->node->text, strlen(condition->node->text));
        ret = self->metric == NULL || self->text == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    free(ids);
    free(names);
    return ret;
}

static int
bind_constraint(spot_constraint_t *self, const spot_node_t *node,
    const spot_experiment_t *experiment, spot_diag_t *diag)
{
    spot_condition_t condition = {0};
    int ret = spot_condition_parse(&condition, node, SUBJECT_TO, diag);

    if (ret == 0) {
        ret = resolve_constraint(self, &condition, experiment, diag);
    }
    spot_condition_free(&condition);
    return ret;
}

int
spot_optimise_bind_constraints(spot_study_t *study, spot_diag_t *diag)
{
    const spot_node_t *node = study->optimise.subject_node;
    spot_optimise_t *optimise = &study->head.optimise;
    int error = 0;

    if (node == NULL) {
        return 0;
    }
    optimise->constraints =
        spot_calloc(node->num_children, sizeof(*optimise->constraints));
    if (optimise->constraints == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    optimise->num_constraints = node->num_children;
    for (size_t j = 0; error != SPOT_ERR_NO_MEMORY && j < node->num_children; j++) {
        const int ret = bind_constraint(
            &optimise->constraints[j], node->children[j], study->experiment, diag);

        error = ret != 0 ? ret : error;
    }
    return error;
}

/* ---- The policy ---- */

/* The rows of the last round are there; who still races gets those of the next one. */
static int
next_round(void *state, const spot_store_t *store, int64_t *targets, bool *is_more)
{
    spot_race_t *race = state;
    int ret = 0;

    if (targets[0] > 0) {
        ret = spot_race_advance(race, store);
    }
    *is_more = ret == 0 && !race->is_over;
    for (size_t j = 0; *is_more && j < store->head->num_points; j++) {
        if (race->runners[j].fate == SPOT_FATE_RACING) {
            targets[j] = spot_race_target(race);
        }
    }
    return ret;
}

static void
free_state(void *state)
{
    if (state != NULL) {
        spot_race_free(state);
        free(state);
    }
}

int
spot_optimise_policy(spot_policy_t *self, const spot_study_t *study)
{
    spot_race_t *race = spot_calloc(1, sizeof(*race));

    *self = (spot_policy_t){.state = race, .next = next_round, .free = free_state};
    return race == NULL ? SPOT_ERR_NO_MEMORY : spot_race_init(race, &study->head);
}
