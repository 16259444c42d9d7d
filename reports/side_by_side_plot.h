/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of two stores side by side in their main metric, at the points that both
 * have: both means, A dashed and grey, B solid and in colour, and the differences B - A
 * with their intervals, grey where these include 0. A panel along the swept number for
 * each combination of the other keys, or, where that makes no curves, a row for each
 * point. */
#ifndef SPOT_REPORTS_SIDE_BY_SIDE_PLOT_H
#define SPOT_REPORTS_SIDE_BY_SIDE_PLOT_H

#include <stdio.h>

#include "reports/side_by_side.h"

#define SPOT_MAX_SIDE_BY_SIDE_PANELS 6
#define SPOT_MAX_SIDE_BY_SIDE_ROWS 40

/* Why there is nothing to draw, or NULL. */
const char *spot_side_by_side_plot_problem(const spot_side_by_side_t *two);

/* Scripts for gnuplot, see reports/gnuplot.h: context is a spot_side_by_side_t without a
 * problem. What is beyond the two limits is left out, and the picture says so.
 * NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_side_by_side_means_script(
    const void *context, const char *picture_path, FILE *out);
SPOT_MUST_CHECK int spot_side_by_side_changes_script(
    const void *context, const char *picture_path, FILE *out);

#endif
