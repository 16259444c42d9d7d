/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many replications each point gets: all that are asked for, as many as it takes to
 * know a mean, or those of a race (sim/bench/analysis/race.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/study/rounds.h"

/* ---- A number of replications ---- */

/* Every point gets what the study, or its run, asks for, in one round. */
static bool next_fixed(spot_rounds_t *self)
{
    bool is_first = false;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const int64_t wanted = spot_study_point_replications(self->head, j);

        self->to[j] = self->most > 0 && self->most < wanted ? self->most : wanted;
        is_first = is_first || self->to[j] > self->from[j];
    }
    return is_first;
}

/* ---- A precision ----
 *
 * Each point goes on, in rounds of whole batches, until the interval of one metric is as
 * narrow as asked for: the sequential rule of Chow and Robbins (Ann.
 * Math. Statist. 36(2), 1965) with a minimum, so that an early, by chance small variance
 * does not end it. */

/* A round at most multiplies the replications of a point by this: a prediction from few
 * of them is poor. */
#define MAX_GROWTH 2.0

struct spot_knowledge {
    spot_estimate_t estimate; /* of the replications [0, num_seen) */
    int64_t num_seen;
    bool is_done;
};

typedef struct {
    spot_estimate_t *estimate;
    int64_t end; /* replication after the last one that is read */
} reader_t;

enum { READ_ALL = 1 };

static int read_row(void *context, const spot_row_t *row)
{
    const reader_t *self = context;

    if (row->replication >= self->end) {
        return READ_ALL;
    }
    return spot_estimate_add(self->estimate, row->metrics);
}

/* The replications that should do, in whole batches. */
static int64_t next_target(const spot_study_head_t *head, size_t point_id, spot_knowledge_t *point)
{
    const double size = (double) spot_study_batch_size(head);
    const double excess = spot_estimate_excess(&point->estimate, &head->until);
    double wanted = (double) head->min_replications;

    if (point->num_seen > 0) {
        wanted = (double) point->num_seen * fmin(excess * excess, MAX_GROWTH);
        wanted = fmax(wanted, (double) (point->num_seen + 1));
    }
    return (int64_t) fmin(
        ceil(wanted / size) * size, (double) spot_study_point_replications(head, point_id));
}

/* Adds the replications of a point up to its target, and no others that are there: a
 * decision depends on those alone. */
static int read_round(const spot_rounds_t *self, const spot_store_t *store, size_t point_id)
{
    spot_knowledge_t *point = &self->knowledge[point_id];
    const int64_t target = self->to[point_id];
    reader_t reader = {&point->estimate, target};
    const int ret = store->read(store, point_id, point->num_seen, read_row, &reader);

    point->num_seen = target;
    point->is_done = spot_estimate_excess(&point->estimate, &self->head->until) <= 1 ||
                     target >= spot_study_point_replications(self->head, point_id);
    return ret == READ_ALL ? 0 : ret;
}

static int next_precise(spot_rounds_t *self, const spot_store_t *store, bool *is_more)
{
    int ret = 0;

    *is_more = false;
    for (size_t j = 0; ret == 0 && j < self->head->num_points; j++) {
        spot_knowledge_t *point = &self->knowledge[j];

        if (!point->is_done && self->to[j] > 0) {
            ret = read_round(self, store, j);
        }
        if (!point->is_done) {
            self->to[j] = next_target(self->head, j, point);
            *is_more = true;
        }
    }
    return ret;
}

