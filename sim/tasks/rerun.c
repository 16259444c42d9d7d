/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a task graph, instant by instant, written as a log. */
#include "sim/tasks/rerun.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/tasks/task_compare.h"

#define MAX_TRIES 1000
#define FAR_NS 1000000000000000000 /* 31 years: a run that takes longer is given up */

typedef struct task {
    enum { DONE, PENDING, ASSIGNED } state;
    bool was_done;
    size_t place; /* in order */
    uint64_t tries;
    size_t num_hosts;            /* that have its data, or get it */
    struct task *waiting, *next; /* tasks that wait for it; in the list of its input */
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
    size_t num_left; /* tasks never done */
    int64_t now;
    task_t *tasks;        /* [num_ids] */
    char *is_open;        /* [num_ids] by place: 1: pending, may be ready */
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

static size_t host_of(const run_t *self, size_t worker)
{
    return worker * self->num_hosts / self->num_workers;
}

/* Whose running tasks are counted for a worker's. */
static host_t *scope_of(const run_t *self, size_t worker)
{
    return &self->hosts[self->scenario->scope == SPOT_SCOPE_HOST ? host_of(self, worker) : 0];
}

static void note(run_t *self, int64_t at, size_t worker, int32_t id, bool is_transmit, int stage,
    spot_task_mode_t mode)
{
    SPOT_ARRAY_PUSH(self, events,
        (spot_task_event_t){at, id, (int32_t) worker, 0, is_transmit, (uint8_t) stage,
            (uint8_t) mode, stage == SPOT_TASK_PLANNED});
}

/* A time after an instant, from the stream of a purpose and an entity. */
static int64_t after(
    run_t *self, int64_t at, const spot_rerun_time_t *time, int purpose, uint64_t entity)
{
    const spot_law_t *law = &time->law;

    if (law->family == NULL || at > FAR_NS) {
        return at + (at > FAR_NS ? 0 : time->fixed_ns);
    }
    spot_replication_seek(self->replication, &self->rng, (spot_stream_t) purpose, entity);
    return at + llround(fmin(1e9 * law->family->draw(law->parameters, &self->rng),
                    (double) SPOT_RERUN_MAX_NS));
}

/* ---- Tasks and workers ---- */

static void set_pending(run_t *self, task_t *task)
{
    task->state = PENDING;
    self->is_open[task->place] = 1;
}

/* The first pending task in order whose inputs are there, or -1. Inputs whose data is
 * lost are pending again. A task that lacks an input is not looked at until that comes.
 */
static int32_t first_ready(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    char *open;

    while ((open = memchr(self->is_open, 1, self->num_ids)) != NULL) {
        const int32_t id = scenario->order_of_tasks[open - self->is_open];
        const spot_rerun_task_t *shape = &scenario->tasks[id];
        task_t *task = &self->tasks[id], *missing = NULL;

        *open = task->state == PENDING;
        for (size_t k = 0; k < shape->num_inputs && *open; k++) {
            task_t *input = &self->tasks[shape->inputs[k]];

            missing = input->num_hosts == 0 ? input : missing;
            if (input->num_hosts == 0 && input->state == DONE) {
                set_pending(self, input);
            }
        }
        if (missing != NULL) {
            *open = 0;
            task->next = missing->waiting;
            missing->waiting = task;
        } else if (*open) {
            return id;
        }
    }
    return -1;
}

/* The free worker whose host has most of the inputs, the lowest one; num_workers: none
 * is free. */
static size_t best_worker(const run_t *self, const spot_rerun_task_t *task)
{
    size_t best = self->num_workers, most = 0;

    for (size_t j = 0; j < self->num_workers; j++) {
        const size_t host = host_of(self, j);
        size_t num = 1; /* and 1 for the worker itself */

        if (self->workers[j].task >= 0 || !self->hosts[host].is_up) {
            continue;
        }
        for (size_t k = 0; k < task->num_inputs; k++) {
            num += self->held[(size_t) task->inputs[k] * self->num_hosts + host] <= self->now;
        }
        best = num > most ? j : best;
        most = num > most ? num : most;
    }
    return best;
}

/* A worker has data from an instant on. */
static void hold(run_t *self, int32_t id, size_t worker, int64_t at)
{
    int64_t *held = &self->held[(size_t) id * self->num_hosts + host_of(self, worker)];
    task_t *task = &self->tasks[id];

    for (; task->waiting != NULL; task->waiting = task->waiting->next) {
        self->is_open[task->waiting->place] = 1;
    }
    task->num_hosts += *held == INT64_MAX;
    *held = at < *held ? at : *held;
    self->sent[(size_t) id * self->num_workers + worker] = at;
}

/* A worker gets a task. What happens until it starts is known now. */
static void assign(run_t *self, int32_t id, size_t worker)
{
    const spot_rerun_task_t *task = &self->scenario->tasks[id];
    const uint64_t n = self->num_ids, entity = n * (n * ++self->tasks[id].tries + (uint64_t) id);
    int64_t at = after(self, self->now, self->scenario->delays, SPOT_STREAM_TASK_DELAY, entity);

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
        for (int k = SPOT_TRANSMIT_STARTED; k <= SPOT_TRANSMIT_LOADED && !is_local; k++) {
            note(self, at, worker, input, true, k, mode);
        }
        at = after(self, at, &self->scenario->delays[delay], SPOT_STREAM_TASK_DELAY + delay,
            entity + (uint64_t) input);
        note(self, at, worker, input, true, SPOT_TRANSMIT_FINISHED, mode);
        hold(self, input, worker, at);
    }
    note(self, at, worker, id, false, SPOT_TASK_PLANNED, SPOT_MODE_NONE);
    for (int k = SPOT_DELAY_COMM; k <= SPOT_DELAY_QUEUE; k++) {
        at = after(self, at, &self->scenario->delays[k], SPOT_STREAM_TASK_DELAY + k, entity);
        note(self, at, worker, id, false, k, SPOT_MODE_NONE);
    }
    self->due[worker] = at;
}

