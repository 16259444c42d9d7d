/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_chart.h"

#include <math.h>

#include "reports/cdf_chart.h"
#include "reports/run_series.h"

#define STRIP_PX 17.0
#define LANE_PX 22.0   /* of few lanes */
#define LANES_PX 600.0 /* at most, unless there are very many */
#define MAX_PIECES 20000

typedef struct {
    const spot_run_series_t *run;
    spot_chart_t *chart;
} timeline_t;

/* More rows than bins. */
static bool is_thinned(const spot_series_t *levels)
{
    return levels != NULL && levels->num_rows > SPOT_MAX_BINS;
}

/* Opens a panel; all have one axis of time, and the last one its labels. */
static void open_panel(const timeline_t *self, spot_chart_panel_t panel)
{
    panel.x = (spot_chart_axis_t){
        .unit = SPOT_CHART_MS, .name = "time", .high = self->run->end_ms, .group = 1};
    panel.is_below = panel.is_below || panel.height_px < 200;
    spot_chart_panel(self->chart, &panel);
}

static void declare_words(const timeline_t *self)
{
    const spot_run_series_t *run = self->run;

    spot_chart_title(self->chart, "%s", run->title);
    if (run->note[0] != '\0') {
        spot_chart_note(self->chart, "%s", run->note);
    }
    if (run->levels != NULL) {
        spot_chart_note(self->chart, "%s over time%s, and each category's share",
            spot_run_series_level_noun(run),
            is_thinned(run->levels) ? ": averages, peaks (grey), dips (line)" : "");
    }
}

/* ---- Levels ---- */

typedef enum { AVERAGE, PEAK, DIP } what_t;

/* A value for each row of the levels which lasts some time, or for each bin. */
static void add_level(
    const timeline_t *self, const spot_chart_series_t *series, const spot_lane_t *lane, what_t what)
{
    const spot_series_t *levels = lane->series;
    const double end_ms = self->run->end_ms;
    spot_bin_t bins[SPOT_MAX_BINS];
    double value = 0;
    size_t step_id = 0;

    spot_chart_series(self->chart, series);
    if (is_thinned(levels)) {
        spot_lane_bins(lane, end_ms, SPOT_MAX_BINS, bins);
    }
    for (size_t j = 0; is_thinned(levels) && j < SPOT_MAX_BINS; j++) {
        value = what == PEAK ? bins[j].high : what == DIP ? bins[j].low : bins[j].value;
        spot_chart_add_xy(self->chart, bins[j].start_ms, value);
    }
    for (size_t j = 0; !is_thinned(levels) && j < levels->num_rows; j++) {
        const double start_ms = spot_run_time_ms(levels, j);

        if (start_ms < (j + 1 < levels->num_rows ? spot_run_time_ms(levels, j + 1) : end_ms)) {
            value = spot_curve_at(&lane->curve, &step_id, start_ms);
            spot_chart_add_xy(self->chart, start_ms, value);
        }
    }
    if (lane->curve.num_points > 0) {
        spot_chart_add_xy(self->chart, end_ms, value);
    }
}

/* Where the stack is averages, a shade behind it goes up to the peaks, and a thin line
 * over it shows the dips. */
