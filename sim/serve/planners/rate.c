/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest whole rate: of a configuration, and within a budget. */
#include <math.h>
#include <string.h>

#include "sim/serve/planning.h"

#define RATE_MOST (INT64_C(1) << 40) /* queries per second; no rate is higher */

/* What a configuration reaches: its rate, then the percentile at the next one. */
typedef struct {
    int64_t rate_qps;
    int64_t next_percentile_ns;
} reach_t;

/* Whether a rate is reached; false after an error. */
typedef bool (*check_t)(
    spot_planning_t *planning, int64_t rate_qps, spot_planned_t *planned);

/* The highest rate that is reached, by bisection: 0 is, too_high is not. */
static int64_t
find_highest(
    spot_planning_t *planning, check_t check, int64_t too_high, spot_planned_t *planned)
{
    int64_t rate_qps = 0;

    while (planning->error == 0 && too_high - rate_qps > 1) {
        const int64_t middle = rate_qps + (too_high - rate_qps) / 2;

        *(check(planning, middle, planned) ? &rate_qps : &too_high) = middle;
    }
    return rate_qps;
}

/* What the configuration gives at a rate. */
static bool
evaluate_at(
    spot_planning_t *planning, int64_t rate_qps, bool is_full, spot_serving_plan_t *plan)
{
    spot_planning_set_rate(planning, (double) rate_qps);
    return planning->error == 0 && spot_planning_evaluate(planning, is_full, plan);
}

static bool
check_configuration(spot_planning_t *planning, int64_t rate_qps, spot_planned_t *planned)
{
    spot_serving_plan_t plan = {0};

    (void) planned;
    return evaluate_at(planning, rate_qps, false, &plan);
}

/* The highest rate of the configuration. */
static int64_t
find_rate(spot_planning_t *planning)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    const size_t stage_id = spot_gate_bottleneck(scenario, planning->options);
    int64_t too_high = 1;

    if (spot_gate_least_latency(scenario, planning->options) <=
        planning->request->slo_ns) {
        too_high += (int64_t) spot_gate_capacity(
            scenario, stage_id, &planning->options[stage_id]);
    }
    return find_highest(planning, check_configuration, too_high, NULL);
}

/* The configuration becomes that of the cheapest options that keep up with a rate, of
 * equals the first ones. Returns whether it is within the budget, else it is
 * unfinished. */
static bool
afford(spot_planning_t *planning, double rate_qps)
{
    int64_t spare_micro = spot_planning_micro(planning->request->budget);

    for (size_t j = 0; j < planning->pipeline->num_stages && spare_micro >= 0; j++) {
        int64_t least_micro = INT64_MAX;

        for (int32_t k = -1; (k = spot_planning_hardware(planning, j, k, 1)) >= 0;) {
            const spot_serving_profile_t *profile =
                spot_planning_profile(planning, j, k);

            for (size_t row = 0; row < profile->num_rows; row++) {
                const int64_t batch = profile->rows[row].batch;
                const spot_stage_option_t option = spot_planning_option(planning, j, k,
                    batch, spot_planning_need(planning, j, k, batch, rate_qps));
                const int64_t micro =
                    spot_serve_scenario_cost(planning->scenario, &option);

                if (option.replicas <= SPOT_MAX_REPLICAS && micro < least_micro) {
                    least_micro = micro;
                    planning->options[j] = option;
                }
            }
        }
        spare_micro = least_micro > spare_micro ? -1 : spare_micro - least_micro;
    }
    return spare_micro >= 0;
}

/* ---- Greedy ---- */

/* Finds what the configuration reaches; if that is more than so far, it is a move. */
static bool
try_move(spot_planning_t *planning, spot_planned_t *planned, const char *move,
    int32_t stage_id, reach_t *so_far)
{
    spot_serving_plan_t plan = {0};
    const int64_t rate_qps = find_rate(planning);

    if (planning->error == 0) {
        (void) evaluate_at(planning, rate_qps + 1, true, &plan);
    }
    if (planning->error != 0 || rate_qps < so_far->rate_qps ||
        (rate_qps == so_far->rate_qps &&
            plan.percentile_ns >= so_far->next_percentile_ns)) {
        return false;
    }
    *so_far = (reach_t){rate_qps, plan.percentile_ns};
    planning->error = SPOT_ARRAY_APPEND(planned, moves,
        (spot_plan_move_t){move, stage_id,
            planning->options[stage_id < 0 ? 0 : stage_id], plan.cost_micro,
            (double) rate_qps, plan.percentile_ns});
    return true;
}

