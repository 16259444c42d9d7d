/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "all_plans.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    spot_choices_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] */
    size_t chosen[SPOT_SERVE_MAX_NODES], best[SPOT_SERVE_MAX_NODES];
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES]; /* those of chosen */
} all_t;

/* Goes to the next configuration, that of the last stage first. */
static bool advance(all_t *self, size_t num_stages)
{
    for (size_t j = num_stages; j-- > 0;) {
        if (++self->chosen[j] < self->stages[j].num_choices) {
            return true;
        }
        self->chosen[j] = 0;
    }
    return false;
}

/* Sets the options that are chosen; returns their cost. */
static int64_t set_options(all_t *self, size_t num_stages)
{
    int64_t cost_micro = 0;

    for (size_t j = 0; j < num_stages; j++) {
        const spot_stage_choice_t *choice = &self->stages[j].choices[self->chosen[j]];

        self->options[j] = choice->option;
        cost_micro += choice->cost_micro;
    }
    return cost_micro;
}

/* By cost, then late queries, then the keys of the stages. */
static bool is_less(const all_t *self, size_t num_stages, const spot_serving_plan_t *plan,
    const spot_serving_plan_t *best)
{
    if (plan->cost_micro != best->cost_micro) {
        return plan->cost_micro < best->cost_micro;
    }
    if (plan->num_late != best->num_late) {
        return plan->num_late < best->num_late;
    }
    for (size_t j = 0; j < num_stages; j++) {
        const spot_stage_choice_t *choices = self->stages[j].choices;

        if (self->chosen[j] != self->best[j]) {
            return choices[self->chosen[j]].rank < choices[self->best[j]].rank;
        }
    }
    return false;
}

/* The least one of all, of those that are feasible. */
static int try_all(all_t *self, spot_planning_t *planning, int64_t cap_micro, bool *has_plan)
{
    const size_t num_stages = planning->pipeline->num_stages;
    spot_serving_plan_t best = {0};
    int ret = 0;

    *has_plan = false;
    do {
        spot_serving_plan_t plan = {0};

        if (set_options(self, num_stages) > cap_micro) {
            continue;
        }
        ret = spot_planning_evaluate(planning, self->options, false, &plan);
        if (ret == 0 && plan.gate == SPOT_GATE_FEASIBLE &&
            (!*has_plan || is_less(self, num_stages, &plan, &best))) {
            best = plan;
            *has_plan = true;
            memcpy(self->best, self->chosen, sizeof(self->best));
        }
    } while (ret == 0 && advance(self, num_stages));
    return ret;
}

int all_plans(spot_planning_t *planning, int64_t cap_micro, double rate_qps,
    int64_t max_configurations, spot_planned_t *planned)
{
    const size_t num_stages = planning->pipeline->num_stages;
    all_t *self = spot_calloc(1, sizeof(*self));
    bool has_all = true, has_plan = false;
    double count = 1;
    int ret;

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    planning->needs_runs = true;
    ret = spot_choices_make_all(self->stages, planning, rate_qps, cap_micro, &has_all);
    for (size_t j = 0; j < num_stages; j++) {
        count *= (double) self->stages[j].num_choices;
    }
    if (ret == 0 && has_all) {
        ret = count > (double) max_configurations ? SPOT_ERR_BAD_PARAM
                                                  : try_all(self, planning, cap_micro, &has_plan);
    }
    if (ret == 0 && has_plan) {
        memcpy(self->chosen, self->best, sizeof(self->chosen));
        (void) set_options(self, num_stages);
        ret = spot_planning_take(planning, planned, self->options, &planned->plan);
    }
    for (size_t j = 0; j < num_stages; j++) {
        free(self->stages[j].choices);
    }
    free(self);
    return ret;
}
