/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "reports/picture_csv.h"
#include "reports/pictures/frames.h"
#include "reports/pictures/parts.h"
#include "reports/series_look.h"
#include "reports/value_label.h"

#define MIN_CURVE_X 4 /* values along x that are worth a curve */
#define MAX_PANELS 6
#define MAX_ROWS 40
#define NAME_CHARS 80 /* of the name of a point */

typedef struct {
    const spot_report_t *report;
    const spot_study_head_t *head;
    size_t metric_id;
    spot_shown_unit_t shown; /* factor 100 for percentage points */
} differences_t;

/* Of one point, in the unit of the metric. */
typedef struct {
    double mean; /* NAN: there is nothing to compare it with */
    double low;  /* of its interval at SPOT_CONFIDENCE; both are mean where unknown */
    double high;
    bool is_sure; /* 0 lies outside of the interval */
    int64_t num_pairs;
} difference_t;

static differences_t
differences_of(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    const size_t metric_id = spot_drawn_metric(head);
    double largest = 0;

    for (size_t j = 0; report->pairs != NULL && j < head->num_points; j++) {
        const double mean =
            spot_paired_mean(&report->pairs[j * head->num_metrics + metric_id]);

        largest = isfinite(mean) ? fmax(largest, fabs(mean)) : largest;
    }
    return (differences_t){
        report, head, metric_id, spot_metric_shown(&head->metrics[metric_id], largest)};
}

static difference_t
difference_at(const differences_t *self, size_t point_id)
{
    const spot_paired_t *pair =
        &self->report->pairs[point_id * self->head->num_metrics + self->metric_id];
    const double mean = spot_paired_mean(pair);
    double low, high;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    return (difference_t){mean, isnan(low) ? mean : low, isnan(high) ? mean : high,
        low > 0 || high < 0, spot_paired_num_pairs(pair)};
}

/* ---- Words ---- */

/* "pipeline depth 16", "checkpoint": a value of the key of the baseline. */
static void
compared_words(
    const spot_study_head_t *head, size_t value_id, char text[SPOT_NOTE_BYTES])
{
    const spot_axis_t *axis = &head->axes[head->baseline_axis_id];
    const bool is_bare = isnan(axis->numbers[value_id]);
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];

    spot_key_words(axis, words);
    snprintf(text, SPOT_NOTE_BYTES, "%s%s%s", is_bare ? "" : words, is_bare ? "" : " ",
        spot_value_label(axis, value_id, label));
}

/* "less idle than pipeline depth 16", "higher samples per USD than checkpoint": what a
 * difference below or above 0 means. */
static void
direction_words(const differences_t *self, bool is_above, char text[SPOT_NOTE_BYTES])
{
    char words[SPOT_WORDS_BYTES], baseline[SPOT_NOTE_BYTES];
    const bool is_fraction = spot_fraction_words_in(
        &self->head->metrics[self->metric_id], self->shown.unit, words);

    compared_words(self->head, self->head->baseline_value_id, baseline);
    snprintf(text, SPOT_NOTE_BYTES, "%s %s than %.*s",
        is_fraction ? (is_above ? "more" : "less") : (is_above ? "higher" : "lower"),
        words, SPOT_NOTE_BYTES - 2 * SPOT_WORDS_BYTES, baseline);
}

/* "difference (percentage points)", "difference in cost (USD)". */
static void
axis_words(const differences_t *self, char text[SPOT_NOTE_BYTES])
{
    char words[SPOT_WORDS_BYTES];

    if (spot_fraction_words_in(
            &self->head->metrics[self->metric_id], self->shown.unit, words)) {
        snprintf(text, SPOT_NOTE_BYTES, "difference (percentage points)");
    } else {
        snprintf(text, SPOT_NOTE_BYTES, "difference in %s", words);
    }
}

static void
declare_head(const differences_t *self, spot_chart_t *chart, const char *mark,
    size_t num_left, const char *left_words)
{
    char title[SPOT_NOTE_BYTES], metric[SPOT_WORDS_BYTES], baseline[SPOT_NOTE_BYTES];
    char more[SPOT_NOTE_BYTES], cut[SPOT_WORDS_BYTES] = "";

    spot_metric_subject(&self->head->metrics[self->metric_id], metric);
    compared_words(self->head, self->head->baseline_value_id, baseline);
    snprintf(title, sizeof(title), "%s compared with %.*s", metric,
        SPOT_NOTE_BYTES - 2 * SPOT_WORDS_BYTES, baseline);
    if (num_left > 0) {
        snprintf(cut, sizeof(cut), " · only the first %zu %s", num_left, left_words);
    }
    snprintf(more, sizeof(more),
        " · paired differences, %s: 95 %% interval, grey dot: it includes 0%s", mark,
        cut);
    spot_picture_head(chart, &spot_picture_differences, self->report, title, more);
}

/* ---- The picture ---- */

