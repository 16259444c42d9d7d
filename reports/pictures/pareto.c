/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "reports/draw.h"
#include "reports/pictures/parts.h"
#include "sim/bench/analysis/pareto.h"
#include "sim/bench/store/head.h"

#define MAX_NUMBERS 12
#define MAX_SERIES 20
#define MAX_BARS 150   /* points with their intervals */
#define MAX_DOTS 1500  /* of more points some are drawn, spread evenly */
#define MANY_DOTS 300  /* from here on they are small */
#define LOG_RATIO 20.0 /* of the highest and the lowest cost: a logarithmic axis */
#define ROOM 0.05      /* at the ends of both axes, of their length */
#define WORSE_COLOUR "#c48b6a"

enum { COST, GAIN, NUM_SIDES, NUM_FATES = SPOT_CHOICE_SURELY_WORSE + 1 };

typedef struct {
    double low, high;
} range_t;

typedef struct {
    spot_chart_t *chart;
    spot_texts_t *texts;
    const spot_report_t *report;
    const spot_study_head_t *head;
    spot_fronts_t points;
    spot_view_t views[NUM_SIDES];
    range_t ends[NUM_SIDES]; /* of the axes */
    bool is_log;             /* that of costs */
    bool has_cut_bars;       /* intervals that go on beyond an axis */
    size_t axis_id;          /* whose values look different; num_axes: none */
    size_t num_series;
    size_t num_drawn;  /* dots */
    size_t num_fronts; /* with a line */
    size_t num_numbers;
    size_t numbered_ids[MAX_NUMBERS]; /* [num_numbers] points with a number beside them */
} pareto_t;

/* The cost or the gain of a point with its interval. */
typedef struct {
    double value;
    range_t bar;
} estimate_t;

static estimate_t estimate_of(const pareto_t *self, size_t point_id, int side)
{
    const spot_choice_t *choice = &self->points.choices[point_id];
    const double factor = self->views[side].shown.factor;

    return side == COST ? (estimate_t){factor * choice->cost,
                              {factor * choice->cost_low, factor * choice->cost_high}}
                        : (estimate_t){factor * choice->gain,
                              {factor * choice->gain_low, factor * choice->gain_high}};
}

static bool is_defined(const pareto_t *self, size_t point_id)
{
    return isfinite(self->points.choices[point_id].cost) &&
           isfinite(self->points.choices[point_id].gain);
}

static bool is_front(const pareto_t *self, size_t point_id)
{
    return self->points.fates[point_id] == SPOT_CHOICE_FRONT;
}

/* Whether a point, the place-th by group and cost, has a dot: all of the only front, and
 * of many others some. */
static bool is_drawn(const pareto_t *self, size_t place)
{
    const size_t point_id = self->points.point_ids[place];
    const size_t step = (self->head->num_points + MAX_DOTS - 1) / MAX_DOTS;

    return is_defined(self, point_id) &&
           (place % step == 0 || (self->points.num_groups == 1 && is_front(self, point_id)));
}

/* Whether it is drawn with its intervals. */
static bool has_bars(const pareto_t *self, size_t point_id)
{
    return self->num_drawn <= MAX_BARS ||
           (is_front(self, point_id) && self->points.num_fates[SPOT_CHOICE_FRONT] <= MAX_BARS);
}

/* The group whose front is the front_id-th that has a line. */
static size_t group_of(const pareto_t *self, size_t front_id)
{
    return spot_spread(front_id, self->num_fronts, self->points.num_groups);
}

/* ---- What is drawn ---- */

static void widen(range_t *range, double low, double high)
{
    range->low = fmin(range->low, low); /* skips NAN */
    range->high = fmax(range->high, high);
}

/* The ends of an axis, around all estimates, and intervals where these are drawn, with
 * room for dots. Returns the low end of the intervals, which may be beyond the axis. */
