/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a table from a CSV file: remarks, a line with the names of the columns, then
 * rows; and telling what is wrong with it, all of it in one pass. Internal to models. */
#ifndef SPOT_MODELS_TABLE_FILE_H
#define SPOT_MODELS_TABLE_FILE_H

#include "base/csv.h"

/* The part of a reader's own struct that all of them have. Zero it but for the first
 * two. */
typedef struct {
    const char *path;
    spot_diag_t *diag;
    bool has_columns; /* their line is read */
    bool is_faulty;   /* something is wrong, and reported */
    bool is_over;     /* what follows cannot be judged: the reading ends */
} spot_table_file_t;

/* What a reader does with the lines; table is its own struct. */
typedef struct {
    bool needs_columns; /* a fault in a line before them ends the reading */
    void (*read_remark)(void *table, const spot_csv_row_t *row); /* before the columns;
                                                                    may be NULL */
    void (*read_columns)(void *table, const spot_csv_row_t *row);
    int (*read_row)(void *table, const spot_csv_row_t *row);
    int (*seal)(void *table, size_t end_line); /* all is read */
} spot_table_reader_t;

/* Reads all lines and seals. Errors of the reader, and those of spot_csv_next() but
 * BAD_INPUT, which sets is_faulty. */
SPOT_MUST_CHECK int spot_table_file_read(
    spot_table_file_t *self, const spot_table_reader_t *reader, void *table);

/* Reports something of a whole line. */
void spot_table_file_report(spot_table_file_t *self, size_t line, const char *problem);

/* Reports a field of the column called name. */
void spot_table_file_report_field(spot_table_file_t *self, const spot_csv_row_t *row,
    size_t field_id, const char *name, const char *problem);

/* Whether a row has so many fields; else that is reported. */
bool spot_table_file_check_width(
    spot_table_file_t *self, const spot_csv_row_t *row, size_t num_columns);

#endif
