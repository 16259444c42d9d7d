/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_assign.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "traces/jobs/job_cells.h"

#define LEAST_WEIGHT 1e-6
#define MOST_WEIGHT 1e6

enum { COLUMN_WEIGHT = SPOT_NUM_JOB_COLUMNS, NUM_COLUMNS };

static const int32_t class_sizes[SPOT_NUM_WORKLOAD_CLASSES] = {
    1, 2, 4, 8, SPOT_JOB_MAX_GPUS};
static const char *const class_names[SPOT_NUM_WORKLOAD_CLASSES] = {
    "1 GPU", "2 GPUs", "3 to 4 GPUs", "5 to 8 GPUs", "more than 8 GPUs"};

static size_t
class_of(int32_t gpu_num)
{
    size_t class_id = 0;

    while (gpu_num > class_sizes[class_id]) {
        class_id++;
    }
    return class_id;
}

/* A table that is being read. */
typedef struct {
    spot_workload_table_t *workloads;
    spot_job_log_t *log;
    spot_job_table_t table;
} reader_t;

static int
add_row(struct spot_workload_class *self, double weight, int32_t workload_id)
{
    const double before = self->num_rows == 0 ? 0 : self->rows[self->num_rows - 1].until;
    const int ret = SPOT_ARRAY_ROOM(self, rows, self->num_rows + 1);

    if (ret == 0) {
        self->rows[self->num_rows].until = before + weight;
        self->rows[self->num_rows++].workload_id = workload_id;
    }
    return ret;
}

/* Whether the row has a field of a column that is not empty. */
static bool
has_field(const reader_t *self, size_t column_id)
{
    const char *field = spot_job_table_field(&self->table, column_id);

    return field != NULL && field[0] != '\0';
}

static int
read_row(reader_t *self)
{
    spot_job_row_t job = {.workload_id = -1, .terms_id = -1};
    spot_job_cells_t cells;
    int64_t gpu_num = 0; /* for all classes */
    double weight = 1;
    bool is_good = true;
    int ret;

    if (has_field(self, SPOT_JOB_COLUMN_GPU_NUM)) {
        is_good = spot_job_table_integer(
            &self->table, SPOT_JOB_COLUMN_GPU_NUM, 1, SPOT_JOB_MAX_GPUS, &gpu_num);
    }
    if (has_field(self, COLUMN_WEIGHT)) {
        is_good = spot_job_table_number(
                      &self->table, COLUMN_WEIGHT, LEAST_WEIGHT, MOST_WEIGHT, &weight) &&
                  is_good;
    }
    is_good = spot_job_cells_read(&cells, &self->table) && is_good;
    if (is_good && !cells.has[SPOT_JOB_COLUMN_MODEL]) {
        spot_job_table_expected(
            &self->table, SPOT_JOB_COLUMN_MODEL, "the name of a model");
        is_good = false;
    }
    if (!is_good) {
        return 0;
    }
    ret = spot_job_cells_take(&cells, &self->table, self->log, &job);
    for (size_t j = 0; j < SPOT_NUM_WORKLOAD_CLASSES && ret == 0; j++) {
        if (gpu_num == 0 || class_of((int32_t) gpu_num) == j) {
            ret = add_row(&self->workloads->classes[j], weight, job.workload_id);
        }
    }
    return ret;
}

int
spot_workload_table_read(spot_workload_table_t *self, spot_job_log_t *log,
    const char *path, spot_diag_t *diag)
{
    spot_job_column_t columns[NUM_COLUMNS] = {[COLUMN_WEIGHT] = {"weight", NULL, false}};
    reader_t reader = {.workloads = self, .log = log};
    int ret;

    memset(self, 0, sizeof(*self));
    /* The other columns of logs get no name, so that they are unknown. */
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        columns[j].name = "\n";
        if (spot_job_cells[j].part == SPOT_JOB_PART_WORKLOAD ||
            j == SPOT_JOB_COLUMN_GPU_NUM) {
            columns[j] = spot_job_columns[j];
            columns[j].is_required = j == SPOT_JOB_COLUMN_MODEL;
        }
    }
    ret = spot_job_table_open(
        &reader.table, path, NULL, 0, columns, NUM_COLUMNS, false, diag);
    while (ret == 0 && (ret = spot_job_table_next(&reader.table)) == 1) {
        ret = read_row(&reader);
    }
    return spot_job_table_close(&reader.table, ret);
}

void
spot_workload_table_free(spot_workload_table_t *self)
{
    for (size_t j = 0; j < SPOT_NUM_WORKLOAD_CLASSES; j++) {
        free(self->classes[j].rows);
    }
    memset(self, 0, sizeof(*self));
}

const char *
spot_workload_table_lacks(const spot_workload_table_t *self, int32_t gpu_num)
{
    const size_t class_id = class_of(gpu_num);

    return self->classes[class_id].num_rows > 0 ? NULL : class_names[class_id];
}

int32_t
spot_workload_table_draw(
    const spot_workload_table_t *self, int32_t gpu_num, spot_rng_t *rng)
{
    const struct spot_workload_class *of = &self->classes[class_of(gpu_num)];
    const double at = spot_rng_uniform(rng) * of->rows[of->num_rows - 1].until;
    size_t low = 0, high = of->num_rows - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (at < of->rows[middle].until) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return of->rows[low].workload_id;
}

/* Draws for all jobs; each class without rows is reported once. */
static int
draw_all(const spot_workload_table_t *self, spot_job_log_t *log, const char *path,
    uint64_t seed, spot_diag_t *diag)
{
    const char *reported[SPOT_NUM_WORKLOAD_CLASSES] = {NULL};
    spot_rng_t rng;
    int ret = 0;

    for (size_t j = 0; j < log->num_jobs; j++) {
        spot_job_row_t *job = &log->jobs[j];
        const char *lacking = spot_workload_table_lacks(self, job->gpu_num);

        if (lacking == NULL) {
            spot_rng_seek(&rng, seed, 0, SPOT_STREAM_JOB_WORKLOAD, j);
            job->workload_id = spot_workload_table_draw(self, job->gpu_num, &rng);
        } else if (reported[class_of(job->gpu_num)] == NULL) {
            reported[class_of(job->gpu_num)] = lacking;
            ret = spot_diag_error(diag, path, 0, 0,
                "no row is for jobs of %s, such as job %s", lacking, job->id);
        }
    }
    return ret;
}

int
spot_job_assign(spot_job_log_t *log, const char *path, uint64_t seed, spot_diag_t *diag)
{
    spot_workload_table_t table;
    int ret;

    log->num_workloads = 0;
    spot_key_table_free(&log->workload_table);
    for (size_t j = 0; j < log->num_jobs; j++) {
        log->jobs[j].workload_id = -1;
    }
    ret = spot_workload_table_read(&table, log, path, diag);
    ret = ret == 0 ? draw_all(&table, log, path, seed, diag) : ret;
    spot_workload_table_free(&table);
    return ret;
}
