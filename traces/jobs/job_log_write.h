/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a job log as a CSV file that spot_job_log_read() reads again as the same log.
 */
#pragma once

#include <stdio.h>

#include "traces/jobs/job_log.h"

/* Writes job_id, vc, gpu_num, submit_time and duration, and of the other columns those
 * that any job has. Times are seconds on the clock. Errors of out stay in its error
 * flag. */
void spot_job_log_write(
    const spot_job_log_t *self, const spot_vc_list_t *vcs, FILE *out);
