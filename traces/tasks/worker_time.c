/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/worker_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"

const char *const spot_idle_names[SPOT_NUM_IDLE] = {
    "busy", "queue", "comm", "inputs", "lost", "head", "tail", "unplanned"};

/* What begins or ends: time of a worker up to LOST, of a host or of all behind. */
enum {
    COUNTED = SPOT_IDLE_LOST + 1, /* kinds of time that a worker counts */
    AFTER_END = COUNTED,          /* a window after the end of a task of a host */
    READY,
    BOUND,   /* an instant at which a worker's time is cut */
    ENQUEUED /* an attempt's; it looks back for an end of a task */
};

typedef struct {
    int64_t at;
    int32_t entity; /* worker, host or attempt */
    int8_t what;
    int8_t step; /* -1: ends; +1: begins */
} point_t;

typedef struct {
    int64_t at;           /* its time is accounted for up to here */
    int64_t ready_before; /* ready time up to there */
    int64_t first_planned, last_finished, busy_end;
    int32_t counts[COUNTED];
    bool was_busy;
} worker_t;

typedef struct {
    int64_t at, last_finished;
    int32_t num_running, num_windows;
    bool has_finished;
} host_t;

typedef struct {
    spot_worker_times_t *result;
    const spot_task_log_t *log;
    const spot_attempts_t *tasks;
    size_t num_ends, num_points;
    size_t max_points;
    point_t *points; /* ends stand before starts: they go first at one instant */
    worker_t *workers;
    host_t *hosts;
    int64_t at; /* of the sweep */
    int64_t ready_ns;
    int32_t num_ready, num_running, num_transmits;
    int error;
} sweep_t;

int
spot_concurrency_add(spot_concurrency_t *self, size_t k, int64_t ns)
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
    return __builtin_add_overflow(self->ns[k], ns, &self->ns[k]) ? SPOT_ERR_BAD_INPUT
                                                                 : 0;
}

void
spot_worker_times_free(spot_worker_times_t *self)
{
    free(self->workers);
    free(self->all.ns);
    for (size_t j = 0; self->hosts != NULL && j < self->num_hosts; j++) {
        free(self->hosts[j].ns);
    }
    free(self->hosts);
    memset(self, 0, sizeof(*self));
}

/* ---- Points ---- */

static void
add_point(sweep_t *self, int64_t at, int32_t entity, int what, int step)
{
    const point_t point = {at, entity, (int8_t) what, (int8_t) step};

    SPOT_ARRAY_PUSH(self, points, point);
}

/* One end of [from, to), if it is not empty. */
static void
add_end(sweep_t *self, int64_t from, int64_t to, int32_t entity, int what, int step)
{
    if (to > from) {
        add_point(self, step < 0 ? to : from, entity, what, step);
    }
}

static void
add_task(sweep_t *self, const spot_attempt_t *task, int32_t attempt_id, int step)
{
    static const struct {
        int from, to, what;
    } spans[] = {{SPOT_TASK_STARTED, SPOT_TASK_FINISHED, SPOT_IDLE_BUSY},
        {SPOT_TASK_ENQUEUED, SPOT_TASK_STARTED, SPOT_IDLE_QUEUE},
        {SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED, SPOT_IDLE_COMM}};
    const int32_t host = self->log->workers[task->worker].host_id;
    int64_t length;

    for (size_t j = 0; j < 3; j++) {
        if (spot_attempt_between(task, spans[j].from, spans[j].to, &length)) {
            add_end(self, task->at[spans[j].from], task->at[spans[j].to], task->worker,
                spans[j].what, step);
        }
    }
    if (step < 0 && spot_attempt_has(task, SPOT_TASK_FINISHED)) {
        const int64_t end = task->at[SPOT_TASK_FINISHED], t1 = self->result->t1;
        const int64_t window = self->result->window;

        /* an attempt that is enqueued at that instant must know of the end */
        add_point(self, end, host, AFTER_END, +1);
        add_point(self, t1 - end < window ? t1 : end + window, host, AFTER_END, -1);
    }
    if (step > 0 &&
        spot_attempt_between(task, SPOT_TASK_PLANNED, SPOT_TASK_ENQUEUED, &length)) {
        self->result->comm_sum += length;
        add_point(self, task->at[SPOT_TASK_ENQUEUED], attempt_id, ENQUEUED, step);
    }
}

/* Lost time of a worker: from the start of an attempt without end to the next plan. */
typedef struct {
    int32_t worker;
    int64_t at;
} planned_t;

static int
compare_planned(const void *first, const void *second)
{
    const planned_t *a = first, *b = second;

    if (a->worker != b->worker) {
        return a->worker < b->worker ? -1 : 1;
    }
    return a->at < b->at ? -1 : a->at > b->at;
}

static bool
is_lost(const spot_attempt_t *task)
{
    return spot_attempt_has(task, SPOT_TASK_STARTED) &&
           !spot_attempt_has(task, SPOT_TASK_FINISHED);
}

