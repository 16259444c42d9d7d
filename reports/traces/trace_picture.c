/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/traces/trace_picture.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/csv_field.h"
#include "base/outfile.h"
#include "reports/picture_files.h"

static int
write_points(const spot_trace_picture_t *self, const char *path, spot_diag_t *diag)
{
    spot_outfile_t file;
    const int ret = spot_outfile_init(&file, path, diag);

    if (ret == 0) {
        self->write_points(self->context, file.stream);
    }
    return spot_outfile_close(&file, ret, diag);
}

int
spot_trace_picture_make(const spot_trace_picture_t *self, spot_diag_t *diag)
{
    char *csv_path, *svg_path, what[64];
    int ret = SPOT_ERR_NO_MEMORY;

    snprintf(what, sizeof(what), "%s%s%s", self->sample == NULL ? "" : self->sample,
        self->sample == NULL ? "" : "-", self->what);
    csv_path = spot_picture_path(self->folder, self->name, what, "csv");
    svg_path = spot_picture_path(self->folder, self->name, what, "svg");
    if (csv_path == NULL || svg_path == NULL) {
        goto out;
    }
    ret = spot_picture_make_folder(self->folder, diag);
    if (ret == 0) {
        ret = write_points(self, csv_path, diag);
    }
    if (ret != 0) {
        goto out;
    }
    if (self->problem != NULL) {
        spot_diag_warn(diag, svg_path, 0, 0, "nothing can be drawn: %s", self->problem);
        (void) unlink(svg_path); /* most often it is not there */
        goto out;
    }
    ret = spot_draw_file(self->declare, self->context, SPOT_FORMAT_SVG, svg_path, diag);
out:
    free(csv_path);
    free(svg_path);
    return ret;
}

void
spot_trace_picture_survival_panel(
    spot_chart_t *chart, double low_s, double high_s, double low_share)
{
    spot_chart_panel(chart, &(spot_chart_panel_t){.x = {.kind = SPOT_CHART_LOG,
                                                      .unit = SPOT_CHART_S,
                                                      .name = "duration (logarithmic)",
                                                      .low = low_s,
                                                      .high = high_s},
                                .y = {.kind = SPOT_CHART_LOG,
                                    .unit = SPOT_CHART_PERCENT,
                                    .name = "share that lasts longer (logarithmic)",
                                    .low = 100 * low_share,
                                    .high = 100},
                                .height_px = 360});
}

void
spot_trace_picture_add_survival(
    spot_chart_t *chart, const spot_curve_t *curve, double low_share)
{
    for (size_t j = 0; j < curve->num_points; j++) {
        spot_chart_add_xy(
            chart, curve->points[j].x, 100 * fmax(curve->points[j].y, low_share / 10));
    }
}

void
spot_trace_picture_write_curve(const char *series, const spot_curve_t *curve,
    double unit, const char *tail, FILE *out)
{
    for (size_t j = 0; j < curve->num_points; j++) {
        fputs(series, out);
        spot_csv_field_number(out, curve->points[j].x / unit);
        spot_csv_field_number(out, curve->points[j].y);
        fprintf(out, "%s\n", tail);
    }
}

void
spot_duration_words(double duration_s, char words[SPOT_DURATION_WORDS_BYTES])
{
    static const struct {
        const char *name;
        double unit_s;
    } units[] = {{"d", 86400}, {"h", 3600}, {"min", 60}};

    for (size_t j = 0; j < sizeof(units) / sizeof(units[0]); j++) {
        if (duration_s >= 2 * units[j].unit_s) {
            const double number = duration_s / units[j].unit_s;

            snprintf(words, SPOT_DURATION_WORDS_BYTES,
                number < 999.5 ? "%.3g %s" : "%.0f %s", number, units[j].name);
            return;
        }
    }
    snprintf(words, SPOT_DURATION_WORDS_BYTES, "%.3g s", duration_s);
}
