/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/marks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/chart/colour.h"
#include "reports/chart/path.h"
#include "reports/markup/html.h"

#define MAX_MARKED 100    /* data of a line that have a marker each */
#define MARKED_PX 7.0     /* between them at least, on average */
#define POINT_PX 4.2      /* radius */
#define MANY_POINT_PX 3.0 /* of more than MANY_POINTS */
#define MANY_POINTS 300
#define LINE_MARKER_PX 2.4
#define MANY_LINE_DATA 400
#define STROKE_PX 6.0 /* of strokes without a height */
#define HOVER_PX 7.0
#define MAX_LOOKS 64 /* colours of a series */

typedef struct {
    const spot_chart_pen_t *pen;
    const spot_chart_place_t *place;
    spot_chart_point_t *points; /* [4 * the most data of a series + 8] */
    spot_chart_point_t *room;   /* [SPOT_CHART_CLIP_ROOM() of them] */
    unsigned char *seen;        /* [seen_width * height + 1] px that have a marker */
    size_t seen_width, seen_height;
} marks_t;

/* ---- Elements ---- */

void
spot_chart_open_colour(const spot_chart_pen_t *pen, const char *colour)
{
    char dark[SPOT_CHART_COLOUR_BYTES];

    spot_chart_dark(colour, dark);
    fprintf(pen->out, "<g color=\"%s\"", colour);
    if (pen->is_inline && strcmp(colour, dark) != 0) {
        fprintf(pen->out, " style=\"--d:%s\"", dark);
    }
    fputs(">\n", pen->out);
}

static void
close_group(const spot_chart_pen_t *pen)
{
    fputs("</g>\n", pen->out);
}

/* A path of a class; what is behind its class: other attributes. */
static spot_chart_path_t
open_path(
    const spot_chart_pen_t *pen, const char *class, double width_px, const char *more)
{
    fprintf(pen->out, "<path class=\"%s\"", class);
    if (width_px > 0) {
        fprintf(pen->out, " stroke-width=\"%.3g\"", width_px);
    }
    fprintf(pen->out, "%s d=\"", more);
    return (spot_chart_path_t){.out = pen->out};
}

static void
close_path(const spot_chart_path_t *path)
{
    fputs("\"/>\n", path->out);
}

const char *
spot_chart_dash(spot_chart_dash_t dash)
{
    static const char *const dashes[] = {[SPOT_CHART_SOLID] = "",
        [SPOT_CHART_DASHED] = " stroke-dasharray=\"7 4\"",
        [SPOT_CHART_DOTTED] = " stroke-dasharray=\"2 3\""};

    return dashes[dash];
}

/* ---- Looks ---- */

double
spot_chart_marker_px(
    const spot_chart_place_t *place, const spot_chart_series_node_t *series)
{
    const double width = place->box.right - place->box.left;
    const double num_data = (double) series->num_data;
    double usual = POINT_PX;

    if (series->look.marker == SPOT_CHART_NO_MARKER ||
        (!spot_chart_is_line(series->look.kind) &&
            series->look.kind != SPOT_CHART_POINTS)) {
        return 0;
    }
    if (spot_chart_is_line(series->look.kind)) {
        if (series->num_data > MAX_MARKED || num_data * MARKED_PX > width) {
            return 0;
        }
        usual = LINE_MARKER_PX;
    } else if (series->num_data > MANY_POINTS) {
        usual = MANY_POINT_PX;
    }
    return series->look.marker_px > 0 ? series->look.marker_px : usual;
}

static double
line_px(const spot_chart_series_node_t *series)
{
    return series->look.width_px > 0           ? series->look.width_px
           : series->num_data > MANY_LINE_DATA ? 1.2
                                               : 2;
}

static const char *
interval_colour(const spot_chart_series_t *look)
{
    return look->interval_colour == NULL ? look->colour : look->interval_colour;
}

/* ---- Lines, bands and areas ---- */

/* What of a datum is drawn. */
typedef enum { VALUE, LOW, HIGH, TOP } part_t;

