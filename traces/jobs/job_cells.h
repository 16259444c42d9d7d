/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of a job log, and the fields of one row of them. Internal to job logs. */
#pragma once

#include "traces/jobs/job_log.h"
#include "traces/jobs/job_table.h"

typedef enum {
    SPOT_JOB_CELL_WORD,    /* const char * */
    SPOT_JOB_CELL_TEXT,    /* int32_t, an id of users, names or states */
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

/* Each column: its names, the part of a job that it is in, the kind and the member
 * there, and what an optional number may be. From USER on columns are optional. */
#define SPOT_JOB_COLUMNS(X)                                                             \
    X(ID, "job_id", "jobid", ROW, WORD, id, 0, 0)                                       \
    X(VC, "vc", NULL, ROW, VC, vc_id, 0, 0)                                             \
    X(GPU_NUM, "gpu_num", NULL, ROW, COUNT, gpu_num, 0, 0)                              \
    X(SUBMIT, "submit_time", "submitted_time", ROW, INTEGER, submit_s, 0, 0)            \
    X(DURATION, "duration", NULL, ROW, INTEGER, duration_s, 0, 0)                       \
    X(USER, "user", NULL, ROW, TEXT, user_id, 0, 0)                                     \
    X(NAME, "jobname", NULL, ROW, TEXT, name_id, 0, 0)                                  \
    X(CPU_NUM, "cpu_num", NULL, ROW, COUNT, cpu_num, 0, 1e6)                            \
    X(STATE, "state", "status", ROW, TEXT, state_id, 0, 0)                              \
    X(MODEL, "model", NULL, WORKLOAD, WORD, model, 0, 0)                                \
    X(DATASET, "dataset", NULL, WORKLOAD, WORD, dataset, 0, 0)                          \
    X(BATCH_SIZE, "batchsize", NULL, WORKLOAD, COUNT, batch_size, 0, 1e9)               \
    X(AMP, "amp", NULL, WORKLOAD, COUNT, amp, 0, 1)                                     \
    X(SPEED, "speed", NULL, WORKLOAD, NUMBER, speed_per_s, 0, 1e12)                     \
    X(GPU_UTIL, "gpu_util", NULL, WORKLOAD, NUMBER, gpu_util, 0, 100)                   \
    X(GMEM_UTIL, "gmem_util", NULL, WORKLOAD, NUMBER, gmem_util, 0, 100)                \
    X(GMEM, "gmem", NULL, WORKLOAD, NUMBER, gmem_mib, 0, 1e9)                           \
    X(SHARE_SCORE, "sharescore", NULL, WORKLOAD, COUNT, share_score, 0, 2)              \
    X(MIN_GPUS, "min_gpus", NULL, TERMS, COUNT, min_gpus, 1, SPOT_JOB_MAX_GPUS)         \
    X(MAX_GPUS, "max_gpus", NULL, TERMS, COUNT, max_gpus, 1, SPOT_JOB_MAX_GPUS)         \
    X(SCALING, "scaling", NULL, TERMS, SCALING, scaling_id, 0, 0)                       \
    X(CHECKPOINT_INTERVAL, "ckpt_interval_s", NULL, TERMS, INTEGER,                     \
        checkpoint_interval_s, 0, SPOT_JOB_MAX_S)                                       \
    X(CHECKPOINT_WRITE, "ckpt_write_s", NULL, TERMS, INTEGER, checkpoint_write_s, 0,    \
        SPOT_JOB_MAX_S)                                                                 \
    X(RESTART, "restart_s", NULL, TERMS, INTEGER, restart_s, 0, SPOT_JOB_MAX_S)         \
    X(RECONFIGURATION, "reconfig_s", NULL, TERMS, INTEGER, reconfiguration_s, 0,        \
        SPOT_JOB_MAX_S)                                                                 \
    X(TRAINER, "trainer", NULL, TERMS, WORD, trainer, 0, 0)

typedef enum {
#define SPOT_JOB_COLUMN(id, ...) SPOT_JOB_COLUMN_##id,
    SPOT_JOB_COLUMNS(SPOT_JOB_COLUMN)
#undef SPOT_JOB_COLUMN
        SPOT_NUM_JOB_COLUMNS
} spot_job_column_id_t;

extern const spot_job_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS];

typedef struct {
    spot_job_part_t part;
    spot_job_cell_kind_t kind;
    size_t offset; /* in the struct of its part */
    double min, max;
} spot_job_cell_t;

extern const spot_job_cell_t spot_job_cells[SPOT_NUM_JOB_COLUMNS];

/* Where the texts of a column are in a log, by their ids. */
static inline size_t
spot_job_column_set(size_t column_id)
{
    return column_id == SPOT_JOB_COLUMN_USER   ? offsetof(spot_job_log_t, users)
           : column_id == SPOT_JOB_COLUMN_NAME ? offsetof(spot_job_log_t, names)
                                               : offsetof(spot_job_log_t, states);
}

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
