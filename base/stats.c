/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stats.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* Skewness of a sample over the root of its size, above which its interval is not
 * believed. The error of Student's interval grows with its square. */
#define HEAVY_SKEWNESS 0.2

void spot_sum_add(spot_sum_t *self, double value)
{
    const double sum = self->sum + value;

    if (fabs(self->sum) >= fabs(value)) {
        self->compensation += (self->sum - sum) + value;
    } else {
        self->compensation += (value - sum) + self->sum;
    }
    self->sum = sum;
}

double spot_sum_total(const spot_sum_t *self)
{
    return self->sum + self->compensation;
}

static inline void add_value(spot_moments_t *self, double value)
{
    const double difference = value - self->mean;

    self->num_values++;
    self->mean += difference / (double) self->num_values;
    self->sum_squares += difference * (value - self->mean);
}

void spot_moments_add(spot_moments_t *self, double value)
{
    assert(isfinite(value));
    add_value(self, value);
}

spot_moments_t spot_moments_of(const double *values, size_t num_values)
{
    spot_moments_t moments = {0};

    for (size_t j = 0; j < num_values; j++) {
        add_value(&moments, values[j]);
    }
    return moments;
}

double spot_moments_mean(const spot_moments_t *self)
{
    return self->num_values > 0 ? self->mean : (double) NAN;
}

double spot_moments_std(const spot_moments_t *self)
{
    if (self->num_values < 2) {
        return (double) NAN;
    }
    return sqrt(self->sum_squares / (double) (self->num_values - 1));
}

double spot_moments_stderr(const spot_moments_t *self)
{
    return spot_moments_std(self) / sqrt((double) self->num_values);
}

double spot_student_t(double confidence, double freedom)
{
    /* Cached: a call takes a microsecond and is mostly repeated. */
    static _Thread_local struct {
        double confidence, freedom, t;
    } last;

    if (last.confidence != confidence || last.freedom != freedom) {
        last.t = gsl_cdf_tdist_Qinv((1 - confidence) / 2, freedom);
        last.confidence = confidence;
        last.freedom = freedom;
    }
    return last.t;
}

double spot_moments_half_width(const spot_moments_t *self, double confidence)
{
    assert(confidence > 0 && confidence < 1);
    if (self->num_values < 2) {
        return (double) NAN;
    }
    return spot_moments_stderr(self) * spot_student_t(confidence, (double) (self->num_values - 1));
}

bool spot_skewness_is_heavy(double skewness, int64_t num_values)
{
    return fabs(skewness) > HEAVY_SKEWNESS * sqrt((double) num_values);
}

double spot_quantile(const double *sorted, size_t num_values, double p)
{
    double position, fraction;
    size_t lower;

    assert(p >= 0 && p <= 1);
    if (num_values == 0) {
        return (double) NAN;
    }
    position = p * (double) (num_values - 1);
    lower = (size_t) position;
    fraction = position - (double) lower;
    if (lower + 1 >= num_values) {
        return sorted[num_values - 1];
    }
    return sorted[lower] + fraction * (sorted[lower + 1] - sorted[lower]);
}

void spot_quantiles(
    double *values, size_t num_values, size_t num_quantiles, const double *p, double *quantiles)
{
    size_t first = 0; /* values before it are in sorted order */

    for (size_t j = 0; j < num_quantiles; j++) {
        /* The two order statistics that spot_quantile() reads. */
        const size_t lower = num_values == 0 ? 0 : (size_t) (p[j] * (double) (num_values - 1));

        for (size_t k = lower; k < lower + 2; k++) {
            if (k >= first && k < num_values) {
                gsl_stats_select(&values[first], 1, num_values - first, k - first);
                first = k + 1;
            }
        }
        quantiles[j] = spot_quantile(values, num_values, p[j]);
    }
}

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *) left;
    const double b = *(const double *) right;

    return (a > b) - (a < b);
}

void spot_sort(double *values, size_t num_values)
{
    if (num_values > 0) { /* qsort() needs an array even for no values */
        qsort(values, num_values, sizeof(*values), compare_doubles);
    }
}
