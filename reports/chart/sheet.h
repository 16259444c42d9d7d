/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chart laid out for one width: panels in their places, and the texts and marks that
 * are written as they are. Internal to the room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "reports/chart/model.h"

/* ---- text.c and colour.c ---- */

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

/* A single line. */
spot_chart_line_t spot_chart_text_cut(const char *text, double size_px, double max_px);

#define SPOT_CHART_COLOUR_BYTES 8

/* Whether a text upon "#rrggbb" is dark. */
bool spot_chart_is_light(const char *colour);

/* "#rrggbb" on a dark page: inks have their counterparts there, and what
 * is too dark is mixed with white. */
void spot_chart_dark(const char *colour, char dark[SPOT_CHART_COLOUR_BYTES]);

/* ---- scale.c ---- */

#define SPOT_CHART_MAX_TICKS 16
#define SPOT_CHART_TICK_BYTES 32

typedef struct {
    double value;
    char label[SPOT_CHART_TICK_BYTES];
} spot_tick_t;

typedef struct {
    spot_chart_scale_kind_t kind;
    spot_chart_unit_t unit_kind;
    double low, high;       /* low < high; of LOG 0 < low */
    double low_px, high_px; /* where they are; set by the layout */
    size_t num_rows;        /* of ROWS that texts may stand between, else 0 */
    const double *row_px;   /* [num_rows] their middles */
    double pitch_px;        /* of such a row, without the texts */
    const char *time_name;  /* of times: "h", the largest unit of which there are three */
    double unit;            /* its length in the unit of the axis, else 1 */
    bool has_own_units;     /* ticks have their own: "1 h" */
    size_t num_ticks;
    spot_tick_t ticks[SPOT_CHART_MAX_TICKS + 1]; /* [num_ticks] increasing */
} spot_scale_t;

/* A scale over low to high, which may be equal, undefined (then 0 to 1) or, of LOG, not
 * above 0. is_round: the ends move out to ticks. At least 2 and at most max_ticks (4 to
 * SPOT_CHART_MAX_TICKS) ticks whose labels differ; none of ROWS, whose ends are taken as
 * they are. */
void spot_scale_init(spot_scale_t *self, spot_chart_scale_kind_t kind, spot_chart_unit_t unit,
    double low, double high, bool is_round, size_t max_ticks);

/* A value beyond the ends is placed at most 4 lengths beyond them. NAN: undefined, as
 * values <= 0 of LOG. */
double spot_scale_px(const spot_scale_t *self, double value);

/* The same for an end of an interval, where a value <= 0 of LOG is far below. */
double spot_scale_end_px(const spot_scale_t *self, double value);

/* The px of a 1 of a scale that is not LOG. */
double spot_scale_unit_px(const spot_scale_t *self);

/* ---- Sheets ---- */

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

/* Lays the chart out; it must outlive self. NO_MEMORY, or the error of the declaration;
 * free self even then. */
SPOT_MUST_CHECK int spot_sheet_init(
    spot_sheet_t *self, spot_chart_t *chart, double width_px, bool has_title);
void spot_sheet_free(spot_sheet_t *self);

/* ---- sheet.c: texts and marks ---- */

double spot_sheet_text_size(bool is_narrow, int style);
spot_box_t spot_sheet_text_box(const spot_sheet_t *self, const spot_sheet_text_t *text);

/* The width of a text in a line; 0 of NULL. */
double spot_sheet_text_px(const spot_sheet_t *self, int style, const char *text);

/* Puts a text, or NULL, in lines from y, the top of the first one, on: at most max_lines
 * of max_px. Returns the px that they take. */
#define SPOT_LINE_PX 17.0 /* of all but titles */
double spot_sheet_put(spot_sheet_t *self, int style, double x, double y, const char *text,
    double max_px, size_t max_lines);
void spot_sheet_put_line(spot_sheet_t *self, const spot_sheet_text_t *text);

/* Moves what was put since "before" down. */
void spot_sheet_move(spot_sheet_t *self, const spot_items_t *before, double by_px);

/* Begins a mark, to which the points that follow belong. Returns it, for what else it
 * has; never NULL. */
spot_mark_t *spot_sheet_mark(
    spot_sheet_t *self, spot_mark_kind_t kind, const char *class, const char *colour, double px);
