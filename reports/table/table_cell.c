/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/table_cell.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/table/decimals.h"

#define USUAL_DIGITS 6
#define MAX_DECIMAL 1e15 /* what is above has significant digits */

/* num_decimals -1: significant digits. */
static void number_text(const spot_table_column_t *column, double value, int num_decimals,
    char text[SPOT_TABLE_NUMBER_BYTES])
{
    const char *sign = column->has_sign && value > 0 ? "+" : "";

    if (num_decimals < 0 || fabs(value) >= MAX_DECIMAL) {
        snprintf(text, SPOT_TABLE_NUMBER_BYTES, "%s%.*g", sign,
            column->num_digits > 0 ? column->num_digits : USUAL_DIGITS, value);
    } else {
        snprintf(text, SPOT_TABLE_NUMBER_BYTES, "%s%.*f", sign, num_decimals, value);
    }
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1)) {
        memmove(text, text + 1, strlen(text));
    }
}

static bool has_width(double half_width)
{
    return half_width > 0 && isfinite(half_width);
}

int spot_table_column_decimals(const spot_table_t *self, size_t column_id)
{
    const spot_table_column_t *column = &self->columns[column_id];
    double narrowest = HUGE_VAL, widest = 0;

    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_table_cell_t *cell = spot_table_cell(self, j, column_id);
        const double half_width = column->factor * cell->half_width;

        if (cell->content == SPOT_TABLE_VALUE && has_width(half_width)) {
            narrowest = fmin(narrowest, half_width);
            widest = fmax(widest, half_width);
        }
    }
    return column->is_fixed ? column->num_decimals : spot_decimals_of_column(narrowest, widest);
}

static int decimals_of_cell(const spot_table_column_t *column, double half_width)
{
    return column->is_fixed        ? column->num_decimals
           : has_width(half_width) ? spot_decimals_for(half_width)
                                   : -1;
}

void spot_table_parts(const spot_table_t *self, size_t row_id, size_t column_id, int num_decimals,
    spot_table_parts_t *parts)
{
    const spot_table_column_t *column = &self->columns[column_id];
    const spot_table_cell_t *cell = spot_table_cell(self, row_id, column_id);
    const double half_width = column->factor * cell->half_width;
    const int own_decimals =
        num_decimals == SPOT_TABLE_BY_CELL ? decimals_of_cell(column, half_width) : num_decimals;

    *parts = (spot_table_parts_t){.before = ""};
    switch (cell->content) {
        case SPOT_TABLE_COUNT:
            snprintf(parts->number, sizeof(parts->number), "%" PRId64, cell->count);
            break;
        case SPOT_TABLE_ABOVE:
            parts->before = "> ";
            number_text(column, column->factor * cell->value, -1, parts->number);
            break;
        case SPOT_TABLE_VALUE:
            number_text(column, column->factor * cell->value, own_decimals, parts->number);
            if (isinf(half_width)) {
                strcpy(parts->half_width, "?");
            } else if (!isnan(half_width)) {
                number_text(&(spot_table_column_t){.num_digits = column->num_digits}, half_width,
                    own_decimals, parts->half_width);
            }
            break;
        default:
            break;
    }
}
