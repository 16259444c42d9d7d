/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/vc_work.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/schedule/policy.h"
#include "sim/train/assumed.h"

/* ---- Vc core ---- */

void spot_vc_add_core(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];
    const spot_trainer_t *trainer = self->trainers == NULL ? NULL
                                                           : spot_trainers_find(self->trainers,
                                                                 spot_vc_terms(self, at)->trainer);

    if (trainer != NULL &&
        SPOT_ARRAY_PUSH(self, cores,
            (spot_core_job_t){
                .trainer = trainer, .is_prepared = self->fleet.read == NULL, .start_s = -1}) == 0) {
        at->core_id = (int32_t) self->num_cores - 1;
        at->is_exclusive = false; /* no job shares its GPUs */
    }
}

void spot_vc_free_cores(spot_vc_t *self)
{
    for (size_t j = 0; j < self->num_cores; j++) {
        free(self->cores[j].events);
    }
    self->num_cores = 0;
}

void spot_core_job_change(
    spot_core_job_t *self, int64_t time_ms, int32_t node_id, spot_event_kind_t kind)
{
    SPOT_ARRAY_PUSH(
        self, events, (spot_core_event_t){time_ms, node_id, kind, kind == SPOT_EVENT_ADD});
}

void spot_core_job_start_with(spot_core_job_t *self, int32_t node_id)
{
    spot_core_job_change(self, 0, node_id, SPOT_EVENT_ADD);
    self->num_initial++;
}

/* The trace of what has happened; its names are the ids of nodes. memory: of its arrays.
 * Returns the most nodes at a time. */
static int32_t make_trace(const spot_core_job_t *self, spot_trace_t *trace, spot_arena_t *memory)
{
    const int32_t num_initial = (int32_t) self->num_initial;
    int32_t population = num_initial, most = num_initial, last_id = -1, *ids;
    spot_event_t *events;

    SPOT_ARENA_ARRAY(memory, ids, self->num_events);
    SPOT_ARENA_ARRAY(memory, events, self->num_events);
    if (memory->error != 0) {
        return 0;
    }
    for (size_t j = 0; j < self->num_events; j++) {
        const spot_core_event_t *event = &self->events[j];

        ids[j] = event->node_id;
        last_id = ids[j] > last_id ? ids[j] : last_id;
        events[j] = (spot_event_t){
            .time_ms = event->time_ms, .kind = event->kind, .count = 1, .name_ids = &ids[j]};
        if (j >= self->num_initial) {
            population += event->kind == SPOT_EVENT_ADD ? 1 : -1;
            most = population > most ? population : most;
        }
    }
    *trace = (spot_trace_t){.kind = SPOT_TRACE_NAMED,
        .capacity = SPOT_UNBOUNDED,
        .resolution_ms = 1,
        .initial = num_initial,
        .end_ms = SPOT_MAX_DURATION_MS,
        .final = population,
        .num_events = self->num_events - self->num_initial,
        .events = events + self->num_initial,
        .num_names = (size_t) last_id + 1,
        .name_ids = ids};
    return most;
}

/* Runs the training engine on what has happened so far, up to last_ms of its clock (0:
 * as its scenario says). The last run is the result. */
static void run(spot_vc_t *vc, spot_core_job_t *self, int64_t last_ms)
{
    spot_scenario_t scenario = *self->trainer->training;
    spot_arena_t memory = {0};
    spot_trace_t trace;
    spot_train_t train = {0};
    const int32_t most = make_trace(self, &trace, &memory);
    /* the scheduler gives ready nodes, so that none is clipped */
    const int64_t least = self->is_prepared ? most : (int64_t) self->num_initial;
    int ret = spot_error_first(self->error, memory.error);

    scenario.fleet.on_demand = 0;
    if (self->is_prepared) {
        scenario.fleet.preparation_ms = 0;
    }
    if (scenario.fleet.capacity < least) {
        scenario.fleet.capacity = least;
    }
    if (last_ms > 0 && last_ms < scenario.horizon_ms) {
        scenario.horizon_ms = last_ms;
    }
    if (ret == 0) {
        ret = spot_trace_model_of(&scenario.trace, &trace);
        ret = ret != 0 ? ret : spot_train_init(&train, &scenario);
        ret = ret != 0 ? ret : spot_train_run(&train, vc->seed, vc->replication, NULL);
        self->result = train.result;
        spot_train_free(&train);
        spot_trace_model_free(&scenario.trace);
    }
    spot_arena_free(&memory);
    vc->error = spot_error_first(vc->error, ret);
}

static bool is_held(const spot_core_job_t *core, int32_t node_id)
{
    for (size_t j = 0; j < core->num_events; j++) {
        if (core->events[j].is_held && core->events[j].node_id == node_id) {
            return true;
        }
    }
    return false;
}

/* Records for the core which nodes have gone and which have come. */
static void change_nodes(const spot_vc_t *self, const spot_vc_job_t *job, spot_core_job_t *core)
{
    const bool has_started = core->start_s >= 0;
    int64_t time_ms;

    core->start_s = has_started ? core->start_s : self->now_s;
    time_ms = (self->now_s - core->start_s) * SPOT_MS_PER_S;
    for (size_t j = core->num_events; j > 0; j--) {
        const int32_t node_id = core->events[j - 1].node_id;

        if (core->events[j - 1].is_held && !spot_vc_holds_one(self, job, 1, &node_id)) {
            core->events[j - 1].is_held = false;
            spot_core_job_change(core, time_ms, node_id, SPOT_EVENT_PREEMPT);
        }
    }
    for (int32_t part = job->first_part; part >= 0; part = self->nodes.parts[part].next) {
        const int32_t node_id = self->nodes.parts[part].node_id;

        if (!has_started) {
            spot_core_job_start_with(core, node_id);
        } else if (!is_held(core, node_id)) {
            spot_core_job_change(core, time_ms, node_id, SPOT_EVENT_ADD);
        }
    }
}

