/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/mean_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/decimals.h"
#include "reports/text_cell.h"
#include "reports/value_label.h"

#define GAP 2               /* between cells */
#define MIN_UNABLE_CHARS 24 /* of the reason why a point cannot run */
#define UNABLE_CELL_BYTES 512
#define PLUS_MINUS " ±"
#define PLUS_MINUS_WIDTH 2

/* A swept key or a metric. The cells of a metric are "mean ±half width". */
typedef struct {
    const char *name;
    const char *unit;
    size_t num_first; /* bytes of the name in the first line of the head */
    int width;
    int num_decimals; /* of a metric; -1: as many as it takes */
    int mean_width;
    int half_width; /* 0: no cell has an interval */
    int mark_width;
    int count_width; /* of "(563 of 1000)" */
    spot_shown_unit_t shown;
} column_t;

typedef struct {
    const spot_mean_table_t *base;
    const spot_study_head_t *head;
    FILE *out;
    spot_terminal_t terminal;
    size_t num_keys;   /* num_axes, and one where rows have marks */
    column_t *keys;    /* [num_keys] swept keys, then the marks */
    column_t *metrics; /* [num_listed] */
} table_t;

/* In the unit of its column. */
static spot_mean_cell_t
cell_at(const table_t *self, size_t point_id, size_t metric_id)
{
    spot_mean_cell_t cell =
        self->base->cells[point_id * self->head->num_listed + metric_id];
    const double factor = self->metrics[metric_id].shown.factor;

    cell.mean *= factor;
    cell.half_width *= factor;
    cell.least *= factor;
    return cell;
}

/* "12.5", "> 120" or "-". */
static void
mean_text(
    const spot_mean_cell_t *cell, int num_decimals, char text[SPOT_DECIMAL_TEXT_BYTES])
{
    if (isinf(cell->mean)) {
        snprintf(text, SPOT_DECIMAL_TEXT_BYTES, "> %.6g", cell->least);
    } else if (isfinite(cell->mean)) {
        spot_decimal_text(cell->mean, num_decimals, text);
    } else {
        strcpy(text, "-");
    }
}

static void
half_width_text(
    const spot_mean_cell_t *cell, int num_decimals, char text[SPOT_DECIMAL_TEXT_BYTES])
{
    text[0] = '\0';
    if (isinf(cell->half_width) && isfinite(cell->mean)) {
        strcpy(text, "?");
    } else if (isfinite(cell->half_width)) {
        spot_decimal_text(cell->half_width, num_decimals, text);
    }
}

/* " (563 of 1000)" or " (437 of 1000 cut off)". */
static void
count_text(const spot_mean_cell_t *cell, char text[SPOT_DECIMAL_TEXT_BYTES + 1])
{
    text[0] = ' ';
    if (spot_mean_cell_count(cell, text + 1)[0] == '\0') {
        text[0] = '\0';
    }
}

static const char *
mark_of(const spot_mean_cell_t *cell)
{
    static const char *const marks[] = {"", "*", "!", "*!"};

    return marks[cell->is_marked + 2 * cell->is_heavy];
}

static void
break_name(column_t *column)
{
    column->num_first = spot_text_break(column->name, &column->width);
    spot_text_widen(&column->width, column->unit);
}

static int
choose_decimals(const table_t *self, size_t metric_id)
{
    double narrowest = HUGE_VAL, widest = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const double half_width = cell_at(self, j, metric_id).half_width;

        if (half_width > 0 && isfinite(half_width)) {
            narrowest = fmin(narrowest, half_width);
            widest = fmax(widest, half_width);
        }
    }
    return spot_decimals_of_column(narrowest, widest);
}

static void
measure_metric(table_t *self, size_t metric_id)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    column_t *column = &self->metrics[metric_id];
    char text[SPOT_DECIMAL_TEXT_BYTES + 1];

    column->name = metric->name;
    column->shown = spot_mean_cells_unit(self->head, self->base->cells, metric_id);
    column->unit = column->shown.unit;
    column->num_decimals = choose_decimals(self, metric_id);
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_mean_cell_t cell = cell_at(self, j, metric_id);

        if (!isnan(cell.mean)) {
            mean_text(&cell, column->num_decimals, text);
            spot_text_widen(&column->mean_width, text);
        }
        half_width_text(&cell, column->num_decimals, text);
        spot_text_widen(&column->half_width, text);
        count_text(&cell, text);
        spot_text_widen(&column->count_width, text);
        spot_text_widen(&column->mark_width, mark_of(&cell));
    }
    column->width = column->mean_width + column->mark_width + column->count_width +
                    (column->half_width > 0 ? PLUS_MINUS_WIDTH + column->half_width : 0);
    break_name(column);
}

