/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/paper_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/decimals.h"
#include "reports/figure.h"
#include "reports/paper_dialect.h"
#include "reports/picture_files.h"
#include "reports/row_warnings.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#define NUMBER_BYTES 64
#define METRIC_CHARS 13    /* of a usual cell */
#define GAP_CHARS 3        /* between columns */
#define PAGE_ROWS 40       /* what fits on a page */
#define QUESTION_CHARS 300 /* of a caption */
#define LETTERS_BYTES 4    /* of a note */

typedef struct {
    double mean;       /* NAN: undefined */
    double half_width; /* NAN: none */
    int64_t num_nulls; /* replications that have no value, or pairs */
    bool is_marked;    /* 0 is outside of the interval */
} cell_t;

/* A swept key, the number of replications, or a metric. */
typedef struct {
    char head[SPOT_WORDS_BYTES + 32];
    bool is_number;
    double factor;               /* of a metric: 100 for percent */
    size_t num_first;            /* bytes of the head in its first line */
    size_t num_chars;            /* width */
    int64_t num_nulls;           /* of a metric, in all rows */
    char letters[LETTERS_BYTES]; /* of the note on them */
} column_t;

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    const spot_paper_dialect_t *dialect;
    FILE *out;
    bool is_difference;
    cell_t *cells;     /* [num_points][num_listed] */
    bool *is_left_out; /* [num_points] has no row */
    size_t num_rows;
    size_t num_keys;   /* swept keys, and one where points differ in replications */
    column_t *keys;    /* [num_keys] */
    column_t *metrics; /* [num_listed] */
    char *aligns;      /* [num_keys + num_listed + 1] */
    spot_row_marks_t *marks; /* [num_points] or NULL */
    size_t num_letters;      /* given to notes */
    bool has_notes;
} table_t;

/* ---- What the table has ---- */

static bool
is_baseline(const spot_study_head_t *head, size_t point_id)
{
    return spot_study_value_id(head, point_id, head->baseline_axis_id) ==
           head->baseline_value_id;
}

/* A half width that is nothing but rounding has no digits to show. */
static double
without_rounding(double half_width, double mean)
{
    return half_width <= 1e-9 * fabs(mean) ? 0 : half_width;
}

static cell_t
cell_of_summary(const spot_summary_t *summary)
{
    const double half_width = (summary->ci_high - summary->ci_low) / 2;

    return (cell_t){summary->mean, without_rounding(half_width, summary->mean),
        summary->num_nulls, false};
}

static cell_t
cell_of_pair(const spot_paired_t *pair)
{
    const double mean = spot_paired_mean(pair);
    const double half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);

    return (cell_t){mean, without_rounding(half_width, mean), pair->num_left_out,
        fabs(mean) > half_width};
}

static void
fill_cells(table_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        self->is_left_out[j] = self->is_difference && is_baseline(head, j);
        self->num_rows += !self->is_left_out[j];
        for (size_t k = 0; k < head->num_listed; k++) {
            self->cells[j * head->num_listed + k] =
                self->is_difference
                    ? cell_of_pair(&self->report->pairs[j * head->num_metrics + k])
                    : cell_of_summary(spot_report_summary(self->report, j, k));
        }
    }
}

/* ---- Columns ---- */

/* "a" to "z", then "aa". */
static void
next_letters(table_t *self, char letters[LETTERS_BYTES])
{
    const size_t id = self->num_letters++;
    const char last = (char) ('a' + id % 26);

    if (id < 26) {
        snprintf(letters, LETTERS_BYTES, "%c", last);
    } else {
        snprintf(
            letters, LETTERS_BYTES, "%c%c", (char) ('a' + (id / 26 - 1) % 26), last);
    }
}

/* What tells a row from others. */
static void
key_text(const table_t *self, size_t point_id, size_t key_id,
    char text[SPOT_VALUE_LABEL_BYTES])
{
    const spot_store_t *store = self->report->store;

    if (key_id == self->head->num_axes) {
        snprintf(
            text, SPOT_VALUE_LABEL_BYTES, "%" PRId64, store->num_rows(store, point_id));
    } else if (self->keys[key_id].is_number) {
        const size_t value_id = spot_study_value_id(self->head, point_id, key_id);

        snprintf(text, SPOT_VALUE_LABEL_BYTES, "%.10g",
            self->head->axes[key_id].numbers[value_id]);
    } else {
        (void) spot_point_label(self->head, point_id, key_id, text);
    }
}

