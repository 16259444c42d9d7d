/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "models/serving_profile.h"
#include "sim/serve/planning.h"

/* ---- Start ---- */

/* The hardware with the fastest batch of one query, the cheaper one of equals, or -1. */
static int32_t fastest_hardware(const spot_planning_t *planning, size_t stage_id)
{
    int64_t least_ns = INT64_MAX, least_micro = INT64_MAX;
    int32_t fastest = -1;

    for (int32_t k = spot_planning_hardware(planning, stage_id, -1, 1); k >= 0;
         k = spot_planning_hardware(planning, stage_id, k, 1)) {
        const spot_stage_option_t option = spot_planning_option(planning, stage_id, k, 1, 1);
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
static int start(spot_planning_t *planning, spot_planned_t *planned, spot_stage_option_t *options)
{
    spot_serving_plan_t *plan = &planned->plan;
    int64_t num_replicas = 0;
    size_t grown;
    int ret = 0;

    plan->gate = SPOT_GATE_THROUGHPUT;
    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        const int32_t hardware_id = fastest_hardware(planning, j);

        if (hardware_id < 0) {
            planned->why_none = "a stage has no hardware with a spot price";
            return 0;
        }
        options[j] = spot_planning_option(planning, j, hardware_id, 1,
            spot_planning_need(planning, j, hardware_id, 1, planning->rate_qps));
        num_replicas += options[j].replicas;
    }
    if (spot_gate_least_latency(planning->scenario, options) > planning->request->slo_ns) {
        plan->gate = SPOT_GATE_LATENCY;
        return 0;
    }
    for (; ret == 0 && num_replicas <= SPOT_MAX_REPLICAS; num_replicas++) {
        ret = spot_planning_evaluate(planning, options, false, plan);
        if (plan->gate == SPOT_GATE_FEASIBLE) {
            break;
        }
        grown = spot_gate_bottleneck(planning->scenario, options);
        options[grown] = spot_planning_option(
            planning, grown, options[grown].hardware_id, 1, options[grown].replicas + 1);
        planned->replicas_added++;
    }
    return ret;
}

/* ---- Steps ---- */

/* Tries another option of a stage. It becomes the best one if it is feasible and
 * cheaper, or as cheap with a lower percentile: the first of equals stays. */
static int try_option(spot_planning_t *planning, spot_stage_option_t *options, const char *move,
    size_t stage_id, const spot_stage_option_t *to, spot_candidate_t *best, bool *is_feasible)
{
    const spot_stage_option_t from = options[stage_id];
    spot_serving_plan_t plan = {0};
    int ret;

    options[stage_id] = *to;
    ret = spot_planning_evaluate(planning, options, false, &plan);
    options[stage_id] = from;
    *is_feasible = ret == 0 && plan.gate == SPOT_GATE_FEASIBLE;
    if (*is_feasible &&
        (best->plan.gate != SPOT_GATE_FEASIBLE || plan.cost_micro < best->plan.cost_micro ||
            (plan.cost_micro == best->plan.cost_micro &&
                plan.percentile_ns < best->plan.percentile_ns))) {
        best->plan = plan;
        best->move = (spot_plan_move_t){
            .move = move, .stage_id = (int32_t) stage_id, .to = *to, .cost_micro = plan.cost_micro};
    }
    return ret;
}

int spot_plan_refit(spot_planning_t *planning, spot_stage_option_t *options, const char *move,
    size_t stage_id, int32_t hardware_id, int64_t bound_micro, spot_candidate_t *best)
{
    const spot_serve_scenario_t *scenario = planning->scenario;
    const spot_serving_profile_t *profile = spot_planning_profile(planning, stage_id, hardware_id);
    const int64_t others_micro = spot_serve_scenario_total(planning->scenario, options) -
                                 spot_serve_scenario_cost(scenario, &options[stage_id]);
    int ret = 0;

    for (size_t j = 0; j < profile->num_rows && ret == 0; j++) {
        const int64_t batch = profile->rows[j].batch;
        spot_stage_option_t to = spot_planning_option(planning, stage_id, hardware_id, batch,
            spot_planning_need(planning, stage_id, hardware_id, batch, planning->rate_qps));
        bool is_feasible = false;

        while (ret == 0 && !is_feasible && to.replicas <= SPOT_MAX_REPLICAS &&
               others_micro + spot_serve_scenario_cost(scenario, &to) <= bound_micro) {
            ret = try_option(planning, options, move, stage_id, &to, best, &is_feasible);
            if (is_feasible) {
                bound_micro = others_micro + spot_serve_scenario_cost(scenario, &to);
            }
            to = spot_planning_option(planning, stage_id, hardware_id, batch, to.replicas + 1);
        }
    }
    return ret;
}

/* The row of a batch size, or NULL. O(rows). */
static const spot_batch_profile_t *serving_profile_row(
    const spot_serving_profile_t *self, int64_t batch)
{
    for (size_t j = 0; j < self->num_rows; j++) {
        if (self->rows[j].batch == batch) {
            return &self->rows[j];
        }
    }
    return NULL;
}

/* All steps of a stage, in order. */
static int try_stage(spot_planning_t *planning, spot_stage_option_t *options, size_t stage_id,
    spot_candidate_t *best)
{
    const spot_stage_option_t from = options[stage_id];
    const int32_t hardware_id = from.hardware_id;
    const spot_serving_profile_t *profile = spot_planning_profile(planning, stage_id, hardware_id);
    const spot_batch_profile_t *row = serving_profile_row(profile, from.batch);
    const int32_t cheaper = spot_planning_hardware(planning, stage_id, hardware_id, 1);
    bool is_feasible;
    int ret = 0;

    if (row + 1 < profile->rows + profile->num_rows) {
        const spot_stage_option_t to =
            spot_planning_option(planning, stage_id, hardware_id, row[1].batch, from.replicas);

        ret = try_option(planning, options, "increase_batch", stage_id, &to, best, &is_feasible);
    }
    if (ret == 0 && from.replicas > 1) {
        const spot_stage_option_t to =
            spot_planning_option(planning, stage_id, hardware_id, from.batch, from.replicas - 1);

        ret = try_option(planning, options, "remove_replica", stage_id, &to, best, &is_feasible);
    }
    if (ret == 0 && cheaper >= 0) {
        ret = spot_plan_refit(planning, options, "downgrade_hw", stage_id, cheaper,
            spot_serve_scenario_total(planning->scenario, options) - 1, best);
    }
    return ret;
}

/* Takes the best step while one is feasible and not dearer. */
static int descend(spot_planning_t *planning, spot_planned_t *planned, spot_stage_option_t *options)
{
    for (int ret = 0; ret == 0;) {
        spot_candidate_t best = {.plan.gate = SPOT_GATE_SLO};

        for (size_t j = 0; j < planning->pipeline->num_stages && ret == 0; j++) {
            ret = try_stage(planning, options, j, &best);
        }
        if (ret != 0 || best.plan.gate != SPOT_GATE_FEASIBLE ||
            best.plan.cost_micro > spot_serve_scenario_total(planning->scenario, options)) {
            return ret;
        }
        options[best.move.stage_id] = best.move.to;
        ret = SPOT_ARRAY_APPEND(planned, moves, best.move);
    }
    return SPOT_ERR_NO_MEMORY;
}

int spot_plan_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES] = {0};
    int ret = start(planning, planned, options);

    if (ret != 0 || planned->plan.gate != SPOT_GATE_FEASIBLE) {
        return ret;
    }
    ret = spot_planning_take(planning, planned, options, &planned->initial);
    ret = ret != 0 ? ret : descend(planning, planned, options);
    return ret != 0 ? ret : spot_planning_take(planning, planned, options, &planned->plan);
}

