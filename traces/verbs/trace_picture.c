/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/verbs/trace_picture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/outfile.h"
#include "base/verb/output.h"
#include "base/verb/table.h"

const spot_chart_series_t spot_trace_picture_median = {.kind = SPOT_CHART_STEPS,
    .name = "A: median (dashed)",
    .colour = SPOT_INK_ACCENT,
    .dash = SPOT_CHART_DASHED,
    .width_px = 1.4};

bool spot_trace_picture_begin(spot_trace_picture_t *self, const char *const *columns)
{
    *self = (spot_trace_picture_t){.chart = spot_chart_new()};
    for (; *columns != NULL; columns++) {
        spot_table_add_column(
            &self->data, (spot_table_column_t){.name = *columns, .num_digits = 8});
    }
    self->error = self->chart == NULL ? SPOT_ERR_NO_MEMORY : 0;
    return self->error == 0;
}

/* What is written to a file. */
typedef int (*writer_t)(spot_trace_picture_t *self, FILE *out);

static int write_data(spot_trace_picture_t *self, FILE *out)
{
    return spot_table_write_csv(&self->data, out);
}

static int write_chart(spot_trace_picture_t *self, FILE *out)
{
    return spot_output_chart(self->chart, out);
}

static int write_file(
    spot_trace_picture_t *self, writer_t write, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        ret = write(self, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

static int write_files(spot_trace_picture_t *self, const char *folder, const char *name,
    const char *what, spot_diag_t *diag)
{
    char *csv_path = spot_picture_path(folder, name, what, "csv");
    char *svg_path = spot_picture_path(folder, name, what, "svg");
    int ret = csv_path == NULL || svg_path == NULL ? SPOT_ERR_NO_MEMORY
                                                   : spot_folder_make(folder, NULL, diag);

    if (ret == 0) {
        ret = write_file(self, write_data, csv_path, diag);
    }
    if (ret == 0 && self->problem != NULL) {
        spot_diag_warn(diag, svg_path, 0, 0, "nothing can be drawn: %s", self->problem);
        (void) unlink(svg_path); /* most often it is not there */
    } else if (ret == 0) {
        ret = write_file(self, write_chart, svg_path, diag);
    }
    free(csv_path);
    free(svg_path);
    return ret;
}

int spot_trace_picture_end(spot_trace_picture_t *self, const char *folder, const char *name,
    const char *what, spot_diag_t *diag)
{
    int ret = spot_error_first(self->error, self->texts.error);

    if (ret == 0) {
        ret = spot_chart_error(self->chart);
    }
    if (ret == 0) {
        ret = write_files(self, folder, name, what, diag);
    }
    spot_chart_free(self->chart);
    spot_table_free(&self->data);
    spot_texts_free(&self->texts);
    return ret;
}

void spot_trace_picture_point(spot_trace_picture_t *self, spot_curve_t *curve, double x, double y)
{
    self->error = spot_error_first(self->error, spot_curve_add(curve, x, y));
}

void spot_trace_picture_row(
    spot_trace_picture_t *self, const char *series, size_t num_values, const double *values)
{
    spot_table_add_row(&self->data);
    if (series != NULL) {
        spot_table_add_text(&self->data, series);
    }
    for (size_t j = 0; j < num_values; j++) {
        spot_table_add_number(&self->data, values[j]);
    }
}

void spot_trace_picture_rows(
    spot_trace_picture_t *self, const char *series, const spot_curve_t *curve, double unit)
{
    for (size_t j = 0; j < curve->num_points; j++) {
        spot_trace_picture_row(
            self, series, 2, (double[]){curve->points[j].x / unit, curve->points[j].y});
    }
}

void spot_trace_picture_curve(spot_trace_picture_t *self, const spot_chart_series_t *series,
    const spot_curve_t *curve, double factor, double least)
{
    spot_chart_series(self->chart, series);
    for (size_t j = 0; j < curve->num_points; j++) {
        const double y = factor * curve->points[j].y;

        spot_chart_add_xy(self->chart, curve->points[j].x, isnan(y) ? y : fmax(y, least));
    }
}

const char *spot_trace_population_word(spot_trace_kind_t kind)
{
    return kind == SPOT_TRACE_AVAILABILITY ? "obtainable" : "running";
}
