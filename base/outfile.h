/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files that appear whole or not at all: written under a temporary name in the
 * same folder, flushed to the disk, then renamed. An interrupt or a full disk leaves no
 * result under the final name and keeps what was there before. */
#ifndef SPOT_BASE_OUTFILE_H
#define SPOT_BASE_OUTFILE_H

#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

typedef struct {
    FILE *stream;    /* write here */
    char *path;      /* final name; NULL for standard output */
    char *temporary; /* NULL for what is written directly */
} spot_outfile_t;

/* Opens path for writing; "-" or NULL is standard output; pipes and devices
 * such as /dev/null are written directly; a symbolic link stays and its target is
 * replaced. IO with the reason in diag, also for a file that is there and
 * write-protected; free self even then. */
SPOT_MUST_CHECK int spot_outfile_init(
    spot_outfile_t *self, const char *path, spot_diag_t *diag);

/* Tries whether path could be written, without leaving anything behind: before long
 * work. */
SPOT_MUST_CHECK int spot_outfile_check(const char *path, spot_diag_t *diag);

/* Makes the file appear. IO with the reason in diag (e.g. no space left on the device).
 */
SPOT_MUST_CHECK int spot_outfile_commit(spot_outfile_t *self, spot_diag_t *diag);

/* Removes what was not committed. */
void spot_outfile_free(spot_outfile_t *self);

/* Ends the writing: commits if error is 0, or is IO, which the commit then explains in
 * diag; frees in any case. Returns error, or what the commit says. */
SPOT_MUST_CHECK int spot_outfile_close(
    spot_outfile_t *self, int error, spot_diag_t *diag);

#endif
