/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The curves that a panel shows are called series here: each is one of the panels of
 * spot_curves_t. */
#include "reports/curve_panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/figure.h"
#include "reports/palette.h"
#include "reports/series_look.h"
#include "reports/study_head.h"
#include "reports/study_words.h"
#include "reports/value_label.h"
#include "sim/store/winners.h"

#define MAX_PANELS 6
#define MAX_SERIES 30 /* of a panel */
#define WIDTH_PX 900.0
#define LEFT_PX 64.0
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
    size_t *panel_ids;             /* [curves->num_panels] of each series */
    size_t num_panels;             /* drawn */
    spot_figure_t figure;
    double right_px;
    double factor; /* 100 for percent */
    spot_scale_t y_scale;
} picture_t;

/* ---- Which series are in a panel ---- */

static bool
is_same_panel(const spot_curves_t *curves, size_t a, size_t b)
{
    for (size_t j = 0; j < curves->head->num_axes; j++) {
        if (j != curves->axis_id && j != curves->curve_axis_id &&
            spot_curves_value_id(curves, a, j) != spot_curves_value_id(curves, b, j)) {
            return false;
        }
    }
    return true;
}

/* Series go to the panel of the first one that differs in the curve axis only. */
static void
choose_panels(picture_t *self)
{
    size_t first_ids[MAX_PANELS];

    for (size_t j = 0; j < self->curves->num_panels; j++) {
        size_t panel_id = 0;

        while (panel_id < self->num_panels &&
               !is_same_panel(self->curves, first_ids[panel_id], j)) {
            panel_id++;
        }
        if (panel_id == self->num_panels && panel_id < MAX_PANELS) {
            first_ids[self->num_panels++] = j;
        }
        self->panel_ids[j] = panel_id; /* MAX_PANELS: not drawn */
    }
}

/* The series of a panel; returns their number. */
static size_t
series_of(const picture_t *self, size_t panel_id, size_t series_ids[MAX_SERIES])
{
    size_t num_series = 0;

    for (size_t j = 0; j < self->curves->num_panels && num_series < MAX_SERIES; j++) {
        if (self->panel_ids[j] == panel_id) {
            series_ids[num_series++] = j;
        }
    }
    return num_series;
}

/* ---- Looks ---- */

static size_t
curve_value(const picture_t *self, size_t series_id)
{
    return spot_curves_value_id(self->curves, series_id, self->curves->curve_axis_id);
}

/* The same value has the same look in all panels. */
static const char *
colour_of(const picture_t *self, size_t value_id)
{
    return spot_series_colour(self->head, self->curves->curve_axis_id, value_id);
}

static void
series_words(const picture_t *self, size_t series_id, char text[SPOT_WORDS_BYTES])
{
    const spot_axis_t *axis = &self->head->axes[self->curves->curve_axis_id];
    char label[SPOT_VALUE_LABEL_BYTES];
    size_t num_chars = NAME_CHARS;

    (void) spot_value_label(axis, curve_value(self, series_id), label);
    do { /* whole characters, however long they are */
        spot_figure_cut(label, num_chars--);
    } while (strlen(label) >= SPOT_WORDS_BYTES);
    snprintf(text, SPOT_WORDS_BYTES, "%s", label);
}

/* ---- Layout ---- */

static void
choose_layout(picture_t *self)
{
    const spot_curves_t *curves = self->curves;
    const spot_metric_t *metric = &self->head->metrics[curves->y_id];
    char words[SPOT_WORDS_BYTES];
    size_t num_chars = 1;
    double low, high;

    for (size_t j = 0; j < curves->num_panels; j++) {
        series_words(self, j, words);
        num_chars = strlen(words) > num_chars ? strlen(words) : num_chars;
    }
    self->right_px = fmin(50 + SPOT_STUDY_CHAR_PX * (double) num_chars, MAX_RIGHT_PX);
    self->factor = spot_fraction_words(metric, words) ? 100 : 1;
    if (!spot_curves_range(curves, curves->num_panels, &low, &high)) {
        low = 0;
        high = 1;
    }
    if (low >= 0 && low <= 0.5 * high) {
        low = 0;
    }
    self->y_scale = spot_scale_around(low * self->factor, high * self->factor, 6);
}

static double
panel_head_px(const picture_t *self)
{
    return Y_NAME_PX + (self->num_panels > 1 ? PANEL_TITLE_PX : 0) +
           (self->winners != NULL ? STRIP_ROOM_PX : 0);
}

static double
row_px(const picture_t *self)
{
    return panel_head_px(self) + PANEL_PX + PANEL_FOOT_PX;
}

