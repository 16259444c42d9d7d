/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of one run over time on a page: a static picture with tables of its totals,
 * and in its place, where scripts run, one that can be zoomed. */
#pragma once

#include <stdio.h>

#include "base/diag.h"
#include "reports/report.h"
#include "reports/run_series.h"
#include "reports/table/document.h"
#include "sim/bench/store/series_rows.h"

/* A self-contained page of one run. path is what messages call it. BAD_PARAM with the
 * reason in diag for a run without time or series, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_page_run_write(
    const spot_run_series_t *run, const char *path, FILE *out, spot_diag_t *diag);

/* The same of a view of a recording; is_trace: a Chrome trace instead. */
SPOT_MUST_CHECK int spot_recording_draw(const spot_recording_view_t *view, bool is_trace,
    const char *path, FILE *out, spot_diag_t *diag);

/* Bins of a lane that has more points than the page may have, columns of a curve, and
 * pieces of spans. */
#define SPOT_TIMELINE_DATA_BINS 4000
#define SPOT_TIMELINE_DATA_COLUMNS 1000
#define SPOT_TIMELINE_DATA_SPANS 8000

/* A run as page_timeline.js reads it: one JSON object that may stand in a <script>
 * element, as it has no "<".
 *   end_ms
 *   lanes   those that have points, levels before their total: {kind: level, total,
 * marks or curve, name, unit, colour, sign, bin_ms: length of its bins, or null, at:
 * times in s as differences to the one before, each exact to the ns, values: of bins of
 * levels the average, of the total the highest, of marks the count of all, more: only in
 * bins, of the total the lowest, of marks their number} spans   if there are some:
 * {name, unit: of what they take of their lane, lanes:
 *           [{name, slots}], colours: [{name, colour}], shorter: how many pieces are
 * left out, being shorter than least_ms; and of each piece: at: as above, to: its length
 * in s, lane, slot, slots: how many it takes, colour, label} A lane has bins where the
 * levels have more than max_rows rows, or marks or a curve as many points; at least
 * SPOT_TIMELINE_DATA_BINS are kept, and of pieces of spans the SPOT_TIMELINE_DATA_SPANS
 * longest. NO_MEMORY. O(n log n) */
SPOT_MUST_CHECK int spot_timeline_data_write(
    const spot_run_series_t *run, size_t max_rows, FILE *out);

/* Single runs over time, of a store that keeps some: a part of the page of a study. Errors are
 * the document's. */
void spot_page_timelines_write(
    const spot_report_t *report, const spot_series_list_t *series, spot_document_t *document);
