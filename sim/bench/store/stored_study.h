/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store on disk holds of its study: written from a head, read into one, and
 * compared with the one that is to go on. For sim/bench/store, but for spot_study_head_free(). */
#pragma once

#include "sim/bench/store/head.h"
#include "sim/bench/store/schema.h"

/* A study as read from a file; the texts that its head borrows are its own. */
typedef struct {
    spot_study_head_t head;
    spot_arena_t names; /* of the head, in the lists below */
    uint32_t *numbers;  /* [num_points] of the points in the file, each < num_points */
    char *canonical;
    char *canonical_sha256;
} spot_stored_study_t;

/* Within a transaction. BAD_INPUT: the file is damaged; free self even then. */
SPOT_MUST_CHECK int spot_stored_study_read(spot_stored_study_t *self, spot_db_t *db);
void spot_stored_study_free(spot_stored_study_t *self);

/* Frees what the head owns: its arrays and the texts in it, but not the texts behind
 * metrics and warnings. Accepts a zeroed or half-built head. */
void spot_study_head_free(spot_study_head_t *self);

/* Writes all of a study over what was there. numbers: [num_points] those of its points.
 * Within a transaction. */
SPOT_MUST_CHECK int spot_stored_study_write(spot_db_t *db, const spot_study_head_t *head,
    const spot_columns_t *columns, const char *canonical, const char *sha256,
    const uint32_t *numbers);

/* Says in diag, an error each, in what a study differs from the one in the file, for
 * rows of both to be the same; points and replications aside. Files that only one of
 * them read are no difference. BAD_INPUT: the text in the file, or canonical, is
 * none; 0 where the studies differ too. */
SPOT_MUST_CHECK int spot_stored_study_compare(const spot_stored_study_t *self,
    const spot_study_head_t *head, const char *canonical, const char *place, spot_diag_t *diag);

/* Takes over the text of a study that goes on, with the files that those before read
 * added to its own, and the hash of that. place: the file, for diag. BAD_INPUT: one of the texts
 * is none; NO_MEMORY. */
SPOT_MUST_CHECK int spot_stored_study_join(
    spot_stored_study_t *self, const char *canonical, const char *place, spot_diag_t *diag);

/* Points have numbers, which their rows name and which never change, and positions,
 * which are their places in the study as it is now. They are recognised by their keys:
 * "path=value;path=value", sorted by path. */

/* The key of a point, for sqlite3_free(). NULL: no memory. */
char *spot_stored_point_key(const spot_study_head_t *head, size_t point_id);

/* The number of each point of a study that goes on: the one that it has in the file, or
 * a new one. *removed: the key of a point of the file that is none of the study's, or
 * NULL; freed by the caller. */
SPOT_MUST_CHECK int spot_stored_points_find(const spot_stored_study_t *self, spot_db_t *db,
    const spot_study_head_t *head, uint32_t *numbers, char **removed);

/* Sees whether the points of the file, with their columns, are those of its study.
 * BAD_INPUT. O(points x axes). */
SPOT_MUST_CHECK int spot_stored_points_check(const spot_stored_study_t *self, spot_db_t *db);
