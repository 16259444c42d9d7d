/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/utf8.h"
#include "reports/traces/fitted_sample.h"

/* How far quantiles may stretch the axes beyond what was recorded. */
#define MAX_STRETCH 20

typedef struct {
    spot_sample_figure_t sample;
    size_t num_laws;                    /* drawn */
    spot_curve_t recorded;              /* time in s and probability */
    spot_curve_t fitted[SPOT_NUM_BEST]; /* quantile and recorded time, both in s */
    double low_s, high_s;               /* ends of both axes */
    size_t num_outside;                 /* points that no axis reaches */
} quantiles_t;

/* A step of the distribution function at its middle, a tick too. */
static int
add_recorded(quantiles_t *self)
{
    const spot_kaplan_meier_t *kaplan_meier = &self->sample.kaplan_meier;
    const double tick_s = self->sample.fitted->tick_s;
    double before = 1;
    int ret = 0;

    for (size_t j = 0; j < kaplan_meier->num_steps && ret == 0; j++) {
        const spot_survival_step_t *step = &kaplan_meier->steps[j];
        const double time_s =
            tick_s > 0 ? fmax(step->time, tick_s) - tick_s / 2 : step->time;

        ret = spot_curve_add(&self->recorded, time_s, 1 - (before + step->survival) / 2);
        before = step->survival;
    }
    if (self->recorded.num_points > 0 && self->sample.low_s > 0) {
        const double low_s = self->recorded.points[0].x;

        spot_curve_thin(&self->recorded, low_s > 0 ? low_s : self->sample.low_s,
            kaplan_meier->max * 1.001, true);
    }
    return ret;
}

static int
add_fitted(quantiles_t *self)
{
    int ret = 0;

    for (size_t k = 0; k < self->num_laws; k++) {
        for (size_t j = 0; j < self->recorded.num_points && ret == 0; j++) {
            const spot_point_t *point = &self->recorded.points[j];

            ret = spot_curve_add(&self->fitted[k],
                spot_law_quantile(&self->sample.fitted->laws[k].law, point->y),
                point->x);
        }
    }
    return ret;
}

/* Room for all that was recorded, and for the quantiles unless they are far away. */
static void
choose_scale(quantiles_t *self)
{
    double low_s = (double) INFINITY, high_s = 0;
    double fitted_low_s = (double) INFINITY, fitted_high_s = 0;

    for (size_t j = 0; j < self->recorded.num_points; j++) {
        if (self->recorded.points[j].x > 0) {
            low_s = fmin(low_s, self->recorded.points[j].x);
            high_s = fmax(high_s, self->recorded.points[j].x);
        }
    }
    for (size_t k = 0; k < self->num_laws; k++) {
        for (size_t j = 0; j < self->fitted[k].num_points; j++) {
            fitted_low_s = fmin(fitted_low_s, self->fitted[k].points[j].x);
            fitted_high_s = fmax(fitted_high_s, self->fitted[k].points[j].x);
        }
    }
    low_s = fmin(low_s, fmax(fitted_low_s, low_s / MAX_STRETCH));
    high_s = fmax(high_s, fmin(fitted_high_s, high_s * MAX_STRETCH));
    self->low_s = low_s / 1.15;
    self->high_s = high_s * 1.15;
}

static bool
is_inside(const quantiles_t *self, const spot_point_t *point)
{
    return point->x >= self->low_s && point->x <= self->high_s &&
           point->y >= self->low_s && point->y <= self->high_s;
}

static const char *
find_problem(const quantiles_t *self)
{
    return self->num_laws == 0 ? "no law was fitted"
                               : spot_sample_figure_problem(&self->sample);
}

static int
quantiles_init(quantiles_t *self, const spot_fitted_sample_t *fitted, const char *name)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->num_laws = fitted->num_laws < SPOT_NUM_BEST ? fitted->num_laws : SPOT_NUM_BEST;
    ret = spot_sample_figure_init(&self->sample, fitted, name);
    if (ret == 0) {
        ret = add_recorded(self);
    }
    if (ret == 0) {
        ret = add_fitted(self);
    }
    if (ret != 0 || find_problem(self) != NULL) {
        return ret;
    }
    choose_scale(self);
    for (size_t k = 0; k < self->num_laws; k++) {
        for (size_t j = 0; j < self->fitted[k].num_points; j++) {
            self->num_outside += !is_inside(self, &self->fitted[k].points[j]);
        }
    }
    return 0;
}

