/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/intervals.h"
#include "base/number.h"
#include "reports/doubts.h"
#include "reports/words.h"
#include "sim/bench/analysis/point_groups.h"

/* ---- The table of points ---- */

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

/* Whether any replication met a warning. */
static bool doubts_have_letters(const spot_doubts_t *self)
{
    bool has_any = false;

    for (size_t j = 0; j < self->num_items; j++) {
        has_any = has_any || self->items[j].letter[0] != '\0';
    }
    return has_any;
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
    self->has_letters =
        !self->base->is_difference && !self->base->is_plain && doubts_have_letters(self->doubts);
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

/* ---- What a study runs ---- */

#define MAX_VALUES 12 /* of a key that are all listed; of more numbers, the ends */
#define MAX_POINTS 20 /* in a text */
#define ROW_BYTES 16  /* of a row beside its metrics */

/* ---- Points and replications in words ---- */

const char *spot_words_study(spot_texts_t *texts, const spot_study_head_t *head)
{
    return head->question == NULL ? head->name
                                  : spot_texts_add(texts, "%s: %s", head->name, head->question);
}

const char *spot_words_plan(spot_texts_t *texts, const spot_study_head_t *head)
{
    const spot_plan_t *plan = &head->plan;
    const char *points = spot_words_count(texts, (int64_t) head->num_points, "point");
    const char *text = plan->kind == SPOT_PLAN_GRID ? "" : spot_plan_names[plan->kind];

    if (spot_plan_is_design(plan->kind)) {
        text = spot_texts_add(texts, "%s, seed %" PRIu64, text, plan->seed);
    }
    if (plan->num_samples > 0) {
        text = spot_texts_add(texts, "%s, %zu base samples", text, plan->num_samples);
    }
    if (plan->num_merged > 0) {
        text = spot_texts_add(
            texts, "%s; %zu drawn again, the same after rounding", text, plan->num_merged);
    }
    if (plan->num_excluded > 0) {
        text = spot_texts_join(
            texts, text, "; ", spot_texts_add(texts, "%zu excluded by where", plan->num_excluded));
    }
    return text[0] == '\0' ? points : spot_texts_add(texts, "%s (%s)", points, text);
}

/* What no other plan says of itself. */
static const char *grid_words(const spot_study_head_t *head)
{
    const bool is_grid = head->plan.kind == SPOT_PLAN_GRID && head->num_axes > 0;

    return is_grid ? "grid of all combinations: " : "";
}

/* " in a race for the least usd (95 % confidence ...; subject to lost <= 0.1)". */
static const char *race_of(const spot_optimise_t *optimise, spot_texts_t *texts)
{
    const char *text = spot_texts_add(texts,
        " in a race for the %s %s (%g %% confidence in the whole answer; differences "
        "below %g %% do not matter",
        optimise->is_maximised ? "most" : "least", optimise->metric, 100 * optimise->confidence,
        100 * optimise->indifference);

    for (size_t j = 0; j < optimise->num_constraints; j++) {
        text = spot_texts_add(texts, "%s%s%s", text, j == 0 ? "; subject to " : " and ",
            spot_words_shown(texts, optimise->constraints[j].text));
    }
    return spot_texts_add(texts, "%s)", text);
}

static const char *until_of(const spot_until_t *until, spot_texts_t *texts)
{
    char width[SPOT_NUMBER_TEXT_BYTES];

    spot_number_text(
        until->half_width > 0 ? until->half_width : 100 * until->relative_half_width, width);
    return spot_texts_add(texts, " until %s is known within ±%s%s (%g %%)", until->metric, width,
        until->half_width > 0 ? "" : " %", 100 * until->confidence);
}

const char *spot_words_range(spot_texts_t *texts, int64_t least, int64_t most)
{
    return least < most ? spot_texts_add(texts, "%" PRId64 " to %" PRId64, least, most)
                        : spot_texts_add(texts, "%" PRId64, most);
}

const char *spot_words_amount(
    spot_texts_t *texts, const spot_study_head_t *head, int64_t fewest, int64_t most)
{
    const bool is_until = head->until.metric != NULL;
    const bool is_race = !is_until && head->optimise.metric != NULL;

    if (!is_until && !is_race) {
        fewest = most = head->num_replications;
    }
    return spot_texts_add(texts, "%s replication%s each%s%s", spot_words_range(texts, fewest, most),
        most == 1 ? "" : "s", spot_words_fixed(texts, head),
        is_until  ? until_of(&head->until, texts)
        : is_race ? race_of(&head->optimise, texts)
                  : "");
}

/* ---- Keys and metrics as tables ---- */

/* "8, 16", or "1.5 s to 60 s" of many, or where a design spread them. A page has all of
 * many that no design spread behind the ends: "1.5 s to 60 s: 1.5 s, 2 s, ...". */
static const char *values_of(const spot_axis_t *axis, bool is_spread, spot_document_t *document)
{
    const bool has_ends =
        spot_axis_is_numeric(axis) && (is_spread || axis->num_values > MAX_VALUES);
    const bool has_all = !is_spread && spot_document_is_page(document);
    spot_texts_t *texts = &document->texts;
    FILE *all = spot_texts_begin(texts); /* of which there may be many */
    size_t lowest = 0, highest = 0;

    for (size_t j = 0; all != NULL && j < axis->num_values; j++) {
        lowest = axis->numbers[j] < axis->numbers[lowest] ? j : lowest;
        highest = axis->numbers[j] > axis->numbers[highest] ? j : highest;
        fprintf(all, "%s%s", j == 0 ? "" : ", ", spot_words_label(texts, axis, j));
    }
    return !has_ends
               ? spot_texts_end(texts, all)
               : spot_texts_add(texts, "%s to %s%s%s", axis->texts[lowest], axis->texts[highest],
                     has_all ? ": " : "", has_all ? spot_texts_end(texts, all) : "");
}

/* The keys that were varied and their values. A page folds long text, not prose. */
static void write_varied(const spot_study_head_t *head, spot_document_t *document)
{
    const spot_table_column_t columns[] = {
        {.name = "key", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "in words", .kind = SPOT_TABLE_TEXT},
        {.name = "values",
            .kind = spot_document_is_page(document) ? SPOT_TABLE_TEXT : SPOT_TABLE_PROSE},
        {.name = "unit", .kind = SPOT_TABLE_TEXT},
        {.name = "number of values"},
    };
    spot_texts_t *texts = &document->texts;
    spot_table_t table = {.name = "varied", .caption = "Keys that were varied"};

    spot_table_add_columns(&table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];
        size_t num_bytes;

        spot_table_add_row(&table);
        spot_table_add_text(&table, axis->path);
        spot_table_add_text(&table, spot_words_key(texts, axis));
        spot_table_add_text(
            &table, values_of(axis, spot_plan_is_design(head->plan.kind), document));
        spot_table_add_text(
            &table, axis->unit[0] != '\0' || axis->num_values == 0
                        ? axis->unit
                        : spot_key_unit(head, axis->path, axis->texts[0], &num_bytes));
        spot_table_add_count(&table, (int64_t) axis->num_values);
    }
    spot_document_table(document, "varied-table", &table);
}

