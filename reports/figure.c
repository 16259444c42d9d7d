/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/figure.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/picture_format.h"

#define LINE_PX 16.0  /* between the middles of two lines of labels */
#define TITLE_PX 25.0 /* the same for titles */
#define ZERO_WIDTH_SPACE "\xe2\x80\x8b"

static const struct {
    double size_px;
    double line_px;
    const char *colour;
} styles[] = {
    [SPOT_TEXT_TITLE] = {19, TITLE_PX, SPOT_INK},
    [SPOT_TEXT_LABEL] = {13, LINE_PX, SPOT_INK_LABEL},
    [SPOT_TEXT_NOTE] = {11.5, LINE_PX, SPOT_INK_QUIET},
    [SPOT_TEXT_DARK] = {13, LINE_PX, SPOT_INK},
};

spot_scale_t
spot_scale_around(double low, double high, int max_steps)
{
    static const double factors[] = {1, 2, 5, 10};
    const double range = high > low ? high - low : fmax(fabs(low), 1);
    const double power = pow(10, floor(log10(range / max_steps)));
    spot_scale_t scale = {.step = 0};

    for (size_t j = 0; j < sizeof(factors) / sizeof(factors[0]); j++) {
        scale.step = factors[j] * power;
        scale.low = floor(low / scale.step + 1e-9) * scale.step;
        scale.high = ceil((low + range) / scale.step - 1e-9) * scale.step;
        if (scale.high - scale.low <= (max_steps + 0.5) * scale.step) {
            break;
        }
    }
    return scale;
}

spot_time_unit_t
spot_figure_time_unit(int64_t end_ms)
{
    static const spot_time_unit_t units[] = {
        {"d", SPOT_MS_PER_D}, {"h", SPOT_MS_PER_H}, {"min", SPOT_MS_PER_MIN}};

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        if (end_ms >= 3 * units[j].unit_ms) {
            return units[j];
        }
    }
    return (spot_time_unit_t){"s", SPOT_MS_PER_S};
}

void
spot_figure_cut(char *text, size_t max_chars)
{
    size_t num_chars = 0;
    char *last = text; /* the character that makes room for the ellipsis */

    for (char *byte = text; *byte != '\0'; byte++) {
        if (((unsigned char) *byte & 0xc0) != 0x80) {
            num_chars++;
            last = num_chars == max_chars ? byte : last;
        }
        if (num_chars > max_chars) {
            snprintf(last, 4, "…");
            return;
        }
    }
}

/* Bytes of the first line of text. */
static size_t
line_bytes(const char *text, size_t max_chars)
{
    size_t num_chars = 0, last_blank = 0, j = 0;

    while (text[j] != '\0' && num_chars <= max_chars) {
        const size_t length = spot_utf8_length(text + j, strlen(text + j));

        if (text[j] == ' ') {
            last_blank = j;
        }
        j += length == 0 ? 1 : length;
        num_chars++;
    }
    return num_chars > max_chars && last_blank > 0 ? last_blank : j;
}

size_t
spot_figure_num_lines(const char *text, size_t max_chars)
{
    size_t num_lines = 0;

    while (*text != '\0' && num_lines < SPOT_PARAGRAPH_LINES) {
        text += line_bytes(text, max_chars);
        text += strspn(text, " ");
        num_lines++;
    }
    return num_lines;
}

/* A byte within single quotes, where nothing else is special to gnuplot. */
static void
write_byte(FILE *out, char byte)
{
    if (byte == '\'') {
        fputc('\'', out);
    }
    fputc((unsigned char) byte < 0x20 || byte == 0x7f ? ' ' : byte, out);
}

/* A path that gnuplot takes as it is. */
static void
write_path(FILE *out, const char *path)
{
    fputc('\'', out);
    for (; *path != '\0'; path++) {
        write_byte(out, *path);
    }
    fputc('\'', out);
}

/* A text to be seen. What would turn the direction of the picture's own texts is left
 * out. gnuplot writes ">" into SVG as it is, where XML has no place for "]]>": a blank
 * without width parts it. */
static void
write_text(FILE *out, const char *text, size_t num_bytes, const char *ending)
{
    size_t num_brackets = 0; /* that end what was written */

    fputc('\'', out);
    for (size_t j = 0; j < num_bytes;) {
        const size_t length = spot_utf8_length(text + j, num_bytes - j);
        const size_t end = j + (length == 0 ? 1 : length);

        if (spot_utf8_is_layout(text + j, length)) {
            j = end;
            continue;
        }
        if (text[j] == '>' && num_brackets >= 2) {
            fputs(ZERO_WIDTH_SPACE, out);
        }
        num_brackets = text[j] == ']' ? num_brackets + 1 : 0;
        for (; j < end; j++) {
            write_byte(out, text[j]);
        }
    }
    fprintf(out, "%s'", ending);
}

