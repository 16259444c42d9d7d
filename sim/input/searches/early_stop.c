/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "sim/input/search.h"

/* Goes through all points. The gain over no finite reference is NAN: it is not small. */
static size_t next(spot_search_t *self, size_t n)
{
    double best_s = (double) INFINITY, reference_s = best_s;
    int num_small = 0;

    for (size_t j = 0; j < self->num_points; j++) {
        const double now_s = self->points[j].seconds;

        num_small = (reference_s - now_s) / reference_s <= 0.05 ? num_small + 1 : 0;
        best_s = fmin(best_s, now_s);
        if (self->reference == SPOT_GAIN_PREV) {
            reference_s = now_s;
        } else if (self->reference == SPOT_GAIN_BEST || num_small == 0) {
            reference_s = best_s;
        }
    }
    self->why = num_small >= 3 ? "3 block sizes in a row gained at most 5 %" : NULL;
    return self->why == NULL ? n + 1 : 0;
}

const spot_search_method_t spot_search_early_stop = {"early-stop",
    "one thread, larger and larger blocks, until 3 in a row gain at most 5 %",
    "all block sizes are measured", false, next};
