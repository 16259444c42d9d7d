/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quasi-shortest service first: estimated duration times GPUs, given to a job when it
 * has waited for a second. */
#include <math.h>

#include "sim/schedule/policy.h"

typedef struct {
    bool is_new; /* the queue holds jobs of this second only, in order of their GPUs */
} qssf_t;

/* A job is estimated when it is submitted, not when it is ranked: what ends in between
 * says nothing. One that comes back keeps its estimate. */
static void qssf_on_arrive(spot_vc_t *vc, int32_t job)
{
    spot_vc_job_t *at = &vc->jobs[job];

    if (isnan(at->estimate_s)) {
        at->estimate_s = spot_vc_estimate_s(vc, job);
    }
}

/* Gives priorities to the jobs of the queue from a place on. */
static void rank_from(spot_vc_t *vc, spot_queue_place_t place)
{
    for (int32_t job = spot_vc_next_queued(vc, &place); job >= 0;
         job = spot_vc_next_queued(vc, &place)) {
        spot_vc_job_t *at = &vc->jobs[job];
        const double gpus = (double) spot_vc_row(vc, job)->gpu_num;

        at->key = at->estimate_s * gpus;
        at->tie = gpus;
    }
}

static void rank_by_gpus(spot_vc_t *vc)
{
    spot_queue_place_t place = {0};

    for (int32_t job = spot_vc_next_queued(vc, &place); job >= 0;
         job = spot_vc_next_queued(vc, &place)) {
        vc->jobs[job].key = vc->jobs[job].gpus;
        vc->jobs[job].tie = 0;
    }
}

static void qssf_decide(spot_vc_t *vc)
{
    qssf_t *self = vc->state;
    spot_queue_place_t place = {0};
    const bool is_new = spot_vc_num_queued(vc) == vc->num_fresh;

    if (is_new) {
        rank_by_gpus(vc);
    } else {
        place = self->is_new ? place : spot_vc_unsorted_queue(vc);
        rank_from(vc, place);
    }
    spot_vc_sort_queue(vc, is_new || self->is_new);
    self->is_new = is_new;
    spot_vc_start_head(vc);
}

static int64_t qssf_next_due_s(const spot_vc_t *vc)
{
    const qssf_t *self = vc->state;

    return self->is_new && spot_vc_num_queued(vc) > 0 ? vc->now_s + 1 : INT64_MAX;
}

static const spot_estimator_setting_t *qssf_estimator(const spot_schedule_scenario_t *scenario)
{
    return &scenario->qssf;
}

const spot_policy_t spot_policy_qssf = {
    .name = "qssf",
    .never_stops = true,
    .never_resizes = true,
    .doc = "Quasi-shortest service first: the least estimated duration times GPUs starts "
           "first, and nothing overtakes it",
    .source = "Hu et al., Characterization and Prediction of Deep Learning Workloads in "
              "Large-Scale GPU Datacenters, SC 2021",
    .estimator = qssf_estimator,
    .state_size = sizeof(qssf_t),
    .on_arrive = qssf_on_arrive,
    .next_due_s = qssf_next_due_s,
    .decide = qssf_decide,
};
