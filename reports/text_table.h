/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of texts, aligned at the right, for a terminal: where it is too narrow for a
 * line a row, a block a row. */
#ifndef SPOT_REPORTS_TEXT_TABLE_H
#define SPOT_REPORTS_TEXT_TABLE_H

#include <stddef.h>

#include "base/error.h"
#include "reports/terminal.h"

typedef struct {
    char *text; /* never NULL */
    spot_style_t style;
} spot_text_cell_t;

/* Zero it, set num_columns. */
typedef struct {
    size_t num_columns;
    size_t num_cells;
    size_t max_cells;
    spot_text_cell_t *cells; /* [num_cells] the head first, then row by row */
} spot_text_table_t;

/* Appends a cell with a copy of text, in which control characters are shown as \xHH.
 * NO_MEMORY. */
SPOT_MUST_CHECK int spot_text_table_add(
    spot_text_table_t *self, const char *text, spot_style_t style);
void spot_text_table_free(spot_text_table_t *self);

/* Whether a row fits on a line. */
bool spot_text_table_fits(
    const spot_text_table_t *self, const spot_terminal_t *terminal);

/* All rows are whole. Writes no empty line before or behind it. */
void spot_text_table_write(
    const spot_text_table_t *self, const spot_terminal_t *terminal, FILE *out);

#endif