/* The first plan of the worker behind an instant, or t1. */
static int64_t
next_plan(
    const sweep_t *self, size_t num, const planned_t *plans, int32_t worker, int64_t at)
{
    const planned_t wanted = {worker, at};
    size_t low = 0, high = num;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare_planned(&plans[middle], &wanted) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < num && plans[low].worker == worker ? plans[low].at : self->result->t1;
}

static int
add_lost(sweep_t *self, int step)
{
    const spot_attempts_t *tasks = self->tasks;
    planned_t *plans = NULL;
    size_t num = 0;
    bool has_lost = false;

    for (size_t j = 0; j < tasks->num_attempts; j++) {
        has_lost = has_lost || is_lost(&tasks->attempts[j]);
    }
    if (!has_lost) {
        return 0;
    }
    plans = malloc(tasks->num_attempts * sizeof(*plans));
    if (plans == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        if (spot_attempt_has(&tasks->attempts[j], SPOT_TASK_PLANNED)) {
            plans[num++] = (planned_t){
                tasks->attempts[j].worker, tasks->attempts[j].at[SPOT_TASK_PLANNED]};
        }
    }
    qsort(plans, num, sizeof(*plans), compare_planned);
    for (size_t j = 0; j < tasks->num_attempts; j++) {
        const spot_attempt_t *task = &tasks->attempts[j];

        if (is_lost(task)) {
            const int64_t start = task->at[SPOT_TASK_STARTED];

            add_end(self, start, next_plan(self, num, plans, task->worker, start),
                task->worker, SPOT_IDLE_LOST, step);
        }
    }
    free(plans);
    return 0;
}

static int
add_points(sweep_t *self, const spot_attempts_t *transmits, size_t num_ready,
    const spot_stretch_t *ready, int step)
{
    int64_t length;

    for (size_t j = 0; j < self->tasks->num_attempts; j++) {
        add_task(self, &self->tasks->attempts[j], (int32_t) j, step);
    }
    for (size_t j = 0; j < transmits->num_attempts; j++) {
        const spot_attempt_t *attempt = &transmits->attempts[j];

        if (spot_attempt_between(
                attempt, SPOT_TRANSMIT_PLANNED, SPOT_TRANSMIT_FINISHED, &length)) {
            add_end(self, attempt->at[SPOT_TRANSMIT_PLANNED],
                attempt->at[SPOT_TRANSMIT_FINISHED], attempt->worker, SPOT_IDLE_INPUTS,
                step);
        }
    }
    for (size_t j = 0; j < num_ready; j++) {
        add_end(self, ready[j].start, ready[j].end, 0, READY, step);
    }
    return spot_error_first(self->error, add_lost(self, step));
}

/* ---- The sweep ---- */

