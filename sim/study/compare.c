/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "sim/engine/scenario_file.h"
#include "sim/study/template.h"

/* A key that is compared. */
typedef struct {
    char *key;
    char place[SPOT_UTF8_SHOWN_BYTES + 32]; /* of its values: "--over fleet.capacity" */
    const char *values;
    const spot_rivals_t *rivals; /* what the engine says of the key; NULL: nothing */
} rival_t;

typedef struct {
    const spot_compare_request_t *request;
    const spot_experiment_t *experiment;
    size_t num_rivals;
    rival_t *rivals; /* [num_rivals] */
} compare_t;

/* ---- Keys ---- */

/* Splits "KEY=A,B" of --over into a key and its values. */
static int
read_key(const spot_compare_key_t *key, rival_t *rival, spot_diag_t *diag)
{
    const char *equals = key->key == NULL ? strchr(key->values, '=') : NULL;
    const char *name = key->key == NULL ? key->values : key->key;
    const size_t name_bytes = equals == NULL ? strlen(name) : (size_t) (equals - name);
    char shown[SPOT_UTF8_SHOWN_BYTES];

    if (key->key == NULL && (equals == NULL || name_bytes == 0)) {
        spot_diag_error(diag, key->option, 0, 0, "expected KEY=A,B,..., got \"%s\"",
            spot_utf8_shown(key->values, shown));
        return SPOT_ERR_BAD_INPUT;
    }
    rival->values = equals == NULL ? key->values : equals + 1;
    rival->key = spot_text_copy(name, name_bytes);
    if (rival->key == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    snprintf(rival->place, sizeof(rival->place), "%s%s%s", key->option,
        key->key == NULL ? " " : "",
        key->key == NULL ? spot_utf8_shown(rival->key, shown) : "");
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

static void
find_rivals(compare_t *self)
{
    const spot_rivals_t *rivals = self->experiment->rivals;

    for (; rivals != NULL && rivals->key != NULL; rivals++) {
        for (size_t j = 0; j < self->num_rivals; j++) {
            if (strcmp(rivals->key, self->rivals[j].key) == 0) {
                self->rivals[j].rivals = rivals;
            }
        }
    }
}

/* "system" of "recovery system". */
static const char *
last_word(const char *noun)
{
    const char *blank = strrchr(noun, ' ');

    return blank == NULL ? noun : blank + 1;
}

/* ---- The study ---- */

static void
report_one_value(const rival_t *rival, spot_diag_t *diag)
{
    if (rival->rivals != NULL) {
        spot_diag_error(diag, rival->place, 0, 0, "expected two %ss or more, e.g. %s",
            last_word(rival->rivals->noun), rival->rivals->example);
    } else {
        spot_diag_error(
            diag, rival->place, 0, 0, "expected two values or more, e.g. 8,16");
    }
}

/* Moves the columns of messages back by the bracket that was added. */
static void
shift_columns(spot_yaml_t *list)
{
    for (size_t j = 0; j < list->num_nodes; j++) {
        spot_node_t *node = list->nodes[j];

        node->column -= node->line == 1 && node->column > 1;
    }
}

/* Sets a key of a map of the study. The key may have dots. */
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
set_values(const rival_t *rival, spot_yaml_t *document, spot_diag_t *diag)
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
    if (ret == 0 && root->num_children < 2) {
        report_one_value(rival, diag);
        ret = SPOT_ERR_BAD_INPUT;
    }
    ret = ret == 0 ? spot_yaml_adopt(document, &list) : ret;
    ret = ret == 0 ? set_key(document, "sweep", rival->key, root) : ret;
    ret = ret == 0 ? set_key(document, "baseline", rival->key, root->children[0]) : ret;
    spot_yaml_free(&list);
    free(text);
    return ret;
}

static int
make_document(const compare_t *self, spot_yaml_t *document, spot_diag_t *diag)
{
    const spot_compare_request_t *request = self->request;
    spot_node_t *path = NULL;
    char text[96];
    int ret;

    snprintf(text, sizeof(text), "study: compare\nreplications: {seed: %" PRId64 "}\n",
        request->seed);
    ret = spot_yaml_parse(document, "compare", text, strlen(text), diag);
    if (ret == 0) {
        path = spot_yaml_new_scalar(document, request->scenario_path, document->root);
        ret = path == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_yaml_set(document, "scenario", path);
    }
    if (ret == 0 && request->num_replications > 0) {
        snprintf(text, sizeof(text), "replications.count=%" PRId64,
            request->num_replications);
        ret = spot_yaml_assign(document, "--replications", text, diag);
    }
    for (size_t j = 0; ret == 0 && j < self->num_rivals; j++) {
        ret = set_values(&self->rivals[j], document, diag);
    }
    return ret;
}

/* ---- The scenario ---- */

/* Whether "KEY=VALUE" sets a key or something within it. */
static bool
is_of_key(const char *set, const char *key)
{
    static const char prefix[] = "scenario.";
    const size_t length = strlen(key);

    set += strncmp(set, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
    return strncmp(set, key, length) == 0 && strchr(".=[", set[length]) != NULL &&
           set[length] != '\0';
}

/* Reports a set of a key that is compared: each value replaces the whole key, so the set
 * would be lost. */
static int
check_set(const compare_t *self, const char *set, spot_diag_t *diag)
{
    const int length = (int) strcspn(set, "=");

    for (size_t j = 0; j < self->num_rivals; j++) {
        const char *key = self->rivals[j].key;
        const spot_rivals_t *rivals = self->rivals[j].rivals;

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
        spot_node_get(spot_template_scenario(study->template), "scenario");
    const spot_rivals_t *rivals = self->num_rivals == 1 ? self->rivals[0].rivals : NULL;
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

/* Reads all that the study is made of, and finds all errors in it. */
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
    find_rivals(self);
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
