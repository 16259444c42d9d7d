/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varuna with faults of the simulator published with Oobleck (SOSP'23,
 * tools/simulator/varuna_simulator.py), to reproduce its numbers. Two things differ:
 * pauses do not overlap, so only the latest timer counts; and the order of the event
 * queue, which decides there which checkpoints fail, is not imitated. */
#include "sim/recovery/varuna/varuna.h"

bool
spot_varuna_has_fault(const spot_varuna_options_t *self)
{
    return self->fault.has_steps_in_pause || self->fault.has_one_counter ||
           self->fault.has_late_checkpoints || self->fault.has_failing_checkpoints ||
           self->fault.has_deep_failures || self->fault.has_old_pauses;
}

/* Switches off the checkpoints of the job's own cycle: they are decided one by one. */
static const spot_checkpoint_t no_checkpoints = {.mode = SPOT_CHECKPOINT_SYNC,
    .every_kind = SPOT_EVERY_STEPS,
    .every_steps = SPOT_MAX_STEPS};

static int64_t
write_ms(const spot_varuna_state_t *state)
{
    return state->shape->row->values[SPOT_BY_N_CHECKPOINT_MS];
}

/* Goes on with the present shape, now or after a stall. */
static void
go_on(spot_varuna_state_t *state, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    decision->is_new = true;
    decision->is_same_pipelines = true;
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_pipelines = 1;
    decision->num_active = view->num_active;
    decision->step_ms = state->shape->step_ms;
    decision->checkpoint = &no_checkpoints;
    state->is_rest = false;
}

/* Forms the best shape, with its pause unless steps go on in the pause. */
static void
form(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, int64_t pause_ms,
    spot_recovery_decision_t *decision)
{
    spot_varuna_decide_shape(self, view, decision);
    decision->checkpoint = &no_checkpoints;
    decision->reconfiguration_ms = view->now_ms == 0 ? 0 : pause_ms;
    state->shape = NULL;
    state->step_end_ms = 0;
    if (decision->num_pipelines > 0) {
        state->shape = &self->shapes[spot_recovery_num_usable(view)];
        state->step_end_ms =
            view->now_ms + decision->reconfiguration_ms + decision->step_ms;
    }
    state->is_rest = false;
}

/* ---- Failures of checkpoints ---- */

/* Steps that a failing checkpoint takes back. */
#define DEEP_STEPS 10

static int32_t
num_counted(uint32_t recent)
{
    int32_t num = 0;

    for (; recent != 0; recent >>= 1) {
        num += (int32_t) (recent & 1);
    }
    return num;
}

static void
note_step(spot_varuna_state_t *state)
{
    state->recent = (state->recent << 1 | 1) & ((1U << DEEP_STEPS) - 1);
    state->num_recent += state->num_recent < DEEP_STEPS;
}

/* Loses the steps since the latest checkpoint; steps among them that were lost for older
 * ones are owed again. */
static void
note_loss(spot_varuna_state_t *state)
{
    state->recent &= ~((1U << state->num_recent) - 1);
    state->num_owed += state->num_paid;
    state->num_paid = 0;
}

static void
note_checkpoint(spot_varuna_state_t *state)
{
    state->num_recent = 0;
    state->num_paid = 0;
}

/* Durable steps stay durable; instead the same number of later steps is lost, each alone
 * when it ends. Returns whether this step is one of them. */
static bool
pays(spot_varuna_state_t *state)
{
    if (state->num_owed == 0) {
        return false;
    }
    state->num_owed--;
    state->num_paid++;
    return true;
}

/* Fails the checkpoint in flight. */
static void
fail(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    spot_recovery_decision_t *decision)
{
    const int64_t before = state->num_steps - self->every_steps;

    decision->work = SPOT_WORK_ROLLED_BACK;
    decision->aborts_checkpoint = true;
    state->durable_ms = 0;
    note_loss(state);
    if (self->fault.has_deep_failures) {
        state->num_owed += num_counted(state->recent);
        state->recent = 0;
    }
    if (!self->fault.has_one_counter) {
        state->num_steps = state->durable_steps;
    } else {
        state->num_steps = before > 0 ? before : 0;
    }
}

/* ---- Events ---- */

/* The time to form pipelines; 0 if none form. */
static int64_t
restart_ms(const spot_varuna_options_t *self, const spot_instance_row_t *row)
{
    return row == NULL ? 0 : spot_varuna_restart_ms(self, row);
}

/* A loss: steps that are not durable are lost. If steps go on in the pause, the step
 * under way goes on, as a step of its remaining time. */
