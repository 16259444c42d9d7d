/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/task_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "base/stats.h"

#define HEAD_OF_LINE_NS 10000000

/* ---- Durations ---- */

void spot_durations_add(spot_durations_t *self, double *values, int64_t value)
{
    if (values != NULL) {
        values[self->count] = (double) value;
    }
    self->min = self->count == 0 || value < self->min ? value : self->min;
    self->max = self->count == 0 || value > self->max ? value : self->max;
    self->negative += value < 0;
    self->count++;
    self->sum += value;
}

void spot_durations_end(spot_durations_t *self, double *values)
{
    static const double p[] = {0.5, 0.9, 0.99};
    double quantiles[3];

    spot_quantiles(values, (size_t) self->count, 3, p, quantiles);
    self->p50 = quantiles[0];
    self->p90 = quantiles[1];
    self->p99 = quantiles[2];
}

double spot_wide_ratio(spot_wide_t part, spot_wide_t whole)
{
    return whole == 0 ? (double) NAN : (double) part / (double) whole;
}

void spot_json_optional(spot_json_t *json, const char *key, bool is_there, int64_t value)
{
    if (is_there) {
        spot_json_wide(json, key, value);
    } else {
        spot_json_number(json, key, (double) NAN);
    }
}

void spot_durations_json(
    spot_json_t *json, const char *key, const spot_durations_t *self, spot_durations_parts_t parts)
{
    const bool is_all = parts == SPOT_DURATIONS_ALL;

    spot_json_open(json, key, '{');
    spot_json_integer(json, "count", self->count);
    spot_json_wide(json, "sum", self->sum);
    if (is_all || parts == SPOT_DURATIONS_MEAN) {
        spot_json_number(json, "mean", spot_wide_ratio(self->sum, self->count));
    }
    if (is_all) {
        spot_json_optional(json, "min", self->count > 0, self->min);
    }
    if (is_all || parts == SPOT_DURATIONS_MAX) {
        spot_json_optional(json, "max", self->count > 0, self->max);
    }
    if (is_all) {
        spot_json_number(json, "p50", self->p50);
        spot_json_number(json, "p90", self->p90);
        spot_json_number(json, "p99", self->p99);
        spot_json_integer(json, "negative", self->negative);
    }
    spot_json_close(json, '}');
}

static int compare_groups(const void *first, const void *second)
{
    return strcmp(
        ((const spot_task_group_t *) first)->name, ((const spot_task_group_t *) second)->name);
}

void spot_task_groups_sort(spot_task_group_t *groups, size_t num)
{
    qsort(groups, num, sizeof(*groups), compare_groups);
}

void spot_task_groups_json(spot_json_t *json, const char *key, size_t num,
    const spot_task_group_t *groups, spot_durations_parts_t parts)
{
    spot_json_open(json, key, '{');
    for (size_t j = 0; j < num; j++) {
        spot_durations_json(json, groups[j].name, &groups[j].durations, parts);
    }
    spot_json_close(json, '}');
}

/* ---- Attempts ---- */

void spot_attempts_free(spot_attempts_t *self)
{
    free(self->attempts);
    memset(self, 0, sizeof(*self));
}

/* Order of the events of an id: worker, time, stage, line. */
static int compare(const void *first, const void *second)
{
    const spot_task_event_t *a = first, *b = second;

    return a->worker != b->worker ? spot_ns_compare(a->worker, b->worker)
           : a->at != b->at       ? spot_ns_compare(a->at, b->at)
           : a->stage != b->stage ? spot_ns_compare(a->stage, b->stage)
                                  : spot_ns_compare(a->line, b->line);
}

static void sort(spot_task_event_t *events, size_t num)
{
    if (num > 24) {
        qsort(events, num, sizeof(*events), compare);
        return;
    }
    for (size_t j = 1; j < num; j++) {
        const spot_task_event_t event = events[j];
        size_t k = j;

        for (; k > 0 && compare(&events[k - 1], &event) > 0; k--) {
            events[k] = events[k - 1];
        }
        events[k] = event;
    }
}

/* Events by id: a counting sort. starts: [num ids + 2]. */
static spot_task_event_t *gather(const spot_task_log_t *log, bool is_transmits, size_t *starts)
{
    spot_task_event_t *events;

    for (size_t j = 0; j < log->num_events; j++) {
        starts[log->events[j].id + 2] += log->events[j].is_transmit == is_transmits;
    }
    for (size_t j = 2; j < log->ids.num_names + 2; j++) {
        starts[j] += starts[j - 1];
    }
    events = malloc((starts[log->ids.num_names + 1] + 1) * sizeof(*events));
    for (size_t j = 0; events != NULL && j < log->num_events; j++) {
        if (log->events[j].is_transmit == is_transmits) {
            events[starts[log->events[j].id + 1]++] = log->events[j];
        }
    }
    return events;
}

typedef struct {
    spot_attempts_t *list;
    const spot_task_log_t *log;
    spot_task_dup_t dup;
    const char *file;
    spot_diag_t *diag;
    spot_attempt_t open;
    uint32_t last_line; /* with a mode, of the open attempt */
    uint8_t last_mode;  /* of that line */
    uint8_t modes[SPOT_TASK_MAX_STAGES];
    bool is_transmits, has_last_line;
} maker_t;

