/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/verb/table.h"
#include "reports/plan_report.h"
#include "reports/words.h"
#include "sim/bench/analysis/point_groups.h"
#include "sim/bench/analysis/sensitivity.h"

/* ---- Curves along a key ---- */

/* Of a key whose curves were not asked for. */
#define MAX_CHOSEN_CURVES 8

/* ---- Lines of points ---- */

typedef struct {
    size_t line_id;
    double x;
    size_t point_id;
} place_t;

static int compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    if (left->line_id != right->line_id) {
        return left->line_id < right->line_id ? -1 : 1;
    }
    if (left->x < right->x || left->x > right->x) { /* not of NAN */
        return left->x < right->x ? -1 : 1;
    }
    return left->point_id < right->point_id ? -1 : 1;
}

int spot_point_lines_init(
    spot_point_lines_t *self, const spot_study_head_t *head, size_t axis_id, bool is_one)
{
    const size_t num_points = head->num_points;
    const bool has_x = spot_axis_is_numeric(&head->axes[axis_id]);
    place_t *places = spot_calloc(num_points, sizeof(*places));
    spot_point_groups_t groups;
    int ret = spot_point_groups_init(&groups, head, axis_id);

    *self = (spot_point_lines_t){.num_lines = is_one ? 1 : groups.num_groups};
    self->starts = spot_calloc(self->num_lines + 1, sizeof(*self->starts));
    self->point_ids = spot_calloc(num_points, sizeof(*self->point_ids));
    if (places == NULL || self->starts == NULL || self->point_ids == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        const size_t value_id = spot_study_value_id(head, j, axis_id);

        places[j] = (place_t){
            is_one ? 0 : groups.group_ids[j], has_x ? head->axes[axis_id].numbers[value_id] : 0, j};
    }
    if (ret == 0) {
        qsort(places, num_points, sizeof(*places), compare_places);
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        self->point_ids[j] = places[j].point_id;
        self->starts[places[j].line_id + 1] = j + 1; /* the last one stays */
    }
    spot_point_groups_free(&groups);
    free(places);
    return ret;
}

void spot_point_lines_free(spot_point_lines_t *self)
{
    free(self->starts);
    free(self->point_ids);
    memset(self, 0, sizeof(*self));
}

/* ---- What is drawn ---- */

/* The index of a metric by name, not_named without one; a name that is no metric is a
 * problem. */
static size_t find_metric(
    const spot_study_head_t *head, const char *name, size_t not_named, const char **problem)
{
    const size_t metric_id = spot_study_metric_id(head, name);

    if (name != NULL && metric_id == head->num_metrics) {
        *problem = "a metric to draw is not among those kept";
    }
    return name == NULL ? not_named : metric_id;
}

static int choose_metrics(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const spot_plot_request_t *plot = &head->plot;

    self->metric_ids = spot_calloc(plot->num_stack + 2, sizeof(*self->metric_ids));
    if (self->metric_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (head->num_metrics == 0) {
        *problem = "there are no metrics to draw";
        return 0;
    }
    self->metric_ids[0] = find_metric(head, plot->y, spot_main_metric(head), problem);
    self->y_id = (int32_t) self->metric_ids[0];
    self->second_x_id = (int32_t) find_metric(head, plot->second_x, SIZE_MAX, problem);
    self->num_parts = plot->num_stack;
    for (size_t j = 0; j < plot->num_stack; j++) {
        self->metric_ids[1 + j] = find_metric(head, plot->stack[j], 0, problem);
    }
    return 0;
}

/* How far the means with the values of a key are apart. */
static double effect_of(const spot_curves_t *self, size_t axis_id)
{
    const spot_study_head_t *head = self->head;
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t k = 0; self->report->num_rows > 0 && k < head->axes[axis_id].num_values; k++) {
        double sum = 0;
        size_t num_points = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            const double value = spot_report_summary(self->report, j, (size_t) self->y_id)->value;

            if (isfinite(value) && spot_study_value_id(head, j, axis_id) == k) {
                sum += value;
                num_points++;
            }
        }
        if (num_points > 0) {
            low = fmin(low, sum / (double) num_points);
            high = fmax(high, sum / (double) num_points);
        }
    }
    return low <= high ? high - low : 0;
}

/* The key that is asked for, else the one of numbers that moves y most. */
static void choose_axis(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const size_t wanted_id = spot_study_axis_id(head, head->plot.x);
    double largest = -1;

    for (size_t j = 0; j < head->num_axes; j++) {
        if ((self->has_curve_axis && j == self->curve_axis_id) ||
            !spot_axis_is_numeric(&head->axes[j]) || (head->plot.x != NULL && j != wanted_id)) {
            continue;
        }
        const double effect = head->plot.x == NULL ? effect_of(self, j) : 0;

        if (effect > largest) {
            self->axis_id = j;
            largest = effect;
        }
    }
    if (largest < 0) {
        *problem = head->plot.x == NULL ? "no swept key has numbers to draw along"
                                        : "the key to draw along is not swept over numbers";
    }
}

/* Of a study that says nothing of its picture: a curve for each value of the key that
 * moves y most behind the one of x, if it has few values. */
