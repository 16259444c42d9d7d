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
#include "sim/train/recovery/recovery_varuna.h"

#define PUBLISHED_DETECTION_MS (60 * SPOT_MS_PER_S)
#define PUBLISHED_EVERY_STEPS 10

/* ---- Shapes ---- */

/* Takes a shape that is faster, or as fast with fewer instances. Returns whether it did.
 * Depths come in increasing order. */
static bool offer(
    spot_varuna_shape_t *best, double *best_ms, int64_t num_pipelines, int64_t depth, double ms)
{
    const int64_t num_active = num_pipelines * depth;

    if (ms > *best_ms || (ms >= *best_ms && num_active >= best->num_active)) {
        return false;
    }
    *best_ms = ms;
    best->num_pipelines = (int32_t) num_pipelines;
    best->num_active = (int32_t) num_active;
    best->step_ms = ms < 1 ? 1 : llrint(ms);
    return true;
}

static int64_t pipelines_of(const spot_job_t *job, int64_t num_instances, int64_t depth)
{
    const int64_t num_pipelines = num_instances / depth;

    return num_pipelines < job->max_pipelines ? num_pipelines : job->max_pipelines;
}

/* The next depth after depth, at most num_instances; 0: none. */
static int64_t next_depth(int64_t depth, int64_t num_cut_points, int64_t num_instances)
{
    for (depth++; depth < num_cut_points && depth <= num_instances; depth++) {
        if (num_cut_points % depth == 0) {
            return depth;
        }
    }
    return 0;
}

/* The step time by Varuna's own schedule with the largest micro-batch that fits; the
 * time of a micro-batch is proportional to its samples. 0: none fits. */
static double pipeline_ms(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t num_pipelines, int64_t depth)
{
    const spot_step_pipeline_t *model = &job->step_time.pipeline;
    const int64_t samples = job->samples_per_step / num_pipelines * num_pipelines;
    int64_t factor = self->max_micro_batch / model->micro_batch;
    double ms = 0;

    if (samples == 0) {
        return 0;
    }
    for (factor = factor > 1 ? factor : 1; ms <= 0 && factor > 0; factor--) {
        spot_step_pipeline_t scaled = *model;

        scaled.schedule = SPOT_SCHEDULE_VARUNA;
        scaled.micro_batch *= factor;
        scaled.forward_ms *= (double) factor;
        scaled.backward_ms *= (double) factor;
        scaled.link_ms *= (double) factor;
        scaled.memory.activation_bytes *= (double) factor;
        scaled.memory.input_bytes *= (double) factor;
        ms = spot_step_pipeline_ms(&scaled, samples, num_pipelines, depth);
    }
    return ms;
}

/* The same for as many pipelines as have a micro-batch each: rounding down the samples
 * of each may leave one without, and one more instance must not make steps longer. */
static double most_pipelines_ms(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t depth, int64_t *num_pipelines)
{
    const int64_t most =
        spot_micro_batches(job->samples_per_step, job->step_time.pipeline.micro_batch, 1);
    double ms;

    if (*num_pipelines < most) {
        return pipeline_ms(self, job, *num_pipelines, depth);
    }
    *num_pipelines = most;
    ms = pipeline_ms(self, job, most, depth);
    if (ms <= 0 && most > 1) {
        *num_pipelines = most - 1;
        ms = pipeline_ms(self, job, most - 1, depth);
    }
    return ms;
}

static spot_varuna_shape_t shape_of_model(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t num_instances)
{
    const int64_t num_cut_points = self->num_cut_points;
    spot_varuna_shape_t best = {0};
    double best_ms = HUGE_VAL;
    bool lacks_step_time = false;
    int64_t depth = 0;

    while ((depth = next_depth(depth, num_cut_points, num_instances)) > 0) {
        const int64_t limit = pipelines_of(job, num_instances, depth);
        int64_t num_pipelines = limit;
        const double ms = most_pipelines_ms(self, job, depth, &num_pipelines);

        if (ms > 0 && ms <= (double) SPOT_MAX_DURATION_MS) {
            lacks_step_time |= num_pipelines < limit;
            (void) offer(&best, &best_ms, num_pipelines, depth, ms);
        }
    }
    best.lacks_step_time = lacks_step_time;
    return best;
}

