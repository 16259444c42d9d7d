/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/palette.h"
#include "reports/picture_csv.h"
#include "reports/pictures/frames.h"
#include "reports/pictures/parts.h"
#include "reports/series_look.h"
#include "reports/value_label.h"

#define MAX_PANELS 12
#define MAX_CURVE_PANELS 6 /* with several curves each */
#define DESCRIBED_CHARS 80 /* of the name of a point */
#define STRIP_PX 12.0
#define MIN_SHARE 0.012 /* of the width, that the strip of a single x has */

typedef struct {
    const spot_curves_t *curves;
    const spot_study_head_t *head;
    const spot_report_t *report;
    const spot_winners_t *winners; /* NULL: there is no strip of them */
    spot_frames_t frames;
    spot_shown_unit_t shown;  /* of y and the stack: factor 100 for percent */
    spot_shown_unit_t second; /* of the second labels of x */
    double x_low, x_high;     /* of all panels */
    bool is_single;           /* there is one x: bars */
    bool has_zero;            /* y */
} picture_t;

/* What y or a part of the stack is called, in the unit of y. */
static void
part_words(const picture_t *self, int32_t metric_id, char words[SPOT_WORDS_BYTES])
{
    const spot_metric_t *metric = &self->head->metrics[metric_id];
    const char *y_unit = self->head->metrics[self->curves->y_id].unit;

    (void) spot_fraction_words_in(metric,
        strcmp(metric->unit, y_unit) == 0 ? self->shown.unit : metric->unit, words);
}

/* From 0, unless a curve alone would hide in a corner. */
static void
choose_scales(picture_t *self)
{
    const spot_curves_t *curves = self->curves;
    const double width = curves->x_high - curves->x_low;
    double low = 0, high = 0, room = 0;

    self->is_single = !(width > 0) && !curves->has_all_in_one;
    if (self->is_single) {
        room = fmax(fabs(curves->x_low) * 0.1, 1);
    } else if (self->winners != NULL) {
        room = width * MIN_SHARE;
    }
    self->x_low = curves->x_low - room;
    self->x_high = curves->x_high + room;
    spot_curves_range(curves, &low, &high);
    self->has_zero = curves->num_parts > 0 || (low >= 0 && low <= 0.5 * high);
}

/* ---- Series ---- */

/* The places of a curve; where something is undefined a gap. */
static void
add_estimates(const picture_t *self, spot_chart_t *chart, size_t curve_id)
{
    const spot_curves_t *curves = self->curves;
    const double factor = self->shown.factor;

    for (size_t j = 0; j < spot_curves_num_x(curves, curve_id); j++) {
        const spot_summary_t *y = spot_curves_at(curves, curve_id, j, curves->y_id);
        const double low = fmin(y->value, y->ci_low), high = fmax(y->value, y->ci_high);
        const bool is_defined = spot_curves_is_defined(curves, curve_id, j);
        char hover[SPOT_POINT_BYTES];

        spot_picture_hover(self->report, spot_curves_point(curves, curve_id, j),
            &self->shown, y->value, y->ci_low, y->ci_high, hover);
        spot_chart_add(chart, &(spot_chart_datum_t){
                                  .x = spot_curves_x(curves, curve_id, j),
                                  .y = is_defined ? factor * y->value : (double) NAN,
                                  .y_low = factor * (y->value >= 0 ? fmax(low, 0) : low),
                                  .y_high = factor * high,
                                  .hover = hover,
                              });
    }
}

/* The metrics that y is made of. */
static void
add_stack(const picture_t *self, spot_chart_t *chart, size_t curve_id)
{
    const spot_curves_t *curves = self->curves;
    char words[SPOT_WORDS_BYTES];

    for (size_t k = 0; k < curves->num_parts; k++) {
        const int32_t metric_id = curves->part_ids[k];

        part_words(self, metric_id, words);
        spot_chart_series(chart,
            &(spot_chart_series_t){
                .kind = self->is_single ? SPOT_CHART_BARS : SPOT_CHART_AREA,
                .name = words,
                .colour = spot_palette_colour(
                    self->head->colours, self->head->metrics[metric_id].name, k),
                .thickness = self->is_single ? (self->x_high - self->x_low) / 2 : 0,
            });
        for (size_t j = 0; j < spot_curves_num_x(curves, curve_id); j++) {
            const double part = spot_curves_height(curves, curve_id, j, k + 1) -
                                spot_curves_height(curves, curve_id, j, k);

            spot_chart_add_xy(chart, spot_curves_x(curves, curve_id, j),
                spot_curves_is_defined(curves, curve_id, j) ? self->shown.factor * part
                                                            : (double) NAN);
        }
    }
}

