/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is drawn in a panel: fills, bands, rules, intervals, lines and markers. */
#include <math.h>
#include <string.h>

#include "reports/chart/sheet.h"

#define MAX_HOVERS 400
#define MAX_MARKED 100    /* data of a line that have a marker each */
#define MARKED_PX 7.0     /* between them at least, on average */
#define POINT_PX 4.2      /* radius */
#define MANY_POINT_PX 3.0 /* of more than MANY_POINTS */
#define MANY_POINTS 300
#define LINE_MARKER_PX 2.4
#define MANY_LINE_DATA 400
#define STROKE_PX 6.0 /* of strokes without a height */
#define HOVER_PX 7.0
#define SWATCH_PX 10.0
#define SAMPLE_LINE_PX 14.0

typedef struct {
    spot_sheet_t *sheet;
    const spot_place_t *place;
    spot_raster_t seen; /* px that have a marker */
} marks_t;

typedef spot_series_node_t series_t;

/* ---- Places ---- */

double spot_sheet_marker_px(const spot_place_t *place, const series_t *series)
{
    const double width = place->box.right - place->box.left;
    const bool has_room =
        series->num_data <= MAX_MARKED && (double) series->num_data * MARKED_PX <= width;

    if (series->look.marker == SPOT_CHART_NO_MARKER ||
        !(series->is_line ? has_room : series->look.kind == SPOT_CHART_POINTS)) {
        return 0;
    }
    return series->look.marker_px > 0       ? series->look.marker_px
           : series->is_line                ? LINE_MARKER_PX
           : series->num_data > MANY_POINTS ? MANY_POINT_PX
                                            : POINT_PX;
}

spot_box_t spot_sheet_bar(const spot_place_t *place, const series_t *series, size_t datum_id)
{
    const spot_chart_shape_t *shape = &series->shapes[datum_id];
    const int along = series->along, across = !along;
    const spot_box_t *outer = &place->box;
    const double a = spot_scale_end_px(&place->scale[along], shape->base);
    const double b = spot_scale_end_px(&place->scale[along], shape->at[along]);
    const double middle = spot_scale_px(&place->scale[across], shape->at[across]);
    const double half =
        fmax(series->thickness / 2 * spot_scale_unit_px(&place->scale[across]), 0.4);
    spot_box_t box = {{0, 0, 0, 0}};

    if (isnan(a + b + middle)) {
        return box;
    }
    box.low[along] = fmin(a, b);
    box.high[along] = fmax(a, b);
    box.low[across] = middle - half;
    box.high[across] = middle + half;
    if (series->look.kind == SPOT_CHART_SPANS) {
        box.high[along] = fmax(box.high[along], box.low[along] + 0.3); /* to be seen */
    }
    return (spot_box_t){{fmax(box.left, outer->left), fmax(box.top, outer->top),
        fmin(box.right, outer->right), fmin(box.bottom, outer->bottom)}};
}

/* Whether a place is the first one at its px since the mark began. */
static bool is_new(marks_t *self, double x, double y)
{
    return spot_raster_enter(&self->seen, &(spot_box_t){{x, y, x, y}}, 1) == 0;
}

/* ---- Lines, bands and areas ---- */

/* What of a shape is drawn; BASE: of areas, where those that are stacked go down to 0,
 * so that no seams show. */
typedef enum { VALUE, LOW, HIGH, BASE } part_t;

static spot_px_t part_of(const marks_t *self, const series_t *series, size_t j, part_t part)
{
    const spot_chart_shape_t *shape = &series->shapes[j];
    const spot_scale_t *y = &self->place->scale[SPOT_Y];
    spot_px_t point = spot_place_px(self->place, shape->at);

    if (part != VALUE && (part != BASE || !isnan(point.y))) {
        point.y = spot_scale_end_px(y, part == LOW             ? shape->low[SPOT_Y]
                                       : part == HIGH          ? shape->high[SPOT_Y]
                                       : series->look.is_alone ? shape->base
                                                               : 0);
    }
    return point;
}

/* A part of the data that are defined from first until end; of steps each y until the
 * next x too. */
static void add_run(
    const marks_t *self, const series_t *series, size_t first, size_t end, part_t part)
{
    const size_t first_point = self->sheet->items.num_points;

    for (size_t j = first; j < end; j++) {
        const spot_px_t point = part_of(self, series, j, part);

        spot_sheet_point(self->sheet, point.x, point.y);
        if (series->is_stepped && j + 1 < series->num_data) {
            const double x = part_of(self, series, j + 1, VALUE).x;

            spot_sheet_point(self->sheet, isnan(x) ? point.x : x, point.y);
        }
    }
    spot_sheet_thin(self->sheet, first_point);
}

