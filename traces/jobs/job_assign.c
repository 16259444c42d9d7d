/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_assign.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "traces/jobs/job_cells.h"

enum { NUM_CLASSES = 5, COLUMN_WEIGHT = SPOT_NUM_JOB_COLUMNS, NUM_COLUMNS };

static const int32_t class_sizes[NUM_CLASSES] = {1, 2, 4, 8, SPOT_JOB_MAX_GPUS};
static const char *const class_names[NUM_CLASSES] = {
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

/* The rows for a GPU class. */
typedef struct {
    size_t num_rows;
    size_t max_rows;
    struct {
        double until; /* the sum of the weights up to this row */
        int32_t workload_id;
    } * rows; /* [num_rows] */
} class_t;

typedef struct {
    spot_job_log_t *log;
    spot_job_table_t table;
    class_t classes[NUM_CLASSES];
} assign_t;

static int
add_row(class_t *self, double weight, int32_t workload_id)
{
    const double before = self->num_rows == 0 ? 0 : self->rows[self->num_rows - 1].until;
    const int ret = SPOT_ARRAY_ROOM(self, rows, self->num_rows + 1);

    if (ret == 0) {
        self->rows[self->num_rows].until = before + weight;
        self->rows[self->num_rows++].workload_id = workload_id;
    }
    return ret;
}

/* Reads gpu_num, 0 if it is empty or absent, and weight. Returns whether both are good.
 */
static bool
read_class(assign_t *self, int64_t *gpu_num, double *weight)
{
    const char *size = spot_job_table_field(&self->table, SPOT_JOB_COLUMN_GPU_NUM);
    const char *field = spot_job_table_field(&self->table, COLUMN_WEIGHT);
    bool is_good = true;

    *gpu_num = 0;
    *weight = 1;
    if (size != NULL && size[0] != '\0' &&
        (spot_integer_parse(size, gpu_num) != 0 || *gpu_num < 1 ||
            *gpu_num > SPOT_JOB_MAX_GPUS)) {
        spot_job_table_expected(&self->table, SPOT_JOB_COLUMN_GPU_NUM, "gpu_num",
            "an integer from 1 to 1000000");
        is_good = false;
    }
    if (field != NULL && field[0] != '\0' &&
        (spot_number_parse(field, weight) != 0 || *weight <= 0 || *weight > 1e9)) {
        spot_job_table_expected(
            &self->table, COLUMN_WEIGHT, "weight", "a number above 0, up to 1000000000");
        is_good = false;
    }
    return is_good;
}

static int
read_row(assign_t *self)
{
    spot_job_row_t job = {.workload_id = -1, .terms_id = -1};
    spot_job_cells_t cells;
    int64_t gpu_num;
    double weight;
    bool is_good = read_class(self, &gpu_num, &weight);
    int ret;

    is_good = spot_job_cells_read(&cells, &self->table) && is_good;
    if (is_good && !cells.has[SPOT_JOB_COLUMN_MODEL]) {
        spot_job_table_expected(
            &self->table, SPOT_JOB_COLUMN_MODEL, "model", "the name of a model");
        is_good = false;
    }
    if (!is_good) {
        return 0;
    }
    ret = spot_job_cells_take(&cells, &self->table, self->log, &job);
    for (size_t j = 0; j < NUM_CLASSES && ret == 0; j++) {
        if (gpu_num == 0 || class_of((int32_t) gpu_num) == j) {
            ret = add_row(&self->classes[j], weight, job.workload_id);
        }
    }
    return ret;
}

static int
read_table(assign_t *self, const char *path, spot_diag_t *diag)
{
    spot_job_column_t columns[NUM_COLUMNS] = {[COLUMN_WEIGHT] = {"weight", NULL, false}};
    int ret;

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
        &self->table, path, NULL, 0, columns, NUM_COLUMNS, false, diag);
    while (ret == 0 && (ret = spot_job_table_next(&self->table)) == 1) {
        ret = read_row(self);
    }
    return ret;
}

static int32_t
draw(const class_t *self, spot_rng_t *rng)
{
    const double at = spot_rng_uniform(rng) * self->rows[self->num_rows - 1].until;
    size_t low = 0, high = self->num_rows - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (at < self->rows[middle].until) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return self->rows[low].workload_id;
}

static void
draw_all(assign_t *self, uint64_t seed)
{
    bool is_reported[NUM_CLASSES] = {false};
    spot_rng_t rng;

    for (size_t j = 0; j < self->log->num_jobs; j++) {
        spot_job_row_t *job = &self->log->jobs[j];
        const size_t class_id = class_of(job->gpu_num);

        if (self->classes[class_id].num_rows > 0) {
            spot_rng_seek(&rng, seed, 0, SPOT_STREAM_JOB_WORKLOAD, j);
            job->workload_id = draw(&self->classes[class_id], &rng);
        } else if (!is_reported[class_id]) {
            is_reported[class_id] = self->table.is_faulty = true;
            spot_diag_error(self->table.diag, self->table.file, 0, 0,
                "no row is for jobs of %s, such as job %s", class_names[class_id],
                job->id);
        }
    }
}

int
spot_job_assign(spot_job_log_t *log, const char *path, uint64_t seed, spot_diag_t *diag)
{
    assign_t assign = {.log = log};
    int ret;

    log->num_workloads = 0;
    spot_key_table_free(&log->workload_table);
    for (size_t j = 0; j < log->num_jobs; j++) {
        log->jobs[j].workload_id = -1;
    }
    ret = read_table(&assign, path, diag);
    if (ret == 0 && !assign.table.is_faulty) {
        draw_all(&assign, seed);
    }
    for (size_t j = 0; j < NUM_CLASSES; j++) {
        free(assign.classes[j].rows);
    }
    return spot_job_table_close(&assign.table, ret);
}