/* What the letters of gnuplot's raster and PDF terminals must be scaled by, to be as
 * large as those of its SVG; found with the eye. */
#define PNG_ZOOM 2
#define PNG_FONT_SCALE 1.5
#define PDF_FONT_SCALE 0.75
#define PDF_PX_PER_INCH 72.0

static void
write_terminal(const spot_figure_t *self, spot_picture_format_t format)
{
    const double width_px = self->width_px, height_px = self->height_px;

    switch (format) {
        case SPOT_FORMAT_PNG:
            fprintf(self->out,
                "set terminal pngcairo noenhanced rounded size %g,%g fontscale %g "
                "linewidth %d pointscale %d",
                PNG_ZOOM * width_px, PNG_ZOOM * height_px, PNG_FONT_SCALE, PNG_ZOOM,
                PNG_ZOOM);
            break;
        case SPOT_FORMAT_PDF:
            fprintf(self->out,
                "set terminal pdfcairo noenhanced rounded size %gin,%gin fontscale %g "
                "linewidth 2 pointscale 1",
                width_px / PDF_PX_PER_INCH, height_px / PDF_PX_PER_INCH, PDF_FONT_SCALE);
            break;
        default:
            fprintf(self->out, "set terminal svg noenhanced rounded size %g,%g",
                width_px, height_px);
            break;
    }
    fputs(" background '#ffffff' font 'Inter, DejaVu Sans, sans-serif,13'\n", self->out);
}

void
spot_figure_begin(spot_figure_t *self, FILE *out, double width_px, double height_px,
    const char *picture_path)
{
    *self = (spot_figure_t){out, width_px, height_px};
    fputs("set encoding utf8\n", out);
    write_terminal(self, spot_format_of(picture_path));
    if (!spot_format_is_stdout(picture_path)) {
        fputs("set output ", out);
        write_path(out, picture_path);
        fputc('\n', out);
    }
    fprintf(out,
        "set key off\n"
        "set border 1 lc rgb '%s' lw 1\n"
        "set tics out nomirror scale 0.4 font ',11.5' textcolor rgb '%s'\n"
        "set ytics scale 0\n"
        "set xtics offset 0,0.4\n"
        "set grid ytics back lt 1 lw 1 lc rgb '%s'\n"
        "set multiplot\n",
        SPOT_INK_AXIS, SPOT_INK_LABEL, SPOT_INK_GRID);
}

void
spot_figure_end(const spot_figure_t *self)
{
    fputs("unset multiplot\nunset output\n", self->out);
}

/* A place on the screen: gnuplot counts from the bottom left corner, from 0 to 1. */
static void
write_place(const spot_figure_t *self, double x_px, double y_px)
{
    fprintf(self->out, "screen %.5g,%.5g", x_px / self->width_px,
        1 - y_px / self->height_px);
}

static void
write_label(const spot_figure_t *self, double x_px, double y_px, spot_text_style_t style,
    spot_align_t align, const char *text, size_t num_bytes, const char *ending)
{
    static const char *const aligns[] = {"left", "center", "right"};

    fputs("set label ", self->out);
    write_text(self->out, text, num_bytes, ending);
    fputs(" at ", self->out);
    write_place(self, x_px, y_px);
    fprintf(self->out, " %s front font ',%g' textcolor rgb '%s'\n", aligns[align],
        styles[style].size_px, styles[style].colour);
}

void
spot_figure_text(const spot_figure_t *self, double x_px, double y_px,
    spot_text_style_t style, spot_align_t align, const char *text)
{
    write_label(self, x_px, y_px, style, align, text, strlen(text), "");
}

void
spot_figure_paragraph(const spot_figure_t *self, double x_px, double y_px,
    spot_text_style_t style, size_t max_chars, const char *text)
{
    for (size_t j = 1; *text != '\0' && j <= SPOT_PARAGRAPH_LINES; j++) {
        const char *line = text;
        const size_t num_bytes = line_bytes(text, max_chars);
        bool is_cut;

        text += num_bytes;
        text += strspn(text, " ");
        is_cut = j == SPOT_PARAGRAPH_LINES && *text != '\0';
        write_label(self, x_px, y_px, style, SPOT_ALIGN_LEFT, line, num_bytes,
            is_cut ? "…" : "");
        y_px += styles[style].line_px;
    }
}

void
spot_figure_box(const spot_figure_t *self, double left_px, double right_px, double y_px,
    double height_px, const char *colour)
{
    fputs("set object rectangle from ", self->out);
    write_place(self, left_px, y_px + height_px / 2);
    fputs(" to ", self->out);
    write_place(self, right_px, y_px - height_px / 2);
    fprintf(self->out, " front fillcolor rgb '%s' fillstyle solid 1 noborder\n", colour);
}

