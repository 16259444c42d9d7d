/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastic policies: each job gets its smallest size in order of submission, then jobs
 * grow one size at a time, the neediest first. Own designs in the spirit of max-min
 * sharing and of greedy marginal gain, not reproductions of published systems. */
#include <stdlib.h>

#include "base/memory.h"
#include "sim/schedule/policy.h"

#define OWN_DESIGN                                                                                 \
    ". An own design, not a reproduction of Optimus, Pollux or Sia; a job that has "               \
    "just started or changed its size does not grow: elastic.hold"

typedef struct {
    int32_t job;
    int32_t target; /* GPUs; 0: none */
    int32_t next;   /* the size above target; 0: it cannot grow any more */
    int step;       /* what the decision does to it */
    double need;    /* of growing to next: the most goes first */
} candidate_t;

typedef struct {
    size_t num_candidates;
    size_t max_candidates;
    candidate_t *candidates; /* [num_candidates] running and queued, by submission */
    size_t num_seen;         /* arrivals of the VC that have joined them */
    size_t num_growing;
    size_t max_growing;
    size_t *growing; /* [num_growing] candidates that may grow, in their order */
    int64_t due_s;   /* when a decision may change something that has not changed */
} elastic_t;

/* How much a job needs to grow from its target to the next size. */
typedef double (*need_t)(const spot_vc_t *vc, const candidate_t *candidate);

static void free_state(void *state)
{
    elastic_t *self = state;

    free(self->candidates);
    free(self->growing);
}

/* ---- The sizes that jobs are to have ---- */

