/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/table_file.h"

enum { COLUMN_TIME };

#define NUMBER(name, member)                                                                       \
    SPOT_MEMBER_WITH(                                                                              \
        NUMBER, name, struct spot_forecast_row, member, .min = -HUGE_VAL, .max = HUGE_VAL)

static const spot_row_member_t columns[] = {
    [COLUMN_TIME] = {.name = "time", .is_own = true},
    NUMBER("pred_gpu_job", num_jobs),
    NUMBER("pred_gpu_num", num_gpus),
};

/* *before: the time of the row before, or -1. A row with a wrong time is not compared
 * with the next one. */
static void check_time(spot_table_file_t *file, int64_t *before, bool *was_date)
{
    const char *field = spot_table_file_field(file, COLUMN_TIME);
    int64_t time_s;
    bool is_date;

    if (spot_clock_parse(field, &time_s, &is_date) != 0) {
        spot_table_file_report_field(
            file, &file->row, COLUMN_TIME, "expected integer seconds or YYYY-MM-DD hh:mm:ss");
        time_s = -1;
    } else if (*before >= 0 && is_date != *was_date) {
        spot_table_file_report_at(
            file, COLUMN_TIME, "time: expected the form of the rows above, got '%s'", field);
    } else if (*before >= 0 && time_s - *before != SPOT_FORECAST_STEP_S) {
        spot_table_file_report_at(file, COLUMN_TIME,
            "time: expected %d s after the row above, got '%s'", SPOT_FORECAST_STEP_S, field);
    }
    *before = time_s;
    *was_date = is_date;
}

int spot_forecast_read(spot_forecast_t *self, const char *path, spot_diag_t *diag)
{
    static const spot_table_file_format_t format = {SPOT_TABLE_DATA(columns), .is_part = true,
        .noun = "row", .row_bytes = sizeof(struct spot_forecast_row)};
    spot_table_file_t file = {.format = &format, .path = path, .diag = diag};
    int64_t before = -1;
    bool was_date = false;
    int ret = spot_table_file_open(&file);

    memset(self, 0, sizeof(*self));
    while (ret == 0 && (ret = spot_table_file_next(&file)) == 1) {
        struct spot_forecast_row row;

        check_time(&file, &before, &was_date);
        ret = spot_table_file_take(&file, &row) ? SPOT_ARRAY_APPEND(self, rows, row) : 0;
    }
    return spot_table_file_close(&file, ret);
}

void spot_forecast_free(spot_forecast_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
