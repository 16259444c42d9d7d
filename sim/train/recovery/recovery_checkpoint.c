/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoint and restart: roll back to the last durable checkpoint and go on with the
 * instances left, in pipelines of fixed depth. By default a new pipeline forms as soon
 * as there are instances for it. */
#include <math.h>
#include <stddef.h>

#include "sim/train/recovery/recovery.h"

enum { GROWTH_PIPELINE, GROWTH_NEVER, GROWTH_AT_PREEMPTION, GROWTH_BETTER };
enum { PLAN_FIXED, PLAN_BEST };
enum { NOTICE_CHECKPOINT, NOTICE_IGNORE };

typedef struct {
    int64_t detection_ms;
    int growth;
    double min_gain;
    int plan;
    int flushes_to_grow;
    int notice;
} options_t;

/* The state with options that write checkpoints out of turn. */
typedef struct {
    int64_t saved_ms; /* when the checkpoint of the decision in force is durable */
    bool is_holding;  /* the job waits for an announced preemption */
} state_t;

static bool has_state(const options_t *self)
{
    return self->flushes_to_grow || self->notice == NOTICE_CHECKPOINT;
}

static size_t checkpoint_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) job;
    (void) capacity;
    return has_state(options) ? sizeof(state_t) : 0;
}

/* ---- An announced preemption ---- */

/* Once no further step fits before the preemption and a complete checkpoint: stops
 * training, writes one and waits. */
static void prepare_for_loss(
    state_t *state, const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const int64_t full_ms = spot_checkpoint_full_ms(&view->job->checkpoint);

    if (!spot_recovery_must_stop(
            view, spot_recovery_first_deadline_ms(view, decision), full_ms, decision)) {
        return;
    }
    decision->is_new = true;
    spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true);
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_active = view->num_active;
    decision->flush_ms = full_ms;
    state->saved_ms = view->now_ms + full_ms;
    state->is_holding = true;
}

/* ---- Losses and growth ---- */

static int64_t target(const options_t *self, const spot_recovery_view_t *view)
{
    const int64_t num_usable = spot_recovery_num_usable(view);

    return self->plan == PLAN_BEST ? spot_job_best_pipelines(view->job, num_usable)
                                   : spot_job_pipelines(view->job, num_usable);
}

/* Whether pipelines form anew without a loss. */
static bool is_worth_it(
    const options_t *self, const spot_recovery_view_t *view, int64_t num_pipelines)
{
    int64_t step_ms, gain_ms;

    if (self->growth == GROWTH_PIPELINE || view->num_pipelines == 0) {
        return num_pipelines * view->job->pipeline_depth > view->num_active;
    }
    if (self->growth != GROWTH_BETTER) {
        return false;
    }
    step_ms = spot_job_step_ms(view->job, num_pipelines);
    gain_ms = spot_job_step_ms(view->job, view->num_pipelines) - step_ms;
    return gain_ms > 0 && (double) gain_ms >= self->min_gain * (double) step_ms;
}

/* Writes a checkpoint before the pipelines grow, if there may be something to save: the
 * job trains, or the latest such checkpoint was cut short. */
static void save_first(
    state_t *state, const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    if (view->num_pipelines > 0 &&
        (view->now_ms >= view->training_ms || view->now_ms < state->saved_ms)) {
        decision->work = SPOT_WORK_STEPS_KEPT;
        decision->flush_ms = spot_checkpoint_full_ms(&view->job->checkpoint);
    } else if (view->num_pipelines > 0) {
        decision->work = SPOT_WORK_STEPS_KEPT;
    }
}

static void form_pipelines(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    bool has_loss, spot_recovery_decision_t *decision)
{
    int64_t num_pipelines = target(self, view);

    spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN,
        self->plan == PLAN_BEST &&
            spot_job_lacks_best_step_time(view->job, spot_recovery_num_usable(view),
                view->job->pipeline_depth, view->job->pipeline_depth));
    if (!has_loss && !is_worth_it(self, view, num_pipelines)) {
        return;
    }
    if (self->growth == GROWTH_NEVER && view->num_pipelines > 0 &&
        num_pipelines > view->num_pipelines) {
        num_pipelines = view->num_pipelines;
    }
    decision->is_new = true;
    decision->work = SPOT_WORK_ROLLED_BACK;
    spot_recovery_decision_set_pipelines(decision, view->job, num_pipelines);
    if (self->growth == GROWTH_PIPELINE) {
        decision->awaited_standby = (int32_t) view->job->pipeline_depth;
    }
    decision->reconfiguration_ms =
        view->job->reconfiguration_ms + (has_loss ? self->detection_ms : 0);
    decision->reload_ms = view->job->reload_ms;
    if (self->flushes_to_grow && !has_loss) {
        save_first(state, view, decision);
    }
    if (state != NULL) {
        state->saved_ms = view->now_ms + decision->flush_ms;
        state->is_holding = false;
    }
}

