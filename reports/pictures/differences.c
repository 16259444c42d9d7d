/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/draw.h"
#include "reports/pictures/parts.h"

#define MIN_CURVE_X 4 /* values along x that are worth a curve */
#define MAX_PANELS 6
#define MAX_ROWS 40

typedef struct {
    spot_view_t view; /* percentage points of a share */
    const spot_report_t *report;
    const spot_study_head_t *head;
    bool is_share;
    const char *metric;          /* "idle", "cost (USD)" */
    const char *baseline;        /* "pipeline depth 16" */
    const char *axis;            /* "difference (percentage points)" */
    const char *above, *below;   /* "less idle than pipeline depth 16" */
    size_t num_all;              /* points with a difference */
    size_t num_below, num_above; /* surely */
    double *means;               /* [num_points]; NAN: there is nothing to compare with */
} differences_t;

/* Of one point. */
typedef struct {
    double mean;      /* NAN: there is nothing to compare it with */
    double low, high; /* of its interval at SPOT_CONFIDENCE; both are mean where unknown */
    bool is_sure;     /* 0 lies outside of the interval */
    int64_t num_pairs;
} difference_t;

static difference_t difference_at(const spot_report_t *report, size_t point_id)
{
    const spot_paired_t *pair =
        &report->pairs[point_id * report->head->num_metrics + spot_drawn_metric(report->head)];
    const double mean = spot_paired_mean(pair);
    double low, high;

    spot_paired_bounds(pair, SPOT_CONFIDENCE, &low, &high);
    return (difference_t){mean, isfinite(low) ? low : mean, isfinite(high) ? high : mean,
        spot_paired_sign(pair, SPOT_CONFIDENCE) != 0, spot_paired_num_pairs(pair)};
}

/* "pipeline depth 16", "checkpoint": a value of the key of the baseline. */
static const char *compared_words(const differences_t *self, size_t value_id)
{
    const spot_axis_t *axis = &self->head->axes[self->head->baseline_axis_id];
    const char *label = spot_words_label(self->view.texts, axis, value_id);

    return isnan(axis->numbers[value_id]) ? label
                                          : spot_texts_add(self->view.texts, "%s %s",
                                                spot_words_key(self->view.texts, axis), label);
}

/* means: [num_points] */
static differences_t differences_of(const spot_report_t *report, spot_texts_t *texts, double *means)
{
    const spot_study_head_t *head = report->head;
    const size_t metric_id = spot_drawn_metric(head);
    const spot_metric_t *metric = &head->metrics[metric_id];
    differences_t self = {.report = report, .head = head, .means = means, .view = {.texts = texts}};
    double largest = 0;

    for (size_t j = 0; j < head->num_points; j++) {
        const difference_t difference = difference_at(report, j);

        means[j] = difference.mean;
        if (isfinite(means[j])) {
            self.num_all++;
            self.num_below += difference.is_sure && means[j] < 0;
            self.num_above += difference.is_sure && means[j] > 0;
            largest = fmax(largest, fabs(means[j]));
        }
    }
    self.view = (spot_view_t){report, head, texts, metric_id, spot_metric_shown(metric, largest)};
    self.metric = spot_view_metric(&self.view, metric_id);
    self.is_share = self.view.shown.factor == 100;
    if (self.is_share) {
        strcpy(self.view.shown.unit, "percentage points");
    }
    self.axis = self.is_share ? "difference (percentage points)"
                              : spot_texts_add(texts, "difference in %s", self.metric);
    self.baseline = compared_words(&self, head->baseline_value_id);
    self.above = spot_texts_add(
        texts, "%s %s than %s", self.is_share ? "more" : "higher", self.metric, self.baseline);
    self.below = spot_texts_add(
        texts, "%s %s than %s", self.is_share ? "less" : "lower", self.metric, self.baseline);
    return self;
}

