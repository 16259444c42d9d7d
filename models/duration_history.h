/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates of durations from the mean duration of similar jobs that have ended. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/key_table.h"

/* The estimate without any history. */
#define SPOT_DURATION_UNKNOWN_S 1000

/* Which jobs are similar. Any values; those that are not given should be equal, e.g.
 * -1. */
typedef struct {
    int32_t user_id, gpu_num, model_id;
} spot_duration_key_t;

/* Zero it to start. */
typedef struct {
    size_t num_groups, max_groups;
    struct spot_similar_jobs *groups; /* [num_groups] different ones */
    size_t num_means, max_means;
    struct spot_duration_mean *means; /* [num_groups] */
    spot_key_table_t table;           /* of the groups */
} spot_duration_history_t;

/* Adds a job that has ended. NO_MEMORY. O(1) amortised. */
SPOT_MUST_CHECK int spot_duration_history_add(
    spot_duration_history_t *self, spot_duration_key_t key, int64_t duration_s);

/* The mean duration, in whole seconds rounded down, of the jobs that have ended with
 * equal (user, gpu_num, model), else (user, model), (user, gpu_num), (user), of all
 * jobs, else SPOT_DURATION_UNKNOWN_S. O(1). */
int64_t spot_duration_history_estimate(
    const spot_duration_history_t *self, spot_duration_key_t key);

void spot_duration_history_free(spot_duration_history_t *self);

/* Aborts if an invariant does not hold. O(groups). */
void spot_duration_history_verify(const spot_duration_history_t *self);
