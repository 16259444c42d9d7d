/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each point of a study is made of: a bar a point, stacked of the means of the
 * metrics of the overview, or of plot.stack where the store has no overview, with the
 * mean of plot.second_x beside it. */
#ifndef SPOT_REPORTS_BARS_PLOT_H
#define SPOT_REPORTS_BARS_PLOT_H

#include "base/diag.h"
#include "base/error.h"
#include "reports/bar_rows.h"
#include "reports/report.h"

/* Draws to svg_path with gnuplot: the points of bar_rows.h. CHILD with the reason
 * in diag where gnuplot is missing or fails; BAD_PARAM where the study has no stack. */
SPOT_MUST_CHECK int spot_bars_plot(
    const spot_report_t *report, const char *svg_path, spot_diag_t *diag);

/* The gnuplot script with its data, as it would be run. */
SPOT_MUST_CHECK int spot_bars_plot_script(
    const spot_report_t *report, const char *svg_path, FILE *out);

/* Why there is nothing to draw, or NULL. */
const char *spot_bars_plot_problem(const spot_report_t *report);

/* The same as CSV: point, its values, and the mean of each part. */
SPOT_MUST_CHECK int spot_bars_csv_write(const spot_report_t *report, FILE *out);

/* What the picture shows, in sentences: the largest part, and where the part that counts
 * as useful is smallest. */
void spot_bars_describe(const spot_report_t *report, FILE *out);

#endif
