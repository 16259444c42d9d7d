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
    const spot_sheet_place_t *place;
    spot_sheet_raster_t seen; /* px that have a marker */
} marks_t;

typedef spot_chart_series_node_t series_t;

/* ---- Looks ---- */

double
spot_sheet_marker_px(const spot_sheet_place_t *place, const series_t *series)
{
    const double width = place->box.right - place->box.left;
    const bool is_line = spot_chart_is_line(series->look.kind);

    if (series->look.marker == SPOT_CHART_NO_MARKER ||
        (!is_line && series->look.kind != SPOT_CHART_POINTS) ||
        (is_line && (series->num_data > MAX_MARKED ||
                        (double) series->num_data * MARKED_PX > width))) {
        return 0;
    }
    return series->look.marker_px > 0       ? series->look.marker_px
           : is_line                        ? LINE_MARKER_PX
           : series->num_data > MANY_POINTS ? MANY_POINT_PX
                                            : POINT_PX;
}

/* Whether no shape before this one has its colour. */
static bool
is_new_colour(const series_t *series, size_t shape_id)
{
    for (size_t j = 0; j < shape_id; j++) {
        if (strcmp(series->shapes[j].colour, series->shapes[shape_id].colour) == 0) {
            return false;
        }
    }
    return true;
}

/* Whether a place is the first one at its px since seen was cleared. */
static bool
is_new(marks_t *self, double x, double y)
{
    return spot_sheet_raster_enter(&self->seen, &(spot_sheet_box_t){{x, y, x, y}}, 1) ==
           0;
}

static void
clear(marks_t *self)
{
    if (self->seen.cells != NULL) {
        memset(self->seen.cells, 0, self->seen.num_columns * self->seen.num_rows);
    }
}

/* ---- Lines, bands and areas ---- */

/* What of a shape is drawn; BASE: of areas, where those that are stacked go down to 0,
 * so that no seams show. */
typedef enum { VALUE, LOW, HIGH, BASE } part_t;

static spot_sheet_point_t
part_of(const marks_t *self, const series_t *series, size_t j, part_t part)
{
    const spot_chart_shape_t *shape = &series->shapes[j];
    const spot_chart_scale_t *y = &self->place->scale[SPOT_Y];
    spot_sheet_point_t point = {{spot_sheet_px(self->place, SPOT_X, shape->at[SPOT_X]),
        spot_chart_scale_px(y, shape->at[SPOT_Y])}};

    if (part != VALUE && (part != BASE || !isnan(point.y))) {
        point.y = spot_chart_scale_end_px(y, part == LOW    ? shape->low[SPOT_Y]
                                             : part == HIGH ? shape->high[SPOT_Y]
                                             : series->look.is_alone ? shape->base
                                                                     : 0);
    }
    return point;
}

/* A part of the data that are defined from first until end; of steps each y until the
 * next x too. */
static void
add_run(
    const marks_t *self, const series_t *series, size_t first, size_t end, part_t part)
{
    const bool is_stepped = series->look.kind == SPOT_CHART_STEPS ||
                            series->look.kind == SPOT_CHART_AREA_STEPS;
    const size_t first_point = self->sheet->items.num_points;

    for (size_t j = first; j < end; j++) {
        const spot_sheet_point_t point = part_of(self, series, j, part);

        spot_sheet_point(self->sheet, point.x, point.y);
        if (is_stepped && j + 1 < series->num_data) {
            const double x = part_of(self, series, j + 1, VALUE).x;

            spot_sheet_point(self->sheet, isnan(x) ? point.x : x, point.y);
        }
    }
    spot_sheet_thin(self->sheet, first_point);
}

static void
reverse(spot_sheet_t *sheet, size_t first)
{
    spot_sheet_point_t *points = sheet->items.points;

    for (size_t end = sheet->items.num_points; first + 1 < end; first++, end--) {
        const spot_sheet_point_t point = points[first];

        points[first] = points[end - 1];
        points[end - 1] = point;
    }
}

