/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varuna with faults of the simulator published with Oobleck (SOSP'23,
 * tools/simulator/varuna_simulator.py), to reproduce its numbers. It pauses until its
 * timer is due and then uses all ready instances. */
#include "sim/train/recovery/varuna/varuna.h"

/* The arguments of one decision. */
typedef struct {
    const spot_varuna_options_t *options;
    spot_varuna_faults_t *state;
    const spot_recovery_view_t *view;
    const spot_recovery_change_t *change;
    spot_recovery_decision_t *decision;
} case_t;

void spot_varuna_start_faults(const spot_varuna_options_t *self, spot_varuna_faults_t *state,
    const spot_recovery_start_t *run)
{
    spot_pause_ends_start(&state->ends, state->end_memory, run->capacity);
    if (self->fault.has_failing_checkpoints) {
        spot_queue_start(&state->queue, run->future);
    }
}

/* ---- The event queue, which decides which checkpoints fail ---- */

static void take(const case_t *self, int kind)
{
    if (self->options->fault.has_failing_checkpoints) {
        spot_queue_take(&self->state->queue, self->view->now_ms, kind);
    }
}

static void push(const case_t *self, int64_t time_ms, int kind)
{
    if (self->options->fault.has_failing_checkpoints) {
        spot_queue_push(&self->state->queue, time_ms, kind);
    }
}

/* ---- Pauses ---- */

/* In the published program what happens in one instant has an order: losses, instances
 * that are ready, ends of pauses, ends of steps. */
static bool has_published_order(const spot_varuna_options_t *self)
{
    return self->fault.has_failing_checkpoints && self->fault.has_stale_timers &&
           self->fault.has_one_counter && self->fault.has_steps_in_pause;
}

/* A step that would end with a pause does not: the pause comes first and drops it. For the
 * engine, whose steps end first, it is longer. */
static int64_t step_for_engine(const case_t *self, int64_t step_ms)
{
    const spot_varuna_faults_t *state = self->state;
    const bool is_dropped = has_published_order(self->options) &&
                            spot_pause_ends_next_ms(&state->ends) == state->step_end_ms;

    return is_dropped ? step_ms + 1 : step_ms;
}

/* Switches off the checkpoints of the job's own cycle: they are decided one by one. */
static const spot_checkpoint_t no_checkpoints = {
    .mode = SPOT_CHECKPOINT_SYNC, .every_kind = SPOT_EVERY_STEPS, .every_steps = SPOT_MAX_STEPS};

/* A decision for the present pipelines, which pause with num_pipelines 0. */
static void decide_same(case_t *self, int32_t num_pipelines, int64_t num_active, spot_work_t work)
{
    spot_recovery_decision_t *decision = self->decision;

    decision->is_new = true;
    decision->is_same_pipelines = true;
    decision->work = work;
    decision->num_pipelines = num_pipelines;
    decision->num_active = (int32_t) num_active;
    decision->checkpoint = &no_checkpoints;
}

/* Steps go on with the instances that are left, or with one that was idle. */
static int64_t num_training(const case_t *self)
{
    return self->view->num_active > 0 ? self->view->num_active : 1;
}

/* Stops training until the next decision. */
static void rest(case_t *self, int64_t num_active, spot_work_t work)
{
    decide_same(self, 0, num_active, work);
    self->state->step_end_ms = 0;
    self->state->stall_end_ms = 0;
    self->state->durable_ms = 0;
}

/* The step under way goes on, as a step of its remaining time, after what is left of the
 * stall. */
static void train_on(case_t *self, spot_work_t work)
{
    const spot_recovery_view_t *view = self->view;
    const int64_t start_ms =
        self->state->stall_end_ms > view->now_ms ? self->state->stall_end_ms : view->now_ms;

    decide_same(self, 1, num_training(self), work);
    self->decision->reconfiguration_ms = start_ms - view->now_ms;
    self->decision->step_ms = step_for_engine(self, self->state->step_end_ms - start_ms);
    self->state->is_rest = true;
}

