/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/difference_plot.h"

#include <math.h>
#include <string.h>

#include "reports/difference_rows.h"
#include "reports/figure.h"
#include "reports/named_rows.h"
#include "reports/palette.h"
#include "reports/series_look.h"
#include "reports/series_panels.h"

#define MIN_CURVE_X 4 /* values along x that are worth a curve */
#define PANEL_PX 340.0
#define PANEL_HEAD_PX 34.0
#define PANEL_TITLE_PX 20.0 /* where there are several */
#define PANEL_FOOT_PX 78.0
#define MAX_RIGHT_PX 300.0
#define NAME_CHARS 36
#define ROW_PX 24.0
#define ROW_CHARS 46
#define NAME_GAP_PX 12.0
#define ROWS_FOOT_PX 56.0

typedef struct {
    spot_metric_differences_t differences;
    const spot_study_head_t *head;
    const spot_curves_t *curves; /* NULL: rows are drawn */
    spot_series_panels_t panels; /* of curves */
    spot_figure_t figure;
    spot_scale_t scale; /* of differences */
    bool is_cut;        /* there are more panels or rows than are drawn */
    size_t num_rows;    /* drawn */
    size_t point_ids[SPOT_MAX_DIFFERENCE_ROWS];
} difference_plot_t;

static const char *
colour_of(const difference_plot_t *self, size_t point_id)
{
    const size_t axis_id = self->head->baseline_axis_id;

    return spot_series_colour(
        self->head, axis_id, spot_study_value_id(self->head, point_id, axis_id));
}

/* Around all differences and 0. */
static void
choose_scale(difference_plot_t *self)
{
    double low = 0, high = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_difference_t difference = spot_difference_at(&self->differences, j);

        low = fmin(low, difference.low); /* fmin() passes over NAN */
        high = fmax(high, difference.high);
    }
    self->scale = spot_scale_around(low, high, 7);
}

static void
draw_head(const difference_plot_t *self)
{
    const size_t num_drawn =
        self->curves != NULL ? self->panels.grid.num_panels : self->num_rows;
    char note[SPOT_NOTE_BYTES];
    size_t used;

    spot_study_run_words(self->differences.report, note);
    used = strlen(note);
    used += (size_t) snprintf(note + used, sizeof(note) - used,
        " · paired differences, %s: 95 %% interval, grey dot: it includes 0",
        self->curves != NULL ? "band" : "bar");
    if (self->is_cut) {
        snprintf(note + used, sizeof(note) - used, " · only the first %zu %s", num_drawn,
            self->curves != NULL ? "panels" : "points");
    }
    spot_study_head_draw_note(&self->figure, self->head, note);
}

/* "more idle than 16" with an arrow before or behind it. */
static void
direction_words(const difference_plot_t *self, bool is_above, const char *before,
    const char *behind, char text[SPOT_NOTE_BYTES + 16])
{
    char words[SPOT_NOTE_BYTES];

    spot_difference_words(&self->differences, is_above, words);
    snprintf(text, SPOT_NOTE_BYTES + 16, "%s%s%s", before, words, behind);
}

/* ---- Rows ---- */

static void
choose_rows(difference_plot_t *self)
{
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (isfinite(spot_difference_at(&self->differences, j).mean)) {
            self->is_cut = self->num_rows == SPOT_MAX_DIFFERENCE_ROWS;
            if (self->is_cut) {
                break;
            }
            self->point_ids[self->num_rows++] = j;
        }
    }
}

static void
row_words(const void *context, size_t row_id, char text[SPOT_POINT_BYTES])
{
    const difference_plot_t *self = context;

    spot_point_words(self->head, self->point_ids[row_id], ROW_CHARS, text);
}

static void
draw_row_texts(const difference_plot_t *self, const spot_panel_t *panel)
{
    char text[SPOT_NOTE_BYTES + 16];

    if (self->scale.low < 0) {
        direction_words(self, false, "← ", "", text);
        spot_figure_text(&self->figure, panel->left_px, panel->top_px - 14,
            SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, text);
    }
    if (self->scale.high > 0) {
        direction_words(self, true, "", " →", text);
        spot_figure_text(&self->figure, panel->left_px + panel->width_px,
            panel->top_px - 14, SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT, text);
    }
    spot_difference_axis_words(&self->differences, text);
    spot_figure_x_name(&self->figure, panel, 36, text);
}