static void declare_head(
    const differences_t *self, spot_chart_t *chart, const char *mark, const char *cut)
{
    spot_texts_t *texts = self->view.texts;

    spot_view_head(&self->view, chart,
        spot_texts_add(texts, "%s compared with %s",
            spot_words_subject(texts, &self->head->metrics[self->view.metric_id]), self->baseline),
        spot_texts_add(texts,
            "Differences in %s to %s, replication by replication: %s. Of %zu points %zu "
            "%s surely lower and %zu surely higher.",
            self->metric, self->baseline, spot_view_range(&self->view, self->means), self->num_all,
            self->num_below, self->num_below == 1 ? "is" : "are", self->num_above),
        spot_texts_add(texts,
            " · paired differences, %s: 95 %% interval, grey dot: it includes 0%s", mark, cut));
}

/* A place of a series along x; grey where the interval includes 0. */
static spot_chart_datum_t datum_at(const differences_t *self, size_t point_id, double x)
{
    const double factor = self->view.shown.factor;
    const difference_t difference = difference_at(self->report, point_id);

    return (spot_chart_datum_t){.x = x,
        .y = factor * difference.mean,
        .y_low = factor * difference.low,
        .y_high = factor * difference.high,
        .hover = spot_view_hover(
            &self->view, point_id, difference.mean, difference.low, difference.high),
        .colour = difference.is_sure ? NULL : SPOT_INK_AXIS};
}

static void declare_panel(const differences_t *self, spot_chart_t *chart,
    const spot_frames_t *frames, const spot_frame_t *frame)
{
    const spot_curves_t *curves = frames->curves;
    const size_t axis_id = self->head->baseline_axis_id;
    spot_texts_t *texts = self->view.texts;
    const spot_chart_panel_t panel = {
        .title = spot_frame_words(frames, frame, texts),
        .x = spot_picture_x_axis(texts, self->head, curves->axis_id),
        .y = {.name = self->axis,
            .has_zero = true,
            .group = 1,
            .high_name = self->above,
            .low_name = self->below},
    };

    spot_chart_panel(chart, &panel);
    spot_chart_rule(chart, &(spot_chart_rule_t){.direction = SPOT_CHART_HORIZONTAL, .at = 0});
    for (size_t j = 0; j < frame->num_curves; j++) {
        const size_t curve_id = frame->curve_ids[j];
        const size_t value_id = spot_curves_value_id(curves, curve_id, axis_id);
        spot_chart_series_t series = spot_series_look(self->head, axis_id, value_id);

        series.kind = SPOT_CHART_LINE;
        series.name = compared_words(self, value_id);
        spot_chart_series(chart, &series);
        for (size_t k = 0; k < spot_curves_num_x(curves, curve_id); k++) {
            const spot_chart_datum_t datum = datum_at(
                self, spot_curves_point(curves, curve_id, k), spot_curves_x(curves, curve_id, k));

            spot_chart_add(chart, &datum);
        }
    }
}

static void declare_curves(
    const differences_t *self, spot_chart_t *chart, const spot_curves_t *curves)
{
    spot_frames_t frames;

    spot_frames_init(
        &frames, curves, self->head->baseline_axis_id, self->head->baseline_value_id, MAX_PANELS);
    declare_head(self, chart, "band",
        spot_words_cut(self->view.texts, frames.num_drawn, frames.num_wanted, "curves"));
    for (size_t j = 0; j < frames.num_frames; j++) {
        declare_panel(self, chart, &frames, &frames.frames[j]);
    }
}

static void declare_row(
    const differences_t *self, spot_chart_t *chart, size_t row_id, size_t point_id)
{
    const size_t axis_id = self->head->baseline_axis_id;
    const size_t value_id = spot_study_value_id(self->head, point_id, axis_id);
    const spot_chart_datum_t along = datum_at(self, point_id, 0);
    const bool is_sure = along.colour == NULL;
    const spot_chart_series_t series = {.kind = SPOT_CHART_POINTS,
        .colour =
            is_sure ? spot_series_look(self->head, axis_id, value_id).colour : SPOT_INK_OTHER};
    const spot_chart_datum_t datum = {.x = along.y,
        .x_low = along.y_low,
        .x_high = along.y_high,
        .y = (double) row_id,
        .hover = along.hover,
        .is_hollow = !is_sure};

    spot_chart_series(chart, &series);
    spot_chart_add(chart, &datum);
}

