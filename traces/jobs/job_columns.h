/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a job log: one table describes them for reading, joining and writing.
 * Internal to job logs. */
#pragma once

#include "base/table_file.h"
#include "traces/jobs/job_log.h"

/* A row of a log, with the texts of its cells in place of ids. */
typedef struct {
    spot_job_row_t job;
    spot_workload_t workload;
    spot_job_terms_row_t terms;
    const char *vc, *user, *name, *state, *scaling;
} spot_job_cells_t;

/* In the order of published logs. */
typedef enum {
    SPOT_JOB_COLUMN_ID,
    SPOT_JOB_COLUMN_USER,
    SPOT_JOB_COLUMN_VC,
    SPOT_JOB_COLUMN_NAME,
    SPOT_JOB_COLUMN_GPU_NUM,
    SPOT_JOB_COLUMN_CPU_NUM,
    SPOT_JOB_COLUMN_STATE,
    SPOT_JOB_COLUMN_SUBMIT,
    SPOT_JOB_COLUMN_DURATION,
    SPOT_JOB_COLUMN_MODEL, /* the first one of a workload */
    SPOT_JOB_COLUMN_DATASET,
    SPOT_JOB_COLUMN_BATCH_SIZE,
    SPOT_JOB_COLUMN_AMP,
    SPOT_JOB_COLUMN_SPEED,
    SPOT_JOB_COLUMN_GPU_UTIL,
    SPOT_JOB_COLUMN_GMEM_UTIL,
    SPOT_JOB_COLUMN_GMEM,
    SPOT_JOB_COLUMN_SHARE_SCORE, /* the last one */
    SPOT_JOB_COLUMN_MIN_GPUS,
    SPOT_JOB_COLUMN_MAX_GPUS,
    SPOT_JOB_COLUMN_SCALING,
    SPOT_JOB_COLUMN_CHECKPOINT_INTERVAL,
    SPOT_JOB_COLUMN_CHECKPOINT_WRITE,
    SPOT_JOB_COLUMN_RESTART,
    SPOT_JOB_COLUMN_RECONFIGURATION,
    SPOT_JOB_COLUMN_TRAINER,
    SPOT_NUM_JOB_COLUMNS
} spot_job_column_id_t;

extern const spot_table_file_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS];

/* A row whose cells are all empty. */
extern const spot_job_cells_t spot_job_no_cells;

/* Takes the row of a file, but for the columns that are always there. Returns whether
 * all fields are good. */
bool spot_job_cells_read(spot_job_cells_t *self, spot_table_file_t *file);

/* Stores what those columns say in a job of the log, whose terms are checked later.
 * Scaling tables are read relative to the folder of the file; a faulty one is reported.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_cells_store(spot_job_cells_t *self, spot_table_file_t *file,
    spot_job_log_t *log, spot_job_row_t *job);

/* The cells of a job, which are valid as long as the log. vcs: NULL, vc is "". */
void spot_job_cells_of(spot_job_cells_t *self, const spot_job_log_t *log,
    const spot_vc_list_t *vcs, const spot_job_row_t *job);

/* The scaling table that a field gives: "4:1.0 8:1.8", or the path of a CSV file with
 * the columns size,throughput. One that is faulty is reported, at the column scaling,
 * and has no sizes. NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_scaling_add(spot_job_log_t *log, spot_table_file_t *file,
    const char *field, int32_t *scaling_id);
