/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/decimals.h"
#include "reports/paper_cells.h"
#include "reports/paper_dialect.h"
#include "reports/picture_files.h"

#define NUMBER_BYTES 64
#define GAP_CHARS 3        /* between columns */
#define PAGE_ROWS 40       /* what fits on a page */
#define QUESTION_CHARS 300 /* of a caption */

typedef struct {
    spot_paper_cells_t cells;
    const spot_study_head_t *head;
    const spot_paper_dialect_t *dialect;
    FILE *out;
    char *aligns; /* [cells.num_keys + num_listed + 1] */
    bool has_notes;
} table_t;

/* ---- Cells ---- */

/* Minus zero is zero. */
static void
round_number(double value, double half_width, char text[NUMBER_BYTES])
{
    if (half_width > 0 && isfinite(half_width) && fabs(value) < 1e15) {
        snprintf(text, NUMBER_BYTES, "%.*f", spot_decimals_for(half_width), value);
    } else {
        snprintf(text, NUMBER_BYTES, "%.6g", value);
    }
    if (text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1)) {
        memmove(text, text + 1, strlen(text));
    }
}

static void
write_number(const table_t *self, double value, double half_width)
{
    char text[NUMBER_BYTES];
    char *power;

    round_number(value, half_width, text);
    power = strchr(text, 'e');
    if (power == NULL) {
        fputs(text, self->out);
    } else {
        *power = '\0';
        self->dialect->power(self->out, text, atoi(power + 1));
    }
}

static void
write_mark(const table_t *self, const char *text)
{
    fputs(self->dialect->mark_open, self->out);
    self->dialect->text(self->out, text);
    fputs(self->dialect->mark_close, self->out);
}

/* "12.5 ± 0.3 (563 of 1000)", "> 5". */
static void
write_cell(const table_t *self, size_t point_id, size_t metric_id)
{
    const spot_paper_column_t *column = &self->cells.metrics[metric_id];
    const spot_mean_cell_t *cell = spot_paper_cell(&self->cells, point_id, metric_id);
    const double factor = column->shown.factor;
    const double half_width = factor * cell->half_width;
    char count[SPOT_DECIMAL_TEXT_BYTES];

    if (!isnan(cell->mean)) {
        fputs(self->dialect->number_edge, self->out);
        fputs(isinf(cell->mean) ? self->dialect->above : "", self->out);
        write_number(
            self, factor * (isinf(cell->mean) ? cell->least : cell->mean), half_width);
        if (isfinite(cell->mean) && !isnan(half_width)) {
            fputs(self->dialect->plus_minus, self->out);
            if (isinf(half_width)) {
                fputc('?', self->out);
            } else {
                write_number(self, half_width, half_width);
            }
        }
        fputs(self->dialect->number_edge, self->out);
    } else if (spot_study_has_metric(self->head, point_id, metric_id)) {
        fputs(self->dialect->nothing, self->out);
    }
    if (spot_mean_cell_count(cell, count)[0] != '\0') {
        fprintf(self->out, " %s", count);
    }
    if (cell->is_marked) {
        write_mark(self, "*");
    }
    if (cell->is_heavy) {
        write_mark(self, "!");
    }
    if (cell->num_left_out > 0) {
        write_mark(self, column->letters);
    }
}

/* Letters of warnings stand behind the first cell of a row. */
static void
write_row(const table_t *self, size_t point_id, size_t first_id, size_t end_id)
{
    const char *letters =
        self->cells.marks == NULL ? "" : self->cells.marks[point_id].letters;
    const char *before = self->dialect->row_open;
    char text[SPOT_VALUE_LABEL_BYTES];

    for (size_t j = 0; j < self->cells.num_keys + end_id - first_id; j++) {
        fputs(before, self->out);
        if (j < self->cells.num_keys) {
            spot_paper_key_text(&self->cells, point_id, j, text);
            self->dialect->text(self->out, text);
        } else {
            write_cell(self, point_id, first_id + j - self->cells.num_keys);
        }
        if (j == 0 && letters[0] != '\0') {
            write_mark(self, letters);
        }
        before = self->dialect->cell_gap;
    }
    fputs(self->dialect->row_close, self->out);
}

/* ---- Blocks: as many metrics beside the keys as have room ---- */

