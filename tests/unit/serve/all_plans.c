/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "all_plans.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

typedef struct {
    spot_planning_t *planning;
    spot_choices_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] */
    const spot_stage_choice_t *chosen[SPOT_SERVE_MAX_NODES], *best[SPOT_SERVE_MAX_NODES];
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES]; /* those of chosen */
    int64_t rest_micro[SPOT_SERVE_MAX_NODES + 1];      /* least cost from a stage on */
    spot_serving_plan_t plan; /* of best; as long as there is none, the cap */
} all_t;

/* Runs the configuration that is chosen. */
static int try_chosen(all_t *self)
{
    const size_t num_stages = self->planning->pipeline->num_stages;
    spot_serving_plan_t plan = {0};
    int order = 0;
    int ret = spot_planning_evaluate(self->planning, self->options, false, &plan);

    if (ret != 0 || plan.gate != SPOT_GATE_FEASIBLE) {
        return ret;
    }
    if (self->best[0] != NULL && plan.cost_micro == self->plan.cost_micro) {
        order = (plan.num_late > self->plan.num_late) - (plan.num_late < self->plan.num_late);
        for (size_t j = 0; j < num_stages && order == 0; j++) {
            order = self->chosen[j]->rank - self->best[j]->rank;
        }
    }
    if (order <= 0) {
        self->plan = plan;
        memcpy(self->best, self->chosen, sizeof(self->best));
    }
    return 0;
}

/* Tries all options of the stages from stage_id on. */
static int try_from(all_t *self, size_t stage_id, int64_t cost_micro)
{
    int ret = 0;

    if (stage_id == self->planning->pipeline->num_stages) {
        return try_chosen(self);
    }
    for (size_t j = 0; j < self->stages[stage_id].num_choices && ret == 0; j++) {
        const spot_stage_choice_t *choice = &self->stages[stage_id].choices[j];
        const int64_t with_micro = cost_micro + choice->cost_micro;

        if (with_micro + self->rest_micro[stage_id + 1] > self->plan.cost_micro) {
            break;
        }
        self->chosen[stage_id] = choice;
        self->options[stage_id] = choice->option;
        ret = try_from(self, stage_id + 1, with_micro);
    }
    return ret;
}

/* Refuses spaces that are too large. */
static int check_count(const all_t *self, int64_t max_configurations)
{
    double count = 1;

    for (size_t j = 0; j < self->planning->pipeline->num_stages && count < 1e15; j++) {
        count *= (double) self->stages[j].num_choices;
    }
    if (count <= (double) max_configurations) {
        return 0;
    }
    return SPOT_ERR_BAD_PARAM;
}

int all_plans(spot_planning_t *planning, int64_t cap_micro, double rate_qps,
    int64_t max_configurations, spot_planned_t *planned)
{
    const size_t num_stages = planning->pipeline->num_stages;
    all_t *self = spot_calloc(1, sizeof(*self));
    bool has_all = true;
    int ret;

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->planning = planning;
    self->plan.cost_micro = cap_micro;
    planning->needs_runs = true;
    ret = spot_choices_make_all(self->stages, planning, rate_qps, cap_micro, &has_all);
    if (ret == 0 && has_all) {
        ret = check_count(self, max_configurations);
    }
    for (size_t j = num_stages; j-- > 0 && has_all;) {
        self->rest_micro[j] = self->rest_micro[j + 1] + self->stages[j].choices[0].cost_micro;
    }
    if (ret == 0 && has_all) {
        ret = try_from(self, 0, 0);
    }
    for (size_t j = 0; j < num_stages && self->best[0] != NULL; j++) {
        self->options[j] = self->best[j]->option;
    }
    if (ret == 0 && self->best[0] != NULL) {
        ret = spot_planning_take(planning, planned, self->options, &planned->plan);
    }
    for (size_t j = 0; j < num_stages; j++) {
        free(self->stages[j].choices);
    }
    free(self);
    return ret;
}
