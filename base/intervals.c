/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/intervals.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Skewed values ---- */

/* Update of the third moment: Pebay, Sandia report SAND2008-6212, 2008. */
void spot_skewed_add(spot_skewed_t *self, double value)
{
    const double difference = value - self->moments.mean;
    const double before = (double) self->moments.num_values, n = before + 1;

    self->sum_cubes += difference * (difference * difference * before * (before - 1) / (n * n) -
                                        3 * self->moments.sum_squares / n);
    spot_moments_add(&self->moments, value);
}

/* Distance of a bound from the mean, in standard deviations, at which a normal variable
 * without skewness is z standard errors away: the inverse of Hall's cubic. */
static double distance_of(double z, double skewness, double num_values)
{
    const double plain = z / sqrt(num_values);

    if (fabs(skewness) < 1e-6) {
        return plain; /* the limit */
    }
    return 3 / skewness * (cbrt(1 + skewness * (plain - skewness / (6 * num_values))) - 1);
}

void spot_skewed_widen(const spot_skew_t *self, double confidence, double *low, double *high)
{
    const double n = (double) self->num_values;
    const double z = spot_student_t(confidence, n - 1);

    *low = fmin(*low, self->mean - self->std * distance_of(z, self->skewness, n));
    *high = fmax(*high, self->mean - self->std * distance_of(-z, self->skewness, n));
}

void spot_skewed_bounds(const spot_skewed_t *self, double confidence, double *low, double *high)
{
    const spot_moments_t *moments = &self->moments;
    const double n = (double) moments->num_values, mean = spot_moments_mean(moments);
    const double half_width = spot_moments_half_width(moments, confidence);
    const double std = spot_moments_std(moments);

    *low = mean - half_width;
    *high = mean + half_width;
    if (std > 0) {
        spot_skewed_widen(
            &(spot_skew_t){moments->num_values, mean, std, self->sum_cubes / n / (std * std * std)},
            confidence, low, high);
    }
}

/* ---- Pairs ---- */

/* Pebay, Sandia report SAND2008-6212, 2008: the third moment in one pass, before the
 * others move. */
static void add_cube(spot_paired_t *self, double difference)
{
    const double n = (double) self->difference.num_values + 1;
    const double step = (difference - self->difference.mean) / n;

    self->sum_cubes +=
        step * (step * step * n * (n - 1) * (n - 2) - 3 * self->difference.sum_squares);
}

void spot_paired_add(spot_paired_t *self, double x, double y)
{
    if (!isfinite(x) || !isfinite(y)) {
        self->num_left_out++;
        return;
    }
    spot_moments_add(&self->x, x);
    spot_moments_add(&self->y, y);
    add_cube(self, x - y);
    spot_moments_add(&self->difference, x - y);
}

int64_t spot_paired_num_pairs(const spot_paired_t *self)
{
    return self->difference.num_values + self->num_left_out;
}

double spot_paired_mean(const spot_paired_t *self)
{
    return self->is_quantile ? self->value : spot_moments_mean(&self->difference);
}

/* Counts follow from the moments: each pair that differs has a square of 1. */
static double binary_half_width(const spot_moments_t *difference, double confidence)
{
    const double n = (double) difference->num_values, mean = difference->mean;
    const double num_unequal = difference->sum_squares + n * mean * mean;
    const double shift = n * mean / (n + 2);
    const double spread = (num_unequal + 2) / (n + 2) - shift * shift;

    return n < 2 ? (double) NAN
                 : gsl_cdf_ugaussian_Qinv((1 - confidence) / 2) * sqrt(spread / (n + 2));
}

double spot_paired_half_width(const spot_paired_t *self, double confidence)
{
    if (self->is_quantile || self->has_ends) {
        const double value = spot_paired_mean(self);

        spot_bug_assert(self->confidence >= confidence);
        return fmax(self->high - value, value - self->low);
    }
    if (self->is_binary) {
        return binary_half_width(&self->difference, confidence);
    }
    return spot_moments_half_width(&self->difference, confidence);
}

