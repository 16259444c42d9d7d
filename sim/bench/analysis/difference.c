/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/analysis/quantiles.h"
#include "sim/bench/analysis/summary.h"

/* Rows of the base in memory. */
#define BLOCK_ROWS 1024

/* Reasons to stop reading. */
enum { IS_FULL = 1, IS_DONE };

/* The numbers of a quantile at both points, in order of replication. */
typedef struct {
    size_t num_pairs;
    size_t max_x, max_y;
    double *x, *y; /* [num_pairs] */
} numbers_t;

/* Two points of a study, side by side. */
typedef struct {
    const spot_store_t *store;
    size_t point_id;
    size_t base_id;
    bool is_base_fixed;   /* its only row counts for all replications */
    bool is_turned;       /* point and base are swapped */
    size_t num_metrics;   /* of the study */
    spot_known_t *known;  /* [2][num_metrics] of the point, then of the base: */
    size_t known_base_id; /* the latter is this one */
    spot_paired_t *pairs; /* [num_metrics] */
    double confidence;    /* of the intervals of quantiles */
    numbers_t *quantiles; /* [num_metrics] empty but for quantiles */
    size_t num_rows;      /* rows of the base in memory */
    size_t next_id;       /* the first of them not before the current row of the point */
    bool is_last;         /* the base has no later rows */
    bool is_whole;        /* nor earlier ones: the rows serve another point too */
    size_t max_keys;
    int64_t *keys; /* [num_rows] their replications, ascending */
    size_t max_values;
    double *values; /* [num_rows][num_metrics] */
} pairing_t;

static bool is_estimated_by(const pairing_t *self, size_t j, spot_estimator_t estimator)
{
    return spot_metric_estimator(&self->store->head->metrics[j]) == estimator;
}

/* Quantiles are compared by their numbers, all else by lines. */
static bool is_quantile(const pairing_t *self, size_t j)
{
    return is_estimated_by(self, j, SPOT_ESTIMATOR_QUANTILE);
}

/* NAN: null. */
static double value_of(const pairing_t *self, const spot_line_t *line, size_t j, const double *row)
{
    double numbers[2];

    if (!is_quantile(self, j)) {
        return spot_line_value(line, row);
    }
    return spot_line_numbers(line->metric, &line->source, row, numbers) ? numbers[0] : (double) NAN;
}

static int keep_row(void *context, const spot_row_t *row)
{
    pairing_t *self = context;
    const size_t num_metrics = self->num_metrics;
    int ret = SPOT_ARRAY_ROOM(self, keys, self->num_rows + 1);

    if (ret == 0) {
        ret = SPOT_ARRAY_ROOM(self, values, (self->num_rows + 1) * num_metrics);
    }
    if (ret == 0) {
        self->keys[self->num_rows] = row->replication;
        for (size_t j = 0; j < num_metrics; j++) {
            self->values[self->num_rows * num_metrics + j] =
                value_of(self, &self->known[num_metrics + j].line, j, row->metrics);
        }
        self->num_rows++;
    }
    return ret == 0 && self->num_rows == BLOCK_ROWS ? IS_FULL : ret;
}

/* Reads the next rows of the base, from a replication on. */
static int read_base(pairing_t *self, int64_t first_replication)
{
    int ret;

    self->num_rows = 0;
    self->next_id = 0;
    ret = self->store->read(self->store, self->base_id, first_replication, keep_row, self);
    self->is_last = ret == 0;
    self->is_whole = ret == 0 && first_replication == 0;
    return ret == IS_FULL ? 0 : ret;
}

/* x of the point. */
static int pair_numbers(pairing_t *self, size_t j, double x, double y)
{
    numbers_t *numbers = &self->quantiles[j];
    const size_t num = numbers->num_pairs;
    int ret = 0;

    if (isnan(x) || isnan(y)) {
        self->pairs[j].num_left_out++;
        return 0;
    }
    ret = spot_array_reserve(&numbers->x, &numbers->max_x, num + 1, sizeof(x));
    ret = ret == 0 ? spot_array_reserve(&numbers->y, &numbers->max_y, num + 1, sizeof(y)) : ret;
    if (ret == 0) {
        numbers->x[num] = x;
        numbers->y[num] = y;
        numbers->num_pairs++;
    }
    return ret;
}

