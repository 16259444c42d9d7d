/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/memory.h"
#include "reports/draw.h"
#include "reports/pictures/parts.h"
#include "reports/report.h"
#include "reports/study_parts.h"
#include "reports/words.h"
#include "sim/bench/store/head.h"

#define MAX_PANELS SPOT_MAX_FRAMES
#define MAX_CURVE_PANELS 6 /* with several curves each */
#define STRIP_PX 12.0
#define MIN_SHARE 0.012 /* of the width, that the strip of a single x has */

typedef struct {
    spot_view_t view; /* of y and the stack */
    const spot_curves_t *curves;
    const spot_study_head_t *head;
    spot_chart_t *chart;
    const spot_winners_t *winners; /* NULL: there is no strip of them */
    spot_frames_t frames;
    double x_low, x_high; /* of all panels */
    bool is_single;       /* there is one x: bars */
    bool has_zero;        /* y */
} picture_t;

/* The lowest num_parts parts together at a point. */
static double curves_height(const spot_curves_t *self, size_t point_id, size_t num_parts)
{
    double height = 0;

    for (size_t j = 1; j <= num_parts; j++) {
        if (spot_study_has_metric(self->head, point_id, self->metric_ids[j])) {
            height += spot_report_summary(self->report, point_id, self->metric_ids[j])->value;
        }
    }
    return height;
}

/* Whether y and all parts have values there. */
static bool curves_is_defined(const spot_curves_t *self, size_t point_id)
{
    return isfinite(spot_report_summary(self->report, point_id, (size_t) self->y_id)->value) &&
           isfinite(curves_height(self, point_id, self->num_parts));
}

/* y at a point with its interval, which may reach below 0 where no value can; where y or
 * a part of it is undefined a gap. */
static spot_chart_datum_t datum_at(const picture_t *self, size_t point_id)
{
    const double factor = self->view.shown.factor;
    const spot_summary_t *y =
        spot_report_summary(self->view.report, point_id, self->view.metric_id);
    const double low = fmin(y->value, y->ci_low); /* passes over NAN, as fmax() does */

    return (spot_chart_datum_t){
        .y = curves_is_defined(self->curves, point_id) ? factor * y->value : (double) NAN,
        .y_low = factor * (y->value >= 0 ? fmax(low, 0) : low),
        .y_high = factor * fmax(y->value, y->ci_high),
    };
}

/* From 0, unless a curve alone would hide in a corner. */
static void choose_scales(picture_t *self)
{
    const spot_curves_t *curves = self->curves;
    const double width = curves->x_high - curves->x_low;
    double low = HUGE_VAL, high = -HUGE_VAL, room = 0;

    self->is_single = !(width > 0) && !curves->has_all_in_one;
    if (self->is_single) {
        room = fmax(fabs(curves->x_low) * 0.1, 1);
    } else if (self->winners != NULL) {
        room = width * MIN_SHARE;
    }
    self->x_low = curves->x_low - room;
    self->x_high = curves->x_high + room;
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_chart_datum_t datum = datum_at(self, j);

        if (isfinite(datum.y)) {
            low = fmin(low, datum.y_low);
            high = fmax(high, datum.y_high);
        }
    }
    self->has_zero = curves->num_parts > 0 || (low >= 0 && low <= 0.5 * high);
}

/* ---- Series ---- */

static void add_estimates(const picture_t *self, size_t curve_id)
{
    for (size_t j = 0; j < spot_curves_num_x(self->curves, curve_id); j++) {
        const size_t point_id = spot_curves_point(self->curves, curve_id, j);
        const spot_summary_t *y =
            spot_report_summary(self->view.report, point_id, self->view.metric_id);
        spot_chart_datum_t datum = datum_at(self, point_id);

        datum.x = spot_curves_x(self->curves, curve_id, j);
        datum.hover = spot_view_hover(&self->view, point_id, y->value, y->ci_low, y->ci_high);
        spot_chart_add(self->chart, &datum);
    }
}

