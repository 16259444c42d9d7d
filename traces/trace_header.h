/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a canonical trace file: its lines "# key: value" and the row of columns.
 */
#ifndef SPOT_TRACES_TRACE_HEADER_H
#define SPOT_TRACES_TRACE_HEADER_H

#include <stdbool.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "traces/trace.h"

/* The fields of a row. */
enum {
    SPOT_COLUMN_TIME,
    SPOT_COLUMN_EVENT,
    SPOT_COLUMN_COUNT,
    SPOT_COLUMN_INSTANCES,
    SPOT_NUM_COLUMNS
};

/* What the rows may be held against. */
typedef struct {
    bool has_kind;    /* trace->kind is what the file says */
    bool has_columns; /* the row of columns is as it should be */
} spot_trace_header_t;

/* Whether the value is one of key "start": unknown, a date or a date-time. */
#define SPOT_TRACE_START_EXPECTED "unknown, a date or a date-time"
bool spot_trace_start_is(const char *value);

/* Reads up to the row of columns and reports what is wrong to diag. Where the file does
 * not say a capacity or a resolution, trace has SPOT_UNBOUNDED and 0. 1: go on with the
 * rows; BAD_INPUT: nothing behind can be judged; IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_trace_header_read(
    spot_trace_header_t *self, spot_trace_t *trace, spot_csv_t *csv, spot_diag_t *diag);

#endif
