/* SPDX-License-Identifier: GPL-3.0-or-later */
/* spotsim study --plan: what would run. */
#ifndef SPOT_CLI_PLAN_H
#define SPOT_CLI_PLAN_H

#include "base/diag.h"
#include "sim/study/study.h"

/* Prints the plan with an estimate of the time, for which a few runs are made and thrown
 * away. IO, NO_MEMORY, INTERRUPTED, or the first error of a run. */
SPOT_MUST_CHECK int spot_plan_show(
    const spot_study_t *study, int num_threads, bool is_json, spot_diag_t *diag);

#endif