/* Lines through a part of the data, or what is between two parts: a run of defined data
 * each. */
static void
add_runs(const marks_t *self, const series_t *series, part_t part, part_t other)
{
    const spot_sheet_box_t *box = &self->place->box;
    size_t first = 0;

    for (size_t j = 0; j <= series->num_data; j++) {
        const size_t first_point = self->sheet->items.num_points;

        if (j < series->num_data) {
            const spot_sheet_point_t a = part_of(self, series, j, part);

            if (!isnan(a.x + a.y + part_of(self, series, j, other).y)) {
                continue;
            }
        }
        if (j > first) {
            add_run(self, series, first, j, part);
        }
        if (j > first && other == part) {
            spot_sheet_clip_line(self->sheet, first_point, box);
        } else if (j > first) {
            const size_t other_point = self->sheet->items.num_points;

            add_run(self, series, first, j, other);
            reverse(self->sheet, other_point);
            spot_sheet_clip_fill(self->sheet, first_point, box);
        }
        first = j + 1;
    }
}

static void
draw_line(marks_t *self, const series_t *series)
{
    spot_sheet_mark(
        self->sheet, &(spot_sheet_mark_t){.class = "l",
                         .colour = series->look.colour,
                         .px = series->look.width_px > 0 ? series->look.width_px
                               : series->num_data > MANY_LINE_DATA ? 1.2
                                                                   : 2,
                         .dash = series->look.dash});
    add_runs(self, series, VALUE, VALUE);
}

static void
draw_fill(marks_t *self, const series_t *series, bool is_faint, const char *colour,
    part_t top, part_t bottom)
{
    spot_sheet_mark(self->sheet,
        &(spot_sheet_mark_t){
            .kind = SPOT_MARK_FILL, .class = is_faint ? "f s" : "f", .colour = colour});
    add_runs(self, series, top, bottom);
}

/* Those that are stacked from the top down, with a seam upon all but the first one. */
static void
draw_areas(marks_t *self, bool are_alone)
{
    const spot_chart_panel_node_t *node = self->place->node;
    bool is_top = true;

    for (size_t j = 0; j < node->num_series; j++) {
        const series_t *series = &node->series[are_alone ? j : node->num_series - 1 - j];

        if (!spot_chart_is_area(series->look.kind) ||
            series->look.is_alone != are_alone) {
            continue;
        }
        draw_fill(self, series, series->look.is_faint, series->look.colour, VALUE, BASE);
        if (!is_top && !are_alone && series->look.kind == SPOT_CHART_AREA) {
            spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.class = "w"});
            add_runs(self, series, VALUE, VALUE);
        }
        is_top = false;
    }
}

/* ---- Bars, spans and strokes ---- */

spot_sheet_box_t
spot_sheet_bar(const spot_sheet_place_t *place, const series_t *series, size_t datum_id)
{
    const spot_chart_shape_t *shape = &series->shapes[datum_id];
    const int along = series->along, across = !along;
    const spot_sheet_box_t *outer = &place->box;
    const double a = spot_chart_scale_end_px(&place->scale[along], shape->base);
    const double b = spot_chart_scale_end_px(&place->scale[along], shape->at[along]);
    const double middle = spot_sheet_px(place, across, shape->at[across]);
    const double half = fmax(
        series->look.thickness / 2 * spot_chart_scale_unit_px(&place->scale[across]),
        0.4);
    spot_sheet_box_t box = {{0, 0, 0, 0}};

    if (isnan(a + b + middle)) {
        return box;
    }
    box.low[along] = fmin(a, b);
    box.high[along] = fmax(a, b);
    box.low[across] = middle - half;
    box.high[across] = middle + half;
    if (series->look.kind == SPOT_CHART_SPANS) {
        box.right = fmax(box.right, box.left + 0.3); /* to be seen */
    }
    return (spot_sheet_box_t){{fmax(box.left, outer->left), fmax(box.top, outer->top),
        fmin(box.right, outer->right), fmin(box.bottom, outer->bottom)}};
}

