/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/rare_share.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define NUM_HALVINGS 48 /* of an interval that holds a root */

/* Where the saddlepoint's formula loses its digits, next to the mean. */
#define NEAR_MEAN 1e-4

void spot_rare_share_free(spot_rare_share_t *self)
{
    free(self->parts);
    memset(self, 0, sizeof(*self));
}

static int add_part(spot_rare_share_t *self, double part, double whole)
{
    int ret = 0;

    if (self->num_parts == SPOT_RARE_SHARE_PARTS || self->is_many) {
        free(self->parts);
        self->parts = NULL;
        self->num_parts = self->max_parts = 0;
        self->is_many = true;
        return 0;
    }
    ret = spot_array_reserve(
        &self->parts, &self->max_parts, self->num_parts + 1, sizeof(*self->parts));
    if (ret == 0) {
        self->parts[self->num_parts][0] = part;
        self->parts[self->num_parts++][1] = whole;
    }
    return ret;
}

int spot_rare_share_add(spot_rare_share_t *self, double part, double whole)
{
    if (whole == 0 && part == 0) {
        return 0;
    }
    self->num_values++;
    self->whole += whole;
    self->largest = fmax(self->largest, whole);
    self->is_unbounded = self->is_unbounded || part < 0 || part > whole;
    if (part == 0) {
        self->num_none++;
        self->whole_of_none += whole;
    } else if (part == whole) {
        self->num_all++;
        self->whole_of_all += whole;
    } else {
        return add_part(self, part, whole);
    }
    return 0;
}

bool spot_rare_share_has_bounds(const spot_rare_share_t *self)
{
    return self->num_values > 1 && !self->is_unbounded && !self->is_many;
}

bool spot_rare_share_is_rare(const spot_rare_share_t *self)
{
    return spot_rare_share_has_bounds(self) &&
           (2 * self->num_none > self->num_values || 2 * self->num_all > self->num_values);
}

/* ---- Random weights ---- */

/* The replications less a share t of their wholes, c = part - t whole, and one more.
 * Their sum with exponential weights is at most 0 where the weighted share is at most t. */
typedef struct {
    const spot_rare_share_t *share;
    double t;
    bool is_more_all; /* the one more has all of the part, else none of it */
} weighed_t;

/* Adds the derivatives of the cumulant generating function of num values c at s. */
static void add_cumulants(double num, double c, double s, double sums[4])
{
    const double ratio = c / (1 - s * c);

    if (num > 0) {
        sums[0] -= num * log1p(-s * c);
        sums[1] += num * ratio;
        sums[2] += num * ratio * ratio;
        sums[3] += num * 2 * ratio * ratio * ratio;
    }
}

static void find_cumulants(const weighed_t *self, double s, double sums[4])
{
    const spot_rare_share_t *share = self->share;
    const double num_none = (double) share->num_none, num_all = (double) share->num_all;
    const double t = self->t;

    memset(sums, 0, 4 * sizeof(*sums));
    add_cumulants(num_none, -t * share->whole_of_none / fmax(num_none, 1), s, sums);
    add_cumulants(num_all, (1 - t) * share->whole_of_all / fmax(num_all, 1), s, sums);
    add_cumulants(1, (self->is_more_all ? 1 - t : -t) * share->largest, s, sums);
    for (size_t j = 0; j < share->num_parts; j++) {
        add_cumulants(1, share->parts[j][0] - t * share->parts[j][1], s, sums);
    }
}

/* The smallest and the largest c. */
static void find_range(const weighed_t *self, double *least, double *most)
{
    const spot_rare_share_t *share = self->share;
    const double more = (self->is_more_all ? 1 - self->t : -self->t) * share->largest;

    *least = *most = more;
    if (share->num_none > 0) {
        *least = fmin(*least, -self->t * share->whole_of_none / (double) share->num_none);
    }
    if (share->num_all > 0) {
        *most = fmax(*most, (1 - self->t) * share->whole_of_all / (double) share->num_all);
    }
    for (size_t j = 0; j < share->num_parts; j++) {
        const double c = share->parts[j][0] - self->t * share->parts[j][1];

        *least = fmin(*least, c);
        *most = fmax(*most, c);
    }
}

