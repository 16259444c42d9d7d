/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/pictures/parts.h"
#include "sim/bench/analysis/effects.h"

#define MAX_BARS 30

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t metric_id;
    const spot_metric_t *metric;
    const spot_study_effects_t *effects;
    size_t *order; /* [num_keys] */
    spot_texts_t texts;
} sensitivity_t;

static const char *method_name(const spot_study_effects_t *effects)
{
    static const char *const names[] = {[SPOT_EFFECTS_FULL] = "analysis of variance",
        [SPOT_EFFECTS_PARTIAL] = "correlation ratio of an incomplete grid",
        [SPOT_EFFECTS_SAMPLED] = "correlation ratio of a sampled plan"};

    return effects->has_indices ? "Sobol indices" : names[effects->effects.kind];
}

static const spot_axis_t *axis_at(const sensitivity_t *self, size_t place)
{
    return &self->head->axes[self->effects->axis_ids[self->order[place]]];
}

static const spot_key_effect_t *key_at(const sensitivity_t *self, size_t place)
{
    return &self->effects->effects.keys[self->order[place]];
}

/* "0.5", or the part of a range "0.31 to 0.5". */
static const char *level_words(sensitivity_t *self, size_t place, size_t level_id)
{
    const size_t id = self->order[place] * self->effects->max_levels + level_id;
    const size_t first = self->effects->first_values[id];
    const size_t last = self->effects->last_values[id];
    const spot_axis_t *axis = axis_at(self, place);

    return first == last ? spot_words_label(&self->texts, axis, first)
                         : spot_texts_add(&self->texts, "%s to %s%s%s",
                               spot_words_number(&self->texts, axis->numbers[first]),
                               spot_words_number(&self->texts, axis->numbers[last]),
                               axis->unit[0] == '\0' ? "" : " ", axis->unit);
}

/* "idle time", "the number of steps kept". */
static const char *moved_words(sensitivity_t *self)
{
    const char *noun = spot_words_subject(&self->texts, self->metric);

    return strncmp(noun, "number of ", 10) == 0 ? spot_texts_add(&self->texts, "the %s", noun)
                                                : noun;
}

/* "4 % at 0, 90 % at 0.5"; "54.3 % at each value" where the key moves nothing. */
static const char *ends_words(sensitivity_t *self, size_t place)
{
    const spot_key_effect_t *key = key_at(self, place);
    const char *at = isfinite(axis_at(self, place)->numbers[0]) ? "at" : "with";
    const double low = key->means[key->low_id], high = key->means[key->high_id];

    if (low == high) {
        return spot_texts_add(&self->texts, "%s at each value",
            spot_words_value(&self->texts, self->metric, high, fabs(high) / 10));
    }
    return spot_texts_add(&self->texts, "%s %s %s, %s %s %s",
        spot_words_value_before(&self->texts, self->metric, low, high), at,
        level_words(self, place, key->low_id),
        spot_words_value(&self->texts, self->metric, high, high - low), at,
        level_words(self, place, key->high_id));
}

/* In percent; a share that is a little below 0 is none. */
static double percent_of(double share)
{
    return 100 * fmin(fmax(share, 0), 1);
}

/* "97 % (95 to 98)"; "-" where there is none. */
static const char *share_words(sensitivity_t *self, const spot_sensitivity_index_t *share)
{
    const double width = share->ci_high - share->ci_low;
    const int num_decimals = width < 0.02 || fabs(share->value) < 0.01 ? 1 : 0;
    const char *range = "";

    if (isfinite(width)) {
        range = spot_texts_add(&self->texts, " (%.*f to %.*f)", num_decimals,
            percent_of(share->ci_low), num_decimals, percent_of(share->ci_high));
    }
    return isfinite(share->value) ? spot_texts_add(&self->texts, "%.*f %%%s", num_decimals,
                                        percent_of(share->value), range)
                                  : "-";
}

