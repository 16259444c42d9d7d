/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of every worker goes, and how many tasks run at once: one sweep over
 * all instants at which something begins or ends. Sets of time are unions of [a, b) with
 * b > a. */
#pragma once

#include "base/json.h"
#include "traces/tasks/attempts.h"

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

#define SPOT_HEAD_OF_LINE_NS 10000000

/* ready: stretches, in any order. NO_MEMORY; free self even then. O(n log n) */
SPOT_MUST_CHECK int spot_worker_times_init(spot_worker_times_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0, int64_t t1,
    size_t num_ready, const spot_stretch_t *ready);
void spot_worker_times_free(spot_worker_times_t *self);

/* Adds to the time with k tasks. NO_MEMORY; BAD_INPUT: the sum is beyond 64 bits. */
SPOT_MUST_CHECK int spot_concurrency_add(spot_concurrency_t *self, size_t k, int64_t ns);
