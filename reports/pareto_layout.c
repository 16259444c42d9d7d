/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pareto_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/bar_rows.h"
#include "reports/pareto_plot.h"
#include "reports/series_look.h"
#include "reports/study_head.h"
#include "reports/study_words.h"

#define LEFT_PX 64.0
#define RIGHT_PX 300.0 /* the legend */
#define PANEL_PX 420.0
#define PANEL_HEAD_PX 30.0
#define NUMBER_PX 13.0 /* between the middles of two numbers */
#define FINEST_PX 3.0  /* between dots that can be told apart */
#define LOG_RATIO 20.0 /* of the highest and the lowest cost */

static bool
is_defined(const spot_pareto_layout_t *self, size_t point_id)
{
    const spot_choice_t *choice = &self->points->choices[point_id];

    return isfinite(choice->cost) && isfinite(choice->gain);
}

bool
spot_pareto_is_front(const spot_pareto_layout_t *self, size_t point_id)
{
    return self->points->fates[point_id] == SPOT_CHOICE_FRONT;
}

double
spot_pareto_place_cost(const spot_pareto_layout_t *self, double cost)
{
    const double shown = self->cost.factor * cost;

    return self->is_log ? log10(fmax(shown, 1e-300)) : shown;
}

static double
cost_px(const spot_pareto_layout_t *self, size_t point_id)
{
    return spot_panel_x_px(&self->panel,
        spot_pareto_place_cost(self, self->points->choices[point_id].cost));
}

static double
gain_px(const spot_pareto_layout_t *self, size_t point_id)
{
    return spot_panel_y_px(
        &self->panel, self->gain.factor * self->points->choices[point_id].gain);
}

size_t
spot_pareto_series(const spot_pareto_layout_t *self, size_t point_id)
{
    return self->num_series == 1
               ? 0
               : spot_study_value_id(self->head, point_id, self->series_axis_id);
}

/* ---- Layout ---- */

static void
choose_series(spot_pareto_layout_t *self)
{
    self->series_axis_id = spot_series_axis(self->head);
    self->num_series = 1;
    if (self->series_axis_id < self->head->num_axes &&
        self->head->axes[self->series_axis_id].num_values <= SPOT_PARETO_SERIES) {
        self->num_series = self->head->axes[self->series_axis_id].num_values;
    }
}

size_t
spot_pareto_group(const spot_pareto_layout_t *self, size_t front_id)
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
choose_ranges(spot_pareto_layout_t *self, range_t *cost, range_t *gain)
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
        if (is_defined(self, j) && self->head->num_points <= SPOT_PARETO_BARS) {
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
choose_panel(spot_pareto_layout_t *self, double height_px)
{
    range_t cost, gain;
    double low, high, room;

    self->panel = (spot_panel_t){
        .left_px = LEFT_PX,
        .top_px = spot_study_head_px(self->head) + PANEL_HEAD_PX,
        .width_px = SPOT_PARETO_WIDTH_PX - LEFT_PX - RIGHT_PX,
        .height_px = fmax(PANEL_PX, height_px),
    };
    choose_ranges(self, &cost, &gain);
    gain.low = gain.low >= 0 && gain.low <= 0.5 * gain.high ? 0 : gain.low;
    self->panel.y = spot_scale_around(
        gain.low * self->gain.factor, gain.high * self->gain.factor, 6);
    low = spot_pareto_place_cost(self, cost.low);
    high = spot_pareto_place_cost(self, cost.high);
    room = high > low ? 0.04 * (high - low) : fmax(0.1 * fabs(low), 0.1);
    self->panel.x_low = low - room;
    self->panel.x_high = high + room;
}

/* The square in which a point lies. */
static size_t
cell_of(const spot_pareto_layout_t *self, size_t point_id, double cell_px,
    size_t num_columns)
{
    const double row = (gain_px(self, point_id) - self->panel.top_px) / cell_px;
    const double column = (cost_px(self, point_id) - self->panel.left_px) / cell_px;

    return (size_t) row * num_columns + (size_t) column;
}

/* Whether a point of the front is not upon the last one of it, which moves on. */
static bool
is_apart(const spot_pareto_layout_t *self, size_t point_id, size_t *last_id)
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
choose_dots(
    spot_pareto_layout_t *self, double cell_px, bool *is_taken, size_t num_columns)
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
thin(spot_pareto_layout_t *self)
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
    self->has_bars = self->num_drawn <= SPOT_PARETO_BARS;
    return 0;
}

