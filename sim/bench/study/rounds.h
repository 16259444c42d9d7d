/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which batches of a study are run in which round. Internal to sim/bench/study. */
#pragma once

#include "sim/bench/analysis/race.h"
#include "sim/bench/study/study.h"

typedef struct spot_knowledge spot_knowledge_t;

/* The rounds of a study or of a shard. A round is the replications [from, to) of each
 * point in batches, one point after another. Decisions depend on the rows of the rounds
 * before alone, so that a study goes on where it was stopped and does not depend on what
 * ran when. */
typedef struct {
    const spot_study_head_t *head;
    spot_knowledge_t *knowledge;  /* [num_points] for a precision, else NULL */
    spot_race_t race;             /* for an optimum, else zeroed */
    bool is_racing;               /* its first round was laid out */
    int64_t shard_id, num_shards; /* of the batches */
    int64_t most;                 /* of a point, of a number of replications; 0: all */
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

/* Of run only the shard and most matter. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_rounds_start(
    spot_rounds_t *self, const spot_study_head_t *head, const spot_study_run_t *run);
void spot_rounds_free(spot_rounds_t *self);

/* Goes to the next round; the store has the rows of the rounds before, and may be NULL
 * for the first one. *is_more: there is a next round. NO_MEMORY, or an error of
 * reading. */
SPOT_MUST_CHECK int spot_rounds_next(spot_rounds_t *self, const spot_store_t *store, bool *is_more);

/* A batch of a point, or of all points, of the round. O(1), O(log points). */
spot_batch_t spot_rounds_batch_of(const spot_rounds_t *self, size_t point_id, int64_t batch_id);
spot_batch_t spot_rounds_batch(const spot_rounds_t *self, int64_t batch_id);