/* A part of what y is made of. */
static void add_part(const picture_t *self, size_t curve_id, size_t part_id)
{
    const spot_curves_t *curves = self->curves;
    const size_t metric_id = curves->metric_ids[1 + part_id];
    const spot_chart_series_t series = {
        .kind = self->is_single ? SPOT_CHART_BARS : SPOT_CHART_AREA,
        .name = spot_view_metric(&self->view, metric_id),
        .colour =
            spot_palette_colour(self->head->colours, self->head->metrics[metric_id].name, part_id),
        .thickness = self->is_single ? (self->x_high - self->x_low) / 2 : 0,
    };

    spot_chart_series(self->chart, &series);
    for (size_t j = 0; j < spot_curves_num_x(curves, curve_id); j++) {
        const size_t point_id = spot_curves_point(curves, curve_id, j);
        const double part =
            curves_height(curves, point_id, part_id + 1) - curves_height(curves, point_id, part_id);

        spot_chart_add_xy(self->chart, spot_curves_x(curves, curve_id, j),
            curves_is_defined(curves, point_id) ? self->view.shown.factor * part : (double) NAN);
    }
}

/* y over its stack; dots of a design, whose points have no order. */
static void add_curve(const picture_t *self, size_t curve_id)
{
    const bool is_line = !self->curves->is_scattered && !self->is_single;
    const bool has_stack = self->curves->num_parts > 0;
    const spot_chart_series_t series = {
        .kind = is_line ? SPOT_CHART_LINE : SPOT_CHART_POINTS,
        .name = has_stack ? spot_view_metric(&self->view, self->view.metric_id) : NULL,
        .colour = has_stack ? SPOT_INK : SPOT_INK_ACCENT,
        .marker = SPOT_CHART_CIRCLE,
        .interval_colour = self->curves->is_scattered ? SPOT_INK_OTHER : NULL,
    };

    for (size_t k = 0; k < self->curves->num_parts; k++) {
        add_part(self, curve_id, k);
    }
    spot_chart_series(self->chart, &series);
    add_estimates(self, curve_id);
}

/* A curve for each value of the key of curves: bounds below what competes. */
static void add_curves(const picture_t *self, const spot_frame_t *frame)
{
    const size_t axis_id = self->frames.axis_id;

    for (size_t j = 0; j < 2 * frame->num_curves; j++) {
        const bool is_above = j >= frame->num_curves;
        const size_t curve_id = frame->curve_ids[j % frame->num_curves];
        const size_t value_id = spot_curves_value_id(self->curves, curve_id, axis_id);
        spot_chart_series_t series = spot_series_look(self->head, axis_id, value_id);

        if (spot_series_is_bound(self->head, axis_id, value_id) == is_above) {
            continue;
        }
        series.kind = self->is_single ? SPOT_CHART_POINTS : SPOT_CHART_LINE;
        series.name = spot_words_label(self->view.texts, &self->head->axes[axis_id], value_id);
        spot_chart_series(self->chart, &series);
        add_estimates(self, curve_id);
    }
}

/* ---- The strip of winners ---- */

/* One value of x with the winner there. */
typedef struct {
    double x;
    size_t value_id; /* SIZE_MAX: nothing competes there */
    bool is_sure;
} place_t;

static int compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    return (left->x > right->x) - (left->x < right->x);
}

/* Every x of the frame, ascending; places: [groups]. Returns their number. */
static size_t find_places(const picture_t *self, const spot_frame_t *frame, place_t *places)
{
    const spot_study_head_t *head = self->head;
    const size_t x_id = self->curves->axis_id, axis_id = head->best.axis_id;
    size_t num_places = 0;

    for (size_t j = 0; j < self->winners->groups.num_groups; j++) {
        const spot_winner_t *winner = &self->winners->winners[j];
        const size_t value_id = spot_study_value_id(head, winner->first_id, x_id);

        if (spot_frame_has(&self->frames, frame, winner->first_id)) {
            places[num_places++] = (place_t){head->axes[x_id].numbers[value_id],
                winner->best_id == SPOT_NO_POINT
                    ? SIZE_MAX
                    : spot_study_value_id(head, winner->best_id, axis_id),
                winner->is_sure};
        }
    }
    qsort(places, num_places, sizeof(*places), compare_places);
    return num_places;
}

