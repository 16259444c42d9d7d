/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The definition of the exact planner by plain enumeration: every configuration up to a
 * cost is run event by event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "sim/serve/planners/choices.h"

#define CONFIGURATIONS_MOST (INT64_MAX / 4)

typedef struct {
    spot_planning_t *planning;
    size_t num_stages;
    spot_choices_t stages[SPOT_PIPELINE_MAX_NODES];  /* [num_stages] */
    int64_t rest_micro[SPOT_PIPELINE_MAX_NODES + 1]; /* least cost from a stage on */
    spot_stage_option_t options[SPOT_PIPELINE_MAX_NODES];
    spot_stage_option_t best[SPOT_PIPELINE_MAX_NODES];
    spot_serving_plan_t plan; /* of best; cost_micro: the cap as long as there is none */
    bool is_found;
} all_t;

/* ---- How many there are ---- */

/* Configurations of some stages that cost the same. */
typedef struct {
    int64_t cost_micro, count;
} sum_t;

typedef struct {
    size_t num_sums, max_sums;
    sum_t *sums;
} sums_t;

static int
compare_sums(const void *first, const void *second)
{
    const sum_t *a = first, *b = second;

    return (a->cost_micro > b->cost_micro) - (a->cost_micro < b->cost_micro);
}

/* One entry for each cost. */
static void
merge_sums(sums_t *self)
{
    size_t num_sums = 0;

    qsort(self->sums, self->num_sums, sizeof(*self->sums), compare_sums);
    for (size_t j = 0; j < self->num_sums; j++) {
        sum_t *last = &self->sums[num_sums == 0 ? 0 : num_sums - 1];

        if (num_sums > 0 && last->cost_micro == self->sums[j].cost_micro) {
            last->count += self->sums[j].count;
            last->count =
                last->count < CONFIGURATIONS_MOST ? last->count : CONFIGURATIONS_MOST;
        } else {
            self->sums[num_sums++] = self->sums[j];
        }
    }
    self->num_sums = num_sums;
}

/* Configurations up to the cap, stage by stage, by their cost. */
static int
count_all(const all_t *self, int64_t *count)
{
    sums_t done = {0}, next = {0};
    int ret = SPOT_ARRAY_APPEND(&done, sums, (sum_t){0, 1});

    for (size_t j = 0; j < self->num_stages && ret == 0; j++) {
        const spot_choices_t *stage = &self->stages[j];

        next.num_sums = 0;
        for (size_t k = 0; k < done.num_sums * stage->num_choices && ret == 0; k++) {
            const sum_t *sum = &done.sums[k / stage->num_choices];
            const int64_t cost_micro =
                sum->cost_micro + stage->choices[k % stage->num_choices].cost_micro;

            if (cost_micro + self->rest_micro[j + 1] <= self->plan.cost_micro) {
                ret = SPOT_ARRAY_APPEND(&next, sums, (sum_t){cost_micro, sum->count});
            }
        }
        if (ret == 0) {
            const sums_t sums = done;

            merge_sums(&next);
            done = next;
            next = sums;
        }
    }
    *count = 0;
    for (size_t k = 0; k < done.num_sums && ret == 0; k++) {
        *count += *count < CONFIGURATIONS_MOST ? done.sums[k].count : 0;
    }
    free(done.sums);
    free(next.sums);
    return ret;
}

/* ---- Trying them ---- */

/* Runs the configuration, unless a gate before the run fails. In order of the keys, so
 * that the first of equals stays. */
static int
try_one(all_t *self)
{
    const spot_plan_request_t *request = self->planning->request;
    spot_serving_plan_t plan = {0};
    int ret = 0;

    if (spot_planning_is_stopped(self->planning)) {
        return SPOT_ERR_INTERRUPTED;
    }
    if (spot_gate_verdict(self->planning->scenario, self->options,
            self->planning->rate_qps, request->slo_ns, 0) == SPOT_GATE_FEASIBLE) {
        ret = spot_planning_evaluate_run(self->planning, self->options, &plan);
        if (ret == 0 && plan.gate == SPOT_GATE_FEASIBLE &&
            (!self->is_found || plan.cost_micro < self->plan.cost_micro ||
                plan.num_late < self->plan.num_late)) {
            self->plan = plan;
            self->is_found = true;
            memcpy(self->best, self->options, sizeof(self->best));
        }
    }
    return ret;
}

