/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/vc_work.h"

#include <math.h>
#include <stdbool.h>

#include "base/memory.h"
#include "sim/schedule/policy.h"
#include "sim/schedule/vc_core.h"

/* ---- The closed form ---- */

/* The value that a subtraction takes off as long as the result stays in the octave of
 * work, and how many subtractions surely do. Within an octave doubles are equally far
 * apart, so that each difference is rounded by the same amount; a difference in the
 * middle between two doubles is rounded to the even one and is left to the loop. */
static double octave_step(double work, double rate, double *num_steps)
{
    int exponent;
    double low, step;

    (void) frexp(work, &exponent);
    low = ldexp(1, exponent - 1);
    step = work - (work - rate);
    *num_steps = 0;
    if (work - rate >= low && step > 0 && fabs(step - rate) < ldexp(1, exponent - 54)) {
        *num_steps = floor((work - low) / step) - 1;
    }
    return step;
}

/* Subtracts up to num_seconds times, and not further than the first result up to 0 if
 * until_0. Returns how many times. */
static int64_t subtract(double *work, double rate, int64_t num_seconds, bool until_0)
{
    int64_t num_done = 0;

    while (num_done < num_seconds && (!until_0 || *work > 0)) {
        double num_steps = 0;
        const double step = *work > 4 * rate ? octave_step(*work, rate, &num_steps) : 0;

        if (num_steps >= 1) {
            const double num_left = (double) (num_seconds - num_done);

            num_steps = num_steps < num_left ? num_steps : num_left;
            *work -= num_steps * step; /* exact: multiples of one unit */
            num_done += (int64_t) num_steps;
        } else {
            *work -= rate;
            num_done++;
        }
    }
    return num_done;
}

static bool is_whole(double work, double rate)
{
    return rate == floor(rate) && work == floor(work);
}

double spot_work_after(double work, double rate, int64_t num_seconds)
{
    if (is_whole(work, rate)) {
        return work - (double) num_seconds * rate;
    }
    (void) subtract(&work, rate, num_seconds, false);
    return work;
}

int64_t spot_work_seconds(double work, double rate)
{
    if (work <= 0) {
        return 0;
    }
    if (is_whole(work, rate)) { /* the quotient of whole numbers below 2^53 */
        const int64_t whole = (int64_t) work, step = (int64_t) rate;

        return (whole + step - 1) / step;
    }
    return subtract(&work, rate, INT64_MAX, true);
}

/* ---- Checkpoints ---- */

/* The checkpoint in flight becomes durable. */
static void end_checkpoint(spot_vc_t *self, spot_vc_job_t *job)
{
    job->saved = job->captured;
    self->ledger[SPOT_GPU_USEFUL] += job->captured_pending;
    job->pending -= job->captured_pending;
    job->durable_s = INT64_MAX;
}

void spot_vc_capture(spot_vc_job_t *job, int64_t num_s, int64_t write_s)
{
    job->captured = spot_work_after(job->left, job->rate, num_s);
    job->captured_pending = job->pending + num_s * job->half_gpus;
    job->durable_s = job->touched_s + num_s + write_s;
}

/* The checkpoints of num_s seconds of progress: one starts whenever the progress is a
 * multiple of the interval and none is in flight. Only the last one that becomes durable
 * matters, and the one after it. */
static void pass_checkpoints(
    spot_vc_t *self, spot_vc_job_t *job, const spot_job_terms_row_t *terms, int64_t num_s)
{
    const int64_t interval_s = terms->checkpoint_interval_s;
    const int64_t write_s = terms->checkpoint_write_s;
    const int64_t end_s = job->touched_s + num_s;
    int64_t first_s = job->progress_s + 1, step_s, last_s;

    if (job->durable_s <= end_s) {
        const int64_t free_s = job->progress_s + job->durable_s - job->touched_s;

        first_s = free_s > first_s ? free_s : first_s;
        end_checkpoint(self, job);
    } else if (job->durable_s != INT64_MAX) {
        return;
    }
    if (interval_s == 0) {
        return;
    }
    first_s = (first_s + interval_s - 1) / interval_s * interval_s - job->progress_s;
    step_s = interval_s * (write_s > interval_s ? (write_s + interval_s - 1) / interval_s : 1);
    if (first_s > num_s) {
        return;
    }
    last_s = first_s + (num_s - first_s) / step_s * step_s;
    if (last_s + write_s > num_s && last_s > first_s) {
        spot_vc_capture(job, last_s - step_s, write_s);
        end_checkpoint(self, job); /* the last one counts from here on */
    }
    spot_vc_capture(job, last_s, write_s);
    if (last_s + write_s <= num_s) {
        end_checkpoint(self, job);
    }
}

/* ---- Time ---- */

