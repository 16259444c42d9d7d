/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as recorded at the common tick of a comparison. It is made from a trace file,
 * from half of another observation, or from the events of a generator. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/recorder.h"
#include "traces/trace.h"

/* The finest tick of a comparison. */
#define SPOT_COMPARE_TICK_MS 60000

typedef struct {
    double time_ms; /* whole ms; in the second half of a trace also half ms */
    spot_event_kind_t kind;
    int64_t count; /* >= 1 */
} spot_observation_event_t;

/* Settings that all observations of a comparison share. */
typedef struct {
    int64_t tick_ms;
    bool is_net;      /* only the net change of a tick is seen */
    double end_ms;    /* > 0, end of the observation */
    int64_t capacity; /* >= 1; of an unbounded trace its largest population */
} spot_observation_frame_t;

/* Zero it to start; starting again reuses its memory. */
typedef struct {
    spot_observation_frame_t frame;
    int64_t initial; /* instances at time 0, before the events at 0 */
    size_t num_events;
    size_t max_events;
    spot_observation_event_t *events; /* [num_events] by time; preempt, stop, add */
    spot_recorder_t recorder;
} spot_observation_t;

/* The tick of a comparison of traces with these resolutions: the coarser resolution, at
 * least SPOT_COMPARE_TICK_MS. */
int64_t spot_observation_tick_ms(int64_t resolution_ms, int64_t other_resolution_ms);

/* Starts an observation. is_unlimited: the population may leave 0 ... capacity, and
 * losses of more instances than run are kept. */
void spot_observation_start(spot_observation_t *self, const spot_observation_frame_t *frame,
    int64_t initial, bool is_unlimited);

/* Takes the next event; times never decrease. NO_MEMORY. O(1). */
SPOT_MUST_CHECK int spot_observation_take(
    spot_observation_t *self, int64_t time_ms, spot_event_kind_t kind, int64_t count);

/* Ends the observation. NO_MEMORY. */
SPOT_MUST_CHECK int spot_observation_finish(spot_observation_t *self);

/* Records a whole trace. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_observation_of_trace(
    spot_observation_t *self, const spot_trace_t *trace, int64_t tick_ms, bool is_net);

/* Takes the first or second half of an observation: (0, h] or (h, 2 h], h half its
 * length, moved to start at 0. The initial population is that at the last tick up to its
 * start. NO_MEMORY; free self even then. O(events). */
SPOT_MUST_CHECK int spot_observation_half(
    spot_observation_t *self, const spot_observation_t *whole, bool is_second);

void spot_observation_free(spot_observation_t *self);

/* ---- Integers on the grid of ticks or windows ----
 * The population N of an observation at 0, s, 2s, ..., and its events per window. Sums
 * over them are exact. */

/* Equal values. */
typedef struct {
    int64_t value;
    int64_t num_values; /* >= 1 */
} spot_counts_run_t;

/* Zero it to start; filling it again reuses its memory. It holds runs instead of values,
 * as a trace of few events may last for millions of ticks. */
typedef struct {
    size_t num_values;
    int64_t min; /* of the values; 0 without values, like max */
    int64_t max;
    int64_t sum;
    size_t num_runs;
    size_t max_runs;
    spot_counts_run_t *runs; /* [num_runs] by time, neighbours differ in value */
    size_t num_levels;
    size_t max_levels;
    spot_counts_run_t *levels; /* [num_levels] ascending; of a population only */
} spot_counts_t;

/* Takes N at 0, s, 2s, ... up to the end, s the tick, each after the events of that
 * instant. NO_MEMORY; free self even then. O(events log events). */
SPOT_MUST_CHECK int spot_counts_of_population(
    spot_counts_t *self, const spot_observation_t *observation);

/* Takes the events of both directions, or with is_preempted the preempted instances, per
 * whole window [k W, (k + 1) W) from 0 on, the last one closed. NO_MEMORY; free self
 * even then. O(events). */
SPOT_MUST_CHECK int spot_counts_of_events(spot_counts_t *self,
    const spot_observation_t *observation, int64_t window_ms, bool is_preempted);

void spot_counts_free(spot_counts_t *self);

/* NAN without values. */
double spot_counts_mean(const spot_counts_t *self);

/* Variance (with n - 1) / mean; NAN for fewer than two values or mean 0.
 * O(num_values). */
double spot_counts_vmr(const spot_counts_t *self);

/* Share of the values that are <= limit, or >= limit; NAN without values. */
double spot_counts_share_up_to(const spot_counts_t *self, int64_t limit);
double spot_counts_share_from(const spot_counts_t *self, int64_t limit);

/* Sets acf[k - 1] to the autocorrelation r_k = sum (x_i - m)(x_{i+k} - m) / sum (x_i -
 * m)^2, k = 1 ... num_lags; 0 from lag num_values on and if all values are equal. O(runs
 * times runs within num_lags values, plus num_lags). */
void spot_counts_acf(const spot_counts_t *self, size_t num_lags, double *acf);

/* Integrals over all levels of |F - H| and (F - H)^2, F and H the empirical distribution
 * functions of two populations with at least one value. O(levels). */
void spot_counts_distance(
    const spot_counts_t *self, const spot_counts_t *other, double *area, double *area_squared);
