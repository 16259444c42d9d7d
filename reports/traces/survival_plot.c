/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/stats.h"
#include "reports/curve.h"
#include "reports/palette.h"
#include "reports/traces/fitted_sample.h"

#define PANEL_PX 360.0
#define MAX_DOTS 150
#define NUM_LAW_POINTS 241
#define MIN_SURVIVAL 1e-9 /* lower ones are not drawn */
#define MIN_TICK_PX 4.0   /* between two marks of the lattice */
#define TICK_PX 7.0       /* their height */

typedef struct {
    spot_sample_figure_t sample;
    spot_curve_t recorded; /* time in s and survival from then on */
    spot_curve_t censored; /* where values were cut off */
    spot_log_scale_t x;
    spot_log_scale_t y;
} survival_t;

static int
add_recorded(survival_t *self)
{
    const spot_kaplan_meier_t *kaplan_meier = &self->sample.kaplan_meier;
    int ret = spot_curve_add(&self->recorded, 0, 1);

    for (size_t j = 0; j < kaplan_meier->num_steps && ret == 0; j++) {
        ret = spot_curve_add(&self->recorded, kaplan_meier->steps[j].time,
            kaplan_meier->steps[j].survival);
    }
    /* As far as anything was seen. */
    if (ret == 0 &&
        kaplan_meier->max > self->recorded.points[self->recorded.num_points - 1].x) {
        ret = spot_curve_add(&self->recorded, kaplan_meier->max,
            self->recorded.points[self->recorded.num_points - 1].y);
    }
    return ret;
}

static int
add_censored(survival_t *self)
{
    const spot_sample_t *sample = self->sample.fitted->sample;
    double *times_s = spot_calloc(sample->num_values, sizeof(*times_s));
    size_t num_times = 0;
    int ret = times_s == NULL ? SPOT_ERR_NO_MEMORY : 0;

    for (size_t j = 0; j < sample->num_values && ret == 0; j++) {
        if (sample->is_censored[j]) {
            times_s[num_times++] = sample->values[j];
        }
    }
    if (ret == 0) {
        spot_sort(times_s, num_times);
    }
    for (size_t j = 0; j < num_times && ret == 0; j++) {
        if (j == 0 || times_s[j] > times_s[j - 1]) {
            ret = spot_curve_add(&self->censored, times_s[j],
                spot_kaplan_meier_survival(&self->sample.kaplan_meier, times_s[j]));
        }
    }
    free(times_s);
    return ret;
}

/* From a little before the first step to a little behind the last value; down to half of
 * the smallest share. */
static void
choose_scales(survival_t *self)
{
    const double tick_s = self->sample.fitted->tick_s;
    const double first_s =
        tick_s > 0 ? fmin(tick_s, self->sample.low_s) : self->sample.low_s;
    double low = 1;

    for (size_t j = 0; j < self->recorded.num_points; j++) {
        if (self->recorded.points[j].y > 0) {
            low = fmin(low, self->recorded.points[j].y);
        }
    }
    self->x =
        spot_log_scale_durations(first_s / 1.6, self->sample.kaplan_meier.max * 1.3);
    self->y = spot_log_scale_shares(fmax(low / 2, MIN_SURVIVAL));
}

static int
survival_init(survival_t *self, const spot_fitted_sample_t *fitted, const char *name)
{
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_sample_figure_init(&self->sample, fitted, name);
    if (ret == 0) {
        ret = add_recorded(self);
    }
    if (ret == 0) {
        ret = add_censored(self);
    }
    if (ret == 0 && spot_sample_figure_problem(&self->sample) == NULL) {
        choose_scales(self);
        spot_curve_thin(&self->recorded, self->x.low, self->x.high, true);
        spot_curve_thin(&self->censored, self->x.low, self->x.high, true);
    }
    return ret;
}

static void
survival_free(survival_t *self)
{
    spot_curve_free(&self->recorded);
    spot_curve_free(&self->censored);
    spot_sample_figure_free(&self->sample);
}

/* The point_id-th point of a law's curve. */
static spot_point_t
law_point(const survival_t *self, size_t law_id, size_t point_id)
{
    const spot_law_t *law = &self->sample.fitted->laws[law_id].law;
    const double share = (double) point_id / (NUM_LAW_POINTS - 1);
    const double time_s = self->x.low * pow(self->x.high / self->x.low, share);

    return (spot_point_t){
        time_s, exp(law->family->log_survival(law->parameters, time_s))};
}

static void
write_row(const char *series, spot_point_t point, FILE *out)
{
    spot_csv_field_text(out, series);
    spot_csv_field_number(out, point.x);
    spot_csv_field_number(out, point.y);
    fputc('\n', out);
}

