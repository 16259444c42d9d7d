/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/planning.h"

#include <math.h>
#include <string.h>

typedef spot_planning_t planning_t;

/* ---- Life ---- */

/* Whether a planner may give a stage spot slots: even a hedge that has none in config,
 * where all its replicas are its base. */
static bool may_choose_spot(const spot_serve_scenario_t *scenario)
{
    bool has_market = false;

    for (size_t j = 0; j < scenario->pipeline.num_stages; j++) {
        has_market |= scenario->options[j].market != SPOT_MARKET_ON_DEMAND;
    }
    return has_market && scenario->outages.kind != SPOT_OUTAGES_NONE;
}

/* What of the key config a planner leaves as it is. Replicas stay as planned. */
static spot_stage_option_t pattern_of(const planning_t *self, size_t stage_id)
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
static bool needs_runs(const planning_t *self)
{
    const spot_outage_setting_t *outages = &self->scenario->outages;
    bool has_stage_behind = false;

    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        has_stage_behind = has_stage_behind || (self->pipeline->nodes[j].stage_id < 0 &&
                                                   self->pipeline->nodes[j].num_children > 0);
    }
    return self->has_outages &&
           (outages->kind == SPOT_OUTAGES_TRACE ||
               (has_stage_behind && outages->rent.in_flight == SPOT_IN_FLIGHT_LOSE));
}

static int make_room(planning_t *self)
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
    SPOT_ARENA_ARRAY(memory, self->versions, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->is_in, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->part.nodes, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->part.first, num_nodes);
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

double spot_planning_bytes(const spot_serve_scenario_t *scenario, double num_queries)
{
    const planning_t *self = NULL;
    const size_t num_flows = scenario->pipeline.num_nodes + 1;
    const size_t query_bytes = sizeof(*self->limit.deadline_ns) + sizeof(*self->times_ns) +
                               sizeof(*self->free_ns) + sizeof(*self->counts) +
                               2 * sizeof(*self->order) + num_flows * SPOT_FLOW_QUERY_BYTES;

    return num_queries * (double) query_bytes;
}

int spot_planning_init(planning_t *self, const spot_plan_request_t *request)
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
        self->sink = self->pipeline->nodes[j].num_children == 0 ? (int32_t) j : self->sink;
    }
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        self->pattern[j] = pattern_of(self, j);
    }
    self->needs_runs = needs_runs(self);
    spot_planning_set_arrivals(self, request->arrivals);
    return 0;
}

void spot_planning_free(planning_t *self)
{
    spot_serve_free(&self->engine);
    spot_outages_delete(self->outages);
    spot_latencies_free(&self->latencies);
    spot_arena_free(&self->memory);
}

void spot_planning_set_arrivals(planning_t *self, const spot_arrivals_t *arrivals)
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
    memset(self->versions, 0, self->pipeline->num_nodes * sizeof(*self->versions));
    spot_outages_delete(self->outages);
    self->outages = NULL;
}

/* ---- Options ---- */

spot_stage_option_t spot_planning_option(
    const planning_t *self, size_t stage_id, int32_t hardware_id, int64_t batch, int64_t replicas)
{
    spot_stage_option_t option = self->pattern[stage_id];

    option.hardware_id = hardware_id;
    option.batch = batch;
    option.replicas = replicas;
    option.base = option.base < replicas ? option.base : replicas;
    return option;
}

const spot_serving_profile_t *spot_planning_profile(
    const planning_t *self, size_t stage_id, int32_t hardware_id)
{
    const spot_serving_price_t *price = &self->scenario->prices.prices[hardware_id];

    return self->pattern[stage_id].market != SPOT_MARKET_ON_DEMAND && isnan(price->spot_per_h)
               ? NULL
               : spot_serve_scenario_profile(self->scenario, stage_id, hardware_id);
}

int32_t spot_planning_hardware(
    const planning_t *self, size_t stage_id, int32_t hardware_id, int32_t step)
{
    do {
        hardware_id += step;
        if (hardware_id < 0 || hardware_id == (int32_t) self->scenario->prices.num_prices) {
            return -1;
        }
    } while (spot_planning_profile(self, stage_id, hardware_id) == NULL);
    return hardware_id;
}

int64_t spot_planning_need(
    const planning_t *self, size_t stage_id, int32_t hardware_id, int64_t batch, double rate_qps)
{
    const spot_service_time_t *time =
        spot_serve_scenario_time(self->scenario, stage_id, hardware_id);
    const double need = ceil(rate_qps / spot_service_time_qps(time, (int32_t) batch));

    return (int64_t) fmin(fmax(need, 1), SPOT_MAX_REPLICAS + 1);
}

