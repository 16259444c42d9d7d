/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many replications each point gets: all that are asked for, as many as it takes to
 * know a mean, or those of a race (sim/analysis/race.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/analysis/race.h"
#include "sim/study/running.h"

/* ---- A number of replications ---- */

/* Every point gets what the study asks for, in one round. */
static int
next_fixed(void *state, const spot_store_t *store, int64_t *targets, bool *is_more)
{
    (void) state;
    *is_more = targets[0] == 0;
    for (size_t j = 0; j < store->head->num_points; j++) {
        targets[j] = spot_study_point_replications(store->head, j);
    }
    return 0;
}

/* ---- A precision ----
 *
 * Each point goes on, in rounds of whole batches, until the Student interval of the mean
 * of one metric is as narrow as asked for: the sequential rule of Chow and Robbins (Ann.
 * Math. Statist. 36(2), 1965) with a minimum, which keeps an early, by chance small
 * variance from ending it. */

/* A round at most multiplies the replications of a point by this: a prediction from few
 * of them is poor. */
#define MAX_GROWTH 2.0

/* What is known of a point. */
typedef struct {
    spot_moments_t moments; /* of the replications [0, num_seen) */
    int64_t num_seen;
    bool is_done;
} knowledge_t;

typedef struct {
    size_t metric_id;       /* in the head */
    knowledge_t *knowledge; /* [num_points] */
} precision_t;

typedef struct {
    spot_moments_t *moments;
    size_t metric_id;
    int64_t end; /* replication behind the last one that is read */
} reader_t;

enum { READ_ALL = 1 };

static int
read_row(void *context, const spot_row_t *row)
{
    const reader_t *self = context;

    if (row->replication >= self->end) {
        return READ_ALL;
    }
    if (isfinite(row->metrics[self->metric_id])) {
        spot_moments_add(self->moments, row->metrics[self->metric_id]);
    }
    return 0;
}

/* The replications that should do, in whole batches. */
static int64_t
next_target(const spot_study_head_t *head, size_t point_id, const knowledge_t *point)
{
    const double size = (double) spot_study_batch_size(head);
    const double excess = spot_until_excess(&head->until, &point->moments);
    double wanted = (double) head->min_replications;

    if (point->num_seen > 0) {
        wanted = (double) point->num_seen * fmin(excess * excess, MAX_GROWTH);
        wanted = fmax(wanted, (double) (point->num_seen + 1));
    }
    return (int64_t) fmin(ceil(wanted / size) * size,
        (double) spot_study_point_replications(head, point_id));
}

/* Adds the replications of a point up to its target, and no others that are there: a
 * decision depends on those alone. */
static int
read_round(const spot_store_t *store, size_t point_id, size_t metric_id,
    knowledge_t *point, int64_t target)
{
    reader_t reader = {&point->moments, metric_id, target};
    const int ret = store->read(store, point_id, point->num_seen, read_row, &reader);

    point->num_seen = target;
    point->is_done = spot_until_excess(&store->head->until, &point->moments) <= 1 ||
                     target >= spot_study_point_replications(store->head, point_id);
    return ret == READ_ALL ? 0 : ret;
}

static int
next_precise(void *state, const spot_store_t *store, int64_t *targets, bool *is_more)
{
    const precision_t *self = state;
    int ret = 0;

    *is_more = false;
    for (size_t j = 0; ret == 0 && j < store->head->num_points; j++) {
        knowledge_t *point = &self->knowledge[j];

        if (!point->is_done && targets[j] > 0) {
            ret = read_round(store, j, self->metric_id, point, targets[j]);
        }
        if (!point->is_done) {
            targets[j] = next_target(store->head, j, point);
            *is_more = true;
        }
    }
    return ret;
}

static void
free_precision(void *state)
{
    precision_t *self = state;

    if (self != NULL) {
        free(self->knowledge);
        free(self);
    }
}

/* Of one shard of the points. */
static int
start_precision(spot_policy_t *policy, const spot_study_head_t *head, int64_t shard_id,
    int64_t num_shards)
{
    precision_t *self = spot_calloc(1, sizeof(*self));

    *policy = (spot_policy_t){.state = self,
        .next = next_precise,
        .free = free_precision,
        .needs_whole_points = true};
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->metric_id = spot_study_watched_metric(head);
    self->knowledge = spot_calloc(head->num_points, sizeof(*self->knowledge));
    if (self->knowledge == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_points; j++) {
        self->knowledge[j].is_done = (int64_t) j % num_shards != shard_id;
    }
    return 0;
}

/* ---- A race ---- */

/* The rows of the last round are there; points that still race get those of the next. */
static int
next_raced(void *state, const spot_store_t *store, int64_t *targets, bool *is_more)
{
    spot_race_t *race = state;
    int ret = 0;

    if (targets[0] > 0) {
        ret = spot_race_advance(race, store);
    }
    *is_more = ret == 0 && !race->is_over;
    for (size_t j = 0; *is_more && j < store->head->num_points; j++) {
        if (race->runners[j].fate == SPOT_FATE_RACING) {
            targets[j] = spot_race_point_target(race, j);
        }
    }
    return ret;
}

static void
free_race(void *state)
{
    if (state != NULL) {
        spot_race_free(state);
        free(state);
    }
}

static int
start_race(spot_policy_t *policy, const spot_study_head_t *head)
{
    spot_race_t *race = spot_calloc(1, sizeof(*race));

    *policy = (spot_policy_t){.state = race, .next = next_raced, .free = free_race};
    return race == NULL ? SPOT_ERR_NO_MEMORY : spot_race_init(race, head);
}

/* ---- Rounds ---- */

static int
start_policy(
    spot_policy_t *self, const spot_study_head_t *head, const spot_study_run_t *run)
{
    *self = (spot_policy_t){.next = next_fixed, .free = free};
    if (head->until.metric != NULL) {
        return start_precision(
            self, head, run->shard_id, run->num_shards > 0 ? run->num_shards : 1);
    }
    return head->optimise.metric != NULL ? start_race(self, head) : 0;
}

int
spot_rounds_start(
    spot_rounds_t *self, const spot_study_head_t *head, const spot_study_run_t *run)
{
    const size_t num_points = head->num_points;
    int ret;

    *self = (spot_rounds_t){.head = head, .num_shards = 1};
    self->from = spot_calloc(num_points, sizeof(*self->from));
    self->to = spot_calloc(num_points, sizeof(*self->to));
    self->first_batches = spot_calloc(num_points + 1, sizeof(*self->first_batches));
    ret = start_policy(&self->policy, head, run);
    if (self->from == NULL || self->to == NULL || self->first_batches == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (run->num_shards > 1 && !self->policy.needs_whole_points) {
        self->shard_id = run->shard_id;
        self->num_shards = run->num_shards;
    }
    return ret;
}

void
spot_rounds_free(spot_rounds_t *self)
{
    if (self->policy.free != NULL) {
        self->policy.free(self->policy.state);
    }
    free(self->from);
    free(self->to);
    free(self->first_batches);
    memset(self, 0, sizeof(*self));
}

/* Lays out the batches and takes those of the shard. */
static void
lay_out(spot_rounds_t *self)
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

int
spot_rounds_next(spot_rounds_t *self, const spot_store_t *store, bool *is_more)
{
    int ret;

    memcpy(self->from, self->to, self->head->num_points * sizeof(*self->from));
    ret = self->policy.next(self->policy.state, store, self->to, is_more);
    if (ret == 0) {
        lay_out(self);
    }
    return ret;
}

spot_batch_t
spot_rounds_batch_of(const spot_rounds_t *self, size_t point_id, int64_t batch_id)
{
    const int64_t size = spot_study_batch_size(self->head);
    const int64_t first =
        (self->from[point_id] / size + batch_id - self->first_batches[point_id]) * size;
    const int64_t end = first + size;

    return (spot_batch_t){
        point_id, first, end < self->to[point_id] ? end : self->to[point_id]};
}

spot_batch_t
spot_rounds_batch(const spot_rounds_t *self, int64_t batch_id)
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
