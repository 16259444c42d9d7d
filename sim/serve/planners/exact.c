/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least configuration by (cost, late queries, keys of the stages). Stages that one
 * branch of the last join alone depends on are searched branch by branch; of each way
 * through a branch its cost and the queries that it makes late are kept. Only what
 * cannot be least is left out: what costs too much with the cheapest rest, what does not
 * keep up with the queries, and what makes too many queries late with the fastest rest.
 */
#include <stdlib.h>
#include <string.h>

#include "sim/serve/planning.h"

/* A way through a branch. */
typedef struct {
    int64_t cost_micro;
    size_t num_late;
    size_t place; /* of its bits and its picks */
} way_t;

/* Stages that are chosen together. Branch 0: those that several branches depend on. */
typedef struct {
    int32_t end; /* whose deliveries are judged; -1: the source */
    size_t num_stages;
    int32_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] each behind its parents */
    int64_t least_micro;                  /* of all ways */
    size_t num_ways, max_ways;
    way_t *ways; /* [num_ways] by (cost, place) */
    size_t max_picks, max_bits;
    const spot_stage_choice_t **picks; /* [num_ways][num_stages] */
    uint64_t *bits;                    /* [num_ways][num_words] late queries */
} branch_t;

typedef struct {
    spot_planning_t *planning;
    size_t num_stages, num_words;
    spot_choices_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] */
    int64_t rest_ns[SPOT_SERVE_MAX_NODES];       /* fastest way behind a stage */
    const spot_stage_choice_t *chosen[SPOT_SERVE_MAX_NODES], *best[SPOT_SERVE_MAX_NODES];
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES]; /* those of chosen */
    int64_t best_micro; /* of best; as long as there is none, the cap */
    size_t best_late;
    size_t last;                                  /* branch */
    branch_t branches[SPOT_JOIN_MAX_PARENTS + 1]; /* [last + 1] */
    uint64_t *merged; /* [last + 1][num_words] late queries of several branches */
    int error;
} search_t;

/* ---- Whole configurations ---- */

/* Whether the chosen keys are less than those of the best. */
static bool is_key_less(const search_t *self)
{
    size_t j = 0;

    while (j + 1 < self->num_stages && self->chosen[j] == self->best[j]) {
        j++;
    }
    return self->chosen[j]->rank < self->best[j]->rank;
}

/* Whether a configuration that costs as much and has so many late queries, or more, may
 * be better than the best. */
static bool may_be_best(const search_t *self, int64_t cost_micro, size_t num_late)
{
    return cost_micro < self->best_micro ||
           (cost_micro == self->best_micro &&
               (self->best[0] == NULL || num_late <= self->best_late));
}

static void consider(search_t *self, int64_t cost_micro, size_t num_late)
{
    if (may_be_best(self, cost_micro, num_late) &&
        (cost_micro < self->best_micro || self->best[0] == NULL || num_late < self->best_late ||
            is_key_less(self))) {
        self->best_micro = cost_micro;
        self->best_late = num_late;
        memcpy(self->best, self->chosen, sizeof(self->best));
    }
}

/* Late queries of two sets together; *bits becomes those, in merged where needed. */
static size_t unite(const search_t *self, const uint64_t **bits, size_t num_late,
    const uint64_t *others, size_t num_others, uint64_t *merged)
{
    size_t num_both = 0;

    if (num_late == 0 || num_others == 0) {
        *bits = num_late == 0 ? others : *bits;
        return num_late + num_others;
    }
    for (size_t j = 0; j < self->num_words; j++) {
        merged[j] = (*bits)[j] | others[j];
        num_both += (size_t) __builtin_popcountll(merged[j]);
    }
    *bits = merged;
    return num_both;
}

