/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/curve_panels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/figure.h"
#include "reports/series_look.h"
#include "reports/series_panels.h"
#include "reports/study_head.h"
#include "reports/study_words.h"
#include "reports/value_label.h"
#include "sim/analysis/winners.h"

#define PANEL_PX 430.0
#define PANEL_FOOT_PX 62.0
#define PANEL_TITLE_PX 20.0 /* where there are several */
#define Y_NAME_PX 30.0
#define STRIP_PX 9.0       /* the strip of winners */
#define STRIP_ROOM_PX 36.0 /* with the names above it */
#define STRIP_GAP_PX 10.0  /* between it and the panel */
#define MAX_RIGHT_PX 340.0
#define NAME_CHARS 40
#define MIN_SHARE 0.012 /* of the width, that the strip of a single x has */

typedef struct {
    const spot_curves_t *curves;
    const spot_study_head_t *head;
    const spot_winners_t *winners; /* NULL: the strip is not drawn */
    spot_series_panels_t panels;
    spot_figure_t figure;
    spot_shown_unit_t shown; /* factor 100 for percent */
} picture_t;

/* ---- What is drawn ---- */

static spot_mark_t
mark_at(const void *context, size_t point_id)
{
    const picture_t *self = context;
    const spot_summary_t *y =
        spot_report_summary(self->curves->report, point_id, (size_t) self->curves->y_id);

    return (spot_mark_t){.mean = self->shown.factor * y->value,
        .low = self->shown.factor * fmin(y->value, y->ci_low),
        .high = self->shown.factor * fmax(y->value, y->ci_high)};
}

static void
value_words(const void *context, size_t value_id, char text[SPOT_NOTE_BYTES])
{
    const picture_t *self = context;

    (void) spot_value_label(
        &self->head->axes[self->curves->curve_axis_id], value_id, text);
}

static void
choose_layout(picture_t *self)
{
    spot_study_grid_t *grid = &self->panels.grid;
    const double low = grid->x_low, high = grid->x_high;
    const double widen =
        high > low ? (high - low) * MIN_SHARE : fmax(fabs(low) * 0.1, 1);

    grid->right_px = spot_series_names_px(&self->panels, MAX_RIGHT_PX);
    grid->head_px = Y_NAME_PX + (grid->num_panels > 1 ? PANEL_TITLE_PX : 0) +
                    (self->winners != NULL ? STRIP_ROOM_PX : 0);
    grid->panel_px = PANEL_PX;
    grid->foot_px = PANEL_FOOT_PX;
    grid->x_low = low - widen;
    grid->x_high = high + widen;
    grid->y =
        spot_study_y_scale(self->curves, self->curves->num_panels, self->shown.factor);
}

/* ---- The strip of winners ---- */

/* One value of x with the winner there. */
typedef struct {
    double x;
    const spot_winner_t *winner;
} place_t;

static int
compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    return (left->x > right->x) - (left->x < right->x);
}

/* Every x of the panel once, ascending; places: room for all points. Returns how many.
 */
static size_t
find_places(const picture_t *self, const spot_series_panel_t *at, place_t *places)
{
    const spot_curves_t *curves = self->curves;
    size_t num_all = 0, num_places = 0;

    for (size_t j = 0; j < at->num_series; j++) {
        const size_t series_id = at->series_ids[j];

        for (size_t k = 0; k < spot_curves_num_x(curves, series_id); k++) {
            const size_t point_id = spot_curves_point(curves, series_id, k);
            const size_t group_id = self->winners->groups.group_ids[point_id];

            places[num_all++] = (place_t){
                spot_curves_x(curves, series_id, k), &self->winners->winners[group_id]};
        }
    }
    qsort(places, num_all, sizeof(*places), compare_places);
    for (size_t j = 0; j < num_all; j++) {
        if (num_places == 0 || places[j].x > places[num_places - 1].x) {
            places[num_places++] = places[j];
        }
    }
    return num_places;
}

/* SIZE_MAX: nobody competes there. */
static size_t
winning_value(const picture_t *self, const place_t *place)
{
    return place->winner->best_id == SPOT_NO_POINT
               ? SIZE_MAX
               : spot_study_value_id(
                     self->head, place->winner->best_id, self->head->best.axis_id);
}

/* Where the part of the strip before a place ends: in the middle between two. */
static double
edge_px(const spot_panel_t *panel, const place_t *places, size_t num_places, size_t j)
{
    const double x = j == 0            ? panel->x_low
                     : j == num_places ? panel->x_high
                                       : (places[j - 1].x + places[j].x) / 2;

    return spot_panel_x_px(panel, x);
}

/* A run of places with one winner: its name, where there is room. */
static void
draw_run_name(
    const picture_t *self, double left_px, double right_px, double y_px, size_t value_id)
{
    char label[SPOT_VALUE_LABEL_BYTES];
    const spot_axis_t *axis = &self->head->axes[self->curves->curve_axis_id];
    const size_t max_chars = (size_t) ((right_px - left_px) / SPOT_STUDY_CHAR_PX);

    (void) spot_value_label(axis, value_id, label);
    if (spot_utf8_count(label, strlen(label)) <= max_chars) {
        spot_figure_text(&self->figure, (left_px + right_px) / 2, y_px, SPOT_TEXT_NOTE,
            SPOT_ALIGN_CENTER, label);
    }
}

