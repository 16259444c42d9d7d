/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid of panels and the words around it. */
#include "reports/chart/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PANEL_PX 290.0
#define PANEL_NARROW_PX 220.0
#define SQUARE_PX 460.0
#define COLUMN_GAP_PX 36.0
#define ROW_GAP_PX 24.0   /* between rows of the grid */
#define BELOW_GAP_PX 12.0 /* between panels of a cell */
#define PITCH_PX 34.0     /* of rows */
#define LOW_PITCH_PX 26.0 /* of many rows */
#define MANY_ROWS 20
#define ROWS_PX 700.0 /* of rows without names, as lanes may be */
#define HEADING_PX 24.0
#define HEAD_GAP_PX 12.0 /* between the head of a panel and its top */
#define LEGEND_GAP_PX 20.0
#define MAX_NAME_SHARE 0.36 /* of the width for names of rows */
#define SIDE_NAME_PX 130.0  /* of the heading of a column of sides, which wraps */
#define SIDE_NAME_NARROW_PX 64.0
#define MIN_LEFT_PX 30.0
#define MAX_WRAPPED 4 /* lines of a text */

static double
margin_px(const spot_chart_layout_t *self)
{
    return self->is_narrow ? 8 : 24;
}

/* ---- Texts ---- */

double
spot_chart_text_size(const spot_chart_layout_t *self, spot_chart_text_look_t look)
{
    static const double sizes[SPOT_CHART_NUM_TEXTS][2] = {
        [SPOT_CHART_TEXT_TITLE] = {20, 17},
        [SPOT_CHART_TEXT_PANEL] = {14, 13.5},
        [SPOT_CHART_TEXT_LABEL] = {13, 12.5},
        [SPOT_CHART_TEXT_NOTE] = {12, 12},
        [SPOT_CHART_TEXT_TICK] = {12, 11.5},
        [SPOT_CHART_TEXT_QUIET_TICK] = {12, 11.5},
        [SPOT_CHART_TEXT_DARK] = {12, 11.5},
        [SPOT_CHART_TEXT_LIGHT] = {12, 11.5},
    };

    return sizes[look][self->is_narrow];
}

spot_chart_box_t
spot_chart_text_box(const spot_chart_layout_t *self, const spot_chart_text_t *text)
{
    const double size = spot_chart_text_size(self, text->look);
    const double width = spot_chart_line_px(&text->line, size);
    const double left = text->anchor == SPOT_CHART_START    ? text->x
                        : text->anchor == SPOT_CHART_MIDDLE ? text->x - width / 2
                                                            : text->x - width;

    return (spot_chart_box_t){
        left, text->y - size * 0.55, left + width, text->y + size * 0.55};
}

void
spot_chart_put(spot_chart_layout_t *self, spot_chart_text_look_t look,
    spot_chart_anchor_t anchor, double x, double y, spot_chart_line_t line)
{
    spot_chart_text_t *text;

    if (line.num_bytes == 0) {
        return;
    }
    text =
        spot_chart_append(&self->error, &self->texts, &self->num_texts, sizeof(*text));
    if (text != NULL) {
        *text = (spot_chart_text_t){look, anchor, x, y, line};
    }
}

double
spot_chart_put_cut(spot_chart_layout_t *self, spot_chart_text_look_t look,
    spot_chart_anchor_t anchor, double x, double y, const char *text, double max_px)
{
    const double size = spot_chart_text_size(self, look);
    const spot_chart_line_t line =
        spot_chart_text_cut(text == NULL ? "" : text, size, max_px);

    spot_chart_put(self, look, anchor, x, y, line);
    return spot_chart_line_px(&line, size);
}

static double
line_px(const spot_chart_layout_t *self, spot_chart_text_look_t look)
{
    return look == SPOT_CHART_TEXT_TITLE ? 1.3 * spot_chart_text_size(self, look)
                                         : SPOT_CHART_LINE_PX;
}

static size_t
wrap(const spot_chart_layout_t *self, spot_chart_text_look_t look, const char *text,
    double max_px, size_t max_lines, spot_chart_line_t lines[MAX_WRAPPED])
{
    return spot_chart_text_wrap(text == NULL ? "" : text,
        spot_chart_text_size(self, look), max_px,
        max_lines < MAX_WRAPPED ? max_lines : MAX_WRAPPED, lines);
}

