/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/bench/analysis/study_effects.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/analysis/study_sensitivity.h"
#include "sim/bench/analysis/summary.h"

#define MIN_PART_POINTS 8
#define MAX_PARTS 5

/* The points that are used, and their levels. */
typedef struct {
    const spot_study_head_t *head;
    spot_arena_t memory; /* of all below */
    size_t num_points;
    size_t *point_ids;  /* [num_points] */
    size_t *level_ids;  /* [num_points][num_keys] */
    size_t *num_levels; /* [num_keys] */
    double *values;     /* [num_points][num_groups] */
} plan_t;

static size_t count_keys(const spot_study_head_t *head)
{
    size_t num_keys = 0;

    for (size_t j = 0; j < head->num_axes; j++) {
        num_keys += head->axes[j].num_values > 1;
    }
    return num_keys;
}

const char *spot_study_effects_problem(const spot_study_head_t *head)
{
    if (count_keys(head) < 2) {
        return "fewer than two keys have two values";
    }
    return head->plan.kind == SPOT_PLAN_ZIP
               ? "the keys move together, so their effects cannot be separated"
               : NULL;
}

/* All points; for a sensitivity plan the two base designs, as only these are evenly
 * spread. */
static void choose_points(plan_t *self)
{
    const spot_plan_t *plan = &self->head->plan;
    const size_t stride = self->head->num_axes + 2;
    const bool is_base = plan->kind == SPOT_PLAN_SENSITIVITY && plan->sample_points != NULL;

    self->num_points = is_base ? 2 * plan->num_samples : self->head->num_points;
    for (size_t j = 0; j < self->num_points; j++) {
        self->point_ids[j] = is_base ? plan->sample_points[j / 2 * stride + j % 2] : j;
    }
}

typedef struct {
    double number;
    size_t place;
    size_t value_id;
} placed_t;

static int compare_placed(const void *a, const void *b)
{
    const placed_t *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->place > y->place) - (x->place < y->place);
}

/* Parts of the range with about equal numbers of points; equal values stay together. */
static void put_into_parts(plan_t *plan, spot_study_effects_t *self, size_t key_id)
{
    const size_t axis_id = self->axis_ids[key_id], num_points = plan->num_points;
    const size_t most = num_points / MIN_PART_POINTS;
    const size_t num_parts = most > MAX_PARTS ? MAX_PARTS : most < 2 ? 2 : most;
    placed_t *placed = spot_arena_take(&plan->memory, num_points, sizeof(*placed));
    size_t level_id = 0;

    if (placed == NULL) {
        return;
    }
    for (size_t j = 0; j < num_points; j++) {
        const size_t value_id = spot_study_value_id(plan->head, plan->point_ids[j], axis_id);

        placed[j] = (placed_t){plan->head->axes[axis_id].numbers[value_id], j, value_id};
    }
    qsort(placed, num_points, sizeof(*placed), compare_placed);
    for (size_t j = 0; j < num_points; j++) {
        const size_t wanted = j * num_parts / num_points;
        const bool is_new =
            j == 0 || (wanted > level_id && placed[j].number > placed[j - 1].number);

        level_id = is_new ? wanted : level_id;
        if (is_new) {
            self->first_values[key_id * self->max_levels + level_id] = placed[j].value_id;
        }
        self->last_values[key_id * self->max_levels + level_id] = placed[j].value_id;
        plan->level_ids[placed[j].place * self->effects.num_keys + key_id] = level_id;
    }
    plan->num_levels[key_id] = num_parts;
}

/* Each value is a level. */
static void put_into_values(plan_t *plan, spot_study_effects_t *self, size_t key_id)
{
    const size_t axis_id = self->axis_ids[key_id];

    plan->num_levels[key_id] = plan->head->axes[axis_id].num_values;
    for (size_t j = 0; j < plan->num_levels[key_id]; j++) {
        self->first_values[key_id * self->max_levels + j] = j;
        self->last_values[key_id * self->max_levels + j] = j;
    }
    for (size_t j = 0; j < plan->num_points; j++) {
        plan->level_ids[j * self->effects.num_keys + key_id] =
            spot_study_value_id(plan->head, plan->point_ids[j], axis_id);
    }
}

static void choose_levels(plan_t *plan, spot_study_effects_t *self)
{
    for (size_t k = 0; k < self->effects.num_keys; k++) {
        const spot_axis_t *axis = &plan->head->axes[self->axis_ids[k]];

        if (spot_plan_is_design(plan->head->plan.kind) && spot_axis_is_numeric(axis) &&
            axis->num_values > SPOT_EFFECTS_MAX_VALUES) {
            put_into_parts(plan, self, k);
        } else {
            put_into_values(plan, self, k);
        }
    }
}