static void
write_rows(const difference_plot_t *self, const spot_panel_t *panel)
{
    FILE *out = self->figure.out;

    fprintf(out, "$zero << EOD\n0 0\n0 %zu\nEOD\n", self->num_rows);
    for (size_t j = 0; j < self->num_rows; j++) {
        const spot_difference_t difference =
            spot_difference_at(&self->differences, self->point_ids[j]);

        fprintf(out, "$row%zu << EOD\n%.6g %.6g %.6g %.6g\nEOD\n", j, difference.mean,
            (double) j + 0.5, difference.low, difference.high);
    }
    spot_named_rows_grid(&self->figure);
    spot_study_round_x_ticks(&self->figure, panel);
    spot_figure_panel(&self->figure, panel, "");
    fprintf(out,
        "set errorbars 0\nplot $zero using 1:2 with lines lw 1.2 lc rgb '%s', \\\n",
        SPOT_INK_QUIET);
    for (size_t j = 0; j < self->num_rows; j++) {
        const bool is_sure =
            spot_difference_at(&self->differences, self->point_ids[j]).is_sure;

        fprintf(out,
            "$row%zu using 1:2:3:4 with xerrorbars pt %d ps 0.8 lw 1.6 lc rgb '%s', "
            "\\\n",
            j, is_sure ? (int) SPOT_MARKER_CIRCLE : (int) SPOT_MARKER_OPEN_CIRCLE,
            is_sure ? colour_of(self, self->point_ids[j]) : SPOT_INK_OTHER);
    }
    fputs("NaN\n", out);
}

static void
write_row_picture(difference_plot_t *self, const char *picture_path, FILE *out)
{
    spot_named_rows_t rows = {0, NAME_GAP_PX, row_words, self};
    spot_panel_t panel;

    choose_rows(self);
    rows.num_rows = self->num_rows;
    panel = spot_named_rows_panel(&rows, spot_study_head_px(self->head) + PANEL_HEAD_PX,
        ROW_PX, self->scale.low, self->scale.high);
    spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX,
        panel.top_px + panel.height_px + ROWS_FOOT_PX, picture_path);
    draw_head(self);
    spot_named_rows_names(&rows, &self->figure, &panel);
    draw_row_texts(self, &panel);
    write_rows(self, &panel);
    spot_figure_end_panel(&self->figure);
    spot_figure_end(&self->figure);
}

/* ---- Curves ---- */

static spot_mark_t
mark_at(const void *context, size_t point_id)
{
    const difference_plot_t *self = context;
    const spot_difference_t difference =
        spot_difference_at(&self->differences, point_id);

    return (spot_mark_t){
        difference.mean, difference.low, difference.high, difference.is_sure};
}

static void
value_words(const void *context, size_t value_id, char text[SPOT_NOTE_BYTES])
{
    const difference_plot_t *self = context;

    spot_compared_words(self->head, value_id, text);
}

static int
choose_panels(difference_plot_t *self)
{
    spot_study_grid_t *grid = &self->panels.grid;
    int ret;

    self->panels = (spot_series_panels_t){
        .curves = self->curves,
        .figure = &self->figure,
        .axis_id = self->head->baseline_axis_id,
        .left_out_id = self->head->baseline_value_id,
        .name_chars = NAME_CHARS,
        .tells_sure = true,
        .mark_at = mark_at,
        .words = value_words,
        .context = self,
    };
    ret = spot_series_panels_init(&self->panels);
    if (ret != 0) {
        return ret;
    }
    self->is_cut = self->panels.is_cut;
    grid->right_px = spot_series_names_px(&self->panels, MAX_RIGHT_PX);
    grid->head_px = PANEL_HEAD_PX + (grid->num_panels > 1 ? PANEL_TITLE_PX : 0);
    grid->panel_px = PANEL_PX;
    grid->foot_px = PANEL_FOOT_PX;
    grid->x_high = grid->x_high > grid->x_low ? grid->x_high : grid->x_low + 1;
    grid->y = self->scale;
    return 0;
}