/* Lines through a part of the data, or what is between two parts: a run of defined data
 * each. */
static void add_runs(const marks_t *self, const series_t *series, part_t part, part_t other)
{
    spot_items_t *items = &self->sheet->items;
    size_t first = 0;

    for (size_t j = 0; j <= series->num_data; j++) {
        const size_t first_point = items->num_points;

        if (j < series->num_data &&
            !isnan(part_of(self, series, j, part).y + part_of(self, series, j, other).y)) {
            continue;
        }
        add_run(self, series, first, j, part);
        if (other != part) {
            size_t a = items->num_points, b;

            add_run(self, series, first, j, other);
            for (b = items->num_points; a + 1 < b; a++, b--) { /* and back */
                const spot_px_t point = items->points[a];

                items->points[a] = items->points[b - 1];
                items->points[b - 1] = point;
            }
        }
        if (j > first) {
            spot_sheet_clip(self->sheet, first_point, &self->place->box, other != part);
        }
        first = j + 1;
    }
}

static void draw_line(marks_t *self, const series_t *series)
{
    const double usual = series->num_data > MANY_LINE_DATA ? 1.2 : 2;

    spot_sheet_mark(self->sheet, SPOT_MARK_LINE, "l", series->look.colour,
        series->look.width_px > 0 ? series->look.width_px : usual)
        ->dash = series->look.dash;
    add_runs(self, series, VALUE, VALUE);
}

/* Those that are stacked from the top down, with a seam upon all but the first one. */
static void draw_areas(marks_t *self, bool are_alone)
{
    const spot_panel_node_t *node = self->place->node;
    bool is_top = true;

    for (size_t j = 0; j < node->num_series; j++) {
        const series_t *series = &node->series[are_alone ? j : node->num_series - 1 - j];
        const spot_chart_series_t *look = &series->look;

        if (!series->is_area || look->is_alone != are_alone) {
            continue;
        }
        spot_sheet_mark(self->sheet, SPOT_MARK_FILL, look->is_faint ? "f s" : "f", look->colour, 0);
        add_runs(self, series, VALUE, BASE);
        if (!is_top && !are_alone && look->kind == SPOT_CHART_AREA) {
            spot_sheet_mark(self->sheet, SPOT_MARK_LINE, "w", NULL, 0);
            add_runs(self, series, VALUE, VALUE);
        }
        is_top = false;
    }
}

/* ---- Rules and the grid ---- */

/* A line as far as it is within the panel. */
static void add_segment(marks_t *self, spot_px_t from, spot_px_t to)
{
    const size_t first_point = self->sheet->items.num_points;

    if (!isnan(from.x + from.y + to.x + to.y)) {
        spot_sheet_point(self->sheet, from.x, from.y);
        spot_sheet_point(self->sheet, to.x, to.y);
        spot_sheet_clip(self->sheet, first_point, &self->place->box, false);
    }
}

static void draw_rule(marks_t *self, const spot_chart_rule_t *rule)
{
    const spot_scale_t *scale = self->place->scale;
    const spot_box_t *box = &self->place->box;
    spot_px_t from = {{box->left, box->bottom}}, to = {{box->right, box->top}};

    for (int dim = 0; dim < 2; dim++) {
        if (rule->direction == SPOT_CHART_DIAGONAL) {
            from.at[dim] = spot_scale_px(&scale[dim], fmin(scale[SPOT_X].low, scale[SPOT_Y].low));
            to.at[dim] = spot_scale_px(&scale[dim], fmax(scale[SPOT_X].high, scale[SPOT_Y].high));
        } else if (dim == (rule->direction == SPOT_CHART_VERTICAL ? SPOT_X : SPOT_Y)) {
            from.at[dim] = to.at[dim] = spot_scale_px(&scale[dim], rule->at);
        }
    }
    spot_sheet_mark(self->sheet, SPOT_MARK_LINE, "l", rule->colour, 1.2)->dash = rule->dash;
    add_segment(self, from, to);
}

/* Lines of the grid, along y and, where x has numbers, along x. */
static void draw_grid(marks_t *self)
{
    const spot_box_t *box = &self->place->box;
    const spot_panel_node_t *node = self->place->node;

    spot_sheet_mark(self->sheet, SPOT_MARK_LINE, "gr", NULL, 0);
    for (int dim = SPOT_Y; dim >= SPOT_X; dim--) {
        const spot_scale_t *scale = &self->place->scale[dim];
        const bool has_lines =
            !spot_chart_axis(node, dim)->is_hidden && (dim == SPOT_Y || node->num_x_labels == 0);

        for (size_t j = 0; j < scale->num_ticks && has_lines; j++) {
            spot_px_t from = {{box->left, box->top}}, to = {{box->right, box->bottom}};

            from.at[dim] = to.at[dim] = spot_scale_px(scale, scale->ticks[j].value);
            spot_sheet_segment(self->sheet, from.x, from.y, to.x, to.y);
        }
    }
    spot_sheet_mark(self->sheet, SPOT_MARK_LINE, "ax", NULL, 0);
    spot_sheet_segment(self->sheet, box->left, box->bottom, box->right, box->bottom);
}