/* What labels are short for, which may be long. */
static void write_labels(const spot_study_head_t *head, spot_document_t *document)
{
    bool has_any = false;

    for (size_t j = 0; j < head->num_axes; j++) {
        for (size_t k = 0; k < head->axes[j].num_values; k++) {
            const char *text = spot_words_explained(&document->texts, &head->axes[j], k);

            if (text != NULL && !has_any) {
                spot_document_fold(document, "What the short names of values stand for");
                has_any = true;
            }
            if (text != NULL) {
                spot_document_item(document, "%s", text);
            }
        }
    }
    if (has_any) {
        spot_document_end_fold(document);
    }
}

void spot_settings_write(const spot_study_head_t *head, spot_document_t *document)
{
    spot_texts_t *texts = &document->texts;

    if (head->num_axes == 0) {
        spot_document_paragraph(document, "Nothing was varied: the study has one point.");
    } else {
        write_varied(head, document);
        write_labels(head, document);
    }
    spot_document_item(document, "%s%s, %s", grid_words(head), spot_words_plan(texts, head),
        spot_words_amount(texts, head, head->min_replications, head->num_replications));
    spot_document_item(document,
        "seed %" PRIu64 "; all points meet the same events in the same replication "
        "(common random numbers)",
        head->seed);
    spot_document_item(
        document, "%g %% confidence intervals, shown as ± half width", 100 * SPOT_CONFIDENCE);
    if (head->has_baseline) {
        spot_document_item(
            document, "compared with %s", spot_words_baseline(texts, head, SPOT_POINTS_BY_NAME));
    }
}

