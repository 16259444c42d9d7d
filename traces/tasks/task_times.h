/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times in a task log: durations with their statistics and their JSON, attempts, and where the
 * time of every worker goes.
 *
 * Sums of durations are exact; quantiles need all values, which the caller keeps. An attempt
 * gathers the events of one task on one worker, or of one transmit to one worker. One sweep over
 * all instants then says what each worker did and how many tasks ran at once.
 *
 * Use: spot_attempts_init() for tasks and for transmits of a sealed log, then
 * spot_worker_times_init() of both. Of durations spot_durations_add() each value to zeroed
 * statistics, spot_durations_end() where quantiles are wanted, then spot_durations_json(). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "traces/tasks/task_log.h"

/* ---- Durations ---- */

/* Statistics of count values, ns; without any, only the sum has a meaning: 0. */
typedef struct {
    int64_t count;
    spot_wide_t sum;
    int64_t min, max;
    double p50, p90, p99; /* linear between the two nearest */
    int64_t negative;     /* values below 0 */
} spot_durations_t;

/* One more value, which is also put behind those that values holds, unless that is NULL.
 * Zeroed to start. O(1) */
void spot_durations_add(spot_durations_t *self, double *values, int64_t value);

/* Sets the quantiles by values[count], which are reordered. O(count) */
void spot_durations_end(spot_durations_t *self, double *values);

/* NAN where the whole is 0. */
double spot_wide_ratio(spot_wide_t part, spot_wide_t whole);

/* What JSON has beside count and sum. */
typedef enum {
    SPOT_DURATIONS_SUM, /* nothing */
    SPOT_DURATIONS_MEAN,
    SPOT_DURATIONS_MAX,
    SPOT_DURATIONS_ALL /* mean, min, max, p50, p90, p99, negative */
} spot_durations_parts_t;
void spot_durations_json(
    spot_json_t *json, const char *key, const spot_durations_t *self, spot_durations_parts_t parts);

/* A name with its durations, without quantiles. */
typedef struct {
    const char *name;
    spot_durations_t durations;
} spot_task_group_t;

/* Puts groups in order of bytes. */
void spot_task_groups_sort(spot_task_group_t *groups, size_t num);

/* An object with a member for each group. */
void spot_task_groups_json(spot_json_t *json, const char *key, size_t num,
    const spot_task_group_t *groups, spot_durations_parts_t parts);

/* null, if the value is not there. */
void spot_json_optional(spot_json_t *json, const char *key, bool is_there, int64_t value);

/* ---- Attempts ----
 * Attempts: the events of one task on one worker, or of one transmit to one worker, from
 * one Planned to the next. */

typedef struct {
    int32_t id;
    int32_t worker;
    int32_t number; /* of this id on this worker, from 1 */
    uint8_t has;    /* a bit for each stage */
    uint8_t mode;
    int64_t at[SPOT_TASK_MAX_STAGES];
} spot_attempt_t;

typedef enum { SPOT_DUP_FIRST, SPOT_DUP_LAST, SPOT_DUP_ERROR } spot_task_dup_t;

/* A list in order of id, worker, number. */
typedef struct {
    size_t num_attempts;
    size_t max_attempts;
    spot_attempt_t *attempts; /* [num_attempts] */
    size_t num_events;
    int64_t num_duplicates; /* events that an attempt had already */
    int64_t num_conflicts;  /* attempts whose mode depends on the rule */
} spot_attempts_t;

/* Gathers the tasks, or the transmits, of a sealed log. has_last_line: the mode of a
 * transmit is what stands furthest down in the file, else that of its last stage that
 * has one. With DUP_ERROR a repeated event is BAD_INPUT, reported at its line of file.
 * NO_MEMORY. O(events log events of an id) */
SPOT_MUST_CHECK int spot_attempts_init(spot_attempts_t *self, const spot_task_log_t *log,
    bool is_transmits, spot_task_dup_t dup, bool has_last_line, const char *file,
    spot_diag_t *diag);
