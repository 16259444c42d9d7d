/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of independent trials up to the first success: the geometric law on 1, 2,
 * ..., drawn with one uniform number by inversion, 1 + floor(ln(1 - u) / ln q), q the
 * probability that a trial fails (Devroye, "Non-Uniform Random Variate Generation",
 * 1986, X.2). */
#pragma once

#include <stdint.h>

#include "base/rng.h"

/* This many trials mean "never": no run is that long. */
#define SPOT_TRIALS_NEVER (INT64_C(1) << 52)

/* [0, 1) is divided into equal cells. A cell with at most two results, one apart, needs
 * no logarithm. With a mean of 67 trials these are nine of ten cells, with 1,200
 * none. */
#define SPOT_TRIAL_CELLS 512

typedef struct {
    uint32_t num_failures; /* at the start of the cell; UINT32_MAX: use the formula */
    uint32_t limit; /* place, in 2^-32 of the cell, from which on there is one failure
                     * more; UINT32_MAX: nowhere */
} spot_trial_cell_t;

typedef struct {
    double failures_per_log; /* 1 / ln q, <= 0 */
    spot_trial_cell_t cells[SPOT_TRIAL_CELLS];
} spot_trial_law_t;

/* Sets the law in which at least one of num_trials trials succeeds with probability p,
 * 0 <= p <= 1. O(cells). */
void spot_trial_law_init(spot_trial_law_t *self, double num_trials, double p);

/* The number of trials for u = number 2^-53, number < 2^53; at most SPOT_TRIALS_NEVER.
 * The cells change no result. */
int64_t spot_trial_law_invert(const spot_trial_law_t *self, uint64_t number);

/* One draw. O(1). */
int64_t spot_trial_law_draw(const spot_trial_law_t *self, spot_rng_t *rng);
