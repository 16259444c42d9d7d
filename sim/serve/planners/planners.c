/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of planners, how they are called, and the options that they search. */
#include <stdlib.h>
#include <string.h>

#include "base/watch.h"
#include "sim/serve/planning.h"

const spot_planner_t *const spot_serve_planners[] = {
    &spot_planner_exact,
    &spot_planner_greedy,
    &spot_planner_polish,
    NULL,
};

/* Calls a function of a planner. */
static int call(int (*search)(spot_planning_t *planning, spot_planned_t *planned),
    const spot_plan_request_t *request, spot_planned_t *planned)
{
    const double started_s = spot_clock_thread_s();
    spot_planning_t planning;
    int ret = spot_planning_init(&planning, request);

    ret = ret != 0 ? ret : search(&planning, planned);
    if (planned->plan.options != NULL) {
        planned->why_none = NULL;
    }
    planned->num_simulations = planning.num_simulations;
    planned->cpu_s = spot_clock_thread_s() - started_s;
    spot_planning_free(&planning);
    return ret;
}

int spot_serve_plan(
    const spot_planner_t *planner, const spot_plan_request_t *request, spot_planned_t *planned)
{
    return call(planner->plan, request, planned);
}

int spot_serve_rate(
    const spot_planner_t *planner, const spot_plan_request_t *request, spot_planned_t *planned)
{
    return call(planner->rate, request, planned);
}

int spot_serve_highest_rate(
    const spot_plan_request_t *request, const spot_stage_option_t *options, double *rate_qps)
{
    spot_planning_t planning;
    spot_rate_t self = {.planning = &planning};
    int64_t rate = 0;
    int ret = spot_planning_init(&planning, request);

    memcpy(self.options, options, planning.pipeline->num_stages * sizeof(*options));
    ret = ret != 0 ? ret : spot_rate_find(&self, &rate);
    *rate_qps = (double) rate;
    spot_arrivals_free(&self.arrivals);
    spot_planning_free(&planning);
    return ret;
}

void spot_planned_free(spot_planned_t *self)
{
    free(self->moves);
    spot_arena_free(&self->memory);
    *self = (spot_planned_t){0};
}

/* ---- Options ---- */

static int compare_choices(const void *first, const void *second)
{
    const spot_stage_choice_t *a = first, *b = second;

    return a->cost_micro != b->cost_micro ? (a->cost_micro > b->cost_micro ? 1 : -1)
                                          : a->rank - b->rank;
}

int spot_choices_make(spot_choices_t *self, const spot_planning_t *planning, size_t stage_id,
    double need_qps, double gate_qps, int64_t max_micro)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    int ret = 0;

    self->num_choices = 0;
    for (int32_t k = spot_planning_hardware(planning, stage_id, -1, 1); k >= 0;
         k = spot_planning_hardware(planning, stage_id, k, 1)) {
        const spot_serving_profile_t *profile = spot_planning_profile(planning, stage_id, k);

        for (size_t j = 0; j < profile->num_rows; j++) {
            const int64_t batch = profile->rows[j].batch;
            int64_t n = spot_planning_need(planning, stage_id, k, batch, need_qps);

            for (; n <= SPOT_MAX_REPLICAS && ret == 0; n++) {
                const spot_stage_option_t option =
                    spot_planning_option(planning, stage_id, k, batch, n);
                const int64_t micro = spot_serve_scenario_cost(scenario, &option);
                const int32_t order = (int32_t) self->num_choices;

                if (micro > max_micro) {
                    break;
                }
                if (spot_gate_capacity(scenario, stage_id, &option) >= gate_qps) {
                    ret = SPOT_ARRAY_APPEND(
                        self, choices, (spot_stage_choice_t){option, micro, order});
                }
            }
        }
    }
    if (self->num_choices > 0) {
        qsort(self->choices, self->num_choices, sizeof(*self->choices), compare_choices);
    }
    return ret;
}

int spot_choices_make_all(spot_choices_t *stages, const spot_planning_t *planning, double rate_qps,
    int64_t max_micro, bool *has_all)
{
    int64_t spare_micro = max_micro;
    int ret = 0;

    *has_all = true;
    for (size_t j = 0; j < planning->pipeline->num_stages && ret == 0 && *has_all; j++) {
        ret = spot_choices_make(&stages[j], planning, j, rate_qps, rate_qps, max_micro);
        *has_all = ret == 0 && stages[j].num_choices > 0;
        spare_micro -= *has_all ? stages[j].choices[0].cost_micro : 0;
    }
    *has_all = *has_all && spare_micro >= 0;
    for (size_t j = 0; j < planning->pipeline->num_stages && *has_all; j++) {
        const int64_t most_micro = spare_micro + stages[j].choices[0].cost_micro;

        while (stages[j].choices[stages[j].num_choices - 1].cost_micro > most_micro) {
            stages[j].num_choices--;
        }
    }
    return ret;
}