/* All ready instances form pipelines, if there are enough for one. */
static void form(case_t *self)
{
    const spot_recovery_view_t *view = self->view;
    const int64_t num_usable = spot_recovery_num_usable(view);
    const spot_varuna_shape_t *shape = &self->options->shapes[num_usable];
    spot_varuna_faults_t *state = self->state;

    rest(self, 0, SPOT_WORK_STEPS_KEPT);
    state->phase = SPOT_VARUNA_STOPPED;
    if (num_usable < view->job->pipeline_depth || shape->num_pipelines == 0) {
        self->decision->lacks_step_time = shape->lacks_step_time;
        return;
    }
    spot_varuna_decide_shape(self->options, view, self->decision);
    self->decision->is_same_pipelines = view->now_ms == 0;
    self->decision->checkpoint = &no_checkpoints;
    self->decision->reconfiguration_ms = 0;
    state->phase = SPOT_VARUNA_TRAINING;
    state->row = shape->row;
    state->step_ms = shape->step_ms;
    state->step_end_ms = view->now_ms + shape->step_ms;
    state->is_rest = false;
    self->decision->step_ms = step_for_engine(self, shape->step_ms);
    push(self, state->step_end_ms, SPOT_QUEUE_STEP);
}

/* The time from a loss or start to new pipelines. */
static int64_t pause_ms(const case_t *self)
{
    const spot_varuna_options_t *options = self->options;
    const int64_t first_ms = options->fault.first_restart_ms;
    const spot_instance_row_t *row =
        spot_instance_table_nearest(&options->by_n.table, spot_recovery_num_usable(self->view));

    if (self->state->row == NULL && first_ms > 0) {
        return first_ms - row->values[SPOT_BY_N_CHECKPOINT_MS];
    }
    if (self->state->row != NULL && options->fault.has_old_pauses) {
        row = self->state->row;
    }
    return spot_varuna_restart_ms(options, row);
}

/* Starts a pause for each of count causes of one kind. A pause in which steps go on ends
 * them when it forms pipelines. At time 0 pipelines form at once. */
static void begin_pause(case_t *self, int32_t count, int kind)
{
    spot_varuna_faults_t *state = self->state;
    const int64_t now_ms = self->view->now_ms, length_ms = pause_ms(self);

    if (now_ms == 0) {
        form(self);
        return;
    }
    state->phase = SPOT_VARUNA_PAUSING;
    if (!self->options->fault.has_stale_timers) {
        state->ends.num_ends = 0;
        count = 1;
    }
    for (int32_t j = 0; j < count; j++) {
        self->decision->num_clipped += spot_pause_ends_add(&state->ends, now_ms, length_ms);
        take(self, kind);
        push(self, now_ms + length_ms, SPOT_QUEUE_PAUSE_END);
    }
}

/* Ends the pauses that are due; a stale one stops the job. */
static void end_pauses(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    int64_t length_ms;

    while (spot_pause_ends_take(&state->ends, self->view->now_ms, &length_ms)) {
        take(self, SPOT_QUEUE_PAUSE_END);
        if (state->phase == SPOT_VARUNA_PAUSING) {
            form(self);
        } else if (state->phase == SPOT_VARUNA_TRAINING) {
            rest(self, self->decision->is_new ? self->decision->num_active : self->view->num_active,
                SPOT_WORK_STEPS_KEPT);
            state->phase = SPOT_VARUNA_STOPPED;
        }
    }
}

/* ---- Steps and checkpoints ---- */

/* Steps that a failing checkpoint takes back. */
#define DEEP_STEPS 10
#define DEEP_MASK ((1U << DEEP_STEPS) - 1)

static int32_t num_kept(uint32_t recent)
{
    int32_t num = 0;

    for (; recent != 0; recent >>= 1) {
        num += (int32_t) (recent & 1);
    }
    return num;
}

/* Loses the steps since the latest checkpoint. */
static void lose_steps(spot_varuna_faults_t *state)
{
    state->recent &= ~((1U << state->num_unsaved) - 1);
    state->num_unsaved = 0;
}

static void save_steps(spot_varuna_faults_t *state)
{
    state->num_unsaved = 0;
    state->num_doubtful = 0;
    state->saved_count = state->count;
}

