/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/table_machine.h"

#include <inttypes.h>

#include "base/csv.h"
#include "base/units.h"

static void write_field(const spot_table_column_t *column, const spot_table_cell_t *cell, FILE *out)
{
    char text[SPOT_NUMBER_TEXT_BYTES];

    switch (cell->content) {
        case SPOT_TABLE_WORDS:
        case SPOT_TABLE_REST:
            spot_csv_field_text(out, cell->text);
            break;
        case SPOT_TABLE_COUNT:
            fprintf(out, "%" PRId64, cell->count);
            break;
        case SPOT_TABLE_VALUE:
            if (column->num_digits > 0) {
                fprintf(out, "%.*g", column->num_digits, cell->value);
            } else {
                spot_number_text(cell->value, text);
                fputs(text, out);
            }
            break;
        default:
            break;
    }
}

int spot_table_write_csv(const spot_table_t *self, FILE *out)
{
    for (size_t j = 0; self->error == 0 && j < self->num_columns; j++) {
        fputs(j > 0 ? "," : "", out);
        spot_csv_field_text(out, self->columns[j].name);
    }
    fputs(self->error == 0 ? "\n" : "", out);
    for (size_t j = 0; self->error == 0 && j < self->num_cells; j++) {
        const size_t column_id = j % self->num_columns;

        fputs(column_id > 0 ? "," : "", out);
        write_field(&self->columns[column_id], &self->cells[j], out);
        fputs(column_id + 1 == self->num_columns ? "\n" : "", out);
    }
    return self->error == 0 && ferror(out) ? SPOT_ERR_IO : self->error;
}

static void write_member(spot_json_t *json, const char *name, const spot_table_cell_t *cell)
{
    switch (cell->content) {
        case SPOT_TABLE_EMPTY:
            break;
        case SPOT_TABLE_WORDS:
        case SPOT_TABLE_REST:
            if (cell->items == NULL) {
                spot_json_text(json, name, cell->text);
                break;
            }
            spot_json_open(json, name, '[');
            for (size_t j = 0; j < cell->num_items; j++) {
                spot_json_text(json, NULL, cell->items[j]);
            }
            spot_json_close(json, ']');
            break;
        case SPOT_TABLE_COUNT:
            spot_json_integer(json, name, cell->count);
            break;
        case SPOT_TABLE_VALUE:
            spot_json_number(json, name, cell->value);
            break;
        default:
            spot_json_number(json, name, (double) NAN);
            break;
    }
}

int spot_table_write_json(const spot_table_t *self, spot_json_t *json)
{
    for (size_t j = 0; self->error == 0 && j < self->num_rows; j++) {
        spot_json_open(json, NULL, '{');
        for (size_t k = 0; k < self->num_columns; k++) {
            write_member(json, self->columns[k].name, spot_table_cell(self, j, k));
        }
        spot_json_close(json, '}');
    }
    return self->error;
}