/* Adds ways through the branches from branch_id on to a way through the last one. */
static void combine(
    search_t *self, size_t branch_id, int64_t cost_micro, const uint64_t *bits, size_t num_late)
{
    const branch_t *branch = &self->branches[branch_id];
    int64_t rest_micro = 0;

    if (branch_id >= self->last) {
        consider(self, cost_micro, num_late);
        return;
    }
    if (spot_replication_is_stopped(&self->planning->request->replication)) {
        self->error = SPOT_ERR_INTERRUPTED;
    }
    for (size_t j = branch_id + 1; j < self->last; j++) {
        rest_micro += self->branches[j].least_micro;
    }
    for (size_t j = 0; j < branch->num_ways && self->error == 0; j++) {
        const way_t *way = &branch->ways[j];
        const int64_t with_micro = cost_micro + way->cost_micro;
        const uint64_t *united = bits;
        size_t num_united = way->num_late > num_late ? way->num_late : num_late;

        if (with_micro + rest_micro > self->best_micro) {
            break;
        }
        if (!may_be_best(self, with_micro + rest_micro, num_united)) {
            continue;
        }
        num_united = unite(self, &united, num_late, branch->bits + way->place * self->num_words,
            way->num_late, self->merged + branch_id * self->num_words);
        if (num_united <= self->planning->limit.max_late) {
            for (size_t k = 0; k < branch->num_stages; k++) {
                self->chosen[branch->stages[k]] =
                    branch->picks[way->place * branch->num_stages + k];
            }
            combine(self, branch_id + 1, with_micro, united, num_united);
        }
    }
}

/* ---- Ways through a branch ---- */

static void walk(search_t *self, size_t branch_id, size_t depth, int64_t cost_micro);

static int compare_ways(const void *first, const void *second)
{
    const way_t *a = first, *b = second;

    return a->cost_micro != b->cost_micro ? (a->cost_micro > b->cost_micro ? 1 : -1)
                                          : (a->place > b->place) - (a->place < b->place);
}

/* Forgets all ways. A branch costs at least its cheapest options. */
static void clear_branches(search_t *self)
{
    for (size_t j = 1; j <= self->last; j++) {
        branch_t *branch = &self->branches[j];

        branch->num_ways = 0;
        branch->least_micro = 0;
        for (size_t k = 0; k < branch->num_stages; k++) {
            branch->least_micro += self->stages[branch->stages[k]].choices[0].cost_micro;
        }
    }
}

/* Searches all branches, once the stages that several depend on are chosen. */
static void walk_branches(search_t *self, int64_t shared_micro)
{
    for (size_t j = 1; j <= self->last && self->error == 0; j++) {
        branch_t *branch = &self->branches[j];

        walk(self, j, 0, shared_micro);
        if (branch->num_ways == 0) {
            break; /* or it is the last one */
        }
        for (size_t k = 0; k < branch->num_ways; k++) {
            branch->ways[k].cost_micro -= shared_micro;
        }
        qsort(branch->ways, branch->num_ways, sizeof(*branch->ways), compare_ways);
        branch->least_micro = branch->ways[0].cost_micro;
    }
    clear_branches(self); /* with other shared stages, other ways are left */
}

/* Runs a join, and joins right before it, once their stages are chosen. */
static void run_joins(search_t *self, int32_t node_id)
{
    const spot_serve_pipeline_node_t *nodes = self->planning->pipeline->nodes, *node;
    bool is_good;

    if (node_id < 0 || nodes[node_id].stage_id >= 0) {
        return;
    }
    node = &nodes[node_id];
    for (size_t k = 0; k < node->num_parents && self->error == 0; k++) {
        run_joins(self, node->parents[k]);
    }
    if (self->error == 0) {
        self->error =
            spot_planning_run_node(self->planning, node_id, self->options, NULL, &is_good);
    }
}

/* All stages of a branch are chosen. The way is kept; in the last branch, it is combined
 * with those that were kept. */
