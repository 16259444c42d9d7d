/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/verb/terminal.h"
#include "reports/markup/html.h"

/* ---- A table on a terminal ---- */

#define TABLE_GAP 2 /* between columns */

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
} table_place_t;

typedef struct {
    const spot_table_t *table;
    int width;
    size_t num_keys;
    bool is_records;        /* a block a row: not even one column fits beside the keys */
    table_place_t *columns; /* [num_columns] */
    const char **shown;     /* [num_cells] texts as they are shown, or "" */
    spot_texts_t texts;     /* those above, and others of what writes */
} table_layout_t;

static const char *table_layout_text(const table_layout_t *self, size_t row_id, size_t column_id);

/* ---- The layout: what cells say, and how wide columns are ---- */

/* How a table is laid out on a terminal: what its cells say there, and how wide its
 * columns are. */

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
    table_layout_t *self, const char *text, const char *marks, const char *remark)
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

/* A line of the name of a column, counted from 0: *num_bytes of them; "" behind the
 * last one. */
static const char *table_layout_head(const table_place_t *column, int line, size_t *num_bytes)
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
static void fit_head(table_place_t *column, const char *unit)
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

static bool is_prose(const table_layout_t *self, size_t column_id)
{
    return self->table->columns[column_id].kind == SPOT_TABLE_PROSE;
}

static void measure_column(table_layout_t *self, size_t column_id)
{
    const spot_table_t *table = self->table;
    table_place_t *column = &self->columns[column_id];
    int text_width = 0;

    column->num_decimals = spot_table_column_decimals(table, column_id);
    for (size_t j = 0; j < table->num_rows; j++) {
        const spot_table_cell_t *cell = spot_table_cell(table, j, column_id);
        spot_table_parts_t parts;

        const int own_width = width_of(table_layout_text(self, j, column_id));

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

/* Width of the keys and a gap behind each. */
static int table_layout_keys_width(const table_layout_t *self)
{
    int width = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        width += self->columns[j].width + TABLE_GAP;
    }
    return width;
}

static void narrow(table_layout_t *self, size_t column_id, int width)
{
    table_place_t *column = &self->columns[column_id];
    const int least = width > MIN_PROSE ? width : MIN_PROSE;

    if (least < column->width) {
        column->width = least;
        fit_head(column, self->table->columns[column_id].unit);
    }
}

/* What the keys take where prose in them is as narrow as it may be. */
static int keys_room(const table_layout_t *self)
{
    int width = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        const int own_width = self->columns[j].width;

        width += TABLE_GAP + (is_prose(self, j) && own_width > MIN_PROSE ? MIN_PROSE : own_width);
    }
    return width;
}

/* Columns of prose share what the others leave; where that is not enough, so that
 * columns go on below, each has what the keys leave. */
