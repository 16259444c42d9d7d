/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where everything of a picture is, for one width: panels, axes, names and legend.
 * Internal to the room. */
#pragma once

#include "reports/chart/model.h"
#include "reports/chart/scale.h"
#include "reports/chart/text.h"

/* How texts look: the class of an element. */
typedef enum {
    SPOT_CHART_TEXT_TITLE,
    SPOT_CHART_TEXT_PANEL, /* titles of panels */
    SPOT_CHART_TEXT_LABEL, /* names of rows, lines and axes */
    SPOT_CHART_TEXT_NOTE,
    SPOT_CHART_TEXT_TICK,
    SPOT_CHART_TEXT_QUIET_TICK, /* second labels */
    SPOT_CHART_TEXT_DARK,       /* within a light bar */
    SPOT_CHART_TEXT_LIGHT,      /* within a dark one */
    SPOT_CHART_NUM_TEXTS
} spot_chart_text_look_t;

typedef enum { SPOT_CHART_START, SPOT_CHART_MIDDLE, SPOT_CHART_END } spot_chart_anchor_t;

typedef struct {
    double left, top, right, bottom;
} spot_chart_box_t;

/* A text; y is the middle of its line. */
typedef struct {
    spot_chart_text_look_t look;
    spot_chart_anchor_t anchor;
    double x, y;
    spot_chart_line_t line;
} spot_chart_text_t;

/* A sample of a colour in the legend or before a name, 12 px wide; or a leader. */
typedef struct {
    spot_chart_entry_t look;
    double x, y; /* the middle */
    bool is_leader;
    double from_x, from_y; /* of a leader, which goes to x, y by way of a bend */
} spot_chart_sample_t;

/* A panel in its place. */
typedef struct {
    const spot_chart_panel_node_t *node;
    size_t column, row;
    bool is_last_column;
    bool is_first_of_cell;
    bool shows_x, shows_y; /* the labels of their ticks */
    spot_chart_box_t box;
    double cell_left, cell_right; /* that labels may reach */
    spot_chart_scale_t x, y;
    const char *x_name, *y_name; /* "time (h)"; "": none */
    double *row_px;      /* [num_rows] the middle of each; NULL without ROWS of y */
    double row_pitch_px; /* of a row without its heading and note */
} spot_chart_place_t;

typedef struct {
    spot_chart_t *chart;
    int error;
    bool is_narrow;
    bool has_title;
    bool has_sides; /* rows have texts at their right */
    double width_px, height_px;
    size_t num_places, num_columns;
    spot_chart_place_t *places; /* [num_places] one a panel, in the same order */
    bool has_end_names;         /* series have their names at their ends */
    size_t num_texts;
    spot_chart_text_t *texts;
    size_t num_samples;
    spot_chart_sample_t *samples;
} spot_chart_layout_t;

/* Lays the chart out; it must outlive self. NO_MEMORY, or the error of the declaration;
 * free self even then. */
SPOT_MUST_CHECK int spot_chart_layout_init(
    spot_chart_layout_t *self, spot_chart_t *chart, double width_px, bool has_title);
void spot_chart_layout_free(spot_chart_layout_t *self);

/* ---- What its parts share ---- */

double spot_chart_text_size(
    const spot_chart_layout_t *self, spot_chart_text_look_t look);
spot_chart_box_t spot_chart_text_box(
    const spot_chart_layout_t *self, const spot_chart_text_t *text);
void spot_chart_put(spot_chart_layout_t *self, spot_chart_text_look_t look,
    spot_chart_anchor_t anchor, double x, double y, spot_chart_line_t line);

/* A text, or NULL, cut to max_px. Returns its width. */
double spot_chart_put_cut(spot_chart_layout_t *self, spot_chart_text_look_t look,
    spot_chart_anchor_t anchor, double x, double y, const char *text, double max_px);

/* A text in lines from y, the top of the first one, on: at most max_lines of max_px.
 * Returns the px that they take; puts them only where is_real. */
