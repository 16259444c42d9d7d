/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study runs in rounds: the policy says how far each point is to go, the pool runs
 * what is missing, and what is there then decides on the next round. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/study/optimise.h"
#include "sim/study/precision.h"
#include "sim/study/study_pool.h"
#include "sim/study/study_timelines.h"

/* Every point gets what the study asks for, in one round. */
static int
next_fixed(void *state, const spot_store_t *store, int64_t *targets, bool *is_more)
{
    const spot_study_head_t *head = store->head;

    (void) state;
    *is_more = targets[0] == 0;
    for (size_t j = 0; j < head->num_points; j++) {
        targets[j] = head->num_replications;
    }
    return 0;
}

static void
free_fixed(void *state)
{
    (void) state;
}

int
spot_study_check_shards(const spot_study_t *self, int64_t num_shards, spot_diag_t *diag)
{
    const spot_node_t *node = spot_node_get(self->document.root, "optimise");

    if (self->head.optimise.metric == NULL || num_shards <= 1) {
        return 0;
    }
    spot_diag_error(diag, node->file, node->line, node->column,
        "optimise: compares all points with each other: run it without --shard");
    return SPOT_ERR_BAD_INPUT;
}

int
spot_study_policy(
    spot_policy_t *policy, const spot_study_t *study, const spot_study_run_t *run)
{
    *policy = (spot_policy_t){.next = next_fixed, .free = free_fixed};
    if (study->head.until.metric != NULL) {
        return spot_precision_policy(
            policy, study, run->shard_id, run->num_shards > 0 ? run->num_shards : 1);
    }
    return study->head.optimise.metric != NULL ? spot_optimise_policy(policy, study) : 0;
}

static int
run_rounds(spot_pool_t *pool, spot_store_t *store, const spot_study_run_t *run,
    const spot_policy_t *policy, int64_t *from, int64_t *to, spot_diag_t *diag)
{
    const bool is_split = run->num_shards > 1 && !policy->needs_whole_points;
    const spot_round_t round = {
        from, to, is_split ? run->shard_id : 0, is_split ? run->num_shards : 1};
    const size_t num_points = store->head->num_points;
    bool is_more = true;
    int ret = policy->next(policy->state, store, to, &is_more);

    while (ret == 0 && is_more) {
        int flushed;

        ret = spot_pool_run_round(pool, &round);
        flushed = store->flush(store, diag);
        ret = ret == 0 || flushed != 0 ? flushed : ret;
        memcpy(from, to, num_points * sizeof(*from));
        if (ret == 0) {
            ret = policy->next(policy->state, store, to, &is_more);
        }
    }
    return ret;
}

int
spot_study_run(const spot_study_t *self, spot_store_t *store,
    const spot_study_run_t *run, spot_diag_t *diag)
{
    spot_policy_t policy = {.free = free_fixed};
    spot_pool_t *pool = NULL;
    const size_t num_points = self->head.num_points;
    int64_t *from = spot_calloc(num_points, sizeof(*from));
    int64_t *to = spot_calloc(num_points, sizeof(*to));
    int ret = spot_study_check_shards(self, run->num_shards, diag);

    atomic_store(&store->stop, run->stop);
    if (ret == 0) {
        ret = spot_study_policy(&policy, self, run);
    }
    if (ret == 0 && (from == NULL || to == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = spot_pool_open(&pool, self, store, run);
    }
    if (ret == 0) {
        ret = run_rounds(pool, store, run, &policy, from, to, diag);
    }
    if (ret == 0) {
        ret =
            spot_study_make_timelines(self, store, run, spot_pool_progress(pool), diag);
    }
    spot_pool_close(pool);
    store->outcome = ret == 0                      ? "complete"
                     : ret == SPOT_ERR_INTERRUPTED ? "stopped"
                                                   : NULL;
    policy.free(policy.state);
    free(to);
    free(from);
    return ret;
}
