/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job log as the jobs whose durations are learned. */
#pragma once

#include "models/duration_learner.h"
#include "traces/jobs/job_log.h"

/* The jobs of a log in its order: [num_jobs], which the caller frees. Jobs of workloads
 * with the same model have the same model_id. NO_MEMORY. O(jobs + workloads log
 * workloads). */
SPOT_MUST_CHECK int spot_duration_jobs_of(
    const spot_job_log_t *log, spot_duration_job_t **jobs);
