/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of how long gaps, spells and lifetimes are, on logarithmic axes: the share that is
 * longer, recorded and by the laws that were fitted, quantiles against quantiles, and the gaps of
 * two traces, or of one over the band of a model. Files and errors as in trace_picture.h: IO,
 * NO_MEMORY. */
#pragma once

#include "traces/describe/sample.h"
#include "traces/verbs/trace_picture.h"

/* A fitted law and what it is called, e.g. "hyperexp2". */
typedef struct {
    const char *label;
    spot_law_t law;
} spot_labelled_law_t;

/* Values with the laws that were fitted to them. */
typedef struct {
    spot_sample_kind_t kind; /* of durations */
    bool is_obtainable;      /* of a trace of kind availability: nothing ran */
    const spot_sample_t *sample;
    double tick_s; /* of a lattice: a value t was in (t - tick_s, t]; 0: continuous */
    size_t num_laws;
    const spot_labelled_law_t *laws; /* [num_laws] best first */
} spot_fitted_sample_t;

/* WHAT "KIND-survival", with laws "KIND-fit", e.g. "preempt-gap-fit": the share that is
 * longer, with Kaplan and Meier's estimator where values are censored, and of every law,
 * on logarithmic axes. Columns: series (recorded: steps; censored: where values were cut
 * off; else a label), time_s, survival. Fewer than two values, or no complete one above
 * 0, cannot be drawn. O(n log n). */
SPOT_MUST_CHECK int spot_trace_plot_survival(
    const spot_fitted_sample_t *self, const char *folder, const char *name, spot_diag_t *diag);

/* WHAT "KIND-qq": what was recorded against the quantiles of the best two laws, on
 * logarithmic axes. Columns: series (label), probability, fitted_s, recorded_s. A point
 * is a distinct complete value, on a lattice at the middle of its tick, at the middle of
 * its step of the estimated distribution function. The same is impossible to draw, and
 * no law. O(n log n). */
SPOT_MUST_CHECK int spot_trace_plot_quantiles(
    const spot_fitted_sample_t *self, const char *folder, const char *name, spot_diag_t *diag);

/* The gaps between the events of two traces, or of one and the replications of a model,
 * A, as a recorder with one tick saw them. */
typedef struct {
    spot_sample_kind_t kind; /* of gaps */
    bool is_obtainable;      /* kind availability: nothing ran */
    double tick_s;
    size_t num_a;
    const double *a_s; /* [num_a] sorted, > 0; NULL: only the band */
    size_t num_b;
    const double *b_s; /* [num_b] sorted, > 0 */
    const char *a_label;
    const char *b_label;
    spot_model_band_t band; /* of the share that is longer; NAN: not known */
} spot_gap_overlay_t;

/* WHAT "KIND-compare", e.g. "preempt-gap-compare": the share of gaps that are longer, on
 * logarithmic axes. Columns: series (a, b or band), time_s, survival (of the band: the
 * median), low and high (of the band). Thinned like survival. Fewer than two gaps on a
 * side cannot be drawn. O(num_a + num_b + times). */
SPOT_MUST_CHECK int spot_trace_plot_gap_overlay(
    const spot_gap_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag);
