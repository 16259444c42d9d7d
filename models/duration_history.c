/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/duration_history.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Which parts of a key must be equal, the closest first. */
static const struct {
    bool has_user, has_gpus, has_model;
} levels[] = {
    {true, true, true},
    {true, false, true},
    {true, true, false},
    {true, false, false},
    {false, false, false},
};
enum { NUM_LEVELS = sizeof(levels) / sizeof(levels[0]) };

/* Which jobs a mean is of; parts that the level leaves out are 0. */
struct spot_similar_jobs {
    spot_duration_key_t key;
    int32_t level;
};

struct spot_duration_mean {
    int64_t num_jobs;
    int64_t sum_s;
};

static struct spot_similar_jobs similar_jobs(spot_duration_key_t key, int32_t level)
{
    const struct spot_similar_jobs group = {
        .key = {levels[level].has_user ? key.user_id : 0, levels[level].has_gpus ? key.gpu_num : 0,
            levels[level].has_model ? key.model_id : 0},
        .level = level};

    return group;
}

static spot_key_view_t view_of(const spot_duration_history_t *self)
{
    return (spot_key_view_t){
        .items = self->groups, .item_bytes = sizeof(*self->groups), .is_bytes = true};
}

/* The id of a group of jobs and of its mean, or -1. */
static int32_t find_group(
    const spot_duration_history_t *self, const struct spot_similar_jobs *group)
{
    const spot_key_view_t view = view_of(self);

    return spot_key_table_find(&self->table, &view, group);
}

static int add_group(spot_duration_history_t *self, const struct spot_similar_jobs *group)
{
    const struct spot_duration_mean none = {0, 0};
    spot_key_view_t view;
    int ret = SPOT_ARRAY_APPEND(self, groups, *group);

    view = view_of(self);
    ret = ret == 0 ? SPOT_ARRAY_APPEND(self, means, none) : ret;
    return ret == 0 ? spot_key_table_enter(&self->table, &view, self->num_groups - 1) : ret;
}

int spot_duration_history_add(
    spot_duration_history_t *self, spot_duration_key_t key, int64_t duration_s)
{
    for (int32_t level = 0; level < NUM_LEVELS; level++) {
        const struct spot_similar_jobs group = similar_jobs(key, level);
        int32_t group_id = find_group(self, &group);

        if (group_id < 0) {
            if (add_group(self, &group) != 0) {
                return SPOT_ERR_NO_MEMORY;
            }
            group_id = (int32_t) self->num_groups - 1;
        }
        self->means[group_id].num_jobs++;
        self->means[group_id].sum_s += duration_s;
    }
    return 0;
}

int64_t spot_duration_history_estimate(const spot_duration_history_t *self, spot_duration_key_t key)
{
    for (int32_t level = 0; level < NUM_LEVELS; level++) {
        const struct spot_similar_jobs group = similar_jobs(key, level);
        const int32_t group_id = find_group(self, &group);

        if (group_id >= 0) {
            return self->means[group_id].sum_s / self->means[group_id].num_jobs;
        }
    }
    return SPOT_DURATION_UNKNOWN_S;
}

void spot_duration_history_free(spot_duration_history_t *self)
{
    spot_key_table_free(&self->table);
    free(self->groups);
    free(self->means);
    memset(self, 0, sizeof(*self));
}

void spot_duration_history_verify(const spot_duration_history_t *self)
{
    int64_t num_jobs[NUM_LEVELS] = {0};

    spot_bug_assert(self->num_groups == self->num_means);
    for (size_t j = 0; j < self->num_groups; j++) {
        spot_bug_assert(find_group(self, &self->groups[j]) == (int32_t) j);
        spot_bug_assert(self->means[j].num_jobs > 0);
        num_jobs[self->groups[j].level] += self->means[j].num_jobs;
    }
    for (size_t level = 1; level < NUM_LEVELS; level++) {
        spot_bug_assert(num_jobs[level] == num_jobs[0]);
    }
}
