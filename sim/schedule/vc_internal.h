/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of a VC: what jobs have done by a second. */
#pragma once

#include "sim/schedule/vc.h"

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

/* What the log says of a job and nodes that come and go. */
const spot_job_terms_row_t *spot_vc_terms(const spot_vc_t *self, const spot_vc_job_t *job);

/* Thousandths of the nominal throughput at an allowed size, rounded half up. */
double spot_vc_scale(const spot_vc_t *self, int32_t job, int32_t gpus);

/* ---- Running jobs ---- */

/* Reports the GPUs of a job before they change. */
void spot_vc_report_held(spot_vc_t *self, spot_vc_job_t *job);

/* Whether a job has GPUs of one of these nodes. O(parts * nodes). */
bool spot_vc_holds_one(
    const spot_vc_t *self, const spot_vc_job_t *job, size_t num_nodes, const int32_t *node_ids);

/* A running job, which has been advanced, gives back its GPUs and leaves the list. Its
 * partner, too, goes on alone; keeps_speed: at the speed that it had with a partner. */
void spot_vc_release(spot_vc_t *self, int32_t job, bool keeps_speed);

/* ---- The queue (vc_queue.c) ---- */

void spot_vc_queue_clear(spot_vc_queue_t *self);
void spot_vc_queue_free(spot_vc_queue_t *self);

/* A job joins the queue. */
void spot_vc_enqueue(spot_vc_t *self, int32_t job);

/* A job that starts leaves it, when the decision ends. */
void spot_vc_leave_queue(spot_vc_t *self, int32_t job);
void spot_vc_compact_queue(spot_vc_t *self);

/* ---- Jobs of the training engine (core_job.c) ---- */

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
