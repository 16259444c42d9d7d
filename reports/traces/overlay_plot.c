/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"
#include "reports/traces/trace_steps.h"

typedef struct {
    const spot_overlay_t *overlay;
    const char *name;
    int64_t end_ms; /* of the longer one */
    spot_trace_steps_t a;
    spot_trace_steps_t b;
    spot_curve_t low;    /* of the band: time in ms, instances */
    spot_curve_t median; /* at the same times, as is the next */
    spot_curve_t high;
    double share_in_band; /* of b's time; NAN without band */
} overlay_plot_t;

/* On the grid of the band, as far as b goes. */
static double
measure_share(const overlay_plot_t *self, const spot_trace_t *b)
{
    const spot_model_band_t *band = &self->overlay->band;
    size_t num_times = 0, num_within = 0, step_id = 0;

    for (size_t j = 0; j < band->num_times; j++) {
        const double time_ms = band->time_s[j] * (double) SPOT_MS_PER_S;
        double population;

        if (time_ms > (double) b->end_ms) {
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
static int
add_band(overlay_plot_t *self)
{
    const spot_model_band_t *band = &self->overlay->band;
    const size_t stride =
        (band->num_times + 2 * SPOT_MAX_COLUMNS - 1) / (size_t) (2 * SPOT_MAX_COLUMNS);
    int ret = 0;

    for (size_t j = 0; j < band->num_times && ret == 0; j += stride) {
        const double time_ms = band->time_s[j] * (double) SPOT_MS_PER_S;
        double low = band->low[j], high = band->high[j];

        for (size_t k = j; k < j + stride && k < band->num_times; k++) {
            low = fmin(low, band->low[k]);
            high = fmax(high, band->high[k]);
        }
        ret = spot_curve_add(&self->low, time_ms, low);
        if (ret == 0) {
            ret = spot_curve_add(&self->median, time_ms, band->median[j]);
        }
        if (ret == 0) {
            ret = spot_curve_add(&self->high, time_ms, high);
        }
    }
    return ret;
}

/* The share needs all steps, the picture does not. */
static int
init_b(overlay_plot_t *self)
{
    const spot_overlay_t *overlay = self->overlay;
    const int ret = spot_trace_steps_init(&self->b, overlay->b);

    self->share_in_band = (double) NAN;
    if (ret == 0) {
        if (overlay->band.num_replications > 0) {
            self->share_in_band = measure_share(self, overlay->b);
        }
        spot_curve_thin(&self->b.curve, 0, (double) self->end_ms, false);
    }
    return ret;
}

static int
overlay_init(overlay_plot_t *self, const spot_overlay_t *overlay, const char *name)
{
    int ret = 0;

    memset(self, 0, sizeof(*self));
    self->overlay = overlay;
    self->name = name;
    self->end_ms = overlay->b->end_ms;
    if (overlay->a != NULL && overlay->a->end_ms > self->end_ms) {
        self->end_ms = overlay->a->end_ms;
    }
    ret = init_b(self);
    if (ret == 0 && overlay->a != NULL) {
        ret = spot_trace_steps_init(&self->a, overlay->a);
        spot_curve_thin(&self->a.curve, 0, (double) self->end_ms, false);
    }
    if (ret == 0 && overlay->band.num_replications > 0) {
        ret = add_band(self);
    }
    return ret;
}

static void
overlay_free(overlay_plot_t *self)
{
    spot_trace_steps_free(&self->a);
    spot_trace_steps_free(&self->b);
    spot_curve_free(&self->low);
    spot_curve_free(&self->median);
    spot_curve_free(&self->high);
}

static void
write_points(const void *context, FILE *out)
{
    const overlay_plot_t *self = context;

    fprintf(out, "series,time_s,%s,low,high\n", spot_trace_steps_word(self->overlay->b));
    spot_trace_picture_write_curve("a", &self->a.curve, SPOT_MS_PER_S, ",,", out);
    spot_trace_picture_write_curve("b", &self->b.curve, SPOT_MS_PER_S, ",,", out);
    for (size_t j = 0; j < self->low.num_points; j++) {
        fputs("band", out);
        spot_csv_field_number(out, self->low.points[j].x / (double) SPOT_MS_PER_S);
        spot_csv_field_number(out, self->median.points[j].y);
        spot_csv_field_number(out, self->low.points[j].y);
        spot_csv_field_number(out, self->high.points[j].y);
        fputc('\n', out);
    }
}

static void
declare_words(const overlay_plot_t *self, spot_chart_t *chart)
{
    const spot_overlay_t *overlay = self->overlay;
    const char *word = spot_trace_steps_word(overlay->b);
    char name[SPOT_UTF8_SHOWN_BYTES], a[SPOT_UTF8_SHOWN_BYTES];
    char b[SPOT_UTF8_SHOWN_BYTES];

    if (isfinite(self->share_in_band)) {
        spot_chart_title(chart,
            "B is within the 5–95 %% band of A for %.3g %% of its time",
            100 * self->share_in_band);
    } else if (overlay->a != NULL) {
        spot_chart_title(chart, "Instances %s: %.4g on average in A, %.4g in B", word,
            self->a.mean, self->b.mean);
    } else {
        spot_chart_title(
            chart, "Instances %s: %.4g on average in B", word, self->b.mean);
    }
    spot_chart_note(chart, "%s · A: %s · B: %s", spot_utf8_shown(self->name, name),
        spot_utf8_shown(overlay->a_label, a), spot_utf8_shown(overlay->b_label, b));
    if (overlay->band.num_replications > 0) {
        spot_chart_note(chart, "band: 5–95 %% of %zu replications of A at each time",
            overlay->band.num_replications);
    }
    if (spot_trace_steps_is_dense(&self->b)) {
        spot_chart_note(
            chart, "B as its lowest and highest of each column of about a pixel");
    }
}

static double
highest(const overlay_plot_t *self)
{
    const int32_t capacity = self->overlay->b->capacity;
    double high = fmax(
        fmax(self->a.high, self->b.high), capacity != SPOT_UNBOUNDED ? capacity : 1);

    for (size_t j = 0; j < self->high.num_points; j++) {
        high = fmax(high, self->high.points[j].y);
    }
    return high;
}

/* The band; where B would hide it, its edges instead. */
static void
declare_band(const overlay_plot_t *self, bool is_hidden, spot_chart_t *chart)
{
    const spot_curve_t *edges[] = {&self->low, &self->high};

    if (!is_hidden) {
        spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                                     .is_alone = true,
                                     .name = "A: 5–95 % of replications",
                                     .colour = SPOT_INK_BAND});
        for (size_t j = 0; j < self->low.num_points; j++) {
            spot_chart_add(chart, &(spot_chart_datum_t){.x = self->low.points[j].x,
                                      .y = self->high.points[j].y,
                                      .y_low = self->low.points[j].y});
        }
    }
    for (size_t k = 0; k < (is_hidden ? 2 : 0); k++) {
        spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                     .name = k == 1 ? "A: 5–95 % of replications" : NULL,
                                     .colour = SPOT_INK_ACCENT,
                                     .width_px = 1});
        for (size_t j = 0; j < edges[k]->num_points; j++) {
            spot_chart_add_xy(chart, edges[k]->points[j].x, edges[k]->points[j].y);
        }
    }
    spot_chart_series(chart, &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
                                 .name = "A: median (dashed)",
                                 .colour = SPOT_INK_ACCENT,
                                 .dash = SPOT_CHART_DASHED,
                                 .width_px = 1.4});
    for (size_t j = 0; j < self->median.num_points; j++) {
        spot_chart_add_xy(chart, self->median.points[j].x, self->median.points[j].y);
    }
}

