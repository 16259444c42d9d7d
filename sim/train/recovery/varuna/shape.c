/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the shape of the pipelines of varuna for a number of instances. */
#include <math.h>

#include "base/units.h"
#include "sim/train/recovery/varuna/varuna.h"

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

spot_varuna_shape_t spot_varuna_best_shape(
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
