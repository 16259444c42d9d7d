/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_where.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/condition.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/scenario_keys.h"

/* A name of a condition: a key of the scenario, whose values depend on one axis or on
 * none. */
typedef struct {
    int32_t axis_id; /* -1: none */
    size_t num_values;
    spot_yaml_t *documents;         /* [num_values] what the texts of values are in */
    spot_condition_value_t *values; /* [num_values] */
    spot_condition_kind_t kind;     /* of all values, as far as they have one */
} key_t;

typedef struct {
    spot_condition_t condition;
    size_t num_keys;
    key_t *keys;                    /* [num_keys] the condition's names */
    spot_condition_value_t *values; /* [num_keys] at a point */
    size_t num_excluded;
} filter_t;

static void
free_key(key_t *key)
{
    for (size_t j = 0; key->documents != NULL && j < key->num_values; j++) {
        spot_yaml_free(&key->documents[j]);
    }
    free(key->documents);
    free(key->values);
}

static void
free_filter(filter_t *self)
{
    for (size_t j = 0; self->keys != NULL && j < self->num_keys; j++) {
        free_key(&self->keys[j]);
    }
    free(self->keys);
    free(self->values);
    spot_condition_free(&self->condition);
}

/* One value of a key as a condition sees it; *is_there: whether there is one. */
static int
read_value(key_t *key, const spot_scenario_keys_t *keys, const char *path,
    size_t value_id, bool *is_there, spot_diag_t *diag)
{
    const spot_node_t *node =
        spot_scenario_keys_node(keys, path, key->axis_id, value_id);
    spot_yaml_t *document = &key->documents[value_id];

    if (node == NULL) {
        const char *text = spot_scenario_keys_text(keys, path, key->axis_id, value_id);
        const int ret =
            text == NULL ? 0
                         : spot_yaml_parse(document, "where", text, strlen(text), diag);

        if (ret != 0) {
            return ret;
        }
        node = document->root;
    }
    *is_there = node != NULL && spot_condition_value_of(node, &key->values[value_id]);
    return 0;
}

/* A name that has no value everywhere. */
static int
report_missing(const key_t *key, const spot_study_head_t *head, size_t value_id,
    const spot_condition_t *condition, size_t offset, spot_diag_t *diag)
{
    char shown[SPOT_UTF8_SHOWN_BYTES];

    spot_bug_assert(key->axis_id >= 0); /* else there is no such path */
    spot_condition_error(condition, offset, diag, "it has no value where %s is %s",
        head->axes[key->axis_id].path,
        spot_utf8_shown(head->axes[key->axis_id].texts[value_id], shown));
    return SPOT_ERR_BAD_INPUT;
}

/* Makes a kind that of one more value, too. */
static void
widen_kind(
    spot_condition_kind_t *kind, const spot_condition_value_t *value, bool is_first)
{
    if (is_first) {
        *kind = (spot_condition_kind_t){value->type, value->unit};
        return;
    }
    if (kind->type != value->type) {
        kind->type = SPOT_CONDITION_ANY;
    }
    if (kind->unit != value->unit) { /* they are among a few constants */
        kind->unit = SPOT_CONDITION_ANY_UNIT;
    }
}

/* All values of a name, and the kind that they have in common. */
static int
read_values(key_t *key, const spot_scenario_keys_t *keys, const char *path,
    const spot_condition_t *condition, size_t offset, spot_diag_t *diag)
{
    const spot_study_head_t *head = &keys->study->head;
    int ret = 0;

    key->axis_id = spot_scenario_keys_axis(keys, path);
    key->num_values = key->axis_id < 0 ? 1 : head->axes[key->axis_id].num_values;
    key->documents = spot_calloc(key->num_values, sizeof(*key->documents));
    key->values = spot_calloc(key->num_values, sizeof(*key->values));
    if (key->documents == NULL || key->values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < key->num_values; j++) {
        bool is_there = false;

        ret = read_value(key, keys, path, j, &is_there, diag);
        if (ret == 0 && !is_there) {
            ret = report_missing(key, head, j, condition, offset, diag);
        }
        widen_kind(&key->kind, &key->values[j], j == 0);
    }
    return ret;
}

/* Finds the keys that the names mean, their values, and whether these fit. */
static int
resolve(filter_t *self, const spot_scenario_keys_t *keys, spot_diag_t *diag)
{
    const size_t num_names = self->condition.num_names;
    size_t *path_ids = spot_calloc(num_names, sizeof(*path_ids));
    spot_condition_kind_t *kinds = spot_calloc(num_names, sizeof(*kinds));
    int ret = SPOT_ERR_NO_MEMORY;

    self->keys = spot_calloc(num_names, sizeof(*self->keys));
    self->values = spot_calloc(num_names, sizeof(*self->values));
    if (path_ids != NULL && kinds != NULL && self->keys != NULL &&
        self->values != NULL) {
        self->num_keys = num_names;
        ret = spot_condition_resolve(
            &self->condition, "key", "", keys->paths, keys->num_paths, path_ids, diag);
    }
    for (size_t j = 0; ret == 0 && j < num_names; j++) {
        ret = read_values(&self->keys[j], keys, keys->paths[path_ids[j]],
            &self->condition, self->condition.names[j].offset, diag);
        kinds[j] = self->keys[j].kind;
    }
    if (ret == 0) {
        ret = spot_condition_check(&self->condition, kinds, diag);
    }
    free(kinds);
    free(path_ids);
    return ret;
}

