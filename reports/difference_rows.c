/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/difference_rows.h"

#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "reports/difference_plot.h"
#include "reports/figure.h"
#include "reports/picture_csv.h"
#include "reports/value_label.h"

#define DESCRIBED_CHARS 80 /* of the name of a point */

spot_metric_differences_t
spot_metric_differences_of(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    const size_t metric_id = spot_drawn_metric(head);

    double largest = 0;

    for (size_t j = 0; report->pairs != NULL && j < head->num_points; j++) {
        const double mean =
            spot_paired_mean(&report->pairs[j * head->num_metrics + metric_id]);

        largest = isfinite(mean) ? fmax(largest, fabs(mean)) : largest;
    }
    return (spot_metric_differences_t){
        report, head, metric_id, spot_metric_shown(&head->metrics[metric_id], largest)};
}

/* An interval that is not known is the mean alone. */
spot_difference_t
spot_difference_at(const spot_metric_differences_t *self, size_t point_id)
{
    const spot_study_head_t *head = self->head;
    const spot_paired_t *pair =
        &self->report->pairs[point_id * head->num_metrics + self->metric_id];
    const double factor = self->shown.factor;
    const double mean = spot_paired_mean(pair);
    double low, high;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    return (spot_difference_t){
        .mean = factor * mean,
        .low = factor * (isnan(low) ? mean : low),
        .high = factor * (isnan(high) ? mean : high),
        .is_sure = low > 0 || high < 0,
        .num_pairs = spot_paired_num_pairs(pair),
    };
}

/* ---- Words ---- */

void
spot_compared_words(
    const spot_study_head_t *head, size_t value_id, char text[SPOT_NOTE_BYTES])
{
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    const bool is_bare = isnan(axis->numbers[value_id]);
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];

    spot_key_words(axis, words);
    snprintf(text, SPOT_NOTE_BYTES, "%s%s%s", is_bare ? "" : words, is_bare ? "" : " ",
        spot_value_label(axis, value_id, label));
}

void
spot_difference_words(
    const spot_metric_differences_t *self, bool is_above, char text[SPOT_NOTE_BYTES])
{
    char words[SPOT_WORDS_BYTES], baseline[SPOT_NOTE_BYTES];
    const bool is_fraction = spot_fraction_words_in(
        &self->head->metrics[self->metric_id], self->shown.unit, words);

    spot_compared_words(self->head, self->head->baseline_value_id, baseline);
    spot_figure_cut(baseline, SPOT_UTF8_SHOWN_CHARS);
    snprintf(text, SPOT_NOTE_BYTES, "%s %s than %.*s",
        is_fraction ? (is_above ? "more" : "less") : (is_above ? "higher" : "lower"),
        words, SPOT_NOTE_BYTES - 2 * SPOT_WORDS_BYTES, baseline);
}

void
spot_difference_axis_words(
    const spot_metric_differences_t *self, char text[SPOT_NOTE_BYTES])
{
    char words[SPOT_WORDS_BYTES];

    if (spot_fraction_words_in(
            &self->head->metrics[self->metric_id], self->shown.unit, words)) {
        snprintf(text, SPOT_NOTE_BYTES, "difference (percentage points)");
    } else {
        snprintf(text, SPOT_NOTE_BYTES, "difference in %s", words);
    }
}

/* ---- What there is ---- */

const char *
spot_difference_plot_problem(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    spot_metric_differences_t differences;
    const char *problem;

    if (!head->has_baseline) {
        return "the study has no baseline: name what its points are compared with, such "
               "as baseline: {recovery: checkpoint}";
    }
    if (head->num_more_baselines > 0) {
        return "several keys are compared at once: sweep one of them with a baseline";
    }
    if (report->pairs == NULL || head->num_metrics == 0) {
        return "the differences to the baseline were not read";
    }
    differences = spot_metric_differences_of(report);
    for (size_t j = 0; j < head->num_points; j++) {
        if (isfinite(spot_difference_at(&differences, j).mean)) {
            return NULL;
        }
    }
    problem = spot_metrics_problem(report, 1, &differences.metric_id);
    return problem != NULL ? problem
                           : "no point has replications in common with its baseline";
}

int
spot_difference_csv_write(const spot_report_t *report, FILE *out)
{
    const spot_metric_differences_t self = spot_metric_differences_of(report);
    const spot_study_head_t *head = report->head;
    const char *name = head->metrics[self.metric_id].name;

    spot_picture_csv_point_names(head, out);
    fprintf(out, ",%s_difference_mean,%s_difference_ci95_low,%s_difference_ci95_high",
        name, name, name);
    fputs(",pairs\n", out);
    for (size_t j = 0; j < head->num_points; j++) {
        const spot_difference_t difference = spot_difference_at(&self, j);
        const bool has_interval = difference.high > difference.low;

        spot_picture_csv_point(head, j, out);
        spot_csv_field_number(out, difference.mean / self.shown.factor);
        spot_csv_field_number(
            out, has_interval ? difference.low / self.shown.factor : (double) NAN);
        spot_csv_field_number(
            out, has_interval ? difference.high / self.shown.factor : (double) NAN);
        fprintf(out, ",%lld\n", (long long) difference.num_pairs);
    }
    return ferror(out) ? SPOT_ERR_IO : 0;
}

/* "-8.1 percentage points at per minute 0.1, pipeline depth 8". */
static void
describe_point(
    const spot_metric_differences_t *self, double mean, size_t point_id, FILE *out)
{
    char value[SPOT_LABEL_BYTES], point[SPOT_POINT_BYTES];

    (void) spot_short_number(mean, value);
    spot_point_words(self->head, point_id, DESCRIBED_CHARS, point);
    fprintf(out, "%s%s%s at %s", mean > 0 ? "+" : "", value,
        self->shown.factor == 100 ? " percentage points" : "", point);
}

void
spot_difference_describe(const spot_report_t *report, FILE *out)
{
    const spot_metric_differences_t self = spot_metric_differences_of(report);
    size_t num_all = 0, num_below = 0, num_above = 0, low_id = 0, high_id = 0;
    double low = HUGE_VAL, high = -HUGE_VAL;
    char words[SPOT_WORDS_BYTES], baseline[SPOT_NOTE_BYTES];

    for (size_t j = 0; j < report->head->num_points; j++) {
        const spot_difference_t difference = spot_difference_at(&self, j);

        if (isfinite(difference.mean)) {
            num_all++;
            num_below += difference.is_sure && difference.mean < 0;
            num_above += difference.is_sure && difference.mean > 0;
            low_id = difference.mean < low ? j : low_id;
            low = fmin(low, difference.mean);
            high_id = difference.mean > high ? j : high_id;
            high = fmax(high, difference.mean);
        }
    }
    if (num_all == 0) {
        return;
    }
    (void) spot_fraction_words_in(
        &report->head->metrics[self.metric_id], self.shown.unit, words);
    spot_compared_words(report->head, report->head->baseline_value_id, baseline);
    fprintf(out, "Differences in %s to %s, replication by replication: from ", words,
        baseline);
    describe_point(&self, low, low_id, out);
    fputs(" to ", out);
    describe_point(&self, high, high_id, out);
    fprintf(out, ". Of %zu points %zu %s surely lower and %zu surely higher.", num_all,
        num_below, num_below == 1 ? "is" : "are", num_above);
}
