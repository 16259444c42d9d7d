/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header of a canonical trace file: its lines "# key: value" and the row of columns.
 */
#pragma once

#include <stdbool.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "traces/trace.h"

/* The fields of a row. */
enum {
    SPOT_TRACE_COLUMN_TIME,
    SPOT_TRACE_COLUMN_EVENT,
    SPOT_TRACE_COLUMN_COUNT,
    SPOT_TRACE_COLUMN_INSTANCES,
    SPOT_NUM_TRACE_COLUMNS
};

/* Properties of the header on which the checks of the rows depend. */
typedef struct {
    bool has_kind;    /* trace->kind is that of the file */
    bool has_columns; /* the row of columns is correct */
} spot_trace_header_t;

/* Whether the value is allowed for the key "start": unknown, a date or a date-time. */
#define SPOT_TRACE_START_EXPECTED "unknown, a date or a date-time"
bool spot_trace_start_is(const char *value);

/* Reads up to the row of columns and reports errors to diag. A missing capacity is
 * SPOT_UNBOUNDED, a missing resolution 0. Returns 1: rows may follow; BAD_INPUT: the
 * rest cannot be checked; IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_trace_header_read(
    spot_trace_header_t *self, spot_trace_t *trace, spot_csv_t *csv, spot_diag_t *diag);
