/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replication says of the jobs of each VC, and of all: means and quantiles of
 * their times. Jobs that have not ended do not count but in num_unfinished. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "sim/schedule/schedule.h"

/* Times in s. NAN: of no job. */
typedef struct {
    int64_t num_jobs, num_unfinished;
    struct {
        int64_t num_jobs, jct_s, queue_s;
    } ended[2]; /* totals of small jobs, and of large ones */
    double avg_jct, avg_queue;
    double jct_p50, jct_p95, jct_p99;
    double queue_p50, queue_p95, queue_p999;
    double jct_large, jct_small; /* means by size class */
    double queue_large, queue_small;
} spot_job_summary_t;

/* Memory for summaries; zero it to start. */
typedef struct {
    size_t max_values, max_queues, max_starts;
    double *values; /* [jobs] JCTs in s, VC by VC */
    double *queues; /* [jobs] the same of times in queues */
    size_t *starts; /* [VCs + 1] where those of a VC start */
    size_t max_summaries;
    spot_job_summary_t *summaries; /* [VCs + 1] by VC, then of all */
} spot_summaries_t;

/* NO_MEMORY. O(jobs). */
SPOT_MUST_CHECK int spot_schedule_summarise(
    spot_summaries_t *self, const spot_schedule_t *schedule);
void spot_summaries_free(spot_summaries_t *self);