/* ---- Numbers ---- */

/* Beside its dot where no other number is: up to the left, where a front has nothing
 * else, then around. */
static void
place_number(spot_pareto_layout_t *self, size_t point_id, size_t group_id)
{
    static const double offsets[][2] = {{-10, -10}, {0, -14}, {12, -8}, {-15, 2},
        {15, 4}, {0, 14}, {-20, -20}, {0, -27}};
    spot_pareto_number_t number = {.point_id = point_id, .group_id = group_id};

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
is_alone(const spot_pareto_layout_t *self, size_t point_id)
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
number_fronts(spot_pareto_layout_t *self)
{
    for (size_t j = 0; j < self->num_fronts; j++) {
        const size_t group_id = spot_pareto_group(self, j);
        const spot_cost_group_t *group = &self->points->groups[group_id];
        size_t chosen_id = SIZE_MAX;

        for (size_t k = group->end; k-- > group->first;) {
            const size_t point_id = self->points->point_ids[k];

            if (spot_pareto_is_front(self, point_id) &&
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
number_points(spot_pareto_layout_t *self)
{
    const size_t num_front = self->points->num_fates[SPOT_CHOICE_FRONT];
    const size_t num_shown =
        num_front < SPOT_PARETO_NUMBERS ? num_front : SPOT_PARETO_NUMBERS;
    size_t place = 0, front_id = 0;

    for (size_t j = 0; j < self->head->num_points && place < num_shown; j++) {
        const size_t point_id = self->points->point_ids[j];

        if (spot_pareto_is_front(self, point_id)) {
            if (front_id++ == spot_spread(place, num_shown, num_front)) {
                place_number(self, point_id, 0);
                place++;
            }
        }
    }
}

/* A legend of series names points that differ in one key only. */
static void
choose_numbers(spot_pareto_layout_t *self)
{
    const size_t num_groups = self->points->num_groups;

    self->num_fronts =
        num_groups < SPOT_PARETO_NUMBERS ? num_groups : SPOT_PARETO_NUMBERS;
    if (num_groups > 1) {
        number_fronts(self);
    } else if (self->head->num_axes > 1 || self->num_series == 1) {
        number_points(self);
    }
}

/* Numbers, series and looks with their headings; numbers are at most as many as
 * choose_numbers() finds. */
static double
legend_px(const spot_pareto_layout_t *self)
{
    const size_t num_numbers = SPOT_PARETO_NUMBERS < self->head->num_points
                                   ? SPOT_PARETO_NUMBERS
                                   : self->head->num_points;

    return SPOT_PARETO_LINE_PX *
               (double) (num_numbers + 2 +
                         (self->num_series > 1 ? self->num_series + 1 : 0) + 4) +
           2 * SPOT_PARETO_PART_PX;
}

int
spot_pareto_layout_init(spot_pareto_layout_t *self, const spot_cost_gain_t *points)
{
    const spot_study_head_t *head = points->head;
    int ret;

    memset(self, 0, sizeof(*self));
    self->points = points;
    self->head = head;
    self->cost = spot_report_shown(points->report, points->cost_id);
    self->gain = spot_report_shown(points->report, points->gain_id);
    self->is_drawn = spot_calloc(head->num_points, sizeof(*self->is_drawn));
    if (self->is_drawn == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    choose_series(self);
    choose_panel(self, legend_px(self));
    ret = thin(self);
    if (ret == 0) {
        choose_numbers(self);
    }
    return ret;
}

void
spot_pareto_layout_free(spot_pareto_layout_t *self)
{
    free(self->is_drawn);
    self->is_drawn = NULL;
}
