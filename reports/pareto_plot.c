/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pareto_plot.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "reports/palette.h"
#include "reports/pareto_layout.h"
#include "reports/series_look.h"
#include "reports/study_head.h"
#include "reports/study_words.h"
#include "reports/value_label.h"
#include "sim/analysis/point_groups.h"

#define LEGEND_CHARS 36
#define LEGEND_GAP_PX 26.0
#define PANEL_FOOT_PX 72.0
#define MANY_DOTS 300 /* from here on they are small */

/* ---- Legend ---- */

/* Whether the points on the front have room for their keys beside their values. */
static bool
has_room_for_keys(const spot_pareto_layout_t *self)
{
    char words[SPOT_POINT_BYTES];

    for (size_t j = 0; j < self->num_numbers; j++) {
        spot_point_words(self->head, self->numbers[j].point_id, LEGEND_CHARS, words);
        if (spot_utf8_count(words, strlen(words)) > LEGEND_CHARS - 3) {
            return false;
        }
    }
    return true;
}

/* "every, pipeline depth, initial", and of a point "90 s, 8, 16". */
static void
list_axes(const spot_study_head_t *head, size_t point_id, char text[SPOT_POINT_BYTES])
{
    char words[SPOT_VALUE_LABEL_BYTES];
    size_t used = 0;

    text[0] = '\0';
    for (size_t j = 0; j < head->num_axes && used + 8 < SPOT_POINT_BYTES; j++) {
        if (point_id == SPOT_NO_POINT) {
            spot_key_words(&head->axes[j], words);
        } else {
            (void) spot_point_label(head, point_id, j, words);
        }
        used += (size_t) snprintf(text + used, SPOT_POINT_BYTES - 4 - used, "%s%s",
            used == 0 ? "" : ", ", words);
    }
    spot_figure_cut(text, LEGEND_CHARS - 3);
}

static void
number_words(const spot_pareto_layout_t *self, size_t number_id, bool has_keys,
    char text[SPOT_POINT_BYTES])
{
    const spot_pareto_number_t *number = &self->numbers[number_id];
    char words[SPOT_POINT_BYTES];

    if (self->points->num_groups > 1) {
        spot_cost_group_words(self->points, number->group_id, LEGEND_CHARS - 3, words);
    } else if (has_keys) {
        spot_point_words(self->head, number->point_id, LEGEND_CHARS - 3, words);
    } else {
        list_axes(self->head, number->point_id, words);
    }
    snprintf(text, SPOT_POINT_BYTES, "%zu  %.*s", number_id + 1, SPOT_POINT_BYTES - 24,
        words);
}

static bool
has_bound(const spot_pareto_layout_t *self)
{
    return self->points->num_fates[SPOT_CHOICE_LEFT_OUT] > 0 &&
           self->head->best.is_asked;
}

static double
draw_numbers(const spot_pareto_layout_t *self, double x_px, double y_px)
{
    const bool has_keys = self->points->num_groups > 1 || has_room_for_keys(self);
    char text[SPOT_POINT_BYTES];

    if (self->num_numbers > 0) {
        spot_figure_text(&self->figure, x_px, y_px, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT,
            self->points->num_groups > 1 ? "fronts, each of one trace"
                                         : "on the front, from the cheapest");
        y_px += SPOT_PARETO_LINE_PX;
    }
    if (!has_keys) {
        list_axes(self->head, SPOT_NO_POINT, text);
        spot_figure_text(
            &self->figure, x_px, y_px, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, text);
        y_px += SPOT_PARETO_LINE_PX;
    }
    for (size_t j = 0; j < self->num_numbers; j++) {
        char sign[SPOT_LABEL_BYTES];

        number_words(self, j, has_keys, text);
        spot_figure_text(
            &self->figure, x_px, y_px, SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, text);
        snprintf(sign, sizeof(sign), "%zu", j + 1);
        spot_figure_text(&self->figure, self->numbers[j].x_px, self->numbers[j].y_px,
            SPOT_TEXT_LABEL, SPOT_ALIGN_CENTER, sign);
        y_px += SPOT_PARETO_LINE_PX;
    }
    return self->num_numbers > 0 ? y_px + SPOT_PARETO_PART_PX : y_px;
}

