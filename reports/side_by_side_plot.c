/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/figure.h"
#include "reports/named_rows.h"
#include "reports/palette.h"
#include "reports/side_by_side_text.h"
#include "reports/study_head.h"
#include "reports/study_words.h"

#define GAP_PX 40.0   /* between panels */
#define MIN_CURVE_X 3 /* points along x that are worth a curve */
#define MAX_MARKED 60 /* points of a curve that have a dot each */
#define LEGEND_PX 34.0
#define PANEL_PX 280.0
#define PANEL_HEAD_PX 34.0
#define PANEL_TITLE_PX 20.0 /* where there are several */
#define PANEL_FOOT_PX 60.0
#define ROW_PX 26.0
#define ROW_CHARS 46
#define NAME_GAP_PX 12.0
#define ROWS_FOOT_PX 56.0
#define NAME_CHARS 36 /* of a file */

/* What is drawn of a pair of points. */
enum { DIFFERENCE = SPOT_NUM_SIDES };

typedef struct {
    const spot_side_by_side_t *two;
    const spot_study_head_t *head; /* of A, which gives points their names and places */
    const spot_metric_t *metric;
    spot_shown_unit_t shown; /* factor 100 for percent */
    int first, last;         /* what is drawn, of SPOT_BEFORE, SPOT_AFTER, DIFFERENCE */
    bool has_curves;
    size_t axis_id;                                        /* along which */
    size_t num_panels;                                     /* of curves, drawn */
    size_t num_wanted;                                     /* panels or rows */
    size_t panel_starts[SPOT_MAX_SIDE_BY_SIDE_PANELS + 1]; /* into pair_ids */
    size_t num_drawn;
    size_t *pair_ids; /* [num_drawn] by panel and x, or a row each */
    spot_figure_t figure;
    spot_scale_t scale;
    double x_low, x_high;
} picture_t;

/* ---- Values ---- */

static spot_mark_t
mark_of(const picture_t *self, size_t pair_id, int what)
{
    const spot_metric_change_t *change =
        &self->two->changes[pair_id * self->two->num_metrics + self->two->main_id];
    const double mean = what == DIFFERENCE ? change->difference : change->means[what];
    const bool is_probability =
        spot_metric_estimator(self->metric) == SPOT_ESTIMATOR_PROBABILITY;
    const double least = !is_probability ? -HUGE_VAL : what == DIFFERENCE ? -1 : 0;
    const double most = is_probability ? 1 : HUGE_VAL, factor = self->shown.factor;
    double width = what == DIFFERENCE ? change->half_width : change->half_widths[what];

    width = isfinite(width) ? width : 0;
    return (spot_mark_t){factor * mean, factor * fmax(mean - width, least),
        factor * fmin(mean + width, most), change->is_marked};
}

static size_t
point_of(const picture_t *self, size_t pair_id)
{
    return self->two->match.point_ids[SPOT_BEFORE][pair_id];
}

static double
x_of(const picture_t *self, size_t pair_id)
{
    return self->head->axes[self->axis_id].numbers[spot_study_value_id(
        self->head, point_of(self, pair_id), self->axis_id)];
}

static bool
is_defined(const picture_t *self, size_t pair_id)
{
    return isfinite(mark_of(self, pair_id, DIFFERENCE).mean);
}

/* From 0 for means, unless the curves would hide in a corner; around 0 for differences.
 */
