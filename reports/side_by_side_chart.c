/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/side_by_side_chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/side_by_side_text.h"
#include "reports/study_words.h"

#define MIN_CURVE_X 3 /* points along x that are worth a curve */
#define ROW_CHARS 46
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
    spot_chart_t *chart;
} picture_t;

/* ---- Values ---- */

/* A datum with its interval along the axis of values. */
static spot_chart_datum_t
datum_of(const picture_t *self, size_t pair_id, int what)
{
    const spot_metric_change_t *change =
        &self->two->changes[pair_id * self->two->num_metrics + self->two->main_id];
    const double mean = what == DIFFERENCE ? change->difference : change->means[what];
    const bool is_probability =
        spot_metric_estimator(self->metric) == SPOT_ESTIMATOR_PROBABILITY;
    const double least = !is_probability ? -HUGE_VAL : what == DIFFERENCE ? -1 : 0;
    const double most = is_probability ? 1 : HUGE_VAL, factor = self->shown.factor;
    const bool is_quiet = what == DIFFERENCE && !change->is_marked;
    double width = what == DIFFERENCE ? change->half_width : change->half_widths[what];

    width = isfinite(width) ? width : 0;
    return (spot_chart_datum_t){.y = factor * mean,
        .y_low = factor * fmax(mean - width, least),
        .y_high = factor * fmin(mean + width, most),
        .colour = is_quiet ? SPOT_INK_QUIET : NULL,
        .is_hollow = is_quiet || what == SPOT_BEFORE};
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
    return isfinite(datum_of(self, pair_id, DIFFERENCE).y);
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
}

static void
declare_legend(const picture_t *self)
{
    static const char *const sides[] = {"A, before", "B, after"};
    char shown[SPOT_UTF8_SHOWN_BYTES], text[SPOT_NOTE_BYTES];

    if (self->last == DIFFERENCE) {
        spot_chart_legend(self->chart,
            &(spot_chart_entry_t){
                .text = "B − A differs surely: 0 is outside of the interval",
                .colour = SPOT_INK_ACCENT,
                .marker = SPOT_CHART_CIRCLE});
        spot_chart_legend(self->chart,
            &(spot_chart_entry_t){.text = "grey and hollow: the interval includes 0",
                .colour = SPOT_INK_QUIET,
                .marker = SPOT_CHART_CIRCLE,
                .is_hollow = true});
        return;
    }
    for (int side = 0; side < SPOT_NUM_SIDES; side++) {
        const bool is_before = side == SPOT_BEFORE;

        file_words(self, side, shown);
        snprintf(text, sizeof(text), "%s: %s (%s%s)", sides[side], shown,
            is_before ? "grey" : "blue",
            !self->has_curves ? ""
            : is_before       ? ", dashed"
                              : ", solid");
        spot_chart_legend(
            self->chart, &(spot_chart_entry_t){.text = text,
                             .colour = is_before ? SPOT_INK_QUIET : SPOT_INK_ACCENT,
                             .marker = SPOT_CHART_CIRCLE,
                             .is_hollow = is_before});
    }
}

