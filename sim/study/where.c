/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/condition.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/study/reading.h"

/* ---- Keys of the scenario ---- */

/* The keys and their values at the points, before anything is bound. */
typedef struct {
    spot_reading_t *reading;
    const spot_study_head_t *head;
    spot_canonical_t base;    /* of the scenario with the first value of each axis */
    spot_canonical_t **lists; /* [num_axes][num_values] of the scenario with each value
                                 in place, or NULL: no key lies within the axis */
    size_t num_paths;
    size_t max_paths;
    const char **paths; /* [num_paths] of scalars, sorted, without repeats; borrowed */
    spot_yaml_t texts;  /* of values */
} keys_t;

static void
free_keys(keys_t *self)
{
    for (size_t j = 0; self->lists != NULL && j < self->head->num_axes; j++) {
        for (size_t k = 0; self->lists[j] != NULL && k < self->head->axes[j].num_values;
             k++) {
            spot_canonical_free(&self->lists[j][k]);
        }
        free(self->lists[j]);
    }
    free(self->lists);
    spot_canonical_free(&self->base);
    spot_yaml_free(&self->texts);
    free(self->paths);
}

/* A value of an axis. */
static spot_node_t
value_of(const keys_t *self, size_t axis_id, size_t value_id)
{
    const spot_swept_t *swept = &self->reading->request.swept[axis_id];

    return swept->nodes != NULL
               ? *swept->nodes[value_id]
               : (spot_node_t){.text = self->head->axes[axis_id].texts[value_id]};
}

/* Whether there are keys within an axis: a value is a map or a list, or a scalar that is
 * short for a map, which the canonical form shows. */
static bool
has_structure(const keys_t *self, size_t axis_id)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];

    for (size_t j = 0; j < self->base.num_entries; j++) {
        const char *path = self->base.entries[j].path;

        if (strcmp(path, axis->path) != 0 &&
            spot_canonical_is_within(path, axis->path)) {
            return true;
        }
    }
    for (size_t j = 0; j < axis->num_values; j++) {
        if (value_of(self, axis_id, j).kind != SPOT_NODE_SCALAR) {
            return true;
        }
    }
    return false;
}

/* Makes the canonical form of the scenario with the values that are in place. */
static int
make_list(const keys_t *self, spot_canonical_t *list)
{
    const spot_study_t *study = self->reading->study;

    return spot_canonical_make(
        list, study->experiment->fields, spot_template_scenario(study->template), NULL);
}

static int
place(const keys_t *self, size_t axis_id, size_t value_id)
{
    return spot_template_place_value(
        self->reading->study->template, self->head, axis_id, value_id);
}

static int
list_axis(keys_t *self, size_t axis_id)
{
    const size_t num_values = self->head->axes[axis_id].num_values;
    spot_canonical_t *lists = spot_calloc(num_values, sizeof(*lists));
    int ret = lists == NULL ? SPOT_ERR_NO_MEMORY : 0;

    self->lists[axis_id] = lists;
    for (size_t j = 0; ret == 0 && j < num_values; j++) {
        ret = place(self, axis_id, j);
        ret = ret == 0 ? make_list(self, &lists[j]) : ret;
    }
    return ret == 0 ? place(self, axis_id, 0) : ret;
}

static int
add_path(keys_t *self, const char *path)
{
    void *paths = self->paths;

    if (spot_array_reserve(
            &paths, &self->max_paths, self->num_paths + 1, sizeof(*self->paths)) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->paths = paths;
    self->paths[self->num_paths++] = path;
    return 0;
}

/* Paths with \ or [ cannot be named in a condition; an empty map or list has no value.
 */
static int
add_paths(keys_t *self, const spot_canonical_t *list)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < list->num_entries; j++) {
        const spot_canonical_entry_t *entry = &list->entries[j];

        if (strpbrk(entry->path, "\\[") == NULL && strcmp(entry->text, "{}") != 0 &&
            strcmp(entry->text, "[]") != 0) {
            ret = add_path(self, entry->path);
        }
    }
    return ret;
}

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static int
gather_paths(keys_t *self)
{
    size_t num_kept = 0;
    int ret = add_paths(self, &self->base);

    for (size_t j = 0; ret == 0 && j < self->head->num_axes; j++) {
        ret = add_path(self, self->head->axes[j].path);
        for (size_t k = 0;
             ret == 0 && self->lists[j] != NULL && k < self->head->axes[j].num_values;
             k++) {
            ret = add_paths(self, &self->lists[j][k]);
        }
    }
    if (ret != 0) {
        return ret;
    }
    qsort(self->paths, self->num_paths, sizeof(*self->paths), compare_texts);
    for (size_t j = 0; j < self->num_paths; j++) {
        if (num_kept == 0 || strcmp(self->paths[j], self->paths[num_kept - 1]) != 0) {
            self->paths[num_kept++] = self->paths[j];
        }
    }
    self->num_paths = num_kept;
    return 0;
}

