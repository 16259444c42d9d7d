/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/planning.h"

#include <math.h>
#include <string.h>

typedef spot_planning_t planning_t;

/* ---- Life ---- */

/* Whether a planner may give a stage spot slots: even a hedge that has none in config,
 * where all its replicas are its base. */
static bool
may_choose_spot(const spot_serve_scenario_t *scenario)
{
    bool has_market = false;

    for (size_t j = 0; j < scenario->pipeline.num_stages; j++) {
        has_market |= scenario->options[j].market != SPOT_MARKET_ON_DEMAND;
    }
    return has_market && scenario->outages.kind != SPOT_OUTAGES_NONE;
}

/* What of the key config a planner leaves as it is. Replicas stay as planned. */
static spot_stage_option_t
pattern_of(const planning_t *self, size_t stage_id)
{
    spot_stage_option_t pattern = self->scenario->options[stage_id];

    pattern.scale = (spot_scale_setting_t){0};
    if (!self->has_outages) {
        pattern.market = SPOT_MARKET_ON_DEMAND;
    }
    return pattern;
}

/* A trace gives its instances to the first slots of all stages. A query that is lost is
 * dropped at all joins, so that stages behind them have less to do. */
static bool
needs_runs(const planning_t *self)
{
    const spot_outage_setting_t *outages = &self->scenario->outages;
    bool has_stage_behind = false;

    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        has_stage_behind =
            has_stage_behind || (self->pipeline->nodes[j].stage_id < 0 &&
                                    self->pipeline->nodes[j].num_children > 0);
    }
    return self->has_outages &&
           (outages->kind == SPOT_OUTAGES_TRACE ||
               (has_stage_behind && outages->rent.in_flight == SPOT_IN_FLIGHT_LOSE));
}

static int
make_room(planning_t *self)
{
    const size_t num_nodes = self->pipeline->num_nodes;
    const size_t num_stages = self->pipeline->num_stages;
    spot_arena_t *memory = &self->memory;

    SPOT_ARENA_ARRAY(memory, self->limit.deadline_ns, self->num_queries);
    SPOT_ARENA_ARRAY(memory, self->times_ns, self->num_queries);
    SPOT_ARENA_ARRAY(memory, self->free_ns, self->num_queries);
    SPOT_ARENA_ARRAY(memory, self->counts, self->num_queries);
    SPOT_ARENA_ARRAY(memory, self->order, 2 * self->num_queries);
    SPOT_ARENA_ARRAY(memory, self->flows, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->is_fresh, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->is_in, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->part.nodes, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->part.first, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->options, num_stages);
    SPOT_ARENA_ARRAY(memory, self->based, num_stages);
    SPOT_ARENA_ARRAY(memory, self->pattern, num_stages);
    SPOT_ARENA_ARRAY(memory, self->plans, num_stages);
    spot_flow_init(&self->source, memory, self->num_queries);
    for (size_t j = 0; j < num_nodes && memory->error == 0; j++) {
        spot_flow_init(&self->flows[j], memory, self->num_queries);
        SPOT_ARENA_ARRAY(
            memory, self->part.nodes[j].children, self->pipeline->nodes[j].num_children);
    }
    return memory->error;
}

/* Plans for as many queries at other times. */
static void
set_arrivals(planning_t *self, const spot_arrivals_t *arrivals)
{
    self->source_ns = arrivals->source_ns;
    self->rate_qps = arrivals->rate_qps;
    self->limit.num_queries = self->num_queries;
    self->limit.max_late =
        self->num_queries - 1 -
        spot_percentile_index(self->scenario->slo.percentile_milli, self->num_queries);
    spot_flow_clear(&self->source);
    self->source.is_sorted = true;
    for (size_t j = 0; j < self->num_queries; j++) {
        self->limit.deadline_ns[j] = self->source_ns[j] + self->request->slo_ns;
        spot_flow_add(&self->source, (int32_t) j, self->source_ns[j]);
    }
    memset(self->is_fresh, false, self->pipeline->num_nodes * sizeof(*self->is_fresh));
    spot_outages_delete(self->outages);
    self->outages = NULL;
}

int
spot_planning_init(planning_t *self, const spot_plan_request_t *request)
{
    const spot_serve_scenario_t *scenario = request->scenario;
    int ret;

    *self = (planning_t){.request = request,
        .scenario = scenario,
        .pipeline = &scenario->pipeline,
        .has_outages = scenario->plan.with_preemptions && may_choose_spot(scenario),
        .num_queries = request->arrivals->num_queries};
    if (!isfinite(request->arrivals->rate_qps)) {
        return SPOT_ERR_BAD_PARAM;
    }
    ret = make_room(self);
    if (ret != 0) {
        return ret;
    }
    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        self->sink =
            self->pipeline->nodes[j].num_children == 0 ? (int32_t) j : self->sink;
    }
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        self->pattern[j] = pattern_of(self, j);
    }
    self->needs_runs = needs_runs(self);
    set_arrivals(self, request->arrivals);
    return 0;
}

void
spot_planning_free(planning_t *self)
{
    spot_serve_free(&self->engine);
    spot_outages_delete(self->outages);
    spot_latencies_free(&self->latencies);
    spot_arrivals_free(&self->arrivals);
    spot_arena_free(&self->memory);
}

void
spot_planning_set_rate(planning_t *self, double rate_qps)
{
    self->error =
        spot_arrivals_rescale(&self->arrivals, self->request->arrivals, rate_qps);
    if (self->error == 0) {
        set_arrivals(self, &self->arrivals);
    }
}

/* ---- Options ---- */

