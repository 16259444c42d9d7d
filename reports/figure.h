/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The vocabulary of gnuplot scripts: one look for all pictures, places in pixels from
 * the top left corner, texts that gnuplot takes as they are. */
#ifndef SPOT_REPORTS_FIGURE_H
#define SPOT_REPORTS_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    FILE *out;
    double width_px;
    double height_px;
} spot_figure_t;

typedef enum {
    SPOT_TEXT_TITLE,
    SPOT_TEXT_LABEL,
    SPOT_TEXT_NOTE,
    SPOT_TEXT_DARK /* a label upon a colour */
} spot_text_style_t;
typedef enum { SPOT_ALIGN_LEFT, SPOT_ALIGN_CENTER, SPOT_ALIGN_RIGHT } spot_align_t;

/* Round numbers around a range. */
typedef struct {
    double low;
    double high;
    double step;
} spot_scale_t;

/* The place of a plot and what its edges mean. */
typedef struct {
    double left_px, top_px, width_px, height_px;
    double x_low, x_high;
    spot_scale_t y;
} spot_panel_t;

/* A mean and its interval, or what else is drawn with a band or a bar. */
typedef struct {
    double mean; /* NAN: undefined */
    double low;
    double high;
    bool is_sure; /* of a difference: 0 is outside */
} spot_mark_t;

/* A name at the right of a panel for what ends at y_px. */
typedef struct {
    char text[96];
    const char *colour;
    double y_px;
    double swatch_px; /* height of the sample of its colour, where it has no marker */
    int marker;       /* spot_marker_t; 0: none */
    double text_px;   /* where the text goes: set when drawn */
} spot_end_label_t;

/* The unit of an axis of time. */
typedef struct {
    const char *name; /* "d", "h", "min" or "s" */
    int64_t unit_ms;
} spot_time_unit_t;

/* The largest unit of which there are at least three. */
spot_time_unit_t spot_figure_time_unit(int64_t end_ms);

/* Cuts a text to max_chars characters, the last one then an ellipsis. text has room for
 * four more bytes. */
void spot_figure_cut(char *text, size_t max_chars);

/* A scale of at most max_steps steps of 1, 2 or 5 times a power of ten. */
spot_scale_t spot_scale_around(double low, double high, int max_steps);

/* Lines that text takes at max_chars characters a line, broken at blanks: at most
 * SPOT_PARAGRAPH_LINES, so that a long text leaves room for the picture. */
#define SPOT_PARAGRAPH_LINES 3
size_t spot_figure_num_lines(const char *text, size_t max_chars);

/* The head of a script. The ending of picture_path chooses the format: .png, .pdf, else
 * SVG; NULL or what spot_format_stdout() gives: gnuplot's standard output. */
void spot_figure_begin(spot_figure_t *self, FILE *out, double width_px, double height_px,
    const char *picture_path);
void spot_figure_end(const spot_figure_t *self);

/* y_px is the middle of the line. */
void spot_figure_text(const spot_figure_t *self, double x_px, double y_px,
    spot_text_style_t style, spot_align_t align, const char *text);

/* The lines that spot_figure_num_lines() counts, from y_px on; an ellipsis ends the last
 * one of a longer text. */
void spot_figure_paragraph(const spot_figure_t *self, double x_px, double y_px,
    spot_text_style_t style, size_t max_chars, const char *text);

/* A box filled with a colour, its middle at y_px. */
void spot_figure_box(const spot_figure_t *self, double left_px, double right_px,
    double y_px, double height_px, const char *colour);

/* A sample of a colour, SPOT_SWATCH_PX wide and swatch_px high, and its name. */
#define SPOT_SWATCH_PX 10.0
void spot_figure_entry(const spot_figure_t *self, double x_px, double y_px,
    double swatch_px, const char *colour, const char *text);

/* A marker of gnuplot's svg terminal, its middle at a place. */
typedef enum {
    SPOT_MARKER_CIRCLE = 7,
    SPOT_MARKER_SQUARE = 5,
    SPOT_MARKER_TRIANGLE = 9,
    SPOT_MARKER_DIAMOND = 13,
    SPOT_MARKER_DOWN = 11, /* a triangle on its tip */
    SPOT_MARKER_OPEN_SQUARE = 4,
    SPOT_MARKER_OPEN_CIRCLE = 6,
    SPOT_MARKER_OPEN_TRIANGLE = 8,
    SPOT_MARKER_OPEN_DOWN = 10,
    SPOT_MARKER_OPEN_DIAMOND = 12
} spot_marker_t;

/* A marker and the name of what has it. */
void spot_figure_marker_entry(const spot_figure_t *self, double x_px, double y_px,
    spot_marker_t marker, const char *colour, const char *text);

/* Labels at x_px, sorted from top to bottom, moved apart where they would overlap but
 * not below bottom_px, with leaders from where they belong. */
void spot_figure_end_labels(const spot_figure_t *self, spot_end_label_t *labels,
    size_t num_labels, double x_px, double bottom_px);

/* Frame, ranges and ticks of y; the caller then writes the plot command. Ticks without
 * labels where y_format is "". */
void spot_figure_panel(
    const spot_figure_t *self, const spot_panel_t *panel, const char *y_format);

/* Forgets texts, boxes and leaders: they belong to the panel drawn last. */
void spot_figure_end_panel(const spot_figure_t *self);

/* The name of x in the middle, so far below the panel. */
void spot_figure_x_name(const spot_figure_t *self, const spot_panel_t *panel,
    double below_px, const char *text);

/* A line of data: x, mean, low, high and, where it is asked for, whether that is sure;
 * empty, which is a gap, where the mean is undefined. */
void spot_figure_mark(
    const spot_figure_t *self, double x, const spot_mark_t *mark, bool tells_sure);

double spot_panel_x_px(const spot_panel_t *self, double x);
double spot_panel_y_px(const spot_panel_t *self, double y);

#endif
