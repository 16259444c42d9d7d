/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/vc.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/schedule/gpu_nodes.h"
#include "sim/schedule/policy.h"

/* ---- Jobs that the training engine simulates ---- */

/* Gives a job its core if the log names a trainer. */
static void vc_add_core(spot_vc_t *self, int32_t job)
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

static void vc_free_cores(spot_vc_t *self)
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
    int64_t last_ms;

    core->start_s = self->now_s;
    core->result.horizon_ms = 0;
    if (training->recovery.traits.knows_future) {
        core->result.horizon_ms = training->horizon_ms;
    }
    do {
        last_ms = core->result.horizon_ms;
        self->fleet.read(self->fleet.context, core, self->now_s, last_ms);
        run(self, core, 0);
    } while (self->error == 0 && core->result.horizon_ms > last_ms);
}

/* Brings the nodes of the core up to date, runs it again, and returns when it ends. */
static int64_t vc_run_core(spot_vc_t *self, int32_t job)
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

/* Divides the time that a job has held its GPUs as the core's ledger does; finish: of
 * all that have not ended. */
static void vc_settle_core(spot_vc_t *self, int32_t job)
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

static void vc_finish_cores(spot_vc_t *self)
{
    for (int32_t job = 0; self->num_cores > 0 && job < (int32_t) self->num_jobs; job++) {
        const spot_vc_job_t *at = &self->jobs[job];
        spot_core_job_t *core = at->core_id < 0 ? NULL : &self->cores[at->core_id];

        if (core != NULL && at->status != SPOT_JOB_ENDED && core->start_s >= 0 &&
            self->now_s > core->start_s) {
            run(self, core, (self->now_s - core->start_s) * SPOT_MS_PER_S);
            vc_settle_core(self, job);
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

/* Takes all free GPUs of nodes that take jobs in addition to those of first_part, which
 * may be -1. Returns the first part, or -1: there are none. */
static int32_t gpu_nodes_take_all(spot_gpu_nodes_t *self, int32_t first_part)
{
    int32_t *link = &first_part;

    if (self->num_free > 0) {
        const int32_t more = spot_gpu_nodes_take(self, SPOT_PLACER_RANDOM, self->num_free);

        while (*link >= 0) {
            link = &self->parts[*link].next;
        }
        *link = more;
    }
    return first_part;
}

/* A job has all GPUs of a fleet that take jobs, and those that it had before. */
static void vc_take_fleet(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->first_part = gpu_nodes_take_all(&self->nodes, at->first_part);
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

/* Starts a checkpoint after num_s more seconds of progress, in place of one in flight.
 */
static void vc_capture(spot_vc_job_t *job, int64_t num_s, int64_t write_s)
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
        vc_capture(job, last_s - step_s, write_s);
        end_checkpoint(self, job); /* the last one counts from here on */
    }
    vc_capture(job, last_s, write_s);
    if (last_s + write_s <= num_s) {
        end_checkpoint(self, job);
    }
}

/* ---- A running job in time ---- */

/* Brings a running job forward to the end of second now_s: overhead, progress and
 * checkpoints. O(1) in the seconds. */
static void vc_advance(spot_vc_t *self, spot_vc_job_t *job, int64_t now_s)
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

/* ---- What is durable ---- */

/* What has been done becomes durable, or is lost; the job has been advanced. A
 * checkpoint in flight is discarded. */
static void vc_settle_work(spot_vc_t *self, spot_vc_job_t *job, bool is_lost)
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

/* Thousandths of the nominal throughput at an allowed size, rounded half up. */
static double vc_scale(const spot_vc_t *self, int32_t job, int32_t gpus)
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

/* Sets the rate of a running job by its size and its partner, and when it ends. */
static void vc_set_rate(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    if (at->core_id >= 0) {
        spot_calendar_move(&self->ends, at->handle, vc_run_core(self, job));
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

/* ---- Running jobs ---- */

/* What changes the jobs of a VC that run: the policy, which starts, stops and resizes
 * them, and nodes, which come, go or get a notice. */

static void append_running(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->previous = self->last_running;
    at->next = -1;
    if (self->last_running < 0) {
        self->first_running = job;
    } else {
        self->jobs[self->last_running].next = job;
    }
    self->last_running = job;
    self->num_running++;
    at->started = self->num_starts++;
}

static void remove_running(spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];

    if (at->previous < 0) {
        self->first_running = at->next;
    } else {
        self->jobs[at->previous].next = at->next;
    }
    if (at->next < 0) {
        self->last_running = at->previous;
    } else {
        self->jobs[at->next].previous = at->previous;
    }
    self->num_running--;
}

/* Reports the GPUs of a job before they change. */
static void vc_report_held(spot_vc_t *self, spot_vc_job_t *at)
{
    if (self->watch.on_release != NULL && at->held_since_s < self->now_s) {
        self->watch.on_release(
            self->watch.context, self, (int32_t) (at - self->jobs), at->held_since_s);
    }
    at->held_since_s = self->now_s;
}

/* A running job, which has been advanced, gives back its GPUs and leaves the list. Its
 * partner, too, goes on alone; keeps_speed: at the speed that it had with a partner. */
static void vc_release(spot_vc_t *self, int32_t job, bool keeps_speed)
{
    spot_vc_job_t *at = &self->jobs[job];

    vc_report_held(self, at);
    spot_gpu_nodes_give(&self->nodes, at->first_part);
    at->first_part = -1;
    spot_calendar_cancel(&self->ends, at->handle);
    remove_running(self, job);
    if (at->partner >= 0) {
        spot_vc_job_t *partner = &self->jobs[at->partner];

        partner->partner = -1;
        if (!keeps_speed) {
            partner->shared_speed = 1;
            partner->is_exclusive = true;
            SPOT_ARRAY_PUSH(self, alone, at->partner);
        }
        at->shared_speed = 1;
        at->is_exclusive = true;
        vc_set_rate(self, at->partner);
        at->partner = -1;
    }
}

/* A running job whose work is saved or lost goes back to the queue. */
static void requeue(spot_vc_t *self, int32_t job)
{
    if (self->jobs[job].partner >= 0) {
        vc_advance(self, &self->jobs[self->jobs[job].partner], self->now_s);
    }
    vc_release(self, job, false);
    self->jobs[job].is_exclusive =
        self->jobs[job].core_id < 0; /* even if it was a guest that stayed slow */
    self->jobs[job].shared_speed = 1;
    if (self->jobs[job].core_id >= 0) {
        (void) vc_run_core(self, job);
    }
    spot_vc_enqueue(self, job);
}

/* What a change of size begins: progress is counted anew. */
static void begin_size(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];

    at->gpus = gpus;
    at->scale = vc_scale(self, job, gpus);
    at->progress_s = 0;
    at->resized_s = self->now_s;
    at->resizes++;
    self->resizes++;
    self->is_changed = true;
    SPOT_ARRAY_PUSH(self, alone, job);
    vc_set_rate(self, job);
}

/* The overhead of a restart, as the log says or else that of the published simulators.
 */
static int64_t restart_s(const spot_vc_t *self, const spot_vc_job_t *job)
{
    const int64_t given_s = job->core_id >= 0 ? 0 : spot_vc_terms(self, job)->restart_s;

    return given_s >= 0                                                  ? given_s
           : self->log->jobs[job->row_id].gpu_num <= SPOT_SMALL_JOB_GPUS ? 40
                                                                         : 60;
}

static int64_t reconfiguration_s(const spot_vc_t *self, const spot_vc_job_t *job)
{
    return job->core_id >= 0 ? 0 : spot_vc_terms(self, job)->reconfiguration_s;
}

/* ---- What a policy does ---- */

/* A job that has its GPUs begins to run. */
static void run_job(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];
    int ret;

    spot_bug_assert(at->status == SPOT_JOB_QUEUED);
    spot_vc_leave_queue(self, job);
    self->is_changed = true;
    at->status = SPOT_JOB_RUNNING;
    at->start_s = at->start_s < 0 ? self->now_s : at->start_s;
    at->queue_s += self->now_s - at->waits_since_s;
    at->touched_s = at->resized_s = at->held_since_s = self->now_s;
    at->progress_s = 0;
    at->scale = vc_scale(self, job, at->gpus);
    append_running(self, job);
    ret = spot_calendar_add(&self->ends,
        &(spot_calendar_item_t){
            .tick = INT64_MAX, .phase = (int32_t) at->started, .entity_id = job},
        &at->handle);
    if (ret != 0) {
        self->error = ret;
        return;
    }
    vc_set_rate(self, job);
}

/* Jobs of the training engine have whole nodes. */
static spot_placer_t placer_of(const spot_vc_t *self, const spot_vc_job_t *job)
{
    return job->core_id >= 0 ? SPOT_PLACER_CONSOLIDATE : self->placer;
}

bool spot_vc_start_with(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];

    if (self->fleet.read != NULL) {
        vc_take_fleet(self, job);
        gpus = at->gpus;
    } else {
        at->first_part = spot_gpu_nodes_take(&self->nodes, placer_of(self, at), gpus);
        if (at->first_part < 0) {
            return false;
        }
    }
    at->gpus = gpus;
    run_job(self, job);
    SPOT_ARRAY_PUSH(self, alone, job);
    return true;
}