/* The part of the strip of each place, which ends in the middle between two, low where
 * its winner is not sure; below the middle of each run of a winner its name. */
static void add_places(const picture_t *self, const place_t *places, size_t num_places)
{
    const size_t axis_id = self->head->best.axis_id;
    double low = self->x_low, run_low = low;

    for (size_t j = 0; j < num_places; j++) {
        const size_t value_id = places[j].value_id;
        const bool is_last = j + 1 == num_places;
        const double high = is_last ? self->x_high : (places[j].x + places[j + 1].x) / 2;
        const bool ends_run = is_last || places[j + 1].value_id != value_id;
        const bool is_as_before = j > 0 && places[j - 1].value_id == value_id &&
                                  places[j - 1].is_sure == places[j].is_sure;

        if (value_id != SIZE_MAX && !is_as_before) {
            const spot_chart_series_t series = {.kind = SPOT_CHART_SPANS,
                .colour = spot_series_look(self->head, axis_id, value_id).colour,
                .thickness = places[j].is_sure ? 1 : 1.0 / 3};

            spot_chart_series(self->chart, &series);
        }
        if (value_id != SIZE_MAX) {
            spot_chart_add_span(self->chart, 0, low, high);
        }
        if (value_id != SIZE_MAX && ends_run) {
            spot_chart_tick(self->chart, (run_low + high) / 2,
                spot_words_label(self->view.texts, &self->head->axes[axis_id], value_id), NULL);
        }
        run_low = ends_run ? high : run_low;
        low = high;
    }
}

/* A panel of its own above that of the curves. */
static int declare_strip(const picture_t *self, const spot_frame_t *frame, const char *title)
{
    const spot_best_t *best = &self->head->best;
    place_t *places = spot_calloc(self->winners->groups.num_groups, sizeof(*places));
    bool all_compete = true;

    if (places == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->head->axes[best->axis_id].num_values; j++) {
        all_compete = all_compete && spot_study_value_competes(self->head, j);
    }
    const spot_chart_panel_t panel = {.title = title,
        .note = spot_texts_add(self->view.texts,
            "strip: which is %s%s; thin where that is not sure",
            best->is_maximised ? "highest" : "lowest", all_compete ? "" : " of those in colour"),
        .x = {.low = self->x_low, .high = self->x_high},
        .y = {.kind = SPOT_CHART_ROWS, .is_hidden = true},
        .height_px = STRIP_PX};

    spot_chart_panel(self->chart, &panel);
    (void) spot_chart_row(self->chart, &(spot_chart_row_t){.name = NULL});
    add_places(self, places, find_places(self, frame, places));
    free(places);
    return 0;
}

/* ---- Panels ---- */

/* The values of x as they are written, and a second time with the estimate of another
 * metric. */
static void add_ticks(const picture_t *self, const spot_view_t *second, size_t curve_id)
{
    const spot_axis_t *axis = &self->head->axes[self->curves->axis_id];
    spot_texts_t *texts = self->view.texts;

    for (size_t j = 0; j < spot_curves_num_x(self->curves, curve_id); j++) {
        const size_t point_id = spot_curves_point(self->curves, curve_id, j);
        const size_t value_id = spot_study_value_id(self->head, point_id, self->curves->axis_id);
        const char *label = axis->unit[0] == '\0'
                                ? spot_texts_add(texts, "%.4g", axis->numbers[value_id])
                                : spot_words_label(texts, axis, value_id);
        const char *below = NULL;

        if (second != NULL) {
            below = spot_words_number(
                texts, second->shown.factor *
                           spot_report_summary(second->report, point_id, second->metric_id)->value);
        }
        spot_chart_tick(self->chart, axis->numbers[value_id], label, below);
    }
}

