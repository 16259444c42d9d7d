/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/verbs/trace_picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/outfile.h"
#include "base/stats.h"
#include "base/units.h"
#include "base/verb/output.h"
#include "traces/describe/describe.h"

/* ---- A picture while it is made ---- */

/* The median of the replications of a model. */
static const spot_chart_series_t trace_picture_median = {.kind = SPOT_CHART_STEPS,
    .name = "A: median (dashed)",
    .colour = SPOT_INK_ACCENT,
    .dash = SPOT_CHART_DASHED,
    .width_px = 1.4};

bool spot_trace_picture_begin(spot_trace_picture_t *self, const char *const *columns)
{
    *self = (spot_trace_picture_t){.chart = spot_chart_new()};
    for (; *columns != NULL; columns++) {
        spot_table_add_column(
            &self->data, (spot_table_column_t){.name = *columns, .num_digits = 8});
    }
    self->error = self->chart == NULL ? SPOT_ERR_NO_MEMORY : 0;
    return self->error == 0;
}

/* What is written to a file. */
typedef int (*writer_t)(spot_trace_picture_t *self, FILE *out);

static int write_data(spot_trace_picture_t *self, FILE *out)
{
    return spot_table_write_csv(&self->data, out);
}

static int write_chart(spot_trace_picture_t *self, FILE *out)
{
    return spot_output_chart(self->chart, out);
}