static void choose_curves(spot_curves_t *self)
{
    const spot_study_head_t *head = self->head;
    double largest = -1;

    if (head->plot.x != NULL || head->plot.curves != NULL || self->num_parts > 0 ||
        self->second_x_id >= 0 || self->has_all_in_one) {
        return;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        const size_t num_values = head->axes[j].num_values;
        const double effect = effect_of(self, j);

        if (j != self->axis_id && num_values > 1 && num_values <= MAX_CHOSEN_CURVES &&
            effect > largest) {
            self->has_curve_axis = true;
            self->curve_axis_id = j;
            largest = effect;
        }
    }
}

static void check_plan(const spot_curves_t *self, const char **problem)
{
    const bool has_more = self->num_parts > 0 || self->second_x_id >= 0;

    if (self->has_curve_axis && (self->has_all_in_one || has_more)) {
        *problem = "curves need a grid or a list of points, and are drawn without stack "
                   "and second_x";
    } else if (self->is_scattered && has_more) {
        *problem = "the points of a design have no order along a key: plot y alone, "
                   "without stack and second_x";
    }
}

/* All but the order of the points. */
static int choose(spot_curves_t *self, const spot_report_t *report, const char **problem)
{
    const spot_study_head_t *head = report->head;
    int ret;

    *problem = NULL;
    *self = (spot_curves_t){.head = head,
        .report = report,
        .curve_axis_id = spot_study_axis_id(head, head->plot.curves),
        .is_scattered = spot_plan_is_design(head->plan.kind)};
    self->has_all_in_one = self->is_scattered || head->plan.kind == SPOT_PLAN_ZIP;
    self->has_curve_axis = self->curve_axis_id < head->num_axes;
    if (head->plot.curves != NULL && !self->has_curve_axis) {
        *problem = "the key with a curve for each of its values is not swept";
    }
    ret = choose_metrics(self, problem);
    if (ret == 0 && *problem == NULL) {
        choose_axis(self, problem);
    }
    if (ret == 0 && *problem == NULL) {
        choose_curves(self);
        check_plan(self, problem);
    }
    return ret == 0 && *problem != NULL ? SPOT_ERR_BAD_PARAM : ret;
}

int spot_curves_init(spot_curves_t *self, const spot_report_t *report, const char **problem)
{
    int ret = choose(self, report, problem);

    if (ret == 0) {
        ret = spot_point_lines_init(&self->lines, self->head, self->axis_id, self->is_scattered);
    }
    self->num_panels = self->lines.num_lines;
    self->x_low = HUGE_VAL;
    self->x_high = -HUGE_VAL;
    for (size_t j = 0; ret == 0 && j < self->num_panels; j++) {
        self->x_low = fmin(self->x_low, spot_curves_x(self, j, 0));
        self->x_high = fmax(self->x_high, spot_curves_x(self, j, spot_curves_num_x(self, j) - 1));
    }
    return ret;
}

void spot_curves_free(spot_curves_t *self)
{
    spot_point_lines_free(&self->lines);
    free(self->metric_ids);
    memset(self, 0, sizeof(*self));
}

const char *spot_curves_problem(const spot_report_t *report)
{
    const char *problem;
    spot_curves_t curves;

    if (choose(&curves, report, &problem) == 0) {
        problem = spot_metrics_problem(report, 1 + curves.num_parts, curves.metric_ids);
    }
    spot_curves_free(&curves);
    return problem;
}

/* ---- Points ---- */

size_t spot_curves_num_x(const spot_curves_t *self, size_t panel_id)
{
    return self->lines.starts[panel_id + 1] - self->lines.starts[panel_id];
}

size_t spot_curves_point(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    return self->lines.point_ids[self->lines.starts[panel_id] + x_id];
}

size_t spot_curves_value_id(const spot_curves_t *self, size_t panel_id, size_t axis_id)
{
    return spot_study_value_id(self->head, spot_curves_point(self, panel_id, 0), axis_id);
}

double spot_curves_x(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    const size_t value_id =
        spot_study_value_id(self->head, spot_curves_point(self, panel_id, x_id), self->axis_id);

    return self->head->axes[self->axis_id].numbers[value_id];
}

/* ---- How far winners are from losing ---- */

/* Values are in the unit of the least of them. */
static spot_shown_unit_t unit_of(const spot_break_even_t *item)
{
    const spot_metric_t metric = {
        .unit = item->unit[0] == '\0' ? "1" : item->unit, .kind = SPOT_METRIC_TIME};
    const double number = item->number != 0 ? item->number : item->sides[SPOT_BREAK_EVEN_ABOVE].at;

    return spot_shown_unit(&metric, fabs(number));
}

static const char *value_text(spot_texts_t *texts, const spot_shown_unit_t *unit, double value)
{
    value *= unit->factor;
    return spot_texts_add(
        texts, fabs(value) < 999.5 || fabs(value) >= 1e7 ? "%.3g" : "%.0f", value);
}

static const char *with_unit(spot_texts_t *texts, const spot_shown_unit_t *unit, double value)
{
    return spot_texts_add(texts, "%s%s%s", value_text(texts, unit, value),
        unit->unit[0] == '\0' ? "" : " ", unit->unit);
}

/* "below 77 s (75.7 to 78.9)"; an end of the interval that is not known is open. */
static const char *side_text(
    spot_texts_t *texts, const spot_shown_unit_t *unit, const spot_break_even_t *item, int side_id)
{
    const spot_break_even_side_t *side = &item->sides[side_id];
    const bool is_above = side_id == SPOT_BREAK_EVEN_ABOVE;
    const char *near = value_text(texts, unit, side->near);
    const char *far = value_text(texts, unit, side->far);
    const char *at = spot_texts_add(
        texts, "%s %s", is_above ? "below" : "above", with_unit(texts, unit, side->at));

    return isnan(side->far)
               ? spot_texts_add(texts, is_above ? "%s (from %s on)" : "%s (up to %s)", at, near)
               : spot_texts_add(
                     texts, "%s (%s to %s)", at, is_above ? near : far, is_above ? far : near);
}

