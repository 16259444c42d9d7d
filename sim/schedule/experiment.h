/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling engine as the bench sees it. */
#pragma once

#include "sim/bench/engine/experiment.h"
#include "sim/schedule/schedule.h"
#include "sim/schedule/summary.h"

/* values: [num_metrics] of the outputs; the derived ones are left alone. */
void spot_schedule_yield(
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, double *values);

extern const spot_experiment_t spot_schedule_experiment;
