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
spot_chart_write_colour(const spot_chart_pen_t *pen, const char *colour)
{
    char dark[SPOT_CHART_COLOUR_BYTES];

    spot_chart_dark(colour, dark);
    fprintf(pen->out, " color=\"%s\"", colour);
    if (pen->is_inline && strcmp(colour, dark) != 0) {
        fprintf(pen->out, " style=\"--d:%s\"", dark);
    }
}

/* A path of a class; colour NULL: that of its class, width_px 0: that of its class. */
static spot_chart_path_t
open_path(const spot_chart_pen_t *pen, const char *class, const char *colour,
    double width_px, spot_chart_dash_t dash)
{
    fprintf(pen->out, "<path class=\"%s\"", class);
    if (colour != NULL) {
        spot_chart_write_colour(pen, colour);
    }
    if (width_px > 0) {
        fprintf(pen->out, " stroke-width=\"%.3g\"", width_px);
    }
    fprintf(pen->out, "%s d=\"", spot_chart_dash(dash));
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
        case HIGH:
            return datum->y_high > datum->y_low
                       ? spot_chart_scale_end_px(
                             y, part == LOW ? datum->y_low : datum->y_high)
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

            num = end - j;
            memcpy(closed, top + j, num * sizeof(*closed));
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

/* Whether data have an interval in y or, with_x, in x. */
static bool
has_intervals(const spot_chart_series_node_t *series, bool with_x)
{
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_datum_t *datum = &series->data[j];

        if (datum->y_high > datum->y_low || (with_x && datum->x_high > datum->x_low)) {
            return true;
        }
    }
    return false;
}

static void
draw_band(const marks_t *self, const spot_chart_series_node_t *series)
{
    spot_chart_point_t *low = self->points + 2 * series->num_data + 2;
    const size_t num_high = gather(self, series, HIGH, self->points);
    const size_t num_low = gather(self, series, LOW, low);
    spot_chart_path_t path;

    if (!has_intervals(series, false)) {
        return;
    }
    path =
        open_path(self->pen, "f s", interval_colour(&series->look), 0, SPOT_CHART_SOLID);
    fill_between(self, &path, self->points, num_high, low, num_low);
    close_path(&path);
}

static void
draw_line(const marks_t *self, const spot_chart_series_node_t *series, part_t part,
    const char *class, const char *colour, double width_px)
{
    const size_t num = gather(self, series, part, self->points);
    spot_chart_path_t path =
        open_path(self->pen, class, colour, width_px, series->look.dash);

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
    path = open_path(self->pen, series->look.is_faint ? "f s" : "f", series->look.colour,
        0, SPOT_CHART_SOLID);
    fill_between(self, &path, self->points, num_top, bottom, num_bottom);
    close_path(&path);
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
                draw_line(self, series, TOP, "w", NULL, 0);
            }
            is_top = false;
        }
    }
}

/* ---- Bars, spans and strokes ---- */

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

    path = open_path(
        self->pen, series->look.is_faint ? "f s" : "f", colour, 0, SPOT_CHART_SOLID);
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_box_t box = spot_chart_bar_box(self->place, series, j);

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
}

static void
for_each_colour(const marks_t *self, const spot_chart_series_node_t *series,
    void (*draw_in)(
        const marks_t *self, const spot_chart_series_node_t *series, const char *colour))
{
    const char *colours[MAX_LOOKS];
    const size_t num_colours = find_colours(series, colours);

    for (size_t k = 0; k < num_colours; k++) {
        draw_in(self, series, colours[k]);
    }
}

