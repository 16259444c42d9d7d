/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a table from a CSV file: remarks, a row of column names, then rows; reports all
 * errors in one pass. Internal to models. */
#pragma once

#include <stdint.h>

#include "base/csv.h"

/* The common part of the structs of all readers. Set path and diag, and zero the
 * rest. */
typedef struct {
    const char *path;
    spot_diag_t *diag;
    bool has_columns; /* the row of columns has been read */
    bool is_faulty;   /* an error has been reported */
    bool is_over;     /* the rest cannot be checked: reading ends */
} spot_table_file_t;

/* The functions of a reader; table is its own struct. */
typedef struct {
    bool needs_columns; /* an error before the row of columns ends the reading */
    /* Takes a remark before the columns; may be NULL. */
    void (*read_remark)(void *table, const spot_csv_row_t *row);
    void (*read_columns)(void *table, const spot_csv_row_t *row);
    int (*read_row)(void *table, const spot_csv_row_t *row);
    int (*seal)(void *table, size_t end_line); /* after the last line */
} spot_table_reader_t;

/* Reads all lines and seals. Returns errors of the reader and of spot_csv_next(), but
 * for BAD_INPUT of the latter, which sets is_faulty. */
SPOT_MUST_CHECK int spot_table_file_read(
    spot_table_file_t *self, const spot_table_reader_t *reader, void *table);

/* Sets *value to the integer of a key that is a word of its own in a remark such as
 * "samples_per_step: 256 micro_batch: 4"; without the key *value stays unchanged.
 * Reports it, and sets *value to 0, if it is not from 1 to 10^12. */
void spot_table_file_read_remark(
    spot_table_file_t *self, const spot_csv_row_t *row, const char *key, int64_t *value);

/* Reports a problem of a whole line. */
void spot_table_file_report(spot_table_file_t *self, size_t line, const char *problem);

/* Reports a problem of a field in the column called name. */
void spot_table_file_report_field(spot_table_file_t *self, const spot_csv_row_t *row,
    size_t field_id, const char *name, const char *problem);

/* Whether a row has num_columns fields; reports it if not. */
bool spot_table_file_check_width(
    spot_table_file_t *self, const spot_csv_row_t *row, size_t num_columns);