/* Brings the list of jobs up to date; arrivals are in order of submission. */
static int find_candidates(elastic_t *self, const spot_vc_t *vc)
{
    size_t num_kept = 0;

    for (size_t j = 0; j < self->num_candidates; j++) {
        if (vc->jobs[self->candidates[j].job].status != SPOT_JOB_ENDED) {
            self->candidates[num_kept++].job = self->candidates[j].job;
        }
    }
    self->num_candidates = num_kept;
    for (; self->num_seen < vc->next_arrival; self->num_seen++) {
        if (SPOT_ARRAY_APPEND(
                self, candidates, (candidate_t){.job = vc->arrivals[self->num_seen]}) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
    }
    return SPOT_ARRAY_ROOM(self, growing, self->num_candidates);
}

/* Whether a job has started or changed its size so lately that it does not grow. */
static bool is_held(const spot_vc_t *vc, const spot_vc_job_t *job)
{
    return job->status == SPOT_JOB_RUNNING &&
           vc->now_s - job->resized_s < vc->scenario->elastic.hold_s;
}

/* Finds the next size of a candidate, which it may not have. */
static void look_ahead(const spot_vc_t *vc, candidate_t *candidate, need_t need)
{
    const spot_vc_job_t *job = &vc->jobs[candidate->job];

    candidate->next = spot_vc_next_size(vc, candidate->job, candidate->target);
    if (candidate->next > job->gpus && is_held(vc, job)) {
        candidate->next = 0;
    }
    if (candidate->next > 0) {
        candidate->need = need(vc, candidate);
    }
}

/* Gives smallest sizes in order of submission. Returns the GPUs that are left. */
static int32_t give_smallest(elastic_t *self, const spot_vc_t *vc, need_t need)
{
    int32_t num_free = spot_vc_quota(vc);

    self->num_growing = 0;
    for (size_t j = 0; j < self->num_candidates; j++) {
        candidate_t *candidate = &self->candidates[j];
        const int32_t smallest = spot_vc_next_size(vc, candidate->job, 0);

        candidate->target = smallest <= num_free ? smallest : 0;
        num_free -= candidate->target;
        if (candidate->target > 0) {
            look_ahead(vc, candidate, need);
            self->growing[self->num_growing++] = j;
        }
    }
    return num_free;
}

/* Raises the neediest by a size as long as one fits. What does not fit now never will,
 * as the free GPUs only get fewer. */
static void grow(elastic_t *self, const spot_vc_t *vc, int32_t num_free, need_t need)
{
    while (self->num_growing > 0) {
        candidate_t *best = NULL;
        size_t num_kept = 0;

        for (size_t j = 0; j < self->num_growing; j++) {
            candidate_t *candidate = &self->candidates[self->growing[j]];

            if (candidate->next > 0 && candidate->next - candidate->target <= num_free) {
                self->growing[num_kept++] = self->growing[j];
                best = best == NULL || candidate->need > best->need ? candidate : best;
            }
        }
        self->num_growing = num_kept;
        if (best != NULL) {
            num_free -= best->next - best->target;
            best->target = best->next;
            look_ahead(vc, best, need);
        }
    }
}

/* ---- Carrying them out ---- */

/* Starts a queued job with its target or less. */
static bool start(spot_vc_t *vc, const candidate_t *candidate)
{
    int32_t gpus = candidate->target;

    while (gpus > 0 && !spot_vc_start_with(vc, candidate->job, gpus)) {
        gpus = spot_vc_largest_size(vc, candidate->job, gpus - 1);
    }
    return gpus > 0;
}

/* What the steps of a decision change, in this order. */
enum { STOP, SHRINK, START, GROW, NUM_STEPS };

static int step_of(const spot_vc_job_t *job, int32_t target)
{
    if (job->status == SPOT_JOB_QUEUED) {
        return target > 0 ? START : NUM_STEPS;
    }
    return target == 0 ? STOP : target < job->gpus ? SHRINK : target > job->gpus ? GROW : NUM_STEPS;
}

static bool carry_out(spot_vc_t *vc, const candidate_t *candidate)
{
    if (candidate->step == STOP) {
        spot_vc_stop(vc, candidate->job);
        return true;
    }
    return candidate->step == START ? start(vc, candidate)
                                    : spot_vc_resize(vc, candidate->job, candidate->target);
}

/* When to decide again if nothing happens. A decision that has changed nothing would
 * change nothing again, until a job may grow that could not. */
static int64_t next_decision_s(const spot_vc_t *vc, bool has_acted)
{
    const int64_t interval_s = vc->scenario->elastic.interval_s;
    int64_t next_s = has_acted ? vc->now_s + 1 : INT64_MAX;

    for (int32_t job = vc->first_running; !has_acted && job >= 0; job = vc->jobs[job].next) {
        const spot_vc_job_t *at = &vc->jobs[job];
        const int64_t free_s = at->resized_s + vc->scenario->elastic.hold_s;

        if (is_held(vc, at) && free_s < next_s && spot_vc_next_size(vc, job, at->gpus) > 0) {
            next_s = free_s;
        }
    }
    return next_s == INT64_MAX ? INT64_MAX : (next_s + interval_s - 1) / interval_s * interval_s;
}

static void decide(spot_vc_t *vc, need_t need)
{
    elastic_t *self = vc->state;
    bool has_acted = false;

    if (!vc->is_changed && vc->now_s % vc->scenario->elastic.interval_s != 0) {
        return;
    }
    if (find_candidates(self, vc) != 0) {
        vc->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    grow(self, vc, give_smallest(self, vc, need), need);
    for (size_t j = 0; j < self->num_candidates; j++) {
        candidate_t *candidate = &self->candidates[j];

        candidate->step = step_of(&vc->jobs[candidate->job], candidate->target);
    }
    for (int step = 0; step < NUM_STEPS; step++) {
        for (size_t j = 0; j < self->num_candidates; j++) {
            if (self->candidates[j].step == step) {
                has_acted |= carry_out(vc, &self->candidates[j]);
            }
        }
    }
    self->due_s = next_decision_s(vc, has_acted);
}

static int64_t elastic_next_due_s(const spot_vc_t *vc)
{
    const elastic_t *self = vc->state;

    return self->due_s > vc->now_s ? self->due_s : INT64_MAX;
}

/* ---- Which job is the neediest ---- */

/* The job with the least share of the GPUs that it asked for. */
static double efs_need(const spot_vc_t *vc, const candidate_t *candidate)
{
    return -(double) candidate->target / spot_vc_row(vc, candidate->job)->gpu_num;
}

static void efs_decide(spot_vc_t *vc)
{
    decide(vc, efs_need);
}

const spot_policy_t spot_policy_efs = {
    .name = "efs",
    .doc = "Elastic fair sharing: every job gets its smallest size in order of "
           "submission, then the job with the least share of what it asked for grows "
           "first" OWN_DESIGN,
    .state_size = sizeof(elastic_t),
    .free_state = free_state,
    .next_due_s = elastic_next_due_s,
    .decide = efs_decide,
};

/* The job that gains the most throughput by a GPU, relative to its own. */
static double gain_need(const spot_vc_t *vc, const candidate_t *candidate)
{
    const int32_t job = candidate->job;
    const double own = spot_vc_throughput(vc, job, spot_vc_row(vc, job)->gpu_num);

    return (spot_vc_throughput(vc, job, candidate->next) -
               spot_vc_throughput(vc, job, candidate->target)) /
           ((candidate->next - candidate->target) * own);
}

static void gain_decide(spot_vc_t *vc)
{
    decide(vc, gain_need);
}

const spot_policy_t spot_policy_gain = {
    .name = "gain",
    .doc = "Elastic, by marginal gain: every job gets its smallest size in order of "
           "submission, then the job that gains the most throughput by a GPU grows "
           "first" OWN_DESIGN,
    .state_size = sizeof(elastic_t),
    .free_state = free_state,
    .next_due_s = elastic_next_due_s,
    .decide = gain_decide,
};
