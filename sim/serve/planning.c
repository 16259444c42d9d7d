/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/serve/planning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/keys.h"
#include "models/serving_profile.h"

typedef spot_planning_t planning_t;

static void planning_set_arrivals(planning_t *self, const spot_arrivals_t *arrivals);

/* The bytes of a flow, for each query that there may be. */
#define FLOW_QUERY_BYTES (sizeof(spot_flow_batch_t) + sizeof(int32_t))

/* ---- Flows of batches ---- */

/* Memory for up to max_queries queries, of an arena, which says if it was short. */
static void flow_init(spot_flow_t *self, spot_arena_t *memory, size_t max_queries)
{
    SPOT_ARENA_ARRAY(memory, self->batches, max_queries);
    SPOT_ARENA_ARRAY(memory, self->own_ids, max_queries);
}

/* Starts a list of queries, and adds one. */
static void flow_clear(spot_flow_t *self)
{
    self->num_queries = self->num_batches = 0;
    self->ids = self->own_ids;
    self->is_sorted = false;
}

static void flow_add(spot_flow_t *self, int32_t id, int64_t time_ns)
{
    const int32_t place = (int32_t) self->num_queries++;

    self->own_ids[place] = id;
    self->batches[self->num_batches++] = (spot_flow_batch_t){time_ns, place, 1};
}

/* Queries of a delivery that are late; their bits are set. Of sorted ids, the late ones
 * come first. */
static inline size_t count_late(const int32_t *ids, size_t size, bool is_sorted, int64_t leave_ns,
    const int64_t *deadline_ns, uint64_t *late)
{
    size_t num_late = 0;

    for (size_t j = 0; j < size; j++) {
        if (leave_ns > deadline_ns[ids[j]]) {
            num_late++;
            if (late != NULL) {
                late[ids[j] / 64] |= UINT64_C(1) << ids[j] % 64;
            }
        } else if (is_sorted) {
            break;
        }
    }
    return num_late;
}

/* Adds a batch by (delivery, order taken). Returns false if it overtakes another. */
static inline bool insert(spot_flow_t *self, const spot_flow_batch_t *batch)
{
    size_t place = self->num_batches++;
    bool is_last = true;

    for (; place > 0 && self->batches[place - 1].time_ns > batch->time_ns; place--) {
        self->batches[place] = self->batches[place - 1];
        is_last = false;
    }
    self->batches[place] = *batch;
    return is_last;
}

/* Adds a time to increasing ones. */
static void insert_time(int64_t *times_ns, size_t num_times, int64_t time_ns)
{
    for (; num_times > 0 && times_ns[num_times - 1] > time_ns; num_times--) {
        times_ns[num_times] = times_ns[num_times - 1];
    }
    times_ns[num_times] = time_ns;
}

/* Ids in order of delivery. */
static void set_ids(spot_flow_t *self, const spot_flow_t *from, bool is_in_order)
{
    int32_t *id = self->own_ids;

    self->num_queries = from->num_queries;
    self->ids = is_in_order ? from->ids : self->own_ids;
    self->is_sorted = is_in_order && from->is_sorted;
    for (size_t j = 0; j < self->num_batches && !is_in_order; j++) {
        const spot_flow_batch_t *batch = &self->batches[j];

        memcpy(id, from->ids + batch->first, (size_t) batch->size * sizeof(*id));
        id += batch->size;
    }
}

/* Runs a stage on what its parent delivers: the recurrence of docs/serving-rules.md.
 * Returns false as soon as limit, which may be NULL, is broken; then self is unfinished.
 * free_ns: [queries] scratch. O(queries), but for batches that overtake.
 *
 * A replica is free when its batch is delivered, unless it is pipelined. Nothing is
 * delivered before a batch that has freed a replica, so that batch k starts on the
 * replica which batch k - replicas in order of delivery has left. */