/* Boxes of one colour; a span that begins where the last one of its row ends goes on. */
static void
draw_boxes(marks_t *self, const series_t *series, const char *colour)
{
    spot_sheet_box_t last = {{0, 0, 0, 0}};

    spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.kind = SPOT_MARK_FILL,
                                     .class = series->look.is_faint ? "f s" : "f",
                                     .colour = colour});
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_sheet_box_t box = spot_sheet_bar(self->place, series, j);

        if (strcmp(series->shapes[j].colour, colour) != 0 || !(box.right > box.left) ||
            !(box.bottom > box.top)) {
            continue;
        }
        if (series->look.kind == SPOT_CHART_SPANS && last.top == box.top &&
            last.bottom == box.bottom && box.left >= last.left &&
            box.left <= last.right + 0.2) {
            last.right = fmax(last.right, box.right);
            continue;
        }
        if (last.right > last.left) {
            spot_sheet_box(self->sheet, &last);
        }
        last = box;
    }
    if (last.right > last.left) {
        spot_sheet_box(self->sheet, &last);
    }
}

/* A stroke at each px that has data. */
static void
draw_strokes(marks_t *self, const series_t *series)
{
    const spot_sheet_box_t *box = &self->place->box;

    spot_sheet_mark(
        self->sheet, &(spot_sheet_mark_t){.class = "l",
                         .colour = series->look.colour,
                         .px = series->look.width_px > 0 ? series->look.width_px : 1.2});
    clear(self);
    for (size_t j = 0; j < series->num_data; j++) {
        const double x = round(2 * part_of(self, series, j, VALUE).x) / 2;
        const double share = fmin(fmax(series->data[j].y, 0), 1);
        const double top =
            box->bottom -
            (share > 0 ? fmax(share * (box->bottom - box->top), 1) : STROKE_PX);

        if (x >= box->left && x <= box->right && is_new(self, x, top)) {
            spot_sheet_segment(self->sheet, x, box->bottom, x, top);
        }
    }
}

/* ---- Rules and intervals ---- */

/* A line as far as it is within the panel. */
static void
add_segment(marks_t *self, spot_sheet_point_t from, spot_sheet_point_t to)
{
    const size_t first_point = self->sheet->items.num_points;

    if (from.x != to.x || from.y != to.y) {
        spot_sheet_point(self->sheet, from.x, from.y);
        spot_sheet_point(self->sheet, to.x, to.y);
        spot_sheet_clip_line(self->sheet, first_point, &self->place->box);
    }
}

static void
draw_rule(marks_t *self, const spot_chart_rule_t *rule)
{
    const spot_chart_scale_t *scale = self->place->scale;
    const spot_sheet_box_t *box = &self->place->box;
    spot_sheet_point_t from = {{box->left, box->bottom}}, to = {{box->right, box->top}};

    for (int dim = 0; dim < 2; dim++) {
        if (rule->direction == SPOT_CHART_DIAGONAL) {
            from.at[dim] = spot_chart_scale_px(
                &scale[dim], fmin(scale[SPOT_X].low, scale[SPOT_Y].low));
            to.at[dim] = spot_chart_scale_px(
                &scale[dim], fmax(scale[SPOT_X].high, scale[SPOT_Y].high));
        } else if (dim == (rule->direction == SPOT_CHART_VERTICAL ? SPOT_X : SPOT_Y)) {
            from.at[dim] = to.at[dim] = spot_chart_scale_px(&scale[dim], rule->at);
        }
    }
    if (!isnan(from.x + from.y + to.x + to.y)) {
        spot_sheet_mark(self->sheet,
            &(spot_sheet_mark_t){
                .class = "l", .colour = rule->colour, .px = 1.2, .dash = rule->dash});
        add_segment(self, from, to);
    }
}