static void
declare_head(const picture_t *self)
{
    const size_t num_shown = self->has_curves ? self->num_panels : self->num_drawn;
    const size_t num_pairs = self->two->match.num_pairs;

    spot_chart_title(self->chart, "%s", spot_study_title(self->head));
    spot_chart_note(self->chart, "%zu point%s in both · %s: 95 %% confidence interval",
        num_pairs, num_pairs == 1 ? "" : "s", self->has_curves ? "band" : "bar");
    if (num_shown < self->num_wanted) {
        spot_chart_note(self->chart, "the first %zu of %zu %s", num_shown,
            self->num_wanted,
            self->has_curves ? "curves" : "points that can be compared");
    }
    declare_legend(self);
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

/* The one before upon the one after: where both are the same, its dashes let the other
 * show through. */
static void
declare_curves(const picture_t *self, size_t panel_id)
{
    for (int what = self->last; what >= self->first; what--) {
        const bool is_before = what == SPOT_BEFORE;

        spot_chart_series(
            self->chart, &(spot_chart_series_t){.kind = SPOT_CHART_LINE,
                             .colour = is_before ? SPOT_INK_QUIET : SPOT_INK_ACCENT,
                             .marker = SPOT_CHART_CIRCLE,
                             .is_hollow = is_before,
                             .dash = is_before ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
                             .width_px = is_before ? 1.6 : 2.2});
        for (size_t j = self->panel_starts[panel_id];
             j < self->panel_starts[panel_id + 1]; j++) {
            spot_chart_datum_t datum = datum_of(self, self->pair_ids[j], what);

            datum.x = x_of(self, self->pair_ids[j]);
            spot_chart_add(self->chart, &datum);
        }
    }
}

/* All panels have the same axes; means from 0 unless that hides the curves. */
static void
declare_panel(const picture_t *self, size_t panel_id)
{
    char y_name[SPOT_NOTE_BYTES], x_name[SPOT_WORDS_BYTES], title[SPOT_POINT_BYTES];

    value_words(self, y_name);
    spot_x_words(self->head, self->axis_id, x_name);
    spot_panel_words(self->head,
        point_of(self, self->pair_ids[self->panel_starts[panel_id]]), self->axis_id,
        SIZE_MAX, title);
    spot_chart_panel(self->chart,
        &(spot_chart_panel_t){.title = self->head->num_axes > 1 ? title : NULL,
            .x = {.name = x_name, .group = 1},
            .y = {.name = y_name, .group = 2, .has_zero = self->last == DIFFERENCE}});
    if (self->last == DIFFERENCE) {
        spot_chart_rule(self->chart, &(spot_chart_rule_t){.at = 0});
    }
    declare_curves(self, panel_id);
}

/* ---- Rows ---- */

/* A stands above B in a row. */
static void
declare_row_series(const picture_t *self, int what)
{
    const double from_middle = what == SPOT_BEFORE  ? -0.18
                               : what == SPOT_AFTER ? 0.18
                                                    : 0;

    spot_chart_series(self->chart,
        &(spot_chart_series_t){.kind = SPOT_CHART_POINTS,
            .marker = SPOT_CHART_CIRCLE,
            .colour = what == SPOT_BEFORE ? SPOT_INK_QUIET : SPOT_INK_ACCENT});
    for (size_t j = 0; j < self->num_drawn; j++) {
        spot_chart_datum_t datum = datum_of(self, self->pair_ids[j], what);

        datum.x = datum.y;
        datum.x_low = datum.y_low;
        datum.x_high = datum.y_high;
        datum.y = (double) j + from_middle;
        datum.y_low = datum.y_high = 0;
        spot_chart_add(self->chart, &datum);
    }
}

static void
declare_rows(const picture_t *self)
{
    char name[SPOT_NOTE_BYTES], words[SPOT_POINT_BYTES];

    value_words(self, name);
    spot_chart_panel(self->chart,
        &(spot_chart_panel_t){.x = {.name = name, .has_zero = self->last == DIFFERENCE},
            .y = {.kind = SPOT_CHART_ROWS}});
    for (size_t j = 0; j < self->num_drawn; j++) {
        spot_point_words(
            self->head, point_of(self, self->pair_ids[j]), ROW_CHARS, words);
        (void) spot_chart_row(self->chart,
            &(spot_chart_row_t){.name = words[0] == '\0' ? "the only point" : words});
    }
    if (self->last == DIFFERENCE) {
        spot_chart_rule(
            self->chart, &(spot_chart_rule_t){.direction = SPOT_CHART_VERTICAL});
    }
    for (int what = self->first; what <= self->last; what++) {
        declare_row_series(self, what);
    }
}

/* ---- The pictures ---- */

static int
declare(spot_chart_t *chart, const spot_side_by_side_t *two, int first, int last)
{
    picture_t self = {.two = two,
        .head = two->sides[SPOT_BEFORE].report->head,
        .metric = spot_side_by_side_metric(two, two->main_id),
        .first = first,
        .last = last,
        .chart = chart};
    int ret;

    self.shown = spot_change_shown(two, two->main_id);
    ret = choose(&self);
    if (ret == 0) {
        declare_head(&self);
        for (size_t j = 0; j < (self.has_curves ? self.num_panels : 0); j++) {
            declare_panel(&self, j);
        }
        if (!self.has_curves) {
            declare_rows(&self);
        }
        ret = spot_chart_error(chart);
    }
    free(self.pair_ids);
    return ret;
}

int
spot_side_by_side_declare_means(spot_chart_t *chart, const void *context)
{
    return declare(chart, context, SPOT_BEFORE, SPOT_AFTER);
}

int
spot_side_by_side_declare_changes(spot_chart_t *chart, const void *context)
{
    return declare(chart, context, DIFFERENCE, DIFFERENCE);
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