static bool flow_run(spot_flow_t *self, const spot_flow_t *from, const spot_service_time_t *time,
    int64_t batch, int64_t replicas, int64_t *free_ns, const spot_flow_limit_t *limit)
{
    const bool is_pipelined = time->result_ns != time->busy_ns;
    size_t next = 0, num_arrived = 0, head = 0;
    size_t num_late = limit == NULL ? 0 : limit->num_queries - from->num_queries;
    bool is_in_order = true;
    int64_t now_ns = 0;

    self->num_batches = 0;
    while (head < from->num_queries) {
        const size_t num_batches = self->num_batches, before = num_batches - (size_t) replicas;
        spot_flow_batch_t taken = {.first = (int32_t) head};

        if (num_arrived == head && from->batches[next].time_ns > now_ns) {
            now_ns = from->batches[next].time_ns;
        }
        if (num_batches >= (size_t) replicas) {
            const int64_t left_ns = is_pipelined ? free_ns[before] : self->batches[before].time_ns;

            now_ns = left_ns > now_ns ? left_ns : now_ns;
        }
        while (next < from->num_batches && from->batches[next].time_ns <= now_ns) {
            num_arrived += (size_t) from->batches[next++].size;
        }
        taken.size =
            (int32_t) (num_arrived - head < (size_t) batch ? num_arrived - head : (size_t) batch);
        taken.time_ns = now_ns + time->result_ns[taken.size];
        is_in_order = insert(self, &taken) && is_in_order;
        if (is_pipelined) {
            insert_time(free_ns, num_batches, now_ns + time->busy_ns[taken.size]);
        }
        if (limit != NULL) {
            num_late += count_late(from->ids + head, (size_t) taken.size, from->is_sorted,
                taken.time_ns + limit->rest_ns, limit->deadline_ns, NULL);
            if (num_late > limit->max_late) {
                return false;
            }
        }
        head += (size_t) taken.size;
    }
    set_ids(self, from, is_in_order);
    return limit == NULL || num_late <= limit->max_late;
}

size_t spot_flow_late(const spot_flow_t *self, const spot_flow_limit_t *limit, uint64_t *late)
{
    const size_t num_lost = limit->num_queries - self->num_queries;
    const int32_t *ids = self->ids;
    size_t num_late = num_lost;

    if (late != NULL) {
        memset(late, num_lost > 0 ? 0xff : 0, (limit->num_queries + 63) / 64 * 8);
        for (size_t j = 0; j < self->num_queries && num_lost > 0; j++) {
            late[ids[j] / 64] &= ~(UINT64_C(1) << ids[j] % 64);
        }
        if (num_lost > 0 && limit->num_queries % 64 != 0) {
            late[limit->num_queries / 64] &= (UINT64_C(1) << limit->num_queries % 64) - 1;
        }
    }
    for (size_t j = 0; j < self->num_batches; j++) {
        num_late += count_late(ids, (size_t) self->batches[j].size, self->is_sorted,
            self->batches[j].time_ns + limit->rest_ns, limit->deadline_ns, late);
        ids += self->batches[j].size;
    }
    return num_late;
}

/* Raises the times of queries to those of their delivery; counts[id] grows by 1. */
static void flow_raise(const spot_flow_t *self, int64_t *times_ns, int32_t *counts)
{
    const int32_t *ids = self->ids;

    for (size_t j = 0; j < self->num_batches; j++) {
        const int64_t time_ns = self->batches[j].time_ns;

        for (int32_t k = 0; k < self->batches[j].size; k++, ids++) {
            times_ns[*ids] = times_ns[*ids] > time_ns ? times_ns[*ids] : time_ns;
            counts[*ids]++;
        }
    }
}

/* ---- The event engine ---- */

/* Nodes of planners: by the recurrence where it holds, else by the event engine on the
 * part of the pipeline that matters. */

