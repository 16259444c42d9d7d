/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least configuration by (cost, late queries, keys of the stages). Stages that only
 * one branch of the last join depends on are searched branch by branch; of each way
 * through a branch its cost and the queries that it makes late are kept. Nothing is left
 * out but what cannot be least: what costs too much with the cheapest rest, what does
 * not keep up with the queries, and what makes too many queries late with the fastest
 * rest. */
#include <stdlib.h>
#include <string.h>

#include "sim/serve/planners/choices.h"

#define MAX_BRANCHES (SPOT_JOIN_MAX_PARENTS + 1)

typedef struct {
    spot_choices_t choices; /* by (cost, rank) */
    int64_t least_micro;
    int64_t rest_ns; /* the fastest way from behind the stage to the sink */
} stage_t;

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
    int32_t stages[SPOT_PIPELINE_MAX_NODES]; /* [num_stages] each behind its parents */
    int64_t least_micro;                     /* of all ways */
    size_t num_ways, max_ways;
    way_t *ways; /* [num_ways] by cost */
    size_t num_picks, max_picks;
    const spot_choice_t **picks; /* [num_ways][num_stages] */
    size_t num_bits, max_bits;
    uint64_t *bits; /* [num_ways][num_words] late queries */
} branch_t;

typedef struct {
    spot_planning_t *planning;
    size_t num_stages, num_branches, num_words;
    stage_t stages[SPOT_PIPELINE_MAX_NODES];              /* [num_stages] */
    branch_t *branches;                                   /* [num_branches] */
    const spot_choice_t *chosen[SPOT_PIPELINE_MAX_NODES]; /* [num_stages] */
    spot_stage_option_t options[SPOT_PIPELINE_MAX_NODES]; /* the same */
    int64_t shared_micro;                                 /* of branch 0 */
    uint64_t *late;   /* [num_words] of a way through the last branch */
    uint64_t *merged; /* [num_branches][num_words] */
    /* The best so far; cost_micro is the cap as long as there is none. */
    bool has_best;
    int64_t best_micro;
    size_t best_late;
    const spot_choice_t *best[SPOT_PIPELINE_MAX_NODES];
    int error;
} search_t;

/* ---- Whole configurations ---- */

/* Whether the chosen keys are less than those of the best. */
static bool
is_key_less(const search_t *self)
{
    for (size_t j = 0; j < self->num_stages; j++) {
        if (self->chosen[j] != self->best[j]) {
            return self->chosen[j]->rank < self->best[j]->rank;
        }
    }
    return false;
}

/* Whether a cost with so many late queries, or more, may be better than the best. */
static bool
may_be_best(const search_t *self, int64_t cost_micro, size_t num_late)
{
    return cost_micro < self->best_micro ||
           (cost_micro == self->best_micro &&
               (!self->has_best || num_late <= self->best_late));
}

static void
consider(search_t *self, int64_t cost_micro, size_t num_late)
{
    if (!may_be_best(self, cost_micro, num_late) ||
        (self->has_best && cost_micro == self->best_micro &&
            num_late == self->best_late && !is_key_less(self))) {
        return;
    }
    self->has_best = true;
    self->best_micro = cost_micro;
    self->best_late = num_late;
    memcpy(self->best, self->chosen, sizeof(self->best));
}

/* Late queries of two ways together; *bits becomes those, merged where needed. */
static size_t
unite(const search_t *self, const uint64_t **bits, size_t num_late,
    const branch_t *branch, const way_t *way, uint64_t *merged)
{
    const uint64_t *others = branch->bits + way->place * self->num_words;
    size_t num_both = 0;

    if (way->num_late == 0) {
        return num_late;
    }
    if (num_late == 0) {
        *bits = others;
        return way->num_late;
    }
    for (size_t j = 0; j < self->num_words; j++) {
        merged[j] = (*bits)[j] | others[j];
        num_both += (size_t) __builtin_popcountll(merged[j]);
    }
    *bits = merged;
    return num_both;
}

/* Adds ways through the branches from branch_id on, all but the last one, whose way is
 * chosen. */
