/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pareto_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/bar_rows.h"
#include "reports/figure.h"
#include "reports/palette.h"
#include "reports/series_look.h"
#include "reports/study_head.h"
#include "reports/study_words.h"
#include "reports/value_label.h"

#define WIDTH_PX 900.0
#define LEFT_PX 64.0
#define RIGHT_PX 300.0 /* the legend */
#define LEGEND_CHARS 36
#define LEGEND_GAP_PX 26.0
#define PANEL_PX 420.0
#define PANEL_HEAD_PX 30.0
#define PANEL_FOOT_PX 72.0
#define LINE_PX 19.0
#define PART_PX 12.0 /* between parts of the legend */
#define MAX_NUMBERS 12
#define NUMBER_PX 13.0 /* between the middles of two numbers */
#define MAX_SERIES 20
#define FINEST_PX 3.0  /* between dots that can be told apart */
#define MAX_BARS 150   /* points with their intervals */
#define MANY_DOTS 300  /* from here on they are small */
#define LOG_RATIO 20.0 /* of the highest and the lowest cost */

/* A number beside a dot, explained in the legend. */
typedef struct {
    size_t point_id;
    size_t group_id;
    double x_px, y_px; /* of its text */
} number_t;

typedef struct {
    const spot_cost_gain_t *points;
    const spot_study_head_t *head;
    spot_figure_t figure;
    spot_panel_t panel;
    size_t series_axis_id; /* num_axes: all points look the same */
    size_t num_series;
    bool is_log;                     /* the axis of costs */
    double cost_factor, gain_factor; /* 100 for percent */
    bool *is_drawn;                  /* [num_points] */
    size_t num_drawn;
    bool has_bars;     /* of all points, not of the front alone */
    size_t num_fronts; /* with a line */
    size_t num_numbers;
    number_t numbers[MAX_NUMBERS];
} pareto_plot_t;

static bool
is_defined(const pareto_plot_t *self, size_t point_id)
{
    const spot_choice_t *choice = &self->points->choices[point_id];

    return isfinite(choice->cost) && isfinite(choice->gain);
}

static bool
is_front(const pareto_plot_t *self, size_t point_id)
{
    return self->points->fates[point_id] == SPOT_CHOICE_FRONT;
}

static double
place_cost(const pareto_plot_t *self, double cost)
{
    const double shown = self->cost_factor * cost;

    return self->is_log ? log10(fmax(shown, 1e-300)) : shown;
}

static double
cost_px(const pareto_plot_t *self, size_t point_id)
{
    return spot_panel_x_px(
        &self->panel, place_cost(self, self->points->choices[point_id].cost));
}

static double
gain_px(const pareto_plot_t *self, size_t point_id)
{
    return spot_panel_y_px(
        &self->panel, self->gain_factor * self->points->choices[point_id].gain);
}

/* The value of the series axis, by which a point is drawn. */
static size_t
series_of(const pareto_plot_t *self, size_t point_id)
{
    return self->num_series == 1
               ? 0
               : spot_study_value_id(self->head, point_id, self->series_axis_id);
}

/* ---- Layout ---- */

static void
choose_series(pareto_plot_t *self)
{
    self->series_axis_id = spot_series_axis(self->head);
    self->num_series = 1;
    if (self->series_axis_id < self->head->num_axes &&
        self->head->axes[self->series_axis_id].num_values <= MAX_SERIES) {
        self->num_series = self->head->axes[self->series_axis_id].num_values;
    }
}

static size_t
front_group(const pareto_plot_t *self, size_t front_id)
{
    return spot_spread(front_id, self->num_fronts, self->points->num_groups);
}

typedef struct {
    double low;
    double high;
} range_t;

static void
widen(range_t *self, double low, double high)
{
    self->low = fmin(self->low, low); /* fmin() and fmax() pass over NAN */
    self->high = fmax(self->high, high);
}

/* Of the means, and of the intervals where all are drawn; those of costs may be cut off
 * at a half and at twice the mean. Decides whether costs are on a logarithmic axis. */
