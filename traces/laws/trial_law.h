/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many independent trials it takes until one succeeds: the geometric law on 1, 2,
 * ..., drawn with one uniform number by inversion, 1 + floor(ln(1 - u) / ln q) with q
 * the probability that a trial fails (Devroye, "Non-Uniform Random Variate Generation",
 * 1986, X.2). */
#ifndef SPOT_TRACES_LAWS_TRIAL_LAW_H
#define SPOT_TRACES_LAWS_TRIAL_LAW_H

#include <stdint.h>

#include "base/rng.h"

/* So many trials are "never": no run is so long. */
#define SPOT_TRIALS_NEVER (INT64_C(1) << 52)

/* [0, 1) in equal cells: where the result is one of two neighbours at most it needs no
 * logarithm. With 67 trials from one success to the next that is so in nine of ten
 * cells, with 1,200 in none. */
#define SPOT_TRIAL_CELLS 512

typedef struct {
    uint32_t num_failures; /* at the start of the cell; UINT32_MAX: the formula tells */
    uint32_t limit;        /* the 2^-32 of the cell at which one more begins; or none */
} spot_trial_cell_t;

typedef struct {
    double failures_per_log; /* 1 / ln q, <= 0 */
    spot_trial_cell_t cells[SPOT_TRIAL_CELLS];
} spot_trial_law_t;

/* Of so many trials at least one succeeds with probability p, 0 <= p <= 1. O(cells). */
void spot_trial_law_init(spot_trial_law_t *self, double num_trials, double p);

/* The trials that belong to u = number 2^-53, number < 2^53; SPOT_TRIALS_NEVER if there
 * are as many or more. The cells change no result. */
int64_t spot_trial_law_invert(const spot_trial_law_t *self, uint64_t number);

/* One draw. O(1). */
int64_t spot_trial_law_draw(const spot_trial_law_t *self, spot_rng_t *rng);

#endif