/* Those of bars are in ink, to be seen upon them, and those of a colour of their own in
 * it; else in the colour of their data. */
static void
draw_intervals(marks_t *self, const series_t *series, const char *colour)
{
    const bool is_bars = series->look.kind == SPOT_CHART_BARS;
    const char *ink = series->look.interval_colour;

    spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.class = "l",
                                     .colour = ink != NULL ? ink
                                               : is_bars   ? SPOT_INK
                                                           : colour,
                                     .px = is_bars ? 1.6 : 1.1});
    clear(self);
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_shape_t *shape = &series->shapes[j];
        const spot_sheet_point_t point = part_of(self, series, j, VALUE);

        if (strcmp(shape->colour, colour) != 0 ||
            (series->num_data > MANY_POINTS && !is_new(self, point.x, point.y))) {
            continue;
        }
        for (int dim = 0; dim < 2; dim++) {
            const spot_chart_scale_t *scale = &self->place->scale[dim];
            spot_sheet_point_t from = point, to = point;

            from.at[dim] = spot_chart_scale_end_px(scale, shape->low[dim]);
            to.at[dim] = spot_chart_scale_end_px(scale, shape->high[dim]);
            if (!isnan(from.x + from.y)) {
                add_segment(self, from, to);
            }
        }
    }
}

/* ---- Markers ---- */

static void
draw_markers(marks_t *self, const series_t *series, const char *colour, bool is_hollow)
{
    spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.kind = SPOT_MARK_SIGN,
                                     .colour = colour,
                                     .px = spot_sheet_marker_px(self->place, series),
                                     .marker = series->look.marker,
                                     .is_hollow = is_hollow});
    clear(self);
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_sheet_point_t point = part_of(self, series, j, VALUE);

        if (strcmp(series->shapes[j].colour, colour) == 0 &&
            series->shapes[j].is_hollow == is_hollow &&
            spot_sheet_is_inside(&self->place->box, point.x, point.y) &&
            is_new(self, point.x, point.y)) {
            spot_sheet_point(self->sheet, point.x, point.y);
        }
    }
}

/* What browsers show under the pointer: at the datum, or in the middle of its bar. */
static void
draw_hovers(marks_t *self, const series_t *series)
{
    for (size_t j = 0; j < series->num_data; j++) {
        spot_sheet_point_t point = part_of(self, series, j, VALUE);

        if (series->look.kind == SPOT_CHART_BARS) {
            const spot_sheet_box_t box = spot_sheet_bar(self->place, series, j);

            point.x = (box.left + box.right) / 2;
            point.y = (box.top + box.bottom) / 2;
        }
        if (series->data[j].hover != NULL &&
            spot_sheet_is_inside(&self->place->box, point.x, point.y)) {
            spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.kind = SPOT_MARK_HOVER,
                                             .px = HOVER_PX,
                                             .text = series->data[j].hover});
            spot_sheet_point(self->sheet, point.x, point.y);
        }
    }
}

void
spot_sheet_put_sample(
    spot_sheet_t *self, const spot_chart_entry_t *entry, double x, double y)
{
    const double width = entry->is_line ? SAMPLE_LINE_PX : SWATCH_PX;

    if (entry->is_line || entry->marker == SPOT_CHART_NO_MARKER) {
        spot_sheet_mark(self, &(spot_sheet_mark_t){.class = "l",
                                  .colour = entry->colour,
                                  .px = entry->is_line ? 2 : SWATCH_PX,
                                  .dash = entry->dash});
        spot_sheet_segment(self, x - width / 2, y, x + width / 2, y);
    }
    if (entry->marker != SPOT_CHART_NO_MARKER) {
        spot_sheet_mark(self, &(spot_sheet_mark_t){.kind = SPOT_MARK_SIGN,
                                  .colour = entry->colour,
                                  .px = POINT_PX,
                                  .marker = entry->marker,
                                  .is_hollow = entry->is_hollow});
        spot_sheet_point(self, x, y);
    }
}

