/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws one of several parts of a whole by weight. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/rng.h"

/* Part j has the numbers from until[j - 1] to until[j]. Zero
 * it to start. */
typedef struct {
    size_t num_until;
    size_t max_until;
    double *until; /* [num_until] sums of the weights */
} spot_parts_t;

/* Appends a part. weight >= 0. NO_MEMORY. */
SPOT_MUST_CHECK int spot_parts_add(spot_parts_t *self, double weight);

/* The sum of the weights. */
double spot_parts_sum(const spot_parts_t *self);

/* A part, where the sum is above 0. O(log parts). */
size_t spot_parts_draw(const spot_parts_t *self, spot_rng_t *rng);