/* ---- The highest rate ---- */

/* What a configuration reaches: its rate, then the percentile at the next one. */
typedef struct {
    int64_t rate_qps;
    int64_t next_percentile_ns;
} reach_t;

/* Finds what the options reach; if that is more than so far, it is a move. */
static int try_move(spot_rate_t *self, spot_planned_t *planned, const char *move, int32_t stage_id,
    reach_t *so_far, bool *is_better)
{
    spot_serving_plan_t plan = {0};
    reach_t reach = {0};
    int ret = spot_rate_find(self, &reach.rate_qps);

    ret = ret != 0 ? ret : spot_rate_evaluate(self, reach.rate_qps + 1, true, &plan);
    reach.next_percentile_ns = plan.percentile_ns;
    *is_better = ret == 0 && (reach.rate_qps > so_far->rate_qps ||
                                 (reach.rate_qps == so_far->rate_qps &&
                                     reach.next_percentile_ns < so_far->next_percentile_ns));
    if (*is_better) {
        *so_far = reach;
        ret = SPOT_ARRAY_APPEND(planned, moves,
            (spot_plan_move_t){move, stage_id, self->options[stage_id < 0 ? 0 : stage_id],
                plan.cost_micro, (double) reach.rate_qps, reach.next_percentile_ns});
    }
    return ret;
}

/* The options of a stage after each action, within the budget. Returns false if there is
 * none. */