static int write_file(
    spot_trace_picture_t *self, writer_t write, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = write(self, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int write_files(spot_trace_picture_t *self, const char *folder, const char *name,
    const char *what, spot_diag_t *diag)
{
    char *csv_path = spot_picture_path(folder, name, what, "csv");
    char *svg_path = spot_picture_path(folder, name, what, "svg");
    int ret = csv_path == NULL || svg_path == NULL ? SPOT_ERR_NO_MEMORY
                                                   : spot_folder_make(folder, NULL, diag);

    if (ret == 0) {
        ret = write_file(self, write_data, csv_path, diag);
    }
    if (ret == 0 && self->problem != NULL) {
        spot_diag_warn(diag, svg_path, 0, 0, "nothing can be drawn: %s", self->problem);
        (void) unlink(svg_path); /* most often it is not there */
    } else if (ret == 0) {
        ret = write_file(self, write_chart, svg_path, diag);
    }
    free(csv_path);
    free(svg_path);
    return ret;
}

int spot_trace_picture_end(spot_trace_picture_t *self, const char *folder, const char *name,
    const char *what, spot_diag_t *diag)
{
    int ret = spot_error_first(self->error, self->texts.error);

    if (ret == 0) {
        ret = spot_chart_error(self->chart);
    }
    if (ret == 0) {
        ret = write_files(self, folder, name, what, diag);
    }
    spot_chart_free(self->chart);
    spot_table_free(&self->data);
    spot_texts_free(&self->texts);
    return ret;
}

/* A point of a curve; its error is that of self. */
static void trace_picture_point(spot_trace_picture_t *self, spot_curve_t *curve, double x, double y)
{
    self->error = spot_error_first(self->error, spot_curve_add(curve, x, y));
}

/* A row of data: a series and its numbers. */
static void trace_picture_row(
    spot_trace_picture_t *self, const char *series, size_t num_values, const double *values)
{
    spot_table_add_row(&self->data);
    if (series != NULL) {
        spot_table_add_text(&self->data, series);
    }
    for (size_t j = 0; j < num_values; j++) {
        spot_table_add_number(&self->data, values[j]);
    }
}

/* Rows of data: the name of a series, if there is one, x / unit, y. */
static void trace_picture_rows(
    spot_trace_picture_t *self, const char *series, const spot_curve_t *curve, double unit)
{
    for (size_t j = 0; j < curve->num_points; j++) {
        trace_picture_row(
            self, series, 2, (double[]){curve->points[j].x / unit, curve->points[j].y});
    }
}

/* A curve as a series: factor times y, and no less than least, so that a fall to 0 goes
 * below a logarithmic panel. */
static void trace_picture_curve(spot_trace_picture_t *self, const spot_chart_series_t *series,
    const spot_curve_t *curve, double factor, double least)
{
    spot_chart_series(self->chart, series);
    for (size_t j = 0; j < curve->num_points; j++) {
        const double y = factor * curve->points[j].y;

        spot_chart_add_xy(self->chart, curve->points[j].x, isnan(y) ? y : fmax(y, least));
    }
}

/* "running", or "obtainable" for kind availability. */
static const char *trace_population_word(spot_trace_kind_t kind)
{
    return kind == SPOT_TRACE_AVAILABILITY ? "obtainable" : "running";
}

/* ---- What pictures of durations share ---- */

typedef struct {
    spot_trace_picture_t picture;
    spot_kaplan_meier_t kaplan_meier; /* of a sample, as is first_s */
    double first_s;                   /* smallest complete value above 0; NAN for none */
    double low_s, high_s;             /* ends of the axis of durations */
    double low_share;                 /* where that of shares begins */
} duration_picture_t;

#define NUM_BEST 2 /* laws in colour; the others are grey */
#define MAX_DOTS 150
#define NUM_LAW_POINTS 241
#define MIN_SURVIVAL 1e-9 /* lower ones are not drawn */
#define MIN_TICK 0.008    /* of the axis between two marks of the lattice */
#define MAX_STRETCH 20    /* by quantiles of the axes beyond what was recorded */

/* "Gaps between preemption events"; is_obtainable: of a trace of kind availability. */
static const char *duration_picture_noun(spot_sample_kind_t kind, bool is_obtainable)
{
    static const char *const nouns[][2] = {
        [SPOT_SAMPLE_PREEMPT_GAP] = {"Gaps between preemption events",
            "Gaps between events of fewer obtainable"},
        [SPOT_SAMPLE_ADD_GAP] = {"Gaps between addition events",
            "Gaps between events of more obtainable"},
        [SPOT_SAMPLE_CHANGE_GAP] = {"Gaps between changes", "Gaps between changes"},
        [SPOT_SAMPLE_UP_SPELL] = {"Up spells", "Obtainable spells"},
        [SPOT_SAMPLE_DOWN_SPELL] = {"Down spells", "Unobtainable spells"},
        [SPOT_SAMPLE_LIFETIME] = {"Lifetimes", "Lifetimes"},
    };

    spot_bug_assert(nouns[kind][0] != NULL); /* sizes are no durations */
    return nouns[kind][is_obtainable];
}

/* As spot_trace_picture_end(), of "KIND-WHAT". */
static int duration_picture_end(duration_picture_t *self, spot_sample_kind_t kind, const char *what,
    const char *folder, const char *name, spot_diag_t *diag)
{
    what = spot_texts_add(&self->picture.texts, "%s-%s", spot_sample_kind_names[kind], what);
    spot_kaplan_meier_free(&self->kaplan_meier);
    return spot_trace_picture_end(&self->picture, folder, name, what, diag);
}

/* The sample of a picture, and why it cannot be drawn on logarithmic axes. */
static void read_sample(duration_picture_t *self, const spot_sample_t *sample)
{
    spot_trace_picture_t *picture = &self->picture;

    self->first_s = (double) NAN;
    for (size_t j = 0; j < sample->num_values; j++) {
        if (!sample->is_censored[j] && sample->values[j] > 0) {
            self->first_s = fmin(self->first_s, sample->values[j]); /* skips NAN */
        }
    }
    picture->error = spot_kaplan_meier_init(
        &self->kaplan_meier, sample->values, sample->is_censored, sample->num_values);
    picture->problem = sample->num_values < 2 ? "fewer than 2 values"
                       : isnan(self->first_s) ? "no complete value above 0 s"
                                              : NULL;
}

/* Name, number of values, ticks, and then more. */
static void note_sample(duration_picture_t *self, const spot_fitted_sample_t *fitted,
    const char *name, const char *more)
{
    const size_t num_values = self->kaplan_meier.num_values;
    const size_t num_censored = num_values - self->kaplan_meier.num_deaths;
    spot_texts_t *texts = &self->picture.texts;

    spot_chart_note(self->picture.chart, "%s · n = %zu%s%s%s", spot_words_shown(texts, name),
        num_values,
        num_censored == 0
            ? ""
            : spot_texts_add(texts, ", of which %zu censored (Kaplan-Meier)", num_censored),
        fitted->tick_s > 0 ? spot_texts_add(texts, " · ticks of %.6g s", fitted->tick_s) : "",
        more);
}

static const char *law_colour(size_t law_id)
{
    return law_id == 0 ? SPOT_INK_ACCENT : law_id == 1 ? SPOT_INK_LOSS : SPOT_INK_OTHER;
}

/* A panel of durations in s against the share in percent that is longer. */
static void duration_picture_panel(const duration_picture_t *self)
{
    spot_chart_panel(
        self->picture.chart, &(spot_chart_panel_t){.x = {.kind = SPOT_CHART_LOG,
                                                       .unit = SPOT_CHART_S,
                                                       .name = "duration (logarithmic)",
                                                       .low = self->low_s,
                                                       .high = self->high_s},
                                 .y = {.kind = SPOT_CHART_LOG,
                                     .unit = SPOT_CHART_PERCENT,
                                     .name = "share that lasts longer (logarithmic)",
                                     .low = 100 * self->low_share,
                                     .high = 100},
                                 .height_px = 360});
}

/* A share in percent, which may be undefined; a fall to 0 goes below the panel. */
static double duration_picture_share(const duration_picture_t *self, double share)
{
    return isnan(share) ? share : 100 * fmax(share, self->low_share / 10);
}

/* A curve of shares over durations in s. */
static void duration_picture_curve(
    duration_picture_t *self, const spot_chart_series_t *series, const spot_curve_t *curve)
{
    trace_picture_curve(&self->picture, series, curve, 100, duration_picture_share(self, 0));
}

/* ---- A sample and its laws: survival ---- */

typedef struct {
    duration_picture_t base;
    const spot_fitted_sample_t *fitted;
    spot_curve_t recorded; /* time in s and survival from then on */
    spot_curve_t censored; /* where values were cut off */
} survival_t;

/* As far as anything was seen. */
static void add_recorded(survival_t *self)
{
    const spot_kaplan_meier_t *kaplan_meier = &self->base.kaplan_meier;
    spot_trace_picture_t *picture = &self->base.picture;
    double last_s = 0, share = 1;

    trace_picture_point(picture, &self->recorded, 0, 1);
    for (size_t j = 0; j < kaplan_meier->num_steps; j++) {
        last_s = kaplan_meier->steps[j].time;
        share = kaplan_meier->steps[j].survival;
        trace_picture_point(picture, &self->recorded, last_s, share);
    }
    if (kaplan_meier->max > last_s) {
        trace_picture_point(picture, &self->recorded, kaplan_meier->max, share);
    }
}

static void add_censored(survival_t *self)
{
    const spot_sample_t *sample = self->fitted->sample;
    double *times_s = spot_calloc(sample->num_values, sizeof(*times_s));
    spot_trace_picture_t *picture = &self->base.picture;
    size_t num_times = 0;

    if (times_s == NULL) {
        picture->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    for (size_t j = 0; j < sample->num_values; j++) {
        if (sample->is_censored[j]) {
            times_s[num_times++] = sample->values[j];
        }
    }
    spot_sort(times_s, num_times);
    for (size_t j = 0; j < num_times && picture->error == 0; j++) {
        if (j == 0 || times_s[j] > times_s[j - 1]) {
            trace_picture_point(picture, &self->censored, times_s[j],
                spot_kaplan_meier_survival(&self->base.kaplan_meier, times_s[j]));
        }
    }
    free(times_s);
}

/* From a little before the first step to a little behind the last value; down to half of
 * the smallest share. */
static void choose_scales(survival_t *self)
{
    duration_picture_t *base = &self->base;
    double low = 1;

    for (size_t j = 0; j < self->recorded.num_points; j++) {
        const double share = self->recorded.points[j].y;

        low = share > 0 ? fmin(low, share) : low;
    }
    base->low_s =
        (self->fitted->tick_s > 0 ? fmin(self->fitted->tick_s, base->first_s) : base->first_s) /
        1.6;
    base->high_s = base->kaplan_meier.max * 1.3;
    base->low_share = fmin(fmax(low / 2, MIN_SURVIVAL), 0.5);
    spot_curve_thin(&self->recorded, SPOT_MAX_COLUMNS, base->low_s, base->high_s, true);
    spot_curve_thin(&self->censored, SPOT_MAX_COLUMNS, base->low_s, base->high_s, true);
}

/* Marks at the ticks of the lattice, as far as they can be told apart. */
static void declare_lattice(survival_t *self)
{
    const double tick_s = self->fitted->tick_s, low_s = self->base.low_s,
                 high_s = self->base.high_s;

    spot_chart_series(self->base.picture.chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_STROKES, .colour = SPOT_INK_QUIET});
    for (double k = ceil(low_s / tick_s);
         k * tick_s <= high_s && log((k + 1) / k) >= MIN_TICK * log(high_s / low_s); k++) {
        spot_chart_add_xy(self->base.picture.chart, k * tick_s, 0);
    }
}

/* The survival of a law at the place_id-th of NUM_LAW_POINTS places of the axis. */
static spot_point_t law_point(const survival_t *self, const spot_law_t *law, size_t place_id)
{
    const double low_s = self->base.low_s, high_s = self->base.high_s;
    const double place = (double) place_id / (NUM_LAW_POINTS - 1);
    const double time_s = low_s * pow(high_s / low_s, place);

    return (spot_point_t){time_s, exp(law->family->log_survival(law->parameters, time_s))};
}

/* A law until it leaves the panel, or until the end of a limited life. */
static void declare_law(survival_t *self, size_t law_id)
{
    const spot_labelled_law_t *law = &self->fitted->laws[law_id];
    spot_trace_picture_t *picture = &self->base.picture;
    const bool is_best = law_id < NUM_BEST;
    double share = 1;

    spot_chart_series(
        picture->chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE,
                            .name = is_best ? spot_words_shown(&picture->texts, law->label) : NULL,
                            .colour = law_colour(law_id),
                            .dash = law_id == 1 ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
                            .width_px = is_best ? 2.2 : 1.1});
    for (size_t j = 0; j < NUM_LAW_POINTS && share >= self->base.low_share; j++) {
        const spot_point_t point = law_point(self, &law->law, j);

        share = point.y;
        spot_chart_add_xy(picture->chart, point.x, duration_picture_share(&self->base, share));
    }
}

/* Where steps end on a lattice, as long as the dots can be told apart. */
static bool has_dots(const survival_t *self)
{
    return self->fitted->tick_s > 0 && self->recorded.num_points <= MAX_DOTS;
}

static void declare_marks(survival_t *self, const spot_curve_t *curve, spot_chart_marker_t marker)
{
    duration_picture_curve(&self->base,
        &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
            .marker = marker,
            .marker_px = 2.5,
            .is_hollow = marker != SPOT_CHART_CIRCLE,
            .colour = SPOT_INK},
        curve);
}

