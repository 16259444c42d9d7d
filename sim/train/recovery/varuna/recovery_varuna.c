/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints that stall the job every few steps, and pipelines of another shape after
 * each change (job morphing): of the depths that divide the model's cut-points the one
 * with the shortest step. A loss rolls back. Additions wait for a poll and, if they
 * change the pipelines, for a checkpoint, so that no ended step is lost. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/train/recovery/varuna/varuna.h"

#define PUBLISHED_DETECTION_MS (60 * SPOT_MS_PER_S)
#define PUBLISHED_EVERY_STEPS 10

/* ---- Pauses and checkpoints ---- */

static const spot_checkpoint_t *checkpoint_of(
    const spot_varuna_options_t *self, const spot_varuna_shape_t *shape)
{
    return shape->row == NULL ? self->checkpoints
                              : &self->checkpoints[shape->row - self->by_n.table.rows];
}

int64_t spot_varuna_restart_ms(const spot_varuna_options_t *self, const spot_instance_row_t *row)
{
    return self->by_n.table.has[SPOT_BY_N_RESTART_TOTAL_MS]
               ? row->values[SPOT_BY_N_RESTART_TOTAL_MS] - row->values[SPOT_BY_N_CHECKPOINT_MS]
               : row->values[SPOT_BY_N_PAUSE_MS];
}

/* The job's checkpoint with another write time; with every or copy one that stalls for
 * the write and is then copied in the background; without a copy it is durable after the
 * write. */
static spot_checkpoint_t checkpoint_with(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t write_ms)
{
    const bool is_copied = self->copy_ms > 0;
    spot_checkpoint_t checkpoint = job->checkpoint;

    checkpoint.write_ms = write_ms;
    if (self->every_steps == 0) {
        return checkpoint;
    }
    return (spot_checkpoint_t){
        .mode = is_copied ? SPOT_CHECKPOINT_ASYNC : SPOT_CHECKPOINT_SYNC,
        .every_kind = SPOT_EVERY_STEPS,
        .every_steps = self->every_steps,
        .write_ms = is_copied ? self->copy_ms : write_ms,
        .snapshot_ms = is_copied ? write_ms : 0,
        .busy = SPOT_BUSY_WAIT,
    };
}

/* ---- Settling ---- */

/* Checks the columns of the table. */
static void check_table(
    const spot_varuna_options_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const bool *has = self->by_n.table.has;
    const spot_node_t *detection = spot_node_get(node, "detection");

    if (!has[SPOT_BY_N_CHECKPOINT_MS] ||
        !(has[SPOT_BY_N_RESTART_TOTAL_MS] || has[SPOT_BY_N_PAUSE_MS])) {
        spot_bind_error(bind, spot_node_place(node, "table"), "recovery.table",
            "%s needs the columns checkpoint_ms and restart_total_ms or pause_ms", self->by_n.path);
    }
    if (detection != NULL) {
        spot_diag_warn(bind->diag, detection->file, detection->line, detection->column,
            "recovery.detection has no effect: the restarts of the table hold it");
    }
}

/* The simulator with these faults has a table by n. */
static void check_faults(
    const spot_varuna_options_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    if (self->by_n.path == NULL) {
        spot_bind_error(
            bind, node, "recovery.table", "the faults of the published simulator need a table");
    }
    if (self->copy_ms > 0 || self->poll_ms > 0) {
        spot_bind_error(bind, node, "recovery",
            "copy and poll cannot go with the faults of the published simulator");
    }
    if (self->fault.has_deep_failures && !self->fault.has_failing_checkpoints) {
        spot_bind_error(bind, node, "recovery",
            "fault_deep_failures needs fault_failing_checkpoints: yes, without which "
            "none fails");
    }
}

