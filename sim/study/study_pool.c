/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers draw batches of replications by an atomic ticket. A batch depends on the plan
 * alone, never on the number of workers, and so do the rows. */
#include "sim/study/study_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    const spot_round_t *round;
    int64_t *first_batches; /* [num_points + 1] of the round: batches of points before */
    int64_t end_batch;      /* of the shard */
    int64_t first_batch;
    atomic_llong next_batch; /* tickets, first_batch to end_batch */
    atomic_llong num_done;   /* replications */
    int64_t num_wanted;
    atomic_int error; /* first one of any worker */
    pthread_mutex_t progress_lock;
} pool_t;

/* The memory of one worker. */
typedef struct {
    size_t point_id;              /* of worker */
    void *worker;                 /* of the experiment; NULL: none yet */
    double all[SPOT_MAX_METRICS]; /* metrics of the experiment */
    double *rows;                 /* [batch size][num_metrics] those kept */
    uint32_t *warnings;           /* [batch size] */
    unsigned char flags[SPOT_MAX_WARNINGS];
} scratch_t;

/* The worker's memory serves as long as the point stays the same. */
static int
open_worker(const pool_t *pool, scratch_t *scratch, size_t point_id)
{
    const spot_study_t *study = pool->study;

    if (scratch->worker != NULL && scratch->point_id == point_id) {
        return 0;
    }
    study->experiment->close(scratch->worker);
    scratch->worker = NULL;
    scratch->point_id = point_id;
    return study->experiment->open(&scratch->worker, study->scenarios[point_id]);
}

/* The row_id-th row of the scratch. */
static int
run_replication(
    const pool_t *pool, scratch_t *scratch, int64_t replication, int64_t row_id)
{
    const spot_study_t *study = pool->study;
    double *row = &scratch->rows[(size_t) row_id * study->head.num_metrics];
    const int ret = study->experiment->run(scratch->worker, study->head.seed,
        (uint64_t) replication, scratch->all, scratch->flags);
    uint32_t warnings = 0;

    for (size_t j = 0; ret == 0 && j < study->head.num_metrics; j++) {
        row[j] = scratch->all[study->metric_ids[j]] + 0.0; /* -0 becomes 0 */
    }
    for (size_t j = 0; ret == 0 && j < study->experiment->num_warnings; j++) {
        warnings |= (uint32_t) (scratch->flags[j] != 0) << j;
    }
    scratch->warnings[row_id] = warnings;
    return ret;
}

/* Replications of [first, end), all of one batch, that need not be run. A summary cannot
 * be added to: its batch is run again as a whole. */
static int64_t
num_done_before(const pool_t *pool, size_t point_id, int64_t first, int64_t end)
{
    const int64_t num_there = pool->store->num_there(pool->store, point_id, first);

    return pool->store->head->keep == SPOT_KEEP_ROWS || num_there >= end - first
               ? num_there
               : 0;
}

/* Runs the replications of [first, end), all of one batch, that are not there yet. */
static int
run_batch(pool_t *pool, scratch_t *scratch, size_t point_id, int64_t first, int64_t end)
{
    const int64_t num_there = num_done_before(pool, point_id, first, end);
    const int64_t num_rows = end - first - num_there;
    const spot_piece_t piece = {point_id, first + num_there, (size_t) num_rows,
        scratch->rows, scratch->warnings};
    int ret = 0;

    if (num_rows > 0) {
        ret = open_worker(pool, scratch, point_id);
        for (int64_t j = 0; ret == 0 && j < num_rows; j++) {
            ret = run_replication(pool, scratch, piece.first_replication + j, j);
        }
        if (ret == 0) {
            ret = pool->store->put(pool->store, &piece);
        }
    }
    atomic_fetch_add(&pool->num_done, end - first);
    return ret;
}

/* The point that a batch of the round belongs to. O(log points). */
static size_t
point_of(const pool_t *pool, int64_t batch_id)
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
batch_end(const pool_t *pool, size_t point_id, int64_t batch_id, int64_t *first)
{
    const int64_t size = spot_study_batch_size(&pool->study->head);
    const int64_t target = pool->round->to[point_id];

    *first =
        (pool->round->from[point_id] / size + batch_id - pool->first_batches[point_id]) *
        size;
    return *first + size < target ? *first + size : target;
}

