/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk of preemptive policies: all jobs, running and queued, in one order; each gets
 * its GPUs as long as the quota of the VC lasts. */
#pragma once

#include "sim/schedule/policy.h"

typedef struct {
    int32_t job;
    double rank;
} spot_ranked_job_t;

/* Zeroed to start. */
typedef struct {
    int64_t num_starts; /* of the VC, at the latest walk */
    size_t num_running;
    size_t max_running;
    spot_ranked_job_t *running; /* [num_running] by rank */
    size_t num_started;
    size_t max_started;
    int32_t *started; /* [num_started] queued jobs that fit */
    size_t num_stopped;
    size_t max_stopped;
    int32_t *stopped;                     /* [num_stopped] running jobs that do not */
    size_t num_of_size[SPOT_QUEUE_SIZES]; /* of started: with so many GPUs */
    bool has_acted;                       /* the latest walk has started or stopped a job */
    double least_gap; /* of ranks: the least by which a running job was behind the last
                         queued one before it; INFINITY: there was none */
} spot_quota_t;

void spot_quota_free(void *self);

/* Walks by rank() of a running job and the key of a queued one, the least first; of
 * equals the queued ones first if queue_first. Stops running jobs that do not fit, then
 * starts queued ones that do. O(running + started + blocks of the queue) if ranks keep their order.
 */
void spot_quota_walk(spot_quota_t *self, spot_vc_t *vc,
    double (*rank)(const spot_vc_t *vc, int32_t job), bool queue_first);