static void share_room(table_layout_t *self)
{
    const size_t num_columns = self->table->num_columns;
    int room = self->width - TABLE_GAP * ((int) num_columns - 1);
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

static void choose_form(table_layout_t *self)
{
    const int keys_width = table_layout_keys_width(self);

    share_room(self);
    for (size_t j = 0; j < self->table->num_columns; j++) {
        const int before = j < self->num_keys ? 0 : keys_width;

        self->is_records = self->is_records || before + self->columns[j].width > self->width;
    }
    self->is_records = self->is_records || (self->num_keys == self->table->num_columns &&
                                               keys_width - TABLE_GAP > self->width);
}

/* The columns from first_id on that fit beside the keys: the id behind them. */
static size_t table_layout_block_end(const table_layout_t *self, size_t first_id)
{
    size_t column_id = first_id;
    int width = table_layout_keys_width(self) - TABLE_GAP;

    while (column_id < self->table->num_columns) {
        width += TABLE_GAP + self->columns[column_id].width;
        if (width > self->width && column_id > first_id) {
            break;
        }
        column_id++;
    }
    return column_id;
}

static const char *table_layout_text(const table_layout_t *self, size_t row_id, size_t column_id)
{
    return self->shown[row_id * self->table->num_columns + column_id];
}

/* The table must outlive self. NO_MEMORY; free self even then. */
static int table_layout_init(table_layout_t *self, const spot_table_t *table, int width)
{
    *self =
        (table_layout_t){.table = table, .width = width, .num_keys = spot_table_num_keys(table)};
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

static void table_layout_free(table_layout_t *self)
{
    free(self->columns);
    free(self->shown);
    spot_texts_free(&self->texts);
    memset(self, 0, sizeof(*self));
}

/* ---- Writing ---- */

#define PLUS_MINUS " ±"

typedef struct {
    table_layout_t layout;
    const spot_table_t *table;
    const spot_terminal_t *terminal;
    FILE *out;
} writer_t;

static void blanks(const writer_t *self, int num_blanks)
{
    fprintf(self->out, "%*s", num_blanks > 0 ? num_blanks : 0, "");
}

static void styled(const writer_t *self, const char *text, size_t num_bytes, spot_style_t style)
{
    fprintf(self->out, "%s%.*s%s", num_bytes == 0 ? "" : spot_style_on(self->terminal, style),
        (int) num_bytes, text, num_bytes == 0 ? "" : spot_style_off(self->terminal, style));
}

/* At the side of the column where its kind is. */
static void aligned(
    const writer_t *self, size_t column_id, const char *text, size_t num_bytes, spot_style_t style)
{
    const int width = self->layout.columns[column_id].width;
    const int num_blanks = width - spot_wrap_width(text, num_bytes);
    const bool is_right = self->table->columns[column_id].kind == SPOT_TABLE_NUMBER;

    blanks(self, is_right ? num_blanks : 0);
    styled(self, text, num_bytes, style);
    blanks(self, is_right ? 0 : num_blanks);
}

/* ---- Cells ---- */

/* The parts of numbers line up: "12.50 ±0.30* (563 of 1000)". */
static void write_number(const writer_t *self, size_t row_id, size_t column_id)
{
    const table_place_t *column = &self->layout.columns[column_id];
    const spot_table_cell_t *cell = spot_table_cell(self->table, row_id, column_id);
    const char *remark = cell->remark == NULL ? "" : cell->remark;
    const int remark_width = spot_wrap_width(remark, strlen(remark));
    int left = column->width - column->mark_width - column->remark_width;
    spot_table_parts_t parts;
    int used;

    spot_table_parts(self->table, row_id, column_id, column->num_decimals, &parts);
    used = (int) (strlen(parts.before) + strlen(parts.number));
    if (cell->content == SPOT_TABLE_UNKNOWN) {
        strcpy(parts.number, "-");
        used = 1;
    }
    left -= column->half_width > 0 ? 2 + column->half_width : 0;
    blanks(self, left - used);
    fputs(parts.before, self->out);
    fputs(parts.number, self->out);
    if (parts.half_width[0] != '\0') {
        fprintf(self->out, "%s" PLUS_MINUS "%*s%s", spot_style_on(self->terminal, SPOT_STYLE_DIM),
            column->half_width, parts.half_width, spot_style_off(self->terminal, SPOT_STYLE_DIM));
    } else {
        blanks(self, column->half_width > 0 ? 2 + column->half_width : 0);
    }
    styled(self, cell->marks, strlen(cell->marks), SPOT_STYLE_BOLD);
    blanks(self, column->mark_width - (int) strlen(cell->marks));
    blanks(self, column->remark_width - remark_width);
    fputs(remark, self->out);
}

/* Moves *text to one of its lines, counted from 0, of *length bytes: 0 behind the last
 * one. Returns whether there are more. */
static bool find_line(const char **text, int width, int line, size_t *length)
{
    size_t next = 0;

    for (int j = 0; j <= line; j++) {
        *text += next;
        *length = spot_wrap_line(*text, width, &next);
    }
    return (*text)[next] != '\0';
}

/* A line of a text; returns whether there are more. */
static bool write_text_line(const writer_t *self, size_t row_id, size_t column_id, int line)
{
    const int width = self->layout.columns[column_id].width;
    const char *text = table_layout_text(&self->layout, row_id, column_id);
    size_t length = strlen(text);
    bool has_more = false;

    if (self->table->columns[column_id].kind == SPOT_TABLE_PROSE) {
        has_more = find_line(&text, width, line, &length);
    } else if (line > 0) {
        length = 0;
    }
    aligned(self, column_id, text, length, SPOT_STYLE_PLAIN);
    return has_more;
}

static bool is_number(const spot_table_cell_t *cell)
{
    return cell->content != SPOT_TABLE_WORDS && cell->content != SPOT_TABLE_REST &&
           cell->content != SPOT_TABLE_EMPTY;
}

/* Returns whether there are more lines. */
static bool write_cell_line(const writer_t *self, size_t row_id, size_t column_id, int line)
{
    const spot_table_cell_t *cell = spot_table_cell(self->table, row_id, column_id);

    if (cell->content == SPOT_TABLE_WORDS) {
        return write_text_line(self, row_id, column_id, line);
    }
    if (line == 0 && is_number(cell)) {
        write_number(self, row_id, column_id);
    } else {
        blanks(self, self->layout.columns[column_id].width);
    }
    return false;
}

/* ---- Rows side by side ---- */

/* The keys, then the columns from first_id on. */
static size_t column_at(const writer_t *self, size_t place, size_t first_id)
{
    const size_t num_keys = self->layout.num_keys;

    return place < num_keys ? place : first_id + place - num_keys;
}

static void write_head(const writer_t *self, size_t first_id, size_t end_id)
{
    const size_t num_places = self->layout.num_keys + end_id - first_id;
    int num_lines = 0;
    bool has_unit = false;

    for (size_t j = 0; j < num_places; j++) {
        const size_t column_id = column_at(self, j, first_id);
        const int own_lines = self->layout.columns[column_id].num_head_lines;

        num_lines = own_lines > num_lines ? own_lines : num_lines;
        has_unit = has_unit || self->table->columns[column_id].unit[0] != '\0';
    }
    for (int line = 0; line < num_lines + has_unit; line++) {
        for (size_t j = 0; j < num_places; j++) {
            const size_t column_id = column_at(self, j, first_id);
            const table_place_t *column = &self->layout.columns[column_id];
            const int own_line = line - num_lines + column->num_head_lines;
            size_t num_bytes = 0;
            const char *text = own_line < 0 ? "" : table_layout_head(column, own_line, &num_bytes);

            if (line == num_lines) {
                text = self->table->columns[column_id].unit;
                num_bytes = strlen(text);
            }
            blanks(self, j == 0 ? 0 : TABLE_GAP);
            aligned(self, column_id, text, num_bytes,
                line == num_lines ? SPOT_STYLE_DIM : SPOT_STYLE_BOLD);
        }
        fputc('\n', self->out);
    }
}

/* Returns whether there are more lines. */
static bool write_line(
    const writer_t *self, size_t row_id, size_t first_id, size_t end_id, int line)
{
    const size_t num_places = self->layout.num_keys + end_id - first_id;
    bool has_more = false;
    int used = 0;

    for (size_t j = 0; j < num_places; j++) {
        const size_t column_id = column_at(self, j, first_id);

        blanks(self, j == 0 ? 0 : TABLE_GAP);
        used += j == 0 ? 0 : TABLE_GAP;
        if (spot_table_cell(self->table, row_id, column_id)->content == SPOT_TABLE_REST) {
            const char *text = table_layout_text(&self->layout, row_id, column_id);
            size_t length = 0;

            has_more = find_line(&text, self->terminal->width - used, line, &length) || has_more;
            fprintf(self->out, "%.*s", (int) length, text);
            break;
        }
        has_more = write_cell_line(self, row_id, column_id, line) || has_more;
        used += self->layout.columns[column_id].width;
    }
    fputc('\n', self->out);
    return has_more;
}

static void write_heading(const writer_t *self, size_t row_id)
{
    const char *heading = self->table->headings[row_id];

    if (heading != NULL) {
        fputs(spot_style_on(self->terminal, SPOT_STYLE_BOLD), self->out);
        spot_wrap_write(self->out, heading, self->terminal->width, 0);
        fprintf(self->out, "%s\n", spot_style_off(self->terminal, SPOT_STYLE_BOLD));
    }
}

/* A row without numbers stands in the first block, where all of its text is. */
static bool is_said(const writer_t *self, size_t row_id, size_t first_id)
{
    return first_id > self->layout.num_keys &&
           spot_table_cell(self->table, row_id, self->layout.num_keys)->content == SPOT_TABLE_REST;
}

static void write_blocks(const writer_t *self)
{
    size_t first_id = self->layout.num_keys;

    do {
        const size_t end_id = table_layout_block_end(&self->layout, first_id);

        fputs(first_id > self->layout.num_keys ? "\n" : "", self->out);
        write_head(self, first_id, end_id);
        for (size_t j = 0; j < self->table->num_rows; j++) {
            fputs(j > 0 && self->table->headings[j] != NULL ? "\n" : "", self->out);
            write_heading(self, j);
            for (int line = 0;
                 !is_said(self, j, first_id) && write_line(self, j, first_id, end_id, line);
                 line++) {
            }
        }
        first_id = end_id;
    } while (first_id < self->table->num_columns);
}

/* ---- Records ---- */

/* What a cell says, in one text. */
static const char *make_value(writer_t *self, size_t row_id, size_t column_id)
{
    const spot_table_cell_t *cell = spot_table_cell(self->table, row_id, column_id);
    const char *unit =
        cell->content == SPOT_TABLE_UNKNOWN ? "" : self->table->columns[column_id].unit;
    spot_table_parts_t parts;

    if (!is_number(cell)) {
        return table_layout_text(&self->layout, row_id, column_id);
    }
    spot_table_parts(
        self->table, row_id, column_id, self->layout.columns[column_id].num_decimals, &parts);
    return spot_texts_add(&self->layout.texts, "%s%s%s%s%s%s%s%s%s", parts.before,
        cell->content == SPOT_TABLE_UNKNOWN ? "-" : parts.number,
        parts.half_width[0] == '\0' ? "" : PLUS_MINUS, parts.half_width, cell->marks,
        cell->remark == NULL ? "" : " ", cell->remark == NULL ? "" : cell->remark,
        unit[0] == '\0' ? "" : " ", unit);
}

/* A value below its name. */
static void write_wrapped(const writer_t *self, const char *value)
{
    size_t next;

    while (*value != '\0') {
        const size_t length = spot_wrap_line(value, self->terminal->width - TABLE_GAP, &next);

        fprintf(self->out, "%.*s", (int) length, value);
        value += next;
        if (*value != '\0') {
            fputc('\n', self->out);
            blanks(self, TABLE_GAP);
        }
    }
}

/* "name  value", or below each other where that is too wide. */
static void write_field(writer_t *self, size_t row_id, size_t column_id, int name_width)
{
    const spot_table_cell_t *cell = spot_table_cell(self->table, row_id, column_id);
    const char *name = self->layout.columns[column_id].name;
    const char *value = make_value(self, row_id, column_id);
    const int own_width = spot_wrap_width(name, strlen(name));
    const int before = (own_width > name_width ? own_width : name_width) + TABLE_GAP;

    if (value[0] == '\0') {
        return;
    }
    if (cell->content == SPOT_TABLE_REST) {
        spot_wrap_write(self->out, value, self->terminal->width, 0);
    } else if (before + spot_wrap_width(value, strlen(value)) > self->terminal->width) {
        spot_wrap_write(self->out, name, self->terminal->width, TABLE_GAP);
        fputc('\n', self->out);
        blanks(self, TABLE_GAP);
        write_wrapped(self, value);
    } else {
        fputs(name, self->out);
        blanks(self, before - own_width);
        fputs(value, self->out);
    }
    fputc('\n', self->out);
}

static void write_records(writer_t *self)
{
    int name_width = 0;

    for (size_t j = 0; j < self->table->num_columns; j++) {
        const char *name = self->layout.columns[j].name;
        const int own_width = spot_wrap_width(name, strlen(name));

        name_width = own_width > name_width ? own_width : name_width;
    }
    if (name_width > self->terminal->width / 2) {
        name_width = 0; /* rather not aligned than broken */
    }
    for (size_t j = 0; j < self->table->num_rows; j++) {
        fputs(j > 0 ? "\n" : "", self->out);
        write_heading(self, j);
        for (size_t k = 0; k < self->table->num_columns; k++) {
            write_field(self, j, k, name_width);
        }
    }
}

/* ---- All ---- */

static void write_notes(writer_t *self)
{
    spot_texts_t *texts = &self->layout.texts;

    fputs(self->table->num_notes > 0 ? "\n" : "", self->out);
    for (size_t j = 0; j < self->table->num_notes; j++) {
        const spot_table_note_t *note = &self->table->notes[j];
        const bool has_marks = note->marks[0] != '\0';
        FILE *line = spot_texts_begin(texts);

        if (line != NULL) {
            fprintf(line, "%s%s", note->marks, has_marks ? ": " : "");
            spot_text_write(line, note->text);
        }
        spot_wrap_write(self->out, spot_texts_end(texts, line), self->terminal->width,
            has_marks ? spot_wrap_width(note->marks, strlen(note->marks)) + 2 : 0);
        fputc('\n', self->out);
    }
}

static void write_all(writer_t *self)
{
    if (self->table->caption != NULL) {
        spot_wrap_write(self->out, self->table->caption, self->terminal->width, 0);
        fputs("\n\n", self->out);
    }
    if (self->layout.is_records) {
        write_records(self);
    } else {
        write_blocks(self);
    }
    write_notes(self);
}

/* Without the blanks at the ends of lines. */
static void write_trimmed(const char *text, FILE *out)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        size_t kept = length;

        while (kept > 0 && text[kept - 1] == ' ') {
            kept--;
        }
        fwrite(text, 1, kept, out);
        text += length;
        if (*text == '\n') {
            fputc('\n', out);
            text++;
        }
    }
}

