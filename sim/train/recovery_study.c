/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery_study.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/train/experiment.h"
#include "sim/train/scenario.h"

static const char option[] = "--recovery"; /* where systems stand, in messages */

/* What the rows of the table tell; --set metrics=[...] asks for others. The picture has
 * all categories of the ledger. */
static const char study_text[] =
    "study: compare\n"
    "metrics: [steps_kept, samples_per_s, usd_per_h, samples_per_usd, idle_fraction, "
    "lost_fraction, reconfigurations, rollbacks]\n"
    "plot:\n"
    "  x_label: share of the paid instance time\n"
    "  second_x: usd_per_h\n"
    "  stack: [goodput_fraction, unsaved_fraction, redundant_fraction, lost_fraction, "
    "stalled_fraction, reloading_fraction, reconfiguring_fraction, standby_fraction, "
    "prepping_fraction]\n";

static int
check_systems(const spot_node_t *list, spot_diag_t *diag)
{
    if (list->num_children >= 2) {
        return 0;
    }
    spot_diag_error(diag, option, 0, 0,
        "expected two systems or more, e.g. checkpoint,{system: checkpoint, detection: "
        "30 s}");
    return SPOT_ERR_BAD_INPUT;
}

/* As if the bracket that makes a list of them were not there. */
static void
shift_columns(spot_yaml_t *list)
{
    for (size_t j = 0; j < list->num_nodes; j++) {
        spot_node_t *node = list->nodes[j];

        node->column -= node->line == 1 && node->column > 1;
    }
}

/* The list of systems becomes the sweep, its first item the baseline. */
static int
set_systems(const spot_recovery_study_t *self, spot_yaml_t *document, spot_diag_t *diag)
{
    const size_t num_bytes = strlen(self->systems) + 2;
    char *text = malloc(num_bytes + 1);
    spot_yaml_t list = {0};
    spot_node_t *root;
    int ret;

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(text, "[%s]", self->systems);
    ret = spot_yaml_parse(&list, option, text, num_bytes, diag);
    root = list.root;
    shift_columns(&list);
    ret = ret == 0 ? check_systems(root, diag) : ret;
    ret = ret == 0 ? spot_yaml_adopt(document, &list) : ret;
    if (ret == 0) {
        ret = spot_yaml_set(document, "sweep.recovery", root);
    }
    if (ret == 0) {
        ret = spot_yaml_set(document, "baseline.recovery", root->children[0]);
    }
    spot_yaml_free(&list);
    free(text);
    return ret;
}

static int
set_scalar(spot_yaml_t *document, const char *path, const char *text)
{
    spot_node_t *node = spot_yaml_new_scalar(document, text, document->root);

    return node == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(document, path, node);
}

/* What an option of the command line says of replications. */
static int
set_replications(spot_yaml_t *document, const char *place, const char *key,
    int64_t value, spot_diag_t *diag)
{
    char text[64];

    snprintf(text, sizeof(text), "replications.%s=%" PRId64, key, value);
    return spot_yaml_assign(document, place, text, diag);
}

static int
make_document(
    const spot_recovery_study_t *self, spot_yaml_t *document, spot_diag_t *diag)
{
    int ret =
        spot_yaml_parse(document, "compare", study_text, sizeof(study_text) - 1, diag);

    ret = ret == 0 ? set_scalar(document, "scenario", self->scenario_path) : ret;
    if (ret == 0) {
        ret = set_replications(document, "--seed", "seed", self->seed, diag);
    }
    if (ret == 0 && self->num_replications > 0) {
        ret = set_replications(
            document, "--replications", "count", self->num_replications, diag);
    }
    return ret == 0 ? set_systems(self, document, diag) : ret;
}

/* Whether "KEY=VALUE" is for recovery or a key within it. */
static bool
is_of_recovery(const char *set)
{
    static const char prefix[] = "scenario.", key[] = "recovery";
    const size_t length = sizeof(key) - 1;

    set += strncmp(set, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
    return strncmp(set, key, length) == 0 && (set[length] == '.' || set[length] == '=');
}

/* What a system replaces as a whole would be lost without a word. */
static int
check_sets(const spot_recovery_study_t *self, spot_diag_t *diag)
{
    int ret = 0;

    for (size_t j = 0; j < self->num_sets; j++) {
        const char *set = self->sets[j];

        if (is_of_recovery(set)) {
            spot_diag_error(diag, "--set", 0, 0,
                "%.*s is what is compared: give its options with the system, e.g. "
                "--recovery \"checkpoint,{system: checkpoint, detection: 30 s}\"",
                (int) strcspn(set, "="), set);
            ret = SPOT_ERR_BAD_INPUT;
        }
    }
    return ret;
}

static int
read_scenario(
    const spot_recovery_study_t *self, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const spot_scenario_changes_t changes = {.trace_path = self->trace_path};
    const int error = spot_yaml_read(scenario, self->scenario_path, diag);
    int ret;

    if (scenario->root == NULL) {
        return error;
    }
    if (spot_node_get(scenario->root, "study") != NULL) {
        spot_diag_error(diag, self->scenario_path, 0, 0,
            "this is a study, not a scenario: to compare within a study, sweep "
            "recovery");
        return SPOT_ERR_BAD_INPUT;
    }
    ret = spot_scenario_change(scenario, &changes, diag);
    return spot_error_first(error, ret);
}

/* Where every loss has a name, nothing is left to chance but what a system does. */
static bool
has_names(const spot_scenario_t *scenario)
{
    const spot_trace_t *recording = scenario->trace.recording;

    return recording != NULL && recording->kind == SPOT_TRACE_NAMED;
}

/* Whether somebody has said how often to run. */
static bool
is_count_given(const spot_study_t *study)
{
    const spot_node_t *replications =
        spot_node_get(study->document.root, "replications");

    return study->head.until.metric != NULL || study->head.optimise.metric != NULL ||
           spot_node_get(replications, "count") != NULL;
}

/* What is known only of the bound scenario: how often to run, and what is asked. */
static int
finish_head(spot_study_t *study)
{
    const spot_scenario_t *scenario = study->scenarios[0];
    spot_study_head_t *head = &study->head;
    char question[SPOT_UTF8_SHOWN_BYTES + 128], name[SPOT_UTF8_SHOWN_BYTES];

    if (has_names(scenario) && !is_count_given(study)) {
        head->num_replications = 1;
        head->min_replications = 1;
    }
    if (head->question != NULL) {
        return 0;
    }
    snprintf(question, sizeof(question), "which recovery system is best for %s?%s",
        spot_utf8_shown(scenario->name, name),
        has_names(scenario) ? " (a recorded trace: no loss is left to chance)" : "");
    head->question = spot_text_copy(question, strlen(question));
    return head->question == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

int
spot_recovery_study_read(
    const spot_recovery_study_t *self, spot_study_t *study, spot_diag_t *diag)
{
    int error, ret;

    memset(study, 0, sizeof(*study));
    study->experiment = &spot_train_experiment; /* freeing needs it */
    error = check_sets(self, diag);
    ret = make_document(self, &study->document, diag);
    error = spot_error_first(error, ret);
    ret = read_scenario(self, &study->scenario_file, diag);
    error = spot_error_first(error, ret);
    if (error == 0) {
        error = spot_study_init(study, &spot_train_experiment, self->scenario_path,
            self->sets, self->num_sets, diag);
    }
    return error == 0 ? finish_head(study) : error;
}