/* What tells a row from others: the value of a swept key, or its marks. */
static const char *
key_text(const table_t *self, size_t point_id, size_t key_id,
    char label[SPOT_VALUE_LABEL_BYTES])
{
    return key_id == self->head->num_axes
               ? self->base->marks[point_id].letters
               : spot_point_label(self->head, point_id, key_id, label);
}

/* Swept values carry their own units. */
static void
measure_key(table_t *self, size_t key_id)
{
    column_t *column = &self->keys[key_id];
    char label[SPOT_VALUE_LABEL_BYTES];

    column->name =
        key_id == self->head->num_axes ? "warnings" : self->head->axes[key_id].path;
    column->unit = "";
    for (size_t j = 0; j < self->head->num_points; j++) {
        spot_text_widen(&column->width, key_text(self, j, key_id, label));
    }
    break_name(column);
}

/* What is more than chance stands out, what is less than the mean steps back. */
static void
write_cell(const table_t *self, size_t point_id, size_t metric_id)
{
    const spot_terminal_t *terminal = &self->terminal;
    const column_t *column = &self->metrics[metric_id];
    const spot_mean_cell_t cell = cell_at(self, point_id, metric_id);
    const int half_columns =
        column->half_width > 0 ? PLUS_MINUS_WIDTH + column->half_width : 0;
    const char *mark = mark_of(&cell);
    char text[SPOT_DECIMAL_TEXT_BYTES + 1] = "";

    if (spot_study_has_metric(self->head, point_id, metric_id)) {
        mean_text(&cell, column->num_decimals, text);
    }
    spot_text_cell(self->out, text, strlen(text),
        column->width - half_columns - column->mark_width - column->count_width);
    half_width_text(&cell, column->num_decimals, text);
    if (text[0] != '\0') {
        fprintf(self->out, "%s%s", spot_style_on(terminal, SPOT_STYLE_DIM), PLUS_MINUS);
        spot_text_cell(self->out, text, strlen(text), column->half_width);
        fputs(spot_style_off(terminal, SPOT_STYLE_DIM), self->out);
    } else {
        fprintf(self->out, "%*s", half_columns, "");
    }
    fputs(spot_style_on(terminal, SPOT_STYLE_BOLD), self->out);
    fputs(mark, self->out);
    fputs(spot_style_off(terminal, SPOT_STYLE_BOLD), self->out);
    fprintf(self->out, "%*s", column->mark_width - (int) strlen(mark), "");
    count_text(&cell, text);
    spot_text_cell(self->out, text, strlen(text), column->count_width);
}

/* The metrics from first_id on that fit beside the axes, at least one: the id behind
 * them. */
static size_t
block_end(const table_t *self, size_t first_id)
{
    size_t metric_id = first_id;
    int width = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        width += self->keys[j].width + GAP;
    }
    while (metric_id < self->head->num_listed) {
        width += self->metrics[metric_id].width + (metric_id > first_id ? GAP : 0);
        if (width > self->terminal.width && metric_id > first_id) {
            break;
        }
        metric_id++;
    }
    return metric_id;
}

enum { HEAD_FIRST, HEAD_REST, HEAD_UNIT, NUM_HEAD_LINES };

/* Returns the bytes of the text of a line of the head. */
static size_t
head_text(const column_t *column, int line, const char **text)
{
    *text = line == HEAD_UNIT    ? column->unit
            : line == HEAD_FIRST ? column->name
                                 : column->name + column->num_first;
    return line == HEAD_FIRST ? column->num_first : strlen(*text);
}

/* Nothing, if the columns have nothing to say in the line. */
static void
write_head_line(const table_t *self, size_t first_id, size_t end_id, int line)
{
    size_t num_bytes = 0;
    const char *text;

    for (size_t j = 0; j < self->num_keys; j++) {
        num_bytes += head_text(&self->keys[j], line, &text);
    }
    for (size_t j = first_id; j < end_id; j++) {
        num_bytes += head_text(&self->metrics[j], line, &text);
    }
    if (num_bytes == 0) {
        return;
    }
    for (size_t j = 0; j < self->num_keys; j++) {
        num_bytes = head_text(&self->keys[j], line, &text);
        spot_text_cell(self->out, text, num_bytes, self->keys[j].width);
        fprintf(self->out, "%*s", GAP, "");
    }
    for (size_t j = first_id; j < end_id; j++) {
        num_bytes = head_text(&self->metrics[j], line, &text);
        spot_text_cell(self->out, text, num_bytes, self->metrics[j].width);
        fprintf(self->out, "%*s", j + 1 < end_id ? GAP : 0, "");
    }
    fputc('\n', self->out);
}

/* The rest of a line of a point without metrics: "cannot run: ...", cut where it does
 * not fit behind used columns. */
