/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far several runs have come over time: one curve a run, named at its end. */
#ifndef SPOT_REPORTS_PROGRESS_PLOT_H
#define SPOT_REPORTS_PROGRESS_PLOT_H

#include "base/diag.h"
#include "base/error.h"
#include "reports/run_series.h"

/* More could not be told apart. */
#define SPOT_MAX_PROGRESS_LINES 16

typedef struct {
    const char *title;
    const char *note;              /* what was run */
    size_t num_lines;              /* 1 ... SPOT_MAX_PROGRESS_LINES */
    const char *const *names;      /* [num_lines] */
    const spot_run_series_t *runs; /* [num_lines] of which the curve is drawn */
} spot_progress_lines_t;

/* Draws to svg_path with gnuplot. CHILD with the reason in diag where gnuplot is missing
 * or fails; BAD_PARAM with the reason where all runs are empty. */
SPOT_MUST_CHECK int spot_progress_plot(
    const spot_progress_lines_t *lines, const char *svg_path, spot_diag_t *diag);

/* The gnuplot script with its data, as it would be run. */
SPOT_MUST_CHECK int spot_progress_plot_script(
    const spot_progress_lines_t *lines, const char *svg_path, FILE *out);

#endif
