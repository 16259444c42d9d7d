/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key "baseline" of a study. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_BASELINE_H
#define SPOT_SIM_STUDY_BASELINE_H

#include "sim/study/study.h"

/* Finds the axis and the value that the head's points are compared with, once they are
 * planned. Faults are told through bind. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_find_baseline(spot_study_t *self, spot_bind_t *bind);

/* Whether any point that is kept is compared with another one; told through bind if not.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_check_baseline(
    const spot_study_t *self, spot_bind_t *bind);

#endif