static void
combine(search_t *self, size_t branch_id, int64_t cost_micro, const uint64_t *bits,
    size_t num_late)
{
    branch_t *branch = &self->branches[branch_id];
    int64_t rest_micro = 0;

    if (branch_id + 1 >= self->num_branches) {
        consider(self, cost_micro, num_late);
        return;
    }
    if (spot_planning_is_stopped(self->planning)) {
        self->error = SPOT_ERR_INTERRUPTED;
    }
    for (size_t j = branch_id + 1; j + 1 < self->num_branches; j++) {
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
        num_united = unite(self, &united, num_late, branch, way,
            self->merged + branch_id * self->num_words);
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

/* Runs a join, and joins right before it, once their stages are chosen. */
static void
run_joins(search_t *self, int32_t node_id)
{
    const spot_pipeline_node_t *node;

    if (node_id < 0 || self->planning->pipeline->nodes[node_id].stage_id >= 0) {
        return;
    }
    node = &self->planning->pipeline->nodes[node_id];
    for (size_t k = 0; k < node->num_parents && self->error == 0; k++) {
        run_joins(self, node->parents[k]);
    }
    if (self->error == 0) {
        self->error = spot_planning_run_join(
            self->planning, node_id, self->options, &self->planning->trial[node_id]);
    }
}

static int
compare_ways(const void *first, const void *second)
{
    const way_t *a = first, *b = second;

    return a->cost_micro != b->cost_micro
               ? (a->cost_micro > b->cost_micro ? 1 : -1)
               : (a->place > b->place) - (a->place < b->place);
}

/* Keeps the way that is chosen. */
static void
keep_way(search_t *self, branch_t *branch, const spot_flow_t *flow, int64_t cost_micro)
{
    const size_t place = branch->num_ways;
    uint64_t *bits;
    size_t num_late;

    if (SPOT_ARRAY_ROOM(branch, bits, (place + 1) * self->num_words) != 0 ||
        SPOT_ARRAY_ROOM(branch, picks, (place + 1) * branch->num_stages) != 0) {
        self->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    bits = branch->bits + place * self->num_words;
    memset(bits, 0, self->num_words * sizeof(*bits));
    num_late = spot_flow_late(flow, &self->planning->limit, bits);
    for (size_t k = 0; k < branch->num_stages; k++) {
        branch->picks[place * branch->num_stages + k] = self->chosen[branch->stages[k]];
    }
    if (num_late <= self->planning->limit.max_late) {
        self->error =
            SPOT_ARRAY_APPEND(branch, ways, (way_t){cost_micro, num_late, place});
    }
}

/* Searches all branches, once the stages that several depend on are chosen. */
static void
walk_branches(search_t *self, int64_t shared_micro)
{
    self->shared_micro = shared_micro;
    for (size_t j = 1; j < self->num_branches; j++) {
        branch_t *branch = &self->branches[j];

        branch->num_ways = 0;
        branch->least_micro = 0;
        for (size_t k = 0; k < branch->num_stages; k++) {
            branch->least_micro += self->stages[branch->stages[k]].least_micro;
        }
    }
    for (size_t j = 1; j < self->num_branches && self->error == 0; j++) {
        branch_t *branch = &self->branches[j];

        walk(self, j, 0, shared_micro);
        if (j + 1 < self->num_branches && branch->num_ways == 0) {
            return;
        }
        if (j + 1 < self->num_branches) {
            qsort(branch->ways, branch->num_ways, sizeof(*branch->ways), compare_ways);
            branch->least_micro = branch->ways[0].cost_micro;
        }
    }
}

/* A branch is chosen, up to its end. */
static void
end_branch(search_t *self, size_t branch_id, int64_t cost_micro)
{
    branch_t *branch = &self->branches[branch_id];
    const spot_flow_limit_t *limit = &self->planning->limit;
    const spot_flow_t *flow =
        branch->end < 0 ? &self->planning->source : self->planning->current[branch->end];
    size_t num_late;

    if (branch_id == 0) {
        walk_branches(self, cost_micro);
        return;
    }
    run_joins(self, branch->end);
    if (self->error != 0) {
        return;
    }
    if (branch_id + 1 < self->num_branches) {
        keep_way(self, branch, flow, cost_micro - self->shared_micro);
        return;
    }
    memset(self->late, 0, self->num_words * sizeof(*self->late));
    num_late = spot_flow_late(flow, limit, self->late);
    if (num_late <= limit->max_late) {
        combine(self, 1, cost_micro, self->late, num_late);
    }
}

/* The least that all stages cost that are not chosen at a depth of a branch, its stage
 * there included. */
static int64_t
least_rest(const search_t *self, size_t branch_id, size_t depth)
{
    const branch_t *branch = &self->branches[branch_id];
    int64_t rest_micro = 0;

    for (size_t k = depth; k < branch->num_stages; k++) {
        rest_micro += self->stages[branch->stages[k]].least_micro;
    }
    for (size_t j = 1; j < self->num_branches; j++) {
        rest_micro += j == branch_id ? 0 : self->branches[j].least_micro;
    }
    return rest_micro;
}

/* Chooses the stages of a branch from a depth on. */
static void
walk(search_t *self, size_t branch_id, size_t depth, int64_t cost_micro)
{
    const branch_t *branch = &self->branches[branch_id];
    spot_flow_limit_t limit = self->planning->limit;
    int64_t rest_micro;
    int32_t stage_id, node_id;

    if (depth == branch->num_stages) {
        end_branch(self, branch_id, cost_micro);
        return;
    }
    stage_id = branch->stages[depth];
    node_id = self->planning->pipeline->stages[stage_id];
    rest_micro = least_rest(self, branch_id, depth + 1);
    limit.rest_ns = self->stages[stage_id].rest_ns;
    run_joins(self, self->planning->pipeline->nodes[node_id].parents[0]);
    for (size_t j = 0;
         j < self->stages[stage_id].choices.num_choices && self->error == 0; j++) {
        const spot_choice_t *choice = &self->stages[stage_id].choices.choices[j];
        const int64_t with_micro = cost_micro + choice->cost_micro;
        bool is_good = false;

        if (with_micro + rest_micro > self->best_micro) {
            break;
        }
        self->chosen[stage_id] = choice;
        self->options[stage_id] = choice->option;
        self->error = spot_planning_run_stage(self->planning, (size_t) stage_id,
            self->options, &limit, &self->planning->trial[node_id], &is_good);
        if (is_good) {
            walk(self, branch_id, depth + 1, with_micro);
        }
    }
}

/* ---- Before the search ---- */

static int
compare_choices(const void *first, const void *second)
{
    const spot_choice_t *a = first, *b = second;

    return a->cost_micro != b->cost_micro ? (a->cost_micro > b->cost_micro ? 1 : -1)
                                          : (a->rank > b->rank) - (a->rank < b->rank);
}

/* The options of all stages within the cap; *has_all: all stages have some. */
static int
make_choices(search_t *self, bool *has_all)
{
    int64_t sum_micro = 0;
    int ret = 0;

    *has_all = true;
    for (size_t j = 0; j < self->num_stages && *has_all; j++) {
        self->stages[j].least_micro =
            spot_choices_least(self->planning, j, self->planning->rate_qps);
        *has_all = self->stages[j].least_micro <= self->best_micro - sum_micro;
        sum_micro += *has_all ? self->stages[j].least_micro : 0;
    }
    for (size_t j = 0; j < self->num_stages && *has_all && ret == 0; j++) {
        spot_choices_t *choices = &self->stages[j].choices;

        ret = spot_choices_make(choices, self->planning, j, true,
            self->best_micro - (sum_micro - self->stages[j].least_micro));
        *has_all = choices->num_choices > 0;
        if (*has_all) {
            qsort(choices->choices, choices->num_choices, sizeof(*choices->choices),
                compare_choices);
        }
    }
    return ret;
}

/* The fastest way from behind each stage to the sink; until_ns: [num_nodes] the fastest
 * one from the source up to each node. */
static void
find_fastest(search_t *self, int64_t *until_ns)
{
    const spot_pipeline_t *pipeline = self->planning->pipeline;
    int64_t at_ns[SPOT_PIPELINE_MAX_NODES], from_ns[SPOT_PIPELINE_MAX_NODES];

    for (size_t j = 0; j < self->num_stages; j++) {
        const spot_choices_t *choices = &self->stages[j].choices;
        const spot_stage_option_t *before = NULL;

        at_ns[j] = INT64_MAX;
        for (size_t k = 0; k < choices->num_choices; k++) {
            const spot_stage_option_t *option = &choices->choices[k].option;

            if (before == NULL || before->batch != option->batch ||
                before->hardware_id != option->hardware_id) {
                const int64_t fastest_ns = spot_service_time_fastest(
                    spot_serve_scenario_time(
                        self->planning->scenario, j, option->hardware_id),
                    (int32_t) option->batch);

                at_ns[j] = fastest_ns < at_ns[j] ? fastest_ns : at_ns[j];
            }
            before = option;
        }
    }
    (void) spot_pipeline_longest(pipeline, at_ns, until_ns);
    for (size_t j = pipeline->num_nodes; j-- > 0;) {
        const int32_t node_id = pipeline->order[j];
        const spot_pipeline_node_t *node = &pipeline->nodes[node_id];
        int64_t rest_ns = 0;

        for (size_t k = 0; k < node->num_children; k++) {
            const int64_t child_ns = from_ns[node->children[k].node_id];

            rest_ns = child_ns > rest_ns ? child_ns : rest_ns;
        }
        from_ns[node_id] = rest_ns;
        if (node->stage_id >= 0) {
            self->stages[node->stage_id].rest_ns = rest_ns;
            from_ns[node_id] += at_ns[node->stage_id];
        }
    }
}

/* The slowest branch comes first: it has the fewest ways. until_ns: [num_nodes] */
static void
order_branches(search_t *self, const int64_t *until_ns)
{
    const spot_pipeline_node_t *sink =
        &self->planning->pipeline->nodes[self->planning->sink];

    self->num_branches = 1 + (sink->stage_id < 0 ? sink->num_parents : 1);
    for (size_t j = 1; j < self->num_branches; j++) {
        const int32_t end =
            sink->stage_id < 0 ? sink->parents[j - 1] : self->planning->sink;
        const int64_t end_ns = end < 0 ? 0 : until_ns[end];
        size_t place = j;

        for (; place > 1; place--) {
            const int32_t before = self->branches[place - 1].end;

            if ((before < 0 ? 0 : until_ns[before]) >= end_ns) {
                break;
            }
            self->branches[place].end = before;
        }
        self->branches[place].end = end;
    }
}

/* Gives each stage to its branch, or to branch 0. */
static void
divide(search_t *self)
{
    const spot_pipeline_t *pipeline = self->planning->pipeline;
    size_t branch_of[SPOT_PIPELINE_MAX_NODES] = {0},
           num_of[SPOT_PIPELINE_MAX_NODES] = {0};
    bool is_in[SPOT_PIPELINE_MAX_NODES];

    for (size_t j = 1; j < self->num_branches; j++) {
        if (self->branches[j].end >= 0) {
            spot_planning_ancestors(self->planning, self->branches[j].end, is_in);
        }
        for (size_t k = 0; k < pipeline->num_nodes && self->branches[j].end >= 0; k++) {
            num_of[k] += is_in[k];
            branch_of[k] = num_of[k] > 1 ? 0 : is_in[k] ? j : branch_of[k];
        }
    }
    for (size_t k = 0; k < pipeline->num_nodes; k++) {
        const int32_t node_id = pipeline->order[k];
        branch_t *branch = &self->branches[branch_of[node_id]];

        if (pipeline->nodes[node_id].stage_id >= 0) {
            branch->stages[branch->num_stages++] = pipeline->nodes[node_id].stage_id;
        }
        self->planning->current[node_id] = &self->planning->trial[node_id];
    }
}

static int
search(search_t *self)
{
    int64_t until_ns[SPOT_PIPELINE_MAX_NODES];
    bool has_all;
    int ret = make_choices(self, &has_all);

    if (ret != 0 || !has_all) {
        return ret;
    }
    self->num_words = (self->planning->num_queries + 63) / 64;
    self->branches = spot_calloc(MAX_BRANCHES, sizeof(*self->branches));
    self->late = spot_calloc(self->num_words, sizeof(*self->late));
    self->merged = spot_calloc(MAX_BRANCHES * self->num_words, sizeof(*self->merged));
    if (self->branches == NULL || self->late == NULL || self->merged == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    find_fastest(self, until_ns);
    order_branches(self, until_ns);
    divide(self);
    for (size_t j = 1; j < self->num_branches; j++) {
        for (size_t k = 0; k < self->branches[j].num_stages; k++) {
            self->branches[j].least_micro +=
                self->stages[self->branches[j].stages[k]].least_micro;
        }
    }
    walk(self, 0, 0, 0);
    return self->error;
}

static void
search_free(search_t *self)
{
    for (size_t j = 0; j < self->num_stages; j++) {
        spot_choices_free(&self->stages[j].choices);
    }
    for (size_t j = 0; j < self->num_branches; j++) {
        free(self->branches[j].ways);
        free(self->branches[j].picks);
        free(self->branches[j].bits);
    }
    free(self->branches);
    free(self->late);
    free(self->merged);
    free(self);
}

int
spot_plan_exact(spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned)
{
    spot_stage_option_t options[SPOT_PIPELINE_MAX_NODES];
    search_t *self;
    int ret;

    if (planning->is_coupled) {
        return spot_plan_all(planning, cap_micro, true, INT64_MAX, planned);
    }
    self = spot_calloc(1, sizeof(*self));
    if (self == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    self->planning = planning;
    self->num_stages = planning->pipeline->num_stages;
    self->best_micro = cap_micro;
    ret = search(self);
    if (ret == 0 && self->has_best) {
        for (size_t j = 0; j < self->num_stages; j++) {
            options[j] = self->best[j]->option;
        }
        ret = spot_planning_take(planning, planned, options, &planned->plan);
        spot_bug_assert(ret != 0 || (planned->plan.gate == SPOT_GATE_FEASIBLE &&
                                        planned->plan.num_late == self->best_late));
    }
    search_free(self);
    return ret;
}

int
spot_plan_cap(spot_planning_t *planning, spot_planned_t *planned, int64_t *cap_micro)
{
    spot_planned_t greedy = {0};
    int ret = spot_plan_greedy(planning, &greedy);

    *cap_micro = spot_planning_micro(planning->request->max_cost);
    planned->plan.gate = greedy.plan.gate;
    if (greedy.plan.options == NULL && *cap_micro == INT64_MAX) {
        planned->why_none = "no plan found";
    } else if (greedy.plan.options != NULL && greedy.plan.cost_micro <= *cap_micro) {
        *cap_micro = greedy.plan.cost_micro;
    } else {
        planned->plan.gate = SPOT_GATE_SLO;
        planned->why_none = "no configuration within plan.max_cost";
    }
    spot_planned_free(&greedy);
    return ret;
}

static int
exact(spot_planning_t *planning, spot_planned_t *planned)
{
    int64_t cap_micro;
    int ret = spot_plan_cap(planning, planned, &cap_micro);

    if (ret == 0 && cap_micro < INT64_MAX) {
        ret = spot_plan_exact(planning, cap_micro, planned);
        planned->is_proven = ret == 0;
    }
    if (planned->plan.options != NULL) {
        planned->why_none = NULL;
    }
    return ret;
}

const spot_planner_t spot_planner_exact = {
    .name = "exact",
    .doc = "the least configuration up to the cost of greedy or plan.max_cost by (cost, "
           "late queries, keys of the stages), proven",
    .plan = exact,
    .rate = spot_rate_exact,
};
