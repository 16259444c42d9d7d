/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A timeline as a picture can show it: pieces of time that are not much narrower than a
 * pixel. The shares of time are kept, and so are the peaks. */
#ifndef SPOT_REPORTS_TIMELINE_BINS_H
#define SPOT_REPORTS_TIMELINE_BINS_H

#include "base/error.h"
#include "sim/store/timeline.h"

#define SPOT_MAX_BINS 800

typedef struct {
    double start_ms;                              /* ends where the next one starts */
    double heights[SPOT_TIMELINE_MAX_CATEGORIES]; /* averages over its time */
    double peak;                                  /* highest total */
} spot_timeline_bin_t;

typedef struct {
    size_t num_bins;
    spot_timeline_bin_t *bins;                   /* [num_bins] */
    double shares[SPOT_TIMELINE_MAX_CATEGORIES]; /* of the area of all, adding up to 1 */
    double peak;                                 /* the highest of all */
} spot_timeline_bins_t;

typedef struct {
    int64_t num_marks;
    int64_t count; /* of all of them */
} spot_timeline_mark_bin_t;

/* The segments themselves where there are at most SPOT_MAX_BINS, else that many bins of
 * equal length. Free self even after an error. O(segments). */
SPOT_MUST_CHECK int spot_timeline_bins_init(
    spot_timeline_bins_t *self, const spot_timeline_t *timeline);
void spot_timeline_bins_free(spot_timeline_bins_t *self);

/* The marks of a kind by bins of equal length; returns how many there are. O(marks). */
size_t spot_timeline_bin_marks(const spot_timeline_t *timeline, int32_t mark_kind,
    spot_timeline_mark_bin_t bins[SPOT_MAX_BINS]);

#endif