/* ---- What it would take ---- */

static double bytes_for(const spot_study_head_t *head, int64_t num_replications)
{
    return (double) spot_study_runs(head, num_replications) *
           (double) (head->num_metrics * sizeof(double) + ROW_BYTES);
}

/* Wall time on all threads. */
static double time_for(const spot_plan_cost_t *cost, size_t num_points, int64_t num_runs)
{
    return ((double) num_points * cost->open_s + (double) num_runs * cost->run_s) /
           (double) cost->num_threads;
}

/* In the largest unit of which there is one. */
static const char *size_of(double bytes, spot_texts_t *texts)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t unit_id = 0;

    while (bytes >= 1000 && unit_id + 1 < sizeof(units) / sizeof(units[0])) {
        bytes /= 1000;
        unit_id++;
    }
    return spot_texts_add(texts, "%.3g %s", bytes, units[unit_id]);
}

/* Less than a second is not known better: what is measured says no more. */
static const char *time_of(double time_s, spot_texts_t *texts)
{
    const spot_metric_t duration = {.unit = "s", .label = "", .kind = SPOT_METRIC_TIME};

    return time_s < 1 ? "under 1 s" : spot_words_value(texts, &duration, time_s, time_s);
}

static void write_amounts(const spot_study_head_t *head, spot_document_t *document)
{
    const int64_t least = head->min_replications, most = head->num_replications;
    spot_texts_t *texts = &document->texts;

    spot_document_paragraph(document, "runs: %s x %s replications%s = %s",
        spot_words_count(texts, (int64_t) head->num_points, "point"),
        spot_words_range(texts, least, most), spot_words_fixed(texts, head),
        spot_words_range(texts, spot_study_runs(head, least), spot_study_runs(head, most)));
    spot_document_paragraph(document, "size: %s, %s %s",
        spot_words_count(texts, (int64_t) head->num_metrics, "metric"),
        least < most ? "at most" : "about", size_of(bytes_for(head, most), texts));
}

static void write_cost(const spot_plan_cost_t *cost, spot_document_t *document)
{
    const double least_s = time_for(cost, cost->least_points, cost->least_runs);
    const double most_s = time_for(cost, cost->most_points, cost->most_runs);
    const bool is_range = cost->least_runs < cost->most_runs && most_s >= 1;
    spot_texts_t *texts = &document->texts;

    if (cost->store_path != NULL) {
        spot_document_paragraph(
            document, "there: %" PRId64 " in %s", cost->num_there, cost->store_path);
    }
    if (cost->store_path != NULL || cost->shard[0] != '\0') {
        spot_document_paragraph(document, "left%s%s: %s",
            cost->shard[0] == '\0' ? "" : " for shard ", cost->shard,
            spot_words_range(texts, cost->least_runs, cost->most_runs));
    }
    if (cost->most_runs == 0) {
        spot_document_paragraph(document, "time: none, all runs are there");
        return;
    }
    spot_document_paragraph(document, "time: %s%s%s%s on %s, measured on %s",
        most_s < 1 ? "" : "about ", is_range ? time_of(least_s, texts) : "", is_range ? " to " : "",
        time_of(most_s, texts), spot_words_count(texts, cost->num_threads, "thread"),
        spot_words_count(texts, cost->num_measured, "run"));
}

static void write_points(const spot_study_head_t *head, spot_document_t *document)
{
    const size_t num_points = head->num_points <= MAX_POINTS ? head->num_points : MAX_POINTS;
    spot_table_t table = {.name = "points"};

    spot_table_add_column(&table, (spot_table_column_t){.name = "point", .is_key = true});
    spot_table_add_keys(&table, head, SIZE_MAX, SPOT_POINTS_BY_NAME);
    for (size_t j = 0; j < num_points; j++) {
        spot_table_add_row(&table);
        spot_table_add_count(&table, (int64_t) j);
        spot_table_add_point(&table, head, j, SIZE_MAX, SPOT_POINTS_BY_NAME);
    }
    spot_document_gap(document);
    spot_document_table(document, "points-table", &table);
    if (num_points < head->num_points) {
        spot_document_paragraph(
            document, "... and %zu more, all of them with --json", head->num_points - num_points);
    }
    write_labels(head, document);
}