/* y over its stack; dots of a design, whose points have no order. */
static void
add_curve(const picture_t *self, spot_chart_t *chart, size_t curve_id)
{
    const bool is_line = !self->curves->is_scattered && !self->is_single;
    const bool has_stack = self->curves->num_parts > 0;
    char words[SPOT_WORDS_BYTES];

    add_stack(self, chart, curve_id);
    part_words(self, self->curves->y_id, words);
    spot_chart_series(
        chart, &(spot_chart_series_t){
                   .kind = is_line ? SPOT_CHART_LINE : SPOT_CHART_POINTS,
                   .name = has_stack ? words : NULL,
                   .colour = has_stack ? SPOT_INK : SPOT_INK_ACCENT,
                   .marker = SPOT_CHART_CIRCLE,
                   .interval_colour = self->curves->is_scattered ? SPOT_INK_OTHER : NULL,
               });
    add_estimates(self, chart, curve_id);
}

/* A curve for each value of the key of curves: bounds below what competes. */
static void
add_curves(const picture_t *self, spot_chart_t *chart, size_t frame_id)
{
    const size_t axis_id = self->frames.axis_id;
    char label[SPOT_VALUE_LABEL_BYTES];

    for (int is_above = 0; is_above < 2; is_above++) {
        for (size_t j = 0; j < self->curves->num_panels; j++) {
            const size_t value_id = spot_frames_value(&self->frames, j);
            const bool is_bound = spot_series_is_bound(self->head, axis_id, value_id);

            if (self->frames.frame_ids[j] != frame_id || is_bound != (is_above == 0)) {
                continue;
            }
            spot_chart_series(chart,
                &(spot_chart_series_t){
                    .kind = self->is_single ? SPOT_CHART_POINTS : SPOT_CHART_LINE,
                    .name =
                        spot_value_label(&self->head->axes[axis_id], value_id, label),
                    .colour = spot_series_colour(self->head, axis_id, value_id),
                    .marker = spot_series_marker(value_id),
                    .is_hollow = spot_series_is_hollow(value_id),
                    .dash = is_bound ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
                });
            add_estimates(self, chart, j);
        }
    }
}

/* ---- The strip of winners ---- */

/* One value of x with the winner there. */
typedef struct {
    double x;
    const spot_winner_t *winner;
} place_t;

static int
compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    return (left->x > right->x) - (left->x < right->x);
}

/* Every x of the frame once, ascending; places: room for all points. Returns how many.
 */
static size_t
find_places(const picture_t *self, size_t frame_id, place_t *places)
{
    const spot_curves_t *curves = self->curves;
    size_t num_all = 0, num_places = 0;

    for (size_t j = 0; j < curves->num_panels; j++) {
        for (size_t k = 0;
             self->frames.frame_ids[j] == frame_id && k < spot_curves_num_x(curves, j);
             k++) {
            const size_t point_id = spot_curves_point(curves, j, k);
            const size_t group_id = self->winners->groups.group_ids[point_id];

            places[num_all++] = (place_t){
                spot_curves_x(curves, j, k), &self->winners->winners[group_id]};
        }
    }
    qsort(places, num_all, sizeof(*places), compare_places);
    for (size_t j = 0; j < num_all; j++) {
        if (num_places == 0 || places[j].x > places[num_places - 1].x) {
            places[num_places++] = places[j];
        }
    }
    return num_places;
}

/* SIZE_MAX: nothing competes there. */
static size_t
winning_value(const picture_t *self, const place_t *place)
{
    return place->winner->best_id == SPOT_NO_POINT
               ? SIZE_MAX
               : spot_study_value_id(
                     self->head, place->winner->best_id, self->head->best.axis_id);
}

/* Where the part of the strip before a place ends: in the middle between two. */
static double
edge_of(const picture_t *self, const place_t *places, size_t num_places, size_t j)
{
    return j == 0            ? self->x_low
           : j == num_places ? self->x_high
                             : (places[j - 1].x + places[j].x) / 2;
}

