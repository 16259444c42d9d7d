/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a task graph, instant by instant, written as a log. */
#include "sim/tasks/rerun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "traces/tasks/task_compare.h"

#define MAX_TRIES 1000
#define FAR_NS 1000000000000000000 /* 31 years: a run that takes longer is given up */

typedef struct {
    enum { DONE, PENDING, ASSIGNED } state;
    bool was_done;
    uint64_t tries;
    size_t num_hosts; /* that have its data, or get it */
} task_t;

typedef struct {
    int32_t task; /* -1: none */
    bool is_running;
    size_t first_event;    /* of its task */
    double left, slowness; /* of its run, ns; INFINITY: it starts */
    int64_t since;
} worker_t;

typedef struct {
    bool is_up;
    int64_t since, num_running; /* when it came; tasks in its scope */
    uint64_t num_lives;
} host_t;

typedef struct {
    const spot_rerun_scenario_t *scenario;
    const spot_replication_t *replication;
    spot_rerun_t *result;
    size_t num_ids, num_workers, num_hosts;
    size_t num_left, first; /* tasks never done; of the order, those before are done */
    int64_t now;
    task_t *tasks;        /* [num_ids] */
    worker_t *workers;    /* [num_workers] */
    host_t *hosts;        /* [num_hosts] */
    int64_t *due;         /* [num_workers + num_hosts] */
    int64_t *sent, *held; /* [num_ids][num_workers], [num_hosts]: when it has the data */
    size_t num_events, max_events;
    spot_task_event_t *events; /* [num_events] after the end: that do not happen */
    int error;
    spot_rng_t rng;
    spot_arena_t arena;
} run_t;

static size_t
host_of(const run_t *self, size_t worker)
{
    return worker * self->num_hosts / self->num_workers;
}

/* Whose running tasks are counted for a worker's. */
static host_t *
scope_of(const run_t *self, size_t worker)
{
    return &self->hosts[self->scenario->scope == SPOT_SCOPE_HOST ? host_of(self, worker)
                                                                 : 0];
}

static void
note(run_t *self, int64_t at, size_t worker, int32_t id, bool is_transmit, int stage,
    spot_task_mode_t mode)
{
    SPOT_ARRAY_PUSH(self, events,
        (spot_task_event_t){at, id, (int32_t) worker, 0, is_transmit, (uint8_t) stage,
            (uint8_t) mode, stage == SPOT_TASK_PLANNED});
}

/* A time after an instant, from the stream of a purpose and an entity. */
static int64_t
after(
    run_t *self, int64_t at, const spot_rerun_time_t *time, int purpose, uint64_t entity)
{
    const spot_law_t *law = &time->law;

    if (law->family == NULL || at > FAR_NS) {
        return at + (at > FAR_NS ? 0 : time->fixed_ns);
    }
    spot_replication_seek(
        self->replication, &self->rng, (spot_stream_t) purpose, entity);
    return at + llround(fmin(1e9 * law->family->draw(law->parameters, &self->rng),
                    (double) SPOT_RERUN_MAX_NS));
}

/* ---- Tasks and workers ---- */

/* The first pending task in order whose inputs are there, or -1. Inputs whose data is
 * lost are pending again. O(pending tasks before it) */
static int32_t
first_ready(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;

    for (size_t j = self->first; j < self->num_ids; j++) {
        const int32_t id = scenario->order_of_tasks[j];
        const spot_rerun_task_t *task = &scenario->tasks[id];
        bool is_ready = self->tasks[id].state == PENDING, is_new = false;

        self->first += j == self->first && self->tasks[id].state == DONE;
        for (size_t k = 0; k < task->num_inputs && self->tasks[id].state == PENDING;
             k++) {
            task_t *input = &self->tasks[task->inputs[k]];

            is_ready = is_ready && input->num_hosts > 0;
            if (input->num_hosts == 0 && input->state == DONE) {
                input->state = PENDING;
                is_new = true;
            }
        }
        if (is_ready) {
            return id;
        }
        if (is_new) {
            j = SIZE_MAX; /* they may be before it */
            self->first = 0;
        }
    }
    return -1;
}

