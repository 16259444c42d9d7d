/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/utf8.h"
#include "reports/curve.h"
#include "reports/palette.h"
#include "reports/traces/fitted_sample.h"
#include "reports/traces/log_scale.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"

#define PANEL_PX 360.0
#define MIN_GAPS 2

typedef struct {
    const spot_gap_overlay_t *overlay;
    const char *name;
    spot_curve_t a; /* time in s and the share that is longer, from then on */
    spot_curve_t b;
    size_t num_times; /* of the band: up to where nothing is left of its upper edge */
    double share_in_band; /* of b's distinct gaps; NAN without band */
    spot_log_scale_t x;
    spot_log_scale_t y;
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
    self->x = spot_log_scale_durations(first_s / 1.6, last_s * 1.3);
    self->y = spot_log_scale_shares(0.5 / (double) num_most);
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
        spot_curve_thin(&self->a, self->x.low, self->x.high, true);
        spot_curve_thin(&self->b, self->x.low, self->x.high, true);
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
write_steps(const char *series, const spot_curve_t *curve, FILE *out)
{
    for (size_t j = 0; j < curve->num_points; j++) {
        fputs(series, out);
        spot_csv_field_number(out, curve->points[j].x);
        spot_csv_field_number(out, curve->points[j].y);
        fputs(",,\n", out);
    }
}

static void
write_points(const void *context, FILE *out)
{
    const gap_plot_t *self = context;
    const spot_model_band_t *band = &self->overlay->band;

    fputs("series,time_s,survival,low,high\n", out);
    write_steps("a", &self->a, out);
    write_steps("b", &self->b, out);
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
write_texts(const gap_plot_t *self, char title[SPOT_PICTURE_TEXT_BYTES],
    char note[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_gap_overlay_t *overlay = self->overlay;
    const char *noun = spot_sample_figure_noun(overlay->kind, overlay->is_obtainable);
    char name[SPOT_UTF8_SHOWN_BYTES];
    int used =
        snprintf(note, SPOT_PICTURE_TEXT_BYTES, "%s", spot_utf8_shown(self->name, name));

    if (overlay->a_s != NULL) {
        used += snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
            " · A: n = %zu", overlay->num_a);
    }
    used += snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
        " · B: n = %zu · both recorded at a tick of %.6g s", overlay->num_b,
        overlay->tick_s);
    if (overlay->a_s == NULL) {
        snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
            " · band: 5–95 %% of %zu replications of A at each duration",
            overlay->band.num_replications);
    }
    if (isfinite(self->share_in_band)) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES,
            "%s: B is in the band of A at %.3g %% of durations", noun,
            100 * self->share_in_band);
    } else {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES,
            "%s: how many last longer, in A and in B", noun);
    }
}

/* What lies outside is drawn at the edge: a fall to 0 goes to the bottom. */
static void
write_curve(
    const gap_plot_t *self, const char *name, const spot_curve_t *curve, FILE *out)
{
    fprintf(out, "$%s << EOD\n", name);
    for (size_t j = 0; j < curve->num_points; j++) {
        fprintf(out, "%.7g %.7g\n", spot_log_scale_place(&self->x, curve->points[j].x),
            spot_log_scale_place(&self->y, curve->points[j].y));
    }
    fputs("EOD\n", out);
}

/* As an area of steps: each time twice. */
static void
write_band(const gap_plot_t *self, FILE *out)
{
    const spot_model_band_t *band = &self->overlay->band;

    fputs("$band << EOD\n", out);
    for (size_t j = 0; j < self->num_times; j++) {
        const size_t next = j + 1 < self->num_times ? j + 1 : j;
        const double low = spot_log_scale_place(&self->y, band->low[j]);
        const double median = spot_log_scale_place(&self->y, band->median[j]);
        const double high = spot_log_scale_place(&self->y, band->high[j]);

        if (isnan(band->low[j])) {
            continue;
        }
        fprintf(out, "%.7g %.7g %.7g %.7g\n%.7g %.7g %.7g %.7g\n",
            spot_log_scale_place(&self->x, band->time_s[j]), low, high, median,
            spot_log_scale_place(&self->x, band->time_s[next]), low, high, median);
    }
    fputs("EOD\n", out);
}