/* The parts of the strip with one winner, low where that is not sure. */
static void
add_wins(const picture_t *self, spot_chart_t *chart, const place_t *places,
    size_t num_places, size_t value_id, bool is_sure)
{
    bool has_any = false;

    for (size_t j = 0; j < num_places; j++) {
        if (winning_value(self, &places[j]) != value_id ||
            places[j].winner->is_sure != is_sure) {
            continue;
        }
        if (!has_any) {
            spot_chart_series(chart, &(spot_chart_series_t){
                                         .kind = SPOT_CHART_SPANS,
                                         .colour = spot_series_colour(self->head,
                                             self->head->best.axis_id, value_id),
                                         .thickness = is_sure ? 1 : 1.0 / 3,
                                     });
            has_any = true;
        }
        spot_chart_add_span(chart, 0, edge_of(self, places, num_places, j),
            edge_of(self, places, num_places, j + 1));
    }
}

/* The name of each winner below the middle of the places where it wins in a row. */
static void
add_names(
    const picture_t *self, spot_chart_t *chart, const place_t *places, size_t num_places)
{
    const spot_axis_t *axis = &self->head->axes[self->head->best.axis_id];
    char label[SPOT_VALUE_LABEL_BYTES];
    size_t first = 0; /* place of the run */

    for (size_t j = 0; j < num_places; j++) {
        const size_t value_id = winning_value(self, &places[j]);

        if (j + 1 < num_places && winning_value(self, &places[j + 1]) == value_id) {
            continue;
        }
        if (value_id != SIZE_MAX) {
            spot_chart_tick(chart,
                (edge_of(self, places, num_places, first) +
                    edge_of(self, places, num_places, j + 1)) /
                    2,
                spot_value_label(axis, value_id, label), NULL);
        }
        first = j + 1;
    }
}

/* A panel of its own above that of the curves. */
static int
declare_strip(
    const picture_t *self, spot_chart_t *chart, size_t frame_id, const char *title)
{
    const spot_best_t *best = &self->head->best;
    const size_t num_values = self->head->axes[best->axis_id].num_values;
    place_t *places = spot_calloc(self->head->num_points, sizeof(*places));
    bool all_compete = true;
    char note[SPOT_WORDS_BYTES];
    size_t num_places;

    if (places == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < num_values; j++) {
        all_compete = all_compete && spot_study_value_competes(self->head, j);
    }
    snprintf(note, sizeof(note), "strip: which is %s%s; thin where that is not sure",
        best->is_maximised ? "highest" : "lowest",
        all_compete ? "" : " of those in colour");
    spot_chart_panel(chart, &(spot_chart_panel_t){
                                .title = title[0] == '\0' ? NULL : title,
                                .note = note,
                                .x = {.low = self->x_low, .high = self->x_high},
                                .y = {.kind = SPOT_CHART_ROWS, .is_hidden = true},
                                .height_px = STRIP_PX,
                            });
    (void) spot_chart_row(chart, &(spot_chart_row_t){.name = NULL});
    num_places = find_places(self, frame_id, places);
    add_names(self, chart, places, num_places);
    for (size_t j = 0; j < num_values; j++) {
        add_wins(self, chart, places, num_places, j, true);
        add_wins(self, chart, places, num_places, j, false);
    }
    free(places);
    return 0;
}

/* ---- Panels ---- */

/* The values of x as they are written, and a second time with the estimate of another
 * metric. */
static void
add_ticks(const picture_t *self, spot_chart_t *chart, size_t curve_id)
{
    const spot_curves_t *curves = self->curves;
    const spot_axis_t *axis = &self->head->axes[curves->axis_id];
    const int32_t second_id = curves->second_x_id;

    for (size_t j = 0; j < spot_curves_num_x(curves, curve_id); j++) {
        const size_t value_id = spot_study_value_id(
            self->head, spot_curves_point(curves, curve_id, j), curves->axis_id);
        char label[SPOT_VALUE_LABEL_BYTES], second[SPOT_LABEL_BYTES] = "";

        if (axis->unit[0] == '\0') {
            snprintf(label, sizeof(label), "%.4g", axis->numbers[value_id]);
        } else {
            (void) spot_value_label(axis, value_id, label);
        }
        if (second_id >= 0) {
            (void) spot_short_number(
                self->second.factor *
                    spot_curves_at(curves, curve_id, j, second_id)->value,
                second);
        }
        spot_chart_tick(
            chart, axis->numbers[value_id], label, second_id >= 0 ? second : NULL);
    }
}

/* Whether all curves have all values of x. */
static bool
is_full_grid(const spot_curves_t *curves)
{
    return !curves->has_all_in_one &&
           curves->num_panels * curves->head->axes[curves->axis_id].num_values ==
               curves->head->num_points;
}

