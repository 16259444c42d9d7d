/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints that stall every few steps, and pipelines of another shape after each
 * change (job morphing): of the depths that divide the model's cut-points the one with
 * the shortest step. A loss rolls back; additions wait for a poll and, where they make
 * other pipelines, for a checkpoint, so that nothing that ended is lost. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/recovery/by_instances.h"
#include "sim/recovery/recovery.h"

/* What is best with so many usable instances. */
typedef struct {
    int32_t num_pipelines; /* D; 0: nothing is possible */
    int32_t num_active;    /* D P */
    int64_t step_ms;
    const spot_instance_row_t *row; /* NULL: it is of no table by n */
    bool is_flat;
    bool is_fitted;
    bool lacks_step_time;
} shape_t;

typedef struct {
    int64_t detection_ms;
    int64_t every_steps;
    int64_t copy_ms;
    int64_t poll_ms;
    int64_t num_cut_points;  /* 0: the layers of the job's model or table */
    int64_t max_micro_batch; /* 0: that of the job's model */
    spot_by_instances_t by_n;
    int64_t capacity;
    shape_t *shapes;                /* [capacity + 1] by usable instances */
    spot_checkpoint_t *checkpoints; /* [rows of by_n], or one */
} options_t;

typedef struct {
    int64_t flush_end_ms; /* of the latest flush: what ended is durable from then on */
} state_t;

/* ---- The best shape, by the number of instances ---- */

/* Takes a shape, and says so, if it is faster, or as fast with fewer instances. Depths
 * come from the smallest on. */
static bool
offer(shape_t *best, double *best_ms, int64_t num_pipelines, int64_t depth, double ms)
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

static int64_t
pipelines_of(const spot_job_t *job, int64_t num_instances, int64_t depth)
{
    const int64_t num_pipelines = num_instances / depth;

    return num_pipelines < job->max_pipelines ? num_pipelines : job->max_pipelines;
}

/* The next depth above one, at most num_instances; 0: there is none. */
static int64_t
next_depth(int64_t depth, int64_t num_cut_points, int64_t num_instances)
{
    for (depth++; depth < num_cut_points && depth <= num_instances; depth++) {
        if (num_cut_points % depth == 0) {
            return depth;
        }
    }
    return 0;
}

/* Varuna's own schedule, with the largest micro-batch that fits; what a micro-batch
 * takes is in proportion to its samples. 0: none fits. */
static double
pipeline_ms(
    const options_t *self, const spot_job_t *job, int64_t num_pipelines, int64_t depth)
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

static shape_t
shape_of_model(const options_t *self, const spot_job_t *job, int64_t num_instances)
{
    const int64_t num_cut_points = self->num_cut_points;
    shape_t best = {0};
    double best_ms = HUGE_VAL;
    int64_t depth = 0;

    while ((depth = next_depth(depth, num_cut_points, num_instances)) > 0) {
        const int64_t num_pipelines = pipelines_of(job, num_instances, depth);
        const double ms = pipeline_ms(self, job, num_pipelines, depth);

        if (ms > 0 && ms <= (double) SPOT_MAX_DURATION_MS) {
            (void) offer(&best, &best_ms, num_pipelines, depth, ms);
        }
    }
    return best;
}

/* Of the pairs of the job's table, with as many pipelines as it lists. */
static shape_t
shape_of_pairs(const options_t *self, const spot_job_t *job, int64_t num_instances)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    shape_t best = {0};
    double best_ms = HUGE_VAL;
    bool lacks_step_time = false;
    int64_t depth = 0;

    while ((depth = next_depth(depth, self->num_cut_points, num_instances)) > 0) {
        const int64_t limit = pipelines_of(job, num_instances, depth);
        const int64_t num = spot_step_grid_most_pipelines(grid, limit, depth);
        const spot_step_pair_t *pair = spot_step_grid_find(grid, num, depth);

        lacks_step_time |= num < limit && num > 0;
        if (pair != NULL && offer(&best, &best_ms, num, depth, pair->step_ms)) {
            best.is_fitted = pair->is_fitted;
        }
    }
    best.lacks_step_time = lacks_step_time || best.num_pipelines == 0;
    return best;
}

/* By world size: the job's depth is the only one that is known. */
static shape_t
shape_of_world(const spot_job_t *job, int64_t num_instances)
{
    const int64_t num = spot_job_pipelines(job, num_instances);
    shape_t shape = {.num_pipelines = (int32_t) num,
        .num_active = (int32_t) (num * job->pipeline_depth)};

    if (num > 0) {
        shape.step_ms = spot_job_step_ms(job, num);
        shape.is_flat = !spot_job_covers_step(job, num);
    }
    return shape;
}

