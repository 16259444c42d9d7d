/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step times of pairs (D,P) that were not measured, two ways.
 *
 * spot_step_fit_grid(): a formula fitted to measured pairs, to fill a partial table,
 *
 *   step = (M+P-1)(k c + h) + g + a 2(D-1)/(D P)
 *
 * with M = ceil(samples per step / (micro-batch D)) micro-batches and k =
 * ceil((layers-1)/P) layers of the largest stage. The terms are the time of 1F1B without
 * latency, a constant time per step, and the all-reduce of a stage over D pipelines. c,
 * h, g, a >= 0 by least squares on the relative error.
 *
 * spot_step_estimate_fill(): where nothing was measured, from the shape of a transformer,
 * the peak of an instance and a bandwidth, by the schedule of the pipelines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/error.h"
#include "models/job.h"
#include "models/step_grid.h"

/* ---- The formula ---- */

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

/* Range of pairs for a table. */
typedef struct {
    int64_t min_pipelines, max_pipelines;
    int64_t min_depth, max_depth;
    int64_t max_instances; /* D P at most */
} spot_step_range_t;

/* ---- A table filled by its fit ---- */

/* What is given beside the table; 0, also in range: it is as the table has it. */
typedef struct {
    const char *table_path;
    int64_t num_layers;
    int64_t samples_per_step;
    int64_t micro_batch;
    spot_step_range_t range; /* of the table that is written */
} spot_step_fit_request_t;

/* Completes the settings of grid by those that are given, and fits it. BAD_INPUT: a
 * setting is missing or there are too few pairs; NO_MEMORY. */
SPOT_MUST_CHECK int spot_step_fit_grid(const spot_step_fit_request_t *request,
    spot_step_grid_t *grid, spot_step_fit_t *fit, spot_diag_t *diag);

/* Writes the table filled by the fit. IO, NO_MEMORY. */
SPOT_MUST_CHECK int spot_step_fit_write(const spot_step_fit_request_t *request,
    const spot_step_grid_t *grid, const spot_step_fit_t *fit, const char *path, spot_diag_t *diag);

/* ---- Estimates ---- */

/* A forward pass of a token takes 2 FLOPs for each parameter of a block or of the head,
 * and 4 s h a block for attention to all s tokens; a backward pass twice that: 6 N + 12
 * L h s together (Narayanan et al., SC'21). The last stage has the head. The longest
 * stage is as short as whole blocks allow, and all count as that long. A stage sends 2 s
 * h bytes a sample, and sums 2 a parameter over the pipelines. It has 16 a parameter
 * (ZeRO) and s h (34 + 5 a s/h) a block for each sample in flight (Korthikanti et al.
 * 2022); with recomputation 2 s h, and one block's activations; Varuna: of a stage. */

/* A processor of deep learning; an instance has one. Names end with NULL. */
typedef struct {
    double peak_flops_per_s; /* dense, of matrices in fp16 if it has them */
    double memory_bytes;
    const char *doc; /* both in words, and their source */
} spot_accelerator_t;

extern const spot_accelerator_t spot_accelerators[];
extern const char *const spot_accelerator_names[];

typedef struct {
    const spot_model_preset_t *model;
    int64_t sequence; /* tokens of a sample */
    int64_t samples_per_step;
    int64_t micro_batch;
    double peak_flops_per_s; /* of an instance, > 0 */
    double utilisation;      /* share of the peak while a stage computes, in (0, 1] */
    double bytes_per_s;      /* of an instance to its neighbours, > 0 */
    double instance_bytes;   /* memory of an instance; 0: no limit */
    int schedule;            /* spot_step_schedule_t */
    bool is_recomputed;      /* a forward pass more before each backward pass */
} spot_step_estimate_t;

/* Makes a sealed grid of the pairs of a range in which each pipeline has samples and
 * each stage a block, marked as estimated; what does not fit into memory, or takes less
 * than 0.5 ms or more than 100 years, is infeasible. NO_MEMORY; free grid even then. */
SPOT_MUST_CHECK int spot_step_estimate_fill(
    const spot_step_estimate_t *self, const spot_step_range_t *range, spot_step_grid_t *grid);

/* Sets the utilisation, at most 1, with which the median of estimate / measured is 1,
 * over the measured pairs that have an estimate, whatever the memory. Returns their
 * number; ratios, [measured->num_pairs], are theirs, ascending. */
size_t spot_step_estimate_calibrate(
    spot_step_estimate_t *self, const spot_step_grid_t *measured, double *ratios);
