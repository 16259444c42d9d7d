/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads for a log that has none, drawn from a table. */
#pragma once

#include "traces/jobs/job_log.h"

/* Gives each job a workload, in place of its own: a row of the table that is for its GPU
 * class (1, 2, 3-4, 5-8, more), drawn with replacement by weight. The table is a CSV
 * file with the workload columns of logs and, if there, gpu_num (the row is for the
 * class of that number; empty: for all) and weight (1 if empty). The draw of a job
 * depends on the seed and its place in the log only. BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_assign(
    spot_job_log_t *log, const char *path, uint64_t seed, spot_diag_t *diag);
