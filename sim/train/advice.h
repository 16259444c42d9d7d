/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be chosen for a training job, for `spotsim advise`. */
#pragma once

#include "sim/engine/advice.h"

/* Its function pose. */
int spot_train_pose(
    const spot_advice_question_t *question, spot_yaml_t *scenario, spot_diag_t *diag);

extern const spot_advice_t spot_train_advice;
