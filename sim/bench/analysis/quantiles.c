/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/quantiles.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Added to the pairs that are below one quantile alone. */
#define ADDED_PAIRS 2

double spot_quantile_known(const double *sorted, size_t num, double p)
{
    const double position = p * (double) (num - 1);
    const size_t upper = (size_t) ceil(position);

    return num > 0 && isinf(sorted[upper]) ? sorted[upper] : spot_quantile(sorted, num, p);
}

/* The order statistics at these ranks, from 1 on, contain the quantile with the
 * confidence, with equal probabilities below and above. Rank 0 or n + 1: there is none
 * so far out. */
static void find_ranks(double p, double n, double confidence, double *low, double *high)
{
    const double tail = (1 - confidence) / 2;
    double below = 0, above = n + 1;

    /* The largest rank l with P(at least l values below the quantile missing) small. */
    for (double end = n; below < end;) {
        const double middle = ceil((below + end) / 2);

        if (gsl_cdf_binomial_P((unsigned) middle - 1, p, (unsigned) n) <= tail) {
            below = middle;
        } else {
            end = middle - 1;
        }
    }
    for (double first = 1; first < above;) {
        const double middle = floor((first + above) / 2);

        if (middle <= n && gsl_cdf_binomial_Q((unsigned) middle - 1, p, (unsigned) n) > tail) {
            first = middle + 1;
        } else {
            above = middle;
        }
    }
    *low = below;
    *high = above;
}

void spot_quantile_bounds(
    const double *sorted, size_t num, double p, double confidence, double *low, double *high)
{
    const double n = (double) num;
    double low_rank, high_rank;

    *low = *high = (double) NAN;
    if (num < 2) {
        return;
    }
    find_ranks(p, n, confidence, &low_rank, &high_rank);
    *low = low_rank < 1 ? -(double) INFINITY : sorted[(size_t) low_rank - 1];
    *high = high_rank > n ? (double) INFINITY : sorted[(size_t) high_rank - 1];
}

/* ---- The difference of two ---- */

typedef struct {
    double value;
    size_t pair_id;
} ranked_t;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_t *x = a, *y = b;

    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->pair_id > y->pair_id) - (x->pair_id < y->pair_id);
}

/* Both samples in order, and the ranks that a quantile may have. */
typedef struct {
    size_t num;
    double p, confidence, z;
    double *x, *y;     /* [num + 2] sorted, behind -INFINITY and before INFINITY */
    size_t *rank_of_y; /* [num] of the pair whose x has a rank, from 1 on */
    size_t first, end; /* ranks: so many values may be below a quantile */
    size_t *num_below; /* [end - first] pairs below both, by the rank of y */
    double variance;   /* of a count */
} ranks_t;

/* Ranks of equal values follow the pairs. */
static int sort_pairs(ranks_t *self, const double *x, const double *y)
{
    ranked_t *ranked = spot_calloc(self->num, sizeof(*ranked));
    size_t *rank_of_pair = spot_calloc(self->num, sizeof(*rank_of_pair));
    const double *const samples[] = {y, x};
    double *const sorted[] = {self->y, self->x};
    const int ret = ranked == NULL || rank_of_pair == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t k = 0; ret == 0 && k < 2; k++) {
        for (size_t j = 0; j < self->num; j++) {
            ranked[j] = (ranked_t){samples[k][j], j};
        }
        qsort(ranked, self->num, sizeof(*ranked), compare_ranked);
        sorted[k][0] = -(double) INFINITY;
        sorted[k][self->num + 1] = (double) INFINITY;
        for (size_t j = 0; j < self->num; j++) {
            sorted[k][j + 1] = ranked[j].value;
            if (k == 0) {
                rank_of_pair[ranked[j].pair_id] = j + 1;
            } else {
                self->rank_of_y[j] = rank_of_pair[ranked[j].pair_id];
            }
        }
    }
    free(ranked);
    free(rank_of_pair);
    return ret;
}

/* Counts one more value of x below its quantile. */
static void step(ranks_t *self, size_t rank)
{
    const size_t rank_of_y = self->rank_of_y[rank - 1];
    const size_t from = rank_of_y > self->first ? rank_of_y : self->first;

    for (size_t j = from; j < self->end; j++) {
        self->num_below[j - self->first]++;
    }
}

/* The pairs below both with the first rank of x: counts of ranks of y, then their sums. */
static void count_first(ranks_t *self)
{
    for (size_t i = 1; i <= self->first; i++) {
        const size_t rank_of_y = self->rank_of_y[i - 1];

        if (rank_of_y < self->end) {
            self->num_below[rank_of_y > self->first ? rank_of_y - self->first : 0]++;
        }
    }
    for (size_t j = 1; j < self->end - self->first; j++) {
        self->num_below[j] += self->num_below[j - 1];
    }
}

/* Whether i values of x and j of y below their quantiles are no surprise. The counts
 * differ by the pairs below one alone; their sum and their difference are uncorrelated. */
