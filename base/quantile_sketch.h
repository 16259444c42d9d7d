/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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