static double choose_ends(pareto_t *self, int side)
{
    range_t means = {HUGE_VAL, -HUGE_VAL}, *ends = &self->ends[side];
    double room, low;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const size_t point_id = self->points.point_ids[j];
        const estimate_t estimate = estimate_of(self, point_id, side);

        if (is_defined(self, point_id)) {
            widen(&means, estimate.value, estimate.value);
        }
        if (is_drawn(self, j) && has_bars(self, point_id)) {
            widen(ends, estimate.bar.low, estimate.bar.high);
        }
    }
    low = ends->low;
    if (means.low >= 0) {
        ends->low = fmax(ends->low, 0); /* intervals may reach below */
    }
    widen(ends, means.low, means.high);
    if (side == COST && means.low > 0 && means.high > LOG_RATIO * means.low) {
        self->is_log = true;
        ends->low = fmax(ends->low, means.low / LOG_RATIO);
        room = pow(ends->high / ends->low, ROOM);
        *ends = (range_t){ends->low / room, ends->high * room};
        return low;
    }
    room =
        ends->high > ends->low ? ROOM * (ends->high - ends->low) : fmax(0.1 * fabs(ends->low), 0.1);
    *ends = (range_t){ends->low - room, ends->high + room};
    if (side == GAIN && means.low >= 0 && ends->low <= 0.5 * ends->high) {
        ends->low = 0;
    }
    return low;
}

static void choose_dots(pareto_t *self)
{
    for (size_t j = 0; j < self->head->num_points; j++) {
        self->num_drawn += is_drawn(self, j);
    }
    for (int side = 0; side < NUM_SIDES; side++) {
        double low;

        self->ends[side] = (range_t){HUGE_VAL, -HUGE_VAL};
        low = choose_ends(self, side);
        low = side == GAIN ? fmax(low, 0) : low;
        self->has_cut_bars = self->has_cut_bars || self->ends[side].low > low;
    }
}

/* Gives the next number to the place-th point of those from start to end on a front. */
static void add_number(pareto_t *self, size_t start, size_t end, size_t place)
{
    for (size_t j = start; j < end; j++) {
        const size_t point_id = self->points.point_ids[j];

        if (is_front(self, point_id) && place-- == 0) {
            self->numbered_ids[self->num_numbers++] = point_id;
            return;
        }
    }
}

/* One for each front that has a line, at its cheapest point; else one for each point of
 * the only front, or for some spread along it, unless the legend of the series names
 * them all. */
static void choose_numbers(pareto_t *self)
{
    const spot_fronts_t *points = &self->points;
    const size_t num_groups = points->num_groups;
    const size_t num_front = points->num_fates[SPOT_CHOICE_FRONT];
    const size_t num_shown = num_front < MAX_NUMBERS ? num_front : MAX_NUMBERS;

    self->num_fronts = num_groups < MAX_NUMBERS ? num_groups : MAX_NUMBERS;
    if (num_groups > 1) {
        for (size_t j = 0; j < self->num_fronts; j++) {
            const size_t group_id = group_of(self, j);

            add_number(self, points->starts[group_id], points->starts[group_id + 1], 0);
        }
    } else if (self->head->num_axes > 1 || self->num_series == 1) {
        for (size_t j = 0; j < num_shown; j++) {
            add_number(self, 0, self->head->num_points, spot_spread(j, num_shown, num_front));
        }
    }
}

/* The key whose values have looks of their own: that of the curves, else of the
 * baseline, else the first one without numbers; num_axes: none. */
static size_t series_axis(const spot_study_head_t *head)
{
    size_t bare_id = head->num_axes;

    for (size_t j = head->num_axes; j-- > 0;) {
        if (head->plot.curves != NULL && strcmp(head->axes[j].path, head->plot.curves) == 0) {
            return j;
        }
        bare_id = isnan(head->axes[j].numbers[0]) ? j : bare_id;
    }
    return head->has_baseline ? head->baseline_axis_id : bare_id;
}

