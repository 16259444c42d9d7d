/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of other files that are joined with a log on job_id. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/jobs/job_log_build.h"
#include "traces/jobs/job_table.h"

enum { COLUMN_ID, COLUMN_VALUE, NUM_COLUMNS };

typedef struct {
    const spot_job_log_t *log;
    const char *name; /* of the column */
    double *values;   /* [num_jobs] */
    size_t *lines;    /* [num_jobs] of the file; 0: no row so far */
    spot_key_table_t jobs;
    spot_job_table_t table;
} join_t;

static void
read_row(join_t *self)
{
    const char *id = spot_job_table_field(&self->table, COLUMN_ID);
    const int32_t job_id =
        spot_key_table_find(&self->jobs, spot_job_log_key, self->log, id, strlen(id));
    const char *field = spot_job_table_field(&self->table, COLUMN_VALUE);

    if (job_id < 0) {
        return; /* the row of a job that was dropped */
    }
    if (self->lines[job_id] > 0) {
        spot_job_table_report(&self->table, COLUMN_ID, "job_id: '%s' is in line %zu too",
            id, self->lines[job_id]);
        return;
    }
    self->lines[job_id] = self->table.row.line;
    if (spot_number_parse(field, &self->values[job_id]) != 0) {
        char shown[SPOT_CSV_SHOWN_BYTES];

        spot_job_table_report(&self->table, COLUMN_VALUE,
            "%s: expected a finite number for job %s, got '%s'", self->name, id,
            spot_csv_shown(field, shown));
    }
}

static void
report_missing(join_t *self)
{
    for (size_t j = 0; j < self->log->num_jobs; j++) {
        if (self->lines[j] == 0) {
            self->table.is_faulty = true;
            spot_diag_error(self->table.diag, self->table.file, 0, 0,
                "%s: job %s has no row", self->name, self->log->jobs[j].id);
        }
    }
}

int
spot_job_column_read(const spot_job_log_t *self, const char *path, const char *column,
    double *values, spot_diag_t *diag)
{
    const spot_job_column_t columns[NUM_COLUMNS] = {
        {"job_id", NULL, true},
        {column, NULL, true},
    };
    join_t join = {.log = self, .name = column, .values = values};
    int ret = spot_job_table_open(&join.table, path, columns, NUM_COLUMNS, true, diag);

    join.lines = spot_calloc(self->num_jobs, sizeof(*join.lines));
    if (ret == 0) {
        ret = join.lines == NULL ? SPOT_ERR_NO_MEMORY
                                 : spot_job_log_tabulate(self, &join.jobs);
    }
    while (ret == 0 && (ret = spot_job_table_next(&join.table)) == 1) {
        read_row(&join);
        ret = 0;
    }
    if (ret == 0) {
        report_missing(&join);
    }
    free(join.lines);
    spot_key_table_free(&join.jobs);
    return spot_job_table_close(&join.table, ret);
}
