/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv.h"

#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/inputs.h"
#include "base/memory.h"
#include "base/utf8.h"

/* ---- Csv ---- */

enum {
    BUFFER_BYTES = 1 << 16, /* at first; grows for longer lines */
    SHOWN_BYTES = 40
};

struct spot_csv {
    char *file;
    spot_diag_t *diag;
    spot_instream_t stream;
    char *buffer; /* [max_bytes] the last byte is reserved for a NUL */
    size_t max_bytes;
    size_t start, end; /* the unread bytes in buffer */
    bool is_at_end;    /* the stream has no more bytes */
    bool is_unsplit;   /* lines are read as they are, and may have tabs */
    bool has_tabs;     /* of lines with tabs in place of commas one was reported */
    size_t line;
    size_t num_crlf;     /* lines that end in CR LF */
    size_t num_coloured; /* lines with colours of a terminal */
    struct csv_parser parser;
    size_t num_fields;
    size_t max_fields;
    const char **fields; /* [num_fields] into texts */
    size_t num_columns;
    size_t max_columns;
    size_t *columns; /* [num_columns] */
    size_t num_text_bytes;
    size_t max_text_bytes;
    char *texts; /* [num_text_bytes] the fields of a line, each with its NUL */
};

/* Moves the unread bytes to the front and reads more after them. */
static int fill_buffer(spot_csv_t *self)
{
    const size_t num_unread = self->end - self->start;
    size_t num_wanted, num_read = 0;
    int ret;

    memmove(self->buffer, self->buffer + self->start, num_unread);
    self->start = 0;
    self->end = num_unread;
    ret = spot_array_reserve(&self->buffer, &self->max_bytes, num_unread + 2, 1);
    if (ret == 0) {
        num_wanted = self->max_bytes - 1 - num_unread;
        ret = spot_instream_read(
            &self->stream, self->buffer + num_unread, num_wanted, &num_read, self->diag);
        self->end += num_read;
        self->is_at_end = num_read < num_wanted;
    }
    return ret;
}

static void init_parser(spot_csv_t *self)
{
    csv_init(&self->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL);
    csv_set_blk_size(&self->parser, BUFFER_BYTES);
}

static int init(spot_csv_t *self, const char *file, spot_diag_t *diag)
{
    self->diag = diag;
    init_parser(self);
    self->file = spot_text_copy(file, strlen(file));
    return self->file == NULL
               ? SPOT_ERR_NO_MEMORY
               : spot_array_reserve(&self->buffer, &self->max_bytes, BUFFER_BYTES, 1);
}

static int start_reading(spot_csv_t *self)
{
    int ret = fill_buffer(self);
    const char *kind = ret == 0 ? spot_foreign_kind(self->buffer, self->end) : NULL;

    if (kind != NULL) {
        return spot_diag_error(
            self->diag, self->file, 0, 0, "this is %s: expected a CSV file", kind);
    }
    return ret;
}

/* Opens a file or standard input, or bytes if they are not NULL. */
static int open_any(spot_csv_t **self, const char *file, bool is_stdin, const char *bytes,
    size_t num_bytes, spot_diag_t *diag)
{
    spot_csv_t *csv = spot_calloc(1, sizeof(*csv));
    int ret = csv == NULL ? SPOT_ERR_NO_MEMORY : init(csv, file, diag);

    if (ret == 0 && bytes != NULL) {
        spot_instream_open_bytes(&csv->stream, csv->file, bytes, num_bytes);
    } else if (ret == 0) {
        ret = is_stdin ? spot_instream_open_stdin(&csv->stream, csv->file, diag)
                       : spot_instream_open(&csv->stream, csv->file, diag);
    }
    ret = ret == 0 ? start_reading(csv) : ret;
    if (ret != 0) {
        spot_csv_close(csv);
        csv = NULL;
    }
    *self = csv;
    return ret;
}

int spot_csv_open(spot_csv_t **self, const char *path, spot_diag_t *diag)
{
    return open_any(self, path, false, NULL, 0, diag);
}

int spot_csv_open_stdin(spot_csv_t **self, spot_diag_t *diag)
{
    return open_any(self, "standard input", true, NULL, 0, diag);
}

int spot_csv_open_bytes(
    spot_csv_t **self, const char *file, const char *bytes, size_t num_bytes, spot_diag_t *diag)
{
    return open_any(self, file, false, num_bytes == 0 ? "" : bytes, num_bytes, diag);
}

