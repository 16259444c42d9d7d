/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of traces: FOLDER/NAME-WHAT.svg, with the points that it shows as
 * FOLDER/NAME-WHAT.csv (8 significant digits, empty = undefined, times in s). The folder is made
 * if only its last part is missing; NAME is made safe. Where there is too little to draw, the
 * points are there all the same: a warning in diag and no error.
 *
 * Two groups: how long gaps, spells and lifetimes are, and instances over time. Calls fail with
 * IO and NO_MEMORY. */
#pragma once

#include "base/verb/chart.h"
#include "base/verb/table.h"
#include "traces/describe/sample.h"
#include "traces/laws/law.h"
#include "traces/trace.h"

typedef struct {
    spot_chart_t *chart;
    spot_table_t data;   /* its CSV */
    spot_texts_t texts;  /* of whoever declares it */
    const char *problem; /* why nothing can be drawn, or NULL */
    int error;           /* the first one */
} spot_trace_picture_t;

/* columns: names of those of the CSV, up to NULL. False: no memory, there is no chart to
 * declare; end self all the same. */
bool spot_trace_picture_begin(spot_trace_picture_t *self, const char *const *columns);

/* Makes the folder, if only the last part of its path is missing, writes
 * FOLDER/NAME-WHAT.csv and draws FOLDER/NAME-WHAT.svg. With a problem the picture is not
 * drawn, and one that was there is removed, so that none stands beside points that are
 * not its own: a warning. Frees self. The first error; IO, NO_MEMORY with the reason in
 * diag. */
SPOT_MUST_CHECK int spot_trace_picture_end(spot_trace_picture_t *self, const char *folder,
    const char *name, const char *what, spot_diag_t *diag);

/* Where the replications of a model lie. */
typedef struct {
    size_t num_replications; /* 0: no band */
    size_t num_times;
    const double *time_s; /* [num_times] increasing, from each until the next one */
    const double *low;    /* [num_times] 5 % of the replications are lower */
    const double *median;
    const double *high; /* [num_times] 5 % are higher */
} spot_model_band_t;

/* What a band is called. */
#define SPOT_TRACE_BAND_NAME "A: 5–95 % of replications"

/* ---- Durations ----
 * Pictures of how long gaps, spells and lifetimes are, on logarithmic axes: the share that is
 * longer, recorded and by the laws that were fitted, quantiles against quantiles, and the gaps of
 * two traces, or of one over the band of a model. */

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

/* ---- Instances over time ----
 * Pictures of instances over time: of one trace, of two, and of a trace over the band of a model;
 * and of events by the hour of the day. */

/* WHAT "availability": the instances over time, the capacity, the start and the censored
 * end. Columns: time_s; running (kind availability: obtainable), from then on; capacity,
 * empty if unbounded. The last row is the end. More than a few thousand steps are
 * thinned to the first, lowest, highest and last of each of 800 columns.
 * O(events). */
SPOT_MUST_CHECK int spot_trace_plot_availability(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag);

/* WHAT "hours": events per exposed hour in each hour of the day, with exact Poisson
 * intervals of 95 %; hours since the start of the trace where start_ms (as in describe.h)
 * is -1. Columns: event (preempt or add), hour_of_day or hour_since_start (0-23, modulo
 * 24), events, exposed_h, per_exposed_h, low95_per_h, high95_per_h. O(events). */
SPOT_MUST_CHECK int spot_trace_plot_hours(const spot_trace_t *trace, int64_t start_ms,
    const char *folder, const char *name, spot_diag_t *diag);

/* Two traces, or one and the replications of a model, A. */
typedef struct {
    const spot_trace_t *a; /* NULL: only the band */
    const spot_trace_t *b;
    const char *a_label;
    const char *b_label;
    spot_model_band_t band; /* of instances */
} spot_overlay_t;

/* WHAT "compare": instances over time of both and the band. Columns: series (a, b or
 * band), time_s, running (of the band: the median; obtainable if b is so), low and high
 * (of the band). Thinned like availability, the band to its lowest low and highest high.
 * O(events + times). */
SPOT_MUST_CHECK int spot_trace_plot_overlay(
    const spot_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag);
