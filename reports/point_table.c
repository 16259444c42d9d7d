/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/point_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/intervals.h"
#include "reports/doubts.h"
#include "reports/words.h"
#include "sim/bench/analysis/point_groups.h"

#define MAX_PAGE_ROWS 500
#define MAX_PAGE_CELLS 10000 /* of 45 bytes on average, so that a page stays small */

/* Marks of cells that are explained below the table, where they are in it. */
enum { SURE, HEAVY, OPEN, SAME, NUM_SIGNS };

static const struct {
    const char *mark, *text;
} signs[NUM_SIGNS] = {
    [SURE] = {"*", "0 is outside of the interval; where nothing differs, chance does "
                   "that in 1 of 20"},
    [HEAVY] = {"!", "the largest values decide this estimate, and larger ones may be "
                    "missing: its interval is too narrow"},
    [OPEN] = {"?", "the interval lacks an end: too few replications, or too many are "
                   "cut off"},
    [SAME] = {"?", "all runs have the same, and none shows the events that would change it: "
                   "it may be luck"},
};

/* An estimate, or a difference to the baseline. */
typedef struct {
    double value;      /* NAN: shown as -; INFINITY: as "> least" */
    double half_width; /* NAN: none; INFINITY: as "?", it has no upper end */
    double least;
    double low, high;    /* of its interval; of a difference NAN */
    int64_t num_values;  /* of num_all replications that it is of */
    int64_t num_cut_off; /* of these: lower bounds that it takes as they are */
    int64_t num_all;
    bool is_sure; /* 0 is outside of the interval of the difference */
    bool is_heavy;
    bool is_same; /* it has no interval, as it is the same in all runs, maybe by luck */
} cell_t;

typedef struct {
    const spot_point_table_t *base;
    const spot_report_t *report;
    const spot_study_head_t *head;
    const spot_doubts_t *doubts;
    const spot_race_answer_t *race; /* whose losers have no row; NULL: all have one */
    size_t *base_ids;               /* [num_points] of differences, else NULL */
    bool has_words, has_letters;
    bool has_counts; /* a column for the replications, in which points differ */
    bool has_sign[NUM_SIGNS];
    spot_table_t *table;
} filler_t;

/* ---- Keys ---- */

/* In words, keys whose values are all numbers have their unit in the head; others have
 * units of their own, "30 s". */
void spot_table_add_keys(spot_table_t *table, const spot_study_head_t *head, size_t left_out_id,
    spot_point_voice_t voice)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const bool is_numeric = spot_axis_is_numeric(axis);

        if (j != left_out_id) {
            spot_table_add_column(table,
                (spot_table_column_t){.name = voice == SPOT_POINTS_BY_NAME ? axis->path
                                              : is_numeric ? spot_words_axis(&table->texts, axis)
                                                           : spot_words_key(&table->texts, axis),
                    .kind = is_numeric ? SPOT_TABLE_NUMBER : SPOT_TABLE_TEXT,
                    .is_key = true,
                    .num_digits = 10});
        }
    }
}

void spot_table_add_point(spot_table_t *table, const spot_study_head_t *head, size_t point_id,
    size_t left_out_id, spot_point_voice_t voice)
{
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        const double number = axis->numbers[spot_study_value_id(head, point_id, j)];

        if (j == left_out_id) {
            continue;
        }
        if (voice == SPOT_POINTS_BY_WORDS && spot_axis_is_numeric(axis)) {
            spot_table_add_number(table, number);
        } else {
            spot_table_add_text(table, spot_words_point_label(&table->texts, head, point_id, j));
            spot_table_set_value(table, number);
        }
    }
}

/* ---- Cells ---- */

static bool is_left_out(const filler_t *self, size_t point_id)
{
    return self->base_ids != NULL
               ? spot_study_is_baseline(self->head, point_id) ||
                     self->base_ids[point_id] == SPOT_NO_POINT
               : self->race != NULL && self->race->race.runners[point_id].fate != SPOT_FATE_RACING;
}

static const spot_paired_t *pair_at(const filler_t *self, size_t point_id, size_t metric_id)
{
    return &self->report->pairs[point_id * self->head->num_metrics + metric_id];
}

