/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of runs: steps up to the share of all that a duration is not above, a
 * line for each line of a series of the shape CDF, with the rules of its kind. */
#pragma once

#include <stdio.h>

#include "base/texts.h"
#include "reports/draw.h"
#include "sim/engine/series.h"

/* More could not be told apart. */
#define SPOT_MAX_CDF_RUNS 8

typedef struct {
    size_t num_runs;                                /* 1 ... SPOT_MAX_CDF_RUNS */
    const spot_series_t *series[SPOT_MAX_CDF_RUNS]; /* a CDF of each run, of one kind but
                                                       for its rules */
    const char *names[SPOT_MAX_CDF_RUNS];           /* of the runs; NULL: it is alone */
    const char *title; /* of the picture; NULL: the help of the series */
    const char *note;  /* under the title; NULL: none */
    bool is_longer;    /* draws the share that is longer, on a logarithmic axis */
    size_t max_points; /* of a line, evenly thinned, with the last one; 0: 2000 */
} spot_cdf_t;

/* Whether the columns of a series are those of a CDF. */
bool spot_cdf_fits(const spot_series_kind_t *kind);
bool spot_cdf_is_among(size_t num_kinds, const spot_series_kind_t *const *kinds);

/* The first CDF of a recording that has rows; NULL: there is none. */
const spot_series_t *spot_cdf_find(const spot_recording_t *recording);

/* Adds the panel, below the one before it, with a heading of its lines in the legend. */
SPOT_MUST_CHECK int spot_cdf_panel(spot_chart_t *chart, const spot_cdf_t *self);

/* The whole picture; context is a spot_cdf_t. */
SPOT_MUST_CHECK int spot_cdf_declare(spot_chart_t *chart, const void *context);

/* All rows, such as latency_ms,fraction: the columns are called as those of the series,
 * with the duration in ms; then the name of the line if there are several. IO. */
SPOT_MUST_CHECK int spot_cdf_csv_write(const spot_cdf_t *self, FILE *out);

/* FILE.csv and FILE.gnuplot beside FILE.svg, which declare draws of context: the rows,
 * and a script that draws the picture again. */
SPOT_MUST_CHECK int spot_cdf_write_beside(const spot_cdf_t *self, spot_declare_t declare,
    const void *context, const char *svg_path, spot_diag_t *diag);

/* The path of one of them, by its suffix: ".csv". */
const char *spot_cdf_beside(
    spot_texts_t *texts, const char *svg_path, const char *suffix);