/* The outages of a configuration. But for a trace they do not depend on it. */
static int open_outages(planning_t *self, const spot_stage_option_t *options)
{
    const spot_outage_setting_t *setting = &self->scenario->outages;
    const bool is_trace = setting->kind == SPOT_OUTAGES_TRACE;
    int32_t num_slots[SPOT_SERVE_MAX_NODES];
    int ret;

    if (!self->has_outages || (self->outages != NULL && !is_trace)) {
        return 0;
    }
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        spot_stage_option_t option = is_trace ? options[j] : self->pattern[j];

        option.replicas = is_trace ? option.replicas : SPOT_MAX_REPLICAS;
        num_slots[j] = spot_stage_option_spot_slots(&option);
    }
    spot_outages_delete(self->outages);
    ret = spot_outages_new(&self->outages, setting, self->pipeline->num_stages, num_slots);
    if (ret == 0) {
        spot_outages_start(self->outages, self->request->replication.seed,
            self->request->replication.replication, self->source_ns[self->num_queries - 1]);
    }
    return ret;
}

/* Cuts the nodes with is_in out of the pipeline: what comes from outside comes from the
 * source. Other stages stay, without queries. */
static void cut_part(planning_t *self)
{
    const spot_serve_pipeline_t *whole = self->pipeline;
    spot_serve_pipeline_node_t *nodes = self->part.nodes;
    spot_serve_pipeline_link_t *first = self->part.first;

    self->part = *whole;
    self->part.nodes = nodes;
    self->part.first = first;
    self->part.num_first = 0;
    for (size_t j = 0; j < whole->num_nodes; j++) {
        const spot_serve_pipeline_node_t *node = &whole->nodes[j];
        spot_serve_pipeline_link_t *children = nodes[j].children;

        nodes[j] = *node;
        nodes[j].children = children;
        nodes[j].num_children = 0;
        for (size_t k = 0; k < node->num_children && self->is_in[j]; k++) {
            if (self->is_in[node->children[k].node_id]) {
                children[nodes[j].num_children++] = node->children[k];
            }
        }
        for (size_t k = 0; k < node->num_parents && self->is_in[j]; k++) {
            if (node->parents[k] < 0 || !self->is_in[node->parents[k]]) {
                first[self->part.num_first++] =
                    (spot_serve_pipeline_link_t){(int32_t) j, node->stage_id, (int32_t) k};
            }
        }
    }
}

/* Runs the nodes with is_in. */
static int run_part(planning_t *self, const spot_stage_option_t *options, size_t num_queries,
    const int64_t *source_ns)
{
    const int ret = open_outages(self, options);
    const spot_serve_run_t run = {.pipeline = &self->part,
        .rent = self->has_outages ? &self->scenario->outages.rent : NULL,
        .num_queries = num_queries,
        .source_ns = source_ns,
        .outages = self->outages,
        .stop = self->request->replication.stop};

    cut_part(self);
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        self->plans[j] = spot_serve_scenario_stage(self->scenario, j, &options[j]);
        if (self->is_in[self->pipeline->stages[j]]) {
            self->num_simulations++;
        } else {
            self->plans[j].option = (spot_stage_option_t){.batch = 1, .replicas = 1};
        }
    }
    return ret != 0 ? ret : spot_serve_run(&self->engine, &run, self->plans);
}

/* Runs all events; the engine has the result. */
static int planning_run(planning_t *self, const spot_stage_option_t *options)
{
    memset(self->is_in, true, self->pipeline->num_nodes * sizeof(*self->is_in));
    return run_part(self, options, self->num_queries, self->source_ns);
}

/* What the part has delivered. ids: of its queries; NULL: 0, 1, ... */
static void take_flow(const planning_t *self, const int32_t *ids, spot_flow_t *flow)
{
    flow_clear(flow);
    for (size_t j = 0; j < self->engine.num_sunk; j++) {
        const int32_t place = self->engine.sink_order[j];

        flow_add(flow, ids == NULL ? place : ids[place], self->engine.sink_ns[place]);
    }
}

