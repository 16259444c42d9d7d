/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that a log says: durations, where the time of workers went, how many tasks ran at
 * once, what the graph adds. Integers are exact; the sums of time close.
 *
 * This module owns the graph (longest chain, decisions, the chain of waits that the last
 * task ended), the clocks of hosts, the counts by worker and class, their JSON, and the
 * durations of a log of markers, which has stages of its own.
 *
 * Use: spot_task_analysis_init() of a sealed log, spot_task_analysis_warn(),
 * spot_task_analysis_json(); of a log of markers spot_task_markers_init() and
 * spot_task_markers_json(). */
#pragma once

#include "traces/tasks/task_times.h"

/* ---- The graph ----
 * What the edges of a task graph say of its run. All over completed tasks, each with the
 * attempt that finished first. */

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

/* ---- The analysis ---- */

/* Durations of attempts, from one stage to another. */
typedef enum {
    SPOT_TASK_TOTAL,
    SPOT_TASK_COMM,
    SPOT_TASK_QUEUE,
    SPOT_TASK_RUN,
    SPOT_TASK_ON_WORKER,
    SPOT_TASK_LOAD,
    SPOT_TASK_COMPUTE,
    SPOT_NUM_TASK_DURATIONS
} spot_task_duration_t;
typedef enum {
    SPOT_TRANSMIT_TOTAL,
    SPOT_TRANSMIT_COMM,
    SPOT_TRANSMIT_LOAD, /* mode remote alone, as is the next one */
    SPOT_TRANSMIT_TRANSFER,
    SPOT_NUM_TRANSMIT_DURATIONS
} spot_transmit_duration_t;

typedef struct {
    const char *name; /* of the JSON */
    const char *text; /* what it is */
    int from, to;     /* stages */
} spot_task_span_t;
extern const spot_task_span_t spot_task_spans[SPOT_NUM_TASK_DURATIONS];
extern const spot_task_span_t spot_transmit_spans[SPOT_NUM_TRANSMIT_DURATIONS];

typedef struct {
    spot_task_dup_t dup;
    bool has_last_line; /* --mode-rule last-line */
    bool aligns;        /* clocks of hosts */
} spot_task_rules_t;

/* What the controller's own lines say of its rounds. */
typedef struct {
    spot_durations_t act, wait;
    int64_t without_wait;
    spot_wide_t counters[SPOT_REPORT_COUNTERS];
    spot_wide_t busy_during_wait; /* sum of busy workers x wait */
} spot_task_rounds_t;

/* Bounds of what a host's clock is ahead of the controller's; INT64_MIN, INT64_MAX: none
 * is known. */
typedef struct {
    int64_t low, high;
    int64_t subtracted; /* by --align */
} spot_clock_offset_t;

typedef struct {
    int64_t t0, t1, makespan;
    int64_t no_planned, negative_intervals, mode_conflicts, overlapping_tasks;
    spot_attempts_t tasks, transmits;
    int64_t distinct, completed, incomplete;
    spot_durations_t task[SPOT_NUM_TASK_DURATIONS];
    spot_task_group_t *per_worker; /* [num_workers of the log] of on_worker */
    spot_names_t classes;          /* in order of their first task */
    size_t num_classes;
    spot_task_group_t *per_class; /* [num_classes] of run */
    int32_t *class_of;            /* [num ids] into per_class; -1: not a task */
    int64_t transmits_unfinished, datasets;
    int64_t mode_counts[SPOT_NUM_MODES];
    spot_wide_t mode_totals[SPOT_NUM_MODES];
    spot_durations_t transmit[SPOT_NUM_TRANSMIT_DURATIONS];
    size_t num_sent;
    int64_t *sent; /* [num_sent] datasets that were sent k times */
    spot_worker_times_t times;
    spot_clock_offset_t *offsets; /* [num_hosts of the log] */
    spot_task_graph_t graph;
    spot_task_rounds_t rounds;
    spot_arena_t arena;
} spot_task_analysis_t;

/* Analyses a sealed log, which is not of markers; with aligns its clocks are changed.
 * file: of messages. BAD_INPUT with the reason in diag: a cycle of edges, stamps that
 * span more than int64, duplicates where the rules forbid them. NO_MEMORY; free self
 * even then. O(n log n) */
SPOT_MUST_CHECK int spot_task_analysis_init(spot_task_analysis_t *self, spot_task_log_t *log,
    const spot_task_rules_t *rules, const char *file, spot_diag_t *diag);
void spot_task_analysis_free(spot_task_analysis_t *self);

/* What the log makes doubtful, as warnings of file. */
void spot_task_analysis_warn(const spot_task_analysis_t *self, const spot_task_log_t *log,
    const char *file, spot_diag_t *diag);

/* One object, with the names of docs/tasks.md. */
void spot_task_analysis_json(
    const spot_task_analysis_t *self, const spot_task_log_t *log, spot_json_t *json);

/* ---- Logs of markers ----
 * What a log of markers says: durations between its own stages, microtraces, phases of
 * the controller. */

enum { SPOT_MARKED_TASK_SPANS = 8, SPOT_MARKED_TRANSMIT_SPANS = 6 };

typedef struct {
    size_t num_microtraces, num_phases;
    spot_task_group_t *microtraces; /* [num_microtraces] */
    spot_task_group_t *phases;      /* [num_phases] up to the next mark; the last one 0 */
    spot_task_group_t task[SPOT_MARKED_TASK_SPANS];
    spot_task_group_t transmit[SPOT_MARKED_TRANSMIT_SPANS];
    int64_t attempts; /* of transmits */
    int64_t mode_counts[SPOT_NUM_MODES];
    spot_arena_t arena;
} spot_task_markers_t;

/* Of a sealed log of markers. Errors as spot_attempts_init(); free self even then. */
SPOT_MUST_CHECK int spot_task_markers_init(spot_task_markers_t *self, const spot_task_log_t *log,
    spot_task_dup_t dup, const char *file, spot_diag_t *diag);
void spot_task_markers_free(spot_task_markers_t *self);

/* One object: microtraces, tasks, transmits, controller. */
void spot_task_markers_json(const spot_task_markers_t *self, spot_json_t *json);
