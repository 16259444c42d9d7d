/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins a CSV file with a log on job_id. Internal to job logs. */
#pragma once

#include "traces/jobs/job_log.h"
#include "traces/jobs/job_table.h"

typedef struct {
    const spot_job_log_t *log; /* whose jobs stay where they are */
    spot_key_table_t ids;
    uint32_t *lines; /* [num_jobs] of the rows of jobs; 0: none so far */
    spot_job_table_t table;
} spot_job_join_t;

/* Opens a file; the first column is job_id. Errors of spot_job_table_open(). Close self
 * even then. */
SPOT_MUST_CHECK int spot_job_join_open(spot_job_join_t *self, const spot_job_log_t *log,
    const char *path, const spot_job_column_t *columns, size_t num_columns,
    bool ignores_others, spot_diag_t *diag);

/* Returns 1: the row of self->table is that of *job_id; 0: the end of the file. Rows of
 * jobs that the log has not are passed over; a second row of a job is reported. IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_join_next(spot_job_join_t *self, int32_t *job_id);

/* Returns as spot_job_table_close(). */
SPOT_MUST_CHECK int spot_job_join_close(spot_job_join_t *self, int error);
