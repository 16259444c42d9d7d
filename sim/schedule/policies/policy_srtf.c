/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortest remaining time first, with an oracle. */
#include <math.h>

#include "sim/schedule/policies/quota.h"
#include "sim/schedule/vc.h"
#include "sim/schedule/vc_state.h"

/* Remaining work of a job with its overhead, at the end of second now_s. */
static double vc_rest(const spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];
    int64_t num_s = at->status == SPOT_JOB_RUNNING ? self->now_s - at->touched_s : 0;

    if (num_s <= at->overhead_s) {
        return at->left + (double) (at->overhead_s - num_s) * self->unit;
    }
    num_s -= at->overhead_s;
    return spot_work_after(at->left, at->rate, num_s);
}

static void srtf_on_arrive(spot_vc_t *vc, int32_t job)
{
    vc->jobs[job].key = vc_rest(vc, job);
}

static void srtf_decide(spot_vc_t *vc)
{
    spot_quota_walk(vc->state, vc, vc_rest, true);
}

/* Between changes all running jobs approach their ends alike, unless one works at
 * another rate; so only one that falls below a queued one changes the order. */
static int64_t srtf_next_due_s(const spot_vc_t *vc)
{
    const spot_quota_t *self = vc->state;

    if (spot_vc_num_queued(vc) == 0 && vc->nodes.num_open == vc->nodes.num_listed) {
        return INT64_MAX;
    }
    if (self->has_acted) {
        return vc->now_s + 1;
    }
    for (int32_t job = vc->first_running; job >= 0; job = vc->jobs[job].next) {
        if (vc->jobs[job].rate != vc->unit) {
            return vc->now_s + 1;
        }
    }
    return isinf(self->least_gap) ? INT64_MAX
                                  : vc->now_s + (int64_t) floor(self->least_gap / vc->unit) + 1;
}

const spot_policy_t spot_policy_srtf = {
    .name = "srtf",
    .never_resizes = true,
    .doc = "Shortest remaining time first, by the true duration: a job that will end "
           "earlier takes the GPUs of one that will end later",
    .is_decreasing = true,
    .state_size = sizeof(spot_quota_t),
    .free_state = spot_quota_free,
    .on_arrive = srtf_on_arrive,
    .next_due_s = srtf_next_due_s,
    .decide = srtf_decide,
};
