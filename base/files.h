/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that work reads and writes, checked before it starts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/error.h"

/* Paths of files, NULLs are passed over; "-" is no file. */
typedef struct {
    size_t num_paths;
    const char *const *paths; /* [num_paths] */
} spot_files_t;

/* Before long work: whether every output can be written, and none is one of the inputs,
 * which would be lost, a database, or another output; only one may be
 * "-", standard output. BAD_INPUT, IO with the reason in
 * diag. */
SPOT_MUST_CHECK int spot_files_check(spot_files_t inputs, spot_files_t outputs, spot_diag_t *diag);

/* Whether an output goes to standard output because it says so: "-". */
bool spot_files_is_dash(const char *path);

/* Whether a file is a database of SQLite, by its first bytes. */
bool spot_files_is_database(const char *path);