static int declare_panel(
    const picture_t *self, const spot_frame_t *frame, const spot_view_t *second)
{
    const spot_curves_t *curves = self->curves;
    const bool has_ticks = !curves->has_curve_axis && !curves->is_scattered;
    const bool is_full_grid =
        !curves->has_all_in_one &&
        curves->num_panels * self->head->axes[curves->axis_id].num_values == self->head->num_points;
    const char *title = spot_frame_words(&self->frames, frame, self->view.texts);
    spot_chart_panel_t panel = {
        .title = self->winners != NULL ? NULL : title,
        .x = spot_picture_x_axis(self->view.texts, self->head, curves->axis_id),
        .y = {.name = spot_view_metric(&self->view, self->view.metric_id),
            .unit = spot_picture_unit(&self->view.shown),
            .has_zero = self->has_zero,
            .group = 1},
        .is_below = self->winners != NULL,
    };
    const int ret = self->winners == NULL ? 0 : declare_strip(self, frame, title);

    panel.x.low = self->x_low;
    panel.x.high = self->x_high;
    panel.x.unit = has_ticks ? SPOT_CHART_NUMBER : panel.x.unit; /* labels have theirs */
    panel.x.group = second == NULL && is_full_grid ? 2 : 0;      /* all are alike */
    if (second != NULL) {
        panel.second_name =
            spot_words_second(self->view.texts, self->head, second->metric_id, second->shown.unit);
    }
    spot_chart_panel(self->chart, &panel);
    if (curves->has_curve_axis) {
        add_curves(self, frame);
        return ret;
    }
    if (has_ticks) {
        add_ticks(self, second, frame->curve_ids[0]);
    }
    add_curve(self, frame->curve_ids[0]);
    return ret;
}

/* "Idle time along the preemption rate, for each recovery". */
static void declare_head(const picture_t *self)
{
    const spot_curves_t *curves = self->curves;
    const spot_metric_t *metric = &self->head->metrics[self->view.metric_id];
    const char *range = spot_view_range(&self->view, NULL), *of_each = "";
    spot_texts_t *texts = self->view.texts;

    if (curves->has_curve_axis) {
        of_each = spot_texts_add(texts, ", for each %s",
            spot_words_key(texts, &self->head->axes[curves->curve_axis_id]));
    }
    spot_view_head(&self->view, self->chart,
        spot_texts_add(texts, "%s along %s%s", spot_words_subject(texts, metric),
            spot_words_x_subject(texts, self->head, curves->axis_id), of_each),
        spot_texts_add(texts, "Estimates of %s with 95 %% confidence intervals along %s%s%s.",
            spot_view_metric(&self->view, self->view.metric_id),
            spot_words_x(texts, self->head, curves->axis_id), range[0] == '\0' ? "" : ": ", range),
        spot_texts_add(texts, " · %s: %s, %s: its 95 %% confidence interval%s",
            curves->is_scattered ? "dot" : "curve", spot_estimate_words(metric),
            curves->is_scattered || self->is_single ? "bar" : "band",
            spot_words_cut(texts, self->frames.num_drawn, self->frames.num_wanted, "curves")));
}

/* ---- The picture ---- */

static int declare_all(picture_t *self)
{
    const spot_curves_t *curves = self->curves;
    const spot_best_t *best = &self->head->best;
    spot_view_t second = self->view;
    int ret = 0;

    spot_frames_init(&self->frames, curves,
        curves->has_curve_axis ? curves->curve_axis_id : SIZE_MAX, SIZE_MAX,
        curves->has_curve_axis ? MAX_CURVE_PANELS : MAX_PANELS);
    if (curves->has_curve_axis && best->is_asked && best->axis_id == curves->curve_axis_id &&
        best->metric_id == self->view.metric_id) {
        ret = spot_report_winners(self->view.report, &self->winners);
    }
    if (curves->second_x_id >= 0) {
        second.metric_id = (size_t) curves->second_x_id;
        second.shown = spot_second_shown(self->view.report, second.metric_id);
    }
    if (ret == 0) {
        choose_scales(self);
        declare_head(self);
    }
    for (size_t j = 0; ret == 0 && j < self->frames.num_frames; j++) {
        ret =
            declare_panel(self, &self->frames.frames[j], curves->second_x_id >= 0 ? &second : NULL);
    }
    return ret;
}

