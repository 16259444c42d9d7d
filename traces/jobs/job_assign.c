/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_assign.h"

#include <stdlib.h>
#include <string.h>

#include "traces/jobs/job_columns.h"

#define LEAST_WEIGHT 1e-6
#define MOST_WEIGHT 1e6

static const int32_t class_sizes[SPOT_NUM_WORKLOAD_CLASSES] = {1, 2, 4, 8, SPOT_JOB_MAX_GPUS};
static const char *const class_names[SPOT_NUM_WORKLOAD_CLASSES] = {
    "1 GPU", "2 GPUs", "3 to 4 GPUs", "5 to 8 GPUs", "more than 8 GPUs"};

static size_t class_of(int32_t gpu_num)
{
    size_t class_id = 0;

    while (gpu_num > class_sizes[class_id]) {
        class_id++;
    }
    return class_id;
}

/* A row of the table. */
typedef struct {
    spot_job_cells_t cells;
    double weight; /* 1 if empty */
} workload_row_t;

enum {
    COLUMN_MODEL,
    COLUMN_GPU_NUM = SPOT_JOB_COLUMN_SHARE_SCORE - SPOT_JOB_COLUMN_MODEL + 1,
    COLUMN_WEIGHT,
    NUM_COLUMNS
};

/* The columns of workloads in a log, gpu_num (0: for all classes) and weight. */
static void make_columns(spot_table_file_column_t columns[NUM_COLUMNS])
{
    memcpy(columns, &spot_job_columns[SPOT_JOB_COLUMN_MODEL], COLUMN_GPU_NUM * sizeof(*columns));
    columns[COLUMN_MODEL].is_optional = false;
    columns[COLUMN_GPU_NUM] = spot_job_columns[SPOT_JOB_COLUMN_GPU_NUM];
    columns[COLUMN_GPU_NUM].is_own = false;
    columns[COLUMN_WEIGHT] = (spot_table_file_column_t) SPOT_TABLE_COLUMN(
        NUMBER, "weight", workload_row_t, weight, .min = LEAST_WEIGHT, .max = MOST_WEIGHT);
    for (size_t j = COLUMN_GPU_NUM; j < NUM_COLUMNS; j++) {
        columns[j].is_optional = columns[j].may_be_empty = true;
    }
}

static int take_row(
    spot_workload_table_t *self, spot_job_log_t *log, spot_table_file_t *file, workload_row_t *row)
{
    const int32_t gpu_num = row->cells.job.gpu_num;
    spot_job_row_t job = spot_job_no_cells.job;
    int ret;

    if (row->cells.workload.model[0] == '\0') {
        spot_table_file_report_field(
            file, &file->row, COLUMN_MODEL, "expected the name of a model");
        return 0;
    }
    ret = spot_job_cells_store(&row->cells, file, log, &job);
    for (size_t j = 0; j < SPOT_NUM_WORKLOAD_CLASSES && ret == 0; j++) {
        struct spot_workload_class *class = &self->classes[j];

        if (gpu_num == 0 || class_of(gpu_num) == j) {
            ret = spot_parts_add(&class->parts, row->weight);
            ret = ret != 0 ? ret : SPOT_ARRAY_APPEND(class, ids, job.workload_id);
        }
    }
    return ret;
}

int spot_workload_table_read(
    spot_workload_table_t *self, spot_job_log_t *log, const char *path, spot_diag_t *diag)
{
    spot_table_file_column_t columns[NUM_COLUMNS];
    const workload_row_t initial = {.cells = spot_job_no_cells, .weight = 1};
    const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(columns), .row_bytes = sizeof(initial), .initial = &initial};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int ret;

    memset(self, 0, sizeof(*self));
    make_columns(columns);
    ret = spot_table_file_open(&file);
    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        workload_row_t row;

        ret = spot_table_file_take(&file, &row) ? take_row(self, log, &file, &row) : 0;
    }
    return spot_table_file_close(&file, ret);
}

void spot_workload_table_free(spot_workload_table_t *self)
{
    for (size_t j = 0; j < SPOT_NUM_WORKLOAD_CLASSES; j++) {
        free(self->classes[j].parts.until);
        free(self->classes[j].ids);
    }
    memset(self, 0, sizeof(*self));
}

const char *spot_workload_table_lacks(const spot_workload_table_t *self, int32_t gpu_num)
{
    const size_t class_id = class_of(gpu_num);

    return self->classes[class_id].num_ids > 0 ? NULL : class_names[class_id];
}

int32_t spot_workload_table_draw(
    const spot_workload_table_t *self, int32_t gpu_num, spot_rng_t *rng)
{
    const struct spot_workload_class *of = &self->classes[class_of(gpu_num)];

    return of->ids[spot_parts_draw(&of->parts, rng)];
}

int spot_job_assign(spot_job_log_t *log, const char *path, uint64_t seed, spot_diag_t *diag)
{
    bool is_reported[SPOT_NUM_WORKLOAD_CLASSES] = {false};
    spot_workload_table_t table;
    int error, ret = 0;

    log->num_workloads = 0;
    spot_key_table_free(&log->workload_table);
    error = spot_workload_table_read(&table, log, path, diag);
    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_job_row_t *job = &log->jobs[j];
        const char *lacking = spot_workload_table_lacks(&table, job->gpu_num);
        bool *was_reported = &is_reported[class_of(job->gpu_num)];
        spot_rng_t rng;

        job->workload_id = -1;
        if (error == 0 && lacking == NULL) {
            spot_rng_seek(&rng, seed, 0, SPOT_STREAM_JOB_WORKLOAD, j);
            job->workload_id = spot_workload_table_draw(&table, job->gpu_num, &rng);
        } else if (error == 0 && !*was_reported) {
            *was_reported = true;
            ret = spot_diag_error(
                diag, path, 0, 0, "no row is for jobs of %s, such as job %s", lacking, job->id);
        }
    }
    spot_workload_table_free(&table);
    return spot_error_first(error, ret);
}