#define SPOT_CHART_LINE_PX 17.0 /* of all but titles */
double spot_chart_put_wrapped(spot_chart_layout_t *self, spot_chart_text_look_t look,
    spot_chart_anchor_t anchor, double x, double y, const char *text, double max_px,
    size_t max_lines, bool is_real);

double spot_chart_wrapped_px(const spot_chart_layout_t *self,
    spot_chart_text_look_t look, const char *text, double max_px, size_t max_lines);

/* What stands below a panel, from the top: heights, 0 where there is nothing. */
typedef struct {
    double labels_px, name_px, second_px, second_name_px, low_name_px;
} spot_chart_foot_t;

spot_chart_foot_t spot_chart_foot_of(
    const spot_chart_layout_t *self, const spot_chart_place_t *place);

/* Whether the sides of rows stand below them, as in narrow pictures; else the width of
 * one of their columns, 0 where there is none. */
#define SPOT_CHART_SIDE_GAP_PX 16.0 /* between columns */
bool spot_chart_folds(
    const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel);
double spot_chart_side_px(
    const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel, size_t side);

/* Where a value is; NAN where it is undefined. */
double spot_chart_x_px(const spot_chart_place_t *place, double x);
double spot_chart_y_px(const spot_chart_place_t *place, double y);

/* Where a bar or a span is, as far as it is within its panel; right <= left or bottom <=
 * top: nowhere. */
spot_chart_box_t spot_chart_bar_box(const spot_chart_place_t *place,
    const spot_chart_series_node_t *series, size_t datum_id);

/* The scale of an axis, from its data and its group. */
void spot_chart_axis_scale(const spot_chart_t *chart,
    const spot_chart_panel_node_t *panel, bool is_x, size_t max_ticks,
    spot_chart_scale_t *scale);

/* Sets the ends of all scales from the data, groups together. The px are not set yet;
 * width_px is that of the narrowest panel. */
void spot_chart_find_scales(spot_chart_layout_t *self, double width_px);

/* Ticks and labels of the axes of a place whose box is known. */
void spot_chart_put_axes(spot_chart_layout_t *self, const spot_chart_place_t *place);

/* ---- names.c ---- */

/* Sets whether the names of series stand at their ends: where all of them fit. */
void spot_chart_choose_end_names(spot_chart_layout_t *self);

/* How many names a place has at its right. */
size_t spot_chart_num_ends(
    const spot_chart_layout_t *self, const spot_chart_place_t *place);

/* Room at the right of the last column for names; 0 where there are none. */
double spot_chart_end_names_px(const spot_chart_layout_t *self);
void spot_chart_put_end_names(
    spot_chart_layout_t *self, const spot_chart_place_t *place);

/* Whether the legend is a column beside the panels; else it is a paragraph above them,
 * or a column below narrow ones. */
bool spot_chart_has_legend_column(const spot_chart_layout_t *self);
double spot_chart_legend_width_px(const spot_chart_layout_t *self);

/* Whether it is a list below the panels of a narrow picture. */
bool spot_chart_has_legend_list(const spot_chart_layout_t *self);

/* The names of strokes above their panel, where none stand at its right. Returns their
 * height. */
double spot_chart_put_lane_names(spot_chart_layout_t *self,
    const spot_chart_place_t *place, double x, double y, bool is_real);

/* Lays the legend from x, y on in max_px; returns its height. Puts it where is_real. */
double spot_chart_put_legend(
    spot_chart_layout_t *self, double x, double y, double max_px, bool is_real);

/* ---- marks.c ---- */

/* The radius of the markers of a series; 0: they are not drawn. */
double spot_chart_marker_px(
    const spot_chart_place_t *place, const spot_chart_series_node_t *series);

/* ---- labels.c ---- */

/* Places the labels of data and the names of rules that stand within their panel where
 * nothing else is: O(all that is drawn). */
void spot_chart_put_labels(spot_chart_layout_t *self);