static int close_attempt(maker_t *self)
{
    spot_attempt_t *attempt = &self->open;
    uint8_t chain_mode = SPOT_MODE_NONE;

    if (attempt->has == 0) {
        return 0;
    }
    for (int stage = SPOT_TASK_MAX_STAGES - 1; stage > 0 && chain_mode == SPOT_MODE_NONE; stage--) {
        chain_mode = self->modes[stage];
    }
    attempt->mode = self->has_last_line ? self->last_mode : chain_mode;
    self->list->num_conflicts += self->last_mode != chain_mode;
    if (self->is_transmits && !self->log->is_markers && attempt->mode == SPOT_MODE_LOCAL) {
        const unsigned both = 1U << SPOT_TRANSMIT_STARTED | 1U << SPOT_TRANSMIT_LOADED;

        /* nothing moves: it is there when it has finished, whatever the log says */
        attempt->at[SPOT_TRANSMIT_STARTED] = attempt->at[SPOT_TRANSMIT_LOADED] =
            attempt->at[SPOT_TRANSMIT_FINISHED];
        attempt->has =
            (uint8_t) (spot_attempt_has(attempt, SPOT_TRANSMIT_FINISHED) ? attempt->has | both
                                                                         : attempt->has & ~both);
    }
    return SPOT_ARRAY_APPEND(self->list, attempts, *attempt);
}

static int take_event(maker_t *self, const spot_task_event_t *event)
{
    spot_attempt_t *attempt = &self->open;
    const bool is_repeated = spot_attempt_has(attempt, event->stage);

    if (is_repeated && self->dup == SPOT_DUP_ERROR) {
        return spot_diag_error(self->diag, self->file, event->line, 0,
            "the action comes a second time in one attempt");
    }
    self->list->num_duplicates += is_repeated;
    if (!is_repeated || self->dup == SPOT_DUP_LAST) {
        attempt->at[event->stage] = event->at;
        attempt->has |= (uint8_t) (1U << event->stage);
        self->modes[event->stage] = event->mode;
    }
    if (event->mode != SPOT_MODE_NONE && event->line >= self->last_line) {
        self->last_mode = event->mode;
        self->last_line = event->line;
    }
    return 0;
}

/* The attempts of one id: Planned opens one, or Started where nothing is planned. */
static int take_events(maker_t *self, const spot_task_event_t *events, size_t num)
{
    const int first = self->log->has_planning ? 0 : SPOT_TASK_STARTED;
    int ret = 0;

    self->open.has = 0;
    for (size_t j = 0; ret == 0 && j < num; j++) {
        const spot_task_event_t *event = &events[j];
        const bool is_next = j > 0 && event->worker == events[j - 1].worker;

        if (!is_next || (event->stage == first && spot_attempt_has(&self->open, first))) {
            const int32_t number = is_next ? self->open.number + 1 : 1;

            ret = close_attempt(self);
            self->open =
                (spot_attempt_t){.id = event->id, .worker = event->worker, .number = number};
            memset(self->modes, 0, sizeof(self->modes));
            self->last_line = self->last_mode = 0;
        }
        ret = ret == 0 ? take_event(self, event) : ret;
    }
    return ret == 0 ? close_attempt(self) : ret;
}

int spot_attempts_init(spot_attempts_t *self, const spot_task_log_t *log, bool is_transmits,
    spot_task_dup_t dup, bool has_last_line, const char *file, spot_diag_t *diag)
{
    maker_t maker = {.list = self,
        .log = log,
        .dup = dup,
        .file = file,
        .diag = diag,
        .is_transmits = is_transmits,
        .has_last_line = has_last_line};
    size_t *starts = spot_calloc(log->ids.num_names + 2, sizeof(*starts));
    spot_task_event_t *events = NULL;
    int ret;

    memset(self, 0, sizeof(*self));
    if (starts != NULL) {
        events = gather(log, is_transmits, starts);
        self->num_events = starts[log->ids.num_names];
    }
    ret = events == NULL ? SPOT_ERR_NO_MEMORY : 0;
    for (size_t j = 0; ret == 0 && j < log->ids.num_names; j++) {
        sort(events + starts[j], starts[j + 1] - starts[j]);
        ret = take_events(&maker, events + starts[j], starts[j + 1] - starts[j]);
    }
    free(events);
    free(starts);
    return ret;
}

/* Of attempts by id, worker, number. */
static int compare_attempts(const void *first, const void *second)
{
    const spot_attempt_t *a = first, *b = second;

    return a->id != b->id           ? spot_ns_compare(a->id, b->id)
           : a->worker != b->worker ? spot_ns_compare(a->worker, b->worker)
                                    : spot_ns_compare(a->number, b->number);
}

const spot_attempt_t *spot_attempts_find(const spot_attempts_t *self, int32_t id, int32_t worker)
{
    const spot_attempt_t first = {.id = id, .worker = worker, .number = 1};

    return self->num_attempts == 0 ? NULL
                                   : bsearch(&first, self->attempts, self->num_attempts,
                                         sizeof(first), compare_attempts);
}

void spot_attempts_first_finished(
    const spot_attempts_t *self, const spot_task_log_t *log, int32_t *best)
{
    memset(best, -1, log->ids.num_names * sizeof(*best));
    for (size_t j = 0; j < self->num_attempts; j++) {
        const spot_attempt_t *task = &self->attempts[j];
        int32_t *id = &best[task->id];

        /* attempts of an id are in order of the workers' names */
        if (spot_attempt_has(task, SPOT_TASK_FINISHED) &&
            (*id < 0 ||
                task->at[SPOT_TASK_FINISHED] < self->attempts[*id].at[SPOT_TASK_FINISHED])) {
            *id = (int32_t) j;
        }
    }
}

/* ---- Where the time of workers goes ---- */

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

/* ---- Workers: points of the sweep ---- */

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

/* ---- Workers: the sweep ---- */

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
        .window = HEAD_OF_LINE_NS,
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