int64_t spot_planning_micro(double money)
{
    return money < 9e12 ? llround(money * 1e6) : INT64_MAX;
}

/* ---- A configuration ---- */

/* Whether a node delivers something else than it has. */
static bool is_stale(const planning_t *self, int32_t node_id, const spot_stage_option_t *options)
{
    const spot_serve_pipeline_node_t *node = &self->pipeline->nodes[node_id];
    bool is_stale = self->versions[node_id] == 0;

    if (node->stage_id >= 0) {
        const spot_stage_option_t *option = &options[node->stage_id];
        const spot_stage_option_t *based = &self->based[node->stage_id];

        is_stale = is_stale || option->hardware_id != based->hardware_id ||
                   option->batch != based->batch || option->replicas != based->replicas;
    }
    for (size_t k = 0; k < node->num_parents; k++) {
        is_stale = is_stale || (node->parents[k] >= 0 &&
                                   self->versions[node->parents[k]] > self->versions[node_id]);
    }
    return is_stale;
}

static int run_stale(planning_t *self, const spot_stage_option_t *options,
    const spot_flow_limit_t *limit, bool *is_good)
{
    int ret = 0;

    for (size_t j = 0; j < self->pipeline->num_nodes && ret == 0 && *is_good; j++) {
        const int32_t node_id = self->pipeline->order[j];
        const int32_t stage_id = self->pipeline->nodes[node_id].stage_id;

        if ((stage_id >= 0 || node_id != self->sink) && is_stale(self, node_id, options)) {
            ret = spot_planning_run_node(self, node_id, options, limit, is_good);
            self->versions[node_id] = ret == 0 && *is_good ? ++self->latest : 0;
            if (stage_id >= 0) {
                self->based[stage_id] = options[stage_id];
            }
        }
    }
    return ret;
}

/* When queries leave, from what the last node has, or the parents of the last join. */
static const int64_t *sink_times(planning_t *self)
{
    const spot_serve_pipeline_node_t *sink = &self->pipeline->nodes[self->sink];
    const size_t num_ends = sink->stage_id < 0 ? sink->num_parents : 1;

    memset(self->times_ns, 0, self->num_queries * sizeof(*self->times_ns));
    memset(self->counts, 0, self->num_queries * sizeof(*self->counts));
    for (size_t k = 0; k < num_ends; k++) {
        const int32_t end = sink->stage_id < 0 ? sink->parents[k] : self->sink;

        spot_flow_raise(end < 0 ? &self->source : &self->flows[end], self->times_ns, self->counts);
    }
    for (size_t j = 0; j < self->num_queries; j++) {
        if ((size_t) self->counts[j] < num_ends) {
            self->times_ns[j] = SPOT_QUERY_LOST;
        }
    }
    return self->times_ns;
}

int spot_planning_evaluate(
    planning_t *self, const spot_stage_option_t *options, bool is_full, spot_serving_plan_t *plan)
{
    const spot_plan_request_t *request = self->request;
    bool is_good = true;
    int ret;

    plan->cost_micro = spot_serve_scenario_total(self->scenario, options);
    plan->gate = spot_gate_verdict(self->scenario, options, self->rate_qps, request->slo_ns, 0);
    if (!is_full && plan->gate != SPOT_GATE_FEASIBLE) {
        return 0;
    }
    ret = self->needs_runs ? spot_planning_run(self, options)
                           : run_stale(self, options, is_full ? NULL : &self->limit, &is_good);
    if (ret != 0 || !is_good) {
        plan->gate = SPOT_GATE_SLO;
        return ret;
    }
    ret = spot_latencies_take(&self->latencies, self->num_queries, self->source_ns,
        self->needs_runs ? self->engine.sink_ns : sink_times(self));
    if (ret != 0) {
        return ret;
    }
    plan->percentile_ns =
        spot_latencies_percentile(&self->latencies, self->scenario->slo.percentile_milli);
    plan->num_late = spot_latencies_late(&self->latencies, request->slo_ns);
    plan->gate = spot_gate_verdict(
        self->scenario, options, self->rate_qps, request->slo_ns, plan->percentile_ns);
    return 0;
}

int spot_planning_take(planning_t *self, spot_planned_t *planned,
    const spot_stage_option_t *options, spot_serving_plan_t *plan)
{
    const size_t num_stages = self->pipeline->num_stages;

    SPOT_ARENA_ARRAY(&planned->memory, plan->options, num_stages);
    if (plan->options == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(plan->options, options, num_stages * sizeof(*options));
    return spot_planning_evaluate(self, options, true, plan);
}
