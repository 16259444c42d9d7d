/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/path.h"

#include <math.h>
#include <stdlib.h>

/* ---- Bytes ---- */

static long
tenths(double px)
{
    return lround(10 * fmin(fmax(px, -1e6), 1e6));
}

/* A number behind another one or a letter: a minus separates too. */
static void
write_tenths(FILE *out, long value, bool is_first)
{
    const long whole = labs(value) / 10, part = labs(value) % 10;

    fputs(value < 0 ? "-" : is_first ? "" : " ", out);
    if (whole > 0 || part == 0) {
        fprintf(out, "%ld", whole);
    }
    if (part > 0) {
        fprintf(out, ".%ld", part);
    }
}

/* A letter is left out where it is that of the last command. */
static void
write_command(spot_chart_path_t *self, char command)
{
    if (command != self->command || command == 'm') {
        fputc(command, self->out);
    }
}

void
spot_chart_path_move(spot_chart_path_t *self, double x, double y)
{
    const long to_x = tenths(x), to_y = tenths(y);
    const char command = self->command == 0 ? 'M' : 'm';

    write_command(self, command);
    write_tenths(self->out, to_x - (command == 'M' ? 0 : self->x), true);
    write_tenths(self->out, to_y - (command == 'M' ? 0 : self->y), false);
    self->command = command;
    self->x = to_x;
    self->y = to_y;
}

void
spot_chart_path_line(spot_chart_path_t *self, double x, double y)
{
    const long by_x = tenths(x) - self->x, by_y = tenths(y) - self->y;
    const char command = by_y == 0 ? 'h' : by_x == 0 ? 'v' : 'l';
    const bool is_first = command != self->command;

    write_command(self, command);
    if (command != 'v') {
        write_tenths(self->out, by_x, is_first);
    }
    if (command != 'h') {
        write_tenths(self->out, by_y, is_first && command == 'v');
    }
    self->command = command;
    self->x += by_x;
    self->y += by_y;
}

/* The pen is where the next relative move starts from: callers end where they began. */
void
spot_chart_path_close(spot_chart_path_t *self)
{
    fputc('z', self->out);
    self->command = 'z';
}

void
spot_chart_path_rectangle(spot_chart_path_t *self, const spot_chart_box_t *box)
{
    const long x = tenths(box->left), y = tenths(box->top);

    spot_chart_path_move(self, box->left, box->top);
    spot_chart_path_line(self, box->right, box->top);
    spot_chart_path_line(self, box->right, box->bottom);
    spot_chart_path_line(self, box->left, box->bottom);
    spot_chart_path_close(self);
    self->x = x;
    self->y = y;
}

/* ---- Points ---- */

/* The lowest and the highest point of a column, in their order. */
typedef struct {
    double column;
    size_t low, high; /* of the points */
    bool is_open;
} column_t;

static size_t
end_column(column_t *column, spot_chart_point_t *points, size_t num_kept)
{
    const size_t first = column->low < column->high ? column->low : column->high;
    const size_t second = column->low < column->high ? column->high : column->low;

    if (column->is_open) {
        points[num_kept++] = points[first]; /* num_kept <= first: never overtaken */
    }
    if (column->is_open && second != first) {
        points[num_kept++] = points[second];
    }
    column->is_open = false;
    return num_kept;
}

size_t
spot_chart_thin(spot_chart_point_t *points, size_t num_points)
{
    column_t column = {0};
    size_t num_kept = 0;

    if (num_points < 2 ||
        (double) num_points <= 4 * fabs(points[num_points - 1].x - points[0].x)) {
        return num_points;
    }
    for (size_t j = 0; j < num_points; j++) {
        const double at = floor(points[j].x);

        if (isnan(points[j].x) || isnan(points[j].y)) {
            const spot_chart_point_t gap = points[j];

            num_kept = end_column(&column, points, num_kept);
            points[num_kept++] = gap;
        } else if (!column.is_open || at != column.column) {
            num_kept = end_column(&column, points, num_kept);
            column = (column_t){at, j, j, true};
        } else {
            column.low = points[j].y < points[column.low].y ? j : column.low;
            column.high = points[j].y > points[column.high].y ? j : column.high;
        }
    }
    return end_column(&column, points, num_kept);
}

/* ---- Clipping ---- */

/* One edge of Liang and Barsky (1984): the part of a segment from *start to *end is
 * left.
 */