/* The free worker whose host has most of the inputs, the lowest one; num_workers: none
 * is free. */
static size_t
best_worker(const run_t *self, const spot_rerun_task_t *task)
{
    size_t best = self->num_workers, most = 0, num = 0, last = self->num_hosts;

    for (size_t j = 0; j < self->num_workers; j++) {
        const size_t host = host_of(self, j);

        if (self->workers[j].task >= 0 || !self->hosts[host].is_up) {
            continue;
        }
        num = host == last ? num : 0;
        for (size_t k = host == last ? task->num_inputs : 0; k < task->num_inputs; k++) {
            num += self->held[(size_t) task->inputs[k] * self->num_hosts + host] <=
                   self->now;
        }
        last = host;
        if (best == self->num_workers || num > most) {
            best = j;
            most = num;
        }
    }
    return best;
}

/* A worker has data from an instant on. */
static void
hold(run_t *self, int32_t id, size_t worker, int64_t at)
{
    int64_t *held = &self->held[(size_t) id * self->num_hosts + host_of(self, worker)];

    self->tasks[id].num_hosts += *held == INT64_MAX;
    *held = at < *held ? at : *held;
    self->sent[(size_t) id * self->num_workers + worker] = at;
}

/* A worker gets a task. What happens until it starts is known now. */
static void
assign(run_t *self, int32_t id, size_t worker)
{
    const spot_rerun_task_t *task = &self->scenario->tasks[id];
    const uint64_t n = self->num_ids,
                   entity = n * (n * ++self->tasks[id].tries + (uint64_t) id);
    int64_t at =
        after(self, self->now, self->scenario->delays, SPOT_STREAM_TASK_DELAY, entity);

    self->tasks[id].state = ASSIGNED;
    self->workers[worker] = (worker_t){.task = id, .first_event = self->num_events};
    for (size_t j = 0; j < task->num_inputs; j++) {
        const int32_t input = task->inputs[j];
        const bool is_local =
            self->held[(size_t) input * self->num_hosts + host_of(self, worker)] <= at;
        const spot_task_mode_t mode = is_local ? SPOT_MODE_LOCAL : SPOT_MODE_REMOTE;
        const int delay = is_local ? SPOT_DELAY_LOCAL : SPOT_DELAY_REMOTE;

        if (self->sent[(size_t) input * self->num_workers + worker] < INT64_MAX) {
            continue;
        }
        note(self, at, worker, input, true, SPOT_TRANSMIT_PLANNED, SPOT_MODE_NONE);
        for (int k = SPOT_TRANSMIT_STARTED; k <= SPOT_TRANSMIT_LOADED && !is_local;
             k++) {
            note(self, at, worker, input, true, k, mode);
        }
        at = after(self, at, &self->scenario->delays[delay],
            SPOT_STREAM_TASK_DELAY + delay, entity + (uint64_t) input);
        note(self, at, worker, input, true, SPOT_TRANSMIT_FINISHED, mode);
        hold(self, input, worker, at);
    }
    note(self, at, worker, id, false, SPOT_TASK_PLANNED, SPOT_MODE_NONE);
    for (int k = SPOT_DELAY_COMM; k <= SPOT_DELAY_QUEUE; k++) {
        at = after(
            self, at, &self->scenario->delays[k], SPOT_STREAM_TASK_DELAY + k, entity);
        note(self, at, worker, id, false, k, SPOT_MODE_NONE);
    }
    self->due[worker] = at;
}

