/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of planners, how they are called, and those that search all configurations.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "sim/serve/planning.h"

const spot_planner_t *const spot_serve_planners[] = {
    &spot_planner_exact,
    &spot_planner_greedy,
    &spot_planner_polish,
    &spot_planner_brute,
    NULL,
};

/* Calls a function of a planner. */
static int
call(void (*search)(spot_planning_t *planning, spot_planned_t *planned),
    const spot_plan_request_t *request, spot_planned_t *planned)
{
    const double started_s = spot_clock_thread_s();
    spot_planning_t planning;
    int ret = spot_planning_init(&planning, request);

    if (ret == 0) {
        search(&planning, planned);
        ret = planning.error;
    }
    if (planned->plan.options != NULL) {
        planned->why_none = NULL;
    }
    planned->num_simulations = planning.num_simulations;
    planned->cpu_s = spot_clock_thread_s() - started_s;
    spot_planning_free(&planning);
    return ret;
}

int
spot_serve_plan(const spot_planner_t *planner, const spot_plan_request_t *request,
    spot_planned_t *planned)
{
    return call(planner->plan, request, planned);
}

int
spot_serve_rate(const spot_planner_t *planner, const spot_plan_request_t *request,
    spot_planned_t *planned)
{
    return call(planner->rate, request, planned);
}

void
spot_planned_free(spot_planned_t *self)
{
    free(self->moves);
    spot_arena_free(&self->memory);
    *self = (spot_planned_t){0};
}

/* ---- Exact and brute ---- */

/* Plans up to the cost of greedy and plan.max_cost, as far as they exist. Without either
 * there is no plan. */
static void
plan_capped(spot_planning_t *planning, spot_planned_t *planned, bool is_brute)
{
    int64_t cap_micro = spot_planning_micro(planning->request->max_cost);
    spot_planned_t greedy = {0};

    spot_plan_greedy(planning, &greedy);
    planned->plan.gate = SPOT_GATE_SLO;
    if (greedy.plan.options != NULL && greedy.plan.cost_micro <= cap_micro) {
        cap_micro = greedy.plan.cost_micro;
    } else if (cap_micro < INT64_MAX) {
        planned->why_none = "no configuration within plan.max_cost";
    } else {
        planned->plan.gate = greedy.plan.gate;
        planned->why_none = "no plan found";
    }
    spot_planned_free(&greedy);
    if (planning->error != 0 || cap_micro == INT64_MAX) {
        return;
    }
    if (is_brute) {
        spot_plan_all(planning, cap_micro, 0,
            planning->scenario->plan.max_configurations, planned);
    } else {
        spot_plan_exact(planning, cap_micro, planned);
    }
    planned->is_proven = planning->error == 0;
}

static void
exact(spot_planning_t *planning, spot_planned_t *planned)
{
    plan_capped(planning, planned, false);
}

static void
brute(spot_planning_t *planning, spot_planned_t *planned)
{
    plan_capped(planning, planned, true);
}

const spot_planner_t spot_planner_exact = {
    .name = "exact",
    .doc =
        "the least configuration up to the cost of greedy and plan.max_cost by (cost, "
        "late queries, keys of the stages)",
    .plan = exact,
    .rate = spot_rate_exact,
};

const spot_planner_t spot_planner_brute = {
    .name = "brute",
    .doc = "every configuration up to the cost of greedy and plan.max_cost, event by "
           "event; for small spaces",
    .plan = brute,
};
