/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the fastest hardware and batches of one query down, step by step. */
#include <string.h>

#include "sim/serve/planning.h"

/* What a step leads to. plan.gate: FEASIBLE, or there is none. */
typedef struct {
    spot_plan_move_t move;
    spot_serving_plan_t plan;
} candidate_t;

/* ---- Start ---- */

/* The hardware with the fastest batch of one query, the cheaper one of equals. */
static int32_t
fastest_hardware(const spot_planning_t *planning, size_t stage_id)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    int64_t least_ns = INT64_MAX, least_micro = INT64_MAX;
    int32_t fastest = -1;

    for (int32_t k = 0; k < (int32_t) scenario->prices.num_prices; k++) {
        const spot_stage_option_t option =
            spot_planning_option(planning, stage_id, k, 1, 1);
        int64_t busy_ns, micro;

        if (spot_planning_profile(planning, stage_id, k) == NULL) {
            continue;
        }
        busy_ns = spot_serve_scenario_time(scenario, stage_id, k)->busy_ns[1];
        micro = spot_serve_scenario_cost(scenario, &option);
        if (busy_ns < least_ns || (busy_ns == least_ns && micro < least_micro)) {
            fastest = k;
            least_ns = busy_ns;
            least_micro = micro;
        }
    }
    return fastest;
}

/* Adds replicas until the objective is met, or gate says why it is not. */
static int
start(spot_planning_t *planning, spot_planned_t *planned, spot_stage_option_t *options)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    size_t grown = 0;
    int ret = 0;

    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        const int32_t hardware_id = fastest_hardware(planning, j);

        if (hardware_id < 0) {
            planned->plan.gate = SPOT_GATE_THROUGHPUT;
            planned->why_none = "a stage has no hardware with a price in its market";
            return 0;
        }
        options[j] = spot_planning_option(planning, j, hardware_id, 1,
            spot_planning_need(planning, j, hardware_id, 1, planning->rate_qps));
        grown = options[j].replicas > SPOT_MAX_REPLICAS ? j : grown;
    }
    planned->plan.gate = SPOT_GATE_LATENCY;
    if (spot_gate_least_latency(scenario, options) > planning->request->slo_ns) {
        return 0;
    }
    planned->plan.gate = SPOT_GATE_THROUGHPUT;
    while (ret == 0 && planned->plan.gate != SPOT_GATE_FEASIBLE &&
           options[grown].replicas <= SPOT_MAX_REPLICAS) {
        ret = spot_planning_evaluate(
            planning, options, SPOT_EVALUATE_GATES, &planned->plan);
        if (planned->plan.gate != SPOT_GATE_FEASIBLE) {
            grown = spot_gate_bottleneck(scenario, options);
            options[grown].replicas++;
            planned->replicas_added++;
        }
    }
    return ret;
}

/* ---- Steps ---- */

/* Takes a candidate that is cheaper, or as cheap with a lower percentile; the first of
 * equals stays. */
static void
take_better(candidate_t *best, const candidate_t *candidate)
{
    if (candidate->plan.gate == SPOT_GATE_FEASIBLE &&
        (best->plan.gate != SPOT_GATE_FEASIBLE ||
            candidate->plan.cost_micro < best->plan.cost_micro ||
            (candidate->plan.cost_micro == best->plan.cost_micro &&
                candidate->plan.percentile_ns < best->plan.percentile_ns))) {
        *best = *candidate;
    }
}

/* Tries another option of a stage. */
static int
try_option(spot_planning_t *planning, spot_stage_option_t *options, const char *move,
    size_t stage_id, const spot_stage_option_t *to, candidate_t *best)
{
    const spot_stage_option_t from = options[stage_id];
    candidate_t candidate = {
        .move = {.move = move, .stage_id = (int32_t) stage_id, .to = *to}};
    int ret;

    options[stage_id] = *to;
    ret =
        spot_planning_evaluate(planning, options, SPOT_EVALUATE_GATES, &candidate.plan);
    options[stage_id] = from;
    candidate.move.cost_micro = candidate.plan.cost_micro;
    if (ret == 0) {
        take_better(best, &candidate);
    }
    return ret;
}

