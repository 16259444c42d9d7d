/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/study_words.h"
#include "sim/analysis/point_groups.h"

/* Of a key whose curves were not asked for. */
#define MAX_CHOSEN_CURVES 8

/* The axis with a curve for each of its values, where the study asks for one. */
static int
choose_curve_axis(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const char *wanted = head->plot.curves;

    for (size_t j = 0; wanted != NULL && j < head->num_axes; j++) {
        if (strcmp(head->axes[j].path, wanted) == 0) {
            self->has_curve_axis = true;
            self->curve_axis_id = j;
        }
    }
    if (wanted == NULL || self->has_curve_axis) {
        return 0;
    }
    *problem = "the key with a curve for each of its values is not swept";
    return SPOT_ERR_BAD_PARAM;
}

/* The index of a metric by name; not_named where there is no name. */
static int
find_metric(const spot_study_head_t *head, const char *name, int32_t not_named,
    int32_t *metric_id, const char **problem)
{
    const size_t found_id = spot_study_metric_id(head, name);

    *metric_id = found_id < head->num_metrics ? (int32_t) found_id : not_named;
    if (name == NULL || found_id < head->num_metrics) {
        return 0;
    }
    *problem = "a metric to draw is not among those kept";
    return SPOT_ERR_BAD_PARAM;
}

static int
choose_metrics(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const spot_plot_request_t *plot = &head->plot;
    int ret = 0;

    if (head->num_metrics == 0) {
        *problem = "there are no metrics to draw";
        return SPOT_ERR_BAD_PARAM;
    }
    self->part_ids = spot_calloc(plot->num_stack, sizeof(*self->part_ids));
    self->metric_ids = spot_calloc(plot->num_stack + 2, sizeof(*self->metric_ids));
    if (self->part_ids == NULL || self->metric_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = find_metric(
        head, plot->y, (int32_t) spot_main_metric(head), &self->y_id, problem);
    if (ret == 0) {
        ret = find_metric(head, plot->second_x, -1, &self->second_x_id, problem);
    }
    self->num_parts = plot->num_stack;
    for (size_t j = 0; ret == 0 && j < plot->num_stack; j++) {
        ret = find_metric(head, plot->stack[j], -1, &self->part_ids[j], problem);
        self->metric_ids[1 + j] = (size_t) self->part_ids[j];
    }
    self->metric_ids[0] = (size_t) self->y_id;
    return ret;
}

/* How far the means with the values of a key are apart. */
static double
effect_of(const spot_curves_t *self, size_t axis_id)
{
    const spot_study_head_t *head = self->head;
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t k = 0; k < head->axes[axis_id].num_values; k++) {
        double sum = 0;
        size_t num_points = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            const double value =
                self->report->num_rows == 0
                    ? (double) NAN
                    : spot_report_summary(self->report, j, (size_t) self->y_id)->value;

            if (isfinite(value) && spot_study_value_id(head, j, axis_id) == k) {
                sum += value;
                num_points++;
            }
        }
        if (num_points > 0) {
            low = fmin(low, sum / (double) num_points);
            high = fmax(high, sum / (double) num_points);
        }
    }
    return low <= high ? high - low : 0;
}

/* The key that is asked for, else the one of numbers that moves y most. */
static int
choose_axis(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const char *wanted = head->plot.x;
    double largest = -1;

    for (size_t j = 0; j < head->num_axes; j++) {
        const bool is_of_curves = self->has_curve_axis && j == self->curve_axis_id;

        if (!is_of_curves && spot_axis_is_numeric(&head->axes[j]) &&
            (wanted == NULL || strcmp(head->axes[j].path, wanted) == 0)) {
            const double effect = wanted == NULL ? effect_of(self, j) : 0;

            if (effect > largest) {
                self->axis_id = j;
                largest = effect;
            }
        }
    }
    if (largest >= 0) {
        return 0;
    }
    *problem = wanted == NULL ? "no swept key has numbers to draw along"
                              : "the key to draw along is not swept over numbers";
    return SPOT_ERR_BAD_PARAM;
}

