/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/chart/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/chart/layout.h"
#include "reports/chart/sheet.h"
#include "reports/markup/html.h"

/* Of texts, in the order of their looks. */
static const char text_classes[SPOT_NUM_LOOKS][3] = {
    "tt", "tp", "tl", "tn", "tk", "tq", "td", "tw"};

/* The colour of a mark: this, six digits and a quote. */
#define COLOUR " color=\""

/* ---- Style ---- */

/* What does not depend on dark and width. The fonts are at most as wide as Inter, by
 * which the layout measures. */
#define STYLE                                                                                      \
    ".chart text{font-family:Inter,-apple-system,'Segoe UI',Roboto,Arial,"                         \
    "'Liberation Sans','DejaVu Sans Condensed',sans-serif;"                                        \
    "font-feature-settings:'calt' 0;stroke:none}"                                                  \
    ".chart .m{text-anchor:middle}.chart .e{text-anchor:end}"                                      \
    ".chart .td{fill:" SPOT_INK "}.chart .tw{fill:#fff}"                                           \
    ".chart .f{fill:currentColor}.chart .s{fill-opacity:.18}"                                      \
    ".chart .l,.chart .gr,.chart .ax,.chart .o,.chart .w{fill:none}"                               \
    ".chart .l,.chart .o,.chart .h{stroke:currentColor}"                                           \
    ".chart .l{stroke-linejoin:round}.chart .o{stroke-linecap:round}"                              \
    ".chart .w{stroke-width:.8}.chart .v{fill:transparent}"

#define INKS(ink, label, quiet, grid, axis, paper)                                                 \
    ".chart .tt,.chart .tp{fill:" ink "}.chart .tl,.chart .tk{fill:" label "}"                     \
    ".chart .tn,.chart .tq{fill:" quiet "}.chart .gr{stroke:" grid "}"                             \
    ".chart .ax{stroke:" axis "}.chart .h{fill:" paper "}.chart .w{stroke:" paper "}"

#define LIGHT INKS(SPOT_INK, SPOT_INK_LABEL, SPOT_INK_QUIET, SPOT_INK_GRID, SPOT_INK_AXIS, "#fff")
#define DARK                                                                                       \
    INKS(SPOT_DARK_INK, SPOT_DARK_INK_LABEL, SPOT_DARK_INK_QUIET, SPOT_DARK_INK_GRID,              \
        SPOT_DARK_INK_AXIS, "var(--paper,#14171a)")

static void write_sizes(bool is_narrow, FILE *out)
{
    for (int j = 0; j < SPOT_NUM_LOOKS; j++) {
        fprintf(out, ".%s .%s{font-size:%gpx}", is_narrow ? "narrow" : "wide", text_classes[j],
            spot_sheet_text_size(is_narrow, j));
    }
}

/* Colours, each once, in the order in which they are met. */
typedef struct {
    char (*items)[SPOT_CHART_COLOUR_BYTES]; /* [num_items] */
    size_t num_items;
    size_t capacity;
} colours_t;

