/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "traces/tasks/durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

void
spot_durations_add(spot_durations_t *self, int64_t value)
{
    self->min = self->count == 0 || value < self->min ? value : self->min;
    self->max = self->count == 0 || value > self->max ? value : self->max;
    self->negative += value < 0;
    self->count++;
    self->sum += value;
}

double
spot_wide_ratio(spot_wide_t part, spot_wide_t whole)
{
    return whole == 0 ? (double) NAN : (double) part / (double) whole;
}

static int
compare_groups(const void *first, const void *second)
{
    return strcmp(((const spot_task_group_t *) first)->name,
        ((const spot_task_group_t *) second)->name);
}

void
spot_task_groups_sort(spot_task_group_t *groups, size_t num)
{
    qsort(groups, num, sizeof(*groups), compare_groups);
}

void
spot_durations_of(
    spot_durations_t *self, const int64_t *values, size_t num, double *scratch)
{
    static const double p[] = {0.5, 0.9, 0.99};
    double quantiles[3];

    memset(self, 0, sizeof(*self));
    for (size_t j = 0; j < num; j++) {
        spot_durations_add(self, values[j]);
        scratch[j] = (double) values[j];
    }
    spot_quantiles(scratch, num, 3, p, quantiles);
    self->p50 = quantiles[0];
    self->p90 = quantiles[1];
    self->p99 = quantiles[2];
}

double
spot_durations_mean(const spot_durations_t *self)
{
    return spot_wide_ratio(self->sum, self->count);
}

static void
open_json(spot_json_t *json, const char *key, const spot_durations_t *self)
{
    spot_json_open(json, key, '{');
    spot_json_integer(json, "count", self->count);
    spot_json_wide(json, "sum", self->sum);
}

static void
end_json(spot_json_t *json, const char *key, int64_t count, int64_t value)
{
    if (count == 0) {
        spot_json_number(json, key, (double) NAN);
    } else {
        spot_json_wide(json, key, value);
    }
}

void
spot_durations_json(spot_json_t *json, const char *key, const spot_durations_t *self)
{
    open_json(json, key, self);
    spot_json_number(json, "mean", spot_durations_mean(self));
    end_json(json, "min", self->count, self->min);
    end_json(json, "max", self->count, self->max);
    spot_json_number(json, "p50", self->p50);
    spot_json_number(json, "p90", self->p90);
    spot_json_number(json, "p99", self->p99);
    spot_json_integer(json, "negative", self->negative);
    spot_json_close(json, '}');
}

void
spot_durations_mean_json(
    spot_json_t *json, const char *key, const spot_durations_t *self)
{
    open_json(json, key, self);
    spot_json_number(json, "mean", spot_durations_mean(self));
    spot_json_close(json, '}');
}

void
spot_durations_max_json(spot_json_t *json, const char *key, const spot_durations_t *self)
{
    open_json(json, key, self);
    end_json(json, "max", self->count, self->max);
    spot_json_close(json, '}');
}
