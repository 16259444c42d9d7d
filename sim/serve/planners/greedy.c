/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heuristics that take the best of all steps as long as it is good: greedy and polish.
 */
#include "sim/serve/planning.h"

/* A step. plan.gate: FEASIBLE, or there is none. */
typedef struct {
    spot_plan_move_t move;
    spot_serving_plan_t plan;
} candidate_t;

/* Tries all steps of a stage; the best of them, and of those before, is best. */
typedef void (*try_stage_t)(
    spot_planning_t *planning, size_t stage_id, candidate_t *best);

/* ---- Start ---- */

/* The hardware with the fastest batch of one query, the cheaper one of equals, or -1. */
static int32_t
fastest_hardware(const spot_planning_t *planning, size_t stage_id)
{
    int64_t least_ns = INT64_MAX, least_micro = INT64_MAX;
    int32_t fastest = -1;

    for (int32_t k = -1; (k = spot_planning_hardware(planning, stage_id, k, 1)) >= 0;) {
        const spot_stage_option_t option =
            spot_planning_option(planning, stage_id, k, 1, 1);
        const int64_t micro = spot_serve_scenario_cost(planning->scenario, &option);
        const int64_t busy_ns =
            spot_serve_scenario_time(planning->scenario, stage_id, k)->busy_ns[1];

        if (busy_ns < least_ns || (busy_ns == least_ns && micro < least_micro)) {
            fastest = k;
            least_ns = busy_ns;
            least_micro = micro;
        }
    }
    return fastest;
}

/* Fastest hardware, and more replicas until all gates are passed, or there are too
 * many. */
static void
start(spot_planning_t *planning, spot_planned_t *planned)
{
    spot_stage_option_t *options = planning->options;
    spot_serving_plan_t *plan = &planned->plan;
    int64_t num_replicas = 0;

    plan->gate = SPOT_GATE_THROUGHPUT;
    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        const int32_t hardware_id = fastest_hardware(planning, j);

        if (hardware_id < 0) {
            planned->why_none = "a stage has no hardware with a spot price";
            return;
        }
        options[j] = spot_planning_option(planning, j, hardware_id, 1,
            spot_planning_need(planning, j, hardware_id, 1, planning->rate_qps));
        num_replicas += options[j].replicas;
    }
    if (spot_gate_least_latency(planning->scenario, options) >
        planning->request->slo_ns) {
        plan->gate = SPOT_GATE_LATENCY;
        return;
    }
    for (; num_replicas <= SPOT_MAX_REPLICAS &&
           !spot_planning_evaluate(planning, false, plan) && planning->error == 0;
         num_replicas++) {
        const size_t grown = spot_gate_bottleneck(planning->scenario, options);

        options[grown] = spot_planning_option(
            planning, grown, options[grown].hardware_id, 1, options[grown].replicas + 1);
        planned->replicas_added++;
    }
}

/* ---- Steps ---- */

/* Tries another option of a stage. It becomes the best one if it is feasible and
 * cheaper, or as cheap with a lower percentile: the first of equals stays. Returns
 * whether it is feasible. */
static bool
try_option(spot_planning_t *planning, const char *move, size_t stage_id,
    const spot_stage_option_t *to, candidate_t *best)
{
    const spot_stage_option_t from = planning->options[stage_id];
    spot_serving_plan_t plan = {0};
    bool is_feasible;

    planning->options[stage_id] = *to;
    is_feasible = spot_planning_evaluate(planning, false, &plan);
    planning->options[stage_id] = from;
    if (is_feasible && (best->plan.gate != SPOT_GATE_FEASIBLE ||
                           plan.cost_micro < best->plan.cost_micro ||
                           (plan.cost_micro == best->plan.cost_micro &&
                               plan.percentile_ns < best->plan.percentile_ns))) {
        best->plan = plan;
        best->move = (spot_plan_move_t){.move = move,
            .stage_id = (int32_t) stage_id,
            .to = *to,
            .cost_micro = plan.cost_micro};
    }
    return is_feasible;
}

/* Tries the cheapest options of a stage on a hardware with a total of at most
 * bound_micro, others as they are. */
