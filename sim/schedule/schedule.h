/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scheduling engine: all virtual clusters of a scenario on one clock.
 *
 * Only seconds at which something is due are visited: arrivals, endings, node events,
 * and those at which a policy says that it may act. The key stepping: every-second
 * visits all of them, for tests; the results are the same.
 *
 * Life: init -> run, as often as wanted -> free. The VCs keep their results until the
 * next run.
 *
 * This module owns the profiler of Lucid too: a virtual cluster of its own, in which every
 * job that is small enough runs first, the least GPUs first. A job that is short ends
 * there; the others leave after a limit and enter their own VC with all their work. When
 * many jobs wait the profiler borrows a node of a VC, the lender, and returns it when few
 * jobs wait and few are forecast. Source: Hu et al., "Lucid: A Non-intrusive, Scalable and
 * Interpretable Scheduler for Deep Learning Training Jobs", ASPLOS 2023. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "models/price.h"
#include "sim/bench/engine/experiment.h"
#include "sim/schedule/estimates.h"
#include "sim/schedule/pool_setting.h"
#include "sim/schedule/scenario.h"
#include "sim/schedule/vc.h"
#include "traces/generate/membership.h"

#define SPOT_PROFILER_NAME "profvc"

typedef struct {
    int64_t time_s;
    int32_t change; /* of the number of its nodes: 1, -1 */
} spot_scaling_event_t;

typedef struct {
    const spot_schedule_scenario_t *scenario; /* must outlive self, as the VCs */
    spot_vc_t *vc;
    spot_vc_t *lender; /* NULL: it never grows */
    int32_t *job_ids;  /* [log->num_jobs] of vc; -1: the job is not profiled */
    size_t max_job_ids;
    int32_t borrowed_id;  /* node of vc; -1: none */
    int64_t num_removals; /* of nodes of the lender */
    size_t num_events;
    size_t max_events;
    spot_scaling_event_t *events; /* [num_events] by time */
    int error;                    /* NO_MEMORY */
} spot_profiler_t;

/* Whether a job is so short that it ends in the profiler. */
bool spot_profiler_is_final(const spot_profiler_t *self, int32_t row_id);

/* The job of vc, or NULL: it is not profiled. O(1). */
const spot_vc_job_t *spot_profiler_job(const spot_profiler_t *self, int32_t row_id);

typedef enum {
    SPOT_POOL_NODE_AHEAD, /* not seen yet */
    SPOT_POOL_NODE_PREPPING,
    SPOT_POOL_NODE_READY,
    SPOT_POOL_NODE_GONE
} spot_pool_status_t;

/* A node of the pool, in order of arrival; a name that comes back is a new node. */
typedef struct {
    char name[SPOT_INSTANCE_NAME_BYTES];
    spot_pool_status_t status;
    int32_t slot;     /* of the living; used again when it has gone */
    int32_t node_id;  /* of the VC while it is ready; -1 before */
    int32_t meter_id; /* what is paid for it */
    int64_t ready_s;  /* if it is not lost before; set when it is seen */
    bool is_initial;
    int64_t added_s; /* when it was seen, unless it is initial */
    bool is_noticed; /* it takes no new jobs when it is ready */
} spot_pool_node_t;

/* An addition or a loss that has been read, or nodes that were clipped. */
typedef struct {
    int64_t time_ms; /* of the trace */
    int64_t seen_s;
    int32_t instance;    /* of nodes; -1: of none */
    int32_t num_clipped; /* nodes that could not come or go */
    spot_event_kind_t kind;
} spot_pool_event_t;

typedef struct {
    const spot_pool_plan_t *plan; /* must outlive self */
    int32_t pool_id;
    spot_membership_t membership;
    int32_t *instance_of_slot; /* [capacity] */
    int64_t start_s;
    size_t num_nodes;
    size_t max_nodes;
    spot_pool_node_t *nodes; /* [num_nodes] */
    size_t next_ready;       /* nodes before it are ready or gone */
    size_t first_new;        /* next_ready before the present second */
    size_t num_events;
    size_t max_events;
    spot_pool_event_t *events; /* [num_events] by time, read ahead by the notice */
    size_t next_loss, next_addition, next_notice;
    size_t num_meters;
    spot_meter_t *meters; /* [num_meters] 0: zones without own price, j + 1: zone j */
    int32_t num_living;   /* as the VC has seen, prepping ones included */
    int64_t metered_s;
    int64_t node_s;     /* paid until metered_s */
    int64_t overdraw_s; /* the second at which the trace ends in an overdraw */
    size_t num_ids;
    size_t max_ids;
    int32_t *ids; /* [num_ids] of the VC: one stage of a set of events */
    int error;    /* NO_MEMORY, OVERDRAW */
} spot_pool_t;

/* The pools of a VC. */
typedef struct {
    size_t num_pools;
    spot_pool_t *pools; /* [num_pools] */
} spot_pool_set_t;

