/* SPDX-License-Identifier: GPL-3.0-or-later */
/* varuna with faults of the simulator published with Oobleck (SOSP'23,
 * tools/simulator/varuna_simulator.py), to reproduce its numbers: options of the system,
 * in whose place it stands. With a fault it pauses until its timer is due and then uses
 * all ready instances; without one the system decides. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "share/published/pause_ends.h"
#include "sim/train/job/train_state.h"
#include "sim/train/recovery/recovery_varuna.h"

/* ---- The event queue ---- */

/* The event queue of that simulator: a binary heap in an array. The order of equal
 * entries, and the place of every entry, are those of CPython's heapq (its documentation
 * gives the invariant, its source the order of the moves), because that simulator reads
 * the array. */

/* Entries sort by time, then by kind: the values matter. */
enum {
    QUEUE_ADDED = SPOT_COMING_ADDED,
    QUEUE_LOST = SPOT_COMING_LOST,
    QUEUE_READY = 4,
    QUEUE_PAUSE_END = 5,
    QUEUE_STEP = 7,
    QUEUE_CHECKPOINT = 8
};

typedef struct {
    size_t num_items;
    size_t max_items;
    spot_coming_t *items; /* [max_items] the heap is the first num_items; not owned */
    int64_t ready_after_ms;
} queue_t;

static bool is_before(const spot_coming_t *left, const spot_coming_t *right)
{
    return left->time_ms < right->time_ms ||
           (left->time_ms == right->time_ms && left->kind < right->kind);
}

/* Moves the item at a place towards start while it is before its parent. */
static void move_up(queue_t *self, size_t start, size_t place)
{
    const spot_coming_t item = self->items[place];

    while (place > start && is_before(&item, &self->items[(place - 1) / 2])) {
        self->items[place] = self->items[(place - 1) / 2];
        place = (place - 1) / 2;
    }
    self->items[place] = item;
}

/* Moves the item at a place down to a leaf, smaller children up, and from there up
 * again. Of equal children the right one moves. */
static void move_down(queue_t *self, size_t start)
{
    const spot_coming_t item = self->items[start];
    size_t place = start, child;

    while ((child = 2 * place + 1) < self->num_items) {
        if (child + 1 < self->num_items &&
            !is_before(&self->items[child], &self->items[child + 1])) {
            child++;
        }
        self->items[place] = self->items[child];
        place = child;
    }
    self->items[place] = item;
    move_up(self, start, place);
}

static void make_heap(queue_t *self)
{
    for (size_t place = self->num_items / 2; place > 0; place--) {
        move_down(self, place - 1);
    }
}

/* Starts with the arrivals and losses of a run, which enter one by one, in their order;
 * orders them in their place. future must outlive self. */
static void queue_start(queue_t *self, const spot_recovery_future_t *future)
{
    *self = (queue_t){.max_items = future->num_coming + SPOT_SPARE_COMINGS,
        .items = future->coming,
        .ready_after_ms = future->ready_after_ms};
    while (self->num_items < future->num_coming) {
        move_up(self, 0, self->num_items++);
    }
}

/* Removes the first item. */
static spot_coming_t pop(queue_t *self)
{
    const spot_coming_t first = self->items[0];

    self->items[0] = self->items[--self->num_items];
    if (self->num_items > 0) {
        move_down(self, 0);
    }
    return first;
}

static void queue_push(queue_t *self, int64_t time_ms, int kind)
{
    spot_bug_assert(self->num_items < self->max_items);
    self->items[self->num_items] = (spot_coming_t){time_ms, kind};
    move_up(self, 0, self->num_items++);
}

/* Removes what is due before an entry, and that entry if it is due; an arrival leaves
 * the end of its preparation. O((removed + 1) log num). */
static void queue_take(queue_t *self, int64_t time_ms, int kind)
{
    const spot_coming_t last = {time_ms, kind};

    while (self->num_items > 0 && is_before(&self->items[0], &last)) {
        const spot_coming_t item = pop(self);

        if (item.kind == QUEUE_ADDED) {
            queue_push(self, item.time_ms + self->ready_after_ms, QUEUE_READY);
        }
    }
    if (self->num_items > 0 && !is_before(&last, &self->items[0])) {
        (void) pop(self);
    }
}

/* Makes a heap of the array again, as that simulator does when a checkpoint ends, and
 * returns whether a loss stands before the first checkpoint in it. O(num). */
