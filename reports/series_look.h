/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the values of a key look where each is a series of its own: the same in all
 * pictures of a study. */
#pragma once

#include <stdbool.h>

#include "reports/chart/chart.h"
#include "sim/store/head.h"

/* The key whose values are told apart: that of the curves, else of the baseline, else
 * the first one without numbers; num_axes: none. */
size_t spot_series_axis(const spot_study_head_t *head);

/* A bound, which does not compete for the best. */
bool spot_series_is_bound(
    const spot_study_head_t *head, size_t axis_id, size_t value_id);

/* Quiet for a bound. */
const char *spot_series_colour(
    const spot_study_head_t *head, size_t axis_id, size_t value_id);

/* A marker, and whether it is hollow: of nine combinations the last four are, so that
 * they meet another colour when they come again. */
spot_chart_marker_t spot_series_marker(size_t value_id);
bool spot_series_is_hollow(size_t value_id);
