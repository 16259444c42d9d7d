/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers on the grid of ticks or windows: the population N of an observation at 0, s,
 * 2s, ..., and its events per window. Sums over them are exact. */
#pragma once

#include "traces/compare/observation.h"

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
void spot_counts_distance(const spot_counts_t *self, const spot_counts_t *other,
    double *area, double *area_squared);