/* Sets order[num_keys] to the keys by their range, the largest first. */
static void study_effects_order(const spot_study_effects_t *self, size_t *order)
{
    for (size_t j = 0; j < self->effects.num_keys; j++) {
        size_t place = j;

        for (; place > 0 &&
               self->effects.keys[order[place - 1]].range.value < self->effects.keys[j].range.value;
             place--) {
            order[place] = order[place - 1];
        }
        order[place] = j;
    }
}

/* Free order and texts even after an error. */
static int init(sensitivity_t *self, const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    const size_t metric_id = spot_main_metric(head);
    int ret;

    *self = (sensitivity_t){.report = report,
        .head = head,
        .metric_id = metric_id,
        .metric = &head->metrics[metric_id]};
    ret = spot_report_effects(report, metric_id, &self->effects);
    if (ret == 0) {
        self->order = spot_calloc(self->effects->effects.num_keys, sizeof(*self->order));
        ret = self->order == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        study_effects_order(self->effects, self->order);
    }
    return ret;
}

/* ---- The picture ---- */

static const char *describe(sensitivity_t *self)
{
    const char *outcome = spot_study_effects_outcome(self->effects);

    if (outcome != NULL) {
        return spot_texts_add(&self->texts, "How far each key moves %s is not known: %s.",
            self->metric->name, outcome);
    }
    return spot_texts_add(&self->texts,
        "How far each key moves %s, averaged over all others; most does %s: %s; the "
        "share of the variance between points that it explains alone is %s.",
        moved_words(self), spot_words_key(&self->texts, axis_at(self, 0)), ends_words(self, 0),
        share_words(self, &key_at(self, 0)->share));
}

static void declare_head(sensitivity_t *self, spot_chart_t *chart)
{
    const spot_study_effects_t *effects = self->effects;
    const char *outcome = spot_study_effects_outcome(effects);

    spot_chart_title(chart, "How far each key moves %s", moved_words(self));
    spot_chart_describe(chart, "%s", describe(self));
    spot_chart_note(chart, "%s · %" PRId64 " replications at each point · seed %" PRIu64 " · %s%s",
        spot_words_shown(&self->texts, self->head->name), effects->num_replications,
        self->head->seed,
        outcome == NULL ? "shares of the variance between points: " : "no effects: ",
        outcome == NULL ? method_name(effects) : outcome);
}

static void declare_rows(sensitivity_t *self, spot_chart_t *chart, double factor, size_t num_bars)
{
    const spot_chart_series_t series = {
        .kind = SPOT_CHART_BARS, .colour = SPOT_INK_ACCENT, .interval_colour = SPOT_INK};
    const bool has_totals = isfinite(key_at(self, 0)->total.value);

    for (size_t j = 0; j < num_bars; j++) {
        const spot_chart_row_t row = {.name = spot_words_key(&self->texts, axis_at(self, j)),
            .note = ends_words(self, j),
            .sides = {share_words(self, &key_at(self, j)->share),
                has_totals ? share_words(self, &key_at(self, j)->total) : NULL}};

        (void) spot_chart_row(chart, &row);
    }
    spot_chart_series(chart, &series);
    for (size_t j = 0; j < num_bars; j++) {
        const spot_sensitivity_index_t *range = &key_at(self, j)->range;
        const spot_chart_datum_t datum = {.x = factor * range->value,
            .y = (double) j,
            .x_low = factor * fmax(range->ci_low, 0),
            .x_high = factor * range->ci_high};

        spot_chart_add(chart, &datum);
    }
}

