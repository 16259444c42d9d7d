/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static const char inline_prefix[] = "scenario.";

static bool
has_scenario_file(const spot_study_t *self)
{
    return self->scenario_file.root != NULL;
}

/* Sets a dotted key of the scenario, wherever its document is. */
static int
set_scenario_key(spot_study_t *self, const char *path, spot_node_t *value)
{
    char *whole;
    int ret;

    if (has_scenario_file(self)) {
        return spot_yaml_set(&self->scenario_file, path, value);
    }
    whole = malloc(sizeof(inline_prefix) + strlen(path));
    if (whole == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(whole, "%s%s", inline_prefix, path);
    ret = spot_yaml_set(&self->document, whole, value);
    free(whole);
    return ret;
}

/* Whether the key of "KEY=VALUE" is one of the study's own, such as replications.count.
 */
static bool
is_study_key(const char *assignment)
{
    const size_t length = strcspn(assignment, ".=");

    for (const spot_field_t *field = spot_study_fields; field != NULL;
         field = spot_field_next(field)) {
        if (strlen(field->name) == length &&
            strncmp(field->name, assignment, length) == 0) {
            return strncmp(assignment, inline_prefix, sizeof(inline_prefix) - 1) != 0;
        }
    }
    return false;
}

/* Whether the key of "KEY=VALUE" is among those of a map. */
static bool
has_key(const spot_node_t *map, const char *assignment)
{
    const size_t length = strcspn(assignment, "=");

    for (size_t j = 0; map->kind == SPOT_NODE_MAP && j < map->num_children; j++) {
        if (strlen(map->keys[j]->text) == length &&
            strncmp(map->keys[j]->text, assignment, length) == 0) {
            return true;
        }
    }
    return false;
}

/* "KEY=VALUE" with a prefix before the key, carried out on the study's document. */
static int
assign_with_prefix(
    spot_study_t *self, const char *prefix, const char *assignment, spot_diag_t *diag)
{
    char *whole = malloc(strlen(prefix) + strlen(assignment) + 1);
    int ret;

    if (whole == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    sprintf(whole, "%s%s", prefix, assignment);
    ret = spot_yaml_assign(&self->document, "--set", whole, diag);
    free(whole);
    return ret;
}

/* "sweep.KEY=VALUES" and "optimise.over.KEY=VALUES": KEY is one key of the map, dots or
 * not; other keys of the study are as they are. */
static int
apply_study_set(spot_study_t *self, const char *assignment, spot_diag_t *diag)
{
    static const char *const maps[] = {"sweep", "optimise.over"};
    const char *equals = strchr(assignment, '=');

    for (size_t j = 0; equals != NULL && j < sizeof(maps) / sizeof(maps[0]); j++) {
        const size_t length = strlen(maps[j]);
        const char *key = assignment + length + 1;
        int ret;

        if (strncmp(assignment, maps[j], length) != 0 || assignment[length] != '.' ||
            key >= equals || equals[1] == '\0') {
            continue;
        }
        ret = spot_yaml_add_key(&self->document, maps[j], key, (size_t) (equals - key));
        if (ret == SPOT_ERR_BAD_PARAM) {
            spot_diag_error(
                diag, "--set", 0, 0, "%s is no map of keys: set it as a whole", maps[j]);
            ret = SPOT_ERR_BAD_INPUT;
        }
        if (ret != 0) {
            return ret;
        }
    }
    return spot_yaml_assign(&self->document, "--set", assignment, diag);
}

/* Whether the key of an assignment has one value only, and no fields of its own. */
static bool
is_single(const spot_field_t *fields, const char *assignment)
{
    const size_t length = strcspn(assignment, ".=");
    const spot_field_t *field = spot_field_first(fields);

    while (field != NULL && (strlen(field->name) != length ||
                                strncmp(field->name, assignment, length) != 0)) {
        field = spot_field_next(field);
    }
    if (field == NULL) {
        return false;
    }
    if (field->type == SPOT_FIELD_MAP && assignment[length] == '.') {
        return is_single(field->fields, assignment + length + 1);
    }
    return field->type < SPOT_FIELD_MAP && assignment[length] == '=';
}

/* A list for a key that takes none and is not swept is meant to be swept, most likely.
 */
static bool
is_list_of_single(const spot_study_t *self, const char *assignment)
{
    const size_t length = strcspn(assignment, "=");

    return assignment[length] == '=' && assignment[length + 1] == '[' &&
           is_single(self->experiment->fields, assignment);
}

static int
report_list(const spot_study_t *self, const char *assignment, spot_diag_t *diag)
{
    const bool is_race = spot_node_get(self->document.root, "optimise") != NULL;
    const int length = (int) strcspn(assignment, "=");

    spot_diag_error(diag, "--set", 0, 0,
        "%.*s is not swept; add it: --set %s.%.*s=[...]", length, assignment,
        is_race ? "optimise.over" : "sweep", length, assignment);
    return SPOT_ERR_BAD_INPUT;
}

static int
apply_scenario_set(spot_study_t *self, const char *assignment, spot_diag_t *diag)
{
    const spot_node_t *optimise = spot_node_get(self->document.root, "optimise");
    const spot_node_t *over = spot_node_get(optimise, "over");
    const spot_node_t *sweep =
        over != NULL ? over : spot_node_get(self->document.root, "sweep");

    if (strncmp(assignment, inline_prefix, sizeof(inline_prefix) - 1) == 0) {
        assignment += sizeof(inline_prefix) - 1;
    }
    if (sweep != NULL && has_key(sweep, assignment)) {
        return assign_with_prefix(
            self, over != NULL ? "optimise.over." : "sweep.", assignment, diag);
    }
    if (sweep != NULL && sweep->kind == SPOT_NODE_LIST && sweep->num_children > 0 &&
        has_key(sweep->children[0], assignment)) {
        char shown[SPOT_UTF8_SHOWN_BYTES];

        spot_diag_error(diag, "--set", 0, 0,
            "\"%s\" is for a key that each point of the sweep sets: set sweep as a "
            "whole",
            spot_utf8_shown(assignment, shown));
        return SPOT_ERR_BAD_INPUT;
    }
    if (is_list_of_single(self, assignment)) {
        return report_list(self, assignment, diag);
    }
    if (has_scenario_file(self)) {
        return spot_yaml_assign(&self->scenario_file, "--set", assignment, diag);
    }
    return assign_with_prefix(self, inline_prefix, assignment, diag);
}

/* Reads the scenario if the study names a file that is not there yet. */
static int
read_scenario_file(spot_study_t *self, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(self->document.root, "scenario");
    char *path;
    int ret;

    if (has_scenario_file(self) || node == NULL || node->kind != SPOT_NODE_SCALAR ||
        node->text[0] == '\0') {
        return 0;
    }
    path = spot_node_file_path(node);
    if (path == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = spot_yaml_read(&self->scenario_file, path, diag);
    free(path);
    return ret;
}

/* A scenario of its own that is no map cannot be swept. */
static int
check_scenario_file(spot_study_t *self, spot_diag_t *diag)
{
    const spot_field_t whole = {.expected = "a scenario, a map of keys"};
    spot_bind_t bind = {.diag = diag};

    if (!has_scenario_file(self) || self->scenario_file.root->kind == SPOT_NODE_MAP) {
        return 0;
    }
    spot_bind_unexpected(&bind, &whole, self->scenario_file.root, "");
    self->scenario_file.root = NULL;
    return SPOT_ERR_BAD_INPUT;
}

int
spot_study_apply_sets(
    spot_study_t *self, const char *const *sets, size_t num_sets, spot_diag_t *diag)
{
    int error = 0, ret = 0;

    if (self->document.root->kind != SPOT_NODE_MAP) {
        return 0; /* binding it says what is wrong */
    }
    for (size_t j = 0; j < num_sets; j++) {
        if (is_study_key(sets[j])) {
            ret = apply_study_set(self, sets[j], diag);
            error = spot_error_first(error, ret);
        }
    }
    ret = read_scenario_file(self, diag);
    error = spot_error_first(error, ret);
    ret = check_scenario_file(self, diag);
    error = spot_error_first(error, ret);
    for (size_t j = 0; j < num_sets; j++) {
        if (!is_study_key(sets[j])) {
            ret = apply_scenario_set(self, sets[j], diag);
            error = spot_error_first(error, ret);
        }
    }
    return error;
}

int
spot_study_place_value(spot_study_t *self, size_t axis_id, size_t value_id)
{
    return set_scenario_key(
        self, self->head.axes[axis_id].path, self->values[axis_id][value_id]);
}

int
spot_study_place_point(spot_study_t *self, size_t point_id)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->head.num_axes; j++) {
        ret = spot_study_place_value(
            self, j, spot_study_value_id(&self->head, point_id, j));
    }
    return ret;
}

bool
spot_path_is_within(const char *path, const char *outer)
{
    const size_t length = strlen(outer);

    return strncmp(path, outer, length) == 0 &&
           (path[length] == '\0' || path[length] == '.');
}

const spot_node_t *
spot_study_scenario_root(const spot_study_t *self)
{
    const spot_node_t *root = has_scenario_file(self)
                                  ? self->scenario_file.root
                                  : spot_node_get(self->document.root, "scenario");

    return root != NULL && root->kind == SPOT_NODE_MAP ? root : NULL;
}