/* The best pair of the job's table. lacks_step_time: more instances would be in use if
 * the table had the next pairs of a listed depth. */
static spot_varuna_shape_t shape_of_pairs(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t num_instances)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    spot_varuna_shape_t best = {0};
    double best_ms = HUGE_VAL;
    int64_t most_lacking = 0; /* instances of a pair without a step time */
    int64_t depth = 0;

    while ((depth = next_depth(depth, self->num_cut_points, num_instances)) > 0) {
        const int64_t limit = pipelines_of(job, num_instances, depth);
        const int64_t num = spot_step_grid_most_pipelines(grid, limit, depth);
        const spot_step_pair_t *pair = spot_step_grid_find(grid, num, depth);

        if (num > 0 && num < limit && limit * depth > most_lacking) {
            most_lacking = limit * depth;
        }
        if (pair != NULL && offer(&best, &best_ms, num, depth, pair->step_ms)) {
            best.is_fitted = pair->origin != SPOT_STEP_MEASURED;
        }
    }
    best.lacks_step_time =
        best.num_pipelines == 0 ? num_instances > 0 : most_lacking > best.num_active;
    return best;
}

/* With step times by world size, which are known for the job's depth only. */
static spot_varuna_shape_t shape_of_world(const spot_job_t *job, int64_t num_instances)
{
    const int64_t num = spot_job_pipelines(job, num_instances);
    spot_varuna_shape_t shape = {
        .num_pipelines = (int32_t) num, .num_active = (int32_t) (num * job->pipeline_depth)};

    if (num > 0) {
        shape.step_ms = spot_job_step_ms(job, num);
        shape.is_flat = !spot_job_covers_step(job, num);
    }
    return shape;
}

static spot_varuna_shape_t shape_of_row(const spot_varuna_options_t *self, int64_t num_instances)
{
    const spot_instance_row_t *row = spot_by_instances_row(&self->by_n, num_instances);
    spot_varuna_shape_t shape = {.row = row, .lacks_step_time = row == NULL && num_instances > 0};

    if (row != NULL) {
        shape.num_pipelines = 1; /* the table does not give their number */
        shape.num_active = (int32_t) spot_by_instances_num_active(row, num_instances);
        shape.step_ms = spot_by_instances_step_ms(&self->by_n, row, num_instances);
        shape.is_flat = spot_by_instances_is_flat(&self->by_n, num_instances);
    }
    return shape;
}

/* The shape with the shortest step for num_instances usable instances. O(depths), times
 * the micro-batches tried with a limit of memory. */
static spot_varuna_shape_t best_shape(
    const spot_varuna_options_t *self, const spot_job_t *job, int64_t num_instances)
{
    if (spot_by_instances_is_given(&self->by_n)) {
        return shape_of_row(self, num_instances);
    }
    if (job->step_time.pipeline.num_layers > 0) {
        return shape_of_model(self, job, num_instances);
    }
    return spot_step_time_is_by_pair(&job->step_time) ? shape_of_pairs(self, job, num_instances)
                                                      : shape_of_world(job, num_instances);
}

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
        self->shapes[n] = best_shape(self, job, n);
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
    settle_cut_points(self, bind, node, job);
    if (ret == 0 && bind->diag->num_errors == num_errors) {
        ret = fill(self, job);
    }
    return ret;
}

void spot_varuna_release(void *options)
{
    spot_varuna_options_t *self = options;

    spot_by_instances_free(&self->by_n);
    free(self->shapes);
    free(self->checkpoints);
}

/* ---- Deciding ---- */

typedef struct {
    int64_t flush_end_ms; /* of the latest flush: steps ended before it are durable then */
    /* For an announced loss, 0 if none is ahead: when to stop and when to go on again;
     * in between, whether the job trains to the end of a step. */
    int64_t stop_ms;
    int64_t relaunch_ms;
    bool is_stopping;
    int64_t deadline_ms; /* the loss to stop for */
    int64_t poll_ms;     /* when additions are seen; 0: there are none */
    int64_t step_ms;     /* of the latest pipelines */
} state_t;

