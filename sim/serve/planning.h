/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What planners have in common: the options of stages, and what a configuration gives on
 * the queries that are planned for. Only stages that differ from the configuration
 * before, and their descendants, are run again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "sim/serve/planner.h"

/* Queries that are delivered together. */
typedef struct {
    int64_t time_ns;
    int32_t first; /* place of the first one in the queue of the stage */
    int32_t size;
} spot_flow_batch_t;

/* What a node delivers. */
typedef struct {
    size_t num_queries; /* fewer than came to the pipeline if some were lost */
    const int32_t *ids; /* [num_queries] in order of delivery: own, or of the parent */
    bool is_sorted;     /* ids increase */
    size_t num_batches;
    spot_flow_batch_t *batches; /* [num_batches] time not decreasing */
    int32_t *own_ids;
} spot_flow_t;

/* When queries are late. */
typedef struct {
    size_t num_queries;   /* that came to the pipeline */
    int64_t *deadline_ns; /* [num_queries] not decreasing: when they must leave */
    int64_t rest_ns;      /* what they take at least behind the node */
    size_t max_late;      /* as many may be late, lost ones included */
} spot_flow_limit_t;

/* How many queries are late; late, unless it is NULL, becomes the bit set of them. */
size_t spot_flow_late(const spot_flow_t *self, const spot_flow_limit_t *limit, uint64_t *late);

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
    spot_flow_t source;           /* what the source delivers */
    spot_flow_t *flows;           /* [num_nodes] the same of nodes */
    int64_t *versions;            /* [num_nodes] of flows, higher than those of the
                                     parents; 0: not run */
    int64_t latest;               /* version */
    spot_stage_option_t *based;   /* [num_stages] of flows */
    spot_stage_option_t *pattern; /* [num_stages] what a planner leaves as it is */
    int64_t num_simulations;      /* of stages */
    int64_t *times_ns, *free_ns;  /* [num_queries] scratch */
    int32_t *counts, *order;      /* [num_queries], [2 num_queries] scratch */
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
SPOT_MUST_CHECK int spot_planning_init(spot_planning_t *self, const spot_plan_request_t *request);
void spot_planning_free(spot_planning_t *self);

/* The bytes that planning for so many queries takes: what all planners share. The exact planner
 * keeps late queries of stages besides, a bit each. */
double spot_planning_bytes(const spot_serve_scenario_t *scenario, double num_queries);

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

/* Replicas that keep up with a rate, from 1 to SPOT_MAX_REPLICAS + 1. */
int64_t spot_planning_need(const spot_planning_t *self, size_t stage_id, int32_t hardware_id,
    int64_t batch, double rate_qps);

/* Money in millionths; INT64_MAX: NAN. */
int64_t spot_planning_micro(double money);

/* What a configuration gives: all of plan but its options and rate. Unless is_full, the
 * percentile and the late queries are those of a feasible one only. INTERRUPTED,
 * NO_MEMORY, errors of the event engine. */
SPOT_MUST_CHECK int spot_planning_evaluate(spot_planning_t *self,
    const spot_stage_option_t *options, bool is_full, spot_serving_plan_t *plan);

/* Makes a configuration a plan, with a copy of the options. Errors as above. */
SPOT_MUST_CHECK int spot_planning_take(spot_planning_t *self, spot_planned_t *planned,
    const spot_stage_option_t *options, spot_serving_plan_t *plan);

/* ---- Of the event engine ---- */

/* Runs a node on what its parents deliver; options: [num_stages]. *is_good: within the
 * limit, which may be NULL. Errors as above. */
SPOT_MUST_CHECK int spot_planning_run_node(spot_planning_t *self, int32_t node_id,
    const spot_stage_option_t *options, const spot_flow_limit_t *limit, bool *is_good);

/* Sets is_in to a node and all its ancestors. */
void spot_planning_ancestors(const spot_planning_t *self, int32_t node_id, bool *is_in);

/* ---- Of single planners, for others ---- */

/* An option of a stage, for searches of the whole space. */
typedef struct {
    spot_stage_option_t option;
    int64_t cost_micro;
    int32_t rank; /* by key: hardware order, batch limit, replicas */
} spot_stage_choice_t;

typedef struct {
    size_t num_choices, max_choices;
    spot_stage_choice_t *choices; /* [num_choices] by (cost, rank) */
} spot_choices_t;

/* All options up to a cost whose replicas keep up with need_qps, and have a capacity of
 * gate_qps. NO_MEMORY; the caller frees choices even then. planners.c */
SPOT_MUST_CHECK int spot_choices_make(spot_choices_t *self, const spot_planning_t *planning,
    size_t stage_id, double need_qps, double gate_qps, int64_t max_micro);

/* The choices of all stages in configurations up to a cost, at a rate. *has_all: each
 * stage has some. */
SPOT_MUST_CHECK int spot_choices_make_all(spot_choices_t *stages, const spot_planning_t *planning,
    double rate_qps, int64_t max_micro, bool *has_all);

/* A step of a heuristic. plan.gate: FEASIBLE, or there is none. */
typedef struct {
    spot_plan_move_t move;
    spot_serving_plan_t plan;
} spot_candidate_t;

/* Takes the cheapest option of a stage on a hardware with a total of at most
 * bound_micro, others as they are, if (total, percentile) is less than that of best.
 * options are changed meanwhile. greedy.c */
SPOT_MUST_CHECK int spot_plan_refit(spot_planning_t *planning, spot_stage_option_t *options,
    const char *move, size_t stage_id, int32_t hardware_id, int64_t bound_micro,
    spot_candidate_t *best);

SPOT_MUST_CHECK int spot_plan_greedy(spot_planning_t *planning, spot_planned_t *planned);

/* The plan of the exact planner up to a cost; without options: there is none. */
SPOT_MUST_CHECK int spot_plan_exact(
    spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned);

/* The cap of exact: the cost of greedy and plan.max_cost, as far as they
 * exist; INT64_MAX: neither. planned says what it means that there is no plan. */
SPOT_MUST_CHECK int spot_plan_cap(
    spot_planning_t *planning, spot_planned_t *planned, int64_t *cap_micro);

/* ---- Other rates ----
 * What options give when the queries come at the same pattern, faster or slower. */

/* Zeroed but for planning and options; free arrivals. */
typedef struct {
    spot_planning_t *planning;
    spot_arrivals_t arrivals; /* rescaled */
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES];
} spot_rate_t;

/* Plans for the queries at a rate from now on. */
SPOT_MUST_CHECK int spot_rate_set(spot_rate_t *self, int64_t rate_qps);

/* What the options give at a rate. */
SPOT_MUST_CHECK int spot_rate_evaluate(
    spot_rate_t *self, int64_t rate_qps, bool is_full, spot_serving_plan_t *plan);

/* The highest rate of the options, by bisection. */
SPOT_MUST_CHECK int spot_rate_find(spot_rate_t *self, int64_t *rate_qps);