int spot_plan_report_text(const spot_study_head_t *head, const spot_plan_cost_t *cost,
    const spot_terminal_t *terminal, FILE *out)
{
    spot_document_t document;

    spot_document_to_terminal(&document, terminal, out);
    spot_document_paragraph(&document, "%s", spot_words_study(&document.texts, head));
    spot_document_paragraph(
        &document, "plan: %s%s", grid_words(head), spot_words_plan(&document.texts, head));
    write_amounts(head, &document);
    write_cost(cost, &document);
    if (head->num_axes > 0) {
        spot_document_gap(&document);
        write_varied(head, &document);
    }
    write_points(head, &document);
    return spot_document_end(&document);
}

/* ---- JSON ---- */

void spot_plan_json(spot_json_t *json, const spot_plan_t *plan)
{
    spot_json_open(json, "plan", '{');
    spot_json_text(json, "kind", spot_plan_names[plan->kind]);
    if (spot_plan_is_design(plan->kind)) {
        spot_json_unsigned(json, "seed", plan->seed);
        spot_json_unsigned(json, "drawn_again", plan->num_merged);
    }
    if (plan->kind == SPOT_PLAN_SENSITIVITY) {
        spot_json_unsigned(json, "base_samples", plan->num_samples);
    }
    spot_json_unsigned(json, "excluded", plan->num_excluded);
    spot_json_close(json, '}');
}

void spot_axis_value_json(spot_json_t *json, const spot_axis_t *axis, size_t value_id)
{
    if (isfinite(axis->numbers[value_id]) && axis->unit[0] == '\0') {
        spot_json_number(json, axis->path, axis->numbers[value_id]);
    } else {
        spot_json_text(json, axis->path, axis->texts[value_id]);
    }
}

void spot_values_json(
    spot_json_t *json, const spot_study_head_t *head, size_t point_id, size_t left_out_id)
{
    spot_json_open(json, "values", '{');
    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != left_out_id) {
            spot_axis_value_json(json, &head->axes[j], spot_study_value_id(head, point_id, j));
        }
    }
    spot_json_close(json, '}');
}

static void write_json_keys(spot_json_t *json, const spot_study_head_t *head)
{
    spot_json_open(json, "keys", '[');
    for (size_t j = 0; j < head->num_axes; j++) {
        const spot_axis_t *axis = &head->axes[j];

        spot_json_open(json, NULL, '{');
        spot_json_text(json, "key", axis->path);
        spot_json_text(json, "unit", axis->unit);
        spot_json_open(json, "values", '[');
        for (size_t k = 0; k < axis->num_values; k++) {
            spot_json_text(json, NULL, axis->texts[k]);
        }
        spot_json_close(json, ']');
        spot_json_close(json, '}');
    }
    spot_json_close(json, ']');
}

static void write_json_cost(spot_json_t *json, const spot_plan_cost_t *cost)
{
    spot_json_text(json, "database", cost->store_path);
    spot_json_integer(json, "runs_there", cost->num_there);
    spot_json_integer(json, "min_runs_left", cost->least_runs);
    spot_json_integer(json, "max_runs_left", cost->most_runs);
    spot_json_open(json, "time", '{');
    spot_json_number(json, "min_s", time_for(cost, cost->least_points, cost->least_runs));
    spot_json_number(json, "max_s", time_for(cost, cost->most_points, cost->most_runs));
    spot_json_integer(json, "threads", cost->num_threads);
    spot_json_integer(json, "measured_runs", cost->num_measured);
    spot_json_close(json, '}');
}

void spot_plan_report_json(const spot_study_head_t *head, const spot_plan_cost_t *cost, FILE *out)
{
    spot_json_t json;

    spot_json_init(&json, out, 2);
    spot_json_open(&json, NULL, '{');
    spot_json_text(&json, "study", head->name);
    spot_json_text(&json, "question", head->question);
    spot_plan_json(&json, &head->plan);
    write_json_keys(&json, head);
    spot_json_integer(&json, "min_replications", head->min_replications);
    spot_json_integer(&json, "max_replications", head->num_replications);
    spot_json_unsigned(&json, "metrics", head->num_metrics);
    spot_json_number(&json, "max_bytes", bytes_for(head, head->num_replications));
    write_json_cost(&json, cost);
    spot_json_open(&json, "points", '[');
    for (size_t j = 0; j < head->num_points; j++) {
        spot_json_open(&json, NULL, '{');
        spot_point_json(&json, head, j);
        spot_json_close(&json, '}');
    }
    spot_json_close(&json, ']');
    spot_json_close(&json, '}');
}
