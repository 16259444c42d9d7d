/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store on disk: one SQLite file that holds a study, all its rows and where they
 * come from. Its tables are described in schema.h. What was committed survives whatever
 * ends the process. One process at a time writes to a store, others may read it
 * meanwhile.
 *
 * Errors of all calls, each with what to do in diag: BAD_INPUT: the file is no store, is
 * damaged, of another program, of a newer version, of another study, or cannot be
 * reached (no such file or folder, no right to it); IO: reading or writing fails (no
 * space, locked for too long, the disk); NO_MEMORY.
 */
#pragma once

#include "sim/bench/store/origin.h"
#include "sim/bench/store/store.h"

/* Opens the store of a study for writing, or makes it. head must outlive the store,
 * provenance need not. A store that is there must be of the same study; points and
 * replications may have been added, and what says how results are shown (question, plot,
 * baseline) may have changed: the store follows. Any other difference is BAD_INPUT with
 * lines such as "results.db: job.reload was 47 s, is 60 s". *self is
 * NULL after an error. Close it with (*self)->close(*self), after flush() to see errors.
 */
SPOT_MUST_CHECK int spot_store_open_sqlite(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance, spot_diag_t *diag);

/* Opens a store for reading only, from the file alone: (*self)->head is the store's own
 * and lives as long. It sees the rows that were committed when it was opened; put()
 * is STATE. Others may write meanwhile. For one thread at a time. */
SPOT_MUST_CHECK int spot_store_open_sqlite_reader(
    spot_store_t **self, const char *path, spot_diag_t *diag);

/* Looks at a store that spot_store_open_sqlite() would go on with, and refuses what it
 * would refuse: it has the rows of the study, whose head must outlive it, that are
 * there, and is otherwise as of spot_store_open_sqlite_reader(). No file is made or
 * changed, nor are others kept from writing. *self is NULL with 0 where the database is
 * empty: a study would start in it. */
SPOT_MUST_CHECK int spot_store_look_sqlite(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance, spot_diag_t *diag);

/* For tests; all 0: as users have it. */
typedef struct {
    int timeout_ms;    /* how long to wait for others' locks */
    int64_t max_pages; /* of the file: beyond, the disk is full */
} spot_sqlite_options_t;

SPOT_MUST_CHECK int spot_store_open_sqlite_with(spot_store_t **self, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance,
    const spot_sqlite_options_t *options, spot_diag_t *diag);

/* Reads all that a store has that was opened by the call above, and sees whether it is what
 * was written, and nothing else in the file: all rows and series, their tables, what SQLite
 * keeps of its own. BAD_INPUT also, with an error in diag for each, for tables and views of
 * others, which all other calls read past. Of other errors flush() says why. INTERRUPTED by
 * stop. O(rows). */
SPOT_MUST_CHECK int spot_store_check_sqlite(spot_store_t *store, spot_diag_t *diag);