static spot_panel_t
place_panel(const picture_t *self, size_t panel_id)
{
    const double low = self->curves->x_low, high = self->curves->x_high;
    const double widen =
        high > low ? (high - low) * MIN_SHARE : fmax(fabs(low) * 0.1, 1);

    return (spot_panel_t){
        .left_px = LEFT_PX,
        .top_px = spot_study_head_px(self->head) + row_px(self) * (double) panel_id +
                  panel_head_px(self),
        .width_px = WIDTH_PX - LEFT_PX - self->right_px - SPOT_STUDY_MARGIN_PX,
        .height_px = PANEL_PX,
        .x_low = low - widen,
        .x_high = high + widen,
        .y = self->y_scale,
    };
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
find_places(
    const picture_t *self, const size_t *series_ids, size_t num_series, place_t *places)
{
    const spot_curves_t *curves = self->curves;
    size_t num_all = 0, num_places = 0;

    for (size_t j = 0; j < num_series; j++) {
        for (size_t k = 0; k < spot_curves_num_x(curves, series_ids[j]); k++) {
            const size_t point_id = spot_curves_point(curves, series_ids[j], k);
            const size_t group_id = self->winners->groups.group_ids[point_id];

            places[num_all++] = (place_t){spot_curves_x(curves, series_ids[j], k),
                &self->winners->winners[group_id]};
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
draw_part(const picture_t *self, double left_px, double right_px, double y_px,
    const char *colour, bool is_sure)
{
    const spot_figure_t *figure = &self->figure;
    const double height_px = is_sure ? STRIP_PX : STRIP_PX / 3;

    fprintf(figure->out,
        "set object rectangle from screen %.5g,%.5g to screen %.5g,%.5g front fillcolor "
        "rgb '%s' fillstyle solid 1 noborder\n",
        left_px / figure->width_px, 1 - (y_px + height_px / 2) / figure->height_px,
        right_px / figure->width_px, 1 - (y_px - height_px / 2) / figure->height_px,
        colour);
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
            draw_part(self, edge_px(panel, places, num_places, j),
                edge_px(panel, places, num_places, j + 1), y_px,
                colour_of(self, value_id), places[j].winner->is_sure);
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

static void
write_series(const picture_t *self, size_t series_id)
{
    const spot_curves_t *curves = self->curves;
    FILE *out = self->figure.out;

    fprintf(out, "$series%zu << EOD\n", series_id);
    for (size_t j = 0; j < spot_curves_num_x(curves, series_id); j++) {
        const spot_summary_t *y = spot_curves_at(curves, series_id, j, curves->y_id);

        if (isfinite(y->mean)) {
            fprintf(out, "%.10g %.6g %.6g %.6g", spot_curves_x(curves, series_id, j),
                self->factor * y->mean, self->factor * fmin(y->mean, y->ci_low),
                self->factor * fmax(y->mean, y->ci_high));
        }
        fputc('\n', out);
    }
    fputs("EOD\n", out);
}

/* Bands lie below all curves; what competes lies above what does not. */
static void
write_plot(const picture_t *self, const size_t *series_ids, size_t num_series)
{
    FILE *out = self->figure.out;

    fputs("plot ", out);
    for (size_t j = 0; j < num_series; j++) {
        fprintf(out,
            "$series%zu using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle "
            "transparent solid 0.16 noborder, \\\n",
            series_ids[j], colour_of(self, curve_value(self, series_ids[j])));
    }
    for (int is_above = 0; is_above < 2; is_above++) {
        for (size_t j = 0; j < num_series; j++) {
            const size_t value_id = curve_value(self, series_ids[j]);

            const bool is_bound =
                spot_series_is_bound(self->head, self->curves->curve_axis_id, value_id);

            if (is_bound != (is_above == 0)) {
                continue;
            }
            fprintf(out,
                "$series%zu using 1:2 with linespoints lw 2 %spt %d ps 0.55 lc rgb "
                "'%s', \\\n",
                series_ids[j], is_bound ? "dt (8,5) " : "",
                (int) spot_series_marker(value_id), colour_of(self, value_id));
        }
    }
    fputs("NaN\n", out);
}

/* The last x at which a series has a value; false: none. */
static bool
last_defined(const spot_curves_t *curves, size_t series_id, size_t *x_id)
{
    for (*x_id = spot_curves_num_x(curves, series_id); (*x_id)-- > 0;) {
        if (spot_curves_is_defined(curves, series_id, *x_id)) {
            return true;
        }
    }
    return false;
}

static void
draw_names(const picture_t *self, const spot_panel_t *panel, const size_t *series_ids,
    size_t num_series)
{
    const spot_curves_t *curves = self->curves;
    spot_end_label_t labels[MAX_SERIES];
    size_t num_labels = 0, x_id;

    for (size_t j = 0; j < num_series; j++) {
        const size_t value_id = curve_value(self, series_ids[j]);

        if (last_defined(curves, series_ids[j], &x_id)) {
            spot_end_label_t *label = &labels[num_labels++];

            *label = (spot_end_label_t){
                .colour = colour_of(self, value_id),
                .y_px = spot_panel_y_px(panel,
                    self->factor *
                        spot_curves_at(curves, series_ids[j], x_id, curves->y_id)->mean),
                .marker = (int) spot_series_marker(value_id),
            };
            series_words(self, series_ids[j], label->text);
        }
    }
    spot_figure_end_labels(&self->figure, labels, num_labels,
        panel->left_px + panel->width_px, panel->top_px + panel->height_px);
}

/* "pipeline depth 8": what the series of the panel have in common. */
static void
draw_panel_title(const picture_t *self, const spot_panel_t *panel, size_t series_id)
{
    char text[SPOT_POINT_BYTES] = "", words[SPOT_WORDS_BYTES];
    char label[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0;

    for (size_t j = 0; j < self->head->num_axes && used < sizeof(text) - 4; j++) {
        if (j != self->curves->axis_id && j != self->curves->curve_axis_id) {
            spot_axis_words(&self->head->axes[j], words);
            used += (size_t) snprintf(text + used, sizeof(text) - 4 - used, "%s%s %s",
                used > 0 ? ", " : "", words,
                spot_value_label(&self->head->axes[j],
                    spot_curves_value_id(self->curves, series_id, j), label));
        }
    }
    spot_figure_cut(text, (size_t) (panel->width_px / SPOT_STUDY_CHAR_PX));
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX,
        panel->top_px - panel_head_px(self) + 13, SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT,
        text);
}

static void
draw_axes(const picture_t *self, const spot_panel_t *panel)
{
    const double strip_px = self->winners != NULL ? STRIP_ROOM_PX : 0;
    const double y_px = panel->top_px - 16 - strip_px;
    char words[SPOT_WORDS_BYTES];

    spot_metric_words(&self->head->metrics[self->curves->y_id], words);
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, y_px, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, words);
    if (self->winners != NULL) {
        spot_figure_text(&self->figure, panel->left_px + panel->width_px, y_px,
            SPOT_TEXT_NOTE, SPOT_ALIGN_RIGHT,
            self->head->best.is_maximised
                ? "strip: who has the highest mean; thin where that is not sure"
                : "strip: who has the lowest mean; thin where that is not sure");
    }
    spot_x_words(self->head, self->curves->axis_id, words);
    spot_figure_x_name(&self->figure, panel, 38, words);
    spot_study_round_x_ticks(&self->figure, panel);
    spot_figure_panel(&self->figure, panel, self->factor == 100 ? "%g %%" : "%g");
}

static int
draw_panel(const picture_t *self, size_t panel_id)
{
    const spot_panel_t panel = place_panel(self, panel_id);
    size_t series_ids[MAX_SERIES];
    const size_t num_series = series_of(self, panel_id, series_ids);

    if (self->num_panels > 1) {
        draw_panel_title(self, &panel, series_ids[0]);
    }
    if (self->winners != NULL) {
        place_t *places = spot_calloc(self->head->num_points, sizeof(*places));

        if (places == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        draw_strip(
            self, &panel, places, find_places(self, series_ids, num_series, places));
        free(places);
    }
    draw_names(self, &panel, series_ids, num_series);
    draw_axes(self, &panel);
    for (size_t j = 0; j < num_series; j++) {
        write_series(self, series_ids[j]);
    }
    write_plot(self, series_ids, num_series);
    spot_figure_end_panel(&self->figure);
    return 0;
}

/* ---- The picture ---- */

static int
write_picture(picture_t *self, const char *picture_path, FILE *out)
{
    int ret = 0;

    choose_panels(self);
    choose_layout(self);
    spot_figure_begin(&self->figure, out, WIDTH_PX,
        spot_study_head_px(self->head) + row_px(self) * (double) self->num_panels,
        picture_path);
    spot_study_head_draw(&self->figure, self->curves, self->curves->num_panels);
    for (size_t j = 0; ret == 0 && j < self->num_panels; j++) {
        ret = draw_panel(self, j);
    }
    spot_figure_end(&self->figure);
    return ret;
}

int
spot_curve_panels_write(const spot_curves_t *curves, const char *picture_path, FILE *out)
{
    const spot_best_t *best = &curves->head->best;
    picture_t picture = {.curves = curves, .head = curves->head};
    int ret = 0;

    picture.panel_ids = spot_calloc(curves->num_panels, sizeof(*picture.panel_ids));
    if (picture.panel_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (best->is_asked && best->axis_id == curves->curve_axis_id &&
        best->metric_id == (size_t) curves->y_id) {
        ret = spot_report_winners(curves->report, &picture.winners);
    }
    if (ret == 0) {
        ret = write_picture(&picture, picture_path, out);
    }
    free(picture.panel_ids);
    return ret;
}