static double
part_px(
    const marks_t *self, const spot_chart_series_node_t *series, size_t j, part_t part)
{
    const spot_chart_datum_t *datum = &series->data[j];
    const double base = series->base == NULL ? 0 : series->base[j];
    const spot_chart_scale_t *y = &self->place->y;

    switch (part) {
        case VALUE:
            return spot_chart_y_px(self->place, datum->y);
        case LOW:
            return datum->y_high > datum->y_low
                       ? spot_chart_scale_end_px(y, datum->y_low)
                       : (double) NAN;
        case HIGH:
            return datum->y_high > datum->y_low
                       ? spot_chart_scale_end_px(y, datum->y_high)
                       : (double) NAN;
        default:
            return spot_chart_y_px(self->place, base + datum->y);
    }
}

/* The points of a part of all data, thinned; of steps each y until the next x too. */
static size_t
gather(const marks_t *self, const spot_chart_series_node_t *series, part_t part,
    spot_chart_point_t *points)
{
    const bool is_stepped = series->look.kind == SPOT_CHART_STEPS ||
                            series->look.kind == SPOT_CHART_AREA_STEPS;
    size_t num = 0;

    for (size_t j = 0; j < series->num_data; j++) {
        const double x = spot_chart_x_px(self->place, series->data[j].x);

        if (is_stepped && j > 0) {
            points[num] = (spot_chart_point_t){x, points[num - 1].y};
            num++;
        }
        points[num++] = (spot_chart_point_t){x, part_px(self, series, j, part)};
    }
    return spot_chart_thin(points, num);
}

/* Between two lines of points that have the same gaps, piece by piece. */
static void
fill_between(const marks_t *self, spot_chart_path_t *path, spot_chart_point_t *top,
    size_t num_top, const spot_chart_point_t *bottom, size_t num_bottom)
{
    size_t j = 0, k = 0;

    while (j < num_top && k < num_bottom) {
        size_t end = j, bottom_end = k, num;

        while (end < num_top && !isnan(top[end].x + top[end].y)) {
            end++;
        }
        while (bottom_end < num_bottom &&
               !isnan(bottom[bottom_end].x + bottom[bottom_end].y)) {
            bottom_end++;
        }
        if (end - j > 1 && bottom_end - k > 1) {
            spot_chart_point_t *closed = self->room;

            num = 0;
            for (size_t i = j; i < end; i++) {
                closed[num++] = top[i];
            }
            for (size_t i = bottom_end; i-- > k;) {
                closed[num++] = bottom[i];
            }
            spot_chart_path_polygon(
                path, closed, num, &self->place->box, self->room + num);
        }
        j = end + 1;
        k = bottom_end + 1;
    }
}

static void
draw_band(const marks_t *self, const spot_chart_series_node_t *series)
{
    spot_chart_point_t *low = self->points + 2 * series->num_data + 2;
    const size_t num_high = gather(self, series, HIGH, self->points);
    const size_t num_low = gather(self, series, LOW, low);
    spot_chart_path_t path;
    bool has_any = false;

    for (size_t j = 0; j < series->num_data; j++) {
        has_any = has_any || series->data[j].y_high > series->data[j].y_low;
    }
    if (!has_any) {
        return;
    }
    spot_chart_open_colour(self->pen, interval_colour(&series->look));
    path = open_path(self->pen, "f s", 0, "");
    fill_between(self, &path, self->points, num_high, low, num_low);
    close_path(&path);
    close_group(self->pen);
}

static void
draw_line(const marks_t *self, const spot_chart_series_node_t *series, part_t part,
    const char *class, double width_px)
{
    const size_t num = gather(self, series, part, self->points);
    spot_chart_path_t path =
        open_path(self->pen, class, width_px, spot_chart_dash(series->look.dash));

    spot_chart_path_polyline(&path, self->points, num, &self->place->box);
    close_path(&path);
}