static void
refit(spot_planning_t *planning, const char *move, size_t stage_id, int32_t hardware_id,
    int64_t bound_micro, candidate_t *best)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    const spot_serving_profile_t *profile =
        spot_planning_profile(planning, stage_id, hardware_id);
    int64_t spare_micro =
        bound_micro - spot_planning_cost(planning) +
        spot_serve_scenario_cost(scenario, &planning->options[stage_id]);

    for (size_t j = 0; j < profile->num_rows; j++) {
        const int64_t batch = profile->rows[j].batch;
        int64_t n = spot_planning_need(
            planning, stage_id, hardware_id, batch, planning->rate_qps);
        bool is_feasible = false;

        for (; planning->error == 0 && !is_feasible && n <= SPOT_MAX_REPLICAS; n++) {
            const spot_stage_option_t to =
                spot_planning_option(planning, stage_id, hardware_id, batch, n);
            const int64_t micro = spot_serve_scenario_cost(scenario, &to);

            if (micro > spare_micro) {
                break;
            }
            is_feasible = try_option(planning, move, stage_id, &to, best);
            spare_micro = is_feasible ? micro : spare_micro;
        }
    }
}

/* All steps of greedy, in order. */
static void
try_greedy(spot_planning_t *planning, size_t stage_id, candidate_t *best)
{
    const spot_stage_option_t from = planning->options[stage_id];
    const int32_t cheaper =
        spot_planning_hardware(planning, stage_id, from.hardware_id, 1);
    spot_stage_option_t to;

    if (spot_planning_larger(planning, stage_id, &to)) {
        (void) try_option(planning, "increase_batch", stage_id, &to, best);
    }
    if (from.replicas > 1 && planning->error == 0) {
        to = spot_planning_option(
            planning, stage_id, from.hardware_id, from.batch, from.replicas - 1);
        (void) try_option(planning, "remove_replica", stage_id, &to, best);
    }
    if (cheaper >= 0) {
        refit(planning, "downgrade_hw", stage_id, cheaper,
            spot_planning_cost(planning) - 1, best);
    }
}

/* Those of polish: the stage fitted anew. */
static void
try_polish(spot_planning_t *planning, size_t stage_id, candidate_t *best)
{
    const int64_t bound_micro = spot_planning_cost(planning);

    for (int32_t k = -1; (k = spot_planning_hardware(planning, stage_id, k, 1)) >= 0;) {
        refit(planning, "refit", stage_id, k, bound_micro, best);
    }
}

/* From planned->initial on, takes the best step while one is feasible and not dearer;
 * is_less: and less by (cost, percentile). */
static void
descend(spot_planning_t *planning, spot_planned_t *planned, try_stage_t try_stage,
    bool is_less)
{
    candidate_t best = {.plan = planned->initial};

    while (planning->error == 0) {
        best.move.move = NULL; /* none is better yet */
        if (!is_less) {
            best.plan.gate = SPOT_GATE_SLO;
        }
        for (size_t j = 0; j < planning->pipeline->num_stages && planning->error == 0;
             j++) {
            try_stage(planning, j, &best);
        }
        if (planning->error != 0) {
            return;
        }
        if (best.move.move == NULL ||
            best.plan.cost_micro > spot_planning_cost(planning)) {
            spot_planning_take(planning, planned, &planned->plan);
            return;
        }
        planning->options[best.move.stage_id] = best.move.to;
        planning->error = SPOT_ARRAY_APPEND(planned, moves, best.move);
    }
}

void
spot_plan_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    start(planning, planned);
    if (planning->error == 0 && planned->plan.gate == SPOT_GATE_FEASIBLE) {
        spot_planning_take(planning, planned, &planned->initial);
        descend(planning, planned, try_greedy, false);
    }
}

static void
polish(spot_planning_t *planning, spot_planned_t *planned)
{
    spot_plan_greedy(planning, planned);
    planned->num_moves = 0;
    planned->replicas_added = 0;
    planned->initial = planned->plan;
    if (planned->plan.options != NULL) {
        descend(planning, planned, try_polish, true);
    }
}

const spot_planner_t spot_planner_greedy = {
    .name = "greedy",
    .doc = "from the fastest hardware and single queries down: larger batches, fewer "
           "replicas, cheaper hardware, the best step first",
    .source = "Crankshaw et al., InferLine, SoCC 2020, its two steps made precise",
    .plan = spot_plan_greedy,
    .rate = spot_rate_greedy,
};

const spot_planner_t spot_planner_polish = {
    .name = "polish",
    .doc = "what greedy finds, then one stage at a time fitted anew while that makes "
           "(cost, percentile) less",
    .plan = polish,
};
