/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a store on disk is whole: a table of one row has the numbers of its batches, rows,
 * writers and break-evens with the sum of their digests, kept in the transaction of the
 * rows. It is compared at each opening, where all batches are read; if it does not agree
 * the rows are read too, to name point and batch. Internal to sim/bench/store, but for
 * spot_store_check_sqlite(). */
#pragma once

#include "sim/bench/store/sqlite_rows.h"

/* Notes that a batch has changed, or, if it had no rows before, come. With the lock held. */
void spot_sqlite_total_change(spot_sqlite_store_t *self, size_t point_id, int64_t first,
    const spot_sqlite_batch_t *before, const spot_sqlite_batch_t *after);

/* Writes what has changed into the total. Within the transaction of the batches. */
SPOT_MUST_CHECK int spot_sqlite_total_write(spot_sqlite_store_t *self);

/* Makes the total anew from what is there. Within a transaction. O(batches). */
SPOT_MUST_CHECK int spot_sqlite_total_make(spot_db_t *db, const spot_columns_t *columns);

/* Sees whether the tables of a file, and its points, are those of the study in it.
 * BAD_INPUT. O(points). */
SPOT_MUST_CHECK int spot_sqlite_check_study(const spot_stored_study_t *stored, spot_db_t *db);

/* Counts the replications of each point, once points have numbers, and sees whether batches,
 * writers and break-evens are all there. BAD_INPUT, with point and batch. O(batches), or
 * O(rows) where some are lost. */
SPOT_MUST_CHECK int spot_sqlite_check_batches(spot_sqlite_store_t *self, spot_db_t *db);

/* Reads all that a store has that was opened by the call above, and sees whether it is what
 * was written, and nothing else in the file: all rows and series, their tables, what SQLite
 * keeps of its own. BAD_INPUT also, with an error in diag for each, for tables and views of
 * others, which all other calls read past. Of other errors flush() says why. INTERRUPTED by
 * stop. O(rows). */
SPOT_MUST_CHECK int spot_store_check_sqlite(spot_store_t *store, spot_diag_t *diag);