/* The probability that the weighted share is at most t, by the saddlepoint approximation
 * of Lugannani and Rice (Advances in Applied Probability 12, 1980). */
static double probability_up_to(const weighed_t *self)
{
    double least, most, low, high, sums[4], w, u;

    find_range(self, &least, &most);
    if (most <= 0 || least >= 0) {
        return most <= 0 ? 1 : 0;
    }
    low = 1 / least;
    high = 1 / most;
    for (int j = 0; j < NUM_HALVINGS; j++) {
        const double s = (low + high) / 2;

        find_cumulants(self, s, sums);
        low = sums[1] < 0 ? s : low;
        high = sums[1] < 0 ? high : s;
    }
    find_cumulants(self, (low + high) / 2, sums);
    w = copysign(sqrt(fmax(0, -2 * sums[0])), low + high);
    u = (low + high) / 2 * sqrt(sums[2]);
    if (fabs(w) < NEAR_MEAN) {
        return 0.5 + sums[3] / (6 * sums[2] * sqrt(sums[2])) * gsl_ran_ugaussian_pdf(0);
    }
    return gsl_cdf_ugaussian_P(w) + gsl_ran_ugaussian_pdf(w) * (1 / w - 1 / u);
}

/* The share up to which the weighted one is with a probability. */
static double weighted_quantile(
    const spot_rare_share_t *share, bool is_more_all, double probability)
{
    double low = 0, high = 1;

    for (int j = 0; j < NUM_HALVINGS; j++) {
        const weighed_t weighed = {share, (low + high) / 2, is_more_all};

        if (probability_up_to(&weighed) < probability) {
            low = weighed.t;
        } else {
            high = weighed.t;
        }
    }
    return (low + high) / 2;
}

void spot_rare_share_bounds(
    const spot_rare_share_t *self, double confidence, double *low, double *high)
{
    const double tail = (1 - confidence) / 2;
    const double unseen = fmin(1, -log(1 - confidence) * self->largest / self->whole);

    spot_bug_assert(spot_rare_share_has_bounds(self));
    if (self->num_none == self->num_values || self->num_all == self->num_values) {
        *low = self->num_none == self->num_values ? 0 : 1 - unseen;
        *high = self->num_none == self->num_values ? unseen : 1;
        return;
    }
    *low = weighted_quantile(self, false, tail);
    *high = weighted_quantile(self, true, 1 - tail);
}

/* ---- Counts ---- */

void spot_rare_count_add(spot_rare_count_t *self, double events, double units, double at_once)
{
    if (self->num_values == 0) {
        self->first_events = events;
        self->first_units = units;
        self->at_once = at_once;
    }
    self->num_values++;
    self->num_none += events == 0;
    self->units += units;
    self->total += events;
    self->squares += events * events;
    self->largest = fmax(self->largest, events);
    self->at_once =
        isnan(at_once) || isnan(self->at_once) ? (double) NAN : fmax(self->at_once, at_once);
    self->differs = self->differs || events != self->first_events || units != self->first_units;
    self->is_unbounded = self->is_unbounded || events < 0;
}

bool spot_rare_count_is_rare(const spot_rare_count_t *self)
{
    return self->num_values > 1 && !self->is_unbounded &&
           (2 * self->num_none > self->num_values || !self->differs);
}

void spot_rare_count_bounds(
    const spot_rare_count_t *self, double confidence, double *low, double *high)
{
    const double tail = (1 - confidence) / 2, value = self->total / self->units;
    const double missed = isnan(self->at_once) ? (double) INFINITY
                                               : -log(1 - confidence) * self->at_once / self->units;
    const double most = fmax(self->largest, isnan(self->at_once) ? 0 : self->at_once) / self->units;
    const double variance = self->squares / (self->units * self->units);
    const double above = value + most, above_variance = variance + most * most;

    spot_bug_assert(spot_rare_count_is_rare(self));
    if (self->total == 0 || !self->differs) {
        *low = fmax(0, value - missed);
        *high = value + missed;
        return;
    }
    *low = variance / (2 * value) * gsl_cdf_chisq_Pinv(tail, 2 * value * value / variance);
    *high =
        above_variance / (2 * above) * gsl_cdf_chisq_Qinv(tail, 2 * above * above / above_variance);
}
