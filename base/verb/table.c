/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verb/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/memory.h"
#include "base/number.h"

/* ---- Numbers as text that people read ---- */

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

/* ---- The table ---- */

static void keep_error(spot_table_t *self, int error)
{
    self->error = spot_error_first(self->error, error);
}

/* A copy that lives as long as owner, or NULL for NULL. */
static const char *copy_text(spot_table_t *self, spot_texts_t *owner, const char *text)
{
    const char *copy = text == NULL ? NULL : spot_texts_add(owner, "%s", text);

    keep_error(self, owner->error);
    return copy;
}

void spot_table_free(spot_table_t *self)
{
    spot_texts_free(&self->texts);
    spot_texts_free(&self->names);
    free(self->columns);
    free(self->cells);
    free(self->notes);
    free(self->headings);
    memset(self, 0, sizeof(*self));
}

void spot_table_add_column(spot_table_t *self, spot_table_column_t column)
{
    column.name = copy_text(self, &self->names, column.name);
    column.unit = copy_text(self, &self->names, column.unit == NULL ? "" : column.unit);
    column.factor = column.factor == 0 ? 1 : column.factor;
    keep_error(self, SPOT_ARRAY_APPEND(self, columns, column));
}

void spot_table_add_columns(
    spot_table_t *self, size_t num_columns, const spot_table_column_t *columns)
{
    for (size_t j = 0; j < num_columns; j++) {
        spot_table_add_column(self, columns[j]);
    }
}

/* Room for one more row. */
static void reserve_row(spot_table_t *self)
{
    const size_t num_before = self->max_rows;

    keep_error(self, spot_array_reserve(&self->headings, &self->max_rows, self->num_rows + 1,
                         sizeof(*self->headings)));
    if (self->max_rows > num_before) {
        memset(self->headings + num_before, 0,
            (self->max_rows - num_before) * sizeof(*self->headings));
    }
}

void spot_table_add_heading(spot_table_t *self, const char *text)
{
    reserve_row(self);
    if (self->error == 0) {
        self->headings[self->num_rows] = copy_text(self, &self->texts, text);
    }
}

void spot_table_add_row(spot_table_t *self)
{
    reserve_row(self);
    keep_error(self, spot_array_reserve(&self->cells, &self->max_cells,
                         self->num_cells + self->num_columns, sizeof(*self->cells)));
    if (self->error != 0) {
        return;
    }
    memset(self->cells + self->num_cells, 0, self->num_columns * sizeof(*self->cells));
    self->num_cells += self->num_columns;
    self->num_rows++;
    self->next_id = 0;
}

static spot_table_cell_t *last_cell(const spot_table_t *self)
{
    const size_t row = (self->num_rows - 1) * self->num_columns;

    return &self->cells[row + self->next_id - 1];
}

static void add_cell(spot_table_t *self, spot_table_cell_t cell)
{
    if (self->error == 0) {
        spot_bug_assert(self->num_rows > 0 && self->next_id < self->num_columns);
        self->next_id++;
        *last_cell(self) = cell;
    }
}

/* A text that lives as long as the table. */
static void add_words(spot_table_t *self, const char *text)
{
    keep_error(self, self->texts.error);
    add_cell(self,
        (spot_table_cell_t){.content = SPOT_TABLE_WORDS, .value = (double) NAN, .text = text});
}

void spot_table_add_text(spot_table_t *self, const char *text)
{
    add_words(self, copy_text(self, &self->texts, text));
}

void spot_table_add_format(spot_table_t *self, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    add_words(self, spot_texts_vadd(&self->texts, format, values));
    va_end(values);
}

void spot_table_add_rest(spot_table_t *self, const char *text)
{
    add_cell(self, (spot_table_cell_t){
                       .content = SPOT_TABLE_REST, .text = copy_text(self, &self->texts, text)});
}