static void declare_levels(const timeline_t *self, const spot_lane_t *levels)
{
    const spot_lane_t *total = spot_run_lane_total(levels);
    const bool has_bins = is_thinned(levels->series);
    double peak = 1;

    for (size_t j = 0; j < total->curve.num_points; j++) {
        peak = fmax(peak, total->curve.points[j].y);
    }
    open_panel(self, (spot_chart_panel_t){.y = {.name = total->name, .high = peak},
                         .height_px = 260,
                         .is_below = levels > self->run->lanes});
    if (levels > self->run->lanes) { /* not the first stack */
        spot_chart_legend(
            self->chart, &(spot_chart_entry_t){.text = total->name, .is_heading = true});
    }
    if (has_bins) {
        add_level(self,
            &(spot_chart_series_t){
                .kind = SPOT_CHART_AREA_STEPS, .is_alone = true, .colour = SPOT_INK_GRID},
            total, PEAK);
    }
    for (; levels < total; levels++) {
        char share[32];

        if (spot_lane_is_shown(levels)) {
            snprintf(share, sizeof(share), "%.1f %%", 100 * levels->sum / total->sum);
            add_level(self,
                &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                    .name = levels->name,
                    .side = share,
                    .name_at = SPOT_CHART_NAME_LEGEND,
                    .colour = levels->colour},
                levels, AVERAGE);
        }
    }
    if (has_bins) {
        add_level(self,
            &(spot_chart_series_t){
                .kind = SPOT_CHART_STEPS, .colour = SPOT_INK_LABEL, .width_px = 0.4},
            total, DIP);
    }
    add_level(self,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .colour = has_bins ? SPOT_INK_OTHER : SPOT_INK_LABEL,
            .width_px = 0.7},
        total, PEAK);
}

/* ---- Marks, the curve and spans ---- */

/* A stroke for each bin that has some; the more they count, the longer it is. */
static void declare_strip(const timeline_t *self, const spot_lane_t *lane)
{
    const size_t num_marks = lane->curve.num_points;
    spot_bin_t bins[SPOT_MAX_BINS];
    double most = 1;
    char text[96];

    spot_lane_bins(lane, self->run->end_ms, SPOT_MAX_BINS, bins);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        most = fmax(most, bins[j].value);
    }
    snprintf(
        text, sizeof(text), "%s, %zu time%s", lane->name, num_marks, num_marks == 1 ? "" : "s");
    open_panel(
        self, (spot_chart_panel_t){.y = {.high = 1, .is_hidden = true}, .height_px = STRIP_PX});
    spot_chart_series(self->chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_STROKES, .name = text, .colour = lane->colour});
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        if (bins[j].num_marks > 0) {
            spot_chart_add_xy(self->chart, ((double) j + 0.5) * self->run->end_ms / SPOT_MAX_BINS,
                0.3 + 0.7 * bins[j].value / most);
        }
    }
}

/* The curve over a shade, named by how far it came. */
static int declare_curve(const timeline_t *self, const spot_lane_t *lane)
{
    char text[96] = "";
    spot_curve_t curve;
    const int ret = spot_lane_thin(lane, self->run->end_ms, SPOT_MAX_COLUMNS, &curve);

    if (curve.num_points > 0) {
        const double last = curve.points[curve.num_points - 1].y;

        snprintf(text, sizeof(text), "%.*f %s", last == floor(last) ? 0 : 2, last, lane->name);
    }
    open_panel(
        self, (spot_chart_panel_t){.y = {.name = lane->name, .has_zero = true}, .height_px = 80});
    for (int is_line = 0; is_line < 2; is_line++) {
        spot_chart_series(
            self->chart, &(spot_chart_series_t){.kind = is_line ? SPOT_CHART_LINE : SPOT_CHART_AREA,
                             .name = is_line ? text : NULL,
                             .is_alone = !is_line,
                             .is_faint = !is_line,
                             .colour = SPOT_INK_ACCENT,
                             .width_px = 1.6});
        for (size_t j = 0; j < curve.num_points; j++) {
            spot_chart_add_xy(self->chart, curve.points[j].x, curve.points[j].y);
        }
    }
    spot_curve_free(&curve);
    return ret;
}

/* ---- Spans ---- */

/* How much of its lane a piece takes. */
static double share_of(const spot_spans_t *spans, const spot_span_t *span)
{
    return (double) span->num_slots / (double) spans->lanes[span->lane_id].num_slots;
}

/* Adds the pieces of a colour that are not too short; those of equal thickness in a row
 * are one series. */
