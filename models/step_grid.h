/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time by (D,P): D pipelines of P stages each. Only listed, feasible pairs have
 * one; there is no interpolation. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

/* The shortest step time that rounds to 1 ms. */
#define SPOT_MIN_STEP_MS 0.5

typedef enum {
    SPOT_STEP_MEASURED,
    SPOT_STEP_FITTED,   /* by a formula, to measured pairs */
    SPOT_STEP_ESTIMATED /* from the shape of the model and figures of the hardware */
} spot_step_origin_t;

typedef struct {
    int32_t num_pipelines; /* D >= 1 */
    int32_t depth;         /* P >= 1; D P <= SPOT_MAX_INSTANCES */
    int origin;            /* spot_step_origin_t */
    double step_ms;        /* from SPOT_MIN_STEP_MS; 0: infeasible, e.g. out of memory */
    double samples_per_s;  /* > 0 if the grid has them and the pair is feasible, else 0 */
    size_t line;           /* in its file; 0: from no file */
} spot_step_pair_t;

/* Fill it with _add, then _seal it; from then on it is constant and safe for any number
 * of threads. */
typedef struct {
    int64_t samples_per_step; /* global batch, the same for all pairs; 0: not given */
    int64_t micro_batch;      /* samples; 0: not given */
    int64_t num_layers;       /* of the model; 0: not given */
    bool has_samples_per_s;   /* pairs have a throughput besides the step time */
    size_t num_pairs;         /* feasible */
    size_t num_infeasible;    /* listed, but infeasible */
    size_t max_pairs;
    spot_step_pair_t *pairs; /* [num_pairs + num_infeasible] each part by P, then D */
    size_t num_best;
    const spot_step_pair_t **best; /* [num_best] by instances, each faster than all pairs
                                      with fewer instances */
} spot_step_grid_t;

void spot_step_grid_free(spot_step_grid_t *self);

/* Appends a pair, in any order. NO_MEMORY. */
SPOT_MUST_CHECK int spot_step_grid_add(spot_step_grid_t *self, const spot_step_pair_t *pair);

/* Sorts the pairs and fills best. BAD_PARAM: a pair is listed twice; repeated (may be
 * NULL) is set to the later of the two and *first_line to the line of the earlier one.
 * NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_step_grid_seal(
    spot_step_grid_t *self, spot_step_pair_t *repeated, size_t *first_line);

/* Removes pairs with more than max_pipelines. The grid is sealed before and after.
 * NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_step_grid_limit(spot_step_grid_t *self, int64_t max_pipelines);

/* The pair, or NULL if it is not listed or infeasible. O(log n). */
const spot_step_pair_t *spot_step_grid_find(
    const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth);

/* Whether the pair is listed, feasible or not. O(log n). */
bool spot_step_grid_lists(const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth);

/* best(N): the feasible pair with D P <= num_instances and the highest throughput; of
 * equal ones, that with the fewest instances, then the smallest P. NULL: none. O(log
 * n). */
const spot_step_pair_t *spot_step_grid_best(const spot_step_grid_t *self, int64_t num_instances);

/* The most pipelines, up to limit, of a listed and feasible pair of a depth; 0: none.
 * O(log n). */
int64_t spot_step_grid_most_pipelines(const spot_step_grid_t *self, int64_t limit, int64_t depth);

/* The throughput by which best(N) compares: samples/s if the grid has them, else
 * steps/ms. */
double spot_step_grid_speed(const spot_step_grid_t *self, const spot_step_pair_t *pair);

/* The step time in whole ms, ties to even, at least 1. */
int64_t spot_step_pair_ms(const spot_step_pair_t *self);

/* Reads a table: UTF-8 CSV with the columns D,P,step_ms, then optionally samples_per_s
 * and origin (measured, fitted or estimated). Lines that start with # are remarks;
 * before the columns they may hold "samples_per_step: N", "micro_batch: N" and "layers:
 * N" anywhere in the line. An empty step_ms, or a samples_per_s of 0, means that the
 * pair is infeasible. BAD_INPUT, IO, NO_MEMORY with all reasons in diag; free self even
 * then. */
SPOT_MUST_CHECK int spot_step_grid_read(
    spot_step_grid_t *self, const char *path, spot_diag_t *diag);

/* Writes lines of remarks (without #, NULL-terminated; may be NULL), then such a table
 * in the order of pairs; numbers read back exactly. */
void spot_step_grid_write(const spot_step_grid_t *self, const char *const *remarks, FILE *out);
