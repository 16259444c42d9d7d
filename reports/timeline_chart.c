/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/timeline_chart.h"

#include <math.h>
#include <stdint.h>

#include "reports/curve.h"
#include "reports/palette.h"
#include "reports/timeline_bins.h"

#define STRIP_PX 17.0

typedef struct {
    const spot_run_series_t *run;
    const spot_timeline_bins_t *bins;
    spot_chart_t *chart;
} timeline_t;

/* Of all panels: the last one has the labels. */
static spot_chart_axis_t
time_axis(const spot_run_series_t *run)
{
    return (spot_chart_axis_t){
        .unit = SPOT_CHART_MS, .name = "time", .high = run->end_ms, .group = 1};
}

static void
declare_words(const timeline_t *self)
{
    const spot_run_series_t *run = self->run;

    spot_chart_title(self->chart, "%s", run->title);
    if (run->note[0] != '\0') {
        spot_chart_note(self->chart, "%s", run->note);
    }
    if (run->levels != NULL) {
        spot_chart_note(self->chart, "%s over time%s, and each category's share",
            spot_run_series_level_noun(run),
            self->bins->is_thinned ? ": averages, peaks (grey), dips (line)" : "");
    }
}

/* What is drawn of bins beside the heights of levels. */
#define PEAK SIZE_MAX
#define DIP (SIZE_MAX - 1)

static double
value_of(const spot_timeline_bin_t *bin, size_t what)
{
    return what == PEAK ? bin->peak : what == DIP ? bin->dip : bin->heights[what];
}

/* One value a bin, from its start on. what: a level, PEAK or DIP. */
static void
add_bins(const timeline_t *self, const spot_chart_series_t *series, size_t what)
{
    const spot_timeline_bins_t *bins = self->bins;

    spot_chart_series(self->chart, series);
    for (size_t j = 0; j < bins->num_bins; j++) {
        spot_chart_add_xy(
            self->chart, bins->bins[j].start_ms, value_of(&bins->bins[j], what));
    }
    if (bins->num_bins > 0) {
        spot_chart_add_xy(self->chart, self->run->end_ms,
            value_of(&bins->bins[bins->num_bins - 1], what));
    }
}

/* Where the stack is averages, a shade behind it goes up to the peaks, and a thin line
 * over it tells the dips. */
static void
declare_levels(const timeline_t *self)
{
    const spot_run_series_t *run = self->run;
    const bool is_thinned = self->bins->is_thinned;

    spot_chart_panel(self->chart, &(spot_chart_panel_t){.x = time_axis(run),
                                      .y = {.name = spot_run_series_level_noun(run),
                                          .high = fmax(self->bins->peak, 1)},
                                      .height_px = 260});
    if (is_thinned) {
        add_bins(self,
            &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                .is_alone = true,
                .colour = SPOT_INK_GRID},
            PEAK);
    }
    for (size_t k = 0; k < run->num_levels; k++) {
        const char *name = spot_run_series_level(run, k);
        char share[32];

        if (self->bins->shares[k] > 0) {
            snprintf(share, sizeof(share), "%.1f %%", 100 * self->bins->shares[k]);
            add_bins(self,
                &(spot_chart_series_t){.kind = SPOT_CHART_AREA_STEPS,
                    .name = name,
                    .side = share,
                    .name_at = SPOT_CHART_NAME_LEGEND,
                    .colour = spot_palette_colour(run->colours, name, k)},
                k);
        }
    }
    if (is_thinned) {
        add_bins(self,
            &(spot_chart_series_t){
                .kind = SPOT_CHART_STEPS, .colour = SPOT_INK_LABEL, .width_px = 0.4},
            DIP);
    }
    add_bins(self,
        &(spot_chart_series_t){.kind = SPOT_CHART_STEPS,
            .colour = is_thinned ? SPOT_INK_OTHER : SPOT_INK_LABEL,
            .width_px = 0.7},
        PEAK);
}

