/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step time by (D,P): D pipelines of P stages each. Only pairs that are listed and
 * feasible have one; nothing is put between or beyond them. */
#ifndef SPOT_MODELS_STEP_GRID_H
#define SPOT_MODELS_STEP_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"

/* The shortest step time that rounds to 1 ms. */
#define SPOT_MIN_STEP_MS 0.5

typedef struct {
    int32_t num_pipelines; /* D >= 1 */
    int32_t depth;         /* P >= 1; D P <= SPOT_MAX_INSTANCES */
    bool is_fitted;        /* a formula says so, not a measurement */
    double step_ms;        /* from SPOT_MIN_STEP_MS; 0: infeasible, e.g. out of memory */
    double samples_per_s; /* > 0 if the grid has them and the pair is feasible, else 0 */
    size_t line;          /* of its file; 0: it is of none */
} spot_step_pair_t;

/* Fill it with _add, then _seal it; read only from then on, by any number of threads. */
typedef struct {
    int64_t samples_per_step; /* global batch, the same for all pairs; 0: not told */
    int64_t micro_batch;      /* samples; 0: not told */
    int64_t num_layers;       /* of the model; 0: not told */
    bool has_samples_per_s;   /* throughput is told besides the step time */
    size_t num_pairs;         /* feasible */
    size_t num_infeasible;    /* listed all the same */
    size_t max_pairs;
    spot_step_pair_t *pairs; /* [num_pairs + num_infeasible] each part by P, then D */
    size_t num_best;
    const spot_step_pair_t **best; /* [num_best] each faster than all with fewer
                                      instances; instances increasing */
} spot_step_grid_t;

void spot_step_grid_free(spot_step_grid_t *self);

/* Appends a pair, in any order. NO_MEMORY. */
SPOT_MUST_CHECK int spot_step_grid_add(
    spot_step_grid_t *self, const spot_step_pair_t *pair);

/* Sorts. BAD_PARAM: a pair is there twice; repeated (may be NULL) gets the later of the
 * two, and the line of the earlier one in *first_line. NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_step_grid_seal(
    spot_step_grid_t *self, spot_step_pair_t *repeated, size_t *first_line);

/* Takes out what has more pipelines than the job can use. Sealed before and after.
 * NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_step_grid_limit(spot_step_grid_t *self, int64_t max_pipelines);

/* The pair, or NULL where it is not listed or not feasible. O(log n). */
const spot_step_pair_t *spot_step_grid_find(
    const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth);

/* Whether the pair is listed, feasible or not. O(log n). */
bool spot_step_grid_lists(
    const spot_step_grid_t *self, int64_t num_pipelines, int64_t depth);

/* best(N): the feasible pair of highest throughput with D P <= num_instances; of equal
 * ones that with the fewest instances, then the smallest P. NULL: none. O(log n). */
const spot_step_pair_t *spot_step_grid_best(
    const spot_step_grid_t *self, int64_t num_instances);

/* fixed(N): the pair (floor(N/P), P), or NULL. O(log n). */
const spot_step_pair_t *spot_step_grid_fixed(
    const spot_step_grid_t *self, int64_t num_instances, int64_t depth);

/* The most pipelines of a depth, up to limit, that are listed and feasible; 0: none.
 * O(log n). */
int64_t spot_step_grid_most_pipelines(
    const spot_step_grid_t *self, int64_t limit, int64_t depth);

/* By what best(N) compares: samples/s where the grid has them, else steps/ms. */
double spot_step_grid_speed(const spot_step_grid_t *self, const spot_step_pair_t *pair);

/* The step time in whole ms, ties to even, at least 1. */
int64_t spot_step_pair_ms(const spot_step_pair_t *self);

/* Reads a table: UTF-8 CSV with the columns D,P,step_ms, then samples_per_s and origin
 * (measured or fitted), each of which may be missing. Lines that start with # are
 * remarks; before the columns they may hold "samples_per_step: N", "micro_batch: N" and
 * "layers: N" anywhere in the line. An empty step_ms, or a samples_per_s of 0, says that
 * the pair is infeasible. BAD_INPUT, IO, NO_MEMORY with all reasons in diag; free self
 * even then. */
SPOT_MUST_CHECK int spot_step_grid_read(
    spot_step_grid_t *self, const char *path, spot_diag_t *diag);

/* Writes such a table behind lines of remarks (without #, NULL at the end; may be NULL)
 * in the order of pairs; numbers read back exactly. */
void spot_step_grid_write(
    const spot_step_grid_t *self, const char *const *remarks, FILE *out);

#endif
