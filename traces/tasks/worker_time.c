/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/worker_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/keys.h"

const char *const spot_idle_names[SPOT_NUM_IDLE] = {
    "busy", "queue", "comm", "inputs", "lost", "head", "tail", "unplanned"};

/* What begins or ends: time of a worker up to LOST, of a host or of all behind. */
enum {
    COUNTED = SPOT_IDLE_LOST + 1, /* kinds of time that a worker counts */
    AFTER_END = COUNTED,          /* a window after the end of a task of a host */
    READY,
    PLAN,            /* of a worker: what it lost so far ends */
    ENQUEUED,        /* an attempt's, perhaps within such a window */
    MAX_OF_TASK = 10 /* two points of BUSY, QUEUE, COMM, AFTER_END; PLAN, ENQUEUED */
};

typedef struct {
    int32_t entity; /* worker, host or attempt */
    int8_t what;
    int8_t step; /* -1: ends; +1: begins */
} point_t;

typedef struct {
    int64_t at;                           /* its time is accounted for up to here */
    int64_t ready_before;                 /* ready time up to there */
    int64_t first_planned, last_finished; /* if ever; else INT64_MAX, t0 */
    int64_t busy_end;
    int32_t counts[COUNTED];
    bool was_busy;
} worker_t;

typedef struct {
    int64_t at;
    int32_t num_running, num_windows;
} host_t;

typedef struct {
    spot_worker_times_t *result;
    const spot_task_log_t *log;
    const spot_attempts_t *tasks;
    size_t num_points;
    point_t *points; /* [num_points] */
    int64_t *keys;   /* [num_points] twice the time since t0; odd: after the even ones */
    worker_t *workers;
    host_t *hosts;
    int64_t at; /* of the sweep */
    int64_t ready_ns;
    int32_t num_ready, num_running, num_transmits;
    int error;
} sweep_t;

int spot_concurrency_add(spot_concurrency_t *self, size_t k, int64_t ns)
{
    const size_t num = self->num_ns;

    if (ns == 0) {
        return 0;
    }
    if (k >= num) {
        if (SPOT_ARRAY_ROOM(self, ns, k + 1) != 0) {
            return SPOT_ERR_NO_MEMORY;
        }
        memset(self->ns + num, 0, (k + 1 - num) * sizeof(*self->ns));
        self->num_ns = k + 1;
    }
    return __builtin_add_overflow(self->ns[k], ns, &self->ns[k]) ? SPOT_ERR_BAD_INPUT : 0;
}

void spot_worker_times_free(spot_worker_times_t *self)
{
    free(self->all.ns);
    for (size_t j = 0; self->hosts != NULL && j < self->num_hosts; j++) {
        free(self->hosts[j].ns);
    }
    spot_arena_free(&self->arena);
    memset(self, 0, sizeof(*self));
}

/* ---- Points ---- */

/* At one instant ends go first, then what is_late. */
static void add_point(sweep_t *self, int64_t at, bool is_late, int32_t entity, int what, int step)
{
    self->points[self->num_points] = (point_t){entity, (int8_t) what, (int8_t) step};
    self->keys[self->num_points++] = (at - self->result->t0) * 2 + is_late;
}

/* Both ends of [from, to), if it is not empty. */
static void add_stretch(sweep_t *self, int64_t from, int64_t to, int32_t entity, int what)
{
    if (to > from) {
        add_point(self, from, true, entity, what, +1);
        add_point(self, to, false, entity, what, -1);
    }
}

/* The time of an attempt between two stages. */
static void add_span(sweep_t *self, const spot_attempt_t *attempt, int from, int to, int what)
{
    if (spot_attempt_has(attempt, from) && spot_attempt_has(attempt, to)) {
        add_stretch(self, attempt->at[from], attempt->at[to], attempt->worker, what);
    }
}