static void declare_survival_words(survival_t *self, const char *name)
{
    const spot_kaplan_meier_t *kaplan_meier = &self->base.kaplan_meier;
    const double median_s = spot_kaplan_meier_median(kaplan_meier);
    const char *noun = duration_picture_noun(self->fitted->kind, self->fitted->is_obtainable);
    spot_chart_t *chart = self->base.picture.chart;
    spot_texts_t *texts = &self->base.picture.texts;
    size_t tenth_id = 0; /* of the first step that leaves a tenth */

    while (tenth_id < kaplan_meier->num_steps &&
           kaplan_meier->steps[tenth_id].survival > 0.1 + 1e-12) {
        tenth_id++;
    }
    if (!isfinite(median_s)) {
        spot_chart_title(chart, "%s: %.3g %% last longer than %s", noun,
            100 * spot_kaplan_meier_survival(kaplan_meier, kaplan_meier->max),
            spot_words_duration(texts, kaplan_meier->max));
    } else if (tenth_id == kaplan_meier->num_steps) {
        spot_chart_title(chart, "%s: median %s", noun, spot_words_duration(texts, median_s));
    } else {
        spot_chart_title(chart, "%s: median %s, nine in ten at most %s", noun,
            spot_words_duration(texts, median_s),
            spot_words_duration(texts, kaplan_meier->steps[tenth_id].time));
    }
    note_sample(&self->base, self->fitted, name,
        self->fitted->tick_s <= 0 ? ""
        : has_dots(self)          ? ", marked at the bottom: there the dots and a law should meet"
                                  : ", marked at the bottom");
    if (self->fitted->num_laws > NUM_BEST) {
        FILE *others = spot_texts_begin(texts);

        for (size_t k = NUM_BEST; others != NULL && k < self->fitted->num_laws; k++) {
            fprintf(others, "%s%s", k == NUM_BEST ? "" : ", ",
                spot_words_shown(texts, self->fitted->laws[k].label));
        }
        spot_chart_note(chart, "grey, by rank: %s", spot_texts_end(texts, others));
    }
}

/* Laws from the worst to the best, what was recorded on top. */
static void declare_survival(survival_t *self)
{
    spot_chart_t *chart = self->base.picture.chart;

    duration_picture_panel(&self->base);
    if (self->fitted->tick_s > 0) {
        declare_lattice(self);
    }
    for (size_t k = self->fitted->num_laws; k-- > 0;) {
        declare_law(self, k);
    }
    duration_picture_curve(&self->base,
        &(spot_chart_series_t){
            .kind = SPOT_CHART_STEPS, .name = "recorded", .colour = SPOT_INK, .width_px = 1.2},
        &self->recorded);
    if (has_dots(self)) {
        declare_marks(self, &self->recorded, SPOT_CHART_CIRCLE);
    }
    if (self->censored.num_points > 0) {
        declare_marks(self, &self->censored, SPOT_CHART_DIAMOND);
        spot_chart_legend(
            chart, &(spot_chart_entry_t){
                       .text = "censored", .marker = SPOT_CHART_DIAMOND, .is_hollow = true});
    }
}

int spot_trace_plot_survival(
    const spot_fitted_sample_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    survival_t plot = {.fitted = self};
    spot_trace_picture_t *picture = &plot.base.picture;

    if (spot_trace_picture_begin(
            picture, (const char *const[]){"series", "time_s", "survival", NULL})) {
        read_sample(&plot.base, self->sample);
        add_recorded(&plot);
        add_censored(&plot);
        if (picture->problem == NULL) {
            choose_scales(&plot);
        }
        trace_picture_rows(picture, "recorded", &plot.recorded, 1);
        trace_picture_rows(picture, "censored", &plot.censored, 1);
    }
    if (picture->error == 0 && picture->problem == NULL) {
        for (size_t k = 0; k < self->num_laws * NUM_LAW_POINTS; k++) {
            const spot_labelled_law_t *law = &self->laws[k / NUM_LAW_POINTS];
            const spot_point_t point = law_point(&plot, &law->law, k % NUM_LAW_POINTS);

            trace_picture_row(picture, law->label, 2, (double[]){point.x, point.y});
        }
        declare_survival_words(&plot, name);
        declare_survival(&plot);
    }
    spot_curve_free(&plot.recorded);
    spot_curve_free(&plot.censored);
    return duration_picture_end(
        &plot.base, self->kind, self->num_laws > 0 ? "fit" : "survival", folder, name, diag);
}

/* ---- A sample and its laws: quantiles ---- */

typedef struct {
    duration_picture_t base;
    const spot_fitted_sample_t *fitted;
    size_t num_laws;                 /* drawn */
    spot_curve_t recorded;           /* time in s and probability */
    spot_curve_t fitted_s[NUM_BEST]; /* quantile and recorded time, both in s */
} quantiles_t;

/* A step of the distribution function at its middle, a tick too; as many as a picture
 * can show. */
static void read_quantiles(quantiles_t *self)
{
    const spot_kaplan_meier_t *kaplan_meier = &self->base.kaplan_meier;
    spot_trace_picture_t *picture = &self->base.picture;
    const double tick_s = self->fitted->tick_s;
    double before = 1;

    for (size_t j = 0; j < kaplan_meier->num_steps; j++) {
        const spot_survival_step_t *step = &kaplan_meier->steps[j];

        trace_picture_point(picture, &self->recorded,
            tick_s > 0 ? fmax(step->time, tick_s) - tick_s / 2 : step->time,
            1 - (before + step->survival) / 2);
        before = step->survival;
    }
    if (self->recorded.num_points > 0 && self->base.first_s > 0) {
        const double low_s = self->recorded.points[0].x;

        spot_curve_thin(&self->recorded, SPOT_MAX_COLUMNS, low_s > 0 ? low_s : self->base.first_s,
            kaplan_meier->max * 1.001, true);
    }
    for (size_t k = 0; k < self->num_laws; k++) {
        for (size_t j = 0; j < self->recorded.num_points; j++) {
            const spot_point_t *point = &self->recorded.points[j];
            const double quantile_s = spot_law_quantile(&self->fitted->laws[k].law, point->y);

            trace_picture_point(picture, &self->fitted_s[k], quantile_s, point->x);
            trace_picture_row(picture, self->fitted->laws[k].label, 3,
                (double[]){point->y, quantile_s, point->x});
        }
    }
}

