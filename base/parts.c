/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/parts.h"

#include "base/memory.h"

int spot_parts_add(spot_parts_t *self, double weight)
{
    const double sum = spot_parts_sum(self) + weight;

    return SPOT_ARRAY_APPEND(self, until, sum);
}

double spot_parts_sum(const spot_parts_t *self)
{
    return self->num_until == 0 ? 0 : self->until[self->num_until - 1];
}

size_t spot_parts_draw(const spot_parts_t *self, spot_rng_t *rng)
{
    const double at = spot_rng_uniform(rng) * spot_parts_sum(self);
    size_t low = 0, high = self->num_until - 1;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (at < self->until[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}
