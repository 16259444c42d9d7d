/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void
keep_error(spot_table_t *self, int error)
{
    self->error = self->error == 0 ? error : self->error;
}

/* A copy, or NULL for NULL and where there is no memory. */
static char *
copy_text(spot_table_t *self, const char *text)
{
    char *copy = text == NULL ? NULL : spot_text_copy(text, strlen(text));

    if (text != NULL && copy == NULL) {
        keep_error(self, SPOT_ERR_NO_MEMORY);
    }
    return copy;
}

static void
free_texts(const char *first, const char *second)
{
    free((void *) (uintptr_t) first);
    free((void *) (uintptr_t) second);
}

void
spot_table_clear(spot_table_t *self)
{
    for (size_t j = 0; j < self->num_cells; j++) {
        free_texts(self->cells[j].text, self->cells[j].remark);
    }
    for (size_t j = 0; j < self->num_notes; j++) {
        free_texts(self->notes[j].marks, self->notes[j].text);
    }
    for (size_t j = 0; self->headings != NULL && j < self->num_rows; j++) {
        free(self->headings[j]);
        self->headings[j] = NULL;
    }
    self->num_cells = 0;
    self->num_notes = 0;
    self->num_rows = 0;
}

void
spot_table_free(spot_table_t *self)
{
    spot_table_clear(self);
    for (size_t j = 0; j < self->num_columns; j++) {
        free_texts(self->columns[j].name, self->columns[j].unit);
    }
    free(self->columns);
    free(self->cells);
    free(self->notes);
    free(self->headings);
    free(self->caption);
    free(self->written);
    memset(self, 0, sizeof(*self));
}

void
spot_table_add_column(spot_table_t *self, spot_table_column_t column)
{
    keep_error(self, spot_array_reserve(&self->columns, &self->max_columns,
                         self->num_columns + 1, sizeof(*self->columns)));
    if (self->error != 0) {
        return;
    }
    column.name = copy_text(self, column.name);
    column.unit = copy_text(self, column.unit == NULL ? "" : column.unit);
    column.factor = column.factor == 0 ? 1 : column.factor;
    self->columns[self->num_columns++] = column;
}

/* Room for one more row. */
static void
reserve_row(spot_table_t *self)
{
    const size_t num_before = self->max_rows;

    keep_error(self, spot_array_reserve(&self->headings, &self->max_rows,
                         self->num_rows + 1, sizeof(*self->headings)));
    if (self->max_rows > num_before) {
        memset(self->headings + num_before, 0,
            (self->max_rows - num_before) * sizeof(*self->headings));
    }
}

void
spot_table_add_heading(spot_table_t *self, const char *text)
{
    reserve_row(self);
    if (self->error == 0) {
        free(self->headings[self->num_rows]);
        self->headings[self->num_rows] = copy_text(self, text);
    }
}

void
spot_table_add_row(spot_table_t *self)
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

static spot_table_cell_t *
last_cell(const spot_table_t *self)
{
    const size_t row = (self->num_rows - 1) * self->num_columns;

    return &self->cells[row + self->next_id - 1];
}

static void
add_cell(spot_table_t *self, spot_table_cell_t cell)
{
    if (self->error == 0) {
        spot_bug_assert(self->num_rows > 0 && self->next_id < self->num_columns);
        self->next_id++;
        *last_cell(self) = cell;
    } else {
        free(cell.text);
    }
}

void
spot_table_add_text(spot_table_t *self, const char *text)
{
    add_cell(self, (spot_table_cell_t){.content = SPOT_TABLE_WORDS,
                       .value = (double) NAN,
                       .text = copy_text(self, text)});
}

void
spot_table_add_rest(spot_table_t *self, const char *text)
{
    add_cell(self,
        (spot_table_cell_t){.content = SPOT_TABLE_REST, .text = copy_text(self, text)});
}