static void
choose_scale(picture_t *self)
{
    double low = self->last == DIFFERENCE ? 0 : HUGE_VAL;
    double high = self->last == DIFFERENCE ? 0 : -HUGE_VAL;

    self->x_low = HUGE_VAL;
    self->x_high = -HUGE_VAL;
    for (size_t j = 0; j < self->num_drawn; j++) {
        for (int what = self->first; what <= self->last; what++) {
            const spot_mark_t mark = mark_of(self, self->pair_ids[j], what);

            if (isfinite(mark.mean)) {
                low = fmin(low, mark.low);
                high = fmax(high, mark.high);
            }
        }
        if (self->has_curves) {
            self->x_low = fmin(self->x_low, x_of(self, self->pair_ids[j]));
            self->x_high = fmax(self->x_high, x_of(self, self->pair_ids[j]));
        }
    }
    if (low >= high) { /* nothing, or all the same */
        const double middle = isfinite(low) ? low : 0;
        const double widen = fmax(fabs(middle) / 10, 0.5);

        low = middle - widen;
        high = middle + widen;
    } else if (low >= 0 && low <= 0.5 * high) {
        low = 0;
    }
    self->scale = spot_scale_around(low, high, self->has_curves ? 6 : 8);
}

/* ---- What is drawn ---- */

/* The pairs of a series of A, in its order; returns their number. pair_of: that of each
 * point of A, SIZE_MAX: none. */
static size_t
add_series(picture_t *self, const spot_curves_t *curves, size_t series_id,
    const size_t *pair_of)
{
    size_t num_pairs = 0;

    for (size_t j = 0; j < spot_curves_num_x(curves, series_id); j++) {
        const size_t pair_id = pair_of[spot_curves_point(curves, series_id, j)];

        if (pair_id != SIZE_MAX) {
            self->pair_ids[self->num_drawn + num_pairs++] = pair_id;
        }
    }
    return num_pairs;
}

/* A panel for each series of A with points in both; has_curves stays false where none
 * is worth a curve. */
static void
choose_panels(picture_t *self, const spot_curves_t *curves, const size_t *pair_of)
{
    self->axis_id = curves->axis_id;
    for (size_t j = 0; j < curves->num_panels; j++) {
        const size_t num_pairs = add_series(self, curves, j, pair_of);

        self->num_wanted += num_pairs > 0;
        if (num_pairs > 0 && self->num_panels < SPOT_MAX_SIDE_BY_SIDE_PANELS) {
            self->has_curves = self->has_curves || num_pairs >= MIN_CURVE_X;
            self->panel_starts[self->num_panels++] = self->num_drawn;
            self->num_drawn += num_pairs;
        }
    }
    self->panel_starts[self->num_panels] = self->num_drawn;
}

static void
choose_rows(picture_t *self)
{
    self->num_drawn = 0;
    self->num_wanted = 0;
    for (size_t j = 0; j < self->two->match.num_pairs; j++) {
        if (is_defined(self, j)) {
            self->num_wanted++;
            if (self->num_drawn < SPOT_MAX_SIDE_BY_SIDE_ROWS) {
                self->pair_ids[self->num_drawn++] = j;
            }
        }
    }
}

static int
choose(picture_t *self)
{
    const spot_point_match_t *match = &self->two->match;
    const char *problem = NULL;
    spot_curves_t curves;
    size_t *pair_of = spot_calloc(self->head->num_points, sizeof(*pair_of));
    int ret = spot_curves_init(&curves, self->two->sides[SPOT_BEFORE].report, &problem);

    self->pair_ids = spot_calloc(match->num_pairs, sizeof(*self->pair_ids));
    if (pair_of == NULL || self->pair_ids == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && !curves.has_all_in_one) {
        memset(pair_of, 0xff, self->head->num_points * sizeof(*pair_of));
        for (size_t j = 0; j < match->num_pairs; j++) {
            pair_of[match->point_ids[SPOT_BEFORE][j]] = j;
        }
        choose_panels(self, &curves, pair_of);
    }
    spot_curves_free(&curves);
    free(pair_of);
    if (ret == SPOT_ERR_NO_MEMORY) {
        return ret;
    }
    if (!self->has_curves) {
        choose_rows(self);
    }
    choose_scale(self);
    return 0;
}

/* ---- Head ---- */

/* The end of a path, which tells files apart: its last part, or more of it where that of
 * the other is the same. */
