/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/table_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/table/text_cell.h"
#include "reports/table/wrap.h"

#define SHORT_NAME 12    /* characters: not broken */
#define MAX_HEAD_LINES 3 /* of a name, where that is no wider than its cells */
#define MIN_PROSE 20     /* a column of prose is not made narrower */
#define MIN_REST 24      /* for what stands in place of a row */
#define SHORT_COLUMN 8   /* for which prose leaves room beside it */
#define PLUS_MINUS_WIDTH 2

static int width_of(const char *text)
{
    return spot_wrap_width(text, strlen(text));
}

static void widen(int *width, int needed)
{
    *width = *width > needed ? *width : needed;
}

/* What of a text can be shown, and what stands behind it. */
static const char *make_shown(
    spot_table_layout_t *self, const char *text, const char *marks, const char *remark)
{
    FILE *out = spot_texts_begin(&self->texts);

    if (out != NULL) {
        spot_text_write(out, text);
        fprintf(out, "%s%s%s", marks, remark == NULL ? "" : " ", remark == NULL ? "" : remark);
    }
    return spot_texts_end(&self->texts, out);
}

/* ---- Heads ---- */

/* The bytes of name that go on a line, which ends behind one of "._" or at a blank. */
static size_t head_line(const char *name, int width, size_t *next)
{
    size_t end = 0;

    if (width_of(name) <= (width > SHORT_NAME ? width : SHORT_NAME)) {
        *next = strlen(name);
        return *next;
    }
    do {
        const size_t piece = strcspn(name + end + 1, "._ ") + 1;
        const size_t length = end + piece + (name[end + piece] != '\0' && name[end + piece] != ' ');

        if (end > 0 && spot_wrap_width(name, length) > width) {
            break;
        }
        end = length;
    } while (name[end] != '\0');
    *next = end + (name[end] == ' ');
    return end;
}

/* Returns the lines of a name that is broken at a width, *widest: of them. */
static int count_head_lines(const char *name, int width, int *widest)
{
    int num_lines = 0;
    size_t next;

    *widest = 0;
    for (; *name != '\0'; name += next) {
        const size_t num_bytes = head_line(name, width, &next);

        widen(widest, spot_wrap_width(name, num_bytes));
        num_lines++;
    }
    return num_lines;
}

const char *spot_table_layout_head(const spot_table_place_t *column, int line, size_t *num_bytes)
{
    const char *name = column->name;
    size_t next;

    *num_bytes = 0;
    for (int j = 0; *name != '\0'; j++) {
        const size_t length = head_line(name, column->width, &next);

        if (j == line) {
            *num_bytes = length;
            return name;
        }
        name += next;
    }
    return "";
}

/* As wide as its cells, or as its name needs on MAX_HEAD_LINES. */
static void fit_head(spot_table_place_t *column, const char *unit)
{
    int widest;

    widen(&column->width, width_of(unit));
    widen(&column->width, 1);
    while (count_head_lines(column->name, column->width, &widest) > MAX_HEAD_LINES ||
           widest > column->width) {
        column->width++;
    }
    column->num_head_lines = count_head_lines(column->name, column->width, &widest);
}

/* ---- Columns ---- */

static bool is_prose(const spot_table_layout_t *self, size_t column_id)
{
    return self->table->columns[column_id].kind == SPOT_TABLE_PROSE;
}

static void measure_column(spot_table_layout_t *self, size_t column_id)
{
    const spot_table_t *table = self->table;
    spot_table_place_t *column = &self->columns[column_id];
    int text_width = 0;

    column->num_decimals = spot_table_column_decimals(table, column_id);
    for (size_t j = 0; j < table->num_rows; j++) {
        const spot_table_cell_t *cell = spot_table_cell(table, j, column_id);
        spot_table_parts_t parts;

        const int own_width = width_of(spot_table_layout_text(self, j, column_id));

        if (cell->content == SPOT_TABLE_WORDS || cell->content == SPOT_TABLE_REST) {
            const bool is_rest = cell->content == SPOT_TABLE_REST;

            widen(&text_width, is_rest && own_width > MIN_REST ? MIN_REST : own_width);
            continue;
        }
        spot_table_parts(table, j, column_id, column->num_decimals, &parts);
        widen(&column->number_width, cell->content == SPOT_TABLE_UNKNOWN);
        widen(&column->number_width, width_of(parts.before) + width_of(parts.number));
        widen(&column->half_width, width_of(parts.half_width));
        widen(&column->mark_width, width_of(cell->marks));
        widen(&column->remark_width, cell->remark == NULL ? 0 : 1 + width_of(cell->remark));
    }
    column->width = column->number_width + column->mark_width + column->remark_width +
                    (column->half_width > 0 ? PLUS_MINUS_WIDTH + column->half_width : 0);
    widen(&column->width, text_width);
    if (is_prose(self, column_id)) { /* which has room, or is made narrow later */
        widen(&column->width, width_of(column->name));
    }
    fit_head(column, table->columns[column_id].unit);
}

