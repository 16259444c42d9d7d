/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a study: rounds.c decides which batches are in a round, run.c runs those that
 * are missing on threads, and series.c records at the end. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_RUNNING_H
#define SPOT_SIM_STUDY_RUNNING_H

#include <pthread.h>

#include "sim/analysis/race.h"
#include "sim/study/study.h"

/* ---- rounds.c ---- */

typedef struct spot_knowledge spot_knowledge_t;

/* The rounds of a study or of a shard. A round is the replications [from, to) of each
 * point in batches, one point after another. Decisions depend on the rows of the rounds
 * before alone, so that a study goes on where it was stopped and does not depend on what
 * ran when. */
typedef struct {
    const spot_study_head_t *head;
    spot_knowledge_t *knowledge;  /* [num_points] for a precision, else NULL */
    spot_race_t *race;            /* for an optimum, else NULL */
    int64_t shard_id, num_shards; /* of the batches */
    int64_t *from;                /* [num_points] of the rounds before */
    int64_t *to;                  /* [num_points] none above what a point gets at most */
    int64_t *first_batches;       /* [num_points + 1] batches of the points before */
    int64_t first_batch;          /* of the shard, up to end_batch */
    int64_t end_batch;
} spot_rounds_t;

/* Replications [first, end) of a point. */
typedef struct {
    size_t point_id;
    int64_t first, end;
} spot_batch_t;

/* Of run only the shard matters. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_rounds_start(
    spot_rounds_t *self, const spot_study_head_t *head, const spot_study_run_t *run);
void spot_rounds_free(spot_rounds_t *self);

/* Goes to the next round; the store has the rows of the rounds before, and may be NULL
 * for the first one. *is_more: there is a next round. NO_MEMORY, or an error of
 * reading. */
SPOT_MUST_CHECK int spot_rounds_next(
    spot_rounds_t *self, const spot_store_t *store, bool *is_more);

/* A batch of a point, or of all points, of the round. O(1), O(log points). */
spot_batch_t spot_rounds_batch_of(
    const spot_rounds_t *self, size_t point_id, int64_t batch_id);
spot_batch_t spot_rounds_batch(const spot_rounds_t *self, int64_t batch_id);

/* ---- run.c ---- */

/* A study at work. */
typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    spot_diag_t *diag;
    spot_rounds_t rounds;
    size_t watched_metric;
    pthread_mutex_t lock; /* of all below */
    spot_study_progress_t progress;
    spot_moments_t *watched; /* [num_points] */
    int64_t *num_done;       /* [num_points] replications that are there */
} spot_pool_t;

/* Does one of many tasks with the worker of a thread. */
typedef int (*spot_task_t)(
    spot_pool_t *self, spot_study_worker_t *worker, void *context, int64_t task_id);

/* Does the tasks [first, end) on the threads of the run, by an atomic ticket.
 * INTERRUPTED after a stop, NO_MEMORY, or the first error of a task. */
SPOT_MUST_CHECK int spot_pool_do(
    spot_pool_t *self, spot_task_t task, void *context, int64_t first, int64_t end);

/* Reports the progress. The caller holds the lock. */
void spot_pool_tell(spot_pool_t *self);

/* ---- series.c ---- */

/* Records the replications whose row the store has, but not their series, and puts them
 * there: those of a shard are those whose rows it ran. The rows stay as they are. Errors
 * as of spot_study_run(). */
SPOT_MUST_CHECK int spot_pool_make_series(spot_pool_t *self);

#endif