/* The default of cut_points: the layers that job.step_time gives. */
static void settle_cut_points(
    spot_varuna_options_t *self, spot_bind_t *bind, const spot_node_t *node, const spot_job_t *job)
{
    if (self->num_cut_points == 0) {
        self->num_cut_points = job->step_time.grid.num_layers;
    }
    if (self->num_cut_points == 0 && spot_step_time_is_by_pair(&job->step_time) &&
        job->step_time.table_path != NULL && /* else it could not be read */
        !spot_by_instances_is_given(&self->by_n)) {
        spot_bind_error(bind, node, "recovery.cut_points",
            "%s does not have the layers of the model: give the number of points at "
            "which it can be cut",
            job->step_time.table_path);
    }
}

static int fill(spot_varuna_options_t *self, const spot_job_t *job)
{
    const spot_instance_table_t *table = &self->by_n.table;
    const size_t num_checkpoints = table->num_rows > 0 ? table->num_rows : 1;

    self->shapes = spot_calloc((size_t) self->capacity + 1, sizeof(*self->shapes));
    self->checkpoints = spot_calloc(num_checkpoints, sizeof(*self->checkpoints));
    if (self->shapes == NULL || self->checkpoints == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int64_t n = 0; n <= self->capacity; n++) {
        self->shapes[n] = spot_varuna_best_shape(self, job, n);
    }
    self->checkpoints[0] = checkpoint_with(self, job, job->checkpoint.write_ms);
    for (size_t j = 0; j < table->num_rows; j++) {
        self->checkpoints[j] =
            checkpoint_with(self, job, table->rows[j].values[SPOT_BY_N_CHECKPOINT_MS]);
    }
    return 0;
}

/* Figures that are not given: the checkpoints of the job, or those of the published
 * program. */
static void settle_terms(spot_varuna_options_t *self, const spot_terms_t *terms)
{
    self->detection_ms = spot_terms_ms(
        terms, "detection", self->detection_ms, PUBLISHED_DETECTION_MS, terms->job->detection_ms);
    if (self->every_steps == 0 && (terms->is_published || self->copy_ms > 0)) {
        self->every_steps = PUBLISHED_EVERY_STEPS;
    }
}

static int varuna_settle(void *options, spot_terms_t *terms)
{
    spot_varuna_options_t *self = options;
    spot_bind_t *bind = terms->bind;
    const spot_node_t *node = terms->node;
    const spot_job_t *job = terms->job;
    const int64_t capacity = terms->capacity;
    const size_t num_errors = bind->diag->num_errors;
    int ret = spot_by_instances_settle(&self->by_n, terms);

    self->capacity = capacity;
    settle_terms(self, terms);
    if (spot_by_instances_is_given(&self->by_n)) {
        check_table(self, bind, node);
    }
    self->has_fault = terms->has_fault;
    if (self->has_fault) {
        check_faults(self, bind, node);
    }
    settle_cut_points(self, bind, node, job);
    if (ret == 0 && bind->diag->num_errors == num_errors) {
        ret = fill(self, job);
    }
    return ret;
}

static void varuna_release(void *options)
{
    spot_varuna_options_t *self = options;

    spot_by_instances_free(&self->by_n);
    free(self->shapes);
    free(self->checkpoints);
}

/* ---- Deciding ---- */

void spot_varuna_decide_shape(const spot_varuna_options_t *self, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    const spot_varuna_shape_t *shape = &self->shapes[spot_recovery_num_usable(view)];

    decision->is_new = true;
    decision->lacks_step_time = shape->lacks_step_time;
    if (shape->num_pipelines == 0) {
        return;
    }
    decision->num_pipelines = shape->num_pipelines;
    decision->num_active = shape->num_active;
    decision->step_ms = shape->step_ms;
    decision->checkpoint = checkpoint_of(self, shape);
    decision->has_flat_step_time = shape->is_flat;
    decision->has_fitted_step_time = shape->is_fitted;
    if (shape->row != NULL) {
        decision->reconfiguration_ms = spot_varuna_restart_ms(self, shape->row);
    } else {
        decision->reconfiguration_ms = view->job->reconfiguration_ms;
        decision->reload_ms = view->job->reload_ms;
    }
}

