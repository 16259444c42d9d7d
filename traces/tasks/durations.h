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

/* Names with the durations of each, without quantiles. */
typedef struct {
    const char *name;
    spot_durations_t durations;
} spot_task_group_t;

/* One more value, which is also put behind those that values holds, unless that is NULL.
 * Zeroed to start. O(1) */
void spot_durations_add(spot_durations_t *self, double *values, int64_t value);

/* Sets the quantiles by values[count], which are reordered. O(count) */
void spot_durations_end(spot_durations_t *self, double *values);

/* NAN where the whole is 0. */
double spot_wide_ratio(spot_wide_t part, spot_wide_t whole);

/* Puts groups in order of bytes. */
void spot_task_groups_sort(spot_task_group_t *groups, size_t num);

/* What JSON has beside count and sum. */
typedef enum {
    SPOT_DURATIONS_SUM, /* nothing */
    SPOT_DURATIONS_MEAN,
    SPOT_DURATIONS_MAX,
    SPOT_DURATIONS_ALL /* mean, min, max, p50, p90, p99, negative */
} spot_durations_parts_t;
void spot_durations_json(
    spot_json_t *json, const char *key, const spot_durations_t *self, spot_durations_parts_t parts);

/* An object with a member for each group. */
void spot_task_groups_json(spot_json_t *json, const char *key, size_t num,
    const spot_task_group_t *groups, spot_durations_parts_t parts);

/* null, if the value is not there. */
void spot_json_optional(spot_json_t *json, const char *key, bool is_there, int64_t value);
