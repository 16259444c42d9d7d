/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_log_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/csv_field.h"
#include "traces/jobs/job_cells.h"

/* Columns in the order of published logs; the others follow. */
static const spot_job_column_id_t order[SPOT_JOB_COLUMN_MODEL] = {
    SPOT_JOB_COLUMN_ID,
    SPOT_JOB_COLUMN_USER,
    SPOT_JOB_COLUMN_VC,
    SPOT_JOB_COLUMN_NAME,
    SPOT_JOB_COLUMN_GPU_NUM,
    SPOT_JOB_COLUMN_CPU_NUM,
    SPOT_JOB_COLUMN_STATE,
    SPOT_JOB_COLUMN_SUBMIT,
    SPOT_JOB_COLUMN_DURATION,
};

/* With the digits that are needed to read the same number again. */
static void
write_number(FILE *out, double value)
{
    char text[32];
    double same = (double) NAN;

    for (int digits = 6; digits <= 17 && same != value; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        same = strtod(text, NULL);
    }
    fputs(text, out);
}

/* The text of a cell, or NULL if there is none. */
static const char *
text_of(const spot_job_log_t *self, const spot_vc_list_t *vcs, size_t column_id,
    const void *value)
{
    const spot_job_cell_kind_t kind = spot_job_cells[column_id].kind;
    const spot_text_set_t *set =
        (const void *) ((const char *) self + spot_job_column_set(column_id));
    int32_t id;

    if (kind == SPOT_JOB_CELL_WORD) {
        return *(const char *const *) value;
    }
    id = *(const int32_t *) value;
    switch (kind) {
        case SPOT_JOB_CELL_TEXT:
            return id < 0 ? NULL : set->texts[id];
        case SPOT_JOB_CELL_SCALING:
            return id < 0 ? NULL : self->scalings[id].name;
        default:
            return vcs->vcs[id].name;
    }
}

/* Writes a cell of a part, unless out is NULL. Returns whether it is not empty. */
static bool
write_cell(const spot_job_log_t *self, const spot_vc_list_t *vcs, size_t column_id,
    const void *part, FILE *out)
{
    const spot_job_cell_t *cell = &spot_job_cells[column_id];
    const void *value = (const char *) part + cell->offset;
    const bool is_number = cell->kind == SPOT_JOB_CELL_NUMBER;
    const char *text;
    bool has_value;

    if (is_number) {
        has_value = !isnan(*(const double *) value);
        if (has_value && out != NULL) {
            write_number(out, *(const double *) value);
        }
    } else if (cell->kind == SPOT_JOB_CELL_COUNT ||
               cell->kind == SPOT_JOB_CELL_INTEGER) {
        const int64_t integer = cell->kind == SPOT_JOB_CELL_COUNT
                                    ? *(const int32_t *) value
                                    : *(const int64_t *) value;

        /* Of terms 0 is the default, but a restart of 0 s is not. */
        has_value = integer > (cell->part == SPOT_JOB_PART_TERMS &&
                                          column_id != SPOT_JOB_COLUMN_RESTART
                                      ? 0
                                      : -1);
        if (has_value && out != NULL) {
            fprintf(out, "%" PRId64, integer);
        }
    } else {
        text = text_of(self, vcs, column_id, value);
        has_value = text != NULL && text[0] != '\0';
        if (has_value && out != NULL) {
            spot_csv_field_text(out, text);
        }
    }
    return has_value;
}

/* The part of a job that a column is in, or NULL. */
static const void *
part_of(const spot_job_log_t *self, const spot_job_row_t *job, size_t column_id)
{
    switch (spot_job_cells[column_id].part) {
        case SPOT_JOB_PART_WORKLOAD:
            return job->workload_id < 0 ? NULL : &self->workloads[job->workload_id];
        case SPOT_JOB_PART_TERMS:
            return job->terms_id < 0 ? NULL : &self->terms[job->terms_id];
        default:
            return job;
    }
}

static bool
write_field(const spot_job_log_t *self, const spot_vc_list_t *vcs,
    const spot_job_row_t *job, size_t column_id, FILE *out)
{
    const void *part = part_of(self, job, column_id);

    return part != NULL && write_cell(self, vcs, column_id, part, out);
}

/* Whether any job has a column. */
static bool
has_column(const spot_job_log_t *self, const spot_vc_list_t *vcs, size_t column_id)
{
    bool has = column_id < SPOT_JOB_COLUMN_USER;

    for (size_t j = 0; j < self->num_jobs && !has; j++) {
        has = write_field(self, vcs, &self->jobs[j], column_id, NULL);
    }
    return has;
}

void
spot_job_log_write(const spot_job_log_t *self, const spot_vc_list_t *vcs, FILE *out)
{
    size_t columns[SPOT_NUM_JOB_COLUMNS], num_columns = 0;

    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        const size_t column_id = j < SPOT_JOB_COLUMN_MODEL ? order[j] : j;

        if (has_column(self, vcs, column_id)) {
            fprintf(out, "%s%s", num_columns == 0 ? "" : ",",
                spot_job_columns[column_id].name);
            columns[num_columns++] = column_id;
        }
    }
    fputc('\n', out);
    for (size_t k = 0; k < self->num_jobs; k++) {
        for (size_t j = 0; j < num_columns; j++) {
            if (j > 0) {
                fputc(',', out);
            }
            (void) write_field(self, vcs, &self->jobs[k], columns[j], out);
        }
        fputc('\n', out);
    }
}