static double
draw_series(const spot_pareto_layout_t *self, double x_px, double y_px)
{
    char label[SPOT_VALUE_LABEL_BYTES], words[SPOT_WORDS_BYTES];

    if (self->num_series == 1) {
        return y_px;
    }
    spot_axis_words(&self->head->axes[self->series_axis_id], words);
    spot_figure_text(&self->figure, x_px, y_px, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, words);
    y_px += SPOT_PARETO_LINE_PX;
    for (size_t j = 0; j < self->num_series; j++) {
        (void) spot_value_label(&self->head->axes[self->series_axis_id], j, label);
        spot_figure_cut(label, LEGEND_CHARS - 3);
        if (spot_series_is_bound(self->head, self->series_axis_id, j)) {
            spot_figure_marker_entry(&self->figure, x_px, y_px, SPOT_MARKER_OPEN_DIAMOND,
                SPOT_INK_QUIET, label);
        } else {
            spot_figure_marker_entry(&self->figure, x_px, y_px,
                spot_series_filled_marker(j),
                spot_series_colour(self->head, self->series_axis_id, j), label);
        }
        y_px += SPOT_PARETO_LINE_PX;
    }
    return y_px + SPOT_PARETO_PART_PX;
}

/* What filled, open and grey dots are. */
static double
draw_looks(const spot_pareto_layout_t *self, double x_px, double y_px)
{
    const struct {
        bool is_there;
        spot_marker_t marker;
        const char *colour;
        const char *text;
    } looks[] = {
        {true, SPOT_MARKER_CIRCLE, SPOT_INK, "filled: on the front"},
        {self->points->num_fates[SPOT_CHOICE_DOMINATED] > 0, SPOT_MARKER_OPEN_CIRCLE,
            SPOT_INK, "open: worse, but intervals touch"},
        {self->points->num_fates[SPOT_CHOICE_SURELY_WORSE] > 0, SPOT_MARKER_OPEN_CIRCLE,
            SPOT_INK_OTHER, "grey: surely worse"},
        {has_bound(self), SPOT_MARKER_OPEN_DIAMOND, SPOT_INK_QUIET,
            "a bound, which does not compete"},
    };

    for (size_t j = 0; j < sizeof(looks) / sizeof(looks[0]); j++) {
        if (looks[j].is_there) {
            spot_figure_marker_entry(&self->figure, x_px, y_px, looks[j].marker,
                looks[j].colour, looks[j].text);
            y_px += SPOT_PARETO_LINE_PX;
        }
    }
    return y_px;
}

/* ---- Texts and axes ---- */

/* Of both metrics, where these have the same. */
static const char *
estimate_words(const spot_pareto_layout_t *self)
{
    const spot_metric_t *metrics = self->head->metrics;
    const char *cost = spot_estimate_words(&metrics[self->points->cost_id]);
    const char *gain = spot_estimate_words(&metrics[self->points->gain_id]);

    return strcmp(cost, gain) == 0 ? cost : "estimate";
}

static void
draw_head(const spot_pareto_layout_t *self)
{
    char note[SPOT_NOTE_BYTES];
    size_t used;

    spot_study_run_words(self->points->report, note);
    used = strlen(note);
    if (self->points->report->max_rows > 1) {
        snprintf(note + used, sizeof(note) - used,
            " · dot: %s, bars: its 95 %% confidence intervals%s", estimate_words(self),
            self->has_bars ? "" : ", of the front");
    }
    spot_study_head_draw_note(&self->figure, self->head, note);
}

/* What is left out. */
static void
draw_foot(const spot_pareto_layout_t *self)
{
    char note[SPOT_NOTE_BYTES] = "";
    size_t used = 0;

    if (self->points->num_common > 0) {
        used += (size_t) snprintf(note, sizeof(note),
            "compared over the first %" PRId64 " replications of each point",
            self->points->num_common);
    }
    if (self->num_drawn < self->head->num_points) {
        used += (size_t) snprintf(note + used, sizeof(note) - used,
            "%s%zu of %zu points have a dot: the others are undefined or lie upon these",
            used > 0 ? " · " : "", self->num_drawn, self->head->num_points);
    }
    if (self->num_fronts < self->points->num_groups) {
        used += (size_t) snprintf(note + used, sizeof(note) - used,
            "%s%zu of %zu fronts have a line", used > 0 ? " · " : "", self->num_fronts,
            self->points->num_groups);
    }
    if (self->points->is_over_traces) {
        snprintf(note + used, sizeof(note) - used,
            "%sno two points meet the same trace, which nobody chooses",
            used > 0 ? " · " : "");
    }
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX,
        self->panel.top_px + self->panel.height_px + PANEL_FOOT_PX - 14, SPOT_TEXT_NOTE,
        SPOT_ALIGN_LEFT, note);
}

