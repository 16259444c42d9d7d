/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a run as page_timeline.js reads them. Internal to reports/page. */
#ifndef SPOT_REPORTS_PAGE_TIMELINE_DATA_H
#define SPOT_REPORTS_PAGE_TIMELINE_DATA_H

#include <stdio.h>

#include "base/error.h"
#include "reports/timeline_bins.h"

/* Bins of a run whose levels have too many rows to keep them. */
#define SPOT_TIMELINE_DATA_BINS 4000

/* One JSON object that may stand in a <script> element: it has no "<". Times are in ms,
 * those in arrays are differences to the one before.
 *   title, note, height (what levels count), progress (what the curve is): texts;
 *              height and progress are null without levels or curve
 *   end_ms
 *   bin_ms     length of the bins, or null: each row of the levels starts at starts[j]
 *   starts     [num_bins], only without bin_ms
 *   low, high  [num_bins] lowest and highest total, only with bin_ms
 *   categories those that occur, from the bottom of the stack up: {name, colour, share,
 *              heights: [num_bins] averages}
 *   num_mark_bins
 *   marks      kinds that occur: {name, colour, shape: down, up or tick, num_marks,
 *              count, at: [times], counts: [each]}; of more than SPOT_TIMELINE_DATA_BINS
 *              marks instead of at, bins: [which, as differences], counts of all in
 *              each, and times: [how many are in each]
 *   progress_at, progress_values: points of the curve
 * A month of 1e5 events takes about 250 kB. NO_MEMORY. O(rows + events kinds). */
SPOT_MUST_CHECK int spot_timeline_data_write(const spot_run_series_t *run, FILE *out);

/* The rows of the levels where they are few enough for a page, else
 * SPOT_TIMELINE_DATA_BINS bins. Free self even after an error. NO_MEMORY. */
SPOT_MUST_CHECK int spot_timeline_data_bins(
    spot_timeline_bins_t *self, const spot_run_series_t *run);

#endif
