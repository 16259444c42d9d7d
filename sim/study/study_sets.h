/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The documents of a study: reading its scenario, and putting values in place, those of
 * the command line and those of a point. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_SETS_H
#define SPOT_SIM_STUDY_STUDY_SETS_H

#include "sim/study/study.h"

/* Reads the scenario and carries out the "KEY=VALUE" of the command line on the
 * documents. */
SPOT_MUST_CHECK int spot_study_apply_sets(
    spot_study_t *self, const char *const *sets, size_t num_sets, spot_diag_t *diag);

/* Puts one of its values into the place of an axis. */
SPOT_MUST_CHECK int spot_study_place_value(
    spot_study_t *self, size_t axis_id, size_t value_id);

/* Puts the values of a point into the scenario. */
SPOT_MUST_CHECK int spot_study_place_point(spot_study_t *self, size_t point_id);

/* Whether a dotted key is another one or lies within it. */
bool spot_path_is_within(const char *path, const char *outer);

/* The scenario's document, a map if all went well so far, or NULL. */
const spot_node_t *spot_study_scenario_root(const spot_study_t *self);

#endif