static bool is_plausible(const ranks_t *self, size_t i, size_t j)
{
    const double expected = self->p * (double) self->num;
    const double sum = (double) i + (double) j - 2 * expected;
    const double difference = (double) i - (double) j;
    const double num_alone = (double) (i + j - 2 * self->num_below[j - self->first]);
    const double both = 4 * self->variance;
    const double of_difference = fmin(num_alone + ADDED_PAIRS, 0.99 * both);
    const double of_sum = fmax(both - of_difference, ADDED_PAIRS);

    return difference * difference / of_difference + sum * sum / of_sum <= self->z * self->z;
}

/* A quantile with i values below lies from the order statistic i to the next one. */
static void find_differences(ranks_t *self, double *low, double *high)
{
    count_first(self);
    for (size_t i = self->first; i < self->end; i++) {
        if (i > self->first) {
            step(self, i);
        }
        for (size_t j = self->first; j < self->end; j++) {
            if (is_plausible(self, i, j)) {
                const double least = self->x[i] - self->y[j + 1];
                const double most = self->x[i + 1] - self->y[j];

                /* NAN: both are cut off */
                *low = isnan(least) ? -(double) INFINITY : fmin(*low, least);
                *high = isnan(most) ? (double) INFINITY : fmax(*high, most);
            }
        }
    }
}

static int ranks_init(
    ranks_t *self, const double *x, const double *y, size_t num, double p, double confidence)
{
    const double n = (double) num, z = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2);
    const double reach = z * sqrt(n * p * (1 - p));

    *self = (ranks_t){
        .num = num, .p = p, .confidence = confidence, .z = z, .variance = n * p * (1 - p)};
    self->first = (size_t) fmax(0, ceil(n * p - reach));
    self->end = (size_t) fmin(n, floor(n * p + reach)) + 1;
    self->x = spot_calloc(num + 2, sizeof(*self->x));
    self->y = spot_calloc(num + 2, sizeof(*self->y));
    self->rank_of_y = spot_calloc(num, sizeof(*self->rank_of_y));
    self->num_below = spot_calloc(self->end - self->first, sizeof(*self->num_below));
    return self->x == NULL || self->y == NULL || self->rank_of_y == NULL || self->num_below == NULL
               ? SPOT_ERR_NO_MEMORY
               : sort_pairs(self, x, y);
}

static void ranks_free(ranks_t *self)
{
    free(self->x);
    free(self->y);
    free(self->rank_of_y);
    free(self->num_below);
}

/* The interval of the difference x - y of estimates of independent samples, by the ends of
 * their intervals (Zou and Donner, Statistics in Medicine 27, 2008). Half its width to the
 * farther end; INFINITY where an end is missing. */
static double separate_half_width(const double x[3], const double y[3])
{
    const double up = hypot(x[2] - x[1], y[1] - y[0]), down = hypot(x[1] - x[0], y[2] - y[1]);

    return isfinite(up) && isfinite(down) ? fmax(up, down) : (double) INFINITY;
}

/* A quantile between the ends of its interval. */
static void find_quantile(const ranks_t *self, const double *sorted, bool is_known, double q[3])
{
    q[1] = spot_quantile_known(sorted, self->num, self->p);
    spot_quantile_bounds(sorted, self->num, self->p, self->confidence, &q[0], &q[2]);
    if (is_known) {
        q[0] = q[2] = q[1];
    }
}

/* The interval, where both quantiles are finite. */
static void find_interval(ranks_t *self, const double x[3], const double y[3], spot_paired_t *pair)
{
    pair->low = pair->high = pair->value;
    find_differences(self, &pair->low, &pair->high);
    pair->low = isinf(x[0]) || isinf(y[2]) ? -(double) INFINITY : pair->low;
    pair->high = isinf(x[2]) || isinf(y[0]) ? (double) INFINITY : pair->high;
}

int spot_quantile_pair(spot_paired_side_t x, spot_paired_side_t y, size_t num, double p,
    double confidence, spot_paired_t *pair)
{
    const bool are_known = x.is_known && y.is_known;
    double of_x[3], of_y[3];
    ranks_t ranks;
    int ret;

    pair->is_quantile = true;
    pair->difference.num_values = (int64_t) num;
    pair->confidence = are_known ? 1 : confidence;
    pair->value = pair->low = pair->high = (double) NAN;
    if (num == 0) {
        return 0;
    }
    ret = ranks_init(&ranks, x.numbers, y.numbers, num, p, confidence);
    if (ret == 0) {
        find_quantile(&ranks, ranks.x + 1, x.is_known, of_x);
        find_quantile(&ranks, ranks.y + 1, y.is_known, of_y);
        pair->value = isinf(of_x[1]) || isinf(of_y[1]) ? (double) NAN : of_x[1] - of_y[1];
        pair->separate_half_width = separate_half_width(of_x, of_y);
        if (are_known) {
            pair->low = pair->high = pair->value;
        } else if (num > 1 && isfinite(pair->value)) {
            find_interval(&ranks, of_x, of_y, pair);
        }
    }
    if (isnan(pair->value)) { /* as of pairs that are not finite */
        pair->num_left_out += pair->difference.num_values;
        pair->difference.num_values = 0;
    }
    ranks_free(&ranks);
    return ret;
}