/* Bands below curves, and dots upon them: grey where the interval includes 0. */
static void
write_plot(const difference_plot_t *self, const spot_series_panel_t *at)
{
    FILE *out = self->figure.out;

    fprintf(out, "plot 0 with lines lw 1.2 lc rgb '%s', \\\n", SPOT_INK_QUIET);
    spot_series_bands(&self->panels, at);
    for (size_t j = 0; j < at->num_series; j++) {
        const size_t id = at->series_ids[j];
        const size_t value_id = spot_series_value(&self->panels, id);
        const char *colour = spot_series_ink(&self->panels, id);
        const int marker = (int) spot_series_marker(value_id);
        const bool is_bound =
            spot_series_is_bound(self->head, self->head->baseline_axis_id, value_id);

        fprintf(out,
            "$series%zu using 1:2 with lines lw 2 %slc rgb '%s', \\\n"
            "$series%zu using 1:($5 == 1 ? $2 : NaN) with points pt %d ps 0.6 lc rgb "
            "'%s', $series%zu using 1:($5 == 0 ? $2 : NaN) with points pt %d ps 0.6 "
            "lc rgb '%s', \\\n",
            id, is_bound ? "dt (8,5) " : "", colour, id, marker, colour, id, marker,
            SPOT_INK_AXIS);
    }
    fputs("NaN\n", out);
}

/* What is above and what is below 0, and the names of the axes. */
static void
draw_axes(const difference_plot_t *self, const spot_panel_t *panel)
{
    const double bottom_px = panel->top_px + panel->height_px;
    char text[SPOT_NOTE_BYTES + 16], words[SPOT_WORDS_BYTES], unit[SPOT_NOTE_BYTES];

    if (self->scale.high > 0) {
        direction_words(self, true, "↑ ", "", text);
        spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, panel->top_px - 16,
            SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, text);
    }
    spot_difference_axis_words(&self->differences, unit);
    spot_figure_text(&self->figure, panel->left_px + panel->width_px, panel->top_px - 16,
        SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT, unit);
    direction_words(self, false, "↓ ", "", text);
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, bottom_px + 34, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, text);
    spot_x_words(self->head, self->curves->axis_id, words);
    spot_figure_x_name(&self->figure, panel, 54, words);
    spot_study_round_x_ticks(&self->figure, panel);
    spot_figure_panel(&self->figure, panel, "%g");
}

static void
draw_panel(const difference_plot_t *self, size_t panel_id)
{
    const spot_series_panels_t *panels = &self->panels;
    const spot_series_panel_t at = spot_series_panel(panels, panel_id);

    spot_series_title(panels, &at, panels->grid.head_px - 14);
    spot_series_names(panels, &at);
    draw_axes(self, &at.panel);
    spot_series_data(panels, &at);
    write_plot(self, &at);
    spot_figure_end_panel(&self->figure);
}

static int
write_curve_picture(difference_plot_t *self, const char *picture_path, FILE *out)
{
    const int ret = choose_panels(self);

    if (ret == 0) {
        spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX,
            spot_study_grid_px(&self->panels.grid), picture_path);
        draw_head(self);
        for (size_t j = 0; j < self->panels.grid.num_panels; j++) {
            draw_panel(self, j);
        }
        spot_figure_end(&self->figure);
    }
    spot_series_panels_free(&self->panels);
    return ret;
}

/* Whether the points have an order along a number worth a curve. */
static bool
has_curves(const spot_curves_t *curves)
{
    return !curves->has_all_in_one &&
           curves->axis_id != curves->head->baseline_axis_id &&
           curves->head->axes[curves->axis_id].num_values >= MIN_CURVE_X;
}

int
spot_difference_plot_script(
    const spot_report_t *report, const char *picture_path, FILE *out)
{
    difference_plot_t self = {
        .differences = spot_metric_differences_of(report), .head = report->head};
    const char *problem = NULL;
    spot_curves_t curves;
    int ret = spot_curves_init(&curves, report, &problem);

    choose_scale(&self);
    if (ret == 0 && has_curves(&curves)) {
        self.curves = &curves;
        ret = write_curve_picture(&self, picture_path, out);
    } else if (ret == 0 || ret == SPOT_ERR_BAD_PARAM) { /* there are points, at least */
        write_row_picture(&self, picture_path, out);
        ret = 0;
    }
    spot_curves_free(&curves);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}
