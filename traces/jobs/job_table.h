/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a CSV file whose first row names its columns, in any order. Internal to job
 * logs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csv.h"

typedef struct {
    const char *name;
    const char *other_name; /* as good, or NULL */
    bool is_required;
} spot_job_column_t;

/* A file that is being read. Close it even after an error. */
typedef struct {
    const char *file; /* its name in messages */
    spot_diag_t *diag;
    const spot_job_column_t *columns; /* must outlive self */
    spot_csv_t *csv;
    spot_csv_row_t row;
    size_t num_fields;  /* of each row */
    int32_t *column_of; /* [num_fields] the column of a field, -1: unknown */
    int32_t *field_of;  /* [columns] the field of a column, -1: absent */
    bool is_faulty;     /* an error has been reported */
} spot_job_table_t;

/* Opens a file, "-": standard input, or bytes, called path, if they are not NULL; reads
 * its row of columns. ignores_others: columns that are not in the list need no warning.
 * BAD_INPUT, IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_table_open(spot_job_table_t *self, const char *path,
    const char *bytes, size_t num_bytes, const spot_job_column_t *columns,
    size_t num_columns, bool ignores_others, spot_diag_t *diag);

/* Returns 1: self->row is the next row with the right number of fields; 0: the end of
 * the file. Other rows are reported and passed over. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_job_table_next(spot_job_table_t *self);

/* The field of a column of the row, or NULL if the column is absent. */
const char *spot_job_table_field(const spot_job_table_t *self, size_t column_id);

/* Reads the field of a column that is there. False if it is not a number from min to
 * max, which is reported. */
bool spot_job_table_integer(
    spot_job_table_t *self, size_t column_id, int64_t min, int64_t max, int64_t *value);
bool spot_job_table_number(
    spot_job_table_t *self, size_t column_id, double min, double max, double *value);

/* Reports a field as "NAME: expected EXPECTED, got 'FIELD'". */
void spot_job_table_expected(
    spot_job_table_t *self, size_t column_id, const char *expected);

/* Reports a problem of the row, at the field of a column or, where the column is absent,
 * at its start. */
void spot_job_table_report(
    spot_job_table_t *self, size_t column_id, const char *format, ...) SPOT_PRINTF(3, 4);

/* Warns about lines that end in CR LF, and closes. Returns error, else BAD_INPUT if an
 * error has been reported. */
SPOT_MUST_CHECK int spot_job_table_close(spot_job_table_t *self, int error);

/* Parses integer seconds from 0, or YYYY-MM-DD hh:mm:ss, with a blank or a T between, as
 * seconds since 1970 UTC. BAD_INPUT. */
SPOT_MUST_CHECK int spot_job_time_parse(
    const char *text, int64_t *time_s, bool *is_date);