/* The values that were tried without finding one, and from where on it is not sure. */
static const char *reach_text(spot_texts_t *texts, const spot_shown_unit_t *unit,
    const spot_break_even_t *item, const char *key)
{
    const double below = item->sides[SPOT_BREAK_EVEN_BELOW].reach;
    const double above = item->sides[SPOT_BREAK_EVEN_ABOVE].reach;
    const char *text;

    if (isnan(below) && isnan(above)) {
        return spot_texts_add(texts, "; no other value of %s could be tried", key);
    }
    text = spot_texts_add(texts, " at every %s tried, from %s to %s", key,
        value_text(texts, unit, isnan(below) ? item->number : below),
        with_unit(texts, unit, isnan(above) ? item->number : above));
    for (int j = 0; j < SPOT_NUM_BREAK_EVEN_SIDES; j++) {
        if (!isnan(item->sides[j].near)) {
            text = spot_texts_add(texts,
                j == SPOT_BREAK_EVEN_ABOVE ? "%s, not surely from %s on"
                                           : "%s, not surely up to %s",
                text, value_text(texts, unit, item->sides[j].near));
        }
    }
    return text;
}

/* "trace.frequency = 8: oobleck stays ahead of varuna". */
static const char *pair_text(
    spot_texts_t *texts, const spot_study_head_t *head, const spot_break_even_t *item)
{
    const size_t axis_id = head->best.axis_id;
    const char *text = "";

    for (size_t j = 0; j < head->num_axes; j++) {
        if (j != axis_id) {
            text = spot_texts_add(texts, "%s%s%s = %s", text, text[0] == '\0' ? "" : ", ",
                head->axes[j].path, spot_words_point_label(texts, head, item->best_id, j));
        }
    }
    return spot_texts_add(texts, "%s%s%s stays ahead of %s", text, text[0] == '\0' ? "" : ": ",
        spot_words_point_label(texts, head, item->best_id, axis_id),
        spot_words_point_label(texts, head, item->next_id, axis_id));
}

const char *spot_words_break_even(
    spot_texts_t *texts, const spot_winners_t *winners, const spot_break_even_t *item)
{
    const bool is_below = !isnan(item->sides[SPOT_BREAK_EVEN_ABOVE].at);
    const bool is_above = !isnan(item->sides[SPOT_BREAK_EVEN_BELOW].at);
    const spot_shown_unit_t unit = unit_of(item);
    const char *key = spot_words_shown(texts, winners->head->best.keys[item->key_id]);
    const char *range =
        is_below || is_above
            ? spot_texts_add(texts, " while %s is %s%s%s", key,
                  is_above ? side_text(texts, &unit, item, SPOT_BREAK_EVEN_BELOW) : "",
                  is_above && is_below ? " and " : "",
                  is_below ? side_text(texts, &unit, item, SPOT_BREAK_EVEN_ABOVE) : "")
            : reach_text(texts, &unit, item, key);

    return spot_texts_add(texts, "%s%s; it is %s", pair_text(texts, winners->head, item), range,
        with_unit(texts, &unit, item->number));
}

/* Whether a value wins in a group where, or where for the next one, a key is not given.
 */
static bool lacks_key(const spot_winners_t *winners, size_t value_id, size_t key_id)
{
    const spot_study_head_t *head = winners->head;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        const spot_winner_t *winner = &winners->winners[j];
        const spot_break_even_t *item = spot_winners_break_even(winners, winner, key_id);

        if (item != NULL && isnan(item->number) &&
            spot_study_value_id(head, winner->best_id, head->best.axis_id) == value_id) {
            return true;
        }
    }
    return false;
}

static void write_not_given(const spot_winners_t *winners, size_t key_id, spot_document_t *document)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    spot_texts_t *texts = &document->texts;
    const char *values = "";

    for (size_t value_id = 0; value_id < axis->num_values; value_id++) {
        if (lacks_key(winners, value_id, key_id)) {
            values = spot_texts_add(texts, "%s%s%s", values, values[0] == '\0' ? "" : ", ",
                spot_words_label(texts, axis, value_id));
        }
    }
    if (values[0] != '\0') {
        spot_document_item(document, "%s is not given where this wins: %s",
            spot_words_shown(texts, head->best.keys[key_id]), values);
    }
}

/* Writes all of them, an item each; or, where the study asks for them and the store has
 * none of its rows, what to do. */
static void break_evens_write(const spot_winners_t *winners, spot_document_t *document)
{
    const size_t num_keys = winners->head->best.num_keys;
    bool has_all = true;

    for (size_t j = 0; j < winners->groups.num_groups * num_keys; j++) {
        const spot_winner_t *winner = &winners->winners[j / num_keys];
        const spot_break_even_t *item = spot_winners_break_even(winners, winner, j % num_keys);

        if (item != NULL && !isnan(item->number)) {
            spot_document_item(
                document, "%s", spot_words_break_even(&document->texts, winners, item));
        } else if (item == NULL) {
            has_all = has_all && !spot_winner_is_ahead(winner, &winners->head->best);
        }
    }
    for (size_t k = 0; k < num_keys; k++) {
        write_not_given(winners, k, document);
    }
    if (!has_all) {
        spot_document_item(document, "not all break-evens are there for these rows: run "
                                     "the whole study again into "
                                     "this database");
    }
}

