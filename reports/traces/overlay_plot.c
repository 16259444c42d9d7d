/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/units.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"
#include "reports/traces/trace_steps.h"

#define PANEL_PX 300.0
#define LABEL_BYTES 96

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
write_steps(const char *series, const spot_trace_steps_t *steps, FILE *out)
{
    for (size_t j = 0; j < steps->curve.num_points; j++) {
        const spot_point_t *point = &steps->curve.points[j];

        fputs(series, out);
        spot_csv_field_number(out, point->x / (double) SPOT_MS_PER_S);
        spot_csv_field_number(out, point->y);
        fputs(",,\n", out);
    }
}

static void
write_points(const void *context, FILE *out)
{
    const overlay_plot_t *self = context;

    fprintf(out, "series,time_s,%s,low,high\n", spot_trace_steps_word(self->overlay->b));
    write_steps("a", &self->a, out);
    write_steps("b", &self->b, out);
    for (size_t j = 0; j < self->low.num_points; j++) {
        fputs("band", out);
        spot_csv_field_number(out, self->low.points[j].x / (double) SPOT_MS_PER_S);
        spot_csv_field_number(out, self->median.points[j].y);
        spot_csv_field_number(out, self->low.points[j].y);
        spot_csv_field_number(out, self->high.points[j].y);
        fputc('\n', out);
    }
}

/* A label as people may see it, cut to max_chars. */
static void
show_label(const char *label, size_t max_chars, char text[LABEL_BYTES])
{
    char shown[SPOT_UTF8_SHOWN_BYTES + 4];

    (void) spot_utf8_shown(label, shown);
    spot_figure_cut(shown, max_chars);
    snprintf(text, LABEL_BYTES, "%.*s", LABEL_BYTES - 1, shown);
}