static int
run_ticket(pool_t *pool, scratch_t *scratch, int64_t ticket)
{
    const int64_t batch_id = pool->store->is_backward
                                 ? pool->end_batch - 1 - (ticket - pool->first_batch)
                                 : ticket;
    const size_t point_id = point_of(pool, batch_id);
    int64_t first;
    const int64_t end = batch_end(pool, point_id, batch_id, &first);

    return run_batch(pool, scratch, point_id, first, end);
}

static void
tell_progress(pool_t *pool)
{
    if (pthread_mutex_trylock(&pool->progress_lock) == 0) {
        spot_watch_tell(
            &pool->run->watch, atomic_load(&pool->num_done), pool->num_wanted);
        pthread_mutex_unlock(&pool->progress_lock);
    }
}

static void
keep_first_error(pool_t *pool, int error)
{
    int none = 0;

    atomic_compare_exchange_strong(&pool->error, &none, error);
}

static void *
work(void *context)
{
    pool_t *pool = context;
    const size_t size = (size_t) spot_study_batch_size(&pool->study->head);
    scratch_t scratch = {.worker = NULL};
    int ret = 0;

    scratch.rows =
        spot_calloc(size * pool->study->head.num_metrics, sizeof(*scratch.rows));
    scratch.warnings = spot_calloc(size, sizeof(*scratch.warnings));
    ret = scratch.rows == NULL || scratch.warnings == NULL ? SPOT_ERR_NO_MEMORY : 0;
    while (ret == 0 && atomic_load(&pool->error) == 0) {
        const int64_t ticket = atomic_fetch_add(&pool->next_batch, 1);

        if (ticket >= pool->end_batch) {
            break;
        }
        ret = spot_watch_is_stopped(&pool->run->watch)
                  ? SPOT_ERR_INTERRUPTED
                  : run_ticket(pool, &scratch, ticket);
        tell_progress(pool);
    }
    if (ret != 0) {
        keep_first_error(pool, ret);
    }
    pool->study->experiment->close(scratch.worker);
    free(scratch.warnings);
    free(scratch.rows);
    return NULL;
}

/* Lays the batches of the round out, one point after another, and takes the shard's part
 * of them. */
static int
lay_out(pool_t *pool)
{
    const spot_round_t *round = pool->round;
    const size_t num_points = pool->study->head.num_points;
    const int64_t size = spot_study_batch_size(&pool->study->head);
    int64_t num_batches = 0;

    pool->first_batches = spot_calloc(num_points + 1, sizeof(*pool->first_batches));
    if (pool->first_batches == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_points; j++) {
        pool->first_batches[j] = num_batches;
        if (round->to[j] > round->from[j]) {
            num_batches += (round->to[j] + size - 1) / size - round->from[j] / size;
        }
    }
    pool->first_batches[num_points] = num_batches;
    pool->first_batch = num_batches * round->shard_id / round->num_shards;
    atomic_store(&pool->next_batch, pool->first_batch);
    pool->end_batch = num_batches * (round->shard_id + 1) / round->num_shards;
    return 0;
}

/* The replications of the shard's batches. */
static int64_t
num_wanted(const pool_t *pool)
{
    int64_t num = 0, first;

    for (int64_t j = pool->first_batch; j < pool->end_batch; j++) {
        num += batch_end(pool, point_of(pool, j), j, &first);
        num -= first;
    }
    return num;
}

/* The calling thread is the last worker, or the only one. */
static void
run_threads(pool_t *pool, pthread_t *threads, int num_threads)
{
    int num_started = 0;

    pthread_mutex_init(&pool->progress_lock, NULL);
    while (num_started < num_threads - 1 &&
           pthread_create(&threads[num_started], NULL, work, pool) == 0) {
        num_started++;
    }
    (void) work(pool);
    for (int j = 0; j < num_started; j++) {
        pthread_join(threads[j], NULL);
    }
    pthread_mutex_destroy(&pool->progress_lock);
}

int
spot_study_run_round(const spot_study_t *self, spot_store_t *store,
    const spot_study_run_t *run, const spot_round_t *round)
{
    pool_t pool = {.study = self, .store = store, .run = run, .round = round};
    pthread_t *threads = spot_calloc((size_t) run->num_threads, sizeof(*threads));
    int ret = threads == NULL ? SPOT_ERR_NO_MEMORY : lay_out(&pool);

    if (ret == 0) {
        pool.num_wanted = num_wanted(&pool);
        run_threads(&pool, threads, run->num_threads);
        ret = atomic_load(&pool.error);
    }
    free(pool.first_batches);
    free(threads);
    return ret;
}
