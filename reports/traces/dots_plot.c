/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/traces/trace_figures.h"
#include "reports/traces/trace_picture.h"

#define SPREAD 0.56 /* the part of a row that its dots are spread over */

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

/* A series has its colour and its marker; the floor that of what is in the back. */
static const char *
colour_of(const spot_dots_t *self, size_t series_id)
{
    const size_t place_id = series_id - (size_t) (self->series[0].is_floor);

    return self->series[series_id].is_floor
               ? SPOT_INK_QUIET
               : spot_palette_colour(NULL, self->series[series_id].label, place_id);
}

/* At an edge where it lies outside. */
static double
place(const spot_dots_t *self, double value)
{
    return fmin(fmax(value, self->low), self->high);
}

static void
declare_series(const spot_dots_t *self, size_t series_id, spot_chart_t *chart)
{
    static const spot_chart_marker_t markers[] = {SPOT_CHART_CIRCLE, SPOT_CHART_SQUARE,
        SPOT_CHART_TRIANGLE, SPOT_CHART_DIAMOND, SPOT_CHART_DOWN};
    const spot_dot_series_t *series = &self->series[series_id];
    const double from_middle =
        SPREAD * (((double) series_id + 0.5) / (double) self->num_series - 0.5);
    char label[SPOT_UTF8_SHOWN_BYTES];

    (void) spot_utf8_shown(series->label, label);
    spot_chart_series(chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
            .name = label,
            .colour = colour_of(self, series_id),
            .marker = series->is_floor
                          ? SPOT_CHART_DIAMOND
                          : markers[series_id % (sizeof(markers) / sizeof(markers[0]))],
            .is_hollow = series->is_floor});
    for (size_t j = 0; j < self->num_rows; j++) {
        const double value = series->values[j];
        const double half_width =
            series->half_widths == NULL || isnan(series->half_widths[j])
                ? 0
                : series->half_widths[j];

        if (!isnan(value)) {
            spot_chart_add(chart, &(spot_chart_datum_t){.x = place(self, value),
                                      .y = (double) j + from_middle,
                                      .x_low = place(self, value - half_width),
                                      .x_high = place(self, value + half_width)});
        }
    }
}

static int
declare(spot_chart_t *chart, const void *context)
{
    const dots_plot_t *self = context;
    const spot_dots_t *dots = self->dots;
    char name[SPOT_UTF8_SHOWN_BYTES];

    spot_chart_title(chart, "%s", dots->title);
    spot_chart_note(chart, "%s · %s%s", spot_utf8_shown(self->name, name), dots->note,
        self->num_drawn < dots->num_rows * dots->num_series ? " · no dot: undefined"
                                                            : "");
    if (self->num_outside > 0) {
        spot_chart_note(chart, "%zu value%s beyond the axis, drawn at its edge",
            self->num_outside, self->num_outside == 1 ? "" : "s");
    }
    spot_chart_panel(
        chart, &(spot_chart_panel_t){
                   .x = {.kind = dots->is_log ? SPOT_CHART_LOG : SPOT_CHART_LINEAR,
                       .name = dots->x_name,
                       .low = dots->low,
                       .high = dots->high},
                   .y = {.kind = SPOT_CHART_ROWS}});
    for (size_t j = 0; j < dots->num_rows; j++) {
        (void) spot_chart_row(chart, &(spot_chart_row_t){.name = dots->rows[j]});
    }
    for (int sign = -1; sign <= 1 && dots->limit > 0; sign++) {
        spot_chart_rule(
            chart, &(spot_chart_rule_t){.direction = SPOT_CHART_VERTICAL,
                       .at = sign * dots->limit,
                       .dash = sign == 0 ? SPOT_CHART_SOLID : SPOT_CHART_DASHED});
    }
    for (size_t k = 0; k < dots->num_series; k++) {
        declare_series(dots, k, chart);
    }
    return spot_chart_error(chart);
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
            .declare = declare,
            .context = &plot},
        diag);
}
