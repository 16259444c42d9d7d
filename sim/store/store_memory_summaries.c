/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store in memory with keep: summaries. Of each batch it keeps the bytes of its
 * summary, which are many times fewer than its rows. Summaries are made by those who put
 * them; only taking them over is one at a time. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/batch_summary.h"
#include "sim/store/store_memory.h"

typedef struct {
    int64_t num_rows; /* 0: it is not there */
    size_t num_bytes;
    uint8_t *bytes; /* [num_bytes] or NULL */
} batch_t;

/* All that changes; under the lock. */
typedef struct {
    pthread_mutex_t lock;
    size_t batches_per_point;
    batch_t *batches; /* [num_points][batches_per_point] */
    int64_t *counts;  /* [num_points] replications that are there */
    int64_t *warned;  /* [num_points][num_warnings] */
} work_t;

typedef struct {
    spot_store_t base; /* first, so that a store is one of these */
    work_t *work;
} summaries_store_t;

static work_t *
work_of(const spot_store_t *store)
{
    return ((const summaries_store_t *) store)->work;
}

static batch_t *
batch_at(const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    const work_t *work = work_of(store);

    spot_bug_assert(point_id < store->head->num_points && first_replication >= 0 &&
                    first_replication < store->head->num_replications);
    return &work->batches[point_id * work->batches_per_point +
                          (size_t) (first_replication / SPOT_BATCH_SUMMARISED)];
}

static bool
fits(const spot_study_head_t *head, const spot_piece_t *piece)
{
    return piece->point_id < head->num_points && piece->first_replication >= 0 &&
           piece->first_replication < head->num_replications &&
           piece->first_replication % SPOT_BATCH_SUMMARISED == 0 &&
           piece->num_rows >= 1 && piece->num_rows <= SPOT_BATCH_SUMMARISED &&
           piece->num_rows <=
               (size_t) (head->num_replications - piece->first_replication);
}

/* Counts the rows of a piece that were not there; those that were are the same. */
static void
count_rows(spot_store_t *store, const spot_piece_t *piece, int64_t num_before)
{
    const size_t num_warnings = store->head->num_warnings;
    work_t *work = work_of(store);

    work->counts[piece->point_id] += (int64_t) piece->num_rows - num_before;
    for (size_t j = (size_t) num_before; piece->warnings != NULL && j < piece->num_rows;
         j++) {
        for (size_t k = 0; k < num_warnings; k++) {
            work->warned[piece->point_id * num_warnings + k] +=
                piece->warnings[j] >> k & 1;
        }
    }
}

