/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/utf8.h"
#include "reports/traces/fitted_sample.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"

#define MIN_GAPS 2

typedef struct {
    const spot_gap_overlay_t *overlay;
    const char *name;
    spot_curve_t a; /* time in s and the share that is longer, from then on */
    spot_curve_t b;
    size_t num_times; /* of the band: up to where nothing is left of its upper edge */
    double share_in_band; /* of b's distinct gaps; NAN without band */
    double low_s, high_s; /* ends of the axes */
    double low_share;
} gap_plot_t;

/* A step at each distinct value. */
static int
add_steps(spot_curve_t *curve, const double *values, size_t num_values)
{
    int ret = spot_curve_add(curve, 0, 1);

    for (size_t j = 0; j < num_values && ret == 0; j++) {
        if (j + 1 == num_values || values[j + 1] > values[j]) {
            ret = spot_curve_add(
                curve, values[j], 1 - (double) (j + 1) / (double) num_values);
        }
    }
    return ret;
}

/* On the times of the band, as long as any gap of b is longer. */
static void
measure_share(gap_plot_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    size_t num_known = 0, num_within = 0, step_id = 0;

    for (size_t j = 0; j < band->num_times; j++) {
        const double share = spot_curve_at(&self->b, &step_id, band->time_s[j]);

        if (!(share > 0)) {
            break;
        }
        if (!isnan(band->low[j])) {
            num_known++;
            num_within += share >= band->low[j] && share <= band->high[j];
        }
    }
    self->share_in_band =
        num_known > 0 ? (double) num_within / (double) num_known : (double) NAN;
}

static const char *
find_problem(const gap_plot_t *self)
{
    const spot_gap_overlay_t *overlay = self->overlay;

    if (overlay->num_b < MIN_GAPS) {
        return "B has fewer than 2 gaps";
    }
    if (overlay->a_s != NULL && overlay->num_a < MIN_GAPS) {
        return "A has fewer than 2 gaps";
    }
    return overlay->a_s == NULL && self->num_times == 0 ? "the model makes no gaps"
                                                        : NULL;
}

/* From a little before the first gap to a little behind the last one; down to half of
 * what one gap is. */
static void
choose_scales(gap_plot_t *self)
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
    self->low_s = first_s / 1.6;
    self->high_s = last_s * 1.3;
    self->low_share = 0.5 / (double) num_most;
}

static int
gap_plot_init(gap_plot_t *self, const spot_gap_overlay_t *overlay, const char *name)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->overlay = overlay;
    self->name = name;
    for (size_t j = 0; j < overlay->band.num_times; j++) {
        if (overlay->band.high[j] > 0) {
            self->num_times = j + 1;
        }
    }
    ret = add_steps(&self->b, overlay->b_s, overlay->num_b);
    if (ret == 0 && overlay->a_s != NULL) {
        ret = add_steps(&self->a, overlay->a_s, overlay->num_a);
    }
    if (ret == 0) {
        measure_share(self);
    }
    if (ret == 0 && find_problem(self) == NULL) {
        choose_scales(self);
        spot_curve_thin(&self->a, self->low_s, self->high_s, true);
        spot_curve_thin(&self->b, self->low_s, self->high_s, true);
    }
    return ret;
}

static void
gap_plot_free(gap_plot_t *self)
{
    spot_curve_free(&self->a);
    spot_curve_free(&self->b);
}

static void
write_points(const void *context, FILE *out)
{
    const gap_plot_t *self = context;
    const spot_model_band_t *band = &self->overlay->band;

    fputs("series,time_s,survival,low,high\n", out);
    spot_trace_picture_write_curve("a", &self->a, 1, ",,", out);
    spot_trace_picture_write_curve("b", &self->b, 1, ",,", out);
    for (size_t j = 0; j < self->num_times; j++) {
        fputs("band", out);
        spot_csv_field_number(out, band->time_s[j]);
        spot_csv_field_number(out, band->median[j]);
        spot_csv_field_number(out, band->low[j]);
        spot_csv_field_number(out, band->high[j]);
        fputc('\n', out);
    }
}

