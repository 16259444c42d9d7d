/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/cost_gain.h"
#include "reports/pictures/parts.h"
#include "reports/series_look.h"
#include "reports/value_label.h"

#define MAX_NUMBERS 12
#define MAX_SERIES 20
#define MAX_BARS 150 /* points with their intervals */
#define MAX_DOTS                                                                        \
    1500               /* of more points those that would lie upon others are left out  \
                        */
#define MANY_DOTS 300  /* from here on they are small */
#define NUM_CELLS 150  /* along each axis: dots in one of them cannot be told apart */
#define LOG_RATIO 20.0 /* of the highest and the lowest cost: a logarithmic axis */
#define ROOM 0.05      /* at the ends of both axes, of their length */
#define MAX_BAR 0.5    /* what intervals may add to an end, of the range of the means */
#define WORSE_COLOUR "#c48b6a"

typedef struct {
    double low, high;
} range_t;

typedef struct {
    const spot_cost_gain_t *points;
    const spot_study_head_t *head;
    size_t series_axis_id; /* num_axes: all points look the same */
    size_t num_series;
    spot_shown_unit_t cost, gain; /* factor 100 for percent */
    range_t costs, gains;         /* of the means, as they are shown */
    bool is_log;                  /* the axis of costs */
    bool *is_drawn;               /* [num_points] */
    size_t num_drawn;
    bool has_bars;     /* of all points, not of the front alone */
    size_t num_fronts; /* with a line */
    size_t *numbers;   /* [num_points] that stand beside dots from 1; 0: none */
    size_t num_numbers;
    size_t numbered_ids[MAX_NUMBERS]; /* [num_numbers] points */
    size_t group_ids[MAX_NUMBERS];    /* [num_numbers] the groups of these */
} pareto_t;

static bool
is_front(const pareto_t *self, size_t point_id)
{
    return self->points->fates[point_id] == SPOT_CHOICE_FRONT;
}

static double
cost_of(const pareto_t *self, size_t point_id)
{
    return self->cost.factor * self->points->choices[point_id].cost;
}

static double
gain_of(const pareto_t *self, size_t point_id)
{
    return self->gain.factor * self->points->choices[point_id].gain;
}

static bool
is_defined(const pareto_t *self, size_t point_id)
{
    return isfinite(cost_of(self, point_id)) && isfinite(gain_of(self, point_id));
}

/* The value of the series axis, by which a point is drawn. */
static size_t
series_of(const pareto_t *self, size_t point_id)
{
    return self->num_series == 1
               ? 0
               : spot_study_value_id(self->head, point_id, self->series_axis_id);
}

/* The group whose front is the front_id-th that has a line. */
static size_t
group_of(const pareto_t *self, size_t front_id)
{
    return spot_spread(front_id, self->num_fronts, self->points->num_groups);
}

/* ---- What is drawn ---- */

static void
choose_series(pareto_t *self)
{
    self->series_axis_id = spot_series_axis(self->head);
    self->num_series = 1;
    if (self->series_axis_id < self->head->num_axes &&
        self->head->axes[self->series_axis_id].num_values <= MAX_SERIES) {
        self->num_series = self->head->axes[self->series_axis_id].num_values;
    }
}

static void
choose_ranges(pareto_t *self)
{
    self->costs = self->gains = (range_t){HUGE_VAL, -HUGE_VAL};
    for (size_t j = 0; j < self->head->num_points; j++) {
        if (is_defined(self, j)) {
            self->costs.low = fmin(self->costs.low, cost_of(self, j));
            self->costs.high = fmax(self->costs.high, cost_of(self, j));
            self->gains.low = fmin(self->gains.low, gain_of(self, j));
            self->gains.high = fmax(self->gains.high, gain_of(self, j));
        }
    }
    self->is_log = self->costs.low > 0 && self->costs.high > LOG_RATIO * self->costs.low;
}

/* The square of a fine grid in which a point lies. */
static size_t
cell_of(const pareto_t *self, size_t point_id, size_t num_cells)
{
    const range_t *costs = &self->costs, *gains = &self->gains;
    const double cost = cost_of(self, point_id);
    const double x = self->is_log
                         ? log(cost / costs->low) / log(costs->high / costs->low)
                         : (cost - costs->low) / (costs->high - costs->low);
    const double y = (gain_of(self, point_id) - gains->low) / (gains->high - gains->low);
    const double last = (double) (num_cells - 1);

    /* A range of no width has one row or column. */
    return (size_t) (isfinite(y) ? y * last : 0) * num_cells +
           (size_t) (isfinite(x) ? x * last : 0);
}

