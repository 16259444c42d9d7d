/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/estimate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intervals.h"
#include "base/memory.h"
#include "base/stats.h"
#include "sim/bench/analysis/quantiles.h"

/* What is counted: the numerator, or the metric itself. */
static const spot_metric_t *counted_of(const spot_estimate_t *self, const spot_study_head_t *head)
{
    return self->source.of_id < head->num_metrics ? &head->metrics[self->source.of_id]
                                                  : self->metric;
}

/* A mean over replications of a rate is none. */
static bool is_count(const spot_estimate_t *self, const spot_study_head_t *head)
{
    return !self->is_share && counted_of(self, head)->is_count &&
           (self->estimator == SPOT_ESTIMATOR_RATIO ||
               (self->estimator == SPOT_ESTIMATOR_MEAN && self->metric->denominator == NULL));
}

void spot_estimate_init(spot_estimate_t *self, const spot_study_head_t *head, size_t metric_id)
{
    *self = (spot_estimate_t){.metric = &head->metrics[metric_id],
        .source = spot_study_source(head, metric_id),
        .estimator = spot_metric_estimator(&head->metrics[metric_id])};
    self->is_share =
        self->metric->kind == SPOT_METRIC_SHARE &&
        (self->estimator == SPOT_ESTIMATOR_RATIO || self->estimator == SPOT_ESTIMATOR_MEAN);
    self->is_count = is_count(self, head);
    self->num_metrics = head->num_metrics;
    self->has_whole = counted_of(self, head)->count_of != NULL;
    self->whole_id = spot_study_metric_id(head, counted_of(self, head)->count_of);
}

void spot_estimate_free(spot_estimate_t *self)
{
    free(self->values);
    free(self->bounds);
    spot_rare_share_free(&self->share);
    memset(self, 0, sizeof(*self));
}

bool spot_metric_is_cut_off(
    const spot_metric_t *metric, const spot_metric_source_t *source, const double *row)
{
    return metric->known_if != NULL && row[source->known_id] == 0;
}

bool spot_line_numbers(const spot_metric_t *metric, const spot_metric_source_t *source,
    const double *row, double numbers[2])
{
    const spot_estimator_t estimator = spot_metric_estimator(metric);
    bool is_cut_off = false;

    numbers[1] = 1;
    if (estimator == SPOT_ESTIMATOR_RATIO) {
        numbers[0] = row[source->of_id];
        numbers[1] = spot_metric_denominator(metric, source, row);
    } else if (estimator == SPOT_ESTIMATOR_QUANTILE) {
        const double denominator = spot_metric_denominator(metric, source, row);

        numbers[0] = denominator == 0 ? (double) NAN : row[source->of_id] / denominator;
        is_cut_off = isfinite(numbers[0]) && spot_metric_is_cut_off(metric, source, row);
        numbers[0] = is_cut_off ? (double) INFINITY : numbers[0];
    } else {
        numbers[0] = spot_metric_value(metric, source, row);
    }
    return (is_cut_off || isfinite(numbers[0])) && isfinite(numbers[1]);
}

/* The moments of the denominator, before those of v alone: n with it, dv and the factor
 * of third moments as below. */
static void add_denominator(spot_estimate_t *self, double b, double n, double dv, double third)
{
    const double db = b - self->mean_b;

    self->vvb += dv * dv * db * third - (db * self->vv + 2 * dv * self->vb) / n;
    self->vbb += dv * db * db * third - (dv * self->bb + 2 * db * self->vb) / n;
    self->bbb += db * (db * db * third - 3 * self->bb / n);
    self->mean_b += db / n;
    self->vb += dv * (b - self->mean_b);
    self->bb += db * (b - self->mean_b);
}

/* Update of third moments: Pebay, Sandia report SAND2008-6212, 2008. But for a ratio the
 * denominator is 1. */
static void add_moments(spot_estimate_t *self, double v, double b)
{
    const double dv = v - self->mean_v;
    const double before = (double) self->num_values, n = before + 1;
    const double third = before * (before - 1) / (n * n);

    self->vvv += dv * (dv * dv * third - 3 * self->vv / n);
    if (self->estimator == SPOT_ESTIMATOR_RATIO) {
        add_denominator(self, b, n, dv, third);
    } else {
        self->mean_b = 1;
    }
    self->num_values++;
    self->mean_v += dv / n;
    self->vv += dv * (v - self->mean_v);
}

