/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/table_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/units.h"
#include "base/utf8.h"

#define MAX_REMARK 1000000000000
#define LIST_BYTES 256 /* of names in a message */

/* ---- Messages ---- */

SPOT_PRINTF(4, 0)
static void report_text(
    spot_table_file_t *self, size_t line, size_t column, const char *format, va_list arguments)
{
    char message[512];

    vsnprintf(message, sizeof(message), format, arguments);
    spot_diag_error(self->diag, self->path, line, column, "%s", message);
    self->is_faulty = true;
}

void spot_table_file_report(spot_table_file_t *self, size_t line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report_text(self, line, 1, format, arguments);
    va_end(arguments);
}

void spot_table_file_report_at(spot_table_file_t *self, size_t column, const char *format, ...)
{
    const spot_csv_row_t *row = &self->row;
    va_list arguments;

    va_start(arguments, format);
    report_text(self, row->line, self->has[column] ? row->columns[self->fields[column]] : 1, format,
        arguments);
    va_end(arguments);
}

void spot_table_file_report_field(
    spot_table_file_t *self, const spot_csv_row_t *row, size_t column, const char *problem)
{
    spot_csv_field_error(row, self->fields[column], self->path, self->format->columns[column].name,
        problem, self->diag);
    self->is_faulty = true;
}

/* ---- Remarks ---- */

/* The text after "key:" in a line in which the key is a word of its own, or NULL. */
static const char *find_value(const char *line, const char *key)
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
static void read_remark(
    spot_table_file_t *self, const spot_csv_row_t *row, const spot_table_file_remark_t *remark)
{
    int64_t *value = (void *) ((char *) self->table + remark->offset);
    const char *found = find_value(row->text, remark->key);
    char word[SPOT_NUMBER_TEXT_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];

    if (found == NULL) {
        return;
    }
    if (remark->num_bytes > 0) {
        snprintf((char *) self->table + remark->offset, remark->num_bytes, "%s", found);
        return;
    }
    snprintf(word, sizeof(word), "%.*s", (int) strcspn(found, " \t,;"), found);
    if (spot_integer_parse(word, value) != 0 || *value < 1 || *value > MAX_REMARK) {
        *value = 0;
        self->is_faulty = true;
        spot_diag_error(self->diag, self->path, row->line, (size_t) (found - row->text) + 1,
            "%s: expected an integer from 1 to %lld, got \"%s\"", remark->key,
            (long long) MAX_REMARK, spot_utf8_shown(word, shown));
    }
}

/* ---- The row of columns ---- */

/* Appends a name to a list of names, as far as there is room. */
static void list_name(char list[LIST_BYTES], const char *name)
{
    const size_t num_bytes = strlen(list);

    snprintf(list + num_bytes, LIST_BYTES - num_bytes, "%s%s", num_bytes > 0 ? ", " : "", name);
}

static bool is_column(const spot_table_file_t *self, size_t kind, const char *name)
{
    const spot_row_member_t *column = &self->format->columns[kind];

    return strcmp(column->name, name) == 0 ||
           (column->other_name != NULL && strcmp(column->other_name, name) == 0) ||
           (column->accepts != NULL && column->accepts(self->table, name));
}

static void enter_column(spot_table_file_t *self, size_t kind, size_t field_id)
{
    self->has[kind] = true;
    self->fields[kind] = field_id;
    self->kinds[field_id] = kind;
}

/* An error of the field of a column name. A file of data has all such errors reported.
 */