static bool fits_pipeline(const spot_recovery_view_t *view)
{
    return view->num_standby >= view->job->pipeline_depth;
}

/* Decides with options that write checkpoints out of turn. */
SPOT_NOINLINE static void decide_with_memory(const options_t *self, state_t *memory,
    const spot_recovery_view_t *view, const spot_recovery_change_t *change,
    spot_recovery_decision_t *decision)
{
    const bool has_loss = change->num_lost_active > 0;

    if (has_loss || (fits_pipeline(view) && !memory->is_holding)) {
        form_pipelines(self, memory, view, has_loss, decision);
    }
    if (self->notice == NOTICE_CHECKPOINT && view->deadlines_ms != NULL && !memory->is_holding) {
        prepare_for_loss(memory, view, decision);
    }
}

static void checkpoint_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const bool has_loss = change->num_lost_active > 0;

    const options_t *self = options;

    if (self->flushes_to_grow ||
        (self->notice == NOTICE_CHECKPOINT && view->deadlines_ms != NULL)) {
        decide_with_memory(options, state, view, change, decision);
    } else if (has_loss || fits_pipeline(view)) {
        form_pipelines(options, NULL, view, has_loss, decision);
    } /* otherwise no further pipeline fits, the most frequent case */
}

/* ---- Options ---- */

static int checkpoint_settle(void *options, spot_terms_t *terms)
{
    options_t *self = options;
    const spot_node_t *gain = spot_node_get(terms->node, "min_gain");
    const int64_t detection_ms = terms->job->detection_ms;

    self->detection_ms =
        spot_terms_ms(terms, "detection", self->detection_ms, detection_ms, detection_ms);
    terms->traits.flushes = self->flushes_to_grow               ? SPOT_FLUSHES_MAYBE
                            : self->notice == NOTICE_CHECKPOINT ? SPOT_FLUSHES_ON_NOTICE
                                                                : SPOT_FLUSHES_NEVER;
    if (gain != NULL && self->growth != GROWTH_BETTER) {
        spot_diag_warn(terms->bind->diag, gain->file, gain->line, gain->column,
            "recovery.min_gain has no effect without growth: better");
    }
    return 0;
}

static const char *const growth_names[] = {"pipeline", "never", "at_preemption", "better", NULL};
static const char *const plan_names[] = {"fixed", "best", NULL};
static const char *const notice_names[] = {"checkpoint", "ignore", NULL};

static const spot_field_t checkpoint_options[] = {
    {SPOT_RANGE(DURATION, "detection", options_t, detection_ms, 0, HUGE_VAL, "", "detection time",
        "time to detect a loss; lengthens the reconfiguration pause after one; "
        "job.detection if not given")},
    {SPOT_CHOICE("growth", options_t, growth, growth_names, "pipeline", "growth",
        "when new instances make more pipelines: as soon as there are enough for one; "
        "never, but for those that replace lost ones; at the next preemption of an "
        "instance in use; or as soon as steps get better by min_gain. A job without "
        "pipelines starts as soon as it can")},
    {SPOT_RANGE(NUMBER, "min_gain", options_t, min_gain, 0, HUGE_VAL, "0", "least gain of growth",
        "growth better only: the least gain in samples/s, as a fraction of what there "
        "is; 0: any")},
    {SPOT_CHOICE("plan", options_t, plan, plan_names, "fixed", "plan",
        "how many pipelines form: as many as there are instances for, or the number "
        "with the shortest step time, the smallest of equal ones")},
    {SPOT_CHOICE("grow_flush", options_t, flushes_to_grow, spot_no_yes, "no", "flush before growth",
        "yes: before pipelines grow the job is stalled for a complete checkpoint and "
        "does not roll back; only the step under way is lost")},
    {SPOT_CHOICE("notice", options_t, notice, notice_names, "checkpoint", "answer to a notice",
        "checkpoint: when the preemption of an instance in use is announced (see "
        "fleet.notice), the job trains as long as a whole step and then a complete "
        "checkpoint fit before it, writes the checkpoint and pauses until the "
        "preemption; where not even the checkpoint fits, it trains on; ignore: as if "
        "nothing was announced")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_checkpoint = {
    .name = "checkpoint",
    .doc = "roll back to the last durable checkpoint, go on with what is left in "
           "pipelines of fixed depth",
    .source = "Mohan, Phanishayee, Chidambaram, CheckFreq, FAST'21, for the checkpoints",
    .options = checkpoint_options,
    .options_size = sizeof(options_t),
    .settle = checkpoint_settle,
    .state_size = checkpoint_state_size,
    .decide = checkpoint_decide,
};
