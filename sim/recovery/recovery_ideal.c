/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no recovery system can beat: at each change the fastest pipelines at once, with
 * no pause and nothing lost. Samples are the integral of the throughput over time. */
#include "sim/recovery/recovery.h"

static void
ideal_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    (void) options;
    (void) state;
    spot_recovery_plan_pipelines(plan, view->job,
        spot_job_best_pipelines(view->job, spot_recovery_num_usable(view)));
    plan->work = SPOT_WORK_KEPT;
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
