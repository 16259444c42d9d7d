/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "traces/jobs/job_log_build.h"

const spot_job_column_t spot_job_columns[SPOT_NUM_JOB_COLUMNS] = {
#define COLUMN(id, name, other, ...)                                                    \
    {name, other, SPOT_JOB_COLUMN_##id < SPOT_JOB_COLUMN_USER},
    SPOT_JOB_COLUMNS(COLUMN)
#undef COLUMN
};

typedef spot_job_row_t ROW_t;
typedef spot_workload_t WORKLOAD_t;
typedef spot_job_terms_row_t TERMS_t;

const spot_job_cell_t spot_job_cells[SPOT_NUM_JOB_COLUMNS] = {
#define CELL(id, name, other, part, kind, member, min, max)                             \
    {SPOT_JOB_PART_##part, SPOT_JOB_CELL_##kind, offsetof(part##_t, member), (min),     \
        (double) (max)},
    SPOT_JOB_COLUMNS(CELL)
#undef CELL
};

/* ---- Reading ---- */

static bool
read_cell(spot_job_cells_t *self, size_t column_id, spot_job_table_t *table)
{
    const spot_job_cell_t *cell = &spot_job_cells[column_id];
    const char *text = self->texts[column_id];

    if (cell->kind == SPOT_JOB_CELL_COUNT || cell->kind == SPOT_JOB_CELL_INTEGER) {
        return spot_job_table_integer(table, column_id, (int64_t) cell->min,
            (int64_t) cell->max, &self->integers[column_id]);
    }
    if (cell->kind == SPOT_JOB_CELL_NUMBER) {
        return spot_job_table_number(
            table, column_id, cell->min, cell->max, &self->numbers[column_id]);
    }
    if (column_id == SPOT_JOB_COLUMN_TRAINER &&
        (strncmp(text, "core:", 5) != 0 || text[5] == '\0')) {
        spot_job_table_expected(table, column_id, "core:NAME");
        return false;
    }
    return true;
}

bool
spot_job_cells_read(spot_job_cells_t *self, spot_job_table_t *table)
{
    bool is_good = true;

    memset(self->has, 0, sizeof(self->has));
    memset(self->has_part, 0, sizeof(self->has_part));
    for (size_t j = 0; j < table->num_fields; j++) {
        const int32_t column_id = table->column_of[j];
        const char *field = table->row.fields[j];

        if (column_id < SPOT_JOB_COLUMN_USER || column_id >= SPOT_NUM_JOB_COLUMNS ||
            field[0] == '\0') {
            continue;
        }
        self->has[column_id] = true;
        self->texts[column_id] = field;
        is_good = read_cell(self, (size_t) column_id, table) && is_good;
        self->has_part[spot_job_cells[column_id].part] = true;
    }
    return is_good;
}

/* ---- Taking ---- */

/* Stores a field in the struct of its part. */
static int
take_cell(const spot_job_cells_t *self, size_t column_id, spot_job_table_t *table,
    spot_job_log_t *log, char *part)
{
    const spot_job_cell_t *cell = &spot_job_cells[column_id];
    const char *text = self->texts[column_id];
    void *value = part + cell->offset;
    int32_t text_id;
    int ret = 0;

    switch (cell->kind) {
        case SPOT_JOB_CELL_WORD:
            ret = spot_job_log_add_text(log, &log->words, text, &text_id);
            if (ret == 0) {
                *(const char **) value = log->words.texts[text_id];
            }
            break;
        case SPOT_JOB_CELL_TEXT:
            ret = spot_job_log_add_text(log,
                (void *) ((char *) log + spot_job_column_set(column_id)), text, value);
            break;
        case SPOT_JOB_CELL_SCALING:
            ret = spot_job_scaling_add(log, table, text, value);
            break;
        case SPOT_JOB_CELL_COUNT:
            *(int32_t *) value = (int32_t) self->integers[column_id];
            break;
        case SPOT_JOB_CELL_INTEGER:
            *(int64_t *) value = self->integers[column_id];
            break;
        case SPOT_JOB_CELL_NUMBER:
            *(double *) value = self->numbers[column_id];
            break;
        case SPOT_JOB_CELL_VC:
            break;
    }
    return ret;
}

static int
take_part(const spot_job_cells_t *self, spot_job_part_t part_id, spot_job_table_t *table,
    spot_job_log_t *log, void *part)
{
    int ret = 0;

    for (size_t j = SPOT_JOB_COLUMN_USER; j < SPOT_NUM_JOB_COLUMNS && ret == 0; j++) {
        if (self->has[j] && spot_job_cells[j].part == part_id) {
            ret = take_cell(self, j, table, log, part);
        }
    }
    return ret;
}

/* Adds to the workload that the job has, if any. */
static int
take_workload(const spot_job_cells_t *self, spot_job_table_t *table, spot_job_log_t *log,
    spot_job_row_t *job)
{
    spot_workload_t workload;
    int ret;

    memset(&workload, 0, sizeof(workload));
    if (job->workload_id >= 0) {
        memcpy(&workload, &log->workloads[job->workload_id], sizeof(workload));
    } else {
        workload.model = workload.dataset = "";
        workload.speed_per_s = workload.gpu_util = (double) NAN;
        workload.gmem_util = workload.gmem_mib = (double) NAN;
        workload.share_score = -1;
    }
    ret = take_part(self, SPOT_JOB_PART_WORKLOAD, table, log, &workload);
    return ret != 0 ? ret : spot_job_log_add_workload(log, &workload, &job->workload_id);
}

static int
take_terms(const spot_job_cells_t *self, spot_job_table_t *table, spot_job_log_t *log,
    spot_job_row_t *job)
{
    spot_job_terms_row_t terms;
    int ret;

    memset(&terms, 0, sizeof(terms));
    if (job->terms_id >= 0) {
        memcpy(&terms, &log->terms[job->terms_id], sizeof(terms));
    } else {
        terms.scaling_id = -1;
        terms.restart_s = -1;
    }
    ret = take_part(self, SPOT_JOB_PART_TERMS, table, log, &terms);
    return ret != 0 ? ret : spot_job_log_add_terms(log, &terms, &job->terms_id);
}

int
spot_job_cells_take(const spot_job_cells_t *self, spot_job_table_t *table,
    spot_job_log_t *log, spot_job_row_t *job)
{
    int ret = 0;

    if (self->has_part[SPOT_JOB_PART_ROW]) {
        ret = take_part(self, SPOT_JOB_PART_ROW, table, log, job);
    }
    if (ret == 0 && self->has_part[SPOT_JOB_PART_WORKLOAD]) {
        ret = take_workload(self, table, log, job);
    }
    if (ret == 0 && self->has_part[SPOT_JOB_PART_TERMS]) {
        ret = take_terms(self, table, log, job);
    }
    return ret;
}

/* ---- Terms ---- */

bool
spot_job_terms_problem(const spot_job_log_t *log, const spot_job_row_t *job,
    char text[SPOT_JOB_PROBLEM_BYTES])
{
    const spot_job_terms_row_t *terms = &log->terms[job->terms_id];
    const spot_job_scaling_t *scaling =
        terms->scaling_id < 0 ? NULL : &log->scalings[terms->scaling_id];
    bool has_size = scaling == NULL || scaling->num_sizes == 0; /* was reported */
    int num_bytes = 0;

    for (size_t j = 0; j < (scaling == NULL ? 0 : scaling->num_sizes); j++) {
        has_size = has_size || scaling->sizes[j] == job->gpu_num;
    }
    if (terms->min_gpus == 0 && terms->max_gpus == 0) {
        return false;
    }
    if (terms->min_gpus == 0 || terms->max_gpus == 0) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES, "job %s: %s needs %s as well",
            job->id, terms->min_gpus == 0 ? "max_gpus" : "min_gpus",
            terms->min_gpus == 0 ? "min_gpus" : "max_gpus");
    } else if (terms->min_gpus > job->gpu_num) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: min_gpus %d is above gpu_num %d", job->id, (int) terms->min_gpus,
            (int) job->gpu_num);
    } else if (job->gpu_num > terms->max_gpus) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: gpu_num %d is above max_gpus %d", job->id, (int) job->gpu_num,
            (int) terms->max_gpus);
    } else if (scaling == NULL && terms->trainer == NULL) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: min_gpus needs scaling, the throughput by size", job->id);
    } else if (!has_size) {
        num_bytes = snprintf(text, SPOT_JOB_PROBLEM_BYTES,
            "job %s: gpu_num %d is not a size of its scaling table '%.80s'", job->id,
            (int) job->gpu_num, scaling->name);
    }
    return num_bytes > 0;
}
