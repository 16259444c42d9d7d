/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of a run: spot instances by zone, instances on demand, and services. */
#pragma once

#include "sim/train/job/train_state.h"

/* Makes the meters of self. NO_MEMORY; spot_train_free() frees them. */
SPOT_MUST_CHECK int spot_cost_init(spot_train_t *self);

/* Starts the meters of a run that has some: the initial instances cost from time 0 on.
 */
void spot_cost_start(spot_train_t *self);

/* From self->now_ms on adds num_more paid instances (-1: one less) for each of the count
 * slots. slots NULL: the slots 0 ... count - 1. */
SPOT_NOINLINE void spot_cost_pay(
    spot_train_t *self, const int32_t *slots, int32_t count, int num_more);

/* US dollars for the time from 0 to time_ms, which never decreases from call to call and
 * is not before the latest change. Without meters, time_ms is the end of the run.
 * O(meters). */
double spot_cost_until(spot_train_t *self, int64_t time_ms);

/* What the instances of a recorded trace and those on demand cost up to its end, without
 * prices of zones. */
double spot_cost_of_trace(const spot_scenario_t *scenario, const spot_trace_t *trace);
