/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "reports/pictures/parts.h"
#include "reports/table/text_cell.h"
#include "reports/value_label.h"
#include "sim/analysis/study_effects.h"

#define MAX_BARS 30
#define LEVEL_BYTES (2 * SPOT_VALUE_LABEL_BYTES + 8)

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t metric_id;
    const spot_metric_t *metric;
    spot_shown_unit_t shown; /* factor 100 for percent */
    const spot_study_effects_t *effects;
    size_t *order; /* [num_keys] */
    size_t num_bars;
} sensitivity_t;

static const char *
method_name(const spot_study_effects_t *effects)
{
    static const char *const names[] = {[SPOT_EFFECTS_FULL] = "analysis of variance",
        [SPOT_EFFECTS_PARTIAL] = "correlation ratio of an incomplete grid",
        [SPOT_EFFECTS_SAMPLED] = "correlation ratio of a sampled plan"};

    return effects->has_indices ? "Sobol indices" : names[effects->effects.kind];
}

static const spot_axis_t *
axis_of(const sensitivity_t *self, size_t key_id)
{
    return &self->head->axes[self->effects->axis_ids[key_id]];
}

static const spot_key_effect_t *
key_at(const sensitivity_t *self, size_t place)
{
    return &self->effects->effects.keys[self->order[place]];
}

/* "0.5", or the part of a range "0.31 to 0.5". */
static void
level_text(
    const sensitivity_t *self, size_t key_id, size_t level_id, char text[LEVEL_BYTES])
{
    const size_t place = key_id * self->effects->max_levels + level_id;
    const size_t first = self->effects->first_values[place];
    const size_t last = self->effects->last_values[place];
    const spot_axis_t *axis = axis_of(self, key_id);
    char label[SPOT_VALUE_LABEL_BYTES];

    if (first == last) {
        snprintf(text, LEVEL_BYTES, "%s", spot_value_label(axis, first, label));
    } else {
        char low[SPOT_LABEL_BYTES], high[SPOT_LABEL_BYTES];

        (void) spot_short_number(axis->numbers[first], low);
        (void) spot_short_number(axis->numbers[last], high);
        snprintf(text, LEVEL_BYTES, "%s to %s%s%s", low, high,
            axis->unit[0] == '\0' ? "" : " ", axis->unit);
    }
}

/* "4 % at 0, 90 % at 0.5". */
static void
ends_text(const sensitivity_t *self, size_t place, char *text, size_t num_bytes)
{
    const size_t key_id = self->order[place];
    const spot_key_effect_t *key = key_at(self, place);
    char low[SPOT_WORDS_BYTES], high[SPOT_WORDS_BYTES];
    char low_level[LEVEL_BYTES], high_level[LEVEL_BYTES];

    const bool is_number = isfinite(axis_of(self, key_id)->numbers[0]);
    const char *at = is_number ? "at" : "with";

    spot_metric_pair_words(
        self->metric, key->means[key->low_id], key->means[key->high_id], low, high);
    level_text(self, key_id, key->low_id, low_level);
    level_text(self, key_id, key->high_id, high_level);
    snprintf(
        text, num_bytes, "%s %s %s, %s %s %s", low, at, low_level, high, at, high_level);
}

/* "97 %" in percent; a share that is a little below 0 is none. */
static double
percent_of(double share)
{
    return 100 * fmin(fmax(share, 0), 1);
}

/* "97 % (95 to 98)"; "-" where there is none. */
static void
share_text(const spot_sensitivity_index_t *share, char text[SPOT_WORDS_BYTES])
{
    const double width = share->ci_high - share->ci_low;
    const int num_decimals = width < 0.02 || fabs(share->value) < 0.01 ? 1 : 0;

    if (!isfinite(share->value)) {
        snprintf(text, SPOT_WORDS_BYTES, "-");
    } else if (isfinite(width)) {
        snprintf(text, SPOT_WORDS_BYTES, "%.*f %% (%.*f to %.*f)", num_decimals,
            percent_of(share->value), num_decimals, percent_of(share->ci_low),
            num_decimals, percent_of(share->ci_high));
    } else {
        snprintf(
            text, SPOT_WORDS_BYTES, "%.*f %%", num_decimals, percent_of(share->value));
    }
}

