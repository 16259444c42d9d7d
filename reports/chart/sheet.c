/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Cells of a part of the picture, and what they hold. */
typedef struct {
    double origin[2], cell_px;
    size_t num[2];
    unsigned char *cells; /* [num[SPOT_Y] * num[SPOT_X]] bits */
} raster_t;

typedef spot_series_node_t series_t;

/* ---- Lines of text ---- */

/* Advance widths of Inter Regular 4.0, U+0020 to U+007E, in thousandths of the size. */
static const short widths[] = {281, 278, 403, 631, 638, 812, 639, 222, 362, 362, 500, 659, 280, 460,
    276, 357, 625, 464, 605, 636, 642, 608, 624, 571, 616, 624, 276, 280, 659, 659, 659, 507, 936,
    676, 651, 727, 719, 598, 587, 743, 740, 264, 543, 652, 562, 889, 753, 761, 635, 761, 639, 638,
    642, 741, 676, 949, 642, 665, 625, 362, 357, 362, 469, 452, 497, 564, 621, 558, 621, 582, 361,
    609, 591, 237, 237, 544, 237, 869, 585, 597, 609, 609, 372, 523, 364, 581, 557, 812, 540, 557,
    541, 362, 327, 362, 659};

/* Of characters beyond ASCII up to a code point: the widest that are common there. */
static const struct {
    unsigned last;
    short width;
} ranges[] = {{0x009f, 600}, {0x00a0, 281}, {0x00b6, 700}, {0x00b7, 276}, {0x00bf, 660},
    {0x02ff, 780}, {0x036f, 0}, {0x03ff, 760}, {0x052f, 900}, {0x1fff, 760}, {0x200a, 500},
    {0x200f, 0}, {0x2013, 500}, {0x2015, 1000}, {0x2025, 400}, {0x2026, 821}, {0x209f, 560},
    {0x24ff, 1000}, {0xfe0e, 1050}, {0xfe0f, 0}};
#define WIDEST 1400  /* emoji */
#define LEEWAY 1.02  /* other fonts than Inter are a little wider */
#define ELLIPSIS 821 /* "…" */
#define ROUNDING_PX 1e-6
#define BLANKS " \n\t"

static double width_of(const char *text, size_t length)
{
    unsigned code;

    if (length == 0) {
        return 780; /* shown as U+FFFD */
    }
    code = spot_utf8_code_point(text, length);
    if (code < 0x7f) {
        return code < 0x20 ? 780 : widths[code - 0x20];
    }
    for (size_t j = 0; j < sizeof(ranges) / sizeof(ranges[0]); j++) {
        if (code <= ranges[j].last) {
            return ranges[j].width;
        }
    }
    return WIDEST;
}

/* The bytes of a text that fit, at least one character, and their width. */
static size_t fit(
    const char *text, size_t num_bytes, double size_px, double max_px, double *width_px)
{
    size_t j = 0;

    *width_px = 0;
    while (j < num_bytes) {
        const size_t length = spot_utf8_length(text + j, num_bytes - j);
        const double width = *width_px + width_of(text + j, length) * size_px * LEEWAY / 1000;

        if (width > max_px + ROUNDING_PX && j > 0) {
            break;
        }
        *width_px = width;
        j += length == 0 ? 1 : length;
    }
    return j;
}

double spot_chart_line_px(const spot_chart_line_t *line, double size_px)
{
    double width;

    (void) fit(line->text, line->num_bytes, size_px, HUGE_VAL, &width);
    return width + (line->is_cut ? ELLIPSIS * size_px * LEEWAY / 1000 : 0);
}

static bool is_blank(char byte)
{
    return byte == '\0' || strchr(BLANKS, byte) != NULL;
}

/* The end of the last word that ends within num_bytes; num_bytes where there is none. */
static size_t last_break(const char *text, size_t num_bytes)
{
    size_t end = num_bytes;

    while (end > 0 && !is_blank(text[end])) {
        end--;
    }
    while (end > 0 && is_blank(text[end - 1])) {
        end--;
    }
    return end > 0 ? end : num_bytes;
}

