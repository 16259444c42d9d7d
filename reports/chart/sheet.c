/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/sheet.h"

#include <math.h>
#include <string.h>

#define MAX_WRAPPED 4 /* lines of a text */

/* ---- Texts ---- */

double
spot_sheet_text_size(bool is_narrow, spot_sheet_look_t look)
{
    static const double sizes[SPOT_SHEET_NUM_LOOKS][2] = {
        [SPOT_SHEET_TITLE] = {20, 17},
        [SPOT_SHEET_PANEL] = {14, 13.5},
        [SPOT_SHEET_LABEL] = {13, 12.5},
        [SPOT_SHEET_NOTE] = {12, 12},
        [SPOT_SHEET_TICK] = {12, 11.5},
        [SPOT_SHEET_SECOND] = {12, 11.5},
        [SPOT_SHEET_DARK] = {12, 11.5},
        [SPOT_SHEET_LIGHT] = {12, 11.5},
    };

    return sizes[look][is_narrow];
}

spot_sheet_box_t
spot_sheet_text_box(const spot_sheet_t *self, const spot_sheet_text_t *text)
{
    const double size = spot_sheet_text_size(self->is_narrow, text->look);
    const double width = spot_chart_line_px(&text->line, size);
    const double left = text->x - (double) text->anchor * width / 2;

    return (spot_sheet_box_t){
        {left, text->y - size * 0.55, left + width, text->y + size * 0.55}};
}

double
spot_sheet_text_px(const spot_sheet_t *self, spot_sheet_look_t look, const char *text)
{
    return text == NULL ? 0
                        : spot_chart_text_px(text, strlen(text),
                              spot_sheet_text_size(self->is_narrow, look));
}

void
spot_sheet_put_line(spot_sheet_t *self, const spot_sheet_text_t *text)
{
    spot_sheet_text_t *node =
        text->line.num_bytes == 0
            ? NULL
            : SPOT_CHART_APPEND(&self->memory, &self->items, texts);

    if (node != NULL) {
        *node = *text;
    }
}

double
spot_sheet_put(spot_sheet_t *self, spot_sheet_look_t look, spot_sheet_anchor_t anchor,
    double x, double y, const char *text, double max_px, size_t max_lines)
{
    const double size = spot_sheet_text_size(self->is_narrow, look);
    const double line_px = look == SPOT_SHEET_TITLE ? 1.3 * size : SPOT_SHEET_LINE_PX;
    spot_chart_line_t lines[MAX_WRAPPED];
    const size_t num_lines =
        spot_chart_text_wrap(text == NULL ? "" : text, size, max_px, max_lines, lines);

    for (size_t j = 0; j < num_lines; j++) {
        spot_sheet_put_line(self, &(spot_sheet_text_t){look, anchor, x,
                                      y + ((double) j + 0.5) * line_px, lines[j]});
    }
    return (double) num_lines * line_px;
}

void
spot_sheet_move(spot_sheet_t *self, const spot_sheet_items_t *before, double by_px)
{
    for (size_t j = before->num_texts; j < self->items.num_texts; j++) {
        self->items.texts[j].y += by_px;
    }
    for (size_t j = before->num_points; j < self->items.num_points; j++) {
        self->items.points[j].y += by_px;
    }
}

/* ---- Points ---- */

void
spot_sheet_mark(spot_sheet_t *self, const spot_sheet_mark_t *mark)
{
    spot_sheet_mark_t *node = SPOT_CHART_APPEND(&self->memory, &self->items, marks);

    if (node != NULL) {
        *node = *mark;
        node->first_point = self->items.num_points;
    }
}

size_t
spot_sheet_mark_end(const spot_sheet_items_t *items, size_t mark_id)
{
    return mark_id + 1 < items->num_marks ? items->marks[mark_id + 1].first_point
                                          : items->num_points;
}

void
spot_sheet_point(spot_sheet_t *self, double x, double y)
{
    spot_sheet_point_t *point = SPOT_CHART_APPEND(&self->memory, &self->items, points);

    if (point != NULL) {
        point->x = x;
        point->y = y;
    }
}

static void
end_piece(spot_sheet_t *self)
{
    spot_sheet_point(self, (double) NAN, (double) NAN);
}

void
spot_sheet_segment(spot_sheet_t *self, double x, double y, double end_x, double end_y)
{
    spot_sheet_point(self, x, y);
    spot_sheet_point(self, end_x, end_y);
    end_piece(self);
}

void
spot_sheet_box(spot_sheet_t *self, const spot_sheet_box_t *box)
{
    spot_sheet_point(self, box->left, box->top);
    spot_sheet_point(self, box->right, box->top);
    spot_sheet_point(self, box->right, box->bottom);
    spot_sheet_point(self, box->left, box->bottom);
    end_piece(self);
}

