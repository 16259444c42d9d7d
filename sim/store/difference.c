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
    bool is_whole;        /* nor before: another point may be paired with them as well */
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
    self->is_whole = ret == 0 && first_replication == 0;
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
    int ret = 0;

    if (!self->is_whole) {
        self->num_items = 0;
        ret = base->read_summaries(base, self->base->point_id, 0, keep_batch, self);
        self->is_last = true;
        self->is_whole = ret == 0;
    }
    return ret == 0
               ? store->read_summaries(store, self->point->point_id, 0, pair_batch, self)
               : ret;
}

/* Pairs a point, with what lies ready of the base if that is all of it. */
static int
pair_point(pairing_t *self)
{
    const spot_store_t *store = self->point->store;
    int ret;

    if (!self->is_whole) {
        self->num_items = 0;
        self->is_last = false;
    }
    self->next_id = 0;
    ret = store->head->keep == SPOT_KEEP_ROWS
              ? store->read(store, self->point->point_id, 0, pair_row, self)
              : pair_batches(self);
    return ret == IS_DONE ? 0 : ret;
}

static void
release(pairing_t *self)
{
    free(self->values);
    free(self->keys);
}

int
spot_store_difference_between(const spot_compared_t *point, const spot_compared_t *base,
    size_t num_metrics, spot_paired_t *pairs)
{
    pairing_t pairing = {
        .point = point, .base = base, .num_metrics = num_metrics, .pairs = pairs};
    int ret;

    memset(pairs, 0, num_metrics * sizeof(*pairs));
    if (point->store->head->keep != base->store->head->keep) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = pair_point(&pairing);
    release(&pairing);
    return ret;
}

static void
fill_ids(size_t num_metrics, size_t ids[SPOT_MAX_METRICS])
{
    for (size_t j = 0; j < num_metrics; j++) {
        ids[j] = j;
    }
}

int
spot_store_difference(
    const spot_store_t *store, size_t point_id, size_t base_id, spot_paired_t *pairs)
{
    size_t ids[SPOT_MAX_METRICS];

    fill_ids(store->head->num_metrics, ids);
    return spot_store_difference_between(&(spot_compared_t){store, point_id, ids},
        &(spot_compared_t){store, base_id, ids}, store->head->num_metrics, pairs);
}

typedef struct {
    size_t base_id;
    size_t point_id;
} couple_t;

static int
compare_couples(const void *a, const void *b)
{
    const couple_t *x = a, *y = b;

    return x->base_id != y->base_id
               ? (x->base_id > y->base_id) - (x->base_id < y->base_id)
               : (x->point_id > y->point_id) - (x->point_id < y->point_id);
}

/* The points that have a base, those of one base behind each other: it is read once.
 * couples: [num_points]. Returns how many there are. */
static size_t
find_couples(size_t num_points, const size_t *base_ids, couple_t *couples)
{
    size_t num_couples = 0;

    for (size_t j = 0; j < num_points; j++) {
        if (base_ids[j] != SPOT_NO_POINT && base_ids[j] != j) {
            couples[num_couples++] = (couple_t){base_ids[j], j};
        }
    }
    if (num_couples > 0) {
        qsort(couples, num_couples, sizeof(*couples), compare_couples);
    }
    return num_couples;
}

/* all: [num_points][num_metrics], zeroed. */
static int
pair_couples(const spot_store_t *store, size_t num_couples, const couple_t *couples,
    spot_paired_t *all)
{
    const size_t num_metrics = store->head->num_metrics;
    size_t ids[SPOT_MAX_METRICS];
    spot_compared_t point = {store, 0, ids}, base = {store, 0, ids};
    pairing_t pairing = {.point = &point, .base = &base, .num_metrics = num_metrics};
    int ret = 0;

    fill_ids(num_metrics, ids);
    for (size_t j = 0; ret == 0 && j < num_couples; j++) {
        if (j > 0 && couples[j].base_id != base.point_id) {
            pairing.is_whole = false;
        }
        base.point_id = couples[j].base_id;
        point.point_id = couples[j].point_id;
        pairing.pairs = &all[point.point_id * num_metrics];
        ret = pair_point(&pairing);
    }
    release(&pairing);
    return ret;
}

int
spot_store_differences(const spot_store_t *store, spot_paired_t **pairs)
{
    const spot_study_head_t *head = store->head;
    spot_paired_t *all = spot_calloc(head->num_points * head->num_metrics, sizeof(*all));
    couple_t *couples = spot_calloc(head->num_points, sizeof(*couples));
    size_t *base_ids = NULL;
    int ret = all == NULL || couples == NULL ? SPOT_ERR_NO_MEMORY : 0;

    if (ret == 0 && head->has_baseline) {
        ret = spot_baseline_points(head, &base_ids);
    }
    if (ret == 0 && base_ids != NULL) {
        const size_t num_couples = find_couples(head->num_points, base_ids, couples);

        ret = pair_couples(store, num_couples, couples, all);
    }
    free(base_ids);
    free(couples);
    if (ret != 0) {
        free(all);
        all = NULL;
    }
    *pairs = all;
    return ret;
}