static void add_spans(
    const timeline_t *self, const spot_spans_t *spans, size_t colour_id, double least_ms)
{
    const spot_span_colour_t *colour = &spans->colours[colour_id];
    double thickness = 0;

    for (size_t j = 0; j < spans->num_spans; j++) {
        const spot_span_t *span = &spans->spans[j];
        const double share = share_of(spans, span);
        const double top = (double) span->slot * share / (double) span->num_slots;

        if (span->colour_id != colour_id || span->end_ms - span->start_ms < least_ms) {
            continue;
        }
        if (thickness != 0.9 * share) {
            spot_chart_series(self->chart, &(spot_chart_series_t){.kind = SPOT_CHART_SPANS,
                                               .name = thickness == 0 ? colour->name : NULL,
                                               .name_at = SPOT_CHART_NAME_LEGEND,
                                               .colour = colour->colour,
                                               .thickness = 0.9 * share});
            thickness = 0.9 * share;
        }
        spot_chart_add_span(self->chart, (double) span->lane_id - 0.45 + 0.9 * (top + share / 2),
            span->start_ms, span->end_ms);
    }
}

static int declare_spans(const timeline_t *self, const spot_spans_t *spans)
{
    const char *help = spans->series->kind->help;
    double least_ms;
    size_t num_shorter;
    const int ret = spot_spans_least(spans, MAX_PIECES, &least_ms, &num_shorter);

    open_panel(self, (spot_chart_panel_t){.y = {.kind = SPOT_CHART_ROWS, .name = help},
                         .is_below = self->run->num_lanes > 0,
                         .height_px = fmin(LANE_PX * (double) spans->num_lanes, LANES_PX)});
    for (size_t j = 0; j < spans->num_lanes; j++) {
        (void) spot_chart_row(self->chart, &(spot_chart_row_t){.name = spans->lanes[j].name});
    }
    for (size_t j = 0; j < spans->num_colours; j++) {
        add_spans(self, spans, j, least_ms);
    }
    if (num_shorter > 0) {
        spot_chart_foot(self->chart, "%s: %zu of %zu are too short to be drawn", help, num_shorter,
            spans->num_spans);
    }
    return ret;
}

int spot_timeline_declare(spot_chart_t *chart, const void *context)
{
    const spot_run_series_t *run = context;
    const timeline_t self = {.run = run, .chart = chart};
    const spot_lane_t *curve = spot_run_lane(run, SPOT_LANE_CURVE);
    int ret = 0;

    declare_words(&self);
    for (size_t j = 0; j < run->num_lanes; j++) {
        if (run->lanes[j].kind <= SPOT_LANE_TOTAL &&
            (j == 0 || (run->lanes[j - 1].kind == SPOT_LANE_TOTAL &&
                           spot_lane_is_shown(spot_run_lane_total(&run->lanes[j]))))) {
            declare_levels(&self, &run->lanes[j]);
        }
        if (run->lanes[j].kind == SPOT_LANE_MARKS && run->lanes[j].curve.num_points > 0) {
            declare_strip(&self, &run->lanes[j]);
        }
    }
    if (curve != NULL) {
        ret = declare_curve(&self, curve);
    }
    if (ret == 0 && run->spans.num_lanes > 0) {
        ret = declare_spans(&self, &run->spans);
    }
    return ret == 0 ? spot_chart_error(chart) : ret;
}

int spot_run_declare(spot_chart_t *chart, const void *context)
{
    const spot_run_series_t *run = context;
    const spot_recording_t *recording = run->recording;
    int ret = spot_timeline_declare(chart, run);

    for (size_t j = 0; ret == 0 && j < recording->num_series; j++) {
        const spot_series_t *series = &recording->series[j];

        if (spot_cdf_fits(series)) {
            ret = spot_cdf_declare(chart,
                &(spot_cdf_t){.num_runs = 1, .series = {series}, .is_longer = run->is_longer});
        }
    }
    return ret;
}