static int add_to_quantile(spot_estimate_t *self, double value, double bound)
{
    const size_t num = (size_t) self->num_values;
    int ret = spot_array_reserve(&self->values, &self->max_values, num + 1, sizeof(value));

    ret = ret == 0 ? spot_array_reserve(&self->bounds, &self->max_bounds, num + 1, sizeof(bound))
                   : ret;
    if (ret == 0) {
        self->values[num] = value;
        self->bounds[num] = bound;
        self->num_values++;
    }
    return ret;
}

static void add_events(spot_estimate_t *self, const double numbers[2], const double *row)
{
    if (self->is_count && numbers[1] > 0) {
        spot_rare_count_add(&self->count, numbers[0], numbers[1],
            !self->has_whole                      ? 1
            : self->whole_id == self->num_metrics ? (double) NAN
                                                  : row[self->whole_id]);
    }
}

int spot_estimate_add(spot_estimate_t *self, const double *row)
{
    double *numbers = self->numbers;

    self->num_unknown += spot_metric_is_cut_off(self->metric, &self->source, row);
    if (!spot_line_numbers(self->metric, &self->source, row, numbers)) {
        self->num_nulls++;
        return 0;
    }
    if (self->estimator == SPOT_ESTIMATOR_QUANTILE) {
        return add_to_quantile(self, numbers[0],
            row[self->source.of_id] / spot_metric_denominator(self->metric, &self->source, row));
    }
    if (self->estimator == SPOT_ESTIMATOR_RATIO && self->origin == 0 && numbers[1] != 0 &&
        self->num_values == 0) {
        self->origin = numbers[0] / numbers[1];
    }
    add_moments(self, numbers[0] - self->origin * numbers[1], numbers[1]);
    add_events(self, numbers, row);
    return self->is_share ? spot_rare_share_add(&self->share, numbers[0], numbers[1]) : 0;
}

/* ---- Quantiles ---- */

/* Sorts numbers, ascending, that mostly are sorted already; INFINITY: cut off. */
static void quantiles_sort(double *numbers, size_t num)
{
    for (size_t j = 1; j < num; j++) {
        if (numbers[j] < numbers[j - 1]) {
            spot_sort(numbers, num);
            return;
        }
    }
}

static void quantile_bounds(
    const spot_estimate_t *self, double confidence, double *low, double *high)
{
    const size_t num = (size_t) self->num_values;

    quantiles_sort(self->values, num);
    spot_quantile_bounds(self->values, num, self->metric->p, confidence, low, high);
}

double spot_estimate_least(const spot_estimate_t *self)
{
    quantiles_sort(self->bounds, (size_t) self->num_values);
    return spot_quantile(self->bounds, (size_t) self->num_values, self->metric->p);
}

/* ---- Means, ratios and probabilities ---- */

/* The estimate less the origin. */
static double slope_of(const spot_estimate_t *self)
{
    return self->mean_v / self->mean_b;
}

double spot_estimate_value(const spot_estimate_t *self)
{
    if (self->num_values == 0) {
        return (double) NAN;
    }
    if (self->estimator == SPOT_ESTIMATOR_QUANTILE) {
        quantiles_sort(self->values, (size_t) self->num_values);
        return spot_quantile_known(self->values, (size_t) self->num_values, self->metric->p);
    }
    if (self->estimator != SPOT_ESTIMATOR_RATIO) {
        return self->mean_v;
    }
    return self->mean_b == 0 ? (double) NAN : self->origin + slope_of(self);
}

/* Relative to b, below which u is rounding. */
#define ROUNDING 1e-13

/* The sum of squares, or with is_cubed of cubes, of u = v - slope b about its mean. */
static double sum_of_powers(const spot_estimate_t *self, bool is_cubed)
{
    const bool is_ratio = self->estimator == SPOT_ESTIMATOR_RATIO;
    const double slope = is_ratio ? slope_of(self) : 0;
    const double squares = self->vv - slope * (2 * self->vb - slope * self->bb);
    const double all_b = self->bb + (double) self->num_values * self->mean_b * self->mean_b;
    const double noise = ROUNDING * (self->origin + slope);

    if (is_cubed) {
        return self->vvv - slope * (3 * self->vvb - slope * (3 * self->vbb - slope * self->bbb));
    }
    return is_ratio && squares <= noise * noise * all_b ? 0 : squares;
}