static void
choose_ranges(pareto_plot_t *self, range_t *cost, range_t *gain)
{
    range_t means = {HUGE_VAL, -HUGE_VAL};

    *cost = *gain = means;
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_choice_t *choice = &self->points->choices[j];

        if (is_defined(self, j)) {
            widen(&means, choice->cost, choice->cost);
            widen(cost, choice->cost, choice->cost);
            widen(gain, choice->gain, choice->gain);
        }
        if (is_defined(self, j) && self->head->num_points <= MAX_BARS) {
            const double room = 0.5 * fabs(choice->cost);

            widen(cost, fmax(choice->cost_low, choice->cost - room),
                fmin(choice->cost_high, choice->cost + 2 * room));
            widen(gain, choice->gain >= 0 ? fmax(choice->gain_low, 0) : choice->gain_low,
                choice->gain_high);
        }
    }
    self->is_log = means.low > 0 && means.high > LOG_RATIO * means.low;
}

/* With room for dots at the edges. */
static void
choose_panel(pareto_plot_t *self, double height_px)
{
    range_t cost, gain;
    double low, high, room;

    self->panel = (spot_panel_t){
        .left_px = LEFT_PX,
        .top_px = spot_study_head_px(self->head) + PANEL_HEAD_PX,
        .width_px = WIDTH_PX - LEFT_PX - RIGHT_PX,
        .height_px = fmax(PANEL_PX, height_px),
    };
    choose_ranges(self, &cost, &gain);
    gain.low = gain.low >= 0 && gain.low <= 0.5 * gain.high ? 0 : gain.low;
    self->panel.y = spot_scale_around(
        gain.low * self->gain_factor, gain.high * self->gain_factor, 6);
    low = place_cost(self, cost.low);
    high = place_cost(self, cost.high);
    room = high > low ? 0.04 * (high - low) : fmax(0.1 * fabs(low), 0.1);
    self->panel.x_low = low - room;
    self->panel.x_high = high + room;
}

/* The square in which a point lies. */
static size_t
cell_of(const pareto_plot_t *self, size_t point_id, double cell_px, size_t num_columns)
{
    const double row = (gain_px(self, point_id) - self->panel.top_px) / cell_px;
    const double column = (cost_px(self, point_id) - self->panel.left_px) / cell_px;

    return (size_t) row * num_columns + (size_t) column;
}

/* Whether a point of the front is not upon the last one of it, which moves on. */
static bool
is_apart(const pareto_plot_t *self, size_t point_id, size_t *last_id)
{
    const bool is_far =
        *last_id == SIZE_MAX ||
        fabs(cost_px(self, point_id) - cost_px(self, *last_id)) >= FINEST_PX ||
        fabs(gain_px(self, point_id) - gain_px(self, *last_id)) >= FINEST_PX;

    *last_id = is_far ? point_id : *last_id;
    return is_far;
}

/* Chooses dots with one in each square of cell_px at most, the front first: of a single
 * front all dots that can be told apart. 0: all dots. is_taken: [squares] */
static void
choose_dots(pareto_plot_t *self, double cell_px, bool *is_taken, size_t num_columns)
{
    static const spot_choice_fate_t order[] = {SPOT_CHOICE_FRONT, SPOT_CHOICE_DOMINATED,
        SPOT_CHOICE_SURELY_WORSE, SPOT_CHOICE_LEFT_OUT};
    size_t last_id = SIZE_MAX;

    self->num_drawn = 0;
    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (size_t j = 0; j < self->head->num_points; j++) {
            const size_t point_id = self->points->point_ids[j];
            bool is_drawn = true;

            if (self->points->fates[point_id] != order[k] ||
                !is_defined(self, point_id)) {
                continue;
            }
            if (cell_px > 0) {
                const size_t cell = cell_of(self, point_id, cell_px, num_columns);

                is_drawn = k == 0 && self->points->num_groups == 1
                               ? is_apart(self, point_id, &last_id)
                               : !is_taken[cell];
                is_taken[cell] = true;
            }
            self->is_drawn[point_id] = is_drawn;
            self->num_drawn += is_drawn;
        }
    }
}

static int
thin(pareto_plot_t *self)
{
    double cell_px = self->head->num_points <= SPOT_MAX_DOTS ? 0 : FINEST_PX;

    do {
        const size_t num_columns =
            cell_px > 0 ? (size_t) (self->panel.width_px / cell_px) + 2 : 1;
        const size_t num_rows =
            cell_px > 0 ? (size_t) (self->panel.height_px / cell_px) + 2 : 1;
        bool *is_taken = spot_calloc(num_columns * num_rows, sizeof(*is_taken));

        if (is_taken == NULL) {
            return SPOT_ERR_NO_MEMORY;
        }
        choose_dots(self, cell_px, is_taken, num_columns);
        free(is_taken);
        cell_px *= 1.5;
    } while (self->num_drawn > SPOT_MAX_DOTS);
    self->has_bars = self->num_drawn <= MAX_BARS;
    return 0;
}

