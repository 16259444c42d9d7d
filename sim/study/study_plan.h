/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a study: which values each swept key takes, and which points are made of
 * them. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_PLAN_H
#define SPOT_SIM_STUDY_STUDY_PLAN_H

#include "sim/study/study_axes.h"

/* Fills the plan, the axes and the points of the head, and the values, from the sweep
 * and the plan of the document. More values of a list or points of a Sobol sequence keep
 * the points that are there; more points of a Latin hypercube are another one.
 * BAD_INPUT, NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_plan(spot_study_t *self, spot_bind_t *bind);

/* Reads which plan it is. *num_drawn: points of a design, base samples of a sensitivity
 * design, else 0. False if that is unknown, which is told. */
bool spot_plan_read(
    spot_study_t *self, spot_bind_t *bind, spot_plan_t *plan, int64_t *num_drawn);

/* The key under which the swept keys stand: "sweep" or "optimise.over". */
const char *spot_sweep_name(const spot_study_t *self);

/* Reads the keys of the sweep with their values: *sources is [*num_sources], freed by
 * the caller even after an error. Faults are told through bind. NO_MEMORY. */
SPOT_MUST_CHECK int spot_sweep_read(spot_study_t *self, spot_bind_t *bind,
    bool is_design, size_t *num_sources, spot_axis_source_t **sources);

#endif