static bool act(const spot_rate_t *self, size_t stage_id, int action, int64_t budget_micro,
    spot_stage_option_t *option)
{
    const spot_planning_t *planning = self->planning;
    const spot_stage_option_t *from = &self->options[stage_id];
    const spot_serving_profile_t *profile =
        spot_planning_profile(planning, stage_id, from->hardware_id);
    const spot_batch_profile_t *row = serving_profile_row(profile, from->batch);
    const int32_t dearer = spot_planning_hardware(planning, stage_id, from->hardware_id, -1);
    const int64_t others_micro = spot_serve_scenario_total(planning->scenario, self->options) -
                                 spot_serve_scenario_cost(planning->scenario, from);

    if (action == 0 && row + 1 < profile->rows + profile->num_rows) {
        *option = spot_planning_option(
            planning, stage_id, from->hardware_id, row[1].batch, from->replicas);
    } else if (action == 1 && from->replicas < SPOT_MAX_REPLICAS) {
        *option = spot_planning_option(
            planning, stage_id, from->hardware_id, from->batch, from->replicas + 1);
    } else if (action == 2 && dearer >= 0) {
        profile = spot_planning_profile(planning, stage_id, dearer);
        row = profile->rows + profile->num_rows - 1;
        while (row > profile->rows && row->batch > from->batch) {
            row--;
        }
        *option = spot_planning_option(planning, stage_id, dearer, row->batch, from->replicas);
    } else {
        return false;
    }
    return others_micro + spot_serve_scenario_cost(planning->scenario, option) <= budget_micro;
}

/* Takes the first action on a stage that reaches more. */
static int improve(spot_rate_t *self, spot_planned_t *planned, int32_t stage_id,
    int64_t budget_micro, reach_t *reach, bool *is_better)
{
    static const char *const actions[] = {"increase_batch", "add_replica", "upgrade_hw"};
    const spot_stage_option_t from = self->options[stage_id];
    int ret = 0;

    *is_better = false;
    for (int action = 0; action < 3 && ret == 0 && !*is_better; action++) {
        spot_stage_option_t to;

        if (act(self, (size_t) stage_id, action, budget_micro, &to)) {
            self->options[stage_id] = to;
            ret = try_move(self, planned, actions[action], stage_id, reach, is_better);
            self->options[stage_id] = *is_better ? to : from;
        }
    }
    return ret;
}

/* The stage of least capacity among those that are not exhausted, or -1. */
static int32_t next_stage(const spot_rate_t *self, const bool *is_exhausted)
{
    double least_qps = (double) INFINITY;
    int32_t stage_id = -1;

    for (size_t j = 0; j < self->planning->pipeline->num_stages; j++) {
        const double qps = spot_gate_capacity(self->planning->scenario, j, &self->options[j]);

        if (!is_exhausted[j] && qps < least_qps) {
            stage_id = (int32_t) j;
            least_qps = qps;
        }
    }
    return stage_id;
}

/* From the cheapest replicas up. */
static int climb(spot_rate_t *self, spot_planned_t *planned, int64_t budget_micro, reach_t *reach)
{
    bool is_exhausted[SPOT_SERVE_MAX_NODES] = {false};
    bool is_better;
    int32_t stage_id;
    int ret = try_move(self, planned, "init", -1, reach, &is_better);

    while (ret == 0 && (stage_id = next_stage(self, is_exhausted)) >= 0) {
        ret = improve(self, planned, stage_id, budget_micro, reach, &is_better);
        is_exhausted[stage_id] = true;
        if (is_better) {
            memset(is_exhausted, false, sizeof(is_exhausted));
        }
    }
    return ret;
}

/* The cheapest replica of each stage, with batches of one query. */
static int start_cheap(spot_rate_t *self, int64_t budget_micro, bool *has_all)
{
    int ret = 0;

    *has_all = true;
    for (size_t j = 0; j < self->planning->pipeline->num_stages && ret == 0; j++) {
        spot_choices_t choices = {0};

        ret = spot_choices_make(&choices, self->planning, j, 0, 0, budget_micro);
        *has_all = *has_all && choices.num_choices > 0;
        if (choices.num_choices > 0) {
            self->options[j] = choices.choices[0].option;
        }
        free(choices.choices);
    }
    *has_all = *has_all &&
               spot_serve_scenario_total(self->planning->scenario, self->options) <= budget_micro;
    return ret;
}

static int rate_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    spot_rate_t self = {.planning = planning};
    reach_t reach = {.rate_qps = -1};
    bool has_all;
    int ret = start_cheap(&self, budget_micro, &has_all);

    planned->plan.gate = SPOT_GATE_THROUGHPUT;
    if (ret == 0 && has_all) {
        ret = climb(&self, planned, budget_micro, &reach);
    }
    if (ret == 0 && reach.rate_qps == 0) {
        ret = spot_rate_evaluate(&self, 1, false, &planned->plan);
    } else if (ret == 0 && reach.rate_qps > 0) {
        ret = spot_rate_set(&self, reach.rate_qps);
        ret = ret != 0 ? ret : spot_planning_take(planning, planned, self.options, &planned->plan);
        planned->plan.rate_qps = (double) reach.rate_qps;
    }
    spot_arrivals_free(&self.arrivals);
    return ret;
}

const spot_planner_t spot_planner_greedy = {
    .name = "greedy",
    .doc = "from the fastest hardware and single queries down: larger batches, fewer "
           "replicas, cheaper hardware, the best step first",
    .source = "Crankshaw et al., InferLine, SoCC 2020, its two steps made precise",
    .plan = spot_plan_greedy,
    .rate = rate_greedy,
};