/* Room for all that was recorded, and for the quantiles unless they are far away. */
static void choose_square(quantiles_t *self)
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
        for (size_t j = 0; j < self->fitted_s[k].num_points; j++) {
            fitted_low_s = fmin(fitted_low_s, self->fitted_s[k].points[j].x);
            fitted_high_s = fmax(fitted_high_s, self->fitted_s[k].points[j].x);
        }
    }
    self->base.low_s = fmin(low_s, fmax(fitted_low_s, low_s / MAX_STRETCH)) / 1.15;
    self->base.high_s = fmax(high_s, fmin(fitted_high_s, high_s * MAX_STRETCH)) * 1.15;
}

static void declare_square(quantiles_t *self)
{
    const spot_chart_axis_t axis = {.kind = SPOT_CHART_LOG,
        .unit = SPOT_CHART_S,
        .low = self->base.low_s,
        .high = self->base.high_s};
    spot_chart_panel_t panel = {.x = axis, .y = axis, .is_square = true};

    panel.x.name = "fitted quantile (logarithmic)";
    panel.y.name = "recorded (logarithmic)";
    spot_chart_panel(self->base.picture.chart, &panel);
    spot_chart_rule(self->base.picture.chart, &(spot_chart_rule_t){.direction = SPOT_CHART_DIAGONAL,
                                                  .name = "recorded = fitted",
                                                  .dash = SPOT_CHART_DASHED});
}

/* The points of a law within the axes; returns the number of the others. */
static size_t declare_quantiles(quantiles_t *self, size_t law_id)
{
    const double low_s = self->base.low_s, high_s = self->base.high_s;
    const spot_curve_t *curve = &self->fitted_s[law_id];
    spot_trace_picture_t *picture = &self->base.picture;
    size_t num_outside = 0;

    spot_chart_series(picture->chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
            .name = spot_words_shown(&picture->texts, self->fitted->laws[law_id].label),
            .colour = law_colour(law_id),
            .marker = SPOT_CHART_CIRCLE,
            .marker_px = 3,
            .is_hollow = law_id > 0});
    for (size_t j = 0; j < curve->num_points; j++) {
        const spot_point_t *point = &curve->points[j];

        if (fmin(point->x, point->y) >= low_s && fmax(point->x, point->y) <= high_s) {
            spot_chart_add_xy(picture->chart, point->x, point->y);
        } else {
            num_outside++;
        }
    }
    return num_outside;
}

static void declare_qq(quantiles_t *self, const char *name)
{
    const spot_fitted_sample_t *fitted = self->fitted;
    spot_chart_t *chart = self->base.picture.chart;
    spot_texts_t *texts = &self->base.picture.texts;
    size_t num_outside = 0;

    spot_chart_title(chart, "%s against what %s%s%s would give",
        duration_picture_noun(fitted->kind, fitted->is_obtainable),
        spot_words_shown(texts, fitted->laws[0].label), self->num_laws > 1 ? " and " : "",
        self->num_laws > 1 ? spot_words_shown(texts, fitted->laws[1].label) : "");
    note_sample(&self->base, fitted, name, fitted->tick_s > 0 ? ", values at their middle" : "");
    spot_chart_note(
        chart, "a point above the line: the recorded value is longer than the fitted quantile");
    declare_square(self);
    for (size_t k = self->num_laws; k-- > 0;) {
        num_outside += declare_quantiles(self, k);
    }
    if (num_outside > 0) {
        spot_chart_note(
            chart, "%s outside the axes", spot_words_count(texts, (int64_t) num_outside, "point"));
    }
}

int spot_trace_plot_quantiles(
    const spot_fitted_sample_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    quantiles_t plot = {
        .fitted = self, .num_laws = self->num_laws < NUM_BEST ? self->num_laws : NUM_BEST};
    spot_trace_picture_t *picture = &plot.base.picture;

    if (spot_trace_picture_begin(picture,
            (const char *const[]){"series", "probability", "fitted_s", "recorded_s", NULL})) {
        read_sample(&plot.base, self->sample);
        read_quantiles(&plot);
    }
    if (self->num_laws == 0) {
        picture->problem = "no law was fitted";
    } else if (picture->error == 0 && picture->problem == NULL) {
        choose_square(&plot);
        declare_qq(&plot, name);
    }
    spot_curve_free(&plot.recorded);
    for (size_t k = 0; k < NUM_BEST; k++) {
        spot_curve_free(&plot.fitted_s[k]);
    }
    return duration_picture_end(&plot.base, self->kind, "qq", folder, name, diag);
}

/* ---- Gaps of two traces, or of one over the band of a model ---- */

#define MIN_GAPS 2

typedef struct {
    duration_picture_t base;
    const spot_gap_overlay_t *overlay;
    spot_curve_t a; /* time in s and the share that is longer, from then on */
    spot_curve_t b;
    size_t num_times;     /* of the band: up to where nothing is left of its upper edge */
    double share_in_band; /* of b's distinct gaps; NAN without band */
} gaps_t;

/* A step at each distinct value. */
static void add_steps(gaps_t *self, spot_curve_t *curve, const double *values, size_t num_values)
{
    spot_trace_picture_t *picture = &self->base.picture;

    trace_picture_point(picture, curve, 0, 1);
    for (size_t j = 0; j < num_values && picture->error == 0; j++) {
        if (j + 1 == num_values || values[j + 1] > values[j]) {
            trace_picture_point(
                picture, curve, values[j], 1 - (double) (j + 1) / (double) num_values);
        }
    }
}

/* On the times of the band, as long as any gap of b is longer. */
static double gap_share_in_band(const gaps_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    size_t num_known = 0, num_within = 0, step_id = 0;

    for (size_t j = 0; j < band->num_times && self->b.num_points > 0; j++) {
        const double share = spot_curve_at(&self->b, &step_id, band->time_s[j]);

        if (!(share > 0)) {
            break;
        }
        if (!isnan(band->low[j])) {
            num_known++;
            num_within += share >= band->low[j] && share <= band->high[j];
        }
    }
    return num_known > 0 ? (double) num_within / (double) num_known : (double) NAN;
}

static void read_gaps(gaps_t *self)
{
    const spot_gap_overlay_t *overlay = self->overlay;

    for (size_t j = 0; j < overlay->band.num_times; j++) {
        self->num_times = overlay->band.high[j] > 0 ? j + 1 : self->num_times;
    }
    if (overlay->a_s != NULL) {
        add_steps(self, &self->a, overlay->a_s, overlay->num_a);
    }
    add_steps(self, &self->b, overlay->b_s, overlay->num_b);
    self->share_in_band = gap_share_in_band(self);
    self->base.picture.problem =
        overlay->num_b < MIN_GAPS                           ? "B has fewer than 2 gaps"
        : overlay->a_s != NULL && overlay->num_a < MIN_GAPS ? "A has fewer than 2 gaps"
        : overlay->a_s == NULL && self->num_times == 0      ? "the model makes no gaps"
                                                            : NULL;
}

