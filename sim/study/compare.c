/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/engine/scenario_file.h"
#include "sim/study/documents.h"

static const char study_text[] = "study: compare\n";

/* A key that is compared. */
typedef struct {
    char *key;
    char *place; /* where its values stand, in messages: "--over fleet.capacity" */
    const char *values;
} rival_t;

typedef struct {
    const spot_compare_request_t *request;
    const spot_experiment_t *experiment;
    size_t num_rivals;
    rival_t *rivals; /* [num_rivals] */
} compare_t;

/* ---- Keys ---- */

static void
free_rivals(compare_t *self)
{
    for (size_t j = 0; j < self->num_rivals; j++) {
        free(self->rivals[j].key);
        free(self->rivals[j].place);
    }
    free(self->rivals);
}

/* "KEY=A,B" of --over becomes a key and its values. */
static int
read_key(const spot_compare_key_t *key, rival_t *rival, spot_diag_t *diag)
{
    const char *equals = key->key == NULL ? strchr(key->values, '=') : NULL;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t num_bytes;

    if (key->key != NULL) {
        rival->key = spot_text_copy(key->key, strlen(key->key));
        rival->place = spot_text_copy(key->option, strlen(key->option));
        rival->values = key->values;
        return rival->key == NULL || rival->place == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (equals == NULL || equals == key->values) {
        spot_diag_error(diag, key->option, 0, 0, "expected KEY=A,B,..., got \"%s\"",
            spot_utf8_shown(key->values, shown));
        return SPOT_ERR_BAD_INPUT;
    }
    rival->values = equals + 1;
    rival->key = spot_text_copy(key->values, (size_t) (equals - key->values));
    num_bytes = strlen(key->option) + 1 + (size_t) (equals - key->values);
    rival->place = spot_calloc(num_bytes + 1, 1);
    if (rival->key == NULL || rival->place == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(rival->place, "%s %s", key->option, rival->key);
    return 0;
}

static int
read_keys(compare_t *self, spot_diag_t *diag)
{
    const spot_compare_request_t *request = self->request;
    int error = 0;

    self->rivals = spot_calloc(request->num_keys, sizeof(*self->rivals));
    if (self->rivals == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < request->num_keys; j++) {
        rival_t *rival = &self->rivals[self->num_rivals++];
        const int ret = read_key(&request->keys[j], rival, diag);

        error = spot_error_first(error, ret);
        for (size_t k = 0; ret == 0 && k < j; k++) {
            if (self->rivals[k].key != NULL &&
                strcmp(self->rivals[k].key, rival->key) == 0) {
                spot_diag_error(
                    diag, rival->place, 0, 0, "%s is compared already", rival->key);
                error = SPOT_ERR_BAD_INPUT;
            }
        }
    }
    return error;
}

/* What the engine says of a key, or NULL. */
static const spot_rivals_t *
rivals_of(const spot_experiment_t *experiment, const char *key)
{
    const spot_rivals_t *rivals = experiment->rivals;

    while (rivals != NULL && rivals->key != NULL) {
        if (strcmp(rivals->key, key) == 0) {
            return rivals;
        }
        rivals++;
    }
    return NULL;
}

/* "system" of "recovery system". */
static const char *
last_word(const char *noun)
{
    const char *blank = strrchr(noun, ' ');

    return blank == NULL ? noun : blank + 1;
}

/* ---- The study ---- */

static int
check_values(const compare_t *self, const rival_t *rival, const spot_node_t *list,
    spot_diag_t *diag)
{
    const spot_rivals_t *rivals = rivals_of(self->experiment, rival->key);

    if (list->num_children >= 2) {
        return 0;
    }
    if (rivals != NULL) {
        spot_diag_error(diag, rival->place, 0, 0, "expected two %ss or more, e.g. %s",
            last_word(rivals->noun), rivals->example);
    } else {
        spot_diag_error(
            diag, rival->place, 0, 0, "expected two values or more, e.g. 8,16");
    }
    return SPOT_ERR_BAD_INPUT;
}

/* Moves the columns of messages back by the added bracket. */
static void
shift_columns(spot_yaml_t *list)
{
    for (size_t j = 0; j < list->num_nodes; j++) {
        spot_node_t *node = list->nodes[j];

        node->column -= node->line == 1 && node->column > 1;
    }
}

/* Sets a key of a map of the study, dots or not. */
static int
set_key(spot_yaml_t *document, const char *map, const char *key, spot_node_t *value)
{
    char *path = malloc(strlen(map) + strlen(key) + 2);
    int ret = path == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_yaml_add_key(document, map, key, strlen(key));

    if (ret == 0) {
        sprintf(path, "%s.%s", map, key);
        ret = spot_yaml_set(document, path, value);
    }
    free(path);
    return ret;
}

/* Makes the list of values those of a swept key, and its first item a baseline. */
static int
set_values(const compare_t *self, const rival_t *rival, spot_yaml_t *document,
    spot_diag_t *diag)
{
    const size_t num_bytes = strlen(rival->values) + 2;
    char *text = malloc(num_bytes + 1);
    spot_yaml_t list = {0};
    spot_node_t *root;
    int ret;

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(text, "[%s]", rival->values);
    ret = spot_yaml_parse(&list, rival->place, text, num_bytes, diag);
    root = list.root;
    shift_columns(&list);
    ret = ret == 0 ? check_values(self, rival, root, diag) : ret;
    ret = ret == 0 ? spot_yaml_adopt(document, &list) : ret;
    if (ret == 0) {
        ret = set_key(document, "sweep", rival->key, root);
    }
    if (ret == 0) {
        ret = set_key(document, "baseline", rival->key, root->children[0]);
    }
    spot_yaml_free(&list);
    free(text);
    return ret;
}

static int
set_text(
    spot_yaml_t *document, const char *path, const char *text, const spot_node_t *place)
{
    spot_node_t *node = spot_yaml_new_scalar(document, text, place);

    return node == NULL ? SPOT_ERR_NO_MEMORY : spot_yaml_set(document, path, node);
}

/* Sets a key of replications to the value of a command-line option. */
static int
set_replications(spot_yaml_t *document, const char *option, const char *key,
    int64_t value, spot_diag_t *diag)
{
    char text[64];

    snprintf(text, sizeof(text), "replications.%s=%" PRId64, key, value);
    return spot_yaml_assign(document, option, text, diag);
}

static int
make_document(const compare_t *self, spot_yaml_t *document, spot_diag_t *diag)
{
    const spot_compare_request_t *request = self->request;
    int ret =
        spot_yaml_parse(document, "compare", study_text, sizeof(study_text) - 1, diag);

    if (ret == 0) {
        ret = set_text(document, "scenario", request->scenario_path, document->root);
    }
    if (ret == 0) {
        ret = set_replications(document, "--seed", "seed", request->seed, diag);
    }
    if (ret == 0 && request->num_replications > 0) {
        ret = set_replications(
            document, "--replications", "count", request->num_replications, diag);
    }
    for (size_t j = 0; ret == 0 && j < self->num_rivals; j++) {
        ret = set_values(self, &self->rivals[j], document, diag);
    }
    return ret;
}

/* ---- The scenario ---- */

/* Whether "KEY=VALUE" is for a key or what lies within it. */
static bool
is_of_key(const char *set, const char *key)
{
    static const char prefix[] = "scenario.";
    const size_t length = strlen(key);

    set += strncmp(set, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
    return strncmp(set, key, length) == 0 && strchr(".=[", set[length]) != NULL &&
           set[length] != '\0';
}

/* Reports sets of keys that are compared: each value replaces its key as a whole, so
 * they would be lost without a message. */
static int
check_set(const compare_t *self, const char *set, spot_diag_t *diag)
{
    const int length = (int) strcspn(set, "=");

    for (size_t j = 0; j < self->num_rivals; j++) {
        const char *key = self->rivals[j].key;
        const spot_rivals_t *rivals = rivals_of(self->experiment, key);

        if (!is_of_key(set, key)) {
            continue;
        }
        if (rivals != NULL) {
            spot_diag_error(diag, "--set", 0, 0,
                "%.*s is what is compared: give its options with the %s, e.g. "
                "--%s \"%s\"",
                length, set, last_word(rivals->noun), key, rivals->example);
        } else {
            spot_diag_error(diag, "--set", 0, 0,
                "%.*s is what is compared: give it with the values of --over", length,
                set);
        }
        return SPOT_ERR_BAD_INPUT;
    }
    return 0;
}

static int
read_scenario(const compare_t *self, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const spot_compare_request_t *request = self->request;
    const spot_scenario_changes_t changes = {.trace_path = request->trace_path};
    const int error =
        spot_scenario_read_document(scenario, request->scenario_path, &changes, diag);

    if (scenario->root != NULL && spot_node_get(scenario->root, "study") != NULL) {
        spot_diag_error(diag, request->scenario_path, 0, 0,
            "this is a study, not a scenario: to compare within a study, sweep %s",
            self->rivals[0].key);
        return SPOT_ERR_BAD_INPUT;
    }
    return error;
}

/* ---- What is asked ---- */

static void
write_question(const compare_t *self, const spot_study_t *study, FILE *out)
{
    const spot_outputs_t *outputs = &study->yield.outputs;
    const spot_node_t *name =
        spot_node_get(spot_documents_scenario(study->documents), "scenario");
    const spot_rivals_t *rivals =
        self->num_rivals == 1 ? rivals_of(self->experiment, self->rivals[0].key) : NULL;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    spot_utf8_shown(name != NULL && name->text != NULL ? name->text : "it", shown);
    if (rivals != NULL) {
        fprintf(out, "which %s is best for %s?", rivals->noun, shown);
    } else {
        fprintf(out, "what difference do");
        for (size_t j = 0; j < self->num_rivals; j++) {
            fprintf(out, "%s %s",
                j > 0 ? (j + 1 == self->num_rivals ? " and" : ",")
                      : (self->num_rivals == 1 ? "es" : ""),
                self->rivals[j].key);
        }
        fprintf(out, " make to %s?", shown);
    }
    if (!outputs->is_random && outputs->why_fixed != NULL) {
        fprintf(out, " (%s)", outputs->why_fixed);
    }
}

static int
ask(const compare_t *self, spot_study_t *study)
{
    size_t num_bytes;
    FILE *out;

    if (study->head.question != NULL) {
        return 0;
    }
    out = open_memstream(&study->head.question, &num_bytes);
    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    write_question(self, study, out);
    return fclose(out) != 0 ? SPOT_ERR_NO_MEMORY : 0;
}

/* All that can be wrong before the study is bound. */
static int
read_all(compare_t *self, const spot_experiment_t *const *engines, spot_yaml_t *study,
    spot_yaml_t *scenario, spot_diag_t *diag)
{
    int error = read_keys(self, diag);
    int ret;

    if (error != 0) {
        return error;
    }
    error = read_scenario(self, scenario, diag);
    ret = spot_experiment_choose(&self->experiment, engines, scenario->root, diag);
    error = spot_error_first(error, ret);
    for (size_t j = 0; j < self->request->num_sets; j++) {
        ret = check_set(self, self->request->sets[j], diag);
        error = spot_error_first(error, ret);
    }
    ret = make_document(self, study, diag);
    return spot_error_first(error, ret);
}

int
spot_compare_read(const spot_compare_request_t *self,
    const spot_experiment_t *const *engines, spot_study_t *study, spot_diag_t *diag)
{
    spot_yaml_t document = {0}, scenario = {0};
    const spot_study_source_t source = {.study = &document,
        .scenario = &scenario,
        .path = self->scenario_path,
        .is_comparison = true,
        .num_sets = self->num_sets,
        .sets = self->sets};
    compare_t compare = {.request = self};
    int ret;

    memset(study, 0, sizeof(*study));
    ret = read_all(&compare, engines, &document, &scenario, diag);
    if (ret == 0) {
        ret = spot_study_init(study, engines, &source, diag);
    }
    if (ret == 0) {
        ret = ask(&compare, study);
    }
    free_rivals(&compare);
    spot_yaml_free(&document);
    spot_yaml_free(&scenario);
    return ret;
}