double spot_pool_usd(spot_pool_t *self, int64_t now_s);

/* Aborts if an invariant does not hold. O(nodes). */
void spot_pool_verify(const spot_pool_t *self, const spot_vc_t *vc);

/* What became of a job of the log, wherever it ended. */
typedef struct {
    int64_t start_s; /* first start, in the profiler if it ended there; -1: none */
    int64_t end_s;   /* -1: none */
    int64_t queue_s; /* in queues, profiled_queue_s included, without a wait under way */
    int64_t lost;    /* thousandths of a second of work */
    int64_t overhead_s;
    int32_t preemptions, node_preemptions, resizes;
    int32_t host_row_id;      /* of the first job that it was packed on; -1: none */
    bool is_profiled;         /* it has run in the profiler */
    int64_t profiled_queue_s; /* its wait for the profiler */
} spot_job_result_t;

typedef struct {
    const spot_schedule_scenario_t *scenario; /* must outlive self */
    const spot_job_log_t *log;                /* of the replication */
    int32_t *job_ids; /* [log->num_jobs] of the VC of the row; -1: not there (yet) */
    size_t max_job_ids;
    int32_t num_vcs;
    int32_t num_clocks;       /* num_vcs, and one more with a profiler */
    spot_vc_t *vcs;           /* [num_clocks] in the order of the scenario, the profiler last */
    spot_profiler_t profiler; /* vc is NULL: there is none */
    size_t num_pools;
    spot_pool_t *pools;        /* [num_pools] by VC */
    spot_pool_set_t *pools_of; /* [num_clocks] of a VC */
    spot_estimates_t durations;
    spot_calendar_t due; /* item j: the next second at which VC j is due */
    int32_t num_due;
    int32_t *now_due;      /* [num_due] VCs of the second under way */
    spot_vc_watch_t watch; /* of every VC, for the next run */
    int64_t now_s;
    int64_t last_event_s;        /* the last second in which anything changed */
    int64_t end_s;               /* of the run */
    bool is_blocked;             /* jobs are left that can never start */
    const char *unfinished_text; /* jobs that are left, in words; NULL: none is */
    int64_t num_jobs;            /* of the log, without those that are too large */
    int64_t num_ended;
    int64_t last_end_s;     /* -1: no job has ended */
    int64_t num_cut;        /* runs in the profiler that will be cut and have not ended */
    int64_t num_oversize;   /* jobs that were left out: no VC could ever hold them */
    int64_t num_clipped;    /* instances of pools that could not come or go */
    bool is_past_trace_end; /* of a pool, whose last nodes stay */
    double reserved_node_h; /* paid until the end of the run */
    double spot_node_h;
    double reserved_usd;
    double spot_usd;
    spot_job_log_t drawn; /* by the scenario's law, for this replication */
    size_t max_submit_s, max_order, max_scratch;
    int64_t *submit_s; /* [log->num_jobs] shifted; NULL: those of the log */
    int32_t *order;    /* [log->num_jobs] by shifted submit */
    int32_t *scratch;
    spot_texts_t texts; /* about this run */
} spot_schedule_t;

/* NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_schedule_init(
    spot_schedule_t *self, const spot_schedule_scenario_t *scenario);
void spot_schedule_free(spot_schedule_t *self);

/* Runs one replication. NO_MEMORY; INTERRUPTED. */
SPOT_MUST_CHECK int spot_schedule_run(spot_schedule_t *self, const spot_replication_t *replication);

/* The name of a node, and of its place among the living, which a node that comes later
 * may take. They may be added to texts. */
const char *spot_schedule_node_name(
    const spot_schedule_t *self, const spot_gpu_node_t *node, spot_texts_t *texts);
const char *spot_schedule_place_name(
    const spot_schedule_t *self, const spot_gpu_node_t *node, spot_texts_t *texts);

/* Whether a job takes part: some VC can hold it. */
bool spot_schedule_has_job(const spot_schedule_t *self, int32_t row_id);

/* When a job of the latest run was submitted. O(1). */
static inline int64_t spot_schedule_submit_s(const spot_schedule_t *self, int32_t row_id)
{
    return self->submit_s == NULL ? self->log->jobs[row_id].submit_s : self->submit_s[row_id];
}

/* What the training engine says of a job in the latest run; NULL: it does not simulate
 * it. O(1). */
const spot_train_result_t *spot_schedule_core_result(const spot_schedule_t *self, int32_t row_id);

/* What became of a job in the latest run. O(1). */
spot_job_result_t spot_schedule_result(const spot_schedule_t *self, int32_t row_id);

/* What the profiler did in the latest run. O(jobs). */
typedef struct {
    int64_t num_profiled; /* jobs that have run in it */
    int64_t num_finished; /* and ended there */
    int64_t queue_s;      /* their waits for it */
    int64_t num_borrowed; /* nodes, one after the other */
} spot_profiling_t;

spot_profiling_t spot_schedule_profiling(const spot_schedule_t *self);