/* ---- Nodes ---- */

static const spot_flow_t *flow_from(const planning_t *self, int32_t node_id, size_t k)
{
    const int32_t parent_id = self->pipeline->nodes[node_id].parents[k];

    return parent_id < 0 ? &self->source : &self->flows[parent_id];
}

static int run_stage(planning_t *self, int32_t node_id, const spot_stage_option_t *options,
    const spot_flow_limit_t *limit, bool *is_good)
{
    const size_t stage_id = (size_t) self->pipeline->nodes[node_id].stage_id;
    const spot_stage_option_t *option = &options[stage_id];
    const spot_flow_t *from = flow_from(self, node_id, 0);
    spot_flow_t *flow = &self->flows[node_id];
    size_t num_queries = 0;
    int ret;

    if (option->delay_ns == 0 && spot_stage_option_spot_slots(option) == 0) {
        self->num_simulations++;
        *is_good = flow_run(flow, from,
            spot_serve_scenario_time(self->scenario, stage_id, option->hardware_id), option->batch,
            option->replicas, self->free_ns, limit);
        return 0;
    }
    memset(self->is_in, false, self->pipeline->num_nodes * sizeof(*self->is_in));
    self->is_in[node_id] = true;
    for (size_t j = 0; j < from->num_batches; j++) {
        for (int32_t k = 0; k < from->batches[j].size; k++) {
            self->times_ns[num_queries++] = from->batches[j].time_ns;
        }
    }
    ret = run_part(self, options, num_queries, self->times_ns);
    if (ret == 0) {
        take_flow(self, from->ids, flow);
        *is_good = limit == NULL || spot_flow_late(flow, limit, NULL) <= limit->max_late;
    }
    return ret;
}

/* Lists the queries that a parent of a join completes, in its order; owners: the parent,
 * -1: several at one instant. */
static void add_completed(planning_t *self, const spot_flow_t *from, int32_t parent,
    int32_t num_parents, spot_flow_t *flow, int32_t *owners)
{
    const int32_t *ids = from->ids;

    for (size_t j = 0; j < from->num_batches; j++) {
        for (int32_t k = 0; k < from->batches[j].size; k++, ids++) {
            int32_t *count = &self->counts[*ids];

            if (from->batches[j].time_ns != self->times_ns[*ids]) {
                continue;
            }
            if (*count == num_parents) {
                *count = -1 - (int32_t) flow->num_queries;
                owners[flow->num_queries] = parent;
                flow_add(flow, *ids, self->times_ns[*ids]);
            } else if (*count < 0) {
                owners[-1 - *count] = -1;
            }
        }
    }
}

/* A join delivers a query when the last parent does. Where several parents complete
 * queries at one instant, the order is that of all events. */
static int run_join(planning_t *self, int32_t node_id, const spot_stage_option_t *options)
{
    const size_t num_parents = self->pipeline->nodes[node_id].num_parents;
    int32_t *order = self->order, *owners = self->order + self->num_queries;
    spot_flow_t *flow = &self->flows[node_id];
    bool is_clear = true;
    int ret;

    memset(self->times_ns, 0, self->num_queries * sizeof(*self->times_ns));
    memset(self->counts, 0, self->num_queries * sizeof(*self->counts));
    for (size_t k = 0; k < num_parents; k++) {
        flow_raise(flow_from(self, node_id, k), self->times_ns, self->counts);
    }
    flow_clear(flow);
    for (size_t k = 0; k < num_parents; k++) {
        add_completed(
            self, flow_from(self, node_id, k), (int32_t) k, (int32_t) num_parents, flow, owners);
    }
    for (size_t j = 0; j < flow->num_queries; j++) {
        self->free_ns[j] = flow->batches[j].time_ns;
    }
    ret = spot_order_integers(self->free_ns, flow->num_queries, order, self->counts);
    if (ret != 0) {
        return ret;
    }
    memcpy(self->counts, flow->own_ids, flow->num_queries * sizeof(*self->counts));
    for (size_t j = 0; j < flow->num_queries; j++) {
        const int32_t place = order[j], before = order[j == 0 ? 0 : j - 1];

        flow->own_ids[j] = self->counts[place];
        flow->batches[j].time_ns = self->free_ns[place];
        is_clear = is_clear && (j == 0 || self->free_ns[place] != self->free_ns[before] ||
                                   (owners[place] >= 0 && owners[place] == owners[before]));
    }
    if (is_clear) {
        return 0;
    }
    spot_planning_ancestors(self, node_id, self->is_in);
    ret = run_part(self, options, self->num_queries, self->source_ns);
    if (ret == 0) {
        take_flow(self, NULL, flow);
    }
    return ret;
}