/* A long head takes two lines, broken where both are short. */
static void
measure_head(column_t *column)
{
    const size_t num_bytes = strlen(column->head);

    column->num_first = num_bytes;
    column->num_chars = spot_utf8_count(column->head, num_bytes);
    for (size_t j = 0; j < num_bytes; j++) {
        const size_t first = spot_utf8_count(column->head, j);
        const size_t second = spot_utf8_count(column->head + j, num_bytes - j);
        const size_t longer = first > second ? first : second - 1;

        if (column->head[j] == ' ' && longer < column->num_chars) {
            column->num_first = j;
            column->num_chars = longer;
        }
    }
}

/* A key whose values are all numbers has their unit in its head; others have units of
 * their own, "30 s". */
static void
measure_key(table_t *self, size_t key_id)
{
    column_t *column = &self->keys[key_id];
    char text[SPOT_VALUE_LABEL_BYTES];

    column->is_number = true;
    if (key_id == self->head->num_axes) {
        snprintf(column->head, sizeof(column->head), "replications");
    } else {
        const spot_axis_t *axis = &self->head->axes[key_id];

        for (size_t j = 0; j < axis->num_values; j++) {
            column->is_number = column->is_number && isfinite(axis->numbers[j]);
        }
        if (column->is_number) {
            spot_axis_words(axis, column->head);
        } else {
            spot_figure_words(axis->path, column->head, SPOT_WORDS_BYTES);
        }
    }
    measure_head(column);
    for (size_t j = 0; j < self->head->num_points; j++) {
        size_t num_chars;

        key_text(self, j, key_id, text);
        num_chars = spot_utf8_count(text, strlen(text));
        column->num_chars =
            num_chars > column->num_chars ? num_chars : column->num_chars;
    }
}

static void
measure_metric(table_t *self, size_t metric_id)
{
    column_t *column = &self->metrics[metric_id];
    const bool is_fraction =
        spot_fraction_words(&self->head->metrics[metric_id], column->head);

    column->is_number = true;
    column->factor = is_fraction ? 100 : 1;
    if (is_fraction) {
        strcat(column->head, self->is_difference ? " (% points)" : " (%)");
    }
    measure_head(column);
    if (column->num_chars < METRIC_CHARS) {
        column->num_chars = METRIC_CHARS;
    }
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!self->is_left_out[j]) {
            column->num_nulls +=
                self->cells[j * self->head->num_listed + metric_id].num_nulls;
        }
    }
    if (column->num_nulls > 0) {
        next_letters(self, column->letters);
    }
}

/* ---- Cells ---- */

/* A half width that is nothing but rounding has no digits to show. Minus zero is zero.
 */
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

static void
write_cell(const table_t *self, size_t point_id, size_t metric_id)
{
    const column_t *column = &self->metrics[metric_id];
    const cell_t *cell = &self->cells[point_id * self->head->num_listed + metric_id];
    const double half_width = column->factor * cell->half_width;

    if (isfinite(cell->mean)) {
        fputs(self->dialect->number_edge, self->out);
        write_number(self, column->factor * cell->mean, half_width);
        if (isfinite(half_width)) {
            fputs(self->dialect->plus_minus, self->out);
            write_number(self, half_width, half_width);
        }
        fputs(self->dialect->number_edge, self->out);
    } else {
        fputs(self->dialect->nothing, self->out);
    }
    if (cell->is_marked) {
        write_mark(self, "*");
    }
    if (cell->num_nulls > 0) {
        write_mark(self, column->letters);
    }
}

