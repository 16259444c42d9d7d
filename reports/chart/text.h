/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Widths of texts in pictures, set in Inter or a font about as wide. Internal to the
 * room. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A part of a text; is_cut: an ellipsis stands for the rest. */
typedef struct {
    const char *text;
    size_t num_bytes;
    bool is_cut;
} spot_chart_line_t;

/* In px at a size; text that is not UTF-8 is measured as it is shown. */
double spot_chart_text_px(const char *text, size_t num_bytes, double size_px);
double spot_chart_line_px(const spot_chart_line_t *line, double size_px);

/* Breaks a text at blanks into at most max_lines lines of at most max_px; the last one
 * is cut where there is more, and words longer than a line too. lines: [max_lines].
 * Returns their number: 0 of an empty text. */
size_t spot_chart_text_wrap(const char *text, double size_px, double max_px,
    size_t max_lines, spot_chart_line_t *lines);

/* A single line. */
spot_chart_line_t spot_chart_text_cut(const char *text, double size_px, double max_px);
