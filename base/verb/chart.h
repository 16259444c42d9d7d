/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture as a declaration: its words, its panels with their axes, and the series in
 * them. The kit chooses scales, ticks, places of labels, legend and layout, once for a
 * wide and once for a narrow picture. reports/draw.h turns a declaration into a file.
 *
 * A declaration opens a panel, then its rows and ticks, then its series with their data:
 * each call belongs to what was opened last. All texts and data are copied. A call that
 * fails (NO_MEMORY, or BAD_PARAM where nothing is open yet) is remembered, and all later
 * calls do nothing: ask spot_chart_error() once, at the end.
 *
 *     spot_chart_title(chart, "How does idle time grow with the preemption rate?");
 *     spot_chart_note(chart, "%zu replications at each point", num_replications);
 *     spot_chart_panel(chart, &(spot_chart_panel_t){
 *         .title = "pipeline depth 8",
 *         .x = {.name = "preemptions per hour"},
 *         .y = {.name = "idle time", .unit = SPOT_CHART_PERCENT, .group = 1}});
 *     spot_chart_series(chart, &(spot_chart_series_t){
 *         .kind = SPOT_CHART_LINE, .name = "idle", .marker = SPOT_CHART_CIRCLE});
 *     for (size_t j = 0; j < num_x; j++) {
 *         spot_chart_add(chart, &(spot_chart_datum_t){
 *             .x = x[j], .y = y[j], .y_low = low[j], .y_high = high[j]});
 *     }
 *     return spot_chart_error(chart);
 *
 * A field that is 0 or NULL has the default that its comment names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- Inks: what has no colour of its own, and its counterparts in the dark ---- */

#define SPOT_INK "#1f2328"       /* titles, curves */
#define SPOT_INK_LABEL "#3d444d" /* labels */
#define SPOT_INK_QUIET "#6e7781" /* notes, second rows */
#define SPOT_INK_AXIS "#c4c9cf"  /* axes and leaders */
#define SPOT_INK_GRID "#e9ebee"
#define SPOT_INK_ACCENT "#0072b2" /* a curve that stands alone */
#define SPOT_INK_LOSS "#d55e00"   /* what was lost, the second of two curves */
#define SPOT_INK_BAND "#d6e6f2"   /* behind curves */
#define SPOT_INK_OTHER "#aab1b8"  /* curves that are not the point */

/* What is filled, for names without a colour of their own: by its place in the picture. */
const char *spot_chart_fill(size_t place);

#define SPOT_DARK_INK "#e8eaed"
#define SPOT_DARK_INK_LABEL "#c9ced6"
#define SPOT_DARK_INK_QUIET "#9aa4af"
#define SPOT_DARK_INK_AXIS "#4b535c"
#define SPOT_DARK_INK_GRID "#2b3138"

/* ---- The chart ---- */

typedef struct spot_chart spot_chart_t;

/* Widths of pictures. */
#define SPOT_CHART_WIDE_PX 960.0
#define SPOT_CHART_NARROW_PX 344.0

/* NULL: no memory. */
spot_chart_t *spot_chart_new(void);
void spot_chart_free(spot_chart_t *self); /* NULL does nothing */

/* Declares a picture of what context points to. Returns spot_chart_error(chart), or an
 * error of its own. */
typedef int (*spot_declare_t)(spot_chart_t *chart, const void *context);

/* The first error of all calls, or 0. */
SPOT_MUST_CHECK int spot_chart_error(const spot_chart_t *self);

/* ---- Words around the panels ---- */