static void
file_words(const picture_t *self, int side, char shown[SPOT_UTF8_SHOWN_BYTES])
{
    const char *names[SPOT_NUM_SIDES], *start;
    size_t num_chars;

    for (int j = 0; j < SPOT_NUM_SIDES; j++) {
        const char *slash = strrchr(self->two->sides[j].path, '/');

        names[j] = slash == NULL ? self->two->sides[j].path : slash + 1;
    }
    start = strcmp(names[0], names[1]) == 0 ? self->two->sides[side].path : names[side];
    num_chars = spot_utf8_count(start, strlen(start));
    for (; num_chars > NAME_CHARS; num_chars--) {
        do {
            start++;
        } while (((unsigned char) *start & 0xc0) == 0x80);
    }
    (void) spot_utf8_shown(start, shown);
    spot_figure_cut(shown, SPOT_UTF8_SHOWN_CHARS); /* of bytes that are none */
}

static void
draw_legend(const picture_t *self, double y_px)
{
    static const char *const sides[] = {"A, before", "B, after"};
    const double right_px = SPOT_STUDY_WIDTH_PX / 2;
    char shown[SPOT_UTF8_SHOWN_BYTES], text[SPOT_NOTE_BYTES];

    if (self->last == DIFFERENCE) {
        spot_figure_marker_entry(&self->figure, SPOT_STUDY_MARGIN_PX, y_px,
            SPOT_MARKER_CIRCLE, SPOT_INK_ACCENT,
            "B − A differs surely: 0 is outside of the interval");
        spot_figure_marker_entry(&self->figure, right_px, y_px, SPOT_MARKER_OPEN_CIRCLE,
            SPOT_INK_QUIET, "grey and hollow: the interval includes 0");
        return;
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const bool is_before = side == SPOT_BEFORE;

        file_words(self, side, shown);
        snprintf(text, sizeof(text), "%s: %s (%s)", sides[side], shown,
            is_before ? (self->has_curves ? "grey, dashed" : "grey")
                      : (self->has_curves ? "blue, solid" : "blue"));
        spot_figure_marker_entry(&self->figure,
            is_before ? SPOT_STUDY_MARGIN_PX : right_px, y_px,
            is_before ? SPOT_MARKER_OPEN_CIRCLE : SPOT_MARKER_CIRCLE,
            is_before ? SPOT_INK_QUIET : SPOT_INK_ACCENT, text);
    }
}

static void
draw_head(const picture_t *self)
{
    const size_t num_shown = self->has_curves ? self->num_panels : self->num_drawn;
    const size_t num_pairs = self->two->match.num_pairs;
    char note[SPOT_NOTE_BYTES];
    size_t used = (size_t) snprintf(note, sizeof(note),
        "%zu point%s in both · %s: 95 %% confidence interval", num_pairs,
        num_pairs == 1 ? "" : "s", self->has_curves ? "band" : "bar");

    if (num_shown < self->num_wanted) {
        snprintf(note + used, sizeof(note) - used, " · the first %zu of %zu %s",
            num_shown, self->num_wanted,
            self->has_curves ? "curves" : "points that can be compared");
    }
    spot_study_head_draw_note(&self->figure, self->head, note);
    draw_legend(self, spot_study_head_px(self->head) + 10);
}

/* "idle time (%)", "cost: B − A (USD)". */
static void
value_words(const picture_t *self, char text[SPOT_NOTE_BYTES])
{
    const bool is_difference = self->last == DIFFERENCE;
    char words[SPOT_WORDS_BYTES];

    if (spot_fraction_words_in(self->metric, self->shown.unit, words)) {
        spot_metric_subject(self->metric, words);
        snprintf(text, SPOT_NOTE_BYTES, "%s%s", words,
            is_difference ? ": B − A (percentage points)" : " (%)");
    } else {
        snprintf(text, SPOT_NOTE_BYTES, "%s%s", words, is_difference ? ": B − A" : "");
    }
}

/* ---- Curves ---- */