bool spot_vc_start(spot_vc_t *self, int32_t job)
{
    return spot_vc_start_with(self, job, self->jobs[job].gpus);
}

void spot_vc_start_head(spot_vc_t *self)
{
    spot_queue_place_t place = {0};

    for (int32_t job = spot_vc_next_queued(self, &place); job >= 0 && spot_vc_start(self, job);) {
        job = spot_vc_next_queued(self, &place);
    }
}

void spot_vc_start_beside(
    spot_vc_t *self, int32_t guest, int32_t host, double guest_speed, double host_speed)
{
    spot_vc_job_t *guest_at = &self->jobs[guest], *host_at = &self->jobs[host];

    spot_bug_assert(host_at->status == SPOT_JOB_RUNNING && host_at->partner < 0);
    guest_at->first_part = spot_gpu_nodes_share(&self->nodes, host_at->first_part);
    if (guest_at->first_part < 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    vc_advance(self, host_at, self->now_s);
    host_at->partner = guest;
    guest_at->partner = host;
    host_at->is_exclusive = guest_at->is_exclusive = false;
    host_at->is_guest = false;
    guest_at->is_guest = true;
    guest_at->host_row_id = host_at->row_id;
    guest_at->shared_speed = guest_speed;
    host_at->shared_speed = host_speed;
    run_job(self, guest);
    vc_set_rate(self, host);
}

void spot_vc_stop(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    spot_bug_assert(at->status == SPOT_JOB_RUNNING);
    vc_advance(self, at, self->now_s);
    vc_settle_work(self, at, false);
    at->overhead_s += restart_s(self, at);
    at->preemptions++;
    self->preemptions++;
    self->is_changed = true;
    requeue(self, job);
}

bool spot_vc_resize(spot_vc_t *self, int32_t job, int32_t gpus)
{
    spot_vc_job_t *at = &self->jobs[job];
    int32_t part;

    spot_bug_assert(at->status == SPOT_JOB_RUNNING && at->partner < 0);
    if (gpus < at->gpus) {
        vc_report_held(self, at);
        part = spot_gpu_nodes_shrink(&self->nodes, at->first_part, gpus);
    } else {
        part = spot_gpu_nodes_take_instead(&self->nodes, at->first_part, placer_of(self, at), gpus);
        if (part < 0) {
            return false;
        }
        vc_report_held(self, at);
        spot_gpu_nodes_forget(&self->nodes, at->first_part);
    }
    at->first_part = part;
    vc_advance(self, at, self->now_s);
    vc_settle_work(self, at, false);
    at->overhead_s += reconfiguration_s(self, at);
    begin_size(self, job, gpus);
    return true;
}

/* ---- Nodes ---- */

static void add_nodes(spot_vc_t *self)
{
    self->is_changed = true;
    if (self->policy->on_nodes != NULL) {
        self->policy->on_nodes(self);
    }
}

int32_t spot_vc_add_node(spot_vc_t *self, int32_t pool_id, int32_t instance)
{
    const int32_t node_id = spot_gpu_nodes_add(&self->nodes, pool_id, instance, self->now_s);

    self->error = spot_error_first(self->error, self->nodes.error);
    if (self->fleet.read != NULL && self->first_running >= 0) {
        vc_advance(self, &self->jobs[self->first_running], self->now_s);
        vc_report_held(self, &self->jobs[self->first_running]);
        vc_take_fleet(self, self->first_running);
    }
    add_nodes(self);
    return node_id;
}

void spot_vc_remove_node(spot_vc_t *self, int32_t node_id)
{
    spot_gpu_nodes_remove(&self->nodes, node_id);
    add_nodes(self);
}

/* An elastic job goes on with the GPUs that are left, if it may. */
static void lose_gpus(spot_vc_t *self, int32_t job, size_t num_lost, const int32_t *node_ids)
{
    spot_vc_job_t *at = &self->jobs[job];
    int32_t size = 0;

    if (at->partner >= 0) {
        vc_advance(self, &self->jobs[at->partner], self->now_s);
    }
    vc_advance(self, at, self->now_s);
    vc_settle_work(self, at, true);
    vc_report_held(self, at);
    for (size_t j = 0; j < num_lost; j++) {
        at->first_part = spot_gpu_nodes_give_node(&self->nodes, at->first_part, node_ids[j]);
    }
    if (self->fleet.read != NULL) {
        vc_take_fleet(self, job);
        return;
    }
    if (spot_vc_terms(self, at)->min_gpus > 0) {
        size = spot_vc_largest_size(self, job, spot_gpu_nodes_count(&self->nodes, at->first_part));
    }
    if (size > 0) {
        at->first_part = spot_gpu_nodes_shrink(&self->nodes, at->first_part, size);
        at->overhead_s = reconfiguration_s(self, at);
        begin_size(self, job, size);
        if (at->partner >= 0) { /* it may share fewer GPUs */
            vc_set_rate(self, at->partner);
        }
        return;
    }
    at->gpus = self->log->jobs[at->row_id].gpu_num;
    at->overhead_s = restart_s(self, at);
    at->node_preemptions++;
    self->node_preemptions++;
    requeue(self, job);
}

void spot_vc_lose_nodes(spot_vc_t *self, size_t num_lost, const int32_t *node_ids)
{
    int32_t next;

    for (size_t j = 0; j < num_lost; j++) {
        spot_gpu_nodes_close(&self->nodes, node_ids[j]);
    }
    for (int32_t job = self->first_running; job >= 0; job = next) {
        next = self->jobs[job].next;
        if (spot_vc_holds_one(self, &self->jobs[job], num_lost, node_ids)) {
            lose_gpus(self, job, num_lost, node_ids);
        }
    }
    for (size_t j = 0; j < num_lost; j++) {
        spot_gpu_nodes_remove(&self->nodes, node_ids[j]);
    }
    add_nodes(self);
}

void spot_vc_notice_nodes(
    spot_vc_t *self, size_t num_nodes, const int32_t *node_ids, int64_t notice_s)
{
    for (size_t j = 0; j < num_nodes; j++) {
        spot_gpu_nodes_close(&self->nodes, node_ids[j]);
    }
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        spot_vc_job_t *at = &self->jobs[job];
        const spot_job_terms_row_t *terms = spot_vc_terms(self, at);

        if (at->core_id >= 0 || terms->checkpoint_interval_s == 0 ||
            terms->checkpoint_write_s > notice_s ||
            !spot_vc_holds_one(self, at, num_nodes, node_ids)) {
            continue;
        }
        vc_advance(self, at, self->now_s);
        if (at->overhead_s == 0 && terms->checkpoint_write_s > 0) {
            vc_capture(at, 0, terms->checkpoint_write_s);
        } else if (at->overhead_s == 0) {
            vc_settle_work(self, at, false);
        }
    }
    add_nodes(self);
}