/* A place of a series; colour: of its dot, grey where the interval includes 0. */
static void
fill_datum(const differences_t *self, size_t point_id, spot_chart_datum_t *datum,
    char hover[SPOT_POINT_BYTES])
{
    const difference_t difference = difference_at(self, point_id);
    const bool is_share = self->shown.factor == 100;
    const spot_shown_unit_t shown =
        is_share ? (spot_shown_unit_t){1, "percentage points"} : self->shown;
    const double scale = is_share ? 100 : 1;

    spot_picture_hover(self->report, point_id, &shown, scale * difference.mean,
        scale * difference.low, scale * difference.high, hover);
    datum->hover = hover;
    datum->colour = difference.is_sure ? NULL : SPOT_INK_AXIS;
}

static void
add_curve(const differences_t *self, spot_chart_t *chart, const spot_curves_t *curves,
    size_t curve_id)
{
    const size_t axis_id = self->head->baseline_axis_id;
    const size_t value_id = spot_curves_value_id(curves, curve_id, axis_id);
    const double factor = self->shown.factor;
    char name[SPOT_NOTE_BYTES], hover[SPOT_POINT_BYTES];

    compared_words(self->head, value_id, name);
    spot_chart_series(
        chart, &(spot_chart_series_t){
                   .kind = SPOT_CHART_LINE,
                   .name = name,
                   .colour = spot_series_colour(self->head, axis_id, value_id),
                   .marker = spot_series_marker(value_id),
                   .is_hollow = spot_series_is_hollow(value_id),
                   .dash = spot_series_is_bound(self->head, axis_id, value_id)
                               ? SPOT_CHART_DASHED
                               : SPOT_CHART_SOLID,
               });
    for (size_t j = 0; j < spot_curves_num_x(curves, curve_id); j++) {
        const size_t point_id = spot_curves_point(curves, curve_id, j);
        const difference_t difference = difference_at(self, point_id);
        spot_chart_datum_t datum = {
            .x = spot_curves_x(curves, curve_id, j),
            .y = factor * difference.mean,
            .y_low = factor * difference.low,
            .y_high = factor * difference.high,
        };

        fill_datum(self, point_id, &datum, hover);
        spot_chart_add(chart, &datum);
    }
}

static int
declare_curves(
    const differences_t *self, spot_chart_t *chart, const spot_curves_t *curves)
{
    const spot_study_head_t *head = self->head;
    char axis[SPOT_NOTE_BYTES], above[SPOT_NOTE_BYTES], below[SPOT_NOTE_BYTES];
    char x_name[SPOT_WORDS_BYTES], title[SPOT_POINT_BYTES];
    const spot_chart_axis_t x = spot_picture_x_axis(head, curves->axis_id, x_name);
    spot_frames_t frames;
    const int ret = spot_frames_init(
        &frames, curves, head->baseline_axis_id, head->baseline_value_id, MAX_PANELS);

    if (ret == 0) {
        declare_head(
            self, chart, "band", frames.is_cut ? frames.num_frames : 0, "panels");
    }
    axis_words(self, axis);
    direction_words(self, true, above);
    direction_words(self, false, below);
    for (size_t j = 0; ret == 0 && j < frames.num_frames; j++) {
        spot_frame_words(&frames, j, title);
        spot_chart_panel(chart, &(spot_chart_panel_t){
                                    .title = title[0] == '\0' ? NULL : title,
                                    .x = x,
                                    .y = {.name = axis,
                                        .has_zero = true,
                                        .group = 1,
                                        .high_name = above,
                                        .low_name = below},
                                });
        spot_chart_rule(
            chart, &(spot_chart_rule_t){.direction = SPOT_CHART_HORIZONTAL, .at = 0});
        for (size_t k = 0; k < curves->num_panels; k++) {
            if (frames.frame_ids[k] == j) {
                add_curve(self, chart, curves, k);
            }
        }
    }
    spot_frames_free(&frames);
    return ret;
}

/* A row for each point that has a difference. point_ids: [num_rows] */
static void
declare_row_panel(const differences_t *self, spot_chart_t *chart, size_t num_rows,
    const size_t *point_ids)
{
    char axis[SPOT_NOTE_BYTES], above[SPOT_NOTE_BYTES], below[SPOT_NOTE_BYTES];
    char note[2 * SPOT_NOTE_BYTES + 16], name[SPOT_POINT_BYTES];

    axis_words(self, axis);
    direction_words(self, true, above);
    direction_words(self, false, below);
    snprintf(note, sizeof(note), "← %s · %s →", below, above);
    spot_chart_panel(chart, &(spot_chart_panel_t){
                                .note = note,
                                .x = {.name = axis, .has_zero = true},
                                .y = {.kind = SPOT_CHART_ROWS},
                            });
    for (size_t j = 0; j < num_rows; j++) {
        spot_point_words(self->head, point_ids[j], NAME_CHARS, name);
        (void) spot_chart_row(chart, &(spot_chart_row_t){.name = name});
    }
    spot_chart_rule(
        chart, &(spot_chart_rule_t){.direction = SPOT_CHART_VERTICAL, .at = 0});
}

