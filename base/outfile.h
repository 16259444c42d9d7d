/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files that appear whole or not at all: written under a temporary name in the
 * same folder, flushed to the disk, then renamed. After an interrupt or on a full disk
 * the old file stays under the final name.
 *
 * While spot_stop is set, files are neither opened nor committed, but INTERRUPTED. */
#pragma once

#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

typedef struct {
    FILE *stream;    /* write here */
    char *path;      /* final name; NULL for standard output */
    char *temporary; /* NULL if the file is written directly */
} spot_outfile_t;

/* Opens path for writing; "-" or NULL is standard output. Pipes and devices such as
 * /dev/null are written directly. A symbolic link stays and its target is replaced. IO
 * with the reason in diag, also for a write-protected file; NO_MEMORY; free self even
 * then. */
SPOT_MUST_CHECK int spot_outfile_init(spot_outfile_t *self, const char *path, spot_diag_t *diag);

/* Checks before long work that path can be written; leaves no file. IO with the reason
 * in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_outfile_check(const char *path, spot_diag_t *diag);

/* Flushes the file and renames it to its final name. IO with the reason in diag (e.g. no
 * space left on the device). */
SPOT_MUST_CHECK int spot_outfile_commit(spot_outfile_t *self, spot_diag_t *diag);

/* Removes a file that is not committed. */
void spot_outfile_free(spot_outfile_t *self);

/* Removes all files of the process that are not committed. For signal handlers that end
 * the process: async-signal-safe. */
void spot_outfile_remove_all(void);

/* Commits if error is 0, or IO with an open stream, whose cause the commit reports to
 * diag; then frees self. Returns error or the error of the commit. */
SPOT_MUST_CHECK int spot_outfile_close(spot_outfile_t *self, int error, spot_diag_t *diag);
