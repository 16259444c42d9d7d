/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/point_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/paired.h"
#include "reports/row_warnings.h"
#include "reports/shown_unit.h"
#include "reports/study_words.h"
#include "reports/summary_remark.h"
#include "reports/table/decimals.h"
#include "reports/unable.h"
#include "reports/value_label.h"
#include "sim/analysis/point_groups.h"

#define LETTERS_BYTES 4
#define NOTE_BYTES 2048

/* Explanations of "*", "!" and "?". */
#define STAR_NOTE                                                                       \
    "0 is outside of the interval; where nothing differs, chance does that in 1 of 20"
#define HEAVY_NOTE                                                                      \
    "the largest values decide this estimate, and larger ones may be missing: its "     \
    "interval is too narrow"
#define OPEN_NOTE                                                                       \
    "the interval lacks an end: too few replications, or too many are cut off"

/* An estimate, or a difference to the baseline. */
typedef struct {
    double mean;       /* NAN: shown as -; INFINITY: as "> least" */
    double half_width; /* NAN: none; INFINITY: as "?", it has no upper end */
    double least;
    int64_t num_left_out; /* of num_all replications; 0: the estimate is of all */
    int64_t num_cut_off;  /* of these: lower bounds that it takes as they are */
    int64_t num_all;
    bool is_marked; /* 0 is outside of the interval of the difference */
    bool is_heavy;  /* its tail is too heavy for the interval */
} mean_cell_t;

/* Of a metric in all rows. */
typedef struct {
    int64_t num_nulls;
    int64_t num_rows;
    bool has_values;
    char letters[LETTERS_BYTES]; /* of the note on them, in papers */
} nulls_t;

typedef struct {
    const spot_point_table_t *base;
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_table_t *table;
    mean_cell_t *cells;      /* [num_points][num_listed] */
    spot_row_marks_t *marks; /* [num_points], or NULL: no warning was met, or the table
                                is of differences */
    nulls_t *nulls;          /* [num_listed] */
    size_t *base_ids;        /* [num_points] of differences, else NULL */
    size_t num_letters;      /* given to notes */
} filler_t;

static bool
has_words(const filler_t *self)
{
    return self->base->voice == SPOT_POINTS_BY_WORDS;
}

/* ---- What is in the cells ---- */

static bool
is_left_out(const filler_t *self, size_t point_id)
{
    const spot_race_answer_t *answer = self->base->answer;

    if (self->base->is_difference) {
        return spot_study_is_baseline(self->head, point_id) ||
               self->base_ids[point_id] == SPOT_NO_POINT;
    }
    return answer != NULL && answer->race.num_racing > 0 &&
           answer->race.runners[point_id].fate != SPOT_FATE_RACING;
}

/* A quantile or a probability has no tail. */
static mean_cell_t
difference_of(const spot_metric_t *metric, const spot_paired_t *pair)
{
    const double mean = spot_paired_mean(pair);
    const double half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);

    return (mean_cell_t){.mean = mean,
        .half_width = half_width,
        .num_left_out = pair->num_left_out,
        .num_all = spot_paired_num_pairs(pair),
        .is_marked = fabs(mean) > half_width,
        .is_heavy = spot_metric_estimator(metric) < SPOT_ESTIMATOR_PROBABILITY &&
                    spot_paired_is_heavy(pair)};
}

static mean_cell_t
mean_of(const filler_t *self, size_t point_id, size_t metric_id)
{
    const spot_study_head_t *head = self->head;
    const spot_summary_t *summary;

    if (is_left_out(self, point_id)) {
        return (mean_cell_t){.mean = (double) NAN, .half_width = (double) NAN};
    }
    if (self->base->is_difference) {
        return difference_of(&head->metrics[metric_id],
            &self->report->pairs[point_id * head->num_metrics + metric_id]);
    }
    summary = spot_report_summary(self->report, point_id, metric_id);
    return (mean_cell_t){.mean = summary->value,
        .half_width = summary->half_width,
        .least = summary->least,
        .num_left_out = summary->num_nulls,
        .num_cut_off = summary->num_cut_off,
        .num_all = summary->num_values + summary->num_nulls,
        .is_heavy = summary->is_heavy};
}

/* "a" to "z", then "aa". */
static void
next_letters(filler_t *self, char letters[LETTERS_BYTES])
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

static void
count_nulls(filler_t *self, size_t metric_id)
{
    nulls_t *nulls = &self->nulls[metric_id];

    for (size_t j = 0; j < self->head->num_points; j++) {
        const mean_cell_t *cell = &self->cells[j * self->head->num_listed + metric_id];

        nulls->num_nulls += cell->num_left_out;
        nulls->num_rows += cell->num_all;
        nulls->has_values = nulls->has_values || !isnan(cell->mean);
    }
    if (nulls->num_nulls > 0 && has_words(self)) {
        next_letters(self, nulls->letters);
    }
}