/* ---- Seconds ---- */

const char *const spot_gpu_time_names[SPOT_NUM_GPU_TIMES] = {
    "prepping", "standby", "useful", "lost", "overhead", "unsaved"};

void spot_vc_init(spot_vc_t *self, const spot_schedule_scenario_t *scenario,
    const spot_policy_t *policy, const char *name, int32_t vc_id)
{
    const bool is_double = scenario->quirks[SPOT_QUIRK_DOUBLE_RATES];

    *self = (spot_vc_t){.scenario = scenario,
        .policy = policy,
        .name = name,
        .vc_id = vc_id,
        .unit = is_double ? 1 : 1000,
        .placer = (spot_placer_t) scenario->placer,
        .ends_late = policy->is_decreasing && scenario->quirks[SPOT_QUIRK_LATE_END]};
    spot_calendar_init(&self->ends);
    self->state = policy->state_size > 0 ? calloc(1, policy->state_size) : NULL;
    if (policy->state_size > 0 && self->state == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
    }
}

void spot_vc_free(spot_vc_t *self)
{
    if (self->state != NULL && self->policy->free_state != NULL) {
        self->policy->free_state(self->state);
    }
    free(self->state);
    vc_free_cores(self);
    free(self->cores);
    free(self->jobs);
    free(self->arrivals);
    spot_vc_queue_free(&self->queue);
    free(self->alone);
    spot_calendar_free(&self->ends);
    spot_gpu_nodes_free(&self->nodes);
}

