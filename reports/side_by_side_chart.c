/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of two stores side by side. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "reports/side_by_side.h"
#include "reports/study_curves.h"
#include "reports/words.h"

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
    bool has_curves;         /* else one panel of rows */
    size_t axis_id;          /* along which curves go */
    size_t num_panels;
    size_t num_wanted;                               /* curves or rows */
    size_t starts[SPOT_MAX_SIDE_BY_SIDE_PANELS + 1]; /* of panels, into pair_ids */
    size_t *pair_ids;                                /* by panel, in the order drawn */
    spot_texts_t texts;
    spot_chart_t *chart;
} picture_t;

static size_t point_of(const picture_t *self, size_t pair_id)
{
    return self->two->match.point_ids[SPOT_BEFORE][pair_id];
}

/* ---- What is drawn ---- */

/* A panel for each curve of A with points in both; has_curves stays false where none is
 * worth a curve. pair_of: [num_points] that of each point of A, SIZE_MAX: none. */
static void choose_panels(picture_t *self, const spot_curves_t *curves, const size_t *pair_of)
{
    size_t num_drawn = 0;

    self->axis_id = curves->axis_id;
    for (size_t j = 0; j < curves->num_panels; j++) {
        size_t num_pairs = 0;

        for (size_t k = 0; k < spot_curves_num_x(curves, j); k++) {
            const size_t pair_id = pair_of[spot_curves_point(curves, j, k)];

            if (pair_id != SIZE_MAX) {
                self->pair_ids[num_drawn + num_pairs++] = pair_id;
            }
        }
        self->num_wanted += num_pairs > 0;
        if (num_pairs > 0 && self->num_panels < SPOT_MAX_SIDE_BY_SIDE_PANELS) {
            self->has_curves = self->has_curves || num_pairs >= MIN_CURVE_X;
            num_drawn += num_pairs;
            self->starts[++self->num_panels] = num_drawn;
        }
    }
}

static void choose_rows(picture_t *self)
{
    self->num_panels = 1;
    self->num_wanted = 0;
    self->starts[1] = 0;
    for (size_t j = 0; j < self->two->match.num_pairs; j++) {
        if (isfinite(spot_side_by_side_change(self->two, j)->difference)) {
            self->num_wanted++;
            if (self->starts[1] < SPOT_MAX_SIDE_BY_SIDE_ROWS) {
                self->pair_ids[self->starts[1]++] = j;
            }
        }
    }
}

static int choose(picture_t *self)
{
    const spot_point_match_t *match = &self->two->match;
    const char *problem = NULL;
    spot_curves_t curves;
    size_t *pair_of;
    int ret = spot_curves_init(&curves, self->two->sides[SPOT_BEFORE].report, &problem);

    SPOT_ARENA_ARRAY(&self->texts.arena, pair_of, self->head->num_points);
    SPOT_ARENA_ARRAY(&self->texts.arena, self->pair_ids, match->num_pairs);
    if (self->texts.arena.error != 0) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0 && !curves.has_all_in_one) {
        memset(pair_of, 0xff, self->head->num_points * sizeof(*pair_of));
        for (size_t j = 0; j < match->num_pairs; j++) {
            pair_of[point_of(self, j)] = j;
        }
        choose_panels(self, &curves, pair_of);
    }
    spot_curves_free(&curves);
    if (ret == SPOT_ERR_NO_MEMORY) {
        return ret;
    }
    if (!self->has_curves) {
        choose_rows(self);
    }
    return 0;
}

/* ---- Head ---- */

/* The end of a path, which tells files apart. */
static const char *file_words(picture_t *self, int side)
{
    const char *start = self->two->sides[side].path;

    for (size_t num_chars = spot_utf8_count(start, strlen(start)); num_chars > NAME_CHARS;
         num_chars--) {
        do {
            start++;
        } while (((unsigned char) *start & 0xc0) == 0x80);
    }
    return spot_words_shown(&self->texts, start);
}

