/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fits the sizes of events, by maximum likelihood or, if the family has another
 * estimate, by that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "traces/describe/sample.h"
#include "traces/fit/maximise.h"
#include "traces/fit/size_family.h"

/* Events of the same size and limit are one cell. */
typedef struct {
    int32_t size;  /* >= 1 */
    int32_t limit; /* the largest possible size, >= size; 0 in a sample without limits */
    double weight; /* number of such events */
} spot_size_cell_t;

struct spot_size_sample {
    double num_events;
    size_t num_cells;
    spot_size_cell_t *cells; /* [num_cells] by size, then limit */
    int32_t min, max;        /* sizes; 0 without events */
    double mean;             /* NAN without events */
    double std;              /* with n - 1; NAN for fewer than 2 */
    bool has_limits;
    bool is_all; /* every size is its limit; false without limits */
};

/* values: sizes, whole and >= 1; limits: the largest possible sizes, or NULL; both
 * [num_values], as in spot_sample_t. Copies both. BAD_PARAM, NO_MEMORY; free self even
 * then. O(n log n). */
SPOT_MUST_CHECK int spot_size_sample_init(
    spot_size_sample_t *self, size_t num_values, const double *values, const int32_t *limits);
/* The sizes of the events of one kind, SPOT_SAMPLE_*_COUNT. NO_MEMORY; free self, which
 * was zeroed, even then. */
SPOT_MUST_CHECK int spot_size_sample_of_trace(
    spot_size_sample_t *self, const spot_trace_t *trace, spot_sample_kind_t kind);
void spot_size_sample_free(spot_size_sample_t *self);

/* Whether a table of fits has a row for the family: laws given the limit need limits,
 * the seed mixture needs a big event. */
bool spot_size_family_fits(
    const spot_size_family_table_t *family, const spot_size_sample_t *sample);

/* Fits one family. Does not fail: without a fit, the note says why. KS and AD are NAN
 * for a law given the limit; a standard error is NAN at a boundary. */
void spot_fit_size(spot_fit_t *self, const spot_size_family_table_t *family,
    const spot_size_sample_t *sample, spot_maximiser_t *maximiser);

/* ln L of the sample under parameters; -INFINITY: impossible. O(cells). */
double spot_size_log_likelihood(const spot_size_family_table_t *family, const double *parameters,
    const spot_size_sample_t *sample);

/* ---- For the families ---- */

/* A search over the free parameters, with the others fixed at a boundary. */
typedef struct {
    size_t num_free;
    size_t free_ids[SPOT_SIZE_MAX_PARAMETERS];
    double parameters[SPOT_SIZE_MAX_PARAMETERS + 1]; /* values of the fixed ones */
    size_t num_starts;
    double starts[3][SPOT_MAXIMISE_MAX_PARAMETERS]; /* on the scales of the family */
} spot_size_search_t;

/* Runs the search, fills parameters and converged of fit, and returns ln L. */
double spot_size_maximise(
    const spot_size_search_t *search, const spot_size_sample_t *sample, spot_fit_t *fit);

/* Map a parameter to its scale, and back. */
double spot_size_scaled(spot_fit_scale_t scale, double parameter);
double spot_size_unscaled(spot_fit_scale_t scale, double theta);