static void refuse_column(spot_table_file_t *self, size_t field_id, const char *problem)
{
    char text[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(self->diag, self->path, self->row.line, self->row.columns[field_id],
        "%s column '%s'", problem, spot_csv_shown(self->row.fields[field_id], text));
    self->is_faulty = true;
    self->is_over = !self->format->is_data;
}

/* Columns in any order, each once; those of other names are left out with a warning, or
 * are an error. */
static void find_columns(spot_table_file_t *self)
{
    const spot_table_file_format_t *format = self->format;
    char text[SPOT_CSV_SHOWN_BYTES], others[LIST_BYTES] = "";
    size_t others_at = 1;

    for (size_t j = 0; j < self->row.num_fields && !self->is_over; j++) {
        size_t kind = 0;

        while (kind < format->num_columns && !is_column(self, kind, self->row.fields[j])) {
            kind++;
        }
        self->kinds[j] = format->num_columns;
        if (kind < format->num_columns && !self->has[kind]) {
            enter_column(self, kind, j);
        } else if (kind < format->num_columns) {
            refuse_column(self, j, "repeated");
        } else if (format->ignores_others) {
            others_at = others[0] == '\0' && format->is_data ? self->row.columns[j] : others_at;
            list_name(others, spot_csv_shown(self->row.fields[j], text));
        } else {
            refuse_column(self, j, "unknown");
        }
    }
    if (others[0] != '\0' && !format->is_part) {
        spot_diag_warn(self->diag, self->path, self->row.line, others_at,
            "unknown columns are ignored: %s", others);
    }
}

/* Returns whether the columns, all in their order, are those of the row. */
static bool match_columns(spot_table_file_t *self)
{
    size_t id = 0;

    for (size_t kind = 0; kind < self->format->num_columns; kind++) {
        if (id < self->row.num_fields && is_column(self, kind, self->row.fields[id])) {
            enter_column(self, kind, id++);
        }
    }
    return id == self->row.num_fields;
}

/* After an error in this row no other one can be checked. NO_MEMORY. */
static int read_columns(spot_table_file_t *self)
{
    const spot_table_file_format_t *format = self->format;
    char missing[LIST_BYTES] = "";
    bool is_complete = true;

    self->kinds = spot_calloc(self->row.num_fields, sizeof(*self->kinds));
    if (self->kinds == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (format->is_any_order) {
        find_columns(self);
    } else {
        is_complete = match_columns(self);
    }
    for (size_t j = 0; j < format->num_columns && is_complete; j++) {
        if (!self->has[j] && !format->columns[j].is_optional) {
            list_name(missing, format->columns[j].name);
        }
    }
    if (!self->is_over && (!is_complete || missing[0] != '\0')) {
        spot_table_file_report(self, self->row.line,
            format->ignores_others ? "missing columns: %s"
            : format->says_header  ? "expected header '%s'"
                                   : "expected the columns %s",
            format->ignores_others ? missing : format->layout);
        self->is_over = true;
    }
    self->num_fields = self->row.num_fields;
    return 0;
}

/* ---- Rows ---- */

bool spot_table_file_take(spot_table_file_t *self, void *values)
{
    const spot_table_file_format_t *format = self->format;
    const size_t num_errors = self->diag->num_errors;
    char text[SPOT_MEMBER_PROBLEM_BYTES];

    if (format->initial != NULL) {
        memcpy(values, format->initial, format->row_bytes);
    } else {
        memset(values, 0, format->row_bytes);
    }
    for (size_t j = 0; j < self->num_fields; j++) {
        const spot_row_member_t *column = &format->columns[self->kinds[j]];
        const char *problem = self->kinds[j] == format->num_columns || column->is_own
                                  ? NULL
                                  : spot_member_read(column, self->row.fields[j], values, text);

        if (problem != NULL) {
            spot_table_file_report_field(self, &self->row, self->kinds[j], problem);
        }
    }
    return self->diag->num_errors == num_errors;
}

/* ---- Lines ---- */

/* Whether a line below the row of columns is a row; reports if it should be one. */
static bool is_row(spot_table_file_t *self)
{
    const spot_csv_row_t *row = &self->row;

    if (self->format->is_data) {
        const int ret = spot_csv_check_row(row, self->num_fields, self->path, self->diag);

        self->is_faulty = self->is_faulty || ret != 0;
        return ret == 0;
    }
    if (row->is_comment) {
        return false;
    }
    if (row->num_fields == 0) {
        spot_table_file_report(self, row->line, "empty line");
    } else if (row->num_fields != self->num_fields) {
        spot_table_file_report(
            self, row->line, "expected %zu columns, got %zu", self->num_fields, row->num_fields);
    }
    return row->num_fields == self->num_fields;
}

/* Reads a line down to the row of columns. NO_MEMORY. */
static int read_head(spot_table_file_t *self)
{
    const spot_csv_row_t *row = &self->row;
    const char *separator;

    if (row->is_comment) {
        for (const spot_table_file_remark_t *remark = self->format->remarks;
             remark != NULL && remark->key != NULL; remark++) {
            read_remark(self, row, remark);
        }
    } else if (row->num_fields == 0) {
        spot_table_file_report(self, row->line,
            self->format->is_data ? "expected a row of column names" : "empty line");
    } else if ((separator = spot_csv_wrong_separator(row->text)) != NULL) {
        spot_table_file_report(
            self, row->line, "expected columns with commas between, got %s", separator);
        self->is_over = true;
    } else {
        return read_columns(self);
    }
    return 0;
}

/* Returns 1: self->row is a line without forbidden bytes; 0: reading ends; an error. */
static int next_line(spot_table_file_t *self)
{
    int status;

    while (true) {
        self->is_over = self->is_over ||
                        (self->format->needs_columns && self->is_faulty && self->num_fields == 0);
        if (self->is_over) {
            return 0;
        }
        status = spot_csv_next(self->csv, &self->row);
        if (status != SPOT_ERR_BAD_INPUT) {
            return status;
        }
        self->is_faulty = true;
    }
}

/* Reads down to the row of columns, if there is one. */
static int find_head(spot_table_file_t *self)
{
    int ret = 1;

    while (ret == 1 && self->num_fields == 0) {
        ret = next_line(self);
        if (ret == 1 && read_head(self) != 0) {
            ret = SPOT_ERR_NO_MEMORY;
        }
    }
    self->is_over = self->is_over || ret != 1;
    return ret < 0 ? ret : 0;
}

int spot_table_file_next(spot_table_file_t *self)
{
    int ret;

    do {
        ret = next_line(self);
    } while (ret == 1 && !is_row(self));
    if (ret == 0 && self->format->noun != NULL && !self->has_rows && !self->is_faulty) {
        spot_table_file_report(
            self, self->row.line, "expected at least one %s", self->format->noun);
    }
    self->has_rows = self->has_rows || ret == 1;
    return ret;
}

/* ---- The whole ---- */

int spot_table_file_open(spot_table_file_t *self)
{
    int ret = self->bytes != NULL ? spot_csv_open_bytes(&self->csv, self->path, self->bytes,
                                        self->num_bytes, self->diag)
              : self->format->is_data && strcmp(self->path, "-") == 0
                  ? spot_csv_open_stdin(&self->csv, self->diag)
                  : spot_csv_open(&self->csv, self->path, self->diag);

    if (ret != 0) {
        return ret;
    }
    self->path = spot_csv_file(self->csv);
    ret = find_head(self);
    if (ret == 0 && self->num_fields == 0 && self->format->is_data && !self->is_faulty) {
        spot_table_file_report(self, self->row.line, "expected a row of column names");
    }
    return ret == 0 && self->is_faulty && self->format->is_data ? SPOT_ERR_BAD_INPUT : ret;
}

int spot_table_file_close(spot_table_file_t *self, int error)
{
    const size_t num_crlf =
        self->csv == NULL || !self->format->is_data ? 0 : spot_csv_num_crlf(self->csv);
    const size_t num_coloured = self->csv == NULL ? 0 : spot_csv_num_coloured(self->csv);

    if (num_crlf > 0) {
        spot_diag_warn(self->diag, self->path, 0, 0, "%zu line%s in CR LF", num_crlf,
            num_crlf == 1 ? " ends" : "s end");
    }
    if (num_coloured > 0) {
        spot_diag_warn(self->diag, self->path, 0, 0, "colours of a terminal taken off %zu line%s",
            num_coloured, num_coloured == 1 ? "" : "s");
    }
    spot_csv_close(self->csv);
    spot_diag_close_file(self->diag);
    free(self->kinds);
    self->csv = NULL;
    self->kinds = NULL;
    return error == 0 && self->is_faulty ? SPOT_ERR_BAD_INPUT : error;
}

const char *spot_table_file_field(const spot_table_file_t *self, size_t column)
{
    return self->has[column] ? self->row.fields[self->fields[column]] : "";
}

int spot_table_file_read(
    const spot_table_file_format_t *format, const char *path, spot_diag_t *diag, void *table)
{
    spot_table_file_t self = {.format = format, .path = path, .diag = diag, .table = table};
    void *values = spot_calloc(1, format->row_bytes);
    int ret = values == NULL ? SPOT_ERR_NO_MEMORY : spot_table_file_open(&self);

    while (ret == 0 && (ret = spot_table_file_next(&self)) == 1) {
        ret = !spot_table_file_take(&self, values) ? 0 : format->take(&self, &self.row, values);
    }
    if (ret == 0 && format->empty != NULL && !self.has_rows && !self.is_faulty) {
        spot_table_file_report(&self, self.row.line, "%s", format->empty);
    }
    if (ret == 0 && format->seal != NULL) {
        format->seal(&self, self.row.line);
    }
    free(values);
    return spot_table_file_close(&self, ret);
}
