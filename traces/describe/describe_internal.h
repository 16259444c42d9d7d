/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of spot_describe_init() that walk the events. They are defined for any
 * trace. */
#pragma once

#include "traces/bulk.h"
#include "traces/describe/describe.h"
#include "traces/trace.h"

/* Fills max_n, min_n, mean_n, frac_full, frac_empty and shortest_plateau_s. Needs
 * capacity. */
void spot_describe_fill_population(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks);

/* Fills the numbers of events and instances, preempted_per_instance_h, fano_* and day_*.
 * Needs mean_n and span_h. */
void spot_describe_fill_events(
    spot_describe_t *self, const spot_trace_t *trace, const spot_bulks_t *bulks);
