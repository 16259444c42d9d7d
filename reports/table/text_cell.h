/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of tables of plain text. */
#pragma once

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