static int
declare_panel(const picture_t *self, spot_chart_t *chart, size_t frame_id)
{
    const bool has_second = self->curves->second_x_id >= 0;
    const bool has_ticks = !self->curves->has_curve_axis && !self->curves->is_scattered;
    char title[SPOT_POINT_BYTES], x_name[SPOT_WORDS_BYTES], y_name[SPOT_WORDS_BYTES];
    char second[SPOT_WORDS_BYTES];
    spot_chart_axis_t x = spot_picture_x_axis(self->head, self->curves->axis_id, x_name);
    int ret = 0;

    x.low = self->x_low;
    x.high = self->x_high;
    x.unit = has_ticks ? SPOT_CHART_NUMBER : x.unit; /* labels have their own */
    x.group = !has_second && is_full_grid(self->curves) ? 2 : 0; /* all are alike */
    spot_metric_words_in(
        &self->head->metrics[self->curves->y_id], self->shown.unit, y_name);
    spot_frame_words(&self->frames, frame_id, title);
    if (has_second) {
        spot_second_words(
            self->head, (size_t) self->curves->second_x_id, self->second.unit, second);
    }
    if (self->winners != NULL) {
        ret = declare_strip(self, chart, frame_id, title);
    }
    spot_chart_panel(
        chart, &(spot_chart_panel_t){
                   .title = self->winners != NULL || title[0] == '\0' ? NULL : title,
                   .x = x,
                   .y = {.name = y_name,
                       .unit = spot_picture_unit(&self->shown),
                       .has_zero = self->has_zero,
                       .group = 1},
                   .second_name = has_second ? second : NULL,
                   .is_below = self->winners != NULL,
               });
    if (self->curves->has_curve_axis) {
        add_curves(self, chart, frame_id);
        return ret;
    }
    for (size_t j = 0; j < self->curves->num_panels; j++) {
        if (self->frames.frame_ids[j] == frame_id) {
            if (has_ticks) {
                add_ticks(self, chart, j);
            }
            add_curve(self, chart, j);
        }
    }
    return ret;
}

/* "Idle time along the preemption rate, for each recovery". */
static void
declare_head(const picture_t *self, spot_chart_t *chart)
{
    const spot_curves_t *curves = self->curves;
    char title[SPOT_NOTE_BYTES], y[SPOT_WORDS_BYTES], x[SPOT_WORDS_BYTES];
    char key[SPOT_WORDS_BYTES] = "", more[SPOT_NOTE_BYTES], cut[SPOT_WORDS_BYTES] = "";

    spot_metric_subject(&self->head->metrics[curves->y_id], y);
    spot_x_subject(self->head, curves->axis_id, x);
    if (curves->has_curve_axis) {
        spot_key_words(&self->head->axes[curves->curve_axis_id], key);
    }
    snprintf(title, sizeof(title), "%s along %s%s%s", y, x,
        key[0] == '\0' ? "" : ", for each ", key);
    if (self->frames.num_drawn < curves->num_panels) {
        snprintf(cut, sizeof(cut), " · only %zu of %zu curves", self->frames.num_drawn,
            curves->num_panels);
    }
    snprintf(more, sizeof(more), " · %s: %s, %s: its 95 %% confidence interval%s",
        curves->is_scattered ? "dot" : "curve",
        spot_estimate_words(&self->head->metrics[curves->y_id]),
        curves->is_scattered || self->is_single ? "bar" : "band", cut);
    spot_picture_head(chart, &spot_picture_curves, self->report, title, more);
}

static int
init(picture_t *self, const spot_curves_t *curves)
{
    const spot_best_t *best = &curves->head->best;
    int ret;

    *self = (picture_t){
        .curves = curves,
        .head = curves->head,
        .report = curves->report,
        .shown = spot_report_shown(curves->report, (size_t) curves->y_id),
    };
    if (curves->second_x_id >= 0) {
        self->second = spot_second_shown(curves->report, (size_t) curves->second_x_id);
    }
    ret = spot_frames_init(&self->frames, curves,
        curves->has_curve_axis ? curves->curve_axis_id : SIZE_MAX, SIZE_MAX,
        curves->has_curve_axis ? MAX_CURVE_PANELS : MAX_PANELS);
    if (ret == 0 && curves->has_curve_axis && best->is_asked &&
        best->axis_id == curves->curve_axis_id &&
        best->metric_id == (size_t) curves->y_id) {
        ret = spot_report_winners(curves->report, &self->winners);
    }
    if (ret == 0) {
        choose_scales(self);
    }
    return ret;
}

