/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/text_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/text_cell.h"

#define GAP 2 /* between cells */

int
spot_text_table_add(spot_text_table_t *self, const char *text, spot_style_t style)
{
    void *cells = self->cells;
    char *copy = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&copy, &num_bytes);
    int ret = spot_array_reserve(
        &cells, &self->max_cells, self->num_cells + 1, sizeof(*self->cells));

    self->cells = cells;
    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_text_write(stream, text);
    if (fclose(stream) != 0 && ret == 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret != 0) {
        free(copy);
        return ret;
    }
    self->cells[self->num_cells++] = (spot_text_cell_t){copy, style};
    return 0;
}

void
spot_text_table_free(spot_text_table_t *self)
{
    for (size_t j = 0; j < self->num_cells; j++) {
        free(self->cells[j].text);
    }
    free(self->cells);
    memset(self, 0, sizeof(*self));
}

static void
write_styled(
    const spot_text_cell_t *cell, int width, const spot_terminal_t *terminal, FILE *out)
{
    const int num_blanks = width - (int) spot_utf8_count(cell->text, strlen(cell->text));

    fprintf(out, "%*s%s%s%s", num_blanks > 0 ? num_blanks : 0, "",
        spot_style_on(terminal, cell->style), cell->text,
        spot_style_off(terminal, cell->style));
}

typedef struct {
    int width;
    size_t num_first; /* bytes of the name in the first line of the head */
} column_t;

static void
measure_column(const spot_text_table_t *self, size_t column_id, column_t *column)
{
    for (size_t j = self->num_columns + column_id; j < self->num_cells;
         j += self->num_columns) {
        spot_text_widen(&column->width, self->cells[j].text);
    }
    column->num_first = spot_text_break(self->cells[column_id].text, &column->width);
}

static void
end_cell(const spot_text_table_t *self, size_t column_id, FILE *out)
{
    if (column_id + 1 < self->num_columns) {
        fprintf(out, "%*s", GAP, "");
    } else {
        fputc('\n', out);
    }
}

/* The beginnings of names, where one is broken, and their ends. */
static void
write_head(const spot_text_table_t *self, const column_t *columns, FILE *out)
{
    bool is_broken = false;

    for (size_t j = 0; j < self->num_columns; j++) {
        is_broken = is_broken || columns[j].num_first > 0;
    }
    for (size_t j = 0; is_broken && j < self->num_columns; j++) {
        spot_text_cell(out, self->cells[j].text, columns[j].num_first, columns[j].width);
        end_cell(self, j, out);
    }
    for (size_t j = 0; j < self->num_columns; j++) {
        const char *rest = self->cells[j].text + columns[j].num_first;

        spot_text_cell(out, rest, strlen(rest), columns[j].width);
        end_cell(self, j, out);
    }
}

static void
write_rows(const spot_text_table_t *self, const column_t *columns,
    const spot_terminal_t *terminal, FILE *out)
{
    write_head(self, columns, out);
    for (size_t j = self->num_columns; j < self->num_cells; j++) {
        const size_t column_id = j % self->num_columns;

        write_styled(&self->cells[j], columns[column_id].width, terminal, out);
        end_cell(self, column_id, out);
    }
}

/* "name  value", or below each other where that is too wide. */
static void
write_record_line(const spot_text_cell_t *name, const spot_text_cell_t *value,
    int name_width, const spot_terminal_t *terminal, FILE *out)
{
    const int value_width = (int) spot_utf8_count(value->text, strlen(value->text));

    spot_text_widen(&name_width, name->text);
    write_styled(name, name_width, terminal, out);
    if (name_width + GAP + value_width > terminal->width) {
        fprintf(out, "\n%*s", GAP, "");
    } else {
        fprintf(out, "%*s", GAP, "");
    }
    write_styled(value, 0, terminal, out);
    fputc('\n', out);
}

static void
write_records(const spot_text_table_t *self, const spot_terminal_t *terminal, FILE *out)
{
    int name_width = 0;

    for (size_t j = 0; j < self->num_columns; j++) {
        spot_text_widen(&name_width, self->cells[j].text);
    }
    if (name_width > terminal->width / 2) {
        name_width = 0; /* rather not aligned than broken */
    }
    for (size_t j = self->num_columns; j < self->num_cells; j++) {
        const size_t column_id = j % self->num_columns;

        if (column_id == 0 && j > self->num_columns) {
            fputc('\n', out);
        }
        write_record_line(
            &self->cells[column_id], &self->cells[j], name_width, terminal, out);
    }
}

/* Returns the width of a row. */
static int
measure(const spot_text_table_t *self, column_t *columns)
{
    int width = -GAP;

    for (size_t j = 0; j < self->num_columns; j++) {
        measure_column(self, j, &columns[j]);
        width += columns[j].width + GAP;
    }
    return width;
}

bool
spot_text_table_fits(const spot_text_table_t *self, const spot_terminal_t *terminal)
{
    column_t *columns = spot_calloc(self->num_columns, sizeof(*columns));
    const bool fits = columns != NULL && measure(self, columns) <= terminal->width;

    free(columns);
    return fits;
}

void
spot_text_table_write(
    const spot_text_table_t *self, const spot_terminal_t *terminal, FILE *out)
{
    column_t *columns = spot_calloc(self->num_columns, sizeof(*columns));

    if (columns != NULL && measure(self, columns) <= terminal->width) {
        write_rows(self, columns, terminal, out);
    } else {
        write_records(self, terminal, out);
    }
    free(columns);
}
