/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

void spot_durations_add(spot_durations_t *self, double *values, int64_t value)
{
    if (values != NULL) {
        values[self->count] = (double) value;
    }
    self->min = self->count == 0 || value < self->min ? value : self->min;
    self->max = self->count == 0 || value > self->max ? value : self->max;
    self->negative += value < 0;
    self->count++;
    self->sum += value;
}

void spot_durations_end(spot_durations_t *self, double *values)
{
    static const double p[] = {0.5, 0.9, 0.99};
    double quantiles[3];

    spot_quantiles(values, (size_t) self->count, 3, p, quantiles);
    self->p50 = quantiles[0];
    self->p90 = quantiles[1];
    self->p99 = quantiles[2];
}

double spot_wide_ratio(spot_wide_t part, spot_wide_t whole)
{
    return whole == 0 ? (double) NAN : (double) part / (double) whole;
}

static int compare_groups(const void *first, const void *second)
{
    return strcmp(
        ((const spot_task_group_t *) first)->name, ((const spot_task_group_t *) second)->name);
}

void spot_task_groups_sort(spot_task_group_t *groups, size_t num)
{
    qsort(groups, num, sizeof(*groups), compare_groups);
}

void spot_json_optional(spot_json_t *json, const char *key, bool is_there, int64_t value)
{
    if (is_there) {
        spot_json_wide(json, key, value);
    } else {
        spot_json_number(json, key, (double) NAN);
    }
}

void spot_durations_json(
    spot_json_t *json, const char *key, const spot_durations_t *self, spot_durations_parts_t parts)
{
    const bool is_all = parts == SPOT_DURATIONS_ALL;

    spot_json_open(json, key, '{');
    spot_json_integer(json, "count", self->count);
    spot_json_wide(json, "sum", self->sum);
    if (is_all || parts == SPOT_DURATIONS_MEAN) {
        spot_json_number(json, "mean", spot_wide_ratio(self->sum, self->count));
    }
    if (is_all) {
        spot_json_optional(json, "min", self->count > 0, self->min);
    }
    if (is_all || parts == SPOT_DURATIONS_MAX) {
        spot_json_optional(json, "max", self->count > 0, self->max);
    }
    if (is_all) {
        spot_json_number(json, "p50", self->p50);
        spot_json_number(json, "p90", self->p90);
        spot_json_number(json, "p99", self->p99);
        spot_json_integer(json, "negative", self->negative);
    }
    spot_json_close(json, '}');
}

void spot_task_groups_json(spot_json_t *json, const char *key, size_t num,
    const spot_task_group_t *groups, spot_durations_parts_t parts)
{
    spot_json_open(json, key, '{');
    for (size_t j = 0; j < num; j++) {
        spot_durations_json(json, groups[j].name, &groups[j].durations, parts);
    }
    spot_json_close(json, '}');
}
