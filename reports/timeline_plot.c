/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_plot.h"

#include <inttypes.h>
#include <math.h>

#include "base/units.h"
#include "reports/curve.h"
#include "reports/figure.h"
#include "reports/gnuplot.h"
#include "reports/palette.h"
#include "reports/timeline_bins.h"

#define WIDTH_PX 900.0
#define LEFT_PX 64.0
#define MARGIN_PX 24.0
#define RIGHT_PX 200.0 /* room for labels */
#define HEAD_PX 80.0   /* above the areas, the lines of the title apart */
#define TITLE_LINE_PX 25.0
#define AREAS_PX 260.0 /* heights */
#define LANE_PX 17.0
#define PROGRESS_PX 80.0
#define LANE_GAP_PX 7.0 /* between panels */
#define PROGRESS_GAP_PX 42.0
#define FOOT_PX 56.0
#define LEGEND_GAP_PX 16.0
#define LEGEND_LINE_PX 19.0
#define TITLE_CHARS 84

typedef struct {
    const spot_run_series_t *run;
    const spot_timeline_bins_t *bins;
    spot_figure_t figure;
    spot_time_unit_t time_unit;
    spot_curve_t progress; /* times in ms, thinned */
    double end;            /* in that unit */
    double bottom_px;      /* of the panels so far */
    size_t num_left;       /* panels below these */
} timeline_plot_t;

static double
time_of(const timeline_plot_t *self, double time_ms)
{
    return time_ms / (double) self->time_unit.unit_ms;
}

/* A panel below those so far. */
static spot_panel_t
add_panel(timeline_plot_t *self, double gap_px, double height_px, spot_scale_t y)
{
    const spot_panel_t panel = {
        .left_px = LEFT_PX,
        .top_px = self->bottom_px + gap_px,
        .width_px = WIDTH_PX - LEFT_PX - RIGHT_PX,
        .height_px = height_px,
        .x_low = 0,
        .x_high = self->end,
        .y = y,
    };

    self->bottom_px = panel.top_px + height_px;
    self->num_left--;
    return panel;
}

/* Opens a panel; the last one has the time below it. */
static void
open_panel(timeline_plot_t *self, const spot_panel_t *panel, const char *y_format)
{
    char text[32];

    if (self->num_left == 0) {
        snprintf(text, sizeof(text), "time (%s)", self->time_unit.name);
        spot_figure_text(&self->figure, panel->left_px + panel->width_px / 2,
            self->bottom_px + 35, SPOT_TEXT_LABEL, SPOT_ALIGN_CENTER, text);
        fputs("set format x '%g'\nset xtics scale 0.4\n", self->figure.out);
    }
    spot_figure_panel(&self->figure, panel, y_format);
}

static void
draw_head(timeline_plot_t *self)
{
    const spot_run_series_t *run = self->run;
    const size_t num_lines = spot_figure_num_lines(run->title, TITLE_CHARS);
    char note[256];

    self->bottom_px = HEAD_PX + TITLE_LINE_PX * (double) num_lines;
    spot_figure_paragraph(
        &self->figure, MARGIN_PX, 30, SPOT_TEXT_TITLE, TITLE_CHARS, run->title);
    snprintf(note, sizeof(note), "%s", run->note);
    if (run->levels != NULL) {
        snprintf(note, sizeof(note), "%s%s%s over time%s, and each category's share",
            run->note, run->note[0] == '\0' ? "" : " · ",
            spot_run_series_level_noun(run),
            self->bins->is_thinned ? ": averages, peaks (grey), dips (line)" : "");
    }
    spot_figure_text(&self->figure, MARGIN_PX, self->bottom_px - 50, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, note);
}

/* Two rows for each bin, its start and its end: time, dip, peak, heights of the stack.
 */
static void
write_areas_data(const timeline_plot_t *self)
{
    const spot_timeline_bins_t *bins = self->bins;
    FILE *out = self->figure.out;

    fputs("$areas << EOD\n", out);
    for (size_t j = 0; j < 2 * bins->num_bins; j++) {
        const spot_timeline_bin_t *bin = &bins->bins[j / 2];
        const double time_ms = j + 1 < 2 * bins->num_bins
                                   ? bins->bins[(j + 1) / 2].start_ms
                                   : self->run->end_ms;
        double height = 0;

        fprintf(out, "%.6g %.6g %.6g", time_of(self, time_ms), bin->dip, bin->peak);
        for (size_t k = 0; k < self->run->num_levels; k++) {
            height += bin->heights[k];
            fprintf(out, " %.6g", height);
        }
        fputc('\n', out);
    }
    fputs("EOD\n", out);
}

/* The stack from its top down, each category from 0, so that no seams show; over it the
 * outline. Where the stack is averages, a shade behind it goes up to the peaks, and a
 * thin line over it tells the dips. */