/* Of a study that says nothing of its picture: a curve for each value of the key that
 * moves y most behind the one of x, if it has few values. */
static void
choose_curves(spot_curves_t *self)
{
    const spot_study_head_t *head = self->head;
    double largest = -1;

    if (head->plot.x != NULL || head->plot.curves != NULL || self->num_parts > 0 ||
        self->second_x_id >= 0 || spot_plan_is_design(head->plan.kind) ||
        head->plan.kind == SPOT_PLAN_ZIP) {
        return;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        const size_t num_values = head->axes[j].num_values;
        const double effect = effect_of(self, j);

        if (j != self->axis_id && num_values > 1 && num_values <= MAX_CHOSEN_CURVES &&
            effect > largest) {
            self->has_curve_axis = true;
            self->curve_axis_id = j;
            largest = effect;
        }
    }
}

/* A point with its place in the picture. */
typedef struct {
    size_t panel_id;
    double x;
    size_t point_id;
} place_t;

static int
compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    if (left->panel_id != right->panel_id) {
        return left->panel_id < right->panel_id ? -1 : 1;
    }
    if (left->x != right->x) {
        return left->x < right->x ? -1 : 1;
    }
    return left->point_id < right->point_id ? -1 : 1;
}

/* places: [num_points]. */
static int
find_places(spot_curves_t *self, place_t *places)
{
    const spot_study_head_t *head = self->head;
    const double *numbers = head->axes[self->axis_id].numbers;
    spot_point_groups_t groups;
    int ret = spot_point_groups_init(&groups, head, self->axis_id);

    self->x_low = HUGE_VAL;
    self->x_high = -HUGE_VAL;
    for (size_t j = 0; ret == 0 && j < head->num_points; j++) {
        const double x = numbers[spot_study_value_id(head, j, self->axis_id)];

        places[j] = (place_t){self->is_scattered ? 0 : groups.group_ids[j], x, j};
        self->x_low = fmin(self->x_low, x);
        self->x_high = fmax(self->x_high, x);
    }
    self->num_panels = self->is_scattered ? 1 : groups.num_groups;
    spot_point_groups_free(&groups);
    return ret;
}

static int
order_points(spot_curves_t *self)
{
    const size_t num_points = self->head->num_points;
    place_t *places = spot_calloc(num_points, sizeof(*places));
    int ret = places == NULL ? SPOT_ERR_NO_MEMORY : find_places(self, places);

    if (ret == 0) {
        self->panel_starts =
            spot_calloc(self->num_panels + 1, sizeof(*self->panel_starts));
        self->point_ids = spot_calloc(num_points, sizeof(*self->point_ids));
        if (self->panel_starts == NULL || self->point_ids == NULL) {
            ret = SPOT_ERR_NO_MEMORY;
        }
    }
    if (ret == 0) {
        qsort(places, num_points, sizeof(*places), compare_places);
        for (size_t j = 0; j < num_points; j++) {
            self->point_ids[j] = places[j].point_id;
            self->panel_starts[places[j].panel_id + 1] = j + 1; /* the last one stays */
        }
    }
    free(places);
    return ret;
}

static int
check_plan(spot_curves_t *self, const char **problem)
{
    const spot_plan_kind_t kind = self->head->plan.kind;

    self->is_scattered = spot_plan_is_design(kind);
    self->has_all_in_one = self->is_scattered || kind == SPOT_PLAN_ZIP;
    if (self->has_curve_axis &&
        (self->has_all_in_one || self->num_parts > 0 || self->second_x_id >= 0)) {
        *problem = "curves need a grid or a list of points, and are drawn without stack "
                   "and second_x";
        return SPOT_ERR_BAD_PARAM;
    }
    if (self->is_scattered && (self->num_parts > 0 || self->second_x_id >= 0)) {
        *problem = "the points of a design have no order along a key: plot y alone, "
                   "without stack and second_x";
        return SPOT_ERR_BAD_PARAM;
    }
    return 0;
}

