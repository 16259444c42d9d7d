/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/jobs/job_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/memory.h"
#include "base/units.h"

enum { LIST_BYTES = 256 };

/* Appends a name to a list "a, b, c" that is cut at its room. */
static void
list_name(char list[LIST_BYTES], const char *name)
{
    const size_t length = strlen(list);

    snprintf(list + length, LIST_BYTES - length, "%s%s", length == 0 ? "" : ", ", name);
}

static int32_t
find_column(const char *name, const spot_job_column_t *columns, size_t num_columns)
{
    for (size_t j = 0; j < num_columns; j++) {
        if (strcmp(columns[j].name, name) == 0 ||
            (columns[j].other_name != NULL &&
                strcmp(columns[j].other_name, name) == 0)) {
            return (int32_t) j;
        }
    }
    return -1;
}

static int
alloc_columns(spot_job_table_t *self, size_t num_columns)
{
    self->num_fields = self->row.num_fields;
    self->column_of = spot_calloc(self->num_fields, sizeof(*self->column_of));
    self->field_of = spot_calloc(num_columns, sizeof(*self->field_of));
    if (self->column_of == NULL || self->field_of == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_columns; j++) {
        self->field_of[j] = -1;
    }
    return 0;
}

/* Matches the fields of the row of columns; reports duplicates, what is missing, and
 * what is unknown. */
static int
match_columns(spot_job_table_t *self, size_t num_columns, bool ignores_others)
{
    const spot_job_column_t *columns = self->columns;
    char shown[SPOT_CSV_SHOWN_BYTES], list[LIST_BYTES] = "";
    const spot_csv_row_t *row = &self->row;
    size_t unknown_at = 0;

    for (size_t j = 0; j < row->num_fields; j++) {
        const int32_t column_id = find_column(row->fields[j], columns, num_columns);

        self->column_of[j] = column_id;
        if (column_id < 0) {
            list_name(list, spot_csv_shown(row->fields[j], shown));
            unknown_at = unknown_at == 0 ? row->columns[j] : unknown_at;
        } else if (self->field_of[column_id] >= 0) {
            self->is_faulty = true;
            spot_diag_error(self->diag, self->file, row->line, row->columns[j],
                "repeated column '%s'", spot_csv_shown(row->fields[j], shown));
        } else {
            self->field_of[column_id] = (int32_t) j;
        }
    }
    if (unknown_at > 0 && !ignores_others) {
        spot_diag_warn(self->diag, self->file, row->line, unknown_at,
            "unknown columns are ignored: %s", list);
    }
    list[0] = '\0';
    for (size_t j = 0; j < num_columns; j++) {
        if (columns[j].is_required && self->field_of[j] < 0) {
            list_name(list, columns[j].name);
        }
    }
    if (list[0] != '\0') {
        self->is_faulty = true;
        spot_diag_error(
            self->diag, self->file, row->line, 1, "missing columns: %s", list);
    }
    return self->is_faulty ? SPOT_ERR_BAD_INPUT : 0;
}

/* Moves to the row of columns, below comments. */
static int
find_header(spot_job_table_t *self)
{
    const char *separator;
    int status = 1;

    do {
        status = spot_csv_next(self->csv, &self->row);
    } while (status == 1 && self->row.is_comment);
    if (status < 0) {
        return status;
    }
    if (status == 0 || self->row.num_fields == 0) {
        return spot_diag_error(
            self->diag, self->file, self->row.line, 1, "expected a row of column names");
    }
    separator = spot_csv_wrong_separator(self->row.text);
    if (separator != NULL) {
        return spot_diag_error(self->diag, self->file, self->row.line, 1,
            "expected columns with commas between, got %s", separator);
    }
    return 0;
}

int
spot_job_table_open(spot_job_table_t *self, const char *path, const char *bytes,
    size_t num_bytes, const spot_job_column_t *columns, size_t num_columns,
    bool ignores_others, spot_diag_t *diag)
{
    int ret;

    *self = (spot_job_table_t){.diag = diag, .columns = columns};
    ret = bytes != NULL ? spot_csv_open_bytes(&self->csv, path, bytes, num_bytes, diag)
          : strcmp(path, "-") == 0 ? spot_csv_open_stdin(&self->csv, diag)
                                   : spot_csv_open(&self->csv, path, diag);
    if (ret == 0) {
        self->file = spot_csv_file(self->csv);
        ret = find_header(self);
    }
    ret = ret == 0 ? alloc_columns(self, num_columns) : ret;
    return ret == 0 ? match_columns(self, num_columns, ignores_others) : ret;
}