double
spot_chart_wrapped_px(const spot_chart_layout_t *self, spot_chart_text_look_t look,
    const char *text, double max_px, size_t max_lines)
{
    spot_chart_line_t lines[MAX_WRAPPED];

    return line_px(self, look) *
           (double) wrap(self, look, text, max_px, max_lines, lines);
}

double
spot_chart_put_wrapped(spot_chart_layout_t *self, spot_chart_text_look_t look,
    spot_chart_anchor_t anchor, double x, double y, const char *text, double max_px,
    size_t max_lines, bool is_real)
{
    spot_chart_line_t lines[MAX_WRAPPED];
    const size_t num_lines = wrap(self, look, text, max_px, max_lines, lines);

    for (size_t j = 0; j < num_lines && is_real; j++) {
        spot_chart_put(self, look, anchor, x,
            y + ((double) j + 0.5) * line_px(self, look), lines[j]);
    }
    return (double) num_lines * line_px(self, look);
}

static double
width_of(const spot_chart_layout_t *self, spot_chart_text_look_t look, const char *text)
{
    return text == NULL ? 0
                        : spot_chart_text_px(
                              text, strlen(text), spot_chart_text_size(self, look));
}

/* ---- Columns ---- */

static size_t
count_cells(const spot_chart_t *chart)
{
    size_t num_cells = 0;

    for (size_t j = 0; j < chart->num_panels; j++) {
        num_cells += !chart->panels[j].look.is_below;
    }
    return num_cells;
}

static bool
has_rows(const spot_chart_t *chart)
{
    for (size_t j = 0; j < chart->num_panels; j++) {
        if (chart->panels[j].look.y.kind == SPOT_CHART_ROWS) {
            return true;
        }
    }
    return false;
}

static size_t
choose_columns(const spot_chart_layout_t *self)
{
    const size_t num_cells = count_cells(self->chart);

    if (self->is_narrow || num_cells <= 1 || has_rows(self->chart)) {
        return 1;
    }
    return num_cells == 2 || num_cells == 4 ? 2 : 3;
}

static bool
is_shared(const spot_chart_axis_t *a, const spot_chart_axis_t *b)
{
    return a->group > 0 && a->group == b->group;
}

/* Row and column of each panel, and which axes have labels. */
static void
choose_places(spot_chart_layout_t *self)
{
    size_t cell = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        const spot_chart_panel_node_t *node = &self->chart->panels[j];
        spot_chart_place_t *place = &self->places[j];
        const bool has_below =
            j + 1 < self->num_places && self->chart->panels[j + 1].look.is_below;
        const size_t num_cells = count_cells(self->chart);

        cell += !node->look.is_below;
        place->node = node;
        place->is_first_of_cell = !node->look.is_below;
        place->column = (cell - 1) % self->num_columns;
        place->row = (cell - 1) / self->num_columns;
        place->is_last_column =
            place->column + 1 == self->num_columns || cell == num_cells;
        place->shows_x = !node->look.x.is_hidden &&
                         !(has_below && is_shared(&node->look.x, &node[1].look.x));
        place->shows_y =
            !node->look.y.is_hidden && (place->column == 0 || node->look.y.group == 0);
    }
}

/* ---- Rows of categories ---- */

bool
spot_chart_folds(const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel)
{
    double width = 0;

    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        for (size_t k = 0; k < panel->num_rows; k++) {
            if (panel->rows[k].sides[j] != NULL) {
                width += 50;
                break;
            }
        }
    }
    return self->is_narrow && width > 50;
}

double
spot_chart_side_px(
    const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel, size_t side)
{
    double width =
        fmin(width_of(self, SPOT_CHART_TEXT_NOTE, panel->look.side_names[side]),
            self->is_narrow ? SIDE_NAME_NARROW_PX : SIDE_NAME_PX);

    if (panel->look.y.kind != SPOT_CHART_ROWS || spot_chart_folds(self, panel)) {
        return 0;
    }
    for (size_t j = 0; j < panel->num_rows; j++) {
        width = fmax(
            width, width_of(self, SPOT_CHART_TEXT_LABEL, panel->rows[j].sides[side]));
    }
    return width > 0 ? fmin(width, self->width_px / 4) + SPOT_CHART_SIDE_GAP_PX : 0;
}