/* Points low and high in their order. Returns where the next one goes. */
static size_t
keep_extremes(spot_sheet_point_t *points, size_t num_kept, size_t low, size_t high)
{
    points[num_kept++] = points[low < high ? low : high]; /* never overtakes them */
    if (low != high) {
        points[num_kept++] = points[low < high ? high : low];
    }
    return num_kept;
}

void
spot_sheet_thin(spot_sheet_t *self, size_t first)
{
    spot_sheet_point_t *points = self->items.points + first;
    const size_t num_points = self->items.num_points - first;
    size_t low = 0, high = 0, num_kept = 0;

    if (num_points < 2 ||
        (double) num_points <= 4 * fabs(points[num_points - 1].x - points[0].x)) {
        return;
    }
    for (size_t j = 1; j < num_points; j++) {
        if (floor(points[j].x) != floor(points[low].x)) {
            num_kept = keep_extremes(points, num_kept, low, high);
            low = high = j;
        }
        low = points[j].y < points[low].y ? j : low;
        high = points[j].y > points[high].y ? j : high;
    }
    self->items.num_points = first + keep_extremes(points, num_kept, low, high);
}

bool
spot_sheet_is_inside(const spot_sheet_box_t *box, double x, double y)
{
    return x >= box->left - 0.5 && x <= box->right + 0.5 && y >= box->top - 0.5 &&
           y <= box->bottom + 0.5;
}

/* ---- Clipping ---- */

/* The part of a segment that is within a box; false: none (Liang and Barsky, 1984). */
static bool
clip_segment(const spot_sheet_box_t *box, spot_sheet_point_t *a, spot_sheet_point_t *b)
{
    const spot_sheet_point_t from = *a;
    const double by[2] = {b->x - a->x, b->y - a->y};
    double start = 0, end = 1;

    for (int dim = 0; dim < 2; dim++) {
        const double to_low = box->low[dim] - from.at[dim];
        const double to_high = box->high[dim] - from.at[dim];

        if (by[dim] == 0 && (to_low > 0 || to_high < 0)) {
            return false;
        }
        if (by[dim] != 0) {
            start = fmax(start, (by[dim] > 0 ? to_low : to_high) / by[dim]);
            end = fmin(end, (by[dim] > 0 ? to_high : to_low) / by[dim]);
        }
    }
    for (int dim = 0; dim < 2; dim++) {
        a->at[dim] += start * by[dim];
        b->at[dim] = end < 1 ? from.at[dim] + end * by[dim] : b->at[dim];
    }
    return start <= end;
}

/* What was appended from "from" on takes the place of what begins at first. */
static void
replace(spot_sheet_t *self, size_t first, size_t from)
{
    spot_sheet_items_t *items = &self->items;

    if (self->memory.error == 0) {
        memmove(items->points + first, items->points + from,
            (items->num_points - from) * sizeof(*items->points));
        items->num_points -= from - first;
    }
}

void
spot_sheet_clip_line(spot_sheet_t *self, size_t first, const spot_sheet_box_t *box)
{
    const size_t end = self->items.num_points;
    spot_sheet_point_t last = {{(double) NAN, (double) NAN}};

    for (size_t j = first + 1; j < end && self->memory.error == 0; j++) {
        spot_sheet_point_t a = self->items.points[j - 1], b = self->items.points[j];

        if (!clip_segment(box, &a, &b)) {
            continue;
        }
        if (a.x != last.x || a.y != last.y) {
            end_piece(self);
            spot_sheet_point(self, a.x, a.y);
        }
        spot_sheet_point(self, b.x, b.y);
        last = b;
    }
    end_piece(self);
    replace(self, first, end);
}

/* What of a closed line is on the inner side of an edge, sign 1: of those at least at
 * "edge" (Sutherland and Hodgman, 1974). */
static void
clip_edge(spot_sheet_t *self, size_t first, int dim, double edge, double sign)
{
    const size_t end = self->items.num_points;

    for (size_t j = first; j < end && self->memory.error == 0; j++) {
        const spot_sheet_point_t a = self->items.points[j == first ? end - 1 : j - 1];
        const spot_sheet_point_t b = self->items.points[j];
        const double from = sign * (a.at[dim] - edge), to = sign * (b.at[dim] - edge);

        if ((from >= 0) != (to >= 0)) {
            const double share = from / (from - to);

            spot_sheet_point(self, a.x + share * (b.x - a.x), a.y + share * (b.y - a.y));
        }
        if (to >= 0) {
            spot_sheet_point(self, b.x, b.y);
        }
    }
    replace(self, first, end);
}

void
spot_sheet_clip_fill(spot_sheet_t *self, size_t first, const spot_sheet_box_t *box)
{
    for (int dim = 0; dim < 2; dim++) {
        clip_edge(self, first, dim, box->low[dim], 1);
        clip_edge(self, first, dim, box->high[dim], -1);
    }
    end_piece(self);
}