static int pair_values(pairing_t *self, size_t j, double x, double y)
{
    if (is_quantile(self, j)) {
        return pair_numbers(self, j, x, y);
    }
    spot_paired_add(&self->pairs[j], x, y);
    return 0;
}

static int pair_row(void *context, const spot_row_t *row)
{
    pairing_t *self = context;
    const size_t num_metrics = self->num_metrics;
    const int64_t key = self->is_base_fixed ? 0 : row->replication;
    int ret = 0;

    while (self->next_id < self->num_rows && self->keys[self->next_id] < key) {
        self->next_id++;
    }
    if (self->next_id == self->num_rows && !self->is_last) {
        ret = read_base(self, key);
    }
    if (ret == 0 && self->next_id == self->num_rows) {
        return IS_DONE;
    }
    if (ret == 0 && self->keys[self->next_id] == key) {
        for (size_t j = 0; ret == 0 && j < num_metrics; j++) {
            const double value = value_of(self, &self->known[j].line, j, row->metrics);
            const double other = self->values[self->next_id * num_metrics + j];

            ret = pair_values(
                self, j, self->is_turned ? other : value, self->is_turned ? value : other);
        }
    }
    return ret;
}

/* Pairs the rows of a point. Uses the rows of the base in memory if they are all. */
static int pair_rows(pairing_t *self)
{
    int ret;

    if (!self->is_whole) {
        self->num_rows = 0;
        self->is_last = false;
    }
    self->next_id = 0;
    ret = self->store->read(self->store, self->point_id, 0, pair_row, self);
    return ret == IS_DONE ? 0 : ret;
}

/* Two fixed points are known as if all replications were run. */
static void repeat_pair(spot_paired_t *pair, int64_t num_pairs)
{
    if (pair->difference.num_values == 1) {
        pair->x.num_values = pair->y.num_values = num_pairs;
        pair->difference.num_values = num_pairs;
    }
}

/* Finds what is known of both; that of a base serves its next point too. */
static int find_both(pairing_t *self)
{
    int ret = 0;

    if (self->known == NULL) {
        self->known = spot_calloc(2 * self->num_metrics, sizeof(*self->known));
        self->known_base_id = SPOT_NO_POINT;
    }
    if (self->known == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (self->known_base_id != self->base_id) {
        ret = spot_known_find(
            self->store, self->base_id, self->confidence, &self->known[self->num_metrics]);
        self->known_base_id = self->base_id;
    }
    return ret == 0 ? spot_known_find(self->store, self->point_id, self->confidence, self->known)
                    : ret;
}

/* Room for the numbers of quantiles, empty. */
static int start_quantiles(pairing_t *self)
{
    if (self->quantiles == NULL) {
        self->quantiles = spot_calloc(self->num_metrics, sizeof(*self->quantiles));
    }
    for (size_t j = 0; self->quantiles != NULL && j < self->num_metrics; j++) {
        self->quantiles[j].num_pairs = 0;
    }
    return self->quantiles == NULL ? SPOT_ERR_NO_MEMORY : 0;
}

static int settle_quantiles(pairing_t *self, bool is_x_fixed, bool is_y_fixed)
{
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        const numbers_t *numbers = &self->quantiles[j];

        if (is_quantile(self, j)) {
            ret = spot_quantile_pair((spot_paired_side_t){numbers->x, is_x_fixed},
                (spot_paired_side_t){numbers->y, is_y_fixed}, numbers->num_pairs,
                self->store->head->metrics[j].p, self->confidence, &self->pairs[j]);
        }
    }
    return ret;
}

/* Of events of which a point shows hardly any, pairs do not show the difference: it has the
 * interval that follows from those of both (Zou and Donner, Statistics in Medicine 27, 2008).
 * x of the point, y of the base. */
static void settle_events(
    spot_paired_t *pair, const spot_known_t *x, const spot_known_t *y, double confidence)
{
    const double mean = spot_paired_mean(pair);

    if (pair->difference.num_values < 2 || pair->is_quantile || pair->is_binary ||
        !(x->is_open || y->is_open || x->is_unseen || y->is_unseen)) {
        return;
    }
    pair->has_ends = true;
    pair->confidence = confidence;
    pair->low = mean - hypot(x->value - x->low, y->high - y->value);
    pair->high = mean + hypot(x->high - x->value, y->value - y->low);
}