size_t spot_chart_text_wrap(
    const char *text, double size_px, double max_px, size_t max_lines, spot_chart_line_t *lines)
{
    size_t num_lines = 0;
    double width;

    text += strspn(text, BLANKS);
    while (*text != '\0' && num_lines < max_lines) {
        const size_t length = strlen(text);
        size_t num_bytes = fit(text, length, size_px, max_px, &width);
        const bool is_cut = num_lines + 1 == max_lines && num_bytes < length;

        if (is_cut) {
            num_bytes =
                fit(text, length, size_px, max_px - ELLIPSIS * size_px * LEEWAY / 1000, &width);
            while (num_bytes > 1 && text[num_bytes - 1] == '.') {
                num_bytes--; /* of a text that was cut before */
            }
        } else {
            num_bytes = last_break(text, num_bytes);
        }
        lines[num_lines++] = (spot_chart_line_t){text, num_bytes, is_cut};
        text += num_bytes;
        text += strspn(text, BLANKS);
    }
    return num_lines;
}

/* A single line. */
static spot_chart_line_t chart_text_cut(const char *text, double size_px, double max_px)
{
    spot_chart_line_t line = {"", 0, false};

    (void) spot_chart_text_wrap(text, size_px, max_px, 1, &line);
    return line;
}

/* ---- Colours ---- */

#define LIGHT 0.2 /* luminance: from there on dark texts have more contrast */
#define SEEN 0.19 /* luminance: enough upon a dark page */

static const struct {
    const char *ink;
    const char *dark;
} inks[] = {{SPOT_INK, SPOT_DARK_INK}, {SPOT_INK_LABEL, SPOT_DARK_INK_LABEL},
    {SPOT_INK_QUIET, SPOT_DARK_INK_QUIET}, {SPOT_INK_AXIS, SPOT_DARK_INK_AXIS},
    {SPOT_INK_GRID, SPOT_DARK_INK_GRID}, {SPOT_INK_BAND, "#1f3d52"}, {SPOT_INK_OTHER, "#6b747e"}};

/* Red, green and blue from 0 to 1. */
static void parse(const char *colour, double parts[3])
{
    const unsigned long bytes = strtoul(colour + 1, NULL, 16);

    for (int j = 0; j < 3; j++) {
        parts[j] = (double) (bytes >> (16 - 8 * j) & 0xffU) / 255;
    }
}

/* The relative luminance of WCAG 2. */
static double luminance_of(const double parts[3])
{
    static const double weights[3] = {0.2126, 0.7152, 0.0722};
    double luminance = 0;

    for (int j = 0; j < 3; j++) {
        luminance += weights[j] * (parts[j] <= 0.04045 ? parts[j] / 12.92
                                                       : pow((parts[j] + 0.055) / 1.055, 2.4));
    }
    return luminance;
}

/* Whether a text upon "#rrggbb" is dark. */
static bool chart_is_light(const char *colour)
{
    double parts[3];

    parse(colour, parts);
    return luminance_of(parts) > LIGHT;
}

void spot_chart_dark(const char *colour, char dark[SPOT_CHART_COLOUR_BYTES])
{
    double parts[3];
    unsigned bytes[3];

    for (size_t j = 0; j < sizeof(inks) / sizeof(inks[0]); j++) {
        if (strcmp(colour, inks[j].ink) == 0) {
            memcpy(dark, inks[j].dark, SPOT_CHART_COLOUR_BYTES);
            return;
        }
    }
    parse(colour, parts);
    while (luminance_of(parts) < SEEN) {
        for (int j = 0; j < 3; j++) {
            parts[j] += (1 - parts[j]) / 16;
        }
    }
    for (int j = 0; j < 3; j++) {
        bytes[j] = (unsigned) (parts[j] * 255 + 0.5) & 0xffU;
    }
    snprintf(dark, SPOT_CHART_COLOUR_BYTES, "#%02x%02x%02x", bytes[0], bytes[1], bytes[2]);
}

/* ---- Texts and marks, as they are written ---- */

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