/* The steps of A or B under the name "A: LABEL". */
static void
declare_steps(const spot_trace_steps_t *steps, char letter, const char *label,
    const char *colour, spot_chart_t *chart)
{
    const bool is_dense = spot_trace_steps_is_dense(steps);
    char shown[SPOT_UTF8_SHOWN_BYTES], name[SPOT_UTF8_SHOWN_BYTES + 8];

    snprintf(name, sizeof(name), "%c: %s", letter, spot_utf8_shown(label, shown));
    spot_trace_steps_declare(steps,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .name = name,
            .colour = colour,
            .dash = letter == 'A' && !is_dense ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
            .width_px = is_dense ? 0.5 : 1.4},
        chart);
}

/* What there is of band, capacity, A and B; the marks of the ends. */
static int
declare(spot_chart_t *chart, const void *context)
{
    const overlay_plot_t *self = context;
    const spot_overlay_t *overlay = self->overlay;
    const bool has_band = self->low.num_points > 0;
    const bool is_behind = has_band && spot_trace_steps_is_dense(&self->b);
    const char *b_colour = is_behind ? SPOT_INK_OTHER : SPOT_INK;
    char text[64];

    declare_words(self, chart);
    spot_trace_steps_panel(overlay->b, (double) self->end_ms, highest(self), chart);
    if (overlay->b->capacity != SPOT_UNBOUNDED) {
        snprintf(text, sizeof(text), "capacity%s %" PRId32,
            overlay->a != NULL ? " of B" : "", overlay->b->capacity);
        spot_chart_rule(chart,
            &(spot_chart_rule_t){
                .at = overlay->b->capacity, .name = text, .dash = SPOT_CHART_DOTTED});
    }
    if (is_behind) {
        declare_steps(&self->b, 'B', overlay->b_label, b_colour, chart);
    }
    if (has_band) {
        declare_band(self, is_behind, chart);
    }
    if (overlay->a != NULL) {
        declare_steps(&self->a, 'A', overlay->a_label, SPOT_INK_ACCENT, chart);
        spot_trace_steps_declare_end(overlay->a, SPOT_INK_ACCENT, chart);
    }
    if (!is_behind) {
        declare_steps(&self->b, 'B', overlay->b_label, b_colour, chart);
    }
    spot_trace_steps_declare_end(overlay->b, b_colour, chart);
    return spot_chart_error(chart);
}

int
spot_trace_plot_overlay(
    const spot_overlay_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    overlay_plot_t plot;
    int ret = overlay_init(&plot, self, name);

    if (ret == 0) {
        ret = spot_trace_picture_make(&(spot_trace_picture_t){.folder = folder,
                                          .name = name,
                                          .what = "compare",
                                          .write_points = write_points,
                                          .declare = declare,
                                          .context = &plot},
            diag);
    }
    overlay_free(&plot);
    return ret;
}
