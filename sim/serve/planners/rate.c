/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The highest whole rate: of a configuration, and within a budget. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/serve/planners/choices.h"

#define RATE_MOST (INT64_C(1) << 40) /* no rate is higher */

/* What a configuration reaches: the rate, then the percentile at the next one. */
typedef struct {
    int64_t rate_qps;
    int64_t next_percentile_ns;
} reach_t;

typedef struct {
    spot_planning_t *planning;
    spot_arrivals_t arrivals; /* rescaled */
    spot_stage_option_t *options;
} rate_t;

/* Plans for the queries at a rate from now on. */
static int
set_rate(rate_t *self, int64_t rate_qps)
{
    int ret = spot_arrivals_rescale(
        &self->arrivals, self->planning->request->arrivals, (double) rate_qps);

    return ret != 0 ? ret : spot_planning_set_arrivals(self->planning, &self->arrivals);
}

/* The highest rate of the options, by bisection. */
static int
find_rate(rate_t *self, int64_t *rate_qps)
{
    const spot_serve_scenario_t *scenario = self->planning->scenario;
    const size_t stage_id = spot_gate_bottleneck(scenario, self->options);
    int64_t low = 0, high = 1;
    int ret = 0;

    if (spot_gate_least_latency(scenario, self->options) <=
        self->planning->request->slo_ns) {
        high += (int64_t) floor(
            spot_gate_capacity(scenario, stage_id, &self->options[stage_id]));
    }
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        spot_serving_plan_t plan = {0};

        ret = set_rate(self, middle);
        if (ret == 0) {
            ret = spot_planning_evaluate(
                self->planning, self->options, SPOT_EVALUATE_GATES, &plan);
        }
        if (plan.gate == SPOT_GATE_FEASIBLE) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *rate_qps = low;
    return ret;
}

static int
find_reach(rate_t *self, reach_t *reach)
{
    spot_serving_plan_t plan = {0};
    int ret = find_rate(self, &reach->rate_qps);

    if (ret == 0) {
        ret = set_rate(self, reach->rate_qps + 1);
    }
    if (ret == 0) {
        ret = spot_planning_evaluate(
            self->planning, self->options, SPOT_EVALUATE_ALL, &plan);
    }
    reach->next_percentile_ns = plan.percentile_ns;
    return ret;
}

static int
add_move(const rate_t *self, spot_planned_t *planned, const char *move, int32_t stage_id,
    const reach_t *reach)
{
    return SPOT_ARRAY_APPEND(planned, moves,
        (spot_plan_move_t){.move = move,
            .stage_id = stage_id,
            .to = self->options[stage_id < 0 ? 0 : stage_id],
            .cost_micro = spot_planning_cost(self->planning, self->options),
            .rate_qps = (double) reach->rate_qps,
            .next_percentile_ns = reach->next_percentile_ns});
}

/* ---- Greedy ---- */

typedef enum { INCREASE_BATCH, ADD_REPLICA, UPGRADE_HW, NUM_ACTIONS } action_t;

static const char *const action_names[NUM_ACTIONS] = {
    "increase_batch", "add_replica", "upgrade_hw"};

/* The option after an action; false: there is none. */
static bool
act(const spot_planning_t *planning, size_t stage_id, action_t action,
    spot_stage_option_t *option)
{
    const spot_serving_profile_t *profile =
        spot_planning_profile(planning, stage_id, option->hardware_id);
    const spot_batch_profile_t *row = spot_serving_profile_row(profile, option->batch);
    int32_t hardware_id = option->hardware_id;
    int64_t batch = option->batch, replicas = option->replicas;

    if (action == INCREASE_BATCH) {
        if (row + 1 == profile->rows + profile->num_rows) {
            return false;
        }
        batch = row[1].batch;
    } else if (action == ADD_REPLICA) {
        replicas++;
    } else {
        do {
            if (--hardware_id < 0) {
                return false;
            }
            profile = spot_planning_profile(planning, stage_id, hardware_id);
        } while (profile == NULL);
        row = profile->rows;
        while (row + 1 < profile->rows + profile->num_rows && row[1].batch <= batch) {
            row++;
        }
        batch = row->batch;
    }
    *option = spot_planning_option(planning, stage_id, hardware_id, batch, replicas);
    return replicas <= SPOT_MAX_REPLICAS;
}

/* The first action on a stage that raises the reach, within the budget. */
static int
improve(rate_t *self, spot_planned_t *planned, size_t stage_id, int64_t budget_micro,
    reach_t *reach, bool *is_better)
{
    const spot_stage_option_t from = self->options[stage_id];
    int ret = 0;

    *is_better = false;
    for (int action = 0; action < NUM_ACTIONS && ret == 0 && !*is_better; action++) {
        reach_t next = {0};

        self->options[stage_id] = from;
        if (!act(
                self->planning, stage_id, (action_t) action, &self->options[stage_id]) ||
            spot_planning_cost(self->planning, self->options) > budget_micro) {
            continue;
        }
        ret = find_reach(self, &next);
        *is_better = next.rate_qps > reach->rate_qps ||
                     (next.rate_qps == reach->rate_qps &&
                         next.next_percentile_ns < reach->next_percentile_ns);
        if (ret == 0 && *is_better) {
            *reach = next;
            ret =
                add_move(self, planned, action_names[action], (int32_t) stage_id, reach);
        }
    }
    if (!*is_better) {
        self->options[stage_id] = from;
    }
    return ret;
}

