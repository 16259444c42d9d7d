/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid of panels and the words around it. */
#include <math.h>

#include "reports/chart/sheet.h"

#define PANEL_PX 290.0
#define PANEL_NARROW_PX 220.0
#define SQUARE_PX 460.0
#define COLUMN_GAP_PX 36.0
#define ROW_GAP_PX 24.0   /* between rows of the grid */
#define BELOW_GAP_PX 12.0 /* between panels of a cell */
#define HEAD_GAP_PX 12.0  /* between the head of a panel and its top */
#define LEGEND_GAP_PX 20.0
#define MIN_LEFT_PX 30.0
#define MAX_COLUMNS 3

/* ---- Places ---- */

static size_t choose_columns(const spot_sheet_t *self, size_t num_cells)
{
    bool is_one = self->is_narrow || num_cells <= 1;

    for (size_t j = 0; j < self->num_places; j++) {
        is_one = is_one || self->chart->panels[j].look.y.kind == SPOT_CHART_ROWS;
    }
    return is_one ? 1 : num_cells == 2 || num_cells == 4 ? 2 : MAX_COLUMNS;
}

static bool is_shared(const spot_chart_axis_t *a, const spot_chart_axis_t *b)
{
    return a->group > 0 && a->group == b->group;
}

/* The height of a panel's box. */
static double panel_px(spot_sheet_t *self, spot_place_t *place)
{
    const spot_chart_panel_t *look = &place->node->look;
    const double usual = self->is_narrow ? PANEL_NARROW_PX : PANEL_PX;

    if (look->y.kind == SPOT_CHART_ROWS) {
        return spot_sheet_place_rows(self, place) - place->box.top;
    }
    if (look->is_square && place->box.right > place->box.left) {
        return place->box.right - place->box.left;
    }
    if (look->height_px > 0) {
        return self->is_narrow ? fmin(look->height_px, usual) : look->height_px;
    }
    return usual;
}

/* Row and column of each panel, and which axes have labels. */
static void choose_places(spot_sheet_t *self)
{
    size_t num_cells = 0, cell = 0;

    for (size_t j = 0; j < self->num_places; j++) {
        num_cells += !self->chart->panels[j].look.is_below;
    }
    self->num_columns = choose_columns(self, num_cells);
    for (size_t j = 0; j < self->num_places; j++) {
        const spot_panel_node_t *node = &self->chart->panels[j];
        const spot_chart_panel_t *look = &node->look;
        const bool has_below = j + 1 < self->num_places && node[1].look.is_below;
        spot_place_t *place = &self->places[j];

        cell += !look->is_below;
        *place = (spot_place_t){.node = node,
            .id = j,
            .column = (cell - 1) % self->num_columns,
            .row = (cell - 1) / self->num_columns,
            .is_last_column = cell % self->num_columns == 0 || cell == num_cells,
            .is_first_of_cell = !look->is_below,
            .cell_left = self->margin_px,
            .cell_right = self->width_px - self->margin_px};
        place->is_shown[SPOT_X] =
            !look->x.is_hidden && !(has_below && is_shared(&look->x, &node[1].look.x));
        place->is_shown[SPOT_Y] = !look->y.is_hidden && (place->column == 0 || look->y.group == 0);
        place->box.bottom = panel_px(self, place);
        self->has_sides = self->has_sides || place->sides_px > 0;
    }
}

/* ---- Across ---- */

/* Room for the labels of y, or of rows. */
static double left_px(const spot_sheet_t *self, const spot_place_t *place)
{
    const spot_scale_t *y = &place->scale[SPOT_Y];
    double width = 0;

    if (y->kind == SPOT_CHART_ROWS) {
        return spot_sheet_row_names_px(self, place->node);
    }
    for (size_t k = 0; k < y->num_ticks && place->is_shown[SPOT_Y]; k++) {
        width = fmax(width, spot_sheet_text_px(self, SPOT_TICK, y->ticks[k].label));
    }
    return width > 0 ? fmax(width + 8, MIN_LEFT_PX) : 0;
}

/* For sides of rows, names at ends and a legend, beside each other; the legend may end
 * above the first names at ends. */
