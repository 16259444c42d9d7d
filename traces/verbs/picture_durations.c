/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/verbs/picture_durations.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/stats.h"

typedef struct {
    spot_trace_picture_t picture;
    spot_kaplan_meier_t kaplan_meier; /* of a sample, as is first_s */
    double first_s;                   /* smallest complete value above 0; NAN for none */
    double low_s, high_s;             /* ends of the axis of durations */
    double low_share;                 /* where that of shares begins */
} duration_picture_t;

/* ---- What pictures of durations share ---- */

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
    spot_trace_picture_curve(&self->picture, series, curve, 100, duration_picture_share(self, 0));
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

    spot_trace_picture_point(picture, &self->recorded, 0, 1);
    for (size_t j = 0; j < kaplan_meier->num_steps; j++) {
        last_s = kaplan_meier->steps[j].time;
        share = kaplan_meier->steps[j].survival;
        spot_trace_picture_point(picture, &self->recorded, last_s, share);
    }
    if (kaplan_meier->max > last_s) {
        spot_trace_picture_point(picture, &self->recorded, kaplan_meier->max, share);
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
            spot_trace_picture_point(picture, &self->censored, times_s[j],
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
    spot_curve_thin(&self->recorded, base->low_s, base->high_s, true);
    spot_curve_thin(&self->censored, base->low_s, base->high_s, true);
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
        spot_trace_picture_rows(picture, "recorded", &plot.recorded, 1);
        spot_trace_picture_rows(picture, "censored", &plot.censored, 1);
    }
    if (picture->error == 0 && picture->problem == NULL) {
        for (size_t k = 0; k < self->num_laws * NUM_LAW_POINTS; k++) {
            const spot_labelled_law_t *law = &self->laws[k / NUM_LAW_POINTS];
            const spot_point_t point = law_point(&plot, &law->law, k % NUM_LAW_POINTS);

            spot_trace_picture_row(picture, law->label, 2, (double[]){point.x, point.y});
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

        spot_trace_picture_point(picture, &self->recorded,
            tick_s > 0 ? fmax(step->time, tick_s) - tick_s / 2 : step->time,
            1 - (before + step->survival) / 2);
        before = step->survival;
    }
    if (self->recorded.num_points > 0 && self->base.first_s > 0) {
        const double low_s = self->recorded.points[0].x;

        spot_curve_thin(&self->recorded, low_s > 0 ? low_s : self->base.first_s,
            kaplan_meier->max * 1.001, true);
    }
    for (size_t k = 0; k < self->num_laws; k++) {
        for (size_t j = 0; j < self->recorded.num_points; j++) {
            const spot_point_t *point = &self->recorded.points[j];
            const double quantile_s = spot_law_quantile(&self->fitted->laws[k].law, point->y);

            spot_trace_picture_point(picture, &self->fitted_s[k], quantile_s, point->x);
            spot_trace_picture_row(picture, self->fitted->laws[k].label, 3,
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

    spot_trace_picture_point(picture, curve, 0, 1);
    for (size_t j = 0; j < num_values && picture->error == 0; j++) {
        if (j + 1 == num_values || values[j + 1] > values[j]) {
            spot_trace_picture_point(
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
    spot_curve_thin(&self->a, self->base.low_s, self->base.high_s, true);
    spot_curve_thin(&self->b, self->base.low_s, self->base.high_s, true);
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
    spot_chart_series(chart, &spot_trace_picture_median);
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
    spot_trace_picture_rows(picture, "a", &plot.a, 1);
    spot_trace_picture_rows(picture, "b", &plot.b, 1);
    for (size_t j = 0; j < plot.num_times; j++) {
        spot_trace_picture_row(picture, "band", 4,
            (double[]){band->time_s[j], band->median[j], band->low[j], band->high[j]});
    }
    spot_curve_free(&plot.a);
    spot_curve_free(&plot.b);
    return duration_picture_end(&plot.base, self->kind, "compare", folder, name, diag);
}
