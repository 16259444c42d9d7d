/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a job log, and the fields of one row of them. Internal to job logs. */
#pragma once

#include "traces/jobs/job_log.h"
#include "traces/jobs/job_table.h"

typedef enum {
    SPOT_JOB_COLUMN_ID,
    SPOT_JOB_COLUMN_VC,
    SPOT_JOB_COLUMN_GPU_NUM,
    SPOT_JOB_COLUMN_SUBMIT,
    SPOT_JOB_COLUMN_DURATION,
    SPOT_JOB_COLUMN_USER, /* from here on optional */
    SPOT_JOB_COLUMN_NAME,
    SPOT_JOB_COLUMN_CPU_NUM,
    SPOT_JOB_COLUMN_STATE,
    SPOT_JOB_COLUMN_MODEL,
    SPOT_JOB_COLUMN_DATASET,
    SPOT_JOB_COLUMN_BATCH_SIZE,
    SPOT_JOB_COLUMN_AMP,
    SPOT_JOB_COLUMN_SPEED,
    SPOT_JOB_COLUMN_GPU_UTIL,
    SPOT_JOB_COLUMN_GMEM_UTIL,
    SPOT_JOB_COLUMN_GMEM,
    SPOT_JOB_COLUMN_SHARE_SCORE,
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

extern const spot_job_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS];

typedef enum {
    SPOT_JOB_CELL_WORD,    /* const char * */
    SPOT_JOB_CELL_TEXT,    /* int32_t, an id of the set at set_offset */
    SPOT_JOB_CELL_VC,      /* int32_t */
    SPOT_JOB_CELL_SCALING, /* int32_t */
    SPOT_JOB_CELL_COUNT,   /* int32_t */
    SPOT_JOB_CELL_INTEGER, /* int64_t */
    SPOT_JOB_CELL_NUMBER   /* double, NAN: not given */
} spot_job_cell_kind_t;

typedef enum {
    SPOT_JOB_PART_ROW,
    SPOT_JOB_PART_WORKLOAD,
    SPOT_JOB_PART_TERMS
} spot_job_part_t;

/* Where the value of a column is, and what an optional one may be. */
typedef struct {
    spot_job_part_t part;
    spot_job_cell_kind_t kind;
    size_t offset;     /* in the struct of its part */
    size_t set_offset; /* of a text, in spot_job_log_t */
    double least;      /* whole numbers below are not given */
    double min, max;
    const char *expected;
} spot_job_cell_t;

extern const spot_job_cell_t spot_job_cells[SPOT_NUM_JOB_COLUMNS];

/* The optional fields of a row that are not empty. */
typedef struct {
    bool has[SPOT_NUM_JOB_COLUMNS];
    bool has_part[SPOT_JOB_PART_TERMS + 1];
    const char *texts[SPOT_NUM_JOB_COLUMNS]; /* borrowed from the row */
    int64_t integers[SPOT_NUM_JOB_COLUMNS];
    double numbers[SPOT_NUM_JOB_COLUMNS];
} spot_job_cells_t;

/* Reads the optional fields of the row of a table, which may have further columns behind
 * those of logs. Returns whether all are good. */
bool spot_job_cells_read(spot_job_cells_t *self, spot_job_table_t *table);

/* Adds what the fields say to a job, whose terms are checked later. Scaling tables are
 * read relative to the folder of table->file; a faulty one is reported. NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_cells_take(const spot_job_cells_t *self,
    spot_job_table_t *table, spot_job_log_t *log, spot_job_row_t *job);

/* Writes what is wrong with the terms of a job into text. Returns false if nothing is.
 */
#define SPOT_JOB_PROBLEM_BYTES 256
bool spot_job_terms_problem(const spot_job_log_t *log, const spot_job_row_t *job,
    char text[SPOT_JOB_PROBLEM_BYTES]);

/* The scaling table that a field gives: "4:1.0 8:1.8", or the path of a CSV file with
 * the columns size,throughput. One that is faulty is
 * reported, and has no sizes.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_scaling_add(spot_job_log_t *log, spot_job_table_t *table,
    const char *field, int32_t *scaling_id);
