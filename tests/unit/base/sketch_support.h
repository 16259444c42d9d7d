/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of sketches share. Include after cmocka.h. */
#ifndef SPOT_TESTS_UNIT_BASE_SKETCH_SUPPORT_H
#define SPOT_TESTS_UNIT_BASE_SKETCH_SUPPORT_H

#include "base/quantile_sketch.h"
#include "sketch_laws.h"

enum { MANY_VALUES = 30000 };

static inline spot_quantile_sketch_t
sketch_of(const double *values, size_t num_values)
{
    spot_quantile_sketch_t sketch = {0};

    assert_int_equal(spot_quantile_sketch_add(&sketch, values, num_values), 0);
    return sketch;
}

static inline spot_bytes_t
bytes_of(const spot_quantile_sketch_t *sketch)
{
    spot_bytes_t bytes = {0};

    assert_int_equal(spot_quantile_sketch_write(sketch, &bytes), 0);
    return bytes;
}

static inline void
assert_same_bytes(const spot_bytes_t *bytes, const uint8_t *expected, size_t num_bytes)
{
    assert_int_equal(bytes->num_bytes, num_bytes);
    assert_memory_equal(bytes->bytes, expected, num_bytes);
}

static inline void
assert_same_sketch(
    const spot_quantile_sketch_t *sketch, const spot_quantile_sketch_t *expected)
{
    spot_bytes_t bytes = bytes_of(sketch), other = bytes_of(expected);

    assert_same_bytes(&bytes, other.bytes, other.num_bytes);
    spot_bytes_free(&bytes);
    spot_bytes_free(&other);
}

static inline double
quantile_of(const spot_quantile_sketch_t *sketch, double p)
{
    double quantile;

    assert_int_equal(spot_quantile_sketch_quantiles(sketch, 1, &p, &quantile), 0);
    return quantile;
}

#endif
