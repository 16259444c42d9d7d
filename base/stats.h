/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sample is: sums, mean and variance, quantiles.
 *
 * Values are added one at a time to a zeroed struct (spot_sum_t, spot_moments_t), or by
 * arrays to a sketch, whose memory does not grow with their number; spot_quantile() and
 * spot_quantiles() read all values. How well a mean is known is in base/intervals.h. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

/* ---- Sketch ---- */

/* Quantiles of any number of values in little memory: a count for each of many narrow
 * buckets.
 *
 * A bucket holds the doubles that agree in sign, exponent and the top 7 bits of the
 * mantissa, so its width is 1/128 of the lower end of its octave. Such log-linear
 * buckets are those of HdrHistogram (Tene). The bound of the relative error is from
 * DDSketch (Masson, Rim, Lee, VLDB 12(12), 2019). If the values need too many buckets,
 * all buckets are joined in pairs, as in UDDSketch (Epicoco et al., IEEE Access 8,
 * 2020).
 *
 * The state depends on the set of values alone, not on their order. */

/* Keys of a sketch, which are its buckets that are not empty: 64 full octaves (19
 * decades) fit. Beyond, the buckets are joined in pairs until they fit; 6 times are
 * enough for all doubles of both signs. So memory is 128 KiB for any values. */
#define SPOT_SKETCH_MAX_KEYS 8192
#define SPOT_SKETCH_MAX_JOINED 6

#define SPOT_SKETCH_MAX_VALUES ((UINT64_C(1) << 45) - 1)

/* Zero it to start. */
typedef struct {
    uint64_t num_values;
    double minimum; /* exact; undefined without values */
    double maximum;
    uint64_t any_bits;   /* mantissa bits that are set in any value */
    unsigned num_joined; /* times that buckets were joined in pairs */
    size_t num_keys;
    uint64_t *slots; /* open addressing: key << 45 | count; 0 is empty. NULL: no table */
} spot_quantile_sketch_t;

/* Accepts a zeroed self. */
void spot_quantile_sketch_free(spot_quantile_sketch_t *self);

/* Adds values[num_values], all finite. NO_MEMORY: then self can only be freed.
 * BAD_PARAM: more than SPOT_SKETCH_MAX_VALUES in all. O(num_values). */
SPOT_MUST_CHECK int spot_quantile_sketch_add(
    spot_quantile_sketch_t *self, const double *values, size_t num_values);

/* Sets quantiles[num_p] to those at p[num_p], each in [0, 1]: type 7 of Hyndman and Fan,
 * as spot_quantile(), with each value replaced by that of its bucket; the first and the
 * last value are exact. NAN without values. NO_MEMORY. O(keys * num_p).
 *
 * Error: an order statistic x is known to r |x| with r <= 2^(num_joined - 8), so 1/256 =
 * 0.4 % if no buckets were joined; below 2^-1022 to 2^(num_joined - 1029). r is 0 if no
 * value has mantissa bits that its key drops, e.g. whole numbers up to 256. So with the
 * quantile (1 - f) x_k + f x_k+1 the error is at most r ((1 - f) |x_k| + f |x_k+1|),
 * which is r times the quantile itself unless the two have different signs. Never
 * outside the minimum and the maximum. */
SPOT_MUST_CHECK int spot_quantile_sketch_quantiles(
    const spot_quantile_sketch_t *self, size_t num_p, const double *p, double *quantiles);
