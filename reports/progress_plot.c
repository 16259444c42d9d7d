/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/progress_plot.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/curve.h"
#include "reports/figure.h"
#include "reports/gnuplot.h"
#include "reports/palette.h"
#include "reports/study_words.h"

#define WIDTH_PX 900.0
#define MARGIN_PX 24.0
#define LEFT_PX 74.0
#define PANEL_PX 340.0
#define FOOT_PX 56.0
#define TITLE_CHARS 84
#define TITLE_LINE_PX 25.0
#define HEAD_PX 72.0   /* above the panel, the lines of the title apart */
#define CHAR_PX 7.2    /* of labels, on average */
#define NAME_CHARS 40  /* of the longest name at the end of a curve */
#define NUMBER_CHARS 9 /* of the progress before it */
#define LEADER_PX 40.0 /* before a name */

typedef struct {
    const spot_progress_lines_t *lines;
    spot_figure_t figure;
    spot_time_unit_t time_unit;
    double end_ms; /* of the longest run */
    spot_panel_t panel;
} progress_plot_t;

static double
time_of(const progress_plot_t *self, double time_ms)
{
    return time_ms / (double) self->time_unit.unit_ms;
}

static size_t
num_points(const spot_run_series_t *run)
{
    return run->curve == NULL ? 0 : run->curve->num_rows;
}

static double
last_progress(const spot_run_series_t *run)
{
    return num_points(run) == 0 ? 0 : spot_run_value(run->curve, num_points(run) - 1, 1);
}

static void
choose_panel(progress_plot_t *self)
{
    const spot_progress_lines_t *lines = self->lines;
    size_t num_name = 1;
    double peak = 0;

    for (size_t j = 0; j < lines->num_lines; j++) {
        const spot_run_series_t *run = &lines->runs[j];
        const size_t num_chars =
            spot_utf8_count(lines->names[j], strlen(lines->names[j]));

        num_name = num_chars > num_name ? num_chars : num_name;
        for (size_t k = 0; k < num_points(run); k++) {
            peak = fmax(peak, spot_run_value(run->curve, k, 1));
        }
    }
    num_name = num_name < NAME_CHARS ? num_name : NAME_CHARS;
    self->panel = (spot_panel_t){
        .left_px = LEFT_PX,
        .top_px = HEAD_PX + TITLE_LINE_PX * (double) spot_figure_num_lines(
                                                lines->title, TITLE_CHARS),
        .width_px = WIDTH_PX - LEFT_PX - MARGIN_PX - LEADER_PX -
                    CHAR_PX * (double) (num_name + NUMBER_CHARS),
        .height_px = PANEL_PX,
        .x_low = 0,
        .x_high = time_of(self, self->end_ms),
        .y = spot_scale_around(0, peak, 8),
    };
}

static void
draw_texts(const progress_plot_t *self)
{
    const spot_panel_t *panel = &self->panel;
    char text[32];

    spot_figure_paragraph(
        &self->figure, MARGIN_PX, 30, SPOT_TEXT_TITLE, TITLE_CHARS, self->lines->title);
    spot_figure_text(&self->figure, MARGIN_PX, panel->top_px - 46, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, self->lines->note);
    spot_figure_text(&self->figure, MARGIN_PX, panel->top_px - 18, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT,
        self->lines->runs[0].curve == NULL
            ? ""
            : spot_run_series_curve_noun(&self->lines->runs[0]));
    snprintf(text, sizeof(text), "time (%s)", self->time_unit.name);
    spot_figure_x_name(&self->figure, panel, 36, text);
}