/* A quantile or a probability has no tail. */
static cell_t difference_of(const spot_metric_t *metric, const spot_paired_t *pair)
{
    const double value = spot_paired_mean(pair);
    const double half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);

    return (cell_t){.value = value,
        .half_width = half_width,
        .low = (double) NAN,
        .high = (double) NAN,
        .num_values = spot_paired_num_pairs(pair) - pair->num_left_out,
        .num_all = spot_paired_num_pairs(pair),
        .is_sure = spot_paired_sign(pair, SPOT_CONFIDENCE) != 0,
        .is_heavy = spot_metric_estimator(metric) < SPOT_ESTIMATOR_PROBABILITY &&
                    spot_paired_is_heavy(pair),
        .is_same = pair->has_ends && isinf(half_width)};
}

/* Whether the rules say a cell: it is 0, without an interval. */
static bool is_rule(const filler_t *self, size_t point_id, size_t metric_id)
{
    return spot_study_is_ruled(self->head, point_id, metric_id) &&
           (!self->base->is_difference ||
               spot_study_is_ruled(self->head, self->base_ids[point_id], metric_id));
}

static cell_t cell_of(const filler_t *self, size_t point_id, size_t metric_id)
{
    const spot_summary_t *summary = spot_report_summary(self->report, point_id, metric_id);
    cell_t cell = {.value = summary->value,
        .half_width = summary->half_width,
        .least = summary->least,
        .low = summary->ci_low,
        .high = summary->ci_high,
        .num_values = summary->num_values,
        .num_cut_off = summary->num_cut_off,
        .num_all = summary->num_values + summary->num_nulls,
        .is_heavy = summary->is_heavy,
        .is_same = summary->is_constant && isinf(summary->half_width)};

    if (self->base->is_difference) {
        cell = difference_of(&self->head->metrics[metric_id], pair_at(self, point_id, metric_id));
    }
    if (cell.half_width <= 1e-9 * fabs(cell.value)) {
        cell.half_width = 0; /* nothing but rounding has no digits to show */
    }
    if (cell.value == 0 && cell.half_width == 0 && is_rule(self, point_id, metric_id)) {
        cell.half_width = (double) NAN;
    }
    return cell;
}

/* "(563 of 1000)", "(437 of 1000 cut off)" or NULL. */
static const char *remark_of(filler_t *self, const cell_t *cell)
{
    const bool is_partly = cell->num_values < cell->num_all;

    return is_partly || cell->num_cut_off > 0
               ? spot_texts_add(&self->table->texts, "(%" PRId64 " of %" PRId64 "%s)",
                     is_partly ? cell->num_values : cell->num_cut_off, cell->num_all,
                     is_partly ? "" : " cut off")
               : NULL;
}

static void add_mark(filler_t *self, int sign, bool is_there)
{
    if (is_there) {
        self->has_sign[sign] = true;
        spot_table_add_marks(self->table, signs[sign].mark);
    }
}

static void add_cell(filler_t *self, size_t point_id, size_t metric_id)
{
    const cell_t cell = cell_of(self, point_id, metric_id);
    const char *one_sided = spot_words_one_sided(
        &self->table->texts, cell.value, cell.low, cell.high, spot_table_next_factor(self->table));

    if (one_sided != NULL) {
        spot_table_add_text(self->table, one_sided);
        spot_table_set_value(self->table, cell.value);
    } else if (isinf(cell.value)) {
        spot_table_add_above(self->table, cell.least);
    } else if (isnan(cell.value) && !spot_study_has_metric(self->head, point_id, metric_id)) {
        spot_table_add_empty(self->table);
    } else {
        spot_table_add_estimate(self->table, cell.value, cell.half_width);
    }
    if (self->base->is_plain) {
        const char *remark = spot_words_remark(
            &self->table->texts, spot_report_summary(self->report, point_id, metric_id));

        spot_table_set_remark(self->table, remark[0] == '\0' ? NULL : remark);
        return;
    }
    spot_table_set_remark(self->table, remark_of(self, &cell));
    add_mark(self, SURE, cell.is_sure);
    add_mark(self, HEAVY, cell.is_heavy);
    if (isfinite(cell.value) && isinf(cell.half_width)) {
        self->has_sign[cell.is_same ? SAME : OPEN] = true;
    }
}

