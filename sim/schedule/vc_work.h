/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of the jobs of a virtual cluster: what a running job has done by a second, how
 * fast it is at a size, and what is durable. Running jobs are brought forward only when
 * something touches them, in a closed form, so that a second without an event costs
 * nothing. The work of a job that the training engine simulates comes from there. */
#pragma once

#include <stdint.h>

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

/* A job has all GPUs of a fleet that take jobs, and those that it had before. */
void spot_vc_take_fleet(spot_vc_t *self, int32_t job);

/* work - rate - rate ..., num_seconds times. rate > 0. O(octaves of the result). */
double spot_work_after(double work, double rate, int64_t num_seconds);

/* After how many subtractions the work is 0 or below. O(octaves of work / rate). */
int64_t spot_work_seconds(double work, double rate);

/* ---- What a policy sees ---- */

/* Remaining work of a job with its overhead, and its attained service in GPU-seconds, at
 * the end of second now_s. */
double spot_vc_rest(const spot_vc_t *self, int32_t job);
int64_t spot_vc_service_gpu_s(const spot_vc_t *self, int32_t job);

/* The smallest size that a job may have, and the next one above gpus; 0: none. The only
 * size of a rigid job is its own. O(sizes). */
int32_t spot_vc_next_size(const spot_vc_t *self, int32_t job, int32_t gpus);

/* The largest allowed size up to gpus; 0: none. O(sizes). */
int32_t spot_vc_largest_size(const spot_vc_t *self, int32_t job, int32_t gpus);

/* Throughput of an elastic job at an allowed size, in any unit. O(sizes). */
double spot_vc_throughput(const spot_vc_t *self, int32_t job, int32_t gpus);

/* ---- What the cluster does ---- */

/* Brings a running job forward to the end of second now_s: overhead, progress and
 * checkpoints. O(1) in the seconds. */
void spot_vc_advance(spot_vc_t *self, spot_vc_job_t *job, int64_t now_s);

/* Sets the rate of a running job by its size and its partner, and when it ends. */
void spot_vc_set_rate(spot_vc_t *self, int32_t job);

/* What has been done becomes durable, or is lost; the job has been advanced. A
 * checkpoint in flight is discarded. */
void spot_vc_settle_work(spot_vc_t *self, spot_vc_job_t *job, bool is_lost);

/* Starts a checkpoint after num_s more seconds of progress, in place of one in flight.
 */
void spot_vc_capture(spot_vc_job_t *job, int64_t num_s, int64_t write_s);

/* Thousandths of the nominal throughput at an allowed size, rounded half up. */
double spot_vc_scale(const spot_vc_t *self, int32_t job, int32_t gpus);
