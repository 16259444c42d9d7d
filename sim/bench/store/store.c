/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store in memory with all rows. Writers touch rows of their own and then mark them
 * as there, so no lock is needed: a reader sees a row whole or not at all. No two
 * threads put the same row at once. */
#include "sim/bench/store/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    spot_store_t base; /* first, so that a store is one of these */
    size_t rows_per_point;
    double *rows;           /* [num_points][rows_per_point][num_metrics] */
    uint32_t *warnings;     /* [num_points][rows_per_point] */
    atomic_uchar *is_there; /* [num_points][rows_per_point] */
} memory_store_t;

static const memory_store_t *memory_store(const spot_store_t *store)
{
    return (const memory_store_t *) store;
}

static int memory_put(spot_store_t *store, const spot_piece_t *piece)
{
    const memory_store_t *self = memory_store(store);
    const size_t num_metrics = store->head->num_metrics;
    const size_t first = (size_t) piece->first_replication;
    _Atomic int64_t *counts;
    size_t first_row;

    if (piece->point_id >= store->head->num_points || piece->first_replication < 0 ||
        first > self->rows_per_point || piece->num_rows > self->rows_per_point - first) {
        return SPOT_ERR_BAD_PARAM;
    }
    first_row = piece->point_id * self->rows_per_point + first;
    counts = spot_store_counts(store, piece->point_id);
    for (size_t j = 0; j < piece->num_rows; j++) {
        const uint32_t warnings = piece->warnings == NULL ? 0 : piece->warnings[j];

        if (atomic_load_explicit(&self->is_there[first_row + j], memory_order_acquire)) {
            continue;
        }
        memcpy(&self->rows[(first_row + j) * num_metrics], &piece->rows[j * num_metrics],
            num_metrics * sizeof(*piece->rows));
        self->warnings[first_row + j] = warnings;
        atomic_store_explicit(&self->is_there[first_row + j], 1, memory_order_release);
        atomic_fetch_add(&counts[0], 1);
        for (size_t k = 0; warnings >> k != 0 && k < store->head->num_warnings; k++) {
            atomic_fetch_add(&counts[k + 1], warnings >> k & 1);
        }
    }
    return 0;
}

/* What was put is there at once. */
static int memory_flush(spot_store_t *store, spot_diag_t *diag)
{
    (void) store;
    (void) diag;
    return 0;
}

static int64_t memory_num_there(
    const spot_store_t *store, size_t point_id, int64_t first_replication)
{
    const memory_store_t *self = memory_store(store);
    const atomic_uchar *is_there =
        &self->is_there[point_id * self->rows_per_point + (size_t) first_replication];
    const int64_t left = (int64_t) self->rows_per_point - first_replication;
    const int64_t size = spot_study_batch_size(store->head);
    int64_t num = 0;

    spot_bug_assert(point_id < store->head->num_points && first_replication % size == 0);
    while (num < size && num < left && atomic_load_explicit(&is_there[num], memory_order_acquire)) {
        num++;
    }
    return num;
}

static int memory_read(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const memory_store_t *self = memory_store(store);
    const size_t num_metrics = store->head->num_metrics;
    int ret = 0;

    spot_bug_assert(point_id < store->head->num_points && first_replication >= 0);
    for (size_t j = (size_t) first_replication; ret == 0 && j < self->rows_per_point; j++) {
        const size_t row_id = point_id * self->rows_per_point + j;

        if (atomic_load_explicit(&self->is_there[row_id], memory_order_acquire)) {
            ret = function(context, &(spot_row_t){.replication = (int64_t) j,
                                        .metrics = &self->rows[row_id * num_metrics],
                                        .warnings = self->warnings[row_id]});
        }
    }
    return ret;
}

int64_t spot_store_num_rows(const spot_store_t *self, size_t point_id)
{
    return atomic_load(&spot_store_counts(self, point_id)[0]);
}

int64_t spot_store_num_warned(const spot_store_t *self, size_t point_id, size_t warning_id)
{
    spot_bug_assert(warning_id < self->head->num_warnings);
    return atomic_load(&spot_store_counts(self, point_id)[warning_id + 1]);
}

static void memory_close(spot_store_t *store)
{
    memory_store_t *self = (memory_store_t *) store;

    free(self->rows);
    free(self->warnings);
    free(self->is_there);
    free(store->counts);
    free(store->break_evens);
    free(self);
}

/* Rows of all points, or 0 where their metrics would not fit into memory's addresses. */
static size_t total_rows(const spot_study_head_t *head)
{
    const uint64_t rows_per_point = (uint64_t) head->num_replications;
    const size_t metric_bytes = (head->num_metrics + 1) * sizeof(double);

    if (rows_per_point > SIZE_MAX / head->num_points / metric_bytes) {
        return 0;
    }
    return head->num_points * (size_t) rows_per_point;
}

double spot_store_memory_bytes(const spot_study_head_t *head)
{
    const double row_bytes =
        (double) head->num_metrics * sizeof(double) + sizeof(uint32_t) + sizeof(atomic_uchar);
    const double counts_bytes = (double) (head->num_warnings + 1) * sizeof(_Atomic int64_t);

    return (double) head->num_points * ((double) head->num_replications * row_bytes + counts_bytes);
}

int spot_store_open_memory(spot_store_t **self, const spot_study_head_t *head)
{
    const size_t num_rows = total_rows(head);
    memory_store_t *store;

    spot_bug_assert(head->num_points >= 1 && head->num_replications >= 1);
    *self = NULL;
    store = num_rows == 0 ? NULL : spot_calloc(1, sizeof(*store));
    if (store == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    store->base = (spot_store_t){.head = head,
        .put = memory_put,
        .flush = memory_flush,
        .num_there = memory_num_there,
        .read = memory_read,
        .num_rows = spot_store_num_rows,
        .num_warned = spot_store_num_warned,
        .close = memory_close};
    store->rows_per_point = num_rows / head->num_points;
    store->rows = spot_calloc(num_rows * head->num_metrics, sizeof(*store->rows));
    store->warnings = spot_calloc(num_rows, sizeof(*store->warnings));
    store->is_there = spot_calloc(num_rows, sizeof(*store->is_there));
    store->base.counts =
        spot_calloc(head->num_points * (head->num_warnings + 1), sizeof(*store->base.counts));
    if (store->rows == NULL || store->warnings == NULL || store->is_there == NULL ||
        store->base.counts == NULL) {
        memory_close(&store->base);
        return SPOT_ERR_NO_MEMORY;
    }
    *self = &store->base;
    return 0;
}

/* ---- Break-evens ---- */

int spot_store_keep_break_evens(
    spot_store_t *self, size_t num_items, const spot_break_even_t *items)
{
    spot_break_even_t *copy = spot_calloc(num_items, sizeof(*copy));
    int ret = copy == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && self->put_break_evens != NULL) {
        ret = self->put_break_evens(self, num_items, items);
    }
    if (ret != 0) {
        free(copy);
        return ret;
    }
    memcpy(copy, items, num_items * sizeof(*copy));
    free(self->break_evens);
    self->break_evens = copy;
    self->num_break_evens = num_items;
    return 0;
}
