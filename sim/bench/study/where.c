/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/condition.h"
#include "base/condition_parse.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "sim/bench/study/reading.h"

/* A name of a condition: a key of the scenario. */
typedef struct {
    size_t axis_id;                 /* whose value decides on it */
    spot_condition_value_t *values; /* at each value of the axis */
} name_t;

typedef struct {
    spot_condition_t condition;
    name_t *names;                  /* [condition.num_names] */
    spot_condition_value_t *values; /* [condition.num_names] at a point */
    size_t num_excluded;
} filter_t;

/* The conditions, and the keys of the scenario before anything is bound. Keys that no
 * axis decides on are those of one more axis, num_axes, with one value. */
typedef struct {
    spot_reading_t *reading;
    const spot_study_head_t *head;
    size_t num_filters;
    filter_t *filters; /* [num_filters] */
    size_t num_paths;
    size_t max_paths;
    char **paths;      /* [num_paths] of scalars, sorted, without repeats */
    spot_yaml_t texts; /* of values */
    spot_arena_t arena;
} where_t;

/* ---- Keys of the scenario ---- */

static size_t num_values(const where_t *self, size_t axis_id)
{
    return axis_id < self->head->num_axes ? self->head->axes[axis_id].num_values : 1;
}

/* The axis whose value decides on a path. */
static size_t axis_of(const where_t *self, const char *path)
{
    size_t axis_id = 0;

    while (axis_id < self->head->num_axes &&
           !spot_canonical_is_within(path, self->head->axes[axis_id].path)) {
        axis_id++;
    }
    return axis_id;
}

/* Makes the canonical form of the scenario with a value of one axis and the first values
 * of the others. */
static int list_keys(const where_t *self, size_t axis_id, size_t value_id, spot_canonical_t *list)
{
    const spot_study_t *study = self->reading->study;
    int ret = 0;

    memset(list, 0, sizeof(*list));
    for (size_t j = 0; ret == 0 && j < self->head->num_axes; j++) {
        ret = spot_points_place_value(study->template, self->head, j, j == axis_id ? value_id : 0);
    }
    return ret == 0 ? spot_canonical_make(
                          list, study->experiment->fields, study->template->scenario.root, NULL)
                    : ret;
}

/* Whether there are keys within an axis: a value is a map or a list, or a scalar that is
 * short for a map, which the canonical form shows. */
static bool has_structure(const where_t *self, size_t axis_id, const spot_canonical_t *first)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    spot_node_t *const *nodes = self->reading->study->template->swept[axis_id].nodes;
    bool is_found = false;

    for (size_t j = 0; j < first->num_entries; j++) {
        const char *path = first->entries[j].path;

        is_found = is_found ||
                   (strcmp(path, axis->path) != 0 && spot_canonical_is_within(path, axis->path));
    }
    for (size_t j = 0; nodes != NULL && j < axis->num_values; j++) {
        is_found = is_found || nodes[j]->kind != SPOT_NODE_SCALAR;
    }
    return is_found;
}

