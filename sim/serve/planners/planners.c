/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of planners, and how they are called. */
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
