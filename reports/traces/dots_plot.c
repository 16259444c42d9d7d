/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"

#define ROW_PX 26.0
#define LEFT_PX 176.0 /* room for the names of rows */
#define ENTRY_PX 19.0
#define SPREAD 0.56    /* the part of a row that its dots are spread over */
#define FINE_DECADES 2 /* up to here 2 and 5 are ticks, too */

typedef struct {
    const spot_dots_t *dots;
    const char *name;
    size_t num_drawn;
    size_t num_outside; /* of them at an edge */
} dots_plot_t;

static void
count_values(dots_plot_t *self)
{
    const spot_dots_t *dots = self->dots;

    for (size_t k = 0; k < dots->num_series; k++) {
        for (size_t j = 0; j < dots->num_rows; j++) {
            const double value = dots->series[k].values[j];

            self->num_drawn += isnan(value) ? 0 : 1;
            self->num_outside += value < dots->low || value > dots->high;
        }
    }
}

static void
write_points(const void *context, FILE *out)
{
    const dots_plot_t *self = context;
    const spot_dots_t *dots = self->dots;

    fputs("row,series,value,half_width\n", out);
    for (size_t j = 0; j < dots->num_rows; j++) {
        for (size_t k = 0; k < dots->num_series; k++) {
            const spot_dot_series_t *series = &dots->series[k];

            spot_csv_field_text(out, dots->rows[j]);
            fputc(',', out);
            spot_csv_field_text(out, series->label);
            spot_csv_field_number(out, series->values[j]);
            spot_csv_field_number(out,
                series->half_widths != NULL ? series->half_widths[j] : (double) NAN);
            fputc('\n', out);
        }
    }
}

/* At an edge where it lies outside. */
static double
place(const spot_dots_t *self, double value)
{
    const double shown = fmin(fmax(value, self->low), self->high);

    return self->is_log ? log10(shown) : shown;
}

/* From the top of a row downwards. */
static double
height(const spot_dots_t *self, size_t row_id, size_t series_id)
{
    const double share = ((double) series_id + 0.5) / (double) self->num_series - 0.5;

    return (double) (self->num_rows - row_id) - 0.5 - SPREAD * share;
}

static void
write_series(const spot_dots_t *self, size_t series_id, FILE *out)
{
    const spot_dot_series_t *series = &self->series[series_id];

    fprintf(out, "$series%zu << EOD\n", series_id);
    for (size_t j = 0; j < self->num_rows; j++) {
        const double value = series->values[j];
        double half_width = series->half_widths != NULL ? series->half_widths[j] : 0;

        if (isnan(value)) {
            continue;
        }
        half_width = isnan(half_width) ? 0 : half_width;
        fprintf(out, "%.7g %.7g %.7g %.7g\n", place(self, value),
            height(self, j, series_id), place(self, value - half_width),
            place(self, value + half_width));
    }
    fputs("EOD\n", out);
}

/* A series has its colour and its marker; the floor that of what is in the back. */
static const char *
colour_of(const spot_dots_t *self, size_t series_id)
{
    const size_t place_id = series_id - (size_t) (self->series[0].is_floor);

    return self->series[series_id].is_floor
               ? SPOT_INK_QUIET
               : spot_palette_colour(NULL, self->series[series_id].label, place_id);
}

static spot_marker_t
marker_of(const spot_dots_t *self, size_t series_id)
{
    static const spot_marker_t markers[] = {SPOT_MARKER_CIRCLE, SPOT_MARKER_SQUARE,
        SPOT_MARKER_TRIANGLE, SPOT_MARKER_DIAMOND, SPOT_MARKER_OPEN_CIRCLE};

    return self->series[series_id].is_floor
               ? SPOT_MARKER_OPEN_DIAMOND
               : markers[series_id % (sizeof(markers) / sizeof(markers[0]))];
}

static void
draw_texts(const spot_figure_t *figure, const spot_dots_t *self,
    const spot_panel_t *panel, const char *x_name)
{
    double y_px = panel->top_px + ENTRY_PX / 2;

    for (size_t j = 0; j < self->num_rows; j++) {
        spot_figure_text(figure, panel->left_px - 10,
            spot_panel_y_px(panel, (double) (self->num_rows - j) - 0.5), SPOT_TEXT_LABEL,
            SPOT_ALIGN_RIGHT, self->rows[j]);
    }
    spot_figure_x_name(figure, panel, 35, x_name);
    for (size_t k = 0; k < self->num_series; k++) {
        char label[SPOT_UTF8_SHOWN_BYTES + 4];

        (void) spot_utf8_shown(self->series[k].label, label);
        spot_figure_cut(label, SPOT_PICTURE_LABEL_CHARS);
        spot_figure_marker_entry(figure, panel->left_px + panel->width_px + 24, y_px,
            marker_of(self, k), colour_of(self, k), label);
        y_px += ENTRY_PX;
    }
}

