/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV files: rows are read one at a time with the place of every field, and fields are
 * written.
 *
 * spot_csv_open(), spot_csv_next() until it returns 0, spot_csv_close(). libcsv splits
 * plain files and gzip line by line. Each line is checked: valid UTF-8, no control bytes,
 * closed quotes, at most 1 MiB. Tables whose columns are known are read by
 * base/table_file.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

#define SPOT_CSV_MAX_LINE_BYTES ((size_t) 1 << 20)

typedef struct spot_csv spot_csv_t;

/* One line. All pointers are valid until the next call of spot_csv_next(). */
typedef struct {
    size_t line;       /* 1-based, physical */
    const char *text;  /* the raw line without its end, NUL-terminated */
    size_t num_bytes;  /* of text */
    bool is_comment;   /* starts with #: no fields */
    size_t num_fields; /* 0 for a comment and for a line of blanks only */
    /* [num_fields] NUL-terminated, unquoted, blanks trimmed */
    const char *const *fields;
    const size_t *columns; /* [num_fields] 1-based position of the first byte */
} spot_csv_row_t;

/* Opens path; gzip is recognised by its content. IO with the reason in diag, BAD_INPUT
 * for a picture, a database and the like, NO_MEMORY; *self is NULL then. */
SPOT_MUST_CHECK int spot_csv_open(spot_csv_t **self, const char *path, spot_diag_t *diag);

/* Reads standard input, plain or packed, which is its name in messages. */
SPOT_MUST_CHECK int spot_csv_open_stdin(spot_csv_t **self, spot_diag_t *diag);

/* Reads from memory instead; file is the name in messages. bytes must outlive self. */
SPOT_MUST_CHECK int spot_csv_open_bytes(
    spot_csv_t **self, const char *file, const char *bytes, size_t num_bytes, spot_diag_t *diag);

/* Returns 1: *row is the next line; 0: end of the file, row->line is one past the last
 * line. A line with forbidden bytes is reported to diag and gives BAD_INPUT, without
 * fields; the next call goes on, but for a line that is too long, which has no text and ends the
 * reading. IO (e.g. damaged
 * gzip data, reported) and NO_MEMORY end the reading. */
SPOT_MUST_CHECK int spot_csv_next(spot_csv_t *self, spot_csv_row_t *row);

/* The same without splitting the line, which may have tabs; num_fields is 0. */
SPOT_MUST_CHECK int spot_csv_next_line(spot_csv_t *self, spot_csv_row_t *row);

/* The 1-based position in the line of the byte at offset in the text of a field. */
size_t spot_csv_column_at(const spot_csv_row_t *row, size_t field_id, size_t offset);

/* What stands between the fields of a row in place of commas, "semicolons" or "tabs", or
 * NULL: commas, or nothing. */
const char *spot_csv_wrong_separator(const char *line);

/* The name of the file in messages. */
const char *spot_csv_file(const spot_csv_t *self);

/* Lines so far that end in CR LF, and those that had colours of a terminal, which are taken off. */
size_t spot_csv_num_crlf(const spot_csv_t *self);
size_t spot_csv_num_coloured(const spot_csv_t *self);

void spot_csv_close(spot_csv_t *self);

/* Writes the text of a field as messages show it: printable ASCII unchanged, other bytes
 * as \xHH, cut after 40 bytes. Returns text. */
#define SPOT_CSV_SHOWN_BYTES 168
const char *spot_csv_shown(const char *field, char text[SPOT_CSV_SHOWN_BYTES]);

/* Reports a field at its place: "NAME: PROBLEM, got 'FIELD'". name: that of its
 * column. */
void spot_csv_field_error(const spot_csv_row_t *row, size_t field_id, const char *file,
    const char *name, const char *problem, spot_diag_t *diag);

/* The same as "NAME: expected EXPECTED, got 'FIELD'". Returns BAD_INPUT. */
int spot_csv_expected(const spot_csv_row_t *row, size_t field_id, const char *file,
    const char *name, const char *expected, spot_diag_t *diag);

/* Checks a row below the row of columns: it is no comment and not empty, and it has
 * num_expected fields. BAD_INPUT, reported, if not. */
SPOT_MUST_CHECK int spot_csv_check_row(
    const spot_csv_row_t *row, size_t num_expected, const char *file, spot_diag_t *diag);
/* The number of fields alone. */
SPOT_MUST_CHECK int spot_csv_check_width(
    const spot_csv_row_t *row, size_t num_expected, const char *file, spot_diag_t *diag);

/* 1 if the first line of a file begins with start; 0 if not, or if it cannot be read. NO_MEMORY. */
SPOT_MUST_CHECK int spot_csv_begins(const char *path, const char *start);

/* ---- Writing ---- */

/* Writes a text, in quotes if RFC 4180 needs them or a reader would trim blanks. */
void spot_csv_field_text(FILE *out, const char *text);

/* Writes a comma and the number with 8 significant digits; only the comma if it is not
 * finite. */
void spot_csv_field_number(FILE *out, double value);