static void
draw_names(const spot_pareto_layout_t *self)
{
    const spot_panel_t *panel = &self->panel;
    char words[SPOT_WORDS_BYTES], name[SPOT_WORDS_BYTES + 24];

    (void) spot_fraction_words_in(
        &self->head->metrics[self->points->gain_id], self->gain.unit, words);
    snprintf(name, sizeof(name), "%s: more is better", words);
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, panel->top_px - 16,
        SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, name);
    (void) spot_fraction_words_in(
        &self->head->metrics[self->points->cost_id], self->cost.unit, words);
    snprintf(name, sizeof(name), "%s: less is better", words);
    spot_figure_x_name(&self->figure, panel, 37, name);
}

/* 1, 2 and 5 times powers of ten within the panel; of many decades the powers alone. */
static void
write_log_ticks(const spot_pareto_layout_t *self)
{
    static const double factors[] = {1, 2, 5};
    const spot_panel_t *panel = &self->panel;
    const size_t num_factors = panel->x_high - panel->x_low > 3 ? 1 : 3;

    fputs("set xtics ()\n", self->figure.out);
    for (double power = floor(panel->x_low); power <= panel->x_high; power++) {
        for (size_t j = 0; j < num_factors; j++) {
            const double tick = power + log10(factors[j]);

            if (tick >= panel->x_low && tick <= panel->x_high) {
                fprintf(self->figure.out, "set xtics add ('%.4g' %.8g)\n",
                    factors[j] * pow(10, power), tick);
            }
        }
    }
}

/* ---- Dots, bars and fronts ---- */

/* "$dots2x1": the points of a series and a fate. Returns how many. */
static size_t
write_dots(const spot_pareto_layout_t *self, size_t series_id, spot_choice_fate_t fate)
{
    FILE *out = self->figure.out;
    size_t num_dots = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_choice_t *choice = &self->points->choices[j];

        if (self->is_drawn[j] && self->points->fates[j] == fate &&
            spot_pareto_series(self, j) == series_id) {
            if (num_dots++ == 0) {
                fprintf(out, "$dots%zux%d << EOD\n", series_id, (int) fate);
            }
            fprintf(out, "%.6g %.6g\n", spot_pareto_place_cost(self, choice->cost),
                self->gain.factor * choice->gain);
        }
    }
    fputs(num_dots > 0 ? "EOD\n" : "", out);
    return num_dots;
}

/* A bar is a line from one end to the other; one of no width is none. */
static bool
write_bars(const spot_pareto_layout_t *self)
{
    FILE *out = self->figure.out;
    const bool has_front =
        self->points->num_fates[SPOT_CHOICE_FRONT] <= SPOT_PARETO_BARS;
    bool has_any = false;

    fputs("$bars << EOD\n", out);
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_choice_t *choice = &self->points->choices[j];
        const double x = spot_pareto_place_cost(self, choice->cost);
        const double y = self->gain.factor * choice->gain;

        if (!self->is_drawn[j] ||
            !(self->has_bars || (has_front && spot_pareto_is_front(self, j)))) {
            continue;
        }
        if (choice->cost_high > choice->cost_low) {
            fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n",
                spot_pareto_place_cost(self, choice->cost_low), y,
                spot_pareto_place_cost(self, choice->cost_high), y);
            has_any = true;
        }
        if (choice->gain_high > choice->gain_low) {
            fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", x,
                self->gain.factor * choice->gain_low, x,
                self->gain.factor * choice->gain_high);
            has_any = true;
        }
    }
    fputs("EOD\n", out);
    return has_any;
}

static void
write_front(const spot_pareto_layout_t *self, size_t front_id)
{
    const spot_cost_group_t *group =
        &self->points->groups[spot_pareto_group(self, front_id)];
    FILE *out = self->figure.out;

    fprintf(out, "$front%zu << EOD\n", front_id);
    for (size_t j = group->first; j < group->end; j++) {
        const size_t point_id = self->points->point_ids[j];

        if (spot_pareto_is_front(self, point_id) && self->is_drawn[point_id]) {
            fprintf(out, "%.6g %.6g\n",
                spot_pareto_place_cost(self, self->points->choices[point_id].cost),
                self->gain.factor * self->points->choices[point_id].gain);
        }
    }
    fputs("EOD\n", out);
}

