/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/skewed.h"

#include <math.h>

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
