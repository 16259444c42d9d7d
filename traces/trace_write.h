/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the canonical trace CSV row by row, so that a generator needs no memory for the
 * trace. */
#pragma once

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
    bool has_long_row; /* a row is longer than readers accept */
} spot_trace_writer_t;

/* path as in spot_outfile_init(). A file with the ending ".gz" is compressed, without a
 * time stamp, so that equal traces give equal files. IO, NO_MEMORY; free self even
 * then. */
SPOT_MUST_CHECK int spot_trace_writer_init(
    spot_trace_writer_t *self, const char *path, spot_diag_t *diag);

/* Writes a header line. Replaces a comma by ;, a double quote by ', control bytes and
 * invalid UTF-8 by ?. value must not be empty. */
void spot_trace_writer_key(spot_trace_writer_t *self, const char *key, const char *value);

/* Start a row, write its names one by one (kind named), and end it. event is "init",
 * "preempt", "add", "stop" or "end". */
void spot_trace_writer_row(
    spot_trace_writer_t *self, int64_t time_ms, const char *event, int64_t count);
void spot_trace_writer_name(spot_trace_writer_t *self, const char *name);
void spot_trace_writer_end_row(spot_trace_writer_t *self);

/* Moves the finished file to its path. IO, or BAD_PARAM for a row longer than a line may
 * be (some 150,000 names), with the reason in diag. */
SPOT_MUST_CHECK int spot_trace_writer_commit(spot_trace_writer_t *self, spot_diag_t *diag);
void spot_trace_writer_free(spot_trace_writer_t *self);

/* Writes a whole trace. A canonical file that was read is written byte for byte the
 * same. Errors as spot_trace_writer_init() and spot_trace_writer_commit(). */
SPOT_MUST_CHECK int spot_trace_write(
    const spot_trace_t *trace, const char *path, spot_diag_t *diag);

/* The same to a stream, of a file that is called name in messages. */
SPOT_MUST_CHECK int spot_trace_write_stream(
    const spot_trace_t *trace, FILE *stream, const char *name, spot_diag_t *diag);
