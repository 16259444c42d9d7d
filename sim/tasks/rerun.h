/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A task graph that runs again: its scenario, constant after binding, and a run. */
#pragma once

#include "sim/bench/engine/experiment.h"
#include "traces/laws/law.h"
#include "traces/tasks/task_analysis.h"

#define SPOT_RERUN_MAX_NS 10000000000000000 /* of a time: 115 days */

/* A time: constant, or drawn. */
typedef struct {
    int64_t fixed_ns; /* without a family */
    spot_law_t law;   /* in s */
} spot_rerun_time_t;

/* By the event that a delay precedes, then those of transmits. */
enum {
    SPOT_DELAY_DECISION,
    SPOT_DELAY_COMM,
    SPOT_DELAY_QUEUE,
    SPOT_DELAY_LOCAL,
    SPOT_DELAY_REMOTE,
    SPOT_NUM_DELAYS
};

/* What a replay makes longer or shorter. */
enum { SPOT_SCALE_DECISION, SPOT_SCALE_COMM, SPOT_SCALE_QUEUE, SPOT_SCALE_RUN, SPOT_NUM_SCALES };

typedef struct {
    char *name;
    spot_rerun_time_t run;
    double beta;
    int64_t num_tasks; /* of the class */
} spot_rerun_class_t;

typedef struct {
    bool is_task;                 /* else its data alone occurs in the log */
    const spot_rerun_time_t *run; /* of its class; NULL: as recorded */
    int64_t recorded_ns;
    double beta;
    size_t num_inputs;
    const int32_t *inputs; /* [num_inputs] ids */
} spot_rerun_task_t;

typedef struct {
    spot_outputs_t outputs; /* first, see spot_plain_outputs() */
    char *log_path, *edges_path;
    const spot_node_t *nodes; /* tasks in place of files, until it is bound */
    int64_t num_workers, num_hosts;
    int is_replay, order, scope, no_spot;
    double scale[SPOT_NUM_SCALES]; /* of a replay */
    size_t num_runs, num_betas;
    spot_rerun_class_t *runs, *betas; /* [num_runs], [num_betas] */
    spot_rerun_time_t delays[SPOT_NUM_DELAYS];
    spot_rerun_time_t life; /* of a host; without a family hosts stay */
    int64_t replacement_ns;
    double price_usd_per_h;        /* of a host */
    spot_task_log_t log;           /* with all edges; its ids are those of tasks */
    spot_task_analysis_t analysis; /* of the log */
    size_t num_ids, num_tasks;
    spot_rerun_task_t *tasks; /* [num_ids] */
    int32_t *best;            /* [num_ids] attempt that finished first, or -1 */
    int32_t *order_of_tasks;  /* [num_ids] which goes first */
    spot_arena_t arena;
} spot_rerun_scenario_t;

extern const spot_field_t spot_rerun_fields[];

/* As the experiment has it: whether the default of a key has a bearing. */
bool spot_rerun_decides(const void *scenario, const spot_node_t *root, const char *key);

/* Binds a document and reads its graph. BAD_INPUT and IO with the reasons in diag,
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_rerun_scenario_init(
    spot_rerun_scenario_t *self, const spot_node_t *root, spot_diag_t *diag);
void spot_rerun_scenario_free(spot_rerun_scenario_t *self);

/* A run, as a log with its analysis. Zero it to start. */
typedef struct {
    const spot_rerun_scenario_t *scenario; /* must outlive self */
    spot_task_log_t log;
    spot_task_analysis_t analysis;
    bool is_cut_off;                                 /* given up: a task was lost too often */
    int64_t lost_runs, reruns, preemptions, host_ns; /* for which hosts are paid */
} spot_rerun_t;

/* Runs a replication; frees what an earlier one left. INTERRUPTED, NO_MEMORY. */
SPOT_MUST_CHECK int spot_rerun_run(spot_rerun_t *self, const spot_replication_t *replication);
void spot_rerun_free(spot_rerun_t *self);

extern const spot_experiment_t spot_rerun_experiment;

/* Its verbs. */
extern const struct spot_verb spot_verb_tasks, spot_verb_tasks_fit;