/* The standard deviation of what replications add to the estimate. */
static double std_of(const spot_estimate_t *self)
{
    if (self->num_values < 2 || self->mean_b == 0 || self->estimator == SPOT_ESTIMATOR_QUANTILE) {
        return (double) NAN;
    }
    return sqrt(sum_of_powers(self, false) / (double) (self->num_values - 1)) / fabs(self->mean_b);
}

/* The same, also of a quantile, whose density follows from the width of its interval. */
static double std_of_line(const spot_estimate_t *self)
{
    double value, low, high, half_width;

    if (self->estimator != SPOT_ESTIMATOR_QUANTILE) {
        return std_of(self);
    }
    value = spot_estimate_value(self);
    quantile_bounds(self, SPOT_CONFIDENCE, &low, &high);
    half_width = isfinite(low) && isfinite(high) ? (high - low) / 2
                 : isfinite(low)                 ? value - low
                                                 : high - value;
    return isfinite(half_width) ? half_width / gsl_cdf_ugaussian_Qinv((1 - SPOT_CONFIDENCE) / 2) *
                                      sqrt((double) self->num_values)
                                : (double) NAN;
}

double spot_estimate_stderr(const spot_estimate_t *self)
{
    return std_of_line(self) / sqrt((double) self->num_values);
}

spot_moments_t spot_estimate_moments(const spot_estimate_t *self)
{
    const double std = std_of_line(self);

    if (self->estimator == SPOT_ESTIMATOR_MEAN || self->estimator == SPOT_ESTIMATOR_PROBABILITY) {
        return (spot_moments_t){self->num_values, self->mean_v, self->vv};
    }
    return (spot_moments_t){self->num_values, spot_estimate_value(self),
        self->num_values < 2 ? 0 : std * std * (double) (self->num_values - 1)};
}

static double skewness_of(const spot_estimate_t *self)
{
    const double n = (double) self->num_values;
    const double std = sqrt(sum_of_powers(self, false) / (n - 1));

    return copysign(1, self->mean_b) * sum_of_powers(self, true) / n / (std * std * std);
}

static void wilson_bounds(double p, double n, double confidence, double *low, double *high)
{
    const double z = gsl_cdf_ugaussian_Qinv((1 - confidence) / 2), zz = z * z / n;
    const double middle = (p + zz / 2) / (1 + zz);
    const double half_width = sqrt(p * (1 - p) * zz + zz * zz / 4) / (1 + zz);

    *low = p == 0 ? 0 : middle - half_width;
    *high = p == 1 ? 1 : middle + half_width;
}

bool spot_estimate_is_rare(const spot_estimate_t *self)
{
    return (self->is_share && spot_rare_share_is_rare(&self->share)) ||
           (self->is_count && spot_rare_count_is_rare(&self->count));
}

static void rare_bounds(const spot_estimate_t *self, double confidence, double *low, double *high)
{
    if (self->is_share) {
        spot_rare_share_bounds(&self->share, confidence, low, high);
    } else {
        spot_rare_count_bounds(&self->count, confidence, low, high);
    }
}

bool spot_estimate_is_unseen_by(const spot_estimate_t *self, double low, double high)
{
    const double value = spot_estimate_value(self);

    return spot_estimate_is_rare(self) &&
           (value < 0.5 || self->is_count ? high > 2 * value : 1 - low > 2 * (1 - value));
}

bool spot_estimate_is_unseen(const spot_estimate_t *self)
{
    double low, high;

    if (!spot_estimate_is_rare(self)) {
        return false;
    }
    rare_bounds(self, SPOT_CONFIDENCE, &low, &high);
    return spot_estimate_is_unseen_by(self, low, high);
}

void spot_estimate_bounds(const spot_estimate_t *self, double confidence, double *low, double *high)
{
    const double value = spot_estimate_value(self);
    double half_width;

    if (self->estimator == SPOT_ESTIMATOR_QUANTILE) {
        quantile_bounds(self, confidence, low, high);
        return;
    }
    if (self->estimator == SPOT_ESTIMATOR_PROBABILITY && self->num_values > 0) {
        wilson_bounds(value, (double) self->num_values, confidence, low, high);
        return;
    }
    if (spot_estimate_is_rare(self)) {
        rare_bounds(self, confidence, low, high);
        return;
    }
    half_width = self->num_values < 2
                     ? (double) NAN
                     : spot_estimate_stderr(self) *
                           spot_student_t(confidence, (double) (self->num_values - 1));
    *low = value - half_width;
    *high = value + half_width;
}

/* The p at which a beta variable is below it with a probability, by bisection: GSL's
 * inverse does not converge for some tails. */