/* Stacked ones go down to 0, so that no seams show: they are drawn from the top down. */
static void
draw_area(const marks_t *self, const spot_chart_series_node_t *series)
{
    const bool is_alone = series->look.is_alone;
    spot_chart_point_t *bottom = self->points + 2 * series->num_data + 2;
    const size_t num_top = gather(self, series, is_alone ? VALUE : TOP, self->points);
    const double zero = spot_chart_scale_end_px(&self->place->y, 0);
    size_t num_bottom = is_alone ? gather(self, series, LOW, bottom) : 0;
    spot_chart_path_t path;
    bool has_low = false;

    for (size_t j = 0; j < num_bottom; j++) {
        has_low = has_low || !isnan(bottom[j].y);
    }
    if (!has_low) {
        memcpy(bottom, self->points, num_top * sizeof(*bottom));
        num_bottom = num_top;
        for (size_t j = 0; j < num_bottom; j++) {
            bottom[j].y = isnan(bottom[j].y) ? bottom[j].y : zero;
        }
    }
    spot_chart_open_colour(self->pen, series->look.colour);
    path = open_path(self->pen, series->look.is_faint ? "f s" : "f", 0, "");
    fill_between(self, &path, self->points, num_top, bottom, num_bottom);
    close_path(&path);
    close_group(self->pen);
}

static void
draw_areas(const marks_t *self)
{
    const spot_chart_panel_node_t *node = self->place->node;
    bool is_top = true;

    for (size_t k = 0; k < node->num_series; k++) {
        if (spot_chart_is_area(node->series[k].look.kind) &&
            node->series[k].look.is_alone) {
            draw_area(self, &node->series[k]);
        }
    }
    for (size_t k = node->num_series; k-- > 0;) {
        const spot_chart_series_node_t *series = &node->series[k];

        if (spot_chart_is_area(series->look.kind) && !series->look.is_alone) {
            draw_area(self, series);
            if (!is_top && series->look.kind == SPOT_CHART_AREA) {
                draw_line(self, series, TOP, "w", 0);
            }
            is_top = false;
        }
    }
}

/* ---- Bars, spans and strokes ---- */

static spot_chart_box_t
clipped(const marks_t *self, double left, double top, double right, double bottom)
{
    const spot_chart_box_t *box = &self->place->box;

    return (spot_chart_box_t){fmax(left, box->left), fmax(top, box->top),
        fmin(right, box->right), fmin(bottom, box->bottom)};
}

static spot_chart_box_t
bar_box(const marks_t *self, const spot_chart_series_node_t *series, size_t j)
{
    const spot_chart_place_t *place = self->place;
    const spot_chart_datum_t *datum = &series->data[j];
    const double half = spot_chart_half_bar_px(place, &series->look);
    const double at = spot_chart_bar_at(place->node, datum);
    const double end = series->base[j] + spot_chart_bar_value(place->node, datum);

    if (spot_chart_is_lying(place->node)) {
        const double a = spot_chart_scale_end_px(&place->x, series->base[j]);
        const double b = spot_chart_x_px(place, end), y = spot_chart_y_px(place, at);

        return clipped(self, fmin(a, b), y - half, fmax(a, b), y + half);
    } else {
        const double a = spot_chart_scale_end_px(&place->y, series->base[j]);
        const double b = spot_chart_y_px(place, end), x = spot_chart_x_px(place, at);

        return clipped(self, x - half, fmin(a, b), x + half, fmax(a, b));
    }
}

/* A span at least as wide as can be seen. */
static spot_chart_box_t
span_box(const marks_t *self, const spot_chart_series_node_t *series, size_t j)
{
    const spot_chart_datum_t *datum = &series->data[j];
    const double half = spot_chart_half_bar_px(self->place, &series->look);
    const double left = spot_chart_scale_end_px(&self->place->x, datum->x_low);
    const double right = spot_chart_scale_end_px(&self->place->x, datum->x_high);
    const double y = spot_chart_y_px(self->place, datum->y);

    return clipped(self, left, y - half, fmax(right, left + 0.3), y + half);
}

static const char *
colour_of(const spot_chart_series_node_t *series, size_t j)
{
    return series->data[j].colour == NULL ? series->look.colour : series->data[j].colour;
}

/* The colours of a series, in the order of their first use. Returns their number. */
static size_t
find_colours(const spot_chart_series_node_t *series, const char *colours[MAX_LOOKS])
{
    size_t num_colours = 0;

    for (size_t j = 0; j < series->num_data; j++) {
        const char *colour = colour_of(series, j);
        size_t k = 0;

        while (k < num_colours && strcmp(colours[k], colour) != 0) {
            k++;
        }
        if (k == num_colours && num_colours < MAX_LOOKS) {
            colours[num_colours++] = colour;
        }
    }
    return num_colours;
}