/* ---- Marks of a datum ---- */

typedef enum { BOXES, BANDS, LINES_OF_DATA, LINES, HOLLOW, SOLID, HOVERS, NUM_TURNS } turn_t;

/* A span that begins where the last one of its row ends goes on. */
static void add_box(marks_t *self, const series_t *series, size_t j)
{
    const spot_items_t *items = &self->sheet->items;
    const spot_box_t box = spot_sheet_bar(self->place, series, j);
    const bool is_first = items->num_points < items->marks[items->num_marks - 1].first_point + 5;
    spot_px_t *last = is_first ? NULL : &items->points[items->num_points - 5];

    if (!(box.right > box.left) || !(box.bottom > box.top)) {
        return;
    }
    if (series->look.kind == SPOT_CHART_SPANS && last != NULL && last[0].y == box.top &&
        last[2].y == box.bottom && box.left >= last[0].x && box.left <= last[1].x + 0.2) {
        last[1].x = last[2].x = fmax(last[1].x, box.right);
    } else {
        spot_sheet_box(self->sheet, &box);
    }
}

/* A stroke at each px that has data. */
static void add_stroke(marks_t *self, const series_t *series, size_t j)
{
    const spot_box_t *box = &self->place->box;
    const double x = round(2 * part_of(self, series, j, VALUE).x) / 2;
    const double share = fmin(fmax(series->data[j].y, 0), 1);
    const double height = share > 0 ? fmax(share * (box->bottom - box->top), 1) : STROKE_PX;

    if (x >= box->left && x <= box->right && is_new(self, x, box->bottom - height)) {
        spot_sheet_segment(self->sheet, x, box->bottom, x, box->bottom - height);
    }
}

static void add_intervals(marks_t *self, const series_t *series, size_t j)
{
    const spot_px_t point = part_of(self, series, j, VALUE);

    for (int dim = 0; dim < 2; dim++) {
        const spot_scale_t *scale = &self->place->scale[dim];
        spot_px_t from = point, to = point;

        from.at[dim] = spot_scale_end_px(scale, series->shapes[j].low[dim]);
        to.at[dim] = spot_scale_end_px(scale, series->shapes[j].high[dim]);
        add_segment(self, from, to);
    }
}

/* What browsers show under the pointer: at the datum, or in the middle of its bar. */
static void add_hover(marks_t *self, const series_t *series, size_t j)
{
    const spot_box_t box = spot_sheet_bar(self->place, series, j);
    spot_px_t point = part_of(self, series, j, VALUE);

    if (series->look.kind == SPOT_CHART_BARS) {
        point = (spot_px_t){{(box.left + box.right) / 2, (box.top + box.bottom) / 2}};
    }
    if (series->data[j].hover != NULL && spot_box_has(&self->place->box, point.x, point.y)) {
        spot_sheet_mark(self->sheet, SPOT_MARK_HOVER, NULL, NULL, HOVER_PX)->text =
            series->data[j].hover;
        spot_sheet_point(self->sheet, point.x, point.y);
    }
}

/* What of a datum is drawn in a turn. */
static void add_datum(marks_t *self, const series_t *series, size_t j, turn_t turn)
{
    const spot_px_t point = part_of(self, series, j, VALUE);

    if (turn == BOXES) {
        add_box(self, series, j);
    } else if (turn == LINES_OF_DATA && series->look.kind == SPOT_CHART_STROKES) {
        add_stroke(self, series, j);
    } else if (turn == LINES_OF_DATA) {
        if (series->num_data <= MANY_POINTS || is_new(self, point.x, point.y)) {
            add_intervals(self, series, j);
        }
    } else if (series->shapes[j].is_hollow == (turn == HOLLOW) &&
               spot_box_has(&self->place->box, point.x, point.y) &&
               is_new(self, point.x, point.y)) {
        spot_sheet_point(self->sheet, point.x, point.y);
    }
}

/* Begins a mark for the data of a colour. Intervals of bars are in ink, to be seen upon
 * them, and those of a colour of their own in it; false: the turn draws none. */