static void
write_points(const void *context, FILE *out)
{
    const survival_t *self = context;
    const spot_fitted_sample_t *fitted = self->sample.fitted;

    fputs("series,time_s,survival\n", out);
    for (size_t j = 0; j < self->recorded.num_points; j++) {
        write_row("recorded", self->recorded.points[j], out);
    }
    for (size_t j = 0; j < self->censored.num_points; j++) {
        write_row("censored", self->censored.points[j], out);
    }
    if (spot_sample_figure_problem(&self->sample) != NULL) {
        return; /* there is no axis to put the laws on */
    }
    for (size_t k = 0; k < fitted->num_laws; k++) {
        for (size_t j = 0; j < NUM_LAW_POINTS; j++) {
            write_row(fitted->laws[k].label, law_point(self, k, j), out);
        }
    }
}

/* Where steps end on a lattice, as long as the dots can be told apart. */
static bool
has_dots(const survival_t *self)
{
    return self->sample.fitted->tick_s > 0 && self->recorded.num_points <= MAX_DOTS;
}

/* The first time from which on at most that share is left; INFINITY: never. */
static double
time_of_share(const spot_kaplan_meier_t *kaplan_meier, double share)
{
    for (size_t j = 0; j < kaplan_meier->num_steps; j++) {
        if (kaplan_meier->steps[j].survival <= share + 1e-12) {
            return kaplan_meier->steps[j].time;
        }
    }
    return (double) INFINITY;
}

static void
write_title(const survival_t *self, char title[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_kaplan_meier_t *kaplan_meier = &self->sample.kaplan_meier;
    const double median_s = spot_kaplan_meier_median(kaplan_meier);
    const double tenth_s = time_of_share(kaplan_meier, 0.1);
    const char *noun = spot_sample_figure_noun(
        self->sample.fitted->kind, self->sample.fitted->is_obtainable);
    char median[SPOT_DURATION_WORDS_BYTES], tenth[SPOT_DURATION_WORDS_BYTES];

    spot_duration_words(isfinite(median_s) ? median_s : kaplan_meier->max, median);
    spot_duration_words(tenth_s, tenth);
    if (!isfinite(median_s)) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES, "%s: %.3g %% last longer than %s", noun,
            100 * spot_kaplan_meier_survival(kaplan_meier, kaplan_meier->max), median);
    } else if (!isfinite(tenth_s)) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES, "%s: median %s", noun, median);
    } else {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES, "%s: median %s, nine in ten at most %s",
            noun, median, tenth);
    }
}

static void
write_note(const survival_t *self, char note[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_fitted_sample_t *fitted = self->sample.fitted;
    char label[SPOT_LAW_LABEL_BYTES];
    size_t used = spot_sample_figure_note(&self->sample, note);

    if (fitted->tick_s > 0) {
        used += (size_t) snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - used,
            ", marked at the bottom%s",
            has_dots(self) ? ": there the dots and a law should meet" : "");
    }
    for (size_t k = SPOT_NUM_BEST; k < fitted->num_laws; k++) {
        spot_sample_figure_label(&fitted->laws[k], label);
        if (used + 2 * SPOT_LAW_LABEL_BYTES < SPOT_PICTURE_TEXT_BYTES) {
            used += (size_t) snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - used,
                "%s%s", k == SPOT_NUM_BEST ? " · grey, by rank: " : ", ", label);
        }
    }
}

/* What lies outside is drawn at the edge: a fall to 0 goes to the bottom. */
static void
write_curve(
    const survival_t *self, const char *name, const spot_curve_t *curve, FILE *out)
{
    fprintf(out, "$%s << EOD\n", name);
    for (size_t j = 0; j < curve->num_points; j++) {
        fprintf(out, "%.7g %.7g %d\n",
            spot_log_scale_place(&self->x, curve->points[j].x),
            spot_log_scale_place(&self->y, curve->points[j].y),
            curve->points[j].x >= self->x.low && curve->points[j].y >= self->y.low);
    }
    fputs("EOD\n", out);
}

/* Until a law leaves the panel. */
static void
write_law(const survival_t *self, size_t law_id, FILE *out)
{
    fprintf(out, "$law%zu << EOD\n", law_id);
    for (size_t j = 0; j < NUM_LAW_POINTS; j++) {
        const spot_point_t point = law_point(self, law_id, j);

        if (!(point.y > 0)) { /* the end of a limited life */
            fprintf(out, "%.7g %.7g\n", log10(point.x), log10(self->y.low));
            break;
        }
        fprintf(out, "%.7g %.7g\n", log10(point.x), log10(point.y));
    }
    fputs("EOD\n", out);
}

/* Marks at the ticks of the lattice, as far as they can be told apart. */
static void
write_ticks(const survival_t *self, const spot_panel_t *panel, FILE *out)
{
    const double tick_s = self->sample.fitted->tick_s;
    const double height = TICK_PX / panel->height_px * (panel->y.high - panel->y.low);

    fputs("$ticks << EOD\n", out);
    for (double k = ceil(self->x.low / tick_s); k * tick_s <= self->x.high; k++) {
        if (spot_panel_x_px(panel, log10((k + 1) * tick_s)) -
                spot_panel_x_px(panel, log10(k * tick_s)) <
            MIN_TICK_PX) {
            break;
        }
        fprintf(out, "%.7g %.7g 0 %.5g\n", log10(k * tick_s), panel->y.low, height);
    }
    fputs("EOD\n", out);
}

