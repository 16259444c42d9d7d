/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/study/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/engine/scenario_file.h"
#include "sim/bench/study/study.h"

/* A key that is compared. */
typedef struct {
    char *key;
    char place[SPOT_UTF8_SHOWN_BYTES + 32]; /* of its values: "--over fleet.capacity" */
    const char *values;
} rival_t;

typedef struct {
    const spot_compare_request_t *request;
    const spot_experiment_t *experiment;
    size_t num_rivals;
    rival_t *rivals; /* [num_rivals] */
} compare_t;

/* ---- Keys ---- */

/* Splits "KEY=A,B" of --over into a key and its values. */
static int read_key(const spot_compare_key_t *key, rival_t *rival, spot_diag_t *diag)
{
    const char *equals = key->key == NULL ? strchr(key->values, '=') : NULL;
    const char *name = key->key == NULL ? key->values : key->key;
    const size_t name_bytes = equals == NULL ? strlen(name) : (size_t) (equals - name);
    char shown[SPOT_UTF8_SHOWN_BYTES];

    if (key->key == NULL && (equals == NULL || name_bytes == 0)) {
        return spot_diag_error(diag, key->option, 0, 0, "expected KEY=A,B,..., got \"%s\"",
            spot_utf8_shown(key->values, shown));
    }
    rival->values = equals == NULL ? key->values : equals + 1;
    rival->key = spot_text_copy(name, name_bytes);
    if (rival->key == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    snprintf(rival->place, sizeof(rival->place), "%s%s%s", key->option, key->key == NULL ? " " : "",
        key->key == NULL ? spot_utf8_shown(rival->key, shown) : "");
    return 0;
}

static int read_keys(compare_t *self, spot_diag_t *diag)
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
            if (self->rivals[k].key != NULL && strcmp(self->rivals[k].key, rival->key) == 0) {
                spot_diag_error(diag, rival->place, 0, 0, "%s is compared already", rival->key);
                error = SPOT_ERR_BAD_INPUT;
            }
        }
    }
    return error;
}

/* What the engine says of a key; NULL: nothing. */
static const spot_rivals_t *rivals_of(const compare_t *self, const char *key)
{
    const spot_rivals_t *rivals = self->experiment->rivals;

    while (rivals != NULL && rivals->key != NULL && strcmp(rivals->key, key) != 0) {
        rivals++;
    }
    return rivals == NULL || rivals->key == NULL ? NULL : rivals;
}

/* "system" of "recovery system". */
static const char *last_word(const char *noun)
{
    const char *blank = strrchr(noun, ' ');

    return blank == NULL ? noun : blank + 1;
}

/* ---- The study ---- */

/* The values of a key as a list, whose columns are those on the command line. */
static int read_values(
    const compare_t *self, const rival_t *rival, spot_yaml_t *list, spot_diag_t *diag)
{
    const spot_rivals_t *rivals = rivals_of(self, rival->key);
    const size_t num_bytes = strlen(rival->values) + 2;
    char *text = malloc(num_bytes + 1);
    int ret;

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(text, "[%s]", rival->values);
    ret = spot_yaml_parse(list, rival->place, text, num_bytes, diag);
    free(text);
    for (size_t j = 0; j < list->num_nodes; j++) { /* without the bracket */
        list->nodes[j]->column -= list->nodes[j]->line == 1 && list->nodes[j]->column > 1;
    }
    if (ret != 0 || list->root->num_children >= 2) {
        return ret;
    }
    if (rivals != NULL) {
        const char *noun = last_word(rivals->noun);
        const size_t noun_bytes = strlen(noun);
        const bool has_y = noun[noun_bytes - 1] == 'y';

        spot_diag_error(diag, rival->place, 0, 0, "expected two %.*s%s or more, e.g. %s",
            (int) noun_bytes - has_y, noun, has_y ? "ies" : "s", rivals->example);
    } else {
        spot_diag_error(diag, rival->place, 0, 0, "expected two values or more, e.g. 8,16");
    }
    return SPOT_ERR_BAD_INPUT;
}

/* Writes a map of the study with a null for each key; a long key needs the "?". */
static void write_map(const compare_t *self, const char *name, FILE *out)
{
    fprintf(out, "%s: {", name);
    for (size_t j = 0; j < self->num_rivals; j++) {
        fputs(j == 0 ? "? " : ", ? ", out);
        spot_json_quote(out, self->rivals[j].key, true);
        fputs(" : null", out);
    }
    fputs("}\n", out);
}

/* The study without the values of its keys. */
static int write_study(const compare_t *self, spot_yaml_t *document, spot_diag_t *diag)
{
    char *text;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    int ret;

    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    fputs("study: compare\nscenario: ", out);
    spot_json_quote(out, self->request->scenario_path, true);
    fputs("\nreplications: {}\n", out);
    write_map(self, "sweep", out);
    write_map(self, "baseline", out);
    ret = fclose(out) == 0 ? spot_yaml_parse(document, "compare", text, num_bytes, diag)
                           : SPOT_ERR_NO_MEMORY;
    free(text);
    return ret;
}

/* Sweeps the keys; the first value of each is that of the baseline. */
static int make_document(const compare_t *self, spot_yaml_t *document, spot_diag_t *diag)
{
    int ret = write_study(self, document, diag);

    for (size_t j = 0; ret == 0 && j < self->num_rivals; j++) {
        spot_yaml_t list = {0};

        ret = read_values(self, &self->rivals[j], &list, diag);
        if (ret == 0) {
            spot_node_get(document->root, "sweep")->children[j] = list.root;
            spot_node_get(document->root, "baseline")->children[j] = list.root->children[0];
            ret = spot_yaml_adopt(document, &list);
        }
        spot_yaml_free(&list);
    }
    return ret;
}