static shape_t
shape_of_row(const options_t *self, int64_t num_instances)
{
    const spot_instance_row_t *row = spot_by_instances_row(&self->by_n, num_instances);
    shape_t shape = {.row = row, .lacks_step_time = row == NULL && num_instances > 0};

    if (row != NULL) {
        shape.num_pipelines = 1; /* how many they are is not told */
        shape.num_active = (int32_t) spot_by_instances_num_active(row, num_instances);
        shape.step_ms = row->step_ms;
        shape.is_flat = spot_by_instances_is_flat(&self->by_n, num_instances);
    }
    return shape;
}

static shape_t
best_shape(const options_t *self, const spot_job_t *job, int64_t num_instances)
{
    if (spot_by_instances_is_given(&self->by_n)) {
        return shape_of_row(self, num_instances);
    }
    if (job->step_time.pipeline.num_layers > 0) {
        return shape_of_model(self, job, num_instances);
    }
    return spot_step_time_is_by_pair(&job->step_time)
               ? shape_of_pairs(self, job, num_instances)
               : shape_of_world(job, num_instances);
}

/* ---- Pauses and checkpoints ---- */

static const spot_checkpoint_t *
checkpoint_of(const options_t *self, const shape_t *shape)
{
    return shape->row == NULL ? self->checkpoints
                              : &self->checkpoints[shape->row - self->by_n.table.rows];
}

/* A restart of a table holds a checkpoint, which is paid where it is written. */
static int64_t
restart_ms(const options_t *self, const spot_instance_row_t *row)
{
    return self->by_n.table.has[SPOT_BY_N_RESTART_TOTAL_MS]
               ? row->values[SPOT_BY_N_RESTART_TOTAL_MS] -
                     row->values[SPOT_BY_N_CHECKPOINT_MS]
               : row->values[SPOT_BY_N_PAUSE_MS];
}

/* Stalled for the write, then copied in the background; without a copy it is durable at
 * once. */
static spot_checkpoint_t
checkpoint_with(const options_t *self, int64_t write_ms)
{
    const bool is_copied = self->copy_ms > 0;

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

/* What the table must have to be used here. */
static void
check_table(const options_t *self, spot_bind_t *bind, const spot_node_t *node)
{
    const bool *has = self->by_n.table.has;
    const spot_node_t *detection = spot_node_get(node, "detection");

    if (!has[SPOT_BY_N_CHECKPOINT_MS] ||
        !(has[SPOT_BY_N_RESTART_TOTAL_MS] || has[SPOT_BY_N_PAUSE_MS])) {
        spot_bind_error(bind, spot_node_place(node, "table"), "recovery.table",
            "%s needs the columns checkpoint_ms and restart_total_ms or pause_ms",
            self->by_n.path);
    }
    if (detection != NULL) {
        spot_diag_warn(bind->diag, detection->file, detection->line, detection->column,
            "recovery.detection has no effect: the restarts of the table hold it");
    }
}

/* Without a number of cut-points every depth up to the largest is one. */
static void
settle_cut_points(
    options_t *self, spot_bind_t *bind, const spot_node_t *node, const spot_job_t *job)
{
    if (self->num_cut_points == 0) {
        self->num_cut_points = job->step_time.grid.num_layers;
    }
    if (self->num_cut_points == 0 && spot_step_time_is_by_pair(&job->step_time) &&
        !spot_by_instances_is_given(&self->by_n)) {
        spot_bind_error(bind, node, "recovery.cut_points",
            "%s does not tell the layers of the model: say at how many points it can "
            "be cut",
            job->step_time.table_path);
    }
}

static int
fill(options_t *self, const spot_job_t *job)
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
    self->checkpoints[0] = checkpoint_with(self, job->checkpoint.write_ms);
    for (size_t j = 0; j < table->num_rows; j++) {
        self->checkpoints[j] =
            checkpoint_with(self, table->rows[j].values[SPOT_BY_N_CHECKPOINT_MS]);
    }
    return 0;
}

static int
varuna_settle(void *options, spot_bind_t *bind, const spot_node_t *node,
    const spot_job_t *job, int64_t capacity)
{
    options_t *self = options;
    const size_t num_errors = bind->diag->num_errors;
    int ret = spot_by_instances_settle(&self->by_n, bind, node, job, capacity);

    self->capacity = capacity;
    if (spot_by_instances_is_given(&self->by_n)) {
        check_table(self, bind, node);
    }
    settle_cut_points(self, bind, node, job);
    if (ret == 0 && bind->diag->num_errors == num_errors) {
        ret = fill(self, job);
    }
    return ret;
}

static void
varuna_release(void *options)
{
    options_t *self = options;

    spot_by_instances_free(&self->by_n);
    free(self->shapes);
    free(self->checkpoints);
}

/* ---- Deciding ---- */