static double
head_px(const picture_t *self)
{
    return spot_study_head_px(self->head) + LEGEND_PX;
}

static spot_study_grid_t
make_grid(const picture_t *self)
{
    const double widen =
        self->x_high > self->x_low ? 0 : fmax(fabs(self->x_low) / 10, 1);

    return (spot_study_grid_t){
        .num_panels = self->num_panels,
        .num_columns = spot_study_num_columns(self->num_panels),
        .gap_px = GAP_PX,
        .top_px = head_px(self),
        .head_px = PANEL_HEAD_PX + (self->head->num_axes > 1 ? PANEL_TITLE_PX : 0),
        .panel_px = PANEL_PX,
        .foot_px = PANEL_FOOT_PX,
        .x_low = self->x_low - widen,
        .x_high = self->x_high + widen,
        .y = self->scale,
    };
}

static void
draw_axes(const picture_t *self, const spot_study_grid_t *grid, size_t panel_id)
{
    const spot_panel_t panel = spot_study_panel(grid, panel_id);
    const bool is_first = panel_id % grid->num_columns == 0;
    const size_t max_chars = (size_t) (panel.width_px / SPOT_STUDY_CHAR_PX);
    char text[SPOT_NOTE_BYTES], words[SPOT_WORDS_BYTES], point[SPOT_POINT_BYTES];

    value_words(self, text);
    if (is_first) {
        spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX,
            panel.top_px - grid->head_px + 14, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, text);
    }
    if (self->head->num_axes > 1) {
        spot_panel_words(self->head,
            point_of(self, self->pair_ids[self->panel_starts[panel_id]]), self->axis_id,
            max_chars, point);
        spot_figure_text(&self->figure, panel.left_px, panel.top_px - 14,
            SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, point);
    }
    spot_x_words(self->head, self->axis_id, words);
    if (spot_utf8_count(words, strlen(words)) > max_chars) {
        spot_axis_words(&self->head->axes[self->axis_id], words);
    }
    spot_figure_x_name(&self->figure, &panel, 36, words);
    spot_study_round_x_ticks(&self->figure, &panel);
    spot_figure_panel(&self->figure, &panel, is_first ? "%g" : "");
}

static void
write_data(const picture_t *self, size_t panel_id, int what)
{
    FILE *out = self->figure.out;

    fprintf(out, "$curve%zu_%d << EOD\n", panel_id, what);
    for (size_t j = self->panel_starts[panel_id]; j < self->panel_starts[panel_id + 1];
         j++) {
        const spot_mark_t mark = mark_of(self, self->pair_ids[j], what);

        spot_figure_mark(&self->figure, x_of(self, self->pair_ids[j]), &mark, true);
    }
    fputs("EOD\n", out);
}

/* The dots of differences, filled where they are sure, else grey and hollow. */
static void
write_difference_dots(const picture_t *self, size_t panel_id)
{
    static const struct {
        int is_sure;
        spot_marker_t marker;
        const char *colour;
    } dots[] = {
        {0, SPOT_MARKER_CIRCLE, "#ffffff"},
        {0, SPOT_MARKER_OPEN_CIRCLE, SPOT_INK_QUIET},
        {1, SPOT_MARKER_CIRCLE, SPOT_INK_ACCENT},
    };

    for (size_t j = 0; j < sizeof(dots) / sizeof(dots[0]); j++) {
        fprintf(self->figure.out,
            "$curve%zu_%d using 1:($5 == %d ? $2 : NaN) with points pt %d ps 0.6 lc rgb "
            "'%s', \\\n",
            panel_id, DIFFERENCE, dots[j].is_sure, (int) dots[j].marker, dots[j].colour);
    }
}

/* A curve, the one before upon the one after: where both are the same, its dashes let
 * the other show through. */