static double right_px(spot_sheet_t *self)
{
    double sides = 0, legend = 0, free_px = 0;
    bool has_ends = false;

    for (size_t j = 0; j < self->num_places; j++) {
        sides = fmax(sides, self->places[j].sides_px);
        has_ends = has_ends || spot_sheet_num_ends(self, j, NULL) > 0;
        free_px += has_ends ? 0 : self->places[j].box.bottom;
    }
    if (self->legend == SPOT_LEGEND_COLUMN && self->num_places > 0) {
        const spot_items_t before = self->items;
        const double height = spot_sheet_put_legend(self, 0, 0, self->legend_px);

        self->items = before;
        legend = self->legend_px + LEGEND_GAP_PX;
        if (self->num_columns == 1 && height <= free_px) {
            return fmax(self->ends_px, legend);
        }
    }
    return sides + self->ends_px + legend;
}

/* The left and right edges of all boxes. */
static void lay_across(spot_sheet_t *self)
{
    /* The last label of x reaches beyond the box. */
    const double right = fmax(right_px(self), self->is_narrow ? 8 : 16);
    const double half_gap = COLUMN_GAP_PX / 2 - 4;
    const double num_columns = (double) self->num_columns;
    double lefts[MAX_COLUMNS] = {0}, width = self->width_px - 2 * self->margin_px - right;

    for (size_t j = 0; j < self->num_places; j++) {
        double *left = &lefts[self->places[j].column];

        *left = fmax(*left, left_px(self, &self->places[j]));
    }
    width -= lefts[0] + lefts[1] + lefts[2] + COLUMN_GAP_PX * (num_columns - 1);
    width = fmax(width / num_columns, 40);
    for (size_t j = 0; j < self->num_places; j++) {
        spot_place_t *place = &self->places[j];
        const bool is_last = place->column + 1 == self->num_columns;
        double x = self->margin_px;

        for (size_t column = 0; column < place->column; column++) {
            x += lefts[column] + width + COLUMN_GAP_PX;
        }
        place->box.left = x + lefts[place->column];
        place->box.right =
            place->box.left + (place->node->look.is_square ? fmin(width, SQUARE_PX) : width);
        if (place->column > 0) {
            place->cell_left = x - (lefts[place->column] > 0 ? 0 : half_gap);
        }
        if (place->node->look.y.kind != SPOT_CHART_ROWS || place->node->num_rows == 0) {
            place->cell_right = place->box.right + (is_last ? fmin(right, half_gap) : half_gap);
        }
    }
}

/* ---- Down ---- */

static double put_note(
    spot_sheet_t *self, double x, double y, const char *text, double max_px, size_t max_lines)
{
    return spot_sheet_put(self, SPOT_NOTE, x, y, text, max_px, max_lines);
}

/* The title, the name of y and the note above a panel. Returns their height. */
static double put_head(spot_sheet_t *self, const spot_place_t *place, double top)
{
    const spot_chart_panel_t *look = &place->node->look;
    const char *y_name = place->name[SPOT_Y];
    const double left = place->column == 0 ? self->margin_px : place->box.left;
    const double max_px = fmax(place->box.right, place->cell_right) - left;
    const double name_px = spot_sheet_text_px(self, SPOT_NOTE, y_name);
    const double note_px = spot_sheet_text_px(self, SPOT_NOTE, look->note);
    double y = top;

    y += spot_sheet_put(self, SPOT_PANEL, left, y, look->title, max_px, 2);
    y += put_note(self, left, y, look->y.high_name, max_px, 2);
    if (name_px + note_px + 16 > place->box.right - left) {
        y += put_note(self, left, y, look->note, max_px, 2);
    } else {
        const double height =
            spot_sheet_put(self, SPOT_NOTE | SPOT_END, place->box.right, y, look->note, max_px, 1);

        y += name_px > 0 ? 0 : height;
    }
    if (place->is_shown[SPOT_Y]) {
        y += put_note(self, left, y, y_name, max_px, 2);
    } else {
        y += name_px > 0 ? SPOT_LINE_PX : 0; /* as high as beside it */
    }
    y += spot_sheet_put_lanes(self, place, left, y);
    y += spot_sheet_put_sides(self, place, SPOT_NOTE, y, look->side_names, 3);
    return y > top ? y - top + HEAD_GAP_PX : 0;
}