/* ---- Columns and rows ---- */

/* The unit for the largest magnitude. */
static spot_shown_unit_t unit_of(const filler_t *self, size_t metric_id)
{
    double largest = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_summary_t *summary = spot_report_summary(self->report, j, metric_id);
        const double value = self->base->is_difference
                                 ? spot_paired_mean(pair_at(self, j, metric_id))
                             : isinf(summary->value) ? summary->least
                                                     : summary->value;

        largest = isfinite(value) && !is_left_out(self, j) ? fmax(largest, fabs(value)) : largest;
    }
    return spot_shown_unit(&self->head->metrics[metric_id], largest);
}

static void add_metric_column(filler_t *self, size_t metric_id)
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    const spot_shown_unit_t shown = unit_of(self, metric_id);
    spot_table_column_t column = {.name = metric->name, .unit = shown.unit, .factor = shown.factor};

    if (self->has_words) {
        column.name = spot_words_metric(&self->table->texts, metric, shown.unit);
        column.unit = NULL;
    }
    if (self->has_words && metric->kind == SPOT_METRIC_SHARE) {
        column.unit = self->base->is_difference ? "% points" : "%";
        column.factor = 100;
    }
    spot_table_add_column(self->table, column);
}

static void add_columns(filler_t *self)
{
    if (self->base->is_plain) {
        spot_table_add_column(self->table, (spot_table_column_t){.name = "point", .is_key = true});
    }
    spot_table_add_keys(self->table, self->head, SIZE_MAX, self->base->voice);
    if (self->has_counts) {
        spot_table_add_column(
            self->table, (spot_table_column_t){.name = "replications", .is_key = true});
    }
    if (self->has_letters && !self->has_words) {
        spot_table_add_column(self->table,
            (spot_table_column_t){.name = "warnings", .kind = SPOT_TABLE_TEXT, .is_key = true});
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        add_metric_column(self, j);
    }
}

static void add_row(filler_t *self, size_t point_id)
{
    const char *cannot_run = spot_study_cannot_run(self->head, point_id);
    const char *letters =
        self->has_letters ? spot_words_letters(&self->table->texts, self->doubts, point_id) : "";

    spot_table_add_row(self->table);
    if (self->base->is_plain) {
        spot_table_add_count(self->table, (int64_t) point_id);
    }
    spot_table_add_point(self->table, self->head, point_id, SIZE_MAX, self->base->voice);
    if (self->has_counts) {
        spot_table_add_count(
            self->table, self->report->store->num_rows(self->report->store, point_id));
    }
    if (self->has_letters && !self->has_words) {
        spot_table_add_text(self->table, letters);
    } else if (self->has_letters && self->table->next_id > 0) {
        spot_table_add_marks(self->table, letters);
    }
    if (cannot_run != NULL && self->head->num_listed > 0) {
        spot_table_add_rest(
            self->table, spot_texts_add(&self->table->texts, "cannot run: %s", cannot_run));
        return;
    }
    for (size_t j = 0; j < self->head->num_listed; j++) {
        add_cell(self, point_id, j);
    }
}

/* ---- Notes ---- */

/* What the labels of swept values leave out. */
static void add_label_notes(filler_t *self)
{
    for (size_t j = 0; j < self->head->num_axes; j++) {
        const spot_axis_t *axis = &self->head->axes[j];

        for (size_t k = 0; k < axis->num_values; k++) {
            const char *text = spot_words_explained(&self->table->texts, axis, k);

            if (text != NULL) {
                spot_table_add_note(self->table, "", text);
            }
        }
    }
}

/* Points without a partner, which where: or a list of points has left out. */
static void add_alone_note(filler_t *self)
{
    size_t num_alone = 0, num_others = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        num_alone += self->base_ids[j] == SPOT_NO_POINT;
        num_others += !spot_study_is_baseline(self->head, j);
    }
    if (num_alone > 0) {
        spot_table_add_note(self->table, "",
            spot_texts_add(&self->table->texts,
                "%zu of %zu points have no point with %s to be compared with", num_alone,
                num_others,
                spot_words_baseline(&self->table->texts, self->head, SPOT_POINTS_BY_NAME)));
    }
}