static void free_pairing(pairing_t *self)
{
    for (size_t j = 0; self->quantiles != NULL && j < self->num_metrics; j++) {
        free(self->quantiles[j].x);
        free(self->quantiles[j].y);
    }
    free(self->quantiles);
    free(self->known);
    free(self->values);
    free(self->keys);
}

/* A fixed point is paired with every replication of the other one. */
static int pair_point(pairing_t *self)
{
    const spot_study_head_t *head = self->store->head;
    const size_t point_id = self->point_id, base_id = self->base_id;
    const bool is_point_fixed = spot_study_is_fixed(head, point_id);
    const bool is_base_fixed = spot_study_is_fixed(head, base_id);
    int ret;

    self->is_base_fixed = is_base_fixed || is_point_fixed;
    self->is_turned = is_point_fixed && !is_base_fixed;
    if (self->is_turned) {
        self->point_id = base_id;
        self->base_id = point_id;
        self->is_whole = false;
    }
    ret = find_both(self);
    ret = ret == 0 ? start_quantiles(self) : ret;
    ret = ret == 0 ? pair_rows(self) : ret;
    if (self->is_turned) {
        self->point_id = point_id;
        self->base_id = base_id;
        self->is_whole = false;
    }
    ret = ret == 0 ? settle_quantiles(self, is_point_fixed, is_base_fixed) : ret;
    for (size_t j = 0; ret == 0 && j < self->num_metrics; j++) {
        self->pairs[j].is_binary = is_estimated_by(self, j, SPOT_ESTIMATOR_PROBABILITY) &&
                                   !(is_point_fixed && is_base_fixed);
        if (!spot_study_has_metric(head, point_id, j) || !spot_study_has_metric(head, base_id, j)) {
            memset(&self->pairs[j], 0, sizeof(self->pairs[j]));
        } else if (is_point_fixed && is_base_fixed) {
            repeat_pair(&self->pairs[j], head->num_replications);
        } else {
            const spot_known_t *known[2] = {&self->known[j], &self->known[self->num_metrics + j]};

            settle_events(
                &self->pairs[j], known[self->is_turned], known[!self->is_turned], self->confidence);
        }
    }
    return ret;
}

int spot_store_difference_at(const spot_store_t *store, size_t point_id, size_t base_id,
    double confidence, spot_paired_t *pairs)
{
    pairing_t pairing = {.store = store,
        .point_id = point_id,
        .base_id = base_id,
        .num_metrics = store->head->num_metrics,
        .pairs = pairs,
        .confidence = confidence};
    int ret;

    memset(pairs, 0, pairing.num_metrics * sizeof(*pairs));
    ret = pair_point(&pairing);
    free_pairing(&pairing);
    return ret;
}

int spot_store_difference(
    const spot_store_t *store, size_t point_id, size_t base_id, spot_paired_t *pairs)
{
    return spot_store_difference_at(store, point_id, base_id, SPOT_CONFIDENCE, pairs);
}

typedef struct {
    size_t base_id;
    size_t point_id;
} couple_t;

static int compare_couples(const void *a, const void *b)
{
    const couple_t *x = a, *y = b;

    return x->base_id != y->base_id ? (x->base_id > y->base_id) - (x->base_id < y->base_id)
                                    : (x->point_id > y->point_id) - (x->point_id < y->point_id);
}

/* Finds the points with a base, ordered by base, which is then read once. couples:
 * [num_points]. Returns their number. */
static size_t find_couples(size_t num_points, const size_t *base_ids, couple_t *couples)
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
static int pair_couples(
    const spot_store_t *store, size_t num_couples, const couple_t *couples, spot_paired_t *all)
{
    const size_t num_metrics = store->head->num_metrics;
    pairing_t pairing = {.store = store, .num_metrics = num_metrics, .confidence = SPOT_CONFIDENCE};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_couples; j++) {
        if (j > 0 && couples[j].base_id != pairing.base_id) {
            pairing.is_whole = false;
        }
        pairing.base_id = couples[j].base_id;
        pairing.point_id = couples[j].point_id;
        pairing.pairs = &all[pairing.point_id * num_metrics];
        ret = pair_point(&pairing);
    }
    free_pairing(&pairing);
    return ret;
}

int spot_store_differences(const spot_store_t *store, spot_paired_t **pairs)
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
