/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "law_bound.h"

#include <math.h>

#include "models/job.h"
#include "sim/train/job/run_log.h"

int64_t law_step_ms(const spot_job_t *job, int64_t num_pipelines, int64_t depth)
{
    const spot_step_pair_t *pair;

    if (!spot_step_time_is_by_pair(&job->step_time)) {
        return spot_step_time_ms(&job->step_time, num_pipelines * depth);
    }
    pair = spot_step_grid_find(&job->step_time.grid, num_pipelines, depth);
    return pair == NULL ? 0 : spot_step_pair_ms(pair);
}

/* The most steps in a millisecond with so many instances. */
typedef double speed_t(
    const law_row_t *row, const spot_scenario_t *scenario, int64_t num_instances);

/* Doubled stages: each holder has taken one place at most, so that there are no more
 * than twice as many places as instances; with any taken a step takes slowdown times as
 * long, in whole ms. Else D P instances are there. */
static double speed_of_doubled(
    const law_row_t *row, const spot_scenario_t *scenario, int64_t num_instances)
{
    const spot_job_t *job = &scenario->job;
    const double slowdown = row->slowdown > 0 ? row->slowdown : 1.5;
    double best = 0;

    for (int64_t d = 1; d * job->pipeline_depth <= 2 * num_instances &&
                        d * job->pipeline_depth <= scenario->fleet.capacity;
         d++) {
        const double step_ms = (double) law_step_ms(job, d, job->pipeline_depth);
        const bool is_whole = d * job->pipeline_depth <= num_instances;

        if (step_ms > 0 && d <= job->max_pipelines) {
            best = fmax(best, 1 / (is_whole ? step_ms : floor(slowdown * step_ms)));
        }
    }
    return best;
}

/* Rerouted: of D pipelines N instances leave floor(N/P) holders at most to the stage
 * that has lost most, and f = D - floor(N/P) places are lost there at least; the more,
 * the longer the step. */
static double speed_of_rerouted(
    const law_row_t *row, const spot_scenario_t *scenario, int64_t num_instances)
{
    const spot_job_t *job = &scenario->job;
    const spot_reroute_t reroute = {.micro_batch = row->micro_batch,
        .forward_share = 1.0 / 3,
        .is_worst_fill = row->is_worst_fill};
    const int64_t num_whole = num_instances / job->pipeline_depth;
    double best = 0;

    for (int64_t d = 1; num_whole > 0 && d <= job->max_pipelines &&
                        d * job->pipeline_depth <= scenario->fleet.capacity;
         d++) {
        const int64_t num_lost = d > num_whole ? d - num_whole : 0;

        if (law_step_ms(job, d, job->pipeline_depth) > 0) {
            best = fmax(best, 1 / (double) spot_reroute_step_ms(&reroute, job, d, num_lost));
        }
    }
    return best;
}

/* Pipelines of different depths: all micro-batches of a step go through all layers, and
 * N instances do no more than N layers at a time. */
static double speed_of_templates(
    const law_row_t *row, const spot_scenario_t *scenario, int64_t num_instances)
{
    const spot_step_pipeline_t *model = &scenario->job.step_time.pipeline;
    const double num_micro_batches = (double) scenario->job.samples_per_step / LAW_MICRO_BATCH;
    const double work_ms =
        num_micro_batches * LAW_NUM_LAYERS * (model->forward_ms + model->backward_ms);

    (void) row; /* the step time is rounded to whole ms */
    return 1 / fmax(1, work_ms / (double) num_instances - 0.5);
}

/* What bounds the row instead of "ideal", which bounds what uses the job's table and
 * uniform pipelines; NULL: nothing. */
static speed_t *own_bound(const law_row_t *row, law_job_t job)
{
    if (law_is_of(row, "bamboo")) {
        return speed_of_doubled;
    }
    if (law_is_of(row, "recycle")) {
        return speed_of_rerouted;
    }
    return law_is_of(row, "oobleck") && job == LAW_BY_MODEL ? speed_of_templates : NULL;
}

/* The integral of the speed over the instances that are ready. A step under way that
 * goes on under another decision is rounded to whole ms of its own; is_carried: there
 * are such decisions, each with a phase of its own in the log. */
static double integral(const law_row_t *row, const spot_scenario_t *scenario, speed_t *speed,
    const spot_event_log_t *log, int64_t horizon_ms)
{
    double steps = 0, steps_per_ms = 0, fastest = 0;
    int64_t since_ms = 0, num_phases = 0;

    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];
        const int64_t num_ready = record->values[1] + record->values[2];

        num_phases += record->kind == SPOT_LOG_PHASE;
        if (record->kind == SPOT_LOG_FLEET) {
            steps += steps_per_ms * (double) (record->time_ms - since_ms);
            steps_per_ms = num_ready == 0 ? 0 : speed(row, scenario, num_ready);
            fastest = fmax(fastest, steps_per_ms);
            since_ms = record->time_ms;
        }
    }
    steps += steps_per_ms * (double) (horizon_ms - since_ms);
    return steps + (law_is_of(row, "bamboo") ? 0.5 * fastest * (double) num_phases : 0);
}

bool law_has_own_bound(const law_row_t *row, law_job_t job)
{
    return own_bound(row, job) != NULL;
}

double law_own_bound(const law_row_t *row, law_job_t job, const spot_scenario_t *scenario,
    const spot_event_log_t *log, int64_t horizon_ms)
{
    return integral(row, scenario, own_bound(row, job), log, horizon_ms);
}
