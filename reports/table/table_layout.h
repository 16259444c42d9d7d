/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a table is laid out on a terminal: what its cells say there, and how wide its
 * columns are. */
#pragma once

#include "reports/table/table_cell.h"

#define SPOT_TABLE_GAP 2 /* between columns */

/* Widths in characters. */
typedef struct {
    int width;
    int num_decimals;
    int number_width; /* of the parts of numbers, which line up; 0: no cell has it */
    int half_width;
    int mark_width;
    int remark_width;
    int num_head_lines; /* without the unit */
    const char *name;   /* as it is shown */
} spot_table_place_t;

typedef struct {
    const spot_table_t *table;
    int width;
    size_t num_keys;
    bool is_records;             /* a block a row: not even one column fits beside the keys */
    spot_table_place_t *columns; /* [num_columns] */
    const char **shown;          /* [num_cells] texts as they are shown, or "" */
    spot_texts_t texts;          /* those above, and others of what writes */
} spot_table_layout_t;

/* The table must outlive self. NO_MEMORY; free self even then. */
SPOT_MUST_CHECK int spot_table_layout_init(
    spot_table_layout_t *self, const spot_table_t *table, int width);
void spot_table_layout_free(spot_table_layout_t *self);

/* The columns from first_id on that fit beside the keys: the id behind them. */
size_t spot_table_layout_block_end(const spot_table_layout_t *self, size_t first_id);

/* Width of the keys and a gap behind each. */
int spot_table_layout_keys_width(const spot_table_layout_t *self);

/* A line of the name of a column, counted from 0: *num_bytes of them; "" behind the
 * last one. */
const char *spot_table_layout_head(const spot_table_place_t *column, int line, size_t *num_bytes);

const char *spot_table_layout_text(
    const spot_table_layout_t *self, size_t row_id, size_t column_id);
