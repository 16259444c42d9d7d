/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sheet: the texts and marks of a chart laid out for one width, as they are written.
 *
 * The layout (reports/chart/layout.h) puts them: texts in lines and boxes, marks as lines, fills
 * and signs, series with their markers and bars, labels where nothing else is. The sheet owns all
 * of it; a writer such as reports/chart/svg.h walks over its items. Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "reports/chart/scale.h"

/* ---- Lines of text, and colours ---- */

/* A part of a text; is_cut: an ellipsis stands for the rest. */
typedef struct {
    const char *text;
    size_t num_bytes;
    bool is_cut;
} spot_chart_line_t;

/* In px at a size; text that is not UTF-8 is measured as it is shown. */
double spot_chart_line_px(const spot_chart_line_t *line, double size_px);

/* Breaks a text at blanks into at most max_lines lines of at most max_px; the last one
 * is cut where there is more, and words longer than a line too. lines: [max_lines].
 * Returns their number: 0 of an empty text. */
size_t spot_chart_text_wrap(
    const char *text, double size_px, double max_px, size_t max_lines, spot_chart_line_t *lines);

#define SPOT_CHART_COLOUR_BYTES 8

/* "#rrggbb" on a dark page: inks have their counterparts there, and what
 * is too dark is mixed with white. */
void spot_chart_dark(const char *colour, char dark[SPOT_CHART_COLOUR_BYTES]);

/* ---- The sheet ---- */

/* The style of a text: how it looks, the class of an element, with one of the last two
 * if it does not begin at its place. */
enum {
    SPOT_TITLE,
    SPOT_PANEL, /* titles of panels */
    SPOT_LABEL, /* names of rows, lines and axes */
    SPOT_NOTE,
    SPOT_TICK,
    SPOT_SECOND, /* second labels of ticks */
    SPOT_DARK,   /* within a light bar */
    SPOT_LIGHT,  /* within a dark one */
    SPOT_NUM_LOOKS,
    SPOT_MIDDLE = 16, /* its middle is at its place */
    SPOT_END = 32
};

/* Places in px, by name and by dimension. */
typedef union {
    struct {
        double x, y; /* NAN: undefined */
    };
    double at[2];
} spot_px_t;

typedef union {
    struct {
        double left, top, right, bottom;
    };
    struct {
        double low[2], high[2];
    };
} spot_box_t;

/* y is the middle of the line. */
typedef struct {
    int style;
    double x, y;
    spot_chart_line_t line;
} spot_sheet_text_t;

typedef enum {
    SPOT_MARK_LINE, /* through points */
    SPOT_MARK_FILL, /* within points */
    SPOT_MARK_SIGN, /* a marker at each point */
    SPOT_MARK_HOVER /* a text at a point, for the pointer */
} spot_mark_kind_t;

/* An undefined point ends a line or a fill, and the next point begins another one. */
typedef struct {
    spot_mark_kind_t kind;
    const char *class;
    const char *colour; /* NULL: that of its class */
    double px;          /* the width of a line, 0: that of its class; a radius */
    spot_chart_dash_t dash;
    spot_chart_marker_t marker;
    bool is_hollow;
    const char *text;
    size_t first_point; /* its points end where those of the next mark begin */
} spot_mark_t;

/* What is written, in this order. */
typedef struct {
    size_t num_texts, num_marks, num_points;
    spot_sheet_text_t *texts;
    spot_mark_t *marks;
    spot_px_t *points;
} spot_items_t;

typedef enum {
    SPOT_LEGEND_FLOW,   /* lines above the panels */
    SPOT_LEGEND_COLUMN, /* a list beside them */
    SPOT_LEGEND_LIST    /* a list below them */
} spot_legend_t;

/* A panel in its place. */
typedef struct {
    const spot_panel_node_t *node;
    size_t id;
    size_t column, row;
    bool is_last_column;
    bool is_first_of_cell;
    bool is_shown[2]; /* the labels of ticks */
    spot_box_t box;
    double cell_left, cell_right; /* that labels may reach */
    spot_scale_t scale[2];
    const char *name[2];                  /* "time (h)"; "": none */
    double side_px[SPOT_CHART_MAX_SIDES]; /* columns of sides of rows, with gaps */
    double sides_px;                      /* all of them beside the rows */
    bool is_folded;                       /* they stand below each row instead */
} spot_place_t;

typedef struct {
    spot_chart_t *chart;
    spot_memory_t memory;
    bool is_narrow;
    bool has_title;
    bool has_sides; /* rows have texts at their right */
    double width_px, height_px, margin_px;
    size_t num_places, num_columns;
    spot_place_t *places; /* [num_places] one a panel, in the same order */
    spot_name_t *names;   /* [num_entries] */
    spot_legend_t legend;
    double legend_px; /* the width of a list */
    double ends_px;   /* the room for names right of the last column */
    spot_items_t items;
} spot_sheet_t;

/* ---- Texts and marks ---- */

double spot_sheet_text_size(bool is_narrow, int style);
spot_box_t spot_sheet_text_box(const spot_sheet_t *self, const spot_sheet_text_t *text);

/* Puts a text, or NULL, in lines from y, the top of the first one, on: at most max_lines
 * of max_px. Returns the px that they take. */
#define SPOT_LINE_PX 17.0 /* of all but titles */
double spot_sheet_put(spot_sheet_t *self, int style, double x, double y, const char *text,
    double max_px, size_t max_lines);

/* Begins a mark, to which the points that follow belong. Returns it, for what else it
 * has; never NULL. */
spot_mark_t *spot_sheet_mark(
    spot_sheet_t *self, spot_mark_kind_t kind, const char *class, const char *colour, double px);
size_t spot_sheet_mark_end(const spot_items_t *items, size_t mark_id);

void spot_sheet_segment(spot_sheet_t *self, double x, double y, double end_x, double end_y);

/* Whether a place is within a box, or upon its edge. */
bool spot_box_has(const spot_box_t *box, double x, double y);

/* Where values are; NAN where they are undefined. */
spot_px_t spot_place_px(const spot_place_t *place, const double at[2]);

/* ---- Series ---- */

/* The grid and all series of a panel. */
void spot_sheet_put_marks(spot_sheet_t *self, const spot_place_t *place);

/* A sample of an entry with its middle at x, y. */
void spot_sheet_put_sample(spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y);

/* ---- Labels within panels ---- */

/* Places the labels of data and the names of rules that stand within their panel where
 * nothing else is: O(all that is drawn). */
void spot_sheet_put_labels(spot_sheet_t *self);