static bool queue_has_loss_first(queue_t *self)
{
    make_heap(self);
    for (size_t j = 0; j < self->num_items; j++) {
        if (self->items[j].kind == QUEUE_LOST || self->items[j].kind == QUEUE_CHECKPOINT) {
            return self->items[j].kind == QUEUE_LOST;
        }
    }
    return false;
}

/* ---- Options and state ---- */

typedef struct {
    spot_varuna_options_t varuna;
    struct { /* all 0 for none */
        int has_steps_in_pause;
        int has_one_counter;
        int has_failing_checkpoints;
        int has_deep_failures; /* with failing checkpoints */
        int has_old_pauses;
        int has_stale_timers;
        int idle_losses_pause;
        int64_t first_restart_ms;
    } fault;
    bool has_fault;
} options_t;

typedef enum {
    STOPPED, /* until an instance is lost or ready */
    PAUSING, /* until a timer is due */
    TRAINING
} phase_t;

/* The state with a fault. A time of 0: nothing is ahead. */
typedef struct {
    phase_t phase;
    const spot_instance_row_t *row; /* of the latest pipelines; NULL: none so far */
    int64_t step_ms;                /* of their steps */
    int64_t step_end_ms;            /* in a pause too if steps go on */
    int64_t stall_end_ms;           /* of the latest checkpoint */
    int64_t durable_ms;             /* the same, if it is durable only then */
    int64_t num_steps;              /* executed */
    int64_t count;                  /* of steps, by which checkpoints are due */
    int64_t saved_count;            /* at the latest checkpoint */
    bool is_due;                    /* a checkpoint follows the next step */
    bool is_rest;                   /* the step under way is the rest of one at a loss */
    uint32_t recent;                /* bit j: the step that ended j steps ago counts; the ten
                                       latest */
    int32_t num_unsaved;            /* of them since the latest checkpoint, 0 ... 10 */
    int32_t num_doubtful;           /* durable steps that the next loss takes back */
    int32_t num_early;              /* entries made before their steps by a deep failure */
    int32_t num_owed;               /* steps to come that are lost */
    int32_t num_taken_back;         /* by the decision: durable steps that are lost too */
    queue_t queue;                  /* with failing checkpoints */
    spot_pause_ends_t ends;
    spot_pause_end_t end_memory[]; /* as spot_pause_ends_bytes() says */
} state_t;

/* The arguments of one decision. */
typedef struct {
    const options_t *options;
    state_t *state;
    const spot_recovery_view_t *view;
    const spot_recovery_change_t *change;
    spot_recovery_decision_t *decision;
} case_t;

/* ---- Which checkpoints fail ---- */

static void take(const case_t *self, int kind)
{
    if (self->options->fault.has_failing_checkpoints) {
        queue_take(&self->state->queue, self->view->now_ms, kind);
    }
}

static void push(const case_t *self, int64_t time_ms, int kind)
{
    if (self->options->fault.has_failing_checkpoints) {
        queue_push(&self->state->queue, time_ms, kind);
    }
}

/* ---- Pauses ---- */

/* In the published program what happens in one instant has an order: losses, instances
 * that are ready, ends of pauses, ends of steps. */
static bool has_published_order(const options_t *self)
{
    return self->fault.has_failing_checkpoints && self->fault.has_stale_timers &&
           self->fault.has_one_counter && self->fault.has_steps_in_pause;
}

/* A step that would end with a pause does not: the pause comes first and drops it. For the
 * engine, whose steps end first, it is longer. */
static int64_t step_for_engine(const case_t *self, int64_t step_ms)
{
    const state_t *state = self->state;
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
    spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true);
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
    const spot_varuna_shape_t *shape = &self->options->varuna.shapes[num_usable];
    state_t *state = self->state;

    rest(self, 0, SPOT_WORK_STEPS_KEPT);
    state->phase = STOPPED;
    if (num_usable < view->job->pipeline_depth || shape->num_pipelines == 0) {
        spot_decision_note(self->decision, SPOT_NOTE_STEP_UNKNOWN, shape->lacks_step_time);
        return;
    }
    spot_varuna_decide_shape(&self->options->varuna, view, self->decision);
    spot_decision_note(self->decision, SPOT_NOTE_SAME_PIPELINES, view->now_ms == 0);
    self->decision->checkpoint = &no_checkpoints;
    self->decision->reconfiguration_ms = 0;
    state->phase = TRAINING;
    state->row = shape->row;
    state->step_ms = shape->step_ms;
    state->step_end_ms = view->now_ms + shape->step_ms;
    state->is_rest = false;
    self->decision->step_ms = step_for_engine(self, shape->step_ms);
    push(self, state->step_end_ms, QUEUE_STEP);
}

