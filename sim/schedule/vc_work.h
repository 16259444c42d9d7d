/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of the jobs of a virtual cluster: what a running job has done by a second, how
 * fast it is at a size, and what is durable. Running jobs are brought forward only when
 * something touches them, in a closed form, so that a second without an event costs
 * nothing. */
#pragma once

#include <stdint.h>

#include "sim/schedule/vc_state.h"

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