static void
declare_words(const gap_plot_t *self, spot_chart_t *chart)
{
    const spot_gap_overlay_t *overlay = self->overlay;
    const char *noun = spot_sample_figure_noun(overlay->kind, overlay->is_obtainable);
    char name[SPOT_UTF8_SHOWN_BYTES], a[64] = "";

    if (isfinite(self->share_in_band)) {
        spot_chart_title(chart, "%s: B is in the band of A at %.3g %% of durations",
            noun, 100 * self->share_in_band);
    } else {
        spot_chart_title(chart, "%s: how many last longer, in A and in B", noun);
    }
    if (overlay->a_s != NULL) {
        snprintf(a, sizeof(a), " · A: n = %zu", overlay->num_a);
    }
    spot_chart_note(chart, "%s%s · B: n = %zu · both recorded at a tick of %.6g s",
        spot_utf8_shown(self->name, name), a, overlay->num_b, overlay->tick_s);
    if (overlay->a_s == NULL) {
        spot_chart_note(chart, "band: 5–95 %% of %zu replications of A at each duration",
            overlay->band.num_replications);
    }
}

/* The edges as steps; a fall to 0 goes below the panel. */
static void
declare_band(const gap_plot_t *self, spot_chart_t *chart)
{
    const spot_model_band_t *band = &self->overlay->band;
    const double least = self->low_share / 10;

    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                 .is_alone = true,
                                 .name = "A: 5–95 % of replications",
                                 .name_at = SPOT_CHART_NAME_LEGEND,
                                 .colour = SPOT_INK_BAND});
    for (size_t j = 0; j < self->num_times; j++) {
        spot_chart_add(
            chart, &(spot_chart_datum_t){.x = band->time_s[j],
                       .y = isnan(band->low[j]) ? band->low[j]
                                                : 100 * fmax(band->high[j], least),
                       .y_low = 100 * fmax(band->low[j], least)});
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                 .name = "A: median (dashed)",
                                 .colour = SPOT_INK_ACCENT,
                                 .dash = SPOT_CHART_DASHED,
                                 .width_px = 1.4});
    for (size_t j = 0; j < self->num_times; j++) {
        spot_chart_add_xy(chart, band->time_s[j],
            isnan(band->low[j]) ? band->low[j] : 100 * fmax(band->median[j], least));
    }
}

static void
declare_curve(const gap_plot_t *self, const spot_curve_t *curve, char letter,
    const char *label, spot_chart_t *chart)
{
    char shown[SPOT_UTF8_SHOWN_BYTES], name[SPOT_UTF8_SHOWN_BYTES + 8];

    snprintf(name, sizeof(name), "%c: %s", letter, spot_utf8_shown(label, shown));
    spot_chart_series(
        chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                   .name = name,
                   .colour = letter == 'A' ? SPOT_INK_ACCENT : SPOT_INK,
                   .dash = letter == 'A' ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
                   .width_px = 1.6});
    spot_trace_picture_add_survival(chart, curve, self->low_share);
}

static int
declare(spot_chart_t *chart, const void *context)
{
    const gap_plot_t *self = context;
    const spot_gap_overlay_t *overlay = self->overlay;

    declare_words(self, chart);
    spot_trace_picture_survival_panel(chart, self->low_s, self->high_s, self->low_share);
    if (overlay->a_s == NULL) {
        declare_band(self, chart);
    } else {
        declare_curve(self, &self->a, 'A', overlay->a_label, chart);
    }
    declare_curve(self, &self->b, 'B', overlay->b_label, chart);
    return spot_chart_error(chart);
}

int
spot_trace_plot_gap_overlay(const spot_gap_overlay_t *self, const char *folder,
    const char *name, spot_diag_t *diag)
{
    gap_plot_t plot;
    int ret = gap_plot_init(&plot, self, name);

    if (ret == 0) {
        ret = spot_trace_picture_make(&(spot_trace_picture_t){.folder = folder,
                                          .name = name,
                                          .sample = spot_sample_kind_names[self->kind],
                                          .what = "compare",
                                          .problem = find_problem(&plot),
                                          .write_points = write_points,
                                          .declare = declare,
                                          .context = &plot},
            diag);
    }
    gap_plot_free(&plot);
    return ret;
}
