/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each point of a study is made of: a bar a point, stacked of the means of the
 * metrics of plot.stack, with the mean of plot.second_x beside it. For points that have
 * no order, such as recovery systems; study_plot.h is for those along a number. */
#ifndef SPOT_REPORTS_BARS_PLOT_H
#define SPOT_REPORTS_BARS_PLOT_H

#include "base/diag.h"
#include "base/error.h"
#include "reports/report.h"

/* Draws to svg_path with gnuplot: the first SPOT_MAX_BARS points. CHILD with the reason
 * in diag where gnuplot is missing or fails; BAD_PARAM where the study has no stack;
 * errors of reading the store. */
#define SPOT_MAX_BARS 40
SPOT_MUST_CHECK int spot_bars_plot(
    const spot_report_t *report, const char *svg_path, spot_diag_t *diag);

/* The gnuplot script with its data, as it would be run. */
SPOT_MUST_CHECK int spot_bars_plot_script(
    const spot_report_t *report, const char *svg_path, FILE *out);

#endif