void spot_csv_close(spot_csv_t *self)
{
    if (self == NULL) {
        return;
    }
    spot_instream_close(&self->stream);
    csv_free(&self->parser);
    free(self->file);
    free(self->buffer);
    free(self->fields);
    free(self->columns);
    free(self->texts);
    free(self);
}

const char *spot_csv_wrong_separator(const char *line)
{
    if (strchr(line, ',') != NULL) {
        return NULL;
    }
    return strchr(line, ';') != NULL ? "semicolons" : strchr(line, '\t') != NULL ? "tabs" : NULL;
}

const char *spot_csv_file(const spot_csv_t *self)
{
    return self->file;
}

size_t spot_csv_num_crlf(const spot_csv_t *self)
{
    return self->num_crlf;
}

size_t spot_csv_num_coloured(const spot_csv_t *self)
{
    return self->num_coloured;
}

/* Ends the reading: what has such lines is most likely no text, and may have no end. */
static int report_long_line(spot_csv_t *self, spot_csv_row_t *row)
{
    row->text = "";
    row->num_bytes = 0;
    self->start = self->end;
    self->is_at_end = true;
    spot_instream_give_up(&self->stream);
    return spot_diag_error(self->diag, self->file, row->line, 1,
        "line longer than %zu bytes: nothing is read from here on", SPOT_CSV_MAX_LINE_BYTES);
}

/* Returns 1: row->text is the next line without its end; 0 and errors as
 * spot_csv_next(). */
static int next_line(spot_csv_t *self, spot_csv_row_t *row)
{
    const size_t enough = SPOT_CSV_MAX_LINE_BYTES + 2; /* with CR, but no LF yet */
    size_t num_bytes = self->end - self->start;
    char *text = self->buffer + self->start;
    char *end = memchr(text, '\n', num_bytes);
    int ret;

    while (end == NULL && !self->is_at_end && num_bytes < enough) {
        ret = fill_buffer(self);
        if (ret != 0) {
            return ret;
        }
        text = self->buffer;
        num_bytes = self->end;
        end = memchr(text, '\n', num_bytes);
    }
    row->line = ++self->line;
    if (num_bytes == 0) {
        return 0;
    }
    row->is_comment = *text == '#';
    if (end != NULL) {
        num_bytes = (size_t) (end - text);
        if (num_bytes > 0 && end[-1] == '\r') {
            num_bytes--;
            self->num_crlf++;
        }
    }
    if (num_bytes > SPOT_CSV_MAX_LINE_BYTES) {
        return report_long_line(self, row);
    }
    self->start = end == NULL ? self->end : (size_t) (end - self->buffer) + 1;
    text[num_bytes] = '\0';
    row->text = text;
    row->num_bytes = num_bytes;
    return 1;
}

/* Reports the first forbidden byte, if any; of lines that have tabs in place of commas
 * only the first line. */
static int check_characters(spot_csv_t *self, const spot_csv_row_t *row)
{
    const bool has_tabs =
        !self->is_unsplit && strchr(row->text, '\t') != NULL && strchr(row->text, ',') == NULL;
    size_t length;

    if (has_tabs && self->has_tabs) {
        return SPOT_ERR_BAD_INPUT;
    }
    self->has_tabs = self->has_tabs || has_tabs;

    for (size_t place = 0; place < row->num_bytes; place += length) {
        const unsigned char byte = (unsigned char) row->text[place];

        length = spot_utf8_length(row->text + place, row->num_bytes - place);
        if ((byte < 0x20 || byte == 0x7f) && (byte != '\t' || !self->is_unsplit)) {
            return spot_diag_error(self->diag, self->file, row->line, place + 1,
                has_tabs       ? "byte 0x%02X is not allowed: tabs, expected commas; "
                                 "further lines with tabs are not listed"
                : byte == '\t' ? "byte 0x%02X is not allowed: a tab, expected a comma"
                               : "byte 0x%02X is not allowed",
                byte);
        }
        if (length == 0) {
            return spot_diag_error(self->diag, self->file, row->line, place + 1, "invalid UTF-8");
        }
    }
    return 0;
}

static void uncolour(spot_csv_t *self, spot_csv_row_t *row)
{
    char *text = self->buffer + (row->text - self->buffer);
    const size_t num_bytes = spot_utf8_uncolour(text, row->num_bytes);

    self->num_coloured += num_bytes < row->num_bytes;
    row->num_bytes = num_bytes;
    text[num_bytes] = '\0';
    row->is_comment = *text == '#';
}