/* ---- Which value of a key wins where ---- */

#define MAX_PAGE_ROWS 500 /* more rows are in the JSON of the study */

/* ---- The table ---- */

static void add_columns(const spot_report_t *report, spot_document_t *document, spot_table_t *table)
{
    const spot_study_head_t *head = report->head;
    const spot_metric_t *metric = &head->metrics[head->best.metric_id];
    const spot_shown_unit_t unit =
        spot_shown_unit(metric, spot_report_largest(report, head->best.metric_id));
    const bool is_page = spot_document_is_page(document);
    const spot_table_column_t columns[] = {
        {.name = "best", .kind = SPOT_TABLE_TEXT},
        {.name = is_page ? spot_words_metric(&document->texts, metric, unit.unit) : metric->name,
            .unit = is_page ? NULL : unit.unit,
            .factor = unit.factor},
        {.name = "next", .kind = SPOT_TABLE_TEXT},
        {.name = "ahead by", .factor = unit.factor},
    };

    spot_table_add_keys(table, head, head->best.axis_id, spot_document_voice(document));
    spot_table_add_columns(table, sizeof(columns) / sizeof(columns[0]), columns);
}

/* The value of the key that is best or next, "-" where there is none. */
static void add_value(
    const spot_study_head_t *head, size_t point_id, spot_texts_t *texts, spot_table_t *table)
{
    spot_table_add_text(table, point_id == SPOT_NO_POINT ? "-"
                                                         : spot_words_point_label(texts, head,
                                                               point_id, head->best.axis_id));
}

static spot_summary_t best_of(const spot_winners_t *winners, const spot_winner_t *winner)
{
    return winner->best_id == SPOT_NO_POINT
               ? (spot_summary_t){.value = (double) NAN, .half_width = (double) NAN}
               : *spot_winners_summary(winners, winner->best_id);
}

static void add_row(const spot_winners_t *winners, const spot_winner_t *winner,
    spot_document_t *document, spot_table_t *table)
{
    const spot_study_head_t *head = winners->head;
    const spot_summary_t best = best_of(winners, winner);

    spot_table_add_row(table);
    spot_table_add_point(
        table, head, winner->first_id, head->best.axis_id, spot_document_voice(document));
    add_value(head, winner->best_id, &document->texts, table);
    spot_table_add_estimate(table, best.value, best.half_width);
    add_value(head, winner->next_id, &document->texts, table);
    if (winner->next_id == SPOT_NO_POINT) {
        spot_table_add_number(table, (double) NAN);
    } else {
        spot_table_add_estimate(table, spot_winner_lead(winner, &head->best),
            spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE));
        spot_table_add_marks(table, winner->is_sure ? "*" : "");
    }
}

/* "best recovery: the highest samples_per_usd; without ideal". */
static const char *caption_of(const spot_study_head_t *head, spot_texts_t *texts)
{
    const spot_best_t *best = &head->best;
    const spot_axis_t *axis = &head->axes[best->axis_id];
    const char *left_out = "";

    for (size_t j = 0; j < axis->num_values; j++) {
        if (best->is_left_out[j]) {
            left_out = spot_texts_join(texts, left_out, ", ", spot_words_label(texts, axis, j));
        }
    }
    return spot_texts_add(texts, "best %s: the %s %s%s%s", axis->path,
        best->is_maximised ? "highest" : "lowest", head->metrics[best->metric_id].name,
        left_out[0] == '\0' ? "" : "; without ", left_out);
}

static void write_table(
    const spot_report_t *report, const spot_winners_t *winners, spot_document_t *document)
{
    const size_t num_groups = winners->groups.num_groups;
    const size_t num_rows =
        spot_document_is_page(document) && num_groups > MAX_PAGE_ROWS ? MAX_PAGE_ROWS : num_groups;
    spot_table_t table = {
        .name = "winners", .caption = caption_of(winners->head, &document->texts)};
    bool has_sure = false;

    add_columns(report, document, &table);
    for (size_t j = 0; j < num_rows; j++) {
        has_sure = has_sure || winners->winners[j].is_sure;
        add_row(winners, &winners->winners[j], document, &table);
    }
    if (has_sure) {
        spot_table_add_note(&table, "*",
            spot_texts_add(&document->texts,
                "ahead of all others with %g %% confidence in all of them (paired)",
                100 * SPOT_CONFIDENCE));
    }
    spot_document_table(document, "winners-table", &table);
    if (num_rows < num_groups) {
        spot_document_note(document, "The first %zu of %zu rows.", num_rows, num_groups);
    }
}

/* ---- Beside the table ---- */

/* What points with a value of the key rest on that was not measured and are left out
 * for, or NULL. is_all: no other point with it competes. */
static const char *unmeasured_of(const spot_winners_t *winners, size_t value_id, bool *is_all)
{
    const spot_study_head_t *head = winners->head;
    const char *text = NULL, *beyond = NULL;

    *is_all = true;
    for (size_t j = 0; j < head->num_points; j++) {
        if (spot_study_value_id(head, j, head->best.axis_id) != value_id) {
            continue;
        }
        *is_all = *is_all && (!spot_study_competes(head, j) || winners->is_beyond[j]);
        text = text == NULL ? spot_study_unmeasured(head, j) : text;
        beyond =
            beyond == NULL && winners->is_beyond[j] ? spot_study_beyond(head, j).words : beyond;
    }
    return text == NULL ? beyond : text;
}

