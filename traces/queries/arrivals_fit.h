/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What arrivals are like: rate, spread, and how many queries come at once. */
#pragma once

#include "traces/queries/arrivals.h"

#define SPOT_MAX_WINDOWS 43 /* 1 ms * 2^k up to the longest arrivals */

/* Figures of the whole deltas; NAN without any, or if all are 0. */
typedef struct {
    double scv;
    double zero_share; /* deltas of 0 ns */
    /* The envelope: the most queries in any window [t, t + w) for w = 1 ms * 2^k up to
     * the time from the first query to the last. */
    size_t num_windows;
    int64_t window_ns[SPOT_MAX_WINDOWS];
    size_t most_queries[SPOT_MAX_WINDOWS];
} spot_arrivals_fit_t;

/* O(queries * windows). */
void spot_arrivals_fit(spot_arrivals_fit_t *self, const spot_arrivals_t *arrivals);