static void add_notes(filler_t *self)
{
    for (size_t j = 0; !self->base->is_difference && j < self->doubts->num_items; j++) {
        const spot_study_doubt_t *doubt = &self->doubts->items[j];

        if (doubt->kind >= SPOT_DOUBT_UNABLE) {
            spot_table_add_note(self->table, doubt->letter,
                spot_texts_add(&self->table->texts, "%s%s", doubt->text,
                    self->has_words ? "" : doubt->places));
        }
    }
    if (self->base->is_difference) {
        add_alone_note(self);
    }
    for (int j = 0; j < NUM_SIGNS; j++) {
        if (self->has_sign[j]) {
            spot_table_add_note(self->table, signs[j].mark, signs[j].text);
        }
    }
    if (self->has_words || !self->base->is_difference) {
        add_label_notes(self);
    }
}

static int fill(filler_t *self)
{
    const bool is_race = self->head->optimise.metric != NULL && !self->has_words;
    const size_t max_rows = self->base->max_rows == 0 ? SIZE_MAX : self->base->max_rows;
    int ret = spot_report_doubts(self->report, &self->doubts);

    if (ret == 0 && self->base->is_difference) {
        ret = spot_baseline_points(self->head, &self->base_ids);
    } else if (ret == 0 && is_race) {
        ret = spot_report_race(self->report, &self->race);
    }
    if (ret != 0) {
        return ret;
    }
    self->race = self->race == NULL || self->race->race.num_racing == 0 ? NULL : self->race;
    self->has_counts = self->has_words && self->report->min_rows < self->report->max_rows;
    self->has_letters = !self->base->is_difference && !self->base->is_plain &&
                        spot_doubts_have_letters(self->doubts);
    add_columns(self);
    for (size_t j = 0; j < self->head->num_points && self->table->num_rows < max_rows; j++) {
        if (!is_left_out(self, j)) {
            add_row(self, j);
        }
    }
    if (!self->base->is_plain) {
        add_notes(self);
    }
    return self->table->texts.error;
}

void spot_point_table_fill(const spot_point_table_t *self, spot_table_t *table)
{
    filler_t filler = {.base = self,
        .report = self->report,
        .head = self->report->head,
        .has_words = self->voice == SPOT_POINTS_BY_WORDS,
        .table = table};
    const int ret = fill(&filler);

    free(filler.base_ids);
    table->error = spot_error_first(table->error, ret);
}

size_t spot_page_rows(const spot_study_head_t *head)
{
    const size_t num_rows = MAX_PAGE_CELLS / (head->num_listed + 1);

    return num_rows < MAX_PAGE_ROWS ? num_rows : MAX_PAGE_ROWS;
}

void spot_point_table_write(
    spot_point_table_t self, const char *id, const char *caption, spot_document_t *document)
{
    spot_table_t table = {.name = id, .caption = caption};
    size_t num_rows;

    self.voice = spot_document_voice(document);
    self.max_rows = spot_document_is_page(document) ? spot_page_rows(self.report->head) : 0;
    spot_point_table_fill(&self, &table);
    num_rows = table.num_rows;
    spot_document_table(document, id, &table);
    if (num_rows == self.max_rows && num_rows < self.report->head->num_points) {
        spot_document_note(
            document, "The first %zu points. All rows are in the database.", num_rows);
    }
}

const char *spot_words_baseline(
    spot_texts_t *texts, const spot_study_head_t *head, spot_point_voice_t voice)
{
    const bool has_words = voice == SPOT_POINTS_BY_WORDS;
    const char *text = "";

    for (size_t j = 0; j <= head->num_more_baselines; j++) {
        const spot_axis_value_t value = spot_study_baseline(head, j);
        const spot_axis_t *axis = &head->axes[value.axis_id];

        text = spot_texts_join(texts, text, ", ",
            spot_texts_add(texts, has_words ? "%s %s" : "%s = %s",
                has_words ? spot_words_key(texts, axis) : axis->path,
                spot_words_label(texts, axis, value.value_id)));
    }
    return text;
}