int spot_table_write_terminal(const spot_table_t *self, const spot_terminal_t *terminal, FILE *out)
{
    writer_t writer = {.table = self, .terminal = terminal};
    spot_texts_t *texts = &writer.layout.texts;
    int ret =
        self->error == 0 ? table_layout_init(&writer.layout, self, terminal->width) : self->error;

    if (ret == 0) {
        writer.out = spot_texts_begin(texts);
        if (writer.out != NULL) {
            write_all(&writer);
        }
        write_trimmed(spot_texts_end(texts, writer.out), out);
        ret = texts->error;
    }
    table_layout_free(&writer.layout);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

/* ---- A table on a page ---- */

static void write_open(const spot_table_t *self, const char *id, FILE *out)
{
    fprintf(out,
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
        "aria-labelledby=\"%s-caption\">\n<table id=\"%s\">\n<caption "
        "id=\"%s-caption\">",
        id, id, id);
    spot_html_text(out, self->caption == NULL ? "" : self->caption);
    fputs("</caption>\n<thead>\n<tr>", out);
    for (size_t j = 0; j < self->num_columns; j++) {
        const spot_table_column_t *column = &self->columns[j];

        fprintf(out, "<th scope=\"col\"%s>",
            j > 0 && column->kind == SPOT_TABLE_NUMBER ? " class=\"number\"" : "");
        spot_html_text(out, column->name);
        if (column->unit[0] != '\0') {
            fputs(" (", out);
            spot_html_text(out, column->unit);
            fputc(')', out);
        }
        fputs("</th>", out);
    }
    fputs("</tr>\n</thead>\n<tbody>\n", out);
}

static void write_marks(const char *marks, FILE *out)
{
    if (marks[0] != '\0') {
        spot_html_element(out, "sup", marks);
    }
}

#define MAX_BYTES 200    /* of a text that is not prose, and is not folded */
#define SUMMARY_CHARS 40 /* of one that is */

static void write_text(const spot_table_column_t *column, const char *text, FILE *out)
{
    if (column->kind != SPOT_TABLE_TEXT || strlen(text) <= MAX_BYTES) {
        spot_html_text(out, text);
        return;
    }
    fputs("<details><summary>", out);
    (void) spot_html_cut(out, text, SUMMARY_CHARS);
    fputs("</summary>", out);
    spot_html_text(out, text);
    fputs("</details>", out);
}

/* What stands in a cell. The marks are text, since not everybody sees colours. */
static void write_content(const spot_table_t *self, size_t row_id, size_t column_id, FILE *out)
{
    const spot_table_cell_t *cell = spot_table_cell(self, row_id, column_id);
    spot_table_parts_t parts;

    if (cell->text != NULL) {
        write_text(&self->columns[column_id], cell->text, out);
    } else {
        spot_table_parts(self, row_id, column_id, SPOT_TABLE_BY_CELL, &parts);
        fprintf(out, "%s%s%s%s", parts.before[0] == '\0' ? "" : "&gt; ",
            cell->content == SPOT_TABLE_UNKNOWN ? "–" : parts.number,
            parts.half_width[0] == '\0' ? "" : " ±", parts.half_width);
    }
    if (cell->remark != NULL) {
        fputs(" <small>", out);
        spot_html_text(out, cell->remark);
        fputs("</small>", out);
    }
    write_marks(cell->marks, out);
}

static void write_cell(const spot_table_t *self, size_t row_id, size_t column_id, FILE *out)
{
    const spot_table_cell_t *cell = spot_table_cell(self, row_id, column_id);
    const bool is_number = self->columns[column_id].kind == SPOT_TABLE_NUMBER &&
                           column_id >= spot_table_num_keys(self);
    const char *tag = column_id == 0 ? "th" : "td";

    fprintf(out, "<%s%s", tag, column_id == 0 ? " scope=\"row\"" : "");
    switch (cell->content) {
        case SPOT_TABLE_REST:
            fprintf(out, " colspan=\"%zu\"", self->num_columns - column_id);
            break;
        case SPOT_TABLE_UNKNOWN:
            fputs(" class=\"none\"", out);
            break;
        case SPOT_TABLE_VALUE:
        case SPOT_TABLE_COUNT:
        case SPOT_TABLE_ABOVE:
            fprintf(out, "%s data-value=\"%.8g\"",
                strchr(cell->marks, '*') == NULL ? "" : " class=\"marked\"", cell->value);
            break;
        case SPOT_TABLE_WORDS:
            if (isfinite(cell->value)) {
                fprintf(out, " data-value=\"%.8g\"", cell->value);
            } else {
                fputs(is_number ? " class=\"number\"" : "", out);
            }
            break;
        default:
            break;
    }
    fputc('>', out);
    write_content(self, row_id, column_id, out);
    fprintf(out, "</%s>", tag);
}

static void write_row(const spot_table_t *self, size_t row_id, FILE *out)
{
    if (self->headings[row_id] != NULL) {
        fprintf(out, "<tr><th scope=\"rowgroup\" colspan=\"%zu\">", self->num_columns);
        spot_html_text(out, self->headings[row_id]);
        fputs("</th></tr>\n", out);
    }
    fputs("<tr>", out);
    for (size_t j = 0; j < self->num_columns; j++) {
        write_cell(self, row_id, j, out);
        if (spot_table_cell(self, row_id, j)->content == SPOT_TABLE_REST) {
            break;
        }
    }
    fputs("</tr>\n", out);
}

int spot_table_write_html(const spot_table_t *self, const char *id, FILE *out)
{
    if (self->error != 0) {
        return self->error;
    }
    write_open(self, id, out);
    for (size_t j = 0; j < self->num_rows; j++) {
        write_row(self, j, out);
    }
    fputs("</tbody>\n</table>\n</div>\n", out);
    for (size_t j = 0; j < self->num_notes; j++) {
        const spot_table_note_t *note = &self->notes[j];

        fputs("<p class=\"note\">", out);
        write_marks(note->marks, out);
        fputs(note->marks[0] == '\0' ? "" : " ", out);
        spot_html_text(out, note->text);
        fputs("</p>\n", out);
    }
    return ferror(out) ? SPOT_ERR_IO : 0;
}

/* ---- The form of pages ---- */

static void page_section(const spot_document_t *self, const char *id, const char *title)
{
    fprintf(self->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">", id,
        id, id);
    spot_html_text(self->out, title);
    fputs("</h2>\n", self->out);
}

static void page_end_section(const spot_document_t *self)
{
    fputs("</section>\n", self->out);
}

static void page_element(const spot_document_t *self, const char *tag, const char *text)
{
    spot_html_element(self->out, tag, text);
    fputc('\n', self->out);
}

static void page_heading(const spot_document_t *self, const char *text)
{
    page_element(self, "h3", text);
}

static void page_list(const spot_document_t *self, bool is_open)
{
    fputs(is_open ? "<ul>\n" : "</ul>\n", self->out);
}

static void page_line(const spot_document_t *self, spot_line_kind_t kind, const char *text)
{
    static const char *const tags[] = {
        [SPOT_DOCUMENT_PARAGRAPH] = "p",
        [SPOT_DOCUMENT_NOTE] = "p class=\"note\"",
        [SPOT_DOCUMENT_ITEM] = "li",
    };

    page_element(self, tags[kind], text);
}

static void page_fold(const spot_document_t *self, const char *summary)
{
    fputs("<details>\n", self->out);
    page_element(self, "summary", summary);
}

static void page_end_fold(const spot_document_t *self)
{
    fputs("</details>\n", self->out);
}

static int page_table(const spot_document_t *self, const char *id, const spot_table_t *table)
{
    return spot_table_write_html(table, id, self->out);
}

static void nothing(const spot_document_t *self)
{
    (void) self;
}

void spot_document_to_page(spot_document_t *self, FILE *out)
{
    static const spot_document_form_t form = {.section = page_section,
        .end_section = page_end_section,
        .heading = page_heading,
        .list = page_list,
        .line = page_line,
        .gap = nothing,
        .fold = page_fold,
        .end_fold = page_end_fold,
        .table = page_table};

    *self = (spot_document_t){.form = &form, .out = out};
}

/* ---- The form of terminals ---- */

/* A line of bold text. */
static void terminal_heading(const spot_document_t *self, const char *text)
{
    fprintf(self->out, "\n%s", spot_style_on(self->terminal, SPOT_STYLE_BOLD));
    spot_text_write(self->out, text);
    fprintf(self->out, "%s\n", spot_style_off(self->terminal, SPOT_STYLE_BOLD));
}

static void terminal_section(const spot_document_t *self, const char *id, const char *title)
{
    (void) id;
    terminal_heading(self, title);
}

static void terminal_list(const spot_document_t *self, bool is_open)
{
    (void) self;
    (void) is_open;
}

static void terminal_line(const spot_document_t *self, spot_line_kind_t kind, const char *text)
{
    fputs(kind == SPOT_DOCUMENT_ITEM ? "  " : "", self->out);
    spot_text_write(self->out, text);
    fputc('\n', self->out);
}

static void terminal_gap(const spot_document_t *self)
{
    fputc('\n', self->out);
}

static int terminal_table(const spot_document_t *self, const char *id, const spot_table_t *table)
{
    (void) id;
    return spot_table_write_terminal(table, self->terminal, self->out);
}

void spot_document_to_terminal(spot_document_t *self, const spot_terminal_t *terminal, FILE *out)
{
    static const spot_document_form_t form = {.section = terminal_section,
        .end_section = nothing,
        .heading = terminal_heading,
        .list = terminal_list,
        .line = terminal_line,
        .gap = terminal_gap,
        .fold = terminal_heading,
        .end_fold = nothing,
        .table = terminal_table};

    *self = (spot_document_t){.form = &form, .out = out, .terminal = terminal};
}