static double
sides_px(const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel)
{
    double width = 0;

    for (size_t j = 0; j < SPOT_CHART_MAX_SIDES; j++) {
        width += spot_chart_side_px(self, panel, j);
    }
    return width;
}

static double
names_px(const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel)
{
    double width = 0;

    for (size_t j = 0; j < panel->num_rows; j++) {
        width = fmax(width, width_of(self, SPOT_CHART_TEXT_LABEL, panel->rows[j].name));
    }
    return fmin(width, MAX_NAME_SHARE * self->width_px) + 10;
}

/* What a row takes beside its bar: above it and below it. */
static double
row_above_px(const spot_chart_row_t *row)
{
    return row->heading == NULL ? 0 : HEADING_PX;
}

static double
row_below_px(const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel,
    const spot_chart_row_t *row)
{
    const double max_px = self->width_px - 2 * margin_px(self);
    double height = 0;

    if (row->note != NULL) {
        height += spot_chart_wrapped_px(
            self, SPOT_CHART_TEXT_NOTE, row->note, max_px, self->is_narrow ? 2 : 1);
    }
    for (size_t j = 0; spot_chart_folds(self, panel) && j < SPOT_CHART_MAX_SIDES; j++) {
        height += row->sides[j] == NULL ? 0 : SPOT_CHART_LINE_PX;
    }
    return height > 0 ? height + 4 : 0;
}

static double
pitch_px(const spot_chart_panel_node_t *panel)
{
    const double num_rows = fmax((double) panel->num_rows, 1);
    double lowest = 2;

    for (size_t j = 0; j < panel->num_rows; j++) {
        const spot_chart_row_t *row = &panel->rows[j];

        if (row->heading != NULL || row->note != NULL || row->empty != NULL ||
            row->sides[0] != NULL || row->sides[1] != NULL || row->sides[2] != NULL) {
            lowest = SPOT_CHART_LINE_PX + 2;
        }
    }
    if (panel->look.height_px > 0) {
        return fmax(panel->look.height_px / num_rows, lowest);
    }
    return panel->num_rows <= MANY_ROWS
               ? PITCH_PX
               : fmin(LOW_PITCH_PX, fmax(ROWS_PX / num_rows, lowest));
}

/* The height of a panel's box. */
static double
panel_px(const spot_chart_layout_t *self, const spot_chart_panel_node_t *panel)
{
    double height = 0;

    if (panel->look.y.kind == SPOT_CHART_ROWS) {
        for (size_t j = 0; j < panel->num_rows; j++) {
            height += pitch_px(panel) + row_above_px(&panel->rows[j]) +
                      row_below_px(self, panel, &panel->rows[j]);
        }
        return fmax(height, PITCH_PX);
    }
    if (panel->look.height_px > 0) {
        return self->is_narrow ? fmin(panel->look.height_px, PANEL_NARROW_PX)
                               : panel->look.height_px;
    }
    return self->is_narrow ? PANEL_NARROW_PX : PANEL_PX;
}

/* The middles of rows, once the box is known. */
static void
place_rows(spot_chart_layout_t *self, spot_chart_place_t *place)
{
    const spot_chart_panel_node_t *panel = place->node;
    double y = place->box.top;

    if (panel->look.y.kind != SPOT_CHART_ROWS) {
        return;
    }
    place->row_pitch_px = pitch_px(panel);
    if (place->row_px == NULL) {
        place->row_px = spot_calloc(panel->num_rows + 1, sizeof(*place->row_px));
    }
    if (place->row_px == NULL) {
        self->error = spot_error_first(self->error, SPOT_ERR_NO_MEMORY);
        return;
    }
    for (size_t j = 0; j < panel->num_rows; j++) {
        y += row_above_px(&panel->rows[j]);
        place->row_px[j] = y + place->row_pitch_px / 2;
        y += place->row_pitch_px + row_below_px(self, panel, &panel->rows[j]);
    }
}

/* ---- Across ---- */