static void decide_after_loss(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    spot_varuna_decide_shape(self, view, decision);
    decision->work = SPOT_WORK_ROLLED_BACK;
    if (decision->num_pipelines > 0 && !spot_by_instances_is_given(&self->by_n)) {
        decision->reconfiguration_ms += self->detection_ms;
    }
    state->flush_end_ms = 0; /* the steps that it should save are lost */
}

/* Time to write and copy one checkpoint while the job does nothing else. */
static int64_t flush_ms(const spot_varuna_options_t *self, const spot_varuna_shape_t *shape)
{
    const spot_checkpoint_t *checkpoint = checkpoint_of(self, shape);

    return checkpoint->write_ms +
           (checkpoint->mode == SPOT_CHECKPOINT_SYNC ? 0 : checkpoint->snapshot_ms);
}

/* Writes a checkpoint before pipelines form anew. In a pause there is nothing to write
 * but the rest of a flush. */
static void decide_morph(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const spot_varuna_shape_t *shape = &self->shapes[spot_recovery_num_usable(view)];
    const bool has_work = view->training_ms <= view->now_ms || view->now_ms < state->flush_end_ms;

    decision->lacks_step_time = shape->lacks_step_time;
    if (shape->num_pipelines == 0 || shape->num_active == view->num_active) {
        return; /* the new instances stay standby */
    }
    spot_varuna_decide_shape(self, view, decision);
    decision->work = SPOT_WORK_STEPS_KEPT;
    if (has_work && view->num_pipelines > 0) {
        decision->flush_ms = flush_ms(self, shape);
        state->flush_end_ms = view->now_ms + decision->flush_ms;
    }
}

/* ---- Announced losses ---- */

/* The active instances pause until the relaunch. */
static void decide_stopped(const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    decision->is_new = true;
    decision->is_same_pipelines = true;
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_active = view->num_active;
}

/* Between two steps: writes a checkpoint if it becomes durable before the loss. */
static void decide_stop(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, int64_t deadline_ms, spot_recovery_decision_t *decision)
{
    const int64_t write_ms = flush_ms(self, &self->shapes[spot_recovery_num_usable(view)]);

    state->is_stopping = false;
    if (write_ms > deadline_ms - view->now_ms) {
        return;
    }
    decide_stopped(view, decision);
    decision->flush_ms = write_ms;
    state->flush_end_ms = view->now_ms + write_ms;
    state->relaunch_ms = state->flush_end_ms + self->settle_ms;
    if (state->relaunch_ms < deadline_ms) {
        state->relaunch_ms = deadline_ms; /* not with the instance that leaves */
    }
}

/* Stops at the end of the step under way if there is time for it; in a pause there is
 * nothing to write. */
static void begin_stop(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, int64_t write_ms, spot_recovery_decision_t *decision)
{
    if (decision->is_new || view->training_ms > view->now_ms) {
        return;
    }
    if (view->is_between_steps) {
        decide_stop(self, state, view, state->deadline_ms, decision);
    } else if (view->step_end_ms <= state->deadline_ms - write_ms) {
        state->is_stopping = true;
        decision->wakes_at_step_end = true;
    }
}

/* Sets the stop for the first announced loss, if a checkpoint can be written before it:
 * the lead is at least a step and the checkpoint. It replaces an earlier stop, since
 * other instances may be active now. */
