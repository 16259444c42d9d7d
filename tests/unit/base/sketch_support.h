/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of sketches share. Include after cmocka.h. */
#pragma once

#include "base/stats.h"
#include "sketch_laws.h"

enum { MANY_VALUES = 30000 };

static inline spot_quantile_sketch_t sketch_of(const double *values, size_t num_values)
{
    spot_quantile_sketch_t sketch = {0};

    assert_int_equal(spot_quantile_sketch_add(&sketch, values, num_values), 0);
    return sketch;
}

/* The same state, but for where keys lie in the table, which quantiles do not show. */
static inline void assert_same_sketch(
    const spot_quantile_sketch_t *sketch, const spot_quantile_sketch_t *expected)
{
    enum { NUM_P = 1001 };
    double p[NUM_P], quantiles[2][NUM_P];

    assert_int_equal(sketch->num_values, expected->num_values);
    assert_int_equal(sketch->num_joined, expected->num_joined);
    assert_int_equal(sketch->num_keys, expected->num_keys);
    assert_int_equal(sketch->any_bits, expected->any_bits);
    for (int j = 0; j < NUM_P; j++) {
        p[j] = (double) j / (NUM_P - 1);
    }
    assert_int_equal(spot_quantile_sketch_quantiles(sketch, NUM_P, p, quantiles[0]), 0);
    assert_int_equal(spot_quantile_sketch_quantiles(expected, NUM_P, p, quantiles[1]), 0);
    assert_memory_equal(quantiles[0], quantiles[1], sizeof(quantiles[0]));
}

static inline double quantile_of(const spot_quantile_sketch_t *sketch, double p)
{
    double quantile;

    assert_int_equal(spot_quantile_sketch_quantiles(sketch, 1, &p, &quantile), 0);
    return quantile;
}