static void
account_worker(sweep_t *self, int32_t worker_id)
{
    worker_t *worker = &self->workers[worker_id];
    spot_worker_time_t *time = &self->result->workers[worker_id];
    const int64_t length = self->at - worker->at;
    int what = SPOT_IDLE_BUSY;

    while (what < COUNTED && worker->counts[what] == 0) {
        what++;
    }
    if (what == COUNTED) {
        what = self->at <= worker->first_planned     ? SPOT_IDLE_HEAD
               : worker->at >= worker->last_finished ? SPOT_IDLE_TAIL
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

static void
account_host(sweep_t *self, int32_t host_id)
{
    host_t *host = &self->hosts[host_id];
    const int64_t length = self->at - host->at;

    self->error =
        spot_error_first(self->error, spot_concurrency_add(&self->result->hosts[host_id],
                                          (size_t) host->num_running, length));
    self->result->covered += host->num_windows > 0 ? length : 0;
    host->at = self->at;
}

static void
account_all(sweep_t *self, int64_t at)
{
    const int64_t length = at - self->at;
    spot_worker_times_t *result = self->result;

    self->error = spot_error_first(self->error,
        spot_concurrency_add(&result->all, (size_t) self->num_running, length));
    result->task_any += self->num_running > 0 ? length : 0;
    result->transmit_any += self->num_transmits > 0 ? length : 0;
    result->both += self->num_running > 0 && self->num_transmits > 0 ? length : 0;
    self->ready_ns += self->num_ready > 0 ? length : 0;
    self->at = at;
}

static void
step_busy(sweep_t *self, int32_t worker_id, int step)
{
    worker_t *worker = &self->workers[worker_id];
    spot_worker_time_t *time = &self->result->workers[worker_id];
    const int32_t host_id = self->log->workers[worker_id].host_id;

    account_host(self, host_id);
    self->hosts[host_id].num_running += step;
    self->num_running += step;
    if (step > 0 && worker->counts[SPOT_IDLE_BUSY] == 0) {
        const int64_t gap = self->at - worker->busy_end;

        time->gaps += worker->was_busy && gap > 0;
        time->gap_max = worker->was_busy && gap > time->gap_max ? gap : time->gap_max;
        worker->was_busy = true;
    }
    time->has_overlap |= step > 0 && worker->counts[SPOT_IDLE_BUSY] > 0;
    worker->busy_end = self->at;
}

static void
match(sweep_t *self, const spot_attempt_t *task)
{
    const host_t *host = &self->hosts[self->log->workers[task->worker].host_id];

    if (host->has_finished && self->at - host->last_finished <= self->result->window) {
        self->result->matched_sum +=
            task->at[SPOT_TASK_ENQUEUED] - task->at[SPOT_TASK_PLANNED];
    }
}

static void
take_point(sweep_t *self, const point_t *point)
{
    account_all(self, point->at);
    switch (point->what) {
        case AFTER_END:
            account_host(self, point->entity);
            self->hosts[point->entity].num_windows += point->step;
            if (point->step > 0) {
                self->hosts[point->entity].has_finished = true;
                self->hosts[point->entity].last_finished = point->at;
            }
            return;
        case READY:
            self->num_ready += point->step;
            return;
        case ENQUEUED:
            match(self, &self->tasks->attempts[point->entity]);
            return;
        case BOUND:
            account_worker(self, point->entity);
            return;
        default:
            account_worker(self, point->entity);
            if (point->what == SPOT_IDLE_BUSY) {
                step_busy(self, point->entity, point->step);
            }
            self->num_transmits += point->what == SPOT_IDLE_INPUTS ? point->step : 0;
            self->workers[point->entity].counts[point->what] += point->step;
    }
}

/* Bounds of head and tail. */
static void
find_bounds(sweep_t *self)
{
    for (size_t j = 0; j < self->result->num_workers; j++) {
        self->workers[j].first_planned = INT64_MAX;
        self->workers[j].last_finished = INT64_MIN;
        self->workers[j].at = self->result->t0;
    }
    for (size_t j = 0; j < self->tasks->num_attempts; j++) {
        const spot_attempt_t *task = &self->tasks->attempts[j];
        worker_t *worker = &self->workers[task->worker];

        self->result->workers[task->worker].tasks++;
        if (spot_attempt_has(task, SPOT_TASK_PLANNED) &&
            task->at[SPOT_TASK_PLANNED] < worker->first_planned) {
            worker->first_planned = task->at[SPOT_TASK_PLANNED];
        }
        if (spot_attempt_has(task, SPOT_TASK_FINISHED) &&
            task->at[SPOT_TASK_FINISHED] > worker->last_finished) {
            worker->last_finished = task->at[SPOT_TASK_FINISHED];
        }
    }
    for (size_t j = 0; j < self->result->num_workers; j++) {
        worker_t *worker = &self->workers[j];

        worker->first_planned = worker->first_planned == INT64_MAX
                                    ? self->result->t0
                                    : worker->first_planned;
        worker->last_finished = worker->last_finished == INT64_MIN
                                    ? self->result->t0
                                    : worker->last_finished;
        add_point(self, worker->first_planned, (int32_t) j, BOUND, 0);
        add_point(self, worker->last_finished, (int32_t) j, BOUND, 0);
    }
}

static int
run(sweep_t *self)
{
    int32_t *order = malloc((self->num_points + 1) * 2 * sizeof(*order));
    int64_t *keys = malloc((self->num_points + 1) * sizeof(*keys));

    if (order == NULL || keys == NULL) {
        free(order);
        free(keys);
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_points; j++) {
        keys[j] = self->points[j].at;
    }
    spot_order_integers(keys, self->num_points, order, order + self->num_points);
    free(keys);
    self->at = self->result->t0;
    for (size_t j = 0; j < self->num_points; j++) {
        take_point(self, &self->points[order[j]]);
    }
    account_all(self, self->result->t1);
    for (size_t j = 0; j < self->result->num_workers; j++) {
        account_worker(self, (int32_t) j);
    }
    for (size_t j = 0; j < self->result->num_hosts; j++) {
        account_host(self, (int32_t) j);
    }
    free(order);
    return self->error;
}

int
spot_worker_times_init(spot_worker_times_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0,
    int64_t t1, size_t num_ready, const spot_stretch_t *ready)
{
    sweep_t sweep = {.result = self, .log = log, .tasks = tasks};
    int ret;

    memset(self, 0, sizeof(*self));
    self->t0 = t0;
    self->t1 = t1;
    self->window = SPOT_HEAD_OF_LINE_NS;
    self->num_workers = log->num_workers;
    self->num_hosts = log->num_hosts;
    self->workers = spot_calloc(log->num_workers, sizeof(*self->workers));
    self->hosts = spot_calloc(log->num_hosts, sizeof(*self->hosts));
    sweep.workers = spot_calloc(log->num_workers, sizeof(*sweep.workers));
    sweep.hosts = spot_calloc(log->num_hosts, sizeof(*sweep.hosts));
    ret = self->workers == NULL || self->hosts == NULL || sweep.workers == NULL ||
                  sweep.hosts == NULL
              ? SPOT_ERR_NO_MEMORY
              : 0;
    if (ret == 0) {
        for (size_t j = 0; j < log->num_hosts; j++) {
            sweep.hosts[j].at = t0;
        }
        ret = add_points(&sweep, transmits, num_ready, ready, -1);
        find_bounds(&sweep);
        ret = spot_error_first(ret, add_points(&sweep, transmits, num_ready, ready, +1));
    }
    ret = ret == 0 ? run(&sweep) : ret;
    free(sweep.points);
    free(sweep.workers);
    free(sweep.hosts);
    return ret;
}