/* Where a condition cannot tell. */
static int
report_outcome(const filter_t *self, const spot_study_head_t *head, size_t point_id,
    int outcome, size_t offset, spot_diag_t *diag)
{
    char shown[SPOT_UTF8_SHOWN_BYTES], text[512] = "";
    size_t used = 0;

    for (size_t j = 0; j < head->num_axes && used < sizeof(text); j++) {
        used += (size_t) snprintf(text + used, sizeof(text) - used, "%s%s %s",
            j == 0 ? " at " : ", ", head->axes[j].path,
            spot_utf8_shown(
                head->axes[j].texts[spot_study_value_id(head, point_id, j)], shown));
    }
    spot_condition_error(&self->condition, offset, diag, "%s%s",
        spot_condition_outcome_text(outcome), text);
    return SPOT_ERR_BAD_INPUT;
}

static int
evaluate(filter_t *self, const spot_study_head_t *head, size_t point_id, bool *holds,
    spot_diag_t *diag)
{
    size_t offset = 0;
    int ret;

    for (size_t j = 0; j < self->num_keys; j++) {
        const key_t *key = &self->keys[j];

        self->values[j] =
            key->values[key->axis_id < 0 ? 0
                                         : spot_study_value_id(
                                               head, point_id, (size_t) key->axis_id)];
    }
    ret = spot_condition_evaluate(&self->condition, self->values, holds, &offset);
    return ret == 0 ? 0 : report_outcome(self, head, point_id, ret, offset, diag);
}

/* value_ids: [num_points][num_axes] of those that are kept, in order; *num_kept of them.
 */
static int
choose_points(filter_t *filters, size_t num_filters, const spot_study_head_t *head,
    uint32_t *value_ids, size_t *num_kept, spot_diag_t *diag)
{
    int ret = 0;

    *num_kept = 0;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        bool holds = true;

        for (size_t k = 0; ret == 0 && holds && k < num_filters; k++) {
            ret = evaluate(&filters[k], head, j, &holds, diag);
            filters[k].num_excluded += !holds;
        }
        for (size_t k = 0; holds && k < head->num_axes; k++) {
            value_ids[*num_kept * head->num_axes + k] =
                (uint32_t) spot_study_value_id(head, j, k);
        }
        *num_kept += holds;
    }
    return ret;
}

/* Makes value_ids those of the head, which takes them over, unless nothing is left. */
static int
keep_points(spot_study_head_t *head, filter_t *filters, size_t num_filters,
    uint32_t *value_ids, size_t num_kept, spot_diag_t *diag)
{
    if (num_kept == 0) {
        for (size_t j = 0; j < num_filters; j++) {
            spot_condition_error(&filters[j].condition, 0, diag,
                "no point is left: this excludes %zu of %zu%s", filters[j].num_excluded,
                head->num_points, j == 0 ? "" : ", those before not counted");
        }
        free(value_ids);
        return SPOT_ERR_BAD_INPUT;
    }
    if (num_kept == head->num_points) {
        free(value_ids);
        return 0;
    }
    head->plan.num_excluded = head->num_points - num_kept;
    head->num_points = num_kept;
    free(head->value_ids);
    head->value_ids = value_ids;
    return 0;
}

static int
apply(spot_study_t *self, filter_t *filters, size_t num_filters, spot_diag_t *diag)
{
    spot_study_head_t *head = &self->head;
    uint32_t *value_ids =
        spot_calloc(head->num_points * head->num_axes, sizeof(*value_ids));
    size_t num_kept;
    int ret;

    if (value_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = choose_points(filters, num_filters, head, value_ids, &num_kept, diag);
    if (ret != 0) {
        free(value_ids);
        return ret;
    }
    return keep_points(head, filters, num_filters, value_ids, num_kept, diag);
}

static int
resolve_all(spot_study_t *self, filter_t *filters, size_t num_filters, spot_diag_t *diag)
{
    spot_scenario_keys_t keys;
    int error = spot_scenario_keys_init(&keys, self);

    for (size_t j = 0; error != SPOT_ERR_NO_MEMORY && j < num_filters; j++) {
        error = spot_error_first(error, resolve(&filters[j], &keys, diag));
    }
    spot_scenario_keys_free(&keys);
    return error;
}

int
spot_study_apply_where(spot_study_t *self, spot_diag_t *diag)
{
    const spot_node_t *node = self->where_node;
    const bool is_list = node != NULL && node->kind == SPOT_NODE_LIST;
    const size_t num_filters = is_list ? node->num_children : 1;
    filter_t *filters;
    int error = 0;

    if (node == NULL) {
        return 0;
    }
    if (self->head.plan.kind == SPOT_PLAN_SENSITIVITY) {
        spot_diag_error(diag, node->file, node->line, node->column,
            "where: a sensitivity plan needs all its points: expected no condition");
        return SPOT_ERR_BAD_INPUT;
    }
    filters = spot_calloc(num_filters, sizeof(*filters));
    if (filters == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_filters; j++) {
        const int ret = spot_condition_parse(
            &filters[j].condition, is_list ? node->children[j] : node, "where", diag);

        error = spot_error_first(error, ret);
    }
    if (error == 0) {
        error = resolve_all(self, filters, num_filters, diag);
    }
    if (error == 0) {
        error = apply(self, filters, num_filters, diag);
    }
    for (size_t j = 0; j < num_filters; j++) {
        free_filter(&filters[j]);
    }
    free(filters);
    return error;
}
