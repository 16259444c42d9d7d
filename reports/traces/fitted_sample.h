/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of a sample and its laws share. Internal to the room. */
#pragma once

#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"
#include "traces/describe/kaplan_meier.h"

/* Laws in colour; the others are grey. */
#define SPOT_NUM_BEST 2

typedef struct {
    const spot_fitted_sample_t *fitted;
    const char *name; /* of the trace */
    spot_kaplan_meier_t kaplan_meier;
    double low_s;     /* smallest complete value above 0; NAN for none */
    size_t num_zeros; /* complete values of 0 */
} spot_sample_figure_t;

/* NO_MEMORY; free self even then. O(n log n). */
SPOT_MUST_CHECK int spot_sample_figure_init(
    spot_sample_figure_t *self, const spot_fitted_sample_t *fitted, const char *name);
void spot_sample_figure_free(spot_sample_figure_t *self);

/* Why nothing can be drawn on logarithmic axes, or NULL. */
const char *spot_sample_figure_problem(const spot_sample_figure_t *self);

/* "Gaps between preemption events"; is_obtainable: of a trace of kind availability. */
const char *spot_sample_figure_noun(spot_sample_kind_t kind, bool is_obtainable);

/* A note: name, number of values, ticks, and then more. */
void spot_sample_figure_note(
    const spot_sample_figure_t *self, const char *more, spot_chart_t *chart);

/* The colour of a law by its rank. */
const char *spot_sample_figure_colour(size_t law_id);
