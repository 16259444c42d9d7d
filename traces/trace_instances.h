/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instance names in the rows of a canonical trace file. It knows which of them run,
 * and refuses names that cannot come or go. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/error.h"
#include "traces/names.h"
#include "traces/trace.h"

/* The fields of a row of a canonical trace file. */
enum {
    SPOT_TRACE_COLUMN_TIME,
    SPOT_TRACE_COLUMN_EVENT,
    SPOT_TRACE_COLUMN_COUNT,
    SPOT_TRACE_COLUMN_INSTANCES,
    SPOT_NUM_TRACE_COLUMNS
};

typedef struct {
    bool is_running;
    size_t line; /* of the last row that had the name */
} spot_instance_state_t;

typedef struct {
    spot_trace_t *trace; /* receives the ids; must outlive self */
    const char *file;
    spot_diag_t *diag;
    spot_names_t names;
    size_t max_states;
    spot_instance_state_t *states; /* [names.num_names] */
} spot_trace_instances_t;

void spot_trace_instances_init(
    spot_trace_instances_t *self, spot_trace_t *trace, const char *file, spot_diag_t *diag);
void spot_trace_instances_free(spot_trace_instances_t *self);

/* Checks the names of a row; with is_doubtful, not whether they run. Puts their ids
 * after those of trace, but does not count them yet. BAD_INPUT with the first error in
 * diag, NO_MEMORY. O(bytes) expected. */
SPOT_MUST_CHECK int spot_trace_instances_check(spot_trace_instances_t *self,
    const spot_csv_row_t *row, int64_t num_expected, bool is_arrival, bool is_doubtful);

/* Applies the row just checked: counts its ids, and count instances come or go. */
void spot_trace_instances_apply(spot_trace_instances_t *self, int64_t count, bool is_arrival);

/* Makes one instance come or go without a row, and appends its id to those of trace. The
 * name must be valid. Returns 1 and does nothing if the instance already runs, or does
 * not run; NO_MEMORY. O(bytes) expected. */
SPOT_MUST_CHECK int spot_trace_instances_take(
    spot_trace_instances_t *self, const char *name, size_t num_bytes, bool is_arrival);

/* Moves the names to trace and points its events at their ids. Call it after the last
 * row. */
void spot_trace_instances_finish(spot_trace_instances_t *self);
