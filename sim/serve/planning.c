/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/planning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

typedef spot_planning_t planning_t;

#define SELECT_BINS 2048

/* ---- Life ---- */

/* Whether a stage depends on others than its ancestors. A trace gives its instances to
 * the first slots of all stages. A query that is lost is dropped at all joins, so that
 * stages behind them have less to do. */
static bool
is_coupled(const planning_t *self)
{
    const spot_outage_setting_t *outages = &self->scenario->outages;
    bool is_behind_join = false;

    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        const spot_pipeline_node_t *node = &self->pipeline->nodes[j];

        is_behind_join =
            is_behind_join || (node->stage_id < 0 && node->num_children > 0);
    }
    return self->has_outages &&
           (outages->kind == SPOT_OUTAGES_TRACE ||
               (is_behind_join && outages->rent.in_flight == SPOT_IN_FLIGHT_LOSE));
}

/* What of the key config a planner leaves as it is. */
static void
set_patterns(planning_t *self)
{
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        spot_stage_option_t *pattern = &self->pattern[j];

        if (self->scenario->options[j].replicas > 0) {
            *pattern = self->scenario->options[j];
        }
        pattern->scale = (spot_scale_setting_t){0}; /* replicas stay as planned */
        if (!self->has_outages) {
            pattern->market = SPOT_MARKET_ON_DEMAND;
        }
    }
}

static int
init_nodes(planning_t *self)
{
    const size_t num_nodes = self->pipeline->num_nodes;
    const size_t num_stages = self->pipeline->num_stages;
    spot_arena_t *memory = &self->memory;

    SPOT_ARENA_ARRAY(memory, self->current, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->base, 2 * num_nodes);
    self->trial = self->base == NULL ? NULL : self->base + num_nodes;
    SPOT_ARENA_ARRAY(memory, self->is_changed, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->based, num_stages);
    SPOT_ARENA_ARRAY(memory, self->pattern, num_stages);
    SPOT_ARENA_ARRAY(memory, self->is_in, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->part_links, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->plans, num_stages);
    SPOT_ARENA_ARRAY(memory, self->part.nodes, num_nodes);
    SPOT_ARENA_ARRAY(memory, self->part.first, num_nodes);
    for (size_t j = 0; j < num_nodes && memory->error == 0; j++) {
        SPOT_ARENA_ARRAY(
            memory, self->part_links[j], self->pipeline->nodes[j].num_children);
        if (self->pipeline->nodes[j].num_children == 0) {
            self->sink = (int32_t) j;
        }
    }
    return memory->error;
}

int
spot_planning_init(planning_t *self, const spot_plan_request_t *request)
{
    const spot_serve_scenario_t *scenario = request->scenario;
    int ret;

    *self = (planning_t){.request = request,
        .scenario = scenario,
        .pipeline = &scenario->pipeline,
        .has_outages =
            scenario->plan.with_preemptions && spot_serve_scenario_has_spot(scenario)};
    ret = init_nodes(self);
    if (ret != 0) {
        return ret;
    }
    self->is_coupled = is_coupled(self);
    set_patterns(self);
    return spot_planning_set_arrivals(self, request->arrivals);
}

void
spot_planning_free(planning_t *self)
{
    for (size_t j = 0; j < self->pipeline->num_nodes && self->trial != NULL; j++) {
        spot_flow_free(&self->base[j]);
        spot_flow_free(&self->trial[j]);
    }
    spot_flow_free(&self->source);
    free(self->times_ns);
    free(self->deadline_ns);
    free(self->free_ns);
    free(self->counts);
    spot_serve_free(&self->engine);
    spot_outages_delete(self->outages);
    spot_latencies_free(&self->latencies);
    spot_arena_free(&self->memory);
}

static int
reserve(planning_t *self)
{
    const size_t num_queries = self->num_queries;
    int ret = spot_flow_reserve(&self->source, num_queries);

    if (ret != 0 || SPOT_ARRAY_ROOM(self, times_ns, num_queries) != 0 ||
        SPOT_ARRAY_ROOM(self, deadline_ns, num_queries) != 0 ||
        SPOT_ARRAY_ROOM(self, free_ns, num_queries) != 0 ||
        SPOT_ARRAY_ROOM(self, counts, num_queries) != 0) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (size_t j = 0; j < self->pipeline->num_nodes && ret == 0; j++) {
        ret = spot_flow_reserve(&self->base[j], num_queries);
        if (ret == 0) {
            ret = spot_flow_reserve(&self->trial[j], num_queries);
        }
    }
    return ret;
}