static bool
has_totals(const sensitivity_t *self)
{
    return isfinite(key_at(self, 0)->total.value);
}

/* ---- Reading ---- */

static int
init(sensitivity_t *self, const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    double high = 0;
    int ret;

    *self = (sensitivity_t){
        .report = report, .head = head, .metric_id = spot_main_metric(head)};
    self->metric = &head->metrics[self->metric_id];
    ret = spot_report_effects(report, self->metric_id, &self->effects);
    if (ret == 0) {
        self->order = spot_calloc(self->effects->effects.num_keys, sizeof(*self->order));
        ret = self->order == NULL ? SPOT_ERR_NO_MEMORY : 0;
    }
    if (ret == 0) {
        spot_study_effects_order(self->effects, self->order);
        self->num_bars = self->effects->effects.num_keys;
        self->num_bars = self->num_bars < MAX_BARS ? self->num_bars : MAX_BARS;
        for (size_t j = 0; j < self->num_bars; j++) {
            const spot_sensitivity_index_t *range = &key_at(self, j)->range;

            high = fmax(high, fmax(range->value, range->ci_high)); /* skips NAN */
        }
        self->shown = spot_metric_shown(self->metric, high);
    }
    return ret;
}

static const char *
find_problem(const spot_report_t *report)
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

/* ---- The picture ---- */

static void
declare_head(const sensitivity_t *self, spot_chart_t *chart)
{
    char title[SPOT_NOTE_BYTES], words[SPOT_WORDS_BYTES], shown[SPOT_UTF8_SHOWN_BYTES];
    const char *outcome = spot_study_effects_outcome(self->effects);

    spot_metric_subject(self->metric, words);
    snprintf(title, sizeof(title), "How far each key moves %s", words);
    spot_picture_head(chart, &spot_picture_sensitivity, self->report, title, NULL);
    spot_chart_note(chart,
        "%s · %" PRId64 " replications at each point · seed %" PRIu64 " · %s%s",
        spot_utf8_shown(self->head->name, shown), self->effects->num_replications,
        self->head->seed,
        outcome == NULL ? "shares of the variance between points: " : "no effects: ",
        outcome == NULL ? method_name(self->effects) : outcome);
}

static void
declare_panel(const sensitivity_t *self, spot_chart_t *chart)
{
    const bool is_known = self->effects->outcome == 0;
    const bool has_both = is_known && has_totals(self);
    const bool is_share = self->shown.factor == 100;
    char name[SPOT_WORDS_BYTES * 2 + 64], words[SPOT_WORDS_BYTES];

    if (is_share) {
        spot_metric_subject(self->metric, words);
    } else {
        spot_metric_words_in(self->metric, self->shown.unit, words);
    }
    snprintf(name, sizeof(name), "how far a key moves %s%s", words,
        is_share ? " (percentage points)" : "");
    spot_chart_panel(
        chart, &(spot_chart_panel_t){
                   .x = {.name = name, .has_zero = true, .is_hidden = !is_known},
                   .y = {.kind = SPOT_CHART_ROWS},
                   .empty = is_known ? NULL : spot_study_effects_outcome(self->effects),
                   .side_names = {!is_known  ? NULL
                                  : has_both ? "share alone"
                                             : "share of variance",
                       has_both ? "with others" : NULL},
               });
}

static void
declare_rows(const sensitivity_t *self, spot_chart_t *chart)
{
    for (size_t j = 0; j < self->num_bars; j++) {
        char name[SPOT_WORDS_BYTES], ends[SPOT_POINT_BYTES * 2];
        char share[SPOT_WORDS_BYTES], total[SPOT_WORDS_BYTES];

        spot_key_words(axis_of(self, self->order[j]), name);
        ends_text(self, j, ends, sizeof(ends));
        share_text(&key_at(self, j)->share, share);
        share_text(&key_at(self, j)->total, total);
        (void) spot_chart_row(
            chart, &(spot_chart_row_t){
                       .name = name,
                       .note = ends,
                       .sides = {share, has_totals(self) ? total : NULL},
                   });
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_BARS,
                                 .colour = SPOT_INK_ACCENT,
                                 .interval_colour = SPOT_INK});
    for (size_t j = 0; j < self->num_bars; j++) {
        const spot_sensitivity_index_t *range = &key_at(self, j)->range;

        spot_chart_add(chart, &(spot_chart_datum_t){
                                  .x = self->shown.factor * range->value,
                                  .y = (double) j,
                                  .x_low = self->shown.factor * fmax(range->ci_low, 0),
                                  .x_high = self->shown.factor * range->ci_high,
                              });
    }
}