/* ---- The scenario ---- */

/* Whether "KEY=VALUE" sets a key or something within it. */
static bool is_of_key(const char *set, const char *key)
{
    static const char prefix[] = "scenario.";
    const size_t length = strlen(key);

    set += strncmp(set, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
    return strncmp(set, key, length) == 0 && strchr(".=[", set[length]) != NULL &&
           set[length] != '\0';
}

/* Reports a set of a key that is compared: each value replaces the whole key, so the set
 * would be lost. */
static int check_set(const compare_t *self, const char *set, spot_diag_t *diag)
{
    const int length = (int) strcspn(set, "=");

    for (size_t j = 0; j < self->num_rivals; j++) {
        const char *key = self->rivals[j].key;
        const spot_rivals_t *rivals = rivals_of(self, key);

        if (!is_of_key(set, key)) {
            continue;
        }
        if (rivals != NULL) {
            spot_diag_error(diag, "--set", 0, 0,
                "%.*s is what is compared: give its options with the %s, e.g. --%s "
                "\"%s\"",
                length, set, last_word(rivals->noun), key, rivals->example);
        } else {
            spot_diag_error(diag, "--set", 0, 0,
                "%.*s is what is compared: give it with the values of --over", length, set);
        }
        return SPOT_ERR_BAD_INPUT;
    }
    return 0;
}

static int read_scenario(const compare_t *self, spot_yaml_t *scenario, spot_diag_t *diag)
{
    const spot_compare_request_t *request = self->request;
    const int error = spot_yaml_read(scenario, request->scenario_path, diag);

    if (scenario->root != NULL && spot_node_get(scenario->root, "study") != NULL) {
        return spot_diag_error(diag, request->scenario_path, 0, 0,
            "this is a study, not a scenario: to compare within a study, sweep %s",
            self->rivals[0].key);
    }
    return error;
}

/* ---- What is asked ---- */

static int ask(const compare_t *self, spot_study_t *study)
{
    const spot_outputs_t *outputs = &study->yield.outputs;
    const spot_node_t *name = spot_node_get(study->template->scenario.root, "scenario");
    const spot_rivals_t *rivals =
        self->num_rivals == 1 ? rivals_of(self, self->rivals[0].key) : NULL;
    char shown[SPOT_UTF8_SHOWN_BYTES];
    size_t num_bytes;
    FILE *out;

    if (study->head.question != NULL) {
        return 0;
    }
    out = open_memstream(&study->head.question, &num_bytes);
    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_utf8_shown(name != NULL && name->text != NULL ? name->text : "it", shown);
    if (rivals != NULL) {
        fprintf(out, "which %s is best for %s?", rivals->noun, shown);
    } else {
        fprintf(out, "what difference do%s", self->num_rivals == 1 ? "es" : "");
        for (size_t j = 0; j < self->num_rivals; j++) {
            fprintf(out, "%s %s",
                j == 0                      ? ""
                : j + 1 == self->num_rivals ? " and"
                                            : ",",
                self->rivals[j].key);
        }
        fprintf(out, " make to %s?", shown);
    }
    if (!outputs->is_random && outputs->why_fixed != NULL) {
        fprintf(out, " (%s)", outputs->why_fixed);
    }
    return fclose(out) != 0 ? SPOT_ERR_NO_MEMORY : 0;
}

/* Reads all that the study is made of, and finds all errors in it. */
static int read_all(compare_t *self, const spot_experiment_t *const *engines, spot_yaml_t *study,
    spot_yaml_t *scenario, spot_diag_t *diag)
{
    int error = read_keys(self, diag);

    if (error != 0) {
        return error;
    }
    error = read_scenario(self, scenario, diag);
    error = spot_error_first(
        error, spot_experiment_choose(&self->experiment, engines, scenario->root, diag));
    for (size_t j = 0; j < self->request->num_sets; j++) {
        error = spot_error_first(error, check_set(self, self->request->sets[j], diag));
    }
    return spot_error_first(error, make_document(self, study, diag));
}

int spot_compare_read(const spot_compare_request_t *self, const spot_experiment_t *const *engines,
    spot_study_t *study, spot_diag_t *diag)
{
    spot_yaml_t document = {0}, scenario = {0};
    spot_yaml_given_t given[2];
    spot_scenario_changes_t changes = {.trace_path = self->trace_path,
        .num_sets = self->num_sets,
        .sets = self->sets,
        .given = given};
    const spot_study_source_t source = {.study = &document,
        .scenario = &scenario,
        .path = self->scenario_path,
        .is_comparison = true,
        .changes = &changes};
    compare_t compare = {.request = self};
    int ret;

    memset(study, 0, sizeof(*study));
    changes.num_given = spot_study_give(given, self->seed, self->num_replications);
    ret = read_all(&compare, engines, &document, &scenario, diag);
    ret = ret == 0 ? spot_study_init(study, engines, &source, diag) : ret;
    ret = ret == 0 ? ask(&compare, study) : ret;
    for (size_t j = 0; j < compare.num_rivals; j++) {
        free(compare.rivals[j].key);
    }
    free(compare.rivals);
    spot_yaml_free(&document);
    spot_yaml_free(&scenario);
    return ret;
}
