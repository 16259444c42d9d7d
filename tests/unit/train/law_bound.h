/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bounds the steps of a recovery system that "ideal" does not bound: one with step
 * times outside the job's table, or with pipelines that are not uniform and whole. */
#pragma once

#include "law_case.h"
#include "sim/bench/engine/series.h"

/* The step time of D pipelines of P stages as the job has it; 0: none. */
int64_t law_step_ms(const spot_job_t *job, int64_t num_pipelines, int64_t depth);

/* Whether there is such a bound. */
bool law_has_own_bound(const law_row_t *row, law_job_t job);

/* The most steps with the instances that the log tells of. */
double law_own_bound(const law_row_t *row, law_job_t job, const spot_scenario_t *scenario,
    const spot_event_log_t *log, int64_t horizon_ms);
