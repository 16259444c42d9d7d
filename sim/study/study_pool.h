/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pool: threads that run what is missing of a study. Internal to sim/study. */
#ifndef SPOT_SIM_STUDY_STUDY_POOL_H
#define SPOT_SIM_STUDY_STUDY_POOL_H

#include "sim/study/study.h"

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
    spot_store_t *store, const spot_study_run_t *run);
void spot_pool_close(spot_pool_t *self);

/* How far it is; between rounds. */
const spot_study_progress_t *spot_pool_progress(const spot_pool_t *self);

/* Runs the replications of a round that the store does not have and puts them there.
 * INTERRUPTED, NO_MEMORY, or the first error of the experiment or the store. */
SPOT_MUST_CHECK int spot_pool_run_round(spot_pool_t *self, const spot_round_t *round);

#endif