static void
read_cells(filler_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = 0; k < head->num_listed; k++) {
            mean_cell_t *cell = &self->cells[j * head->num_listed + k];

            *cell = mean_of(self, j, k);
            if (cell->half_width <= 1e-9 * fabs(cell->mean)) {
                cell->half_width = 0; /* nothing but rounding has no digits to show */
            }
        }
    }
    for (size_t j = 0; self->marks != NULL && j < head->num_warnings; j++) {
        self->num_letters += spot_warning_count(self->report->store, j) > 0;
    }
    for (size_t j = 0; j < head->num_listed; j++) {
        count_nulls(self, j);
    }
}

/* ---- Columns ---- */

/* A key whose values are all numbers has their unit in its head in papers; others have
 * units of their own, "30 s". */
static void
add_key_column(const filler_t *self, size_t axis_id)
{
    const spot_axis_t *axis = &self->head->axes[axis_id];
    char words[SPOT_WORDS_BYTES];

    if (spot_axis_is_numeric(axis)) {
        spot_axis_words(axis, words);
    } else {
        spot_key_words(axis, words);
    }
    spot_table_add_column(self->table,
        (spot_table_column_t){.name = has_words(self) ? words : axis->path,
            .kind = spot_axis_is_numeric(axis) ? SPOT_TABLE_NUMBER : SPOT_TABLE_TEXT,
            .is_key = true,
            .num_digits = 10});
}

/* Papers have a column for the number of replications where points differ in it,
 * terminals one for the letters of warnings. */
static bool
has_counts(const filler_t *self)
{
    return has_words(self) && self->report->min_rows < self->report->max_rows;
}

static bool
has_letters(const filler_t *self)
{
    return !has_words(self) && self->marks != NULL;
}

/* The largest magnitude decides. */
static spot_shown_unit_t
unit_of(const filler_t *self, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const mean_cell_t *cell = &self->cells[j * self->head->num_listed + metric_id];

        largest = isfinite(cell->mean) ? fmax(largest, fabs(cell->mean))
                  : isinf(cell->mean)  ? fmax(largest, cell->least)
                                       : largest;
    }
    return spot_shown_unit(&self->head->metrics[metric_id], largest);
}

static void
add_metric_column(const filler_t *self, size_t metric_id)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    const spot_shown_unit_t shown = unit_of(self, metric_id);
    spot_table_column_t column = {
        .name = metric->name, .unit = shown.unit, .factor = shown.factor};
    char words[SPOT_WORDS_BYTES + 16];

    if (has_words(self)) {
        if (spot_fraction_words_in(metric, shown.unit, words)) {
            column.factor = 100;
            strcat(words, self->base->is_difference ? " (% points)" : " (%)");
        }
        column.name = words;
        column.unit = NULL;
    }
    spot_table_add_column(self->table, column);
}

static void
add_columns(const filler_t *self)
{
    if (self->base->is_plain) {
        spot_table_add_column(
            self->table, (spot_table_column_t){.name = "point", .is_key = true});
    }
    for (size_t j = 0; j < self->head->num_axes; j++) {
        add_key_column(self, j);
    }
    if (has_counts(self)) {
        spot_table_add_column(
            self->table, (spot_table_column_t){.name = "replications", .is_key = true});
    }
    if (has_letters(self)) {
        spot_table_add_column(self->table,
            (spot_table_column_t){
                .name = "warnings", .kind = SPOT_TABLE_TEXT, .is_key = true});
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        add_metric_column(self, j);
    }
}

/* ---- Rows ---- */

static void
add_keys(const filler_t *self, size_t point_id)
{
    const spot_store_t *store = self->report->store;
    char label[SPOT_VALUE_LABEL_BYTES];

    if (self->base->is_plain) {
        spot_table_add_count(self->table, (int64_t) point_id);
    }
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];

        if (has_words(self) && spot_axis_is_numeric(axis)) {
            spot_table_add_number(self->table,
                axis->numbers[spot_study_value_id(self->head, point_id, j)]);
        } else {
            spot_table_add_text(
                self->table, spot_point_label(self->head, point_id, j, label));
            spot_table_set_value(self->table,
                axis->numbers[spot_study_value_id(self->head, point_id, j)]);
        }
        if (j == 0 && has_words(self) && self->marks != NULL) {
            spot_table_add_marks(self->table, self->marks[point_id].letters);
        }
    }
    if (has_counts(self)) {
        spot_table_add_count(self->table, store->num_rows(store, point_id));
    }
    if (has_letters(self)) {
        spot_table_add_text(self->table, self->marks[point_id].letters);
    }
}

