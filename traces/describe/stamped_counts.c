/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/describe/stamped_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"

/* State of reading one file. */
typedef struct {
    spot_stamped_counts_t *counts;
    const char *file;
    const char *column;
    size_t min_rows;
    size_t num_fields; /* of every row; 0: the row of columns is not read yet */
    spot_diag_t *diag;
} reader_t;

static bool
is_columns(const spot_csv_row_t *row, const char *column)
{
    return !row->is_comment && row->num_fields >= 2 &&
           strcmp(row->fields[row->num_fields - 2], "timestamp") == 0 &&
           strcmp(row->fields[row->num_fields - 1], column) == 0;
}

bool
spot_stamped_counts_is_file(const char *path, const char *column)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    spot_diag_t diag;
    bool is_file;

    spot_diag_init(&diag);
    is_file = spot_csv_open(&csv, path, &diag) == 0 && spot_csv_next(csv, &row) == 1 &&
              is_columns(&row, column);
    spot_csv_close(csv);
    spot_diag_free(&diag);
    return is_file;
}

static int
refuse(const reader_t *self, const spot_csv_row_t *row, size_t field, const char *what,
    const char *expected)
{
    return spot_csv_expected(row, field, self->file, what, expected, self->diag);
}

static int
append(spot_stamped_counts_t *self, int64_t time_s, int64_t count)
{
    return SPOT_ARRAY_APPEND(
        self, rows, (spot_stamped_count_t){time_s, (int32_t) count});
}

static int
read_row(reader_t *self, const spot_csv_row_t *row)
{
    const size_t time_id = self->num_fields - 2, count_id = self->num_fields - 1;
    const spot_stamped_counts_t *counts = self->counts;
    int64_t time_s, count;
    const int ret = spot_csv_check_row(row, self->num_fields, self->file, self->diag);

    if (ret != 0) {
        return ret;
    }
    if (!spot_timestamp_parse(row->fields[time_id], &time_s)) {
        return refuse(self, row, time_id, "timestamp", "YYYY-MM-DDThh:mm:ssZ");
    }
    if (counts->num_rows > 0 && time_s < counts->rows[counts->num_rows - 1].time_s) {
        return refuse(
            self, row, time_id, "timestamp", "a time not before the previous row");
    }
    if (spot_integer_parse(row->fields[count_id], &count) != 0 || count < 0 ||
        count > INT32_MAX) {
        return refuse(self, row, count_id, self->column, "an integer from 0");
    }
    return append(self->counts, time_s, count);
}

static int
read_columns(reader_t *self, const spot_csv_row_t *row)
{
    if (!is_columns(row, self->column)) {
        return spot_diag_error(self->diag, self->file, row->line, 1,
            "expected the columns timestamp,%s", self->column);
    }
    self->num_fields = row->num_fields;
    return 0;
}

static int
read_rows(reader_t *self, spot_csv_t *csv)
{
    spot_csv_row_t row;
    int found, ret = 0;

    while ((found = spot_csv_next(csv, &row)) != 0) {
        if (found == 1 && self->num_fields == 0) {
            found = read_columns(self, &row);
            if (found != 0) {
                return found;
            }
        } else if (found == 1) {
            found = read_row(self, &row);
        }
        if (found == SPOT_ERR_BAD_INPUT) {
            ret = found;
        } else if (found < 0) {
            return found;
        }
    }
    if (ret == 0 && self->num_fields == 0) {
        ret = spot_diag_error(self->diag, self->file, row.line, 1,
            "expected the columns timestamp,%s", self->column);
    } else if (ret == 0 && self->counts->num_rows < self->min_rows) {
        ret = spot_diag_error(
            self->diag, self->file, row.line, 1, "expected at least one row");
    }
    return ret;
}

int
spot_stamped_counts_read(spot_stamped_counts_t *self, const char *path,
    const char *column, size_t min_rows, spot_diag_t *diag)
{
    reader_t reader = {.counts = self,
        .file = path,
        .column = column,
        .min_rows = min_rows,
        .diag = diag};
    spot_csv_t *csv = NULL;
    int ret = spot_csv_open(&csv, path, diag);

    memset(self, 0, sizeof(*self));
    ret = ret == 0 ? read_rows(&reader, csv) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(diag);
    return ret;
}

void
spot_stamped_counts_free(spot_stamped_counts_t *self)
{
    free(self->rows);
    memset(self, 0, sizeof(*self));
}