static void
write_dots_clause(
    const spot_pareto_layout_t *self, size_t series_id, spot_choice_fate_t fate)
{
    const bool is_many = self->num_drawn > MANY_DOTS;
    const char *colour = self->num_series == 1 ? SPOT_INK_ACCENT
                                               : spot_series_colour(self->head,
                                                     self->series_axis_id, series_id);
    spot_marker_t marker = spot_series_open_marker(series_id);

    if (fate == SPOT_CHOICE_FRONT) {
        marker = spot_series_filled_marker(series_id);
    } else if (fate == SPOT_CHOICE_SURELY_WORSE) {
        colour = SPOT_INK_OTHER;
    } else if (fate == SPOT_CHOICE_LEFT_OUT) {
        colour = SPOT_INK_QUIET;
        marker = SPOT_MARKER_OPEN_DIAMOND;
    }
    fprintf(self->figure.out,
        "$dots%zux%d using 1:2 with points pt %d ps %s lw 1.2 lc rgb '%s', \\\n",
        series_id, (int) fate, (int) marker,
        fate == SPOT_CHOICE_FRONT ? "0.8"
        : is_many                 ? "0.25"
                                  : "0.6",
        colour);
}

/* From the back: bars, what is worse, fronts, and their dots. */
static void
draw_data(const spot_pareto_layout_t *self)
{
    static const spot_choice_fate_t order[] = {SPOT_CHOICE_SURELY_WORSE,
        SPOT_CHOICE_DOMINATED, SPOT_CHOICE_LEFT_OUT, SPOT_CHOICE_FRONT};
    bool has_dots[SPOT_PARETO_SERIES][SPOT_CHOICE_SURELY_WORSE + 1] = {{false}};
    FILE *out = self->figure.out;
    const bool has_bars = write_bars(self);

    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (size_t j = 0; j < self->num_series; j++) {
            has_dots[j][order[k]] = write_dots(self, j, order[k]) > 0;
        }
    }
    for (size_t j = 0; j < self->num_fronts; j++) {
        write_front(self, j);
    }
    fputs("plot ", out);
    if (has_bars) {
        fprintf(
            out, "$bars using 1:2 with lines lw 0.8 lc rgb '%s', \\\n", SPOT_INK_OTHER);
    }
    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (size_t j = 0; order[k] == SPOT_CHOICE_FRONT && j < self->num_fronts; j++) {
            fprintf(out, "$front%zu using 1:2 with steps lw %s lc rgb '%s', \\\n", j,
                self->num_fronts > 1 ? "1" : "1.6",
                self->num_fronts > 1 ? SPOT_INK_OTHER : SPOT_INK_QUIET);
        }
        for (size_t j = 0; j < self->num_series; j++) {
            if (has_dots[j][order[k]]) {
                write_dots_clause(self, j, order[k]);
            }
        }
    }
    fputs("NaN\n", out);
}

/* ---- The picture ---- */

static void
write_picture(spot_pareto_layout_t *self, const char *picture_path, FILE *out)
{
    const spot_panel_t *panel = &self->panel;
    const double x_px = panel->left_px + panel->width_px + LEGEND_GAP_PX;
    double y_px = panel->top_px;

    spot_figure_begin(&self->figure, out, SPOT_PARETO_WIDTH_PX,
        panel->top_px + panel->height_px + PANEL_FOOT_PX, picture_path);
    draw_head(self);
    y_px = draw_numbers(self, x_px, y_px);
    y_px = draw_series(self, x_px, y_px);
    (void) draw_looks(self, x_px, y_px);
    draw_names(self);
    draw_foot(self);
    if (self->is_log) {
        write_log_ticks(self);
    } else {
        spot_study_round_x_ticks(&self->figure, panel);
    }
    spot_figure_panel(&self->figure, panel, self->gain.factor == 100 ? "%g %%" : "%g");
    draw_data(self);
    spot_figure_end_panel(&self->figure);
    spot_figure_end(&self->figure);
}

int
spot_pareto_plot_script(const spot_report_t *report, const char *picture_path, FILE *out)
{
    spot_pareto_layout_t self = {0};
    spot_cost_gain_t points;
    int ret = spot_cost_gain_init(&points, report);

    if (ret == 0) {
        ret = spot_pareto_layout_init(&self, &points);
    }
    if (ret == 0) {
        write_picture(&self, picture_path, out);
        ret = ferror(out) ? SPOT_ERR_IO : 0;
    }
    spot_pareto_layout_free(&self);
    spot_cost_gain_free(&points);
    return ret;
}
