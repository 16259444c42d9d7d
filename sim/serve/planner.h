/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Planners: the cheapest configuration that meets the objective, or the highest rate
 * within a budget. Each is one file with one const table in planners/. The rules are
 * those of docs/serving-rules.md, so that two implementations find the same
 * configuration. */
#pragma once

#include "sim/serve/gates.h"

typedef struct spot_planning spot_planning_t;

/* A configuration with what it gives on the queries that it was planned for. */
typedef struct {
    spot_stage_option_t *options; /* [num_stages]; NULL: none was found */
    int64_t cost_micro;           /* per hour */
    int64_t percentile_ns;        /* of the objective; INT64_MAX: infinite */
    size_t num_late;
    spot_gate_t gate; /* of no plan: the gate that fails */
    double rate_qps;  /* of rate: the highest whole one */
} spot_serving_plan_t;

/* A step of a heuristic. */
typedef struct {
    const char *move; /* "increase_batch", "remove_replica", "downgrade_hw", ... */
    int32_t stage_id; /* -1: of rate, where the search starts */
    spot_stage_option_t to;
    int64_t cost_micro;         /* after it */
    double rate_qps;            /* of rate: the highest one after it */
    int64_t next_percentile_ns; /* of rate: the percentile at the next whole rate */
} spot_plan_move_t;

/* What a planner found, and how. Zero it to start. */
typedef struct {
    spot_serving_plan_t plan;
    spot_serving_plan_t initial; /* of greedy: where the descent starts; of polish: what
                            greedy found; no options: none */
    int32_t replicas_added;      /* of greedy: to get there */
    size_t num_moves, max_moves;
    spot_plan_move_t *moves; /* [num_moves] */
    bool is_proven;          /* least by the definition of the exact planner */
    int64_t num_simulations; /* of stages */
    double cpu_s;
    const char *why_none; /* why there is no plan, where that is no gate: "no plan
                             found"; or NULL */
    spot_arena_t memory;  /* of options */
} spot_planned_t;

void spot_planned_free(spot_planned_t *self);

typedef struct {
    const char *name;
    const char *doc;
    const char *source;
    /* Cheapest configuration. planned is zeroed. */
    int (*plan)(spot_planning_t *planning, spot_planned_t *planned);
    /* Highest whole rate within the budget; NULL: it cannot. */
    int (*rate)(spot_planning_t *planning, spot_planned_t *planned);
} spot_planner_t;

extern const spot_planner_t spot_planner_exact, spot_planner_greedy, spot_planner_polish;

/* All, up to NULL; the first is the default. */
extern const spot_planner_t *const spot_serve_planners[];

/* What to plan for. Pointers must outlive the planning. */
typedef struct {
    const spot_serve_scenario_t *scenario;
    const spot_arrivals_t *arrivals;
    int64_t slo_ns;  /* in place of that of the scenario, which gives the percentile */
    double max_cost; /* per hour; NAN: none */
    double budget;   /* the same, of rate */
    spot_replication_t replication; /* of outages, with plan.with_preemptions; its stop
                                       flag is looked at */
} spot_plan_request_t;

/* Runs a planner; planned is zeroed. BAD_PARAM: the arrivals have no rate.
 * INTERRUPTED, NO_MEMORY. Free planned even then. */
SPOT_MUST_CHECK int spot_serve_plan(
    const spot_planner_t *planner, const spot_plan_request_t *request, spot_planned_t *planned);
SPOT_MUST_CHECK int spot_serve_rate(
    const spot_planner_t *planner, const spot_plan_request_t *request, spot_planned_t *planned);

/* The highest whole rate at which a configuration is feasible; 0: none. Errors as
 * above. */
SPOT_MUST_CHECK int spot_serve_highest_rate(
    const spot_plan_request_t *request, const spot_stage_option_t *options, double *rate_qps);
