/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the points of a study differ from their baseline in the metric that it draws:
 * means of paired differences with their intervals, as curves along a swept number or a
 * row for each point. */
#ifndef SPOT_REPORTS_DIFFERENCE_PLOT_H
#define SPOT_REPORTS_DIFFERENCE_PLOT_H

#include <stdio.h>

#include "base/error.h"
#include "reports/report.h"

#define SPOT_MAX_DIFFERENCE_ROWS 40

/* Why there is nothing to draw, or NULL. */
const char *spot_difference_plot_problem(const spot_report_t *report);

/* The gnuplot script with its data: where no curves can be drawn, rows for the first
 * SPOT_MAX_DIFFERENCE_ROWS points. NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_difference_plot_script(
    const spot_report_t *report, const char *picture_path, FILE *out);

/* Points as in picture_csv.h, the mean difference with its interval, in the unit of the
 * metric, and the number of pairs; the baseline has none. IO. */
SPOT_MUST_CHECK int spot_difference_csv_write(const spot_report_t *report, FILE *out);

/* What the picture shows, in sentences. */
void spot_difference_describe(const spot_report_t *report, FILE *out);

#endif