void spot_attempts_free(spot_attempts_t *self);

/* The first attempt of an id on a worker, which the others of both follow; NULL: none.
 * O(log attempts) */
const spot_attempt_t *spot_attempts_find(const spot_attempts_t *self, int32_t id, int32_t worker);

/* The attempt of each id that finished first, ties by name of the worker; -1: it never
 * completed. self: those of tasks. best: [num ids]. O(attempts) */
void spot_attempts_first_finished(
    const spot_attempts_t *self, const spot_task_log_t *log, int32_t *best);

/* For qsort(): -1, 0, 1. */
static inline int spot_ns_compare(int64_t first, int64_t second)
{
    return (first > second) - (first < second);
}

static inline bool spot_attempt_has(const spot_attempt_t *self, int stage)
{
    return (self->has >> stage & 1) != 0;
}

/* Whether both ends are there; the length of what is between, which may be negative. */
static inline bool spot_attempt_between(
    const spot_attempt_t *self, int from, int to, int64_t *length)
{
    const bool has = spot_attempt_has(self, from) && spot_attempt_has(self, to);

    *length = has ? self->at[to] - self->at[from] : 0;
    return has;
}

/* ---- Where the time of workers goes ----
 * Where the time of every worker goes, and how many tasks run at once: one sweep over
 * all instants at which something begins or ends. Sets of time are unions of [a, b) with
 * b > a. */

/* What a worker does at an instant: the first that applies. */
typedef enum {
    SPOT_IDLE_BUSY,      /* a task runs */
    SPOT_IDLE_QUEUE,     /* enqueued, not started */
    SPOT_IDLE_COMM,      /* planned, not enqueued */
    SPOT_IDLE_INPUTS,    /* data is on the way to it */
    SPOT_IDLE_LOST,      /* a task started that never finished; an upper bound */
    SPOT_IDLE_HEAD,      /* before anything was planned */
    SPOT_IDLE_TAIL,      /* after its last task */
    SPOT_IDLE_UNPLANNED, /* the rest */
    SPOT_NUM_IDLE
} spot_idle_t;
extern const char *const spot_idle_names[SPOT_NUM_IDLE];

typedef struct {
    int64_t tasks; /* attempts */
    int64_t split[SPOT_NUM_IDLE];
    int64_t gaps, gap_max;     /* between busy stretches */
    int64_t in_flight, hidden; /* transmits to it; while it is busy */
    int64_t unplanned_ready;   /* of unplanned: some task was ready and not planned */
    bool has_overlap;          /* of tasks */
} spot_worker_time_t;

/* Time during which exactly k tasks ran, by k. */
typedef struct {
    size_t num_ns;
    size_t max_ns;
    int64_t *ns; /* [num_ns] */
} spot_concurrency_t;

/* A stretch in which some task is ready and not planned. */
typedef struct {
    int64_t start, end;
} spot_stretch_t;

typedef struct {
    int64_t t0, t1; /* of task and transmit events */
    size_t num_workers, num_hosts;
    spot_worker_time_t *workers; /* [num_workers] */
    spot_concurrency_t all;
    spot_concurrency_t *hosts; /* [num_hosts] */
    int64_t task_any, transmit_any, both;
    spot_wide_t comm_sum, matched_sum; /* head of line */
    int64_t window;
    spot_wide_t covered; /* by windows after ends of tasks, over all hosts */
    spot_arena_t arena;
} spot_worker_times_t;

/* ready: stretches, in any order. NO_MEMORY; free self even then. O(n log n) */
SPOT_MUST_CHECK int spot_worker_times_init(spot_worker_times_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0, int64_t t1,
    size_t num_ready, const spot_stretch_t *ready);
void spot_worker_times_free(spot_worker_times_t *self);

/* Adds to the time with k tasks. NO_MEMORY; BAD_INPUT: the sum is beyond 64 bits. */
SPOT_MUST_CHECK int spot_concurrency_add(spot_concurrency_t *self, size_t k, int64_t ns);
