/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varuna with faults of the simulator that was published with Oobleck (SOSP'23,
 * tools/simulator/varuna_simulator.py), so that its numbers come out. Its pauses do not
 * overlap here: of several timers only the latest counts. Nor is the order of its event
 * queue imitated, which decides there what becomes of some checkpoints. */
#include "sim/recovery/varuna.h"

bool
spot_varuna_has_fault(const spot_varuna_options_t *self)
{
    return self->fault.has_steps_in_pause || self->fault.has_one_counter ||
           self->fault.has_late_checkpoints || self->fault.has_failing_checkpoints ||
           self->fault.has_deep_failures || self->fault.has_old_pauses;
}

/* The job's own cycle has no checkpoints then: they are planned one by one. */
static const spot_checkpoint_t no_checkpoints = {.mode = SPOT_CHECKPOINT_SYNC,
    .every_kind = SPOT_EVERY_STEPS,
    .every_steps = SPOT_MAX_STEPS};

static int64_t
write_ms(const spot_varuna_state_t *state)
{
    return state->shape->row->values[SPOT_BY_N_CHECKPOINT_MS];
}

/* The shape under which it trains goes on, from now or after a stall. */
static void
go_on(spot_varuna_state_t *state, const spot_recovery_view_t *view,
    spot_recovery_plan_t *plan)
{
    plan->is_new = true;
    plan->is_same_pipelines = true;
    plan->work = SPOT_WORK_STEPS_KEPT;
    plan->num_pipelines = 1;
    plan->num_active = view->num_active;
    plan->step_ms = state->shape->step_ms;
    plan->checkpoint = &no_checkpoints;
    state->is_rest = false;
}

/* The best shape from now on, with its pause if steps do not go on in it. */
static void
form(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, int64_t pause_ms, spot_recovery_plan_t *plan)
{
    spot_varuna_plan_shape(self, view, plan);
    plan->checkpoint = &no_checkpoints;
    plan->reconfiguration_ms = view->now_ms == 0 ? 0 : pause_ms;
    state->shape = NULL;
    state->step_end_ms = 0;
    if (plan->num_pipelines > 0) {
        state->shape = &self->shapes[spot_recovery_num_usable(view)];
        state->step_end_ms = view->now_ms + plan->reconfiguration_ms + plan->step_ms;
    }
    state->is_rest = false;
}

/* ---- Failures of checkpoints ---- */

/* A checkpoint that fails takes so many steps back. */
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

/* The steps since the latest checkpoint are lost, and with them those that were lost for
 * others, which are owed again. */
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

/* Durable steps stay durable: as many of the next ones are lost in their place, each
 * when it ends, so that nothing else is with it. Tells whether this one is. */
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

/* The checkpoint in flight comes to nothing. */
static void
fail(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    spot_recovery_plan_t *plan)
{
    const int64_t before = state->num_steps - self->every_steps;

    plan->work = SPOT_WORK_ROLLED_BACK;
    plan->aborts_checkpoint = true;
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

/* ---- What happens ---- */

/* No time where nothing forms. */
static int64_t
restart_ms(const spot_varuna_options_t *self, const spot_instance_row_t *row)
{
    return row == NULL ? 0 : spot_varuna_restart_ms(self, row);
}

/* A loss: what is not durable is lost. The step under way goes on, as one of the time
 * that was left of it, if steps go on in the pause. */
static void
lose(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_plan_t *plan)
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
        go_on(state, view, plan);
        state->pause_end_ms = view->now_ms + pause_ms;
        plan->step_ms = state->step_end_ms - view->now_ms;
        state->is_rest = true;
    } else {
        form(self, state, view, pause_ms, plan);
    }
    plan->work = SPOT_WORK_ROLLED_BACK;
    if (state->durable_ms > 0 && self->fault.has_late_checkpoints) {
        fail(self, state, plan);
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

/* A step has ended: a checkpoint, if it is due, stalls the job; the faulty one is not
 * durable until as long again has passed, and fails if the run ends before: there, with
 * one more loss. */
static void
end_step(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_plan_t *plan)
{
    const bool is_lost = pays(state);
    const bool was_rest = state->is_rest;

    state->num_steps++;
    note_step(state);
    state->step_end_ms = view->now_ms + state->shape->step_ms;
    if (state->num_steps % self->every_steps == 0 || state->is_due) {
        const int64_t stall_ms = write_ms(state);

        go_on(state, view, plan);
        state->step_end_ms += stall_ms;
        state->is_due = false;
        if (self->fault.has_late_checkpoints) {
            plan->reconfiguration_ms = stall_ms;
            state->durable_ms = view->now_ms + 2 * stall_ms;
            if (state->durable_ms >= state->horizon_ms) {
                fail(self, state, plan);
            }
        } else {
            plan->flush_ms = stall_ms;
            state->durable_ms = view->now_ms + stall_ms;
        }
    } else if (was_rest || is_lost) {
        go_on(state, view, plan);
    }
    if (is_lost) {
        plan->work = SPOT_WORK_ROLLED_BACK;
    }
}

/* A checkpoint has become durable, the late one by a flush of the shortest time. */
static void
end_checkpoint(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_plan_t *plan)
{
    state->durable_ms = 0;
    state->durable_steps = state->num_steps;
    note_checkpoint(state);
    if (self->fault.has_late_checkpoints) {
        go_on(state, view, plan);
        plan->work = SPOT_WORK_KEPT;
        plan->flush_ms = 1;
        state->step_end_ms++;
    }
}

/* The end of a pause in which steps went on. There the order of a queue decides whether
 * a checkpoint that is not yet durable then fails: about half of them do, here every
 * second one. */
static void
end_pause(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_plan_t *plan)
{
    state->pause_end_ms = 0;
    form(self, state, view, 0, plan);
    plan->work = SPOT_WORK_STEPS_KEPT;
    if (state->durable_ms > 0 && self->fault.has_failing_checkpoints) {
        state->has_failed = !state->has_failed;
        if (state->has_failed) {
            fail(self, state, plan);
        }
    }
    if (state->shape == NULL) {
        state->durable_ms = 0; /* nothing trains that it could be of */
    }
}

static int64_t
sooner(int64_t a_ms, int64_t b_ms)
{
    return b_ms > 0 && (a_ms == 0 || b_ms < a_ms) ? b_ms : a_ms;
}

/* Additions are used when the next pause ends, or where nothing trains after a start
 * like any other. */
void
spot_varuna_decide_with_faults(const spot_varuna_options_t *self,
    spot_varuna_state_t *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    if (change->num_lost_active > 0) {
        lose(self, state, view, plan);
    } else if (change->kind != SPOT_CHANGE_WAKE) {
        if (state->shape != NULL || change->num_ready == 0) {
            return; /* what was asked for stays */
        }
        form(self, state, view,
            restart_ms(self, self->shapes[spot_recovery_num_usable(view)].row), plan);
    } else if (view->now_ms == state->pause_end_ms) {
        end_pause(self, state, view, plan);
    } else if (view->now_ms == state->durable_ms) {
        end_checkpoint(self, state, view, plan);
    } else {
        end_step(self, state, view, plan);
    }
    plan->wake_ms =
        sooner(sooner(state->step_end_ms, state->pause_end_ms), state->durable_ms);
}
