/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/reroute.h"

#include <math.h>

#include "base/units.h"
#include "models/pipeline_schedule.h"

int64_t spot_reroute_micro_batch(const spot_job_t *job)
{
    const spot_step_time_t *step_time = &job->step_time;

    return step_time->pipeline.num_layers > 0 ? step_time->pipeline.micro_batch
                                              : step_time->grid.micro_batch;
}

/* The formula for a micro-batch of forward_ms and cycle_ms (c). */
static double formula_ms(const spot_reroute_t *self, const spot_pipeline_t *pipeline,
    int64_t num_pipelines, int64_t num_lost)
{
    const double cycle_ms = pipeline->forward_ms + pipeline->backward_ms;
    const double num_micro_batches = (double) pipeline->num_micro_batches;
    const double num_fill = (double) (pipeline->num_stages - 1);
    const double load = (double) num_pipelines / (double) (num_pipelines - num_lost);
    const double fill_ms = num_fill * (self->is_worst_fill ? cycle_ms : pipeline->forward_ms);

    return fmax(
        (num_micro_batches + num_fill) * cycle_ms, num_micro_batches * cycle_ms * load + fill_ms);
}

int64_t spot_reroute_step_ms(
    const spot_reroute_t *self, const spot_job_t *job, int64_t num_pipelines, int64_t num_lost)
{
    const double own_ms = (double) spot_job_step_ms(job, num_pipelines);
    const bool has_model = job->step_time.pipeline.num_layers > 0;
    spot_pipeline_t pipeline = {.num_stages = job->pipeline_depth,
        .forward_ms = self->forward_share,
        .backward_ms = 1 - self->forward_share};
    double before_ms, after_ms, step_ms;

    if (has_model) {
        pipeline = spot_step_pipeline_of(
            &job->step_time.pipeline, job->samples_per_step, num_pipelines, job->pipeline_depth);
    }
    pipeline.num_micro_batches =
        spot_micro_batches(job->samples_per_step, self->micro_batch, num_pipelines);
    before_ms = formula_ms(self, &pipeline, num_pipelines, 0);
    after_ms = formula_ms(self, &pipeline, num_pipelines, num_lost);
    step_ms = has_model ? own_ms + (after_ms - before_ms) : own_ms * (after_ms / before_ms);
    return (int64_t) fmin(fmax(rint(step_ms), 1), (double) SPOT_MAX_DURATION_MS);
}
