/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/run_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/outfile.h"
#include "base/verb/chart.h"
#include "reports/draw.h"
#include "reports/words.h"

/* ---- Distributions ---- */

#define MAX_POINTS 2000 /* of a line */

bool spot_cdf_fits(const spot_series_t *series)
{
    const spot_series_kind_t *kind = series->kind;

    return kind->shape == SPOT_SERIES_CDF && kind->num_columns >= 2 &&
           kind->columns[0].kind == SPOT_COLUMN_DURATION &&
           kind->columns[1].kind == SPOT_COLUMN_NUMBER && series->num_rows > 0;
}

const spot_series_t *spot_cdf_find(const spot_recording_t *recording)
{
    for (size_t j = 0; j < recording->num_series; j++) {
        if (spot_cdf_fits(&recording->series[j])) {
            return &recording->series[j];
        }
    }
    return NULL;
}

/* ---- Lines of distributions ---- */

/* The name of the line of a row within its run; "" where there is only one. */
static const char *line_of(const spot_series_t *series, size_t row_id)
{
    const spot_series_kind_t *kind = series->kind;

    return kind->num_columns > 2 && kind->columns[2].kind >= SPOT_COLUMN_CATEGORY
               ? spot_series_text(series, row_id, 2)
               : "";
}

/* The same of all runs. */
static const char *name_of(
    const spot_cdf_t *self, size_t run_id, size_t row_id, spot_texts_t *texts)
{
    const char *run = self->names[run_id] == NULL ? "" : self->names[run_id];

    return spot_texts_join(texts, run, ", ", line_of(self->series[run_id], row_id));
}

/* first_ids: [series->num_rows] the first row of the line of each. */
static int find_lines(const spot_series_t *series, size_t *first_ids)
{
    spot_key_t *keys = spot_calloc(series->num_rows, sizeof(*keys));
    int ret = keys == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        const char *line = line_of(series, j);

        keys[j] = (spot_key_t){line, strlen(line)};
    }
    ret = ret == 0 ? spot_group_equal(keys, series->num_rows, first_ids) : ret;
    free(keys);
    return ret;
}

/* In percent; a logarithm has no 0. */
static double height_of(const spot_cdf_t *self, double share)
{
    const double height = 100 * (self->is_longer ? 1 - share : share);

    return self->is_longer && height <= 0 ? (double) NAN : height;
}

static void add_line(spot_chart_t *chart, const spot_cdf_t *self, const spot_series_t *series,
    const size_t *first_ids, size_t first_id)
{
    const size_t max_points = self->max_points > 0 ? self->max_points : MAX_POINTS;
    size_t num_rows = 0, row = 0, step;

    for (size_t j = first_id; j < series->num_rows; j++) {
        num_rows += first_ids[j] == first_id;
    }
    step = (num_rows - 1) / max_points + 1;
    for (size_t j = first_id; j < series->num_rows; j++) {
        if (first_ids[j] == first_id && (row++ % step == 0 || row == num_rows)) {
            spot_chart_add_xy(
                chart, spot_run_time_ms(series, j), height_of(self, spot_run_value(series, j, 1)));
        }
    }
}

static int add_run(spot_chart_t *chart, const spot_cdf_t *self, size_t run_id, size_t *num_lines)
{
    const spot_series_t *series = self->series[run_id];
    size_t *first_ids = spot_calloc(series->num_rows, sizeof(*first_ids));
    int ret = first_ids == NULL ? SPOT_ERR_NO_MEMORY : find_lines(series, first_ids);
    spot_texts_t texts = {0};

    for (size_t j = 0; ret == 0 && j < series->num_rows; j++) {
        if (first_ids[j] == j) {
            const char *name = name_of(self, run_id, j, &texts);
            const spot_chart_dash_t dash =
                (spot_chart_dash_t) (*num_lines / SPOT_NUM_LINE_COLOURS % 3);

            spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                         .name = name[0] == '\0' ? NULL : name,
                                         .name_at = SPOT_CHART_NAME_LEGEND,
                                         .colour = spot_palette_line_colour((*num_lines)++),
                                         .dash = dash});
            add_line(chart, self, series, first_ids, j);
        }
    }
    free(first_ids);
    ret = ret == 0 ? texts.error : ret;
    spot_texts_free(&texts);
    return ret;
}

/* ---- The picture of distributions ---- */

int spot_cdf_declare(spot_chart_t *chart, const void *context)
{
    const spot_cdf_t *self = context;
    const spot_series_kind_t *kind = self->series[0]->kind;
    spot_chart_panel_t panel = {.title = self->title == NULL ? kind->help : NULL,
        .is_below = true,
        .x = {SPOT_CHART_LOG, SPOT_CHART_MS, .name = spot_series_column_name(kind->columns)},
        .y = {SPOT_CHART_LINEAR, SPOT_CHART_PERCENT,
            .name = spot_series_column_name(&kind->columns[1]), .high = 100}};
    char above[128];
    size_t num_lines = 0;
    int ret = 0;

    if (self->title != NULL) {
        spot_chart_title(chart, "%s", self->title);
    }
    if (self->note != NULL) {
        spot_chart_note(chart, "%s", self->note);
    }
    if (self->is_longer) {
        snprintf(above, sizeof(above), "100 %% − %s", panel.y.name);
        panel.y.kind = SPOT_CHART_LOG;
        panel.y.name = above;
        panel.y.high = 0; /* from the data */
    }
    spot_chart_panel(chart, &panel);
    for (size_t j = 0; j < kind->num_rules; j++) {
        const spot_series_rule_t *rule = &kind->rules[j];
        spot_chart_rule_t drawn = {SPOT_CHART_HORIZONTAL, height_of(self, rule->value), rule->text,
            .dash = SPOT_CHART_DASHED};

        if (rule->column_id == 0) {
            drawn.direction = SPOT_CHART_VERTICAL;
            drawn.at = spot_series_ms(kind, llround(rule->value));
        }
        spot_chart_rule(chart, &drawn);
    }
    for (size_t j = 0; ret == 0 && j < self->num_runs; j++) {
        ret = add_run(chart, self, j, &num_lines);
    }
    return ret == 0 ? spot_chart_error(chart) : ret;
}