void spot_vc_start_clock(
    spot_vc_t *self, const spot_job_log_t *log, int32_t num_nodes, int64_t start_s)
{
    self->log = log;
    self->now_s = self->accounted_s = start_s;
    vc_free_cores(self);
    self->num_jobs = self->num_arrivals = self->next_arrival = 0;
    self->num_running = 0;
    self->first_running = self->last_running = -1;
    self->num_starts = 0;
    spot_vc_queue_clear(&self->queue);
    self->num_fresh = self->num_ended = self->num_alone = 0;
    self->is_changed = false;
    spot_calendar_clear(&self->ends);
    spot_gpu_nodes_clear(&self->nodes, (int32_t) self->scenario->gpus_per_node);
    self->num_prepping = 0;
    memset(self->ledger, 0, sizeof(self->ledger));
    self->living = 0;
    self->preemptions = self->node_preemptions = self->resizes = 0;
    self->last_end_s = -1;
    if (self->state != NULL) {
        if (self->policy->free_state != NULL) {
            self->policy->free_state(self->state);
        }
        memset(self->state, 0, self->policy->state_size);
    }
    for (int32_t j = 0; j < num_nodes; j++) {
        (void) spot_vc_add_node(self, -1, j);
    }
}

static bool arrives_before(const spot_vc_t *self, int32_t job, int32_t other)
{
    const spot_vc_job_t *a = &self->jobs[job], *b = &self->jobs[other];

    return a->enter_s != b->enter_s ? a->enter_s < b->enter_s : a->row_id < b->row_id;
}