/* Cheapest hardware, batches of one query, one replica; false: a stage has none. */
static bool
start(rate_t *self)
{
    const spot_serve_scenario_t *scenario = self->planning->scenario;

    for (size_t j = 0; j < self->planning->pipeline->num_stages; j++) {
        int64_t least_micro = INT64_MAX;

        for (int32_t k = 0; k < (int32_t) scenario->prices.num_prices; k++) {
            const spot_stage_option_t option =
                spot_planning_option(self->planning, j, k, 1, 1);

            if (spot_planning_profile(self->planning, j, k) != NULL &&
                spot_serve_scenario_cost(scenario, &option) < least_micro) {
                self->options[j] = option;
                least_micro = spot_serve_scenario_cost(scenario, &option);
            }
        }
        if (least_micro == INT64_MAX) {
            return false;
        }
    }
    return true;
}

/* The stage of least capacity among those that are not exhausted, or -1. */
static int32_t
next_stage(const rate_t *self, const bool *is_exhausted)
{
    double least_qps = (double) INFINITY;
    int32_t stage_id = -1;

    for (size_t j = 0; j < self->planning->pipeline->num_stages; j++) {
        const double qps =
            spot_gate_capacity(self->planning->scenario, j, &self->options[j]);

        if (!is_exhausted[j] && qps < least_qps) {
            stage_id = (int32_t) j;
            least_qps = qps;
        }
    }
    return stage_id;
}

static int
climb(rate_t *self, spot_planned_t *planned, int64_t budget_micro, reach_t *reach)
{
    bool is_exhausted[SPOT_PIPELINE_MAX_NODES] = {false};
    int32_t stage_id;
    int ret = find_reach(self, reach);

    if (ret == 0) {
        ret = add_move(self, planned, "init", -1, reach);
    }
    while (ret == 0 && (stage_id = next_stage(self, is_exhausted)) >= 0) {
        bool is_better;

        ret = improve(self, planned, (size_t) stage_id, budget_micro, reach, &is_better);
        if (is_better) {
            memset(is_exhausted, false, sizeof(is_exhausted));
        } else {
            is_exhausted[stage_id] = true;
        }
    }
    return ret;
}

int
spot_rate_greedy(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    rate_t self = {.planning = planning};
    reach_t reach = {0};
    int ret = 0;

    SPOT_ARENA_ARRAY(&planned->memory, self.options, planning->pipeline->num_stages);
    if (self.options == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    if (!start(&self) || spot_planning_cost(planning, self.options) > budget_micro) {
        planned->plan.gate = SPOT_GATE_THROUGHPUT;
        planned->why_none = "plan.budget does not pay for one replica of each stage";
        return 0;
    }
    ret = climb(&self, planned, budget_micro, &reach);
    if (ret == 0) {
        ret = set_rate(&self, reach.rate_qps > 0 ? reach.rate_qps : 1);
    }
    if (ret == 0 && reach.rate_qps > 0) {
        ret = spot_planning_take(planning, planned, self.options, &planned->plan);
        planned->plan.rate_qps = (double) reach.rate_qps;
    } else if (ret == 0) {
        ret = spot_planning_evaluate(
            planning, self.options, SPOT_EVALUATE_ALL, &planned->plan);
    }
    spot_arrivals_free(&self.arrivals);
    return ret;
}

/* ---- Exact ---- */

/* Whether the cheapest replicas that keep up with a rate cost more than the budget. */
static bool
is_too_dear(const spot_planning_t *planning, int64_t rate_qps, int64_t budget_micro)
{
    int64_t sum_micro = 0;

    for (size_t j = 0; j < planning->pipeline->num_stages; j++) {
        const int64_t least_micro = spot_choices_least(planning, j, (double) rate_qps);

        if (least_micro > budget_micro - sum_micro) {
            return true;
        }
        sum_micro += least_micro;
    }
    return false;
}

/* The least rate that is too dear. */
static int64_t
too_dear_rate(const spot_planning_t *planning, int64_t budget_micro)
{
    int64_t low = 0, high = 1;

    while (high < RATE_MOST && !is_too_dear(planning, high, budget_micro)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (is_too_dear(planning, middle, budget_micro)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

int
spot_rate_exact(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    rate_t self = {.planning = planning};
    int64_t low = 0, high = too_dear_rate(planning, budget_micro);
    int ret = 0;

    planned->plan.gate = high == 1 ? SPOT_GATE_THROUGHPUT : SPOT_GATE_SLO;
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        const spot_serving_plan_t before = planned->plan;

        planned->plan.options = NULL;
        ret = set_rate(&self, middle);
        if (ret == 0) {
            ret = spot_plan_exact(planning, budget_micro, planned);
        }
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

int
spot_serve_highest_rate(const spot_plan_request_t *request,
    const spot_stage_option_t *options, double *rate_qps)
{
    spot_planning_t planning;
    rate_t self = {.planning = &planning};
    int64_t rate = 0;
    int ret = spot_planning_init(&planning, request);

    SPOT_ARENA_ARRAY(&planning.memory, self.options, planning.pipeline->num_stages);
    if (ret == 0 && self.options == NULL) {
        ret = SPOT_ERR_NO_MEMORY;
    }
    if (ret == 0) {
        memcpy(self.options, options, planning.pipeline->num_stages * sizeof(*options));
        ret = find_rate(&self, &rate);
    }
    *rate_qps = (double) rate;
    spot_arrivals_free(&self.arrivals);
    spot_planning_free(&planning);
    return ret;
}