/* Room for the labels of y, or of rows. */
static double
left_px(const spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    double width = 0;

    if (place->node->look.y.kind == SPOT_CHART_ROWS) {
        return names_px(self, place->node);
    }
    for (size_t j = 0; j < place->y.num_ticks && place->shows_y; j++) {
        width =
            fmax(width, width_of(self, SPOT_CHART_TEXT_TICK, place->y.ticks[j].label));
    }
    return width > 0 ? fmax(width + 8, MIN_LEFT_PX) : 0;
}

/* The widest of a column. */
static double
column_left_px(const spot_chart_layout_t *self, size_t column)
{
    double width = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].column == column) {
            width = fmax(width, left_px(self, &self->places[j]));
        }
    }
    return width;
}

/* Whether the legend ends above the first names at ends. */
static bool
is_legend_apart(spot_chart_layout_t *self)
{
    return self->num_places > 0 && self->num_columns == 1 &&
           spot_chart_num_ends(self, &self->places[0]) == 0 &&
           spot_chart_put_legend(self, 0, 0, spot_chart_legend_width_px(self), false) <=
               panel_px(self, self->places[0].node);
}

/* For sides of rows, names at ends and a legend, beside each other. */
static double
right_px(spot_chart_layout_t *self)
{
    const double ends = spot_chart_end_names_px(self);
    double sides = 0, legend = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        sides = fmax(sides, sides_px(self, self->places[j].node));
    }
    if (spot_chart_has_legend_column(self)) {
        legend = spot_chart_legend_width_px(self) + LEGEND_GAP_PX;
        if (is_legend_apart(self)) {
            return fmax(ends, legend);
        }
    }
    return sides + ends + legend;
}

/* The left and right edges of all boxes. */
static void
lay_across(spot_chart_layout_t *self)
{
    const double margin = margin_px(self);
    /* The last label of x reaches beyond the box. */
    const double right = fmax(right_px(self), self->is_narrow ? 8 : 16);
    double lefts = 0, x = margin, width;

    for (size_t j = 0; j < self->num_columns; j++) {
        lefts += column_left_px(self, j);
    }
    width = (self->width_px - 2 * margin - right - lefts -
                COLUMN_GAP_PX * (double) (self->num_columns - 1)) /
            (double) self->num_columns;
    width = fmax(width, 40);
    for (size_t column = 0; column < self->num_columns; column++) {
        const double left = column_left_px(self, column);

        for (size_t j = 0; j < self->num_places; j++) {
            spot_chart_place_t *place = &self->places[j];

            if (place->column == column) {
                const bool is_last = column + 1 == self->num_columns;
                const double half_gap = COLUMN_GAP_PX / 2 - 4;

                place->box.left = x + left;
                place->box.right = x + left + width;
                if (place->node->look.is_square) {
                    place->box.right = place->box.left + fmin(width, SQUARE_PX);
                }
                place->cell_left = column == 0 ? margin : x - (left > 0 ? 0 : half_gap);
                place->cell_right =
                    is_last && place->node->num_rows > 0 && place->row_px != NULL
                        ? self->width_px - margin
                        : place->box.right +
                              (is_last ? fmin(right, half_gap) : half_gap);
            }
        }
        x += left + width + COLUMN_GAP_PX;
    }
}

/* ---- Down ---- */

/* The headings of the sides of rows. */
static double
put_side_names(
    spot_chart_layout_t *self, const spot_chart_place_t *place, double y, bool is_real)
{
    const char *const *names = place->node->look.side_names;
    double right = place->cell_right, used = 0;

    for (size_t j = SPOT_CHART_MAX_SIDES; j-- > 0;) {
        const double width = spot_chart_side_px(self, place->node, j);

        if (width > 0 && names[j] != NULL) {
            used = fmax(used,
                spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_END, right,
                    y, names[j], width - SPOT_CHART_SIDE_GAP_PX, 3, is_real));
        }
        right -= width;
    }
    return used;
}