/* Counts the commas and checks the bytes; only a line with other than printable ASCII
 * needs a second pass. */
static int check_bytes(spot_csv_t *self, spot_csv_row_t *row, size_t *num_commas)
{
    const unsigned char *bytes = (const unsigned char *) row->text;
    unsigned is_special = 0;
    size_t num = 0;

    for (size_t j = 0; j < row->num_bytes; j++) {
        is_special |= (bytes[j] < 0x20) | (bytes[j] >= 0x7f);
        num += bytes[j] == ',';
    }
    *num_commas = num; /* no fewer than are left without colours */
    if (is_special != 0 && memchr(row->text, '\x1b', row->num_bytes) != NULL) {
        uncolour(self, row);
    }
    return is_special == 0 ? 0 : check_characters(self, row);
}

/* Makes room for the fields of a line and their bytes. */
static int reserve_fields(spot_csv_t *self, size_t num_fields, size_t num_bytes)
{
    int ret = SPOT_ARRAY_ROOM(self, columns, num_fields);

    if (ret == 0) {
        ret = SPOT_ARRAY_ROOM(self, fields, num_fields);
    }
    if (ret == 0) {
        ret = spot_array_reserve(&self->texts, &self->max_text_bytes, num_bytes, 1);
    }
    return ret;
}

/* Finds the starts of the fields, which libcsv does not report. */
static void find_columns(spot_csv_t *self, const spot_csv_row_t *row)
{
    bool is_quoted = false;

    self->columns[0] = 1;
    self->num_columns = 1;
    for (size_t j = 0; j < row->num_bytes; j++) {
        if (row->text[j] == ',' && !is_quoted) {
            self->columns[self->num_columns++] = j + 2;
        } else if (row->text[j] == '"') {
            is_quoted = !is_quoted;
        }
    }
}

static void keep_field(void *field, size_t num_bytes, void *data)
{
    spot_csv_t *self = data;
    char *text = self->texts + self->num_text_bytes;

    spot_bug_assert(self->num_fields < self->num_columns);
    memcpy(text, field, num_bytes + 1);
    self->fields[self->num_fields++] = text;
    self->num_text_bytes += num_bytes + 1;
}

/* Reports an error of libcsv: it stopped at place, or the last field is still open at
 * the end. */
static int report_quote(spot_csv_t *self, const spot_csv_row_t *row, size_t place)
{
    const char *message = "quote inside an unquoted field";

    if (csv_error(&self->parser) != CSV_EPARSE) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (place == row->num_bytes) {
        message = "unterminated quoted field";
        place = self->columns[self->num_columns - 1] - 1;
        place += strspn(row->text + place, " ");
    }
    while (row->text[place] != '"') {
        place--; /* libcsv may stop after the wrong quote */
    }
    spot_diag_error(self->diag, self->file, row->line, place + 1, "%s", message);
    csv_free(&self->parser);
    init_parser(self);
    return SPOT_ERR_BAD_INPUT;
}

static int split_line(spot_csv_t *self, spot_csv_row_t *row, size_t num_commas)
{
    size_t place;
    int ret = reserve_fields(self, num_commas + 1, row->num_bytes + 1);

    if (ret != 0) {
        return ret;
    }
    find_columns(self, row);
    self->num_fields = 0;
    self->num_text_bytes = 0;
    place = csv_parse(&self->parser, row->text, row->num_bytes, keep_field, NULL, self);
    if (place < row->num_bytes || csv_fini(&self->parser, keep_field, NULL, self) != 0) {
        return report_quote(self, row, place);
    }
    spot_bug_assert(self->num_fields == self->num_columns || self->num_fields == 0);
    row->num_fields = self->num_fields;
    row->fields = self->fields;
    row->columns = self->columns;
    return 1;
}

/* spot_csv_next_line(), with the commas of the line. */
static int next_checked_line(spot_csv_t *self, spot_csv_row_t *row, size_t *num_commas)
{
    int ret;

    row->text = ""; /* no memset(), which would cost a fifth of the reading speed */
    row->num_bytes = 0;
    row->is_comment = false;
    row->num_fields = 0;
    ret = next_line(self, row);
    if (ret != 1) {
        return ret;
    }
    ret = check_bytes(self, row, num_commas);
    return ret == 0 ? 1 : ret;
}