/* The option of a stage after each action. Returns false if there is none. */
static bool
act(const spot_planning_t *planning, size_t stage_id, int action,
    spot_stage_option_t *option)
{
    const spot_stage_option_t *from = &planning->options[stage_id];
    const int32_t dearer =
        spot_planning_hardware(planning, stage_id, from->hardware_id, -1);

    if (action == 0) {
        return spot_planning_larger(planning, stage_id, option);
    }
    if (action == 1) {
        *option = spot_planning_option(
            planning, stage_id, from->hardware_id, from->batch, from->replicas + 1);
        return from->replicas < SPOT_MAX_REPLICAS;
    }
    if (dearer >= 0) {
        const spot_serving_profile_t *profile =
            spot_planning_profile(planning, stage_id, dearer);
        size_t row = profile->num_rows - 1;

        while (row > 0 && profile->rows[row].batch > from->batch) {
            row--;
        }
        *option = spot_planning_option(
            planning, stage_id, dearer, profile->rows[row].batch, from->replicas);
    }
    return dearer >= 0;
}

/* Takes the first action on a stage within the budget that reaches more. */
static bool
improve(
    spot_planning_t *planning, spot_planned_t *planned, int32_t stage_id, reach_t *reach)
{
    static const char *const actions[] = {"increase_batch", "add_replica", "upgrade_hw"};
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    spot_stage_option_t *option = &planning->options[stage_id], to;
    const spot_stage_option_t from = *option;

    for (int action = 0; action < 3 && planning->error == 0; action++) {
        if (act(planning, (size_t) stage_id, action, &to)) {
            *option = to;
            if (spot_planning_cost(planning) <= budget_micro &&
                try_move(planning, planned, actions[action], stage_id, reach)) {
                return true;
            }
            *option = from;
        }
    }
    return false;
}

/* The stage of least capacity among those that are not exhausted, or -1. */
static int32_t
next_stage(const spot_planning_t *planning, const bool *is_exhausted)
{
    double least_qps = (double) INFINITY;
    int32_t stage_id = -1;

    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        const double qps =
            spot_gate_capacity(planning->scenario, j, &planning->options[j]);

        if (!is_exhausted[j] && qps < least_qps) {
            stage_id = (int32_t) j;
            least_qps = qps;
        }
    }
    return stage_id;
}

/* From the cheapest replicas up. */
static void
climb(spot_planning_t *planning, spot_planned_t *planned, reach_t *reach)
{
    bool is_exhausted[SPOT_SERVE_MAX_NODES] = {false};
    int32_t stage_id;

    (void) try_move(planning, planned, "init", -1, reach);
    while (
        planning->error == 0 && (stage_id = next_stage(planning, is_exhausted)) >= 0) {
        is_exhausted[stage_id] = true;
        if (improve(planning, planned, stage_id, reach)) {
            memset(is_exhausted, false, sizeof(is_exhausted));
        }
    }
}

void
spot_rate_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    reach_t reach = {.rate_qps = -1};

    planned->plan.gate = SPOT_GATE_THROUGHPUT;
    if (afford(planning, 0)) {
        climb(planning, planned, &reach);
    }
    if (planning->error == 0 && reach.rate_qps == 0) {
        (void) evaluate_at(planning, 1, false, &planned->plan);
    } else if (planning->error == 0 && reach.rate_qps > 0) {
        spot_planning_set_rate(planning, (double) reach.rate_qps);
        if (planning->error == 0) {
            spot_planning_take(planning, planned, &planned->plan);
        }
        planned->plan.rate_qps = (double) reach.rate_qps;
    }
}

/* ---- Exact ---- */

/* Whether a configuration that keeps up with a rate is within the budget. */
static bool
check_affordable(spot_planning_t *planning, int64_t rate_qps, spot_planned_t *planned)
{
    (void) planned;
    return afford(planning, (double) rate_qps);
}

/* Whether a configuration within the budget is feasible; it becomes the plan. */
static bool
check_exact(spot_planning_t *planning, int64_t rate_qps, spot_planned_t *planned)
{
    const spot_serving_plan_t before = planned->plan;

    planned->plan.options = NULL;
    spot_planning_set_rate(planning, (double) rate_qps);
    if (planning->error == 0) {
        spot_plan_exact(
            planning, spot_planning_micro(planning->request->budget), planned);
    }
    if (planned->plan.options == NULL) {
        planned->plan = before;
        return false;
    }
    planned->plan.rate_qps = (double) rate_qps;
    return true;
}

void
spot_rate_exact(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t affordable =
        find_highest(planning, check_affordable, RATE_MOST, planned);

    planned->plan.gate = affordable == 0 ? SPOT_GATE_THROUGHPUT : SPOT_GATE_SLO;
    (void) find_highest(planning, check_exact, affordable + 1, planned);
    planned->is_proven = planning->error == 0;
}

int
spot_serve_highest_rate(const spot_plan_request_t *request,
    const spot_stage_option_t *options, double *rate_qps)
{
    spot_planning_t planning;
    int ret = spot_planning_init(&planning, request);

    *rate_qps = 0;
    if (ret == 0) {
        memcpy(
            planning.options, options, planning.pipeline->num_stages * sizeof(*options));
        *rate_qps = (double) find_rate(&planning);
        ret = planning.error;
    }
    spot_planning_free(&planning);
    return ret;
}