/* Free points even after an error. */
static int init(pareto_t *self, const spot_report_t *report, spot_texts_t *texts)
{
    const spot_study_head_t *head = report->head;
    const bool is_uneven = report->min_rows > 1 && report->min_rows < report->max_rows;

    *self = (pareto_t){.texts = texts,
        .report = report,
        .head = head,
        .views = {spot_view(report, head->overview.cost_id, texts),
            spot_view(report, head->overview.gain_id, texts)},
        .axis_id = series_axis(head),
        .num_series = 1};
    if (self->axis_id < head->num_axes && head->axes[self->axis_id].num_values <= MAX_SERIES) {
        self->num_series = head->axes[self->axis_id].num_values;
    }
    return spot_fronts_init(
        &self->points, report->store, report->summaries, is_uneven ? report->min_rows : 0);
}

/* ---- Description ---- */

/* ", from checkpoint, per minute 0.05 (0.31 1/s for 1.02 USD) to ...": the ends of the
 * only front have the lowest cost and the highest gain. */
static const char *front_words(const pareto_t *self)
{
    const char *text = "";
    const size_t num_all = self->points.num_fates[SPOT_CHOICE_FRONT];
    size_t num_front = 0;

    for (size_t j = 0; j < self->head->num_points; j++) {
        const size_t point_id = self->points.point_ids[j];
        const spot_choice_t *choice = &self->points.choices[point_id];

        if (!is_front(self, point_id)) {
            continue;
        }
        num_front++;
        if (num_front == 1 || num_front == num_all) {
            text = spot_texts_add(self->texts, "%s%s%s (%s for %s)", text,
                num_front > 1  ? " to "
                : num_all == 1 ? ": "
                               : ", from ",
                spot_words_point(self->texts, self->head, point_id, SPOT_PICTURE_CHARS),
                spot_view_value(&self->views[GAIN], choice->gain),
                spot_view_value(&self->views[COST], choice->cost));
        }
    }
    return text;
}

/* ", most often parcae, at 8 of 12": the value that is on the most fronts. */
static const char *groups_words(const pareto_t *self)
{
    const spot_fronts_t *points = &self->points;
    size_t num_fronts[MAX_SERIES] = {0}, last[MAX_SERIES] = {0}, best_id = 0;

    if (self->num_series == 1) {
        return "";
    }
    for (size_t j = 0, group = 1; j < self->head->num_points; j++) {
        const size_t point_id = points->point_ids[j];
        const size_t value_id = spot_study_value_id(self->head, point_id, self->axis_id);

        group += j == points->starts[group];
        if (is_front(self, point_id) && last[value_id] < group) {
            last[value_id] = group;
            num_fronts[value_id]++;
        }
    }
    for (size_t j = 0; j < self->num_series; j++) {
        best_id = num_fronts[j] > num_fronts[best_id] ? j : best_id;
    }
    return spot_texts_add(self->texts, ", most often %s: at %zu of %zu",
        spot_words_label(self->texts, &self->head->axes[self->axis_id], best_id),
        num_fronts[best_id], points->num_groups);
}

static const char *describe(const pareto_t *self)
{
    const spot_fronts_t *points = &self->points;
    const size_t num_front = points->num_fates[SPOT_CHOICE_FRONT];
    const size_t num_worse = points->num_fates[SPOT_CHOICE_SURELY_WORSE];
    const bool has_groups = points->num_groups > 1;
    const char *compared = "";

    if (has_groups) {
        compared =
            spot_texts_add(self->texts, "Compared at each of %zu traces, ", points->num_groups);
    }
    return spot_texts_add(self->texts,
        "What more %s costs, in %s. %s%zu of %zu points %s on the Pareto front, where "
        "nothing gains more for less%s; %zu %s worse than another one by more than the "
        "intervals.",
        spot_view_metric(&self->views[GAIN], self->head->overview.gain_id),
        spot_view_metric(&self->views[COST], self->head->overview.cost_id), compared, num_front,
        self->head->num_points, num_front == 1 ? "is" : "are",
        has_groups ? groups_words(self) : front_words(self), num_worse,
        num_worse == 1 ? "is" : "are");
}

/* ---- Words ---- */

