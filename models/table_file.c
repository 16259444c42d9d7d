/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/table_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "base/utf8.h"

#define MAX_REMARK 1000000000000
#define LIST_BYTES 256 /* of names in a message */

/* ---- Messages ---- */

void
spot_table_file_report(spot_table_file_t *self, size_t line, const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    spot_diag_error(self->diag, self->path, line, 1, "%s", message);
    self->is_faulty = true;
}

void
spot_table_file_report_field(spot_table_file_t *self, const spot_csv_row_t *row,
    size_t column, const char *problem)
{
    size_t field_id = 0;

    while (self->kinds[field_id] != column) {
        field_id++;
    }
    spot_csv_field_error(row, field_id, self->path, self->format->columns[column].name,
        problem, self->diag);
    self->is_faulty = true;
}

/* ---- Remarks ---- */

/* The text after "key:" in a line in which the key is a word of its own, or NULL. */
static const char *
find_value(const char *line, const char *key)
{
    const size_t num_bytes = strlen(key);

    for (const char *at = strstr(line, key); at != NULL; at = strstr(at + 1, key)) {
        if (at[num_bytes] == ':' && at > line && strchr("# \t", at[-1]) != NULL) {
            return at + num_bytes + 1 + strspn(at + num_bytes + 1, " \t");
        }
    }
    return NULL;
}

/* Reads the value of a key in a remark such as "samples_per_step: 256 micro_batch: 4",
 * if it is there. */
static void
read_remark(spot_table_file_t *self, const spot_csv_row_t *row,
    const spot_table_file_remark_t *remark)
{
    int64_t *value = (void *) ((char *) self->table + remark->offset);
    const char *found = find_value(row->text, remark->key);
    char word[SPOT_NUMBER_TEXT_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];

    if (found == NULL) {
        return;
    }
    snprintf(word, sizeof(word), "%.*s", (int) strcspn(found, " \t,;"), found);
    if (spot_integer_parse(word, value) != 0 || *value < 1 || *value > MAX_REMARK) {
        *value = 0;
        self->is_faulty = true;
        spot_diag_error(self->diag, self->path, row->line,
            (size_t) (found - row->text) + 1,
            "%s: expected an integer from 1 to %lld, got \"%s\"", remark->key,
            (long long) MAX_REMARK, spot_utf8_shown(word, shown));
    }
}

/* ---- The row of columns ---- */

/* Appends a name to a list of names, as far as there is room. */
static void
list_name(char list[LIST_BYTES], const char *name)
{
    const size_t num_bytes = strlen(list);

    snprintf(list + num_bytes, LIST_BYTES - num_bytes, "%s%s", num_bytes > 0 ? ", " : "",
        name);
}

/* Columns of other names are left out with a warning, or an error. */
static void
take_unknown_column(spot_table_file_t *self, const spot_csv_row_t *row, size_t field_id,
    char list[LIST_BYTES])
{
    char text[SPOT_CSV_SHOWN_BYTES];

    spot_csv_shown(row->fields[field_id], text);
    if (self->format->ignores_others) {
        self->kinds[field_id] = self->format->num_columns;
        list_name(list, text);
    } else {
        spot_diag_error(self->diag, self->path, row->line, row->columns[field_id],
            "unknown column '%s'", text);
        self->is_faulty = self->is_over = true;
    }
}

