/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/reading.h"

static const char inline_prefix[] = "scenario.";

int
spot_template_open(spot_template_t **self, spot_yaml_t *study, spot_yaml_t *scenario)
{
    *self = spot_calloc(1, sizeof(**self));
    if (*self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    (*self)->study = *study;
    (*self)->scenario = *scenario;
    memset(study, 0, sizeof(*study));
    memset(scenario, 0, sizeof(*scenario));
    pthread_mutex_init(&(*self)->lock, NULL);
    return 0;
}

void
spot_template_close(spot_template_t *self)
{
    if (self == NULL) {
        return;
    }
    for (size_t j = 0; j < self->num_swept; j++) {
        free(self->swept[j].nodes);
    }
    free(self->swept);
    spot_yaml_free(&self->scenario);
    spot_yaml_free(&self->study);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

const spot_node_t *
spot_template_scenario(const spot_template_t *self)
{
    return self->scenario.root;
}

/* ---- The command line ---- */

/* What follows a prefix, or NULL. */
static const char *
after(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Whether the key of "KEY=VALUE" is among those of a map. */
static bool
has_key(const spot_node_t *map, const char *assignment)
{
    bool is_found = false;

    for (size_t j = 0; map->kind == SPOT_NODE_MAP && j < map->num_children; j++) {
        const char *value = after(assignment, map->keys[j]->text);

        is_found = is_found || (value != NULL && value[0] == '=');
    }
    return is_found;
}

/* "KEY=VALUE" for a key of the sweep. */
static int
assign_in_sweep(
    spot_template_t *self, const char *sweep, const char *assignment, spot_diag_t *diag)
{
    char *whole = malloc(strlen(sweep) + strlen(assignment) + 2);
    int ret;

    if (whole == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(whole, "%s.%s", sweep, assignment);
    ret = spot_yaml_assign(&self->study, "--set", whole, diag);
    free(whole);
    return ret;
}

/* In "sweep.KEY=VALUES" and "optimise.over.KEY=VALUES" KEY is one key, which may have
 * dots. */
static int
set_study_key(spot_template_t *self, const char *assignment, spot_diag_t *diag)
{
    const char *const map =
        after(assignment, "sweep.") != NULL ? "sweep" : "optimise.over";
    const char *key = after(assignment, map);
    const char *equals = strchr(assignment, '=');
    int ret = 0;

    if (key != NULL && key[0] == '.' && equals != NULL && ++key < equals &&
        equals[1] != '\0') {
        ret = spot_yaml_add_key(&self->study, map, key, (size_t) (equals - key));
    }
    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_diag_error(
            diag, "--set", 0, 0, "%s is no map of keys: set it as a whole", map);
        return SPOT_ERR_BAD_INPUT;
    }
    return ret == 0 ? spot_yaml_assign(&self->study, "--set", assignment, diag) : ret;
}

/* Whether the key of an assignment has a scalar value. */
static bool
is_single(const spot_field_t *fields, const char *assignment)
{
    const size_t length = strcspn(assignment, ".=");
    const spot_field_t *field = spot_field_find(fields, assignment, length);

    if (field != NULL && field->type == SPOT_FIELD_MAP && assignment[length] == '.') {
        return is_single(field->fields, assignment + length + 1);
    }
    return field != NULL && field->type < SPOT_FIELD_MAP && assignment[length] == '=';
}

/* A key of the scenario, or the values of a swept one. */
static int
set_scenario_key(spot_template_t *self, const spot_experiment_t *experiment,
    const char *assignment, spot_diag_t *diag)
{
    const spot_node_t *optimise = spot_node_get(self->study.root, "optimise");
    const spot_node_t *over = spot_node_get(optimise, "over");
    const spot_node_t *sweep =
        over != NULL ? over : spot_node_get(self->study.root, "sweep");
    const char *inner = after(assignment, inline_prefix);
    int length;
    char shown[SPOT_UTF8_SHOWN_BYTES];

    assignment = inner == NULL ? assignment : inner;
    length = (int) strcspn(assignment, "=");
    if (sweep != NULL && has_key(sweep, assignment)) {
        return assign_in_sweep(
            self, over != NULL ? "optimise.over" : "sweep", assignment, diag);
    }
    if (sweep != NULL && sweep->kind == SPOT_NODE_LIST && sweep->num_children > 0 &&
        has_key(sweep->children[0], assignment)) {
        spot_diag_error(diag, "--set", 0, 0,
            "\"%s\" is for a key that each point of the sweep sets: set sweep as a "
            "whole",
            spot_utf8_shown(assignment, shown));
        return SPOT_ERR_BAD_INPUT;
    }
    if (after(assignment + length, "=[") != NULL &&
        is_single(experiment->fields, assignment)) {
        spot_diag_error(diag, "--set", 0, 0,
            "%.*s is not swept; add it: --set %s.%.*s=[...]", length, assignment,
            optimise != NULL ? "optimise.over" : "sweep", length, assignment);
        return SPOT_ERR_BAD_INPUT;
    }
    return spot_yaml_assign(&self->scenario, "--set", assignment, diag);
}

/* Finds the scenario unless its document was given: the study has it or names its file.
 * What is no map is refused. */
static int
find_scenario(spot_template_t *self, spot_diag_t *diag)
{
    const spot_field_t whole = {.expected = "a scenario, a map of keys"};
    spot_node_t *node = spot_node_get(self->study.root, "scenario");
    spot_bind_t bind = {.diag = diag};
    char *path;
    int ret = 0;

    if (self->scenario.root == NULL && node != NULL && node->kind == SPOT_NODE_MAP) {
        self->scenario.root = node;
    } else if (self->scenario.root == NULL && node != NULL &&
               node->kind == SPOT_NODE_SCALAR && node->text[0] != '\0') {
        path = spot_node_file_path(node);
        ret = path == NULL ? SPOT_ERR_NO_MEMORY
                           : spot_yaml_read(&self->scenario, path, diag);
        free(path);
    }
    if (self->scenario.root != NULL && self->scenario.root->kind != SPOT_NODE_MAP) {
        spot_bind_unexpected(&bind, &whole, self->scenario.root, "");
        self->scenario.root = NULL;
        ret = spot_error_first(ret, SPOT_ERR_BAD_INPUT);
    }
    return ret;
}

/* The part that an assignment changes. Changes of the study come first; the engine is
 * chosen before other keys of the scenario are set. */
typedef enum { FOR_STUDY, FOR_ENGINE, FOR_SCENARIO } owner_t;

static owner_t
owner_of(const char *assignment)
{
    const char *inner = after(assignment, inline_prefix);

    if (after(inner == NULL ? assignment : inner, "engine=") != NULL) {
        return FOR_ENGINE;
    }
    return inner == NULL && spot_field_find(spot_study_fields, assignment,
                                strcspn(assignment, ".[=")) != NULL
               ? FOR_STUDY
               : FOR_SCENARIO;
}

static int
set_keys(spot_template_t *self, owner_t owner, const char *const *sets, size_t num_sets,
    const spot_experiment_t *experiment, spot_diag_t *diag)
{
    int error = 0;

    for (size_t j = 0; j < num_sets; j++) {
        if (owner_of(sets[j]) == owner) {
            error = spot_error_first(error,
                owner == FOR_STUDY ? set_study_key(self, sets[j], diag)
                                   : set_scenario_key(self, experiment, sets[j], diag));
        }
    }
    return error;
}

int
spot_template_change(spot_template_t *self, const spot_experiment_t *const *engines,
    const char *const *sets, size_t num_sets, const spot_experiment_t **experiment,
    spot_diag_t *diag)
{
    int error;

    *experiment = engines[0];
    if (self->study.root->kind != SPOT_NODE_MAP) {
        return 0; /* binding it reports what is wrong */
    }
    error = set_keys(self, FOR_STUDY, sets, num_sets, *experiment, diag);
    error = spot_error_first(error, find_scenario(self, diag));
    error = spot_error_first(
        error, set_keys(self, FOR_ENGINE, sets, num_sets, *experiment, diag));
    error = spot_error_first(
        error, spot_experiment_choose(experiment, engines, self->scenario.root, diag));
    return spot_error_first(
        error, set_keys(self, FOR_SCENARIO, sets, num_sets, *experiment, diag));
}

/* ---- Values of axes ---- */

/* A scalar within a list or map stands in quotes if it has brackets, commas or quotes.
 */
static void
write_node(const spot_node_t *node, bool is_within, FILE *out)
{
    const bool is_map = node->kind == SPOT_NODE_MAP;

    if (node->kind == SPOT_NODE_SCALAR) {
        if (is_within && strpbrk(node->text, ",[]{}\"") != NULL) {
            spot_json_quote(out, node->text, true);
        } else {
            fputs(node->text, out);
        }
        return;
    }
    fputc(is_map ? '{' : '[', out);
    for (size_t j = 0; j < node->num_children; j++) {
        fprintf(out, "%s%s%s", j == 0 ? "" : ", ", is_map ? node->keys[j]->text : "",
            is_map ? ": " : "");
        write_node(node->children[j], true, out);
    }
    fputc(is_map ? '}' : ']', out);
}

char *
spot_node_line(const spot_node_t *node)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    if (stream == NULL) {
        return NULL;
    }
    write_node(node, false, stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* A scalar that is in place only gets another text. */
int
spot_template_place_value(spot_template_t *self, const spot_study_head_t *head,
    size_t axis_id, size_t value_id)
{
    spot_swept_t *swept = &self->swept[axis_id];
    const bool is_there =
        swept->is_placed && (swept->nodes == NULL || swept->placed_id == value_id);

    swept->is_placed = true;
    swept->placed_id = value_id;
    swept->scalar = (spot_node_t){.file = swept->place->file,
        .line = swept->place->line,
        .column = swept->place->column,
        .text = head->axes[axis_id].texts[value_id]};
    return is_there
               ? 0
               : spot_yaml_set(&self->scenario, swept->path,
                     swept->nodes == NULL ? &swept->scalar : swept->nodes[value_id]);
}

int
spot_template_place_point(
    spot_template_t *self, const spot_study_head_t *head, size_t point_id)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = spot_template_place_value(
            self, head, j, spot_study_value_id(head, point_id, j));
    }
    return ret;
}