const char *spot_winners_unmeasured(const spot_winners_t *winners, spot_texts_t *texts)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *axis = &head->axes[head->best.axis_id];
    const char *text = "";

    for (size_t j = 0; j < axis->num_values; j++) {
        bool is_all;
        const char *unmeasured = unmeasured_of(winners, j, &is_all);

        if (unmeasured != NULL && !head->best.is_left_out[j]) {
            text = spot_texts_join(texts, text, ", ",
                spot_texts_add(texts, "%s%s (%s)", is_all ? "" : "some points of ",
                    spot_words_label(texts, axis, j), unmeasured));
        }
    }
    return text[0] == '\0' ? "" : spot_texts_add(texts, "not measured, so without %s", text);
}

const char *spot_winners_beyond(const spot_winners_t *winners, spot_texts_t *texts)
{
    const spot_study_head_t *head = winners->head;
    size_t num_beyond = 0, num_won = 0, first_id = SPOT_NO_POINT;

    for (size_t j = 0; j < winners->groups.num_groups; j++) {
        const size_t best_id = winners->winners[j].best_id;

        num_won += best_id != SPOT_NO_POINT;
        if (best_id != SPOT_NO_POINT && spot_winners_rests_beyond(winners, best_id)) {
            num_beyond++;
            first_id = first_id == SPOT_NO_POINT ? best_id : first_id;
        }
    }
    if (num_beyond == 0) {
        return "";
    }
    return spot_texts_add(texts, "the winner %s%s%s",
        num_won == 1 ? "" : spot_texts_add(texts, "at %zu of %zu points ", num_beyond, num_won),
        spot_study_beyond(head, first_id).words,
        spot_study_beyond(head, first_id).only_warns ? "" : "; there is no other");
}

/* "between trace.preemption.per_minute = 0.2 and 0.25, about 0.221, checkpoint gives way
 * to on-demand". */
static void write_crossing(
    const spot_winners_t *winners, const spot_crossing_t *crossing, spot_document_t *document)
{
    const spot_study_head_t *head = winners->head;
    const spot_axis_t *x = &head->axes[winners->x_id];
    const size_t key_id = head->best.axis_id;
    const spot_winner_t *before = &winners->winners[crossing->before_id];
    const spot_winner_t *after = &winners->winners[crossing->after_id];
    spot_texts_t *texts = &document->texts;
    const char *about = "";

    if (isfinite(crossing->number)) {
        about = spot_texts_add(
            texts, ", about %.3g%s%s", crossing->number, x->unit[0] == '\0' ? "" : " ", x->unit);
    }
    spot_document_item(document, "between %s = %s and %s%s, %s gives way to %s%s", x->path,
        spot_words_point_label(texts, head, before->first_id, winners->x_id),
        spot_words_point_label(texts, head, after->first_id, winners->x_id), about,
        spot_words_point_label(texts, head, before->best_id, key_id),
        spot_words_point_label(texts, head, after->best_id, key_id),
        before->is_sure && after->is_sure ? "" : " (not sure)");
}

void spot_winners_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_winners_t *winners;
    const int ret = spot_report_winners(report, &winners);
    const char *unmeasured, *beyond;

    spot_document_fail(document, ret);
    if (ret != 0) {
        return;
    }
    unmeasured = spot_winners_unmeasured(winners, &document->texts);
    beyond = spot_winners_beyond(winners, &document->texts);
    if (beyond[0] != '\0') {
        spot_document_paragraph(document, "%s", beyond);
    }
    write_table(report, winners, document);
    if (unmeasured[0] != '\0' || winners->num_crossings + report->head->best.num_keys > 0) {
        spot_document_gap(document);
    }
    if (unmeasured[0] != '\0') {
        spot_document_paragraph(document, "%s", unmeasured);
    }
    for (size_t j = 0; j < winners->num_crossings; j++) {
        if (j == 0) {
            spot_document_paragraph(document, "The winner changes:");
        }
        write_crossing(winners, &winners->crossings[j], document);
    }
    if (report->head->best.num_keys > 0) {
        spot_document_paragraph(document, "Break-evens:");
        break_evens_write(winners, document);
    }
}

/* ---- JSON of winners ---- */

static void write_value(spot_json_t *json, const char *name, const spot_study_head_t *head,
    size_t point_id, size_t axis_id)
{
    spot_json_text(json, name,
        point_id == SPOT_NO_POINT
            ? NULL
            : head->axes[axis_id].texts[spot_study_value_id(head, point_id, axis_id)]);
}

static void write_winner(
    spot_json_t *json, const spot_winners_t *winners, const spot_winner_t *winner)
{
    const spot_study_head_t *head = winners->head;
    const double lead = spot_winner_lead(winner, &head->best);
    const double half_width = spot_paired_half_width(&winner->lead, SPOT_CONFIDENCE);

    spot_json_open(json, NULL, '{');
    spot_values_json(json, head, winner->first_id, head->best.axis_id);
    write_value(json, "best", head, winner->best_id, head->best.axis_id);
    spot_json_number(json, "mean", best_of(winners, winner).value);
    write_value(json, "next", head, winner->next_id, head->best.axis_id);
    spot_json_number(json, "ahead", lead);
    spot_json_number(json, "ahead_ci95_low", lead - half_width);
    spot_json_number(json, "ahead_ci95_high", lead + half_width);
    spot_json_boolean(json, "is_sure", winner->is_sure);
    spot_json_close(json, '}');
}

