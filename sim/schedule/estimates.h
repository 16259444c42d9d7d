/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations as a policy sees them: known, of a table, or learned from jobs that have
 * ended (models/job_forecast.h). */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "models/job_forecast.h"
#include "sim/bench/engine/experiment.h"
#include "sim/schedule/scenario.h"

/* Of one replication. Zero it to start. */
typedef struct {
    const spot_schedule_scenario_t *scenario; /* must outlive self */
    const spot_estimator_setting_t *setting;  /* of the policy; NULL: none */
    const spot_job_log_t *log;
    bool is_learned; /* estimates are those of the learner */
    spot_duration_learner_t learner;
    size_t max_jobs;
    spot_duration_job_t *jobs; /* [log->num_jobs] if is_learned */
    int error;                 /* NO_MEMORY */
} spot_estimates_t;

/* Starts a replication. submit_s: [log->num_jobs] when jobs are submitted in it; NULL: as
 * the log says. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_estimates_start(spot_estimates_t *self,
    const spot_schedule_scenario_t *scenario, const spot_estimator_setting_t *setting,
    const spot_job_log_t *log, const int64_t *submit_s, const spot_replication_t *replication);
void spot_estimates_free(spot_estimates_t *self);

/* A job has ended. */
void spot_estimates_learn(spot_estimates_t *self, int32_t row_id);

/* The estimated duration of a job at now_s, in seconds; now_s never goes back. Policies ask
 * at the submit of the job, as "spotsim schedule estimate" does. */
double spot_estimates_estimate_s(spot_estimates_t *self, int32_t row_id, int64_t now_s);

/* What a learner knows of a job of a log. O(1). */
void spot_duration_job_of(const spot_job_log_t *log, int32_t row_id, spot_duration_job_t *job);