static void
draw_strip(const picture_t *self, const spot_panel_t *panel, const place_t *places,
    size_t num_places)
{
    const double y_px = panel->top_px - STRIP_GAP_PX - STRIP_PX / 2;
    size_t first = 0; /* place of the run */

    for (size_t j = 0; j < num_places; j++) {
        const size_t value_id = winning_value(self, &places[j]);

        if (value_id != SIZE_MAX) {
            spot_figure_box(&self->figure, edge_px(panel, places, num_places, j),
                edge_px(panel, places, num_places, j + 1), y_px,
                places[j].winner->is_sure ? STRIP_PX : STRIP_PX / 3,
                spot_series_colour(self->head, self->head->best.axis_id, value_id));
        }
        if (j + 1 == num_places || winning_value(self, &places[j + 1]) != value_id) {
            if (value_id != SIZE_MAX) {
                draw_run_name(self, edge_px(panel, places, num_places, first),
                    edge_px(panel, places, num_places, j + 1), y_px - STRIP_PX - 4,
                    value_id);
            }
            first = j + 1;
        }
    }
}

/* ---- A panel ---- */

/* Bands lie below all curves; what competes lies above what does not. */
static void
write_plot(const picture_t *self, const spot_series_panel_t *at)
{
    FILE *out = self->figure.out;

    fputs("plot ", out);
    spot_series_bands(&self->panels, at);
    for (int is_above = 0; is_above < 2; is_above++) {
        for (size_t j = 0; j < at->num_series; j++) {
            const size_t value_id = spot_series_value(&self->panels, at->series_ids[j]);
            const bool is_bound =
                spot_series_is_bound(self->head, self->curves->curve_axis_id, value_id);

            if (is_bound != (is_above == 0)) {
                continue;
            }
            fprintf(out,
                "$series%zu using 1:2 with linespoints lw 2 %spt %d ps 0.55 lc rgb "
                "'%s', \\\n",
                at->series_ids[j], is_bound ? "dt (8,5) " : "",
                (int) spot_series_marker(value_id),
                spot_series_ink(&self->panels, at->series_ids[j]));
        }
    }
    fputs("NaN\n", out);
}

/* What the strip above the curves shows. */
static void
draw_strip_note(const picture_t *self, const spot_panel_t *panel, double y_px)
{
    const spot_best_t *best = &self->head->best;
    bool all_compete = true;
    char words[SPOT_WORDS_BYTES];

    for (size_t j = 0; j < self->head->axes[best->axis_id].num_values; j++) {
        all_compete = all_compete && spot_study_value_competes(self->head, j);
    }
    snprintf(words, sizeof(words), "strip: who is %s%s; thin where that is not sure",
        best->is_maximised ? "highest" : "lowest",
        all_compete ? "" : " of those in colour");
    spot_figure_text(&self->figure, panel->left_px + panel->width_px, y_px,
        SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT, words);
}

static void
draw_axes(const picture_t *self, const spot_panel_t *panel)
{
    const double strip_px = self->winners != NULL ? STRIP_ROOM_PX : 0;
    const double y_px = panel->top_px - 16 - strip_px;
    char words[SPOT_WORDS_BYTES];

    spot_metric_words_in(
        &self->head->metrics[self->curves->y_id], self->shown.unit, words);
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, y_px, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, words);
    if (self->winners != NULL) {
        draw_strip_note(self, panel, y_px);
    }
    spot_x_words(self->head, self->curves->axis_id, words);
    spot_figure_x_name(&self->figure, panel, 38, words);
    spot_study_round_x_ticks(&self->figure, panel);
    spot_figure_panel(&self->figure, panel, self->shown.factor == 100 ? "%g %%" : "%g");
}

static int
draw_winners(const picture_t *self, const spot_series_panel_t *at)
{
    place_t *places = spot_calloc(self->head->num_points, sizeof(*places));

    if (places == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    draw_strip(self, &at->panel, places, find_places(self, at, places));
    free(places);
    return 0;
}

static int
draw_panel(const picture_t *self, size_t panel_id)
{
    const spot_series_panels_t *panels = &self->panels;
    const spot_series_panel_t at = spot_series_panel(panels, panel_id);
    int ret = 0;

    spot_series_title(panels, &at, panels->grid.head_px - 13);
    if (self->winners != NULL) {
        ret = draw_winners(self, &at);
    }
    if (ret != 0) {
        return ret;
    }
    spot_series_names(panels, &at);
    draw_axes(self, &at.panel);
    spot_series_data(panels, &at);
    write_plot(self, &at);
    spot_figure_end_panel(&self->figure);
    return 0;
}

/* ---- The picture ---- */

static int
write_picture(picture_t *self, const char *picture_path, FILE *out)
{
    int ret = 0;

    choose_layout(self);
    spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX,
        spot_study_grid_px(&self->panels.grid), picture_path);
    spot_study_head_draw(
        &self->figure, self->curves, spot_series_num_drawn(&self->panels));
    for (size_t j = 0; ret == 0 && j < self->panels.grid.num_panels; j++) {
        ret = draw_panel(self, j);
    }
    spot_figure_end(&self->figure);
    return ret;
}

int
spot_curve_panels_write(const spot_curves_t *curves, const char *picture_path, FILE *out)
{
    const spot_best_t *best = &curves->head->best;
    picture_t self = {.curves = curves,
        .head = curves->head,
        .shown = spot_report_shown(curves->report, (size_t) curves->y_id)};
    int ret;

    self.panels = (spot_series_panels_t){
        .curves = curves,
        .figure = &self.figure,
        .axis_id = curves->curve_axis_id,
        .left_out_id = SIZE_MAX,
        .name_chars = NAME_CHARS,
        .mark_at = mark_at,
        .words = value_words,
        .context = &self,
    };
    ret = spot_series_panels_init(&self.panels);
    if (ret == 0 && best->is_asked && best->axis_id == curves->curve_axis_id &&
        best->metric_id == (size_t) curves->y_id) {
        ret = spot_report_winners(curves->report, &self.winners);
    }
    if (ret == 0) {
        ret = write_picture(&self, picture_path, out);
    }
    spot_series_panels_free(&self.panels);
    return ret;
}
