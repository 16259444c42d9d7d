/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/queries/arrivals_fit.h"

#include <math.h>

/* The most queries of any window that starts with a query. */
static size_t most_queries(const spot_arrivals_t *arrivals, int64_t window_ns)
{
    size_t end = 0, most = 0;

    for (size_t j = 0; j < arrivals->num_queries; j++) {
        while (end < arrivals->num_queries &&
               arrivals->source_ns[end] - arrivals->source_ns[j] < window_ns) {
            end++;
        }
        most = end - j > most ? end - j : most;
    }
    return most;
}

void spot_arrivals_fit(spot_arrivals_fit_t *self, const spot_arrivals_t *arrivals)
{
    const size_t num_deltas = arrivals->num_queries - 1;
    const int64_t span_ns = arrivals->source_ns[num_deltas];
    size_t num_zero = 0;

    for (size_t j = 0; j < num_deltas; j++) {
        num_zero += arrivals->source_ns[j] == arrivals->source_ns[j + 1];
    }
    self->scv = arrivals->cv * arrivals->cv;
    self->zero_share = num_deltas == 0 ? (double) NAN : (double) num_zero / (double) num_deltas;
    self->num_windows = 0;
    for (int64_t window_ns = 1000000; window_ns <= span_ns && self->num_windows < SPOT_MAX_WINDOWS;
         window_ns *= 2) {
        self->window_ns[self->num_windows] = window_ns;
        self->most_queries[self->num_windows++] = most_queries(arrivals, window_ns);
    }
}
