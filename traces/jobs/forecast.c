/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "traces/jobs/job_table.h"

enum { COLUMN_TIME, COLUMN_JOBS, COLUMN_GPUS, NUM_COLUMNS };

static const spot_job_column_t columns[NUM_COLUMNS] = {
    {"time", NULL, true},
    {"pred_gpu_job", NULL, true},
    {"pred_gpu_num", NULL, true},
};

/* *before: the time of the row before, or -1. A row with a wrong time is not compared
 * with the next one. */
static void
check_time(spot_job_table_t *table, int64_t *before, bool *was_date)
{
    const char *field = spot_job_table_field(table, COLUMN_TIME);
    int64_t time_s;
    bool is_date;

    if (spot_job_time_parse(field, &time_s, &is_date) != 0) {
        spot_job_table_expected(
            table, COLUMN_TIME, "integer seconds or YYYY-MM-DD hh:mm:ss");
        time_s = -1;
    } else if (*before >= 0 && is_date != *was_date) {
        spot_job_table_report(table, COLUMN_TIME,
            "time: expected the form of the rows above, got '%s'", field);
    } else if (*before >= 0 && time_s - *before != SPOT_FORECAST_STEP_S) {
        spot_job_table_report(table, COLUMN_TIME,
            "time: expected %d s after the row above, got '%s'", SPOT_FORECAST_STEP_S,
            field);
    }
    *before = time_s;
    *was_date = is_date;
}

int
spot_forecast_read(spot_forecast_t *self, const char *path, spot_diag_t *diag)
{
    spot_job_table_t table;
    int64_t before = -1;
    bool was_date = false;
    int ret =
        spot_job_table_open(&table, path, NULL, 0, columns, NUM_COLUMNS, true, diag);

    memset(self, 0, sizeof(*self));
    while (ret == 0 && (ret = spot_job_table_next(&table)) == 1) {
        struct spot_forecast_row row;
        bool is_good;

        check_time(&table, &before, &was_date);
        is_good = spot_job_table_number(
            &table, COLUMN_JOBS, -HUGE_VAL, HUGE_VAL, &row.num_jobs);
        is_good = spot_job_table_number(
                      &table, COLUMN_GPUS, -HUGE_VAL, HUGE_VAL, &row.num_gpus) &&
                  is_good;
        ret = is_good ? SPOT_ARRAY_APPEND(self, rows, row) : 0;
    }
    if (ret == 0 && self->num_rows == 0 && !table.is_faulty) {
        ret = spot_diag_error(
            diag, table.file, table.row.line, 1, "expected at least one row");
    }
    return spot_job_table_close(&table, ret);
}

void
spot_forecast_free(spot_forecast_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
