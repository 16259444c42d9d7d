/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What planners have in common: the options of stages, and what a configuration gives on
 * the queries that are planned for. A candidate that changes a stage runs that stage and
 * its descendants only. */
#pragma once

#include "sim/serve/flow.h"
#include "sim/serve/planner.h"

struct spot_planning {
    const spot_plan_request_t *request;
    const spot_serve_scenario_t *scenario;
    const spot_pipeline_t *pipeline;
    int32_t sink;                 /* the last node */
    bool has_outages;             /* spot replicas are lost as the scenario says */
    bool is_coupled;              /* what a stage does depends on others than its
                                     ancestors: only whole runs are right */
    const int64_t *source_ns;     /* [num_queries] */
    double rate_qps;              /* of these queries */
    size_t num_queries, rank;     /* rank: index of the percentile */
    spot_flow_limit_t limit;      /* the objective */
    spot_flow_t source;           /* what the source delivers */
    const spot_flow_t **current;  /* [num_nodes] what nodes deliver now */
    spot_flow_t *base, *trial;    /* [num_nodes] */
    bool *is_changed;             /* [num_nodes] */
    spot_stage_option_t *based;   /* [num_stages] options of base; replicas 0: none */
    spot_stage_option_t *pattern; /* [num_stages] what a planner leaves as it is */
    int64_t num_simulations;      /* of stages */
    /* By query. */
    size_t max_times_ns, max_deadline_ns, max_free_ns, max_counts;
    int64_t *times_ns, *deadline_ns, *free_ns;
    int32_t *counts;
    /* The event engine, on a part of the pipeline. */
    spot_serve_t engine;
    spot_pipeline_t part;
    bool *is_in;                       /* [num_nodes] of the part */
    spot_pipeline_link_t **part_links; /* [num_nodes] */
    spot_serve_plan_t *plans;          /* [num_stages] */
    spot_outages_t *outages;
    spot_latencies_t latencies;
    spot_arena_t memory;
};

/* NO_MEMORY, BAD_PARAM: the arrivals have no rate; free self even then. */
SPOT_MUST_CHECK int spot_planning_init(
    spot_planning_t *self, const spot_plan_request_t *request);
void spot_planning_free(spot_planning_t *self);

/* Plans for other queries from now on, which must live as long. Errors as above. */
SPOT_MUST_CHECK int spot_planning_set_arrivals(
    spot_planning_t *self, const spot_arrivals_t *arrivals);

bool spot_planning_is_stopped(const spot_planning_t *self);

/* The option of a stage as a planner may choose it. */
spot_stage_option_t spot_planning_option(const spot_planning_t *self, size_t stage_id,
    int32_t hardware_id, int64_t batch, int64_t replicas);

/* The rows of the profile that a planner may choose from, or NULL: the stage cannot run
 * on the hardware, or its market has no price. */
const spot_serving_profile_t *spot_planning_profile(
    const spot_planning_t *self, size_t stage_id, int32_t hardware_id);

/* The least replicas that keep up with a rate, at most SPOT_MAX_REPLICAS + 1. */
int64_t spot_planning_need(const spot_planning_t *self, size_t stage_id,
    int32_t hardware_id, int64_t batch, double rate_qps);

/* The same, raised until the first gate is passed. */
int64_t spot_planning_need_exactly(
    const spot_planning_t *self, size_t stage_id, int32_t hardware_id, int64_t batch);

/* What replicas of all stages cost, in millionths. */
int64_t spot_planning_cost(
    const spot_planning_t *self, const spot_stage_option_t *options);

/* Money of a scenario in millionths; INT64_MAX: NAN. */
int64_t spot_planning_micro(double money);

typedef enum {
    SPOT_EVALUATE_GATES, /* stops at the first gate that fails */
    SPOT_EVALUATE_ALL,   /* percentile and late queries whatever the gates say */
    SPOT_EVALUATE_KEEP   /* the same; the next candidates differ from this one */
} spot_evaluate_t;

/* What a configuration gives: all of plan but its options and rate. INTERRUPTED,
 * NO_MEMORY, errors of the event engine. */
SPOT_MUST_CHECK int spot_planning_evaluate(spot_planning_t *self,
    const spot_stage_option_t *options, spot_evaluate_t how, spot_serving_plan_t *plan);

/* The same, by a run of all events. */
SPOT_MUST_CHECK int spot_planning_evaluate_run(spot_planning_t *self,
    const spot_stage_option_t *options, spot_serving_plan_t *plan);

/* Makes a configuration a plan, with a copy of the options. Errors as above. */
SPOT_MUST_CHECK int spot_planning_take(spot_planning_t *self, spot_planned_t *planned,
    const spot_stage_option_t *options, spot_serving_plan_t *plan);

/* ---- Parts of a run, for searches of their own ---- */

/* What the parent of a stage, or parent k of a join, delivers now. */
const spot_flow_t *spot_planning_from(
    const spot_planning_t *self, int32_t node_id, size_t k);

/* Runs a stage on what its parent delivers now; options: [num_stages]. *is_good: within
 * the limit, which may be NULL. Errors as above. */
SPOT_MUST_CHECK int spot_planning_run_stage(spot_planning_t *self, size_t stage_id,
    const spot_stage_option_t *options, const spot_flow_limit_t *limit,
    spot_flow_t *flow, bool *is_good);

/* What a join delivers, from what its parents deliver now; options of its ancestors. */
SPOT_MUST_CHECK int spot_planning_run_join(spot_planning_t *self, int32_t node_id,
    const spot_stage_option_t *options, spot_flow_t *flow);

/* Sets is_in to a node and all its ancestors. */
void spot_planning_ancestors(const spot_planning_t *self, int32_t node_id, bool *is_in);

/* ---- Searches that several planners use ---- */

SPOT_MUST_CHECK int spot_plan_greedy(spot_planning_t *planning, spot_planned_t *planned);

/* The cheapest option of a stage on a hardware, others as they are: (total, percentile,
 * batch limit), up to a total of bound_micro. plan->gate: FEASIBLE, or there is none.
 * options[stage_id] is changed meanwhile. */
SPOT_MUST_CHECK int spot_plan_refit(spot_planning_t *planning,
    spot_stage_option_t *options, const char *move, size_t stage_id, int32_t hardware_id,
    int64_t bound_micro, spot_plan_move_t *found, spot_serving_plan_t *plan);

/* The plan of the exact planner up to a cost; no options: there is none. */
SPOT_MUST_CHECK int spot_plan_exact(
    spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned);

/* The same by trying all configurations, from the replicas that keep up if is_needed.
 * BAD_PARAM: more than max_configurations. */
SPOT_MUST_CHECK int spot_plan_all(spot_planning_t *planning, int64_t cap_micro,
    bool is_needed, int64_t max_configurations, spot_planned_t *planned);

/* The cap of exact and brute: the cost of greedy and plan.max_cost, as far as they
 * exist; INT64_MAX: neither, and planned says why. */
SPOT_MUST_CHECK int spot_plan_cap(
    spot_planning_t *planning, spot_planned_t *planned, int64_t *cap_micro);

int spot_rate_greedy(spot_planning_t *planning, spot_planned_t *planned);
int spot_rate_exact(spot_planning_t *planning, spot_planned_t *planned);