static int
try_from(all_t *self, size_t stage_id, int64_t cost_micro)
{
    int ret = 0;

    if (stage_id == self->num_stages) {
        return try_one(self);
    }
    for (size_t j = 0; j < self->stages[stage_id].num_choices && ret == 0; j++) {
        const spot_choice_t *choice = &self->stages[stage_id].choices[j];

        if (cost_micro + choice->cost_micro + self->rest_micro[stage_id + 1] <=
            self->plan.cost_micro) {
            self->options[stage_id] = choice->option;
            ret = try_from(self, stage_id + 1, cost_micro + choice->cost_micro);
        }
    }
    return ret;
}

/* The options of all stages within the cap. */
static int
make_choices(all_t *self, bool is_needed)
{
    int64_t least_micro[SPOT_PIPELINE_MAX_NODES];
    int ret = 0;

    for (size_t j = self->num_stages; j-- > 0;) {
        least_micro[j] = spot_choices_least(
            self->planning, j, is_needed ? self->planning->rate_qps : 0);
        if (least_micro[j] > self->plan.cost_micro) {
            return 0; /* no choices: nothing to try */
        }
        self->rest_micro[j] = self->rest_micro[j + 1] + least_micro[j];
    }
    for (size_t j = 0; j < self->num_stages && ret == 0; j++) {
        ret = spot_choices_make(&self->stages[j], self->planning, j, is_needed,
            self->plan.cost_micro - (self->rest_micro[0] - least_micro[j]));
    }
    return ret;
}

/* "1,234,567" */
static void
write_count(int64_t count, char *text, size_t num_bytes)
{
    char digits[32];
    const size_t num_digits =
        (size_t) snprintf(digits, sizeof(digits), "%lld", (long long) count);
    size_t length = 0;

    for (size_t j = 0; j < num_digits && length + 2 < num_bytes; j++) {
        if (j > 0 && (num_digits - j) % 3 == 0) {
            text[length++] = ',';
        }
        text[length++] = digits[j];
    }
    text[length] = '\0';
}

static int
refuse(spot_planned_t *planned, int64_t count, int64_t limit)
{
    char counts[2][48], text[200];

    write_count(count, counts[0], sizeof(counts[0]));
    write_count(limit, counts[1], sizeof(counts[1]));
    (void) snprintf(text, sizeof(text),
        "%s configurations, limit %s (plan.max_configurations)", counts[0], counts[1]);
    planned->why_none = spot_arena_text(&planned->memory, text);
    return planned->why_none == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ERR_BAD_PARAM;
}

int
spot_plan_all(spot_planning_t *planning, int64_t cap_micro, bool is_needed,
    int64_t max_configurations, spot_planned_t *planned)
{
    all_t *self = spot_calloc(1, sizeof(*self));
    int64_t count = 0;
    int ret;

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->planning = planning;
    self->num_stages = planning->pipeline->num_stages;
    self->plan.cost_micro = cap_micro;
    ret = make_choices(self, is_needed);
    if (ret == 0) {
        ret = count_all(self, &count);
    }
    if (ret == 0 && count > max_configurations) {
        ret = refuse(planned, count, max_configurations);
    }
    if (ret == 0) {
        ret = try_from(self, 0, 0);
    }
    if (ret == 0 && self->is_found) {
        ret = spot_planning_take(planning, planned, self->best, &planned->plan);
    }
    for (size_t j = 0; j < self->num_stages; j++) {
        spot_choices_free(&self->stages[j]);
    }
    free(self);
    return ret;
}

static int
brute(spot_planning_t *planning, spot_planned_t *planned)
{
    int64_t cap_micro;
    int ret = spot_plan_cap(planning, planned, &cap_micro);

    if (ret == 0 && cap_micro < INT64_MAX) {
        ret = spot_plan_all(planning, cap_micro, false,
            planning->scenario->plan.max_configurations, planned);
        planned->is_proven = ret == 0;
    }
    return ret;
}

const spot_planner_t spot_planner_brute = {
    .name = "brute",
    .doc = "every configuration up to the cost of greedy or plan.max_cost, event by "
           "event; for small spaces",
    .plan = brute,
};