static void declare_panel(sensitivity_t *self, spot_chart_t *chart)
{
    const size_t num_keys = self->effects->effects.num_keys;
    const size_t num_bars = num_keys < MAX_BARS ? num_keys : MAX_BARS;
    const bool is_known = self->effects->outcome == 0;
    const bool has_both = is_known && isfinite(key_at(self, 0)->total.value);
    double high = 0;

    for (size_t j = 0; j < num_bars; j++) {
        const spot_sensitivity_index_t *range = &key_at(self, j)->range;

        high = fmax(high, fmax(range->value, range->ci_high)); /* skips NAN */
    }
    const spot_shown_unit_t shown = spot_metric_shown(self->metric, high);
    const bool is_share = shown.factor == 100;
    const char *words = is_share ? spot_words_subject(&self->texts, self->metric)
                                 : spot_words_metric(&self->texts, self->metric, shown.unit);
    const spot_chart_panel_t panel = {
        .x = {.name = spot_texts_add(&self->texts, "how far a key moves %s%s", words,
                  is_share ? " (percentage points)" : ""),
            .has_zero = true,
            .is_hidden = !is_known},
        .y = {.kind = SPOT_CHART_ROWS},
        .empty = spot_study_effects_outcome(self->effects),
        .side_names = {!is_known  ? NULL
                       : has_both ? "share alone"
                                  : "share of variance",
            has_both ? "with others" : NULL},
    };

    spot_chart_panel(chart, &panel);
    if (is_known) {
        declare_rows(self, chart, shown.factor, num_bars);
    }
}

static int declare(spot_chart_t *chart, const void *context)
{
    sensitivity_t self;
    int ret = init(&self, context);

    if (ret == 0) {
        declare_head(&self, chart);
        declare_panel(&self, chart);
        ret = self.texts.error;
    }
    free(self.order);
    spot_texts_free(&self.texts);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

static const char *find_problem(const spot_report_t *report)
{
    const size_t metric_id = spot_main_metric(report->head);
    const char *problem = spot_study_effects_problem(report->head);

    if (report->head->num_metrics == 0) {
        return "the study kept no metrics";
    }
    if (report->min_rows == 0) {
        return "not all points have replications yet";
    }
    return problem != NULL ? problem : spot_metrics_problem(report, 1, &metric_id);
}

/* ---- Data ---- */

static void add_index(spot_table_t *table, const spot_sensitivity_index_t *index)
{
    spot_picture_estimate(table, index->value, index->ci_low, index->ci_high);
}

static int fill(const spot_report_t *report, spot_table_t *table)
{
    static const char *const columns[] = {"metric", "unit", "key", "lowest_at", "lowest",
        "highest_at", "highest", "range", "range_ci95_low", "range_ci95_high", "share",
        "share_ci95_low", "share_ci95_high", "total", "total_ci95_low", "total_ci95_high",
        "method"};
    const spot_sensitivity_index_t none = {(double) NAN, (double) NAN, (double) NAN};
    sensitivity_t self;
    int ret = init(&self, report);

    for (size_t j = 0; j < sizeof(columns) / sizeof(columns[0]); j++) {
        spot_picture_column(table, "%s", columns[j]);
    }
    for (size_t j = 0; ret == 0 && j < self.effects->effects.num_keys; j++) {
        const spot_key_effect_t *key = key_at(&self, j);
        const bool is_known = self.effects->outcome == 0;

        spot_table_add_row(table);
        spot_table_add_text(table, self.metric->name);
        spot_table_add_text(table, self.metric->unit);
        spot_table_add_text(table, axis_at(&self, j)->path);
        spot_table_add_text(table, is_known ? level_words(&self, j, key->low_id) : "");
        spot_table_add_number(table, is_known ? key->means[key->low_id] : (double) NAN);
        spot_table_add_text(table, is_known ? level_words(&self, j, key->high_id) : "");
        spot_table_add_number(table, is_known ? key->means[key->high_id] : (double) NAN);
        add_index(table, is_known ? &key->range : &none);
        add_index(table, is_known ? &key->share : &none);
        add_index(table, is_known ? &key->total : &none);
        spot_table_add_text(
            table, is_known ? method_name(self.effects) : spot_study_effects_outcome(self.effects));
    }
    ret = ret == 0 ? self.texts.error : ret;
    free(self.order);
    spot_texts_free(&self.texts);
    return ret;
}

const spot_study_picture_t spot_picture_sensitivity = {.name = "sensitivity",
    .title = "Which parameter matters",
    .problem = find_problem,
    .declare = declare,
    .fill = fill};