/* Boxes of one colour; a span that begins where the last one of its row ends goes on. */
static void
draw_boxes_in(
    const marks_t *self, const spot_chart_series_node_t *series, const char *colour)
{
    const bool is_bars = series->look.kind == SPOT_CHART_BARS;
    spot_chart_path_t path;
    spot_chart_box_t last = {0, 0, 0, 0};

    spot_chart_open_colour(self->pen, colour);
    path = open_path(self->pen, series->look.is_faint ? "f s" : "f", 0, "");
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_box_t box =
            is_bars ? bar_box(self, series, j) : span_box(self, series, j);

        if (strcmp(colour_of(series, j), colour) != 0 || !(box.right > box.left) ||
            !(box.bottom > box.top)) {
            continue;
        }
        if (!is_bars && last.top == box.top && last.bottom == box.bottom &&
            box.left >= last.left && box.left <= last.right + 0.2) {
            last.right = fmax(last.right, box.right);
            continue;
        }
        if (last.right > last.left) {
            spot_chart_path_rectangle(&path, &last);
        }
        last = box;
    }
    if (last.right > last.left) {
        spot_chart_path_rectangle(&path, &last);
    }
    close_path(&path);
    close_group(self->pen);
}

static void
draw_boxes(const marks_t *self, const spot_chart_series_node_t *series)
{
    const char *colours[MAX_LOOKS];
    const size_t num_colours = find_colours(series, colours);

    for (size_t k = 0; k < num_colours; k++) {
        draw_boxes_in(self, series, colours[k]);
    }
}

/* Of those at the same half of a px the highest. */
static void
draw_strokes(const marks_t *self, const spot_chart_series_node_t *series)
{
    const spot_chart_box_t *box = &self->place->box;
    const size_t num_columns = (size_t) (2 * (box->right - box->left)) + 2;
    double *heights = spot_calloc(num_columns, sizeof(*heights));
    spot_chart_path_t path;

    for (size_t j = 0; j < series->num_data && heights != NULL; j++) {
        const double x = spot_chart_x_px(self->place, series->data[j].x);
        const double share = fmin(fmax(series->data[j].y, 0), 1);

        if (x >= box->left && x <= box->right) {
            const size_t column = (size_t) (2 * (x - box->left));

            heights[column] = fmax(heights[column],
                share > 0 ? fmax(share * (box->bottom - box->top), 1) : STROKE_PX);
        }
    }
    spot_chart_open_colour(self->pen, series->look.colour);
    path = open_path(
        self->pen, "l", series->look.width_px > 0 ? series->look.width_px : 1.2, "");
    for (size_t j = 0; j < num_columns && heights != NULL; j++) {
        if (heights[j] > 0) {
            const double x = box->left + (double) j / 2;

            spot_chart_path_move(&path, x, box->bottom);
            spot_chart_path_line(&path, x, box->bottom - heights[j]);
        }
    }
    close_path(&path);
    close_group(self->pen);
    free(heights);
}

/* ---- Rules and intervals ---- */

static void
draw_rule(const marks_t *self, const spot_chart_rule_t *rule)
{
    const spot_chart_place_t *place = self->place;
    const spot_chart_box_t *box = &place->box;
    spot_chart_point_t ends[2] = {{box->left, box->bottom}, {box->right, box->top}};
    spot_chart_path_t path;

    if (rule->direction == SPOT_CHART_HORIZONTAL) {
        ends[0].y = ends[1].y = spot_chart_y_px(place, rule->at);
    } else if (rule->direction == SPOT_CHART_VERTICAL) {
        ends[0].x = ends[1].x = spot_chart_x_px(place, rule->at);
    } else {
        const double low = fmin(place->x.low, place->y.low);
        const double high = fmax(place->x.high, place->y.high);

        ends[0] = (spot_chart_point_t){
            spot_chart_x_px(place, low), spot_chart_y_px(place, low)};
        ends[1] = (spot_chart_point_t){
            spot_chart_x_px(place, high), spot_chart_y_px(place, high)};
    }
    spot_chart_open_colour(self->pen, rule->colour);
    path = open_path(self->pen, "l", 1.2, spot_chart_dash(rule->dash));
    spot_chart_path_polyline(&path, ends, 2, box);
    close_path(&path);
    close_group(self->pen);
}