/* ---- Beside it ---- */

static int write_csv(const spot_cdf_t *self, const char *head, FILE *out)
{
    spot_texts_t texts = {0};
    int ret;

    fprintf(out, "%s%s\n", head, name_of(self, 0, 0, &texts)[0] == '\0' ? "" : ",line");
    for (size_t j = 0; j < self->num_runs; j++) {
        for (size_t k = 0; k < self->series[j]->num_rows; k++) {
            const char *name = name_of(self, j, k, &texts);
            char numbers[2][SPOT_NUMBER_TEXT_BYTES];

            spot_number_text(spot_run_time_ms(self->series[j], k), numbers[0]);
            spot_number_text(spot_run_value(self->series[j], k, 1), numbers[1]);
            fprintf(out, "%s,%s%s", numbers[0], numbers[1], name[0] == '\0' ? "" : ",");
            spot_csv_field_text(out, name);
            fputc('\n', out);
        }
    }
    ret = texts.error;
    spot_texts_free(&texts);
    return ret;
}

/* Whether a file is there that begins in another way: an input, perhaps. */
static bool is_other(const char *path, const char *head)
{
    FILE *file = fopen(path, "r");
    char line[512] = "";
    const bool is_there = file != NULL && fgets(line, sizeof(line), file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    return is_there && strncmp(line, head, strlen(head)) != 0;
}

int spot_cdf_write_beside(const spot_cdf_t *self, const char *svg_path, spot_diag_t *diag)
{
    const spot_series_column_t *columns = self->series[0]->kind->columns;
    spot_texts_t texts = {0};
    const char *head = spot_texts_add(&texts, "%s_ms,%s", columns[0].name, columns[1].name);
    const char *path = spot_texts_add(&texts, "%.*s.csv", (int) strlen(svg_path) - 4, svg_path);
    spot_outfile_t file = {0};
    int ret = texts.error;

    if (ret == 0 && is_other(path, head)) {
        ret = spot_diag_error(
            diag, path, 0, 0, "is not the data of a picture, which would replace it");
    } else if (ret == 0) {
        ret = spot_outfile_init(&file, path, diag);
        ret = ret == 0 ? write_csv(self, head, file.stream) : ret;
        ret = spot_outfile_close(&file, ret, diag);
    }
    spot_texts_free(&texts);
    return ret;
}

/* ---- The timeline of one run ---- */

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

/* ---- The progress of several runs ---- */

/* "checkpoint  1512": a curve with how far it came. Where the colours come again, the
 * strokes differ. */
static int declare_line(
    spot_chart_t *chart, const spot_progress_lines_t *lines, size_t line_id, double end_ms)
{
    const spot_run_series_t *run = &lines->runs[line_id];
    const size_t num_points = run->curve == NULL ? 0 : run->curve->num_rows;
    const double last = num_points == 0 ? 0 : spot_run_value(run->curve, num_points - 1, 1);
    spot_texts_t texts = {0};
    const spot_chart_series_t series = {.kind = SPOT_CHART_LINE,
        .name = spot_texts_add(
            &texts, "%s  %s", lines->names[line_id], spot_words_number(&texts, last)),
        .name_at = SPOT_CHART_NAME_END,
        .colour = spot_palette_line_colour(line_id),
        .dash = (spot_chart_dash_t) (line_id / SPOT_NUM_LINE_COLOURS % 3),
        .width_px = 1.8};
    spot_curve_t curve = {0};
    int ret = texts.error;

    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        ret = spot_curve_add(
            &curve, spot_run_time_ms(run->curve, j), spot_run_value(run->curve, j, 1));
    }
    spot_curve_thin(&curve, SPOT_MAX_COLUMNS, 0, end_ms, false);
    spot_chart_series(chart, &series);
    for (size_t j = 0; j < curve.num_points; j++) {
        spot_chart_add_xy(chart, curve.points[j].x, curve.points[j].y);
    }
    spot_curve_free(&curve);
    spot_texts_free(&texts);
    return ret;
}

int spot_progress_declare(spot_chart_t *chart, const void *context)
{
    const spot_progress_lines_t *lines = context;
    const char *noun = NULL;
    double end_ms = 0;
    int ret = 0;

    for (size_t j = 0; j < lines->num_lines; j++) {
        end_ms = fmax(end_ms, lines->runs[j].end_ms);
        if (noun == NULL && lines->runs[j].curve != NULL) {
            noun = spot_run_series_curve_noun(&lines->runs[j]);
        }
    }
    if (end_ms <= 0) {
        return SPOT_ERR_BAD_PARAM;
    }
    spot_chart_title(chart, "%s", lines->title);
    spot_chart_note(chart, "%s", lines->note);
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.unit = SPOT_CHART_MS, .name = "time", .high = end_ms},
                   .y = {.name = noun, .has_zero = true},
                   .height_px = 340});
    for (size_t j = 0; ret == 0 && j < lines->num_lines; j++) {
        ret = declare_line(chart, lines, j, end_ms);
    }
    return ret == 0 ? spot_chart_error(chart) : ret;
}
