/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/table_file.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

void
spot_table_file_report(spot_table_file_t *self, size_t line, const char *problem)
{
    spot_diag_error(self->diag, self->path, line, 1, "%s", problem);
    self->is_faulty = true;
}

void
spot_table_file_report_field(spot_table_file_t *self, const spot_csv_row_t *row,
    size_t field_id, const char *name, const char *problem)
{
    spot_csv_field_error(row, field_id, self->path, name, problem, self->diag);
    self->is_faulty = true;
}

bool
spot_table_file_check_width(
    spot_table_file_t *self, const spot_csv_row_t *row, size_t num_columns)
{
    if (row->num_fields == num_columns) {
        return true;
    }
    spot_diag_error(self->diag, self->path, row->line, row->columns[0],
        "expected %zu columns, got %zu", num_columns, row->num_fields);
    self->is_faulty = true;
    return false;
}

static int
read_line(spot_table_file_t *self, const spot_table_reader_t *reader, void *table,
    const spot_csv_row_t *row)
{
    if (row->is_comment) {
        if (!self->has_columns && reader->read_remark != NULL) {
            reader->read_remark(table, row);
        }
    } else if (row->num_fields == 0) {
        spot_table_file_report(self, row->line, "empty line");
    } else if (self->has_columns) {
        return reader->read_row(table, row);
    } else if (spot_csv_wrong_separator(row->text) != NULL) {
        spot_diag_error(self->diag, self->path, row->line, 1,
            "expected columns with commas between, got %s",
            spot_csv_wrong_separator(row->text));
        self->is_faulty = true;
        self->is_over = true;
    } else {
        reader->read_columns(table, row);
        self->has_columns = true;
        return 0;
    }
    self->is_over = self->is_over ||
                    (reader->needs_columns && self->is_faulty && !self->has_columns);
    return 0;
}

static int
read_lines(spot_table_file_t *self, const spot_table_reader_t *reader, void *table,
    spot_csv_t *csv)
{
    spot_csv_row_t row;
    int status, ret = 0;

    while (ret == 0 && !self->is_over && (status = spot_csv_next(csv, &row)) != 0) {
        if (status == SPOT_ERR_BAD_INPUT) {
            self->is_faulty = true;
            self->is_over = reader->needs_columns && !self->has_columns;
        } else if (status < 0) {
            ret = status;
        } else {
            ret = read_line(self, reader, table, &row);
        }
    }
    return ret == 0 ? reader->seal(table, row.line) : ret;
}

int
spot_table_file_read(
    spot_table_file_t *self, const spot_table_reader_t *reader, void *table)
{
    spot_csv_t *csv = NULL;
    int ret = spot_csv_open(&csv, self->path, self->diag);

    ret = ret == 0 ? read_lines(self, reader, table, csv) : ret;
    spot_csv_close(csv);
    spot_diag_close_file(self->diag);
    return ret;
}

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

void
spot_table_file_read_remark(
    spot_table_file_t *self, const spot_csv_row_t *row, const char *key, int64_t *value)
{
    const char *found = find_value(row->text, key);
    char word[SPOT_NUMBER_TEXT_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];

    if (found == NULL) {
        return;
    }
    snprintf(word, sizeof(word), "%.*s", (int) strcspn(found, " \t,;"), found);
    if (spot_integer_parse(word, value) == 0 && *value >= 1 && *value <= 1000000000000) {
        return;
    }
    *value = 0;
    self->is_faulty = true;
    spot_diag_error(self->diag, self->path, row->line, (size_t) (found - row->text) + 1,
        "%s: expected an integer from 1 to 1000000000000, got \"%s\"", key,
        spot_utf8_shown(word, shown));
}
