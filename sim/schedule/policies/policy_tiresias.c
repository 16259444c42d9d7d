/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least attained service in classes: a job that has held GPUs for long goes behind. */
#include <math.h>

#include "sim/schedule/policies/quota.h"
#include "sim/schedule/vc_state.h"

/* Classes count before times. */
#define CLASS_S 1e12

typedef struct {
    spot_quota_t quota; /* the first member */
    bool is_settled;    /* since the latest walk, which did nothing, nothing happened */
    int64_t class_s;    /* when a job falls into the next class after such a walk */
} tiresias_t;

/* The attained service of a job in GPU-seconds at the end of second now_s. */
static int64_t vc_service_gpu_s(const spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];

    return at->status == SPOT_JOB_RUNNING
               ? at->service_gpu_s + (self->now_s - at->touched_s) * at->gpus
               : at->service_gpu_s;
}

static double tiresias_rank(const spot_vc_t *vc, int32_t job)
{
    const spot_schedule_scenario_t *scenario = vc->scenario;
    const double service = (double) vc_service_gpu_s(vc, job);
    double class_id = 0;

    for (size_t j = 0; j < scenario->tiresias.num_thresholds; j++) {
        class_id += service > scenario->tiresias.thresholds_gpu_s[j];
    }
    return class_id * CLASS_S + (double) vc->jobs[job].enter_s;
}

static void unsettle(spot_vc_t *vc)
{
    ((tiresias_t *) vc->state)->is_settled = false;
}

static void tiresias_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = tiresias_rank(vc, job);
    unsettle(vc);
}

static void tiresias_on_end(spot_vc_t *vc, int32_t job)
{
    (void) job;
    unsettle(vc);
}

/* When the first running job falls into the next class, if nothing happens before. */
static int64_t next_class_s(const spot_vc_t *vc)
{
    const spot_schedule_scenario_t *scenario = vc->scenario;
    int64_t next_s = INT64_MAX;

    for (int32_t job = vc->first_running; job >= 0; job = vc->jobs[job].next) {
        const double service = (double) vc_service_gpu_s(vc, job);

        for (size_t j = 0; j < scenario->tiresias.num_thresholds; j++) {
            const double left = scenario->tiresias.thresholds_gpu_s[j] - service;

            if (left >= 0) {
                const int64_t above_s = vc->now_s + (int64_t) floor(left / vc->jobs[job].gpus) + 1;

                next_s = above_s < next_s ? above_s : next_s;
                break;
            }
        }
    }
    return next_s;
}

static void tiresias_decide(spot_vc_t *vc)
{
    tiresias_t *self = vc->state;

    if (vc->now_s % vc->scenario->tiresias.interval_s == 0) {
        spot_quota_walk(&self->quota, vc, tiresias_rank, false);
        self->is_settled = !self->quota.has_acted;
        self->class_s = self->is_settled ? next_class_s(vc) : INT64_MAX;
    }
}

static int64_t tiresias_next_due_s(const spot_vc_t *vc)
{
    const tiresias_t *self = vc->state;
    const int64_t interval_s = vc->scenario->tiresias.interval_s;
    int64_t next_s = vc->now_s + 1;

    if (spot_vc_num_queued(vc) == 0 && vc->nodes.num_open == vc->nodes.num_listed) {
        return INT64_MAX;
    }
    next_s = self->is_settled ? self->class_s : next_s;
    return next_s == INT64_MAX ? INT64_MAX : (next_s + interval_s - 1) / interval_s * interval_s;
}

const spot_policy_t spot_policy_tiresias = {
    .name = "tiresias",
    .never_resizes = true,
    .doc = "Least attained service in classes: jobs that have held few GPU-seconds go "
           "before those that have held many; within a class in order of submission",
    .source = "Gu et al., Tiresias: A GPU Cluster Manager for Distributed Deep Learning, "
              "NSDI 2019",
    .is_decreasing = true,
    .state_size = sizeof(tiresias_t),
    .free_state = spot_quota_free,
    .on_arrive = tiresias_on_arrive,
    .on_end = tiresias_on_end,
    .on_nodes = unsettle,
    .next_due_s = tiresias_next_due_s,
    .decide = tiresias_decide,
};