/* Jobs are added in order, as a rule. One that comes from the profiler arrives before
 * most others and takes the place of one that has arrived. */
static void add_arrival(spot_vc_t *self, int32_t job)
{
    const size_t num_arrivals = self->num_arrivals;
    size_t place = self->next_arrival;

    if (place > 0 && place < num_arrivals &&
        arrives_before(self, job, self->arrivals[num_arrivals - 1])) {
        self->next_arrival--;
        for (; !arrives_before(self, job, self->arrivals[place]); place++) {
            self->arrivals[place - 1] = self->arrivals[place];
        }
        self->arrivals[place - 1] = job;
        return;
    }
    if (SPOT_ARRAY_PUSH(self, arrivals, job) != 0) {
        return;
    }
    for (place = num_arrivals;
         place > self->next_arrival && arrives_before(self, job, self->arrivals[place - 1]);
         place--) {
        self->arrivals[place] = self->arrivals[place - 1];
    }
    self->arrivals[place] = job;
}

void spot_vc_add_job(
    spot_vc_t *self, int32_t row_id, int64_t enter_s, int64_t duration_s, double estimate_s)
{
    const double work = (double) duration_s * self->unit;
    const spot_vc_job_t job = {.row_id = row_id,
        .gpus = self->log->jobs[row_id].gpu_num,
        .core_id = -1,
        .block_id = SPOT_NOT_QUEUED,
        .enter_s = enter_s,
        .estimate_s = estimate_s,
        .left = work,
        .saved = work,
        .durable_s = INT64_MAX,
        .first_part = -1,
        .previous = -1,
        .next = -1,
        .partner = -1,
        .is_exclusive = true,
        .scale = 1000,
        .shared_speed = 1,
        .start_s = -1,
        .end_s = -1,
        .host_row_id = -1};

    if (SPOT_ARRAY_PUSH(self, jobs, job) == 0) {
        vc_add_core(self, (int32_t) self->num_jobs - 1);
        add_arrival(self, (int32_t) self->num_jobs - 1);
    }
}