/* All but the order of the points. */
static int
choose(spot_curves_t *self, const spot_report_t *report, const char **problem)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->report = report;
    self->head = report->head;
    ret = choose_curve_axis(self, problem);
    if (ret == 0) {
        ret = choose_metrics(self, problem);
    }
    if (ret == 0) {
        ret = choose_axis(self, problem);
    }
    if (ret == 0) {
        choose_curves(self);
    }
    return ret == 0 ? check_plan(self, problem) : ret;
}

int
spot_curves_init(spot_curves_t *self, const spot_report_t *report, const char **problem)
{
    const int ret = choose(self, report, problem);

    return ret == 0 ? order_points(self) : ret;
}

void
spot_curves_free(spot_curves_t *self)
{
    free(self->part_ids);
    free(self->metric_ids);
    free(self->panel_starts);
    free(self->point_ids);
    memset(self, 0, sizeof(*self));
}

const char *
spot_curves_problem(const spot_report_t *report)
{
    const char *problem = NULL;
    spot_curves_t curves;

    if (choose(&curves, report, &problem) == 0) {
        problem = spot_metrics_problem(report, 1 + curves.num_parts, curves.metric_ids);
    }
    spot_curves_free(&curves);
    return problem;
}

size_t
spot_curves_point(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    return self->point_ids[self->panel_starts[panel_id] + x_id];
}

size_t
spot_curves_num_x(const spot_curves_t *self, size_t panel_id)
{
    return self->panel_starts[panel_id + 1] - self->panel_starts[panel_id];
}

size_t
spot_curves_value_id(const spot_curves_t *self, size_t panel_id, size_t axis_id)
{
    return spot_study_value_id(
        self->head, spot_curves_point(self, panel_id, 0), axis_id);
}

double
spot_curves_x(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    const size_t value_id = spot_study_value_id(
        self->head, spot_curves_point(self, panel_id, x_id), self->axis_id);

    return self->head->axes[self->axis_id].numbers[value_id];
}

const spot_summary_t *
spot_curves_at(
    const spot_curves_t *self, size_t panel_id, size_t x_id, int32_t metric_id)
{
    const size_t point_id = spot_curves_point(self, panel_id, x_id);

    return spot_report_summary(self->report, point_id, (size_t) metric_id);
}

bool
spot_curves_is_defined(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    return isfinite(spot_curves_at(self, panel_id, x_id, self->y_id)->value) &&
           isfinite(spot_curves_height(self, panel_id, x_id, self->num_parts));
}

double
spot_curves_height(
    const spot_curves_t *self, size_t panel_id, size_t x_id, size_t num_parts)
{
    double height = 0;

    for (size_t j = 0; j < num_parts; j++) {
        if (spot_study_has_metric(self->head, spot_curves_point(self, panel_id, x_id),
                (size_t) self->part_ids[j])) {
            height += spot_curves_at(self, panel_id, x_id, self->part_ids[j])->value;
        }
    }
    return height;
}

void
spot_curves_range(const spot_curves_t *self, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t panel_id = 0; panel_id < self->num_panels; panel_id++) {
        for (size_t x_id = 0; x_id < spot_curves_num_x(self, panel_id); x_id++) {
            const spot_summary_t *y = spot_curves_at(self, panel_id, x_id, self->y_id);

            if (spot_curves_is_defined(self, panel_id, x_id)) {
                /* An interval may reach below 0 where no value can. fmin() and fmax()
                 * pass over one that is undefined. */
                const double ci_low = y->value >= 0 ? fmax(y->ci_low, 0) : y->ci_low;

                *low = fmin(*low, fmin(y->value, ci_low));
                *high = fmax(*high, fmax(y->value, y->ci_high));
                *high = fmax(
                    *high, spot_curves_height(self, panel_id, x_id, self->num_parts));
            }
        }
    }
}
