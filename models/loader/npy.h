/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of numbers in NumPy's .npy files, versions 1 to 3: one axis, f8, f4, i8 or i4
 * of either byte order. */
#pragma once

#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

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

typedef struct {
    char descr[16];     /* the type of an entry, such as "<f8" */
    size_t num_entries; /* 1 to SPOT_NPY_MAX_ENTRIES */
    size_t num_bytes;   /* before the first entry */
} spot_npy_header_t;

/* The header in the bytes of a file, with any descr. BAD_INPUT. */
SPOT_MUST_CHECK int spot_npy_header_parse(spot_npy_header_t *self, const char *bytes,
    size_t num_bytes, const char *path, spot_diag_t *diag);

/* All bytes of a file, which has at most limit. BAD_INPUT, IO, NO_MEMORY; free *bytes
 * even then. */
SPOT_MUST_CHECK int spot_npy_bytes_read(
    char **bytes, size_t *num_bytes, size_t limit, const char *path, spot_diag_t *diag);