void spot_varuna_decide_shape(const spot_varuna_options_t *self, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    const spot_varuna_shape_t *shape = &self->shapes[spot_recovery_num_usable(view)];

    decision->is_new = true;
    spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN, shape->lacks_step_time);
    if (shape->num_pipelines == 0) {
        return;
    }
    decision->num_pipelines = shape->num_pipelines;
    decision->num_active = shape->num_active;
    decision->step_ms = shape->step_ms;
    decision->checkpoint = checkpoint_of(self, shape);
    spot_decision_note(decision, SPOT_NOTE_STEP_FLAT, shape->is_flat);
    spot_decision_note(decision, SPOT_NOTE_STEP_FITTED, shape->is_fitted);
    if (shape->row != NULL) {
        decision->reconfiguration_ms = spot_varuna_restart_ms(self, shape->row);
    } else {
        decision->reconfiguration_ms = view->job->reconfiguration_ms;
        decision->reload_ms = view->job->reload_ms;
    }
}

static void decide_after_loss(const spot_varuna_options_t *self, state_t *state,
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
static void decide_morph(const spot_varuna_options_t *self, state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    const spot_varuna_shape_t *shape = &self->shapes[spot_recovery_num_usable(view)];
    const bool has_work = view->training_ms <= view->now_ms || view->now_ms < state->flush_end_ms;

    spot_decision_note(decision, SPOT_NOTE_STEP_UNKNOWN, shape->lacks_step_time);
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
    spot_decision_note(decision, SPOT_NOTE_SAME_PIPELINES, true);
    decision->work = SPOT_WORK_STEPS_KEPT;
    decision->num_active = view->num_active;
}

/* Between two steps: writes a checkpoint if it becomes durable before the loss. */
static void decide_stop(const spot_varuna_options_t *self, state_t *state,
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
static void begin_stop(const spot_varuna_options_t *self, state_t *state,
    const spot_recovery_view_t *view, int64_t write_ms, spot_recovery_decision_t *decision)
{
    if (decision->is_new || view->training_ms > view->now_ms) {
        return;
    }
    if (view->is_between_steps) {
        decide_stop(self, state, view, state->deadline_ms, decision);
    } else if (view->step_end_ms <= state->deadline_ms - write_ms) {
        state->is_stopping = true;
        decision->wakes = SPOT_WAKE_STEP_END;
    }
}

/* Sets the stop for the first announced loss, if a checkpoint can be written before it:
 * the lead is at least a step and the checkpoint. It replaces an earlier stop, since
 * other instances may be active now. */
static void set_stop(const spot_varuna_options_t *self, state_t *state,
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
static void relaunch(const spot_varuna_options_t *self, state_t *state,
    const spot_recovery_view_t *view, spot_recovery_decision_t *decision)
{
    spot_varuna_decide_shape(self, view, decision);
    decision->work = SPOT_WORK_STEPS_KEPT;
    state->relaunch_ms = 0;
}

/* Ignores a wake for a stop that is cancelled, or that set_stop() handles, and one for a
 * relaunch at the instant of the loss, which follows. */
static void decide_wake(const spot_varuna_options_t *self, state_t *state,
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

static void decide_loss(const spot_varuna_options_t *self, state_t *state,
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
static void decide_additions(const spot_varuna_options_t *self, state_t *state,
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
static void set_wake(const spot_varuna_options_t *self, state_t *state,
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
    state_t *state = memory;

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

static size_t varuna_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

/* Its table has all pauses and checkpoints; every makes its own of the write time. */
static bool varuna_uses(const void *options, const char *figure)
{
    const spot_varuna_options_t *self = options;
    const bool is_checkpoint = strncmp(figure, "checkpoint.", 11) == 0;

    if (strcmp(figure, "notice") == 0) {
        return true;
    }
    if (is_checkpoint && strcmp(figure, "checkpoint.write") != 0 && self->every_steps == 0) {
        return true; /* a table has the time of a checkpoint alone */
    }
    return !spot_by_instances_is_given(&self->by_n) &&
           !(is_checkpoint && self->every_steps > 0 && strcmp(figure, "checkpoint.write") != 0);
}

static const spot_field_t varuna_options[] = {
    SPOT_VARUNA_FIELDS,
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_varuna = {
    SPOT_VARUNA_TABLE,
    .options = varuna_options,
    .options_size = sizeof(spot_varuna_options_t),
    .settle = varuna_settle,
    .uses = varuna_uses,
    .state_size = varuna_state_size,
    .decide = varuna_decide,
};
