/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling engine as the bench sees it. */
#pragma once

#include "sim/bench/engine/experiment.h"
#include "sim/schedule/run_recorder.h"
#include "sim/schedule/schedule.h"

/* values: [num_metrics] of the outputs; the derived ones are left alone. */
void spot_schedule_yield(
    const spot_schedule_t *schedule, const spot_summaries_t *summaries, double *values);

extern const spot_experiment_t spot_schedule_experiment;

/* Its verbs. */
extern const struct spot_verb spot_verb_schedule_import, spot_verb_schedule_assign,
    spot_verb_schedule_check, spot_verb_schedule_estimate, spot_verb_schedule_forecast,
    spot_verb_schedule_pack_train, spot_verb_schedule_generate, spot_verb_schedule_fit;
