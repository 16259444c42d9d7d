/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "reports/words.h"
#include "sim/bench/analysis/point_groups.h"

/* Of a key whose curves were not asked for. */
#define MAX_CHOSEN_CURVES 8

/* ---- Lines of points ---- */

typedef struct {
    size_t line_id;
    double x;
    size_t point_id;
} place_t;

static int compare_places(const void *a, const void *b)
{
    const place_t *left = a, *right = b;

    if (left->line_id != right->line_id) {
        return left->line_id < right->line_id ? -1 : 1;
    }
    if (left->x < right->x || left->x > right->x) { /* not of NAN */
        return left->x < right->x ? -1 : 1;
    }
    return left->point_id < right->point_id ? -1 : 1;
}

int spot_point_lines_init(
    spot_point_lines_t *self, const spot_study_head_t *head, size_t axis_id, bool is_one)
{
    const size_t num_points = head->num_points;
    const bool has_x = spot_axis_is_numeric(&head->axes[axis_id]);
    place_t *places = spot_calloc(num_points, sizeof(*places));
    spot_point_groups_t groups;
    int ret = spot_point_groups_init(&groups, head, axis_id);

    *self = (spot_point_lines_t){.num_lines = is_one ? 1 : groups.num_groups};
    self->starts = spot_calloc(self->num_lines + 1, sizeof(*self->starts));
    self->point_ids = spot_calloc(num_points, sizeof(*self->point_ids));
    if (places == NULL || self->starts == NULL || self->point_ids == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        const size_t value_id = spot_study_value_id(head, j, axis_id);

        places[j] = (place_t){
            is_one ? 0 : groups.group_ids[j], has_x ? head->axes[axis_id].numbers[value_id] : 0, j};
    }
    if (ret == 0) {
        qsort(places, num_points, sizeof(*places), compare_places);
    }
    for (size_t j = 0; ret == 0 && j < num_points; j++) {
        self->point_ids[j] = places[j].point_id;
        self->starts[places[j].line_id + 1] = j + 1; /* the last one stays */
    }
    spot_point_groups_free(&groups);
    free(places);
    return ret;
}

void spot_point_lines_free(spot_point_lines_t *self)
{
    free(self->starts);
    free(self->point_ids);
    memset(self, 0, sizeof(*self));
}

/* ---- What is drawn ---- */

/* The index of a metric by name, not_named without one; a name that is no metric is a
 * problem. */
static size_t find_metric(
    const spot_study_head_t *head, const char *name, size_t not_named, const char **problem)
{
    const size_t metric_id = spot_study_metric_id(head, name);

    if (name != NULL && metric_id == head->num_metrics) {
        *problem = "a metric to draw is not among those kept";
    }
    return name == NULL ? not_named : metric_id;
}