static void
write_areas_plot(const timeline_plot_t *self)
{
    const spot_run_series_t *run = self->run;
    const bool is_thinned = self->bins->is_thinned;
    FILE *out = self->figure.out;

    fputs("plot ", out);
    if (is_thinned) {
        fprintf(out,
            "$areas using 1:3 with filledcurves y1=0 fillcolor rgb '%s' fillstyle solid "
            "1 noborder, \\\n",
            SPOT_INK_GRID);
    }
    for (size_t k = run->num_levels; k-- > 0;) {
        if (self->bins->shares[k] > 0) {
            fprintf(out,
                "$areas using 1:%zu with filledcurves y1=0 fillcolor rgb '%s' fillstyle "
                "solid 1 noborder, \\\n",
                k + 4,
                spot_palette_colour(run->colours, spot_run_series_level(run, k), k));
        }
    }
    if (is_thinned) {
        fprintf(
            out, "$areas using 1:2 with lines lw 0.4 lc rgb '%s', \\\n", SPOT_INK_LABEL);
    }
    fprintf(out, "$areas using 1:3 with lines lw 0.7 lc rgb '%s'\n",
        is_thinned ? SPOT_INK_OTHER : SPOT_INK_LABEL);
}

/* The categories that occur, in the order of the stack, with their shares. */
static void
draw_legend(const timeline_plot_t *self, const spot_panel_t *panel)
{
    const double x_px = panel->left_px + panel->width_px + LEGEND_GAP_PX;
    double y_px = panel->top_px + LEGEND_LINE_PX / 2;
    char share[32];

    for (size_t k = self->run->num_levels; k-- > 0;) {
        const char *name = spot_run_series_level(self->run, k);

        if (self->bins->shares[k] > 0) {
            spot_figure_entry(&self->figure, x_px, y_px, SPOT_SWATCH_PX,
                spot_palette_colour(self->run->colours, name, k), name);
            snprintf(share, sizeof(share), "%.1f %%", 100 * self->bins->shares[k]);
            spot_figure_text(&self->figure, WIDTH_PX - MARGIN_PX, y_px, SPOT_TEXT_LABEL,
                SPOT_ALIGN_RIGHT, share);
            y_px += LEGEND_LINE_PX;
        }
    }
}

static void
draw_areas(timeline_plot_t *self)
{
    const spot_panel_t panel =
        add_panel(self, 0, AREAS_PX, spot_scale_around(0, fmax(self->bins->peak, 1), 6));

    spot_figure_text(&self->figure, MARGIN_PX, panel.top_px - 18, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, spot_run_series_level_noun(self->run));
    draw_legend(self, &panel);
    open_panel(self, &panel, "%g");
    write_areas_data(self);
    write_areas_plot(self);
    spot_figure_end_panel(&self->figure);
}

/* One tick for each bin with marks; the more they count, the longer it is. */
static void
write_ticks(const timeline_plot_t *self, int32_t mark_kind)
{
    spot_timeline_mark_bin_t bins[SPOT_MAX_BINS];
    int64_t most = 1;

    spot_timeline_bin_marks(self->run, mark_kind, SPOT_MAX_BINS, bins);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        most = bins[j].count > most ? bins[j].count : most;
    }
    fprintf(self->figure.out, "$marks%" PRId32 " << EOD\n", mark_kind);
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        if (bins[j].num_marks > 0) {
            fprintf(self->figure.out, "%.6g %.3g\n",
                ((double) j + 0.5) * self->end / SPOT_MAX_BINS,
                0.3 + 0.7 * (double) bins[j].count / (double) most);
        }
    }
    fputs("EOD\n", self->figure.out);
}

static size_t
count_marks(const spot_run_series_t *run, int32_t mark_kind)
{
    size_t num_marks = 0;

    for (size_t j = 0; j < run->events->num_rows; j++) {
        num_marks += run->mark_kinds[j] == mark_kind;
    }
    return num_marks;
}

/* The marks of a kind below the areas, if there are any. */
static void
draw_lane(timeline_plot_t *self, int32_t mark_kind)
{
    const char *name = self->run->mark_names[mark_kind];
    const char *colour =
        spot_palette_colour(self->run->colours, name, (size_t) mark_kind);
    const size_t num_marks = count_marks(self->run, mark_kind);
    spot_panel_t panel;
    char text[96];

    if (num_marks == 0) {
        return;
    }
    panel = add_panel(self, LANE_GAP_PX, LANE_PX, (spot_scale_t){0, 1, 2});
    snprintf(text, sizeof(text), "%s, %zu time%s", name, num_marks,
        num_marks == 1 ? "" : "s");
    spot_figure_entry(&self->figure, panel.left_px + panel.width_px + LEGEND_GAP_PX,
        panel.top_px + LANE_PX / 2, SPOT_SWATCH_PX, colour, text);
    open_panel(self, &panel, "");
    write_ticks(self, mark_kind);
    fprintf(self->figure.out,
        "plot $marks%" PRId32 " with impulses lw 1.2 lc rgb '%s'\n", mark_kind, colour);
    spot_figure_end_panel(&self->figure);
}

static void
write_progress_data(const timeline_plot_t *self)
{
    fputs("$progress << EOD\n", self->figure.out);
    for (size_t j = 0; j < self->progress.num_points; j++) {
        const spot_point_t *point = &self->progress.points[j];

        fprintf(self->figure.out, "%.6g %.6g\n", time_of(self, point->x), point->y);
    }
    fputs("EOD\n", self->figure.out);
}

