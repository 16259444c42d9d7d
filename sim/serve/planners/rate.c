/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest whole rate: of a configuration, and within a budget. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/serve/planning.h"

#define RATE_MOST (INT64_C(1) << 40) /* queries per second; no rate is higher */

typedef struct {
    spot_planning_t *planning;
    spot_arrivals_t arrivals; /* rescaled */
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES];
} rate_t;

/* What a configuration reaches: its rate, then the percentile at the next one. */
typedef struct {
    int64_t rate_qps;
    int64_t next_percentile_ns;
} reach_t;

/* Plans for the queries at a rate from now on. */
static int set_rate(rate_t *self, int64_t rate_qps)
{
    const int ret = spot_arrivals_rescale(
        &self->arrivals, self->planning->request->arrivals, (double) rate_qps);

    if (ret == 0) {
        spot_planning_set_arrivals(self->planning, &self->arrivals);
    }
    return ret;
}

/* What the options give at a rate. */
static int evaluate_at(rate_t *self, int64_t rate_qps, bool is_full, spot_serving_plan_t *plan)
{
    const int ret = set_rate(self, rate_qps);

    return ret != 0 ? ret : spot_planning_evaluate(self->planning, self->options, is_full, plan);
}

/* The highest rate of the options, by bisection. */
static int find_rate(rate_t *self, int64_t *rate_qps)
{
    const spot_serve_scenario_t *scenario = self->planning->scenario;
    const size_t stage_id = spot_gate_bottleneck(scenario, self->options);
    int64_t low = 0, high = 1;
    int ret = 0;

    if (spot_gate_least_latency(scenario, self->options) <= self->planning->request->slo_ns) {
        high += (int64_t) spot_gate_capacity(scenario, stage_id, &self->options[stage_id]);
    }
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        spot_serving_plan_t plan = {0};

        ret = evaluate_at(self, middle, false, &plan);
        *(plan.gate == SPOT_GATE_FEASIBLE ? &low : &high) = middle;
    }
    *rate_qps = low;
    return ret;
}

/* ---- Greedy ---- */

/* Finds what the options reach; if that is more than so far, it is a move. */
static int try_move(rate_t *self, spot_planned_t *planned, const char *move, int32_t stage_id,
    reach_t *so_far, bool *is_better)
{
    spot_serving_plan_t plan = {0};
    reach_t reach = {0};
    int ret = find_rate(self, &reach.rate_qps);

    ret = ret != 0 ? ret : evaluate_at(self, reach.rate_qps + 1, true, &plan);
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
static bool act(const rate_t *self, size_t stage_id, int action, int64_t budget_micro,
    spot_stage_option_t *option)
{
    const spot_planning_t *planning = self->planning;
    const spot_stage_option_t *from = &self->options[stage_id];
    const spot_serving_profile_t *profile =
        spot_planning_profile(planning, stage_id, from->hardware_id);
    const spot_batch_profile_t *row = spot_serving_profile_row(profile, from->batch);
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
static int improve(rate_t *self, spot_planned_t *planned, int32_t stage_id, int64_t budget_micro,
    reach_t *reach, bool *is_better)
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
static int32_t next_stage(const rate_t *self, const bool *is_exhausted)
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
static int climb(rate_t *self, spot_planned_t *planned, int64_t budget_micro, reach_t *reach)
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
static int start(rate_t *self, int64_t budget_micro, bool *has_all)
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

int spot_rate_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    rate_t self = {.planning = planning};
    reach_t reach = {.rate_qps = -1};
    bool has_all;
    int ret = start(&self, budget_micro, &has_all);

    planned->plan.gate = SPOT_GATE_THROUGHPUT;
    if (ret == 0 && has_all) {
        ret = climb(&self, planned, budget_micro, &reach);
    }
    if (ret == 0 && reach.rate_qps == 0) {
        ret = evaluate_at(&self, 1, false, &planned->plan);
    } else if (ret == 0 && reach.rate_qps > 0) {
        ret = set_rate(&self, reach.rate_qps);
        ret = ret != 0 ? ret : spot_planning_take(planning, planned, self.options, &planned->plan);
        planned->plan.rate_qps = (double) reach.rate_qps;
    }
    spot_arrivals_free(&self.arrivals);
    return ret;
}

/* ---- Exact ---- */

/* Whether the cheapest replicas that keep up with a rate cost more than the budget. */
static int check_dear(const rate_t *self, int64_t rate_qps, int64_t budget_micro, bool *is_too_dear)
{
    int ret = 0;

    *is_too_dear = false;
    for (size_t j = 0; j < self->planning->pipeline->num_stages && ret == 0 && !*is_too_dear; j++) {
        spot_choices_t choices = {0};

        ret = spot_choices_make(&choices, self->planning, j, (double) rate_qps, 0, budget_micro);
        *is_too_dear = choices.num_choices == 0;
        budget_micro -= *is_too_dear ? 0 : choices.choices[0].cost_micro;
        free(choices.choices);
    }
    return ret;
}

/* The least rate that is too dear. */
static int find_too_dear(const rate_t *self, int64_t budget_micro, int64_t *rate_qps)
{
    int64_t low = 0, high = 1;
    bool is_too_dear = false;
    int ret = 0;

    while (ret == 0 && !is_too_dear && high < RATE_MOST) {
        ret = check_dear(self, high, budget_micro, &is_too_dear);
        low = is_too_dear ? low : high;
        high *= is_too_dear ? 1 : 2;
    }
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        ret = check_dear(self, middle, budget_micro, &is_too_dear);
        *(is_too_dear ? &high : &low) = middle;
    }
    *rate_qps = high;
    return ret;
}

int spot_rate_exact(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    rate_t self = {.planning = planning};
    int64_t low = 0, high;
    int ret = find_too_dear(&self, budget_micro, &high);

    planned->plan.gate = high == 1 ? SPOT_GATE_THROUGHPUT : SPOT_GATE_SLO;
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        const spot_serving_plan_t before = planned->plan;

        planned->plan.options = NULL;
        ret = set_rate(&self, middle);
        ret = ret != 0 ? ret : spot_plan_exact(planning, budget_micro, planned);
        if (planned->plan.options != NULL) {
            low = middle;
            planned->plan.rate_qps = (double) low;
        } else {
            high = middle;
            planned->plan = before;
        }
    }
    planned->is_proven = ret == 0;
    spot_arrivals_free(&self.arrivals);
    return ret;
}

int spot_serve_highest_rate(
    const spot_plan_request_t *request, const spot_stage_option_t *options, double *rate_qps)
{
    spot_planning_t planning;
    rate_t self = {.planning = &planning};
    int64_t rate = 0;
    int ret = spot_planning_init(&planning, request);

    memcpy(self.options, options, planning.pipeline->num_stages * sizeof(*options));
    ret = ret != 0 ? ret : find_rate(&self, &rate);
    *rate_qps = (double) rate;
    spot_arrivals_free(&self.arrivals);
    spot_planning_free(&planning);
    return ret;
}