static void set_stop(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const int64_t write_ms = flush_ms(self, &self->shapes[spot_recovery_num_usable(view)]);
    const int64_t least_ms = state->step_ms + write_ms;
    const int64_t lead_ms = self->lead_ms > least_ms ? self->lead_ms : least_ms;
    const int32_t num_pipelines = decision->is_new ? decision->num_pipelines : view->num_pipelines;
    const int64_t deadline_ms =
        num_pipelines > 0 ? spot_recovery_first_deadline_ms(view, decision) : INT64_MAX;
    const bool was_known = state->stop_ms > 0 && state->deadline_ms == deadline_ms;

    state->stop_ms = 0;
    if (deadline_ms == INT64_MAX ||
        (!was_known && deadline_ms - self->lead_ms - view->now_ms < write_ms)) {
        return;
    }
    state->deadline_ms = deadline_ms;
    if (deadline_ms - lead_ms > view->now_ms) {
        state->stop_ms = deadline_ms - lead_ms;
    } else {
        begin_stop(self, state, view, write_ms, decision);
    }
}

/* Forms pipelines again after a stop. */
static void relaunch(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    spot_varuna_decide_shape(self, view, decision);
    decision->work = SPOT_WORK_STEPS_KEPT;
    state->relaunch_ms = 0;
}

/* Ignores a wake for a stop that is cancelled, or that set_stop() handles, and one for a
 * relaunch at the instant of the loss, which follows. */
static void decide_wake(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    if (state->relaunch_ms == view->now_ms) {
        if (state->deadline_ms != view->now_ms) {
            relaunch(self, state, view, decision);
        }
    } else if (state->is_stopping) {
        decide_stop(self, state, view, spot_recovery_first_deadline_ms(view, decision), decision);
    } else if (state->stop_ms == 0 && state->poll_ms == view->now_ms) {
        state->poll_ms = 0;
        decide_morph(self, state, view, decision);
    }
}

/* ---- The policy ---- */

static void decide_loss(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    if (state->relaunch_ms > 0 && view->now_ms >= state->flush_end_ms) {
        if (state->relaunch_ms > view->now_ms) {
            decide_stopped(view, decision); /* announced and prepared for */
        } else {
            relaunch(self, state, view, decision);
        }
        return;
    }
    decide_after_loss(self, state, view, decision);
    state->relaunch_ms = 0;
    state->is_stopping = false;
}

/* Additions wait for the poll and for the end of a notice. */
static void decide_additions(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const int64_t poll_ms = self->poll_ms;

    if (state->stop_ms > 0 || state->relaunch_ms > 0 || state->is_stopping) {
        return;
    }
    if (poll_ms > 0 && view->now_ms % poll_ms != 0) {
        state->poll_ms = (view->now_ms / poll_ms + 1) * poll_ms;
    } else {
        decide_morph(self, state, view, decision);
    }
}

/* Sets the next wake. A poll before a relaunch or stop waits for it; a new decision has
 * used all additions. */
static void set_wake(const spot_varuna_options_t *self, spot_varuna_state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    if (decision->is_new) {
        state->poll_ms = 0;
    } else if (state->poll_ms > 0 && state->poll_ms <= view->now_ms) {
        state->poll_ms = (view->now_ms / self->poll_ms + 1) * self->poll_ms;
    }
    if (state->stop_ms > 0) {
        decision->wake_ms = state->stop_ms;
    } else if (state->relaunch_ms > view->now_ms) {
        decision->wake_ms = state->relaunch_ms;
    } else if (!state->is_stopping) {
        decision->wake_ms = state->poll_ms;
    }
}

static void varuna_decide(const void *options, void *memory, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const spot_varuna_options_t *self = options;
    spot_varuna_state_t *state = memory;

    if (self->has_fault) {
        spot_varuna_decide_with_faults(self, memory, view, change, decision);
        return;
    }
    if (change->num_lost_active > 0) {
        decide_loss(self, state, view, decision);
    } else if (change->kind == SPOT_CHANGE_WAKE) {
        decide_wake(self, state, view, decision);
    } else if (change->num_ready > 0) {
        decide_additions(self, state, view, decision);
    }
    if (decision->num_pipelines > 0) {
        state->step_ms = decision->step_ms;
    }
    if (view->deadlines_ms != NULL && state->relaunch_ms == 0 && !state->is_stopping) {
        set_stop(self, state, view, decision);
    }
    set_wake(self, state, view, decision);
}

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