/* A panel whose head ends at the top. Returns its end. */
static double lay_panel(spot_sheet_t *self, spot_place_t *place, double top)
{
    place->box.top = top;
    place->box.bottom = top + panel_px(self, place);
    for (int dim = 0; dim < 2; dim++) {
        spot_scale_t *scale = &place->scale[dim];

        scale->low_px = dim == SPOT_X ? place->box.left : place->box.bottom;
        scale->high_px = dim == SPOT_X ? place->box.right : place->box.top;
    }
    spot_sheet_put_left(self, place);
    spot_sheet_put_marks(self, place);
    spot_sheet_put_ends(self, place);
    return spot_sheet_put_below(self, place);
}

/* A row of the grid, with the heads of its cells upon their panels. */
static double lay_row(spot_sheet_t *self, size_t row, double top)
{
    double head_px = 10, bottom = top, y = top;

    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].row == row && self->places[j].is_first_of_cell) {
            const spot_items_t before = self->items;

            head_px = fmax(head_px, put_head(self, &self->places[j], top));
            self->items = before;
        }
    }
    for (size_t j = 0; j < self->num_places; j++) {
        spot_place_t *place = &self->places[j];
        const spot_items_t before = self->items;

        if (place->row != row) {
            continue;
        }
        if (place->is_first_of_cell) {
            y = top + head_px;
            spot_sheet_move(self, &before, head_px - put_head(self, place, top));
        } else {
            y += BELOW_GAP_PX;
            y += put_head(self, place, y);
        }
        y = lay_panel(self, place, y);
        bottom = fmax(bottom, y);
    }
    return bottom;
}

/* Lines of the whole picture. Returns their end. */
static double put_lines(spot_sheet_t *self, const char *const *lines, size_t num_lines, double y)
{
    for (size_t j = 0; j < num_lines; j++) {
        y += put_note(self, self->margin_px, y, lines[j], self->width_px - 2 * self->margin_px, 4);
    }
    return y;
}

static void lay_down(spot_sheet_t *self)
{
    const double margin = self->margin_px, max_px = self->width_px - 2 * margin;
    double y = self->is_narrow ? 4 : 16;

    if (self->has_title) {
        y += spot_sheet_put(self, SPOT_TITLE, margin, y, self->chart->title, max_px, 3);
    }
    y = put_lines(self, self->chart->notes, self->chart->num_notes, y) + 8;
    if (self->legend == SPOT_LEGEND_FLOW) {
        y += spot_sheet_put_legend(self, margin, y, max_px);
    }
    for (size_t j = 0; j < self->num_places; j++) {
        if (self->places[j].column == 0 && self->places[j].is_first_of_cell) {
            y = lay_row(self, self->places[j].row, y + (j > 0 ? ROW_GAP_PX : 0));
        }
    }
    if (self->legend == SPOT_LEGEND_COLUMN && self->num_places > 0) {
        const double top = self->places[0].box.top;

        y = fmax(y, top + spot_sheet_put_legend(self, self->width_px - margin - self->legend_px,
                              top - 4, self->legend_px));
    } else if (self->legend == SPOT_LEGEND_LIST) {
        y += 8;
        y += spot_sheet_put_legend(self, margin, y, max_px);
    }
    y = put_lines(self, self->chart->feet, self->chart->num_feet, y + 8);
    self->height_px = y + (self->is_narrow ? 4 : 12);
}

int spot_sheet_init(spot_sheet_t *self, spot_chart_t *chart, double width_px, bool has_title)
{
    const bool is_narrow = width_px < 600;

    *self = (spot_sheet_t){.chart = chart,
        .memory = {.error = spot_chart_error(chart)},
        .width_px = width_px,
        .is_narrow = is_narrow,
        .margin_px = is_narrow ? 8 : 24,
        .has_title = has_title,
        .num_places = chart->num_panels};
    self->places = spot_memory_get(&self->memory, chart->num_panels, sizeof(*self->places));
    self->names = spot_memory_get(&self->memory, chart->num_entries, sizeof(*self->names));
    if (self->memory.error == 0) {
        choose_places(self);
        spot_sheet_find_scales(
            self, (width_px - (is_narrow ? 60 : 160)) / (double) self->num_columns);
        spot_sheet_choose_names(self);
        lay_across(self);
        lay_down(self);
        spot_sheet_put_labels(self);
    }
    return spot_memory_error(&self->memory);
}

void spot_sheet_free(spot_sheet_t *self)
{
    spot_texts_free(&self->memory.texts);
}