/* The last share above 0. */
static double
last_share(const spot_curve_t *curve)
{
    double last = 1;

    for (size_t j = 0; j < curve->num_points; j++) {
        last = curve->points[j].y > 0 ? curve->points[j].y : last;
    }
    return last;
}

static void
draw_labels(
    const spot_figure_t *figure, const gap_plot_t *self, const spot_panel_t *panel)
{
    const spot_gap_overlay_t *overlay = self->overlay;
    spot_end_label_t labels[3];
    size_t num_labels = 0;

    labels[num_labels++] = spot_trace_picture_end_label('B', overlay->b_label, SPOT_INK,
        spot_panel_y_px(panel, spot_log_scale_place(&self->y, last_share(&self->b))));
    if (overlay->a_s != NULL) {
        labels[num_labels++] =
            spot_trace_picture_end_label('A', overlay->a_label, SPOT_INK_ACCENT,
                spot_panel_y_px(
                    panel, spot_log_scale_place(&self->y, last_share(&self->a))));
    } else {
        labels[num_labels++] = (spot_end_label_t){.text = "A: median (dashed)",
            .colour = SPOT_INK_ACCENT,
            .y_px = panel->top_px + panel->height_px,
            .swatch_px = 2};
        labels[num_labels++] = (spot_end_label_t){.text = "A: 5–95 % of replications",
            .colour = SPOT_INK_BAND,
            .y_px = panel->top_px + panel->height_px,
            .swatch_px = SPOT_SWATCH_PX};
    }
    spot_figure_end_labels(figure, labels, num_labels, panel->left_px + panel->width_px,
        panel->top_px + panel->height_px);
}

static void
write_plot(const gap_plot_t *self, FILE *out)
{
    fputs("plot ", out);
    if (self->overlay->a_s == NULL) {
        fprintf(out,
            "$band using 1:2:3 with filledcurves fillcolor rgb '%s' fillstyle solid 1 "
            "noborder, \\\n"
            "$band using 1:4 with lines lw 1.4 dt (7,4) lc rgb '%s', \\\n",
            SPOT_INK_BAND, SPOT_INK_ACCENT);
    } else {
        fprintf(
            out, "$a with steps lw 1.6 dt (12,5) lc rgb '%s', \\\n", SPOT_INK_ACCENT);
    }
    fprintf(out, "$b with steps lw 1.6 lc rgb '%s'\n", SPOT_INK);
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const gap_plot_t *self = context;
    const spot_scale_t y = {log10(self->y.low), log10(self->y.high), 1};
    char title[SPOT_PICTURE_TEXT_BYTES], note[SPOT_PICTURE_TEXT_BYTES];
    spot_figure_t figure;
    spot_panel_t panel;
    double top_px;

    write_texts(self, title, note);
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
    if (self->overlay->a_s == NULL) {
        write_band(self, out);
    }
    write_curve(self, "a", &self->a, out);
    write_curve(self, "b", &self->b, out);
    write_plot(self, out);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
}

int
spot_trace_plot_gap_overlay(const spot_gap_overlay_t *self, const char *folder,
    const char *name, spot_diag_t *diag)
{
    char what[64];
    gap_plot_t plot;
    int ret = gap_plot_init(&plot, self, name);

    snprintf(what, sizeof(what), "%s-compare", spot_sample_kind_names[self->kind]);
    if (ret == 0) {
        ret = spot_trace_picture_make(&(spot_trace_picture_t){.folder = folder,
                                          .name = name,
                                          .what = what,
                                          .problem = find_problem(&plot),
                                          .write_points = write_points,
                                          .write_script = write_script,
                                          .context = &plot},
            diag);
    }
    gap_plot_free(&plot);
    return ret;
}
