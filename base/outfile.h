/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files that appear whole or not at all: written under a temporary name in the
 * same folder, .NAME.spotsim-PID, flushed to the disk, then renamed. After an interrupt
 * or on a full disk the old file stays under the final name.
 *
 * The temporary file is locked as long as a process has it open. One that a killed
 * process left has no lock, and is removed by the next one that writes NAME into the
 * folder; its PID may be in use again. Nothing else is removed: no file with a lock, nor
 * one of another form. Where .NAME.spotsim-PID is taken, by another machine or file
 * under way, it is .NAME.spotsim-PID-2 and so on. A NAME that would make it too long is
 * cut and has ~ and its hash behind. On file systems without locks files are written the
 * same way, and none are removed; where locks hold on each machine alone, another one may
 * remove a file under way, which the commit reports. A child process that keeps the file
 * open keeps the lock.
 *
 * While spot_stop is set, files are neither opened nor committed, but INTERRUPTED. What goes
 * to standard output is committed with the bytes that are there. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

typedef struct {
    FILE *stream;    /* write here */
    char *path;      /* final name; NULL for standard output */
    char *temporary; /* NULL if the file is written directly */
    int lock;        /* with a temporary: a descriptor that keeps its lock */
    bool is_printed; /* it is standard output */
} spot_outfile_t;

/* Opens path for writing; "-" or NULL is standard output. Pipes and devices such as
 * /dev/null are written directly. A symbolic link stays and its target is replaced, or
 * made if it is not there. IO with the reason in diag, also for a write-protected file;
 * NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_outfile_init(spot_outfile_t *self, const char *path, spot_diag_t *diag);

/* The name that path leads to through symbolic links, which may be that of nothing yet.
 * NULL with errno: too many links, no memory. The caller frees it. */
SPOT_MUST_CHECK char *spot_outfile_target(const char *path);

/* Checks before long work that path can be written; leaves no file. IO with the reason
 * in diag, NO_MEMORY. */
SPOT_MUST_CHECK int spot_outfile_check(const char *path, spot_diag_t *diag);

/* Flushes the file and renames it to its final name. IO with the reason in diag (e.g. no
 * space left on the device). */
SPOT_MUST_CHECK int spot_outfile_commit(spot_outfile_t *self, spot_diag_t *diag);

/* Why writing to the open file failed before, as a value of errno: streams and SQLite
 * forget it. EIO where it cannot be found out. What is in the file is spoilt. */
int spot_outfile_cause(const spot_outfile_t *self);

/* Whether an open file of the process is standard output: a signal that ended the process now
 * might leave half a line there. Async-signal-safe. */
bool spot_outfile_is_printing(void);

/* Removes a file that is not committed. */
void spot_outfile_free(spot_outfile_t *self);

/* Removes all files of the process that are not committed. For signal handlers that end
 * the process: async-signal-safe. */
void spot_outfile_remove_all(void);

/* Commits if error is 0, or IO with an open stream, whose cause the commit reports to
 * diag; then frees self. Returns error or the error of the commit, or INTERRUPTED behind
 * standard output that is whole, too: nothing more is to be written. */
SPOT_MUST_CHECK int spot_outfile_close(spot_outfile_t *self, int error, spot_diag_t *diag);