static void
write_unable(const table_t *self, size_t point_id, int used)
{
    const int room = self->terminal.width - used;
    char text[UNABLE_CELL_BYTES];

    snprintf(text, sizeof(text), "cannot run: %s",
        spot_study_cannot_run(self->head, point_id));
    spot_utf8_cut(text, room > MIN_UNABLE_CHARS ? (size_t) room : MIN_UNABLE_CHARS);
    fprintf(self->out, "%s\n", text);
}

static void
write_block(const table_t *self, size_t first_id, size_t end_id)
{
    const spot_study_head_t *head = self->head;
    char label[SPOT_VALUE_LABEL_BYTES];

    fputc('\n', self->out);
    for (int line = 0; line < NUM_HEAD_LINES; line++) {
        write_head_line(self, first_id, end_id, line);
    }
    for (size_t point_id = 0; point_id < head->num_points; point_id++) {
        int used = 0;

        if (cell_at(self, point_id, 0).is_left_out) {
            continue;
        }
        for (size_t j = 0; j < self->num_keys; j++) {
            const char *text = key_text(self, point_id, j, label);

            spot_text_cell(self->out, text, strlen(text), self->keys[j].width);
            fprintf(self->out, "%*s", GAP, "");
            used += self->keys[j].width + GAP;
        }
        if (spot_study_cannot_run(head, point_id) != NULL) {
            write_unable(self, point_id, used);
            continue;
        }
        for (size_t j = first_id; j < end_id; j++) {
            write_cell(self, point_id, j);
            fprintf(self->out, "%*s", j + 1 < end_id ? GAP : 0, "");
        }
        fputc('\n', self->out);
    }
}

/* "job.pipeline_depth 8" and then a line a metric: name, mean and unit. */
static void
write_record(const table_t *self, size_t point_id, int name_width)
{
    const spot_study_head_t *head = self->head;
    char label[SPOT_VALUE_LABEL_BYTES];

    fputc('\n', self->out);
    for (size_t j = 0; j < self->num_keys; j++) {
        const char *text = key_text(self, point_id, j, label);

        if (text[0] != '\0') {
            fprintf(self->out, "%s %s\n", self->keys[j].name, text);
        }
    }
    if (spot_study_cannot_run(head, point_id) != NULL) {
        write_unable(self, point_id, 0);
        return;
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        const column_t *column = &self->metrics[j];
        const int unit_width =
            column->unit[0] == '\0' ? 0 : 1 + (int) strlen(column->unit);

        if (name_width + GAP + column->width + unit_width > self->terminal.width) {
            fprintf(self->out, "%s\n  ", column->name);
        } else {
            fprintf(self->out, "%*s%s  ", name_width - (int) strlen(column->name), "",
                column->name);
        }
        write_cell(self, point_id, j);
        fprintf(self->out, "%s%s\n", unit_width > 0 ? " " : "", column->unit);
    }
}

static void
write_records(const table_t *self)
{
    int name_width = 0;

    for (size_t j = 0; j < self->head->num_listed; j++) {
        spot_text_widen(&name_width, self->metrics[j].name);
    }
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!cell_at(self, j, 0).is_left_out) {
            write_record(self, j, name_width);
        }
    }
}

/* Whether the keys and each of the metrics fit beside each other. */
static bool
has_room(const table_t *self)
{
    int keys_width = 0, widest = 0;

    for (size_t j = 0; j < self->num_keys; j++) {
        keys_width += self->keys[j].width + GAP;
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        widest = widest > self->metrics[j].width ? widest : self->metrics[j].width;
    }
    return keys_width + widest <= self->terminal.width;
}

static void
write_blocks(table_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < self->num_keys; j++) {
        measure_key(self, j);
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        measure_metric(self, j);
    }
    if (self->base->terminal != NULL && !has_room(self)) {
        write_records(self);
        return;
    }
    for (size_t first_id = 0; first_id < head->num_listed;) {
        const size_t end_id = block_end(self, first_id);

        write_block(self, first_id, end_id);
        first_id = end_id;
    }
}

int
spot_mean_table_write(const spot_mean_table_t *self, FILE *out)
{
    const spot_study_head_t *head = self->head;
    table_t table = {.base = self,
        .head = head,
        .out = out,
        .terminal = self->terminal == NULL
                        ? (spot_terminal_t){SPOT_TERMINAL_FILE_WIDTH, false, true}
                        : *self->terminal,
        .num_keys = head->num_axes + (self->marks != NULL)};
    int ret = SPOT_ERR_NO_MEMORY;

    table.keys = spot_calloc(table.num_keys, sizeof(*table.keys));
    table.metrics = spot_calloc(head->num_listed, sizeof(*table.metrics));
    if (table.keys != NULL && table.metrics != NULL) {
        write_blocks(&table);
        ret = 0;
    }
    free(table.metrics);
    free(table.keys);
    return ret;
}