size_t spot_sheet_mark_end(const spot_items_t *items, size_t mark_id);
void spot_sheet_point(spot_sheet_t *self, double x, double y);
void spot_sheet_segment(spot_sheet_t *self, double x, double y, double end_x, double end_y);
void spot_sheet_box(spot_sheet_t *self, const spot_box_t *box);

/* What becomes of the points from first on. Thinned: of each column of a px the lowest
 * and the highest one, if there are more than four a px. */
void spot_sheet_thin(spot_sheet_t *self, size_t first);

/* A line through them, as far as it is within the box, or the inside of the closed line.
 */
void spot_sheet_clip(spot_sheet_t *self, size_t first, const spot_box_t *box, bool is_closed);

/* Whether a place is within a box, or upon its edge. */
bool spot_box_has(const spot_box_t *box, double x, double y);

/* ---- axes.c ---- */

/* The scale of an axis, from its data and its group. */
void spot_sheet_scale(const spot_chart_t *chart, const spot_panel_node_t *panel, int dim,
    size_t max_ticks, spot_scale_t *scale);

/* Sets the scales of all places, but not where they are. width_px is that of the
 * narrowest panel. */
void spot_sheet_find_scales(spot_sheet_t *self, double width_px);

/* Where values are; NAN where they are undefined. */
spot_px_t spot_place_px(const spot_place_t *place, const double at[2]);

/* The labels of y, or the rows; and what is below the box, whose end is returned. */
void spot_sheet_put_left(spot_sheet_t *self, const spot_place_t *place);
double spot_sheet_put_below(spot_sheet_t *self, const spot_place_t *place);

/* ---- rows.c: texts of rows, where y has ROWS ---- */

double spot_sheet_row_names_px(const spot_sheet_t *self, const spot_panel_node_t *panel);

/* Sets where rows are from the top of the box on, and the widths of sides; returns the
 * end of the rows. */
double spot_sheet_place_rows(spot_sheet_t *self, spot_place_t *place);
void spot_sheet_put_rows(spot_sheet_t *self, const spot_place_t *place);

/* Texts of the sides in their columns, the last one at the very edge, from the top y on.
 * Returns their height. */
double spot_sheet_put_sides(spot_sheet_t *self, const spot_place_t *place, int style, double y,
    const char *const texts[SPOT_CHART_MAX_SIDES], size_t max_lines);

/* ---- names.c ---- */

/* Chooses where the names of all entries stand: at their ends where all of them fit. */
void spot_sheet_choose_names(spot_sheet_t *self);

/* How many names a panel has at its right; of a text only, if it is not NULL. */
size_t spot_sheet_num_ends(const spot_sheet_t *self, size_t panel_id, const char *text);
void spot_sheet_put_ends(spot_sheet_t *self, const spot_place_t *place);

/* The names of lanes above them; returns their height. */
double spot_sheet_put_lanes(spot_sheet_t *self, const spot_place_t *place, double x, double y);

/* The legend from x, y on in max_px; returns its height. */
double spot_sheet_put_legend(spot_sheet_t *self, double x, double y, double max_px);

/* ---- marks.c ---- */

/* The grid and all series of a panel. */
void spot_sheet_put_marks(spot_sheet_t *self, const spot_place_t *place);

/* A sample of an entry with its middle at x, y. */
void spot_sheet_put_sample(spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y);

/* The radius of the markers of a series; 0: they are not drawn. */
double spot_sheet_marker_px(const spot_place_t *place, const spot_series_node_t *series);

/* Where a bar or a span is, as far as it is within its panel; right <= left or bottom <=
 * top: nowhere. */
spot_box_t spot_sheet_bar(
    const spot_place_t *place, const spot_series_node_t *series, size_t datum_id);

/* ---- labels.c ---- */

/* Cells of a part of the picture, and what they hold. */
typedef struct {
    double origin[2], cell_px;
    size_t num[2];
    unsigned char *cells; /* [num[SPOT_Y] * num[SPOT_X]] bits */
} spot_raster_t;

void spot_raster_init(
    spot_raster_t *self, spot_memory_t *memory, const spot_box_t *box, double cell_px);

/* Sets bits in the cells of a box, at least one. Returns those that were set there
 * before: only this where bits is 0. */
unsigned spot_raster_enter(spot_raster_t *self, const spot_box_t *box, unsigned bits);

/* Places the labels of data and the names of rules that stand within their panel where
 * nothing else is: O(all that is drawn). */
void spot_sheet_put_labels(spot_sheet_t *self);
