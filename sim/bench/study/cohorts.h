/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that meet the same changes from outside. Their batches of the same replications
 * are one task, so that the changes are made once. Internal to sim/bench/study. */
#pragma once

#include "sim/bench/study/rounds.h"

typedef struct {
    size_t num_cohorts;
    size_t *points;        /* [num_points] cohort by cohort, in order */
    size_t *first_points;  /* [num_cohorts + 1] places in points */
    int64_t *first_tasks;  /* [num_cohorts + 1] of a round */
    int64_t *first_ranges; /* [num_cohorts] number of its first batch size of
                              replications */
    int64_t *part_points;  /* [num_cohorts] points of a task at most */
} spot_cohorts_t;

/* Points are together if their scenarios, as far as the study keeps them, have the same
 * trace. NO_MEMORY; free self even then. O(points log points). */
SPOT_MUST_CHECK int spot_cohorts_init(spot_cohorts_t *self, const spot_study_t *study);
void spot_cohorts_free(spot_cohorts_t *self);

/* Lays out the tasks of a round and returns their number: enough for all threads, so a
 * cohort with few replications is cut into parts. */
int64_t spot_cohorts_lay_out(
    spot_cohorts_t *self, const spot_rounds_t *rounds, int64_t num_threads);

/* The batches of some points that begin with the same replication. */
typedef struct {
    size_t num_points;
    const size_t *points; /* [num_points] */
    int64_t range;        /* that replication / batch size */
} spot_cohort_task_t;

/* O(log cohorts). */
spot_cohort_task_t spot_cohorts_task(const spot_cohorts_t *self, int64_t task_id);

/* Sets the batch of the point at a place of a task; false: it has none in this round. */
bool spot_cohorts_batch(
    const spot_rounds_t *rounds, const spot_cohort_task_t *task, size_t place, spot_batch_t *batch);