/* Forms the best shape anew; its pauses without a flush. */
static void
plan_shape(
    const options_t *self, const spot_recovery_view_t *view, spot_recovery_plan_t *plan)
{
    const shape_t *shape = &self->shapes[spot_recovery_num_usable(view)];

    plan->is_new = true;
    plan->lacks_step_time = shape->lacks_step_time;
    if (shape->num_pipelines == 0) {
        return;
    }
    plan->num_pipelines = shape->num_pipelines;
    plan->num_active = shape->num_active;
    plan->step_ms = shape->step_ms;
    plan->checkpoint = checkpoint_of(self, shape);
    plan->has_flat_step_time = shape->is_flat;
    plan->has_fitted_step_time = shape->is_fitted;
    if (shape->row != NULL) {
        plan->reconfiguration_ms = restart_ms(self, shape->row);
    } else {
        plan->reconfiguration_ms = view->job->reconfiguration_ms;
        plan->reload_ms = view->job->reload_ms;
    }
}

static void
plan_after_loss(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    spot_recovery_plan_t *plan)
{
    plan_shape(self, view, plan);
    plan->work = SPOT_WORK_ROLLED_BACK;
    if (plan->num_pipelines > 0 && !spot_by_instances_is_given(&self->by_n)) {
        plan->reconfiguration_ms += self->detection_ms;
    }
    state->flush_end_ms = 0; /* what it was to save is lost */
}

/* Writes what there is before it forms anew. In a pause there is nothing to write, but
 * for what a flush has not yet written. */
static void
plan_morph(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    spot_recovery_plan_t *plan)
{
    const shape_t *shape = &self->shapes[spot_recovery_num_usable(view)];
    const bool has_work =
        view->training_ms <= view->now_ms || view->now_ms < state->flush_end_ms;

    if (shape->num_pipelines == 0 || shape->num_active == view->num_active) {
        return; /* they stay standby */
    }
    plan_shape(self, view, plan);
    plan->work = SPOT_WORK_STEPS_KEPT;
    if (has_work && view->num_pipelines > 0) {
        plan->flush_ms = shape->row == NULL
                             ? view->job->checkpoint.write_ms
                             : shape->row->values[SPOT_BY_N_CHECKPOINT_MS];
        plan->flush_ms += self->copy_ms;
        state->flush_end_ms = view->now_ms + plan->flush_ms;
    }
}

static void
varuna_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_plan_t *plan)
{
    const options_t *self = options;
    const int64_t poll_ms = self->poll_ms;

    if (change->num_lost_active > 0) {
        plan_after_loss(self, state, view, plan);
    } else if (change->kind == SPOT_CHANGE_MEMBERSHIP && poll_ms > 0 &&
               view->now_ms % poll_ms != 0) {
        plan->wake_ms = (view->now_ms / poll_ms + 1) * poll_ms;
    } else {
        plan_morph(self, state, view, plan);
    }
}

static size_t
varuna_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    (void) options;
    (void) job;
    (void) capacity;
    return sizeof(state_t);
}

static const spot_field_t varuna_options[] = {
    {.name = "detection",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, detection_ms),
        .max = HUGE_VAL,
        .initial = "60 s",
        .help = "wait for transient errors after a loss; lengthens the pause after one"},
    {.name = "every",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, every_steps),
        .min = 1,
        .max = (double) SPOT_MAX_STEPS,
        .initial = "10",
        .help = "steps between two checkpoints, each of which stalls the job for "
                "job.checkpoint.write; takes the place of the rest of job.checkpoint"},
    {.name = "copy",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, copy_ms),
        .max = HUGE_VAL,
        .initial = "0 s",
        .help = "time to copy a written checkpoint in the background; it is durable "
                "only then"},
    {.name = "poll",
        .type = SPOT_FIELD_DURATION,
        .offset = offsetof(options_t, poll_ms),
        .max = HUGE_VAL,
        .initial = "0 s",
        .help = "additions are seen at whole multiples of this time only; 0 s: at once"},
    {.name = "cut_points",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, num_cut_points),
        .min = 2,
        .max = 100000,
        .initial = "",
        .help = "points at which the model can be cut into stages: depths are their "
                "divisors, but for the number itself; the layers of job.step_time if "
                "not given"},
    {.name = "max_micro_batch",
        .type = SPOT_FIELD_INTEGER,
        .offset = offsetof(options_t, max_micro_batch),
        .min = 1,
        .max = 1e12,
        .initial = "",
        .help = "samples of the largest micro-batch that is tried with "
                "job.step_time.pipeline, in multiples of its micro_batch; only that if "
                "not given"},
    SPOT_BY_INSTANCES_FIELDS(offsetof(options_t, by_n)),
    {.name = NULL, .fields = spot_recovery_common_fields},
};

const spot_recovery_t spot_recovery_varuna = {
    .name = "varuna",
    .doc = "checkpoints that stall, and pipelines of another depth after each change: "
           "of those that divide the model the fastest",
    .source = "Athlur et al., Varuna, EuroSys'22; microsoft/varuna",
    .options = varuna_options,
    .options_size = sizeof(options_t),
    .settle = varuna_settle,
    .release = varuna_release,
    .state_size = varuna_state_size,
    .decide = varuna_decide,
};
