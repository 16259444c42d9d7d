/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/sheet.h"

#include <math.h>
#include <string.h>

#define MAX_WRAPPED 4 /* lines of a text */

/* ---- Texts ---- */

double spot_sheet_text_size(bool is_narrow, int style)
{
    static const double sizes[SPOT_NUM_LOOKS][2] = {
        [SPOT_TITLE] = {20, 17},
        [SPOT_PANEL] = {14, 13.5},
        [SPOT_LABEL] = {13, 12.5},
        [SPOT_NOTE] = {12, 12},
    };
    const double size = sizes[style % SPOT_MIDDLE][is_narrow];

    return size > 0 ? size : is_narrow ? 11.5 : 12;
}

spot_box_t spot_sheet_text_box(const spot_sheet_t *self, const spot_sheet_text_t *text)
{
    const double size = spot_sheet_text_size(self->is_narrow, text->style);
    const double width = spot_chart_line_px(&text->line, size);
    const double left = text->x - text->style / SPOT_MIDDLE * width / 2;

    return (spot_box_t){{left, text->y - size * 0.55, left + width, text->y + size * 0.55}};
}

double spot_sheet_text_px(const spot_sheet_t *self, int style, const char *text)
{
    const spot_chart_line_t line = {text, text == NULL ? 0 : strlen(text), false};

    return spot_chart_line_px(&line, spot_sheet_text_size(self->is_narrow, style));
}

void spot_sheet_put_line(spot_sheet_t *self, const spot_sheet_text_t *text)
{
    if (text->line.num_bytes > 0) {
        spot_sheet_text_t *node = SPOT_APPEND(&self->memory, &self->items, texts);

        *node = *text;
    }
}

double spot_sheet_put(spot_sheet_t *self, int style, double x, double y, const char *text,
    double max_px, size_t max_lines)
{
    const double size = spot_sheet_text_size(self->is_narrow, style);
    const double line_px = style == SPOT_TITLE ? 1.3 * size : SPOT_LINE_PX;
    spot_chart_line_t lines[MAX_WRAPPED];
    const size_t num_lines =
        spot_chart_text_wrap(text == NULL ? "" : text, size, max_px, max_lines, lines);

    for (size_t j = 0; j < num_lines; j++) {
        spot_sheet_put_line(
            self, &(spot_sheet_text_t){style, x, y + ((double) j + 0.5) * line_px, lines[j]});
    }
    return (double) num_lines * line_px;
}

void spot_sheet_move(spot_sheet_t *self, const spot_items_t *before, double by_px)
{
    for (size_t j = before->num_texts; j < self->items.num_texts; j++) {
        self->items.texts[j].y += by_px;
    }
    for (size_t j = before->num_points; j < self->items.num_points; j++) {
        self->items.points[j].y += by_px;
    }
}

/* ---- Points ---- */

spot_mark_t *spot_sheet_mark(
    spot_sheet_t *self, spot_mark_kind_t kind, const char *class, const char *colour, double px)
{
    spot_mark_t *mark = SPOT_APPEND(&self->memory, &self->items, marks);

    *mark = (spot_mark_t){kind, class, colour, px, .first_point = self->items.num_points};
    return mark;
}

size_t spot_sheet_mark_end(const spot_items_t *items, size_t mark_id)
{
    return mark_id + 1 < items->num_marks ? items->marks[mark_id + 1].first_point
                                          : items->num_points;
}

void spot_sheet_point(spot_sheet_t *self, double x, double y)
{
    spot_px_t *point = SPOT_APPEND(&self->memory, &self->items, points);

    *point = (spot_px_t){{x, y}};
}

static void end_piece(spot_sheet_t *self)
{
    spot_sheet_point(self, (double) NAN, (double) NAN);
}

void spot_sheet_segment(spot_sheet_t *self, double x, double y, double end_x, double end_y)
{
    spot_sheet_point(self, x, y);
    spot_sheet_point(self, end_x, end_y);
    end_piece(self);
}

void spot_sheet_box(spot_sheet_t *self, const spot_box_t *box)
{
    spot_sheet_point(self, box->left, box->top);
    spot_sheet_point(self, box->right, box->top);
    spot_sheet_point(self, box->right, box->bottom);
    spot_sheet_point(self, box->left, box->bottom);
    end_piece(self);
}

/* Points low and high in their order. Returns where the next one goes. */
static size_t keep_extremes(spot_px_t *points, size_t num_kept, size_t low, size_t high)
{
    points[num_kept++] = points[low < high ? low : high]; /* never overtakes them */
    if (low != high) {
        points[num_kept++] = points[low < high ? high : low];
    }
    return num_kept;
}

void spot_sheet_thin(spot_sheet_t *self, size_t first)
{
    spot_px_t *points = self->items.points + first;
    const size_t num_points = self->items.num_points - first;
    size_t low = 0, high = 0, num_kept = 0;

    if (num_points < 2 || (double) num_points <= 4 * fabs(points[num_points - 1].x - points[0].x)) {
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

bool spot_box_has(const spot_box_t *box, double x, double y)
{
    return x >= box->left - 0.5 && x <= box->right + 0.5 && y >= box->top - 0.5 &&
           y <= box->bottom + 0.5;
}

/* ---- Clipping ---- */

/* What is on the inner side of an edge, sign 1: of those at least at "edge"; of a closed
 * line as Sutherland and Hodgman (1974), of others with a gap where it leaves. */
static void clip_edge(
    spot_sheet_t *self, size_t first, int dim, double edge, double sign, bool is_closed)
{
    spot_items_t *items = &self->items;
    const size_t end = items->num_points;
    spot_px_t a = {{(double) NAN, (double) NAN}};

    if (is_closed && end > first) {
        a = items->points[end - 1];
    }
    for (size_t j = first; j < end && self->memory.error == 0; j++) {
        const spot_px_t b = items->points[j];
        const double from = sign * (a.at[dim] - edge), to = sign * (b.at[dim] - edge);

        if ((from >= 0 && to < 0) || (from < 0 && to >= 0)) {
            const double share = from / (from - to);

            spot_sheet_point(self, a.x + share * (b.x - a.x), a.y + share * (b.y - a.y));
        }
        if (to >= 0) {
            spot_sheet_point(self, b.x, b.y);
        } else if (!is_closed) {
            end_piece(self);
        }
        a = b;
    }
    if (self->memory.error == 0 && end > first) {
        memmove(items->points + first, items->points + end,
            (items->num_points - end) * sizeof(*items->points));
        items->num_points -= end - first;
    }
}

void spot_sheet_clip(spot_sheet_t *self, size_t first, const spot_box_t *box, bool is_closed)
{
    for (int dim = 0; dim < 2; dim++) {
        clip_edge(self, first, dim, box->low[dim], 1, is_closed);
        clip_edge(self, first, dim, box->high[dim], -1, is_closed);
    }
    end_piece(self);
}