static void
write_curve(const picture_t *self, size_t panel_id, int what)
{
    const size_t num_x = self->panel_starts[panel_id + 1] - self->panel_starts[panel_id];
    const bool is_before = what == SPOT_BEFORE;
    const char *colour = is_before ? SPOT_INK_QUIET : SPOT_INK_ACCENT;
    FILE *out = self->figure.out;

    fprintf(out, "$curve%zu_%d using 1:2 with lines lw %g %slc rgb '%s', \\\n", panel_id,
        what, is_before ? 1.6 : 2.2, is_before ? "dt (8,5) " : "", colour);
    if (what == DIFFERENCE) {
        write_difference_dots(self, panel_id);
    } else if (num_x <= MAX_MARKED) {
        fprintf(out, "$curve%zu_%d using 1:2 with points pt %d ps 0.5 lc rgb '%s', \\\n",
            panel_id, what,
            is_before ? (int) SPOT_MARKER_OPEN_CIRCLE : (int) SPOT_MARKER_CIRCLE,
            colour);
    }
}

/* Bands below, then curves. */
static void
write_plot(const picture_t *self, size_t panel_id)
{
    FILE *out = self->figure.out;

    if (self->last == DIFFERENCE) {
        fprintf(out, "plot 0 with lines lw 1.2 lc rgb '%s', \\\n", SPOT_INK_QUIET);
    } else {
        fputs("plot ", out);
    }
    for (int what = self->first; what <= self->last; what++) {
        fprintf(out,
            "$curve%zu_%d using 1:3:4 with filledcurves fillcolor rgb '%s' fillstyle "
            "transparent solid 0.18 noborder, \\\n",
            panel_id, what, what == SPOT_BEFORE ? SPOT_INK_QUIET : SPOT_INK_ACCENT);
    }
    for (int what = self->last; what >= self->first; what--) {
        write_curve(self, panel_id, what);
    }
    fputs("NaN\n", out);
}

static void
write_curve_picture(picture_t *self, const char *picture_path, FILE *out)
{
    const spot_study_grid_t grid = make_grid(self);

    spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX, spot_study_grid_px(&grid),
        picture_path);
    draw_head(self);
    for (size_t j = 0; j < self->num_panels; j++) {
        draw_axes(self, &grid, j);
        for (int what = self->first; what <= self->last; what++) {
            write_data(self, j, what);
        }
        write_plot(self, j);
        spot_figure_end_panel(&self->figure);
    }
    spot_figure_end(&self->figure);
}

/* ---- Rows ---- */

static void
row_words(const void *context, size_t row_id, char words[SPOT_POINT_BYTES])
{
    const picture_t *self = context;

    spot_point_words(
        self->head, point_of(self, self->pair_ids[row_id]), ROW_CHARS, words);
    if (words[0] == '\0') {
        snprintf(words, SPOT_POINT_BYTES, "the only point");
    }
}

/* A stands above B in a row. */
static void
write_row_data(const picture_t *self, int what)
{
    const double place = what == SPOT_BEFORE ? 0.32 : what == SPOT_AFTER ? 0.68 : 0.5;
    FILE *out = self->figure.out;

    fprintf(out, "$rows%d << EOD\n", what);
    for (size_t j = 0; j < self->num_drawn; j++) {
        const spot_mark_t mark = mark_of(self, self->pair_ids[j], what);

        fprintf(out, "%.6g %.6g %.6g %.6g %d\n", mark.mean, (double) j + place, mark.low,
            mark.high, mark.is_sure);
    }
    fputs("EOD\n", out);
}

