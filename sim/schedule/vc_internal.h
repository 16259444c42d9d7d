/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files of a VC: what jobs have done by a second. */
#pragma once

#include "sim/schedule/vc.h"

/* Brings a running job forward to the end of second now_s: overhead, progress and
 * checkpoints. O(1) in the seconds. */
void spot_vc_advance(spot_vc_t *self, spot_vc_job_t *job, int64_t now_s);

/* When a running job ends, if nothing touches it before. */
int64_t spot_vc_end_of(const spot_vc_t *self, const spot_vc_job_t *job);

/* Sets the rate of a running job by its size and its partner, and when it ends. */
void spot_vc_set_rate(spot_vc_t *self, int32_t job);

/* Makes what has been done durable, or lost; the job has been advanced. A checkpoint in
 * flight is discarded. */
void spot_vc_save_work(spot_vc_t *self, spot_vc_job_t *job);
void spot_vc_lose_work(spot_vc_t *self, spot_vc_job_t *job);

/* Starts a checkpoint at once, in place of one in flight. */
void spot_vc_capture(spot_vc_job_t *job, int64_t write_s);

/* Ends the sharing of a job with its partner, which has been brought forward. */
void spot_vc_part(spot_vc_t *self, int32_t job, bool keeps_speed);

/* What the log says of a job and nodes that come and go. */
const spot_job_terms_row_t *spot_vc_terms(
    const spot_vc_t *self, const spot_vc_job_t *job);

/* Throughput at an allowed size relative to that at the nominal one, in thousandths,
 * rounded half up. */
double spot_vc_scale(const spot_vc_t *self, int32_t job, int32_t gpus);