/* A shard decides on all rows of its points. */
static int start_precision(spot_rounds_t *self, const spot_study_run_t *run)
{
    const size_t num_points = self->head->num_points;

    self->knowledge = spot_calloc(num_points, sizeof(*self->knowledge));
    for (size_t j = 0; self->knowledge != NULL && j < num_points; j++) {
        spot_estimate_init(
            &self->knowledge[j].estimate, self->head, spot_study_watched_metric(self->head));
        self->knowledge[j].is_done =
            spot_study_cannot_run(self->head, j) != NULL ||
            (run->num_shards > 1 && (int64_t) j % run->num_shards != run->shard_id);
    }
    return self->knowledge == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

/* ---- A race ---- */

/* Points that still race after the last round get the replications of the next. */
static int next_raced(spot_rounds_t *self, const spot_store_t *store, bool *is_more)
{
    const int ret = self->is_racing ? spot_race_advance(&self->race, store) : 0;

    self->is_racing = true;
    *is_more = ret == 0 && !self->race.is_over;
    for (size_t j = 0; *is_more && j < self->head->num_points; j++) {
        if (self->race.runners[j].fate == SPOT_FATE_RACING) {
            self->to[j] = spot_race_point_target(&self->race, j);
        }
    }
    return ret;
}

/* ---- Rounds ---- */

int spot_rounds_start(
    spot_rounds_t *self, const spot_study_head_t *head, const spot_study_run_t *run)
{
    const size_t num_points = head->num_points;

    *self = (spot_rounds_t){.head = head,
        .num_shards = 1,
        .most = run->most,
        .from = spot_calloc(num_points, sizeof(*self->from)),
        .to = spot_calloc(num_points, sizeof(*self->to)),
        .first_batches = spot_calloc(num_points + 1, sizeof(*self->first_batches))};
    if (self->from == NULL || self->to == NULL || self->first_batches == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (head->until.metric != NULL) {
        return start_precision(self, run);
    }
    if (run->num_shards > 1) {
        self->shard_id = run->shard_id;
        self->num_shards = run->num_shards;
    }
    return head->optimise.metric != NULL ? spot_race_init(&self->race, head) : 0;
}

void spot_rounds_free(spot_rounds_t *self)
{
    spot_race_free(&self->race);
    for (size_t j = 0; self->knowledge != NULL && j < self->head->num_points; j++) {
        spot_estimate_free(&self->knowledge[j].estimate);
    }
    free(self->knowledge);
    free(self->from);
    free(self->to);
    free(self->first_batches);
    memset(self, 0, sizeof(*self));
}

/* Lays out the batches and takes those of the shard. */
static void lay_out(spot_rounds_t *self)
{
    const int64_t size = spot_study_batch_size(self->head);
    int64_t num_batches = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        self->first_batches[j] = num_batches;
        if (self->to[j] > self->from[j]) {
            num_batches += (self->to[j] + size - 1) / size - self->from[j] / size;
        }
    }
    self->first_batches[self->head->num_points] = num_batches;
    self->first_batch = num_batches * self->shard_id / self->num_shards;
    self->end_batch = num_batches * (self->shard_id + 1) / self->num_shards;
}

int spot_rounds_next(spot_rounds_t *self, const spot_store_t *store, bool *is_more)
{
    int ret = 0;

    memcpy(self->from, self->to, self->head->num_points * sizeof(*self->from));
    if (self->knowledge != NULL) {
        ret = next_precise(self, store, is_more);
    } else if (self->head->optimise.metric != NULL) {
        ret = next_raced(self, store, is_more);
    } else {
        *is_more = next_fixed(self);
    }
    lay_out(self);
    return ret;
}

spot_batch_t spot_rounds_batch_of(const spot_rounds_t *self, size_t point_id, int64_t batch_id)
{
    const int64_t size = spot_study_batch_size(self->head);
    const int64_t first =
        (self->from[point_id] / size + batch_id - self->first_batches[point_id]) * size;
    const int64_t end = first + size;

    return (spot_batch_t){point_id, first, end < self->to[point_id] ? end : self->to[point_id]};
}

spot_batch_t spot_rounds_batch(const spot_rounds_t *self, int64_t batch_id)
{
    size_t low = 0, high = self->head->num_points;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (self->first_batches[middle] <= batch_id) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return spot_rounds_batch_of(self, low, batch_id);
}
