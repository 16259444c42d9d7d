/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages, joins and whole runs of planners: by the recurrence where it holds, else by
 * the event engine on the part of the pipeline that matters. */
#include <string.h>

#include "sim/serve/planning.h"

typedef spot_planning_t planning_t;

/* ---- The event engine ---- */

/* The outages of a configuration. But for a trace they do not depend on it. */
static int
open_outages(planning_t *self, const spot_stage_option_t *options)
{
    const spot_outage_setting_t *setting = &self->scenario->outages;
    int32_t num_slots[SPOT_PIPELINE_MAX_NODES];
    int ret;

    if (!self->has_outages ||
        (self->outages != NULL && setting->kind != SPOT_OUTAGES_TRACE)) {
        return 0;
    }
    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        spot_stage_option_t most = self->pattern[j];

        most.replicas = SPOT_MAX_REPLICAS;
        num_slots[j] = spot_stage_option_spot_slots(
            setting->kind == SPOT_OUTAGES_TRACE ? &options[j] : &most);
    }
    spot_outages_delete(self->outages);
    ret = spot_outages_new(
        &self->outages, setting, &setting->rent, self->pipeline->num_stages, num_slots);
    if (ret == 0) {
        spot_outages_start(self->outages, &self->request->replication,
            self->source_ns[self->num_queries - 1]);
    }
    return ret;
}

/* Cuts the nodes with is_in out of the pipeline. Other stages stay, without queries. */
static void
cut_part(planning_t *self, int32_t first)
{
    const spot_pipeline_t *whole = self->pipeline;
    spot_pipeline_t *part = &self->part;
    const spot_pipeline_t like = {.num_nodes = whole->num_nodes,
        .nodes = part->nodes,
        .num_stages = whole->num_stages,
        .stages = whole->stages,
        .num_joins = whole->num_joins,
        .order = whole->order,
        .first = part->first};

    *part = like;
    for (size_t j = 0; j < whole->num_nodes; j++) {
        spot_pipeline_node_t *node = &part->nodes[j];

        *node = whole->nodes[j];
        node->children = self->part_links[j];
        node->num_children = 0;
        for (size_t k = 0; k < whole->nodes[j].num_children && self->is_in[j]; k++) {
            const spot_pipeline_link_t *link = &whole->nodes[j].children[k];

            if (self->is_in[link->node_id]) {
                node->children[node->num_children++] = *link;
            }
        }
    }
    if (first >= 0) {
        part->first[part->num_first++] = (spot_pipeline_link_t){
            .node_id = first, .stage_id = whole->nodes[first].stage_id};
    }
    for (size_t k = 0; k < whole->num_first && first < 0; k++) {
        if (self->is_in[whole->first[k].node_id]) {
            part->first[part->num_first++] = whole->first[k];
        }
    }
}

/* Runs the part of the pipeline. */
static int
run_part(planning_t *self, const spot_stage_option_t *options, size_t num_queries,
    const int64_t *source_ns)
{
    const spot_serve_run_t run = {.pipeline = &self->part,
        .rent = self->has_outages ? &self->scenario->outages.rent : NULL,
        .num_queries = num_queries,
        .source_ns = source_ns,
        .outages = self->outages,
        .stop = self->request->replication.stop};

    for (size_t j = 0; j < self->pipeline->num_stages; j++) {
        self->plans[j] = spot_serve_scenario_stage(self->scenario, j, &options[j]);
        if (!self->is_in[self->pipeline->stages[j]]) {
            self->plans[j].option = (spot_stage_option_t){.batch = 1, .replicas = 1};
        } else {
            self->num_simulations++;
        }
    }
    return spot_serve_run(&self->engine, &run, self->plans);
}

/* What the part has delivered. ids: of its queries; NULL: 0, 1, ... */
static void
take_flow(const planning_t *self, const int32_t *ids, spot_flow_t *flow)
{
    const spot_serve_t *engine = &self->engine;

    flow->num_queries = flow->num_batches = 0;
    for (size_t j = 0; j < engine->num_sunk; j++) {
        const int32_t place = engine->sink_order[j];

        spot_flow_add(flow, ids == NULL ? place : ids[place], engine->sink_ns[place]);
    }
    flow->ids = flow->own_ids;
    flow->is_sorted = false;
}

int
spot_planning_evaluate_run(
    planning_t *self, const spot_stage_option_t *options, spot_serving_plan_t *plan)
{
    const int64_t slo_ns = self->request->slo_ns;
    int ret = open_outages(self, options);

    memset(self->is_in, true, self->pipeline->num_nodes * sizeof(*self->is_in));
    cut_part(self, -1);
    if (ret == 0) {
        ret = run_part(self, options, self->num_queries, self->source_ns);
    }
    if (ret == 0) {
        ret = spot_latencies_take(
            &self->latencies, self->num_queries, self->source_ns, self->engine.sink_ns);
    }
    if (ret == 0) {
        plan->cost_micro = spot_planning_cost(self, options);
        plan->num_late = spot_latencies_late(&self->latencies, slo_ns);
        plan->percentile_ns = self->latencies.sorted_ns[self->rank];
        plan->gate = spot_gate_verdict(
            self->scenario, options, self->rate_qps, slo_ns, plan->percentile_ns);
    }
    return ret;
}

/* ---- A stage ---- */

const spot_flow_t *
spot_planning_from(const planning_t *self, int32_t node_id, size_t k)
{
    const int32_t parent_id = self->pipeline->nodes[node_id].parents[k];

    return parent_id < 0 ? &self->source : self->current[parent_id];
}