/* Letters of warnings stand behind the first cell of a row. */
static void
write_row(const table_t *self, size_t point_id, size_t first_id, size_t end_id)
{
    const char *letters = self->marks == NULL ? "" : self->marks[point_id].letters;
    const char *before = self->dialect->row_open;
    char text[SPOT_VALUE_LABEL_BYTES];

    for (size_t j = 0; j < self->num_keys + end_id - first_id; j++) {
        fputs(before, self->out);
        if (j < self->num_keys) {
            key_text(self, point_id, j, text);
            self->dialect->text(self->out, text);
        } else {
            write_cell(self, point_id, first_id + j - self->num_keys);
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

    for (size_t j = 0; j < self->num_keys; j++) {
        num_chars += self->keys[j].num_chars + GAP_CHARS;
    }
    while (metric_id < self->head->num_listed) {
        num_chars += self->metrics[metric_id].num_chars + GAP_CHARS;
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

    for (size_t j = 0; j < self->num_keys + end_id - first_id; j++) {
        const column_t *column = j < self->num_keys
                                     ? &self->keys[j]
                                     : &self->metrics[first_id + j - self->num_keys];
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
    const size_t num_columns = self->num_keys + end_id - first_id;

    for (size_t j = 0; j < num_columns; j++) {
        self->aligns[j] = j < self->num_keys && !self->keys[j].is_number ? 'l' : 'r';
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
        if (!self->is_left_out[j]) {
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
    const spot_store_t *store = self->report->store;
    char text[1024];

    for (size_t j = 0; self->marks != NULL && j < self->head->num_warnings; j++) {
        const int64_t num_warned = spot_warning_count(store, j);
        const char letters[] = {spot_warning_letter(store, j), '\0'};

        if (num_warned > 0) {
            snprintf(text, sizeof(text),
                "in %" PRId64 " of %" PRId64 " replications: %s", num_warned,
                self->report->num_rows, self->head->warnings[j].text);
            write_note(self, letters, text);
        }
    }
}

static void
write_null_notes(table_t *self)
{
    const char *what = self->is_difference ? "pairs" : "replications";
    char text[512];

    for (size_t j = 0; j < self->head->num_listed; j++) {
        const column_t *column = &self->metrics[j];

        if (column->num_nulls > 0) {
            snprintf(text, sizeof(text),
                "%s: without a value in %" PRId64 " %s; the figures are of the others",
                self->head->metrics[j].name, column->num_nulls, what);
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

static bool
has_star(const table_t *self)
{
    for (size_t j = 0; j < self->head->num_points * self->head->num_listed; j++) {
        if (self->cells[j].is_marked && !self->is_left_out[j / self->head->num_listed]) {
            return true;
        }
    }
    return false;
}

static int
write_notes(table_t *self)
{
    write_warning_notes(self);
    write_null_notes(self);
    if (has_star(self)) {
        write_note(self, "*",
            "0 is outside of the interval; where nothing differs, chance does that in 1 "
            "of 20");
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
    spot_figure_cut(text, QUESTION_CHARS);
    fprintf(out, "%s%s ", text,
        num_bytes > 0 && strchr(".?!", title[num_bytes - 1]) != NULL ? "" : ".");
    free(text);
    return 0;
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
    if (self->is_difference) {
        const spot_axis_t *axis = &head->axes[head->baseline_axis_id];

        spot_figure_words(axis->path, words, sizeof(words));
        fprintf(out, "Differences to %s %s in the same replications; m", words,
            spot_value_label(axis, head->baseline_value_id, label));
    } else {
        fputc('M', out);
    }
    spot_replications_words(head, self->report->min_rows, self->report->max_rows, words);
    fprintf(out,
        "eans with half widths of their 95 %% confidence intervals; %s, seed %" PRIu64
        ".",
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
        self->is_difference ? "-differences" : "");
    for (size_t j = 0; j < self->head->num_listed; j = block_end(self, j)) {
        num_rows += self->num_rows;
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

static void
measure(table_t *self)
{
    for (size_t j = 0; self->marks != NULL && j < self->head->num_warnings; j++) {
        self->num_letters += spot_warning_count(self->report->store, j) > 0;
    }
    for (size_t j = 0; j < self->num_keys; j++) {
        measure_key(self, j);
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        measure_metric(self, j);
    }
}

static int
write_table(const spot_report_t *report, const spot_paper_dialect_t *dialect,
    bool is_difference, FILE *out)
{
    const spot_study_head_t *head = report->head;
    table_t self = {.report = report,
        .head = head,
        .dialect = dialect,
        .out = out,
        .is_difference = is_difference,
        .num_keys = head->num_axes + (report->min_rows < report->max_rows)};
    int ret = SPOT_ERR_NO_MEMORY;

    self.cells = spot_calloc(head->num_points * head->num_listed, sizeof(*self.cells));
    self.is_left_out = spot_calloc(head->num_points, sizeof(*self.is_left_out));
    self.keys = spot_calloc(self.num_keys + 1, sizeof(*self.keys));
    self.metrics = spot_calloc(head->num_listed, sizeof(*self.metrics));
    self.aligns = spot_calloc(self.num_keys + head->num_listed + 1, 1);
    if (self.cells != NULL && self.is_left_out != NULL && self.keys != NULL &&
        self.metrics != NULL && self.aligns != NULL) {
        ret = is_difference ? 0 : spot_row_marks(report->store, &self.marks);
    }
    if (ret == 0) {
        fill_cells(&self);
        measure(&self);
        ret = self.num_rows > 0 ? write_all(&self) : 0;
    }
    free(self.marks);
    free(self.aligns);
    free(self.metrics);
    free(self.keys);
    free(self.is_left_out);
    free(self.cells);
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