/* A stroke at each px that has data. */
static void
draw_strokes(const marks_t *self, const spot_chart_series_node_t *series)
{
    const spot_chart_box_t *box = &self->place->box;
    const double height = box->bottom - box->top;
    spot_chart_path_t path = open_path(self->pen, "l", series->look.colour,
        series->look.width_px > 0 ? series->look.width_px : 1.2, SPOT_CHART_SOLID);

    memset(self->seen, 0, self->seen_width * self->seen_height);
    for (size_t j = 0; j < series->num_data; j++) {
        const double x = round(2 * spot_chart_x_px(self->place, series->data[j].x)) / 2;
        const double share = fmin(fmax(series->data[j].y, 0), 1);
        const double length = share > 0 ? fmax(share * height, 1) : STROKE_PX;

        if (x >= box->left && x <= box->right && is_new(self, x, box->bottom - length)) {
            spot_chart_path_move(&path, x, box->bottom);
            spot_chart_path_line(&path, x, box->bottom - length);
        }
    }
    close_path(&path);
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
    path = open_path(self->pen, "l", rule->colour, 1.2, rule->dash);
    spot_chart_path_polyline(&path, ends, 2, box);
    close_path(&path);
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

/* Those of bars are in ink, to be seen upon them, and those of a colour of their own in
 * it; else in the colour of their data. */
static void
draw_intervals_in(
    const marks_t *self, const spot_chart_series_node_t *series, const char *colour)
{
    const spot_chart_place_t *place = self->place;
    const bool is_bars = series->look.kind == SPOT_CHART_BARS;
    const char *ink = series->look.interval_colour != NULL ? series->look.interval_colour
                      : is_bars                            ? SPOT_INK
                                                           : colour;
    spot_chart_path_t path =
        open_path(self->pen, "l", ink, is_bars ? 1.6 : 1.1, SPOT_CHART_SOLID);

    memset(self->seen, 0, self->seen_width * self->seen_height);
    for (size_t j = 0; j < series->num_data; j++) {
        const spot_chart_datum_t *datum = &series->data[j];
        const double x = spot_chart_x_px(place, datum->x);
        const double y = spot_chart_y_px(place, datum->y);

        if (strcmp(colour_of(series, j), colour) != 0 ||
            (series->num_data > MANY_POINTS && !is_new(self, x, y))) {
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
}

/* ---- Markers ---- */

/* The outline of a marker around a place; circles that are filled are dots of a thick
 * round pen instead. */
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

    if (marker <= SPOT_CHART_CIRCLE || marker >= SPOT_CHART_NUM_MARKERS) {
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
    return !is_hollow && marker <= SPOT_CHART_CIRCLE;
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
    const char *colour, double radius)
{
    if (is_dot(marker, is_hollow)) {
        return open_path(pen, "o", colour, 2 * radius, SPOT_CHART_SOLID);
    }
    return open_path(
        pen, is_hollow ? "h" : "f", colour, is_hollow ? 1.4 : 0, SPOT_CHART_SOLID);
}

void
spot_chart_draw_marker(const spot_chart_pen_t *pen, spot_chart_marker_t marker,
    bool is_hollow, const char *colour, double x, double y, double radius)
{
    spot_chart_path_t path = open_markers(pen, marker, is_hollow, colour, radius);

    add_marker(&path, marker, is_hollow, x, y, radius);
    close_path(&path);
}

static bool
is_inside(const spot_chart_box_t *box, double x, double y)
{
    return x >= box->left - 0.5 && x <= box->right + 0.5 && y >= box->top - 0.5 &&
           y <= box->bottom + 0.5;
}

static void
draw_markers_as(const marks_t *self, const spot_chart_series_node_t *series,
    const char *colour, bool is_hollow)
{
    const double radius = spot_chart_marker_px(self->place, series);
    spot_chart_path_t path;
    bool is_open = false;

    memset(self->seen, 0, self->seen_width * self->seen_height);
    for (size_t j = 0; j < series->num_data; j++) {
        const double x = spot_chart_x_px(self->place, series->data[j].x);
        const double y = spot_chart_y_px(self->place, series->data[j].y);

        if (strcmp(colour_of(series, j), colour) != 0 ||
            (series->look.is_hollow || series->data[j].is_hollow) != is_hollow ||
            !is_inside(&self->place->box, x, y) || !is_new(self, x, y)) {
            continue;
        }
        if (!is_open) {
            path =
                open_markers(self->pen, series->look.marker, is_hollow, colour, radius);
            is_open = true;
        }
        add_marker(&path, series->look.marker, is_hollow, x, y, radius);
    }
    if (is_open) {
        close_path(&path);
    }
}

static void
draw_markers_in(
    const marks_t *self, const spot_chart_series_node_t *series, const char *colour)
{
    draw_markers_as(self, series, colour, true);
    draw_markers_as(self, series, colour, false);
}

/* What browsers show under the pointer: at the datum, or in the middle of its bar. */
static void
draw_hovers(const marks_t *self, const spot_chart_series_node_t *series)
{
    for (size_t j = 0; j < series->num_data; j++) {
        double x = spot_chart_x_px(self->place, series->data[j].x);
        double y = spot_chart_y_px(self->place, series->data[j].y);

        if (series->base != NULL && series->look.kind == SPOT_CHART_BARS) {
            const spot_chart_box_t box = spot_chart_bar_box(self->place, series, j);

            x = (box.left + box.right) / 2;
            y = (box.top + box.bottom) / 2;
        }
        if (series->data[j].hover != NULL && is_inside(&self->place->box, x, y)) {
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

/* What of a series is drawn in each turn, so that fills are below lines. */
static void
draw_turn(const marks_t *self, const spot_chart_series_node_t *series, int turn)
{
    const spot_chart_kind_t kind = series->look.kind;
    const bool is_line = spot_chart_is_line(kind), is_bar = kind == SPOT_CHART_BARS;

    if (turn == 0 && (is_bar || kind == SPOT_CHART_SPANS)) {
        for_each_colour(self, series, draw_boxes_in);
    } else if (turn == 1 && is_line) {
        draw_band(self, series);
    } else if (turn == 2 && (is_bar || kind == SPOT_CHART_POINTS) &&
               has_intervals(series, true)) {
        for_each_colour(self, series, draw_intervals_in);
    } else if (turn == 2 && kind == SPOT_CHART_STROKES) {
        draw_strokes(self, series);
    } else if (turn == 3 && is_line) {
        draw_line(self, series, VALUE, "l", series->look.colour, line_px(series));
    } else if (turn == 4 && spot_chart_marker_px(self->place, series) > 0) {
        for_each_colour(self, series, draw_markers_in);
    } else if (turn == 5) {
        draw_hovers(self, series);
    }
}

int
spot_chart_draw_marks(
    const spot_chart_pen_t *pen, const spot_chart_place_t *place, bool has_hovers)
{
    marks_t marks;
    const int ret = marks_init(&marks, pen, place);

    if (ret == 0) {
        draw_areas(&marks);
    }
    for (int turn = 0; turn < (has_hovers ? 6 : 5) && ret == 0; turn++) {
        for (size_t k = 0; k < place->node->num_rules && turn == 2; k++) {
            draw_rule(&marks, &place->node->rules[k]);
        }
        for (size_t k = 0; k < place->node->num_series; k++) {
            draw_turn(&marks, &place->node->series[k], turn);
        }
    }
    free(marks.points);
    free(marks.room);
    free(marks.seen);
    return ret;
}
