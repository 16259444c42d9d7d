/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time by (D,P) where nothing was measured: from the shape of a transformer, the
 * peak of an instance and a bandwidth, by the schedule of the pipelines.
 *
 * A forward pass of a token takes 2 FLOPs for each parameter of a block or of the head,
 * and 4 s h a block for attention to all s tokens; a backward pass twice that: 6 N + 12
 * L h s together (Narayanan et al., SC'21). The last stage has the head. The longest
 * stage is as short as whole blocks allow, and all count as that long. A stage sends 2 s
 * h bytes a sample, and sums 2 a parameter over the pipelines. It has 16 a parameter
 * (ZeRO) and s h (34 + 5 a s/h) a block for each sample in flight (Korthikanti et al.
 * 2022); with recomputation 2 s h, and one block's activations; Varuna: of a stage. */
#pragma once

#include "models/model_presets.h"
#include "models/step_fit.h"
#include "models/step_grid.h"

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

/* The step time of D pipelines of P <= blocks stages; 0 if a stage does not fit into an
 * instance, or a pipeline has no samples. O(blocks). */
double spot_step_estimate_ms(
    const spot_step_estimate_t *self, int64_t num_pipelines, int64_t depth);

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