/* The title, the name of y and the note above a panel. */
static double
put_head(spot_chart_layout_t *self, const spot_chart_place_t *place, double bottom,
    bool is_real, double height)
{
    const spot_chart_panel_t *look = &place->node->look;
    const double left = place->column == 0 ? margin_px(self) : place->box.left;
    const double max_px = fmax(place->box.right, place->cell_right) - left;
    const double name_px = width_of(self, SPOT_CHART_TEXT_NOTE, place->y_name);
    const double note_px = width_of(self, SPOT_CHART_TEXT_NOTE, look->note);
    double y = bottom - height;
    double used = spot_chart_put_wrapped(self, SPOT_CHART_TEXT_PANEL, SPOT_CHART_START,
        left, y, look->title, max_px, 2, is_real);

    if (look->y.high_name != NULL) {
        used += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START,
            left, y + used, look->y.high_name, max_px, 2, is_real);
    }
    if (note_px > 0 && name_px + note_px + 16 > place->box.right - left) {
        used += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START,
            left, y + used, look->note, max_px, 2, is_real);
    } else if (note_px > 0) {
        const double line = spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE,
            SPOT_CHART_END, place->box.right, y + used, look->note, max_px, 1, is_real);

        used += name_px > 0 ? 0 : line;
    }
    used += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START, left,
        y + used, place->y_name, max_px, 2, is_real && place->shows_y);
    used += spot_chart_put_lane_names(self, place, left, y + used, is_real);
    used += put_side_names(self, place, y + used, is_real);
    return used > 0 ? used + HEAD_GAP_PX : 0;
}

spot_chart_foot_t
spot_chart_foot_of(const spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    const spot_chart_panel_t *look = &place->node->look;
    const double max_px = place->cell_right - place->cell_left;
    spot_chart_foot_t foot = {0, 0, 0, 0, 0};

    foot.labels_px = place->shows_x ? 24 : 0;
    foot.name_px = spot_chart_wrapped_px(
        self, SPOT_CHART_TEXT_LABEL, place->shows_x ? place->x_name : "", max_px, 2);
    for (size_t j = 0; j < place->node->num_x_labels && place->shows_x; j++) {
        foot.second_px = place->node->x_labels[j].second != NULL ? 22 : foot.second_px;
    }
    foot.second_name_px = spot_chart_wrapped_px(
        self, SPOT_CHART_TEXT_NOTE, place->shows_x ? look->second_name : "", max_px, 2);
    foot.low_name_px =
        spot_chart_wrapped_px(self, SPOT_CHART_TEXT_NOTE, look->y.low_name, max_px, 2);
    return foot;
}

static double
foot_px(const spot_chart_layout_t *self, const spot_chart_place_t *place)
{
    const spot_chart_foot_t foot = spot_chart_foot_of(self, place);

    return foot.labels_px + foot.name_px + foot.second_px + foot.second_name_px +
           foot.low_name_px;
}

/* The panels of a cell from top on, the first one with a head of head_px. Returns its
 * end. */
static double
lay_cell(spot_chart_layout_t *self, size_t first_id, double top, double head_px)
{
    double y = top;

    for (size_t j = first_id;
         j < self->num_places && (j == first_id || !self->places[j].is_first_of_cell);
         j++) {
        spot_chart_place_t *place = &self->places[j];
        double height = panel_px(self, place->node);

        if (place->node->look.is_square && place->row_px == NULL) {
            height = place->box.right - place->box.left;
        }
        y += j == first_id ? head_px : BELOW_GAP_PX + put_head(self, place, 0, false, 0);
        place->box.top = y;
        place->box.bottom = y + height;
        y += height + foot_px(self, place);
    }
    return y;
}

static double
lay_grid(spot_chart_layout_t *self, double top)
{
    double y = top;
    size_t num_rows = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        num_rows = self->places[j].row + 1;
    }
    for (size_t row = 0; row < num_rows; row++) {
        double head_px = 0, bottom = y;

        for (size_t j = 0; j < self->num_places; j++) {
            if (self->places[j].row == row && self->places[j].is_first_of_cell) {
                head_px = fmax(head_px, put_head(self, &self->places[j], 0, false, 0));
            }
        }
        for (size_t j = 0; j < self->num_places; j++) {
            if (self->places[j].row == row && self->places[j].is_first_of_cell) {
                bottom = fmax(bottom, lay_cell(self, j, y, fmax(head_px, 10)));
            }
        }
        y = bottom + (row + 1 < num_rows ? ROW_GAP_PX : 0);
    }
    return y;
}