void spot_paired_bounds(const spot_paired_t *self, double confidence, double *low, double *high)
{
    const double mean = spot_paired_mean(self);
    const double half_width = spot_paired_half_width(self, confidence);

    *low = mean - half_width;
    *high = mean + half_width;
    if (self->is_binary && !isnan(half_width)) {
        *low = fmax(*low, -1);
        *high = fmin(*high, 1);
    }
    if (self->is_quantile || self->has_ends) {
        *low = self->low;
        *high = self->high;
    }
}

int spot_paired_sign(const spot_paired_t *self, double confidence)
{
    const double mean = spot_paired_mean(self);

    return fabs(mean) > spot_paired_half_width(self, confidence) ? (mean > 0) - (mean < 0) : 0;
}

bool spot_paired_is_heavy(const spot_paired_t *self)
{
    const int64_t num_values = self->difference.num_values;
    const double std = spot_moments_std(&self->difference);
    const double rounding = 1e-12 * (fabs(self->x.mean) + fabs(self->y.mean));

    return std > rounding && !self->is_binary && !self->is_quantile && !self->has_ends &&
           spot_skewness_is_heavy(
               self->sum_cubes / (double) num_values / (std * std * std), num_values);
}

double spot_welch_half_width(const spot_moments_t *x, const spot_moments_t *y, double confidence)
{
    const double x_se = spot_moments_stderr(x), y_se = spot_moments_stderr(y);
    const double se = hypot(x_se, y_se);
    const double x_share = (x_se / se) * (x_se / se), y_share = (y_se / se) * (y_se / se);
    double freedom;

    if (!(se > 0)) {
        return se; /* 0, or NAN */
    }
    freedom = 1 / (x_share * x_share / (double) (x->num_values - 1) +
                      y_share * y_share / (double) (y->num_values - 1));
    return se * spot_student_t(confidence, freedom);
}

double spot_paired_gain(const spot_paired_t *self, double confidence)
{
    if (self->is_binary || self->has_ends) {
        return (double) NAN;
    }
    if (self->is_quantile) {
        const double half_width = spot_paired_half_width(self, confidence);
        const bool has_spread = half_width > 0 || self->separate_half_width > 0;

        return isfinite(half_width) && has_spread ? self->separate_half_width / half_width
                                                  : (double) NAN;
    }
    return spot_welch_half_width(&self->x, &self->y, confidence) /
           spot_paired_half_width(self, confidence);
}

/* ---- Rare shares ---- */

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

/* Whether an interval can be found: it is one of a share, whose parts were kept. */
static bool has_bounds(const spot_rare_share_t *self)
{
    return self->num_values > 1 && !self->is_unbounded && !self->is_many;
}

