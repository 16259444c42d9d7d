/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series that a store keeps: named tables of single replications, see
 * sim/bench/engine/series.h. A store in memory keeps none. */
#pragma once

#include "sim/bench/engine/series.h"
#include "sim/bench/store/store.h"

struct spot_db; /* of sqlite_db.h */

/* A replication whose series are kept. */
typedef struct {
    size_t point_id;
    int64_t replication;
} spot_series_id_t;

typedef struct {
    size_t num_ids;
    size_t max_ids;
    spot_series_id_t *ids; /* [num_ids] by point, then by replication */
} spot_series_list_t;

/* Lists what the store has, as far as it was flushed. NO_MEMORY, or an error of reading,
 * of which the store's flush() says why; free self even then. */
SPOT_MUST_CHECK int spot_series_list_read(spot_series_list_t *self, const spot_store_t *store);

/* Appends to a list, which may be zeroed. NO_MEMORY. */
SPOT_MUST_CHECK int spot_series_list_add(
    spot_series_list_t *self, size_t point_id, int64_t replication);

/* Accepts a zeroed self. */
void spot_series_list_free(spot_series_list_t *self);

/* Of a list that was read. O(log ids). */
bool spot_series_list_has(const spot_series_list_t *self, size_t point_id, int64_t replication);

/* Puts the series of a replication in; those that are there stay. Any number of threads
 * at once. BAD_PARAM: no such point or replication;
 * STATE: the store is only read, or keeps none; else as the store's put(). O(cells). */
SPOT_MUST_CHECK int spot_store_put_series(
    spot_store_t *store, size_t point_id, int64_t replication, const spot_recording_t *recording);

/* Fills a recording with the series as they were put, except that -0 is 0. It owns their
 * kinds. BAD_PARAM: they are not there; BAD_INPUT: they are damaged; else as the store's
 * read(), flush() says why. recording needs no init; free it even after an error.
 * O(cells). */
SPOT_MUST_CHECK int spot_store_read_series(
    const spot_store_t *store, size_t point_id, int64_t replication, spot_recording_t *recording);

/* ---- The series of a file, by the numbers of its points ---- */

/* Adds the series of a replication, unless it has some. Within a transaction. */
SPOT_MUST_CHECK int spot_series_write(
    struct spot_db *db, int64_t number, int64_t replication, const spot_recording_t *recording);

/* As spot_store_read_series(). */
SPOT_MUST_CHECK int spot_series_read(
    struct spot_db *db, int64_t number, int64_t replication, spot_recording_t *recording);

/* Lists all replications with series in a zeroed list; their point_id is the number of
 * the point. BAD_INPUT: they are not those that were written. */
SPOT_MUST_CHECK int spot_series_numbers(struct spot_db *db, spot_series_list_t *list);

/* Makes in a model the tables for the rows of the series of a file. BAD_INPUT: their kinds
 * are not those that were written. */
SPOT_MUST_CHECK int spot_series_create_tables(struct spot_db *model, struct spot_db *db);
