/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of tables of plain text. */
#ifndef SPOT_REPORTS_TEXT_CELL_H
#define SPOT_REPORTS_TEXT_CELL_H

#include <stddef.h>
#include <stdio.h>

/* Makes a width at least as wide as the text, in characters. */
void spot_text_widen(int *width, const char *text);

/* The first num_bytes bytes of text at the right of a cell. */
void spot_text_cell(FILE *out, const char *text, size_t num_bytes, int width);

/* A text of any length as spot_utf8_shown() shows it, but whole. */
void spot_text_write(FILE *out, const char *text);

/* The same, up to max_chars characters, the last one then an ellipsis. */
void spot_text_write_cut(FILE *out, const char *text, size_t max_chars);
/* A long name that is wider than its cells goes on two lines, broken where both are
 * short: the bytes of the first, 0: all is on the second. Makes width wide enough. */
size_t spot_text_break(const char *name, int *width);

#endif