int spot_planning_run_node(planning_t *self, int32_t node_id, const spot_stage_option_t *options,
    const spot_flow_limit_t *limit, bool *is_good)
{
    *is_good = true;
    if (spot_replication_is_stopped(&self->request->replication)) {
        return SPOT_ERR_INTERRUPTED;
    }
    return self->pipeline->nodes[node_id].stage_id >= 0
               ? run_stage(self, node_id, options, limit, is_good)
               : run_join(self, node_id, options);
}

void spot_planning_ancestors(const planning_t *self, int32_t node_id, bool *is_in)
{
    const spot_serve_pipeline_t *pipeline = self->pipeline;

    memset(is_in, false, pipeline->num_nodes * sizeof(*is_in));
    is_in[node_id] = true;
    for (size_t j = pipeline->num_nodes; j-- > 0;) {
        const spot_serve_pipeline_node_t *node = &pipeline->nodes[pipeline->order[j]];

        for (size_t k = 0; k < node->num_parents && is_in[pipeline->order[j]]; k++) {
            if (node->parents[k] >= 0) {
                is_in[node->parents[k]] = true;
            }
        }
    }
}

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
    flow_init(&self->source, memory, self->num_queries);
    for (size_t j = 0; j < num_nodes && memory->error == 0; j++) {
        flow_init(&self->flows[j], memory, self->num_queries);
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
                               2 * sizeof(*self->order) + num_flows * FLOW_QUERY_BYTES;

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
    planning_set_arrivals(self, request->arrivals);
    return 0;
}

void spot_planning_free(planning_t *self)
{
    spot_serve_free(&self->engine);
    spot_outages_delete(self->outages);
    spot_latencies_free(&self->latencies);
    spot_arena_free(&self->memory);
}

/* Plans for as many queries at other times, which must live as long. */
static void planning_set_arrivals(planning_t *self, const spot_arrivals_t *arrivals)
{
    self->source_ns = arrivals->source_ns;
    self->rate_qps = arrivals->rate_qps;
    self->limit.num_queries = self->num_queries;
    self->limit.max_late =
        self->num_queries - 1 -
        spot_percentile_index(self->scenario->slo.percentile_milli, self->num_queries);
    flow_clear(&self->source);
    self->source.is_sorted = true;
    for (size_t j = 0; j < self->num_queries; j++) {
        self->limit.deadline_ns[j] = self->source_ns[j] + self->request->slo_ns;
        flow_add(&self->source, (int32_t) j, self->source_ns[j]);
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

        flow_raise(end < 0 ? &self->source : &self->flows[end], self->times_ns, self->counts);
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
    ret = self->needs_runs ? planning_run(self, options)
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

/* ---- Rate ---- */

int spot_rate_set(spot_rate_t *self, int64_t rate_qps)
{
    const int ret = spot_arrivals_rescale(
        &self->arrivals, self->planning->request->arrivals, (double) rate_qps);

    if (ret == 0) {
        planning_set_arrivals(self->planning, &self->arrivals);
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
