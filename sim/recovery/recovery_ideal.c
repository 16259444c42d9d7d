/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What no recovery system can beat: at each change the fastest pipelines at once, with
 * no pause and nothing lost. Samples are the integral of the throughput over time.
 *
 * By (D,P) the fastest pair of all depths counts, else the fastest number of pipelines
 * of the job's depth. With an interval N is that at the latest multiple of it, as in
 * Parcae; but nothing runs on instances that are gone: where there have been fewer
 * since, N is the fewest that there have been. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "sim/recovery/recovery.h"

typedef struct {
    int64_t interval_ms;
} options_t;

typedef struct {
    int64_t num_usable; /* N that counts until the next multiple of the interval */
} state_t;

static size_t
ideal_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

static void
plan_best(spot_recovery_plan_t *plan, const spot_job_t *job, int64_t num_usable)
{
    const spot_step_pair_t *best;

    if (!spot_step_time_is_by_pair(&job->step_time)) {
        spot_recovery_plan_pipelines(
            plan, job, spot_job_best_pipelines(job, num_usable));
        return;
    }
    best = spot_step_grid_best(&job->step_time.grid, num_usable);
    if (best != NULL) {
        plan->num_pipelines = best->num_pipelines;
        plan->num_active = best->num_pipelines * best->depth;
        plan->step_ms = spot_step_pair_ms(best);
        plan->has_fitted_step_time = best->is_fitted;
    }
}

static void
ideal_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const int64_t interval_ms = ((const options_t *) options)->interval_ms;
    const int64_t num_usable = spot_recovery_num_usable(view);
    state_t *self = state;

    if (interval_ms == 0 || view->now_ms % interval_ms == 0 ||
        num_usable < self->num_usable) {
        self->num_usable = num_usable;
    }
    if (self->num_usable < num_usable) {
        plan->wake_ms = (view->now_ms / interval_ms + 1) * interval_ms;
    }
    plan_best(plan, view->job, self->num_usable);
    plan->lacks_step_time = spot_job_lacks_best_step_time(
        view->job, self->num_usable, 1, SPOT_MAX_INSTANCES);
    plan->work = SPOT_WORK_KEPT;
    plan->is_new = change->num_lost_active > 0 ||
                   plan->num_pipelines != view->num_pipelines ||
                   plan->num_active != view->num_active;
}

static const spot_field_t ideal_options[] = {
    {.name = "interval",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, interval_ms),
        .max = HUGE_VAL,
        .initial = "0 s",
        .help =
            "decide at multiples of it only, for the instances at that instant or, if "
            "some of them are lost, for what is left; 0: at every change; 60 s in "
            "Parcae"},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_ideal = {
    .name = "ideal",
    .doc =
        "the fastest pipelines at each change, at once, with nothing lost: the bound of "
        "all others",
    .source = "Duan et al., Parcae, NSDI'24, for the bound",
    .options = ideal_options,
    .options_size = sizeof(options_t),
    .is_lossless = true,
    .state_size = ideal_state_size,
    .decide = ideal_decide,
};