/* Takes over a copy of bytes, unless as many rows are there. */
static int
keep_batch(spot_store_t *store, const spot_piece_t *piece, const spot_bytes_t *bytes)
{
    batch_t *batch = batch_at(store, piece->point_id, piece->first_replication);
    const int64_t num_rows = (int64_t) piece->num_rows;
    uint8_t *copy = malloc(bytes->num_bytes);
    uint8_t *spare = copy;
    work_t *work = work_of(store);

    if (copy == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(copy, bytes->bytes, bytes->num_bytes);
    pthread_mutex_lock(&work->lock);
    if (batch->num_rows < num_rows) {
        count_rows(store, piece, batch->num_rows);
        spare = batch->bytes;
        *batch = (batch_t){num_rows, bytes->num_bytes, copy};
    }
    pthread_mutex_unlock(&work->lock);
    free(spare);
    return 0;
}

static int
summaries_put(spot_store_t *store, const spot_piece_t *piece)
{
    spot_bytes_t bytes = {0};
    int ret;

    if (!fits(store->head, piece)) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = spot_batch_summary_bytes(
        piece->rows, piece->num_rows, store->head->num_metrics, &bytes);
    if (ret == 0) {
        ret = keep_batch(store, piece, &bytes);
    }
    spot_bytes_free(&bytes);
    return ret;
}

static int
summaries_flush(spot_store_t *store, spot_diag_t *diag)
{
    (void) store;
    (void) diag;
    return 0;
}

static int64_t
summaries_num_there(
    const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    const batch_t *batch = batch_at(store, point_id, first_replication);
    work_t *work = work_of(store);
    int64_t num_rows;

    pthread_mutex_lock(&work->lock);
    num_rows = batch->num_rows;
    pthread_mutex_unlock(&work->lock);
    return num_rows;
}

static int
summaries_read(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    (void) store;
    (void) point_id;
    (void) first_replication;
    (void) function;
    (void) context;
    return SPOT_ERR_BAD_PARAM;
}

static int
summaries_read_metrics(const spot_store_t *store, const spot_wanted_rows_t *wanted,
    spot_row_function_t function, void *context)
{
    return summaries_read(
        store, wanted->point_id, wanted->first_replication, function, context);
}

/* The summary of a batch as it is now. *num_rows: 0 where it is not there. */
static int
decode(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_batch_summary_t *summary, int64_t *num_rows)
{
    const batch_t *batch = batch_at(store, point_id, first_replication);
    work_t *work = work_of(store);
    int ret = 0;

    pthread_mutex_lock(&work->lock);
    *num_rows = batch->num_rows;
    if (batch->num_rows > 0) {
        ret = spot_batch_summary_read(summary, batch->bytes, batch->num_bytes);
    }
    pthread_mutex_unlock(&work->lock);
    return ret;
}

static int
summaries_read_summaries(const spot_store_t *store, size_t point_id,
    int64_t first_replication, spot_batch_function_t function, void *context)
{
    const int64_t size = SPOT_BATCH_SUMMARISED;
    spot_batch_summary_t summary;
    int ret = spot_batch_summary_init(&summary, store->head->num_metrics);

    for (int64_t j = (first_replication + size - 1) / size * size;
         ret == 0 && j < store->head->num_replications; j += size) {
        int64_t num_rows = 0;

        ret = decode(store, point_id, j, &summary, &num_rows);
        if (ret == 0 && num_rows > 0) {
            ret = function(context, j, num_rows, summary.columns);
        }
    }
    spot_batch_summary_free(&summary);
    return ret;
}

static int64_t
count_of(const spot_store_t *store, const int64_t *count)
{
    work_t *work = work_of(store);
    int64_t value;

    pthread_mutex_lock(&work->lock);
    value = *count;
    pthread_mutex_unlock(&work->lock);
    return value;
}

static int64_t
summaries_num_rows(const spot_store_t *store, size_t point_id)
{
    spot_bug_assert(point_id < store->head->num_points);
    return count_of(store, &work_of(store)->counts[point_id]);
}

static int64_t
summaries_num_warned(const spot_store_t *store, size_t point_id, size_t warning_id)
{
    const spot_study_head_t *head = store->head;

    spot_bug_assert(point_id < head->num_points && warning_id < head->num_warnings);
    return count_of(
        store, &work_of(store)->warned[point_id * head->num_warnings + warning_id]);
}

static void
summaries_close(spot_store_t *store)
{
    work_t *work = work_of(store);
    const size_t num_batches = store->head->num_points * work->batches_per_point;

    for (size_t j = 0; work->batches != NULL && j < num_batches; j++) {
        free(work->batches[j].bytes);
    }
    free(work->batches);
    free(work->counts);
    free(work->warned);
    pthread_mutex_destroy(&work->lock);
    free(work);
    free(store);
}

static work_t *
new_work(void)
{
    work_t *work = spot_calloc(1, sizeof(*work));

    if (work != NULL && pthread_mutex_init(&work->lock, NULL) != 0) {
        free(work);
        work = NULL;
    }
    return work;
}

/* Batches of all points, or 0 where they would not fit into memory's addresses. */
static size_t
total_batches(const spot_study_head_t *head)
{
    const uint64_t num =
        ((uint64_t) head->num_replications - 1) / SPOT_BATCH_SUMMARISED + 1;

    return num > SIZE_MAX / head->num_points / sizeof(batch_t)
               ? 0
               : head->num_points * (size_t) num;
}

int
spot_store_open_memory_summaries(spot_store_t **self, const spot_study_head_t *head)
{
    const size_t num_batches = total_batches(head);
    summaries_store_t *store = spot_calloc(1, sizeof(*store));
    work_t *work = num_batches == 0 ? NULL : new_work();

    *self = NULL;
    if (store == NULL || work == NULL) {
        free(store);
        if (work != NULL) {
            pthread_mutex_destroy(&work->lock);
        }
        free(work);
        return SPOT_ERR_NO_MEMORY;
    }
    store->work = work;
    store->base = (spot_store_t){.head = head,
        .put = summaries_put,
        .flush = summaries_flush,
        .num_there = summaries_num_there,
        .read = summaries_read,
        .read_metrics = summaries_read_metrics,
        .read_summaries = summaries_read_summaries,
        .num_rows = summaries_num_rows,
        .num_warned = summaries_num_warned,
        .close = summaries_close};
    work->batches_per_point = num_batches / head->num_points;
    work->batches = spot_calloc(num_batches, sizeof(*work->batches));
    work->counts = spot_calloc(head->num_points, sizeof(*work->counts));
    work->warned =
        spot_calloc(head->num_points * head->num_warnings, sizeof(*work->warned));
    if (work->batches == NULL || work->counts == NULL || work->warned == NULL) {
        summaries_close(&store->base);
        return SPOT_ERR_NO_MEMORY;
    }
    *self = &store->base;
    return 0;
}