spot_stage_option_t
spot_planning_option(const planning_t *self, size_t stage_id, int32_t hardware_id,
    int64_t batch, int64_t replicas)
{
    spot_stage_option_t option = self->pattern[stage_id];

    option.hardware_id = hardware_id;
    option.batch = batch;
    option.replicas = replicas;
    option.base = option.base < replicas ? option.base : replicas;
    return option;
}

const spot_serving_profile_t *
spot_planning_profile(const planning_t *self, size_t stage_id, int32_t hardware_id)
{
    const spot_serving_price_t *price = &self->scenario->prices.prices[hardware_id];

    return self->pattern[stage_id].market != SPOT_MARKET_ON_DEMAND &&
                   isnan(price->spot_per_h)
               ? NULL
               : spot_serve_scenario_profile(self->scenario, stage_id, hardware_id);
}

int32_t
spot_planning_hardware(
    const planning_t *self, size_t stage_id, int32_t hardware_id, int32_t step)
{
    do {
        hardware_id += step;
        if (hardware_id < 0 ||
            hardware_id == (int32_t) self->scenario->prices.num_prices) {
            return -1;
        }
    } while (spot_planning_profile(self, stage_id, hardware_id) == NULL);
    return hardware_id;
}

bool
spot_planning_larger(
    const planning_t *self, size_t stage_id, spot_stage_option_t *option)
{
    const spot_serving_profile_t *profile =
        spot_planning_profile(self, stage_id, self->options[stage_id].hardware_id);
    size_t row = 0;

    *option = self->options[stage_id];
    while (row < profile->num_rows && profile->rows[row].batch <= option->batch) {
        row++;
    }
    if (row == profile->num_rows) {
        return false;
    }
    option->batch = profile->rows[row].batch;
    return true;
}

int64_t
spot_planning_need(const planning_t *self, size_t stage_id, int32_t hardware_id,
    int64_t batch, double rate_qps)
{
    const spot_service_time_t *time =
        spot_serve_scenario_time(self->scenario, stage_id, hardware_id);
    const double need = ceil(rate_qps / spot_service_time_qps(time, (int32_t) batch));

    return (int64_t) fmin(fmax(need, 1), SPOT_MAX_REPLICAS + 1);
}

int64_t
spot_planning_cost(const planning_t *self)
{
    int64_t cost_micro = 0;

    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        cost_micro += spot_serve_scenario_cost(self->scenario, &self->options[j]);
    }
    return cost_micro;
}

int64_t
spot_planning_micro(double money)
{
    return money < 9e12 ? llround(money * 1e6) : INT64_MAX;
}

/* ---- A configuration ---- */

/* Runs the nodes that would deliver something else than they have. Returns whether all
 * are within the limit. */
static bool
run_stale(planning_t *self, const spot_flow_limit_t *limit)
{
    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        const int32_t node_id = self->pipeline->order[j];
        const spot_serve_pipeline_node_t *node = &self->pipeline->nodes[node_id];
        bool *is_fresh = &self->is_fresh[node_id];

        if (node->stage_id >= 0) {
            const spot_stage_option_t *option = &self->options[node->stage_id];
            spot_stage_option_t *based = &self->based[node->stage_id];

            *is_fresh &= option->hardware_id == based->hardware_id &&
                         option->batch == based->batch &&
                         option->replicas == based->replicas;
            *based = *option;
        }
        if (*is_fresh || (node->stage_id < 0 && node_id == self->sink)) {
            continue;
        }
        for (size_t k = 0; k < node->num_children; k++) {
            self->is_fresh[node->children[k].node_id] = false;
        }
        *is_fresh = spot_planning_run_node(self, node_id, limit);
        if (!*is_fresh) {
            return false;
        }
    }
    return true;
}

bool
spot_planning_evaluate(planning_t *self, bool is_full, spot_serving_plan_t *plan)
{
    const int64_t slo_ns = self->request->slo_ns;
    const int64_t *sink_ns = self->times_ns;

    plan->cost_micro = spot_planning_cost(self);
    plan->gate =
        spot_gate_verdict(self->scenario, self->options, self->rate_qps, slo_ns, 0);
    if (!is_full && plan->gate != SPOT_GATE_FEASIBLE) {
        return false;
    }
    plan->gate = SPOT_GATE_SLO;
    if (self->needs_runs) {
        spot_planning_run(self);
        sink_ns = self->engine.sink_ns;
    } else if (run_stale(self, is_full ? NULL : &self->limit)) {
        spot_planning_take_times(self, self->sink);
    } else {
        return false;
    }
    if (self->error == 0) {
        self->error = spot_latencies_take(
            &self->latencies, self->num_queries, self->source_ns, sink_ns);
    }
    if (self->error != 0) {
        return false;
    }
    plan->percentile_ns = spot_latencies_percentile(
        &self->latencies, self->scenario->slo.percentile_milli);
    plan->num_late = spot_latencies_late(&self->latencies, slo_ns);
    plan->gate = spot_gate_verdict(
        self->scenario, self->options, self->rate_qps, slo_ns, plan->percentile_ns);
    return plan->gate == SPOT_GATE_FEASIBLE;
}

void
spot_planning_take(planning_t *self, spot_planned_t *planned, spot_serving_plan_t *plan)
{
    const size_t num_stages = self->pipeline->num_stages;

    SPOT_ARENA_ARRAY(&planned->memory, plan->options, num_stages);
    if (plan->options == NULL) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    memcpy(plan->options, self->options, num_stages * sizeof(*plan->options));
    (void) spot_planning_evaluate(self, true, plan);
}
