/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a run as a picture can show them: pieces of time that are not much
 * narrower than a pixel. The shares of time are kept, and so are the peaks, the dips and
 * the marks. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "reports/run_series.h"

#define SPOT_MAX_BINS 800 /* of a picture that cannot be zoomed */

typedef struct {
    double start_ms; /* ends where the next one starts */
    double *heights; /* [num_levels] averages over its time */
    double peak;     /* highest total */
    double dip;      /* lowest total */
} spot_timeline_bin_t;

typedef struct {
    bool is_thinned; /* the bins have one length; else they are the rows of the levels */
    size_t num_bins;
    spot_timeline_bin_t *bins; /* [num_bins] */
    double *shares;            /* [num_levels] of the area of all, adding up to 1 */
    double area;               /* of all: height times ms */
    double peak;               /* the highest of all */
} spot_timeline_bins_t;

typedef struct {
    int64_t num_marks;
    int64_t count;   /* of all of them */
    double first_ms; /* of the first of them */
} spot_timeline_mark_bin_t;

/* The rows of the levels themselves where there are at most max_bins, else that many
 * bins of equal length; none without levels. Free self even after an error. NO_MEMORY.
 * O(rows). */
SPOT_MUST_CHECK int spot_timeline_bins_init(
    spot_timeline_bins_t *self, const spot_run_series_t *run, size_t max_bins);
void spot_timeline_bins_free(spot_timeline_bins_t *self);

/* The marks of a kind by num_bins bins of equal length; returns how many there are.
 * O(marks + bins). */
size_t spot_timeline_bin_marks(const spot_run_series_t *run, int32_t mark_kind,
    size_t num_bins, spot_timeline_mark_bin_t *bins);