/* Laws from the worst to the best, what was recorded on top. */
static void
write_plot(const survival_t *self, FILE *out)
{
    const spot_fitted_sample_t *fitted = self->sample.fitted;

    fputs("plot ", out);
    if (fitted->tick_s > 0) {
        fprintf(
            out, "$ticks with vectors nohead lw 1 lc rgb '%s', \\\n", SPOT_INK_QUIET);
    }
    for (size_t k = fitted->num_laws; k-- > 0;) {
        fprintf(out, "$law%zu with lines lw %g%s lc rgb '%s', \\\n", k,
            k < SPOT_NUM_BEST ? 2.2 : 1.1, k == 1 ? " dt (12,5)" : "",
            spot_sample_figure_colour(k));
    }
    fprintf(out, "$recorded with steps lw 1.2 lc rgb '%s'", SPOT_INK);
    if (has_dots(self)) {
        fprintf(out,
            ", \\\n$recorded using 1:($3 == 1 ? $2 : NaN) with points pt 7 ps 0.35 lc "
            "rgb '%s'",
            SPOT_INK);
    }
    if (self->censored.num_points > 0) {
        fprintf(out,
            ", \\\n$censored using 1:($3 == 1 ? $2 : NaN) with points pt 1 ps 0.7 lw 1 "
            "lc "
            "rgb '%s'",
            SPOT_INK);
    }
    fputc('\n', out);
}

/* What was recorded and the best laws, where they leave the panel. */
static void
draw_labels(
    const spot_figure_t *figure, const survival_t *self, const spot_panel_t *panel)
{
    const spot_fitted_sample_t *fitted = self->sample.fitted;
    spot_end_label_t labels[SPOT_NUM_BEST + 1];
    size_t num_labels = 0;
    double last = 1;

    for (size_t j = 0; j < self->recorded.num_points; j++) {
        last = self->recorded.points[j].y > 0 ? self->recorded.points[j].y : last;
    }
    labels[num_labels++] = (spot_end_label_t){.text = "recorded",
        .colour = SPOT_INK,
        .y_px = spot_panel_y_px(panel, spot_log_scale_place(&self->y, last)),
        .swatch_px = 2};
    for (size_t k = 0; k < fitted->num_laws && k < SPOT_NUM_BEST; k++) {
        const spot_point_t end = law_point(self, k, NUM_LAW_POINTS - 1);

        labels[num_labels] = (spot_end_label_t){.colour = spot_sample_figure_colour(k),
            .y_px = spot_panel_y_px(panel, spot_log_scale_place(&self->y, end.y)),
            .swatch_px = 2};
        spot_sample_figure_label(&fitted->laws[k], labels[num_labels].text);
        num_labels++;
    }
    spot_figure_end_labels(figure, labels, num_labels, panel->left_px + panel->width_px,
        panel->top_px + panel->height_px);
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const survival_t *self = context;
    const spot_fitted_sample_t *fitted = self->sample.fitted;
    const spot_scale_t y = {log10(self->y.low), log10(self->y.high), 1};
    char title[SPOT_PICTURE_TEXT_BYTES], note[SPOT_PICTURE_TEXT_BYTES];
    spot_figure_t figure;
    spot_panel_t panel;
    double top_px;

    write_title(self, title);
    write_note(self, note);
    top_px = spot_trace_picture_begin(&figure, out, picture_path, title, note,
        SPOT_PICTURE_TOP_PX + PANEL_PX + SPOT_PICTURE_FOOT_PX);
    panel = spot_trace_picture_panel(top_px + SPOT_PICTURE_TOP_PX, PANEL_PX,
        log10(self->x.low), log10(self->x.high), y);
    spot_trace_picture_axis_names(&figure, &panel, "duration (logarithmic)",
        "share that lasts longer (logarithmic)");
    draw_labels(&figure, self, &panel);
    spot_figure_panel(&figure, &panel, "%g");
    spot_figure_log_ticks(&figure, "x", &self->x);
    spot_figure_log_ticks(&figure, "y", &self->y);
    fputs("set grid xtics\n", out);
    write_curve(self, "recorded", &self->recorded, out);
    write_curve(self, "censored", &self->censored, out);
    for (size_t k = 0; k < fitted->num_laws; k++) {
        write_law(self, k, out);
    }
    if (fitted->tick_s > 0) {
        write_ticks(self, &panel, out);
    }
    write_plot(self, out);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
}

int
spot_trace_plot_survival(const spot_fitted_sample_t *self, const char *folder,
    const char *name, spot_diag_t *diag)
{
    survival_t survival;
    int ret = survival_init(&survival, self, name);

    if (ret == 0) {
        ret = spot_sample_figure_make(self, self->num_laws > 0 ? "fit" : "survival",
            &(spot_trace_picture_t){.folder = folder,
                .name = name,
                .problem = spot_sample_figure_problem(&survival.sample),
                .write_points = write_points,
                .write_script = write_script,
                .context = &survival},
            diag);
    }
    survival_free(&survival);
    return ret;
}