static void
write_texts(const overlay_plot_t *self, char title[SPOT_PICTURE_TEXT_BYTES],
    char note[SPOT_PICTURE_TEXT_BYTES])
{
    const spot_overlay_t *overlay = self->overlay;
    const char *word = spot_trace_steps_word(overlay->b);
    char a[LABEL_BYTES], b[LABEL_BYTES], name[SPOT_UTF8_SHOWN_BYTES];
    int used;

    show_label(overlay->a_label, SPOT_PICTURE_LABEL_CHARS, a);
    show_label(overlay->b_label, SPOT_PICTURE_LABEL_CHARS, b);
    used = snprintf(note, SPOT_PICTURE_TEXT_BYTES, "%s · A: %s · B: %s",
        spot_utf8_shown(self->name, name), a, b);
    if (overlay->band.num_replications > 0) {
        snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
            " · band: 5–95 %% of %zu replications of A at each time",
            overlay->band.num_replications);
    }
    if (spot_trace_steps_is_dense(&self->b)) {
        used = (int) strlen(note);
        snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
            " · B as its lowest and highest of each column of about a pixel");
    }
    if (isfinite(self->share_in_band)) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES,
            "B is within the 5–95 %% band of A for %.3g %% of its time",
            100 * self->share_in_band);
    } else if (overlay->a != NULL) {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES,
            "Instances %s: %.4g on average in A, %.4g in B", word, self->a.mean,
            self->b.mean);
    } else {
        snprintf(title, SPOT_PICTURE_TEXT_BYTES, "Instances %s: %.4g on average in B",
            word, self->b.mean);
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

/* The band as an area of steps: each time twice. */
static void
write_band(const overlay_plot_t *self, double unit_ms, FILE *out)
{
    const spot_curve_t *low = &self->low, *high = &self->high;

    fputs("$band << EOD\n", out);
    for (size_t j = 0; j < low->num_points; j++) {
        const double next_ms =
            j + 1 < low->num_points ? low->points[j + 1].x : low->points[j].x;

        fprintf(out, "%.8g %.8g %.8g %.8g\n%.8g %.8g %.8g %.8g\n",
            low->points[j].x / unit_ms, low->points[j].y, high->points[j].y,
            self->median.points[j].y, next_ms / unit_ms, low->points[j].y,
            high->points[j].y, self->median.points[j].y);
    }
    fputs("EOD\n", out);
}

static void
draw_labels(
    const spot_figure_t *figure, const overlay_plot_t *self, const spot_panel_t *panel)
{
    const spot_overlay_t *overlay = self->overlay;
    const spot_trace_t *b = overlay->b;
    const bool is_grey = self->low.num_points > 0 && spot_trace_steps_is_dense(&self->b);
    spot_end_label_t labels[5];
    size_t num_labels = 0;

    labels[num_labels++] = spot_trace_picture_end_label('B', overlay->b_label,
        is_grey ? SPOT_INK_OTHER : SPOT_INK, spot_panel_y_px(panel, b->final));
    if (overlay->a != NULL) {
        labels[num_labels++] = spot_trace_picture_end_label('A', overlay->a_label,
            SPOT_INK_ACCENT, spot_panel_y_px(panel, overlay->a->final));
    }
    if (b->capacity != SPOT_UNBOUNDED) {
        labels[num_labels] = (spot_end_label_t){.colour = SPOT_INK_QUIET,
            .y_px = spot_panel_y_px(panel, b->capacity),
            .swatch_px = 2};
        snprintf(labels[num_labels++].text, sizeof(labels[0].text),
            "capacity%s %" PRId32, overlay->a != NULL ? " of B" : "", b->capacity);
    }
    if (self->low.num_points > 0) {
        const size_t last = self->low.num_points - 1;

        labels[num_labels++] = (spot_end_label_t){.text = "A: median (dashed)",
            .colour = SPOT_INK_ACCENT,
            .y_px = spot_panel_y_px(panel, self->median.points[last].y),
            .swatch_px = 2};
        labels[num_labels++] = (spot_end_label_t){.text = "A: 5–95 % of replications",
            .colour = is_grey ? SPOT_INK_ACCENT : SPOT_INK_BAND,
            .y_px = spot_panel_y_px(
                panel, (self->low.points[last].y + self->high.points[last].y) / 2),
            .swatch_px = is_grey ? 1 : SPOT_SWATCH_PX};
    }
    spot_figure_end_labels(figure, labels, num_labels, panel->left_px + panel->width_px,
        panel->top_px + panel->height_px);
}

/* The end of a trace: what follows was not observed. */
static void
write_end(const char *name, const spot_trace_t *trace, double unit_ms, FILE *out)
{
    fprintf(out, "$%s << EOD\n%.10g %" PRId32 "\nEOD\n", name,
        (double) trace->end_ms / unit_ms, trace->final);
}

static void
write_end_plot(char letter, const char *colour, FILE *out)
{
    fprintf(out,
        "$%c_end with points pt 7 ps 0.7 lc rgb '#ffffff', \\\n"
        "$%c_end with points pt 6 ps 0.7 lw 1.4 lc rgb '%s'",
        letter, letter, colour);
}

/* The band; where it would be hidden, its edges instead. */
static void
write_band_plot(bool is_hidden, FILE *out)
{
    if (is_hidden) {
        fprintf(out,
            "$band using 1:2 with lines lw 1 lc rgb '%s', \\\n"
            "$band using 1:3 with lines lw 1 lc rgb '%s', \\\n",
            SPOT_INK_ACCENT, SPOT_INK_ACCENT);
    } else {
        fprintf(out,
            "$band using 1:2:3 with filledcurves fillcolor rgb '%s' fillstyle solid 1 "
            "noborder, \\\n",
            SPOT_INK_BAND);
    }
    fprintf(
        out, "$band using 1:4 with lines lw 1.4 dt (7,4) lc rgb '%s'", SPOT_INK_ACCENT);
}

/* The steps of A or B. */
static void
write_steps_plot(
    char letter, const spot_trace_steps_t *steps, const char *colour, FILE *out)
{
    const bool is_dense = spot_trace_steps_is_dense(steps);

    fprintf(out, "$%c with steps lw %g%s lc rgb '%s'", letter, is_dense ? 0.5 : 1.4,
        letter == 'a' && !is_dense ? " dt (12,5)" : "", colour);
}

/* What there is of band, capacity, A and B; the marks of the ends. */
static void
write_plot(const overlay_plot_t *self, FILE *out)
{
    const spot_overlay_t *overlay = self->overlay;
    const bool has_band = self->low.num_points > 0;
    const bool is_dense = spot_trace_steps_is_dense(&self->b);

    fputs("plot ", out);
    if (has_band && is_dense) {
        write_steps_plot('b', &self->b, SPOT_INK_OTHER, out);
        fputs(", \\\n", out);
    }
    if (has_band) {
        write_band_plot(is_dense, out);
        fputs(", \\\n", out);
    }
    if (overlay->b->capacity != SPOT_UNBOUNDED) {
        fprintf(out, "%" PRId32 " with lines lw 1.2 dt (2,3) lc rgb '%s', \\\n",
            overlay->b->capacity, SPOT_INK_QUIET);
    }
    if (overlay->a != NULL) {
        write_steps_plot('a', &self->a, SPOT_INK_ACCENT, out);
        fputs(", \\\n", out);
        write_end_plot('a', SPOT_INK_ACCENT, out);
        fputs(", \\\n", out);
    }
    if (!has_band || !is_dense) {
        write_steps_plot('b', &self->b, SPOT_INK, out);
        fputs(", \\\n", out);
    }
    write_end_plot('b', SPOT_INK, out);
    fputc('\n', out);
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const overlay_plot_t *self = context;
    const spot_time_unit_t unit = spot_figure_time_unit(self->end_ms);
    const double end = (double) self->end_ms / (double) unit.unit_ms;
    char title[SPOT_PICTURE_TEXT_BYTES], note[SPOT_PICTURE_TEXT_BYTES];
    char x_name[32], y_name[32];
    spot_figure_t figure;
    spot_panel_t panel;
    double top_px;

    write_texts(self, title, note);
    top_px = spot_trace_picture_begin(&figure, out, picture_path, title, note,
        SPOT_PICTURE_TOP_PX + PANEL_PX + SPOT_PICTURE_FOOT_PX);
    panel = spot_trace_picture_panel(top_px + SPOT_PICTURE_TOP_PX, PANEL_PX, 0, end,
        spot_trace_steps_scale(highest(self)));
    snprintf(x_name, sizeof(x_name), "time since the start (%s)", unit.name);
    snprintf(
        y_name, sizeof(y_name), "instances %s", spot_trace_steps_word(self->overlay->b));
    spot_trace_picture_axis_names(&figure, &panel, x_name, y_name);
    spot_figure_text(&figure, panel.left_px + panel.width_px, panel.top_px - 18,
        SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT,
        "○ end (censored: what follows was not observed)");
    draw_labels(&figure, self, &panel);
    spot_figure_panel(&figure, &panel, "%.10g");
    fprintf(out, "set xtics 0,%.6g\n", spot_scale_around(0, end, 10).step);
    spot_trace_steps_write_data(&self->a, "a", unit, out);
    spot_trace_steps_write_data(&self->b, "b", unit, out);
    write_band(self, (double) unit.unit_ms, out);
    write_end("b_end", self->overlay->b, (double) unit.unit_ms, out);
    if (self->overlay->a != NULL) {
        write_end("a_end", self->overlay->a, (double) unit.unit_ms, out);
    }
    write_plot(self, out);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
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
                                          .write_script = write_script,
                                          .context = &plot},
            diag);
    }
    overlay_free(&plot);
    return ret;
}