static int
declare(spot_chart_t *chart, const void *context)
{
    const char *problem = NULL;
    spot_curves_t curves;
    picture_t self = {.curves = &curves};
    int ret = spot_curves_init(&curves, context, &problem);

    if (ret == 0) {
        ret = init(&self, &curves);
    }
    if (ret == 0) {
        declare_head(&self, chart);
    }
    for (size_t j = 0; ret == 0 && j < self.frames.num_frames; j++) {
        ret = declare_panel(&self, chart, j);
    }
    spot_frames_free(&self.frames);
    spot_curves_free(&curves);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

/* Chooses what is drawn; BAD_PARAM with the reason in diag if that is nothing. */
static int
choose(spot_curves_t *curves, const spot_report_t *report, const char *path,
    spot_diag_t *diag)
{
    const char *problem = NULL;
    const int ret = spot_curves_init(curves, report, &problem);

    if (problem != NULL) {
        spot_diag_error(diag, path, 0, 0, "nothing can be drawn: %s", problem);
    }
    return ret;
}

int
spot_picture_curves_check(
    const spot_report_t *report, const char *path, spot_diag_t *diag)
{
    spot_curves_t curves;
    const int ret = choose(&curves, report, path, diag);

    spot_curves_free(&curves);
    return ret;
}

int
spot_picture_curves_draw(
    const spot_report_t *report, const char *path, spot_diag_t *diag)
{
    spot_curves_t curves;
    int ret = choose(&curves, report, path, diag);

    if (ret == 0) {
        ret = spot_metrics_check(
            report, 1 + curves.num_parts, curves.metric_ids, path, diag);
    }
    spot_curves_free(&curves);
    return ret == 0 ? spot_draw_file(declare, report, SPOT_FORMAT_SVG, path, diag) : ret;
}

/* ---- CSV, words ---- */

static int
write_csv(const spot_report_t *report, FILE *out)
{
    size_t num_metrics;
    spot_curves_t curves;
    const char *problem = NULL;
    int ret = spot_curves_init(&curves, report, &problem);

    if (ret == 0) {
        num_metrics = 1 + curves.num_parts;
        if (curves.second_x_id >= 0) {
            curves.metric_ids[num_metrics++] = (size_t) curves.second_x_id;
        }
        ret = spot_picture_csv_write(report, num_metrics, curves.metric_ids, out);
    }
    spot_curves_free(&curves);
    return ret;
}

/* "3.3 % (preemption per minute 0)". */
static void
describe_point(const spot_curves_t *curves, size_t point_id, FILE *out)
{
    const size_t y_id = (size_t) curves->y_id;
    const spot_shown_unit_t shown = spot_report_shown(curves->report, y_id);
    char value[SPOT_LABEL_BYTES], point[SPOT_POINT_BYTES];

    spot_value_words(
        &shown, spot_report_summary(curves->report, point_id, y_id)->value, value);
    spot_point_words(curves->head, point_id, DESCRIBED_CHARS, point);
    fprintf(out, "%s (%s)", value, point);
}

/* Of all points: where y is lowest and where it is highest. */
static void
describe_range(const spot_curves_t *curves, FILE *out)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t low_id = 0, high_id = 0;

    for (size_t j = 0; j < curves->head->num_points; j++) {
        const double mean =
            spot_report_summary(curves->report, j, (size_t) curves->y_id)->value;

        low_id = mean < low ? j : low_id;
        low = fmin(low, mean); /* which passes over NAN, as fmax() does */
        high_id = mean > high ? j : high_id;
        high = fmax(high, mean);
    }
    if (low <= high) {
        fputs(": from ", out);
        describe_point(curves, low_id, out);
        fputs(" to ", out);
        describe_point(curves, high_id, out);
    }
}

static void
describe(const spot_report_t *report, FILE *out)
{
    char y_words[SPOT_WORDS_BYTES], x_words[SPOT_WORDS_BYTES];
    const char *problem = NULL;
    spot_curves_t curves;

    if (spot_curves_init(&curves, report, &problem) == 0) {
        const spot_metric_t *metric = &report->head->metrics[curves.y_id];
        const spot_shown_unit_t shown = spot_report_shown(report, (size_t) curves.y_id);

        (void) spot_fraction_words_in(metric, shown.unit, y_words);
        spot_x_words(report->head, curves.axis_id, x_words);
        fprintf(out, "Estimates of %s with 95 %% confidence intervals along %s", y_words,
            x_words);
        describe_range(&curves, out);
        fputc('.', out);
    }
    spot_curves_free(&curves);
}

const spot_study_picture_t spot_picture_curves = {
    "curves", "Main curves", spot_curves_problem, declare, write_csv, describe};
