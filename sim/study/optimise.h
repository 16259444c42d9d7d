/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study that looks for the best point of its plan: reading what it asks for, and the
 * policy of its rounds. The race itself is in sim/store/race.h. Internal to sim/study.
 */
#ifndef SPOT_SIM_STUDY_OPTIMISE_H
#define SPOT_SIM_STUDY_OPTIMISE_H

#include "sim/study/study_policy.h"

/* What is said of a metric that there is not. */
#define SPOT_SEE_METRICS ", see man spotsim-scenario"

/* Every key of optimise, for parsing and for the manual. */
extern const spot_field_t spot_optimise_fields[];

/* Checks what is bound of optimise and moves it to the head; over takes the place of the
 * sweep. Errors go to bind. Before the plan is made and replications are checked. */
void spot_optimise_bind(spot_study_t *study, spot_bind_t *bind);

/* Reads the constraints into the head. BAD_INPUT with the reasons in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_optimise_bind_constraints(
    spot_study_t *study, spot_diag_t *diag);

/* The policy of a race. NO_MEMORY; free its state even then. */
SPOT_MUST_CHECK int spot_optimise_policy(spot_policy_t *self, const spot_study_t *study);

#endif
