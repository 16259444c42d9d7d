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
    const spot_compared_t *point;
    const spot_compared_t *base;
    size_t num_metrics;   /* compared */
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
    const size_t num_metrics = self->num_metrics;
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
        for (size_t j = 0; j < num_metrics; j++) {
            self->values[self->num_items * num_metrics + j] =
                metrics[self->base->metric_ids[j]];
        }
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
    const spot_compared_t *base = self->base;
    int ret;

    self->num_items = 0;
    self->next_id = 0;
    ret = base->store->read(
        base->store, base->point_id, first_replication, keep_row, self);
    self->is_last = ret == 0;
    return ret == IS_FULL ? 0 : ret;
}

static int
pair_item(pairing_t *self, int64_t key, const double *metrics)
{
    const size_t num_metrics = self->num_metrics;
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
            spot_paired_add(&self->pairs[j], metrics[self->point->metric_ids[j]],
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
take_batch(pairing_t *self, size_t num_columns, int64_t first_replication,
    int64_t num_rows, const spot_column_summary_t *columns,
    int (*take_item)(pairing_t *self, int64_t key, const double *metrics))
{
    double means[SPOT_MAX_METRICS];

    if (num_rows < SPOT_BATCH_SUMMARISED && first_replication > 0) {
        return 0;
    }
    for (size_t j = 0; j < num_columns; j++) {
        means[j] = spot_moments_mean(&columns[j].moments);
    }
    return take_item(self, first_replication + num_rows - 1, means);
}

static int
keep_batch(void *context, int64_t first_replication, int64_t num_rows,
    const spot_column_summary_t *columns)
{
    pairing_t *self = context;

    return take_batch(self, self->base->store->head->num_metrics, first_replication,
        num_rows, columns, keep_item);
}

static int
pair_batch(void *context, int64_t first_replication, int64_t num_rows,
    const spot_column_summary_t *columns)
{
    pairing_t *self = context;

    return take_batch(self, self->point->store->head->num_metrics, first_replication,
        num_rows, columns, pair_item);
}

static int
pair_batches(pairing_t *self)
{
    const spot_store_t *base = self->base->store, *store = self->point->store;
    const int ret =
        base->read_summaries(base, self->base->point_id, 0, keep_batch, self);

    self->is_last = true;
    return ret == 0
               ? store->read_summaries(store, self->point->point_id, 0, pair_batch, self)
               : ret;
}

int
spot_store_difference_between(const spot_compared_t *point, const spot_compared_t *base,
    size_t num_metrics, spot_paired_t *pairs)
{
    const spot_store_t *store = point->store;
    pairing_t pairing = {
        .point = point, .base = base, .num_metrics = num_metrics, .pairs = pairs};
    int ret;

    memset(pairs, 0, num_metrics * sizeof(*pairs));
    if (store->head->keep != base->store->head->keep) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = store->head->keep == SPOT_KEEP_ROWS
              ? store->read(store, point->point_id, 0, pair_row, &pairing)
              : pair_batches(&pairing);
    free(pairing.values);
    free(pairing.keys);
    return ret == IS_DONE ? 0 : ret;
}

int
spot_store_difference(
    const spot_store_t *store, size_t point_id, size_t base_id, spot_paired_t *pairs)
{
    size_t ids[SPOT_MAX_METRICS];

    for (size_t j = 0; j < store->head->num_metrics; j++) {
        ids[j] = j;
    }
    return spot_store_difference_between(&(spot_compared_t){store, point_id, ids},
        &(spot_compared_t){store, base_id, ids}, store->head->num_metrics, pairs);
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