/* "(563 of 1000)" or "(437 of 1000 cut off)" behind the last cell. */
static void
set_count(const filler_t *self, const mean_cell_t *cell)
{
    char text[SPOT_DECIMAL_TEXT_BYTES];

    if (!isfinite(cell->mean) || (cell->num_left_out == 0 && cell->num_cut_off == 0)) {
        return;
    }
    if (cell->num_left_out > 0) {
        snprintf(text, sizeof(text), "(%" PRId64 " of %" PRId64 ")",
            cell->num_all - cell->num_left_out, cell->num_all);
    } else {
        snprintf(text, sizeof(text), "(%" PRId64 " of %" PRId64 " cut off)",
            cell->num_cut_off, cell->num_all);
    }
    spot_table_set_remark(self->table, text);
}

static void
add_cell(const filler_t *self, size_t point_id, size_t metric_id)
{
    const mean_cell_t *cell =
        &self->cells[point_id * self->head->num_listed + metric_id];

    if (isinf(cell->mean)) {
        spot_table_add_above(self->table, cell->least);
    } else if (isnan(cell->mean) &&
               !spot_study_has_metric(self->head, point_id, metric_id)) {
        spot_table_add_empty(self->table);
    } else {
        spot_table_add_estimate(self->table, cell->mean, cell->half_width);
    }
    if (self->base->is_plain) {
        char remark[SPOT_REMARK_BYTES];

        (void) spot_summary_remark(
            spot_report_summary(self->report, point_id, metric_id), remark);
        spot_table_set_remark(self->table, remark[0] == '\0' ? NULL : remark);
        return;
    }
    set_count(self, cell);
    spot_table_add_marks(self->table, cell->is_marked ? "*" : "");
    spot_table_add_marks(self->table, cell->is_heavy ? "!" : "");
    if (cell->num_left_out > 0) {
        spot_table_add_marks(self->table, self->nulls[metric_id].letters);
    }
}

static void
add_row(const filler_t *self, size_t point_id)
{
    const char *cannot_run = spot_study_cannot_run(self->head, point_id);
    char text[NOTE_BYTES];

    spot_table_add_row(self->table);
    add_keys(self, point_id);
    if (cannot_run != NULL && self->head->num_listed > 0) {
        snprintf(text, sizeof(text), "cannot run: %s", cannot_run);
        spot_table_add_rest(self->table, text);
        return;
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        add_cell(self, point_id, j);
    }
}

/* ---- Notes ---- */

static void add_note(const filler_t *self, const char *marks, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void
add_note(const filler_t *self, const char *marks, const char *format, ...)
{
    char text[NOTE_BYTES];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    spot_table_add_note(self->table, marks, text);
}

/* "with recovery = checkpoint in 12; ideal in 3": replications that met a warning, by
 * what is compared. */
static void
add_warned_values(const filler_t *self, size_t warning_id)
{
    const spot_study_head_t *head = self->head;
    const spot_store_t *store = self->report->store;
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    const char *before = " = ";
    char label[SPOT_VALUE_LABEL_BYTES];
    FILE *text = spot_table_begin_text(self->table);

    if (text != NULL) {
        fprintf(text, "   with %s", axis->path);
    }
    for (size_t j = 0; text != NULL && j < axis->num_values; j++) {
        int64_t num_warned = 0;

        for (size_t k = 0; k < head->num_points; k++) {
            if (spot_study_value_id(head, k, head->baseline_axis_id) == j) {
                num_warned += store->num_warned(store, k, warning_id);
            }
        }
        if (num_warned > 0) {
            fprintf(text, "%s%s in %" PRId64, before, spot_value_label(axis, j, label),
                num_warned);
            before = "; ";
        }
    }
    spot_table_end_note(self->table, "", text);
}

static void
add_warning_notes(const filler_t *self)
{
    const spot_study_head_t *head = self->head;

    for (size_t j = 0; self->marks != NULL && j < head->num_warnings; j++) {
        const int64_t num_warned = spot_warning_count(self->report->store, j);
        const char letter[] = {spot_warning_letter(self->report->store, j), '\0'};

        if (num_warned > 0) {
            add_note(self, letter, "in %" PRId64 " of %" PRId64 " replications: %s",
                num_warned, self->report->num_rows, head->warnings[j].text);
        }
        if (num_warned > 0 && head->has_baseline && !has_words(self)) {
            add_warned_values(self, j);
        }
    }
}

static void
add_null_notes(const filler_t *self)
{
    const char *what = self->base->is_difference ? "pairs" : "replications";

    for (size_t j = 0; j < self->head->num_listed; j++) {
        const nulls_t *nulls = &self->nulls[j];
        const char *name = self->head->metrics[j].name;
        const char *others = nulls->has_values ? "; the figures are of the others" : "";

        if (nulls->num_nulls > 0 && has_words(self)) {
            add_note(self, nulls->letters, "%s: without a value in %" PRId64 " %s%s",
                name, nulls->num_nulls, what, others);
        } else if (nulls->num_nulls > 0) {
            add_note(self, "", "%s: without a value in %" PRId64 " of %" PRId64 " %s%s",
                name, nulls->num_nulls, nulls->num_rows, what, others);
        }
    }
}

/* What the labels of swept values leave out, a note a line. NO_MEMORY. */
static int
add_label_notes(const filler_t *self)
{
    char *text = NULL, *rest = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);
    int ret = SPOT_ERR_NO_MEMORY;

    if (stream != NULL) {
        spot_value_labels_explain(self->head, stream);
        ret = fclose(stream) == 0 ? 0 : SPOT_ERR_NO_MEMORY;
    }
    for (const char *line = ret == 0 ? strtok_r(text, "\n", &rest) : NULL; line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        spot_table_add_note(self->table, "", line);
    }
    free(text);
    return ret;
}