static int declare(spot_chart_t *chart, const void *context)
{
    const spot_report_t *report = context;
    const char *problem;
    spot_texts_t texts = {0};
    spot_curves_t curves;
    int ret = spot_curves_init(&curves, report, &problem);

    if (ret == 0) {
        picture_t self = {.view = spot_view(report, (size_t) curves.y_id, &texts),
            .curves = &curves,
            .head = report->head,
            .chart = chart};

        ret = declare_all(&self);
    }
    ret = ret == 0 ? texts.error : ret;
    spot_curves_free(&curves);
    spot_texts_free(&texts);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

static int fill(const spot_report_t *report, spot_table_t *table)
{
    spot_curves_t curves;
    const char *problem;
    const int ret = spot_curves_init(&curves, report, &problem);

    if (ret == 0) {
        size_t num_metrics = 1 + curves.num_parts;

        if (curves.second_x_id >= 0) {
            curves.metric_ids[num_metrics++] = (size_t) curves.second_x_id;
        }
        spot_picture_fill_metrics(table, report, num_metrics, curves.metric_ids);
    }
    spot_curves_free(&curves);
    return ret;
}

const spot_study_picture_t spot_picture_curves = {.name = "curves",
    .title = "Main curves",
    .problem = spot_curves_problem,
    .declare = declare,
    .fill = fill};

static bool is_anywhere(const spot_report_t *report, size_t metric_id)
{
    for (size_t j = 0; j < report->head->num_points; j++) {
        if (isfinite(spot_report_summary(report, j, metric_id)->value)) {
            return true;
        }
    }
    return false;
}

/* Reports an error about the picture asked for by its path, which names the metrics without a
 * value. BAD_PARAM where there is nothing to draw. */
static int metrics_check(const spot_report_t *report, size_t num_metrics, const size_t *metric_ids,
    const char *picture_path, spot_diag_t *diag)
{
    const char *problem = spot_metrics_problem(report, num_metrics, metric_ids);
    spot_texts_t texts = {0};
    const char *names = "";

    if (problem == NULL) {
        return 0;
    }
    /* Those without a value; none where all have one, but nowhere together. */
    for (size_t j = 0; report->num_rows > 0 && j < num_metrics; j++) {
        if (!is_anywhere(report, metric_ids[j])) {
            names = spot_texts_add(&texts, "%s%s%s", names, names[0] == '\0' ? ": " : ", ",
                report->head->metrics[metric_ids[j]].name);
        }
    }
    spot_diag_error(diag, picture_path, 0, 0, "nothing can be drawn: %s%s", problem, names);
    spot_texts_free(&texts);
    return SPOT_ERR_BAD_PARAM;
}

/* BAD_PARAM with the reason in diag if nothing can be drawn, or has_values and nothing
 * would be seen. */
static int check(const spot_report_t *report, bool has_values, const char *path, spot_diag_t *diag)
{
    const char *problem;
    spot_curves_t curves;
    int ret = spot_curves_init(&curves, report, &problem);

    if (problem != NULL) {
        spot_diag_error(diag, path, 0, 0, "nothing can be drawn: %s", problem);
    } else if (ret == 0 && has_values) {
        ret = metrics_check(report, 1 + curves.num_parts, curves.metric_ids, path, diag);
    }
    spot_curves_free(&curves);
    return ret;
}

int spot_picture_curves_check(const spot_report_t *report, const char *path, spot_diag_t *diag)
{
    return check(report, false, path, diag);
}

int spot_picture_curves_draw(const spot_report_t *report, const char *path, spot_diag_t *diag)
{
    const int ret = check(report, true, path, diag);

    return ret == 0 ? spot_draw_file(declare, report, SPOT_FORMAT_SVG, path, diag) : ret;
}
