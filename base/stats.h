/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running statistics: compensated sums, mean and variance, quantiles, Student intervals.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A compensated sum. Neumaier, ZAMM 54, 1974. Zero it to start. */
typedef struct {
    double sum;
    double compensation;
} spot_sum_t;

void spot_sum_add(spot_sum_t *self, double value);
double spot_sum_total(const spot_sum_t *self);

/* Mean and variance in one pass. Welford, Technometrics 4(3), 1962. Zero it to start. */
typedef struct {
    int64_t num_values;
    double mean;
    double sum_squares; /* of differences from the mean */
} spot_moments_t;

/* value must be finite. */
void spot_moments_add(spot_moments_t *self, double value);

/* The moments of values[num_values]. A value that is not finite makes the mean NAN or
 * infinite. */
spot_moments_t spot_moments_of(const double *values, size_t num_values);

/* NAN where undefined: the mean without values, the others for fewer than two. */
double spot_moments_mean(const spot_moments_t *self);
double spot_moments_std(const spot_moments_t *self); /* with n - 1 */
double spot_moments_stderr(const spot_moments_t *self);

/* The t for which Student's variable with freedom degrees of freedom is in [-t, t] with
 * probability confidence. */
double spot_student_t(double confidence, double freedom);

/* Half the width of Student's interval of the mean at a confidence, e.g. 0.95. NAN for
 * fewer than two values. */
double spot_moments_half_width(const spot_moments_t *self, double confidence);

/* Whether a sample is so skewed that Student's interval of its mean is too narrow: the
 * largest values decide the mean, and larger ones may be missing. See docs/numbers.md
 * for its power. */
bool spot_skewness_is_heavy(double skewness, int64_t num_values);

/* The p-quantile of sorted[num_values], type 7 of Hyndman and Fan (The American
 * Statistician 50(4), 1996): linear between order statistics. NAN without values. */
double spot_quantile(const double *sorted, size_t num_values, double p);

/* The same for p[num_quantiles], ascending, and finite values in any order, which are
 * reordered. O(n) for few quantiles. */
void spot_quantiles(
    double *values, size_t num_values, size_t num_quantiles, const double *p, double *quantiles);

/* Sorts in place, ascending; no value may be NAN. O(n log n). */
void spot_sort(double *values, size_t num_values);