static size_t
block_end(const table_t *self, size_t first_id)
{
    size_t metric_id = first_id, num_chars = 0;

    for (size_t j = 0; j < self->cells.num_keys; j++) {
        num_chars += self->cells.keys[j].num_chars + GAP_CHARS;
    }
    while (metric_id < self->head->num_listed) {
        num_chars += self->cells.metrics[metric_id].num_chars + GAP_CHARS;
        if (num_chars > self->dialect->max_chars && metric_id > first_id) {
            break;
        }
        metric_id++;
    }
    return metric_id;
}

static void
write_head(const table_t *self, size_t first_id, size_t end_id)
{
    const char *before = self->dialect->row_open;

    for (size_t j = 0; j < self->cells.num_keys + end_id - first_id; j++) {
        const spot_paper_column_t *column =
            j < self->cells.num_keys
                ? &self->cells.keys[j]
                : &self->cells.metrics[first_id + j - self->cells.num_keys];
        const char *rest = column->head + column->num_first;
        char first[sizeof(column->head)];

        snprintf(first, sizeof(first), "%.*s", (int) column->num_first, column->head);
        fputs(before, self->out);
        self->dialect->head(self->out, first, rest + (*rest == ' '), self->aligns[j]);
        before = self->dialect->cell_gap;
    }
    fputs(self->dialect->row_close, self->out);
}

static void
write_block(
    const table_t *self, spot_paper_frame_t *frame, size_t first_id, size_t end_id)
{
    const size_t num_columns = self->cells.num_keys + end_id - first_id;

    for (size_t j = 0; j < num_columns; j++) {
        self->aligns[j] =
            j < self->cells.num_keys && !self->cells.keys[j].is_number ? 'l' : 'r';
    }
    self->aligns[num_columns] = '\0';
    frame->aligns = self->aligns;
    self->dialect->begin(self->out, frame);
    write_head(self, first_id, end_id);
    if (frame->is_long && self->dialect->end_first_head != NULL) {
        self->dialect->end_first_head(self->out);
        write_head(self, first_id, end_id);
    }
    self->dialect->end_head(self->out, frame);
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!spot_paper_cell(&self->cells, j, 0)->is_left_out) {
            write_row(self, j, first_id, end_id);
        }
    }
    self->dialect->end_rows(self->out, frame);
}

/* ---- Notes ---- */

static void
write_note(table_t *self, const char *letters, const char *text)
{
    self->dialect->begin_note(self->out, !self->has_notes);
    self->has_notes = true;
    if (letters[0] != '\0') {
        write_mark(self, letters);
        fputc(' ', self->out);
    }
    self->dialect->text(self->out, text);
    self->dialect->end_note(self->out);
}

static void
write_warning_notes(table_t *self)
{
    const spot_store_t *store = self->cells.report->store;
    char text[1024];

    for (size_t j = 0; self->cells.marks != NULL && j < self->head->num_warnings; j++) {
        const int64_t num_warned = spot_warning_count(store, j);
        const char letters[] = {spot_warning_letter(store, j), '\0'};

        if (num_warned > 0) {
            snprintf(text, sizeof(text),
                "in %" PRId64 " of %" PRId64 " replications: %s", num_warned,
                self->cells.report->num_rows, self->head->warnings[j].text);
            write_note(self, letters, text);
        }
    }
}

static void
write_null_notes(table_t *self)
{
    const char *what = self->cells.is_difference ? "pairs" : "replications";
    char text[512];

    for (size_t j = 0; j < self->head->num_listed; j++) {
        const spot_paper_column_t *column = &self->cells.metrics[j];

        if (column->num_nulls > 0) {
            snprintf(text, sizeof(text), "%s: without a value in %" PRId64 " %s%s",
                self->head->metrics[j].name, column->num_nulls, what,
                column->has_values ? "; the figures are of the others" : "");
            write_note(self, column->letters, text);
        }
    }
}