int
spot_planning_set_arrivals(planning_t *self, const spot_arrivals_t *arrivals)
{
    const spot_serve_scenario_t *scenario = self->scenario;
    int ret;

    if (!isfinite(arrivals->rate_qps)) {
        return SPOT_ERR_BAD_PARAM;
    }
    self->source_ns = arrivals->source_ns;
    self->num_queries = arrivals->num_queries;
    self->rate_qps = arrivals->rate_qps;
    ret = reserve(self);
    if (ret != 0) {
        return ret;
    }
    self->rank =
        spot_percentile_index(scenario->slo.percentile_milli, self->num_queries);
    self->limit = (spot_flow_limit_t){
        self->num_queries, self->deadline_ns, 0, self->num_queries - 1 - self->rank};
    self->source.num_queries = self->source.num_batches = 0;
    for (size_t j = 0; j < self->num_queries; j++) {
        self->deadline_ns[j] = self->source_ns[j] + self->request->slo_ns;
        spot_flow_add(&self->source, (int32_t) j, self->source_ns[j]);
    }
    self->source.ids = self->source.own_ids;
    self->source.is_sorted = true;
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        self->based[j].replicas = 0;
    }
    spot_outages_delete(self->outages);
    self->outages = NULL;
    return 0;
}

bool
spot_planning_is_stopped(const planning_t *self)
{
    return spot_replication_is_stopped(&self->request->replication);
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

int64_t
spot_planning_need(const planning_t *self, size_t stage_id, int32_t hardware_id,
    int64_t batch, double rate_qps)
{
    const double need = ceil(
        rate_qps / spot_service_time_qps(
                       spot_serve_scenario_time(self->scenario, stage_id, hardware_id),
                       (int32_t) batch));

    return need < 1                   ? 1
           : need > SPOT_MAX_REPLICAS ? SPOT_MAX_REPLICAS + 1
                                      : (int64_t) need;
}

int64_t
spot_planning_need_exactly(
    const planning_t *self, size_t stage_id, int32_t hardware_id, int64_t batch)
{
    spot_stage_option_t option = spot_planning_option(self, stage_id, hardware_id, batch,
        spot_planning_need(self, stage_id, hardware_id, batch, self->rate_qps));

    while (option.replicas <= SPOT_MAX_REPLICAS &&
           spot_gate_capacity(self->scenario, stage_id, &option) < self->rate_qps) {
        option.replicas++;
    }
    return option.replicas;
}

int64_t
spot_planning_cost(const planning_t *self, const spot_stage_option_t *options)
{
    int64_t cost_micro = 0;

    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        cost_micro += spot_serve_scenario_cost(self->scenario, &options[j]);
    }
    return cost_micro;
}

int64_t
spot_planning_micro(double money)
{
    return !(money < 9e12) ? INT64_MAX : (int64_t) floor(money * 1e6 + 0.5);
}

/* ---- A configuration ---- */

/* The value of a rank, by counting in ever narrower ranges. O(values). */
static int64_t
select_rank(const int64_t *values, size_t num_values, size_t rank)
{
    int64_t low = INT64_MAX, high = INT64_MIN;

    for (size_t j = 0; j < num_values; j++) {
        low = values[j] < low ? values[j] : low;
        high = values[j] > high ? values[j] : high;
    }
    while (low < high) {
        uint32_t counts[SELECT_BINS] = {0};
        int shift = 0;
        size_t bin = 0;

        while ((high - low) >> shift >= SELECT_BINS) {
            shift++;
        }
        for (size_t j = 0; j < num_values; j++) {
            if (values[j] >= low && values[j] <= high) {
                counts[(values[j] - low) >> shift]++;
            }
        }
        for (; rank >= counts[bin]; bin++) {
            rank -= counts[bin];
        }
        low += (int64_t) bin << shift;
        if (high - low >= INT64_C(1) << shift) {
            high = low + (INT64_C(1) << shift) - 1;
        }
    }
    return low;
}

/* Percentile and late queries of what nodes deliver now. */
static void
judge(planning_t *self, spot_serving_plan_t *plan)
{
    const spot_pipeline_node_t *sink = &self->pipeline->nodes[self->sink];
    const size_t num_parents = sink->stage_id < 0 ? sink->num_parents : 1;

    memset(self->times_ns, 0, self->num_queries * sizeof(*self->times_ns));
    memset(self->counts, 0, self->num_queries * sizeof(*self->counts));
    for (size_t k = 0; k < num_parents; k++) {
        spot_flow_raise(sink->stage_id < 0 ? spot_planning_from(self, self->sink, k)
                                           : self->current[self->sink],
            self->times_ns, self->counts);
    }
    plan->num_late = 0;
    for (size_t j = 0; j < self->num_queries; j++) {
        self->times_ns[j] = (size_t) self->counts[j] == num_parents
                                ? self->times_ns[j] - self->source_ns[j]
                                : INT64_MAX;
        plan->num_late += self->times_ns[j] > self->request->slo_ns;
    }
    plan->percentile_ns = select_rank(self->times_ns, self->num_queries, self->rank);
}

