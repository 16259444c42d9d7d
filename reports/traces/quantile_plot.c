/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "reports/curve.h"
#include "reports/palette.h"
#include "reports/traces/fitted_sample.h"

#define PANEL_PX 460.0 /* width and height */
/* How far quantiles may stretch the axes beyond what was recorded. */
#define MAX_STRETCH 20

typedef struct {
    spot_sample_figure_t sample;
    size_t num_laws;                    /* drawn */
    spot_curve_t recorded;              /* time in s and probability */
    spot_curve_t fitted[SPOT_NUM_BEST]; /* quantile and recorded time, both in s */
    spot_log_scale_t scale;             /* of both axes */
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
    self->scale = spot_log_scale_durations(low_s / 1.15, high_s * 1.15);
}

static bool
is_inside(const quantiles_t *self, const spot_point_t *point)
{
    return point->x >= self->scale.low && point->x <= self->scale.high &&
           point->y >= self->scale.low && point->y <= self->scale.high;
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
write_texts(const quantiles_t *self, char title[SPOT_PICTURE_TEXT_BYTES],
    char note[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_labelled_law_t *laws = self->sample.fitted->laws;
    char labels[SPOT_NUM_BEST][SPOT_LAW_LABEL_BYTES] = {""};
    size_t used = spot_sample_figure_note(&self->sample, note);

    for (size_t k = 0; k < self->num_laws; k++) {
        spot_sample_figure_label(&laws[k], labels[k]);
    }
    snprintf(title, SPOT_PICTURE_TEXT_BYTES, "%s against what %s%s%s would give",
        spot_sample_figure_noun(
            self->sample.fitted->kind, self->sample.fitted->is_obtainable),
        labels[0], self->num_laws > 1 ? " and " : "", labels[1]);
    used += (size_t) snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - used,
        "%s · a point above the line: the recorded value is longer than the fitted "
        "quantile",
        self->sample.fitted->tick_s > 0 ? ", values at their middle" : "");
    if (self->num_outside > 0) {
        snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - used,
            " · %zu point%s outside the axes", self->num_outside,
            self->num_outside == 1 ? "" : "s");
    }
}

static void
write_fitted(const quantiles_t *self, size_t law_id, FILE *out)
{
    const spot_curve_t *curve = &self->fitted[law_id];

    fprintf(out, "$law%zu << EOD\n", law_id);
    for (size_t j = 0; j < curve->num_points; j++) {
        if (is_inside(self, &curve->points[j])) {
            fprintf(out, "%.7g %.7g\n", log10(curve->points[j].x),
                log10(curve->points[j].y));
        }
    }
    fputs("EOD\n", out);
}

/* By rank. */
static const spot_marker_t markers[SPOT_NUM_BEST] = {
    SPOT_MARKER_CIRCLE, SPOT_MARKER_OPEN_CIRCLE};

static void
draw_legend(
    const spot_figure_t *figure, const quantiles_t *self, const spot_panel_t *panel)
{
    const double x_px = panel->left_px + panel->width_px + 24;
    double y_px = panel->top_px + 8;
    char label[SPOT_LAW_LABEL_BYTES];

    for (size_t k = 0; k < self->num_laws; k++) {
        spot_sample_figure_label(&self->sample.fitted->laws[k], label);
        spot_figure_marker_entry(
            figure, x_px, y_px, markers[k], spot_sample_figure_colour(k), label);
        y_px += 19;
    }
    spot_figure_entry(figure, x_px, y_px, 2, SPOT_INK_QUIET, "recorded = fitted");
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const quantiles_t *self = context;
    const spot_scale_t y = {log10(self->scale.low), log10(self->scale.high), 1};
    char title[SPOT_PICTURE_TEXT_BYTES], note[SPOT_PICTURE_TEXT_BYTES];
    spot_figure_t figure;
    spot_panel_t panel;
    double top_px;

    write_texts(self, title, note);
    top_px = spot_trace_picture_begin(&figure, out, picture_path, title, note,
        SPOT_PICTURE_TOP_PX + PANEL_PX + SPOT_PICTURE_FOOT_PX);
    panel = spot_trace_picture_panel(
        top_px + SPOT_PICTURE_TOP_PX, PANEL_PX, y.low, y.high, y);
    panel.width_px = PANEL_PX;
    spot_trace_picture_axis_names(
        &figure, &panel, "fitted quantile (logarithmic)", "recorded (logarithmic)");
    draw_legend(&figure, self, &panel);
    spot_figure_panel(&figure, &panel, "%g");
    spot_figure_log_ticks(&figure, "x", &self->scale);
    spot_figure_log_ticks(&figure, "y", &self->scale);
    fputs("set grid xtics\n", out);
    for (size_t k = 0; k < self->num_laws; k++) {
        write_fitted(self, k, out);
    }
    fprintf(out, "$identity << EOD\n%.10g %.10g\n%.10g %.10g\nEOD\n", y.low, y.low,
        y.high, y.high);
    fprintf(
        out, "plot $identity with lines lw 1.2 dt (6,4) lc rgb '%s'", SPOT_INK_QUIET);
    for (size_t k = self->num_laws; k-- > 0;) {
        fprintf(out, ", \\\n$law%zu with points pt %d ps 0.55 lw 1.2 lc rgb '%s'", k,
            (int) markers[k], spot_sample_figure_colour(k));
    }
    fputc('\n', out);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
}

int
spot_trace_plot_quantiles(const spot_fitted_sample_t *self, const char *folder,
    const char *name, spot_diag_t *diag)
{
    quantiles_t quantiles;
    int ret = quantiles_init(&quantiles, self, name);

    if (ret == 0) {
        ret = spot_sample_figure_make(self, "qq",
            &(spot_trace_picture_t){.folder = folder,
                .name = name,
                .problem = find_problem(&quantiles),
                .write_points = write_points,
                .write_script = write_script,
                .context = &quantiles},
            diag);
    }
    quantiles_free(&quantiles);
    return ret;
}