static void declare_words(const pareto_t *self)
{
    const spot_fronts_t *points = &self->points;
    const spot_metric_t *metrics = self->head->metrics;
    const char *cost = spot_estimate_words(&metrics[self->head->overview.cost_id]);
    const char *gain = spot_estimate_words(&metrics[self->head->overview.gain_id]);
    const char *more = "";

    if (self->report->max_rows > 1) {
        more = spot_texts_add(self->texts, " · dot: %s, bars: its 95 %% confidence intervals%s",
            strcmp(cost, gain) == 0 ? cost : "estimate",
            self->num_drawn <= MAX_BARS ? "" : ", of the front");
    }
    spot_view_head(&self->views[GAIN], self->chart,
        spot_texts_add(self->texts, "What more %s costs",
            spot_words_subject(self->texts, &metrics[self->head->overview.gain_id])),
        describe(self), more);
    if (points->num_common > 0) {
        spot_chart_foot(self->chart,
            "compared over the first %" PRId64 " replications of each point", points->num_common);
    }
    if (self->num_drawn < self->head->num_points) {
        spot_chart_foot(self->chart,
            "%zu of %zu points have a dot: the others are undefined or lie among these",
            self->num_drawn, self->head->num_points);
    }
    if (self->has_cut_bars) {
        spot_chart_foot(self->chart, "intervals that reach an edge go on beyond it");
    }
    if (self->num_fronts < points->num_groups) {
        spot_chart_foot(
            self->chart, "%zu of %zu fronts have a line", self->num_fronts, points->num_groups);
    }
    if (points->is_over_traces) {
        spot_chart_foot(self->chart, "no two points meet the same trace, which nobody chooses");
    }
}

static void add_heading(const pareto_t *self, const char *text)
{
    const spot_chart_entry_t entry = {.text = text, .is_heading = true};

    spot_chart_legend(self->chart, &entry);
}

/* "preemption per minute 0.05": what the points of a group meet. */
static const char *circumstances(const pareto_t *self, size_t point_id)
{
    const char *text = "";

    for (size_t j = 0; j < self->head->num_axes; j++) {
        if (spot_axis_is_circumstance(&self->head->axes[j])) {
            text = spot_texts_add(self->texts, "%s%s%s %s", text, text[0] == '\0' ? "" : ", ",
                spot_words_key(self->texts, &self->head->axes[j]),
                spot_words_point_label(self->texts, self->head, point_id, j));
        }
    }
    return text;
}

static void declare_numbers(const pareto_t *self)
{
    const bool has_groups = self->points.num_groups > 1;

    if (self->num_numbers > 0) {
        add_heading(
            self, has_groups ? "fronts, each of one trace" : "on the front, from the cheapest");
    }
    for (size_t j = 0; j < self->num_numbers; j++) {
        const size_t point_id = self->numbered_ids[j];
        const spot_chart_entry_t entry = {
            .text = has_groups ? circumstances(self, point_id)
                               : spot_words_point(self->texts, self->head, point_id, SIZE_MAX),
            .sign = spot_texts_add(self->texts, "%zu", j + 1)};

        spot_chart_legend(self->chart, &entry);
    }
}

/* What filled, hollow and pale dots are. */
static const spot_chart_entry_t looks[] = {
    [SPOT_CHOICE_LEFT_OUT] = {.text = "a bound, which does not compete",
        .marker = SPOT_CHART_DIAMOND,
        .is_hollow = true,
        .colour = SPOT_INK_QUIET},
    [SPOT_CHOICE_FRONT] = {.text = "filled: on the front", .marker = SPOT_CHART_CIRCLE},
    [SPOT_CHOICE_DOMINATED] = {.text = "hollow: worse, but intervals touch",
        .marker = SPOT_CHART_CIRCLE,
        .is_hollow = true},
    [SPOT_CHOICE_SURELY_WORSE] = {.text = "brown: surely worse",
        .marker = SPOT_CHART_CIRCLE,
        .is_hollow = true,
        .colour = WORSE_COLOUR},
};