/* Takes the latest ten entries back, of which the last num_early are of steps to come.
 * Steps that are older and not durable stay until the next loss. */
static void take_back(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    const uint32_t window = DEEP_MASK >> state->num_early;

    if (state->num_unsaved > DEEP_STEPS - state->num_early) {
        const uint32_t unsaved = (1U << state->num_unsaved) - 1;

        self->decision->work = SPOT_WORK_STEPS_SAVED;
        state->num_doubtful += num_kept(state->recent & unsaved & ~window);
        state->num_unsaved = 0;
    } else {
        lose_steps(state);
    }
    self->decision->num_taken_back = (uint16_t) num_kept(state->recent & window);
    state->recent &= ~window;
    state->num_owed = state->num_early;
}

/* Fails a checkpoint. A deep failure takes the latest ten entries of a list of steps
 * back; a shorter list grows to ten, so that steps to come have their entries already
 * and as many are lost. */
static void fail(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    const int64_t num_entries = state->num_steps + state->num_early;

    self->decision->work = SPOT_WORK_ROLLED_BACK;
    self->decision->aborts_checkpoint = true;
    if (!self->options->fault.has_one_counter) {
        state->count = state->saved_count;
    } else {
        state->count = state->count > DEEP_STEPS ? state->count - DEEP_STEPS : 0;
    }
    if (self->options->fault.has_deep_failures) {
        if (num_entries < DEEP_STEPS) {
            state->num_early += (int32_t) (DEEP_STEPS - num_entries);
        }
        take_back(self);
    }
    lose_steps(state);
}

/* A checkpoint stalls the job. With failing ones its fate is known at once. */
static void write_checkpoint(case_t *self)
{
    const int64_t now_ms = self->view->now_ms;
    const int64_t write_ms = self->state->row->values[SPOT_BY_N_CHECKPOINT_MS];
    spot_varuna_faults_t *state = self->state;
    spot_recovery_decision_t *decision = self->decision;

    state->is_due = false;
    state->stall_end_ms = now_ms + write_ms;
    state->step_end_ms += write_ms;
    if (!self->options->fault.has_failing_checkpoints) {
        decision->flush_ms = write_ms;
        state->durable_ms = state->stall_end_ms;
        return;
    }
    decision->reconfiguration_ms = write_ms;
    push(self, now_ms + 2 * write_ms, SPOT_QUEUE_CHECKPOINT);
    if (spot_queue_has_loss_first(&state->queue)) {
        fail(self);
    } else {
        decision->work = SPOT_WORK_STEPS_SAVED;
        save_steps(state);
    }
}

static void end_step(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    const bool is_lost = state->num_owed > 0;
    const bool was_rest = state->is_rest;

    take(self, SPOT_QUEUE_STEP);
    state->num_owed -= is_lost;
    state->num_steps++;
    state->count++;
    state->recent = (state->recent << 1 | !is_lost) & DEEP_MASK;
    state->num_unsaved += state->num_unsaved < DEEP_STEPS;
    state->step_end_ms = self->view->now_ms + state->step_ms;
    state->is_rest = false;
    if (state->is_due || state->count % self->options->every_steps == 0) {
        decide_same(self, 1, num_training(self), SPOT_WORK_STEPS_KEPT);
        write_checkpoint(self);
    } else if (was_rest || is_lost || step_for_engine(self, state->step_ms) != state->step_ms) {
        decide_same(self, 1, self->view->num_active, SPOT_WORK_STEPS_KEPT);
    }
    if (self->decision->is_new) {
        self->decision->step_ms = step_for_engine(self, state->step_ms);
    }
    if (is_lost) { /* no other step is pending: it follows a failure */
        self->decision->work = SPOT_WORK_ROLLED_BACK;
    }
    push(self, state->step_end_ms, SPOT_QUEUE_STEP);
}

/* ---- Losses and arrivals ---- */

static int32_t num_losses(const case_t *self)
{
    const spot_recovery_change_t *change = self->change;

    return self->options->fault.idle_losses_pause ? change->num_gone + change->num_gone_prepping
                                                  : change->num_lost_active;
}