/* ---- Numbers ---- */

/* Beside its dot where no other number is: up to the left, where a front has nothing
 * else, then around. */
static void
place_number(pareto_plot_t *self, size_t point_id, size_t group_id)
{
    static const double offsets[][2] = {{-10, -10}, {0, -14}, {12, -8}, {-15, 2},
        {15, 4}, {0, 14}, {-20, -20}, {0, -27}};
    number_t number = {.point_id = point_id, .group_id = group_id};

    for (size_t j = 0; j < sizeof(offsets) / sizeof(offsets[0]); j++) {
        bool is_free = true;

        number.x_px = cost_px(self, point_id) + offsets[j][0];
        number.y_px = gain_px(self, point_id) + offsets[j][1];
        for (size_t k = 0; k < self->num_numbers; k++) {
            is_free =
                is_free && (fabs(number.x_px - self->numbers[k].x_px) >= NUMBER_PX + 3 ||
                               fabs(number.y_px - self->numbers[k].y_px) >= NUMBER_PX);
        }
        if (is_free) {
            break;
        }
    }
    self->numbers[self->num_numbers++] = number;
}

/* Whether the dot of a point is not beside one that has a number. */
static bool
is_alone(const pareto_plot_t *self, size_t point_id)
{
    for (size_t j = 0; j < self->num_numbers; j++) {
        const size_t other_id = self->numbers[j].point_id;

        if (fabs(cost_px(self, point_id) - cost_px(self, other_id)) < NUMBER_PX &&
            fabs(gain_px(self, point_id) - gain_px(self, other_id)) < NUMBER_PX) {
            return false;
        }
    }
    return true;
}

/* One for each front that has a line, at its cheapest point that has none beside it:
 * fronts may end in the same point. */
static void
number_fronts(pareto_plot_t *self)
{
    for (size_t j = 0; j < self->num_fronts; j++) {
        const size_t group_id = front_group(self, j);
        const spot_cost_group_t *group = &self->points->groups[group_id];
        size_t chosen_id = SIZE_MAX;

        for (size_t k = group->end; k-- > group->first;) {
            const size_t point_id = self->points->point_ids[k];

            if (is_front(self, point_id) &&
                (chosen_id == SIZE_MAX || is_alone(self, point_id))) {
                chosen_id = point_id;
            }
        }
        if (chosen_id != SIZE_MAX) {
            place_number(self, chosen_id, group_id);
        }
    }
}

/* One for each point of the only front, or for some spread along it. */
static void
number_points(pareto_plot_t *self)
{
    const size_t num_front = self->points->num_fates[SPOT_CHOICE_FRONT];
    const size_t num_shown = num_front < MAX_NUMBERS ? num_front : MAX_NUMBERS;
    size_t place = 0, front_id = 0;

    for (size_t j = 0; j < self->head->num_points && place < num_shown; j++) {
        const size_t point_id = self->points->point_ids[j];

        if (is_front(self, point_id)) {
            if (front_id++ == spot_spread(place, num_shown, num_front)) {
                place_number(self, point_id, 0);
                place++;
            }
        }
    }
}

/* A legend of series names points that differ in one key only. */
static void
choose_numbers(pareto_plot_t *self)
{
    const size_t num_groups = self->points->num_groups;

    self->num_fronts = num_groups < MAX_NUMBERS ? num_groups : MAX_NUMBERS;
    if (num_groups > 1) {
        number_fronts(self);
    } else if (self->head->num_axes > 1 || self->num_series == 1) {
        number_points(self);
    }
}

/* ---- Legend ---- */

static void
number_words(const pareto_plot_t *self, size_t number_id, char text[SPOT_POINT_BYTES])
{
    const number_t *number = &self->numbers[number_id];
    char words[SPOT_POINT_BYTES];

    if (self->points->num_groups > 1) {
        spot_cost_group_words(self->points, number->group_id, LEGEND_CHARS - 3, words);
    } else {
        spot_point_words(self->head, number->point_id, LEGEND_CHARS - 3, words);
    }
    snprintf(text, SPOT_POINT_BYTES, "%zu  %.*s", number_id + 1, SPOT_POINT_BYTES - 24,
        words);
}

static bool
has_bound(const pareto_plot_t *self)
{
    return self->points->num_fates[SPOT_CHOICE_LEFT_OUT] > 0 &&
           self->head->best.is_asked;
}

