/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/policies/quota.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The next queued job that fits into the quota; -1: there is none. A job with fewer GPUs that
 * stands before place fitted too, so that it is among those that start. */
static int32_t next_fitting(
    const spot_quota_t *self, const spot_vc_t *vc, spot_queue_place_t *place, int32_t quota)
{
    size_t num_left = 0;

    if (quota == 0 || vc->queue.num_jobs == self->num_started) {
        return -1;
    }
    if (vc->queue.num_jobs <= SPOT_QUEUE_BLOCK_JOBS) { /* not worth counting */
        return spot_vc_next_queued_up_to(vc, place, quota);
    }
    for (int32_t gpus = 1; gpus <= quota && gpus < SPOT_QUEUE_SIZES; gpus++) {
        num_left += vc->queue.num_of_size[gpus] - self->num_of_size[gpus];
    }
    if (quota >= SPOT_QUEUE_SIZES) {
        num_left += vc->queue.num_of_size[SPOT_QUEUE_SIZES];
    }
    return num_left == 0 ? -1 : spot_vc_next_queued_up_to(vc, place, quota);
}

static void choose_to_start(spot_quota_t *self, const spot_vc_t *vc, int32_t job)
{
    const int32_t gpus = vc->jobs[job].gpus;

    self->started[self->num_started++] = job;
    if (gpus < SPOT_QUEUE_SIZES) {
        self->num_of_size[gpus]++;
    }
}

/* Chooses who fits into the quota. A queued job that does not fit now will not fit when running
 * jobs go before it, so that it has no part in the least gap either. */
static void choose(spot_quota_t *self, const spot_vc_t *vc, bool queue_first)
{
    spot_queue_place_t place = {0};
    int32_t quota = spot_vc_quota(vc), queued;
    size_t running = 0;
    double last_key = (double) -INFINITY;

    self->num_started = self->num_stopped = 0;
    self->least_gap = (double) INFINITY;
    if (vc->queue.num_jobs > SPOT_QUEUE_BLOCK_JOBS) {
        memset(self->num_of_size, 0, sizeof(self->num_of_size));
    }
    queued = next_fitting(self, vc, &place, quota);
    while (running < self->num_running || queued >= 0) {
        const double key = queued >= 0 ? vc->jobs[queued].key : (double) INFINITY;
        const double rank =
            running < self->num_running ? self->running[running].rank : (double) INFINITY;
        const bool is_queued = queued >= 0 && (running == self->num_running || key < rank ||
                                                  (queue_first && key == rank));
        const int32_t job = is_queued ? queued : self->running[running++].job;
        const bool fits = vc->jobs[job].gpus <= quota;

        quota -= fits ? vc->jobs[job].gpus : 0;
        if (!is_queued) {
            self->least_gap = fmin(self->least_gap, rank - last_key);
            self->stopped[self->num_stopped] = job;
            self->num_stopped += !fits;
            continue;
        }
        if (fits) {
            last_key = key;
            choose_to_start(self, vc, job);
        }
        queued = next_fitting(self, vc, &place, quota);
    }
}

void spot_quota_walk(spot_quota_t *self, spot_vc_t *vc,
    double (*rank)(const spot_vc_t *vc, int32_t job), bool queue_first)
{
    const size_t num_running = (size_t) vc->num_running;

    if (SPOT_ARRAY_ROOM(self, running, num_running) != 0 ||
        SPOT_ARRAY_ROOM(self, stopped, num_running + 1) != 0 ||
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
