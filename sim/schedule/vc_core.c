/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/schedule/vc_core.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/train/assumed.h"

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

int32_t spot_vc_core_next_size(const spot_vc_t *self, int32_t job, int32_t gpus)
{
    const spot_job_terms_row_t *terms = spot_vc_terms(self, &self->jobs[job]);
    const spot_core_job_t *core = &self->cores[self->jobs[job].core_id];
    const int64_t step = core->trainer->training->job.pipeline_depth * self->nodes.gpus_per_node;
    const int64_t least = gpus + 1 > terms->min_gpus ? gpus + 1 : terms->min_gpus;
    const int64_t size = (least + step - 1) / step * step;

    return size <= terms->max_gpus ? (int32_t) size : 0;
}

double spot_vc_core_throughput(const spot_vc_t *self, int32_t job, int32_t gpus)
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
