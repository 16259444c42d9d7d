/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs of a virtual cluster that the training engine simulates. The scheduler decides which
 * nodes such a job has: nodes that it gets and loses are additions and preemptions of a
 * trace in memory. The training engine runs on that trace as if nothing more were to come;
 * whenever the nodes change it runs again from the start, and its last run is the result. */
#pragma once

#include "sim/schedule/vc_state.h"

/* A node comes or goes at a time on the clock of the job, or is there when it starts. */
void spot_core_job_start_with(spot_core_job_t *self, int32_t node_id);
void spot_core_job_change(
    spot_core_job_t *self, int64_t time_ms, int32_t node_id, spot_event_kind_t kind);

/* Gives a job its core if the log names a trainer. */
void spot_vc_add_core(spot_vc_t *self, int32_t job);
void spot_vc_free_cores(spot_vc_t *self);

/* Brings the nodes of the core up to date, runs it again, and returns when it ends. */
int64_t spot_vc_run_core(spot_vc_t *self, int32_t job);

/* Divides the time that a job has held its GPUs as the core's ledger does; finish: of
 * all that have not ended. */
void spot_vc_settle_core(spot_vc_t *self, int32_t job);
void spot_vc_finish_cores(spot_vc_t *self);

/* Sizes without a table: whole pipelines, and the inverse of their step time. */
int32_t spot_vc_core_next_size(const spot_vc_t *self, int32_t job, int32_t gpus);
double spot_vc_core_throughput(const spot_vc_t *self, int32_t job, int32_t gpus);

/* A job has all GPUs of a fleet that take jobs, and those that it had before. */
void spot_vc_take_fleet(spot_vc_t *self, int32_t job);