int
spot_job_table_next(spot_job_table_t *self)
{
    int status;

    while ((status = spot_csv_next(self->csv, &self->row)) != 0) {
        if (status != 1 && status != SPOT_ERR_BAD_INPUT) {
            return status;
        }
        if (status == 1 && spot_csv_check_row(&self->row, self->num_fields, self->file,
                               self->diag) == 0) {
            return 1;
        }
        self->is_faulty = true;
    }
    return 0;
}

const char *
spot_job_table_field(const spot_job_table_t *self, size_t column_id)
{
    const int32_t field_id = self->field_of[column_id];

    return field_id < 0 ? NULL : self->row.fields[field_id];
}

void
spot_job_table_expected(spot_job_table_t *self, size_t column_id, const char *expected)
{
    self->is_faulty = true;
    (void) spot_csv_expected(&self->row, (size_t) self->field_of[column_id], self->file,
        self->columns[column_id].name, expected, self->diag);
}

static void
expected_between(
    spot_job_table_t *self, size_t column_id, const char *what, double min, double max)
{
    char expected[96];

    snprintf(expected, sizeof(expected), "%s from %.15g to %.15g", what, min, max);
    spot_job_table_expected(self, column_id, max < HUGE_VAL ? expected : what);
}

bool
spot_job_table_integer(
    spot_job_table_t *self, size_t column_id, int64_t min, int64_t max, int64_t *value)
{
    const char *field = self->row.fields[self->field_of[column_id]];
    const bool is_good =
        spot_integer_parse(field, value) == 0 && *value >= min && *value <= max;

    if (!is_good) {
        expected_between(self, column_id, "an integer", (double) min, (double) max);
    }
    return is_good;
}

bool
spot_job_table_number(
    spot_job_table_t *self, size_t column_id, double min, double max, double *value)
{
    const char *field = self->row.fields[self->field_of[column_id]];
    const bool is_good =
        spot_number_parse(field, value) == 0 && *value >= min && *value <= max;

    if (!is_good) {
        expected_between(
            self, column_id, max < HUGE_VAL ? "a number" : "a finite number", min, max);
    }
    return is_good;
}

void
spot_job_table_report(spot_job_table_t *self, size_t column_id, const char *format, ...)
{
    const int32_t field_id = self->field_of[column_id];
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    self->is_faulty = true;
    spot_diag_error(self->diag, self->file, self->row.line,
        field_id < 0 ? 1 : self->row.columns[field_id], "%s", message);
}

int
spot_job_table_close(spot_job_table_t *self, int error)
{
    const size_t num_crlf = self->csv == NULL ? 0 : spot_csv_num_crlf(self->csv);

    if (num_crlf > 0) {
        spot_diag_warn(self->diag, self->file, 0, 0, "%zu line%s in CR LF", num_crlf,
            num_crlf == 1 ? " ends" : "s end");
    }
    spot_csv_close(self->csv);
    free(self->column_of);
    free(self->field_of);
    spot_diag_close_file(self->diag);
    error = error == 0 && self->is_faulty ? SPOT_ERR_BAD_INPUT : error;
    memset(self, 0, sizeof(*self));
    return error;
}

int
spot_job_time_parse(const char *text, int64_t *time_s, bool *is_date)
{
    int64_t day = 0, second = 0;
    bool has_time;

    *is_date = strlen(text) > 4 && text[4] == '-';
    if (!*is_date) {
        return spot_integer_parse(text, time_s) != 0 || *time_s < 0 ? SPOT_ERR_BAD_INPUT
                                                                    : 0;
    }
    if (!spot_date_scan(&text, &day)) {
        return SPOT_ERR_BAD_INPUT;
    }
    has_time = *text == ' ' || *text == 'T';
    text += has_time;
    if (!has_time || !spot_time_of_day_scan(&text, &second) || *text != '\0' ||
        day < 0) {
        return SPOT_ERR_BAD_INPUT;
    }
    *time_s = 86400 * day + second;
    return 0;
}
