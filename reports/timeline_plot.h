/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of one run, as far as it has series for it: levels over time as a stack,
 * events as marks below them, and a curve below these. */
#ifndef SPOT_REPORTS_TIMELINE_PLOT_H
#define SPOT_REPORTS_TIMELINE_PLOT_H

#include "base/diag.h"
#include "base/error.h"
#include "reports/run_series.h"

/* Draws to svg_path with gnuplot. More than a few thousand rows are thinned to bins that
 * keep the share of every level. BAD_PARAM: there is nothing to draw; CHILD; with the
 * reason in diag. */
SPOT_MUST_CHECK int spot_timeline_plot(
    const spot_run_series_t *run, const char *svg_path, spot_diag_t *diag);

SPOT_MUST_CHECK int spot_timeline_plot_script(
    const spot_run_series_t *run, const char *svg_path, FILE *out);

#endif
