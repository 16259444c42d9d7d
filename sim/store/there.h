/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which replications a store on disk has, in 2 bytes a batch up to the last one of a
 * point that is there, so that asking costs nothing. Not locked: callers see to it.
 * Internal to sim/store. */
#ifndef SPOT_SIM_STORE_THERE_H
#define SPOT_SIM_STORE_THERE_H

#include "sim/store/head.h"
#include "sim/store/schema.h"

/* Of one point. */
typedef struct {
    size_t max_batches; /* there is nothing of later ones */
    uint16_t *there;    /* [max_batches] replications from the first of the batch on */
} spot_there_point_t;

typedef struct {
    size_t num_points;
    size_t num_warnings;
    int64_t num_replications; /* of the study */
    int64_t batch_size;
    int64_t *numbers;  /* [num_points] of the points in the file, a permutation */
    size_t *point_ids; /* [num_points] by number */
    spot_there_point_t *points; /* [num_points] */
    int64_t *counts;            /* [num_points] replications there */
    int64_t *warned;            /* [num_points][num_warnings] that met a warning */
} spot_there_t;

/* Nothing is there. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_there_init(spot_there_t *self, const spot_study_head_t *head);
void spot_there_free(spot_there_t *self);

/* Adds the batches of the file. The numbers of the points must be in self->numbers;
 * BAD_INPUT: they, or batches, are damaged. */
SPOT_MUST_CHECK int spot_there_load(
    spot_there_t *self, spot_db_t *db, const spot_columns_t *columns);

/* Whether rows could be those of one batch of the study. */
bool spot_there_fits(
    const spot_there_t *self, size_t point_id, int64_t first, size_t num_rows);

/* From the first replication of a batch on. */
int64_t spot_there_get(const spot_there_t *self, size_t point_id, int64_t first);

/* Raises what is there of a batch. NO_MEMORY changes nothing. */
SPOT_MUST_CHECK int spot_there_raise(
    spot_there_t *self, size_t point_id, int64_t first, int64_t num_there);

/* Counts the warnings of rows that came. warnings: [num_rows] bit masks; NULL: none. */
void spot_there_warn(
    spot_there_t *self, size_t point_id, size_t num_rows, const uint32_t *warnings);

#endif