static void sheet_put_line(spot_sheet_t *self, const spot_sheet_text_t *text)
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
        sheet_put_line(
            self, &(spot_sheet_text_t){style, x, y + ((double) j + 0.5) * line_px, lines[j]});
    }
    return (double) num_lines * line_px;
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

static void sheet_point(spot_sheet_t *self, double x, double y)
{
    spot_px_t *point = SPOT_APPEND(&self->memory, &self->items, points);

    *point = (spot_px_t){{x, y}};
}

static void end_piece(spot_sheet_t *self)
{
    sheet_point(self, (double) NAN, (double) NAN);
}

void spot_sheet_segment(spot_sheet_t *self, double x, double y, double end_x, double end_y)
{
    sheet_point(self, x, y);
    sheet_point(self, end_x, end_y);
    end_piece(self);
}

static void sheet_box(spot_sheet_t *self, const spot_box_t *box)
{
    sheet_point(self, box->left, box->top);
    sheet_point(self, box->right, box->top);
    sheet_point(self, box->right, box->bottom);
    sheet_point(self, box->left, box->bottom);
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

/* What becomes of the points from first on. Thinned: of each column of a px the lowest
 * and the highest one, if there are more than four a px. */
static void sheet_thin(spot_sheet_t *self, size_t first)
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

            sheet_point(self, a.x + share * (b.x - a.x), a.y + share * (b.y - a.y));
        }
        if (to >= 0) {
            sheet_point(self, b.x, b.y);
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

/* A line through them, as far as it is within the box, or the inside of the closed line.
 */
static void sheet_clip(spot_sheet_t *self, size_t first, const spot_box_t *box, bool is_closed)
{
    for (int dim = 0; dim < 2; dim++) {
        clip_edge(self, first, dim, box->low[dim], 1, is_closed);
        clip_edge(self, first, dim, box->high[dim], -1, is_closed);
    }
    end_piece(self);
}

spot_px_t spot_place_px(const spot_place_t *place, const double at[2])
{
    return (spot_px_t){{spot_scale_px(&place->scale[SPOT_X], at[SPOT_X]),
        spot_scale_px(&place->scale[SPOT_Y], at[SPOT_Y])}};
}

/* ---- Rasters ---- */

static void raster_init(
    raster_t *self, spot_memory_t *memory, const spot_box_t *box, double cell_px)
{
    *self = (raster_t){.origin = {box->left, box->top}, .cell_px = cell_px};
    for (int dim = 0; dim < 2; dim++) {
        self->num[dim] = (size_t) (fmax(box->high[dim] - box->low[dim], 0) / cell_px) + 1;
    }
    self->cells = spot_memory_get(memory, self->num[SPOT_X] * self->num[SPOT_Y], 1);
}

/* Sets bits in the cells of a box, at least one. Returns those that were set there
 * before: only this where bits is 0. */
static unsigned raster_enter(raster_t *self, const spot_box_t *box, unsigned bits)
{
    size_t first[2], end[2];
    unsigned found = 0;

    for (int dim = 0; dim < 2; dim++) {
        const double num = (double) self->num[dim];
        const double low = floor((box->low[dim] - self->origin[dim]) / self->cell_px);
        const double high = ceil((box->high[dim] - self->origin[dim]) / self->cell_px);

        if (self->cells == NULL || !(low < num) || !(fmax(high, low + 1) > 0)) {
            return 0;
        }
        first[dim] = (size_t) fmax(low, 0);
        end[dim] = (size_t) fmin(fmax(high, low + 1), num);
    }
    for (size_t row = first[SPOT_Y]; row < end[SPOT_Y]; row++) {
        for (size_t column = first[SPOT_X]; column < end[SPOT_X]; column++) {
            unsigned char *cell = &self->cells[row * self->num[SPOT_X] + column];

            found |= *cell;
            *cell = (unsigned char) (*cell | bits);
        }
    }
    return found;
}

/* ---- What is drawn in a panel: fills, bands, rules, intervals, lines and markers ---- */

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
    raster_t seen; /* px that have a marker */
} marks_t;

/* ---- Places of marks ---- */

/* The radius of the markers of a series; 0: they are not drawn. */
static double sheet_marker_px(const spot_place_t *place, const series_t *series)
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