static double
draw_numbers(const pareto_plot_t *self, double x_px, double y_px)
{
    char text[SPOT_POINT_BYTES];

    if (self->num_numbers > 0) {
        spot_figure_text(&self->figure, x_px, y_px, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT,
            self->points->num_groups > 1 ? "fronts, each of one trace"
                                         : "on the front, from the cheapest");
        y_px += LINE_PX;
    }
    for (size_t j = 0; j < self->num_numbers; j++) {
        char sign[SPOT_LABEL_BYTES];

        number_words(self, j, text);
        spot_figure_text(
            &self->figure, x_px, y_px, SPOT_TEXT_LABEL, SPOT_ALIGN_LEFT, text);
        snprintf(sign, sizeof(sign), "%zu", j + 1);
        spot_figure_text(&self->figure, self->numbers[j].x_px, self->numbers[j].y_px,
            SPOT_TEXT_LABEL, SPOT_ALIGN_CENTER, sign);
        y_px += LINE_PX;
    }
    return self->num_numbers > 0 ? y_px + PART_PX : y_px;
}

static double
draw_series(const pareto_plot_t *self, double x_px, double y_px)
{
    char label[SPOT_VALUE_LABEL_BYTES], words[SPOT_WORDS_BYTES];

    if (self->num_series == 1) {
        return y_px;
    }
    spot_axis_words(&self->head->axes[self->series_axis_id], words);
    spot_figure_text(&self->figure, x_px, y_px, SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, words);
    y_px += LINE_PX;
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
        y_px += LINE_PX;
    }
    return y_px + PART_PX;
}

/* What filled, open and grey dots are. */
static double
draw_looks(const pareto_plot_t *self, double x_px, double y_px)
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
            y_px += LINE_PX;
        }
    }
    return y_px;
}

/* Numbers, series and looks with their headings; numbers are at most as many as
 * choose_numbers() finds. */
static double
legend_px(const pareto_plot_t *self)
{
    const size_t num_numbers =
        MAX_NUMBERS < self->head->num_points ? MAX_NUMBERS : self->head->num_points;

    return LINE_PX * (double) (num_numbers + 1 +
                               (self->num_series > 1 ? self->num_series + 1 : 0) + 4) +
           2 * PART_PX;
}

/* ---- Texts and axes ---- */

static void
draw_head(const pareto_plot_t *self)
{
    char note[SPOT_NOTE_BYTES];
    size_t used;

    spot_study_run_words(self->points->report, note);
    used = strlen(note);
    if (self->points->report->max_rows > 1) {
        snprintf(note + used, sizeof(note) - used,
            " · dot: mean, bars: its 95 %% confidence intervals%s",
            self->has_bars ? "" : ", of the front");
    }
    spot_study_head_draw_note(&self->figure, self->head, note);
}

/* What is left out. */
static void
draw_foot(const pareto_plot_t *self)
{
    char note[SPOT_NOTE_BYTES] = "";
    size_t used = 0;

    if (self->num_drawn < self->head->num_points) {
        used += (size_t) snprintf(note, sizeof(note),
            "%zu of %zu points have a dot: the others are undefined or lie upon these",
            self->num_drawn, self->head->num_points);
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
draw_names(const pareto_plot_t *self)
{
    const spot_panel_t *panel = &self->panel;
    char words[SPOT_WORDS_BYTES], name[SPOT_WORDS_BYTES + 24];

    (void) spot_fraction_words(&self->head->metrics[self->points->gain_id], words);
    snprintf(name, sizeof(name), "%s: more is better", words);
    spot_figure_text(&self->figure, SPOT_STUDY_MARGIN_PX, panel->top_px - 16,
        SPOT_TEXT_NOTE, SPOT_ALIGN_LEFT, name);
    (void) spot_fraction_words(&self->head->metrics[self->points->cost_id], words);
    snprintf(name, sizeof(name), "%s: less is better", words);
    spot_figure_text(&self->figure, panel->left_px + panel->width_px / 2,
        panel->top_px + panel->height_px + 37, SPOT_TEXT_LABEL, SPOT_ALIGN_CENTER, name);
}

/* 1, 2 and 5 times powers of ten within the panel; of many decades the powers alone. */
static void
write_log_ticks(const pareto_plot_t *self)
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
write_dots(const pareto_plot_t *self, size_t series_id, spot_choice_fate_t fate)
{
    FILE *out = self->figure.out;
    size_t num_dots = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_choice_t *choice = &self->points->choices[j];

        if (self->is_drawn[j] && self->points->fates[j] == fate &&
            series_of(self, j) == series_id) {
            if (num_dots++ == 0) {
                fprintf(out, "$dots%zux%d << EOD\n", series_id, (int) fate);
            }
            fprintf(out, "%.6g %.6g\n", place_cost(self, choice->cost),
                self->gain_factor * choice->gain);
        }
    }
    fputs(num_dots > 0 ? "EOD\n" : "", out);
    return num_dots;
}

/* A bar is a line from one end to the other; one of no width is none. */
static bool
write_bars(const pareto_plot_t *self)
{
    FILE *out = self->figure.out;
    const bool has_front = self->points->num_fates[SPOT_CHOICE_FRONT] <= MAX_BARS;
    bool has_any = false;

    fputs("$bars << EOD\n", out);
    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_choice_t *choice = &self->points->choices[j];
        const double x = place_cost(self, choice->cost);
        const double y = self->gain_factor * choice->gain;

        if (!self->is_drawn[j] ||
            !(self->has_bars || (has_front && is_front(self, j)))) {
            continue;
        }
        if (choice->cost_high > choice->cost_low) {
            fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", place_cost(self, choice->cost_low),
                y, place_cost(self, choice->cost_high), y);
            has_any = true;
        }
        if (choice->gain_high > choice->gain_low) {
            fprintf(out, "%.6g %.6g\n%.6g %.6g\n\n", x,
                self->gain_factor * choice->gain_low, x,
                self->gain_factor * choice->gain_high);
            has_any = true;
        }
    }
    fputs("EOD\n", out);
    return has_any;
}