static int
gather_keys(keys_t *self)
{
    const size_t num_axes = self->head->num_axes;
    int ret = 0;

    self->lists = spot_calloc(num_axes, sizeof(*self->lists));
    if (self->lists == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < num_axes; j++) {
        ret = place(self, j, 0);
    }
    ret = ret == 0 ? make_list(self, &self->base) : ret;
    for (size_t j = 0; ret == 0 && j < num_axes; j++) {
        ret = has_structure(self, j) ? list_axis(self, j) : 0;
    }
    return ret == 0 ? gather_paths(self) : ret;
}

/* The axis whose value decides on a path, or -1: it is the same at all points. */
static int32_t
axis_of(const keys_t *self, const char *path)
{
    for (size_t j = 0; j < self->head->num_axes; j++) {
        if (spot_canonical_is_within(path, self->head->axes[j].path)) {
            return (int32_t) j;
        }
    }
    return -1;
}

/* ---- Conditions ---- */

/* A name of a condition: a key of the scenario, whose values depend on one axis or on
 * none. */
typedef struct {
    int32_t axis_id; /* -1: none */
    size_t num_values;
    spot_condition_value_t *values; /* [num_values] */
    spot_condition_kind_t kind;     /* of all values, as far as they have one */
} name_t;

typedef struct {
    spot_condition_t condition;
    name_t *names;                  /* [condition.num_names] */
    spot_condition_value_t *values; /* [condition.num_names] at a point */
    size_t num_excluded;
} filter_t;

static void
free_filter(filter_t *self)
{
    for (size_t j = 0; self->names != NULL && j < self->condition.num_names; j++) {
        free(self->names[j].values);
    }
    free(self->names);
    free(self->values);
    spot_condition_free(&self->condition);
}

/* Reads one value of a path; *is_there: whether it has one. */
static int
read_value(name_t *name, keys_t *keys, const char *path, size_t value_id, bool *is_there)
{
    const size_t axis_id = (size_t) name->axis_id;
    const bool is_fixed = name->axis_id < 0;
    const bool is_axis = !is_fixed && strcmp(path, keys->head->axes[axis_id].path) == 0;
    const spot_node_t swept = is_axis ? value_of(keys, axis_id, value_id)
                                      : (spot_node_t){.kind = SPOT_NODE_MAP};
    const spot_canonical_t *list = is_fixed ? &keys->base
                                   : keys->lists[axis_id] == NULL
                                       ? NULL
                                       : &keys->lists[axis_id][value_id];
    const char *text = list == NULL ? NULL : spot_canonical_get(list, path);
    spot_condition_value_t *value = &name->values[value_id];
    spot_yaml_t document;
    int ret;

    if (swept.kind == SPOT_NODE_SCALAR) {
        *is_there = spot_condition_value_of(&swept, value);
        return 0;
    }
    if (text == NULL) {
        return 0;
    }
    ret = spot_yaml_parse(&document, "where", text, strlen(text), keys->reading->diag);
    *is_there = ret == 0 && spot_condition_value_of(document.root, value);
    ret = ret == 0 ? spot_yaml_adopt(&keys->texts, &document) : ret;
    spot_yaml_free(&document);
    return ret;
}

/* Reports a name that has no value at a value of its axis. */
static int
report_missing(const name_t *name, const keys_t *keys, size_t value_id,
    const spot_condition_t *condition, size_t offset)
{
    const spot_axis_t *axis = &keys->head->axes[name->axis_id];
    char shown[SPOT_UTF8_SHOWN_BYTES];

    spot_bug_assert(name->axis_id >= 0); /* else there is no such path */
    spot_condition_error(condition, offset, keys->reading->diag,
        "it has no value where %s is %s", axis->path,
        spot_utf8_shown(axis->texts[value_id], shown));
    return SPOT_ERR_BAD_INPUT;
}

/* Widens a kind so that it covers one more value. */
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
read_values(name_t *name, keys_t *keys, const char *path,
    const spot_condition_t *condition, size_t offset)
{
    int ret = 0;

    name->axis_id = axis_of(keys, path);
    name->num_values =
        name->axis_id < 0 ? 1 : keys->head->axes[name->axis_id].num_values;
    name->values = spot_calloc(name->num_values, sizeof(*name->values));
    if (name->values == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < name->num_values; j++) {
        bool is_there = false;

        ret = read_value(name, keys, path, j, &is_there);
        if (ret == 0 && !is_there) {
            ret = report_missing(name, keys, j, condition, offset);
        }
        widen_kind(&name->kind, &name->values[j], j == 0);
    }
    return ret;
}