/* Columns in any order, each known and once. */
static void
find_columns(spot_table_file_t *self, const spot_csv_row_t *row)
{
    const spot_table_file_format_t *format = self->format;
    char text[SPOT_CSV_SHOWN_BYTES], others[LIST_BYTES] = "";

    if (row->num_fields > SPOT_TABLE_FILE_MAX_COLUMNS) {
        spot_table_file_report(self, row->line, "expected at most %d columns, got %zu",
            SPOT_TABLE_FILE_MAX_COLUMNS, row->num_fields);
        self->is_over = true;
    }
    for (size_t j = 0; j < row->num_fields && !self->is_over; j++) {
        size_t kind = 0;

        while (kind < format->num_columns &&
               strcmp(format->columns[kind].name, row->fields[j]) != 0) {
            kind++;
        }
        if (kind == format->num_columns) {
            take_unknown_column(self, row, j, others);
        } else if (self->has[kind]) {
            spot_diag_error(self->diag, self->path, row->line, row->columns[j],
                "repeated column '%s'", spot_csv_shown(row->fields[j], text));
            self->is_faulty = self->is_over = true;
        } else {
            self->has[kind] = true;
            self->kinds[j] = kind;
        }
    }
    if (others[0] != '\0') {
        spot_diag_warn(self->diag, self->path, row->line, 1,
            "unknown columns are ignored: %s", others);
    }
}

/* Returns whether the columns, all in their order, are those of the row. */
static bool
match_columns(spot_table_file_t *self, const spot_csv_row_t *row)
{
    size_t id = 0;

    for (size_t kind = 0; kind < self->format->num_columns; kind++) {
        if (id < row->num_fields &&
            strcmp(row->fields[id], self->format->columns[kind].name) == 0) {
            self->has[kind] = true;
            self->kinds[id++] = kind;
        }
    }
    return id == row->num_fields;
}

/* After an error in this row no other one can be checked. */
static void
read_columns(spot_table_file_t *self, const spot_csv_row_t *row)
{
    const spot_table_file_format_t *format = self->format;
    char missing[LIST_BYTES] = "";
    bool is_complete = true;

    if (format->is_any_order) {
        find_columns(self, row);
    } else {
        is_complete = match_columns(self, row);
    }
    for (size_t j = 0; j < format->num_columns && is_complete; j++) {
        if (!self->has[j] && !format->columns[j].is_optional) {
            list_name(missing, format->columns[j].name);
        }
    }
    if (!self->is_over && (!is_complete || missing[0] != '\0')) {
        spot_table_file_report(self, row->line,
            format->ignores_others ? "missing columns: %s" : "expected the columns %s",
            format->ignores_others ? missing : format->layout);
        self->is_over = true;
    }
    self->num_fields = row->num_fields;
}

/* ---- Rows ---- */

/* The problem of an integer that is none, or outside the limits of its column. */
static const char *
read_integer(const spot_table_file_column_t *self, const char *field, void *value,
    char text[SPOT_TABLE_FILE_PROBLEM_BYTES])
{
    int64_t number = 0;

    if (spot_integer_parse(field, &number) != 0 || (double) number < self->min ||
        (double) number > self->max) {
        snprintf(text, SPOT_TABLE_FILE_PROBLEM_BYTES, "expected %s from %.0f to %.0f",
            self->expected == NULL ? "an integer" : self->expected, self->min,
            self->max);
        return text;
    }
    if (self->kind == SPOT_CELL_COUNT) {
        *(int32_t *) value = (int32_t) number;
    } else {
        *(int64_t *) value = number;
    }
    return NULL;
}

/* The same of a number, or of what is made of one. */
static const char *
read_number(const spot_table_file_column_t *self, const char *field, void *value)
{
    const bool is_seconds = self->kind == SPOT_CELL_SECONDS;
    double number = 0;
    int64_t ms = 0;

    if (spot_number_parse(field, &number) != 0 ||
        (is_seconds ? number <= 0 : number < self->min || number > self->max)) {
        return self->expected;
    }
    if (self->kind == SPOT_CELL_ROUNDED) {
        *(int64_t *) value = llrint(number);
    } else if (self->kind != SPOT_CELL_MS) {
        *(double *) value = number;
    }
    if ((is_seconds || self->kind == SPOT_CELL_MS) &&
        spot_duration_from_s(number, &ms) != 0) {
        return is_seconds ? "expected at most 100 years in seconds" : self->expected;
    }
    if (self->kind == SPOT_CELL_MS) {
        *(int64_t *) value = ms;
    }
    return NULL;
}

