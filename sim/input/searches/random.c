/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/search.h"

static size_t next(spot_search_t *self, size_t n)
{
    size_t id;

    (void) n;
    do {
        id = 1 + spot_rng_below(&self->rng, self->threads.num_values * self->blocks.num_values);
    } while (self->is_known[id]);
    return id;
}

const spot_search_method_t spot_search_random = {"random",
    "points of the grid in random order, none twice", "the evaluations asked for are done", true,
    next};