/* Which series is which, then the looks that there are, bounds last. */
static void declare_looks(const pareto_t *self)
{
    if (self->num_series > 1) {
        add_heading(self, spot_words_axis(self->texts, &self->head->axes[self->axis_id]));
    }
    for (size_t j = 0; self->num_series > 1 && j < self->num_series; j++) {
        const spot_chart_series_t look = spot_series_look(self->head, self->axis_id, j);
        spot_chart_entry_t entry = {.marker = look.marker, .colour = look.colour};

        if (spot_series_is_bound(self->head, self->axis_id, j)) {
            entry = looks[SPOT_CHOICE_LEFT_OUT];
        }
        entry.text = spot_words_label(self->texts, &self->head->axes[self->axis_id], j);
        spot_chart_legend(self->chart, &entry);
    }
    for (size_t j = 0; j < NUM_FATES; j++) {
        const size_t fate = (SPOT_CHOICE_FRONT + j) % NUM_FATES;

        if (fate == SPOT_CHOICE_FRONT ||
            (self->points.num_fates[fate] > 0 &&
                (fate != SPOT_CHOICE_LEFT_OUT || self->head->best.is_asked))) {
            spot_chart_legend(self->chart, &looks[fate]);
        }
    }
}

/* ---- Axes, dots and fronts ---- */

static spot_chart_axis_t axis_of(const pareto_t *self, int side, const char *which)
{
    const spot_view_t *view = &self->views[side];

    return (spot_chart_axis_t){
        .kind = side == COST && self->is_log ? SPOT_CHART_LOG : SPOT_CHART_LINEAR,
        .name = spot_texts_add(
            self->texts, "%s: %s is better", spot_view_metric(view, view->metric_id), which),
        .unit = spot_picture_unit(&view->shown),
        .low = self->ends[side].low,
        .high = self->ends[side].high};
}

static void add_dot(const pareto_t *self, size_t point_id)
{
    const spot_choice_t *choice = &self->points.choices[point_id];
    const estimate_t cost = estimate_of(self, point_id, COST);
    const estimate_t gain = estimate_of(self, point_id, GAIN);
    spot_chart_datum_t datum = {.x = cost.value,
        .y = gain.value,
        .hover = spot_texts_add(self->texts, "%s for %s",
            spot_view_hover(&self->views[GAIN], point_id, choice->gain, 0, 0),
            spot_view_value(&self->views[COST], choice->cost))};

    if (has_bars(self, point_id)) {
        datum.x_low = cost.bar.low;
        datum.x_high = cost.bar.high;
        datum.y_low = gain.bar.low;
        datum.y_high = gain.bar.high;
    }
    for (size_t j = 0; j < self->num_numbers; j++) {
        if (self->numbered_ids[j] == point_id) {
            datum.label = spot_texts_add(self->texts, "%zu", j + 1);
        }
    }
    spot_chart_add(self->chart, &datum);
}

/* The points of a series and a fate, if any. */
static void declare_dots(const pareto_t *self, size_t series_id, spot_choice_fate_t fate)
{
    spot_chart_series_t series = {.colour = SPOT_INK_ACCENT, .marker = SPOT_CHART_CIRCLE};
    bool is_declared = false;

    if (self->num_series > 1) {
        series = spot_series_look(self->head, self->axis_id, series_id);
    }
    series.kind = SPOT_CHART_POINTS;
    series.dash = SPOT_CHART_SOLID;
    series.interval_colour = SPOT_INK_OTHER;
    series.marker_px = fate == SPOT_CHOICE_FRONT ? 5 : self->num_drawn > MANY_DOTS ? 1.8 : 3.5;
    series.is_hollow = looks[fate].is_hollow;
    series.colour = looks[fate].colour == NULL ? series.colour : looks[fate].colour;
    if (fate == SPOT_CHOICE_LEFT_OUT) {
        series.marker = looks[fate].marker;
    }
    for (size_t j = 0; j < self->head->num_points; j++) {
        const size_t point_id = self->points.point_ids[j];

        if (is_drawn(self, j) && self->points.fates[point_id] == fate &&
            (self->num_series == 1 ||
                spot_study_value_id(self->head, point_id, self->axis_id) == series_id)) {
            if (!is_declared) {
                spot_chart_series(self->chart, &series);
                is_declared = true;
            }
            add_dot(self, point_id);
        }
    }
}