int
spot_plan_refit(spot_planning_t *planning, spot_stage_option_t *options,
    const char *move, size_t stage_id, int32_t hardware_id, int64_t bound_micro,
    spot_plan_move_t *found, spot_serving_plan_t *plan)
{
    const spot_serving_profile_t *profile =
        spot_planning_profile(planning, stage_id, hardware_id);
    const int64_t others_micro =
        spot_planning_cost(planning, options) -
        spot_serve_scenario_cost(planning->scenario, &options[stage_id]);
    candidate_t best = {.plan.gate = SPOT_GATE_SLO};
    int ret = 0;

    for (size_t j = 0; j < profile->num_rows && ret == 0; j++) {
        const int64_t batch = profile->rows[j].batch;
        candidate_t fit = {.plan.gate = SPOT_GATE_SLO};
        int64_t replicas = spot_planning_need(
            planning, stage_id, hardware_id, batch, planning->rate_qps);

        for (; ret == 0 && fit.plan.gate != SPOT_GATE_FEASIBLE &&
               replicas <= SPOT_MAX_REPLICAS;
             replicas++) {
            const spot_stage_option_t to =
                spot_planning_option(planning, stage_id, hardware_id, batch, replicas);

            if (others_micro + spot_serve_scenario_cost(planning->scenario, &to) >
                bound_micro) {
                break;
            }
            ret = try_option(planning, options, move, stage_id, &to, &fit);
        }
        if (fit.plan.gate == SPOT_GATE_FEASIBLE) {
            bound_micro = fit.plan.cost_micro;
        }
        take_better(&best, &fit);
    }
    *found = best.move;
    *plan = best.plan;
    return ret;
}

/* The next cheaper hardware that a stage can run on, or -1. */
static int32_t
cheaper_hardware(const spot_planning_t *planning, size_t stage_id, int32_t hardware_id)
{
    for (int32_t k = hardware_id + 1;
         k < (int32_t) planning->scenario->prices.num_prices; k++) {
        if (spot_planning_profile(planning, stage_id, k) != NULL) {
            return k;
        }
    }
    return -1;
}

/* All steps of a stage, in order. */
static int
try_stage(spot_planning_t *planning, spot_stage_option_t *options, size_t stage_id,
    int64_t cost_micro, candidate_t *best)
{
    const spot_stage_option_t from = options[stage_id];
    const spot_serving_profile_t *profile =
        spot_planning_profile(planning, stage_id, from.hardware_id);
    const spot_batch_profile_t *row = spot_serving_profile_row(profile, from.batch);
    const int32_t cheaper = cheaper_hardware(planning, stage_id, from.hardware_id);
    candidate_t refit = {.plan.gate = SPOT_GATE_SLO};
    int ret = 0;

    if (row + 1 < profile->rows + profile->num_rows) {
        const spot_stage_option_t to = spot_planning_option(
            planning, stage_id, from.hardware_id, row[1].batch, from.replicas);

        ret = try_option(planning, options, "increase_batch", stage_id, &to, best);
    }
    if (ret == 0 && from.replicas > 1) {
        const spot_stage_option_t to = spot_planning_option(
            planning, stage_id, from.hardware_id, from.batch, from.replicas - 1);

        ret = try_option(planning, options, "remove_replica", stage_id, &to, best);
    }
    if (ret == 0 && cheaper >= 0) {
        ret = spot_plan_refit(planning, options, "downgrade_hw", stage_id, cheaper,
            cost_micro - 1, &refit.move, &refit.plan);
        take_better(best, &refit);
    }
    return ret;
}

/* Takes steps while one is feasible and not dearer. */
static int
descend(spot_planning_t *planning, spot_planned_t *planned, spot_stage_option_t *options)
{
    spot_serving_plan_t plan = {0};
    candidate_t best;
    int ret;

    do {
        best = (candidate_t){.plan.gate = SPOT_GATE_SLO};
        ret = spot_planning_evaluate(planning, options, SPOT_EVALUATE_KEEP, &plan);
        for (size_t j = 0; j < planning->pipeline->num_stages && ret == 0; j++) {
            ret = try_stage(planning, options, j, plan.cost_micro, &best);
        }
        if (ret != 0 || best.plan.gate != SPOT_GATE_FEASIBLE ||
            best.plan.cost_micro > plan.cost_micro) {
            return ret;
        }
        options[best.move.stage_id] = best.move.to;
        ret = SPOT_ARRAY_APPEND(planned, moves, best.move);
    } while (ret == 0);
    return ret;
}

int
spot_plan_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    spot_stage_option_t *options;
    int ret;

    SPOT_ARENA_ARRAY(&planned->memory, options, planning->pipeline->num_stages);
    if (options == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    ret = start(planning, planned, options);
    if (ret != 0 || planned->plan.gate != SPOT_GATE_FEASIBLE) {
        return ret;
    }
    ret = spot_planning_take(planning, planned, options, &planned->initial);
    if (ret == 0) {
        ret = descend(planning, planned, options);
    }
    if (ret == 0) {
        ret = spot_planning_take(planning, planned, options, &planned->plan);
    }
    return ret;
}

const spot_planner_t spot_planner_greedy = {
    .name = "greedy",
    .doc = "from the fastest hardware down: larger batches, fewer replicas, cheaper "
           "hardware, the best step first",
    .source = "Crankshaw et al., InferLine, SoCC 2020, its two steps made precise",
    .plan = spot_plan_greedy,
    .rate = spot_rate_greedy,
};
