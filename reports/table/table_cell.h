/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one place where numbers of tables become text that people read. */
#pragma once

#include "reports/table/table.h"

#define SPOT_TABLE_NUMBER_BYTES 64

/* The decimals of numbers: as the half width of each wants it, or those of a column, see
 * spot_table_column_decimals(). */
#define SPOT_TABLE_BY_CELL (-2)

typedef struct {
    const char *before;                       /* "> " of a bound, else "" */
    char number[SPOT_TABLE_NUMBER_BYTES];     /* "" for text and what is undefined */
    char half_width[SPOT_TABLE_NUMBER_BYTES]; /* "?" without an upper end; "": none */
} spot_table_parts_t;

/* In the unit of people. -0 is 0. */
void spot_table_parts(const spot_table_t *self, size_t row_id, size_t column_id, int num_decimals,
    spot_table_parts_t *parts);

/* Decimals that line up: two digits of the narrowest interval of the column, or less
 * where that is silly for the widest; -1: as many as a number takes. */
int spot_table_column_decimals(const spot_table_t *self, size_t column_id);