/* The px of a 1 of a scale that is not LOG. */
static double scale_unit_px(const spot_scale_t *self)
{
    return self->row_px != NULL ? self->pitch_px
                                : fabs(self->high_px - self->low_px) / (self->high - self->low);
}

/* Where a bar or a span is, as far as it is within its panel; right <= left or bottom <=
 * top: nowhere. */
static spot_box_t sheet_bar(const spot_place_t *place, const series_t *series, size_t datum_id)
{
    const spot_chart_shape_t *shape = &series->shapes[datum_id];
    const int along = series->along, across = !along;
    const spot_box_t *outer = &place->box;
    const double a = spot_scale_end_px(&place->scale[along], shape->base);
    const double b = spot_scale_end_px(&place->scale[along], shape->at[along]);
    const double middle = spot_scale_px(&place->scale[across], shape->at[across]);
    const double half = fmax(series->thickness / 2 * scale_unit_px(&place->scale[across]), 0.4);
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
    return raster_enter(&self->seen, &(spot_box_t){{x, y, x, y}}, 1) == 0;
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

        sheet_point(self->sheet, point.x, point.y);
        if (series->is_stepped && j + 1 < series->num_data) {
            const double x = part_of(self, series, j + 1, VALUE).x;

            sheet_point(self->sheet, isnan(x) ? point.x : x, point.y);
        }
    }
    sheet_thin(self->sheet, first_point);
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
            sheet_clip(self->sheet, first_point, &self->place->box, other != part);
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
        sheet_point(self->sheet, from.x, from.y);
        sheet_point(self->sheet, to.x, to.y);
        sheet_clip(self->sheet, first_point, &self->place->box, false);
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
    const spot_box_t box = sheet_bar(self->place, series, j);
    const bool is_first = items->num_points < items->marks[items->num_marks - 1].first_point + 5;
    spot_px_t *last = is_first ? NULL : &items->points[items->num_points - 5];

    if (!(box.right > box.left) || !(box.bottom > box.top)) {
        return;
    }
    if (series->look.kind == SPOT_CHART_SPANS && last != NULL && last[0].y == box.top &&
        last[2].y == box.bottom && box.left >= last[0].x && box.left <= last[1].x + 0.2) {
        last[1].x = last[2].x = fmax(last[1].x, box.right);
    } else {
        sheet_box(self->sheet, &box);
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
    const spot_box_t box = sheet_bar(self->place, series, j);
    spot_px_t point = part_of(self, series, j, VALUE);

    if (series->look.kind == SPOT_CHART_BARS) {
        point = (spot_px_t){{(box.left + box.right) / 2, (box.top + box.bottom) / 2}};
    }
    if (series->data[j].hover != NULL && spot_box_has(&self->place->box, point.x, point.y)) {
        spot_sheet_mark(self->sheet, SPOT_MARK_HOVER, NULL, NULL, HOVER_PX)->text =
            series->data[j].hover;
        sheet_point(self->sheet, point.x, point.y);
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
        sheet_point(self->sheet, point.x, point.y);
    }
}

/* Begins a mark for the data of a colour. Intervals of bars are in ink, to be seen upon
 * them, and those of a colour of their own in it; false: the turn draws none. */
static bool begin_colour(marks_t *self, const series_t *series, const char *colour, turn_t turn)
{
    const spot_chart_series_t *look = &series->look;
    const bool is_stroke = look->kind == SPOT_CHART_STROKES;
    const bool is_bar = look->kind == SPOT_CHART_BARS;
    const double radius = sheet_marker_px(self->place, series);

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
    raster_init(&marks.seen, &self->memory, &place->box, 1);
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
        sheet_point(self, x, y);
    }
}

/* ---- Free places for labels within panels ----
 *
 * What is drawn is entered into a raster of the picture; a label takes the first place around its
 * point where the raster is empty. */

#define CELL_PX 2.0
#define TAKEN 1U   /* by a text or a marker: no label goes there */
#define CROSSED 2U /* by a line: a label goes there at need */
#define GAP_PX 2.0
#define RING_PX 12.0
#define BEYOND_PX 4.0 /* that labels may be beyond their panel */

