/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head of our CSV files: a line that names the format and its version, lines
 * "# key: value", and the row of columns. */
#ifndef SPOT_TRACES_FILE_HEADER_H
#define SPOT_TRACES_FILE_HEADER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "traces/trace.h"

/* A key whose value is looked at. */
typedef struct {
    const char *key; /* NULL ends a table */
    bool is_required;
    bool (*take)(void *target, const char *value); /* false: not as expected; NULL:
                                                        any value is */
    const char *expected;
} spot_file_key_t;

typedef struct {
    const char *format;           /* key of the first line, e.g. "spotsim-trace" */
    const spot_file_key_t *known; /* ends with key NULL; other keys are kept too */
    void *target;                 /* of their take() */
    size_t num_keys;
    size_t max_keys;
    spot_trace_key_t *keys; /* [num_keys] in file order, without the first line; the
                               caller's to keep or to free */
} spot_file_header_t;

/* Reads up to the row of columns and reports what is wrong to diag. 1: *row is the line
 * behind the header, without fields if its bytes have been reported; 0: there is none,
 * row->line is one past the last; BAD_INPUT: the first line is another one, nothing
 * behind can be judged; IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_file_header_read(
    spot_file_header_t *self, spot_csv_t *csv, spot_csv_row_t *row, spot_diag_t *diag);

/* Frees keys, as above or as a trace has them. */
void spot_file_keys_free(spot_trace_key_t *keys, size_t num_keys);

#endif
