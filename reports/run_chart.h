/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of runs: distributions, the timeline of one run, and the progress of several.
 *
 * Each is a declaration (reports/draw.h) with a struct of its own as context, made from the series
 * of recorded runs (reports/run_series.h). */
#pragma once

#include "reports/run_series.h"
#include "sim/bench/engine/series.h"

/* ---- Distributions ----
 *
 * Steps up to the share of all that a duration is not above, a line for each line of a series of
 * the shape CDF, with the rules of its kind. */

/* More lines cannot be distinguished. */
#define SPOT_MAX_CDF_RUNS 8

typedef struct {
    const char *title;                              /* NULL: only of its panel */
    const char *note;                               /* under it; NULL: none */
    size_t num_runs;                                /* 1 ... SPOT_MAX_CDF_RUNS */
    const spot_series_t *series[SPOT_MAX_CDF_RUNS]; /* of each run; the words and rules
                                                       of the first one are drawn */
    const char *names[SPOT_MAX_CDF_RUNS];           /* of the runs; NULL: it is alone */
    bool is_longer;    /* draws the share that is longer, on a logarithmic axis */
    size_t max_points; /* of a line, evenly thinned, with the last one; 0: 2000 */
} spot_cdf_t;

/* Whether a series is a CDF that has rows. */
bool spot_cdf_fits(const spot_series_t *series);

/* The first one of a recording; NULL: there is none. */
const spot_series_t *spot_cdf_find(const spot_recording_t *recording);

/* A panel, below the one before it if there is one; context is a spot_cdf_t. */
SPOT_MUST_CHECK int spot_cdf_declare(spot_chart_t *chart, const void *context);

/* Beside FILE.svg, FILE.csv with all rows, such as latency_ms,fraction, then the name of the
 * line if there are several. Another CSV file is not replaced. BAD_INPUT, IO with the reason
 * in diag. */
SPOT_MUST_CHECK int spot_cdf_write_beside(
    const spot_cdf_t *self, const char *svg_path, spot_diag_t *diag);

/* ---- The timeline of one run ---- */

/* The picture of one run: its levels as stacks over time with each one's share, a strip
 * for each kind of events, its curve, its spans in lanes. Long runs are thinned to about
 * one piece of time a pixel, which keeps peaks, dips and marks. */

/* context is a spot_run_series_t that passed spot_run_series_check(). */
SPOT_MUST_CHECK int spot_timeline_declare(spot_chart_t *chart, const void *context);

/* The same with its distributions below. */
SPOT_MUST_CHECK int spot_run_declare(spot_chart_t *chart, const void *context);

/* ---- The progress of several runs ---- */

/* How far several runs have come over time: one curve a run, named at its end. */

/* More could not be told apart. */
#define SPOT_MAX_PROGRESS_LINES 16

typedef struct {
    const char *title;
    const char *note;              /* what was run */
    size_t num_lines;              /* 1 ... SPOT_MAX_PROGRESS_LINES */
    const char *const *names;      /* [num_lines] */
    const spot_run_series_t *runs; /* [num_lines] of which the curve is drawn */
} spot_progress_lines_t;

/* context is a spot_progress_lines_t. BAD_PARAM where all runs are empty. */
SPOT_MUST_CHECK int spot_progress_declare(spot_chart_t *chart, const void *context);
