/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a set of durations is like. Sums are exact. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

/* Statistics of count values, ns; without any, only the sum has a meaning: 0. */
typedef struct {
    int64_t count;
    spot_wide_t sum;
    int64_t min, max;
    double p50, p90, p99; /* linear between the two nearest */
    int64_t negative;     /* values below 0 */
} spot_durations_t;

/* Names with the durations of each: count, sum, min, max and negative alone. */
typedef struct {
    const char *name;
    spot_durations_t durations;
} spot_task_group_t;

/* One more value; quantiles stay as they are. O(1) */
void spot_durations_add(spot_durations_t *self, int64_t value);

/* NAN where the whole is 0. */
double spot_wide_ratio(spot_wide_t part, spot_wide_t whole);

/* Puts groups in order of bytes. */
void spot_task_groups_sort(spot_task_group_t *groups, size_t num);

/* Of values[num], which scratch[num] may be reordered for. O(num) */
void spot_durations_of(
    spot_durations_t *self, const int64_t *values, size_t num, double *scratch);

/* NAN without values. */
double spot_durations_mean(const spot_durations_t *self);

/* {count, sum, mean, min, max, p50, p90, p99, negative}; or count, sum and mean alone;
 * or count, sum and max. */
void spot_durations_json(
    spot_json_t *json, const char *key, const spot_durations_t *self);
void spot_durations_mean_json(
    spot_json_t *json, const char *key, const spot_durations_t *self);
void spot_durations_max_json(
    spot_json_t *json, const char *key, const spot_durations_t *self);
