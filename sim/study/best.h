/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key "best" of a study. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_BEST_H
#define SPOT_SIM_STUDY_BEST_H

#include "sim/study/study.h"

/* The keys of spot_best_request_t. */
extern const spot_field_t spot_best_fields[];

/* Finds the axis, the metric and the values that do not compete, once the points are
 * planned and the metrics chosen. Faults are told through bind. NO_MEMORY. */
SPOT_MUST_CHECK int spot_study_find_best(spot_study_t *self, spot_bind_t *bind);

#endif
