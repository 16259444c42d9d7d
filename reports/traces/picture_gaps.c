/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the gaps of two traces are, or those of a trace over the band of a model. */
#include <math.h>

#include "reports/traces/picture_durations.h"

#define MIN_GAPS 2

typedef struct {
    spot_duration_picture_t base;
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
    const char *noun = spot_duration_picture_noun(overlay->kind, overlay->is_obtainable);
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

        spot_chart_add(
            chart, &(spot_chart_datum_t){.x = band->time_s[j],
                       .y = is_known ? spot_duration_picture_share(&self->base, band->high[j])
                                     : band->low[j],
                       .y_low = spot_duration_picture_share(&self->base, band->low[j])});
    }
    spot_chart_series(chart, &spot_trace_picture_median);
    for (size_t j = 0; j < self->num_times; j++) {
        spot_chart_add_xy(chart, band->time_s[j],
            isnan(band->low[j]) ? band->low[j]
                                : spot_duration_picture_share(&self->base, band->median[j]));
    }
}

static void declare_gaps(gaps_t *self, char letter, const char *label, const spot_curve_t *curve)
{
    spot_texts_t *texts = &self->base.picture.texts;

    spot_duration_picture_curve(&self->base,
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
        spot_duration_picture_panel(&plot.base);
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
    return spot_duration_picture_end(&plot.base, self->kind, "compare", folder, name, diag);
}