/* Replaces shares and totals by the Sobol indices of a sensitivity plan, if known. */
static int take_indices(spot_study_effects_t *self, const spot_store_t *store, size_t metric_id)
{
    spot_study_sensitivity_t sensitivity;
    int ret;

    if (store->head->plan.kind != SPOT_PLAN_SENSITIVITY || metric_id >= store->head->num_listed ||
        self->outcome != 0) {
        return 0;
    }
    ret = spot_study_sensitivity_init(&sensitivity, store);
    if (ret == 0 && sensitivity.metrics[metric_id].outcome == 0) {
        const spot_sensitivity_t *indices = &sensitivity.metrics[metric_id].indices;

        self->has_indices = true;
        for (size_t k = 0; k < self->effects.num_keys; k++) {
            self->effects.keys[k].share = indices->first[self->axis_ids[k]];
            self->effects.keys[k].total = indices->total[self->axis_ids[k]];
        }
    }
    spot_study_sensitivity_free(&sensitivity);
    return ret;
}

static int analyse(spot_study_effects_t *self, plan_t *plan, const spot_group_means_t *means)
{
    const size_t num_groups = means->num_groups, num_keys = self->effects.num_keys;
    spot_effects_data_t data = {.num_keys = num_keys,
        .num_points = plan->num_points,
        .num_groups = num_groups,
        .num_levels = plan->num_levels,
        .level_ids = plan->level_ids,
        .is_sampled = spot_plan_is_design(plan->head->plan.kind)};
    int ret;

    SPOT_ARENA_ARRAY(&plan->memory, plan->values, plan->num_points * num_groups);
    if (plan->memory.error != 0) {
        return plan->memory.error;
    }
    for (size_t j = 0; j < plan->num_points; j++) {
        memcpy(&plan->values[j * num_groups], &means->means[plan->point_ids[j] * num_groups],
            num_groups * sizeof(*plan->values));
    }
    data.values = plan->values;
    ret = spot_effects_init(&self->effects, &data, SPOT_CONFIDENCE);
    self->outcome = ret > 0 ? ret : 0;
    return ret < 0 ? ret : 0;
}

static int prepare(spot_study_effects_t *self, plan_t *plan)
{
    const spot_study_head_t *head = plan->head;
    const size_t num_keys = count_keys(head);
    const size_t most = head->num_points > 2 * head->plan.num_samples ? head->num_points
                                                                      : 2 * head->plan.num_samples;
    size_t num_found = 0;

    self->effects.num_keys = num_keys;
    for (size_t j = 0; j < head->num_axes; j++) {
        const size_t num_values = head->axes[j].num_values;

        self->max_levels = num_values > self->max_levels ? num_values : self->max_levels;
    }
    SPOT_ARENA_ARRAY(&self->memory, self->axis_ids, num_keys);
    SPOT_ARENA_ARRAY(&self->memory, self->first_values, num_keys * self->max_levels);
    SPOT_ARENA_ARRAY(&self->memory, self->last_values, num_keys * self->max_levels);
    SPOT_ARENA_ARRAY(&plan->memory, plan->point_ids, most);
    SPOT_ARENA_ARRAY(&plan->memory, plan->level_ids, most * num_keys);
    SPOT_ARENA_ARRAY(&plan->memory, plan->num_levels, num_keys);
    if (self->memory.error != 0 || plan->memory.error != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < head->num_axes; j++) {
        if (head->axes[j].num_values > 1) {
            self->axis_ids[num_found++] = j;
        }
    }
    return 0;
}

int spot_study_effects_init(spot_study_effects_t *self, const spot_store_t *store, size_t metric_id)
{
    plan_t plan = {.head = store->head};
    spot_group_means_t means;
    int ret;

    memset(self, 0, sizeof(*self));
    ret = spot_group_means_init(&means, store, metric_id, 1);
    self->num_replications = means.num_used;
    self->num_groups = means.num_groups;
    ret = ret == 0 ? prepare(self, &plan) : ret;
    if (ret == 0) {
        choose_points(&plan);
        choose_levels(&plan, self);
        ret = analyse(self, &plan, &means);
    }
    ret = ret == 0 ? take_indices(self, store, metric_id) : ret;
    spot_arena_free(&plan.memory);
    spot_group_means_free(&means);
    return ret;
}

void spot_study_effects_free(spot_study_effects_t *self)
{
    spot_arena_free(&self->memory);
    spot_effects_free(&self->effects);
    memset(self, 0, sizeof(*self));
}

const char *spot_study_effects_outcome(const spot_study_effects_t *self)
{
    return spot_analysis_problem(self->outcome, "too few points have a value");
}

void spot_study_effects_order(const spot_study_effects_t *self, size_t *order)
{
    for (size_t j = 0; j < self->effects.num_keys; j++) {
        size_t place = j;

        for (; place > 0 &&
               self->effects.keys[order[place - 1]].range.value < self->effects.keys[j].range.value;
             place--) {
            order[place] = order[place - 1];
        }
        order[place] = j;
    }
}