void
spot_figure_entry(const spot_figure_t *self, double x_px, double y_px, double swatch_px,
    const char *colour, const char *text)
{
    spot_figure_box(self, x_px, x_px + SPOT_SWATCH_PX, y_px, swatch_px, colour);
    spot_figure_text(
        self, x_px + SPOT_SWATCH_PX + 7, y_px, SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, text);
}

void
spot_figure_marker_entry(const spot_figure_t *self, double x_px, double y_px,
    spot_marker_t marker, const char *colour, const char *text)
{
    fputs("set label '' at ", self->out);
    write_place(self, x_px + SPOT_SWATCH_PX / 2, y_px);
    fprintf(self->out, " front point pt %d ps 0.8 lw 1.4 lc rgb '%s'\n", (int) marker,
        colour);
    spot_figure_text(
        self, x_px + SPOT_SWATCH_PX + 7, y_px, SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, text);
}

static void
draw_end_label(const spot_figure_t *self, const spot_end_label_t *label, double x_px)
{
    fputs("set arrow from ", self->out);
    write_place(self, x_px + 3, label->y_px);
    fputs(" to ", self->out);
    write_place(self, x_px + 17, label->text_px);
    fprintf(self->out, " nohead front lw 1 lc rgb '%s'\n", SPOT_INK_AXIS);
    if (label->marker != 0) {
        spot_figure_marker_entry(self, x_px + 20, label->text_px,
            (spot_marker_t) label->marker, label->colour, label->text);
    } else {
        spot_figure_entry(self, x_px + 20, label->text_px, label->swatch_px,
            label->colour, label->text);
    }
}

/* By insertion: there are few, and equal ones keep their order. */
static void
sort_labels(spot_end_label_t *labels, size_t num_labels)
{
    for (size_t j = 1; j < num_labels; j++) {
        const spot_end_label_t label = labels[j];
        size_t place = j;

        while (place > 0 && labels[place - 1].y_px > label.y_px) {
            labels[place] = labels[place - 1];
            place--;
        }
        labels[place] = label;
    }
}

void
spot_figure_end_labels(const spot_figure_t *self, spot_end_label_t *labels,
    size_t num_labels, double x_px, double bottom_px)
{
    double last_px = -LINE_PX, next_px = bottom_px + LINE_PX;

    sort_labels(labels, num_labels);
    for (size_t j = 0; j < num_labels; j++) {
        labels[j].text_px = last_px = fmax(labels[j].y_px, last_px + LINE_PX);
    }
    for (size_t j = num_labels; j-- > 0;) {
        labels[j].text_px = next_px = fmin(labels[j].text_px, next_px - LINE_PX);
        draw_end_label(self, &labels[j], x_px);
    }
}

void
spot_figure_panel(
    const spot_figure_t *self, const spot_panel_t *panel, const char *y_format)
{
    fprintf(self->out,
        "set lmargin at screen %.5g\n"
        "set rmargin at screen %.5g\n"
        "set tmargin at screen %.5g\n"
        "set bmargin at screen %.5g\n"
        "set xrange [%.10g:%.10g]\n"
        "set yrange [%.10g:%.10g]\n"
        "set ytics %.10g,%.10g format '%s'\n",
        panel->left_px / self->width_px,
        (panel->left_px + panel->width_px) / self->width_px,
        1 - panel->top_px / self->height_px,
        1 - (panel->top_px + panel->height_px) / self->height_px, panel->x_low,
        panel->x_high, panel->y.low, panel->y.high, panel->y.low, panel->y.step,
        y_format);
}

void
spot_figure_end_panel(const spot_figure_t *self)
{
    fputs("unset label\nunset object\nunset arrow\n", self->out);
}

void
spot_figure_x_name(const spot_figure_t *self, const spot_panel_t *panel, double below_px,
    const char *text)
{
    spot_figure_text(self, panel->left_px + panel->width_px / 2,
        panel->top_px + panel->height_px + below_px, SPOT_TEXT_LABEL, SPOT_ALIGN_CENTER,
        text);
}

void
spot_figure_mark(
    const spot_figure_t *self, double x, const spot_mark_t *mark, bool tells_sure)
{
    if (isfinite(mark->mean)) {
        fprintf(self->out, "%.10g %.6g %.6g %.6g%s", x, mark->mean, mark->low,
            mark->high,
            !tells_sure     ? ""
            : mark->is_sure ? " 1"
                            : " 0");
    }
    fputc('\n', self->out);
}

double
spot_panel_x_px(const spot_panel_t *self, double x)
{
    return self->left_px +
           self->width_px * (x - self->x_low) / (self->x_high - self->x_low);
}

double
spot_panel_y_px(const spot_panel_t *self, double y)
{
    return self->top_px +
           self->height_px * (self->y.high - y) / (self->y.high - self->y.low);
}