bool spot_rare_share_is_rare(const spot_rare_share_t *self)
{
    return has_bounds(self) &&
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

/* The value c that all of a group of replications have on average, and their number. */
typedef struct {
    double num, c;
} group_t;

enum { GROUP_NONE, GROUP_ALL, GROUP_MORE, NUM_GROUPS };

static void find_groups(const weighed_t *self, group_t groups[NUM_GROUPS])
{
    const spot_rare_share_t *share = self->share;
    const double num_none = (double) share->num_none, num_all = (double) share->num_all;
    const double t = self->t;

    groups[GROUP_NONE] = (group_t){num_none, -t * share->whole_of_none / fmax(num_none, 1)};
    groups[GROUP_ALL] = (group_t){num_all, (1 - t) * share->whole_of_all / fmax(num_all, 1)};
    groups[GROUP_MORE] = (group_t){1, (self->is_more_all ? 1 - t : -t) * share->largest};
}

/* Adds the first three derivatives of the cumulant generating function of num values c. */
static void add_derivatives(double num, double c, double s, double sums[3])
{
    const double ratio = c / (1 - s * c);

    if (num > 0) {
        sums[0] += num * ratio;
        sums[1] += num * ratio * ratio;
        sums[2] += num * 2 * ratio * ratio * ratio;
    }
}

static void find_derivatives(
    const weighed_t *self, const group_t groups[NUM_GROUPS], double s, double sums[3])
{
    const spot_rare_share_t *share = self->share;

    memset(sums, 0, 3 * sizeof(*sums));
    for (size_t j = 0; j < NUM_GROUPS; j++) {
        add_derivatives(groups[j].num, groups[j].c, s, sums);
    }
    for (size_t j = 0; j < share->num_parts; j++) {
        add_derivatives(1, share->parts[j][0] - self->t * share->parts[j][1], s, sums);
    }
}

/* The cumulant generating function at s. */
static double find_cumulant(const weighed_t *self, const group_t groups[NUM_GROUPS], double s)
{
    const spot_rare_share_t *share = self->share;
    double sum = 0;

    for (size_t j = 0; j < NUM_GROUPS; j++) {
        sum -= groups[j].num > 0 ? groups[j].num * log1p(-s * groups[j].c) : 0;
    }
    for (size_t j = 0; j < share->num_parts; j++) {
        sum -= log1p(-s * (share->parts[j][0] - self->t * share->parts[j][1]));
    }
    return sum;
}

/* The smallest and the largest c. */
static void find_range(
    const weighed_t *self, const group_t groups[NUM_GROUPS], double *least, double *most)
{
    const spot_rare_share_t *share = self->share;

    *least = *most = groups[GROUP_MORE].c;
    for (size_t j = 0; j < NUM_GROUPS; j++) {
        if (groups[j].num > 0) {
            *least = fmin(*least, groups[j].c);
            *most = fmax(*most, groups[j].c);
        }
    }
    for (size_t j = 0; j < share->num_parts; j++) {
        const double c = share->parts[j][0] - self->t * share->parts[j][1];

        *least = fmin(*least, c);
        *most = fmax(*most, c);
    }
}

/* The saddlepoint: where the derivative, which grows from -infinity at low to infinity at
 * high, is 0. Newton's step, or half of the interval where that leaves it or is slow. */
static double find_saddle(
    const weighed_t *self, const group_t groups[NUM_GROUPS], double low, double high)
{
    double s = (low + high) / 2, before = high - low, sums[3];

    for (int j = 0; j < 2 * NUM_HALVINGS; j++) {
        double next;

        find_derivatives(self, groups, s, sums);
        low = sums[0] < 0 ? s : low;
        high = sums[0] < 0 ? high : s;
        next = s - sums[0] / sums[1];
        if (!(next > low && next < high) || fabs(next - s) > before / 2) {
            next = (low + high) / 2;
        }
        before = fabs(next - s);
        s = next;
        if (before <= DBL_EPSILON * fabs(s)) {
            break;
        }
    }
    return s;
}

/* The probability that the weighted share is at most t, by the saddlepoint approximation
 * of Lugannani and Rice (Advances in Applied Probability 12, 1980). */
static double probability_up_to(const weighed_t *self)
{
    group_t groups[NUM_GROUPS];
    double least, most, s, sums[3], w, u;

    find_groups(self, groups);
    find_range(self, groups, &least, &most);
    if (most <= 0 || least >= 0) {
        return most <= 0 ? 1 : 0;
    }
    s = find_saddle(self, groups, 1 / least, 1 / most);
    find_derivatives(self, groups, s, sums);
    w = copysign(sqrt(fmax(0, -2 * find_cumulant(self, groups, s))), s);
    u = s * sqrt(sums[1]);
    if (fabs(w) < NEAR_MEAN) {
        return 0.5 + sums[2] / (6 * sums[1] * sqrt(sums[1])) * gsl_ran_ugaussian_pdf(0);
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

    spot_bug_assert(has_bounds(self));
    if (self->num_none == self->num_values || self->num_all == self->num_values) {
        *low = self->num_none == self->num_values ? 0 : 1 - unseen;
        *high = self->num_none == self->num_values ? unseen : 1;
        return;
    }
    *low = weighted_quantile(self, false, tail);
    *high = weighted_quantile(self, true, 1 - tail);
}

/* ---- Rare counts ---- */

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
