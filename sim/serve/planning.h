/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What planners have in common: the options of stages, and what a configuration gives on
 * the queries that are planned for. Only stages that differ from the configuration
 * before, and their descendants, are run again. */
#pragma once

#include "sim/serve/flow.h"
#include "sim/serve/planner.h"

struct spot_planning {
    const spot_plan_request_t *request;
    const spot_serve_scenario_t *scenario;
    const spot_serve_pipeline_t *pipeline;
    int32_t sink;             /* the last node */
    bool has_outages;         /* spot replicas are lost as the scenario says */
    bool needs_runs;          /* only runs of all events are right: what a stage does
                                 depends on others than its ancestors */
    const int64_t *source_ns; /* [num_queries] */
    double rate_qps;          /* of these queries */
    size_t num_queries;
    spot_flow_limit_t limit;      /* the objective */
    spot_arrivals_t arrivals;     /* at another rate */
    spot_stage_option_t *options; /* [num_stages] the configuration at hand */
    spot_stage_option_t *pattern; /* [num_stages] what a planner leaves as it is */
    spot_flow_t source;           /* what the source delivers */
    spot_flow_t *flows;           /* [num_nodes] the same of nodes */
    bool *is_fresh;               /* [num_nodes] of flows: that of based */
    spot_stage_option_t *based;   /* [num_stages] */
    int64_t num_simulations;      /* of stages */
    int error; /* the first one: nothing more is run; INTERRUPTED, NO_MEMORY, errors of
                  the event engine and of arrivals */
    int64_t *times_ns, *free_ns; /* [num_queries] scratch */
    int32_t *counts, *order;     /* [num_queries], [2 num_queries] scratch */
    /* The event engine, on a part of the pipeline. */
    spot_serve_t engine;
    spot_serve_pipeline_t part;
    bool *is_in;              /* [num_nodes] of the part */
    spot_serve_plan_t *plans; /* [num_stages] */
    spot_outages_t *outages;
    spot_latencies_t latencies;
    spot_arena_t memory;
};

/* NO_MEMORY, BAD_PARAM: the arrivals have no rate; free self even then. */
SPOT_MUST_CHECK int spot_planning_init(
    spot_planning_t *self, const spot_plan_request_t *request);
void spot_planning_free(spot_planning_t *self);

/* Plans for the queries at another rate from now on; see error. */
void spot_planning_set_rate(spot_planning_t *self, double rate_qps);

/* The option of a stage as a planner may choose it. */
spot_stage_option_t spot_planning_option(const spot_planning_t *self, size_t stage_id,
    int32_t hardware_id, int64_t batch, int64_t replicas);

/* The rows of the profile that a planner may choose from, or NULL: the stage cannot run
 * on the hardware, or its market has no price there. */
const spot_serving_profile_t *spot_planning_profile(
    const spot_planning_t *self, size_t stage_id, int32_t hardware_id);

/* The next hardware that a stage can run on, step 1: cheaper, -1: dearer; or -1. */
int32_t spot_planning_hardware(
    const spot_planning_t *self, size_t stage_id, int32_t hardware_id, int32_t step);

/* The option of a stage in the configuration with the next larger batch limit. Returns
 * false if there is none. */
bool spot_planning_larger(
    const spot_planning_t *self, size_t stage_id, spot_stage_option_t *option);

/* Replicas that keep up with a rate, from 1 to SPOT_MAX_REPLICAS + 1. */
int64_t spot_planning_need(const spot_planning_t *self, size_t stage_id,
    int32_t hardware_id, int64_t batch, double rate_qps);

/* What the configuration at hand costs. */
int64_t spot_planning_cost(const spot_planning_t *self);

/* Money in millionths; INT64_MAX: NAN. */
int64_t spot_planning_micro(double money);

/* What the configuration gives: all of plan but its options and rate. Unless is_full,
 * the percentile and the late queries are those of a feasible one only. Returns whether
 * it is feasible; false: or see error. */
bool spot_planning_evaluate(
    spot_planning_t *self, bool is_full, spot_serving_plan_t *plan);

/* Makes it a plan, with a copy of the options; see error. */
void spot_planning_take(
    spot_planning_t *self, spot_planned_t *planned, spot_serving_plan_t *plan);

/* ---- planning_run.c ---- */

/* Runs a node on what its parents deliver. Returns whether it is within the limit, which
 * may be NULL; false: or see error. */
bool spot_planning_run_node(
    spot_planning_t *self, int32_t node_id, const spot_flow_limit_t *limit);

/* Runs all events; the engine has the result; see error. */
void spot_planning_run(spot_planning_t *self);

/* When queries leave the parents of a join, or a stage, for the last time: *times_ns of
 * planning; SPOT_QUERY_LOST: not all parents have them. */
void spot_planning_take_times(spot_planning_t *self, int32_t node_id);

/* ---- Of single planners, for others ---- */

/* The least configuration up to a cost by the definition of the exact planner, without
 * options: there is none; and the same by enumeration, from the replicas that keep up
 * with a rate. BAD_PARAM: more than max_configurations. */
void spot_plan_exact(
    spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned);
void spot_plan_all(spot_planning_t *planning, int64_t cap_micro, double rate_qps,
    int64_t max_configurations, spot_planned_t *planned);

void spot_plan_greedy(spot_planning_t *planning, spot_planned_t *planned);
void spot_rate_greedy(spot_planning_t *planning, spot_planned_t *planned);
void spot_rate_exact(spot_planning_t *planning, spot_planned_t *planned);