static size_t varuna_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) job;
    return ((const spot_varuna_options_t *) options)->has_fault
               ? sizeof(spot_varuna_faults_t) + spot_pause_ends_bytes(capacity)
               : sizeof(spot_varuna_state_t);
}

static void varuna_start(const void *options, void *memory, const spot_recovery_start_t *run)
{
    if (((const spot_varuna_options_t *) options)->has_fault) {
        spot_varuna_start_faults(options, memory, run);
    }
}

/* The event queue of the published simulator holds the losses to come. */
static bool varuna_knows_future(const void *options)
{
    const spot_varuna_options_t *self = options;

    return self->fault.has_failing_checkpoints;
}

/* Its table has all pauses and checkpoints; every makes its own of the write time. */
static bool varuna_uses(const void *options, const char *figure)
{
    const spot_varuna_options_t *self = options;
    const bool is_checkpoint = strncmp(figure, "checkpoint.", 11) == 0;

    if (strcmp(figure, "notice") == 0) {
        return !self->has_fault;
    }
    if (is_checkpoint && strcmp(figure, "checkpoint.write") != 0 && self->every_steps == 0) {
        return true; /* a table has the time of a checkpoint alone */
    }
    return !spot_by_instances_is_given(&self->by_n) &&
           !(is_checkpoint && self->every_steps > 0 && strcmp(figure, "checkpoint.write") != 0);
}

