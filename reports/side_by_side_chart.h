/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of two stores side by side in their main metric, at the points that both
 * have: both means, A dashed and grey, B solid and in colour, and the differences B - A
 * with their intervals, grey where these include 0. A panel along the swept number for
 * each combination of the other keys, or, where that makes no curves, a row for each
 * point. */
#pragma once

#include "reports/draw.h"

#include "reports/side_by_side.h"

#define SPOT_MAX_SIDE_BY_SIDE_PANELS 6
#define SPOT_MAX_SIDE_BY_SIDE_ROWS 40

/* Why there is nothing to draw, or NULL. */
const char *spot_side_by_side_plot_problem(const spot_side_by_side_t *two);

/* Both means, and the differences: context is a spot_side_by_side_t without a problem.
 * What is beyond the two limits is left out, and the picture says so. NO_MEMORY. */
SPOT_MUST_CHECK int spot_side_by_side_declare_means(
    spot_chart_t *chart, const void *context);
SPOT_MUST_CHECK int spot_side_by_side_declare_changes(
    spot_chart_t *chart, const void *context);