/* A fleet is read ahead as far as the run goes, as it does not depend on the job. */
static void run_on_fleet(spot_vc_t *self, spot_core_job_t *core)
{
    const spot_scenario_t *training = core->trainer->training;
    const spot_recovery_choice_t *recovery = &training->recovery;
    int64_t last_ms;

    core->start_s = self->now_s;
    core->result.horizon_ms = 0;
    if (recovery->system->knows_future != NULL &&
        recovery->system->knows_future(recovery->options)) {
        core->result.horizon_ms = training->horizon_ms;
    }
    do {
        last_ms = core->result.horizon_ms;
        self->fleet.read(self->fleet.context, core, self->now_s, last_ms);
        run(self, core, 0);
    } while (self->error == 0 && core->result.horizon_ms > last_ms);
}

int64_t spot_vc_run_core(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];
    spot_core_job_t *core = &self->cores[at->core_id];
    int64_t end_s;

    at->half_gpus = 2 * at->gpus;
    at->rate = self->unit;
    if (self->fleet.read == NULL) {
        change_nodes(self, at, core);
        run(self, core, 0);
    } else if (core->start_s < 0) {
        run_on_fleet(self, core);
    }
    end_s = core->start_s + (core->result.horizon_ms + SPOT_MS_PER_S - 1) / SPOT_MS_PER_S;
    end_s = end_s > self->now_s ? end_s : self->now_s + 1;
    at->left = (double) (end_s - self->now_s) * self->unit;
    return end_s;
}

/* ---- Its ledger ---- */

/* Moves up to instance_ms of what is pending to a part of the ledger. */
static void move_time(
    spot_vc_t *self, spot_vc_job_t *job, int64_t instance_ms, spot_gpu_time_t time)
{
    const int64_t most = 2 * instance_ms * self->nodes.gpus_per_node / SPOT_MS_PER_S;
    const int64_t moved = most < job->pending ? most : job->pending;

    self->ledger[time] += moved;
    job->pending -= moved;
}

void spot_vc_settle_core(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];
    const spot_train_result_t *result = &self->cores[at->core_id].result;
    const int64_t *ms = result->ledger.instance_ms;

    move_time(self, at, ms[SPOT_SHARE_USEFUL] + ms[SPOT_SHARE_REDUNDANT], SPOT_GPU_USEFUL);
    move_time(self, at, ms[SPOT_SHARE_LOST], SPOT_GPU_LOST);
    move_time(self, at, ms[SPOT_SHARE_UNSAVED], SPOT_GPU_UNSAVED);
    self->ledger[SPOT_GPU_OVERHEAD] += at->pending;
    at->pending = 0;
    at->lost = (double) result->lost_ms * self->unit / SPOT_MS_PER_S;
    at->overhead_paid_s = (result->job_ms[SPOT_JOB_RECONFIGURING] +
                              result->job_ms[SPOT_JOB_RELOADING] + result->stalled_ms) /
                          SPOT_MS_PER_S;
}

void spot_vc_finish_cores(spot_vc_t *self)
{
    for (int32_t job = 0; self->num_cores > 0 && job < (int32_t) self->num_jobs; job++) {
        const spot_vc_job_t *at = &self->jobs[job];
        spot_core_job_t *core = at->core_id < 0 ? NULL : &self->cores[at->core_id];

        if (core != NULL && at->status != SPOT_JOB_ENDED && core->start_s >= 0 &&
            self->now_s > core->start_s) {
            run(self, core, (self->now_s - core->start_s) * SPOT_MS_PER_S);
            spot_vc_settle_core(self, job);
        }
    }
}

/* ---- Its sizes ---- */

/* Sizes without a table: whole pipelines, and the inverse of their step time. */
static int32_t vc_core_next_size(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    const spot_job_terms_row_t *terms = spot_vc_terms(self, &self->jobs[job]);
    const spot_core_job_t *core = &self->cores[self->jobs[job].core_id];
    const int64_t step = core->trainer->training->job.pipeline_depth * self->nodes.gpus_per_node;
    const int64_t least = gpus + 1 > terms->min_gpus ? gpus + 1 : terms->min_gpus;
    const int64_t size = (least + step - 1) / step * step;

    return size <= terms->max_gpus ? (int32_t) size : 0;
}

static double vc_core_throughput(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    const spot_job_t *training = &self->cores[self->jobs[job].core_id].trainer->training->job;
    const int64_t num_pipelines = gpus / self->nodes.gpus_per_node / training->pipeline_depth;
    const int64_t step_ms = num_pipelines == 0 ? 0 : spot_job_step_ms(training, num_pipelines);

    return step_ms > 0 ? 1e3 / (double) step_ms : 0;
}

/* ---- A fleet ---- */

void spot_vc_take_fleet(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->first_part = spot_gpu_nodes_take_all(&self->nodes, at->first_part);
    at->gpus = spot_gpu_nodes_count(&self->nodes, at->first_part);
    at->half_gpus = 2 * at->gpus;
}

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
        return vc_core_throughput(self, job, gpus);
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
        return vc_core_next_size(self, job, gpus);
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