static void write_crossing_json(
    spot_json_t *json, const spot_winners_t *winners, const spot_crossing_t *crossing)
{
    const spot_study_head_t *head = winners->head;
    const spot_winner_t *before = &winners->winners[crossing->before_id];
    const spot_winner_t *after = &winners->winners[crossing->after_id];

    spot_json_open(json, NULL, '{');
    spot_json_text(json, "key", head->axes[winners->x_id].path);
    write_value(json, "low", head, before->first_id, winners->x_id);
    write_value(json, "high", head, after->first_id, winners->x_id);
    spot_json_number(json, "about", crossing->number);
    write_value(json, "before", head, before->best_id, head->best.axis_id);
    write_value(json, "after", head, after->best_id, head->best.axis_id);
    spot_json_boolean(json, "is_sure", before->is_sure && after->is_sure);
    spot_json_close(json, '}');
}

static void write_side_json(spot_json_t *json, const char *name, const spot_break_even_side_t *side)
{
    spot_json_open(json, name, '{');
    spot_json_number(json, "at", side->at);
    spot_json_number(json, "ci95_near", side->near);
    spot_json_number(json, "ci95_far", side->far);
    spot_json_number(json, "tried_to", side->reach);
    spot_json_close(json, '}');
}

static void write_break_even_json(
    spot_json_t *json, const spot_winners_t *winners, const spot_break_even_t *item)
{
    const spot_study_head_t *head = winners->head;

    spot_json_open(json, NULL, '{');
    spot_values_json(json, head, item->best_id, head->best.axis_id);
    write_value(json, "best", head, item->best_id, head->best.axis_id);
    write_value(json, "next", head, item->next_id, head->best.axis_id);
    spot_json_text(json, "key", head->best.keys[item->key_id]);
    spot_json_text(json, "unit", item->unit);
    spot_json_number(json, "is", item->number);
    write_side_json(json, "below", &item->sides[SPOT_BREAK_EVEN_BELOW]);
    write_side_json(json, "above", &item->sides[SPOT_BREAK_EVEN_ABOVE]);
    spot_json_close(json, '}');
}

int spot_winner_json(spot_json_t *json, const spot_store_t *store)
{
    const spot_best_t *best = &store->head->best;
    spot_winners_t winners;
    const int ret = spot_winners_init(&winners, store);
    const size_t num_groups = ret == 0 ? winners.groups.num_groups : 0;

    spot_json_open(json, "best", '{');
    spot_json_text(json, "key", store->head->axes[best->axis_id].path);
    spot_json_text(json, best->is_maximised ? "maximise" : "minimise",
        store->head->metrics[best->metric_id].name);
    spot_json_open(json, "winners", '[');
    for (size_t j = 0; j < num_groups; j++) {
        write_winner(json, &winners, &winners.winners[j]);
    }
    spot_json_close(json, ']');
    spot_json_open(json, "crossings", '[');
    for (size_t j = 0; ret == 0 && j < winners.num_crossings; j++) {
        write_crossing_json(json, &winners, &winners.crossings[j]);
    }
    spot_json_close(json, ']');
    spot_json_open(json, "break_evens", '[');
    for (size_t j = 0; j < num_groups * best->num_keys; j++) {
        const spot_break_even_t *item = spot_winners_break_even(
            &winners, &winners.winners[j / best->num_keys], j % best->num_keys);

        if (item != NULL) {
            write_break_even_json(json, &winners, item);
        }
    }
    spot_json_close(json, ']');
    spot_json_close(json, '}');
    spot_winners_free(&winners);
    return ret;
}

/* ---- Differences to the baseline ---- */

/* Beyond this gain the differences of a point are all the same but for rounding. */
#define MAX_GAIN 1e9

/* Widths up to this ratio are shown as the same. */
#define SAME_RATIO 1.005

/* "difference to job.pipeline_depth = 16: mean of 256 to 9984 pairs of replications"; a
 * mean of one pair is none. */
static const char *differences_caption(
    const spot_report_t *report, const size_t *base_ids, spot_texts_t *texts)
{
    const spot_study_head_t *head = report->head;
    const char *baseline = spot_words_baseline(texts, head, SPOT_POINTS_BY_NAME);
    int64_t fewest = INT64_MAX, most = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        if (!spot_study_is_baseline(head, j) && base_ids[j] != SPOT_NO_POINT &&
            spot_study_cannot_run(head, j) == NULL) {
            const int64_t num = spot_paired_num_pairs(&report->pairs[j * head->num_metrics]);

            fewest = num < fewest ? num : fewest;
            most = num > most ? num : most;
        }
    }
    return most == 1 ? spot_texts_add(texts, "difference to %s in the same replication", baseline)
                     : spot_texts_add(texts,
                           "difference to %s: mean of %s pairs of replications, which met the "
                           "same events",
                           baseline, spot_words_range(texts, fewest, most));
}

/* ---- What pairing is worth ---- */

/* The gains of metrics from first_id on, sorted; those without spread are none.
 * *num_same points have differences that are all the same. */
