/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/store/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/store/point_groups.h"

/* Rows of the other point that are in memory. */
#define BLOCK_ROWS 1024

/* What stops a reading. */
enum { IS_FULL = 1, IS_DONE };

/* Two points side by side. Their items are replications or the means of batches, each
 * with a key by which it is the same item at both: its last replication. */
typedef struct {
    const spot_store_t *store;
    size_t base_id;
    spot_paired_t *pairs; /* [num_metrics] */
    size_t num_items;     /* of the base, that lie ready */
    size_t next_id;       /* the first of them that the point has not passed */
    bool is_last;         /* the base has nothing behind them */
    size_t max_keys;
    int64_t *keys; /* [num_items] ascending */
    size_t max_values;
    double *values; /* [num_items][num_metrics] */
} pairing_t;

static int
keep_item(pairing_t *self, int64_t key, const double *metrics)
{
    const size_t num_metrics = self->store->head->num_metrics;
    void *keys = self->keys, *values = self->values;
    int ret =
        spot_array_reserve(&keys, &self->max_keys, self->num_items + 1, sizeof(key));

    self->keys = keys;
    if (ret == 0) {
        ret = spot_array_reserve(&values, &self->max_values,
            (self->num_items + 1) * num_metrics, sizeof(*metrics));
        self->values = values;
    }
    if (ret == 0) {
        self->keys[self->num_items] = key;
        memcpy(&self->values[self->num_items * num_metrics], metrics,
            num_metrics * sizeof(*metrics));
        self->num_items++;
    }
    return ret;
}

static int
keep_row(void *context, const spot_row_t *row)
{
    pairing_t *self = context;
    const int ret = keep_item(self, row->replication, row->metrics);

    return ret == 0 && self->num_items == BLOCK_ROWS ? IS_FULL : ret;
}

/* The next rows of the base, from a replication on. */
static int
read_base(pairing_t *self, int64_t first_replication)
{
    int ret;

    self->num_items = 0;
    self->next_id = 0;
    ret =
        self->store->read(self->store, self->base_id, first_replication, keep_row, self);
    self->is_last = ret == 0;
    return ret == IS_FULL ? 0 : ret;
}

static int
pair_item(pairing_t *self, int64_t key, const double *metrics)
{
    const size_t num_metrics = self->store->head->num_metrics;
    int ret = 0;

    while (self->next_id < self->num_items && self->keys[self->next_id] < key) {
        self->next_id++;
    }
    if (self->next_id == self->num_items && !self->is_last) {
        ret = read_base(self, key);
    }
    if (ret == 0 && self->next_id == self->num_items) {
        return IS_DONE;
    }
    if (ret == 0 && self->keys[self->next_id] == key) {
        for (size_t j = 0; j < num_metrics; j++) {
            spot_paired_add(&self->pairs[j], metrics[j],
                self->values[self->next_id * num_metrics + j]);
        }
    }
    return ret;
}

static int
pair_row(void *context, const spot_row_t *row)
{
    return pair_item(context, row->replication, row->metrics);
}

/* A batch as an item; one that is cut short only if it is the first, which has no others
 * beside it. */
static int
take_batch(pairing_t *self, int64_t first_replication, int64_t num_rows,
    const spot_column_summary_t *columns,
    int (*take_item)(pairing_t *self, int64_t key, const double *metrics))
{
    double means[SPOT_MAX_METRICS];

    if (num_rows < SPOT_BATCH_SUMMARISED && first_replication > 0) {
        return 0;
    }
    for (size_t j = 0; j < self->store->head->num_metrics; j++) {
        means[j] = spot_moments_mean(&columns[j].moments);
    }
    return take_item(self, first_replication + num_rows - 1, means);
}

static int
keep_batch(void *context, int64_t first_replication, int64_t num_rows,
    const spot_column_summary_t *columns)
{
    return take_batch(context, first_replication, num_rows, columns, keep_item);
}

static int
pair_batch(void *context, int64_t first_replication, int64_t num_rows,
    const spot_column_summary_t *columns)
{
    return take_batch(context, first_replication, num_rows, columns, pair_item);
}

static int
pair_batches(pairing_t *self, size_t point_id)
{
    const spot_store_t *store = self->store;
    const int ret = store->read_summaries(store, self->base_id, 0, keep_batch, self);

    self->is_last = true;
    return ret == 0 ? store->read_summaries(store, point_id, 0, pair_batch, self) : ret;
}

int
spot_store_difference(
    const spot_store_t *store, size_t point_id, size_t base_id, spot_paired_t *pairs)
{
    pairing_t pairing = {.store = store, .base_id = base_id, .pairs = pairs};
    int ret;

    memset(pairs, 0, store->head->num_metrics * sizeof(*pairs));
    ret = store->head->keep == SPOT_KEEP_ROWS
              ? store->read(store, point_id, 0, pair_row, &pairing)
              : pair_batches(&pairing, point_id);
    free(pairing.values);
    free(pairing.keys);
    return ret == IS_DONE ? 0 : ret;
}

int
spot_store_differences(const spot_store_t *store, spot_paired_t **pairs)
{
    const spot_study_head_t *head = store->head;
    spot_paired_t *all = spot_calloc(head->num_points * head->num_metrics, sizeof(*all));
    size_t *base_ids = NULL;
    int ret = all == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && head->has_baseline) {
        ret = spot_baseline_points(head, &base_ids);
    }
    for (size_t j = 0; ret == 0 && base_ids != NULL && j < head->num_points; j++) {
        if (base_ids[j] != SPOT_NO_POINT && base_ids[j] != j) {
            ret = spot_store_difference(
                store, j, base_ids[j], &all[j * head->num_metrics]);
        }
    }
    free(base_ids);
    if (ret != 0) {
        free(all);
        all = NULL;
    }
    *pairs = all;
    return ret;
}