/* Contention: running tasks go on at the pace of how many run now. */
static void
set_pace(run_t *self)
{
    for (size_t j = 0; j < self->num_hosts; j++) {
        self->hosts[j].num_running = 0;
    }
    for (size_t j = 0; j < self->num_workers; j++) {
        scope_of(self, j)->num_running += self->workers[j].is_running;
    }
    for (size_t j = 0; j < self->num_workers; j++) {
        worker_t *worker = &self->workers[j];
        const int64_t num_beside = scope_of(self, j)->num_running - 1;
        const double beta =
            worker->is_running ? self->scenario->tasks[worker->task].beta : 0;
        const double slowness = fmax(0.01, 1 + beta * (double) num_beside);

        if (worker->is_running && slowness != worker->slowness) {
            worker->left -= (double) (self->now - worker->since) / worker->slowness;
            worker->slowness = slowness;
            worker->since = self->now;
            self->due[j] =
                self->now + llround(fmin(fmax(0, worker->left) * slowness, FAR_NS));
        }
    }
}

/* ---- What happens ---- */

/* A task starts or ends. */
static void
step_worker(run_t *self, size_t worker_id)
{
    worker_t *worker = &self->workers[worker_id];
    const int32_t id = worker->task;
    const spot_rerun_task_t *shape = &self->scenario->tasks[id];
    task_t *task = &self->tasks[id];

    self->due[worker_id] = INT64_MAX;
    if (!worker->is_running) {
        worker->is_running = true;
        worker->slowness = (double) INFINITY;
        worker->left = (double) (shape->run == NULL
                                     ? shape->recorded_ns
                                     : after(self, 0, shape->run, SPOT_STREAM_TASK_RUN,
                                           task->tries * self->num_ids + (uint64_t) id));
        return;
    }
    note(self, self->now, worker_id, id, false, SPOT_TASK_FINISHED, SPOT_MODE_NONE);
    hold(self, id, worker_id, self->now);
    self->result->reruns += task->was_done;
    self->num_left -= !task->was_done;
    task->was_done = true;
    task->state = DONE;
    *worker = (worker_t){.task = -1};
}

/* A worker goes: its task runs again, and what has not happened does not. */
static void
lose_worker(run_t *self, size_t worker_id)
{
    const worker_t *worker = &self->workers[worker_id];

    for (size_t j = 0; j < self->num_ids; j++) {
        self->sent[j * self->num_workers + worker_id] = INT64_MAX;
    }
    if (worker->task < 0) {
        return;
    }
    for (size_t j = worker->first_event; j < self->num_events; j++) {
        if (self->events[j].worker == (int32_t) worker_id &&
            self->events[j].at > self->now) {
            self->events[j].at = INT64_MAX;
        }
    }
    self->tasks[worker->task].state = PENDING;
    self->result->lost_runs += worker->is_running;
    self->result->is_cut_off |= self->tasks[worker->task].tries >= MAX_TRIES;
    self->due[worker_id] = INT64_MAX;
    self->workers[worker_id] = (worker_t){.task = -1};
}

/* A host comes, or is preempted with all its data. */
static void
step_host(run_t *self, size_t host_id)
{
    host_t *host = &self->hosts[host_id];
    const spot_rerun_scenario_t *scenario = self->scenario;
    int64_t *due = &self->due[self->num_workers + host_id];

    host->is_up = !host->is_up;
    if (host->is_up) {
        host->since = self->now;
        *due = scenario->life.law.family == NULL
                   ? INT64_MAX
                   : after(self, self->now, &scenario->life, SPOT_STREAM_LIFETIME,
                         host->num_lives++ * self->num_hosts + host_id);
        return;
    }
    *due = self->now + scenario->replacement_ns;
    self->result->preemptions++;
    self->result->host_ns += self->now - host->since;
    self->first = 0;
    for (size_t j = 0; j < self->num_ids; j++) {
        int64_t *held = &self->held[j * self->num_hosts + host_id];

        self->tasks[j].num_hosts -= *held < INT64_MAX;
        *held = INT64_MAX;
    }
    for (size_t j = 0; j < self->num_workers; j++) {
        if (host_of(self, j) == host_id) {
            lose_worker(self, j);
        }
    }
}

