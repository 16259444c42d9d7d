/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins CSV files with a log on job_id. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "traces/jobs/job_columns.h"

enum { COLUMN_ID, COLUMN_VALUE, NUM_COLUMNS }; /* of a file of one value a job */

/* A file whose first column is job_id. The jobs of the log stay where they are. */
typedef struct {
    const spot_job_log_t *log;
    spot_table_file_t file;
    spot_key_table_t ids;
    uint32_t *lines; /* [num_jobs] of the rows of jobs; 0: none so far */
} join_t;

static int open_join(join_t *self)
{
    const spot_key_view_t keys = spot_job_log_keys(self->log);
    int ret = spot_table_file_open(&self->file);

    self->lines = spot_calloc(self->log->num_jobs, sizeof(*self->lines));
    ret = ret == 0 && self->lines == NULL ? SPOT_ERR_NO_MEMORY : ret;
    for (size_t j = 0; j < self->log->num_jobs && ret == 0; j++) {
        ret = spot_key_table_enter(&self->ids, &keys, j);
    }
    return ret;
}

/* Returns 1: the row of the file is that of *job_id; 0: its end; an error. Rows of jobs
 * that the log has not are passed over; a second row of a job is reported. */
static int next_row(join_t *self, int32_t *job_id)
{
    const spot_key_view_t keys = spot_job_log_keys(self->log);
    int status;

    while ((status = spot_table_file_next(&self->file)) == 1) {
        const char *id = spot_table_file_field(&self->file, COLUMN_ID);

        *job_id = spot_key_table_find(&self->ids, &keys, id);
        if (*job_id >= 0 && self->lines[*job_id] == 0) {
            self->lines[*job_id] = (uint32_t) self->file.row.line;
            return 1;
        }
        if (*job_id >= 0) {
            spot_table_file_report_at(&self->file, COLUMN_ID, "job_id: '%s' is in line %u too", id,
                (unsigned) self->lines[*job_id]);
        }
    }
    return status;
}

static int close_join(join_t *self, int error)
{
    free(self->lines);
    spot_key_table_free(&self->ids);
    return spot_table_file_close(&self->file, error);
}

/* ---- Columns of jobs ---- */

/* Reports columns but job_id that are in both files. */
static void check_columns(spot_table_file_t *other, const spot_table_file_t *file)
{
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        if (j != SPOT_JOB_COLUMN_ID && other->has[j] && file->has[j]) {
            spot_table_file_report_at(
                other, j, "column '%s' is in %s too", spot_job_columns[j].name, file->path);
        }
    }
}

int spot_job_join_workload(
    spot_job_log_t *log, const char *path, spot_table_file_t *file, const spot_job_place_t *places)
{
    spot_table_file_column_t columns[SPOT_NUM_JOB_COLUMNS];
    spot_job_cells_t before, cells;
    const spot_table_file_format_t format = {
        SPOT_TABLE_DATA(columns), .row_bytes = sizeof(cells), .initial = &before};
    join_t join = {.log = log, .file = {.format = &format, .path = path, .diag = file->diag}};
    int32_t job_id;
    int ret;

    memcpy(columns, spot_job_columns, sizeof(columns));
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        columns[j].is_optional = j != SPOT_JOB_COLUMN_ID;
    }
    ret = open_join(&join);
    if (ret == 0) {
        check_columns(&join.file, file);
        spot_job_log_note_columns(log, &join.file);
    }
    while (ret == 0 && (ret = next_row(&join, &job_id)) == 1) {
        spot_job_row_t *job = &log->jobs[job_id];

        spot_job_cells_of(&before, log, NULL, job);
        ret = spot_job_cells_read(&cells, &join.file)
                  ? spot_job_cells_store(&cells, &join.file, log, job)
                  : 0;
    }
    for (size_t j = 0; j < log->num_jobs && ret == 0 && !join.file.is_faulty; j++) {
        if (join.lines[j] == 0) {
            spot_table_file_report(file, places[j].line, "job_id: '%s' has no row in %s",
                log->jobs[j].id, join.file.path);
        }
    }
    return close_join(&join, ret);
}

/* ---- A number for each job ---- */

int spot_job_column_read(const spot_job_log_t *self, const char *path, const char *column,
    double *values, spot_diag_t *diag)
{
    const spot_table_file_column_t columns[NUM_COLUMNS] = {
        {.name = "job_id"},
        {.name = column},
    };
    const spot_table_file_format_t format = {SPOT_TABLE_DATA(columns), .is_part = true};
    join_t join = {.log = self, .file = {.format = &format, .path = path, .diag = diag}};
    spot_table_file_t *file = &join.file;
    int32_t job_id;
    int ret = open_join(&join);

    while (ret == 0 && (ret = next_row(&join, &job_id)) == 1) {
        const char *field = spot_table_file_field(file, COLUMN_VALUE);
        char shown[SPOT_CSV_SHOWN_BYTES];

        ret = 0;
        if (spot_number_parse(field, &values[job_id]) != 0) {
            spot_table_file_report_at(file, COLUMN_VALUE,
                "%s: expected a finite number for job %s, got '%s'", column, self->jobs[job_id].id,
                spot_csv_shown(field, shown));
        }
    }
    for (size_t j = 0; j < self->num_jobs && ret == 0; j++) {
        if (join.lines[j] == 0) {
            file->is_faulty = true;
            spot_diag_error(
                diag, file->path, 0, 0, "%s: job %s has no row", column, self->jobs[j].id);
        }
    }
    return close_join(&join, ret);
}