/* The time from a loss or start to new pipelines. */
static int64_t pause_ms(const case_t *self)
{
    const options_t *options = self->options;
    const int64_t first_ms = options->fault.first_restart_ms;
    const spot_instance_row_t *row = spot_instance_table_nearest(
        &options->varuna.by_n.table, spot_recovery_num_usable(self->view));

    if (self->state->row == NULL && first_ms > 0) {
        return first_ms - row->values[SPOT_BY_N_CHECKPOINT_MS];
    }
    if (self->state->row != NULL && options->fault.has_old_pauses) {
        row = self->state->row;
    }
    return spot_varuna_restart_ms(&options->varuna, row);
}

/* Starts a pause for each of count causes of one kind. A pause in which steps go on ends
 * them when it forms pipelines. At time 0 pipelines form at once. */
static void begin_pause(case_t *self, int32_t count, int kind)
{
    state_t *state = self->state;
    const int64_t now_ms = self->view->now_ms, length_ms = pause_ms(self);

    if (now_ms == 0) {
        form(self);
        return;
    }
    state->phase = PAUSING;
    if (!self->options->fault.has_stale_timers) {
        state->ends.num_ends = 0;
        count = 1;
    }
    for (int32_t j = 0; j < count; j++) {
        self->decision->num_clipped += spot_pause_ends_add(&state->ends, now_ms, length_ms);
        take(self, kind);
        push(self, now_ms + length_ms, QUEUE_PAUSE_END);
    }
}