/* Resolves the names to keys, reads their values and checks their types and units. */
static int
resolve(filter_t *self, keys_t *keys)
{
    const size_t num_names = self->condition.num_names;
    size_t *path_ids = spot_calloc(num_names, sizeof(*path_ids));
    spot_condition_kind_t *kinds = spot_calloc(num_names, sizeof(*kinds));
    int ret = SPOT_ERR_NO_MEMORY;

    self->names = spot_calloc(num_names, sizeof(*self->names));
    self->values = spot_calloc(num_names, sizeof(*self->values));
    if (path_ids != NULL && kinds != NULL && self->names != NULL &&
        self->values != NULL) {
        ret = spot_condition_resolve(&self->condition, "key", "", keys->paths,
            keys->num_paths, path_ids, keys->reading->diag);
    }
    for (size_t j = 0; ret == 0 && j < num_names; j++) {
        ret = read_values(&self->names[j], keys, keys->paths[path_ids[j]],
            &self->condition, self->condition.names[j].offset);
        kinds[j] = self->names[j].kind;
    }
    if (ret == 0) {
        ret = spot_condition_check(&self->condition, kinds, keys->reading->diag);
    }
    free(kinds);
    free(path_ids);
    return ret;
}

/* ---- Points ---- */

static int
evaluate(filter_t *self, const spot_reading_t *reading, size_t point_id, bool *holds)
{
    const spot_study_head_t *head = &reading->study->head;
    char text[512];
    size_t offset = 0;
    int ret;

    for (size_t j = 0; j < self->condition.num_names; j++) {
        const name_t *name = &self->names[j];

        self->values[j] =
            name->values[name->axis_id < 0 ? 0
                                           : spot_study_value_id(head, point_id,
                                                 (size_t) name->axis_id)];
    }
    ret = spot_condition_evaluate(&self->condition, self->values, holds, &offset);
    if (ret == 0) {
        return 0;
    }
    spot_condition_error(&self->condition, offset, reading->diag, "%s%s%s",
        spot_condition_outcome_text(ret), head->num_axes > 0 ? " at " : "",
        spot_study_point_text(head, point_id, text, sizeof(text)));
    return SPOT_ERR_BAD_INPUT;
}

/* value_ids: [num_points][num_axes] of those that are kept, in order; *num_kept of them.
 */
static int
choose_points(
    spot_reading_t *self, filter_t *filters, uint32_t *value_ids, size_t *num_kept)
{
    const spot_study_head_t *head = &self->study->head;
    int ret = 0;

    *num_kept = 0;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        bool holds = true;

        for (size_t k = 0;
             ret == 0 && holds && spot_word(self->request.where, k) != NULL; k++) {
            ret = evaluate(&filters[k], self, j, &holds);
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

static int
drop_points(spot_reading_t *self, filter_t *filters)
{
    spot_study_head_t *head = &self->study->head;
    uint32_t *value_ids =
        spot_calloc(head->num_points * head->num_axes, sizeof(*value_ids));
    size_t num_kept = 0;
    int ret = value_ids == NULL ? SPOT_ERR_NO_MEMORY
                                : choose_points(self, filters, value_ids, &num_kept);

    if (ret == 0 && num_kept == 0) {
        for (size_t j = 0; spot_word(self->request.where, j) != NULL; j++) {
            spot_condition_error(&filters[j].condition, 0, self->diag,
                "no point is left: this excludes %zu of %zu%s", filters[j].num_excluded,
                head->num_points, j == 0 ? "" : ", those before not counted");
        }
        ret = SPOT_ERR_BAD_INPUT;
    }
    if (ret != 0 || num_kept == head->num_points) {
        free(value_ids);
        return ret;
    }
    head->plan.num_excluded = head->num_points - num_kept;
    head->num_points = num_kept;
    free(head->value_ids);
    head->value_ids = value_ids;
    return 0;
}

int
spot_where_apply(spot_reading_t *self)
{
    const spot_node_t *where = self->request.where, *word;
    keys_t keys = {.reading = self, .head = &self->study->head};
    filter_t *filters;
    bool has_keys;
    int error = 0;

    if (where == NULL) {
        return 0;
    }
    if (self->study->head.plan.kind == SPOT_PLAN_SENSITIVITY) {
        spot_reading_error(self, "where",
            "a sensitivity plan needs all its points: expected no condition");
        return SPOT_ERR_BAD_INPUT;
    }
    filters = spot_calloc(where->num_children + 1, sizeof(*filters));
    if (filters == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; (word = spot_word(where, j)) != NULL; j++) {
        const int ret =
            spot_condition_parse(&filters[j].condition, word, "where", self->diag);

        error = spot_error_first(error, ret);
    }
    error = error == 0 ? gather_keys(&keys) : error;
    has_keys = error == 0;
    for (size_t j = 0; has_keys && spot_word(where, j) != NULL; j++) {
        const int ret = resolve(&filters[j], &keys);

        error = spot_error_first(error, ret);
    }
    error = error == 0 ? drop_points(self, filters) : error;
    for (size_t j = 0; spot_word(where, j) != NULL; j++) {
        free_filter(&filters[j]);
    }
    free_keys(&keys);
    free(filters);
    return error;
}