static bool
clip_edge(double direction, double distance, double *start, double *end)
{
    const double at = direction == 0 ? 0 : distance / direction;

    if (direction == 0) {
        return distance >= 0;
    }
    if (direction < 0) {
        *start = fmax(*start, at);
    } else {
        *end = fmin(*end, at);
    }
    return *start <= *end;
}

static bool
clip_segment(const spot_chart_box_t *box, spot_chart_point_t *a, spot_chart_point_t *b)
{
    const double by_x = b->x - a->x, by_y = b->y - a->y;
    const spot_chart_point_t from = *a;
    double start = 0, end = 1;

    if (!clip_edge(-by_x, from.x - box->left, &start, &end) ||
        !clip_edge(by_x, box->right - from.x, &start, &end) ||
        !clip_edge(-by_y, from.y - box->top, &start, &end) ||
        !clip_edge(by_y, box->bottom - from.y, &start, &end)) {
        return false;
    }
    *a = (spot_chart_point_t){from.x + start * by_x, from.y + start * by_y};
    *b = (spot_chart_point_t){from.x + end * by_x, from.y + end * by_y};
    return true;
}

void
spot_chart_path_polyline(spot_chart_path_t *self, const spot_chart_point_t *points,
    size_t num_points, const spot_chart_box_t *box)
{
    bool is_down = false; /* the pen is at the last point */

    for (size_t j = 1; j < num_points; j++) {
        spot_chart_point_t a = points[j - 1], b = points[j];

        if (isnan(a.x + a.y + b.x + b.y) || !clip_segment(box, &a, &b)) {
            is_down = false;
            continue;
        }
        if (!is_down || a.x != points[j - 1].x || a.y != points[j - 1].y) {
            spot_chart_path_move(self, a.x, a.y);
        }
        if (tenths(b.x) != self->x || tenths(b.y) != self->y || !is_down) {
            spot_chart_path_line(self, b.x, b.y);
        }
        is_down = b.x == points[j].x && b.y == points[j].y;
    }
}

/* How far a point is inside of an edge: left, right, top, bottom. */
static double
inside_by(const spot_chart_point_t *point, const spot_chart_box_t *box, int edge)
{
    switch (edge) {
        case 0:
            return point->x - box->left;
        case 1:
            return box->right - point->x;
        case 2:
            return point->y - box->top;
        default:
            return box->bottom - point->y;
    }
}

/* One edge of Sutherland and Hodgman (1974). Returns the number of points left. */
static size_t
clip_polygon(const spot_chart_point_t *points, size_t num_points,
    const spot_chart_box_t *box, int edge, spot_chart_point_t *clipped, size_t room)
{
    size_t num = 0;

    for (size_t j = 0; j < num_points && num + 2 <= room; j++) {
        const spot_chart_point_t *a = &points[j == 0 ? num_points - 1 : j - 1];
        const spot_chart_point_t *b = &points[j];
        const double from = inside_by(a, box, edge), to = inside_by(b, box, edge);

        if ((from >= 0) != (to >= 0)) {
            const double share = from / (from - to);

            clipped[num++] = (spot_chart_point_t){
                a->x + share * (b->x - a->x), a->y + share * (b->y - a->y)};
        }
        if (to >= 0) {
            clipped[num++] = *b;
        }
    }
    return num;
}

void
spot_chart_path_polygon(spot_chart_path_t *self, const spot_chart_point_t *points,
    size_t num_points, const spot_chart_box_t *box, spot_chart_point_t *room)
{
    const size_t half = SPOT_CHART_CLIP_ROOM(num_points) / 2;
    const spot_chart_point_t *from = points;
    size_t num = num_points;

    for (int edge = 0; edge < 4; edge++) {
        spot_chart_point_t *to = room + (edge % 2 == 0 ? 0 : half);

        num = clip_polygon(from, num, box, edge, to, half);
        from = to;
    }
    if (num < 3) {
        return;
    }
    spot_chart_path_move(self, from[0].x, from[0].y);
    for (size_t j = 1; j < num; j++) {
        if (tenths(from[j].x) != self->x || tenths(from[j].y) != self->y) {
            spot_chart_path_line(self, from[j].x, from[j].y);
        }
    }
    spot_chart_path_close(self);
    self->x = tenths(from[0].x);
    self->y = tenths(from[0].y);
}