static void
quantiles_free(quantiles_t *self)
{
    spot_curve_free(&self->recorded);
    for (size_t k = 0; k < SPOT_NUM_BEST; k++) {
        spot_curve_free(&self->fitted[k]);
    }
    spot_sample_figure_free(&self->sample);
}

static void
write_points(const void *context, FILE *out)
{
    const quantiles_t *self = context;

    fputs("series,probability,fitted_s,recorded_s\n", out);
    for (size_t k = 0; k < self->num_laws; k++) {
        for (size_t j = 0; j < self->fitted[k].num_points; j++) {
            spot_csv_field_text(out, self->sample.fitted->laws[k].label);
            spot_csv_field_number(out, self->recorded.points[j].y);
            spot_csv_field_number(out, self->fitted[k].points[j].x);
            spot_csv_field_number(out, self->fitted[k].points[j].y);
            fputc('\n', out);
        }
    }
}

static void
declare_words(const quantiles_t *self, spot_chart_t *chart)
{
    const spot_fitted_sample_t *fitted = self->sample.fitted;
    char labels[SPOT_NUM_BEST][SPOT_UTF8_SHOWN_BYTES] = {""};

    for (size_t k = 0; k < self->num_laws; k++) {
        (void) spot_utf8_shown(fitted->laws[k].label, labels[k]);
    }
    spot_chart_title(chart, "%s against what %s%s%s would give",
        spot_sample_figure_noun(fitted->kind, fitted->is_obtainable), labels[0],
        self->num_laws > 1 ? " and " : "", labels[1]);
    spot_sample_figure_note(
        &self->sample, fitted->tick_s > 0 ? ", values at their middle" : "", chart);
    spot_chart_note(chart,
        "a point above the line: the recorded value is longer than the fitted quantile");
    if (self->num_outside > 0) {
        spot_chart_note(chart, "%zu point%s outside the axes", self->num_outside,
            self->num_outside == 1 ? "" : "s");
    }
}

static int
declare(spot_chart_t *chart, const void *context)
{
    const quantiles_t *self = context;
    const spot_chart_axis_t axis = {.kind = SPOT_CHART_LOG,
        .unit = SPOT_CHART_S,
        .low = self->low_s,
        .high = self->high_s};
    spot_chart_panel_t panel = {.x = axis, .y = axis, .is_square = true};

    panel.x.name = "fitted quantile (logarithmic)";
    panel.y.name = "recorded (logarithmic)";
    declare_words(self, chart);
    spot_chart_panel(chart, &panel);
    spot_chart_rule(chart, &(spot_chart_rule_t){.direction = SPOT_CHART_DIAGONAL,
                               .name = "recorded = fitted",
                               .dash = SPOT_CHART_DASHED});
    for (size_t k = self->num_laws; k-- > 0;) {
        const spot_curve_t *curve = &self->fitted[k];
        char label[SPOT_UTF8_SHOWN_BYTES];

        (void) spot_utf8_shown(self->sample.fitted->laws[k].label, label);
        spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                     .name = label,
                                     .colour = spot_sample_figure_colour(k),
                                     .marker = SPOT_CHART_CIRCLE,
                                     .marker_px = 3,
                                     .is_hollow = k > 0});
        for (size_t j = 0; j < curve->num_points; j++) {
            if (is_inside(self, &curve->points[j])) {
                spot_chart_add_xy(chart, curve->points[j].x, curve->points[j].y);
            }
        }
    }
    return spot_chart_error(chart);
}

int
spot_trace_plot_quantiles(const spot_fitted_sample_t *self, const char *folder,
    const char *name, spot_diag_t *diag)
{
    quantiles_t quantiles;
    int ret = quantiles_init(&quantiles, self, name);

    if (ret == 0) {
        ret = spot_trace_picture_make(&(spot_trace_picture_t){.folder = folder,
                                          .name = name,
                                          .sample = spot_sample_kind_names[self->kind],
                                          .what = "qq",
                                          .problem = find_problem(&quantiles),
                                          .write_points = write_points,
                                          .declare = declare,
                                          .context = &quantiles},
            diag);
    }
    quantiles_free(&quantiles);
    return ret;
}