/* A row for each point that has a difference. */
static void declare_rows(const differences_t *self, spot_chart_t *chart)
{
    const size_t num_rows = self->num_all < MAX_ROWS ? self->num_all : MAX_ROWS;
    spot_texts_t *texts = self->view.texts;
    const spot_chart_panel_t panel = {
        .note = spot_texts_add(texts, "← %s · %s →", self->below, self->above),
        .x = {.name = self->axis, .has_zero = true},
        .y = {.kind = SPOT_CHART_ROWS}};
    size_t point_ids[MAX_ROWS], num_added = 0;

    declare_head(self, chart, "bar", spot_words_cut(texts, num_rows, self->num_all, "points"));
    spot_chart_panel(chart, &panel);
    for (size_t j = 0; num_added < num_rows; j++) {
        if (isfinite(self->means[j])) {
            const spot_chart_row_t row = {
                .name = spot_words_point(texts, self->head, j, SPOT_PICTURE_CHARS)};

            (void) spot_chart_row(chart, &row);
            point_ids[num_added++] = j;
        }
    }
    spot_chart_rule(chart, &(spot_chart_rule_t){.direction = SPOT_CHART_VERTICAL, .at = 0});
    for (size_t j = 0; j < num_rows; j++) {
        declare_row(self, chart, j, point_ids[j]);
    }
}

static int declare(spot_chart_t *chart, const void *context)
{
    const spot_report_t *report = context;
    const spot_study_head_t *head = report->head;
    double *means = spot_calloc(head->num_points, sizeof(*means));
    const char *problem;
    spot_texts_t texts = {0};
    spot_curves_t curves;
    int ret = spot_curves_init(&curves, report, &problem);

    if (means == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    } else if (ret == 0 || ret == SPOT_ERR_BAD_PARAM) { /* there are points, at least */
        const differences_t self = differences_of(report, &texts, means);

        if (ret == 0 && !curves.has_all_in_one && curves.axis_id != head->baseline_axis_id &&
            head->axes[curves.axis_id].num_values >= MIN_CURVE_X) {
            declare_curves(&self, chart, &curves);
        } else {
            declare_rows(&self, chart);
        }
        ret = texts.error;
    }
    spot_curves_free(&curves);
    spot_texts_free(&texts);
    free(means);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

static const char *find_problem(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    const size_t metric_id = spot_drawn_metric(head);
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
    for (size_t j = 0; j < head->num_points; j++) {
        if (isfinite(difference_at(report, j).mean)) {
            return NULL;
        }
    }
    problem = spot_metrics_problem(report, 1, &metric_id);
    return problem != NULL ? problem : "no point has replications in common with its baseline";
}

static int fill(const spot_report_t *report, spot_table_t *table)
{
    const spot_study_head_t *head = report->head;

    spot_picture_point_columns(table, head);
    spot_picture_estimate_columns(
        table, head->metrics[spot_drawn_metric(head)].name, "_difference");
    spot_picture_column(table, "pairs");
    for (size_t j = 0; j < head->num_points; j++) {
        const difference_t difference = difference_at(report, j);
        const bool has_interval = difference.high > difference.low;

        spot_picture_point_row(table, head, j);
        spot_picture_estimate(table, difference.mean, has_interval ? difference.low : (double) NAN,
            has_interval ? difference.high : (double) NAN);
        spot_table_add_count(table, difference.num_pairs);
    }
    return 0;
}

const spot_study_picture_t spot_picture_differences = {.name = "differences",
    .title = "Compared with the baseline",
    .problem = find_problem,
    .declare = declare,
    .fill = fill};
