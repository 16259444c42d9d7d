/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/input/search.h"

static size_t next(spot_search_t *self, size_t n)
{
    (void) self;
    return n + 1;
}

const spot_search_method_t spot_search_grid = {"grid",
    "every number of threads with every block size", "all points are measured", false, next};
