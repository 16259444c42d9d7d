/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shifts the submits of a job log, so that replications of one log differ a little. */
#pragma once

#include <stdint.h>

#include "traces/jobs/job_log.h"

/* Shifts each submit by a whole number of seconds, uniform on 0 ... jitter_s >= 0. Job j
 * has a stream of its own. submit_s: [num_jobs] by job; order: [num_jobs] job indices by
 * shifted submit, ties as in the log; scratch: [num_jobs]. INTERRUPTED. O(jobs), allocates
 * nothing. */
SPOT_MUST_CHECK int spot_job_jitter(const spot_job_log_t *log, int64_t jitter_s, uint64_t seed,
    uint64_t replication, int64_t *submit_s, int32_t *order, int32_t *scratch);