static void
write_x_ticks(const spot_dots_t *self, FILE *out)
{
    static const double factors[] = {1, 2, 5};
    const double decades = log10(self->high / self->low);
    const char *separator = "";

    if (!self->is_log) {
        const spot_scale_t scale = spot_scale_around(self->low, self->high, 8);

        fprintf(out, "set xtics %.6g,%.6g\nset grid xtics\n", scale.low, scale.step);
        return;
    }
    fputs("set xtics (", out);
    for (double power = floor(log10(self->low)); power <= log10(self->high); power++) {
        for (size_t j = 0; j < (decades > FINE_DECADES ? 1 : 3); j++) {
            const double tick = factors[j] * pow(10, power);

            if (tick >= self->low * 0.999 && tick <= self->high * 1.001) {
                fprintf(out, "%s'%g' %.7g", separator, tick, log10(tick));
                separator = ", ";
            }
        }
    }
    fputs(")\nset grid xtics\n", out);
}

static void
write_plot(const spot_dots_t *self, FILE *out)
{
    fputs("set errorbars 0\nplot ", out);
    if (self->limit > 0) {
        for (int sign = -1; sign <= 1; sign++) {
            fprintf(out, "$limit using ($1 * %d):2 with lines lw 1.2%s lc rgb '%s', ",
                sign, sign == 0 ? "" : " dt (6,4)", SPOT_INK_QUIET);
        }
    }
    for (size_t k = 0; k < self->num_series; k++) {
        fprintf(out,
            "%s$series%zu using 1:2:3:4 with xerrorbars pt %d ps 0.8 lw 1.4 lc rgb '%s'",
            k > 0 ? ", " : "", k, (int) marker_of(self, k), colour_of(self, k));
    }
    fputc('\n', out);
}

static void
write_note(const dots_plot_t *self, char note[SPOT_PICTURE_TEXT_BYTES])
{
    char name[SPOT_UTF8_SHOWN_BYTES];
    const int used = snprintf(note, SPOT_PICTURE_TEXT_BYTES, "%s · %s%s",
        spot_utf8_shown(self->name, name), self->dots->note,
        self->num_drawn < self->dots->num_rows * self->dots->num_series
            ? " · no dot: undefined"
            : "");

    if (self->num_outside > 0 && used < SPOT_PICTURE_TEXT_BYTES) {
        snprintf(note + used, SPOT_PICTURE_TEXT_BYTES - (size_t) used,
            " · %zu value%s beyond the axis, drawn at its edge", self->num_outside,
            self->num_outside == 1 ? "" : "s");
    }
}

static int
write_script(const void *context, const char *picture_path, FILE *out)
{
    const dots_plot_t *self = context;
    const spot_dots_t *dots = self->dots;
    const double panel_px =
        fmax(ROW_PX * (double) dots->num_rows, ENTRY_PX * (double) dots->num_series);
    char note[SPOT_PICTURE_TEXT_BYTES];
    spot_figure_t figure;
    spot_panel_t panel;
    double top_px;

    write_note(self, note);
    top_px = spot_trace_picture_begin(
        &figure, out, picture_path, dots->title, note, panel_px + SPOT_PICTURE_FOOT_PX);
    panel = (spot_panel_t){.left_px = LEFT_PX,
        .top_px = top_px,
        .width_px = SPOT_PICTURE_WIDTH_PX - LEFT_PX - SPOT_PICTURE_RIGHT_PX,
        .height_px = panel_px,
        .x_low = place(dots, dots->low),
        .x_high = place(dots, dots->high),
        .y = {0, (double) dots->num_rows, 1}};
    draw_texts(&figure, dots, &panel, dots->x_name);
    spot_figure_panel(&figure, &panel, "");
    write_x_ticks(dots, out);
    fprintf(out, "$limit << EOD\n%.7g 0\n%.7g %zu\nEOD\n", dots->limit, dots->limit,
        dots->num_rows);
    for (size_t k = 0; k < dots->num_series; k++) {
        write_series(dots, k, out);
    }
    write_plot(dots, out);
    spot_figure_end(&figure);
    return ferror(out) ? SPOT_ERR_IO : 0;
}

int
spot_trace_plot_dots(
    const spot_dots_t *self, const char *folder, const char *name, spot_diag_t *diag)
{
    dots_plot_t plot = {.dots = self, .name = name};

    count_values(&plot);
    return spot_trace_picture_make(
        &(spot_trace_picture_t){.folder = folder,
            .name = name,
            .what = self->what,
            .problem = plot.num_drawn == 0 ? "all values are undefined" : NULL,
            .write_points = write_points,
            .write_script = write_script,
            .context = &plot},
        diag);
}