/* ---- The VC in time ---- */

/* Brings the ledger forward to now_s. */
static void account(spot_vc_t *self, int64_t now_s)
{
    const int64_t num_s = now_s - self->accounted_s;
    const int64_t num_prepping = (int64_t) self->num_prepping * self->nodes.gpus_per_node;
    const int64_t num_listed = (int64_t) self->nodes.num_listed * self->nodes.gpus_per_node;

    self->ledger[SPOT_GPU_PREPPING] += 2 * num_s * num_prepping;
    self->ledger[SPOT_GPU_STANDBY] += 2 * num_s * self->nodes.num_idle;
    self->living += 2 * num_s * (num_prepping + num_listed);
    self->accounted_s = now_s;
}

int64_t spot_vc_next_due_s(const spot_vc_t *self)
{
    int64_t due_s = INT64_MAX;

    if (self->next_arrival < self->num_arrivals) {
        due_s = self->jobs[self->arrivals[self->next_arrival]].enter_s;
    }
    if (self->ends.num_items > 0) {
        const int64_t end_s = spot_calendar_first(&self->ends)->tick;

        due_s = end_s < due_s ? end_s : due_s;
    }
    if (self->policy->next_due_s != NULL && self->fleet.read == NULL) {
        const int64_t policy_s = self->policy->next_due_s(self);

        due_s = policy_s < due_s ? policy_s : due_s;
    }
    return due_s;
}

/* ---- Ends ---- */

/* The partner of a job that ends has worked in this second too. A guest, which stands
 * behind its host in a list whose jobs are tested one by one, has worked alone already,
 * though the host held a half of the GPUs. */
static void leave_partner(spot_vc_t *self, int32_t job)
{
    const spot_vc_job_t *at = &self->jobs[job];
    spot_vc_job_t *partner = at->partner < 0 ? NULL : &self->jobs[at->partner];
    const bool is_host = partner != NULL && partner->is_guest;
    const bool is_late = is_host && self->ends_late;

    if (partner != NULL) {
        vc_advance(self, partner, self->now_s - is_late);
    }
    vc_release(self, job, is_host && self->scenario->quirks[SPOT_QUIRK_SLOW_GUEST]);
    if (is_late) {
        const int32_t half_gpus = partner->half_gpus;

        partner->half_gpus = at->half_gpus;
        vc_advance(self, partner, self->now_s);
        partner->half_gpus = half_gpus;
    }
}

