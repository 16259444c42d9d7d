/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole options of one stage at a time, from what greedy found. */
#include <string.h>

#include "sim/serve/planning.h"

/* The best refit of a stage that makes (cost, percentile) smaller than so far.
 * *is_found: it is in move and so_far. */
static int
refit_all(spot_planning_t *planning, spot_stage_option_t *options, int64_t bound_micro,
    spot_serving_plan_t *so_far, spot_plan_move_t *move, bool *is_found)
{
    const int32_t num_hardware = (int32_t) planning->scenario->prices.num_prices;
    int ret = 0;

    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        for (int32_t k = 0; k < num_hardware && ret == 0; k++) {
            spot_plan_move_t found;
            spot_serving_plan_t plan;

            if (spot_planning_profile(planning, j, k) == NULL) {
                continue;
            }
            ret = spot_plan_refit(
                planning, options, "refit", j, k, bound_micro, &found, &plan);
            if (ret == 0 && plan.gate == SPOT_GATE_FEASIBLE &&
                (plan.cost_micro < so_far->cost_micro ||
                    (plan.cost_micro == so_far->cost_micro &&
                        plan.percentile_ns < so_far->percentile_ns))) {
                *so_far = plan;
                *move = found;
                *is_found = true;
            }
        }
    }
    return ret;
}

static int
polish(spot_planning_t *planning, spot_planned_t *planned)
{
    spot_stage_option_t *options;
    bool is_found = true;
    int ret = spot_plan_greedy(planning, planned);

    planned->num_moves = 0;
    planned->replicas_added = 0;
    planned->initial = planned->plan;
    if (ret != 0 || planned->plan.options == NULL) {
        return ret;
    }
    SPOT_ARENA_ARRAY(&planned->memory, options, planning->pipeline->num_stages);
    if (options == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(options, planned->plan.options,
        planning->pipeline->num_stages * sizeof(*options));
    while (ret == 0 && is_found) {
        spot_plan_move_t move = {0};
        spot_serving_plan_t so_far = {0};

        is_found = false;
        ret = spot_planning_evaluate(planning, options, SPOT_EVALUATE_KEEP, &so_far);
        if (ret == 0) {
            ret = refit_all(
                planning, options, so_far.cost_micro, &so_far, &move, &is_found);
        }
        if (ret == 0 && is_found) {
            options[move.stage_id] = move.to;
            ret = SPOT_ARRAY_APPEND(planned, moves, move);
        }
    }
    return ret != 0 ? ret
                    : spot_planning_take(planning, planned, options, &planned->plan);
}

const spot_planner_t spot_planner_polish = {
    .name = "polish",
    .doc = "what greedy found, then one stage at a time fitted anew while that makes "
           "cost or percentile smaller",
    .plan = polish,
};
