/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing the canonical trace CSV row by row, so that a generator needs no memory for
 * it. */
#ifndef SPOT_TRACES_TRACE_WRITE_H
#define SPOT_TRACES_TRACE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/outfile.h"
#include "traces/trace.h"

/* Usage: init; key() for every header line, first "name", "start", "resolution_s",
 * "kind", "capacity"; row() with init, the events and end; commit; free. */
typedef struct {
    spot_outfile_t file;
    gzFile gzip; /* NULL unless the path ends in .gz */
    bool has_columns;
    int error_number; /* errno of the first write that failed, 0 = none */
    size_t num_names_in_row;
    size_t num_bytes_in_row;
    bool has_long_row; /* a row that no reader takes */
} spot_trace_writer_t;

/* path as in spot_outfile_init(); a path that ends in ".gz" is compressed, without the
 * time of writing in it, so that equal traces are equal files. */
SPOT_MUST_CHECK int spot_trace_writer_init(
    spot_trace_writer_t *self, const char *path, spot_diag_t *diag);

/* What a header line cannot hold is replaced: a comma by ;, a double quote by ', control
 * bytes and invalid UTF-8 by ?. value must not be empty. */
void spot_trace_writer_key(
    spot_trace_writer_t *self, const char *key, const char *value);

/* Starts a row, then its names one by one (kind named), then ends it.
 * event is "init", "preempt", "add", "stop" or "end". */
void spot_trace_writer_row(
    spot_trace_writer_t *self, int64_t time_ms, const char *event, int64_t count);
void spot_trace_writer_name(spot_trace_writer_t *self, const char *name);
void spot_trace_writer_end_row(spot_trace_writer_t *self);

/* Makes the file appear. IO, or BAD_PARAM for a row of more bytes than a line may have
 * (some 150,000 names), with the reason in diag. */
SPOT_MUST_CHECK int spot_trace_writer_commit(
    spot_trace_writer_t *self, spot_diag_t *diag);
void spot_trace_writer_free(spot_trace_writer_t *self);

/* Writes a whole trace: what was read comes back byte for byte, if it was canonical. */
SPOT_MUST_CHECK int spot_trace_write(
    const spot_trace_t *trace, const char *path, spot_diag_t *diag);

#endif
