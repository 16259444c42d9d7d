/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/analysis/summary.h"
#include "sim/study/documents.h"
#include "sim/study/running.h"

int
spot_study_check_shards(const spot_study_t *self, int64_t num_shards, spot_diag_t *diag)
{
    const spot_node_t *place;

    if (self->head.optimise.metric == NULL || num_shards <= 1) {
        return 0;
    }
    place = spot_node_place(spot_documents_study(self->documents), "optimise");
    spot_diag_error(diag, place->file, place->line, place->column,
        "optimise: compares all points with each other: run it without --shard");
    return SPOT_ERR_BAD_INPUT;
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
    spot_policy_t policy = {.free = free};
    spot_pool_t *pool = NULL;
    const size_t num_points = self->head.num_points;
    int64_t *from = spot_calloc(num_points, sizeof(*from));
    int64_t *to = spot_calloc(num_points, sizeof(*to));
    int ret = spot_study_check_shards(self, run->num_shards, diag);

    atomic_store(&store->stop, run->stop);
    if (ret == 0) {
        ret = spot_policy_start(&policy, &self->head, run);
    }
    if (ret == 0 && (from == NULL || to == NULL)) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        ret = spot_pool_open(&pool, self, store, run, diag);
    }
    if (ret == 0) {
        ret = run_rounds(pool, store, run, &policy, from, to, diag);
    }
    if (ret == 0) {
        ret = spot_study_make_series(self, store, run, spot_pool_progress(pool), diag);
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

/* ---- Progress ---- */

size_t
spot_study_watched_metric(const spot_study_head_t *head)
{
    const char *name =
        head->until.metric != NULL ? head->until.metric : head->optimise.metric;

    return name == NULL ? 0 : spot_study_metric_id(head, name);
}

bool
spot_study_widest(
    const spot_study_progress_t *self, size_t *point_id, double *half_width)
{
    const spot_until_t *until = &self->study->head.until;
    double widest = -1;

    for (size_t j = 0; j < self->study->head.num_points; j++) {
        const double width = spot_moments_stderr(&self->watched[j]);

        if (width > widest) {
            widest = width;
            *point_id = j;
        }
    }
    if (widest < 0) {
        return false;
    }
    *half_width = spot_moments_half_width(&self->watched[*point_id],
        until->metric == NULL ? SPOT_CONFIDENCE : until->confidence);
    return true;
}
