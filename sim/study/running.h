/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a study: run.c goes through rounds, policy.c says how far each point is to go
 * in a round, pool.c runs what is missing on threads, and series.c records at the end.
 * Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_RUNNING_H
#define SPOT_SIM_STUDY_RUNNING_H

#include "sim/study/study.h"

/* ---- policy.c ---- */

/* Decides in rounds, from the rows that are there, so that a study goes on where it was
 * stopped and does not depend on what ran when. */
typedef struct {
    void *state;
    /* targets: [num_points] the replications that each point has got by now, 0 in the
     * first round; raises those that are to get more, none beyond the head's
     * num_replications. *is_more: whether there are any. May read the store, which has
     * all rows up to the targets. */
    int (*next)(void *state, const spot_store_t *store, int64_t *targets, bool *is_more);
    void (*free)(void *state);
    bool needs_whole_points; /* decides on all rows of a point: shards take points */
} spot_policy_t;

/* The policy that the study asks for. NO_MEMORY; free its state even then. */
SPOT_MUST_CHECK int spot_policy_start(
    spot_policy_t *self, const spot_study_head_t *head, const spot_study_run_t *run);

/* ---- pool.c ---- */

/* What is to be run: of each point the replications of [from, to). */
typedef struct {
    const int64_t *from; /* [num_points] what earlier rounds have seen to */
    const int64_t *to;   /* [num_points] */
    int64_t shard_id;    /* 0 ... num_shards - 1: which part of the batches, */
    int64_t num_shards;  /* of how many parts of about the same size */
} spot_round_t;

/* The first batch of a shard among so many. */
static inline int64_t
spot_shard_first_batch(int64_t num_batches, int64_t shard_id, int64_t num_shards)
{
    return num_batches * shard_id / num_shards;
}

typedef struct spot_pool spot_pool_t;

/* NO_MEMORY leaves *self NULL. All that is passed must outlive it. */
SPOT_MUST_CHECK int spot_pool_open(spot_pool_t **self, const spot_study_t *study,
    spot_store_t *store, const spot_study_run_t *run, spot_diag_t *diag);
void spot_pool_close(spot_pool_t *self);

/* How far it is; between rounds. */
const spot_study_progress_t *spot_pool_progress(const spot_pool_t *self);

/* Runs the replications of a round that the store does not have and puts them there.
 * INTERRUPTED, NO_MEMORY, or the first error of the experiment or the store. */
SPOT_MUST_CHECK int spot_pool_run_round(spot_pool_t *self, const spot_round_t *round);

/* Runs work on so many threads, the calling one included, or on fewer if no more can be
 * started. NO_MEMORY: it was not run. */
SPOT_MUST_CHECK int spot_threads_run(
    int64_t num_threads, void *(*work)(void *context), void *context);

/* ---- series.c ---- */

/* Records the replications whose row the store has, but not their series, and puts them
 * there, on the threads of the run: those of its shard are those whose rows it ran. The
 * rows stay as they are. so_far: the progress of the runs, which goes on. Errors as of
 * spot_study_run(). */
SPOT_MUST_CHECK int spot_study_make_series(const spot_study_t *self, spot_store_t *store,
    const spot_study_run_t *run, const spot_study_progress_t *so_far, spot_diag_t *diag);

#endif