static void
lose(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const spot_varuna_shape_t *next = &self->shapes[spot_recovery_num_usable(view)];
    const spot_instance_row_t *row = next->row;
    int64_t pause_ms;

    if (self->fault.has_old_pauses && state->shape != NULL) {
        row = state->shape->row;
    }
    pause_ms = restart_ms(self, row);
    state->pause_end_ms = 0;
    if (self->fault.has_steps_in_pause && state->shape != NULL && view->num_active > 0 &&
        next->num_pipelines > 0 && pause_ms > 0) {
        go_on(state, view, decision);
        state->pause_end_ms = view->now_ms + pause_ms;
        decision->step_ms = state->step_end_ms - view->now_ms;
        state->is_rest = true;
    } else {
        form(self, state, view, pause_ms, decision);
    }
    decision->work = SPOT_WORK_ROLLED_BACK;
    if (state->durable_ms > 0 && self->fault.has_late_checkpoints) {
        fail(self, state, decision);
    } else {
        note_loss(state);
    }
    state->durable_ms = 0;
    if (self->fault.has_one_counter) {
        state->is_due = true;
    } else {
        state->num_steps = state->durable_steps;
    }
}

/* The end of a step. A checkpoint that is due stalls the job. A late one is durable only
 * after as much time again, and fails if the run ends before that: in the published
 * simulator, with one more loss. */
static void
end_step(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const bool is_lost = pays(state);
    const bool was_rest = state->is_rest;

    state->num_steps++;
    note_step(state);
    state->step_end_ms = view->now_ms + state->shape->step_ms;
    if (state->num_steps % self->every_steps == 0 || state->is_due) {
        const int64_t stall_ms = write_ms(state);

        go_on(state, view, decision);
        state->step_end_ms += stall_ms;
        state->is_due = false;
        if (self->fault.has_late_checkpoints) {
            decision->reconfiguration_ms = stall_ms;
            state->durable_ms = view->now_ms + 2 * stall_ms;
            if (state->durable_ms >= state->horizon_ms) {
                fail(self, state, decision);
            }
        } else {
            decision->flush_ms = stall_ms;
            state->durable_ms = view->now_ms + stall_ms;
        }
    } else if (was_rest || is_lost) {
        go_on(state, view, decision);
    }
    if (is_lost) {
        decision->work = SPOT_WORK_ROLLED_BACK;
    }
}

/* The end of a checkpoint: a late one becomes durable by a flush of the shortest time.
 */
static void
end_checkpoint(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    state->durable_ms = 0;
    state->durable_steps = state->num_steps;
    note_checkpoint(state);
    if (self->fault.has_late_checkpoints) {
        go_on(state, view, decision);
        decision->work = SPOT_WORK_KEPT;
        decision->flush_ms = 1;
        state->step_end_ms++;
    }
}

/* The end of a pause in which steps went on. A checkpoint that is not durable then may
 * fail: in the published simulator the order of a queue makes about half of them fail,
 * here every second one fails. */
static void
end_pause(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    state->pause_end_ms = 0;
    form(self, state, view, 0, decision);
    decision->work = SPOT_WORK_STEPS_KEPT;
    if (state->durable_ms > 0 && self->fault.has_failing_checkpoints) {
        state->has_failed = !state->has_failed;
        if (state->has_failed) {
            fail(self, state, decision);
        }
    }
    if (state->shape == NULL) {
        state->durable_ms = 0; /* nothing trains */
    }
}

static int64_t
sooner(int64_t a_ms, int64_t b_ms)
{
    return b_ms > 0 && (a_ms == 0 || b_ms < a_ms) ? b_ms : a_ms;
}

/* Additions are used at the end of the next pause, or by a usual start if nothing
 * trains. */
void
spot_varuna_decide_with_faults(const spot_varuna_options_t *self,
    spot_varuna_state_t *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    if (change->num_lost_active > 0) {
        lose(self, state, view, decision);
    } else if (change->kind != SPOT_CHANGE_WAKE) {
        if (state->shape != NULL || change->num_ready == 0) {
            return; /* the earlier wake stays */
        }
        form(self, state, view,
            restart_ms(self, self->shapes[spot_recovery_num_usable(view)].row),
            decision);
    } else if (view->now_ms == state->pause_end_ms) {
        end_pause(self, state, view, decision);
    } else if (view->now_ms == state->durable_ms) {
        end_checkpoint(self, state, view, decision);
    } else {
        end_step(self, state, view, decision);
    }
    decision->wake_ms =
        sooner(sooner(state->step_end_ms, state->pause_end_ms), state->durable_ms);
}