/* ---- What is drawn ---- */

/* A line, in pieces of a cell. */
static void enter_line(raster_t *self, const spot_px_t *a, const spot_px_t *b)
{
    const double length = fmax(fabs(b->x - a->x), fabs(b->y - a->y));
    const double num = isfinite(length) ? fmin(ceil(length / CELL_PX), 4000) : -1;

    for (double j = 0; j <= num; j++) {
        const double x = a->x + (b->x - a->x) * j / fmax(num, 1);
        const double y = a->y + (b->y - a->y) * j / fmax(num, 1);

        raster_enter(self, &(spot_box_t){{x - 1, y - 1, x + 1, y + 1}}, CROSSED);
    }
}

static void enter_all(raster_t *self, const spot_sheet_t *sheet)
{
    const spot_items_t *items = &sheet->items;

    for (size_t j = 0; j < items->num_texts; j++) {
        const spot_box_t box = spot_sheet_text_box(sheet, &items->texts[j]);

        raster_enter(self, &box, TAKEN);
    }
    for (size_t j = 0; j < items->num_marks; j++) {
        const spot_mark_t *mark = &items->marks[j];
        const size_t end = spot_sheet_mark_end(items, j);
        const bool is_line = mark->kind == SPOT_MARK_LINE && strcmp(mark->class, "l") == 0;

        for (size_t k = mark->first_point; k < end; k++) {
            const spot_px_t *point = &items->points[k];
            const spot_box_t box = {{point->x - mark->px, point->y - mark->px, point->x + mark->px,
                point->y + mark->px}};

            if (mark->kind == SPOT_MARK_SIGN) {
                raster_enter(self, &box, TAKEN);
            } else if (is_line && k > mark->first_point) {
                enter_line(self, point - 1, point);
            }
        }
    }
}

/* ---- Labels ---- */

typedef struct {
    spot_sheet_t *sheet;
    const spot_place_t *place;
    raster_t raster;
} labels_t;

/* Puts a text within a box, or a little beyond it, unless any of the bits is there. */
static bool put_free(labels_t *self, const spot_sheet_text_t *text, const spot_box_t *outer,
    double beyond_px, unsigned bits)
{
    const spot_box_t box = spot_sheet_text_box(self->sheet, text);

    for (int dim = 0; dim < 2; dim++) {
        if (box.low[dim] < outer->low[dim] - beyond_px ||
            box.high[dim] > outer->high[dim] + beyond_px) {
            return false;
        }
    }
    if ((raster_enter(&self->raster, &box, 0) & bits) != 0) {
        return false;
    }
    raster_enter(&self->raster, &box, TAKEN);
    sheet_put_line(self->sheet, text);
    return true;
}

/* Places around a point: of the middle of a label, in halves of its size from the point;
 * rings are 12 px further away. */
typedef struct {
    size_t num_offsets;
    struct {
        double x, y, rings;
    } offsets[17];
} around_t;

/* Puts a text of at most a share of the panel's width where it is free around a point;
 * nowhere, if nothing is. */
static void put_around(labels_t *self, int style, spot_px_t point, const char *label, double share,
    const around_t *around, double radius)
{
    const spot_box_t *box = &self->place->box;
    const double size = spot_sheet_text_size(self->sheet->is_narrow, style);
    const spot_chart_line_t line = chart_text_cut(label, size, share * (box->right - box->left));
    const double width = spot_chart_line_px(&line, size);

    for (size_t j = 0; j < 2 * around->num_offsets && isfinite(point.x + point.y); j++) {
        const size_t id = j % around->num_offsets;
        const double distance = radius + GAP_PX + RING_PX * around->offsets[id].rings;
        const spot_sheet_text_t text = {style | SPOT_MIDDLE,
            point.x + around->offsets[id].x * (width / 2 + distance),
            point.y + around->offsets[id].y * (0.55 * size + distance), line};

        if (put_free(
                self, &text, box, BEYOND_PX, j < around->num_offsets ? TAKEN | CROSSED : TAKEN)) {
            return;
        }
    }
}