static int choose_metrics(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const spot_plot_request_t *plot = &head->plot;

    self->metric_ids = spot_calloc(plot->num_stack + 2, sizeof(*self->metric_ids));
    if (self->metric_ids == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (head->num_metrics == 0) {
        *problem = "there are no metrics to draw";
        return 0;
    }
    self->metric_ids[0] = find_metric(head, plot->y, spot_main_metric(head), problem);
    self->y_id = (int32_t) self->metric_ids[0];
    self->second_x_id = (int32_t) find_metric(head, plot->second_x, SIZE_MAX, problem);
    self->num_parts = plot->num_stack;
    for (size_t j = 0; j < plot->num_stack; j++) {
        self->metric_ids[1 + j] = find_metric(head, plot->stack[j], 0, problem);
    }
    return 0;
}

/* How far the means with the values of a key are apart. */
static double effect_of(const spot_curves_t *self, size_t axis_id)
{
    const spot_study_head_t *head = self->head;
    double low = HUGE_VAL, high = -HUGE_VAL;

    for (size_t k = 0; self->report->num_rows > 0 && k < head->axes[axis_id].num_values; k++) {
        double sum = 0;
        size_t num_points = 0;

        for (size_t j = 0; j < head->num_points; j++) {
            const double value = spot_report_summary(self->report, j, (size_t) self->y_id)->value;

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
static void choose_axis(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const size_t wanted_id = spot_study_axis_id(head, head->plot.x);
    double largest = -1;

    for (size_t j = 0; j < head->num_axes; j++) {
        if ((self->has_curve_axis && j == self->curve_axis_id) ||
            !spot_axis_is_numeric(&head->axes[j]) || (head->plot.x != NULL && j != wanted_id)) {
            continue;
        }
        const double effect = head->plot.x == NULL ? effect_of(self, j) : 0;

        if (effect > largest) {
            self->axis_id = j;
            largest = effect;
        }
    }
    if (largest < 0) {
        *problem = head->plot.x == NULL ? "no swept key has numbers to draw along"
                                        : "the key to draw along is not swept over numbers";
    }
}

/* Of a study that says nothing of its picture: a curve for each value of the key that
 * moves y most behind the one of x, if it has few values. */
static void choose_curves(spot_curves_t *self)
{
    const spot_study_head_t *head = self->head;
    double largest = -1;

    if (head->plot.x != NULL || head->plot.curves != NULL || self->num_parts > 0 ||
        self->second_x_id >= 0 || self->has_all_in_one) {
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

static void check_plan(const spot_curves_t *self, const char **problem)
{
    const bool has_more = self->num_parts > 0 || self->second_x_id >= 0;

    if (self->has_curve_axis && (self->has_all_in_one || has_more)) {
        *problem = "curves need a grid or a list of points, and are drawn without stack "
                   "and second_x";
    } else if (self->is_scattered && has_more) {
        *problem = "the points of a design have no order along a key: plot y alone, "
                   "without stack and second_x";
    }
}

/* All but the order of the points. */
static int choose(spot_curves_t *self, const spot_report_t *report, const char **problem)
{
    const spot_study_head_t *head = report->head;
    int ret;

    *problem = NULL;
    *self = (spot_curves_t){.head = head,
        .report = report,
        .curve_axis_id = spot_study_axis_id(head, head->plot.curves),
        .is_scattered = spot_plan_is_design(head->plan.kind)};
    self->has_all_in_one = self->is_scattered || head->plan.kind == SPOT_PLAN_ZIP;
    self->has_curve_axis = self->curve_axis_id < head->num_axes;
    if (head->plot.curves != NULL && !self->has_curve_axis) {
        *problem = "the key with a curve for each of its values is not swept";
    }
    ret = choose_metrics(self, problem);
    if (ret == 0 && *problem == NULL) {
        choose_axis(self, problem);
    }
    if (ret == 0 && *problem == NULL) {
        choose_curves(self);
        check_plan(self, problem);
    }
    return ret == 0 && *problem != NULL ? SPOT_ERR_BAD_PARAM : ret;
}

int spot_curves_init(spot_curves_t *self, const spot_report_t *report, const char **problem)
{
    int ret = choose(self, report, problem);

    if (ret == 0) {
        ret = spot_point_lines_init(&self->lines, self->head, self->axis_id, self->is_scattered);
    }
    self->num_panels = self->lines.num_lines;
    self->x_low = HUGE_VAL;
    self->x_high = -HUGE_VAL;
    for (size_t j = 0; ret == 0 && j < self->num_panels; j++) {
        self->x_low = fmin(self->x_low, spot_curves_x(self, j, 0));
        self->x_high = fmax(self->x_high, spot_curves_x(self, j, spot_curves_num_x(self, j) - 1));
    }
    return ret;
}

void spot_curves_free(spot_curves_t *self)
{
    spot_point_lines_free(&self->lines);
    free(self->metric_ids);
    memset(self, 0, sizeof(*self));
}

const char *spot_curves_problem(const spot_report_t *report)
{
    const char *problem;
    spot_curves_t curves;

    if (choose(&curves, report, &problem) == 0) {
        problem = spot_metrics_problem(report, 1 + curves.num_parts, curves.metric_ids);
    }
    spot_curves_free(&curves);
    return problem;
}

/* ---- Points ---- */

size_t spot_curves_num_x(const spot_curves_t *self, size_t panel_id)
{
    return self->lines.starts[panel_id + 1] - self->lines.starts[panel_id];
}

size_t spot_curves_point(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    return self->lines.point_ids[self->lines.starts[panel_id] + x_id];
}

size_t spot_curves_value_id(const spot_curves_t *self, size_t panel_id, size_t axis_id)
{
    return spot_study_value_id(self->head, spot_curves_point(self, panel_id, 0), axis_id);
}

double spot_curves_x(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    const size_t value_id =
        spot_study_value_id(self->head, spot_curves_point(self, panel_id, x_id), self->axis_id);

    return self->head->axes[self->axis_id].numbers[value_id];
}

const spot_summary_t *spot_curves_at(
    const spot_curves_t *self, size_t panel_id, size_t x_id, int32_t metric_id)
{
    return spot_report_summary(
        self->report, spot_curves_point(self, panel_id, x_id), (size_t) metric_id);
}

double spot_curves_height(const spot_curves_t *self, size_t point_id, size_t num_parts)
{
    double height = 0;

    for (size_t j = 1; j <= num_parts; j++) {
        if (spot_study_has_metric(self->head, point_id, self->metric_ids[j])) {
            height += spot_report_summary(self->report, point_id, self->metric_ids[j])->value;
        }
    }
    return height;
}

bool spot_curves_is_defined(const spot_curves_t *self, size_t point_id)
{
    return isfinite(spot_report_summary(self->report, point_id, (size_t) self->y_id)->value) &&
           isfinite(spot_curves_height(self, point_id, self->num_parts));
}