static void end_job(spot_vc_t *self, int32_t job)
{
    spot_vc_job_t *at = &self->jobs[job];

    vc_advance(self, at, self->now_s);
    vc_settle_work(self, at, false);
    if (at->core_id >= 0) {
        vc_settle_core(self, job);
    }
    leave_partner(self, job);
    at->status = SPOT_JOB_ENDED;
    at->end_s = self->now_s;
    self->last_end_s = self->now_s;
    self->num_ended++;
    if (self->policy->on_end != NULL) {
        self->policy->on_end(self, job);
    }
    if (self->on_end != NULL) {
        self->on_end(self->owner, self, job);
    }
}

/* Jobs that end in one second leave in the order of their starts, as in the list. */
void spot_vc_begin_second(spot_vc_t *self, int64_t now_s)
{
    if (self->watch.on_time != NULL) {
        self->watch.on_time(self->watch.context, self, now_s);
    }
    account(self, now_s);
    self->now_s = now_s;
    self->num_fresh = 0;
    self->is_changed = false;
    while (self->ends.num_items > 0 && spot_calendar_first(&self->ends)->tick <= now_s) {
        const int32_t handle = spot_calendar_first(&self->ends)->handle;

        end_job(self, spot_calendar_item(&self->ends, handle).entity_id);
        self->is_changed = true;
    }
}

/* ---- Decisions ---- */

static void take_arrivals(spot_vc_t *self)
{
    while (self->next_arrival < self->num_arrivals &&
           self->jobs[self->arrivals[self->next_arrival]].enter_s <= self->now_s) {
        spot_vc_enqueue(self, self->arrivals[self->next_arrival++]);
        self->num_fresh++;
        self->is_changed = true;
    }
}

void spot_vc_schedule(spot_vc_t *self)
{
    take_arrivals(self);
    if (self->error != 0) {
        return; /* jobs may be missing in the queue */
    }
    if (self->fleet.read == NULL) {
        self->policy->decide(self);
    } else if (self->num_running == 0 && spot_vc_num_queued(self) > 0) {
        spot_queue_place_t place = {0};

        (void) spot_vc_start(self, spot_vc_next_queued(self, &place));
    }
    self->num_alone = 0;
    self->error = spot_error_first(self->error, self->nodes.error);
    if (self->error == 0) {
        spot_vc_compact_queue(self);
    }
}

void spot_vc_finish(spot_vc_t *self, int64_t end_s)
{
    int64_t sum = 0;

    if (self->watch.on_time != NULL && end_s >= self->now_s) {
        self->watch.on_time(self->watch.context, self, end_s + 1); /* the last second */
    }
    account(self, end_s);
    self->now_s = end_s;
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        spot_vc_job_t *at = &self->jobs[job];

        vc_advance(self, at, end_s);
        vc_report_held(self, at);
        if (at->core_id < 0) {
            self->ledger[SPOT_GPU_UNSAVED] += at->pending;
        }
    }
    vc_finish_cores(self);
    for (int j = 0; j < SPOT_NUM_GPU_TIMES; j++) {
        sum += self->ledger[j];
    }
    spot_bug_assert(sum == self->living || self->error != 0);
}

/* ---- For tests ---- */

void spot_vc_verify(const spot_vc_t *self)
{
    int32_t num_running = 0;
    int32_t num_held = 0;

    spot_gpu_nodes_verify(&self->nodes);
    for (int32_t job = self->first_running; job >= 0; job = self->jobs[job].next) {
        const spot_vc_job_t *at = &self->jobs[job];

        num_running++;
        spot_bug_assert(at->status == SPOT_JOB_RUNNING);
        spot_bug_assert(spot_gpu_nodes_count(&self->nodes, at->first_part) == at->gpus);
        spot_bug_assert(at->partner < 0 || self->jobs[at->partner].partner == job);
        spot_bug_assert(
            at->partner >= 0 || spot_gpu_nodes_count_shared(&self->nodes, at->first_part) == 0);
        num_held += at->half_gpus;
    }
    spot_bug_assert(num_running == self->num_running);
    spot_bug_assert(num_held == 2 * (self->nodes.num_listed * self->nodes.gpus_per_node -
                                        self->nodes.num_idle));
}
