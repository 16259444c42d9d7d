/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of one run over time on a page: a static picture with tables of its totals,
 * and in its place, where scripts run, one that can be zoomed. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "reports/run_series.h"

/* A self-contained page of one run. path is what messages call it. BAD_PARAM with the
 * reason in diag for a run without time or series, NO_MEMORY, IO. */
SPOT_MUST_CHECK int spot_page_run_write(
    const spot_run_series_t *run, const char *path, FILE *out, spot_diag_t *diag);

/* One run as a part of a page that has page_timeline.js. The data of others may follow
 * it within one <div class="timelines">: readers choose which is shown, by label. */
typedef struct {
    const char *label;
    const char *path; /* what messages call it */
    bool is_drawn;    /* with a static picture; else its tables only */
    size_t max_rows;  /* of the series: more are shown in bins; see timeline_data.h */
} spot_page_timeline_style_t;

/* NO_MEMORY. */
SPOT_MUST_CHECK int spot_page_timeline_data(
    const spot_run_series_t *run, const spot_page_timeline_style_t *style, FILE *out);

SPOT_MUST_CHECK int spot_page_timeline_write(const spot_run_series_t *run,
    const spot_page_timeline_style_t *style, FILE *out, spot_diag_t *diag);
