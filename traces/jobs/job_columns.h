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

/* The columns in the order of published logs: their kind, names, member, whether a log
 * must have them and its reader reads them, and limits. From MODEL to SHARE_SCORE they
 * are those of a workload. */
#define SPOT_JOB_COLUMNS(X)                                                                        \
    X(ID, TEXT, "job_id", "jobid", job.id, true, 0, 0)                                             \
    X(USER, TEXT, "user", NULL, user, false, 0, 0)                                                 \
    X(VC, TEXT, "vc", NULL, vc, true, 0, 0)                                                        \
    X(NAME, TEXT, "jobname", NULL, name, false, 0, 0)                                              \
    X(GPU_NUM, COUNT, "gpu_num", NULL, job.gpu_num, true, 1, SPOT_JOB_MAX_GPUS)                    \
    X(CPU_NUM, COUNT, "cpu_num", NULL, job.cpu_num, false, 0, 1e6)                                 \
    X(STATE, TEXT, "state", "status", state, false, 0, 0)                                          \
    X(SUBMIT, INTEGER, "submit_time", "submitted_time", job.submit_s, true, 0, 0)                  \
    X(DURATION, INTEGER, "duration", NULL, job.duration_s, true, 1, SPOT_JOB_MAX_S)                \
    X(MODEL, TEXT, "model", NULL, workload.model, false, 0, 0)                                     \
    X(DATASET, TEXT, "dataset", NULL, workload.dataset, false, 0, 0)                               \
    X(BATCH_SIZE, COUNT, "batchsize", NULL, workload.batch_size, false, 0, 1e9)                    \
    X(AMP, COUNT, "amp", NULL, workload.amp, false, 0, 1)                                          \
    X(SPEED, NUMBER, "speed", NULL, workload.speed_per_s, false, 0, 1e12)                          \
    X(GPU_UTIL, NUMBER, "gpu_util", NULL, workload.gpu_util, false, 0, 100)                        \
    X(GMEM_UTIL, NUMBER, "gmem_util", NULL, workload.gmem_util, false, 0, 100)                     \
    X(GMEM, NUMBER, "gmem", NULL, workload.gmem_mib, false, 0, 1e9)                                \
    X(SHARE_SCORE, COUNT, "sharescore", NULL, workload.share_score, false, 0, 2)                   \
    X(MIN_GPUS, COUNT, "min_gpus", NULL, terms.min_gpus, false, 1, SPOT_JOB_MAX_GPUS)              \
    X(MAX_GPUS, COUNT, "max_gpus", NULL, terms.max_gpus, false, 1, SPOT_JOB_MAX_GPUS)              \
    X(SCALING, TEXT, "scaling", NULL, scaling, false, 0, 0)                                        \
    X(CKPT_INTERVAL, INTEGER, "ckpt_interval_s", NULL, terms.checkpoint_interval_s, false, 0,      \
        SPOT_JOB_MAX_S)                                                                            \
    X(CKPT_WRITE, INTEGER, "ckpt_write_s", NULL, terms.checkpoint_write_s, false, 0,               \
        SPOT_JOB_MAX_S)                                                                            \
    X(RESTART, INTEGER, "restart_s", NULL, terms.restart_s, false, 0, SPOT_JOB_MAX_S)              \
    X(RECONFIGURATION, INTEGER, "reconfig_s", NULL, terms.reconfiguration_s, false, 0,             \
        SPOT_JOB_MAX_S)                                                                            \
    X(TRAINER, TEXT, "trainer", NULL, terms.trainer, false, 0, 0)

typedef enum {
#define SPOT_JOB_COLUMN_ID_OF(id, ...) SPOT_JOB_COLUMN_##id,
    SPOT_JOB_COLUMNS(SPOT_JOB_COLUMN_ID_OF)
#undef SPOT_JOB_COLUMN_ID_OF
        SPOT_NUM_JOB_COLUMNS
} spot_job_column_id_t;

extern const spot_table_file_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS];

/* Notes which columns of terms a file of the log has. */
static inline void spot_job_log_note_columns(spot_job_log_t *self, const spot_table_file_t *file)
{
    self->has_checkpoints |= file->has[SPOT_JOB_COLUMN_CKPT_INTERVAL];
    self->has_writes |= file->has[SPOT_JOB_COLUMN_CKPT_WRITE];
    self->has_reconfigurations |= file->has[SPOT_JOB_COLUMN_RECONFIGURATION];
}

/* A row whose cells are all empty. */
extern const spot_job_cells_t spot_job_no_cells;

/* Takes the row of a file, but for the columns that are always there. Returns whether
 * all fields are good. */
bool spot_job_cells_read(spot_job_cells_t *self, spot_table_file_t *file);

/* Stores what those columns say in a job of the log, whose terms are checked later.
 * Scaling tables are read relative to the folder of the file; a faulty one is reported.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_cells_store(
    spot_job_cells_t *self, spot_table_file_t *file, spot_job_log_t *log, spot_job_row_t *job);

/* The cells of a job, which are valid as long as the log. vcs: NULL, vc is "". */
void spot_job_cells_of(spot_job_cells_t *self, const spot_job_log_t *log, const spot_vc_list_t *vcs,
    const spot_job_row_t *job);

/* The scaling table that a field gives: "4:1.0 8:1.8", or the path of a CSV file with
 * the columns size,throughput. One that is faulty is reported, at the column scaling,
 * and has no sizes. NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_scaling_add(
    spot_job_log_t *log, spot_table_file_t *file, const char *field, int32_t *scaling_id);

/* Where a job is in its file. */
typedef struct {
    uint32_t line, column;
} spot_job_place_t;

/* Adds more columns to the jobs of a log, whose own file is being read; each job has a
 * row. places: [num_jobs] in that file. BAD_INPUT with the reasons in file->diag, IO,
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_join_workload(
    spot_job_log_t *log, const char *path, spot_table_file_t *file, const spot_job_place_t *places);