/* Steps that are not durable are lost. */
static void lose(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    const bool trains_on = self->options->fault.has_steps_in_pause && state->step_end_ms > 0 &&
                           spot_recovery_num_usable(self->view) > 0;

    lose_steps(state);
    self->decision->num_taken_back = (uint16_t) state->num_doubtful;
    state->num_doubtful = 0;
    state->durable_ms = 0;
    if (self->options->fault.has_one_counter) {
        state->is_due = true;
    } else {
        state->count = state->saved_count;
    }
    begin_pause(self, num_losses(self), SPOT_QUEUE_LOST);
    if (trains_on) {
        train_on(self, SPOT_WORK_ROLLED_BACK);
    } else if (self->view->now_ms > 0) {
        rest(self, spot_recovery_num_usable(self->view), SPOT_WORK_ROLLED_BACK);
    }
}

static int64_t sooner(int64_t a_ms, int64_t b_ms)
{
    return b_ms > 0 && (a_ms == 0 || b_ms < a_ms) ? b_ms : a_ms;
}

static void wake(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    const int64_t now_ms = self->view->now_ms;

    if (state->durable_ms == now_ms) {
        state->durable_ms = 0;
        save_steps(state);
    }
    if (spot_pause_ends_next_ms(&state->ends) == now_ms) {
        end_pauses(self);
    } else if (state->step_end_ms == now_ms) {
        end_step(self);
    }
}

/* The end of a step in the instant of a loss, which has taken num_lost steps back. Those
 * are not rolled back yet, and the engine knows no order of steps: the one that ends, and
 * whose checkpoint is durable, is saved with them, and as many are taken back. */
static void end_step_behind_loss(case_t *self, int32_t num_lost, int32_t num_doubtful)
{
    self->decision->num_taken_back = 0;
    end_step(self);
    if (self->decision->work == SPOT_WORK_STEPS_SAVED) {
        self->decision->num_taken_back = (uint16_t) (self->decision->num_taken_back + num_lost);
    }
    self->decision->num_taken_back = (uint16_t) (self->decision->num_taken_back + num_doubtful);
}

/* Losses and arrivals, then what else is due in this instant where the order is that of
 * the event queue: a pause that ends forms pipelines of the instances that are left. */
static void see_membership(case_t *self)
{
    spot_varuna_faults_t *state = self->state;
    const int64_t now_ms = self->view->now_ms;
    const int32_t num_doubtful = state->num_doubtful;
    const int32_t num_unsaved = num_kept(state->recent & ((1U << state->num_unsaved) - 1));
    const bool is_loss = num_losses(self) > 0;

    if (is_loss) {
        lose(self);
    }
    if (self->change->num_ready > 0 && state->phase == SPOT_VARUNA_STOPPED) {
        begin_pause(self, 1, SPOT_QUEUE_READY);
        if (now_ms > 0) {
            rest(self, spot_recovery_num_usable(self->view),
                is_loss ? SPOT_WORK_ROLLED_BACK : SPOT_WORK_STEPS_KEPT);
        }
    }
    if (now_ms > 0 && spot_pause_ends_next_ms(&state->ends) == now_ms) {
        end_pauses(self);
        self->decision->work = is_loss ? SPOT_WORK_ROLLED_BACK : self->decision->work;
    } else if (now_ms > 0 && state->step_end_ms == now_ms && is_loss) {
        end_step_behind_loss(self, num_unsaved, num_doubtful);
    } else if (now_ms > 0 && state->step_end_ms == now_ms) {
        end_step(self);
    }
}

void spot_varuna_decide_with_faults(const spot_varuna_options_t *self, spot_varuna_faults_t *state,
    const spot_recovery_view_t *view, const spot_recovery_change_t *change,
    spot_recovery_decision_t *decision)
{
    case_t current = {self, state, view, change, decision};

    if (change->kind == SPOT_CHANGE_WAKE) {
        wake(&current);
    } else {
        see_membership(&current);
    }
    decision->wake_ms = sooner(
        sooner(state->step_end_ms, spot_pause_ends_next_ms(&state->ends)), state->durable_ms);
    decision->wakes_last = has_published_order(self);
}