static void declare_legend(picture_t *self)
{
    static const char *const sides[] = {"A, before", "B, after"};

    for (int j = 0; j < 2; j++) {
        const bool is_quiet = self->last == DIFFERENCE ? j == 1 : j == SPOT_BEFORE;
        const char *text = self->last != DIFFERENCE
                               ? spot_texts_add(&self->texts, "%s: %s (%s%s)", sides[j],
                                     file_words(self, j), is_quiet ? "grey" : "blue",
                                     !self->has_curves ? ""
                                     : is_quiet        ? ", dashed"
                                                       : ", solid")
                           : is_quiet ? "grey and hollow: the interval includes 0"
                                      : "B − A differs surely: 0 is outside of the interval";

        spot_chart_legend(self->chart, &(spot_chart_entry_t){.text = text,
                                           .colour = is_quiet ? SPOT_INK_QUIET : SPOT_INK_ACCENT,
                                           .marker = SPOT_CHART_CIRCLE,
                                           .is_hollow = is_quiet});
    }
}

static void declare_head(picture_t *self)
{
    const size_t num_shown = self->has_curves ? self->num_panels : self->starts[1];

    spot_chart_title(self->chart, "%s", spot_study_title(self->head));
    spot_chart_note(self->chart, "%s in both · %s: 95 %% confidence interval",
        spot_words_count(&self->texts, (int64_t) self->two->match.num_pairs, "point"),
        self->has_curves ? "band" : "bar");
    if (num_shown < self->num_wanted) {
        spot_chart_note(self->chart, "the first %zu of %zu %s", num_shown, self->num_wanted,
            self->has_curves ? "curves" : "points that can be compared");
    }
    declare_legend(self);
}

/* ---- Panels ---- */

/* A pair at a place along x; in rows, at the place of a row with its value along x. */
static void add_pair(const picture_t *self, size_t pair_id, int what, double place)
{
    const spot_metric_change_t *change = spot_side_by_side_change(self->two, pair_id);
    const double mean = what == DIFFERENCE ? change->difference : change->means[what];
    const bool is_probability = spot_metric_estimator(self->metric) == SPOT_ESTIMATOR_PROBABILITY;
    const double least = !is_probability ? -HUGE_VAL : what == DIFFERENCE ? -1 : 0;
    const double most = is_probability ? 1 : HUGE_VAL, factor = self->shown.factor;
    const bool is_quiet = what == DIFFERENCE && !change->is_marked;
    double width = what == DIFFERENCE ? change->half_width : change->half_widths[what];
    double low, high;

    width = isfinite(width) ? width : 0;
    low = factor * fmax(mean - width, least);
    high = factor * fmin(mean + width, most);
    spot_chart_add(self->chart, &(spot_chart_datum_t){.x = self->has_curves ? place : factor * mean,
                                    .x_low = self->has_curves ? 0 : low,
                                    .x_high = self->has_curves ? 0 : high,
                                    .y = self->has_curves ? factor * mean : place,
                                    .y_low = self->has_curves ? low : 0,
                                    .y_high = self->has_curves ? high : 0,
                                    .colour = is_quiet ? SPOT_INK_QUIET : NULL,
                                    .is_hollow = is_quiet || what == SPOT_BEFORE});
}

/* A stands above B in a row. */
static void declare_series(const picture_t *self, size_t panel_id, int what)
{
    static const double from_middle[] = {
        [SPOT_BEFORE] = -0.18, [SPOT_AFTER] = 0.18, [DIFFERENCE] = 0};
    const bool is_before = what == SPOT_BEFORE;

    spot_chart_series(self->chart,
        &(spot_chart_series_t){.kind = self->has_curves ? SPOT_CHART_LINE : SPOT_CHART_POINTS,
            .colour = is_before ? SPOT_INK_QUIET : SPOT_INK_ACCENT,
            .marker = SPOT_CHART_CIRCLE,
            .is_hollow = is_before && self->has_curves,
            .dash = is_before && self->has_curves ? SPOT_CHART_DASHED : SPOT_CHART_SOLID,
            .width_px = !self->has_curves ? 0
                        : is_before       ? 1.6
                                          : 2.2});
    for (size_t j = self->starts[panel_id]; j < self->starts[panel_id + 1]; j++) {
        const size_t pair_id = self->pair_ids[j];

        add_pair(self, pair_id, what,
            self->has_curves ? self->head->axes[self->axis_id].numbers[spot_study_value_id(
                                   self->head, point_of(self, pair_id), self->axis_id)]
                             : (double) j + from_middle[what]);
    }
}