static void add_task(sweep_t *self, const spot_attempt_t *task, int32_t attempt_id)
{
    const int32_t worker_id = task->worker;
    const int64_t planned = task->at[SPOT_TASK_PLANNED];
    const int64_t end = task->at[SPOT_TASK_FINISHED];
    worker_t *worker = &self->workers[worker_id];
    int64_t length;

    self->result->workers[worker_id].tasks++;
    add_span(self, task, SPOT_TASK_STARTED, SPOT_TASK_FINISHED, SPOT_IDLE_BUSY);
    add_span(self, task, SPOT_TASK_ENQUEUED, SPOT_TASK_STARTED, SPOT_IDLE_QUEUE);
    add_span(self, task, SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED, SPOT_IDLE_COMM);
    if (spot_attempt_has(task, SPOT_TASK_PLANNED)) {
        worker->first_planned = planned < worker->first_planned ? planned : worker->first_planned;
        add_point(self, planned, false, worker_id, PLAN, 0);
    }
    if (spot_attempt_has(task, SPOT_TASK_FINISHED)) {
        worker->last_finished = end > worker->last_finished ? end : worker->last_finished;
    } else if (spot_attempt_has(task, SPOT_TASK_STARTED)) {
        add_point(self, task->at[SPOT_TASK_STARTED], true, worker_id, SPOT_IDLE_LOST, +1);
    }
    if (spot_attempt_between(task, SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED, &length)) {
        self->result->comm_sum += length;
        add_point(self, task->at[SPOT_TASK_ENQUEUED], false, attempt_id, ENQUEUED, 0);
    }
}

static void add_points(
    sweep_t *self, const spot_attempts_t *transmits, size_t num_ready, const spot_stretch_t *ready)
{
    const int64_t t1 = self->result->t1, window = self->result->window;

    for (size_t j = 0; j < self->result->num_workers; j++) {
        self->workers[j].first_planned = INT64_MAX;
        self->workers[j].last_finished = self->workers[j].at = self->result->t0;
    }
    for (size_t j = 0; j < self->result->num_hosts; j++) {
        self->hosts[j].at = self->result->t0;
    }
    /* what is enqueued as a window begins or ends is within it */
    for (size_t j = 0; j < self->tasks->num_attempts; j++) {
        const spot_attempt_t *task = &self->tasks->attempts[j];
        const int64_t end = task->at[SPOT_TASK_FINISHED];

        if (spot_attempt_has(task, SPOT_TASK_FINISHED)) {
            const int32_t host_id = self->log->workers[task->worker].host_id;

            add_point(self, end, false, host_id, AFTER_END, +1);
            add_point(self, t1 - end < window ? t1 : end + window, true, host_id, AFTER_END, -1);
        }
    }
    for (size_t j = 0; j < self->tasks->num_attempts; j++) {
        add_task(self, &self->tasks->attempts[j], (int32_t) j);
    }
    for (size_t j = 0; j < transmits->num_attempts; j++) {
        add_span(self, &transmits->attempts[j], SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED,
            SPOT_IDLE_INPUTS);
    }
    for (size_t j = 0; j < num_ready; j++) {
        add_stretch(self, ready[j].start, ready[j].end, 0, READY);
    }
    for (size_t j = 0; j < self->result->num_workers; j++) {
        /* a step of 0 cuts the time, as a plan does */
        add_point(self, self->workers[j].last_finished, false, (int32_t) j, SPOT_IDLE_QUEUE, 0);
    }
}

/* ---- The sweep ---- */

static void account_worker(sweep_t *self, int32_t worker_id)
{
    worker_t *worker = &self->workers[worker_id];
    spot_worker_time_t *time = &self->result->workers[worker_id];
    const int64_t length = self->at - worker->at;
    int what = SPOT_IDLE_BUSY;

    while (what < COUNTED && worker->counts[what] == 0) {
        what++;
    }
    if (what == COUNTED) {
        const bool has_plans = worker->first_planned < INT64_MAX;

        what = has_plans && self->at <= worker->first_planned ? SPOT_IDLE_HEAD
               : worker->at >= worker->last_finished          ? SPOT_IDLE_TAIL
                                                              : SPOT_IDLE_UNPLANNED;
    }
    time->split[what] += length;
    if (worker->counts[SPOT_IDLE_INPUTS] > 0) {
        time->in_flight += length;
        time->hidden += what == SPOT_IDLE_BUSY ? length : 0;
    }
    if (what == SPOT_IDLE_UNPLANNED) {
        time->unplanned_ready += self->ready_ns - worker->ready_before;
    }
    worker->at = self->at;
    worker->ready_before = self->ready_ns;
}

static void account_host(sweep_t *self, int32_t host_id)
{
    host_t *host = &self->hosts[host_id];
    const int64_t length = self->at - host->at;

    self->error = spot_error_first(self->error,
        spot_concurrency_add(&self->result->hosts[host_id], (size_t) host->num_running, length));
    self->result->covered += host->num_windows > 0 ? length : 0;
    host->at = self->at;
}

