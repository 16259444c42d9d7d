/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/scenario_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/study/study_sets.h"

/* Whether there are keys within an axis: a value is a map or a list, or stands for a
 * map, as the base, which has the first values, then shows. */
static bool
has_structure(const spot_study_t *study, const spot_canonical_t *base, size_t axis_id)
{
    const char *path = study->head.axes[axis_id].path;

    for (size_t j = 0; j < base->num_entries; j++) {
        if (strcmp(base->entries[j].path, path) != 0 &&
            spot_path_is_within(base->entries[j].path, path)) {
            return true;
        }
    }
    for (size_t j = 0; j < study->head.axes[axis_id].num_values; j++) {
        if (study->values[axis_id][j]->kind != SPOT_NODE_SCALAR) {
            return true;
        }
    }
    return false;
}

/* What the scenario means with the values that are in place. */
static int
make_list(spot_canonical_t *list, const spot_study_t *study)
{
    return spot_canonical_make(
        list, study->experiment->fields, spot_study_scenario_root(study), NULL);
}

static int
list_axis(spot_axis_keys_t *self, spot_study_t *study, size_t axis_id)
{
    const size_t num_values = study->head.axes[axis_id].num_values;
    int ret = 0;

    self->lists = spot_calloc(num_values, sizeof(*self->lists));
    if (self->lists == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_lists = num_values;
    for (size_t j = 0; ret == 0 && j < num_values; j++) {
        ret = spot_study_place_value(study, axis_id, j);
        ret = ret == 0 ? make_list(&self->lists[j], study) : ret;
    }
    return ret == 0 ? spot_study_place_value(study, axis_id, 0) : ret;
}

static int
add_path(spot_scenario_keys_t *self, const char *path)
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

/* What has a \ or [ in it no condition can name; an empty map or list has no value. */
static int
add_paths(spot_scenario_keys_t *self, const spot_canonical_t *list)
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
gather_paths(spot_scenario_keys_t *self)
{
    const spot_study_head_t *head = &self->study->head;
    size_t num_kept = 0;
    int ret = add_paths(self, &self->base);

    for (size_t j = 0; ret == 0 && j < head->num_axes; j++) {
        ret = add_path(self, head->axes[j].path);
        for (size_t k = 0; ret == 0 && k < self->axes[j].num_lists; k++) {
            ret = add_paths(self, &self->axes[j].lists[k]);
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

int
spot_scenario_keys_init(spot_scenario_keys_t *self, spot_study_t *study)
{
    const size_t num_axes = study->head.num_axes;
    int ret = 0;

    memset(self, 0, sizeof(*self));
    self->study = study;
    self->axes = spot_calloc(num_axes, sizeof(*self->axes));
    if (self->axes == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < num_axes; j++) {
        ret = spot_study_place_value(study, j, 0);
    }
    ret = ret == 0 ? make_list(&self->base, study) : ret;
    for (size_t j = 0; ret == 0 && j < num_axes; j++) {
        if (has_structure(study, &self->base, j)) {
            ret = list_axis(&self->axes[j], study, j);
        }
    }
    return ret == 0 ? gather_paths(self) : ret;
}

void
spot_scenario_keys_free(spot_scenario_keys_t *self)
{
    for (size_t j = 0; self->axes != NULL && j < self->study->head.num_axes; j++) {
        for (size_t k = 0; k < self->axes[j].num_lists; k++) {
            spot_canonical_free(&self->axes[j].lists[k]);
        }
        free(self->axes[j].lists);
    }
    free(self->axes);
    spot_canonical_free(&self->base);
    free(self->paths);
    memset(self, 0, sizeof(*self));
}

int32_t
spot_scenario_keys_axis(const spot_scenario_keys_t *self, const char *path)
{
    const spot_study_head_t *head = &self->study->head;

    for (size_t j = 0; j < head->num_axes; j++) {
        if (spot_path_is_within(path, head->axes[j].path)) {
            return (int32_t) j;
        }
    }
    return -1;
}

const spot_node_t *
spot_scenario_keys_node(
    const spot_scenario_keys_t *self, const char *path, int32_t axis_id, size_t value_id)
{
    const spot_study_t *study = self->study;

    if (axis_id < 0 || strcmp(path, study->head.axes[axis_id].path) != 0 ||
        study->values[axis_id][value_id]->kind != SPOT_NODE_SCALAR) {
        return NULL;
    }
    return study->values[axis_id][value_id];
}

const char *
spot_scenario_keys_text(
    const spot_scenario_keys_t *self, const char *path, int32_t axis_id, size_t value_id)
{
    if (axis_id < 0) {
        return spot_canonical_get(&self->base, path);
    }
    return self->axes[axis_id].num_lists == 0
               ? NULL
               : spot_canonical_get(&self->axes[axis_id].lists[value_id], path);
}