/* Title and notes. Returns where they end. */
static double
put_title(spot_chart_layout_t *self)
{
    const double margin = margin_px(self), max_px = self->width_px - 2 * margin;
    double y = self->is_narrow ? 4 : 16;

    if (self->has_title) {
        y += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_TITLE, SPOT_CHART_START,
            margin, y, self->chart->title, max_px, 3, true);
    }
    for (size_t j = 0; j < self->chart->num_notes; j++) {
        y += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START, margin,
            y, self->chart->notes[j], max_px, 4, true);
    }
    return y + 8;
}

static double
put_feet(spot_chart_layout_t *self, double y)
{
    const double margin = margin_px(self), max_px = self->width_px - 2 * margin;

    for (size_t j = 0; j < self->chart->num_feet; j++) {
        y += spot_chart_put_wrapped(self, SPOT_CHART_TEXT_NOTE, SPOT_CHART_START, margin,
            y, self->chart->feet[j], max_px, 4, true);
    }
    return y;
}

/* ---- The whole ---- */

static void
set_scales(spot_chart_layout_t *self)
{
    for (size_t j = 0; j < self->num_places; j++) {
        spot_chart_place_t *place = &self->places[j];

        place->x.low_px = place->box.left;
        place->x.high_px = place->box.right;
        place->y.low_px = place->box.bottom;
        place->y.high_px = place->box.top;
        place_rows(self, place);
    }
}

static void
put_panels(spot_chart_layout_t *self)
{
    for (size_t j = 0; j < self->num_places && self->error == 0; j++) {
        const spot_chart_place_t *place = &self->places[j];
        const double head = put_head(self, place, 0, false, 0);

        (void) put_head(self, place, place->box.top, true, head);
        spot_chart_put_axes(self, place);
        spot_chart_put_end_names(self, place);
    }
}

/* The legend stands beside the panels, above them, or, as a list of a narrow picture,
 * below them. */
static void
lay_down(spot_chart_layout_t *self)
{
    const double margin = margin_px(self), max_px = self->width_px - 2 * margin;
    const bool is_column = spot_chart_has_legend_column(self);
    double y = put_title(self), bottom;

    if (!is_column && !spot_chart_has_legend_list(self)) {
        y += spot_chart_put_legend(self, margin, y, max_px, true);
    }
    bottom = lay_grid(self, y);
    set_scales(self);
    put_panels(self);
    if (is_column && self->num_places > 0) {
        const double top = self->places[0].box.top;
        const double x = self->width_px - margin - spot_chart_legend_width_px(self);

        bottom = fmax(bottom, top + spot_chart_put_legend(self, x, top - 4,
                                        spot_chart_legend_width_px(self), true));
    } else if (spot_chart_has_legend_list(self)) {
        bottom += 8;
        bottom += spot_chart_put_legend(self, margin, bottom, max_px, true);
    }
    self->height_px = put_feet(self, bottom + 8) + (self->is_narrow ? 4 : 12);
}

int
spot_chart_layout_init(
    spot_chart_layout_t *self, spot_chart_t *chart, double width_px, bool has_title)
{
    const int ret = spot_chart_stack(chart);
    double usual_px;

    *self = (spot_chart_layout_t){.chart = chart,
        .width_px = width_px,
        .is_narrow = width_px < 600,
        .has_title = has_title,
        .num_places = chart->num_panels};
    self->places = spot_calloc(chart->num_panels, sizeof(*self->places));
    if (ret != 0 || self->places == NULL) {
        return ret != 0 ? ret : SPOT_ERR_NO_MEMORY;
    }
    self->num_columns = choose_columns(self);
    choose_places(self);
    for (size_t j = 0; j < self->num_places; j++) {
        self->has_sides = self->has_sides || sides_px(self, self->places[j].node) > 0;
        self->places[j].box.bottom = panel_px(self, self->places[j].node);
        place_rows(self, &self->places[j]);
    }
    usual_px = (width_px - (self->is_narrow ? 60 : 160)) / (double) self->num_columns;
    spot_chart_find_scales(self, usual_px);
    spot_chart_choose_end_names(self);
    lay_across(self);
    lay_down(self);
    spot_chart_put_labels(self);
    return spot_error_first(self->error, chart->error);
}

void
spot_chart_layout_free(spot_chart_layout_t *self)
{
    for (size_t j = 0; j < self->num_places && self->places != NULL; j++) {
        free(self->places[j].row_px);
    }
    free(self->places);
    free(self->texts);
    free(self->samples);
}