static void
draw_segment(const marks_t *self, spot_chart_path_t *path, double x, double y,
    double end_x, double end_y)
{
    const spot_chart_point_t ends[2] = {{x, y}, {end_x, end_y}};

    if (x != end_x || y != end_y) {
        spot_chart_path_polyline(path, ends, 2, &self->place->box);
    }
}

/* Whether a place in the panel is the first one at its px since seen was cleared. */
static bool
is_new(const marks_t *self, double x, double y)
{
    const double column = floor(x - self->place->box.left + 0.5);
    const double row = floor(y - self->place->box.top + 0.5);
    unsigned char *cell;

    if (!(column >= 0 && column < (double) self->seen_width && row >= 0 &&
            row < (double) self->seen_height)) {
        return true;
    }
    cell = &self->seen[(size_t) row * self->seen_width + (size_t) column];
    if (*cell != 0) {
        return false;
    }
    *cell = 1;
    return true;
}

static void
draw_intervals_in(
    const marks_t *self, const spot_chart_series_node_t *series, const char *colour)
{
    const spot_chart_place_t *place = self->place;
    const bool is_bars = series->look.kind == SPOT_CHART_BARS;
    spot_chart_path_t path;

    memset(self->seen, 0, self->seen_width * self->seen_height);
    spot_chart_open_colour(self->pen, colour);
    path = open_path(self->pen, "l", is_bars ? 1.6 : 1.1, "");
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_datum_t *datum = &series->data[j];
        const double x = spot_chart_x_px(place, datum->x);
        const double y = spot_chart_y_px(place, datum->y);

        if (series->look.interval_colour == NULL && !is_bars &&
            strcmp(colour_of(series, j), colour) != 0) {
            continue;
        }
        if (series->num_data > MANY_POINTS && !is_new(self, x, y)) {
            continue;
        }
        if (datum->x_high > datum->x_low && !isnan(y)) {
            draw_segment(self, &path, spot_chart_scale_end_px(&place->x, datum->x_low),
                y, spot_chart_scale_end_px(&place->x, datum->x_high), y);
        }
        if (datum->y_high > datum->y_low && !isnan(x)) {
            draw_segment(self, &path, x,
                spot_chart_scale_end_px(&place->y, datum->y_low), x,
                spot_chart_scale_end_px(&place->y, datum->y_high));
        }
    }
    close_path(&path);
    close_group(self->pen);
}

static bool
has_intervals(const spot_chart_series_node_t *series)
{
    for (size_t j = 0; j < series->num_data; j++) {
        if (series->data[j].x_high > series->data[j].x_low ||
            series->data[j].y_high > series->data[j].y_low) {
            return true;
        }
    }
    return false;
}

/* Those of bars are in ink, to be seen upon them. */
static void
draw_intervals(const marks_t *self, const spot_chart_series_node_t *series)
{
    const char *colours[MAX_LOOKS];
    size_t num_colours = 1;

    if (!has_intervals(series)) {
        return;
    }
    if (series->look.interval_colour != NULL) {
        colours[0] = series->look.interval_colour;
    } else if (series->look.kind == SPOT_CHART_BARS) {
        colours[0] = SPOT_INK;
    } else {
        num_colours = find_colours(series, colours);
    }
    for (size_t k = 0; k < num_colours; k++) {
        draw_intervals_in(self, series, colours[k]);
    }
}

/* ---- Markers ---- */

/* The outline of a marker around a place; circles and squares that are filled are dots
 * of a thick pen instead. */
