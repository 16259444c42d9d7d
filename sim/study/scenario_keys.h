/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a study's scenario and the values that they have at its points, before
 * anything is bound. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_SCENARIO_KEYS_H
#define SPOT_SIM_STUDY_SCENARIO_KEYS_H

#include "base/canonical.h"
#include "sim/study/study.h"

/* One of its values is a map or list: keys within it depend on the value. */
typedef struct {
    size_t num_lists;        /* 0: all values are scalars */
    spot_canonical_t *lists; /* [num_lists] of the scenario with each value in place */
} spot_axis_keys_t;

typedef struct {
    const spot_study_t *study;
    spot_canonical_t base;  /* of the scenario with the first value of each axis */
    spot_axis_keys_t *axes; /* [num_axes] */
    size_t num_paths;
    size_t max_paths;
    const char **paths; /* [num_paths] scalars that there are, sorted, none twice;
                         * borrowed */
} spot_scenario_keys_t;

/* Puts values into the study's documents as it goes. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_scenario_keys_init(
    spot_scenario_keys_t *self, spot_study_t *study);
void spot_scenario_keys_free(spot_scenario_keys_t *self);

/* The axis whose value decides on a path, or -1: it is the same at all points. */
int32_t spot_scenario_keys_axis(const spot_scenario_keys_t *self, const char *path);

/* The value of a path where it is the value of its axis itself, or NULL. */
const spot_node_t *spot_scenario_keys_node(const spot_scenario_keys_t *self,
    const char *path, int32_t axis_id, size_t value_id);

/* The text of a path as in YAML where it is not, or NULL: with that value of its axis;
 * without an axis value_id is not read. */
const char *spot_scenario_keys_text(const spot_scenario_keys_t *self, const char *path,
    int32_t axis_id, size_t value_id);

#endif