/* Which nodes deliver something else than in base. */
static void
find_changed(planning_t *self, const spot_stage_option_t *options)
{
    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        const int32_t node_id = self->pipeline->order[j];
        const spot_pipeline_node_t *node = &self->pipeline->nodes[node_id];
        bool is_changed = false;

        if (node->stage_id >= 0) {
            const spot_stage_option_t *option = &options[node->stage_id];
            const spot_stage_option_t *based = &self->based[node->stage_id];

            is_changed = option->hardware_id != based->hardware_id ||
                         option->batch != based->batch ||
                         option->replicas != based->replicas;
        }
        for (size_t k = 0; k < node->num_parents; k++) {
            is_changed = is_changed ||
                         (node->parents[k] >= 0 && self->is_changed[node->parents[k]]);
        }
        self->is_changed[node_id] = is_changed || self->based[0].replicas == 0;
    }
}

/* Runs the nodes that change, into trial. */
static int
run_changed(planning_t *self, const spot_stage_option_t *options,
    const spot_flow_limit_t *limit, bool *is_good)
{
    int ret = 0;

    find_changed(self, options);
    *is_good = true;
    for (size_t j = 0; j < self->pipeline->num_nodes && ret == 0 && *is_good; j++) {
        const int32_t node_id = self->pipeline->order[j];
        const int32_t stage_id = self->pipeline->nodes[node_id].stage_id;
        spot_flow_t *flow = &self->trial[node_id];

        self->current[node_id] = self->is_changed[node_id] ? flow : &self->base[node_id];
        if (self->is_changed[node_id] && stage_id >= 0) {
            ret = spot_planning_run_stage(
                self, (size_t) stage_id, options, limit, flow, is_good);
        } else if (self->is_changed[node_id] && node_id != self->sink) {
            ret = spot_planning_run_join(self, node_id, options, flow);
        }
    }
    return ret;
}

static void
keep(planning_t *self, const spot_stage_option_t *options)
{
    for (size_t j = 0; j < self->pipeline->num_nodes; j++) {
        if (self->is_changed[j]) {
            const spot_flow_t flow = self->base[j];

            self->base[j] = self->trial[j];
            self->trial[j] = flow;
        }
    }
    memcpy(self->based, options, self->pipeline->num_stages * sizeof(*options));
}

int
spot_planning_evaluate(planning_t *self, const spot_stage_option_t *options,
    spot_evaluate_t how, spot_serving_plan_t *plan)
{
    bool is_good = true;
    int ret;

    if (spot_planning_is_stopped(self)) {
        return SPOT_ERR_INTERRUPTED;
    }
    plan->cost_micro = spot_planning_cost(self, options);
    plan->percentile_ns = 0;
    plan->gate = spot_gate_verdict(
        self->scenario, options, self->rate_qps, self->request->slo_ns, 0);
    if (how == SPOT_EVALUATE_GATES && plan->gate != SPOT_GATE_FEASIBLE) {
        return 0;
    }
    if (self->is_coupled) {
        return spot_planning_evaluate_run(self, options, plan);
    }
    ret = run_changed(
        self, options, how == SPOT_EVALUATE_GATES ? &self->limit : NULL, &is_good);
    if (ret == 0 && is_good) {
        judge(self, plan);
    }
    if (plan->gate == SPOT_GATE_FEASIBLE &&
        (!is_good || plan->percentile_ns > self->request->slo_ns)) {
        plan->gate = SPOT_GATE_SLO;
    }
    if (ret == 0 && how == SPOT_EVALUATE_KEEP) {
        keep(self, options);
    }
    return ret;
}

int
spot_planning_take(planning_t *self, spot_planned_t *planned,
    const spot_stage_option_t *options, spot_serving_plan_t *plan)
{
    const size_t num_stages = self->pipeline->num_stages;
    int ret = spot_planning_evaluate(self, options, SPOT_EVALUATE_ALL, plan);

    SPOT_ARENA_ARRAY(&planned->memory, plan->options, num_stages);
    if (plan->options == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    memcpy(plan->options, options, num_stages * sizeof(*options));
    return ret;
}

/* ---- Planners ---- */

void
spot_planned_free(spot_planned_t *self)
{
    free(self->moves);
    spot_arena_free(&self->memory);
    *self = (spot_planned_t){0};
}

/* Runs one of the functions of a planner. */
static int
run_planner(int (*run)(spot_planning_t *planning, spot_planned_t *planned),
    const spot_plan_request_t *request, spot_planned_t *planned)
{
    const double started_s = spot_clock_thread_s();
    planning_t planning;
    int ret = spot_planning_init(&planning, request);

    if (ret == 0) {
        ret = run(&planning, planned);
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
    return run_planner(planner->plan, request, planned);
}

int
spot_serve_rate(const spot_planner_t *planner, const spot_plan_request_t *request,
    spot_planned_t *planned)
{
    return run_planner(planner->rate, request, planned);
}
