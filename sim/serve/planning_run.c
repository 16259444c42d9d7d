/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of planners: by the recurrence where it holds, else by the event engine on the
 * part of the pipeline that matters. */
#include <string.h>

#include "base/keys.h"
#include "sim/serve/planning.h"

typedef spot_planning_t planning_t;

/* ---- The event engine ---- */

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

int spot_planning_run(planning_t *self, const spot_stage_option_t *options)
{
    memset(self->is_in, true, self->pipeline->num_nodes * sizeof(*self->is_in));
    return run_part(self, options, self->num_queries, self->source_ns);
}

/* What the part has delivered. ids: of its queries; NULL: 0, 1, ... */
static void take_flow(const planning_t *self, const int32_t *ids, spot_flow_t *flow)
{
    spot_flow_clear(flow);
    for (size_t j = 0; j < self->engine.num_sunk; j++) {
        const int32_t place = self->engine.sink_order[j];

        spot_flow_add(flow, ids == NULL ? place : ids[place], self->engine.sink_ns[place]);
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
        *is_good = spot_flow_run(flow, from,
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
                spot_flow_add(flow, *ids, self->times_ns[*ids]);
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
        spot_flow_raise(flow_from(self, node_id, k), self->times_ns, self->counts);
    }
    spot_flow_clear(flow);
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