/* All that happens at the next instant; ends before hosts that go. */
static void
step(run_t *self)
{
    const size_t num_due = self->num_workers + self->num_hosts;

    self->now = INT64_MAX;
    for (size_t j = 0; j < num_due; j++) {
        self->now = self->due[j] < self->now ? self->due[j] : self->now;
    }
    for (size_t j = 0; j < num_due; j++) {
        if (j < self->num_workers && self->due[j] == self->now) {
            step_worker(self, j);
        } else if (self->due[j] == self->now) {
            step_host(self, j - self->num_workers);
        }
    }
}

static int
simulate(run_t *self)
{
    const size_t num = self->num_workers, num_hosts = self->num_hosts;
    const size_t num_times = num + num_hosts + self->num_ids * (num + num_hosts);

    SPOT_ARENA_ARRAY(&self->arena, self->tasks, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->workers, num);
    SPOT_ARENA_ARRAY(&self->arena, self->hosts, num_hosts);
    if (SPOT_ARENA_ARRAY(&self->arena, self->due, num_times) == NULL ||
        self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->sent = self->due + num + num_hosts;
    self->held = self->sent + self->num_ids * num;
    for (size_t j = 0; j < num_times; j++) {
        self->due[j] = INT64_MAX;
    }
    for (size_t j = 0; j < num; j++) {
        self->workers[j].task = -1;
    }
    for (size_t j = 0; j < num_hosts; j++) {
        step_host(self, j);
    }
    for (size_t j = 0; j < self->num_ids; j++) {
        self->tasks[j].state = self->scenario->tasks[j].is_task ? PENDING : DONE;
    }
    while (self->error == 0 && self->num_left > 0 && !self->result->is_cut_off) {
        for (size_t worker = 0; worker < num;) {
            const int32_t id = first_ready(self);

            worker = id < 0 ? num : best_worker(self, &self->scenario->tasks[id]);
            if (worker < num) {
                assign(self, id, worker);
            }
        }
        set_pace(self);
        step(self);
        self->result->is_cut_off |= self->now > FAR_NS;
        if (spot_replication_is_stopped(self->replication)) {
            return SPOT_ERR_INTERRUPTED;
        }
    }
    for (size_t j = 0; j < num_hosts; j++) {
        self->result->host_ns +=
            self->hosts[j].is_up ? self->now - self->hosts[j].since : 0;
    }
    return self->error;
}

/* The recorded run: each task starts as long after what it waited for as it did. */
static int
replay(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    const spot_attempt_t *attempts = scenario->analysis.tasks.attempts;
    const size_t num = scenario->num_tasks;
    int64_t *keys, *shift;
    int32_t *order, *last;

    SPOT_ARENA_ARRAY(&self->arena, keys, num);
    SPOT_ARENA_ARRAY(&self->arena, order, 2 * num);
    SPOT_ARENA_ARRAY(&self->arena, shift, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, last, self->num_workers);
    if (self->arena.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num; j++) {
        keys[j] = attempts[j].at[SPOT_TASK_STARTED];
    }
    spot_order_integers(keys, num, order, order + num);
    memset(last, -1, self->num_workers * sizeof(*last));
    for (size_t j = 0; j < num; j++) {
        const spot_attempt_t *attempt = &attempts[order[j]];
        const spot_rerun_task_t *task = &scenario->tasks[attempt->id];
        int64_t recorded = scenario->analysis.t0, end = recorded;

        for (size_t k = 0; k <= task->num_inputs; k++) {
            const int32_t id =
                k < task->num_inputs ? task->inputs[k] : last[attempt->worker];
            const int64_t at =
                id < 0 ? INT64_MAX : attempts[scenario->best[id]].at[SPOT_TASK_FINISHED];

            if (at <= attempt->at[SPOT_TASK_STARTED]) {
                recorded = at > recorded ? at : recorded;
                end = at + shift[id] > end ? at + shift[id] : end;
            }
        }
        shift[attempt->id] = end - recorded;
        last[attempt->worker] = attempt->id;
    }
    for (size_t j = 0; j < scenario->log.num_events; j++) {
        const spot_task_event_t *event = &scenario->log.events[j];

        SPOT_ARRAY_PUSH(self, events, *event);
        self->events[j].at += event->is_transmit ? 0 : shift[event->id];
    }
    self->now = INT64_MAX;
    self->result->host_ns = (int64_t) self->num_hosts * scenario->analysis.makespan;
    return self->error;
}

/* ---- The log ---- */

static int
write_log(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    const spot_task_log_t *from = &scenario->log;
    const size_t num = self->num_workers, num_hosts = self->num_hosts;
    spot_task_log_t *log = &self->result->log;
    char host_name[32], name[64];
    int32_t id;
    int ret = 0;

    log->has_planning = true;
    for (size_t j = 0; ret == 0 && j < self->num_ids; j++) {
        ret = spot_names_add(
            &log->ids, from->ids.names[j], strlen(from->ids.names[j]), &id);
    }
    for (size_t j = 0; ret == 0 && j < from->num_edges; j++) {
        const spot_task_edges_t *edges = &from->edges[j];

        ret = spot_task_log_add_inputs(
            log, edges->id, edges->end - edges->start, from->inputs + edges->start);
    }
    for (size_t j = 0; ret == 0 && j < self->num_events; j++) {
        const spot_task_event_t *event = &self->events[j];
        const size_t worker = (size_t) event->worker, host = host_of(self, worker);
        spot_task_line_t line = {.id = from->ids.names[event->id],
            .host = host_name,
            .worker = name,
            .at = event->at,
            .line = j + 1,
            .stage = event->stage};

        snprintf(host_name, sizeof(host_name), "h%zu", host);
        snprintf(name, sizeof(name), "h%zu:worker%zu", host,
            worker - (host * num + num_hosts - 1) / num_hosts);
        if (scenario->is_replay) {
            line.worker = from->workers[worker].name;
            line.host = from->hosts[from->workers[worker].host_id];
        }
        line.host = event->is_controller ? "controller" : line.host;
        line.mode = event->mode;
        line.is_transmit = event->is_transmit;
        line.is_controller = event->is_controller;
        line.id_bytes = strlen(line.id);
        line.host_bytes = strlen(line.host);
        line.worker_bytes = strlen(line.worker);
        ret = event->at > self->now ? 0 : spot_task_log_add(log, &line);
    }
    return ret == 0 ? spot_task_log_seal(log, SPOT_NAMES_GLOBAL) : ret;
}

int
spot_rerun_run(spot_rerun_t *self, const spot_replication_t *replication)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    run_t run = {.scenario = scenario,
        .replication = replication,
        .result = self,
        .num_ids = scenario->num_ids,
        .num_workers = (size_t) scenario->num_workers,
        .num_hosts = (size_t) scenario->num_hosts,
        .num_left = scenario->num_tasks};
    spot_diag_t diag;
    int ret;

    spot_rerun_free(self);
    self->scenario = scenario;
    ret = scenario->is_replay ? replay(&run) : simulate(&run);
    ret = ret == 0 ? write_log(&run) : ret;
    spot_diag_init(&diag);
    ret = ret == 0 ? spot_task_analysis_init(&self->analysis, &self->log,
                         &(const spot_task_rules_t){.aligns = false}, "run", &diag)
                   : ret;
    spot_diag_free(&diag);
    spot_arena_free(&run.arena);
    free(run.events);
    return ret;
}

void
spot_rerun_free(spot_rerun_t *self)
{
    spot_task_log_free(&self->log);
    spot_task_analysis_free(&self->analysis);
    memset(self, 0, sizeof(*self));
}