static size_t find_gains(
    const spot_report_t *report, size_t first_id, size_t end_id, double *gains, size_t *num_same)
{
    const spot_study_head_t *head = report->head;
    size_t num_gains = 0;

    *num_same = 0;
    for (size_t j = 0; j < head->num_points; j++) {
        for (size_t k = first_id; k < end_id; k++) {
            const double gain =
                spot_paired_gain(&report->pairs[j * head->num_metrics + k], SPOT_CONFIDENCE);

            if (gain > MAX_GAIN) {
                (*num_same)++;
            } else if (!isnan(gain)) {
                gains[num_gains++] = gain;
            }
        }
    }
    spot_sort(gains, num_gains);
    return num_gains;
}

/* "paired intervals are 2.63 times narrower than unpaired ones ...". */
static const char *gain_caption(const double *gains, size_t num_gains, spot_texts_t *texts)
{
    const double median = spot_quantile(gains, num_gains, 0.5);
    const double ratio = median < 1 ? 1 / median : median;
    const char *times = spot_texts_add(texts, ratio < 100 ? "%.2f" : "%.3g", ratio);

    return spot_texts_add(texts,
        "paired intervals are %s%s unpaired ones of the same replications (median of "
        "%zu)",
        ratio < SAME_RATIO ? "as wide as" : times,
        ratio < SAME_RATIO ? ""
        : median < 1       ? " times wider than"
                           : " times narrower than",
        num_gains);
}

static void write_gains(const spot_report_t *report, double *gains, spot_document_t *document)
{
    static const spot_table_column_t columns[] = {
        {.name = "metric", .kind = SPOT_TABLE_TEXT, .is_key = true},
        {.name = "times narrower (median)", .is_fixed = true, .num_decimals = 2},
        {.name = "from", .is_fixed = true, .num_decimals = 2},
        {.name = "to", .is_fixed = true, .num_decimals = 2},
        {.name = "points that differ by the same"},
    };
    static const double levels[] = {0.5, 0, 1};
    const spot_study_head_t *head = report->head;
    spot_table_t table = {.name = "gains"};
    size_t num_same, num_gains = find_gains(report, 0, head->num_listed, gains, &num_same);
    const bool is_any_wider = num_gains > 0 && gains[0] <= 1 / SAME_RATIO;

    if (num_gains == 0) {
        return;
    }
    table.caption = gain_caption(gains, num_gains, &document->texts);
    spot_table_add_columns(&table, sizeof(columns) / sizeof(columns[0]), columns);
    for (size_t j = 0; j < head->num_listed; j++) {
        num_gains = find_gains(report, j, j + 1, gains, &num_same);
        spot_table_add_row(&table);
        spot_table_add_text(
            &table, spot_document_is_page(document)
                        ? spot_words_metric(&document->texts, &head->metrics[j], NULL)
                        : head->metrics[j].name);
        for (int k = 0; k < 3; k++) {
            spot_table_add_number(
                &table, num_gains == 0 ? (double) NAN : spot_quantile(gains, num_gains, levels[k]));
        }
        if (num_same > 0) {
            spot_table_add_count(&table, (int64_t) num_same);
        }
    }
    if (is_any_wider) {
        spot_table_add_note(&table, "", "below 1 paired intervals are wider");
    }
    spot_document_fold(document, "How much pairing is worth");
    spot_document_table(document, "gains-table", &table);
    spot_document_end_fold(document);
}

void spot_differences_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_study_head_t *head = report->head;
    double *gains = spot_arena_take(
        &document->texts.arena, head->num_points * head->num_listed, sizeof(*gains));
    size_t *base_ids = NULL;

    spot_document_fail(document, document->texts.arena.error);
    spot_document_fail(document, spot_baseline_points(head, &base_ids));
    if (gains != NULL && base_ids != NULL) {
        spot_document_fold(document, "Every difference with its interval");
        spot_point_table_write((spot_point_table_t){.report = report, .is_difference = true},
            "differences-table", differences_caption(report, base_ids, &document->texts), document);
        spot_document_end_fold(document);
        write_gains(report, gains, document);
    }
    free(base_ids);
}

/* ---- Sobol indices on terminal and page ---- */

/* "mean 0.48, standard deviation over the points 0.1; ...": what the indices are shares
 * of. */
static const char *variance_of(const spot_sensitivity_t *indices, spot_texts_t *texts)
{
    const double noise_share = spot_sensitivity_noise_share(indices);
    const char *text = spot_texts_add(texts, "mean %.4g, standard deviation over the points %.4g",
        indices->mean, sqrt(indices->variance));

    if (isfinite(noise_share)) {
        text = spot_texts_add(texts, "%s; %.2g %% of the variance was noise and is taken out", text,
            100 * noise_share);
    }
    if (indices->num_left_out > 0) {
        text = spot_texts_add(texts, "%s; %zu base samples without a value are left out", text,
            indices->num_left_out);
    }
    return text;
}

/* "-0.003 [-0.012, 0.011]". */
static void add_index(
    const spot_sensitivity_index_t *index, spot_texts_t *texts, spot_table_t *table)
{
    spot_table_add_text(table,
        spot_texts_add(texts, "%.3f [%.3f, %.3f]", index->value, index->ci_low, index->ci_high));
    spot_table_set_value(table, index->value);
}