/* From a little before the first gap to a little behind the last one; down to half of
 * what one gap is. */
static void choose_gap_scales(gaps_t *self)
{
    const spot_gap_overlay_t *overlay = self->overlay;
    double first_s = overlay->b_s[0], last_s = overlay->b_s[overlay->num_b - 1];
    size_t num_most = overlay->num_b;

    if (overlay->a_s != NULL) {
        first_s = fmin(first_s, overlay->a_s[0]);
        last_s = fmax(last_s, overlay->a_s[overlay->num_a - 1]);
        num_most = num_most > overlay->num_a ? num_most : overlay->num_a;
    } else {
        first_s = fmin(first_s, overlay->tick_s);
        last_s = fmax(last_s, overlay->band.time_s[self->num_times - 1]);
    }
    self->base.low_s = first_s / 1.6;
    self->base.high_s = last_s * 1.3;
    self->base.low_share = 0.5 / (double) num_most;
    spot_curve_thin(&self->a, SPOT_MAX_COLUMNS, self->base.low_s, self->base.high_s, true);
    spot_curve_thin(&self->b, SPOT_MAX_COLUMNS, self->base.low_s, self->base.high_s, true);
}

static void declare_gap_words(gaps_t *self, const char *name)
{
    const spot_gap_overlay_t *overlay = self->overlay;
    const char *noun = duration_picture_noun(overlay->kind, overlay->is_obtainable);
    spot_chart_t *chart = self->base.picture.chart;
    spot_texts_t *texts = &self->base.picture.texts;

    if (isfinite(self->share_in_band)) {
        spot_chart_title(chart, "%s: B is in the band of A at %.3g %% of durations", noun,
            100 * self->share_in_band);
    } else {
        spot_chart_title(chart, "%s: how many last longer, in A and in B", noun);
    }
    spot_chart_note(chart, "%s%s · B: n = %zu · both recorded at a tick of %.6g s",
        spot_words_shown(texts, name),
        overlay->a_s == NULL ? "" : spot_texts_add(texts, " · A: n = %zu", overlay->num_a),
        overlay->num_b, overlay->tick_s);
    if (overlay->a_s == NULL) {
        spot_chart_note(chart, "band: 5–95 %% of %zu replications of A at each duration",
            overlay->band.num_replications);
    }
}

/* The edges as steps. */
static void declare_gap_band(gaps_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    spot_chart_t *chart = self->base.picture.chart;

    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                 .is_alone = true,
                                 .name = SPOT_TRACE_BAND_NAME,
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = SPOT_INK_BAND});
    for (size_t j = 0; j < self->num_times; j++) {
        const bool is_known = !isnan(band->low[j]);

        spot_chart_add(chart,
            &(spot_chart_datum_t){.x = band->time_s[j],
                .y = is_known ? duration_picture_share(&self->base, band->high[j]) : band->low[j],
                .y_low = duration_picture_share(&self->base, band->low[j])});
    }
    spot_chart_series(chart, &trace_picture_median);
    for (size_t j = 0; j < self->num_times; j++) {
        spot_chart_add_xy(chart, band->time_s[j],
            isnan(band->low[j]) ? band->low[j]
                                : duration_picture_share(&self->base, band->median[j]));
    }
}

static void declare_gaps(gaps_t *self, char letter, const char *label, const spot_curve_t *curve)
{
    spot_texts_t *texts = &self->base.picture.texts;

    duration_picture_curve(&self->base,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = spot_texts_add(texts, "%c: %s", letter, spot_words_shown(texts, label)),
            .colour = letter == 'A' ? SPOT_INK_ACCENT : SPOT_INK,
            .dash = letter == 'A' ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
            .width_px = 1.6},
        curve);
}

int spot_trace_plot_gap_overlay(
    const spot_gap_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    const spot_model_band_t *band = &self->band;
    gaps_t plot = {.overlay = self};
    spot_trace_picture_t *picture = &plot.base.picture;

    if (spot_trace_picture_begin(
            picture, (const char *const[]){"series", "time_s", "survival", "low", "high", NULL})) {
        read_gaps(&plot);
    }
    if (picture->error == 0 && picture->problem == NULL) {
        choose_gap_scales(&plot);
        declare_gap_words(&plot, name);
        duration_picture_panel(&plot.base);
        if (self->a_s == NULL) {
            declare_gap_band(&plot);
        } else {
            declare_gaps(&plot, 'A', self->a_label, &plot.a);
        }
        declare_gaps(&plot, 'B', self->b_label, &plot.b);
    }
    trace_picture_rows(picture, "a", &plot.a, 1);
    trace_picture_rows(picture, "b", &plot.b, 1);
    for (size_t j = 0; j < plot.num_times; j++) {
        trace_picture_row(picture, "band", 4,
            (double[]){band->time_s[j], band->median[j], band->low[j], band->high[j]});
    }
    spot_curve_free(&plot.a);
    spot_curve_free(&plot.b);
    return duration_picture_end(&plot.base, self->kind, "compare", folder, name, diag);
}

/* ---- Events by the hour of the day ---- */

#define MAX_OVER_RATE 3 /* how far the bars may go beyond the highest rate */

typedef struct {
    spot_event_kind_t kind;
    const char *plural;
    const char *events;
    const char *colour;
    spot_hours_t hours;
    double rate_per_h; /* of all hours; NAN where nothing was exposed */
    int num_exposed;   /* hours */
    int num_apart;     /* hours whose interval does not have that rate in it */
    double high_per_h; /* the end of the axis */
    int num_cut;       /* intervals that go beyond it */
} row_t;

/* The end of the axis has room for all rates, and for intervals as far as they do not
 * press the rates down to nothing, as those of hours that were hardly exposed would. */
static int read_row(row_t *self, const spot_trace_t *trace, int64_t start_ms)
{
    const int ret = spot_hours_init(&self->hours, trace, self->kind, start_ms);
    double num_events = 0, exposed_s = 0, highest_per_h = 0;

    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &self->hours.hours[j];

        num_events += (double) hour->num_events;
        exposed_s += hour->exposed_s;
        if (hour->exposed_s > 0) {
            self->num_exposed++;
            highest_per_h = fmax(highest_per_h, hour->rate_per_h);
            self->high_per_h = fmax(self->high_per_h, hour->high_per_h);
        }
    }
    self->rate_per_h = exposed_s > 0 ? num_events * 3600 / exposed_s : (double) NAN;
    if (highest_per_h > 0) {
        self->high_per_h = fmin(self->high_per_h, MAX_OVER_RATE * highest_per_h);
    }
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &self->hours.hours[j];

        self->num_apart +=
            self->rate_per_h < hour->low_per_h || self->rate_per_h > hour->high_per_h;
        self->num_cut += hour->exposed_s > 0 && hour->high_per_h > self->high_per_h;
    }
    return ret;
}

static void add_rows(spot_trace_picture_t *picture, const row_t *row)
{
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        trace_picture_row(picture, spot_event_kind_names[row->kind], 6,
            (double[]){(double) j, (double) hour->num_events, hour->exposed_s / 3600,
                hour->rate_per_h, hour->low_per_h, hour->high_per_h});
    }
}

