/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/progress_chart.h"

#include <math.h>

#include "reports/curve.h"
#include "reports/palette.h"
#include "reports/words.h"

/* "checkpoint  1512": a curve with how far it came. Where the colours come again, the
 * strokes differ. */
static int declare_line(
    spot_chart_t *chart, const spot_progress_lines_t *lines, size_t line_id, double end_ms)
{
    const spot_run_series_t *run = &lines->runs[line_id];
    const size_t num_points = run->curve == NULL ? 0 : run->curve->num_rows;
    const double last = num_points == 0 ? 0 : spot_run_value(run->curve, num_points - 1, 1);
    spot_texts_t texts = {0};
    const spot_chart_series_t series = {.kind = SPOT_CHART_LINE,
        .name = spot_texts_add(
            &texts, "%s  %s", lines->names[line_id], spot_words_number(&texts, last)),
        .name_at = SPOT_CHART_NAME_END,
        .colour = spot_palette_line_colour(line_id),
        .dash = (spot_chart_dash_t) (line_id / SPOT_NUM_LINE_COLOURS % 3),
        .width_px = 1.8};
    spot_curve_t curve = {0};
    int ret = texts.error;

    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        ret = spot_curve_add(
            &curve, spot_run_time_ms(run->curve, j), spot_run_value(run->curve, j, 1));
    }
    spot_curve_thin(&curve, 0, end_ms, false);
    spot_chart_series(chart, &series);
    for (size_t j = 0; j < curve.num_points; j++) {
        spot_chart_add_xy(chart, curve.points[j].x, curve.points[j].y);
    }
    spot_curve_free(&curve);
    spot_texts_free(&texts);
    return ret;
}

int spot_progress_declare(spot_chart_t *chart, const void *context)
{
    const spot_progress_lines_t *lines = context;
    const char *noun = NULL;
    double end_ms = 0;
    int ret = 0;

    for (size_t j = 0; j < lines->num_lines; j++) {
        end_ms = fmax(end_ms, lines->runs[j].end_ms);
        if (noun == NULL && lines->runs[j].curve != NULL) {
            noun = spot_run_series_curve_noun(&lines->runs[j]);
        }
    }
    if (end_ms <= 0) {
        return SPOT_ERR_BAD_PARAM;
    }
    spot_chart_title(chart, "%s", lines->title);
    spot_chart_note(chart, "%s", lines->note);
    spot_chart_panel(
        chart, &(spot_chart_panel_t){.x = {.unit = SPOT_CHART_MS, .name = "time", .high = end_ms},
                   .y = {.name = noun, .has_zero = true},
                   .height_px = 340});
    for (size_t j = 0; ret == 0 && j < lines->num_lines; j++) {
        ret = declare_line(chart, lines, j, end_ms);
    }
    return ret == 0 ? spot_chart_error(chart) : ret;
}
