/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no recovery system can beat: at each change the fastest pipelines at once, with
 * no pause and nothing lost. Samples are the integral of the throughput over time. */
#include "sim/recovery/recovery.h"

/* The number of pipelines with the highest throughput, the smallest of equal ones.
 * Beyond the last measured world size step times are flat, so that more pipelines gain
 * nothing.
 */
static int32_t
best_pipelines(const spot_job_t *job, int32_t num_ready)
{
    const int32_t possible = spot_pipelines_possible(job, num_ready);
    int64_t best_ms = INT64_MAX;
    int32_t best = 0;

    for (int32_t num = 1; num <= possible; num++) {
        const int64_t step_ms =
            spot_step_time_ms(&job->step_time, num * job->pipeline_depth);

        if (step_ms < best_ms) {
            best_ms = step_ms;
            best = num;
        }
        if (num * job->pipeline_depth >= spot_step_time_largest(&job->step_time)) {
            break;
        }
    }
    return best;
}

static void
ideal_decide(const void *options, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    (void) options;
    plan->num_pipelines =
        best_pipelines(view->job, view->num_active + view->num_standby);
    plan->is_new =
        change->num_lost_active > 0 || plan->num_pipelines != view->num_pipelines;
}

const spot_recovery_t spot_recovery_ideal = {
    .name = "ideal",
    .doc =
        "the fastest pipelines at each change, at once, with nothing lost: the bound of "
        "all others",
    .source = "Duan et al., Parcae, NSDI'24, for the bound",
    .options = spot_recovery_common_fields,
    .options_size = 1, /* none of its own */
    .is_lossless = true,
    .decide = ideal_decide,
};
