/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/paired.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "base/error.h"

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