int spot_table_layout_keys_width(const spot_table_layout_t *self)
{
    int width = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        width += self->columns[j].width + SPOT_TABLE_GAP;
    }
    return width;
}

static void narrow(spot_table_layout_t *self, size_t column_id, int width)
{
    spot_table_place_t *column = &self->columns[column_id];
    const int least = width > MIN_PROSE ? width : MIN_PROSE;

    if (least < column->width) {
        column->width = least;
        fit_head(column, self->table->columns[column_id].unit);
    }
}

/* What the keys take where prose in them is as narrow as it may be. */
static int keys_room(const spot_table_layout_t *self)
{
    int width = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        const int own_width = self->columns[j].width;

        width +=
            SPOT_TABLE_GAP + (is_prose(self, j) && own_width > MIN_PROSE ? MIN_PROSE : own_width);
    }
    return width;
}

/* Columns of prose share what the others leave; where that is not enough, so that
 * columns go on below, each has what the keys leave. */
static void share_room(spot_table_layout_t *self)
{
    const size_t num_columns = self->table->num_columns;
    int room = self->width - SPOT_TABLE_GAP * ((int) num_columns - 1);
    int num_prose = 0;
    bool is_folded;

    for (size_t j = 0; j < num_columns; j++) {
        num_prose += is_prose(self, j);
        room -= is_prose(self, j) ? 0 : self->columns[j].width;
    }
    is_folded = room < num_prose * MIN_PROSE;
    for (size_t j = 0; j < num_columns; j++) {
        if (is_prose(self, j) && is_folded) {
            narrow(self, j,
                j < self->num_keys ? MIN_PROSE : self->width - keys_room(self) - SHORT_COLUMN);
        } else if (is_prose(self, j)) { /* the last one has what the others leave */
            narrow(self, j, room / num_prose);
            room -= self->columns[j].width;
            num_prose--;
        }
    }
}

static void choose_form(spot_table_layout_t *self)
{
    const int keys_width = spot_table_layout_keys_width(self);

    share_room(self);
    for (size_t j = 0; j < self->table->num_columns; j++) {
        const int before = j < self->num_keys ? 0 : keys_width;

        self->is_records = self->is_records || before + self->columns[j].width > self->width;
    }
    self->is_records = self->is_records || (self->num_keys == self->table->num_columns &&
                                               keys_width - SPOT_TABLE_GAP > self->width);
}

size_t spot_table_layout_block_end(const spot_table_layout_t *self, size_t first_id)
{
    size_t column_id = first_id;
    int width = spot_table_layout_keys_width(self) - SPOT_TABLE_GAP;

    while (column_id < self->table->num_columns) {
        width += SPOT_TABLE_GAP + self->columns[column_id].width;
        if (width > self->width && column_id > first_id) {
            break;
        }
        column_id++;
    }
    return column_id;
}

const char *spot_table_layout_text(const spot_table_layout_t *self, size_t row_id, size_t column_id)
{
    return self->shown[row_id * self->table->num_columns + column_id];
}

int spot_table_layout_init(spot_table_layout_t *self, const spot_table_t *table, int width)
{
    *self = (spot_table_layout_t){
        .table = table, .width = width, .num_keys = spot_table_num_keys(table)};
    self->columns = spot_calloc(table->num_columns, sizeof(*self->columns));
    self->shown = spot_calloc(table->num_cells, sizeof(*self->shown));
    if (self->columns == NULL || self->shown == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < table->num_cells; j++) {
        const spot_table_cell_t *cell = &table->cells[j];

        self->shown[j] =
            cell->text == NULL ? "" : make_shown(self, cell->text, cell->marks, cell->remark);
    }
    for (size_t j = 0; j < table->num_columns; j++) {
        self->columns[j].name = make_shown(self, table->columns[j].name, "", NULL);
        measure_column(self, j);
    }
    choose_form(self);
    return self->texts.error;
}

void spot_table_layout_free(spot_table_layout_t *self)
{
    free(self->columns);
    free(self->shown);
    spot_texts_free(&self->texts);
    memset(self, 0, sizeof(*self));
}