static int add_colour(colours_t *self, const char *colour)
{
    for (size_t j = 0; j < self->num_items; j++) {
        if (memcmp(self->items[j], colour, SPOT_CHART_COLOUR_BYTES - 1) == 0) {
            return 0;
        }
    }
    if (self->num_items == self->capacity) {
        const size_t capacity = 2 * self->capacity + 16;
        void *items = realloc(self->items, capacity * sizeof(self->items[0]));

        if (items == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        self->items = items;
        self->capacity = capacity;
    }
    memcpy(self->items[self->num_items], colour, SPOT_CHART_COLOUR_BYTES - 1);
    self->items[self->num_items++][SPOT_CHART_COLOUR_BYTES - 1] = '\0';
    return 0;
}

/* Six digits and a quote. */
static bool is_colour(const char *text)
{
    bool is = text[0] == '#';

    for (size_t j = 1; is && j < SPOT_CHART_COLOUR_BYTES - 1; j++) {
        is = (text[j] >= '0' && text[j] <= '9') || (text[j] >= 'a' && text[j] <= 'f');
    }
    return is && text[SPOT_CHART_COLOUR_BYTES - 1] == '"';
}

/* Texts from outside cannot hold the attribute, as quotes in them are escaped. */
static int find_colours(colours_t *self, const char *markup, size_t num_bytes)
{
    const char *end = markup + num_bytes, *place = markup;
    const size_t mark_bytes = sizeof(COLOUR) - 1;
    int ret = 0;

    while (ret == 0 && (place = memchr(place, COLOUR[0], (size_t) (end - place))) != NULL) {
        if ((size_t) (end - place) >= mark_bytes + SPOT_CHART_COLOUR_BYTES &&
            memcmp(place, COLOUR, mark_bytes) == 0 && is_colour(place + mark_bytes)) {
            ret = add_colour(self, place + mark_bytes);
        }
        place++;
    }
    return ret;
}

static int write_dark_colours(const char *markup, size_t num_bytes, FILE *out)
{
    colours_t colours = {0};
    const int ret = find_colours(&colours, markup, num_bytes);

    for (size_t j = 0; ret == 0 && j < colours.num_items; j++) {
        char dark[SPOT_CHART_COLOUR_BYTES];

        spot_chart_dark(colours.items[j], dark);
        if (strcmp(colours.items[j], dark) != 0) {
            fprintf(out, ".chart [color=\"%s\"]{color:%s}", colours.items[j], dark);
        }
    }
    free(colours.items);
    return ret;
}

int spot_chart_svg_style(const char *markup, size_t num_bytes, FILE *out)
{
    int ret;

    fputs(STYLE LIGHT, out);
    write_sizes(false, out);
    write_sizes(true, out);
    fputs("\nsvg.chart{display:block;max-width:100%;height:auto;margin:0 auto}"
          "svg.narrow{display:none}\n"
          "@media screen and (max-width:43rem){svg.wide{display:none}"
          "svg.narrow{display:block}}\n"
          "@media screen and (prefers-color-scheme:dark){" DARK,
        out);
    ret = write_dark_colours(markup, num_bytes, out);
    fputs("}\n", out);
    return ret;
}

/* ---- Paths ---- */

/* The value of an attribute d, in tenths of a px, relative from place to place. */
typedef struct {
    FILE *out;
    long x, y;    /* where the pen is, in tenths */
    char command; /* the last one; 0: nothing is written yet */
} path_t;

static long tenths(double px)
{
    return lround(10 * fmin(fmax(px, -1e6), 1e6));
}

/* A number behind another one or a letter: a minus separates too. */
static void write_tenths(FILE *out, long value, bool is_first)
{
    fprintf(out, "%s%g", value < 0 || is_first ? "" : " ", (double) value / 10);
}

/* A move or a line; a letter is left out where it is that of the last command. */
static void step(path_t *self, bool is_move, double x, double y)
{
    const long by_x = tenths(x) - self->x, by_y = tenths(y) - self->y;
    const char command = is_move ? 'm' : by_y == 0 ? 'h' : by_x == 0 ? 'v' : 'l';
    const bool is_first = is_move || command != self->command;

    if (is_first) {
        fputc(command, self->out);
    }
    if (command != 'v') {
        write_tenths(self->out, by_x, is_first);
    }
    if (command != 'h') {
        write_tenths(self->out, by_y, is_first && command == 'v');
    }
    *self = (path_t){self->out, self->x + by_x, self->y + by_y, command};
}

/* The pen is then where the path began. */
static void close_path(path_t *self, double x, double y)
{
    fputc('z', self->out);
    *self = (path_t){self->out, tenths(x), tenths(y), 'z'};
}

/* A marker around a place: a dot of a thick round pen, or an outline. */
static void write_sign(path_t *path, const spot_mark_t *mark, const spot_px_t *at)
{
    static const struct {
        size_t num_corners;
        double corners[4][2];
    } signs[SPOT_CHART_NUM_MARKERS] = {
        [SPOT_CHART_SQUARE] = {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
        [SPOT_CHART_TRIANGLE] = {3, {{0, -1.25}, {1.15, 0.85}, {-1.15, 0.85}}},
        [SPOT_CHART_DIAMOND] = {4, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}},
        [SPOT_CHART_DOWN] = {3, {{0, 1.25}, {1.15, -0.85}, {-1.15, -0.85}}},
    };
    const double(*corners)[2] = signs[mark->marker].corners;
    const double r = mark->px;
    const bool is_circle = signs[mark->marker].num_corners == 0;
    double x = at->x, y = at->y;

    if (is_circle && !mark->is_hollow) {
        step(path, true, x, y);
        fputs("h0", path->out);
        path->command = 'h';
        return;
    }
    x += is_circle ? -r : corners[0][0] * r;
    y += is_circle ? 0 : corners[0][1] * r;
    step(path, true, x, y);
    for (size_t k = 1; k < signs[mark->marker].num_corners; k++) {
        step(path, false, at->x + corners[k][0] * r, at->y + corners[k][1] * r);
    }
    if (is_circle) {
        fprintf(
            path->out, "a%.3g %.3g 0 1 0 %.3g 0a%.3g %.3g 0 1 0-%.3g 0", r, r, 2 * r, r, r, 2 * r);
    }
    close_path(path, x, y);
}

/* Lines or fills through pieces of points, or signs. */
static void write_points(
    path_t *path, const spot_mark_t *mark, const spot_px_t *points, size_t num_points)
{
    size_t first = 0;

    for (size_t j = 0; j < num_points; j++) {
        const spot_px_t *point = &points[j];

        if (mark->kind == SPOT_MARK_SIGN) {
            write_sign(path, mark, point);
        } else if (isnan(point->x)) {
            if (mark->kind == SPOT_MARK_FILL && j > first) {
                close_path(path, points[first].x, points[first].y);
            }
            first = j + 1;
        } else if (j <= first + 1 || tenths(point->x) != path->x || tenths(point->y) != path->y) {
            step(path, j == first, point->x, point->y);
        }
    }
}

/* ---- Items ---- */

static void write_mark(const spot_sheet_t *sheet, size_t mark_id, FILE *out)
{
    static const char *const dashes[] = {[SPOT_CHART_SOLID] = "",
        [SPOT_CHART_DASHED] = " stroke-dasharray=\"7 4\"",
        [SPOT_CHART_DOTTED] = " stroke-dasharray=\"2 3\""};
    const spot_mark_t *mark = &sheet->items.marks[mark_id];
    const size_t end = spot_sheet_mark_end(&sheet->items, mark_id);
    const spot_px_t *points = &sheet->items.points[mark->first_point];
    const char *class = mark->class;
    double width = mark->px;

    if (end == mark->first_point) {
        return;
    }
    if (mark->kind == SPOT_MARK_HOVER) {
        fprintf(out, "<circle class=\"v\" cx=\"%.1f\" cy=\"%.1f\" r=\"%g\">", points->x, points->y,
            mark->px);
        spot_html_element(out, "title", mark->text);
        fputs("</circle>\n", out);
        return;
    }
    if (mark->kind == SPOT_MARK_SIGN) {
        const bool is_dot = !mark->is_hollow && mark->marker <= SPOT_CHART_CIRCLE;

        class = is_dot ? "o" : mark->is_hollow ? "h" : "f";
        width = is_dot ? 2 * mark->px : mark->is_hollow ? 1.4 : 0;
    }
    fprintf(out, "<path class=\"%s\"", class);
    if (mark->colour != NULL) {
        fprintf(out, COLOUR "%s\"", mark->colour);
    }
    if (width > 0) {
        fprintf(out, " stroke-width=\"%.3g\"", width);
    }
    fprintf(out, "%s d=\"", dashes[mark->dash]);
    write_points(&(path_t){.out = out}, mark, points, end - mark->first_point);
    fputs("\"/>\n", out);
}

static void write_text(const spot_sheet_t *sheet, const spot_sheet_text_t *text, FILE *out)
{
    const double size = spot_sheet_text_size(sheet->is_narrow, text->style);

    fprintf(out, "<text x=\"%g\" y=\"%g\">", round(10 * text->x) / 10,
        round(10 * (text->y + 0.36 * size)) / 10);
    spot_html_bytes(out, text->line.text, text->line.num_bytes);
    fputs(text->line.is_cut ? "…</text>\n" : "</text>\n", out);
}

/* Texts of a style in a group. */
static void write_texts(const spot_sheet_t *sheet, FILE *out)
{
    static const char *const anchors[] = {"", " m", " e"};

    for (int group = 0; group < 3 * SPOT_NUM_LOOKS; group++) {
        const int look = group / 3, anchor = group % 3;
        bool is_open = false;

        for (size_t j = 0; j < sheet->items.num_texts; j++) {
            if (sheet->items.texts[j].style == look + anchor * SPOT_MIDDLE) {
                if (!is_open) {
                    fprintf(out, "<g class=\"%s%s\">\n", text_classes[look], anchors[anchor]);
                }
                is_open = true;
                write_text(sheet, &sheet->items.texts[j], out);
            }
        }
        fputs(is_open ? "</g>\n" : "", out);
    }
}

/* ---- Documents ---- */

static int write_svg(spot_chart_t *self, double width_px, bool has_title, bool is_inline, FILE *out)
{
    spot_sheet_t sheet;
    const int ret = spot_sheet_init(&sheet, self, width_px, has_title);

    if (ret == 0) {
        fprintf(out, "%s class=\"chart %s\" width=\"%g\" height=\"%.0f\"",
            is_inline ? "<svg"
                      : "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\"",
            sheet.is_narrow ? "narrow" : "wide", width_px, sheet.height_px);
        fprintf(
            out, " viewBox=\"0 0 %g %.0f\" role=\"img\" aria-label=\"", width_px, sheet.height_px);
        spot_html_text(out, self->title);
        fputs("\">\n", out);
        if (!is_inline) {
            spot_html_element(out, "title", self->title);
        }
        if (self->description[0] != '\0') {
            spot_html_element(out, "desc", self->description);
        }
        if (!is_inline) {
            fputs("<style>" STYLE LIGHT, out);
            write_sizes(sheet.is_narrow, out);
            fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", out);
        }
        for (size_t j = 0; j < sheet.items.num_marks; j++) {
            write_mark(&sheet, j, out);
        }
        write_texts(&sheet, out);
        fputs("</svg>\n", out);
    }
    spot_sheet_free(&sheet);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int spot_chart_svg(spot_chart_t *self, double width_px, FILE *out)
{
    return write_svg(self, width_px, true, false, out);
}

int spot_chart_svg_inline(spot_chart_t *self, double width_px, bool has_title, FILE *out)
{
    return write_svg(self, width_px, has_title, true, out);
}