void
spot_table_add_estimate(spot_table_t *self, double value, double half_width)
{
    add_cell(self, (spot_table_cell_t){.content = isfinite(value) ? SPOT_TABLE_VALUE
                                                                  : SPOT_TABLE_UNKNOWN,
                       .value = value,
                       .half_width = half_width});
}

void
spot_table_add_number(spot_table_t *self, double value)
{
    spot_table_add_estimate(self, value, (double) NAN);
}

void
spot_table_add_count(spot_table_t *self, int64_t count)
{
    add_cell(self, (spot_table_cell_t){.content = SPOT_TABLE_COUNT,
                       .value = (double) count,
                       .half_width = (double) NAN,
                       .count = count});
}

void
spot_table_add_above(spot_table_t *self, double least)
{
    add_cell(self,
        (spot_table_cell_t){
            .content = SPOT_TABLE_ABOVE, .value = least, .half_width = (double) NAN});
}

void
spot_table_add_empty(spot_table_t *self)
{
    add_cell(self, (spot_table_cell_t){.content = SPOT_TABLE_EMPTY});
}

void
spot_table_set_remark(spot_table_t *self, const char *text)
{
    if (self->error == 0) {
        last_cell(self)->remark = copy_text(self, text);
    }
}

void
spot_table_set_value(spot_table_t *self, double value)
{
    if (self->error == 0) {
        last_cell(self)->value = value;
    }
}

void
spot_table_add_marks(spot_table_t *self, const char *marks)
{
    if (self->error == 0) {
        char *place = last_cell(self)->marks;
        const size_t used = strlen(place);

        snprintf(place + used, SPOT_TABLE_MARK_BYTES - used, "%s", marks);
    }
}

void
spot_table_set_style(spot_table_t *self, spot_style_t style)
{
    if (self->error == 0) {
        last_cell(self)->style = style;
    }
}

void
spot_table_add_note(spot_table_t *self, const char *marks, const char *text)
{
    keep_error(self, spot_array_reserve(&self->notes, &self->max_notes,
                         self->num_notes + 1, sizeof(*self->notes)));
    if (self->error == 0) {
        char *own_marks = copy_text(self, marks);

        self->notes[self->num_notes++] =
            (spot_table_note_t){own_marks, copy_text(self, text)};
    }
}

FILE *
spot_table_begin_text(spot_table_t *self)
{
    FILE *stream = open_memstream(&self->written, &self->num_written);

    if (stream == NULL) {
        keep_error(self, SPOT_ERR_NO_MEMORY);
    }
    return stream;
}

/* Returns the text, which the caller frees; NULL: no memory. */
static char *
end_text(spot_table_t *self, FILE *stream)
{
    char *text;

    if (stream != NULL && fclose(stream) != 0) {
        keep_error(self, SPOT_ERR_NO_MEMORY);
        free(self->written);
        self->written = NULL;
    }
    text = self->written;
    self->written = NULL;
    return text;
}

void
spot_table_end_caption(spot_table_t *self, FILE *stream)
{
    free(self->caption);
    self->caption = end_text(self, stream);
}

void
spot_table_end_cell(spot_table_t *self, FILE *stream)
{
    char *text = end_text(self, stream);

    add_cell(
        self, (spot_table_cell_t){
                  .content = SPOT_TABLE_WORDS, .value = (double) NAN, .text = text});
}

void
spot_table_end_note(spot_table_t *self, const char *marks, FILE *stream)
{
    char *text = end_text(self, stream);

    if (marks != NULL && text != NULL) {
        spot_table_add_note(self, marks, text);
    }
    free(text);
}

const spot_table_cell_t *
spot_table_cell(const spot_table_t *self, size_t row_id, size_t column_id)
{
    return &self->cells[row_id * self->num_columns + column_id];
}

size_t
spot_table_num_keys(const spot_table_t *self)
{
    size_t num_keys = 0;

    while (num_keys < self->num_columns && self->columns[num_keys].is_key) {
        num_keys++;
    }
    return num_keys == 0 && self->num_rows > 1 ? 1 : num_keys;
}