/* Copies a path to its place among the others, unless it is there. */
static int add_path(where_t *self, const char *path)
{
    size_t path_id = self->num_paths;
    char *copy;

    while (path_id > 0 && strcmp(self->paths[path_id - 1], path) > 0) {
        path_id--;
    }
    if (path_id > 0 && strcmp(self->paths[path_id - 1], path) == 0) {
        return 0;
    }
    copy = spot_arena_text(&self->arena, path);
    if (copy == NULL || SPOT_ARRAY_ROOM(self, paths, self->num_paths + 1) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    memmove(&self->paths[path_id + 1], &self->paths[path_id],
        (self->num_paths++ - path_id) * sizeof(*self->paths));
    self->paths[path_id] = copy;
    return 0;
}

/* Conditions cannot name paths with \ or [; an empty map or list has no value. */
static int add_paths(where_t *self, const spot_canonical_t *list)
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

static int add_axis(where_t *self, size_t axis_id, const spot_canonical_t *first)
{
    const bool has_keys = has_structure(self, axis_id, first);
    int ret = add_path(self, self->head->axes[axis_id].path);

    for (size_t j = 0; ret == 0 && has_keys && j < num_values(self, axis_id); j++) {
        spot_canonical_t list;

        ret = list_keys(self, axis_id, j, &list);
        ret = ret == 0 ? add_paths(self, &list) : ret;
        spot_canonical_free(&list);
    }
    return ret;
}

/* Gathers the paths of all keys at any value. */
static int gather_paths(where_t *self)
{
    spot_canonical_t first;
    int ret = list_keys(self, self->head->num_axes, 0, &first);

    ret = ret == 0 ? add_paths(self, &first) : ret;
    for (size_t j = 0; ret == 0 && j < self->head->num_axes; j++) {
        ret = add_axis(self, j, &first);
    }
    spot_canonical_free(&first);
    return ret;
}

/* ---- Names of conditions ---- */

/* Reads the value of a path at a value of its axis; its type stays ANY if there is
 * none. */
static int read_value(
    where_t *self, const char *path, size_t axis_id, size_t value_id, spot_condition_value_t *value)
{
    spot_canonical_t list;
    spot_yaml_t document;
    const char *text;
    int ret;

    if (axis_id < self->head->num_axes && strcmp(path, self->head->axes[axis_id].path) == 0) {
        spot_node_t *const *nodes = self->reading->study->template->swept[axis_id].nodes;
        const spot_node_t number = {.text = self->head->axes[axis_id].texts[value_id]};

        if (spot_condition_value_of(nodes != NULL ? nodes[value_id] : &number, value)) {
            return 0;
        }
    }
    ret = list_keys(self, axis_id, value_id, &list);
    text = ret == 0 ? spot_canonical_get(&list, path) : NULL;
    if (text != NULL) {
        ret = spot_yaml_parse(&document, "where", text, strlen(text), self->reading->diag);
        if (ret == 0 && spot_condition_value_of(document.root, value)) {
            ret = spot_yaml_adopt(&self->texts, &document);
        }
        spot_yaml_free(&document);
    }
    spot_canonical_free(&list);
    return ret;
}

/* All values of a name, and the kind that they have in common. */
static int read_values(
    where_t *self, filter_t *filter, size_t name_id, const char *path, spot_condition_kind_t *kind)
{
    name_t *name = &filter->names[name_id];
    int ret = 0;

    name->axis_id = axis_of(self, path);
    if (SPOT_ARENA_ARRAY(&self->arena, name->values, num_values(self, name->axis_id)) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < num_values(self, name->axis_id); j++) {
        spot_condition_value_t *value = &name->values[j];
        char shown[SPOT_UTF8_SHOWN_BYTES];

        ret = read_value(self, path, name->axis_id, j, value);
        if (ret == 0 && value->type == SPOT_CONDITION_ANY) {
            const spot_axis_t *axis = &self->head->axes[name->axis_id];

            spot_bug_assert(name->axis_id < self->head->num_axes); /* else no path */
            spot_condition_error(&filter->condition, filter->condition.names[name_id].offset,
                self->reading->diag, "it has no value where %s is %s", axis->path,
                spot_utf8_shown(axis->texts[j], shown));
            ret = SPOT_ERR_BAD_INPUT;
        }
        if (j == 0) {
            *kind = (spot_condition_kind_t){value->type, value->unit};
        }
        kind->type = kind->type == value->type ? value->type : SPOT_CONDITION_ANY;
        /* Units are among a few constants. */
        kind->unit = kind->unit == value->unit ? value->unit : SPOT_CONDITION_ANY_UNIT;
    }
    return ret;
}

/* Resolves the names to keys, reads their values and checks their types and units. */
static int resolve(where_t *self, filter_t *filter)
{
    const size_t num_names = filter->condition.num_names;
    spot_condition_kind_t *kinds = spot_arena_take(&self->arena, num_names, sizeof(*kinds));
    size_t *path_ids = spot_arena_take(&self->arena, num_names, sizeof(*path_ids));
    int ret;

    SPOT_ARENA_ARRAY(&self->arena, filter->names, num_names);
    SPOT_ARENA_ARRAY(&self->arena, filter->values, num_names);
    if (self->arena.error != 0) {
        return self->arena.error;
    }
    ret = spot_condition_resolve(&filter->condition, "key", "", (const char *const *) self->paths,
        self->num_paths, path_ids, self->reading->diag);
    for (size_t j = 0; ret == 0 && j < num_names; j++) {
        ret = read_values(self, filter, j, self->paths[path_ids[j]], &kinds[j]);
    }
    return ret == 0 ? spot_condition_check(&filter->condition, kinds, self->reading->diag) : ret;
}

/* ---- Points ---- */

static int evaluate(const where_t *self, filter_t *filter, size_t point_id, bool *holds)
{
    const spot_study_head_t *head = self->head;
    char text[512];
    size_t offset = 0;
    int outcome;

    for (size_t j = 0; j < filter->condition.num_names; j++) {
        const name_t *name = &filter->names[j];
        const bool is_swept = name->axis_id < head->num_axes;

        filter->values[j] =
            name->values[is_swept ? spot_study_value_id(head, point_id, name->axis_id) : 0];
    }
    outcome = spot_condition_evaluate(&filter->condition, filter->values, holds, &offset);
    if (outcome == 0) {
        filter->num_excluded += !*holds;
        return 0;
    }
    spot_condition_error(&filter->condition, offset, self->reading->diag, "%s%s%s",
        spot_condition_outcome_text(outcome), head->num_axes > 0 ? " at " : "",
        spot_study_point_text(head, point_id, text, sizeof(text)));
    return SPOT_ERR_BAD_INPUT;
}

/* Drops the points for which a condition does not hold. */
static int drop_points(const where_t *self, spot_study_head_t *head)
{
    const size_t num_axes = head->num_axes;
    uint32_t *value_ids = spot_calloc(head->num_points * num_axes, sizeof(*value_ids));
    size_t num_kept = 0;
    int ret = value_ids == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        bool holds = true;

        for (size_t k = 0; ret == 0 && holds && k < self->num_filters; k++) {
            ret = evaluate(self, &self->filters[k], j, &holds);
        }
        for (size_t k = 0; holds && k < num_axes; k++) {
            value_ids[num_kept * num_axes + k] = (uint32_t) spot_study_value_id(head, j, k);
        }
        num_kept += holds;
    }
    for (size_t j = 0; ret == 0 && num_kept == 0 && j < self->num_filters; j++) {
        spot_condition_error(&self->filters[j].condition, 0, self->reading->diag,
            "no point is left: this excludes %zu of %zu%s", self->filters[j].num_excluded,
            head->num_points, j == 0 ? "" : ", those before not counted");
    }
    ret = ret == 0 && num_kept == 0 ? SPOT_ERR_BAD_INPUT : ret;
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

/* ---- All conditions ---- */

/* Reads all conditions and what their names are; reports all that is wrong. */
static int read_conditions(where_t *self)
{
    const spot_node_t *word;
    int error = 0, ret;

    while ((word = spot_word(self->reading->request.where, self->num_filters)) != NULL) {
        filter_t *filter = &self->filters[self->num_filters++];

        ret = spot_condition_parse(&filter->condition, word, "where", self->reading->diag);
        error = spot_error_first(error, ret);
    }
    error = error == 0 ? gather_paths(self) : error;
    if (error != 0) {
        return error;
    }
    for (size_t j = 0; j < self->num_filters; j++) {
        ret = resolve(self, &self->filters[j]);
        error = spot_error_first(error, ret);
    }
    return error;
}

static void free_where(where_t *self)
{
    for (size_t j = 0; j < self->num_filters; j++) {
        spot_condition_free(&self->filters[j].condition);
    }
    free(self->paths);
    spot_arena_free(&self->arena);
    spot_yaml_free(&self->texts);
}

int spot_where_apply(spot_reading_t *self)
{
    spot_study_head_t *head = &self->study->head;
    const spot_node_t *where = self->request.where;
    where_t conditions = {.reading = self, .head = head};
    int ret;

    if (where == NULL) {
        return 0;
    }
    if (head->plan.kind == SPOT_PLAN_SENSITIVITY) {
        spot_reading_error(
            self, "where", "a sensitivity plan needs all its points: expected no condition");
        return SPOT_ERR_BAD_INPUT;
    }
    if (SPOT_ARENA_ARRAY(&conditions.arena, conditions.filters, where->num_children + 1) == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = read_conditions(&conditions);
    ret = ret == 0 ? drop_points(&conditions, head) : ret;
    free_where(&conditions);
    return ret;
}