static void declare_front(const pareto_t *self, size_t group_id)
{
    const bool is_only = self->num_fronts == 1;
    const spot_chart_series_t series = {.kind = SPOT_CHART_STEPS,
        .colour = is_only ? SPOT_INK_QUIET : SPOT_INK_OTHER,
        .width_px = is_only ? 1.6 : 1};

    spot_chart_series(self->chart, &series);
    for (size_t j = self->points.starts[group_id]; j < self->points.starts[group_id + 1]; j++) {
        const size_t point_id = self->points.point_ids[j];

        if (is_front(self, point_id)) {
            spot_chart_add_xy(self->chart, estimate_of(self, point_id, COST).value,
                estimate_of(self, point_id, GAIN).value);
        }
    }
}

/* From the back: fronts, what is worse, what is on them, bounds. */
static void declare_data(const pareto_t *self)
{
    for (size_t j = 0; j < self->num_fronts; j++) {
        declare_front(self, group_of(self, j));
    }
    for (size_t fate = NUM_FATES; fate-- > 0;) {
        for (size_t j = 0; j < self->num_series; j++) {
            declare_dots(self, j, (spot_choice_fate_t) fate);
        }
    }
}

static int declare(spot_chart_t *chart, const void *context)
{
    spot_texts_t texts = {0};
    pareto_t self;
    int ret = init(&self, context, &texts);

    self.chart = chart;
    if (ret == 0) {
        choose_dots(&self);
        choose_numbers(&self);
        declare_words(&self);
        spot_chart_panel(chart, &(spot_chart_panel_t){.x = axis_of(&self, COST, "less"),
                                    .y = axis_of(&self, GAIN, "more"),
                                    .height_px = 420});
        declare_numbers(&self);
        declare_looks(&self);
        declare_data(&self);
        ret = texts.error;
    }
    spot_fronts_free(&self.points);
    spot_texts_free(&texts);
    return ret == 0 ? spot_chart_error(chart) : ret;
}

static const char *find_problem(const spot_report_t *report)
{
    const spot_study_head_t *head = report->head;
    const spot_overview_t *overview = &head->overview;

    if (!head->has_overview || overview->cost_id >= head->num_metrics ||
        overview->gain_id >= head->num_metrics) {
        return "the study kept no cost and no gain of its points: run it again with "
               "ledger: yes";
    }
    for (size_t j = 0; j < head->num_points; j++) {
        if (isfinite(spot_report_summary(report, j, overview->cost_id)->value) &&
            isfinite(spot_report_summary(report, j, overview->gain_id)->value)) {
            return NULL;
        }
    }
    return "no point has both a cost and a gain yet";
}

static int fill(const spot_report_t *report, spot_table_t *table)
{
    static const char *const fates[] = {"left out", "front", "dominated", "surely worse"};
    pareto_t self;
    const int ret = init(&self, report, NULL);
    const spot_study_head_t *head = self.head;

    spot_picture_point_columns(table, head);
    spot_picture_estimate_columns(table, head->metrics[head->overview.cost_id].name, "");
    spot_picture_estimate_columns(table, head->metrics[head->overview.gain_id].name, "");
    spot_picture_column(table, "front");
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const spot_choice_t *choice = &self.points.choices[j];

        spot_picture_point_row(table, head, j);
        spot_picture_estimate(table, choice->cost, choice->cost_low, choice->cost_high);
        spot_picture_estimate(table, choice->gain, choice->gain_low, choice->gain_high);
        spot_table_add_text(table, fates[self.points.fates[j]]);
    }
    spot_fronts_free(&self.points);
    return ret;
}

const spot_study_picture_t spot_picture_pareto = {.name = "pareto",
    .title = "What a gain costs",
    .problem = find_problem,
    .declare = declare,
    .fill = fill};
