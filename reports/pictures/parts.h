/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pictures of a study have in common. Internal to them. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "reports/study_parts.h"
#include "reports/study_pictures.h"
#include "reports/words.h"
#include "sim/bench/store/head.h"

#define SPOT_PICTURE_CHARS 80 /* of the name of a point */

/* ---- Words ---- */

/* What pictures of one metric need; to start: the report and texts. */
typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_texts_t *texts;
    size_t metric_id;
    spot_shown_unit_t shown; /* factor 100 and no unit for percent */
} spot_view_t;

spot_view_t spot_view(const spot_report_t *report, size_t metric_id, spot_texts_t *texts);

/* "41.2 %", "12.3 USD", in the unit that is shown; the second without that. */
const char *spot_view_value(const spot_view_t *self, double value);

/* What a metric is called where its values are shown so: "cost (USD)". */
const char *spot_view_metric(const spot_view_t *self, size_t metric_id);

/* "pipeline depth 8: 12.3 % (11.9 % to 12.7 %)"; no interval is NAN. */
const char *spot_view_hover(
    const spot_view_t *self, size_t point_id, double value, double low, double high);

/* " · the first 12 of 20 curves"; "" where they are all. */
const char *spot_words_cut(spot_texts_t *texts, size_t num_shown, size_t num_all, const char *what);

/* Of the values of points, [num_points] with NAN for none, or of the estimates of the
 * metric where these are NULL: "from 3.3 % at per minute 0 to 41.2 % at per minute 0.5",
 * the lowest and the highest; "": there is none. */
const char *spot_view_range(const spot_view_t *self, const double *values);

/* The title, which starts with a capital, what those are told who do not see the
 * picture, and the note "NAME · 10 replications at each point · seed 1" with more behind
 * it. */
void spot_view_head(const spot_view_t *self, spot_chart_t *chart, const char *title,
    const char *description, const char *more);

/* ---- Scales ---- */

/* The unit of a scale of values that are shown so. */
static inline spot_chart_unit_t spot_picture_unit(const spot_shown_unit_t *shown)
{
    return shown->factor == 100 ? SPOT_CHART_PERCENT : SPOT_CHART_NUMBER;
}

/* The scale of the numbers of a swept key. */
spot_chart_axis_t spot_picture_x_axis(
    spot_texts_t *texts, const spot_study_head_t *head, size_t axis_id);

/* The place-th of num_shown spread evenly over num_all, both ends included. */
size_t spot_spread(size_t place, size_t num_shown, size_t num_all);

/* ---- Frames ---- */

#define SPOT_MAX_FRAMES 12
#define SPOT_MAX_FRAME_CURVES 30

/* Curves of a study that share a panel: they differ in the value of one key only. */
typedef struct {
    size_t num_curves;
    size_t curve_ids[SPOT_MAX_FRAME_CURVES];
} spot_frame_t;

typedef struct {
    const spot_curves_t *curves;
    size_t axis_id;               /* in whose values the curves of a frame differ; SIZE_MAX: a frame
                                     has one */
    size_t num_wanted, num_drawn; /* curves */
    size_t num_frames;
    spot_frame_t frames[SPOT_MAX_FRAMES];
} spot_frames_t;

/* At most max_frames; a curve with the value left_out_id of the axis has none (SIZE_MAX:
 * all have). curves must outlive self. O(curves * frames * axes). */
void spot_frames_init(spot_frames_t *self, const spot_curves_t *curves, size_t axis_id,
    size_t left_out_id, size_t max_frames);

/* Whether a point has the values that the curves of a frame have in common. */
bool spot_frame_has(const spot_frames_t *self, const spot_frame_t *frame, size_t point_id);

/* "pipeline depth 8, async": these values, or "together with pipeline depth" where a
 * curve has all points; NULL where no other key is swept. */
const char *spot_frame_words(
    const spot_frames_t *self, const spot_frame_t *frame, spot_texts_t *texts);

/* ---- Data ---- */

/* A column of numbers with eight significant digits, or of texts. */
void spot_picture_column(spot_table_t *table, const char *format, ...) SPOT_PRINTF(2, 3);

/* The columns that identify a point: the number and the swept keys (named by their
 * path, with the unit where they have one: job.reload_s); then a row of them. */
void spot_picture_point_columns(spot_table_t *table, const spot_study_head_t *head);
void spot_picture_point_row(spot_table_t *table, const spot_study_head_t *head, size_t point_id);

/* The columns of an estimate: NAME, what, and _mean, _ci95_low or _ci95_high; then its
 * cells. */
void spot_picture_estimate_columns(spot_table_t *table, const char *name, const char *what);
void spot_picture_estimate(spot_table_t *table, double value, double low, double high);

/* A row for each point with the estimates of metrics, whose names say their units. */
void spot_picture_fill_metrics(
    spot_table_t *table, const spot_report_t *report, size_t num_metrics, const size_t *metric_ids);

/* ---- Rows of bars ---- */

/* Which points of a study a picture with a row for each can show, and in which groups.
 * Where several keys are swept the rows of a group differ in one of them only: the key
 * without numbers, so that systems stand below each other, or the one drawn along. */

#define SPOT_MAX_BARS 40

typedef struct {
    size_t point_id;
    bool is_first; /* of a group that has a heading */
} spot_bar_row_t;

typedef struct {
    const spot_study_head_t *head;
    size_t row_axis_id; /* in which the rows of a group differ; num_axes: no groups */
    bool is_spread;     /* of more points than rows some were chosen evenly; else the
                           first ones */
    size_t num_rows;
    spot_bar_row_t rows[SPOT_MAX_BARS]; /* [num_rows] */
} spot_bar_rows_t;

/* NO_MEMORY. O(n log n). */
SPOT_MUST_CHECK int spot_bar_rows_init(spot_bar_rows_t *self, const spot_study_head_t *head);

/* What a row is called in its group, and what a group is called: "pipeline depth 8, by
 * preemption per minute" where rows have numbers. */
const char *spot_bar_row_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts);
const char *spot_bar_group_words(const spot_bar_rows_t *self, size_t row_id, spot_texts_t *texts);
