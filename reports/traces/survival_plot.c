/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/memory.h"
#include "base/stats.h"
#include "base/utf8.h"
#include "reports/traces/fitted_sample.h"

#define MAX_DOTS 150
#define NUM_LAW_POINTS 241
#define MIN_SURVIVAL 1e-9 /* lower ones are not drawn */
#define MIN_TICK 0.008    /* of the axis between two marks of the lattice */

typedef struct {
    spot_sample_figure_t sample;
    spot_curve_t recorded; /* time in s and survival from then on */
    spot_curve_t censored; /* where values were cut off */
    double low_s, high_s;  /* ends of the axes */
    double low_share;
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
    self->low_s = first_s / 1.6;
    self->high_s = self->sample.kaplan_meier.max * 1.3;
    self->low_share = fmin(fmax(low / 2, MIN_SURVIVAL), 0.5);
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
        spot_curve_thin(&self->recorded, self->low_s, self->high_s, true);
        spot_curve_thin(&self->censored, self->low_s, self->high_s, true);
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
    const double time_s = self->low_s * pow(self->high_s / self->low_s, share);

    return (spot_point_t){
        time_s, exp(law->family->log_survival(law->parameters, time_s))};
}

static void
write_points(const void *context, FILE *out)
{
    const survival_t *self = context;
    const spot_fitted_sample_t *fitted = self->sample.fitted;

    fputs("series,time_s,survival\n", out);
    spot_trace_picture_write_curve("recorded", &self->recorded, 1, "", out);
    spot_trace_picture_write_curve("censored", &self->censored, 1, "", out);
    if (spot_sample_figure_problem(&self->sample) != NULL) {
        return; /* there is no axis to put the laws on */
    }
    for (size_t k = 0; k < fitted->num_laws; k++) {
        for (size_t j = 0; j < NUM_LAW_POINTS; j++) {
            const spot_point_t point = law_point(self, k, j);

            spot_csv_field_text(out, fitted->laws[k].label);
            spot_csv_field_number(out, point.x);
            spot_csv_field_number(out, point.y);
            fputc('\n', out);
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
declare_title(const survival_t *self, spot_chart_t *chart)
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
        spot_chart_title(chart, "%s: %.3g %% last longer than %s", noun,
            100 * spot_kaplan_meier_survival(kaplan_meier, kaplan_meier->max), median);
    } else if (!isfinite(tenth_s)) {
        spot_chart_title(chart, "%s: median %s", noun, median);
    } else {
        spot_chart_title(
            chart, "%s: median %s, nine in ten at most %s", noun, median, tenth);
    }
}

/* What was run, and the laws beside the best by rank. */
static void
declare_notes(const survival_t *self, spot_chart_t *chart)
{
    const spot_fitted_sample_t *fitted = self->sample.fitted;
    char label[SPOT_UTF8_SHOWN_BYTES], others[512] = "";
    size_t used = 0;

    spot_sample_figure_note(&self->sample,
        fitted->tick_s <= 0 ? ""
        : has_dots(self) ? ", marked at the bottom: there the dots and a law should meet"
                         : ", marked at the bottom",
        chart);
    for (size_t k = SPOT_NUM_BEST; k < fitted->num_laws; k++) {
        (void) spot_utf8_shown(fitted->laws[k].label, label);
        if (used + strlen(label) + 3 < sizeof(others)) {
            used += (size_t) snprintf(others + used, sizeof(others) - used, "%s%s",
                k == SPOT_NUM_BEST ? "" : ", ", label);
        }
    }
    if (used > 0) {
        spot_chart_note(chart, "grey, by rank: %s", others);
    }
}

/* Marks at the ticks of the lattice, as far as they can be told apart. */
static void
declare_lattice(const survival_t *self, spot_chart_t *chart)
{
    const double tick_s = self->sample.fitted->tick_s;
    const double axis = log(self->high_s / self->low_s);

    spot_chart_series(chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_STROKES, .colour = SPOT_INK_QUIET});
    for (double k = ceil(self->low_s / tick_s);
         k * tick_s <= self->high_s && log((k + 1) / k) >= MIN_TICK * axis; k++) {
        spot_chart_add_xy(chart, k * tick_s, 0);
    }
}

/* A law until it leaves the panel, or until the end of a limited life. */
static void
declare_law(const survival_t *self, size_t law_id, spot_chart_t *chart)
{
    const bool is_best = law_id < SPOT_NUM_BEST;
    char label[SPOT_UTF8_SHOWN_BYTES];
    double share = 1;

    (void) spot_utf8_shown(self->sample.fitted->laws[law_id].label, label);
    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE,
                   .name = is_best ? label : NULL,
                   .colour = spot_sample_figure_colour(law_id),
                   .dash = law_id == 1 ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
                   .width_px = is_best ? 2.2 : 1.1});
    for (size_t j = 0; j < NUM_LAW_POINTS && share >= self->low_share; j++) {
        const spot_point_t point = law_point(self, law_id, j);

        share = point.y;
        spot_chart_add_xy(chart, point.x, 100 * fmax(share, self->low_share / 10));
    }
}

static void
declare_marks(const spot_curve_t *curve, spot_chart_marker_t marker, spot_chart_t *chart)
{
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                 .marker = marker,
                                 .marker_px = 2.5,
                                 .is_hollow = marker != SPOT_CHART_CIRCLE,
                                 .colour = SPOT_INK});
    for (size_t j = 0; j < curve->num_points; j++) {
        spot_chart_add_xy(chart, curve->points[j].x, 100 * curve->points[j].y);
    }
}

/* Laws from the worst to the best, what was recorded on top. */
static int
declare(spot_chart_t *chart, const void *context)
{
    const survival_t *self = context;
    const spot_fitted_sample_t *fitted = self->sample.fitted;

    declare_title(self, chart);
    declare_notes(self, chart);
    spot_trace_picture_survival_panel(chart, self->low_s, self->high_s, self->low_share);
    if (fitted->tick_s > 0) {
        declare_lattice(self, chart);
    }
    for (size_t k = fitted->num_laws; k-- > 0;) {
        declare_law(self, k, chart);
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                 .name = "recorded",
                                 .colour = SPOT_INK,
                                 .width_px = 1.2});
    spot_trace_picture_add_survival(chart, &self->recorded, self->low_share);
    if (has_dots(self)) {
        declare_marks(&self->recorded, SPOT_CHART_CIRCLE, chart);
    }
    if (self->censored.num_points > 0) {
        declare_marks(&self->censored, SPOT_CHART_DIAMOND, chart);
        spot_chart_legend(chart,
            &(spot_chart_entry_t){
                .text = "censored", .marker = SPOT_CHART_DIAMOND, .is_hollow = true});
    }
    return spot_chart_error(chart);
}

int
spot_trace_plot_survival(const spot_fitted_sample_t *self, const char *folder,
    const char *name, spot_diag_t *diag)
{
    survival_t survival;
    int ret = survival_init(&survival, self, name);

    if (ret == 0) {
        ret = spot_trace_picture_make(
            &(spot_trace_picture_t){.folder = folder,
                .name = name,
                .sample = spot_sample_kind_names[self->kind],
                .what = self->num_laws > 0 ? "fit" : "survival",
                .problem = spot_sample_figure_problem(&survival.sample),
                .write_points = write_points,
                .declare = declare,
                .context = &survival},
            diag);
    }
    survival_free(&survival);
    return ret;
}
