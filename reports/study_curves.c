/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/study_curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool
is_numeric(const spot_axis_t *axis)
{
    for (size_t j = 0; j < axis->num_values; j++) {
        if (!isfinite(axis->numbers[j])) {
            return false;
        }
    }
    return true;
}

static int
choose_axis(spot_curves_t *self, const char **problem)
{
    const spot_study_head_t *head = self->head;
    const char *wanted = head->plot.x;

    for (size_t j = 0; j < head->num_axes; j++) {
        if (is_numeric(&head->axes[j]) &&
            (wanted == NULL || strcmp(head->axes[j].path, wanted) == 0)) {
            self->axis_id = j;
            self->num_x = head->axes[j].num_values;
            self->num_panels = head->num_points / self->num_x;
            return 0;
        }
    }
    *problem = wanted == NULL ? "no swept key has numbers to draw along"
                              : "the key to draw along is not swept over numbers";
    return SPOT_ERR_BAD_PARAM;
}

/* The index of a metric by name; not_named where there is no name. */
static int
find_metric(const spot_study_head_t *head, const char *name, int32_t not_named,
    int32_t *metric_id, const char **problem)
{
    *metric_id = not_named;
    if (name == NULL) {
        return 0;
    }
    for (size_t j = 0; j < head->num_metrics; j++) {
        if (strcmp(head->metrics[j].name, name) == 0) {
            *metric_id = (int32_t) j;
            return 0;
        }
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

    if (head->num_metrics == 0 || plot->num_stack > SPOT_MAX_METRICS) {
        *problem = "there are no metrics, or too many, to draw";
        return SPOT_ERR_BAD_PARAM;
    }
    ret = find_metric(head, plot->y, 0, &self->y_id, problem);
    if (ret == 0) {
        ret = find_metric(head, plot->second_x, -1, &self->second_x_id, problem);
    }
    self->num_parts = plot->num_stack;
    for (size_t j = 0; ret == 0 && j < plot->num_stack; j++) {
        ret = find_metric(head, plot->stack[j], -1, &self->part_ids[j], problem);
    }
    return ret;
}

/* Insertion: there are few. */
static int
order_values(spot_curves_t *self)
{
    const double *numbers = self->head->axes[self->axis_id].numbers;

    self->order = spot_calloc(self->num_x, sizeof(*self->order));
    if (self->order == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->num_x; j++) {
        size_t place = j;

        for (; place > 0 && numbers[self->order[place - 1]] > numbers[j]; place--) {
            self->order[place] = self->order[place - 1];
        }
        self->order[place] = j;
    }
    return 0;
}

static void
count_rows(spot_curves_t *self, const spot_store_t *store)
{
    self->min_rows = INT64_MAX;
    for (size_t j = 0; j < self->head->num_points; j++) {
        const int64_t num_rows = store->num_rows(store, j);

        self->min_rows = num_rows < self->min_rows ? num_rows : self->min_rows;
        self->max_rows = num_rows > self->max_rows ? num_rows : self->max_rows;
    }
}

int
spot_curves_init(spot_curves_t *self, const spot_store_t *store, const char **problem)
{
    int ret;

    memset(self, 0, sizeof(*self));
    self->head = store->head;
    count_rows(self, store);
    ret = choose_axis(self, problem);
    if (ret == 0) {
        ret = choose_metrics(self, problem);
    }
    if (ret == 0) {
        ret = order_values(self);
    }
    if (ret == 0) {
        ret = spot_summarise_all(store, &self->summaries);
    }
    return ret;
}

void
spot_curves_free(spot_curves_t *self)
{
    free(self->summaries);
    free(self->order);
    memset(self, 0, sizeof(*self));
}

/* The points of a panel differ in x alone, which has the stride of its axis. */
static size_t
point_at(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    size_t stride = 1;

    for (size_t j = self->axis_id + 1; j < self->head->num_axes; j++) {
        stride *= self->head->axes[j].num_values;
    }
    return (panel_id / stride * self->num_x + self->order[x_id]) * stride +
           panel_id % stride;
}

size_t
spot_curves_value_id(const spot_curves_t *self, size_t panel_id, size_t axis_id)
{
    return spot_study_value_id(self->head, point_at(self, panel_id, 0), axis_id);
}

double
spot_curves_x(const spot_curves_t *self, size_t x_id)
{
    return self->head->axes[self->axis_id].numbers[self->order[x_id]];
}

const spot_summary_t *
spot_curves_at(
    const spot_curves_t *self, size_t panel_id, size_t x_id, int32_t metric_id)
{
    const size_t point_id = point_at(self, panel_id, x_id);

    return &self->summaries[point_id * self->head->num_metrics + (size_t) metric_id];
}

bool
spot_curves_is_defined(const spot_curves_t *self, size_t panel_id, size_t x_id)
{
    return isfinite(spot_curves_at(self, panel_id, x_id, self->y_id)->mean) &&
           isfinite(spot_curves_height(self, panel_id, x_id, self->num_parts));
}

double
spot_curves_height(
    const spot_curves_t *self, size_t panel_id, size_t x_id, size_t num_parts)
{
    double height = 0;

    for (size_t j = 0; j < num_parts; j++) {
        height += spot_curves_at(self, panel_id, x_id, self->part_ids[j])->mean;
    }
    return height;
}

bool
spot_curves_range(
    const spot_curves_t *self, size_t num_panels, double *low, double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t panel_id = 0; panel_id < num_panels; panel_id++) {
        for (size_t x_id = 0; x_id < self->num_x; x_id++) {
            const spot_summary_t *y = spot_curves_at(self, panel_id, x_id, self->y_id);

            if (spot_curves_is_defined(self, panel_id, x_id)) {
                /* An interval may reach below 0 where no value can. fmin() and fmax()
                 * pass over one that is undefined. */
                const double ci_low = y->mean >= 0 ? fmax(y->ci_low, 0) : y->ci_low;

                *low = fmin(*low, fmin(y->mean, ci_low));
                *high = fmax(*high, fmax(y->mean, y->ci_high));
                *high = fmax(
                    *high, spot_curves_height(self, panel_id, x_id, self->num_parts));
            }
        }
    }
    return *low <= *high;
}
