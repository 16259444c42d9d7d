/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the values of a key look where each is a series of its own: the same in all
 * pictures of a study. */
#ifndef SPOT_REPORTS_SERIES_LOOK_H
#define SPOT_REPORTS_SERIES_LOOK_H

#include <stdbool.h>

#include "reports/figure.h"
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

/* After as many as there are colours the combination is another one. */
spot_marker_t spot_series_marker(size_t value_id);

/* Those that are filled, and the same unfilled. They come again after five. */
spot_marker_t spot_series_filled_marker(size_t value_id);
spot_marker_t spot_series_open_marker(size_t value_id);

#endif
