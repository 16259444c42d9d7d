/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a study: which values each swept key takes, and putting them in place.
 * Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_PLAN_H
#define SPOT_SIM_STUDY_STUDY_PLAN_H

#include "sim/study/study.h"

#define SPOT_MAX_POINTS 1000000

/* Reads the scenario and carries out the "KEY=VALUE" of the command line on the
 * documents. */
SPOT_MUST_CHECK int spot_study_apply_sets(
    spot_study_t *self, const char *const *sets, size_t num_sets, spot_diag_t *diag);

/* Fills the axes of the head and their values from the sweep. */
SPOT_MUST_CHECK int spot_study_plan(spot_study_t *self, spot_bind_t *bind);

/* Puts the values of a point into the scenario; *root is then its document. */
SPOT_MUST_CHECK int spot_study_place_values(
    spot_study_t *self, size_t point_id, const spot_node_t **root);

/* The document of the scenario; NULL where it could not be read. */
const spot_node_t *spot_study_scenario_root(const spot_study_t *self);

#endif
