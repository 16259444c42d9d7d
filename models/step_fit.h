/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula fitted to measured step times by (D,P), to fill a partial table:
 *
 *   step = (M+P-1)(k c + h) + g + a 2(D-1)/(D P)
 *
 * with M = ceil(samples per step / (micro-batch D)) micro-batches and k =
 * ceil((layers-1)/P) layers of the largest stage. The terms are the time of 1F1B without
 * latency, a constant time per step, and the all-reduce of a stage over D pipelines. c,
 * h, g, a >= 0 by least squares on the relative error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "models/step_grid.h"

/* Fewest measured pairs for a fit: one more than coefficients. */
#define SPOT_STEP_FIT_MIN_PAIRS 5

enum {
    SPOT_STEP_FIT_LAYER,  /* c: ms of a micro-batch in one layer, forward and backward */
    SPOT_STEP_FIT_STAGE,  /* h: ms of a micro-batch in one stage besides its layers */
    SPOT_STEP_FIT_STEP,   /* g: ms of a step, for any pipelines */
    SPOT_STEP_FIT_REDUCE, /* a: ms of the gradients of the whole model over a link */
    SPOT_STEP_FIT_TERMS
};

/* |fitted/measured - 1| over the pairs. */
typedef struct {
    double mean;
    double max;
    int32_t max_pipelines, max_depth; /* the pair with the largest error */
} spot_step_error_t;

/* Comparison of best(N) over the pairs of the table with the choice by the formula. */
typedef struct {
    int64_t num_fleets; /* number of N from the smallest pair to the largest */
    int64_t num_same;   /* of these, N whose choice is as fast as the best */
    double mean_regret; /* throughput lost by the choice, as a fraction of the best */
    double worst_regret;
} spot_step_choice_t;

typedef struct {
    int64_t samples_per_step;
    int64_t micro_batch;
    int64_t num_layers;
    size_t num_pairs; /* fitted: measured or estimated, and feasible */
    size_t num_estimated;
    bool is_determined; /* the pairs determine all terms */
    double ms[SPOT_STEP_FIT_TERMS];
    spot_step_error_t error;
    spot_step_choice_t choice;
    /* For comparison, step = a/(D P) + b, fitted in the same way. */
    double by_instances_ms[2];
    spot_step_error_t by_instances_error;
} spot_step_fit_t;

/* Fits the measured and estimated pairs of a sealed grid, which must have
 * samples_per_step, micro_batch and num_layers. BAD_PARAM: fewer than
 * SPOT_STEP_FIT_MIN_PAIRS pairs; NO_MEMORY. O(pairs). */
SPOT_MUST_CHECK int spot_step_fit(spot_step_fit_t *self, const spot_step_grid_t *grid);

/* The formula at (D,P); 0 if all its terms are 0. */
double spot_step_fit_ms(const spot_step_fit_t *self, int64_t num_pipelines, int64_t depth);

/* Range of pairs for a table. */
typedef struct {
    int64_t min_pipelines, max_pipelines;
    int64_t min_depth, max_depth;
    int64_t max_instances; /* D P at most */
} spot_step_range_t;

/* The range of the pairs in a grid. */
spot_step_range_t spot_step_grid_range(const spot_step_grid_t *self);

/* Makes a sealed grid of the pairs of measured and, by the formula and marked as fitted,
 * the other pairs of the range in which each pipeline has samples and each stage a
 * layer. NO_MEMORY; free full even then. */
SPOT_MUST_CHECK int spot_step_fit_fill(const spot_step_fit_t *self,
    const spot_step_grid_t *measured, const spot_step_range_t *range, spot_step_grid_t *full);