static void declare_rates(spot_trace_picture_t *picture, const row_t *row)
{
    spot_chart_rule(picture->chart,
        &(spot_chart_rule_t){.at = row->rate_per_h,
            .name = spot_texts_add(&picture->texts, "mean %.4g per hour", row->rate_per_h),
            .dash = SPOT_CHART_DASHED});
    spot_chart_series(
        picture->chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS, .colour = row->colour});
    for (size_t j = 0; j < SPOT_HOURS_PER_DAY; j++) {
        const spot_hour_t *hour = &row->hours.hours[j];

        if (hour->exposed_s > 0) {
            spot_chart_add(picture->chart, &(spot_chart_datum_t){.x = (double) j + 0.5,
                                               .y = hour->rate_per_h,
                                               .y_low = hour->low_per_h,
                                               .y_high = hour->high_per_h});
        }
    }
}

static void declare_row(
    spot_trace_picture_t *picture, const row_t *row, const char *x_name, bool is_below)
{
    spot_chart_panel(picture->chart,
        &(spot_chart_panel_t){.x = {.name = x_name, .high = SPOT_HOURS_PER_DAY, .group = 1},
            .y = {.name = spot_texts_add(&picture->texts, "%s per exposed hour%s", row->events,
                      row->num_cut > 0 ? " (bars that reach the top edge go on beyond it)" : ""),
                .high = row->high_per_h},
            .empty = row->num_exposed == 0 ? "never exposed: no such event was possible" : NULL,
            .is_below = is_below,
            .height_px = 170});
    for (int hour = 0; hour <= SPOT_HOURS_PER_DAY; hour += 3) {
        spot_chart_tick(picture->chart, hour, spot_texts_add(&picture->texts, "%d", hour), NULL);
    }
    if (row->num_exposed > 0) {
        declare_rates(picture, row);
    }
}

int spot_trace_plot_hours(const spot_trace_t *trace, int64_t start_ms, const char *folder,
    const char *name, spot_diag_t *diag)
{
    static const row_t kinds[2][2] = {
        {{.kind = SPOT_EVENT_PREEMPT,
             .plural = "preemptions",
             .events = "preemption events",
             .colour = SPOT_INK_LOSS},
            {.kind = SPOT_EVENT_ADD,
                .plural = "additions",
                .events = "addition events",
                .colour = SPOT_INK_ACCENT}},
        {{.kind = SPOT_EVENT_PREEMPT,
             .plural = "fewer obtainable",
             .events = "events of fewer obtainable",
             .colour = SPOT_INK_LOSS},
            {.kind = SPOT_EVENT_ADD,
                .plural = "more obtainable",
                .events = "events of more obtainable",
                .colour = SPOT_INK_ACCENT}},
    };
    const bool is_known = start_ms >= 0;
    const double observed_s = spot_duration_s(trace->end_ms);
    const char *x_name = is_known ? "hour of day (h)"
                         : observed_s > SPOT_HOURS_PER_DAY * 3600
                             ? "hours since start, modulo 24 (h)"
                             : "hours since start (h)";
    const char *const columns[] = {"event", is_known ? "hour_of_day" : "hour_since_start", "events",
        "exposed_h", "per_exposed_h", "low95_per_h", "high95_per_h", NULL};
    const row_t *kind = kinds[trace->kind == SPOT_TRACE_AVAILABILITY];
    row_t loss = kind[0], gain = kind[1];
    spot_trace_picture_t picture;

    if (spot_trace_picture_begin(&picture, columns)) {
        picture.error = read_row(&loss, trace, start_ms);
        picture.error = spot_error_first(picture.error, read_row(&gain, trace, start_ms));
        add_rows(&picture, &loss);
        add_rows(&picture, &gain);
        spot_chart_title(picture.chart,
            "Hours apart from the mean rate: %d of %d for %s, %d of %d for %s", loss.num_apart,
            loss.num_exposed, loss.plural, gain.num_apart, gain.num_exposed, gain.plural);
        spot_chart_note(picture.chart,
            "%s · observed for %s · %s · bars: Poisson 95 %% intervals, of which about "
            "one in 20 misses the mean by chance, more where events come in bursts · "
            "exposed: with an instance %s, or below the capacity",
            spot_words_shown(&picture.texts, name), spot_words_duration(&picture.texts, observed_s),
            is_known ? "hour of day as the trace's start says"
                     : "the hour of day of the start is unknown",
            trace_population_word(trace->kind));
        declare_row(&picture, &loss, x_name, false);
        declare_row(&picture, &gain, x_name, true);
    }
    return spot_trace_picture_end(&picture, folder, name, "hours", diag);
}

/* ---- Instances over time ---- */

/* The population of a trace as a curve of steps. */
typedef struct {
    spot_curve_t curve; /* time in ms, and the population from then on */
    size_t num_steps;   /* points before the curve was thinned */
    double low, high;
    double mean; /* over time */
} steps_t;

static void measure(steps_t *self)
{
    const spot_curve_t *curve = &self->curve;
    spot_sum_t area = {0};

    self->num_steps = curve->num_points;
    self->low = self->high = curve->points[0].y;
    for (size_t j = 0; j + 1 < curve->num_points; j++) {
        const spot_point_t *point = &curve->points[j];

        self->low = fmin(self->low, point->y);
        self->high = fmax(self->high, point->y);
        spot_sum_add(&area, point->y * (curve->points[j + 1].x - point->x));
    }
    self->mean = spot_sum_total(&area) / curve->points[curve->num_points - 1].x;
}

/* All steps; after an error, which is that of the picture, there are none. */
static void read_steps(spot_trace_picture_t *picture, const spot_trace_t *trace, steps_t *self)
{
    double population = trace->initial;
    spot_bulks_t bulks;

    *self = (steps_t){.num_steps = 0};
    picture->error = spot_error_first(picture->error, spot_bulks_init(&bulks, trace));
    if (picture->error == 0 && (bulks.num_bulks == 0 || bulks.bulks[0].time_ms > 0)) {
        trace_picture_point(picture, &self->curve, 0, population);
    }
    for (size_t j = 0; j < bulks.num_bulks && picture->error == 0; j++) {
        const spot_bulk_t *bulk = &bulks.bulks[j];
        const double size = bulk->size;

        population = bulk->before + (bulk->kind == SPOT_EVENT_ADD ? size : -size);
        if (j + 1 == bulks.num_bulks || bulks.bulks[j + 1].time_ms > bulk->time_ms) {
            trace_picture_point(picture, &self->curve, (double) bulk->time_ms, population);
        }
    }
    trace_picture_point(picture, &self->curve, (double) trace->end_ms, population);
    if (picture->error == 0) {
        measure(self);
    }
    spot_bulks_free(&bulks);
}

/* Whether only the first, lowest, highest and last step of a column are left: lines
 * between them then make an area. */
static bool is_dense(const steps_t *self)
{
    return self->curve.num_points < self->num_steps;
}

