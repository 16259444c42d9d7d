/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The .npy files of NumPy, versions 1 to 3, that measured runs consist of: arrays of
 * numbers (one axis, f8, f4, i8 or i4 of either byte order), and lists of dictionaries,
 * which are pickles. Nothing in a file is trusted: each fault is reported with its
 * offset. */
#pragma once

#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

/* ---- Arrays of numbers ---- */

/* The most entries that are read. */
#define SPOT_NPY_MAX_ENTRIES 100000000

typedef struct {
    size_t num;
    double *values; /* [num >= 1] */
} spot_npy_t;

/* Reads a file of times: each is finite and >= 0. BAD_INPUT, IO with the file and the
 * offset of the fault in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_npy_read(spot_npy_t *self, const char *path, spot_diag_t *diag);
void spot_npy_free(spot_npy_t *self);

/* ---- Memory rows ---- */

/* How much memory containers took over time: an array of Python dictionaries, container
 * name -> bytes in decimal digits. Its .npy file holds a pickle, which a closed
 * interpreter reads: it knows the opcodes of such a list and three inert globals, calls
 * nothing, and refuses everything else. memory.jsonl, an object a line, will do too. */

/* The largest file that is read. */
#define SPOT_MEMORY_ROWS_MAX_BYTES (64 << 20)

typedef struct {
    size_t num_containers;
    double sum_bytes;
} spot_memory_row_t;

typedef struct {
    size_t num_rows;
    size_t max_rows;
    spot_memory_row_t *rows; /* [num_rows] */
} spot_memory_rows_t;

/* Reads a .npy file, or .jsonl by the end of the path. BAD_INPUT, IO with the file and
 * the offset or line in diag, NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_memory_rows_read(
    spot_memory_rows_t *self, const char *path, spot_diag_t *diag);

/* The same of the bytes of a .npy file, at most SPOT_MEMORY_ROWS_MAX_BYTES; path: its
 * name in messages. */
SPOT_MUST_CHECK int spot_memory_rows_parse(spot_memory_rows_t *self, const char *bytes,
    size_t num_bytes, const char *path, spot_diag_t *diag);
void spot_memory_rows_free(spot_memory_rows_t *self);