static void
write_row_plot(const picture_t *self)
{
    FILE *out = self->figure.out;

    fputs("set errorbars 0\nplot ", out);
    if (self->last == DIFFERENCE) {
        fprintf(out,
            "$zero using 1:2 with lines lw 1.2 lc rgb '%s', \\\n"
            "$rows%d using ($5 == 0 ? $1 : NaN):2:3:4 with xerrorbars pt %d ps 0.8 lw "
            "1.6 lc rgb '%s', \\\n"
            "$rows%d using ($5 == 1 ? $1 : NaN):2:3:4 with xerrorbars pt %d ps 0.8 lw "
            "1.6 lc rgb '%s', \\\n",
            SPOT_INK_QUIET, DIFFERENCE, (int) SPOT_MARKER_OPEN_CIRCLE, SPOT_INK_QUIET,
            DIFFERENCE, (int) SPOT_MARKER_CIRCLE, SPOT_INK_ACCENT);
    } else {
        fprintf(out,
            "$rows%d using 1:2:3:4 with xerrorbars pt %d ps 0.7 lw 1.6 lc rgb '%s', \\\n"
            "$rows%d using 1:2:3:4 with xerrorbars pt %d ps 0.7 lw 1.6 lc rgb '%s', "
            "\\\n",
            SPOT_BEFORE, (int) SPOT_MARKER_OPEN_CIRCLE, SPOT_INK_QUIET, SPOT_AFTER,
            (int) SPOT_MARKER_CIRCLE, SPOT_INK_ACCENT);
    }
    fputs("NaN\n", out);
}

static void
write_row_picture(picture_t *self, const char *picture_path, FILE *out)
{
    const spot_named_rows_t rows = {self->num_drawn, NAME_GAP_PX, row_words, self};
    const spot_panel_t panel = spot_named_rows_panel(
        &rows, head_px(self) + 8, ROW_PX, self->scale.low, self->scale.high);
    char text[SPOT_NOTE_BYTES];

    spot_figure_begin(&self->figure, out, SPOT_STUDY_WIDTH_PX,
        panel.top_px + panel.height_px + ROWS_FOOT_PX, picture_path);
    draw_head(self);
    spot_named_rows_names(&rows, &self->figure, &panel);
    value_words(self, text);
    spot_figure_x_name(&self->figure, &panel, 36, text);
    if (self->last == DIFFERENCE) {
        fprintf(out, "$zero << EOD\n0 0\n0 %zu\nEOD\n", self->num_drawn);
    }
    for (int what = self->first; what <= self->last; what++) {
        write_row_data(self, what);
    }
    spot_named_rows_grid(&self->figure);
    spot_study_round_x_ticks(&self->figure, &panel);
    spot_figure_panel(&self->figure, &panel, "");
    write_row_plot(self);
    spot_figure_end_panel(&self->figure);
    spot_figure_end(&self->figure);
}

/* ---- The pictures ---- */

static int
write_picture(const spot_side_by_side_t *two, int first, int last,
    const char *picture_path, FILE *out)
{
    picture_t self = {.two = two,
        .head = two->sides[SPOT_BEFORE].report->head,
        .metric = spot_side_by_side_metric(two, two->main_id),
        .first = first,
        .last = last};
    int ret;

    self.shown = spot_change_shown(two, two->main_id);
    ret = choose(&self);
    if (ret == 0 && self.has_curves) {
        write_curve_picture(&self, picture_path, out);
    } else if (ret == 0) {
        write_row_picture(&self, picture_path, out);
    }
    free(self.pair_ids);
    return ret == 0 && ferror(out) ? SPOT_ERR_IO : ret;
}

int
spot_side_by_side_means_script(const void *context, const char *picture_path, FILE *out)
{
    return write_picture(context, SPOT_BEFORE, SPOT_AFTER, picture_path, out);
}

int
spot_side_by_side_changes_script(
    const void *context, const char *picture_path, FILE *out)
{
    return write_picture(context, DIFFERENCE, DIFFERENCE, picture_path, out);
}

const char *
spot_side_by_side_plot_problem(const spot_side_by_side_t *two)
{
    if (two->num_metrics == 0) {
        return "no metric is in both";
    }
    for (size_t j = 0; j < two->match.num_pairs; j++) {
        if (isfinite(two->changes[j * two->num_metrics + two->main_id].difference)) {
            return NULL;
        }
    }
    return "the main metric has no value at a point that both have";
}