/* ---- Panels ---- */

/* Lines of the grid, along y and, where x has numbers, along x. */
static void
draw_grid(marks_t *self)
{
    const spot_sheet_box_t *box = &self->place->box;
    const spot_chart_panel_node_t *node = self->place->node;

    spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.class = "gr"});
    for (int dim = SPOT_Y; dim >= SPOT_X; dim--) {
        const spot_chart_scale_t *scale = &self->place->scale[dim];

        for (size_t j = 0; j < scale->num_ticks; j++) {
            const double px = spot_chart_scale_px(scale, scale->ticks[j].value);

            if (dim == SPOT_Y && !node->look.y.is_hidden) {
                spot_sheet_segment(self->sheet, box->left, px, box->right, px);
            } else if (dim == SPOT_X && !node->look.x.is_hidden &&
                       node->num_x_labels == 0) {
                spot_sheet_segment(self->sheet, px, box->top, px, box->bottom);
            }
        }
    }
    spot_sheet_mark(self->sheet, &(spot_sheet_mark_t){.class = "ax"});
    spot_sheet_segment(self->sheet, box->left, box->bottom, box->right, box->bottom);
}

typedef enum { BOXES, BANDS, INTERVALS, LINES, MARKERS, HOVERS, NUM_TURNS } turn_t;

/* What of a series has a colour of its own each. */
static void
draw_colour(marks_t *self, const series_t *series, turn_t turn, const char *colour)
{
    const spot_chart_kind_t kind = series->look.kind;

    if (turn == BOXES && spot_chart_is_box(kind)) {
        draw_boxes(self, series, colour);
    } else if (turn == INTERVALS &&
               (kind == SPOT_CHART_BARS || kind == SPOT_CHART_POINTS)) {
        draw_intervals(self, series, colour);
    } else if (turn == MARKERS && spot_sheet_marker_px(self->place, series) > 0) {
        draw_markers(self, series, colour, true);
        draw_markers(self, series, colour, false);
    }
}

/* What of a series is drawn in each turn, so that fills are below lines. */
static void
draw_turn(marks_t *self, const series_t *series, turn_t turn)
{
    const bool is_line = spot_chart_is_line(series->look.kind);
    const char *colour = series->look.interval_colour == NULL
                             ? series->look.colour
                             : series->look.interval_colour;

    if (turn == BANDS && is_line) {
        draw_fill(self, series, true, colour, HIGH, LOW);
    } else if (turn == LINES && is_line) {
        draw_line(self, series);
    } else if (turn == INTERVALS && series->look.kind == SPOT_CHART_STROKES) {
        draw_strokes(self, series);
    } else if (turn == HOVERS && self->sheet->chart->num_hovers <= MAX_HOVERS) {
        draw_hovers(self, series);
    }
    for (size_t j = 0; j < series->num_data; j++) {
        if (is_new_colour(series, j)) {
            draw_colour(self, series, turn, series->shapes[j].colour);
        }
    }
}

void
spot_sheet_put_marks(spot_sheet_t *self, const spot_sheet_place_t *place)
{
    const spot_chart_panel_node_t *node = place->node;
    marks_t marks = {.sheet = self, .place = place};

    if (node->look.empty != NULL) {
        return;
    }
    spot_sheet_raster_init(&marks.seen, &self->memory, &place->box, 1);
    draw_grid(&marks);
    draw_areas(&marks, true);
    draw_areas(&marks, false);
    for (turn_t turn = BOXES; turn < NUM_TURNS; turn++) {
        for (size_t k = 0; k < node->num_rules && turn == INTERVALS; k++) {
            draw_rule(&marks, &node->rules[k]);
        }
        for (size_t k = 0; k < node->num_series; k++) {
            draw_turn(&marks, &node->series[k], turn);
        }
    }
}
