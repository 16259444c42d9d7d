/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kinds of the series that a store on disk keeps: each has a table of rows with a
 * column for each of its own, and is described in series_kind. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_SERIES_KINDS_H
#define SPOT_SIM_STORE_SERIES_KINDS_H

#include "sim/engine/series.h"
#include "sim/store/digest.h"
#include "sim/store/sqlite_db.h"

/* Columns of a table of rows before those of its series: point, replication, row. */
#define SPOT_SERIES_NUM_RESERVED 3

/* Finds the table of the rows of a kind, for sqlite3_free(), and the digest of all that
 * is stored of the kind. A kind that is not there gets a table: "series_NAME", or
 * "series_NAME_2" ... if another table has that name. */
SPOT_MUST_CHECK int spot_series_kind_table(
    spot_db_t *db, const spot_series_kind_t *kind, char **table, uint64_t *digest);

/* Fills a zeroed kind, which lives as long as the recording, and the digest. BAD_INPUT:
 * it is damaged, or missing. */
SPOT_MUST_CHECK int spot_series_kind_read(spot_db_t *db, const char *table,
    spot_recording_t *recording, spot_series_kind_t *kind, uint64_t *digest);

#endif
