/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantiles of any number of values in little memory: how many fell into each of many
 * narrow buckets. Sketches of parts are merged into the sketch of the whole, exactly.
 *
 * A bucket is what doubles have in common that agree in sign, exponent and the top 7
 * bits of the mantissa, so it is 1/128 of an octave's lower end wide. Such log-linear
 * buckets are HdrHistogram's (Tene); DDSketch (Masson, Rim, Lee, VLDB 12(12), 2019)
 * gives the bound of the relative error; where values are spread so far that there are
 * too many buckets, all are joined in pairs, as UDDSketch does (Epicoco et al., IEEE
 * Access 8, 2020).
 *
 * All state is whole numbers, a minimum and a maximum, and a function of the set of
 * values alone: neither the order of values, nor how they are dealt to sketches, nor the
 * order of merging shows in a bit of it. */
#ifndef SPOT_BASE_QUANTILE_SKETCH_H
#define SPOT_BASE_QUANTILE_SKETCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

/* Keys of a sketch, i.e. buckets that are not empty: 64 octaves (19 decades) of values
 * with all of them taken fit in. Beyond, the buckets are joined in pairs until they do;
 * 6 times are enough for all doubles of both signs. So memory is at most 128 KiB and the
 * byte string less than 64 KiB, for any values. */
#define SPOT_SKETCH_MAX_KEYS 8192
#define SPOT_SKETCH_MAX_JOINED 6

/* Values of a sketch, merged ones included. */
#define SPOT_SKETCH_MAX_VALUES ((UINT64_C(1) << 45) - 1)

/* Zero it to start. */
typedef struct {
    uint64_t num_values;
    double minimum; /* exact; undefined without values */
    double maximum;
    uint64_t any_bits;   /* mantissa bits that any of the values has */
    unsigned num_joined; /* times that buckets were joined in pairs */
    unsigned slot_bits;  /* the table has 2^slot_bits slots */
    size_t num_keys;
    uint64_t *slots; /* open addressing: key << 45 | count; 0 is empty. NULL: no table */
} spot_quantile_sketch_t;

/* Accepts a zeroed self. */
void spot_quantile_sketch_free(spot_quantile_sketch_t *self);

/* As zeroed, but keeps the table, so that filling it again allocates nothing. */
void spot_quantile_sketch_clear(spot_quantile_sketch_t *self);

/* values[num_values], all finite. NO_MEMORY: self may only be cleared or freed then.
 * BAD_PARAM: more than SPOT_SKETCH_MAX_VALUES in all. O(num_values). */
SPOT_MUST_CHECK int spot_quantile_sketch_add(
    spot_quantile_sketch_t *self, const double *values, size_t num_values);

/* Adds all that other has. Errors as above. O(keys of other). */
SPOT_MUST_CHECK int spot_quantile_sketch_merge(
    spot_quantile_sketch_t *self, const spot_quantile_sketch_t *other);

/* quantiles[num_p] at p[num_p], each in [0, 1]: type 7 of Hyndman and Fan, as
 * spot_quantile(), of the values as their buckets know them; the first and the last
 * value are exact. NAN without values. NO_MEMORY. O(keys * num_p).
 *
 * Error: an order statistic x is known to r |x| for r = spot_quantile_sketch_error(),
 * below 2^-1022 to 2^(num_joined - 1029). So with the quantile (1 - f) x_k + f x_k+1 the
 * error is at most r ((1 - f) |x_k| + f |x_k+1|), which is r times the quantile itself
 * unless the two have different signs. Never outside the minimum and the maximum. */
SPOT_MUST_CHECK int spot_quantile_sketch_quantiles(const spot_quantile_sketch_t *self,
    size_t num_p, const double *p, double *quantiles);

/* The bound r of the relative error: at most 2^(num_joined - 8), so 1/256 = 0.4 % as
 * long as no buckets were joined; 0 where all values are known exactly, e.g. whole
 * numbers up to 256 and the like. */
double spot_quantile_sketch_error(const spot_quantile_sketch_t *self);

/* Appends the sketch to bytes: version, num_joined, num_values, minimum, maximum,
 * any_bits, number of keys, and for each key in ascending order its distance to the one
 * before and its count. About 2 bytes a key. The same sketch gives the same bytes.
 * NO_MEMORY leaves bytes as they were. */
SPOT_MUST_CHECK int spot_quantile_sketch_write(
    const spot_quantile_sketch_t *self, spot_bytes_t *bytes);

/* Adds the sketch that the whole of bytes[num_bytes] is: into an empty self it reads,
 * into another one it merges. BAD_INPUT: no sketch could have written them; self is as
 * before. NO_MEMORY, BAD_PARAM as above. */
SPOT_MUST_CHECK int spot_quantile_sketch_read(
    spot_quantile_sketch_t *self, const uint8_t *bytes, size_t num_bytes);

#endif