int spot_csv_next_line(spot_csv_t *self, spot_csv_row_t *row)
{
    size_t num_commas;

    self->is_unsplit = true;
    return next_checked_line(self, row, &num_commas);
}

int spot_csv_next(spot_csv_t *self, spot_csv_row_t *row)
{
    size_t num_commas = 0;
    const int ret = next_checked_line(self, row, &num_commas);

    return ret != 1 || row->is_comment ? ret : split_line(self, row, num_commas);
}

size_t spot_csv_column_at(const spot_csv_row_t *row, size_t field_id, size_t offset)
{
    const char *byte = row->text + row->columns[field_id] - 1;
    bool is_quoted;

    byte += strspn(byte, " ");
    is_quoted = *byte == '"';
    byte += is_quoted;
    for (; offset > 0; offset--) {
        byte += is_quoted && *byte == '"' ? 2 : 1;
    }
    return (size_t) (byte - row->text) + 1;
}

const char *spot_csv_shown(const char *field, char text[SPOT_CSV_SHOWN_BYTES])
{
    char *end = text;

    for (size_t j = 0; j < SHOWN_BYTES && field[j] != '\0'; j++) {
        const unsigned char byte = (unsigned char) field[j];

        if (byte >= 0x20 && byte < 0x7f) {
            *end++ = field[j];
        } else {
            end += snprintf(end, sizeof("\\xHH"), "\\x%02X", byte);
        }
    }
    *end = '\0';
    return text;
}

void spot_csv_field_error(const spot_csv_row_t *row, size_t field_id, const char *file,
    const char *name, const char *problem, spot_diag_t *diag)
{
    char text[SPOT_CSV_SHOWN_BYTES];

    spot_diag_error(diag, file, row->line, row->columns[field_id], "%s: %s, got '%s'", name,
        problem, spot_csv_shown(row->fields[field_id], text));
}

int spot_csv_expected(const spot_csv_row_t *row, size_t field_id, const char *file,
    const char *name, const char *expected, spot_diag_t *diag)
{
    char text[SPOT_CSV_SHOWN_BYTES];

    return spot_diag_error(diag, file, row->line, row->columns[field_id],
        "%s: expected %s, got '%s'", name, expected, spot_csv_shown(row->fields[field_id], text));
}

int spot_csv_check_width(
    const spot_csv_row_t *row, size_t num_expected, const char *file, spot_diag_t *diag)
{
    if (row->num_fields == num_expected) {
        return 0;
    }
    return spot_diag_error(diag, file, row->line,
        row->num_fields > num_expected ? row->columns[num_expected] : row->num_bytes + 1,
        "expected %zu fields, got %zu", num_expected, row->num_fields);
}

int spot_csv_check_row(
    const spot_csv_row_t *row, size_t num_expected, const char *file, spot_diag_t *diag)
{
    if (!row->is_comment && row->num_fields > 0) {
        return spot_csv_check_width(row, num_expected, file, diag);
    }
    return spot_diag_error(
        diag, file, row->line, 1, row->is_comment ? "comment after the column row" : "empty line");
}

int spot_csv_begins(const char *path, const char *start)
{
    spot_csv_t *csv = NULL;
    spot_csv_row_t row;
    spot_diag_t diag; /* dropped: who reads the file reports the errors */
    int ret;

    spot_diag_init(&diag);
    ret = spot_csv_open(&csv, path, &diag);
    ret = ret == 0 ? spot_csv_next(csv, &row) : ret;
    if (ret == 1) {
        ret = strncmp(row.text, start, strlen(start)) == 0;
    }
    spot_csv_close(csv);
    spot_diag_free(&diag);
    return ret == SPOT_ERR_NO_MEMORY || ret == 1 ? ret : 0;
}

/* ---- Writing ---- */

void spot_csv_field_text(FILE *out, const char *text)
{
    const size_t num_bytes = strlen(text);
    const bool has_edge_blank = num_bytes > 0 && (text[0] == ' ' || text[num_bytes - 1] == ' ');

    if (strpbrk(text, ",\"\r\n") == NULL && !has_edge_blank) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (size_t j = 0; j < num_bytes; j++) {
        if (text[j] == '"') {
            fputc('"', out);
        }
        fputc(text[j], out);
    }
    fputc('"', out);
}

void spot_csv_field_number(FILE *out, double value)
{
    fputc(',', out);
    if (isfinite(value)) {
        fprintf(out, "%.8g", value);
    }
}
