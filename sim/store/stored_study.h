/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store on disk holds of its study: written from a head, read into one, and
 * compared with the one that is to go on. Internal to sim/store. */
#ifndef SPOT_SIM_STORE_STORED_STUDY_H
#define SPOT_SIM_STORE_STORED_STUDY_H

#include "sim/store/head.h"
#include "sim/store/provenance.h"
#include "sim/store/schema.h"

/* A study as read from a file; the texts that its head borrows are its own. */
typedef struct {
    spot_study_head_t head;
    size_t num_metrics;
    spot_metric_t *metrics; /* [num_metrics] the same as the head's */
    size_t num_warnings;
    spot_warning_t *warnings; /* [num_warnings] */
    size_t num_colours;
    spot_colour_t *colours; /* [num_colours + 1] */
    size_t num_axes;
    char *canonical;
    char *canonical_sha256;
} spot_stored_study_t;

/* Within a transaction. BAD_INPUT: the file is damaged; free self even then. */
SPOT_MUST_CHECK int spot_stored_study_read(spot_stored_study_t *self, spot_db_t *db);
void spot_stored_study_free(spot_stored_study_t *self);

/* Writes all of a study but its points, over what was there. Within a transaction. */
SPOT_MUST_CHECK int spot_stored_study_write(spot_db_t *db, const spot_study_head_t *head,
    const char *canonical, const char *sha256);

/* Parts of the two above: the plan, and what is looked for. Reading needs the rest of
 * the head. */
SPOT_MUST_CHECK int spot_stored_plan_write(spot_db_t *db, const spot_study_head_t *head);
SPOT_MUST_CHECK int spot_stored_plan_read(spot_study_head_t *head, spot_db_t *db);

/* The same for what reports are asked to show. */
SPOT_MUST_CHECK int spot_stored_views_write(
    spot_db_t *db, const spot_study_head_t *head);
SPOT_MUST_CHECK int spot_stored_views_read(spot_study_head_t *head, spot_db_t *db);

/* Says in diag, a line each, in what a study differs from the one in the file, for rows
 * of both to be the same; points and replications aside. *num_lines: how many. Files
 * that only one of them read are no difference. BAD_INPUT: the text in the file, or
 * canonical, is none. */
SPOT_MUST_CHECK int spot_stored_study_compare(const spot_stored_study_t *self,
    const spot_study_head_t *head, const char *canonical, const char *place,
    spot_diag_t *diag, size_t *num_lines);

/* Takes over the text of a study that goes on, with the files that those before read
 * added to its own, and the hash of that. */
SPOT_MUST_CHECK int spot_stored_study_join(spot_stored_study_t *self,
    const char *canonical, const char *place, spot_diag_t *diag);

/* Writes the points, each with the number that it had, and new ones with new numbers.
 * *removed: the key of a point that was there and is none of the study's, which is for
 * the caller to refuse, or NULL; freed by the caller. Within a transaction. */
SPOT_MUST_CHECK int spot_stored_points_write(spot_db_t *db,
    const spot_study_head_t *head, const spot_columns_t *columns, char **removed);

/* Reads the number of each point: numbers[num_points] is a permutation. *is_same: the
 * file has the points of the head, in its order; else numbers are undefined. */
SPOT_MUST_CHECK int spot_stored_points_match(
    spot_db_t *db, const spot_study_head_t *head, int64_t *numbers, bool *is_same);

/* Reads the number of each point, as spot_stored_points_write() would number them, and
 * *removed, without writing to the file: numbers[num_points]. */
SPOT_MUST_CHECK int spot_stored_points_find(
    spot_db_t *db, const spot_study_head_t *head, int64_t *numbers, char **removed);

#endif