/* Points without a partner, which where: or a list of points has left out. */
static void
add_alone_note(const filler_t *self)
{
    const spot_study_head_t *head = self->head;
    size_t num_alone = 0, num_others = 0;
    FILE *text = spot_table_begin_text(self->table);

    for (size_t j = 0; j < head->num_points; j++) {
        num_alone += self->base_ids[j] == SPOT_NO_POINT;
        num_others += !spot_study_is_baseline(head, j);
    }
    if (text != NULL) {
        fprintf(text, "%zu of %zu points have no point with ", num_alone, num_others);
        spot_baseline_write(head, text);
        fputs(" to be compared with", text);
    }
    spot_table_end_note(self->table, num_alone > 0 ? "" : NULL, text);
}

static int
add_notes(const filler_t *self)
{
    bool has_star = false, has_heavy = false, has_open = false;
    char unable[SPOT_UNABLE_BYTES];

    for (size_t j = 0; j < self->head->num_points * self->head->num_listed; j++) {
        const mean_cell_t *cell = &self->cells[j];

        has_star = has_star || cell->is_marked;
        has_heavy = has_heavy || cell->is_heavy;
        has_open = has_open || (isfinite(cell->mean) && isinf(cell->half_width));
    }
    add_warning_notes(self);
    add_null_notes(self);
    if (self->base->is_difference) {
        add_alone_note(self);
    }
    if (has_star) {
        spot_table_add_note(self->table, "*", STAR_NOTE);
    }
    if (has_heavy) {
        spot_table_add_note(self->table, "!", HEAVY_NOTE);
    }
    if (has_open) {
        spot_table_add_note(self->table, "?", OPEN_NOTE);
    }
    for (size_t kind_id = 0;
         !self->base->is_difference && spot_unable_next(self->head, &kind_id, unable);) {
        spot_table_add_note(self->table, "", unable);
    }
    return has_words(self) || !self->base->is_difference ? add_label_notes(self) : 0;
}

void
spot_point_table_fill(const spot_point_table_t *self, spot_table_t *table)
{
    const spot_study_head_t *head = self->report->head;
    filler_t filler = {
        .base = self, .report = self->report, .head = head, .table = table};
    const size_t max_rows = self->max_rows == 0 ? SIZE_MAX : self->max_rows;
    int ret = self->is_difference || self->is_plain
                  ? 0
                  : spot_row_marks(self->report->store, &filler.marks);

    filler.cells =
        spot_calloc(head->num_points * head->num_listed, sizeof(*filler.cells));
    filler.nulls = spot_calloc(head->num_listed, sizeof(*filler.nulls));
    if (filler.cells == NULL || filler.nulls == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && self->is_difference) {
        ret = spot_baseline_points(head, &filler.base_ids);
    }
    if (ret == 0) {
        read_cells(&filler);
        add_columns(&filler);
        for (size_t j = 0; j < head->num_points; j++) {
            if (!is_left_out(&filler, j) && table->num_rows < max_rows) {
                add_row(&filler, j);
            }
        }
        ret = self->is_plain ? 0 : add_notes(&filler);
    }
    free(filler.base_ids);
    free(filler.nulls);
    free(filler.cells);
    free(filler.marks);
    table->error = table->error == 0 ? ret : table->error;
}
