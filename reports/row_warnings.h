/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which rows of a result are doubtful, and why: a letter for each warning that any row
 * has, the same in the rows and in the legend below them. */
#pragma once

#include <stdio.h>

#include "base/json.h"
#include "sim/store/store.h"

typedef struct {
    char letters[SPOT_MAX_WARNINGS + 1]; /* "ac", or "" */
} spot_row_marks_t;

/* *marks: [num_points] what stands in each row, freed by the caller; NULL where no
 * replication of the store has met a warning. NO_MEMORY. */
SPOT_MUST_CHECK int spot_row_marks(const spot_store_t *store, spot_row_marks_t **marks);

/* The letter of a warning that was met. */
char spot_warning_letter(const spot_store_t *store, size_t warning_id);

/* Replications of all points that met a warning. */
int64_t spot_warning_count(const spot_store_t *store, size_t warning_id);

/* "warnings" of JSON: how many replications of a point met each of those met. */
void spot_point_warnings_json(
    spot_json_t *json, const spot_store_t *store, size_t point_id);

/* The same as a field of CSV: "clipped:12;flat_step_time:3"; "cannot run: ..." of a
 * point that has no replications for that. NO_MEMORY. */
SPOT_MUST_CHECK int spot_point_warnings_csv(
    const spot_store_t *store, size_t point_id, FILE *out);

/* The names alone, of one replication: mask has a bit for each warning. NO_MEMORY. */
SPOT_MUST_CHECK int spot_row_warnings_csv(
    const spot_study_head_t *head, uint32_t mask, FILE *out);
