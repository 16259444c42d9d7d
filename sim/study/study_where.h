/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a plan: which of its points are kept. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_WHERE_H
#define SPOT_SIM_STUDY_STUDY_WHERE_H

#include "sim/study/study.h"

/* Drops the points of the head for which a condition does not hold. Names are keys of
 * the scenario with the values that they have at a point, defaults included; nothing is
 * bound yet, so that combinations that cannot be bound may be excluded. The scenario
 * must be there. BAD_INPUT: what is wrong with a condition, or no point is left;
 * NO_MEMORY. O(points * bytes of the conditions). */
SPOT_MUST_CHECK int spot_study_apply_where(spot_study_t *self, spot_diag_t *diag);

#endif
