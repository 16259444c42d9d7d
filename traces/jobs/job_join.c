/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_join.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "traces/jobs/job_log_build.h"

enum { COLUMN_ID, COLUMN_VALUE, NUM_COLUMNS };

int
spot_job_join_open(spot_job_join_t *self, const spot_job_log_t *log, const char *path,
    const spot_job_column_t *columns, size_t num_columns, bool ignores_others,
    spot_diag_t *diag)
{
    int ret;

    *self = (spot_job_join_t){.log = log};
    ret = spot_job_table_open(
        &self->table, path, NULL, 0, columns, num_columns, ignores_others, diag);
    self->lines = spot_calloc(log->num_jobs, sizeof(*self->lines));
    if (ret == 0 && self->lines == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    return ret == 0 ? spot_job_log_tabulate(log, &self->ids) : ret;
}

int
spot_job_join_next(spot_job_join_t *self, int32_t *job_id)
{
    int status;

    while ((status = spot_job_table_next(&self->table)) == 1) {
        const char *id = spot_job_table_field(&self->table, COLUMN_ID);

        *job_id =
            spot_key_table_find(&self->ids, spot_job_log_key, self->log, id, strlen(id));
        if (*job_id >= 0 && self->lines[*job_id] == 0) {
            self->lines[*job_id] = (uint32_t) self->table.row.line;
            return 1;
        }
        if (*job_id >= 0) {
            spot_job_table_report(&self->table, COLUMN_ID,
                "job_id: '%s' is in line %u too", id, (unsigned) self->lines[*job_id]);
        }
    }
    return status;
}

int
spot_job_join_close(spot_job_join_t *self, int error)
{
    free(self->lines);
    spot_key_table_free(&self->ids);
    return spot_job_table_close(&self->table, error);
}

static void
read_value(spot_job_join_t *join, const char *column, const char *id, double *value)
{
    const char *field = spot_job_table_field(&join->table, COLUMN_VALUE);
    char shown[SPOT_CSV_SHOWN_BYTES];

    if (spot_number_parse(field, value) != 0) {
        spot_job_table_report(&join->table, COLUMN_VALUE,
            "%s: expected a finite number for job %s, got '%s'", column, id,
            spot_csv_shown(field, shown));
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
    spot_job_join_t join;
    int32_t job_id;
    int ret = spot_job_join_open(&join, self, path, columns, NUM_COLUMNS, true, diag);

    while (ret == 0 && (ret = spot_job_join_next(&join, &job_id)) == 1) {
        read_value(&join, column, self->jobs[job_id].id, &values[job_id]);
        ret = 0;
    }
    for (size_t j = 0; j < self->num_jobs && ret == 0; j++) {
        if (join.lines[j] == 0) {
            join.table.is_faulty = true;
            spot_diag_error(diag, join.table.file, 0, 0, "%s: job %s has no row", column,
                self->jobs[j].id);
        }
    }
    return spot_job_join_close(&join, ret);
}
