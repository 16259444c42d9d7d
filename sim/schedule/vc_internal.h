/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of a VC: what jobs have done by a second. */
#pragma once

#include "sim/schedule/vc.h"

/* Brings a running job forward to the end of second now_s: overhead, progress and
 * checkpoints. O(1) in the seconds. */
void spot_vc_advance(spot_vc_t *self, spot_vc_job_t *job, int64_t now_s);

/* Sets the rate of a running job by its size and its partner, and when it ends. */
void spot_vc_set_rate(spot_vc_t *self, int32_t job);

/* Makes what has been done durable, or lost; the job has been advanced. A checkpoint in
 * flight is discarded. */
void spot_vc_save_work(spot_vc_t *self, spot_vc_job_t *job);
void spot_vc_lose_work(spot_vc_t *self, spot_vc_job_t *job);

/* Starts a checkpoint at once, in place of one in flight. */
void spot_vc_capture(spot_vc_job_t *job, int64_t write_s);

/* Notes a job that runs alone, for the next decision. */
void spot_vc_note_alone(spot_vc_t *self, int32_t job);

/* Ends the sharing of a job with its partner, which has been brought forward. */
void spot_vc_part(spot_vc_t *self, int32_t job, bool keeps_speed);

/* What the log says of a job and nodes that come and go. */
const spot_job_terms_row_t *spot_vc_terms(
    const spot_vc_t *self, const spot_vc_job_t *job);

/* Throughput at an allowed size relative to that at the nominal one, in thousandths,
 * rounded half up. */
double spot_vc_scale(const spot_vc_t *self, int32_t job, int32_t gpus);

/* ---- Running jobs ---- */

/* A job joins the list of running jobs. */
void spot_vc_append_running(spot_vc_t *self, int32_t job);

/* Reports the GPUs of a job before they change. */
void spot_vc_report_held(spot_vc_t *self, spot_vc_job_t *job);

/* Whether a job has GPUs of one of these nodes. O(parts * nodes). */
bool spot_vc_holds_one(const spot_vc_t *self, const spot_vc_job_t *job, size_t num_nodes,
    const int32_t *node_ids);

/* A running job, which has been advanced and whose work is saved or lost, goes back to
 * the queue. */
void spot_vc_requeue(spot_vc_t *self, int32_t job);

/* What a change of size begins: progress is counted anew. */
void spot_vc_begin_size(spot_vc_t *self, int32_t job, int32_t gpus);

/* The overhead of a restart, as the log says or else that of the published simulators,
 * and of a change of size. */
int64_t spot_vc_restart_s(const spot_vc_t *self, const spot_vc_job_t *job);
int64_t spot_vc_reconfiguration_s(const spot_vc_t *self, const spot_vc_job_t *job);

/* ---- Jobs of the training engine (vc_core.c) ---- */

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