/* Chooses dots with one in each of the cells at most, the front first, of which all dots
 * of the only one are drawn. num_cells 0: all dots. */
static int
choose_dots(pareto_t *self, size_t num_cells)
{
    static const spot_choice_fate_t order[] = {SPOT_CHOICE_FRONT, SPOT_CHOICE_DOMINATED,
        SPOT_CHOICE_SURELY_WORSE, SPOT_CHOICE_LEFT_OUT};
    bool *is_taken = spot_calloc(num_cells * num_cells, sizeof(*is_taken));

    if (is_taken == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->num_drawn = 0;
    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (size_t j = 0; j < self->head->num_points; j++) {
            const size_t point_id = self->points->point_ids[j];
            const bool is_kept =
                num_cells == 0 || (k == 0 && self->points->num_groups == 1);

            if (self->points->fates[point_id] == order[k] &&
                is_defined(self, point_id)) {
                bool *taken = num_cells == 0
                                  ? NULL
                                  : &is_taken[cell_of(self, point_id, num_cells)];

                self->is_drawn[point_id] = is_kept || !*taken;
                self->num_drawn += self->is_drawn[point_id];
                if (taken != NULL) {
                    *taken = true;
                }
            }
        }
    }
    free(is_taken);
    return 0;
}

/* Fewer cells until few enough dots are left. */
static int
thin(pareto_t *self)
{
    const size_t num_front = self->points->num_fates[SPOT_CHOICE_FRONT];
    const size_t num_most = MAX_DOTS + (self->points->num_groups == 1 ? num_front : 0);
    size_t num_cells = self->head->num_points <= MAX_DOTS ? 0 : NUM_CELLS;
    int ret = 0;

    do {
        ret = choose_dots(self, num_cells);
        num_cells = 2 * num_cells / 3;
    } while (ret == 0 && self->num_drawn > num_most && num_cells > 1);
    self->has_bars = self->num_drawn <= MAX_BARS;
    return ret;
}

static void
add_number(pareto_t *self, size_t point_id, size_t group_id)
{
    self->group_ids[self->num_numbers] = group_id;
    self->numbered_ids[self->num_numbers++] = point_id;
    self->numbers[point_id] = self->num_numbers;
}

/* One for each front that has a line, at its cheapest point without one; else one for
 * each point of the only front, or for some spread along it, unless the legend of the
 * series names them all. */
static void
choose_numbers(pareto_t *self)
{
    const spot_cost_gain_t *points = self->points;
    const size_t num_front = points->num_fates[SPOT_CHOICE_FRONT];
    const size_t num_shown = num_front < MAX_NUMBERS ? num_front : MAX_NUMBERS;
    size_t front_id = 0;

    self->num_fronts =
        points->num_groups < MAX_NUMBERS ? points->num_groups : MAX_NUMBERS;
    for (size_t j = 0; points->num_groups > 1 && j < self->num_fronts; j++) {
        const spot_cost_group_t *group = &points->groups[group_of(self, j)];

        for (size_t k = group->first; k < group->end; k++) {
            if (is_front(self, points->point_ids[k]) &&
                self->is_drawn[points->point_ids[k]]) {
                add_number(self, points->point_ids[k], group_of(self, j));
                break;
            }
        }
    }
    if (points->num_groups > 1 || (self->head->num_axes <= 1 && self->num_series > 1)) {
        return;
    }
    for (size_t j = 0; j < self->head->num_points && self->num_numbers < num_shown;
         j++) {
        if (is_front(self, points->point_ids[j]) &&
            front_id++ == spot_spread(self->num_numbers, num_shown, num_front)) {
            add_number(self, points->point_ids[j], 0);
        }
    }
}

