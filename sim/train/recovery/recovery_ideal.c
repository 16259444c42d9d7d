/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The upper bound of all recovery systems: at each change the fastest pipelines form at
 * once, without a pause and without lost work. Samples are the integral of the
 * throughput over time.
 *
 * With step times by (D,P) the fastest pair of all depths forms, otherwise the fastest
 * number of pipelines of the job's depth. With an interval, N is that at the latest
 * multiple of it, as in Parcae, or the least N since then: lost instances do not run. */
#include <math.h>
#include <stddef.h>

#include "base/units.h"
#include "sim/train/recovery/recovery.h"

typedef struct {
    int64_t interval_ms;
} options_t;

typedef struct {
    int64_t num_usable; /* N that applies until the next multiple of the interval */
} state_t;

static size_t ideal_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

static void decide_best(
    spot_recovery_decision_t *decision, const spot_job_t *job, int64_t num_usable)
{
    const spot_step_pair_t *best;

    if (!spot_step_time_is_by_pair(&job->step_time)) {
        spot_recovery_decision_set_pipelines(
            decision, job, spot_job_best_pipelines(job, num_usable));
        return;
    }
    best = spot_step_grid_best(&job->step_time.grid, num_usable);
    if (best != NULL) {
        decision->num_pipelines = best->num_pipelines;
        decision->num_active = best->num_pipelines * best->depth;
        decision->step_ms = spot_step_pair_ms(best);
        spot_decision_note(decision, SPOT_NOTE_STEP_FITTED, best->origin != SPOT_STEP_MEASURED);
    }
}

static void ideal_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const int64_t interval_ms = ((const options_t *) options)->interval_ms;
    const int64_t num_usable = spot_recovery_num_usable(view);
    state_t *self = state;

    if (interval_ms == 0 || view->now_ms % interval_ms == 0 || num_usable < self->num_usable) {
        self->num_usable = num_usable;
    }
    if (self->num_usable < num_usable) {
        decision->wake_ms = (view->now_ms / interval_ms + 1) * interval_ms;
    }
    decide_best(decision, view->job, self->num_usable);
    spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN,
        spot_job_lacks_best_step_time(view->job, self->num_usable, 1, SPOT_MAX_INSTANCES));
    decision->work = SPOT_WORK_KEPT;
    decision->is_new = change->num_lost_active > 0 ||
                       decision->num_pipelines != view->num_pipelines ||
                       decision->num_active != view->num_active;
}

static const spot_field_t ideal_options[] = {
    {SPOT_RANGE(DURATION, "interval", options_t, interval_ms, 0, HUGE_VAL, "0 s",
        "decision interval",
        "decide at multiples of it only, for the instances at that instant or, if some "
        "of them are lost, for what is left; 0: at every change; 60 s in Parcae")},
    {.name = NULL, .fields = spot_recovery_plain_fields},
};

const spot_recovery_t spot_recovery_ideal = {
    .name = "ideal",
    .doc = "the fastest pipelines at each change, at once, with nothing lost: the bound "
           "of all others",
    .source = "Duan et al., Parcae, NSDI'24, for the bound",
    .options = ideal_options,
    .options_size = sizeof(options_t),
    .traits = {.is_lossless = true, .flushes = SPOT_FLUSHES_NEVER},
    .uses = spot_recovery_uses_nothing,
    .state_size = ideal_state_size,
    .decide = ideal_decide,
};