static void declare_panel(
    spot_trace_picture_t *picture, spot_trace_kind_t kind, double end_ms, double highest)
{
    spot_chart_panel(picture->chart,
        &(spot_chart_panel_t){
            .x = {.unit = SPOT_CHART_MS, .name = "time since the start", .high = end_ms},
            .y = {.name =
                      spot_texts_add(&picture->texts, "instances %s", trace_population_word(kind)),
                .high = fmax(highest, 1)},
            .note = "○ end (censored: what follows was not observed)",
            .height_px = 300});
}

/* The mark of the end of a trace: what follows was not observed. */
static void declare_end(
    spot_trace_picture_t *picture, const spot_trace_t *trace, const char *colour)
{
    spot_chart_series(picture->chart, &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
                                          .colour = colour,
                                          .marker = SPOT_CHART_CIRCLE,
                                          .is_hollow = true});
    spot_chart_add_xy(picture->chart, (double) trace->end_ms, trace->final);
}

/* ---- One trace ---- */

/* What the curve shows. */
static void declare_words(spot_trace_picture_t *picture, const spot_trace_t *trace,
    const steps_t *steps, const char *name)
{
    const char *word = trace_population_word(trace->kind);
    const char *start = spot_trace_key(trace, "start");
    char resolution[SPOT_TRACE_TIME_BYTES];
    spot_texts_t *texts = &picture->texts;

    if (trace->capacity == 1) {
        spot_chart_title(
            picture->chart, "One instance, %s %.3g %% of the time", word, 100 * steps->mean);
    } else if (steps->low == steps->high) {
        spot_chart_title(picture->chart, "%.10g instances %s all the time", steps->low, word);
    } else {
        spot_chart_title(picture->chart, "Between %.10g and %.10g instances %s, %.4g on average",
            steps->low, steps->high, word, steps->mean);
    }
    spot_trace_time_text(trace->resolution_ms, resolution);
    spot_chart_note(picture->chart,
        "%s · kind %s · resolution %s s · start %s · observed for %s · %s%s",
        spot_words_shown(texts, name), spot_trace_kind_names[trace->kind], resolution,
        spot_words_shown(texts, start == NULL ? "unknown" : start),
        spot_words_duration(texts, spot_duration_s(trace->end_ms)),
        spot_words_count(texts, (int64_t) steps->num_steps - 2, "change"),
        is_dense(steps) ? ", drawn as the lowest and highest of each column of about a "
                          "pixel"
                        : "");
    spot_chart_note(picture->chart,
        "%" PRId32 " at the start, %" PRId32
        " at the end (censored: what follows was not observed)",
        trace->initial, trace->final);
}

/* The area below the steps, the capacity, the steps (where they are dense, thin ones and
 * their mean), the mark of the end. */
static void declare_availability(
    spot_trace_picture_t *picture, const spot_trace_t *trace, const steps_t *steps)
{
    const bool is_bounded = trace->capacity != SPOT_UNBOUNDED;
    spot_texts_t *texts = &picture->texts;

    declare_panel(picture, trace->kind, (double) trace->end_ms,
        fmax(steps->high, is_bounded ? trace->capacity : 0));
    trace_picture_curve(picture,
        &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
            .is_alone = true,
            .is_faint = true,
            .colour = SPOT_INK_ACCENT},
        &steps->curve, 1, 0);
    if (is_bounded) {
        spot_chart_rule(
            picture->chart, &(spot_chart_rule_t){.at = trace->capacity,
                                .name = spot_texts_add(texts, "capacity %" PRId32, trace->capacity),
                                .dash = SPOT_CHART_DASHED});
    }
    if (is_dense(steps)) {
        spot_chart_rule(picture->chart, &(spot_chart_rule_t){.at = steps->mean,
                                            .name = spot_texts_add(texts, "mean %.4g", steps->mean),
                                            .colour = SPOT_INK});
    }
    trace_picture_curve(picture,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = trace_population_word(trace->kind),
            .colour = SPOT_INK_ACCENT,
            .width_px = is_dense(steps) ? 0.5 : 1.4},
        &steps->curve, 1, 0);
    declare_end(picture, trace, SPOT_INK_ACCENT);
}

int spot_trace_plot_availability(
    const spot_trace_t *trace, const char *folder, const char *name, spot_diag_t *diag)
{
    const char *const columns[] = {"time_s", trace_population_word(trace->kind), "capacity", NULL};
    const double capacity = trace->capacity == SPOT_UNBOUNDED ? (double) NAN : trace->capacity;
    spot_trace_picture_t picture;
    steps_t steps = {.num_steps = 0};

    if (spot_trace_picture_begin(&picture, columns)) {
        picture.data.columns[0].num_digits = 10;
        picture.data.columns[2].num_digits = 10;
        read_steps(&picture, trace, &steps);
        spot_curve_thin(&steps.curve, SPOT_MAX_COLUMNS, 0, (double) trace->end_ms, false);
        for (size_t j = 0; j < steps.curve.num_points; j++) {
            const spot_point_t *point = &steps.curve.points[j];

            trace_picture_row(&picture, NULL, 3,
                (double[]){point->x / (double) SPOT_MS_PER_S, point->y, capacity});
        }
        declare_words(&picture, trace, &steps, name);
        declare_availability(&picture, trace, &steps);
    }
    spot_curve_free(&steps.curve);
    return spot_trace_picture_end(&picture, folder, name, "availability", diag);
}

/* ---- Two traces, or a trace and a model ---- */

typedef struct {
    const spot_overlay_t *overlay;
    spot_trace_picture_t picture;
    double end_ms; /* of the longer one */
    steps_t a, b;
    spot_curve_t low;    /* of the band: time in ms, instances */
    spot_curve_t median; /* at the same times, as is the next */
    spot_curve_t high;
    double share_in_band; /* of b's time; NAN without band */
} overlay_t;

/* On the grid of the band, as far as b goes. */
static double measure_share(const overlay_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    size_t num_times = 0, num_within = 0, step_id = 0;

    for (size_t j = 0; j < band->num_times && self->picture.error == 0; j++) {
        const double time_ms = band->time_s[j] * (double) SPOT_MS_PER_S;
        double population;

        if (time_ms > (double) self->overlay->b->end_ms) {
            break;
        }
        population = spot_curve_at(&self->b.curve, &step_id, time_ms);
        num_times++;
        num_within += population >= band->low[j] && population <= band->high[j];
    }
    return num_times > 0 ? (double) num_within / (double) num_times : (double) NAN;
}

/* The band, in groups of equal number where a picture cannot show all: the lowest low
 * and the highest high of each, and the first median. */
static void add_band(overlay_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    const size_t stride =
        (band->num_times + 2 * SPOT_MAX_COLUMNS - 1) / (size_t) (2 * SPOT_MAX_COLUMNS);

    for (size_t j = 0; j < band->num_times; j += stride) {
        const double time_ms = band->time_s[j] * (double) SPOT_MS_PER_S;
        double low = band->low[j], high = band->high[j];

        for (size_t k = j; k < j + stride && k < band->num_times; k++) {
            low = fmin(low, band->low[k]);
            high = fmax(high, band->high[k]);
        }
        trace_picture_point(&self->picture, &self->low, time_ms, low);
        trace_picture_point(&self->picture, &self->median, time_ms, band->median[j]);
        trace_picture_point(&self->picture, &self->high, time_ms, high);
    }
}