static int
init(pareto_t *self, const spot_cost_gain_t *points)
{
    const size_t num_points = points->head->num_points;
    int ret;

    *self = (pareto_t){.points = points, .head = points->head};
    self->cost = spot_report_shown(points->report, points->cost_id);
    self->gain = spot_report_shown(points->report, points->gain_id);
    self->is_drawn = spot_calloc(num_points, sizeof(*self->is_drawn));
    self->numbers = spot_calloc(num_points, sizeof(*self->numbers));
    if (self->is_drawn == NULL || self->numbers == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    choose_series(self);
    choose_ranges(self);
    ret = thin(self);
    if (ret == 0) {
        choose_numbers(self);
    }
    return ret;
}

/* ---- Words ---- */

/* Of both metrics, where these have the same. */
static const char *
estimate_words(const pareto_t *self)
{
    const spot_metric_t *metrics = self->head->metrics;
    const char *cost = spot_estimate_words(&metrics[self->points->cost_id]);
    const char *gain = spot_estimate_words(&metrics[self->points->gain_id]);

    return strcmp(cost, gain) == 0 ? cost : "estimate";
}

static void
declare_words(const pareto_t *self, spot_chart_t *chart)
{
    const spot_cost_gain_t *points = self->points;
    char gain[SPOT_WORDS_BYTES], title[SPOT_NOTE_BYTES], more[SPOT_NOTE_BYTES] = "";

    spot_metric_subject(&self->head->metrics[points->gain_id], gain);
    snprintf(title, sizeof(title), "What more %s costs", gain);
    if (points->report->max_rows > 1) {
        snprintf(more, sizeof(more),
            " · dot: %s, bars: its 95 %% confidence intervals%s", estimate_words(self),
            self->has_bars ? "" : ", of the front");
    }
    spot_picture_head(chart, &spot_picture_pareto, points->report, title, more);
    if (points->num_common > 0) {
        spot_chart_foot(chart,
            "compared over the first %" PRId64 " replications of each point",
            points->num_common);
    }
    if (self->num_drawn < self->head->num_points) {
        spot_chart_foot(chart,
            "%zu of %zu points have a dot: the others are undefined or lie upon these",
            self->num_drawn, self->head->num_points);
    }
    if (self->num_fronts < points->num_groups) {
        spot_chart_foot(chart, "%zu of %zu fronts have a line", self->num_fronts,
            points->num_groups);
    }
    if (points->is_over_traces) {
        spot_chart_foot(
            chart, "no two points meet the same trace, which nobody chooses");
    }
}

static void
add_heading(spot_chart_t *chart, const char *text)
{
    spot_chart_legend(chart, &(spot_chart_entry_t){.text = text, .is_heading = true});
}

static void
declare_numbers(const pareto_t *self, spot_chart_t *chart)
{
    const bool has_groups = self->points->num_groups > 1;

    if (self->num_numbers > 0) {
        add_heading(chart, has_groups ? "fronts, each of one trace"
                                      : "on the front, from the cheapest");
    }
    for (size_t j = 0; j < self->num_numbers; j++) {
        char text[SPOT_POINT_BYTES], sign[SPOT_LABEL_BYTES];

        if (has_groups) {
            spot_cost_group_words(
                self->points, self->group_ids[j], SPOT_POINT_BYTES, text);
        } else {
            spot_point_words(self->head, self->numbered_ids[j], SPOT_POINT_BYTES, text);
        }
        snprintf(sign, sizeof(sign), "%zu", j + 1);
        spot_chart_legend(chart, &(spot_chart_entry_t){.text = text, .sign = sign});
    }
}

/* Which series is which, and what filled, hollow and pale dots are. */
static void
declare_looks(const pareto_t *self, spot_chart_t *chart)
{
    const size_t *num_fates = self->points->num_fates;
    const bool has_bound =
        num_fates[SPOT_CHOICE_LEFT_OUT] > 0 && self->head->best.is_asked;
    const struct {
        bool is_there;
        spot_chart_entry_t entry;
    } looks[] = {
        {true, {.text = "filled: on the front", .marker = SPOT_CHART_CIRCLE}},
        {num_fates[SPOT_CHOICE_DOMINATED] > 0,
            {.text = "hollow: worse, but intervals touch",
                .marker = SPOT_CHART_CIRCLE,
                .is_hollow = true}},
        {num_fates[SPOT_CHOICE_SURELY_WORSE] > 0, {.text = "brown: surely worse",
                                                      .marker = SPOT_CHART_CIRCLE,
                                                      .is_hollow = true,
                                                      .colour = WORSE_COLOUR}},
        {has_bound, {.text = "a bound, which does not compete",
                        .marker = SPOT_CHART_DIAMOND,
                        .is_hollow = true,
                        .colour = SPOT_INK_QUIET}},
    };
    char words[SPOT_WORDS_BYTES], label[SPOT_VALUE_LABEL_BYTES];

    if (self->num_series > 1) {
        spot_axis_words(&self->head->axes[self->series_axis_id], words);
        add_heading(chart, words);
    }
    for (size_t j = 0; self->num_series > 1 && j < self->num_series; j++) {
        const bool is_bound = spot_series_is_bound(self->head, self->series_axis_id, j);

        spot_chart_legend(chart,
            &(spot_chart_entry_t){
                .text =
                    spot_value_label(&self->head->axes[self->series_axis_id], j, label),
                .marker = is_bound ? SPOT_CHART_DIAMOND : spot_series_marker(j),
                .is_hollow = is_bound,
                .colour = is_bound
                              ? SPOT_INK_QUIET
                              : spot_series_colour(self->head, self->series_axis_id, j),
            });
    }
    for (size_t j = 0; j < sizeof(looks) / sizeof(looks[0]); j++) {
        if (looks[j].is_there) {
            spot_chart_legend(chart, &looks[j].entry);
        }
    }
}

/* ---- Axes, dots and fronts ---- */

/* The ends of an axis: around the means, and intervals as far as they do not press the
 * means together, with room for dots. */
static range_t
ends_of(const range_t *means, double low, double high, bool is_log)
{
    const double width =
        is_log ? log(means->high / means->low) : means->high - means->low;
    const double most = width > 0 ? MAX_BAR * width : 0.1 * fabs(means->low);
    range_t ends = *means;
    double room;

    if (is_log) {
        ends.low = fmax(fmin(ends.low, low), means->low * exp(-most));
        ends.high = fmin(fmax(ends.high, high), means->high * exp(most));
        room = exp(ROOM * log(ends.high / ends.low));
        return (range_t){ends.low / room, ends.high * room};
    }
    ends.low = fmax(fmin(ends.low, low), means->low - most);
    ends.high = fmin(fmax(ends.high, high), means->high + most);
    room = ends.high > ends.low ? ROOM * (ends.high - ends.low)
                                : fmax(0.1 * fabs(ends.low), 0.1);
    return (range_t){ends.low - room, ends.high + room};
}

static bool
has_bars(const pareto_t *self, size_t point_id)
{
    return self->has_bars || (is_front(self, point_id) &&
                                 self->points->num_fates[SPOT_CHOICE_FRONT] <= MAX_BARS);
}

static void
declare_panel(const pareto_t *self, spot_chart_t *chart)
{
    const spot_metric_t *metrics = self->head->metrics;
    range_t bars[2] = {{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}}, costs, gains;
    char cost[SPOT_WORDS_BYTES], gain[SPOT_WORDS_BYTES];
    char x_name[SPOT_WORDS_BYTES + 24], y_name[SPOT_WORDS_BYTES + 24];

    for (size_t j = 0; j < self->head->num_points; j++) {
        const spot_choice_t *choice = &self->points->choices[j];

        if (self->is_drawn[j] && has_bars(self, j)) { /* fmin() and fmax() skip NAN */
            bars[0].low = fmin(bars[0].low, self->cost.factor * choice->cost_low);
            bars[0].high = fmax(bars[0].high, self->cost.factor * choice->cost_high);
            bars[1].low = fmin(bars[1].low, self->gain.factor * choice->gain_low);
            bars[1].high = fmax(bars[1].high, self->gain.factor * choice->gain_high);
        }
    }
    costs = ends_of(&self->costs, bars[0].low, bars[0].high, self->is_log);
    gains = ends_of(&self->gains, bars[1].low, bars[1].high, false);
    if (self->gains.low >= 0 && gains.low <= 0.5 * gains.high) {
        gains.low = 0;
    }
    if (costs.low > bars[0].low || costs.high < bars[0].high ||
        gains.low > fmax(bars[1].low, 0) || gains.high < bars[1].high) {
        spot_chart_foot(chart, "intervals that reach an edge go on beyond it");
    }
    (void) spot_fraction_words_in(
        &metrics[self->points->gain_id], self->gain.unit, gain);
    (void) spot_fraction_words_in(
        &metrics[self->points->cost_id], self->cost.unit, cost);
    snprintf(y_name, sizeof(y_name), "%s: more is better", gain);
    snprintf(x_name, sizeof(x_name), "%s: less is better", cost);
    spot_chart_panel(
        chart, &(spot_chart_panel_t){
                   .x = {.kind = self->is_log ? SPOT_CHART_LOG : SPOT_CHART_LINEAR,
                       .name = x_name,
                       .unit = spot_picture_unit(&self->cost),
                       .low = costs.low,
                       .high = costs.high},
                   .y = {.name = y_name,
                       .unit = spot_picture_unit(&self->gain),
                       .low = gains.low,
                       .high = gains.high},
                   .height_px = 420,
               });
}

static void
add_dot(const pareto_t *self, spot_chart_t *chart, size_t point_id)
{
    const spot_choice_t *choice = &self->points->choices[point_id];
    spot_chart_datum_t datum = {
        .x = cost_of(self, point_id), .y = gain_of(self, point_id)};
    char sign[SPOT_LABEL_BYTES], cost[SPOT_LABEL_BYTES], hover[SPOT_POINT_BYTES];
    char words[SPOT_POINT_BYTES];

    if (has_bars(self, point_id)) {
        datum.x_low = self->cost.factor * choice->cost_low;
        datum.x_high = self->cost.factor * choice->cost_high;
        datum.y_low = self->gain.factor * choice->gain_low;
        datum.y_high = self->gain.factor * choice->gain_high;
    }
    if (self->numbers[point_id] > 0) {
        snprintf(sign, sizeof(sign), "%zu", self->numbers[point_id]);
        datum.label = sign;
    }
    spot_picture_hover(self->points->report, point_id, &self->gain, choice->gain,
        (double) NAN, (double) NAN, hover);
    spot_value_words(&self->cost, choice->cost, cost);
    snprintf(words, sizeof(words), "%.*s for %s %s", SPOT_POINT_BYTES - 100, hover, cost,
        self->cost.factor == 100 ? "" : self->cost.unit);
    datum.hover = words;
    spot_chart_add(chart, &datum);
}

/* The points of a series and a fate, if any. */
static void
declare_dots(
    const pareto_t *self, spot_chart_t *chart, size_t series_id, spot_choice_fate_t fate)
{
    const char *own = self->num_series == 1 ? SPOT_INK_ACCENT
                                            : spot_series_colour(self->head,
                                                  self->series_axis_id, series_id);
    bool is_declared = false;

    for (size_t j = 0; j < self->head->num_points; j++) {
        if (!self->is_drawn[j] || self->points->fates[j] != fate ||
            series_of(self, j) != series_id) {
            continue;
        }
        if (!is_declared) {
            spot_chart_series(
                chart, &(spot_chart_series_t){
                           .kind = SPOT_CHART_POINTS,
                           .colour = fate == SPOT_CHOICE_SURELY_WORSE ? WORSE_COLOUR
                                     : fate == SPOT_CHOICE_LEFT_OUT   ? SPOT_INK_QUIET
                                                                      : own,
                           .interval_colour = SPOT_INK_OTHER,
                           .marker = fate == SPOT_CHOICE_LEFT_OUT
                                         ? SPOT_CHART_DIAMOND
                                         : spot_series_marker(series_id),
                           .marker_px = fate == SPOT_CHOICE_FRONT     ? 5
                                        : self->num_drawn > MANY_DOTS ? 1.8
                                                                      : 3.5,
                           .is_hollow = fate != SPOT_CHOICE_FRONT,
                       });
            is_declared = true;
        }
        add_dot(self, chart, j);
    }
}

static void
declare_front(const pareto_t *self, spot_chart_t *chart, size_t front_id)
{
    const spot_cost_group_t *group = &self->points->groups[group_of(self, front_id)];

    spot_chart_series(
        chart, &(spot_chart_series_t){
                   .kind = SPOT_CHART_STEPS,
                   .colour = self->num_fronts > 1 ? SPOT_INK_OTHER : SPOT_INK_QUIET,
                   .width_px = self->num_fronts > 1 ? 1 : 1.6,
               });
    for (size_t j = group->first; j < group->end; j++) {
        const size_t point_id = self->points->point_ids[j];

        if (is_front(self, point_id) && self->is_drawn[point_id]) {
            spot_chart_add_xy(chart, cost_of(self, point_id), gain_of(self, point_id));
        }
    }
}

/* From the back: what is worse, fronts, and their dots. */
static void
declare_data(const pareto_t *self, spot_chart_t *chart)
{
    static const spot_choice_fate_t order[] = {SPOT_CHOICE_SURELY_WORSE,
        SPOT_CHOICE_DOMINATED, SPOT_CHOICE_LEFT_OUT, SPOT_CHOICE_FRONT};

    for (size_t j = 0; j < self->num_fronts; j++) {
        declare_front(self, chart, j);
    }
    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (size_t j = 0; j < self->num_series; j++) {
            declare_dots(self, chart, j, order[k]);
        }
    }
}

static int
declare(spot_chart_t *chart, const void *context)
{
    spot_cost_gain_t points;
    pareto_t self = {0};
    int ret = spot_cost_gain_init(&points, context);

    if (ret == 0) {
        ret = init(&self, &points);
    }
    if (ret == 0) {
        declare_words(&self, chart);
        declare_panel(&self, chart);
        declare_numbers(&self, chart);
        declare_looks(&self, chart);
        declare_data(&self, chart);
        ret = spot_chart_error(chart);
    }
    free(self.is_drawn);
    free(self.numbers);
    spot_cost_gain_free(&points);
    return ret;
}

const spot_study_picture_t spot_picture_pareto = {"pareto", "What more throughput costs",
    spot_cost_gain_problem, declare, spot_cost_gain_csv_write, spot_cost_gain_describe};
