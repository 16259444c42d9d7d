/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a run as page_timeline.js reads them. Internal to reports/page. */
#pragma once

#include <stdio.h>

#include "base/error.h"
#include "reports/timeline_bins.h"

/* Bins of a run that has more rows than the page may have. */
#define SPOT_TIMELINE_DATA_BINS 4000

/* One JSON object that may stand in a <script> element: it has no "<". Times are: those
 * in arrays are differences to the one before, in units.
 *   height     what levels count; null without levels
 *   end_ms, unit_ms
 *   categories those that occur, from the bottom of the stack up: {name, colour}
 *   bin_ms     length of the bins, or null: the rows are those of the levels
 *   rows       one after another: time, number of changes, and for each change the
 *              category and its new height; of bins, the average height
 *   low, high  [num_bins] lowest and highest total, only with bin_ms
 *   num_mark_bins
 *   marks      kinds that occur: {name, colour, shape: down, up or tick, at: [times],
 *              counts: [each]}; of more than max_rows marks instead of at, bins: [which,
 *              as differences], counts of all in each, and times: [how many are in each]
 *   curves     {name, unit, is_thinned, at, values}: points; thinned above max_rows
 * At least SPOT_TIMELINE_DATA_BINS rows are kept. A month of 1e5 events takes about 2
 * MB, or 300 kB in bins. NO_MEMORY. O(rows + events kinds). */
SPOT_MUST_CHECK int spot_timeline_data_write(
    const spot_run_series_t *run, size_t max_rows, FILE *out);