/* Contention: running tasks go on at the pace of how many run now. */
static void set_pace(run_t *self)
{
    for (size_t j = 0; j < self->num_workers; j++) {
        worker_t *worker = &self->workers[j];
        const int64_t num_beside = scope_of(self, j)->num_running - 1;
        const double beta = worker->is_running ? self->scenario->tasks[worker->task].beta : 0;
        const double slowness = fmax(0.01, 1 + beta * (double) num_beside);

        if (worker->is_running && slowness != worker->slowness) {
            worker->left -= (double) (self->now - worker->since) / worker->slowness;
            worker->slowness = slowness;
            worker->since = self->now;
            self->due[j] = self->now + llround(fmin(fmax(0, worker->left) * slowness, FAR_NS));
        }
    }
}

/* ---- What happens ---- */

/* A task starts or ends. */
static void step_worker(run_t *self, size_t worker_id)
{
    worker_t *worker = &self->workers[worker_id];
    const int32_t id = worker->task;
    const spot_rerun_task_t *shape = &self->scenario->tasks[id];
    task_t *task = &self->tasks[id];

    self->due[worker_id] = INT64_MAX;
    if (!worker->is_running) {
        worker->is_running = true;
        scope_of(self, worker_id)->num_running++;
        worker->slowness = (double) INFINITY;
        worker->left =
            (double) (shape->run == NULL ? shape->recorded_ns
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
    scope_of(self, worker_id)->num_running--;
    *worker = (worker_t){.task = -1};
}

/* A worker goes: its task runs again, and what has not happened does not. */
static void lose_worker(run_t *self, size_t worker_id)
{
    const worker_t *worker = &self->workers[worker_id];

    for (size_t j = 0; j < self->num_ids; j++) {
        self->sent[j * self->num_workers + worker_id] = INT64_MAX;
    }
    if (worker->task < 0) {
        return;
    }
    for (size_t j = worker->first_event; j < self->num_events; j++) {
        if (self->events[j].worker == (int32_t) worker_id && self->events[j].at > self->now) {
            self->events[j].at = INT64_MAX;
        }
    }
    set_pending(self, &self->tasks[worker->task]);
    self->result->lost_runs += worker->is_running;
    scope_of(self, worker_id)->num_running -= worker->is_running;
    self->result->is_cut_off |= self->tasks[worker->task].tries >= MAX_TRIES;
    self->due[worker_id] = INT64_MAX;
    self->workers[worker_id] = (worker_t){.task = -1};
}

/* A host comes, or is preempted with all its data. */
static void step_host(run_t *self, size_t host_id)
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
    memset(self->is_open, 1, self->num_ids); /* any may lack an input now */
    for (size_t j = 0; j < self->num_ids; j++) {
        int64_t *held = &self->held[j * self->num_hosts + host_id];

        self->tasks[j].waiting = NULL;
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
static void step(run_t *self)
{
    const size_t num = self->num_workers, num_due = num + self->num_hosts;

    self->now = INT64_MAX;
    for (size_t j = 0; j < num_due; j++) {
        self->now = self->due[j] < self->now ? self->due[j] : self->now;
    }
    for (size_t j = 0; j < num_due; j++) {
        if (self->due[j] == self->now) {
            j < num ? step_worker(self, j) : step_host(self, j - num);
        }
    }
}

static int simulate(run_t *self)
{
    const size_t num = self->num_workers, num_hosts = self->num_hosts;
    const size_t num_times = num + num_hosts + self->num_ids * (num + num_hosts);

    SPOT_ARENA_ARRAY(&self->arena, self->tasks, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->is_open, self->num_ids);
    SPOT_ARENA_ARRAY(&self->arena, self->workers, num);
    SPOT_ARENA_ARRAY(&self->arena, self->hosts, num_hosts);
    if (SPOT_ARENA_ARRAY(&self->arena, self->due, num_times) == NULL || self->arena.error != 0) {
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
        const int32_t id = self->scenario->order_of_tasks[j];

        self->tasks[id].place = j;
        if (self->scenario->tasks[id].is_task) {
            set_pending(self, &self->tasks[id]);
        }
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
        self->result->host_ns += self->hosts[j].is_up ? self->now - self->hosts[j].since : 0;
    }
    return self->error;
}

static int replay(run_t *self)
{
    const spot_task_log_t *log = &self->scenario->log;
    const int ret = SPOT_ARRAY_ROOM(self, events, log->num_events);

    self->now = INT64_MAX;
    self->num_events = log->num_events;
    return ret == 0 ? spot_rerun_replay(self->scenario, self->events) : ret;
}

/* ---- The log ---- */

static int write_log(run_t *self)
{
    const spot_rerun_scenario_t *scenario = self->scenario;
    const spot_task_log_t *from = &scenario->log;
    const bool is_replay = scenario->is_replay;
    const size_t num = self->num_workers, num_hosts = self->num_hosts;
    spot_task_log_t *log = &self->result->log;
    char host_name[32], name[64];
    int ret = 0;

    log->has_planning = true;
    for (int32_t j = 0; ret == 0 && j < (int32_t) self->num_ids; j++) {
        ret = spot_names_add(
            &log->ids, from->ids.names[j], strlen(from->ids.names[j]), &(int32_t){j});
    }
    for (size_t j = 0; ret == 0 && j < from->num_edges; j++) {
        const spot_task_edges_t *edges = &from->edges[j];

        ret = spot_task_log_add_inputs(
            log, edges->id, edges->end - edges->start, from->inputs + edges->start);
    }
    for (size_t j = 0; ret == 0 && j < self->num_events; j++) {
        const spot_task_event_t *event = &self->events[j];
        const size_t worker = (size_t) event->worker, host = host_of(self, worker);
        const char *id = from->ids.names[event->id], *by = name, *place = host_name;

        if (is_replay) {
            by = from->workers[worker].name;
            place = from->hosts[from->workers[worker].host_id];
        } else {
            snprintf(host_name, sizeof(host_name), "h%zu", host);
            snprintf(name, sizeof(name), "h%zu:worker%zu", host,
                worker - (host * num + num_hosts - 1) / num_hosts);
        }
        place = event->is_controller ? SPOT_TASK_CONTROLLER : place;
        ret = event->at > self->now
                  ? 0
                  : spot_task_log_add(
                        log, &(spot_task_line_t){id, place, by, strlen(id), strlen(place),
                                 strlen(by), event->at, j + 1, event->stage, event->mode,
                                 event->is_transmit, event->is_controller});
    }
    return ret == 0 ? spot_task_log_seal(log, SPOT_NAMES_GLOBAL) : ret;
}

int spot_rerun_run(spot_rerun_t *self, const spot_replication_t *replication)
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
    self->host_ns += scenario->is_replay ? scenario->num_hosts * self->analysis.makespan : 0;
    spot_diag_free(&diag);
    spot_arena_free(&run.arena);
    free(run.events);
    return ret;
}

void spot_rerun_free(spot_rerun_t *self)
{
    spot_task_log_free(&self->log);
    spot_task_analysis_free(&self->analysis);
    memset(self, 0, sizeof(*self));
}
