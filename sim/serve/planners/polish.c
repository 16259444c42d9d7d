/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "sim/serve/planning.h"

static int polish(spot_planning_t *planning, spot_planned_t *planned)
{
    const size_t num_stages = planning->pipeline->num_stages;
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES];
    spot_candidate_t best = {.move.move = ""};
    int ret = spot_plan_greedy(planning, planned);

    planned->num_moves = 0;
    planned->replicas_added = 0;
    planned->initial = best.plan = planned->plan;
    if (ret != 0 || planned->plan.options == NULL) {
        return ret;
    }
    memcpy(options, planned->plan.options, num_stages * sizeof(*options));
    while (ret == 0 && best.move.move != NULL) {
        const int64_t bound_micro = best.plan.cost_micro;

        best.move.move = NULL; /* none is better yet */
        for (size_t j = 0; j < num_stages; j++) {
            for (int32_t k = spot_planning_hardware(planning, j, -1, 1); k >= 0 && ret == 0;
                 k = spot_planning_hardware(planning, j, k, 1)) {
                ret = spot_plan_refit(planning, options, "refit", j, k, bound_micro, &best);
            }
        }
        if (ret == 0 && best.move.move != NULL) {
            options[best.move.stage_id] = best.move.to;
            ret = SPOT_ARRAY_APPEND(planned, moves, best.move);
        }
    }
    return ret != 0 ? ret : spot_planning_take(planning, planned, options, &planned->plan);
}

const spot_planner_t spot_planner_polish = {
    .name = "polish",
    .doc = "what greedy finds, then one stage at a time fitted anew while that makes "
           "(cost, percentile) less",
    .plan = polish,
};