/* The share needs all steps, the picture does not. */
static void read_overlay(overlay_t *self)
{
    const spot_overlay_t *overlay = self->overlay;
    const bool has_band = overlay->band.num_replications > 0;

    self->end_ms = (double) overlay->b->end_ms;
    if (overlay->a != NULL) {
        self->end_ms = fmax(self->end_ms, (double) overlay->a->end_ms);
        read_steps(&self->picture, overlay->a, &self->a);
        spot_curve_thin(&self->a.curve, SPOT_MAX_COLUMNS, 0, self->end_ms, false);
    }
    read_steps(&self->picture, overlay->b, &self->b);
    self->share_in_band = has_band ? measure_share(self) : (double) NAN;
    spot_curve_thin(&self->b.curve, SPOT_MAX_COLUMNS, 0, self->end_ms, false);
    if (has_band) {
        add_band(self);
    }
}

static void add_overlay_rows(overlay_t *self)
{
    trace_picture_rows(&self->picture, "a", &self->a.curve, SPOT_MS_PER_S);
    trace_picture_rows(&self->picture, "b", &self->b.curve, SPOT_MS_PER_S);
    for (size_t j = 0; j < self->high.num_points; j++) {
        trace_picture_row(&self->picture, "band", 4,
            (double[]){self->low.points[j].x / (double) SPOT_MS_PER_S, self->median.points[j].y,
                self->low.points[j].y, self->high.points[j].y});
    }
}

static void declare_overlay_words(overlay_t *self, const char *name)
{
    const spot_overlay_t *overlay = self->overlay;
    const char *word = trace_population_word(overlay->b->kind);
    spot_chart_t *chart = self->picture.chart;
    spot_texts_t *texts = &self->picture.texts;

    if (isfinite(self->share_in_band)) {
        spot_chart_title(chart, "B is within the 5–95 %% band of A for %.3g %% of its time",
            100 * self->share_in_band);
    } else if (overlay->a != NULL) {
        spot_chart_title(chart, "Instances %s: %.4g on average in A, %.4g in B", word, self->a.mean,
            self->b.mean);
    } else {
        spot_chart_title(chart, "Instances %s: %.4g on average in B", word, self->b.mean);
    }
    spot_chart_note(chart, "%s · A: %s · B: %s", spot_words_shown(texts, name),
        spot_words_shown(texts, overlay->a_label), spot_words_shown(texts, overlay->b_label));
    if (overlay->band.num_replications > 0) {
        spot_chart_note(chart, "band: 5–95 %% of %zu replications of A at each time",
            overlay->band.num_replications);
    }
    if (is_dense(&self->b)) {
        spot_chart_note(chart, "B as its lowest and highest of each column of about a pixel");
    }
}

/* The band; where B would hide it, its edges instead. */
static void declare_band(overlay_t *self, bool is_hidden)
{
    const spot_chart_series_t edge = {
        .kind = SPOT_CHART_STEPS, .colour = SPOT_INK_ACCENT, .width_px = 1};
    spot_chart_series_t named_edge = edge;

    named_edge.name = SPOT_TRACE_BAND_NAME;
    if (is_hidden) {
        trace_picture_curve(&self->picture, &edge, &self->low, 1, 0);
        trace_picture_curve(&self->picture, &named_edge, &self->high, 1, 0);
    } else {
        spot_chart_series(self->picture.chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                                   .is_alone = true,
                                                   .name = SPOT_TRACE_BAND_NAME,
                                                   .colour = SPOT_INK_BAND});
        for (size_t j = 0; j < self->high.num_points; j++) {
            spot_chart_add(self->picture.chart, &(spot_chart_datum_t){.x = self->low.points[j].x,
                                                    .y = self->high.points[j].y,
                                                    .y_low = self->low.points[j].y});
        }
    }
    trace_picture_curve(&self->picture, &trace_picture_median, &self->median, 1, 0);
}

/* The steps of A or B under the name "A: LABEL", and the mark of the end. */
static void declare_steps(overlay_t *self, char letter, const char *colour)
{
    const bool is_a = letter == 'A';
    const steps_t *steps = is_a ? &self->a : &self->b;
    const char *label = is_a ? self->overlay->a_label : self->overlay->b_label;
    spot_texts_t *texts = &self->picture.texts;

    trace_picture_curve(&self->picture,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = spot_texts_add(texts, "%c: %s", letter, spot_words_shown(texts, label)),
            .colour = colour,
            .dash = is_a && !is_dense(steps) ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
            .width_px = is_dense(steps) ? 0.5 : 1.4},
        &steps->curve, 1, 0);
    declare_end(&self->picture, is_a ? self->overlay->a : self->overlay->b, colour);
}

static double highest(const overlay_t *self)
{
    const int32_t capacity = self->overlay->b->capacity;
    double high = fmax(fmax(self->a.high, self->b.high), capacity != SPOT_UNBOUNDED ? capacity : 1);

    for (size_t j = 0; j < self->high.num_points; j++) {
        high = fmax(high, self->high.points[j].y);
    }
    return high;
}

/* What there is of band, capacity, A and B. */
static void declare_overlay(overlay_t *self)
{
    const spot_overlay_t *overlay = self->overlay;
    const int32_t capacity = overlay->b->capacity;
    const bool has_band = self->low.num_points > 0;
    const bool is_behind = has_band && is_dense(&self->b);

    declare_panel(&self->picture, overlay->b->kind, self->end_ms, highest(self));
    if (capacity != SPOT_UNBOUNDED) {
        spot_chart_rule(self->picture.chart,
            &(spot_chart_rule_t){.at = capacity,
                .name = spot_texts_add(&self->picture.texts, "capacity%s %" PRId32,
                    overlay->a != NULL ? " of B" : "", capacity),
                .dash = SPOT_CHART_DOTTED});
    }
    if (is_behind) {
        declare_steps(self, 'B', SPOT_INK_OTHER);
    }
    if (has_band) {
        declare_band(self, is_behind);
    }
    if (overlay->a != NULL) {
        declare_steps(self, 'A', SPOT_INK_ACCENT);
    }
    if (!is_behind) {
        declare_steps(self, 'B', SPOT_INK);
    }
}

int spot_trace_plot_overlay(
    const spot_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    const char *const columns[] = {
        "series", "time_s", trace_population_word(self->b->kind), "low", "high", NULL};
    overlay_t overlay = {.overlay = self};

    if (spot_trace_picture_begin(&overlay.picture, columns)) {
        read_overlay(&overlay);
        add_overlay_rows(&overlay);
        declare_overlay_words(&overlay, name);
        declare_overlay(&overlay);
    }
    spot_curve_free(&overlay.a.curve);
    spot_curve_free(&overlay.b.curve);
    spot_curve_free(&overlay.low);
    spot_curve_free(&overlay.median);
    spot_curve_free(&overlay.high);
    return spot_trace_picture_end(&overlay.picture, folder, name, "compare", diag);
}
