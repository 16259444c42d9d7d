/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "sim/serve/planners/rate.h"

int spot_rate_set(spot_rate_t *self, int64_t rate_qps)
{
    const int ret = spot_arrivals_rescale(
        &self->arrivals, self->planning->request->arrivals, (double) rate_qps);

    if (ret == 0) {
        spot_planning_set_arrivals(self->planning, &self->arrivals);
    }
    return ret;
}

int spot_rate_evaluate(spot_rate_t *self, int64_t rate_qps, bool is_full, spot_serving_plan_t *plan)
{
    const int ret = spot_rate_set(self, rate_qps);

    return ret != 0 ? ret : spot_planning_evaluate(self->planning, self->options, is_full, plan);
}

int spot_rate_find(spot_rate_t *self, int64_t *rate_qps)
{
    const spot_serve_scenario_t *scenario = self->planning->scenario;
    const size_t stage_id = spot_gate_bottleneck(scenario, self->options);
    int64_t low = 0, high = 1;
    int ret = 0;

    if (spot_gate_least_latency(scenario, self->options) <= self->planning->request->slo_ns) {
        high += (int64_t) spot_gate_capacity(scenario, stage_id, &self->options[stage_id]);
    }
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        spot_serving_plan_t plan = {0};

        ret = spot_rate_evaluate(self, middle, false, &plan);
        *(plan.gate == SPOT_GATE_FEASIBLE ? &low : &high) = middle;
    }
    *rate_qps = low;
    return ret;
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
