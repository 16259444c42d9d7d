/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a table from a CSV file by a description of its columns: remarks, a row of
 * column names, then rows; reports all errors in one pass. */
#pragma once

#include <stdint.h>

#include "base/csv.h"
#include "base/row.h"

#define SPOT_TABLE_FILE_MAX_COLUMNS 64 /* of a format */

/* A remark before the columns such as "# layers: 24", an integer from 1 to 10^12, or a
 * text, the rest of the line. */
typedef struct {
    const char *key;
    size_t offset;    /* of an int64_t in the table */
    size_t num_bytes; /* of the char array there, for a text; 0: an integer */
} spot_table_file_remark_t;

/* The usual format of a file with an array of columns, and the same of a file of data;
 * more may follow. */
#define SPOT_TABLE_NAMED(array)                                                                    \
    .num_columns = sizeof(array) / sizeof((array)[0]), .columns = (array), .is_any_order = true,   \
    .ignores_others = true, .needs_columns = true
#define SPOT_TABLE_DATA(array) SPOT_TABLE_NAMED(array), .is_data = true

typedef struct spot_table_file spot_table_file_t;

typedef struct {
    size_t num_columns;
    const spot_row_member_t *columns; /* [num_columns] */
    const char *layout;               /* for messages: "D,P,step_ms[,origin]" */
    bool says_header; /* "expected header 'LAYOUT'" in place of "expected the columns" */
    bool is_any_order;
    /* In any order: unknown columns are left out with a warning, and the error of
     * missing ones names them; layout is not needed. */
    bool ignores_others;
    bool needs_columns; /* an error before the row of columns ends the reading */
    /* A file of data that other programs write, in any order of columns: there are no
     * comments below the row of columns, which must be there; lines that end in CR LF
     * are counted in a warning; "-" is standard input. */
    bool is_data;
    bool is_part;      /* ignores_others, without a warning */
    const char *noun;  /* a file of data without rows is an error that names it, such as
                          "row"; or NULL */
    const char *empty; /* the error of another file without rows, such as "no rows"; or
                          NULL */
    const spot_table_file_remark_t *remarks; /* up to one without a key; NULL: none */
    size_t row_bytes;                        /* of its struct */
    const void *initial;                     /* the struct of an empty row; NULL: 0 */
    /* Of spot_table_file_read(): takes a row whose fields are good. */
    int (*take)(spot_table_file_t *file, const spot_csv_row_t *row, const void *values);
    /* After the last line; or NULL. */
    void (*seal)(spot_table_file_t *file, size_t end_line);
} spot_table_file_format_t;

/* A table that is being read. Set the first members, and zero the rest. */
struct spot_table_file {
    const spot_table_file_format_t *format;
    const char *path; /* its name in messages */
    spot_diag_t *diag;
    void *table;
    const char *bytes; /* [num_bytes] in place of the file; NULL: read it */
    size_t num_bytes;
    spot_csv_t *csv;
    spot_csv_row_t row;
    size_t num_fields; /* of each row; 0: columns are not known yet */
    size_t *kinds;     /* [num_fields] columns of the format; its number: unknown */
    bool has[SPOT_TABLE_FILE_MAX_COLUMNS];      /* by column */
    size_t fields[SPOT_TABLE_FILE_MAX_COLUMNS]; /* by column that it has */
    bool is_faulty;                             /* an error has been reported */
    bool is_over;                               /* the rest cannot be checked: reading ends */
    bool has_rows;
};

/* Reads all lines of a file into the table, and seals. BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_table_file_read(
    const spot_table_file_format_t *format, const char *path, spot_diag_t *diag, void *table);

/* The same row by row, without take and seal: opens a file of data and reads its row of
 * columns. BAD_INPUT, IO, NO_MEMORY; close self even then. */
SPOT_MUST_CHECK int spot_table_file_open(spot_table_file_t *self);

/* Returns 1: self->row is the next row with the right number of fields; 0: the end of
 * the file. Other rows are reported and passed over. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_table_file_next(spot_table_file_t *self);

/* Reads the fields of the row into its struct. Returns whether all are good. */
bool spot_table_file_take(spot_table_file_t *self, void *values);

/* Returns error, else BAD_INPUT if an error has been reported. */
SPOT_MUST_CHECK int spot_table_file_close(spot_table_file_t *self, int error);

/* The field of a column of the row; "" if the column is absent. */
const char *spot_table_file_field(const spot_table_file_t *self, size_t column);

/* Reports a problem of a whole line; of the row, at a column or, where it is absent, at
 * the start; and of the field of a column: "NAME: PROBLEM, got 'FIELD'". */
void spot_table_file_report(spot_table_file_t *self, size_t line, const char *format, ...)
    SPOT_PRINTF(3, 4);
void spot_table_file_report_at(spot_table_file_t *self, size_t column, const char *format, ...)
    SPOT_PRINTF(3, 4);
void spot_table_file_report_field(
    spot_table_file_t *self, const spot_csv_row_t *row, size_t column, const char *problem);