static void
add_row(const differences_t *self, spot_chart_t *chart, size_t row_id, size_t point_id)
{
    const size_t axis_id = self->head->baseline_axis_id;
    const size_t value_id = spot_study_value_id(self->head, point_id, axis_id);
    const difference_t difference = difference_at(self, point_id);
    const double factor = self->shown.factor;
    char hover[SPOT_POINT_BYTES];
    spot_chart_datum_t datum = {
        .x = factor * difference.mean,
        .x_low = factor * difference.low,
        .x_high = factor * difference.high,
        .y = (double) row_id,
        .is_hollow = !difference.is_sure,
    };

    spot_chart_series(
        chart, &(spot_chart_series_t){
                   .kind = SPOT_CHART_POINTS,
                   .colour = difference.is_sure
                                 ? spot_series_colour(self->head, axis_id, value_id)
                                 : SPOT_INK_OTHER,
               });
    fill_datum(self, point_id, &datum, hover);
    datum.colour = NULL;
    spot_chart_add(chart, &datum);
}

static void
declare_rows(const differences_t *self, spot_chart_t *chart)
{
    size_t point_ids[MAX_ROWS] = {0}, num_rows = 0, num_all = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (isfinite(difference_at(self, j).mean) && num_all++ < MAX_ROWS) {
            point_ids[num_rows++] = j;
        }
    }
    declare_head(self, chart, "bar", num_all > num_rows ? num_rows : 0, "points");
    declare_row_panel(self, chart, num_rows, point_ids);
    for (size_t j = 0; j < num_rows; j++) {
        add_row(self, chart, j, point_ids[j]);
    }
}

/* Whether the points have an order along a number worth a curve. */
static bool
has_curves(const spot_curves_t *curves)
{
    return !curves->has_all_in_one &&
           curves->axis_id != curves->head->baseline_axis_id &&
           curves->head->axes[curves->axis_id].num_values >= MIN_CURVE_X;
}

static int
declare(spot_chart_t *chart, const void *context)
{
    const differences_t self = differences_of(context);
    const char *problem = NULL;
    spot_curves_t curves;
    int ret = spot_curves_init(&curves, self.report, &problem);

    if (ret == 0 && has_curves(&curves)) {
        ret = declare_curves(&self, chart, &curves);
    } else if (ret == 0 || ret == SPOT_ERR_BAD_PARAM) { /* there are points, at least */
        declare_rows(&self, chart);
        ret = 0;
    }
    spot_curves_free(&curves);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

static const char *
find_problem(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    differences_t differences;
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
    differences = differences_of(report);
    for (size_t j = 0; j < head->num_points; j++) {
        if (isfinite(difference_at(&differences, j).mean)) {
            return NULL;
        }
    }
    problem = spot_metrics_problem(report, 1, &differences.metric_id);
    return problem != NULL ? problem
                           : "no point has replications in common with its baseline";
}

static int
write_csv(const spot_report_t *report, FILE *out)
{
    const differences_t self = differences_of(report);
    const spot_study_head_t *head = report->head;

    spot_picture_csv_point_names(head, out);
    spot_picture_csv_estimate_names(head, self.metric_id, "_difference", out);
    fputs(",pairs\n", out);
    for (size_t j = 0; j < head->num_points; j++) {
        const difference_t difference = difference_at(&self, j);
        const bool has_interval = difference.high > difference.low;

        spot_picture_csv_point(head, j, out);
        spot_csv_field_number(out, difference.mean);
        spot_csv_field_number(out, has_interval ? difference.low : (double) NAN);
        spot_csv_field_number(out, has_interval ? difference.high : (double) NAN);
        fprintf(out, ",%lld\n", (long long) difference.num_pairs);
    }
    return ferror(out) ? SPOT_ERR_IO : 0;
}

/* "-8.1 percentage points at per minute 0.1, pipeline depth 8". */
static void
describe_point(const differences_t *self, double mean, size_t point_id, FILE *out)
{
    char value[SPOT_LABEL_BYTES], point[SPOT_POINT_BYTES];

    (void) spot_short_number(self->shown.factor * mean, value);
    spot_point_words(self->head, point_id, NAME_CHARS, point);
    fprintf(out, "%s%s%s at %s", mean > 0 ? "+" : "", value,
        self->shown.factor == 100 ? " percentage points" : "", point);
}

static void
describe(const spot_report_t *report, FILE *out)
{
    const differences_t self = differences_of(report);
    size_t num_all = 0, num_below = 0, num_above = 0, low_id = 0, high_id = 0;
    double low = HUGE_VAL, high = -HUGE_VAL;
    char words[SPOT_WORDS_BYTES], baseline[SPOT_NOTE_BYTES];

    for (size_t j = 0; j < report->head->num_points; j++) {
        const difference_t difference = difference_at(&self, j);

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
    compared_words(report->head, report->head->baseline_value_id, baseline);
    fprintf(out, "Differences in %s to %s, replication by replication: from ", words,
        baseline);
    describe_point(&self, low, low_id, out);
    fputs(" to ", out);
    describe_point(&self, high, high_id, out);
    fprintf(out, ". Of %zu points %zu %s surely lower and %zu surely higher.", num_all,
        num_below, num_below == 1 ? "is" : "are", num_above);
}

const spot_study_picture_t spot_picture_differences = {"differences",
    "Compared with the baseline", find_problem, declare, write_csv, describe};