static const spot_field_t varuna_options[] = {
    {SPOT_RANGE(DURATION, "detection", spot_varuna_options_t, detection_ms, 0, HUGE_VAL, "",
        "detection time",
        "time to detect a loss; lengthens the pause after one; job.detection if not "
        "given; published: 60 s, in which transient errors may pass")},
    {SPOT_RANGE(INTEGER, "every", spot_varuna_options_t, every_steps, 1, (double) SPOT_MAX_STEPS,
        "", "checkpoint interval",
        "steps between two checkpoints, each of which stalls the job for the write time "
        "of the checkpoint; takes the place of its other keys, which hold if it is not "
        "given; published: 10")},
    {SPOT_RANGE(DURATION, "copy", spot_varuna_options_t, copy_ms, 0, HUGE_VAL, "0 s",
        "copy time of a checkpoint",
        "time to copy a written checkpoint in the background; it is durable only then")},
    {SPOT_RANGE(DURATION, "poll", spot_varuna_options_t, poll_ms, 0, HUGE_VAL, "0 s",
        "polling interval",
        "additions are seen at whole multiples of this time only; 0 s: at once")},
    {SPOT_RANGE(DURATION, "lead", spot_varuna_options_t, lead_ms, 0, HUGE_VAL, "30 s",
         "lead before a loss",
         "so long before an announced loss the job writes a checkpoint at the end of its "
         "step and pauses, if there is time for both; sooner where a step and the "
         "checkpoint take longer. 30 s as published: what a step and the checkpoint "
         "leave of it is not trained, for each announced loss; 0 s: all but a step is"),
        SPOT_DECIDES},
    {SPOT_RANGE(DURATION, "settle", spot_varuna_options_t, settle_ms, 0, HUGE_VAL, "120 s",
         "settling time",
         "how long it pauses behind that checkpoint, and at least until the loss, before "
         "it starts anew. 120 s as published: what is left of it at the loss, 90 s or "
         "so, is idle for each announced loss; 0 s: it starts anew at the loss"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "cut_points", spot_varuna_options_t, num_cut_points, 2, 100000, "",
        "cut points",
        "points at which the model can be cut into stages: depths are their divisors, "
        "but for the number itself; the layers of job.step_time if not given")},
    {SPOT_RANGE(INTEGER, "max_micro_batch", spot_varuna_options_t, max_micro_batch, 1, 1e12, "",
        "largest micro-batch",
        "samples of the largest micro-batch that is tried with job.step_time.pipeline, "
        "in multiples of its micro_batch; only that if not given")},
    SPOT_BY_INSTANCES_FIELDS(offsetof(spot_varuna_options_t, by_n)),
    {SPOT_CHOICE("fault_steps_in_pause", spot_varuna_options_t, fault.has_steps_in_pause,
        spot_no_yes, "no",
        "yes, as the Oobleck artifact (SOSP'23) has it: after a loss steps go on, and "
        "count, until the pause has ended")},
    {SPOT_CHOICE("fault_one_counter", spot_varuna_options_t, fault.has_one_counter, spot_no_yes,
        "no",
        "yes, as there: the counter by which checkpoints are due is not rolled back, "
        "and the first step after a loss has one too")},
    {SPOT_CHOICE("fault_failing_checkpoints", spot_varuna_options_t, fault.has_failing_checkpoints,
        spot_no_yes, "no",
        "yes, as there: events to come are in a binary heap, ordered by time, at one "
        "time by kind (added, lost, ready, end of a pause, end of a step, end of a "
        "checkpoint), in an array with the moves of CPython's heapq. It starts with "
        "each addition and loss of the trace. With the faults steps_in_pause, one_counter "
        "and stale_timers what is due in one instant has that order; without them the end "
        "of a pause or step comes first. A checkpoint enters it with twice the "
        "time of its write, and fails if a loss then stands before the first checkpoint "
        "in the array; else it is durable at once")},
    {SPOT_CHOICE("fault_deep_failures", spot_varuna_options_t, fault.has_deep_failures, spot_no_yes,
        "no",
        "yes, as there: a checkpoint that fails takes the ten latest steps back, "
        "durable ones too; of fewer steps, what is missing to ten is taken from those "
        "to come")},
    {SPOT_CHOICE("fault_old_pauses", spot_varuna_options_t, fault.has_old_pauses, spot_no_yes, "no",
        "yes, as there: a restart takes what the table says of the number of instances "
        "before the loss")},
    {SPOT_CHOICE("fault_stale_timers", spot_varuna_options_t, fault.has_stale_timers, spot_no_yes,
        "no",
        "yes, as there: each lost instance starts a pause of its own; the first one "
        "that is over forms pipelines, and the next one stops the job until an instance "
        "is lost or ready")},
    {SPOT_CHOICE("fault_idle_losses_pause", spot_varuna_options_t, fault.idle_losses_pause,
        spot_no_yes, "no",
        "yes, as there: the loss of an instance on standby or in preparation is a loss "
        "like others")},
    {SPOT_RANGE(DURATION, "fault_first_restart", spot_varuna_options_t, fault.first_restart_ms, 0,
        HUGE_VAL, "0 s",
        "time of the very first restart, a checkpoint included, instead of the table's: "
        "76 s there for BERT-large, whose table does not have it; 0 s: the table's")},
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_varuna = {
    .name = "varuna",
    .doc = "checkpoints that stall, and pipelines of another depth after each change: "
           "of those that divide the model the fastest",
    .source = "Athlur et al., Varuna, EuroSys'22; microsoft/varuna",
    .published = "Varuna (EuroSys'22), for any model: 60 s to detect a loss, "
                 "checkpoints that stall every 10 steps",
    .options = varuna_options,
    .options_size = sizeof(spot_varuna_options_t),
    .settle = varuna_settle,
    .release = varuna_release,
    .uses = varuna_uses,
    .has_own_step_time = true,
    .chooses_depth = true,
    .sees_all_losses = true,
    .knows_future = varuna_knows_future,
    .faults = varuna_faults,
    .state_size = varuna_state_size,
    .start = varuna_start,
    .decide = varuna_decide,
};
