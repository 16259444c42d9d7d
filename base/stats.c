/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stats.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

void
spot_sum_add(spot_sum_t *self, double value)
{
    const double sum = self->sum + value;

    if (fabs(self->sum) >= fabs(value)) {
        self->compensation += (self->sum - sum) + value;
    } else {
        self->compensation += (value - sum) + self->sum;
    }
    self->sum = sum;
}

double
spot_sum_total(const spot_sum_t *self)
{
    return self->sum + self->compensation;
}

void
spot_moments_add(spot_moments_t *self, double value)
{
    const double difference = value - self->mean;

    assert(isfinite(value));
    self->num_values++;
    self->mean += difference / (double) self->num_values;
    self->sum_squares += difference * (value - self->mean);
}

double
spot_moments_mean(const spot_moments_t *self)
{
    return self->num_values > 0 ? self->mean : (double) NAN;
}

double
spot_moments_std(const spot_moments_t *self)
{
    if (self->num_values < 2) {
        return (double) NAN;
    }
    return sqrt(self->sum_squares / (double) (self->num_values - 1));
}

double
spot_moments_stderr(const spot_moments_t *self)
{
    return spot_moments_std(self) / sqrt((double) self->num_values);
}

double
spot_moments_half_width(const spot_moments_t *self, double confidence)
{
    assert(confidence > 0 && confidence < 1);
    if (self->num_values < 2) {
        return (double) NAN;
    }
    return spot_moments_stderr(self) *
           gsl_cdf_tdist_Qinv((1 - confidence) / 2, (double) (self->num_values - 1));
}

double
spot_quantile(const double *sorted, size_t num_values, double p)
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

static int
compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *) left;
    const double b = *(const double *) right;

    return (a > b) - (a < b);
}

void
spot_sort(double *values, size_t num_values)
{
    qsort(values, num_values, sizeof(*values), compare_doubles);
}