void spot_vc_advance(spot_vc_t *self, spot_vc_job_t *job, int64_t now_s)
{
    int64_t num_s = now_s - job->touched_s;

    if (num_s <= 0) {
        return;
    }
    job->service_gpu_s += num_s * job->gpus;
    if (job->core_id >= 0) { /* what it has done is known when it ends */
        job->pending += num_s * job->half_gpus;
        job->left -= (double) num_s * job->rate;
        job->touched_s = now_s;
        return;
    }
    if (job->overhead_s > 0) {
        const int64_t paid_s = num_s < job->overhead_s ? num_s : job->overhead_s;

        job->overhead_s -= paid_s;
        job->overhead_paid_s += paid_s;
        self->ledger[SPOT_GPU_OVERHEAD] += paid_s * job->half_gpus;
        job->touched_s += paid_s;
        num_s -= paid_s;
        if (job->durable_s <= job->touched_s) {
            end_checkpoint(self, job);
        }
    }
    if (num_s > 0) {
        const spot_job_terms_row_t *terms = spot_vc_terms(self, job);

        if (terms->checkpoint_interval_s > 0 || job->durable_s != INT64_MAX) {
            pass_checkpoints(self, job, terms, num_s);
        }
        job->left = spot_work_after(job->left, job->rate, num_s);
        job->pending += num_s * job->half_gpus;
        job->progress_s += num_s;
        job->touched_s = now_s;
    }
}

double spot_vc_rest(const spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];
    int64_t num_s = at->status == SPOT_JOB_RUNNING ? self->now_s - at->touched_s : 0;

    if (num_s <= at->overhead_s) {
        return at->left + (double) (at->overhead_s - num_s) * self->unit;
    }
    num_s -= at->overhead_s;
    return spot_work_after(at->left, at->rate, num_s);
}

int64_t spot_vc_service_gpu_s(const spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];

    return at->status == SPOT_JOB_RUNNING
               ? at->service_gpu_s + (self->now_s - at->touched_s) * at->gpus
               : at->service_gpu_s;
}

/* ---- What is durable ---- */

void spot_vc_settle_work(spot_vc_t *self, spot_vc_job_t *job, bool is_lost)
{
    if (job->core_id >= 0) {
        return;
    }
    if (is_lost) {
        job->lost += job->saved - job->left;
        job->left = job->saved;
    }
    job->saved = job->left;
    self->ledger[is_lost ? SPOT_GPU_LOST : SPOT_GPU_USEFUL] += job->pending;
    job->pending = 0;
    job->durable_s = INT64_MAX;
}

/* ---- Speed ---- */

double spot_vc_throughput(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    const spot_job_terms_row_t *terms = spot_vc_terms(self, &self->jobs[job]);
    const spot_job_scaling_t *scaling;
    size_t j = 0;

    if (terms->scaling_id < 0) {
        return spot_vc_core_throughput(self, job, gpus);
    }
    scaling = &self->log->scalings[terms->scaling_id];
    while (scaling->sizes[j] != gpus) {
        j++;
        spot_bug_assert(j < scaling->num_sizes);
    }
    return scaling->per_s[j];
}

double spot_vc_scale(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    const int32_t nominal = spot_vc_row(self, job)->gpu_num;

    return gpus == nominal || self->jobs[job].core_id >= 0
               ? 1000
               : floor(1000 * spot_vc_throughput(self, job, gpus) /
                           spot_vc_throughput(self, job, nominal) +
                       0.5);
}

int32_t spot_vc_largest_size(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    int32_t best = 0;

    for (int32_t size = spot_vc_next_size(self, job, 0); size > 0 && size <= gpus;
         size = spot_vc_next_size(self, job, size)) {
        best = size;
    }
    return best;
}

int32_t spot_vc_next_size(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    const spot_job_terms_row_t *terms = spot_vc_terms(self, &self->jobs[job]);
    const spot_job_scaling_t *scaling;

    if (terms->min_gpus == 0) {
        const int32_t nominal = spot_vc_row(self, job)->gpu_num;

        return nominal > gpus ? nominal : 0;
    }
    if (terms->scaling_id < 0) {
        return spot_vc_core_next_size(self, job, gpus);
    }
    scaling = &self->log->scalings[terms->scaling_id];
    for (size_t j = 0; j < scaling->num_sizes; j++) {
        const int32_t size = scaling->sizes[j];

        if (size > gpus && size >= terms->min_gpus && size <= terms->max_gpus) {
            return size;
        }
    }
    return 0;
}

void spot_vc_set_rate(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    if (at->core_id >= 0) {
        spot_calendar_move(&self->ends, at->handle, spot_vc_run_core(self, job));
        return;
    }
    at->half_gpus =
        2 * at->gpus -
        (at->partner < 0 ? 0 : spot_gpu_nodes_count_shared(&self->nodes, at->first_part));
    /* whole thousandths; in the compatible mode the double of the table */
    at->rate = self->unit == 1 ? at->scale / 1000 * at->shared_speed
                               : floor(at->scale * at->shared_speed + 0.5);
    at->rate = at->rate > 0 ? at->rate : 1e-3 * self->unit;
    spot_calendar_move(&self->ends, at->handle,
        at->touched_s + at->overhead_s + spot_work_seconds(at->left, at->rate) + self->ends_late);
}
