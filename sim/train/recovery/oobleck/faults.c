/* SPDX-License-Identifier: GPL-3.0-or-later */
/* oobleck with faults of the simulator published with it (SOSP'23 artifact,
 * tools/simulator/oobleck_simulator.py), to reproduce its numbers. It pauses until its
 * timer is due and then uses all ready instances. */
#include "sim/train/recovery/oobleck/oobleck.h"

/* The arguments of one decision. */
typedef struct {
    const spot_oobleck_options_t *options;
    spot_oobleck_state_t *state;
    const spot_recovery_view_t *view;
    const spot_recovery_change_t *change;
    spot_recovery_decision_t *decision;
} case_t;

/* Stops training. The loss of a pausing instance counts as a loss. */
static void decide_rest(case_t *self, int64_t num_active)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    decision->num_pipelines = 0;
    decision->num_active = (int32_t) num_active;
    decision->step_ms = 0;
    decision->work = self->state->needs_reload ? SPOT_WORK_ROLLED_BACK : SPOT_WORK_STEPS_KEPT;
}

/* Steps go on in the pause with the step time of before. */
static void decide_training(case_t *self)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    decision->work = SPOT_WORK_KEPT;
    decision->num_pipelines = self->view->num_pipelines > 0 ? self->view->num_pipelines : 1;
    decision->num_active = self->view->num_active;
    decision->step_ms = self->state->step_ms;
}

/* Ends a pause: all instances form pipelines. */
static void form(case_t *self)
{
    const int64_t num_instances = spot_recovery_num_usable(self->view);
    const spot_oobleck_mix_t *best = spot_oobleck_mix_of(self->options, num_instances);
    spot_oobleck_state_t *state = self->state;

    decide_rest(self, 0);
    self->decision->is_same_pipelines = true; /* the pause was counted */
    self->decision->lacks_step_time = best->lacks_step_time;
    state->trains_on = false;
    if (best->step_ms == 0) {
        state->phase = SPOT_OOBLECK_WAITING;
        return;
    }
    spot_oobleck_form(self->options, state, self->view, num_instances, self->decision);
    spot_members_settle(&state->members);
    self->decision->reload_ms = state->needs_reload ? self->view->job->reload_ms : 0;
    state->phase = SPOT_OOBLECK_TRAINING;
    state->needs_reload = false;
}

/* How many of the lost instances cause a pause; 1 if there is no loss. */
static int32_t num_losses(const case_t *self)
{
    const spot_recovery_change_t *change = self->change;
    const int32_t num_lost = self->options->fault.idle_losses_pause
                                 ? change->num_gone + change->num_gone_prepping
                                 : change->num_lost_active;

    return num_lost > 0 ? num_lost : 1;
}

static void add_ends(case_t *self, int64_t num_instances, int32_t count)
{
    const int64_t pause_ms = spot_by_instances_pause_ms(
        &self->options->by_n, SPOT_BY_N_PAUSE_MS, num_instances, self->options->regroup_ms);

    for (int32_t j = 0; j < count; j++) {
        self->decision->num_clipped +=
            spot_pause_ends_add(&self->state->ends, self->view->now_ms, pause_ms);
    }
}

/* Starts a pause; at time 0 pipelines form at once. */
static void begin_pause(case_t *self)
{
    const int64_t num_instances = spot_recovery_num_usable(self->view);
    spot_oobleck_state_t *state = self->state;
    const bool goes_on =
        self->options->fault.has_short_pauses && state->phase == SPOT_OOBLECK_PAUSING;

    state->phase = SPOT_OOBLECK_PAUSING;
    if (self->view->now_ms == 0) {
        form(self);
        return;
    }
    if (self->options->fault.has_stale_timers) {
        add_ends(self, num_instances, num_losses(self));
    } else if (!goes_on) {
        state->ends.num_ends = 0;
        add_ends(self, num_instances, 1);
    }
    if (state->trains_on) {
        decide_training(self);
    } else {
        decide_rest(self, num_instances);
    }
}

/* A stale timer ends while no instance waits for it. */
static void stop(case_t *self)
{
    self->state->phase = SPOT_OOBLECK_STOPPED;
    decide_rest(self, self->decision->is_new ? self->decision->num_active : self->view->num_active);
    self->decision->is_same_pipelines = true;
}

static void end_pauses(case_t *self)
{
    spot_oobleck_state_t *state = self->state;
    int64_t pause_ms;

    while (spot_pause_ends_take(&state->ends, self->view->now_ms, &pause_ms)) {
        if (state->phase == SPOT_OOBLECK_PAUSING) {
            form(self);
        } else if (state->phase == SPOT_OOBLECK_TRAINING) {
            stop(self);
        }
    }
}

/* Layers without a holder are read from storage, again if that was under way. */
static void lose(case_t *self)
{
    const spot_recovery_change_t *change = self->change;
    spot_oobleck_state_t *state = self->state;
    const bool has_trained = state->phase == SPOT_OOBLECK_TRAINING || state->trains_on;

    if (state->phase == SPOT_OOBLECK_WAITING) {
        return;
    }
    if (change->num_lost_active == 0 && !self->options->fault.idle_losses_pause) {
        return;
    }
    spot_members_lose(&state->members, change->lost, change->num_lost_active);
    state->needs_reload |=
        !spot_members_hold_all(&state->members) ||
        (state->phase == SPOT_OOBLECK_TRAINING && self->view->now_ms < self->view->training_ms);
    state->trains_on = self->options->fault.trains_in_pause && has_trained &&
                       self->view->num_active > 0 && !state->needs_reload;
    begin_pause(self);
}

void spot_oobleck_decide_with_faults(const spot_oobleck_options_t *self,
    spot_oobleck_state_t *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    case_t current = {self, state, view, change, decision};
    const bool has_loss = change->num_gone + change->num_gone_prepping > 0;

    if (change->kind == SPOT_CHANGE_WAKE) {
        end_pauses(&current);
    } else if (has_loss) {
        lose(&current);
    }
    if (!decision->is_new && change->num_ready > 0 &&
        (state->phase == SPOT_OOBLECK_WAITING || state->phase == SPOT_OOBLECK_STOPPED) &&
        spot_oobleck_can_start(self, spot_recovery_num_usable(view))) {
        begin_pause(&current);
    }
    decision->wake_ms = spot_pause_ends_next_ms(&state->ends);
}