static bool begin_colour(marks_t *self, const series_t *series, const char *colour, turn_t turn)
{
    const spot_chart_series_t *look = &series->look;
    const bool is_stroke = look->kind == SPOT_CHART_STROKES;
    const bool is_bar = look->kind == SPOT_CHART_BARS;
    const double radius = spot_sheet_marker_px(self->place, series);

    if (turn == BOXES && series->is_box) {
        spot_sheet_mark(self->sheet, SPOT_MARK_FILL, look->is_faint ? "f s" : "f", colour, 0);
        return true;
    }
    if (turn == LINES_OF_DATA && (is_stroke || is_bar || look->kind == SPOT_CHART_POINTS)) {
        spot_sheet_mark(self->sheet, SPOT_MARK_LINE, "l",
            look->interval_colour != NULL && !is_stroke ? look->interval_colour
            : is_bar                                    ? SPOT_INK
                                                        : colour,
            is_bar               ? 1.6
            : !is_stroke         ? 1.1
            : look->width_px > 0 ? look->width_px
                                 : 1.2);
        return true;
    }
    if ((turn == HOLLOW || turn == SOLID) && radius > 0) {
        spot_mark_t *mark = spot_sheet_mark(self->sheet, SPOT_MARK_SIGN, NULL, colour, radius);

        mark->marker = look->marker;
        mark->is_hollow = turn == HOLLOW;
        return true;
    }
    return false;
}

static void draw_colours(marks_t *self, const series_t *series, turn_t turn)
{
    const spot_chart_shape_t *shapes = series->shapes;

    for (size_t j = 0; j < series->num_data; j++) {
        size_t first = 0;

        while (strcmp(shapes[first].colour, shapes[j].colour) != 0) {
            first++;
        }
        if (first < j || self->sheet->memory.error != 0 ||
            !begin_colour(self, series, shapes[j].colour, turn)) {
            continue;
        }
        memset(self->seen.cells, 0, self->seen.num[SPOT_X] * self->seen.num[SPOT_Y]);
        for (size_t k = j; k < series->num_data; k++) {
            if (strcmp(shapes[k].colour, shapes[j].colour) == 0) {
                add_datum(self, series, k, turn);
            }
        }
    }
}

/* ---- Panels ---- */

/* What of a series is drawn in each turn, so that fills are below lines. */
static void draw_turn(marks_t *self, const series_t *series, turn_t turn)
{
    const char *colour = series->look.interval_colour;
    const bool has_hovers = self->sheet->chart->num_hovers <= MAX_HOVERS;

    if (turn == BANDS && series->is_line) {
        spot_sheet_mark(
            self->sheet, SPOT_MARK_FILL, "f s", colour == NULL ? series->look.colour : colour, 0);
        add_runs(self, series, HIGH, LOW);
    } else if (turn == LINES && series->is_line) {
        draw_line(self, series);
    } else if (turn != BANDS && turn != LINES && turn != HOVERS) {
        draw_colours(self, series, turn);
    }
    for (size_t j = 0; j < series->num_data && turn == HOVERS && has_hovers; j++) {
        add_hover(self, series, j);
    }
}

void spot_sheet_put_marks(spot_sheet_t *self, const spot_place_t *place)
{
    const spot_panel_node_t *node = place->node;
    marks_t marks = {.sheet = self, .place = place};

    if (node->look.empty != NULL) {
        return;
    }
    spot_raster_init(&marks.seen, &self->memory, &place->box, 1);
    draw_grid(&marks);
    draw_areas(&marks, true);
    draw_areas(&marks, false);
    for (turn_t turn = BOXES; turn < NUM_TURNS; turn++) {
        for (size_t k = 0; k < node->num_rules && turn == LINES_OF_DATA; k++) {
            draw_rule(&marks, &node->rules[k]);
        }
        for (size_t k = 0; k < node->num_series; k++) {
            draw_turn(&marks, &node->series[k], turn);
        }
    }
}

void spot_sheet_put_sample(spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y)
{
    const double width = entry->is_line ? SAMPLE_LINE_PX : SWATCH_PX;

    if (entry->is_line || entry->marker == SPOT_CHART_NO_MARKER) {
        spot_sheet_mark(self, SPOT_MARK_LINE, "l", entry->colour, entry->is_line ? 2 : SWATCH_PX)
            ->dash = entry->dash;
        spot_sheet_segment(self, x - width / 2, y, x + width / 2, y);
    }
    if (entry->marker != SPOT_CHART_NO_MARKER) {
        spot_mark_t *mark = spot_sheet_mark(self, SPOT_MARK_SIGN, NULL, entry->colour, POINT_PX);

        mark->marker = entry->marker;
        mark->is_hollow = entry->is_hollow;
        spot_sheet_point(self, x, y);
    }
}
