/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one replication looks like over time, in terms that a picture needs and nothing
 * else: stacked categories, marks and a progress curve. Experiments fill it, reports
 * draw it. */
#ifndef SPOT_SIM_ENGINE_TIMELINE_H
#define SPOT_SIM_ENGINE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim/engine/metric.h"
#include "sim/engine/series.h"

#define SPOT_TIMELINE_MAX_CATEGORIES 12

/* From start_ms to the start of the next segment (or end_ms) these heights hold. */
typedef struct {
    int64_t start_ms;
    double heights[SPOT_TIMELINE_MAX_CATEGORIES]; /* [num_categories] e.g. instances */
} spot_timeline_segment_t;

/* Something that happened at an instant. */
typedef struct {
    int64_t time_ms;
    int32_t mark_kind; /* index into mark_names */
    int64_t count;
} spot_timeline_mark_t;

/* A point of the progress curve (linear in between). */
typedef struct {
    int64_t time_ms;
    double value;
} spot_timeline_progress_t;

typedef struct {
    char note[160];             /* which run it is; may be empty */
    const char *title;          /* borrowed, as all texts here, unless they are owned */
    const char *height_label;   /* "instances" */
    const char *progress_label; /* "steps kept" */
    const spot_colour_t *colours; /* of categories and marks; may be NULL */
    size_t num_categories;
    const char *const *category_names; /* [num_categories] from below */
    size_t num_mark_kinds;
    const char *const *mark_names; /* [num_mark_kinds] */
    int64_t end_ms;
    size_t num_segments;
    size_t max_segments;
    spot_timeline_segment_t
        *segments; /* [num_segments] start_ms increasing, first at 0 */
    size_t num_marks;
    size_t max_marks;
    spot_timeline_mark_t *marks; /* [num_marks] by time */
    size_t num_progress;
    size_t max_progress;
    spot_timeline_progress_t *progress; /* [num_progress] by time */
    void *owned; /* the texts of a timeline that was read; NULL: all are borrowed */
} spot_timeline_t;

void spot_timeline_init(spot_timeline_t *self);
void spot_timeline_free(spot_timeline_t *self);

/* Append in order of time; a segment that starts where the last one does replaces it. */
SPOT_MUST_CHECK int spot_timeline_add_segment(
    spot_timeline_t *self, const spot_timeline_segment_t *segment);
SPOT_MUST_CHECK int spot_timeline_add_mark(
    spot_timeline_t *self, int64_t time_ms, int32_t mark_kind, int64_t count);
SPOT_MUST_CHECK int spot_timeline_add_progress(
    spot_timeline_t *self, int64_t time_ms, double value);

/* Fills an initialised timeline from the first series of each shape; the recording must
 * outlive it. NO_MEMORY. O(rows). */
SPOT_MUST_CHECK int spot_timeline_read(
    spot_timeline_t *self, const spot_recording_t *recording);

#endif
