/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers draw batches of replications by an atomic ticket. A batch depends on the plan
 * alone, never on the number of workers, and so do the rows. */
#include "sim/study/running.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int
spot_threads_run(int64_t num_threads, void *(*work)(void *context), void *context)
{
    pthread_t *threads = spot_calloc((size_t) num_threads, sizeof(*threads));
    int64_t num_started = 0;

    if (threads == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    while (num_started < num_threads - 1 &&
           pthread_create(&threads[num_started], NULL, work, context) == 0) {
        num_started++;
    }
    (void) work(context);
    for (int64_t j = 0; j < num_started; j++) {
        pthread_join(threads[j], NULL);
    }
    free(threads);
    return 0;
}

struct spot_pool {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    spot_diag_t *diag;
    size_t watched_metric;

    const spot_round_t *round;
    int64_t *first_batches; /* [num_points + 1] of the round: batches of points before */
    int64_t first_batch;    /* of the shard, and the one behind its last */
    int64_t end_batch;
    atomic_llong next_batch; /* first_batch to end_batch */
    atomic_int error;        /* first one of any worker */

    pthread_mutex_t lock; /* of all below */
    spot_study_progress_t progress;
    spot_moments_t *watched; /* [num_points] */
    int64_t *num_done;       /* [num_points] replications that are there */
};

/* The memory of one worker. */
typedef struct {
    spot_study_worker_t worker;
    double *all;        /* metrics of the experiment */
    double *rows;       /* [batch size][num_metrics] those kept */
    uint32_t *warnings; /* [batch size] */
    unsigned char flags[SPOT_MAX_WARNINGS];
} scratch_t;

/* The row_id-th row of the scratch. */
static int
run_replication(
    const spot_pool_t *pool, scratch_t *scratch, int64_t replication, int64_t row_id)
{
    const spot_study_t *study = pool->study;
    const spot_metric_layout_t *layout =
        spot_yield_layout(&study->yield, scratch->worker.point_id);
    double *row = &scratch->rows[(size_t) row_id * study->head.num_metrics];
    const spot_replication_t wanted = {
        study->head.seed, (uint64_t) replication, pool->run->stop};
    uint32_t warnings = 0;
    int ret;

    memset(scratch->flags, 0, sizeof(scratch->flags));
    ret = study->experiment->run(
        scratch->worker.worker, &wanted, scratch->all, scratch->flags, NULL);

    for (size_t j = 0; ret == 0 && j < study->head.num_metrics; j++) {
        row[j] = (double) NAN;
    }
    for (size_t j = 0; ret == 0 && j < layout->num_metrics; j++) {
        if (layout->columns[j] >= 0) {
            row[layout->columns[j]] = scratch->all[j] + 0.0; /* -0 becomes 0 */
        }
    }
    for (size_t j = 0; ret == 0 && j < study->experiment->num_warnings; j++) {
        warnings |= (uint32_t) (scratch->flags[j] != 0) << j;
    }
    scratch->warnings[row_id] = warnings;
    return ret;
}

/* A batch of a point is there, num_rows of its replications were run now. The watched
 * values are added in the order in which batches end: they are for watching only. */
static void
tell_progress(
    spot_pool_t *self, const spot_piece_t *piece, int64_t num_there, int64_t target)
{
    const size_t num_metrics = self->study->head.num_metrics;
    const size_t point_id = piece->point_id;

    pthread_mutex_lock(&self->lock);
    for (size_t j = 0; j < piece->num_rows; j++) {
        const double value = piece->rows[j * num_metrics + self->watched_metric];

        if (isfinite(value)) {
            spot_moments_add(&self->watched[point_id], value);
        }
    }
    self->num_done[point_id] += (int64_t) piece->num_rows + num_there;
    self->progress.num_points_done += self->num_done[point_id] >= target;
    self->progress.num_done += (int64_t) piece->num_rows + num_there;
    self->progress.num_run += (int64_t) piece->num_rows;
    if (self->run->progress != NULL) {
        self->run->progress(self->run->context, &self->progress);
    }
    pthread_mutex_unlock(&self->lock);
}

/* Runs the replications of [first, end), all of one batch, that are not there yet. */
static int
run_batch(
    spot_pool_t *pool, scratch_t *scratch, size_t point_id, int64_t first, int64_t end)
{
    const int64_t there = pool->store->num_there(pool->store, point_id, first);
    const int64_t num_there = there < end - first ? there : end - first;
    const spot_piece_t piece = {point_id, first + num_there,
        (size_t) (end - first - num_there), scratch->rows, scratch->warnings};
    int ret = 0;

    if (piece.num_rows > 0) {
        ret = spot_study_worker_go(&scratch->worker, pool->study, point_id, pool->diag);
        for (int64_t j = 0; ret == 0 && first + num_there + j < end; j++) {
            ret = run_replication(pool, scratch, first + num_there + j, j);
        }
        if (ret == 0) {
            ret = pool->store->put(pool->store, &piece);
        }
    }
    if (ret == 0) {
        tell_progress(pool, &piece, num_there, pool->round->to[point_id]);
    }
    return ret;
}

/* The point that a batch of the round belongs to. O(log points). */
static size_t
point_of(const spot_pool_t *pool, int64_t batch_id)
{
    size_t low = 0, high = pool->study->head.num_points;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (pool->first_batches[middle] <= batch_id) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The replications [*first, return value) of a batch of the round. */
static int64_t
batch_end(const spot_pool_t *pool, size_t point_id, int64_t batch_id, int64_t *first)
{
    const int64_t size = spot_study_batch_size(&pool->study->head);
    const int64_t target = pool->round->to[point_id];

    *first =
        (pool->round->from[point_id] / size + batch_id - pool->first_batches[point_id]) *
        size;
    return *first + size < target ? *first + size : target;
}

static int
run_laid_out(spot_pool_t *pool, scratch_t *scratch, int64_t batch_id)
{
    const size_t point_id = point_of(pool, batch_id);
    int64_t first;
    const int64_t end = batch_end(pool, point_id, batch_id, &first);

    return run_batch(pool, scratch, point_id, first, end);
}

static void
keep_first_error(spot_pool_t *pool, int error)
{
    int none = 0;

    atomic_compare_exchange_strong(&pool->error, &none, error);
}

static void *
work(void *context)
{
    spot_pool_t *pool = context;
    const size_t size = (size_t) spot_study_batch_size(&pool->study->head);
    scratch_t scratch = {.all = NULL};
    int ret = 0;

    scratch.rows =
        spot_calloc(size * pool->study->head.num_metrics, sizeof(*scratch.rows));
    scratch.warnings = spot_calloc(size, sizeof(*scratch.warnings));
    scratch.all =
        spot_calloc(pool->study->yield.outputs.num_metrics, sizeof(*scratch.all));
    ret = scratch.rows == NULL || scratch.warnings == NULL || scratch.all == NULL
              ? SPOT_ERR_NO_MEMORY
              : 0;
    while (ret == 0 && atomic_load(&pool->error) == 0) {
        const int64_t batch_id = atomic_fetch_add(&pool->next_batch, 1);

        if (batch_id >= pool->end_batch) {
            break;
        }
        ret = pool->run->stop != NULL && atomic_load(pool->run->stop) != 0
                  ? SPOT_ERR_INTERRUPTED
                  : run_laid_out(pool, &scratch, batch_id);
    }
    if (ret != 0) {
        keep_first_error(pool, ret);
    }
    spot_study_worker_close(&scratch.worker);
    free(scratch.warnings);
    free(scratch.rows);
    free(scratch.all);
    return NULL;
}

/* Lays the batches of the round out, one point after another, and takes the shard's part
 * of them. */
static void
lay_out(spot_pool_t *self, const spot_round_t *round)
{
    const size_t num_points = self->study->head.num_points;
    const int64_t size = spot_study_batch_size(&self->study->head);
    int64_t num_batches = 0;

    self->round = round;
    for (size_t j = 0; j < num_points; j++) {
        self->first_batches[j] = num_batches;
        if (round->to[j] > round->from[j]) {
            num_batches += (round->to[j] + size - 1) / size - round->from[j] / size;
        }
    }
    self->first_batches[num_points] = num_batches;
    self->first_batch =
        spot_shard_first_batch(num_batches, round->shard_id, round->num_shards);
    atomic_store(&self->next_batch, self->first_batch);
    self->end_batch =
        spot_shard_first_batch(num_batches, round->shard_id + 1, round->num_shards);
}

/* What there will be at the end of the round: of the shard's points all of what earlier
 * rounds have seen to, and the shard's batches. A batch that an earlier round began
 * counts as a whole again. */
static void
start_progress(spot_pool_t *self)
{
    const spot_round_t *round = self->round;
    spot_study_progress_t *progress = &self->progress;

    progress->num_done = 0;
    progress->num_points_done = 0;
    for (size_t j = 0; j < self->study->head.num_points; j++) {
        const bool is_more = round->to[j] > round->from[j];
        const int64_t size = spot_study_batch_size(&self->study->head);

        self->num_done[j] = is_more ? round->from[j] / size * size : round->to[j];
        progress->num_done += self->num_done[j];
        progress->num_points_done += !is_more && round->to[j] > 0;
    }
    progress->num_wanted = progress->num_done;
    for (int64_t j = self->first_batch; j < self->end_batch; j++) {
        int64_t first;

        progress->num_wanted += batch_end(self, point_of(self, j), j, &first);
        progress->num_wanted -= first;
    }
}

int
spot_pool_run_round(spot_pool_t *self, const spot_round_t *round)
{
    int ret;

    lay_out(self, round);
    start_progress(self);
    ret = spot_threads_run(self->run->num_threads, work, self);
    return ret == 0 ? atomic_load(&self->error) : ret;
}

const spot_study_progress_t *
spot_pool_progress(const spot_pool_t *self)
{
    return &self->progress;
}

int
spot_pool_open(spot_pool_t **self, const spot_study_t *study, spot_store_t *store,
    const spot_study_run_t *run, spot_diag_t *diag)
{
    const size_t num_points = study->head.num_points;
    spot_pool_t *pool = spot_calloc(1, sizeof(*pool));

    *self = NULL;
    if (pool == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    pool->study = study;
    pool->store = store;
    pool->run = run;
    pool->diag = diag;
    pool->watched_metric = spot_study_watched_metric(&study->head);
    pool->first_batches = spot_calloc(num_points + 1, sizeof(*pool->first_batches));
    pool->watched = spot_calloc(num_points, sizeof(*pool->watched));
    pool->num_done = spot_calloc(num_points, sizeof(*pool->num_done));
    pool->progress.study = study;
    pool->progress.watched = pool->watched;
    pthread_mutex_init(&pool->lock, NULL);
    if (pool->first_batches == NULL || pool->watched == NULL || pool->num_done == NULL) {
        spot_pool_close(pool);
        return SPOT_ERR_NO_MEMORY;
    }
    *self = pool;
    return 0;
}

void
spot_pool_close(spot_pool_t *self)
{
    if (self != NULL) {
        pthread_mutex_destroy(&self->lock);
        free(self->first_batches);
        free(self->watched);
        free(self->num_done);
        free(self);
    }
}