static void account_all(sweep_t *self, int64_t at)
{
    const int64_t length = at - self->at;
    spot_worker_times_t *result = self->result;

    self->error = spot_error_first(
        self->error, spot_concurrency_add(&result->all, (size_t) self->num_running, length));
    result->task_any += self->num_running > 0 ? length : 0;
    result->transmit_any += self->num_transmits > 0 ? length : 0;
    result->both += self->num_running > 0 && self->num_transmits > 0 ? length : 0;
    self->ready_ns += self->num_ready > 0 ? length : 0;
    self->at = at;
}

static void step_busy(sweep_t *self, int32_t worker_id, int step)
{
    worker_t *worker = &self->workers[worker_id];
    spot_worker_time_t *time = &self->result->workers[worker_id];
    const int32_t host_id = self->log->workers[worker_id].host_id;
    const int64_t gap = worker->was_busy ? self->at - worker->busy_end : 0;

    account_host(self, host_id);
    self->hosts[host_id].num_running += step;
    self->num_running += step;
    if (step > 0 && worker->counts[SPOT_IDLE_BUSY] > 0) {
        time->has_overlap = true;
    } else if (step > 0) {
        time->gaps += gap > 0;
        time->gap_max = gap > time->gap_max ? gap : time->gap_max;
    }
    worker->was_busy = true;
    worker->busy_end = self->at;
}

static void take_point(sweep_t *self, int64_t at, const point_t *point)
{
    const spot_attempt_t *task;

    account_all(self, at);
    switch (point->what) {
        case AFTER_END:
            account_host(self, point->entity);
            self->hosts[point->entity].num_windows += point->step;
            return;
        case READY:
            self->num_ready += point->step;
            return;
        case ENQUEUED:
            task = &self->tasks->attempts[point->entity];
            if (self->hosts[self->log->workers[task->worker].host_id].num_windows > 0) {
                self->result->matched_sum +=
                    task->at[SPOT_TASK_ENQUEUED] - task->at[SPOT_TASK_PLANNED];
            }
            return;
        default:
            account_worker(self, point->entity);
            if (point->what == PLAN) {
                self->workers[point->entity].counts[SPOT_IDLE_LOST] = 0;
                return;
            }
            if (point->what == SPOT_IDLE_BUSY) {
                step_busy(self, point->entity, point->step);
            }
            self->num_transmits += point->what == SPOT_IDLE_INPUTS ? point->step : 0;
            self->workers[point->entity].counts[point->what] += point->step;
    }
}

/* order: room for two of each point. */
static int run(sweep_t *self, int32_t *order)
{
    const int ret =
        spot_order_integers(self->keys, self->num_points, order, order + self->num_points);

    if (ret != 0) {
        return ret;
    }
    self->at = self->result->t0;
    for (size_t j = 0; j < self->num_points; j++) {
        take_point(self, self->result->t0 + self->keys[order[j]] / 2, &self->points[order[j]]);
    }
    account_all(self, self->result->t1);
    for (size_t j = 0; j < self->result->num_workers; j++) {
        account_worker(self, (int32_t) j);
    }
    for (size_t j = 0; j < self->result->num_hosts; j++) {
        account_host(self, (int32_t) j);
    }
    return self->error;
}

int spot_worker_times_init(spot_worker_times_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0, int64_t t1,
    size_t num_ready, const spot_stretch_t *ready)
{
    const size_t max_points = MAX_OF_TASK * tasks->num_attempts +
                              2 * (transmits->num_attempts + num_ready) + log->num_workers;
    sweep_t sweep = {.result = self, .log = log, .tasks = tasks};
    spot_arena_t arena = {0};
    int32_t *order;
    int ret;

    *self = (spot_worker_times_t){.t0 = t0,
        .t1 = t1,
        .window = SPOT_HEAD_OF_LINE_NS,
        .num_workers = log->num_workers,
        .num_hosts = log->num_hosts};
    SPOT_ARENA_ARRAY(&self->arena, self->workers, log->num_workers);
    SPOT_ARENA_ARRAY(&self->arena, self->hosts, log->num_hosts);
    SPOT_ARENA_ARRAY(&arena, sweep.workers, log->num_workers);
    SPOT_ARENA_ARRAY(&arena, sweep.hosts, log->num_hosts);
    SPOT_ARENA_ARRAY(&arena, sweep.points, max_points);
    SPOT_ARENA_ARRAY(&arena, sweep.keys, max_points);
    SPOT_ARENA_ARRAY(&arena, order, 2 * max_points);
    ret = spot_error_first(self->arena.error, arena.error);
    if (ret == 0) {
        add_points(&sweep, transmits, num_ready, ready);
        ret = run(&sweep, order);
    }
    spot_arena_free(&arena);
    return ret;
}
