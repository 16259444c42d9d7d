/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the edges of a task graph say of its run: the longest chain, how long decisions
 * took, and the chain of waits that the last task ended. All over completed tasks, each
 * with the attempt that finished first. */
#pragma once

#include "traces/tasks/attempts.h"
#include "traces/tasks/durations.h"
#include "traces/tasks/worker_time.h"

/* The chain: from the task that finished last back to t0. The parts sum to total. */
typedef struct {
    int64_t tasks;
    int32_t first, last; /* ids */
    spot_wide_t run, queue, comm, inputs, controller, total;
} spot_task_chain_t;

typedef struct {
    bool has_edges; /* else all else is empty */
    int64_t tasks, edges, missing_inputs;
    spot_wide_t critical_run, work;
    size_t num_critical;
    int32_t *critical; /* [num_critical] ids, the first one first */
    int64_t zero_slack;
    spot_durations_t decision_delay;
    size_t num_ready;
    spot_stretch_t *ready; /* [num_ready] in which a task was ready and not planned */
    size_t num_decisions;
    int64_t *decisions; /* [num_decisions] the controller's part of the links that
                         * planned tasks would be in a chain */
    spot_task_chain_t chain;
    spot_arena_t arena;
} spot_task_graph_t;

/* The attempt of each id that finished first, ties by name of the worker; -1: it never
 * completed. best: [num ids]. O(attempts) */
void spot_tasks_first_finished(
    const spot_task_log_t *log, const spot_attempts_t *tasks, int32_t *best);

/* file: of messages. A cycle is BAD_INPUT; NO_MEMORY; free self even then.
 * O(n log n) */
SPOT_MUST_CHECK int spot_task_graph_init(spot_task_graph_t *self, const spot_task_log_t *log,
    const spot_attempts_t *tasks, const spot_attempts_t *transmits, int64_t t0, const char *file,
    spot_diag_t *diag);
void spot_task_graph_free(spot_task_graph_t *self);