static void
outline(
    spot_chart_path_t *path, spot_chart_marker_t marker, double x, double y, double r)
{
    static const struct {
        size_t num_corners;
        double corners[4][2];
    } shapes[SPOT_CHART_NUM_MARKERS] = {
        [SPOT_CHART_SQUARE] = {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
        [SPOT_CHART_TRIANGLE] = {3, {{0, -1.25}, {1.15, 0.85}, {-1.15, 0.85}}},
        [SPOT_CHART_DIAMOND] = {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
        [SPOT_CHART_DOWN] = {3, {{0, 1.25}, {1.15, -0.85}, {-1.15, -0.85}}},
    };

    if (marker <= SPOT_CHART_CIRCLE) {
        spot_chart_path_move(path, x - r, y);
        fprintf(path->out, "a%.3g %.3g 0 1 0 %.3g 0a%.3g %.3g 0 1 0-%.3g 0z", r, r,
            2 * r, r, r, 2 * r);
        path->command = 'z';
        return;
    }
    for (size_t k = 0; k < shapes[marker].num_corners; k++) {
        const double *corner = shapes[marker].corners[k];

        (k == 0 ? spot_chart_path_move : spot_chart_path_line)(
            path, x + corner[0] * r, y + corner[1] * r);
    }
    spot_chart_path_close(path);
    path->x = lround(10 * (x + shapes[marker].corners[0][0] * r));
    path->y = lround(10 * (y + shapes[marker].corners[0][1] * r));
}

static bool
is_dot(spot_chart_marker_t marker, bool is_hollow)
{
    return !is_hollow && (marker <= SPOT_CHART_CIRCLE || marker == SPOT_CHART_SQUARE);
}

static void
add_marker(spot_chart_path_t *path, spot_chart_marker_t marker, bool is_hollow, double x,
    double y, double radius)
{
    if (is_dot(marker, is_hollow)) {
        spot_chart_path_move(path, x, y);
        fputs("h0", path->out);
        path->command = 'h';
    } else {
        outline(path, marker, x, y, radius);
    }
}

static spot_chart_path_t
open_markers(const spot_chart_pen_t *pen, spot_chart_marker_t marker, bool is_hollow,
    double radius)
{
    if (is_dot(marker, is_hollow)) {
        return marker == SPOT_CHART_SQUARE ? open_path(pen, "q", 1.8 * radius, "")
                                           : open_path(pen, "o", 2 * radius, "");
    }
    return open_path(pen, is_hollow ? "h" : "f", is_hollow ? 1.4 : 0, "");
}

void
spot_chart_draw_marker(const spot_chart_pen_t *pen, spot_chart_marker_t marker,
    bool is_hollow, double x, double y, double radius)
{
    spot_chart_path_t path = open_markers(pen, marker, is_hollow, radius);

    add_marker(&path, marker, is_hollow, x, y, radius);
    close_path(&path);
}

static void
draw_markers_in(const marks_t *self, const spot_chart_series_node_t *series,
    const char *colour, bool is_hollow)
{
    const spot_chart_box_t *box = &self->place->box;
    const double radius = spot_chart_marker_px(self->place, series);
    spot_chart_path_t path;
    bool is_open = false;

    memset(self->seen, 0, self->seen_width * self->seen_height);
    for (size_t j = 0; j < series->num_data; j++) {
        const double x = spot_chart_x_px(self->place, series->data[j].x);
        const double y = spot_chart_y_px(self->place, series->data[j].y);
        const bool is_same =
            strcmp(colour_of(series, j), colour) == 0 &&
            (series->look.is_hollow || series->data[j].is_hollow) == is_hollow;

        if (is_same && x >= box->left - 0.5 && x <= box->right + 0.5 &&
            y >= box->top - 0.5 && y <= box->bottom + 0.5 && is_new(self, x, y)) {
            if (!is_open) {
                spot_chart_open_colour(self->pen, colour);
                path = open_markers(self->pen, series->look.marker, is_hollow, radius);
                is_open = true;
            }
            add_marker(&path, series->look.marker, is_hollow, x, y, radius);
        }
    }
    if (is_open) {
        close_path(&path);
        close_group(self->pen);
    }
}

static void
draw_markers(const marks_t *self, const spot_chart_series_node_t *series)
{
    const char *colours[MAX_LOOKS];
    const size_t num_colours = find_colours(series, colours);

    if (spot_chart_marker_px(self->place, series) <= 0) {
        return;
    }
    for (size_t k = 0; k < num_colours; k++) {
        draw_markers_in(self, series, colours[k], true);
        draw_markers_in(self, series, colours[k], false);
    }
}

/* What browsers tell under the pointer. */
static void
draw_hovers(const marks_t *self, const spot_chart_series_node_t *series)
{
    const spot_chart_box_t *box = &self->place->box;

    for (size_t j = 0; j < series->num_data; j++) {
        const double base = series->base == NULL ? 0 : series->base[j];
        const double x = spot_chart_x_px(self->place, series->data[j].x);
        const double y = spot_chart_y_px(self->place, base + series->data[j].y);

        if (series->data[j].hover != NULL && x >= box->left && x <= box->right &&
            y >= box->top && y <= box->bottom) {
            fprintf(self->pen->out,
                "<circle class=\"v\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\"><title>", x, y,
                HOVER_PX);
            spot_html_text(self->pen->out, series->data[j].hover);
            fputs("</title></circle>\n", self->pen->out);
        }
    }
}

/* ---- Panels ---- */

static int
marks_init(marks_t *self, const spot_chart_pen_t *pen, const spot_chart_place_t *place)
{
    size_t most = 0, num_points;

    for (size_t k = 0; k < place->node->num_series; k++) {
        most = place->node->series[k].num_data > most ? place->node->series[k].num_data
                                                      : most;
    }
    num_points = 4 * most + 8;
    *self = (marks_t){.pen = pen,
        .place = place,
        .seen_width = (size_t) fmax(place->box.right - place->box.left, 0) + 3,
        .seen_height = (size_t) fmax(place->box.bottom - place->box.top, 0) + 3};
    self->points = spot_calloc(num_points, sizeof(*self->points));
    self->room =
        spot_calloc(num_points + SPOT_CHART_CLIP_ROOM(num_points), sizeof(*self->room));
    self->seen = spot_calloc(self->seen_width * self->seen_height, 1);
    return self->points == NULL || self->room == NULL || self->seen == NULL
               ? SPOT_ERR_NO_MEMORY
               : 0;
}

static void
draw_fills(const marks_t *self)
{
    const spot_chart_panel_node_t *node = self->place->node;

    draw_areas(self);
    for (size_t k = 0; k < node->num_series; k++) {
        if (node->series[k].look.kind == SPOT_CHART_BARS ||
            node->series[k].look.kind == SPOT_CHART_SPANS) {
            draw_boxes(self, &node->series[k]);
        }
    }
    for (size_t k = 0; k < node->num_series; k++) {
        if (spot_chart_is_line(node->series[k].look.kind)) {
            draw_band(self, &node->series[k]);
        }
    }
}

static void
draw_strokes_and_markers(const marks_t *self, bool has_hovers)
{
    const spot_chart_panel_node_t *node = self->place->node;

    for (size_t k = 0; k < node->num_series; k++) {
        const spot_chart_series_node_t *series = &node->series[k];

        if (series->look.kind == SPOT_CHART_POINTS ||
            series->look.kind == SPOT_CHART_BARS) {
            draw_intervals(self, series);
        } else if (series->look.kind == SPOT_CHART_STROKES) {
            draw_strokes(self, series);
        }
    }
    for (size_t k = 0; k < node->num_series; k++) {
        if (spot_chart_is_line(node->series[k].look.kind)) {
            spot_chart_open_colour(self->pen, node->series[k].look.colour);
            draw_line(self, &node->series[k], VALUE, "l", line_px(&node->series[k]));
            close_group(self->pen);
        }
    }
    for (size_t k = 0; k < node->num_series; k++) {
        draw_markers(self, &node->series[k]);
    }
    for (size_t k = 0; k < node->num_series && has_hovers; k++) {
        draw_hovers(self, &node->series[k]);
    }
}

int
spot_chart_draw_marks(
    const spot_chart_pen_t *pen, const spot_chart_place_t *place, bool has_hovers)
{
    marks_t marks;
    const int ret = marks_init(&marks, pen, place);

    if (ret == 0) {
        draw_fills(&marks);
        for (size_t k = 0; k < place->node->num_rules; k++) {
            draw_rule(&marks, &place->node->rules[k]);
        }
        draw_strokes_and_markers(&marks, has_hovers);
    }
    free(marks.points);
    free(marks.room);
    free(marks.seen);
    return ret;
}