/* "checkpoint 1512": each curve with how far it came. */
static void
draw_end_labels(const progress_plot_t *self)
{
    const spot_progress_lines_t *lines = self->lines;
    spot_end_label_t labels[SPOT_MAX_PROGRESS_LINES];

    for (size_t j = 0; j < lines->num_lines; j++) {
        const double last = last_progress(&lines->runs[j]);
        char number[SPOT_LABEL_BYTES], name[SPOT_POINT_BYTES];

        (void) spot_short_number(last, number);
        snprintf(name, sizeof(name) - 4, "%s", lines->names[j]);
        spot_figure_cut(name, NAME_CHARS);
        labels[j] = (spot_end_label_t){
            .colour = spot_palette_line_colour(j),
            .y_px = spot_panel_y_px(&self->panel, last),
            .swatch_px = 3,
        };
        snprintf(labels[j].text, sizeof(labels[j].text), "%.*s  %s",
            (int) sizeof(labels[j].text) - SPOT_LABEL_BYTES, name, number);
    }
    spot_figure_end_labels(&self->figure, labels, lines->num_lines,
        self->panel.left_px + self->panel.width_px,
        self->panel.top_px + self->panel.height_px);
}

static int
write_line_data(const progress_plot_t *self, size_t line_id)
{
    const spot_run_series_t *run = &self->lines->runs[line_id];
    FILE *out = self->figure.out;
    spot_curve_t curve = {0};
    int ret = 0;

    for (size_t j = 0; ret == 0 && j < num_points(run); j++) {
        ret = spot_curve_add(
            &curve, spot_run_time_ms(run->curve, j), spot_run_value(run->curve, j, 1));
    }
    spot_curve_thin(&curve, 0, self->end_ms, false);
    fprintf(out, "$line%zu << EOD\n", line_id);
    for (size_t j = 0; ret == 0 && j < curve.num_points; j++) {
        fprintf(out, "%.6g %.6g\n", time_of(self, curve.points[j].x), curve.points[j].y);
    }
    fputs("EOD\n", out);
    spot_curve_free(&curve);
    return ret;
}

/* Where the colours come again, the strokes differ. */
static void
write_plot(const progress_plot_t *self)
{
    FILE *out = self->figure.out;

    fputs("plot ", out);
    for (size_t j = 0; j < self->lines->num_lines; j++) {
        fprintf(out, "%s$line%zu using 1:2 with lines lw 1.8 dt %zu lc rgb '%s'",
            j == 0 ? "" : ", \\\n", j, 1 + j / SPOT_NUM_LINE_COLOURS,
            spot_palette_line_colour(j));
    }
    fputc('\n', out);
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    progress_plot_t self = {.lines = context};
    int ret = 0;

    for (size_t j = 0; j < self.lines->num_lines; j++) {
        self.end_ms = fmax(self.end_ms, self.lines->runs[j].end_ms);
    }
    if (self.end_ms <= 0) {
        return SPOT_ERR_BAD_PARAM;
    }
    self.time_unit = spot_figure_time_unit((int64_t) self.end_ms);
    choose_panel(&self);
    spot_figure_begin(&self.figure, out, WIDTH_PX,
        self.panel.top_px + PANEL_PX + FOOT_PX, picture_path);
    draw_texts(&self);
    draw_end_labels(&self);
    fprintf(out, "set xtics 0,%.6g format '%%g'\n",
        spot_scale_around(0, self.panel.x_high, 10).step);
    spot_figure_panel(&self.figure, &self.panel, "%g");
    for (size_t j = 0; ret == 0 && j < self.lines->num_lines; j++) {
        ret = write_line_data(&self, j);
    }
    write_plot(&self);
    spot_figure_end_panel(&self.figure);
    spot_figure_end(&self.figure);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int
spot_progress_plot(
    const spot_progress_lines_t *lines, const char *svg_path, spot_diag_t *diag)
{
    const int ret = spot_gnuplot_run(write_script, lines, svg_path, diag);

    if (ret == SPOT_ERR_BAD_PARAM) {
        spot_diag_error(
            diag, svg_path, 0, 0, "nothing can be drawn: all runs are empty");
    }
    return ret;
}

int
spot_progress_plot_script(
    const spot_progress_lines_t *lines, const char *svg_path, FILE *out)
{
    return write_script(lines, svg_path, out);
}