/* Runs a stage by its events. */
static int
run_events(planning_t *self, size_t stage_id, const spot_stage_option_t *options,
    const spot_flow_t *from, spot_flow_t *flow)
{
    const int32_t node_id = self->pipeline->stages[stage_id];
    size_t num_queries = 0;
    int ret = open_outages(self, options);

    memset(self->is_in, false, self->pipeline->num_nodes * sizeof(*self->is_in));
    self->is_in[node_id] = true;
    cut_part(self, node_id);
    for (size_t j = 0; j < from->num_batches; j++) {
        for (int32_t k = 0; k < from->batches[j].size; k++) {
            self->times_ns[num_queries++] = from->batches[j].time_ns;
        }
    }
    if (ret == 0) {
        ret = run_part(self, options, num_queries, self->times_ns);
    }
    if (ret == 0) {
        take_flow(self, from->ids, flow);
    }
    return ret;
}

int
spot_planning_run_stage(planning_t *self, size_t stage_id,
    const spot_stage_option_t *options, const spot_flow_limit_t *limit,
    spot_flow_t *flow, bool *is_good)
{
    const spot_stage_option_t *option = &options[stage_id];
    const spot_flow_t *from =
        spot_planning_from(self, self->pipeline->stages[stage_id], 0);
    int ret;

    if (option->delay_ns == 0 && spot_stage_option_spot_slots(option) == 0) {
        const spot_flow_stage_t stage = {
            spot_serve_scenario_time(self->scenario, stage_id, option->hardware_id),
            option->batch, option->replicas, self->free_ns};

        self->num_simulations++;
        *is_good = spot_flow_run(flow, from, &stage, limit);
        return spot_planning_is_stopped(self) ? SPOT_ERR_INTERRUPTED : 0;
    }
    ret = run_events(self, stage_id, options, from, flow);
    *is_good = ret == 0 &&
               (limit == NULL || spot_flow_late(flow, limit, NULL) <= limit->max_late);
    return ret;
}

/* ---- A join ---- */

void
spot_planning_ancestors(const planning_t *self, int32_t node_id, bool *is_in)
{
    const spot_pipeline_t *pipeline = self->pipeline;

    memset(is_in, false, pipeline->num_nodes * sizeof(*is_in));
    is_in[node_id] = true;
    for (size_t j = pipeline->num_nodes; j-- > 0;) {
        const spot_pipeline_node_t *node = &pipeline->nodes[pipeline->order[j]];

        for (size_t k = 0; k < node->num_parents && is_in[pipeline->order[j]]; k++) {
            if (node->parents[k] >= 0) {
                is_in[node->parents[k]] = true;
            }
        }
    }
}

/* Where the merge of a join stands in what one of its parents delivers. */
typedef struct {
    const spot_flow_t *flow;
    size_t batch, query;
} cursor_t;

/* Adds the queries that a parent completes at an instant. */
static void
complete(const planning_t *self, cursor_t *cursor, size_t num_parents, int64_t time_ns,
    spot_flow_t *flow)
{
    const spot_flow_t *from = cursor->flow;

    for (; cursor->batch < from->num_batches &&
           from->batches[cursor->batch].time_ns == time_ns;
         cursor->batch++) {
        for (int32_t k = 0; k < from->batches[cursor->batch].size; k++) {
            const int32_t id = from->ids[cursor->query++];

            if (self->times_ns[id] == time_ns &&
                (size_t) self->counts[id] == num_parents) {
                self->counts[id] = 0; /* added */
                spot_flow_add(flow, id, time_ns);
            }
        }
    }
}

/* Merges what the parents deliver. Returns false where several of them complete queries
 * at one instant: then the order is that of the events. */
static bool
merge(planning_t *self, cursor_t *cursors, size_t num_parents, spot_flow_t *flow)
{
    for (;;) {
        const size_t num_before = flow->num_queries;
        int64_t time_ns = INT64_MAX;
        size_t num_at = 0;

        for (size_t k = 0; k < num_parents; k++) {
            const spot_flow_t *from = cursors[k].flow;

            if (cursors[k].batch < from->num_batches &&
                from->batches[cursors[k].batch].time_ns < time_ns) {
                time_ns = from->batches[cursors[k].batch].time_ns;
            }
        }
        if (time_ns == INT64_MAX) {
            return true;
        }
        for (size_t k = 0; k < num_parents; k++) {
            const size_t batch = cursors[k].batch;

            complete(self, &cursors[k], num_parents, time_ns, flow);
            num_at += cursors[k].batch > batch;
        }
        if (num_at > 1 && flow->num_queries > num_before + 1) {
            return false;
        }
    }
}

int
spot_planning_run_join(planning_t *self, int32_t node_id,
    const spot_stage_option_t *options, spot_flow_t *flow)
{
    const size_t num_parents = self->pipeline->nodes[node_id].num_parents;
    cursor_t cursors[SPOT_JOIN_MAX_PARENTS];
    int ret;

    memset(self->times_ns, 0, self->num_queries * sizeof(*self->times_ns));
    memset(self->counts, 0, self->num_queries * sizeof(*self->counts));
    flow->num_queries = flow->num_batches = 0;
    for (size_t k = 0; k < num_parents; k++) {
        cursors[k] = (cursor_t){.flow = spot_planning_from(self, node_id, k)};
        spot_flow_raise(cursors[k].flow, self->times_ns, self->counts);
    }
    if (merge(self, cursors, num_parents, flow)) {
        flow->ids = flow->own_ids;
        flow->is_sorted = false;
        return 0;
    }
    ret = open_outages(self, options);
    spot_planning_ancestors(self, node_id, self->is_in);
    cut_part(self, -1);
    if (ret == 0) {
        ret = run_part(self, options, self->num_queries, self->source_ns);
    }
    if (ret == 0) {
        take_flow(self, NULL, flow);
    }
    return ret;
}