const char *
spot_table_file_column_read(const spot_table_file_column_t *self, const char *field,
    void *values, char text[SPOT_TABLE_FILE_PROBLEM_BYTES])
{
    void *value = (char *) values + self->offset;

    if (self->kind == SPOT_CELL_IGNORED || (self->may_be_empty && field[0] == '\0')) {
        return NULL;
    }
    if (self->kind == SPOT_CELL_TEXT) {
        *(const char **) value = field;
        return NULL;
    }
    if (self->kind == SPOT_CELL_INTEGER || self->kind == SPOT_CELL_COUNT) {
        return read_integer(self, field, value, text);
    }
    if (self->kind != SPOT_CELL_WORD) {
        return read_number(self, field, value);
    }
    *(bool *) value = strcmp(field, self->words[1]) == 0;
    return *(bool *) value || strcmp(field, self->words[0]) == 0 ? NULL : self->expected;
}

static int
read_row(spot_table_file_t *self, const spot_csv_row_t *row, void *values)
{
    const size_t num_errors = self->diag->num_errors;
    char text[SPOT_TABLE_FILE_PROBLEM_BYTES];

    if (row->num_fields != self->num_fields) {
        spot_table_file_report(self, row->line, "expected %zu columns, got %zu",
            self->num_fields, row->num_fields);
        return 0;
    }
    memset(values, 0, self->format->row_bytes);
    for (size_t j = 0; j < row->num_fields; j++) {
        const char *problem =
            self->kinds[j] == self->format->num_columns
                ? NULL
                : spot_table_file_column_read(&self->format->columns[self->kinds[j]],
                      row->fields[j], values, text);

        if (problem != NULL) {
            spot_table_file_report_field(self, row, self->kinds[j], problem);
        }
    }
    return self->diag->num_errors > num_errors ? 0
                                               : self->format->take(self, row, values);
}

/* ---- The whole ---- */

static int
read_line(spot_table_file_t *self, const spot_csv_row_t *row, void *values)
{
    const char *separator;

    if (row->is_comment) {
        for (const spot_table_file_remark_t *remark = self->format->remarks;
             self->num_fields == 0 && remark != NULL && remark->key != NULL; remark++) {
            read_remark(self, row, remark);
        }
    } else if (row->num_fields == 0) {
        spot_table_file_report(self, row->line, "empty line");
    } else if (self->num_fields > 0) {
        return read_row(self, row, values);
    } else if ((separator = spot_csv_wrong_separator(row->text)) != NULL) {
        spot_table_file_report(
            self, row->line, "expected columns with commas between, got %s", separator);
        self->is_over = true;
    } else {
        read_columns(self, row);
    }
    return 0;
}

static int
read_lines(spot_table_file_t *self, spot_csv_t *csv, void *values)
{
    spot_csv_row_t row;
    int status, ret = 0;

    while (ret == 0 && !self->is_over && (status = spot_csv_next(csv, &row)) != 0) {
        if (status == SPOT_ERR_BAD_INPUT) {
            self->is_faulty = true;
        } else if (status < 0) {
            ret = status;
        } else {
            ret = read_line(self, &row, values);
        }
        self->is_over = self->is_over || (self->format->needs_columns &&
                                             self->is_faulty && self->num_fields == 0);
    }
    if (ret == 0) {
        self->format->seal(self, row.line);
    }
    return ret == 0 && self->is_faulty ? SPOT_ERR_BAD_INPUT : ret;
}

int
spot_table_file_read(spot_table_file_t *self)
{
    void *values = spot_calloc(1, self->format->row_bytes);
    spot_csv_t *csv = NULL;
    int ret = values == NULL ? SPOT_ERR_NO_MEMORY
                             : spot_csv_open(&csv, self->path, self->diag);

    ret = ret == 0 ? read_lines(self, csv, values) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(self->diag);
    free(values);
    return ret;
}
