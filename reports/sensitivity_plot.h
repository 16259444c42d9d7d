/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which key matters for the metric of the picture (plot.y, else the first one): a bar a
 * key, as long as the means over all points with each of its values are apart, the
 * longest first, with the share of the variance between points beside it. For any plan
 * of two keys or more that do not move together. */
#ifndef SPOT_REPORTS_SENSITIVITY_PLOT_H
#define SPOT_REPORTS_SENSITIVITY_PLOT_H

#include "reports/report.h"

/* Why there is nothing to draw, or NULL. */
const char *spot_sensitivity_plot_problem(const spot_report_t *report);

/* The gnuplot script with its data: the first 30 keys. Where nothing stands out it says
 * so. Errors of reading, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_sensitivity_plot_script(
    const spot_report_t *report, const char *svg_path, FILE *out);

/* One row a key: metric, key, the values with the lowest and the highest mean, these
 * means, the range and the shares with their 95 % intervals, and the method of the
 * shares. As above. */
SPOT_MUST_CHECK int spot_sensitivity_plot_csv(const spot_report_t *report, FILE *out);

/* The same as lines of plain text for a terminal, the key that matters most first. As
 * above. */
SPOT_MUST_CHECK int spot_sensitivity_plot_text(const spot_report_t *report, FILE *out);

/* A sentence for those who do not see it. */
void spot_sensitivity_plot_describe(const spot_report_t *report, FILE *out);

#endif