static double beta_quantile(double probability, double a, double b)
{
    double low = 0, high = 1;

    while (high - low > 1e-12) {
        const double middle = (low + high) / 2;

        if (gsl_cdf_beta_P(middle, a, b) < probability) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

void spot_binomial_bounds(double num_hits, double num, double confidence, double *low, double *high)
{
    const double tail = (1 - confidence) / 2;

    *low = num_hits == 0 ? 0 : beta_quantile(tail, num_hits, num - num_hits + 1);
    *high = num_hits == num ? 1 : 1 - beta_quantile(tail, num - num_hits, num_hits + 1);
}

void spot_estimate_safe_bounds(
    const spot_estimate_t *self, double confidence, double *low, double *high)
{
    const double n = (double) self->num_values, std = std_of(self);

    if (self->estimator == SPOT_ESTIMATOR_PROBABILITY && n > 0) {
        spot_binomial_bounds(round(n * self->mean_v), n, confidence, low, high);
        return;
    }
    spot_estimate_bounds(self, confidence, low, high);
    if (std > 0 && !spot_estimate_is_rare(self)) {
        spot_skewed_widen(
            &(spot_skew_t){self->num_values, spot_estimate_value(self), std, skewness_of(self)},
            confidence, low, high);
    }
}

double spot_estimate_half_width(const spot_estimate_t *self, double confidence)
{
    double low, high;

    spot_estimate_bounds(self, confidence, &low, &high);
    return fmax(high - spot_estimate_value(self), spot_estimate_value(self) - low);
}

bool spot_estimate_is_heavy(const spot_estimate_t *self)
{
    return std_of(self) > 0 && !spot_estimate_is_rare(self) &&
           (self->estimator == SPOT_ESTIMATOR_MEAN || self->estimator == SPOT_ESTIMATOR_RATIO) &&
           spot_skewness_is_heavy(skewness_of(self), self->num_values);
}

bool spot_estimate_is_constant(const spot_estimate_t *self)
{
    return self->num_values > 1 && self->estimator != SPOT_ESTIMATOR_QUANTILE &&
           sum_of_powers(self, false) == 0;
}

double spot_estimate_excess(const spot_estimate_t *self, const spot_until_t *until)
{
    const double value = spot_estimate_value(self);
    const double wanted =
        until->half_width > 0 ? until->half_width : until->relative_half_width * fabs(value);
    double low, high;

    spot_estimate_bounds(self, until->confidence, &low, &high);
    if (high == low) {
        const bool is_enough =
            until->half_width > 0 ||
            (value != 0 && until->relative_half_width * (double) self->num_values >= 3);

        return is_enough ? 0 : (double) INFINITY;
    }
    return isfinite(high - low) && wanted > 0 ? (high - low) / 2 / wanted : (double) INFINITY;
}

/* ---- Lines ---- */

/* The share of the values that are larger: with ties not 1 - p. */
static double share_above(const spot_estimate_t *self, double value)
{
    size_t num = 0;

    for (int64_t j = 0; j < self->num_values; j++) {
        num += self->values[j] > value;
    }
    return (double) num / (double) self->num_values;
}

spot_line_t spot_estimate_line(const spot_estimate_t *self)
{
    const double value = spot_estimate_value(self), p = self->metric->p;
    spot_line_t line = {.metric = self->metric, .source = self->source, .of_a = 1};

    if (self->estimator == SPOT_ESTIMATOR_RATIO) {
        line.offset = value;
        line.of_a = 1 / self->mean_b;
        line.of_b = -value / self->mean_b;
    } else if (self->estimator == SPOT_ESTIMATOR_QUANTILE) {
        const bool is_single = self->num_values == 1; /* of a fixed point: known */

        line.of_a = is_single ? 0 : std_of_line(self) / sqrt(p * (1 - p));
        line.offset = value - share_above(self, value) * line.of_a;
        line.quantile = value;
    }
    return line;
}

double spot_line_at(const spot_line_t *self, const double numbers[2])
{
    if (self->metric->estimator == SPOT_ESTIMATOR_QUANTILE) {
        return self->offset + (numbers[0] > self->quantile ? self->of_a : 0);
    }
    return self->offset + self->of_a * numbers[0] + self->of_b * numbers[1];
}

double spot_line_value(const spot_line_t *self, const double *row)
{
    double numbers[2];

    return spot_line_numbers(self->metric, &self->source, row, numbers)
               ? spot_line_at(self, numbers)
               : (double) NAN;
}
