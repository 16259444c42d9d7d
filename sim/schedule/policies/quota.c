/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/policies/quota.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

void spot_quota_free(void *self)
{
    spot_quota_t *quota = self;

    free(quota->running);
    free(quota->started);
    free(quota->stopped);
    *quota = (spot_quota_t){0};
}

static bool goes_before(const spot_vc_t *vc, const spot_ranked_job_t *a, const spot_ranked_job_t *b)
{
    return a->rank != b->rank ? a->rank < b->rank
                              : vc->jobs[a->job].started < vc->jobs[b->job].started;
}

/* Running jobs by rank, from the order of the latest walk, which is nearly right. */
static void rank_running(
    spot_quota_t *self, const spot_vc_t *vc, double (*rank)(const spot_vc_t *vc, int32_t job))
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_running; j++) {
        const spot_vc_job_t *job = &vc->jobs[self->running[j].job];

        if (job->status == SPOT_JOB_RUNNING && job->started < self->num_starts) {
            self->running[num_kept++].job = self->running[j].job;
        }
    }
    for (int32_t job = vc->last_running; job >= 0 && vc->jobs[job].started >= self->num_starts;
         job = vc->jobs[job].previous) {
        self->running[num_kept++].job = job;
    }
    spot_bug_assert(num_kept == (size_t) vc->num_running);
    self->num_running = num_kept;
    self->num_starts = vc->num_starts;
    for (size_t j = 0; j < num_kept; j++) {
        const spot_ranked_job_t ranked = {self->running[j].job, rank(vc, self->running[j].job)};
        size_t place = j;

        while (place > 0 && goes_before(vc, &ranked, &self->running[place - 1])) {
            self->running[place] = self->running[place - 1];
            place--;
        }
        self->running[place] = ranked;
    }
}

/* Chooses who fits into the quota. */
static void choose(spot_quota_t *self, const spot_vc_t *vc, bool queue_first)
{
    int32_t quota = spot_vc_quota(vc);
    size_t queued = vc->queue_start, running = 0;
    double last_key = (double) -INFINITY;

    self->num_started = self->num_stopped = 0;
    self->least_gap = (double) INFINITY;
    /* once no GPU is left, only running jobs matter */
    while (running < self->num_running || (queued < vc->num_queue && quota > 0)) {
        const double key =
            queued < vc->num_queue ? vc->jobs[vc->queue[queued]].key : (double) INFINITY;
        const double rank =
            running < self->num_running ? self->running[running].rank : (double) INFINITY;
        const bool is_queued =
            queued < vc->num_queue &&
            (running == self->num_running || key < rank || (queue_first && key == rank));
        const int32_t job = is_queued ? vc->queue[queued++] : self->running[running++].job;
        const bool fits = vc->jobs[job].gpus <= quota;

        quota -= fits ? vc->jobs[job].gpus : 0;
        if (!is_queued) {
            self->least_gap = fmin(self->least_gap, rank - last_key);
        } else {
            last_key = key;
        }
        if (is_queued && fits) {
            self->started[self->num_started++] = job;
        } else if (!is_queued && !fits) {
            self->stopped[self->num_stopped++] = job;
        }
    }
}

void spot_quota_walk(spot_quota_t *self, spot_vc_t *vc,
    double (*rank)(const spot_vc_t *vc, int32_t job), bool queue_first)
{
    const size_t num_running = (size_t) vc->num_running;

    if (SPOT_ARRAY_ROOM(self, running, num_running) != 0 ||
        SPOT_ARRAY_ROOM(self, stopped, num_running) != 0 ||
        SPOT_ARRAY_ROOM(self, started, spot_vc_num_queued(vc)) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    spot_vc_sort_queue(vc, false);
    rank_running(self, vc, rank);
    choose(self, vc, queue_first);
    self->has_acted = self->num_stopped > 0;
    for (size_t j = 0; j < self->num_stopped; j++) {
        spot_vc_stop(vc, self->stopped[j]);
    }
    for (size_t j = 0; j < self->num_started; j++) {
        self->has_acted |= spot_vc_start(vc, self->started[j]);
    }
}