static void
write_front(const pareto_plot_t *self, size_t front_id)
{
    const spot_cost_group_t *group = &self->points->groups[front_group(self, front_id)];
    FILE *out = self->figure.out;

    fprintf(out, "$front%zu << EOD\n", front_id);
    for (size_t j = group->first; j < group->end; j++) {
        const size_t point_id = self->points->point_ids[j];

        if (is_front(self, point_id) && self->is_drawn[point_id]) {
            fprintf(out, "%.6g %.6g\n",
                place_cost(self, self->points->choices[point_id].cost),
                self->gain_factor * self->points->choices[point_id].gain);
        }
    }
    fputs("EOD\n", out);
}

static void
write_dots_clause(const pareto_plot_t *self, size_t series_id, spot_choice_fate_t fate)
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
draw_data(const pareto_plot_t *self)
{
    static const spot_choice_fate_t order[] = {SPOT_CHOICE_SURELY_WORSE,
        SPOT_CHOICE_DOMINATED, SPOT_CHOICE_LEFT_OUT, SPOT_CHOICE_FRONT};
    bool has_dots[MAX_SERIES][SPOT_CHOICE_SURELY_WORSE + 1] = {{false}};
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
write_picture(pareto_plot_t *self, const char *picture_path, FILE *out)
{
    const spot_panel_t *panel = &self->panel;
    const double x_px = panel->left_px + panel->width_px + LEGEND_GAP_PX;
    double y_px = panel->top_px;

    spot_figure_begin(&self->figure, out, WIDTH_PX,
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
    spot_figure_panel(&self->figure, panel, self->gain_factor == 100 ? "%g %%" : "%g");
    draw_data(self);
    spot_figure_end_panel(&self->figure);
    spot_figure_end(&self->figure);
}

int
spot_pareto_plot_script(const spot_report_t *report, const char *picture_path, FILE *out)
{
    const spot_study_head_t *head = report->head;
    char words[SPOT_WORDS_BYTES];
    spot_cost_gain_t points;
    pareto_plot_t self = {.points = &points, .head = head};
    int ret = spot_cost_gain_init(&points, report);

    self.is_drawn = spot_calloc(head->num_points, sizeof(*self.is_drawn));
    if (ret == 0 && self.is_drawn == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        self.cost_factor =
            spot_fraction_words(&head->metrics[points.cost_id], words) ? 100 : 1;
        self.gain_factor =
            spot_fraction_words(&head->metrics[points.gain_id], words) ? 100 : 1;
        choose_series(&self);
        choose_panel(&self, legend_px(&self));
        ret = thin(&self);
    }
    if (ret == 0) {
        choose_numbers(&self);
        write_picture(&self, picture_path, out);
        ret = ferror(out) ? SPOT_ERR_IO : 0;
    }
    free(self.is_drawn);
    spot_cost_gain_free(&points);
    return ret;
}