/* The key with the largest total that is not yet done, the first of several. */
static size_t next_key(const spot_sensitivity_t *indices, size_t num_axes, bool *is_done)
{
    size_t best = num_axes;

    for (size_t j = 0; j < num_axes; j++) {
        if (!is_done[j] &&
            (best == num_axes || indices->total[j].value > indices->total[best].value)) {
            best = j;
        }
    }
    is_done[best] = true;
    return best;
}

static void write_metric(const spot_study_head_t *head, size_t metric_id,
    const spot_sensitivity_t *indices, spot_document_t *document)
{
    static const char *const names[] = {"key", "first order", "total"};
    spot_texts_t *texts = &document->texts;
    bool *is_done = (bool *) spot_texts_room(texts, head->num_axes * sizeof(*is_done));
    spot_table_t table = {.name = "sobol",
        .caption = spot_texts_add(
            texts, "%s: %s", head->metrics[metric_id].name, variance_of(indices, texts))};

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = names[j],
                                          .kind = j == 0 ? SPOT_TABLE_TEXT : SPOT_TABLE_NUMBER});
    }
    for (size_t j = 0; is_done != NULL && j < head->num_axes; j++) {
        const size_t axis_id = next_key(indices, head->num_axes, is_done);

        spot_table_add_row(&table);
        spot_table_add_text(&table, spot_document_is_page(document)
                                        ? spot_words_axis(texts, &head->axes[axis_id])
                                        : head->axes[axis_id].path);
        add_index(&indices->first[axis_id], texts, &table);
        add_index(&indices->total[axis_id], texts, &table);
    }
    spot_document_gap(document);
    spot_document_table(
        document, spot_texts_add(texts, "sensitivity-table-%zu", metric_id), &table);
}

void spot_sensitivity_write(const spot_report_t *report, spot_document_t *document)
{
    const spot_study_head_t *head = report->head;
    const char *warning = NULL;
    spot_study_sensitivity_t found;
    const int ret = spot_study_sensitivity_init(&found, report->store);

    spot_document_fail(document, ret);
    if (ret != 0) {
        spot_study_sensitivity_free(&found);
        return;
    }
    spot_document_paragraph(document,
        "Sobol indices with 95 %% intervals: the share of the variance over the plan "
        "that a key explains alone (first order) and with all others (total). A key "
        "with a total of about 0 does not matter; one whose total is far above its "
        "first order matters together with others. From %zu base samples, %s of each "
        "point.",
        head->plan.num_samples,
        spot_words_count(&document->texts, found.num_replications, "replication"));
    for (size_t j = 0; warning == NULL && j < found.num_metrics; j++) {
        warning = spot_metric_sensitivity_warning(&found.metrics[j]);
    }
    if (warning != NULL) { /* once: all metrics have the same replications */
        spot_document_paragraph(document, "warning: %s", warning);
    }
    for (size_t j = 0; j < found.num_metrics; j++) {
        const char *problem = spot_metric_sensitivity_problem(&found.metrics[j]);

        if (problem == NULL) {
            write_metric(head, j, &found.metrics[j].indices, document);
        } else {
            spot_document_paragraph(document, "%s: no indices, %s", head->metrics[j].name, problem);
        }
    }
    spot_study_sensitivity_free(&found);
}

/* ---- Sobol indices as CSV ---- */

static void add_csv_row(const spot_study_head_t *head, size_t metric_id, size_t axis_id,
    const spot_metric_sensitivity_t *metric, spot_table_t *table)
{
    const spot_sensitivity_t *indices = &metric->indices;
    const bool is_defined = metric->outcome == 0;
    const spot_sensitivity_index_t *both[] = {indices->first, indices->total};

    spot_table_add_row(table);
    spot_table_add_text(table, head->metrics[metric_id].name);
    spot_table_add_text(table, head->axes[axis_id].path);
    for (int j = 0; j < 2; j++) {
        spot_table_add_number(table, is_defined ? both[j][axis_id].value : (double) NAN);
        spot_table_add_number(table, is_defined ? both[j][axis_id].ci_low : (double) NAN);
        spot_table_add_number(table, is_defined ? both[j][axis_id].ci_high : (double) NAN);
    }
    spot_table_add_number(table, is_defined ? spot_sensitivity_noise_share(indices) : (double) NAN);
    spot_table_add_count(table, (int64_t) indices->num_used);
    spot_table_add_count(table, (int64_t) indices->num_left_out);
}

int spot_sensitivity_csv_write(const spot_store_t *store, FILE *out)
{
    static const char *const names[] = {"metric", "key", "first_order", "first_order_ci95_low",
        "first_order_ci95_high", "total", "total_ci95_low", "total_ci95_high", "noise_share",
        "base_samples", "left_out"};
    const spot_study_head_t *head = store->head;
    spot_study_sensitivity_t found;
    spot_table_t table = {.name = "sensitivity"};
    int ret = spot_study_sensitivity_init(&found, store);

    for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
        spot_table_add_column(&table, (spot_table_column_t){.name = names[j], .num_digits = 8});
    }
    for (size_t j = 0; ret == 0 && j < found.num_metrics * head->num_axes; j++) {
        const size_t metric_id = j / head->num_axes;

        add_csv_row(head, metric_id, j % head->num_axes, &found.metrics[metric_id], &table);
    }
    table.error = spot_error_first(ret, table.error);
    ret = spot_table_write_csv(&table, out);
    spot_table_free(&table);
    spot_study_sensitivity_free(&found);
    return ret;
}