/* Within its bar, if it has room there; else around its place. */
static void put_datum_label(labels_t *self, const spot_series_node_t *series, size_t datum_id)
{
    static const around_t around = {
        17, {{-0.7, -1, 0}, {0, -1, 0}, {0.7, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0.7, 1, 0},
                {-0.7, 1, 0}, {-1, -1, 1}, {1, -1, 1}, {0, -1, 1}, {0, 1, 1}, {1, 1, 1}, {-1, 1, 1},
                {0, -1, 2}, {1, 0, 2}, {-1, 0, 2}}};
    const spot_chart_shape_t *shape = &series->shapes[datum_id];
    const char *label = series->data[datum_id].label;
    const spot_box_t bar = sheet_bar(self->place, series, datum_id);
    const spot_px_t point = spot_place_px(self->place, shape->at);

    if (series->look.kind == SPOT_CHART_BARS) {
        const int style = chart_is_light(shape->colour) ? SPOT_DARK : SPOT_LIGHT;
        const spot_sheet_text_t text = {style | SPOT_MIDDLE, (bar.left + bar.right) / 2,
            (bar.top + bar.bottom) / 2, {label, strlen(label), false}};

        (void) put_free(self, &text, &bar, 0, TAKEN);
    } else {
        put_around(
            self, SPOT_LABEL, point, label, 1, &around, sheet_marker_px(self->place, series));
    }
}

/* Of upright rules at the top; of level ones at the right in narrow pictures, and beside
 * the panel in wide ones. */
static void put_rule_name(labels_t *self, const spot_chart_rule_t *rule)
{
    static const around_t beside = {8, {{1, 0, 0}, {-1, 0, 0}, {1, 2, 0}, {-1, 2, 0}, {1, 4, 0},
                                           {-1, 4, 0}, {1, 8, 0}, {-1, 8, 0}}};
    static const around_t upon = {4, {{-1, -1, 0}, {-1, 1, 0}, {-3, -1, 0}, {-3, 1, 0}}};
    const bool is_upright = rule->direction == SPOT_CHART_VERTICAL;
    const int dim = is_upright ? SPOT_X : SPOT_Y;
    const double size = spot_sheet_text_size(self->sheet->is_narrow, SPOT_NOTE);
    spot_px_t point = {{self->place->box.right, self->place->box.top + size}};

    point.at[dim] = spot_scale_px(&self->place->scale[dim], rule->at);
    if (rule->name != NULL &&
        (is_upright || (rule->direction == SPOT_CHART_HORIZONTAL && self->sheet->is_narrow))) {
        put_around(self, SPOT_NOTE, point, rule->name, 0.7, is_upright ? &beside : &upon, GAP_PX);
    }
}

static void put_labels(labels_t *self)
{
    static const around_t around = {
        7, {{0, 0, 0}, {0, -2, 0}, {0, 2, 0}, {0, -4, 0}, {0, 4, 0}, {0, -8, 0}, {0, 8, 0}}};
    const spot_panel_node_t *node = self->place->node;
    const spot_box_t *box = &self->place->box;
    const spot_px_t middle = {{(box->left + box->right) / 2, (box->top + box->bottom) / 2}};

    if (node->look.empty != NULL) {
        put_around(self, SPOT_NOTE, middle, node->look.empty, 1, &around, 0);
    }
    for (size_t k = 0; k < node->num_rules; k++) {
        put_rule_name(self, &node->rules[k]);
    }
    for (size_t k = 0; k < node->num_series; k++) {
        for (size_t j = 0; j < node->series[k].num_data; j++) {
            if (node->series[k].data[j].label != NULL) {
                put_datum_label(self, &node->series[k], j);
            }
        }
    }
}

void spot_sheet_put_labels(spot_sheet_t *self)
{
    labels_t labels = {.sheet = self};

    raster_init(&labels.raster, &self->memory,
        &(spot_box_t){{0, 0, self->width_px, self->height_px}}, CELL_PX);
    enter_all(&labels.raster, self);
    for (size_t j = 0; j < self->num_places; j++) {
        labels.place = &self->places[j];
        put_labels(&labels);
    }
}