static void end_branch(search_t *self, size_t branch_id, int64_t cost_micro)
{
    branch_t *branch = &self->branches[branch_id];
    const size_t place = branch->num_ways;
    uint64_t *bits;
    size_t num_late;

    if (SPOT_ARRAY_ROOM(branch, bits, (place + 1) * self->num_words) != 0 ||
        SPOT_ARRAY_ROOM(branch, picks, (place + 1) * branch->num_stages) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    bits = branch->bits + place * self->num_words;
    run_joins(self, branch->end);
    num_late = spot_flow_late(
        branch->end < 0 ? &self->planning->source : &self->planning->flows[branch->end],
        &self->planning->limit, bits);
    if (self->error != 0 || num_late > self->planning->limit.max_late) {
        return;
    }
    if (branch_id == self->last) {
        combine(self, 1, cost_micro, bits, num_late);
        return;
    }
    for (size_t k = 0; k < branch->num_stages; k++) {
        branch->picks[place * branch->num_stages + k] = self->chosen[branch->stages[k]];
    }
    self->error = SPOT_ARRAY_APPEND(branch, ways, (way_t){cost_micro, num_late, place});
}

/* Chooses the stages of a branch from a depth on. */
static void walk(search_t *self, size_t branch_id, size_t depth, int64_t cost_micro)
{
    const branch_t *branch = &self->branches[branch_id];
    spot_flow_limit_t limit = self->planning->limit;
    int64_t rest_micro = 0;
    int32_t stage_id, node_id;

    if (depth == branch->num_stages && branch_id == 0) {
        walk_branches(self, cost_micro);
        return;
    }
    if (depth == branch->num_stages) {
        end_branch(self, branch_id, cost_micro);
        return;
    }
    stage_id = branch->stages[depth];
    node_id = self->planning->pipeline->stages[stage_id];
    limit.rest_ns = self->rest_ns[stage_id];
    for (size_t k = depth + 1; k < branch->num_stages; k++) {
        rest_micro += self->stages[branch->stages[k]].choices[0].cost_micro;
    }
    for (size_t j = 1; j <= self->last; j++) {
        rest_micro += j == branch_id ? 0 : self->branches[j].least_micro;
    }
    run_joins(self, self->planning->pipeline->nodes[node_id].parents[0]);
    for (size_t j = 0; j < self->stages[stage_id].num_choices && self->error == 0; j++) {
        const spot_stage_choice_t *choice = &self->stages[stage_id].choices[j];
        const int64_t with_micro = cost_micro + choice->cost_micro;
        bool is_good = false;

        if (with_micro + rest_micro > self->best_micro) {
            break;
        }
        self->chosen[stage_id] = choice;
        self->options[stage_id] = choice->option;
        self->error =
            spot_planning_run_node(self->planning, node_id, self->options, &limit, &is_good);
        if (self->error == 0 && is_good) {
            walk(self, branch_id, depth + 1, with_micro);
        }
    }
}

/* ---- Before the search ---- */

/* The fastest way from behind each stage to the sink. */
static void find_rests(search_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->planning->pipeline;
    int64_t fastest_ns[SPOT_SERVE_MAX_NODES], behind_ns[SPOT_SERVE_MAX_NODES];
    int64_t until_ns[SPOT_SERVE_MAX_NODES];
    bool is_in[SPOT_SERVE_MAX_NODES];

    for (size_t j = 0; j < self->num_stages; j++) {
        fastest_ns[j] = INT64_MAX;
        for (int32_t k = spot_planning_hardware(self->planning, j, -1, 1); k >= 0;
             k = spot_planning_hardware(self->planning, j, k, 1)) {
            const spot_service_time_t *time =
                spot_serve_scenario_time(self->planning->scenario, j, k);
            const int64_t ns = spot_service_time_fastest(time, time->last);

            fastest_ns[j] = ns < fastest_ns[j] ? ns : fastest_ns[j];
        }
    }
    for (size_t j = 0; j < self->num_stages; j++) {
        for (size_t k = 0; k < self->num_stages; k++) {
            spot_planning_ancestors(self->planning, pipeline->stages[k], is_in);
            behind_ns[k] = k != j && is_in[pipeline->stages[j]] ? fastest_ns[k] : 0;
        }
        self->rest_ns[j] = spot_serve_pipeline_longest(pipeline, behind_ns, until_ns);
    }
}

/* Gives each stage to its branch: the ends are the parents of the last join. */
static void divide(search_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->planning->pipeline;
    const spot_serve_pipeline_node_t *sink = &pipeline->nodes[self->planning->sink];
    size_t branch_of[SPOT_SERVE_MAX_NODES] = {0};
    bool is_in[SPOT_SERVE_MAX_NODES], is_met[SPOT_SERVE_MAX_NODES] = {false};

    self->last = sink->stage_id < 0 ? sink->num_parents : 1;
    for (size_t j = 1; j <= self->last; j++) {
        const int32_t end = sink->stage_id < 0 ? sink->parents[j - 1] : self->planning->sink;

        self->branches[j].end = end;
        if (end >= 0) {
            spot_planning_ancestors(self->planning, end, is_in);
        }
        for (size_t k = 0; k < pipeline->num_nodes && end >= 0; k++) {
            if (is_in[k]) {
                branch_of[k] = is_met[k] ? 0 : j;
                is_met[k] = true;
            }
        }
    }
    for (size_t k = 0; k < pipeline->num_nodes; k++) {
        const int32_t node_id = pipeline->order[k];
        branch_t *branch = &self->branches[branch_of[node_id]];

        if (pipeline->nodes[node_id].stage_id >= 0) {
            branch->stages[branch->num_stages++] = pipeline->nodes[node_id].stage_id;
        }
    }
}

static int search(search_t *self)
{
    spot_planning_t *planning = self->planning;
    bool has_all = false;
    int ret = spot_choices_make_all(
        self->stages, planning, planning->rate_qps, self->best_micro, &has_all);

    if (ret != 0 || !has_all) {
        return ret;
    }
    find_rests(self);
    divide(self);
    self->num_words = (planning->num_queries + 63) / 64;
    self->merged = spot_calloc((self->last + 1) * self->num_words, sizeof(*self->merged));
    if (self->merged == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    clear_branches(self);
    walk(self, 0, 0, 0);
    memset(planning->versions, 0, /* flows are those of no configuration */
        planning->pipeline->num_nodes * sizeof(*planning->versions));
    return self->error;
}

/* ---- Enumeration, where only runs of all events are right ---- */

/* The definition of the exact planner by plain enumeration: every configuration up to a
 * cost, by runs of all events. */

typedef struct {
    spot_planning_t *planning;
    spot_choices_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] */
    const spot_stage_choice_t *chosen[SPOT_SERVE_MAX_NODES], *best[SPOT_SERVE_MAX_NODES];
    spot_stage_option_t options[SPOT_SERVE_MAX_NODES]; /* those of chosen */
    int64_t rest_micro[SPOT_SERVE_MAX_NODES + 1];      /* least cost from a stage on */
    spot_serving_plan_t plan; /* of best; as long as there is none, the cap */
} all_t;

/* Runs the configuration that is chosen. */
static int try_chosen(all_t *self)
{
    const size_t num_stages = self->planning->pipeline->num_stages;
    spot_serving_plan_t plan = {0};
    int order = 0;
    int ret = spot_planning_evaluate(self->planning, self->options, false, &plan);

    if (ret != 0 || plan.gate != SPOT_GATE_FEASIBLE) {
        return ret;
    }
    if (self->best[0] != NULL && plan.cost_micro == self->plan.cost_micro) {
        order = (plan.num_late > self->plan.num_late) - (plan.num_late < self->plan.num_late);
        for (size_t j = 0; j < num_stages && order == 0; j++) {
            order = self->chosen[j]->rank - self->best[j]->rank;
        }
    }
    if (order <= 0) {
        self->plan = plan;
        memcpy(self->best, self->chosen, sizeof(self->best));
    }
    return 0;
}

/* Tries all options of the stages from stage_id on. */
static int try_from(all_t *self, size_t stage_id, int64_t cost_micro)
{
    int ret = 0;

    if (stage_id == self->planning->pipeline->num_stages) {
        return try_chosen(self);
    }
    for (size_t j = 0; j < self->stages[stage_id].num_choices && ret == 0; j++) {
        const spot_stage_choice_t *choice = &self->stages[stage_id].choices[j];
        const int64_t with_micro = cost_micro + choice->cost_micro;

        if (with_micro + self->rest_micro[stage_id + 1] > self->plan.cost_micro) {
            break;
        }
        self->chosen[stage_id] = choice;
        self->options[stage_id] = choice->option;
        ret = try_from(self, stage_id + 1, with_micro);
    }
    return ret;
}

/* The plan up to a cost, by enumeration from the replicas that keep up with the rate. */
static int enumerate(spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned)
{
    const size_t num_stages = planning->pipeline->num_stages;
    all_t *self = spot_calloc(1, sizeof(*self));
    bool has_all = true;
    int ret;

    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->planning = planning;
    self->plan.cost_micro = cap_micro;
    planning->needs_runs = true;
    ret = spot_choices_make_all(self->stages, planning, planning->rate_qps, cap_micro, &has_all);
    for (size_t j = num_stages; j-- > 0 && has_all;) {
        self->rest_micro[j] = self->rest_micro[j + 1] + self->stages[j].choices[0].cost_micro;
    }
    if (ret == 0 && has_all) {
        ret = try_from(self, 0, 0);
    }
    for (size_t j = 0; j < num_stages && self->best[0] != NULL; j++) {
        self->options[j] = self->best[j]->option;
    }
    if (ret == 0 && self->best[0] != NULL) {
        ret = spot_planning_take(planning, planned, self->options, &planned->plan);
    }
    for (size_t j = 0; j < num_stages; j++) {
        free(self->stages[j].choices);
    }
    free(self);
    return ret;
}

/* ---- The plan ---- */

int spot_plan_exact(spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned)
{
    search_t *self = NULL;
    int ret;

    if (planning->needs_runs) {
        return enumerate(planning, cap_micro, planned);
    }
    self = spot_calloc(1, sizeof(*self));
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->planning = planning;
    self->num_stages = planning->pipeline->num_stages;
    self->best_micro = cap_micro;
    ret = search(self);
    if (ret == 0 && self->best[0] != NULL) {
        for (size_t j = 0; j < self->num_stages; j++) {
            self->options[j] = self->best[j]->option;
        }
        ret = spot_planning_take(planning, planned, self->options, &planned->plan);
        spot_bug_assert(ret != 0 || (planned->plan.gate == SPOT_GATE_FEASIBLE &&
                                        planned->plan.num_late == self->best_late));
    }
    for (size_t j = 0; j < self->num_stages; j++) {
        free(self->stages[j].choices);
    }
    for (size_t j = 1; j <= self->last; j++) {
        free(self->branches[j].ways);
        free(self->branches[j].picks);
        free(self->branches[j].bits);
    }
    free(self->merged);
    free(self);
    return ret;
}

int spot_plan_cap(spot_planning_t *planning, spot_planned_t *planned, int64_t *cap_micro)
{
    spot_planned_t greedy = {0};
    int ret = spot_plan_greedy(planning, &greedy);

    *cap_micro = spot_planning_micro(planning->request->max_cost);
    planned->plan.gate = SPOT_GATE_SLO;
    if (greedy.plan.options != NULL && greedy.plan.cost_micro <= *cap_micro) {
        *cap_micro = greedy.plan.cost_micro;
    } else if (*cap_micro < INT64_MAX) {
        planned->why_none = "no configuration within plan.max_cost";
    } else {
        planned->plan.gate = greedy.plan.gate;
        planned->why_none = "no plan found";
    }
    spot_planned_free(&greedy);
    return ret;
}

static int exact(spot_planning_t *planning, spot_planned_t *planned)
{
    int64_t cap_micro;
    int ret = spot_plan_cap(planning, planned, &cap_micro);

    if (ret == 0 && cap_micro < INT64_MAX) {
        ret = spot_plan_exact(planning, cap_micro, planned);
        planned->is_proven = ret == 0;
    }
    return ret;
}

/* ---- The highest rate ---- */

#define RATE_MOST (INT64_C(1) << 40) /* queries per second; no rate is higher */

/* Whether the cheapest replicas that keep up with a rate cost more than the budget. */
static int check_dear(
    const spot_rate_t *self, int64_t rate_qps, int64_t budget_micro, bool *is_too_dear)
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
static int find_too_dear(const spot_rate_t *self, int64_t budget_micro, int64_t *rate_qps)
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

static int rate_exact(spot_planning_t *planning, spot_planned_t *planned)
{
    const int64_t budget_micro = spot_planning_micro(planning->request->budget);
    spot_rate_t self = {.planning = planning};
    int64_t low = 0, high;
    int ret = find_too_dear(&self, budget_micro, &high);

    planned->plan.gate = high == 1 ? SPOT_GATE_THROUGHPUT : SPOT_GATE_SLO;
    while (ret == 0 && high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        const spot_serving_plan_t before = planned->plan;

        planned->plan.options = NULL;
        ret = spot_rate_set(&self, middle);
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

const spot_planner_t spot_planner_exact = {
    .name = "exact",
    .doc = "the least configuration up to the cost of greedy and plan.max_cost by (cost, "
           "late queries, keys of the stages)",
    .plan = exact,
    .rate = rate_exact,
};