double spot_table_next_factor(const spot_table_t *self)
{
    return self->next_id < self->num_columns ? self->columns[self->next_id].factor : 1;
}

void spot_table_add_estimate(spot_table_t *self, double value, double half_width)
{
    add_cell(self,
        (spot_table_cell_t){.content = isfinite(value) ? SPOT_TABLE_VALUE : SPOT_TABLE_UNKNOWN,
            .value = value,
            .half_width = half_width});
}

void spot_table_add_number(spot_table_t *self, double value)
{
    spot_table_add_estimate(self, value, (double) NAN);
}

void spot_table_add_count(spot_table_t *self, int64_t count)
{
    add_cell(self, (spot_table_cell_t){.content = SPOT_TABLE_COUNT,
                       .value = (double) count,
                       .half_width = (double) NAN,
                       .count = count});
}

void spot_table_add_above(spot_table_t *self, double least)
{
    add_cell(self, (spot_table_cell_t){
                       .content = SPOT_TABLE_ABOVE, .value = least, .half_width = (double) NAN});
}

void spot_table_add_empty(spot_table_t *self)
{
    add_cell(self, (spot_table_cell_t){.content = SPOT_TABLE_EMPTY});
}

void spot_table_set_remark(spot_table_t *self, const char *text)
{
    if (self->error == 0) {
        last_cell(self)->remark = copy_text(self, &self->texts, text);
    }
}

void spot_table_set_value(spot_table_t *self, double value)
{
    if (self->error == 0) {
        last_cell(self)->value = value;
    }
}

void spot_table_add_marks(spot_table_t *self, const char *marks)
{
    if (self->error == 0) {
        char *place = last_cell(self)->marks;
        const size_t used = strlen(place);

        snprintf(place + used, SPOT_TABLE_MARK_BYTES - used, "%s", marks);
    }
}

void spot_table_add_note(spot_table_t *self, const char *marks, const char *text)
{
    const spot_table_note_t note = {
        copy_text(self, &self->texts, marks), copy_text(self, &self->texts, text)};

    keep_error(self, SPOT_ARRAY_APPEND(self, notes, note));
}

FILE *spot_table_begin_text(spot_table_t *self)
{
    FILE *stream = spot_texts_begin(&self->texts);

    keep_error(self, self->texts.error);
    return stream;
}

static const char *end_text(spot_table_t *self, FILE *stream)
{
    const char *text = spot_texts_end(&self->texts, stream);

    keep_error(self, self->texts.error);
    return text;
}

void spot_table_end_caption(spot_table_t *self, FILE *stream)
{
    self->caption = end_text(self, stream);
}

void spot_table_end_cell(spot_table_t *self, FILE *stream)
{
    add_words(self, end_text(self, stream));
}

void spot_table_add_list(spot_table_t *self, size_t num_items, const char *const *items)
{
    const char **copy = spot_arena_take(&self->texts.arena, num_items, sizeof(*copy));
    FILE *text = spot_table_begin_text(self);

    for (size_t j = 0; j < num_items && copy != NULL && text != NULL; j++) {
        copy[j] = copy_text(self, &self->texts, items[j]);
        fprintf(text, "%s%s", j == 0 ? "" : ", ", items[j]);
    }
    keep_error(self, self->texts.arena.error);
    spot_table_end_cell(self, text);
    if (self->error == 0) {
        last_cell(self)->num_items = num_items;
        last_cell(self)->items = copy;
    }
}

const spot_table_cell_t *spot_table_cell(const spot_table_t *self, size_t row_id, size_t column_id)
{
    return &self->cells[row_id * self->num_columns + column_id];
}

size_t spot_table_num_keys(const spot_table_t *self)
{
    size_t num_keys = 0;

    while (num_keys < self->num_columns && self->columns[num_keys].is_key) {
        num_keys++;
    }
    return num_keys == 0 && self->num_rows > 1 ? 1 : num_keys;
}

/* ---- CSV and JSON ---- */

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
