/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The seed model of a trace: independent events with fixed probabilities per minute. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "traces/trace.h"

typedef struct {
    size_t num_events;
    double per_minute; /* events / minutes, at most 1 */
    double mean;       /* of the sizes that are not big; 1 without any */
    double std;        /* with n - 1; 0 for fewer than 2 */
    double p_big;      /* share of additions above 10 */
    int32_t big_low;   /* smallest and largest addition above 10 */
    int32_t big_high;
    double gap_cv; /* NAN for fewer than 3 events */
} spot_fit_seed_direction_t;

typedef struct {
    double tick_s;
    int32_t capacity;
    int32_t initial;
    double horizon_s;
    spot_fit_seed_direction_t preemption;
    spot_fit_seed_direction_t addition;
} spot_seed_t;

/* Fits the model. BAD_INPUT: the trace has neither preemption nor addition; NO_MEMORY.
 * O(events). */
SPOT_MUST_CHECK int spot_fit_seed(spot_seed_t *self, const spot_trace_t *trace);