/* All panels of curves have the same axes; means from 0 unless that hides the curves.
 * The curve before lies upon the one after: where both are the same, its dashes let the
 * other show through. */
static void declare_panel(picture_t *self, size_t panel_id)
{
    const size_t *pair_ids = &self->pair_ids[self->starts[panel_id]];
    const bool is_difference = self->last == DIFFERENCE;
    const spot_chart_axis_t value_axis = {
        .name = spot_side_by_side_title(self->two, self->two->main_id, is_difference, &self->texts),
        .group = self->has_curves ? 2 : 0,
        .has_zero = is_difference};
    spot_chart_panel_t panel = {.x = value_axis, .y = {.kind = SPOT_CHART_ROWS}};

    if (self->has_curves) {
        panel = (spot_chart_panel_t){
            .x = {.name = spot_words_x(&self->texts, self->head, self->axis_id), .group = 1},
            .y = value_axis};
        panel.title = self->head->num_axes < 2
                          ? NULL
                          : spot_words_panel(&self->texts, self->head, point_of(self, pair_ids[0]),
                                self->axis_id, SIZE_MAX);
    }
    spot_chart_panel(self->chart, &panel);
    for (size_t j = 0; !self->has_curves && j < self->starts[1]; j++) {
        const char *words =
            spot_words_point(&self->texts, self->head, point_of(self, pair_ids[j]), ROW_CHARS);

        (void) spot_chart_row(
            self->chart, &(spot_chart_row_t){.name = words[0] == '\0' ? "the only point" : words});
    }
    if (is_difference) {
        spot_chart_rule(self->chart,
            &(spot_chart_rule_t){
                .direction = self->has_curves ? SPOT_CHART_HORIZONTAL : SPOT_CHART_VERTICAL});
    }
    for (int what = self->last; what >= self->first; what--) {
        declare_series(self, panel_id, what);
    }
}

/* ---- The pictures ---- */

static int declare(spot_chart_t *chart, const spot_side_by_side_t *two, int first, int last)
{
    picture_t self = {.two = two,
        .head = two->sides[SPOT_BEFORE].report->head,
        .metric = spot_side_by_side_metric(two, two->main_id),
        .shown = spot_side_by_side_shown(two, two->main_id),
        .first = first,
        .last = last,
        .chart = chart};
    int ret = choose(&self);

    if (ret == 0) {
        declare_head(&self);
        for (size_t j = 0; j < self.num_panels; j++) {
            declare_panel(&self, j);
        }
        ret = spot_error_first(spot_chart_error(chart), self.texts.error);
    }
    spot_texts_free(&self.texts);
    return ret;
}

int spot_side_by_side_declare_means(spot_chart_t *chart, const void *context)
{
    return declare(chart, context, SPOT_BEFORE, SPOT_AFTER);
}

int spot_side_by_side_declare_changes(spot_chart_t *chart, const void *context)
{
    return declare(chart, context, DIFFERENCE, DIFFERENCE);
}

const char *spot_side_by_side_plot_problem(const spot_side_by_side_t *two)
{
    if (two->num_metrics == 0) {
        return "no metric is in both";
    }
    for (size_t j = 0; j < two->match.num_pairs; j++) {
        if (isfinite(spot_side_by_side_change(two, j)->difference)) {
            return NULL;
        }
    }
    return "the main metric has no value at a point that both have";
}
