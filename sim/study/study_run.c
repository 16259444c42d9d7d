/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pool: workers draw batches of replications by an atomic ticket. A batch depends on
 * the plan alone, never on the number of workers, and so do the rows. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/study/study.h"

/* Replications in a batch: enough to make opening a worker's memory cheap. */
#define BATCH_REPLICATIONS 64

typedef struct {
    const spot_study_t *study;
    spot_store_t *store;
    const spot_study_run_t *run;
    int64_t batches_per_point;
    int64_t num_batches;
    atomic_llong next_batch;
    atomic_llong num_done; /* replications */
    atomic_int error;      /* first one of any worker */
    pthread_mutex_t progress_lock;
} pool_t;

/* The memory of one worker. */
typedef struct {
    size_t point_id;              /* of worker */
    void *worker;                 /* of the experiment; NULL: none yet */
    double all[SPOT_MAX_METRICS]; /* metrics of the experiment */
    double *rows;                 /* [BATCH_REPLICATIONS][num_metrics] those kept */
    unsigned char warnings[SPOT_MAX_WARNINGS];
    int64_t num_warned[SPOT_MAX_WARNINGS];
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

static int
run_replication(const pool_t *pool, scratch_t *scratch, int64_t replication, double *row)
{
    const spot_study_t *study = pool->study;
    const int ret = study->experiment->run(scratch->worker, study->head.seed,
        (uint64_t) replication, scratch->all, scratch->warnings);

    for (size_t j = 0; ret == 0 && j < study->head.num_metrics; j++) {
        row[j] = scratch->all[study->metric_ids[j]];
    }
    for (size_t j = 0; ret == 0 && j < study->experiment->num_warnings; j++) {
        scratch->num_warned[j] += scratch->warnings[j];
    }
    return ret;
}

static int
run_batch(pool_t *pool, scratch_t *scratch, int64_t batch_id)
{
    const spot_study_t *study = pool->study;
    const size_t point_id = (size_t) (batch_id / pool->batches_per_point);
    const int64_t first = batch_id % pool->batches_per_point * BATCH_REPLICATIONS;
    const int64_t left = study->head.num_replications - first;
    const int64_t num_rows = left < BATCH_REPLICATIONS ? left : BATCH_REPLICATIONS;
    int ret = open_worker(pool, scratch, point_id);

    memset(scratch->num_warned, 0, sizeof(scratch->num_warned));
    for (int64_t j = 0; ret == 0 && j < num_rows; j++) {
        ret = run_replication(pool, scratch, first + j,
            scratch->rows + (size_t) j * study->head.num_metrics);
    }
    if (ret == 0) {
        ret = pool->store->put(pool->store, point_id, (uint64_t) first,
            (size_t) num_rows, scratch->rows, scratch->num_warned);
        atomic_fetch_add(&pool->num_done, num_rows);
    }
    return ret;
}

static void
tell_progress(pool_t *pool)
{
    const spot_study_head_t *head = &pool->study->head;

    if (pthread_mutex_trylock(&pool->progress_lock) == 0) {
        spot_watch_tell(&pool->run->watch, atomic_load(&pool->num_done),
            (int64_t) head->num_points * head->num_replications);
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
    scratch_t scratch = {.worker = NULL};
    int ret = 0;

    scratch.rows = spot_calloc(
        BATCH_REPLICATIONS * pool->study->head.num_metrics, sizeof(*scratch.rows));
    ret = scratch.rows == NULL ? SPOT_ERR_NO_MEMORY : 0;
    while (ret == 0 && atomic_load(&pool->error) == 0) {
        const int64_t batch_id = atomic_fetch_add(&pool->next_batch, 1);

        if (batch_id >= pool->num_batches) {
            break;
        }
        ret = spot_watch_is_stopped(&pool->run->watch)
                  ? SPOT_ERR_INTERRUPTED
                  : run_batch(pool, &scratch, batch_id);
        tell_progress(pool);
    }
    if (ret != 0) {
        keep_first_error(pool, ret);
    }
    pool->study->experiment->close(scratch.worker);
    free(scratch.rows);
    return NULL;
}

int
spot_study_run(
    const spot_study_t *self, spot_store_t *store, const spot_study_run_t *run)
{
    pool_t pool = {.study = self, .store = store, .run = run};
    pthread_t *threads = spot_calloc((size_t) run->num_threads, sizeof(*threads));
    int num_started = 0;

    if (threads == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    pool.batches_per_point =
        (self->head.num_replications + BATCH_REPLICATIONS - 1) / BATCH_REPLICATIONS;
    pool.num_batches = pool.batches_per_point * (int64_t) self->head.num_points;
    pthread_mutex_init(&pool.progress_lock, NULL);
    while (num_started < run->num_threads - 1 &&
           pthread_create(&threads[num_started], NULL, work, &pool) == 0) {
        num_started++;
    }
    (void) work(&pool); /* the calling thread is the last worker, or the only one */
    for (int j = 0; j < num_started; j++) {
        pthread_join(threads[j], NULL);
    }
    pthread_mutex_destroy(&pool.progress_lock);
    free(threads);
    return atomic_load(&pool.error);
}
