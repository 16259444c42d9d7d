/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_jitter.h"

#include "base/keys.h"
#include "base/rng.h"

int spot_job_jitter(const spot_job_log_t *log, int64_t jitter_s, uint64_t seed,
    uint64_t replication, int64_t *submit_s, int32_t *order, int32_t *scratch)
{
    spot_rng_t rng;

    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_rng_seek(&rng, seed, replication, SPOT_STREAM_JOB_JITTER, j);
        submit_s[j] =
            log->jobs[j].submit_s + (int64_t) spot_rng_below(&rng, (uint64_t) jitter_s + 1);
    }
    return spot_order_integers(submit_s, log->num_jobs, order, scratch);
}
