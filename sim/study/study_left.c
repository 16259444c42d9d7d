/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/study/study_left.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/study/running.h"

/* ---- A store that has nothing ---- */

static int64_t
none_there(const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    (void) store;
    (void) point_id;
    (void) first_replication;
    return 0;
}

static int64_t
no_rows(const spot_store_t *store, size_t point_id)
{
    return none_there(store, point_id, 0);
}

/* ---- A round ---- */

static int64_t
num_batches_of(const spot_round_t *round, size_t point_id, int64_t batch_size)
{
    const int64_t from = round->from[point_id], to = round->to[point_id];

    return to > from ? (to + batch_size - 1) / batch_size - from / batch_size : 0;
}

/* The replications of a round that are not there. *first_batch and *end_batch: of the
 * shard, counted from the first batch of the point. */
static int64_t
num_missing(const spot_store_t *store, const spot_round_t *round, size_t point_id,
    int64_t first_batch, int64_t end_batch)
{
    const int64_t size = spot_study_batch_size(store->head);
    const int64_t start = round->from[point_id] / size * size;
    int64_t num = 0;

    for (int64_t j = first_batch; j < end_batch; j++) {
        const int64_t first = start + j * size;
        const int64_t num_asked = round->to[point_id] - first;
        const int64_t num_rows = num_asked < size ? num_asked : size;
        const int64_t num_there = store->num_there(store, point_id, first);

        num += num_there < num_rows ? num_rows - num_there : 0;
    }
    return num;
}

static int64_t
clamp(int64_t value, int64_t most)
{
    return value < 0 ? 0 : value < most ? value : most;
}

/* What the shard has to run of a round. Points of the round may go on to the most that
 * the study asks for; those of a fixed count are there in this round already. */
static void
look_at_round(
    const spot_store_t *store, const spot_round_t *round, spot_study_left_t *left)
{
    const spot_study_head_t *head = store->head;
    const int64_t size = spot_study_batch_size(head);
    int64_t num_batches = 0, first, end;

    for (size_t j = 0; j < head->num_points; j++) {
        num_batches += num_batches_of(round, j, size);
    }
    first = spot_shard_first_batch(num_batches, round->shard_id, round->num_shards);
    end = spot_shard_first_batch(num_batches, round->shard_id + 1, round->num_shards);
    left->least_runs = left->most_runs = 0;
    left->least_points = left->most_points = 0;
    for (size_t j = 0; j < head->num_points; j++) {
        const int64_t num = num_batches_of(round, j, size);
        const int64_t least =
            num_missing(store, round, j, clamp(first, num), clamp(end, num));
        const int64_t most = num == 0 ? 0
                             : round->to[j] == spot_study_point_replications(head, j)
                                 ? least
                                 : head->num_replications - store->num_rows(store, j);

        left->least_runs += least;
        left->least_points += least > 0;
        left->most_runs += most;
        left->most_points += most > 0;
        first -= num;
        end -= num;
    }
}

static int
go_through_rounds(const spot_policy_t *policy, const spot_store_t *store,
    spot_round_t *round, int64_t *from, int64_t *to, spot_study_left_t *left)
{
    const size_t num_points = store->head->num_points;
    bool is_more = true;
    int ret;

    round->from = from;
    round->to = to;
    do {
        memcpy(from, to, num_points * sizeof(*from));
        ret = policy->next(policy->state, store, to, &is_more);
        if (ret == 0) {
            look_at_round(store, round, left);
        }
    } while (ret == 0 && is_more && left->least_runs == 0);
    return ret;
}

int
spot_study_find_left(const spot_study_t *self, const spot_store_t *store,
    const spot_study_run_t *run, spot_study_left_t *left)
{
    const spot_store_t nothing = {
        .head = &self->head, .num_there = none_there, .num_rows = no_rows};
    const spot_store_t *rows = store == NULL ? &nothing : store;
    const size_t num_points = self->head.num_points;
    int64_t *from = spot_calloc(num_points, sizeof(*from));
    int64_t *to = spot_calloc(num_points, sizeof(*to));
    spot_round_t round = {.num_shards = 1};
    spot_policy_t policy;
    int ret = spot_policy_start(&policy, &self->head, run);

    *left = (spot_study_left_t){.num_there = 0};
    if (run->num_shards > 1 && !policy.needs_whole_points) {
        round.shard_id = run->shard_id;
        round.num_shards = run->num_shards;
    }
    if (ret == 0 && (from == NULL || to == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = go_through_rounds(&policy, rows, &round, from, to, left);
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        left->num_there += rows->num_rows(rows, j);
    }
    policy.free(policy.state);
    free(to);
    free(from);
    return ret;
}