/* One sentence over the picture. It wraps, to three lines at most. */
void spot_chart_title(spot_chart_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* A line under the title, quiet; may be called several times. It wraps. */
void spot_chart_note(spot_chart_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* A line at the very bottom, quiet; may be called several times. It wraps. */
void spot_chart_foot(spot_chart_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* A description of the picture in words, read by screen readers: its <desc>. */
void spot_chart_describe(spot_chart_t *self, const char *format, ...) SPOT_PRINTF(2, 3);

/* ---- Panels ---- */

typedef enum {
    SPOT_CHART_LINEAR,
    SPOT_CHART_LOG, /* values <= 0 are undefined, ends of intervals apart */
    SPOT_CHART_ROWS /* categories: value j is the middle of row j, see spot_chart_row()
                     */
} spot_chart_scale_kind_t;

/* What the numbers of an axis are, which decides how ticks are written. */
typedef enum {
    SPOT_CHART_NUMBER,
    SPOT_CHART_PERCENT, /* 20 is written "20 %" */
    SPOT_CHART_MS,      /* a time or duration in ms: written in s, min, h or d */
    SPOT_CHART_S        /* the same in s */
} spot_chart_unit_t;

/* A linear axis of MS or S is written in one unit, which is appended to its name:
 * "time (h)"; each tick of a logarithmic one has its own: "20 min", "1 h". */
typedef struct {
    spot_chart_scale_kind_t kind;
    spot_chart_unit_t unit;
    const char *name;      /* NULL: none. Of y it stands above the ticks */
    double low, high;      /* the ends, if high > low; data beyond them are clipped.
                              Else from the data: x ends at them, y at round numbers */
    bool has_zero;         /* of ends from the data: 0 is one of them, or within. Always so
                              where AREA or BARS grow from it */
    bool is_hidden;        /* neither ticks nor their labels nor grid */
    int group;             /* > 0: all axes of this number have the same ends, and only
                              those at the left or at the bottom show their labels */
    const char *high_name; /* of y: "more than the baseline", above the panel with an
                              arrow up */
    const char *low_name;  /* of y: below it with an arrow down */
} spot_chart_axis_t;

#define SPOT_CHART_MAX_SIDES 3

typedef struct {
    const char *title; /* over the panel: NULL: none */
    spot_chart_axis_t x;
    spot_chart_axis_t y;     /* of ROWS: row 0 is the top one */
    const char *second_name; /* below the second labels of spot_chart_tick() */
    const char *note;        /* quiet, at the right above the panel */
    const char *empty;       /* in the middle, where there is nothing to draw */
    bool is_below;           /* under the panel before it, in the same column of the grid
                                and with its edges; else the next place of the grid */
    bool is_square;          /* x and y are the same length */
    double height_px;        /* 0: as usual; rows find their own */
    const char *side_names[SPOT_CHART_MAX_SIDES]; /* headings of the texts right of rows */
} spot_chart_panel_t;

void spot_chart_panel(spot_chart_t *self, const spot_chart_panel_t *panel);

/* A row of the axis of ROWS of the panel, in order. Returns its number: 0, 1... */
typedef struct {
    const char *name;
    const char *heading; /* over it and what follows: NULL: none */
    const char *note;    /* quiet, below its bar: NULL: none */
    const char *empty;   /* quiet, instead of a bar: "undefined in all replications" */
    const char *sides[SPOT_CHART_MAX_SIDES]; /* at the right of the panel */
} spot_chart_row_t;

size_t spot_chart_row(spot_chart_t *self, const spot_chart_row_t *row);

/* A label of x at a value instead of round numbers, and a second one under it or NULL.
 * Those that have no room are left out, evenly. */
void spot_chart_tick(spot_chart_t *self, double x, const char *label, const char *second);

/* ---- Series ---- */

typedef enum {
    /* y over x; a band where data have y_low < y_high; a gap where y is NAN. */
    SPOT_CHART_LINE,
    /* The same, each y from its x until the next x. Ends at the last x. */
    SPOT_CHART_STEPS,
    /* Markers, with an interval in x where x_low < x_high and in y where y_low < y_high.
     */
    SPOT_CHART_POINTS,
    /* Filled; those of a panel stand upon each other in the order of their declaration
     * (is_alone: this one does not). All that are stacked have the same values of x. */
    SPOT_CHART_AREA,
    /* The same as steps. */
    SPOT_CHART_AREA_STEPS,
    /* From 0 along the axis that has no ROWS, at the place on the other one; those at
     * the same place stand behind each other in the order of their declaration. Both
     * axes without ROWS: upright, x is the middle, and "thickness" is in units of x. An
     * interval is drawn at the end. The label of a datum stands within its bar, if it
     * fits. */
    SPOT_CHART_BARS,
    /* Who ran where, when: from x_low to x_high in row y. Many. */
    SPOT_CHART_SPANS,
    /* Marks of what happens at x: strokes from the bottom; y is their height as a share
     * of the panel's, 0: short ones. */
    SPOT_CHART_STROKES
} spot_chart_kind_t;

typedef enum {
    SPOT_CHART_NO_MARKER, /* of POINTS: a circle */
    SPOT_CHART_CIRCLE,
    SPOT_CHART_SQUARE,
    SPOT_CHART_TRIANGLE,
    SPOT_CHART_DIAMOND,
    SPOT_CHART_DOWN, /* a triangle on its tip */
    SPOT_CHART_NUM_MARKERS
} spot_chart_marker_t;

typedef enum { SPOT_CHART_SOLID, SPOT_CHART_DASHED, SPOT_CHART_DOTTED } spot_chart_dash_t;

/* Where the name of a series stands. */
typedef enum {
    SPOT_CHART_NAME_AUTO,   /* LINE, STEPS and AREA: at their end, if they all fit there;
                               else in the legend */
    SPOT_CHART_NAME_END,    /* the same, even of POINTS */
    SPOT_CHART_NAME_LEGEND, /* in the legend, once for all panels */
    SPOT_CHART_NAME_NONE
} spot_chart_name_t;

typedef struct {
    spot_chart_kind_t kind;
    const char *name;   /* NULL: none is written */
    const char *colour; /* "#rrggbb"; NULL: ink */
    const char *side;   /* in the legend at the right of the name: "15.2 %" */
    spot_chart_name_t name_at;
    spot_chart_marker_t marker; /* of LINE and STEPS: where there is room */
    double marker_px;           /* radius; 0: as usual */
    bool is_hollow;             /* markers; a datum can be so too */
    spot_chart_dash_t dash;
    double width_px;             /* of a line; 0: 2, thinner where there are many data */
    const char *interval_colour; /* of bands and intervals; NULL: that of the series */
    bool is_alone;               /* an AREA from y_low (0 where there is none) to y */
    bool is_faint;               /* what is filled lets through what is behind it */
    double thickness;            /* of BARS and SPANS as a share of their row; 0: 0.68 */
} spot_chart_series_t;

/* Series are drawn in this order: AREA, BARS and SPANS, bands, rules, intervals, lines,
 * markers; those of one kind in the order of their declaration. */
void spot_chart_series(spot_chart_t *self, const spot_chart_series_t *series);

/* One place of a series; an undefined x or y is a gap. An interval is there where its
 * high end is above its low one. */
typedef struct {
    double x, y;
    double x_low, x_high;
    double y_low, y_high;
    const char *label;  /* beside the marker where it is free; left out where nothing is */
    const char *hover;  /* shown by browsers under the pointer; left out where there are
                           more than 400 */
    const char *colour; /* instead of that of the series */
    bool is_hollow;
} spot_chart_datum_t;

void spot_chart_add(spot_chart_t *self, const spot_chart_datum_t *datum);

/* Shorthands. */
void spot_chart_add_xy(spot_chart_t *self, double x, double y);
void spot_chart_add_span(spot_chart_t *self, double row, double low, double high);

/* ---- Rules and the legend ---- */

typedef enum {
    SPOT_CHART_HORIZONTAL, /* at a y; its name at its right end */
    SPOT_CHART_VERTICAL,   /* at an x; its name at the top */
    SPOT_CHART_DIAGONAL    /* y = x; its name in the legend */
} spot_chart_direction_t;

/* A line across the panel. */
typedef struct {
    spot_chart_direction_t direction;
    double at;
    const char *name;   /* NULL: none */
    const char *colour; /* NULL: quiet */
    spot_chart_dash_t dash;
} spot_chart_rule_t;

void spot_chart_rule(spot_chart_t *self, const spot_chart_rule_t *rule);

/* An entry of the legend that is no series, in the order of the calls: series that have
 * their names there stand where they were declared. */
typedef struct {
    const char *text;
    const char *side;           /* at its right, or NULL */
    bool is_heading;            /* quiet, without a sample of its colour */
    const char *sign;           /* instead of a sample: "1" */
    const char *colour;         /* of the sample; NULL: ink */
    spot_chart_marker_t marker; /* the sample; NO_MARKER: a square of the colour */
    bool is_hollow;
    bool is_line; /* the sample is a line */
    spot_chart_dash_t dash;
} spot_chart_entry_t;

void spot_chart_legend(spot_chart_t *self, const spot_chart_entry_t *entry);

/* ---- Curves: points, and those of them that a picture can show ---- */

/* Columns of a picture, about one a pixel. */
#define SPOT_MAX_COLUMNS 800

typedef struct {
    double x;
    double y;
} spot_point_t;

/* Zero it to start. */
typedef struct {
    size_t num_points;
    size_t max_points;
    spot_point_t *points; /* [num_points] x never decreasing */
} spot_curve_t;

/* NO_MEMORY. O(1) amortised. */
SPOT_MUST_CHECK int spot_curve_add(spot_curve_t *self, double x, double y);
void spot_curve_free(spot_curve_t *self);

/* What a curve of steps is at x, from its first point on. Starts looking at *step_id and
 * moves it: 0 for the first of several x that never decrease. O(steps passed). */
double spot_curve_at(const spot_curve_t *self, size_t *step_id, double x);

/* Where there are more than four points a column: keeps of each of num_columns equal columns
 * from low to high the first, lowest, highest and last point, so that no peak is hidden.
 * is_log: columns of equal ratio, 0 < low. O(points). */
void spot_curve_thin(spot_curve_t *self, size_t num_columns, double low, double high, bool is_log);

/* ---- What a declaration becomes: for layout and writers, which are in this room ---- */

/* What is freed together, texts and lists. The first error is kept; later calls do
 * nothing. Free its texts. */
typedef struct {
    int error;
    spot_texts_t texts;
    max_align_t nothing[64]; /* an item that is not appended after an error */
} spot_memory_t;

/* Zeros. NULL after an error: no memory, here or before. */
void *spot_memory_get(spot_memory_t *self, size_t num_items, size_t item_bytes);
int spot_memory_error(const spot_memory_t *self);

/* Appends an item of zeros to a list: list is the address of the pointer to its items,
 * NULL at first, *num_items their number. Returns the item, which moves with the next
 * call; never NULL. O(1) amortised. */
void *spot_memory_append(spot_memory_t *self, void *list, size_t *num_items, size_t item_bytes);
#define SPOT_APPEND(memory, owner, items)                                                          \
    spot_memory_append(memory, &(owner)->items, &(owner)->num_##items, sizeof(*(owner)->items))

/* Dimensions: indices of all that there is of x and of y. */
enum { SPOT_X, SPOT_Y };

typedef struct {
    double x;
    const char *label;
    const char *second; /* NULL: none */
} spot_x_label_t;

/* What a datum covers, stacked. */
typedef struct {
    double at[2];           /* of what is filled: its end */
    double low[2], high[2]; /* of its intervals; NAN: none */
    double base;            /* of what is filled: where it begins, along its values */
    const char *colour;
    bool is_hollow;
} spot_chart_shape_t;

typedef struct {
    spot_chart_series_t look;
    bool is_line, is_area, is_box, is_stepped;
    bool is_stacked; /* upon other areas */
    int along;       /* the dimension of the values of what is filled */
    double thickness;
    size_t num_data, num_shapes;
    spot_chart_datum_t *data;   /* [num_data] as declared */
    spot_chart_shape_t *shapes; /* [num_data] */
} spot_series_node_t;

typedef struct {
    spot_chart_panel_t look;
    size_t num_rows, num_x_labels, num_series, num_rules;
    spot_chart_row_t *rows;
    spot_x_label_t *x_labels;
    spot_series_node_t *series;
    spot_chart_rule_t *rules;
} spot_panel_node_t;

/* Where the name of an entry stands. */
typedef enum {
    SPOT_NAME_NOWHERE,
    SPOT_NAME_LEGEND,
    SPOT_NAME_END,  /* right of the panel, with a leader */
    SPOT_NAME_LANE, /* right of the panel, which is a lane of strokes */
    SPOT_NAME_ABOVE /* above such a panel */
} spot_name_t;

/* A name, in the order of the declaration: of a series, of a horizontal rule, or of
 * neither (item_id -1). */
typedef struct {
    spot_chart_entry_t look;
    size_t panel_id;
    int item_id;
    bool is_rule;
    spot_name_t place; /* where there is room */
} spot_entry_node_t;

struct spot_chart {
    spot_memory_t memory;
    const char *title;       /* "": none */
    const char *description; /* "": none */
    size_t num_notes, num_feet, num_panels, num_entries;
    const char **notes;
    const char **feet;
    spot_panel_node_t *panels;
    spot_entry_node_t *entries;
    size_t num_hovers;
    spot_panel_node_t no_panel;
    spot_series_node_t no_series;
};

static inline const spot_chart_axis_t *spot_chart_axis(const spot_panel_node_t *panel, int dim)
{
    return dim == SPOT_X ? &panel->look.x : &panel->look.y;
}
