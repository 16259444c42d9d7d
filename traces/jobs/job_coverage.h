/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a log holds, by VC. */
#pragma once

#include "traces/jobs/job_log.h"

typedef struct {
    const char *vc;    /* of the VC list; "all" */
    int64_t num_nodes; /* 0: unknown */
    int64_t num_gpus;
    int64_t num_jobs;
    int64_t num_users; /* distinct; 0: the log has none */
    double gpu_s;      /* the sum of gpu_num * duration */
    /* gpu_s per GPU and second from the first submit of the log to the last; NAN:
     * unknown */
    double load;
    int32_t most_gpus; /* of a job; 0: no jobs */
    int64_t longest_s; /* duration of a job; 0: no jobs */
} spot_job_coverage_t;

/* rows: [num_vcs + 1] in the order of the list, the last one is of all. NO_MEMORY.
 * O(jobs + VCs * users). */
SPOT_MUST_CHECK int spot_job_coverage(const spot_job_log_t *log, const spot_vc_list_t *vcs,
    int32_t gpus_per_node, spot_job_coverage_t *rows);
