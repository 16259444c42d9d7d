/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins CSV files with a log on job_id. Internal to job logs. */
#pragma once

#include "base/table_file.h"
#include "traces/jobs/job_log.h"

/* Where a job is in its file. */
typedef struct {
    uint32_t line, column;
} spot_job_place_t;

/* Adds more columns to the jobs of a log, whose own file is being read; each job has a
 * row. places: [num_jobs] in that file. BAD_INPUT with the reasons in file->diag, IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_join_workload(spot_job_log_t *log, const char *path,
    spot_table_file_t *file, const spot_job_place_t *places);
