/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of one replication that its picture shows: the first levels as stacks, the
 * first events as marks and the first curves, in their own words. Each of these is a
 * lane, whose points pictures, pages and tables read; the first spans are bars in lanes of their
 * own (spot_spans_t). Where there are more points than a picture can show, they are
 * gathered in bins. Times are in ms, whatever the ticks of the series. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/error.h"
#include "base/verb/chart.h"
#include "sim/bench/engine/metric.h"
#include "sim/bench/engine/series.h"

/* ---- Spans ---- */

#define SPOT_MAX_SLOTS 64 /* of a lane; spans that find none share the last ones */

typedef struct {
    double start_ms, end_ms;
    size_t lane_id;
    size_t slot, num_slots; /* of the lane, from its top */
    size_t row_id;
    size_t colour_id;
} spot_span_t;

typedef struct {
    const char *name;
    size_t num_slots; /* as many as were taken at once, >= 1 */
    size_t key_id;    /* internal: how rows name it */
} spot_span_lane_t;

/* What spans are coloured by. */
typedef struct {
    const char *name; /* a category; NULL: a span's label chooses by chance */
    const char *colour;
    double sum_ms; /* of its spans, times the slots that they take */
} spot_span_colour_t;

/* Texts are those of the series. */
typedef struct {
    const spot_series_t *series; /* NULL: a run has no spans */
    double end_ms;               /* the last of all */
    size_t num_lanes;
    spot_span_lane_t *lanes; /* [num_lanes] in the order of the categories of their
                                column, else by name, numbers in names by value */
    size_t num_colours;
    spot_span_colour_t *colours; /* [num_colours] */
    size_t num_spans;
    size_t max_spans;
    spot_span_t *spans; /* [num_spans] pieces in order of time */
} spot_spans_t;

/* Whether the columns of a series are those of spans. */
bool spot_spans_fit(const spot_series_kind_t *kind);

/* Rows that end before they start are left out. series and colours, which may be NULL,
 * must outlive self. NO_MEMORY; free self even then. O(n log n) */
SPOT_MUST_CHECK int spot_spans_init(
    spot_spans_t *self, const spot_series_t *series, const spot_colour_t *colours);
void spot_spans_free(spot_spans_t *self); /* accepts a zeroed self */

const char *spot_span_label(const spot_spans_t *self, const spot_span_t *span);

/* The least length that not more than max_pieces pieces have; *num_shorter: how many
 * pieces are shorter. 0 where all have room. NO_MEMORY. O(n log n) */
SPOT_MUST_CHECK int spot_spans_least(
    const spot_spans_t *self, size_t max_pieces, double *least_ms, size_t *num_shorter);

#define SPOT_MAX_RUN_CURVES 4
#define SPOT_MAX_RUN_STACKS 4
#define SPOT_MAX_BINS 800 /* of a picture that cannot be zoomed */

typedef enum {
    SPOT_LANE_LEVEL, /* holds until the next point: only changes are points */
    SPOT_LANE_TOTAL, /* the same of all levels together */
    SPOT_LANE_MARKS, /* each point is an event and how many it counts */
    SPOT_LANE_CURVE  /* linear between points */
} spot_lane_kind_t;

typedef struct {
    spot_lane_kind_t kind;
    const spot_series_t *series; /* whose rows it shows */
    const char *name;
    const char *unit;   /* of curves; "" for plain numbers */
    const char *colour; /* of levels and marks */
    char sign;          /* of marks: '+' more, '-' less, '.' neither */
    spot_curve_t curve; /* x in ms */
    double sum;         /* height times ms of levels, counts of marks, change of curves */
} spot_lane_t;

typedef struct {
    const char *title, *note; /* may be empty */
    double end_ms;
    const spot_recording_t *recording;
    bool is_longer;       /* distributions are drawn as the share that is longer */
    size_t max_rows;      /* of a lane of its page; 0: as many as a page may have */
    const char *gathered; /* what spans are in place of rows, for a page; NULL: rows */
    spot_declare_t more;  /* another picture for its page; NULL: none */
    const void *more_context;
    const spot_series_t *levels; /* the first of the stacks; NULL: none, as below */
    const spot_series_t *events;
    const spot_series_t *curve; /* the first of the curves */
    spot_spans_t spans;
    size_t num_levels; /* of the first stack */
    size_t num_lanes;
    spot_lane_t *lanes; /* [num_lanes] of each stack the levels and then their total;
                           marks by kind, curves */
    int error;
} spot_run_series_t;

/* recording and colours, which may be NULL, must outlive self. NO_MEMORY; free self even
 * then. O(cells + events kinds). */
SPOT_MUST_CHECK int spot_run_series_init(
    spot_run_series_t *self, const spot_recording_t *recording, const spot_colour_t *colours);
void spot_run_series_free(spot_run_series_t *self);

/* Whether there is something to draw; else the reason, for a message at path, goes to
 * diag, which may be NULL. */
bool spot_run_series_check(const spot_run_series_t *self, const char *path, spot_diag_t *diag);

/* The first lane of a kind; NULL: there is none. */
const spot_lane_t *spot_run_lane(const spot_run_series_t *self, spot_lane_kind_t kind);

/* The total of the stack that a level belongs to. */
const spot_lane_t *spot_run_lane_total(const spot_lane_t *level);

/* Levels that are ever above 0, and others that have points. */
static inline bool spot_lane_is_shown(const spot_lane_t *lane)
{
    return lane->kind == SPOT_LANE_LEVEL ? lane->sum > 0 : lane->curve.num_points > 0;
}

/* What the levels of the first stack count, such as "instances", and what the first
 * curve is. */
const char *spot_run_series_level_noun(const spot_run_series_t *self);
const char *spot_run_series_curve_noun(const spot_run_series_t *self);

/* Ticks of a series in ms, and the time of a row. */
double spot_series_ms(const spot_series_kind_t *kind, int64_t ticks);
double spot_run_time_ms(const spot_series_t *series, size_t row_id);

/* A count or a number of a row; what is null is 0. */
double spot_run_value(const spot_series_t *series, size_t row_id, size_t column_id);

/* A piece of time that is not much narrower than a pixel: of levels, the average height
 * with the lowest and the highest one; of marks, the count of all and their number. */
typedef struct {
    double start_ms; /* ends where the next one starts */
    double value;
    double low, high;
    int64_t num_marks;
} spot_bin_t;

/* Levels, their total or marks in num_bins bins of equal length: the areas of levels are
 * kept, and so are peaks, dips and marks. The end belongs to the last bin. O(points +
 * bins). */
void spot_lane_bins(const spot_lane_t *lane, double end_ms, size_t num_bins, spot_bin_t *bins);

/* The points of a curve, or some of them: see spot_curve_thin(). NO_MEMORY; free the
 * curve even then. */
SPOT_MUST_CHECK int spot_lane_thin(
    const spot_lane_t *lane, double end_ms, size_t num_columns, spot_curve_t *curve);

/* Columns: time_s, kind, name, value. Of kind level: the value of a level from then
 * until the next row of that level (the first ones, then where it changes); mark:
 * something happened, value is how many; progress: a point of the curve, linear in
 * between. The last row, of kind end, is the end of the run. Each kind in order of
 * time. IO. */
SPOT_MUST_CHECK int spot_timeline_csv_write(const spot_run_series_t *run, FILE *out);