static int
declare(spot_chart_t *chart, const void *context)
{
    sensitivity_t self;
    int ret = init(&self, context);

    if (ret == 0) {
        declare_head(&self, chart);
        declare_panel(&self, chart);
        if (self.effects->outcome == 0) {
            declare_rows(&self, chart);
        }
        ret = spot_chart_error(chart);
    }
    free(self.order);
    return ret;
}

/* ---- CSV, words ---- */

static void
write_csv_index(const spot_sensitivity_index_t *index, bool is_known, FILE *out)
{
    spot_csv_field_number(out, is_known ? index->value : (double) NAN);
    spot_csv_field_number(out, is_known ? index->ci_low : (double) NAN);
    spot_csv_field_number(out, is_known ? index->ci_high : (double) NAN);
}

static void
write_csv_key(const sensitivity_t *self, size_t place, FILE *out)
{
    const spot_key_effect_t *key = key_at(self, place);
    const bool is_known = self->effects->outcome == 0;
    char level[LEVEL_BYTES] = "";

    spot_csv_field_text(out, self->metric->name);
    fputc(',', out);
    spot_csv_field_text(out, self->metric->unit);
    fputc(',', out);
    spot_csv_field_text(out, axis_of(self, self->order[place])->path);
    fputc(',', out);
    if (is_known) {
        level_text(self, self->order[place], key->low_id, level);
    }
    spot_csv_field_text(out, level);
    spot_csv_field_number(out, is_known ? key->means[key->low_id] : (double) NAN);
    fputc(',', out);
    if (is_known) {
        level_text(self, self->order[place], key->high_id, level);
    }
    spot_csv_field_text(out, level);
    spot_csv_field_number(out, is_known ? key->means[key->high_id] : (double) NAN);
    write_csv_index(&key->range, is_known, out);
    write_csv_index(&key->share, is_known, out);
    write_csv_index(&key->total, is_known, out);
    fputc(',', out);
    spot_csv_field_text(out, is_known ? method_name(self->effects)
                                      : spot_study_effects_outcome(self->effects));
    fputc('\n', out);
}

static int
write_csv(const spot_report_t *report, FILE *out)
{
    sensitivity_t self;
    int ret = init(&self, report);

    fputs("metric,unit,key,lowest_at,lowest,highest_at,highest,range,range_ci95_low,"
          "range_ci95_high,share,share_ci95_low,share_ci95_high,total,total_ci95_low,"
          "total_ci95_high,method\n",
        out);
    for (size_t j = 0; ret == 0 && j < self.effects->effects.num_keys; j++) {
        write_csv_key(&self, j, out);
    }
    free(self.order);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

static void
describe(const spot_report_t *report, FILE *out)
{
    sensitivity_t self;
    char words[SPOT_WORDS_BYTES], share[SPOT_WORDS_BYTES];
    const int ret = init(&self, report);

    if (ret == 0 && self.effects->outcome != 0) {
        fprintf(out, "How far each key moves %s is not known: %s.", self.metric->name,
            spot_study_effects_outcome(self.effects));
    } else if (ret == 0) {
        char ends[SPOT_POINT_BYTES * 2];

        share_text(&key_at(&self, 0)->share, share);
        ends_text(&self, 0, ends, sizeof(ends));
        fputs("How far each key moves ", out);
        spot_metric_subject(self.metric, words);
        fprintf(out, "%s, averaged over all others; most does ", words);
        spot_key_words(axis_of(&self, self.order[0]), words);
        spot_text_write(out, words);
        fputs(": ", out);
        spot_text_write(out, ends);
        fprintf(out,
            "; the share of the variance between points that it explains alone is %s.",
            share);
    }
    free(self.order);
}

const spot_study_picture_t spot_picture_sensitivity = {"sensitivity",
    "Which parameter matters", find_problem, declare, write_csv, describe};
