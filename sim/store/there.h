/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which replications a store on disk has, in 2 bytes a batch up to the last one of
 * a point that is there, so that asking costs nothing. Not locked: callers see to it.
 * Internal to sim/store. */
#ifndef SPOT_SIM_STORE_THERE_H
#define SPOT_SIM_STORE_THERE_H

#include "sim/store/head.h"
#include "sim/store/sqlite_db.h"

/* Of one point. */
typedef struct {
    size_t max_batches; /* there is nothing of later ones */
    uint16_t *there;    /* [max_batches] replications from the first of the batch on */
} spot_there_point_t;

typedef struct {
    size_t num_points;
    int64_t num_replications; /* of the study; what is beyond does not count */
    int64_t batch_size;
    int64_t *numbers;  /* [num_points] of the points in the file, a permutation */
    size_t *point_ids; /* [num_points] by number */
    spot_there_point_t *points; /* [num_points] */
    int64_t *counts;            /* [num_points] replications there */
    int64_t last_batch;         /* the latest one of the table that was seen */
} spot_there_t;

/* Nothing is there. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_there_init(spot_there_t *self, const spot_study_head_t *head);
void spot_there_free(spot_there_t *self);

/* Takes the numbers, already in self->numbers, or says that they are damaged. */
SPOT_MUST_CHECK int spot_there_number(spot_there_t *self, spot_db_t *db);

/* Prepares the query for spot_there_load(). */
SPOT_MUST_CHECK int spot_there_prepare(spot_db_t *db, sqlite3_stmt **newer);

/* Adds the batches that were written since the last time, by whomever. */
SPOT_MUST_CHECK int spot_there_load(
    spot_there_t *self, spot_db_t *db, sqlite3_stmt *newer);

/* Whether rows could be those of one batch of the study. */
bool spot_there_fits(
    const spot_there_t *self, size_t point_id, int64_t first, size_t num_rows);

/* From the first replication of a batch on. */
int64_t spot_there_get(const spot_there_t *self, size_t point_id, int64_t first);

/* Raises what is there of a batch. NO_MEMORY changes nothing. */
SPOT_MUST_CHECK int spot_there_raise(
    spot_there_t *self, size_t point_id, int64_t first, int64_t num_there);

#endif
