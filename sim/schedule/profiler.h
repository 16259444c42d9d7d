/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profiler of Lucid: a virtual cluster of its own, in which every job that is small
 * enough runs first, the least GPUs first. A job that is short ends there; the others
 * leave after a limit and enter their own VC with all their work.
 *
 * When many jobs wait the profiler borrows a node of a VC, the lender, and returns it
 * when few jobs wait and few are forecast. Source: Hu et al., "Lucid: A Non-intrusive,
 * Scalable and Interpretable Scheduler for Deep Learning Training Jobs", ASPLOS 2023. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/schedule/scenario.h"
#include "sim/schedule/vc.h"

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

/* vcs: those of the scenario, and room for the profiler's own behind them. */
void spot_profiler_init(spot_profiler_t *self, const spot_schedule_scenario_t *scenario,
    spot_vc_t *vcs, int32_t num_vcs);
void spot_profiler_free(spot_profiler_t *self);

/* Starts a replication. */
void spot_profiler_start(spot_profiler_t *self, const spot_job_log_t *log, int64_t start_s);

/* Adds a job of the log, which arrives at submit_s; false: it is not profiled. */
bool spot_profiler_add_job(spot_profiler_t *self, int32_t row_id, int64_t submit_s);

/* Whether a job is so short that it ends in the profiler. */
bool spot_profiler_is_final(const spot_profiler_t *self, int32_t row_id);

/* The job of vc, or NULL: it is not profiled. O(1). */
const spot_vc_job_t *spot_profiler_job(const spot_profiler_t *self, int32_t row_id);

/* The next second at which lend() may act without a change; INT64_MAX: none. */
int64_t spot_profiler_next_due_s(const spot_profiler_t *self);

/* Borrows or returns a node after all decisions of a second; true: it has. */
bool spot_profiler_lend(spot_profiler_t *self);