/* What the labels of swept values leave out, a note a line. */
static int
write_label_notes(table_t *self)
{
    char *text = NULL, *rest = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    if (stream == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    spot_value_labels_explain(self->head, stream);
    if (fclose(stream) != 0) {
        free(text);
        return SPOT_ERR_NO_MEMORY;
    }
    for (const char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        write_note(self, "", line);
    }
    free(text);
    return 0;
}

static int
write_notes(table_t *self)
{
    write_warning_notes(self);
    write_null_notes(self);
    if (self->cells.mean_marks.has_star) {
        write_note(self, "*", SPOT_STAR_NOTE);
    }
    if (self->cells.mean_marks.has_heavy) {
        write_note(self, "!", SPOT_HEAVY_NOTE);
    }
    if (self->cells.mean_marks.has_open) {
        write_note(self, "?", SPOT_OPEN_NOTE);
    }
    return write_label_notes(self);
}

/* ---- The table ---- */

/* "How does idle time grow? ", cut where it is long. NO_MEMORY. */
static int
write_question(const spot_study_head_t *head, FILE *out)
{
    const char *title = spot_study_title(head);
    const size_t num_bytes = strlen(title);
    char *text = spot_calloc(num_bytes + 8, 1);

    if (text == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(text, title, num_bytes);
    spot_utf8_cut(text, QUESTION_CHARS);
    fprintf(out, "%s%s ", text,
        num_bytes > 0 && strchr(".?!", title[num_bytes - 1]) != NULL ? "" : ".");
    free(text);
    return 0;
}

static bool
has_means_alone(const spot_study_head_t *head)
{
    for (size_t j = 0; j < head->num_listed; j++) {
        if (spot_metric_estimator(&head->metrics[j]) != SPOT_ESTIMATOR_MEAN) {
            return false;
        }
    }
    return true;
}

/* The caller frees *caption. */
static int
make_caption(const table_t *self, char **caption)
{
    const spot_study_head_t *head = self->head;
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];
    size_t num_bytes = 0;
    FILE *out = open_memstream(caption, &num_bytes);
    int ret;

    if (out == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = write_question(head, out);
    if (self->cells.is_difference) {
        for (size_t j = 0; j <= head->num_more_baselines; j++) {
            const spot_axis_value_t value = spot_study_baseline(head, j);
            const spot_axis_t *axis = &head->axes[value.axis_id];

            spot_key_words(axis, words);
            fprintf(out, "%s%s %s", j == 0 ? "Differences to " : ", ", words,
                spot_value_label(axis, value.value_id, label));
        }
        fputs(" in the same replications; means", out);
    } else {
        fputs(has_means_alone(head) ? "Means" : "Estimates", out);
    }
    spot_replications_words(
        head, self->cells.report->min_rows, self->cells.report->max_rows, words);
    fprintf(out,
        " with half widths of their 95 %% confidence intervals; %s, seed %" PRIu64 ".",
        words, head->seed);
    return fclose(out) != 0 ? SPOT_ERR_NO_MEMORY : ret;
}

static int
write_all(table_t *self)
{
    char file_name[SPOT_PICTURE_NAME_BYTES], name[SPOT_PICTURE_NAME_BYTES + 16];
    spot_paper_frame_t frame = {.name = name};
    size_t num_rows = 0;
    char *caption = NULL;
    int ret = make_caption(self, &caption);

    spot_picture_file_name(self->head->name, file_name);
    snprintf(name, sizeof(name), "%s%s", file_name,
        self->cells.is_difference ? "-differences" : "");
    for (size_t j = 0; j < self->head->num_listed; j = block_end(self, j)) {
        num_rows += self->cells.num_rows;
    }
    frame.is_long = num_rows > PAGE_ROWS;
    frame.caption = caption;
    for (size_t first_id = 0; ret == 0 && first_id < self->head->num_listed;) {
        const size_t end_id = block_end(self, first_id);

        write_block(self, &frame, first_id, end_id);
        frame.caption = NULL;
        first_id = end_id;
    }
    if (ret == 0) {
        ret = write_notes(self);
        self->dialect->end(self->out, &frame, self->has_notes);
    }
    free(caption);
    return ret;
}

static int
write_table(const spot_report_t *report, const spot_paper_dialect_t *dialect,
    bool is_difference, FILE *out)
{
    table_t self = {.head = report->head, .dialect = dialect, .out = out};
    int ret = spot_paper_cells_init(&self.cells, report, is_difference);

    self.aligns = spot_calloc(self.cells.num_keys + report->head->num_listed + 1, 1);
    if (self.aligns == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && self.cells.num_rows > 0) {
        ret = write_all(&self);
    }
    free(self.aligns);
    spot_paper_cells_free(&self.cells);
    return ret;
}

int
spot_paper_table_write(
    const spot_report_t *report, const spot_paper_dialect_t *dialect, FILE *out)
{
    int ret;

    dialect->preamble(out);
    ret = write_table(report, dialect, false, out);
    if (ret == 0 && report->pairs != NULL) {
        fputc('\n', out);
        ret = write_table(report, dialect, true, out);
    }
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