/* The events of a kind, if there are any: a stroke for each bin that has some; the more
 * they count, the longer it is. */
static void
declare_strip(const timeline_t *self, int32_t mark_kind)
{
    const spot_run_series_t *run = self->run;
    spot_timeline_mark_bin_t bins[SPOT_MAX_BINS];
    const char *name = run->mark_names[mark_kind];
    const size_t num_marks =
        spot_timeline_bin_marks(run, mark_kind, SPOT_MAX_BINS, bins);
    int64_t most = 1;
    char text[96];

    if (num_marks == 0) {
        return;
    }
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        most = bins[j].count > most ? bins[j].count : most;
    }
    snprintf(text, sizeof(text), "%s, %zu time%s", name, num_marks,
        num_marks == 1 ? "" : "s");
    spot_chart_panel(self->chart, &(spot_chart_panel_t){.x = time_axis(run),
                                      .y = {.high = 1, .is_hidden = true},
                                      .is_below = true,
                                      .height_px = STRIP_PX});
    spot_chart_series(self->chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_STROKES,
            .name = text,
            .colour = spot_palette_colour(run->colours, name, (size_t) mark_kind)});
    for (size_t j = 0; j < SPOT_MAX_BINS; j++) {
        if (bins[j].num_marks > 0) {
            spot_chart_add_xy(self->chart,
                ((double) j + 0.5) * run->end_ms / SPOT_MAX_BINS,
                0.3 + 0.7 * (double) bins[j].count / (double) most);
        }
    }
}

/* The curve over a shade, named by how far it came. */
static int
declare_curve(const timeline_t *self)
{
    const spot_run_series_t *run = self->run;
    const char *noun = spot_run_series_curve_noun(run);
    char text[96] = "";
    spot_curve_t curve = {0};
    int ret = 0;

    for (size_t j = 0; j < run->curve->num_rows && ret == 0; j++) {
        ret = spot_curve_add(
            &curve, spot_run_time_ms(run->curve, j), spot_run_value(run->curve, j, 1));
    }
    if (curve.num_points > 0) {
        const double last = curve.points[curve.num_points - 1].y;

        snprintf(text, sizeof(text), "%.*f %s", last == floor(last) ? 0 : 2, last, noun);
    }
    spot_curve_thin(&curve, 0, run->end_ms, false);
    spot_chart_panel(self->chart, &(spot_chart_panel_t){.x = time_axis(run),
                                      .y = {.name = noun, .has_zero = true},
                                      .is_below = true,
                                      .height_px = 80});
    for (int is_line = 0; is_line < 2; is_line++) {
        spot_chart_series(self->chart,
            &(spot_chart_series_t){.kind = is_line ? SPOT_CHART_LINE : SPOT_CHART_AREA,
                .name = is_line ? text : NULL,
                .is_alone = !is_line,
                .is_faint = !is_line,
                .colour = SPOT_INK_ACCENT,
                .width_px = 1.6});
        for (size_t j = 0; j < curve.num_points; j++) {
            spot_chart_add_xy(self->chart, curve.points[j].x, curve.points[j].y);
        }
    }
    spot_curve_free(&curve);
    return ret;
}

int
spot_timeline_declare(spot_chart_t *chart, const void *context)
{
    const spot_run_series_t *run = context;
    spot_timeline_bins_t bins;
    const timeline_t self = {.run = run, .bins = &bins, .chart = chart};
    int ret = spot_timeline_bins_init(&bins, run, SPOT_MAX_BINS);

    if (ret == 0) {
        declare_words(&self);
        if (run->levels != NULL) {
            declare_levels(&self);
        }
        for (size_t j = 0; j < run->num_mark_kinds; j++) {
            declare_strip(&self, (int32_t) j);
        }
        if (run->curve != NULL) {
            ret = declare_curve(&self);
        }
    }
    spot_timeline_bins_free(&bins);
    return ret == 0 ? spot_chart_error(chart) : ret;
}