/* The name of the curve, and how far it came. */
static void
draw_progress_texts(const timeline_plot_t *self, const spot_panel_t *panel)
{
    const spot_series_t *curve = self->run->curve;
    const char *noun = spot_run_series_curve_noun(self->run);
    char text[96];

    spot_figure_text(&self->figure, MARGIN_PX, panel->top_px - 18, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, noun);
    if (curve->num_rows > 0) {
        const double last = spot_run_value(curve, curve->num_rows - 1, 1);

        snprintf(text, sizeof(text), "%.*f %s", last == floor(last) ? 0 : 2, last, noun);
        spot_figure_text(&self->figure, panel->left_px + panel->width_px + LEGEND_GAP_PX,
            spot_panel_y_px(panel, last), SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, text);
    }
}

static void
draw_progress(timeline_plot_t *self)
{
    spot_panel_t panel;
    double peak = 0;

    for (size_t j = 0; j < self->run->curve->num_rows; j++) {
        peak = fmax(peak, spot_run_value(self->run->curve, j, 1));
    }
    panel = add_panel(self, PROGRESS_GAP_PX, PROGRESS_PX, spot_scale_around(0, peak, 2));
    draw_progress_texts(self, &panel);
    open_panel(self, &panel, peak < 1e5 ? "%g" : "%.1s %c");
    write_progress_data(self);
    fprintf(self->figure.out,
        "plot $progress with filledcurves y1=0 fillcolor rgb '%s' fillstyle transparent "
        "solid 0.12 noborder, $progress with lines lw 1.6 lc rgb '%s'\n",
        SPOT_INK_ACCENT, SPOT_INK_ACCENT);
    spot_figure_end_panel(&self->figure);
}

static size_t
num_lanes(const spot_run_series_t *run)
{
    size_t num = 0;

    for (size_t j = 0; j < run->num_mark_kinds; j++) {
        num += count_marks(run, (int32_t) j) > 0;
    }
    return num;
}

static double
picture_height_px(const spot_run_series_t *run)
{
    const size_t num_lines = spot_figure_num_lines(run->title, TITLE_CHARS);

    return HEAD_PX + TITLE_LINE_PX * (double) num_lines +
           (run->levels == NULL ? 0 : AREAS_PX) +
           (LANE_GAP_PX + LANE_PX) * (double) num_lanes(run) +
           (run->curve == NULL ? 0 : PROGRESS_GAP_PX + PROGRESS_PX) + FOOT_PX;
}

static int
gather_progress(spot_curve_t *progress, const spot_run_series_t *run)
{
    int ret = 0;

    for (size_t j = 0; run->curve != NULL && j < run->curve->num_rows && ret == 0; j++) {
        ret = spot_curve_add(
            progress, spot_run_time_ms(run->curve, j), spot_run_value(run->curve, j, 1));
    }
    spot_curve_thin(progress, 0, run->end_ms, false);
    return ret;
}

static void
draw_panels(timeline_plot_t *self)
{
    if (self->run->levels != NULL) {
        draw_areas(self);
    }
    for (size_t j = 0; j < self->run->num_mark_kinds; j++) {
        draw_lane(self, (int32_t) j);
    }
    if (self->run->curve != NULL) {
        draw_progress(self);
    }
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const spot_run_series_t *run = context;
    spot_timeline_bins_t bins;
    timeline_plot_t plot = {.run = run, .bins = &bins};
    int ret = spot_timeline_bins_init(&bins, run, SPOT_MAX_BINS);

    if (ret == 0) {
        ret = gather_progress(&plot.progress, run);
    }
    if (ret != 0) {
        goto out;
    }
    plot.time_unit = spot_figure_time_unit((int64_t) run->end_ms);
    plot.end = time_of(&plot, run->end_ms);
    plot.num_left = (run->levels != NULL) + num_lanes(run) + (run->curve != NULL);
    spot_figure_begin(&plot.figure, out, WIDTH_PX, picture_height_px(run), picture_path);
    fprintf(out,
        "set grid xtics\nset xtics 0,%.6g\nset format x ''\nset xtics scale 0\n",
        spot_scale_around(0, plot.end, 10).step);
    draw_head(&plot);
    draw_panels(&plot);
    spot_figure_end(&plot.figure);
    ret = ferror(out) ? SPOT_ERR_IO : 0;
out:
    spot_curve_free(&plot.progress);
    spot_timeline_bins_free(&bins);
    return ret;
}

int
spot_timeline_plot(const spot_run_series_t *run, const char *svg_path, spot_diag_t *diag)
{
    return spot_run_series_check(run, svg_path, diag)
               ? spot_gnuplot_run(write_script, run, svg_path, diag)
               : SPOT_ERR_BAD_PARAM;
}

int
spot_timeline_plot_script(const spot_run_series_t *run, const char *svg_path, FILE *out)
{
    return spot_run_series_check(run, svg_path, NULL) ? write_script(run, svg_path, out)
                                                      : SPOT_ERR_BAD_PARAM;
}