/* Ends the pauses that are due; a stale one stops the job. */
static void end_pauses(case_t *self)
{
    state_t *state = self->state;
    int64_t length_ms;

    while (spot_pause_ends_take(&state->ends, self->view->now_ms, &length_ms)) {
        take(self, QUEUE_PAUSE_END);
        if (state->phase == PAUSING) {
            form(self);
        } else if (state->phase == TRAINING) {
            rest(self, self->decision->is_new ? self->decision->num_active : self->view->num_active,
                SPOT_WORK_STEPS_KEPT);
            state->phase = STOPPED;
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
static void lose_steps(state_t *state)
{
    state->recent &= ~((1U << state->num_unsaved) - 1);
    state->num_unsaved = 0;
}

static void save_steps(state_t *state)
{
    state->num_unsaved = 0;
    state->num_doubtful = 0;
    state->saved_count = state->count;
}

/* Takes the latest ten entries back, of which the last num_early are of steps to come.
 * Steps that are older and not durable stay until the next loss. */
static void take_back(case_t *self)
{
    state_t *state = self->state;
    const uint32_t window = DEEP_MASK >> state->num_early;

    if (state->num_unsaved > DEEP_STEPS - state->num_early) {
        const uint32_t unsaved = (1U << state->num_unsaved) - 1;

        self->decision->work = SPOT_WORK_STEPS_SAVED;
        state->num_doubtful += num_kept(state->recent & unsaved & ~window);
        state->num_unsaved = 0;
    } else {
        lose_steps(state);
    }
    state->num_taken_back = num_kept(state->recent & window);
    state->recent &= ~window;
    state->num_owed = state->num_early;
}

/* Fails a checkpoint. A deep failure takes the latest ten entries of a list of steps
 * back; a shorter list grows to ten, so that steps to come have their entries already
 * and as many are lost. */
static void fail(case_t *self)
{
    state_t *state = self->state;
    const int64_t num_entries = state->num_steps + state->num_early;

    self->decision->work = SPOT_WORK_ROLLED_BACK;
    spot_decision_note(self->decision, SPOT_NOTE_CHECKPOINT_FAILED, true);
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
    state_t *state = self->state;
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
    push(self, now_ms + 2 * write_ms, QUEUE_CHECKPOINT);
    if (queue_has_loss_first(&state->queue)) {
        fail(self);
    } else {
        decision->work = SPOT_WORK_STEPS_SAVED;
        save_steps(state);
    }
}

static void end_step(case_t *self)
{
    state_t *state = self->state;
    const bool is_lost = state->num_owed > 0;
    const bool was_rest = state->is_rest;

    take(self, QUEUE_STEP);
    state->num_owed -= is_lost;
    state->num_steps++;
    state->count++;
    state->recent = (state->recent << 1 | !is_lost) & DEEP_MASK;
    state->num_unsaved += state->num_unsaved < DEEP_STEPS;
    state->step_end_ms = self->view->now_ms + state->step_ms;
    state->is_rest = false;
    if (state->is_due || state->count % self->options->varuna.every_steps == 0) {
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
    push(self, state->step_end_ms, QUEUE_STEP);
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
    state_t *state = self->state;
    const bool trains_on = self->options->fault.has_steps_in_pause && state->step_end_ms > 0 &&
                           spot_recovery_num_usable(self->view) > 0;

    lose_steps(state);
    state->num_taken_back = state->num_doubtful;
    state->num_doubtful = 0;
    state->durable_ms = 0;
    if (self->options->fault.has_one_counter) {
        state->is_due = true;
    } else {
        state->count = state->saved_count;
    }
    begin_pause(self, num_losses(self), QUEUE_LOST);
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
    state_t *state = self->state;
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
    self->state->num_taken_back = 0;
    end_step(self);
    if (self->decision->work == SPOT_WORK_STEPS_SAVED) {
        self->state->num_taken_back += num_lost;
    }
    self->state->num_taken_back += num_doubtful;
}

/* Losses and arrivals, then what else is due in this instant where the order is that of
 * the event queue: a pause that ends forms pipelines of the instances that are left. */
static void see_membership(case_t *self)
{
    state_t *state = self->state;
    const int64_t now_ms = self->view->now_ms;
    const int32_t num_doubtful = state->num_doubtful;
    const int32_t num_unsaved = num_kept(state->recent & ((1U << state->num_unsaved) - 1));
    const bool is_loss = num_losses(self) > 0;

    if (is_loss) {
        lose(self);
    }
    if (self->change->num_ready > 0 && state->phase == STOPPED) {
        begin_pause(self, 1, QUEUE_READY);
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

/* ---- The system ---- */

/* The simulator with these faults has a table by n. */
static void check_faults(const options_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (self->varuna.by_n.path == NULL) {
        spot_bind_error(
            bind, node, "recovery.table", "the faults of the published simulator need a table");
    }
    if (self->varuna.copy_ms > 0 || self->varuna.poll_ms > 0) {
        spot_bind_error(bind, node, "recovery",
            "copy and poll cannot go with the faults of the published simulator");
    }
    if (self->fault.has_deep_failures && !self->fault.has_failing_checkpoints) {
        spot_bind_error(bind, node, "recovery",
            "fault_deep_failures needs fault_failing_checkpoints: yes, without which "
            "none fails");
    }
}

static int varuna_settle(void *options, spot_terms_t *terms)
{
    options_t *self = options;
    const int ret = spot_recovery_varuna.settle(&self->varuna, terms);

    self->has_fault = terms->has_fault;
    terms->traits.knows_future = self->fault.has_failing_checkpoints; /* by the event queue */
    if (self->has_fault) {
        check_faults(self, terms->bind, terms->node);
    }
    return ret;
}

static bool varuna_uses(const void *options, const char *figure)
{
    const options_t *self = options;

    return self->has_fault && strcmp(figure, "notice") == 0
               ? false
               : spot_recovery_varuna.uses(&self->varuna, figure);
}

static size_t varuna_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    return ((const options_t *) options)->has_fault
               ? sizeof(state_t) + spot_pause_ends_bytes(capacity)
               : spot_recovery_varuna.state_size(options, job, capacity);
}

static void varuna_start(const void *options, void *memory, const spot_recovery_start_t *run)
{
    const options_t *self = options;
    state_t *state = memory;

    if (self->has_fault) {
        spot_pause_ends_start(&state->ends, state->end_memory, run->capacity);
    }
    if (self->fault.has_failing_checkpoints) {
        queue_start(&state->queue, run->future);
    }
}

static void varuna_decide(const void *options, void *memory, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    state_t *state = memory;
    case_t current = {self, state, view, change, decision};

    if (!self->has_fault) {
        spot_recovery_varuna.decide(&self->varuna, memory, view, change, decision);
        return;
    }
    state->num_taken_back = 0;
    if (change->kind == SPOT_CHANGE_WAKE) {
        wake(&current);
    } else {
        see_membership(&current);
    }
    decision->wake_ms = sooner(
        sooner(state->step_end_ms, spot_pause_ends_next_ms(&state->ends)), state->durable_ms);
    decision->wakes = has_published_order(self) ? SPOT_WAKE_LAST : SPOT_WAKE_FIRST;
}

/* Loses the durable steps that are taken back, each with the mean useful time of all durable steps.
 */
static void varuna_amend(const void *options, void *memory, struct spot_train_result *result)
{
    const options_t *self = options;
    const int64_t num_steps = self->has_fault ? ((const state_t *) memory)->num_taken_back : 0;
    int64_t *instance_ms = result->ledger.instance_ms;
    const int64_t num_durable = result->steps_durable;
    int64_t taken_ms;

    if (num_steps == 0) {
        return;
    }
    spot_bug_assert(num_steps <= num_durable);
    taken_ms = instance_ms[SPOT_SHARE_USEFUL] / num_durable * num_steps;
    instance_ms[SPOT_SHARE_USEFUL] -= taken_ms;
    instance_ms[SPOT_SHARE_LOST] += taken_ms;
    result->lost_ms += (result->job_ms[SPOT_JOB_TRAINING] - result->stalled_ms - result->lost_ms) /
                       num_durable * num_steps;
    result->steps_durable -= num_steps;
    result->steps_lost += num_steps;
}

static const spot_field_t varuna_options[] = {
    SPOT_VARUNA_FIELDS,
    {SPOT_CHOICE("fault_steps_in_pause", options_t, fault.has_steps_in_pause, spot_no_yes, "no",
        "yes, as the Oobleck artifact (SOSP'23) has it: after a loss steps go on, and "
        "count, until the pause has ended")},
    {SPOT_CHOICE("fault_one_counter", options_t, fault.has_one_counter, spot_no_yes, "no",
        "yes, as there: the counter by which checkpoints are due is not rolled back, "
        "and the first step after a loss has one too")},
    {SPOT_CHOICE("fault_failing_checkpoints", options_t, fault.has_failing_checkpoints, spot_no_yes,
        "no",
        "yes, as there: events to come are in a binary heap, ordered by time, at one "
        "time by kind (added, lost, ready, end of a pause, end of a step, end of a "
        "checkpoint), in an array with the moves of CPython's heapq. It starts with "
        "each addition and loss of the trace. With the faults steps_in_pause, one_counter "
        "and stale_timers what is due in one instant has that order; without them the end "
        "of a pause or step comes first. A checkpoint enters it with twice the "
        "time of its write, and fails if a loss then stands before the first checkpoint "
        "in the array; else it is durable at once")},
    {SPOT_CHOICE("fault_deep_failures", options_t, fault.has_deep_failures, spot_no_yes, "no",
        "yes, as there: a checkpoint that fails takes the ten latest steps back, "
        "durable ones too; of fewer steps, what is missing to ten is taken from those "
        "to come")},
    {SPOT_CHOICE("fault_old_pauses", options_t, fault.has_old_pauses, spot_no_yes, "no",
        "yes, as there: a restart takes what the table says of the number of instances "
        "before the loss")},
    {SPOT_CHOICE("fault_stale_timers", options_t, fault.has_stale_timers, spot_no_yes, "no",
        "yes, as there: each lost instance starts a pause of its own; the first one "
        "that is over forms pipelines, and the next one stops the job until an instance "
        "is lost or ready")},
    {SPOT_CHOICE("fault_idle_losses_pause", options_t, fault.idle_losses_pause, spot_no_yes, "no",
        "yes, as there: the loss of an instance on standby or in preparation is a loss "
        "like others")},
    {SPOT_RANGE(DURATION, "fault_first_restart", options_t, fault.first_restart_ms, 0, HUGE_VAL,
        "0 s",
        "time of the very first restart, a checkpoint included, instead of the table's: "
        "76 s there for BERT-large, whose table does not have it; 0 s: the table's")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

static const spot_recovery_fault_t varuna_faults[] = {
    {"fault_steps_in_pause", "steps end in a pause"},
    {"fault_one_counter", "lost steps make checkpoints due"},
    {"fault_failing_checkpoints", "losses to come make some fail"},
    {"fault_deep_failures", "durable steps are taken back"},
    {"fault_old_pauses", "a pause is that of before"},
    {"fault_stale_timers", "a pause that is over stops the job"},
    {"fault_idle_losses_pause", "losses of idle instances pause the job"},
    {"fault_first_restart", "another time than the table's"},
    {NULL, NULL},
};

const spot_recovery_t spot_published_varuna = {
    SPOT_VARUNA_TABLE,
    .options = varuna_options,
    .options_size = sizeof(options_t),
    .settle = varuna_settle,
    .uses = varuna_uses,
    .faults = varuna_faults,
    .state_size = varuna_state_size,
    .start = varuna_start,
    .decide = varuna_decide,
    .amend = varuna_amend,
};
