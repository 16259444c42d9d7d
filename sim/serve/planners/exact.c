/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least configuration by (cost, late queries, keys of the stages). Stages that one
 * branch of the last join alone depends on are searched branch by branch; of each way
 * through a branch its cost and the queries that it makes late are kept. Only what
 * cannot be least is left out: what costs too much with the cheapest rest, what does not
 * keep up with the queries, and what makes too many queries late with the fastest rest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/serve/planning.h"

#define NO_BRANCH SIZE_MAX

/* What is tried in order of its cost, then of its number. */
typedef struct {
    int64_t cost_micro;
    size_t number;
} ranked_t;

/* An option of a stage. Numbers are by key: hardware order, batch limit, replicas. */
typedef struct {
    ranked_t ranked;
    spot_stage_option_t option;
} choice_t;

typedef struct {
    size_t num_choices, max_choices;
    choice_t *choices; /* [num_choices] ranked */
} choices_t;

/* A way through a branch. Its number is the place of its bits and its picks. */
typedef struct {
    ranked_t ranked;
    size_t num_late;
} way_t;

/* Stages that are chosen together. Branch 0: those that several branches depend on. */
typedef struct {
    int32_t end; /* whose deliveries are judged; -1: the source */
    size_t num_stages;
    int32_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] each behind its parents */
    int64_t least_micro;                  /* of all ways */
    size_t num_ways, max_ways;
    way_t *ways; /* [num_ways] ranked */
    size_t max_picks, max_bits;
    const choice_t **picks; /* [num_ways][num_stages] */
    uint64_t *bits;         /* [num_ways][num_words] late queries */
} branch_t;

typedef struct {
    spot_planning_t *planning;
    size_t num_stages, num_words;
    choices_t stages[SPOT_SERVE_MAX_NODES]; /* [num_stages] */
    int64_t from_ns[SPOT_SERVE_MAX_NODES];  /* [num_nodes] fastest way from a node on */
    int64_t rest_ns[SPOT_SERVE_MAX_NODES];  /* [num_nodes] the same behind it */
    const choice_t *chosen[SPOT_SERVE_MAX_NODES], *best[SPOT_SERVE_MAX_NODES];
    int64_t best_micro; /* of best; as long as there is none, the cap */
    size_t best_late;
    size_t last; /* branch; 0: there are none, as only runs of all events are right */
    branch_t branches[SPOT_JOIN_MAX_PARENTS + 1]; /* [last + 1] */
    uint64_t *merged; /* [last + 1][num_words] late queries of several branches */
} search_t;

static int
compare_costs(const void *first, const void *second)
{
    const ranked_t *a = first, *b = second;

    return a->cost_micro != b->cost_micro
               ? (a->cost_micro > b->cost_micro ? 1 : -1)
               : (a->number > b->number) - (a->number < b->number);
}

/* ---- Whole configurations ---- */

/* Whether the chosen keys are less than those of the best. */
static bool
is_key_less(const search_t *self)
{
    size_t j = 0;

    while (j + 1 < self->num_stages && self->chosen[j] == self->best[j]) {
        j++;
    }
    return self->chosen[j]->ranked.number < self->best[j]->ranked.number;
}

/* Whether a configuration that costs as much and has so many late queries, or more, may
 * be better than the best. */
static bool
may_be_best(const search_t *self, int64_t cost_micro, size_t num_late)
{
    return cost_micro < self->best_micro ||
           (cost_micro == self->best_micro &&
               (self->best[0] == NULL || num_late <= self->best_late));
}

static void
consider(search_t *self, int64_t cost_micro, size_t num_late)
{
    if (may_be_best(self, cost_micro, num_late) &&
        (cost_micro < self->best_micro || self->best[0] == NULL ||
            num_late < self->best_late || is_key_less(self))) {
        self->best_micro = cost_micro;
        self->best_late = num_late;
        memcpy(self->best, self->chosen, sizeof(self->best));
    }
}

/* Late queries of two sets together; *bits becomes those, in merged where needed. */
static size_t
unite(const search_t *self, const uint64_t **bits, size_t num_late,
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
static void
combine(search_t *self, size_t branch_id, int64_t cost_micro, const uint64_t *bits,
    size_t num_late)
{
    const branch_t *branch = &self->branches[branch_id];
    int64_t rest_micro = 0;

    if (branch_id >= self->last) {
        consider(self, cost_micro, num_late);
        return;
    }
    if (spot_replication_is_stopped(&self->planning->request->replication)) {
        self->planning->error = SPOT_ERR_INTERRUPTED;
    }
    for (size_t j = branch_id + 1; j < self->last; j++) {
        rest_micro += self->branches[j].least_micro;
    }
    for (size_t j = 0; j < branch->num_ways && self->planning->error == 0; j++) {
        const way_t *way = &branch->ways[j];
        const int64_t with_micro = cost_micro + way->ranked.cost_micro;
        const uint64_t *united = bits;
        size_t num_united = way->num_late > num_late ? way->num_late : num_late;

        if (with_micro + rest_micro > self->best_micro) {
            break;
        }
        if (!may_be_best(self, with_micro + rest_micro, num_united)) {
            continue;
        }
        num_united = unite(self, &united, num_late,
            branch->bits + way->ranked.number * self->num_words, way->num_late,
            self->merged + branch_id * self->num_words);
        if (num_united <= self->planning->limit.max_late) {
            for (size_t k = 0; k < branch->num_stages; k++) {
                self->chosen[branch->stages[k]] =
                    branch->picks[way->ranked.number * branch->num_stages + k];
            }
            combine(self, branch_id + 1, with_micro, united, num_united);
        }
    }
}

/* ---- Ways through a branch ---- */

static void walk(search_t *self, size_t branch_id, size_t depth, int64_t cost_micro);

/* Forgets all ways. A branch costs at least its cheapest options. */
static void
clear_branches(search_t *self)
{
    for (size_t j = 1; j <= self->last; j++) {
        branch_t *branch = &self->branches[j];

        branch->num_ways = 0;
        branch->least_micro = 0;
        for (size_t k = 0; k < branch->num_stages; k++) {
            branch->least_micro +=
                self->stages[branch->stages[k]].choices[0].ranked.cost_micro;
        }
    }
}

/* Searches all branches, once the stages that several depend on are chosen. */
static void
walk_branches(search_t *self, int64_t shared_micro)
{
    for (size_t j = 1; j <= self->last && self->planning->error == 0; j++) {
        branch_t *branch = &self->branches[j];

        walk(self, j, 0, shared_micro);
        if (branch->num_ways == 0) {
            break; /* or it is the last one */
        }
        for (size_t k = 0; k < branch->num_ways; k++) {
            branch->ways[k].ranked.cost_micro -= shared_micro;
        }
        qsort(branch->ways, branch->num_ways, sizeof(*branch->ways), compare_costs);
        branch->least_micro = branch->ways[0].ranked.cost_micro;
    }
    clear_branches(self); /* with other shared stages, other ways are left */
}

/* Runs a join, and joins right before it, once their stages are chosen. */
static void
run_joins(search_t *self, int32_t node_id)
{
    const spot_serve_pipeline_node_t *nodes = self->planning->pipeline->nodes;

    if (node_id < 0 || nodes[node_id].stage_id >= 0) {
        return;
    }
    for (size_t k = 0; k < nodes[node_id].num_parents && self->planning->error == 0;
         k++) {
        run_joins(self, nodes[node_id].parents[k]);
    }
    if (self->planning->error == 0) {
        (void) spot_planning_run_node(self->planning, node_id, NULL);
    }
}

/* All stages of a branch are chosen. The way is kept; in the last branch, it is combined
 * with those that were kept. */
static void
end_branch(search_t *self, size_t branch_id, int64_t cost_micro)
{
    branch_t *branch = &self->branches[branch_id];
    const size_t place = branch->num_ways;
    uint64_t *bits;
    size_t num_late;

    if (SPOT_ARRAY_ROOM(branch, bits, (place + 1) * self->num_words) != 0 ||
        SPOT_ARRAY_ROOM(branch, picks, (place + 1) * branch->num_stages) != 0) {
        self->planning->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    bits = branch->bits + place * self->num_words;
    run_joins(self, branch->end);
    num_late = spot_flow_late(
        branch->end < 0 ? &self->planning->source : &self->planning->flows[branch->end],
        &self->planning->limit, bits);
    if (self->planning->error != 0 || num_late > self->planning->limit.max_late) {
        return;
    }
    if (branch_id == self->last) {
        combine(self, 1, cost_micro, bits, num_late);
        return;
    }
    for (size_t k = 0; k < branch->num_stages; k++) {
        branch->picks[place * branch->num_stages + k] = self->chosen[branch->stages[k]];
    }
    self->planning->error =
        SPOT_ARRAY_APPEND(branch, ways, (way_t){{cost_micro, place}, num_late});
}

/* Runs the configuration that is chosen. */
static void
run_chosen(search_t *self)
{
    spot_serving_plan_t plan = {0};

    if (spot_planning_evaluate(self->planning, false, &plan)) {
        consider(self, plan.cost_micro, plan.num_late);
    }
}

/* Chooses the stages of a branch from a depth on. */
static void
walk(search_t *self, size_t branch_id, size_t depth, int64_t cost_micro)
{
    const branch_t *branch = &self->branches[branch_id];
    spot_flow_limit_t limit = self->planning->limit;
    int64_t rest_micro = 0;
    int32_t stage_id, node_id;

    if (depth == branch->num_stages) {
        if (branch_id > 0) {
            end_branch(self, branch_id, cost_micro);
        } else if (self->last > 0) {
            walk_branches(self, cost_micro);
        } else {
            run_chosen(self);
        }
        return;
    }
    stage_id = branch->stages[depth];
    node_id = self->planning->pipeline->stages[stage_id];
    limit.rest_ns = self->rest_ns[node_id];
    for (size_t k = depth + 1; k < branch->num_stages; k++) {
        rest_micro += self->stages[branch->stages[k]].choices[0].ranked.cost_micro;
    }
    for (size_t j = 1; j <= self->last; j++) {
        rest_micro += j == branch_id ? 0 : self->branches[j].least_micro;
    }
    if (self->last > 0) {
        run_joins(self, self->planning->pipeline->nodes[node_id].parents[0]);
    }
    for (size_t j = 0;
         j < self->stages[stage_id].num_choices && self->planning->error == 0; j++) {
        const choice_t *choice = &self->stages[stage_id].choices[j];
        const int64_t with_micro = cost_micro + choice->ranked.cost_micro;

        if (with_micro + rest_micro > self->best_micro) {
            break;
        }
        self->chosen[stage_id] = choice;
        self->planning->options[stage_id] = choice->option;
        if (self->last == 0 || spot_planning_run_node(self->planning, node_id, &limit)) {
            walk(self, branch_id, depth + 1, with_micro);
        }
    }
}

/* ---- Before the search ---- */

/* Lists the options of a stage up to the cap whose replicas keep up with a rate. */
static void
list_choices(const search_t *self, size_t stage_id, double rate_qps, choices_t *list)
{
    spot_planning_t *planning = self->planning;

    for (int32_t k = -1; (k = spot_planning_hardware(planning, stage_id, k, 1)) >= 0;) {
        const spot_serving_profile_t *profile =
            spot_planning_profile(planning, stage_id, k);

        for (size_t j = 0; j < profile->num_rows; j++) {
            const int64_t batch = profile->rows[j].batch;
            int64_t n = spot_planning_need(planning, stage_id, k, batch, rate_qps);

            for (; n <= SPOT_MAX_REPLICAS && planning->error == 0; n++) {
                const spot_stage_option_t option =
                    spot_planning_option(planning, stage_id, k, batch, n);
                const int64_t micro =
                    spot_serve_scenario_cost(planning->scenario, &option);
                const size_t rank = list->num_choices;

                if (micro > self->best_micro) {
                    break;
                }
                if (spot_gate_capacity(planning->scenario, stage_id, &option) >=
                    rate_qps) {
                    planning->error = SPOT_ARRAY_APPEND(
                        list, choices, (choice_t){{micro, rank}, option});
                }
            }
        }
    }
    if (list->num_choices > 0) {
        qsort(list->choices, list->num_choices, sizeof(choice_t), compare_costs);
    }
}

/* The choices of all stages in configurations up to the cap. Returns whether each stage
 * has some. */
static bool
list_all(search_t *self, double rate_qps)
{
    int64_t spare_micro = self->best_micro;

    for (size_t j = 0; j < self->num_stages; j++) {
        list_choices(self, j, rate_qps, &self->stages[j]);
        if (self->planning->error != 0 || self->stages[j].num_choices == 0) {
            return false;
        }
        spare_micro -= self->stages[j].choices[0].ranked.cost_micro;
    }
    for (size_t j = 0; j < self->num_stages && spare_micro >= 0; j++) {
        choices_t *list = &self->stages[j];
        const int64_t most_micro = spare_micro + list->choices[0].ranked.cost_micro;

        while (list->choices[list->num_choices - 1].ranked.cost_micro > most_micro) {
            list->num_choices--;
        }
    }
    return spare_micro >= 0;
}

/* "1,234,567" */
static const char *
count_text(double count, char text[40])
{
    const int length = snprintf(text, 40, "%.0f", count);

    for (int place = length - 3, end = length; place > 0; place -= 3) {
        memmove(text + place + 1, text + place, (size_t) (++end - place));
        text[place] = ',';
    }
    return text;
}

/* Refuses spaces that are too large. */
static int
check_count(const search_t *self, int64_t max_configurations, spot_planned_t *planned)
{
    char counts[2][40], text[200];
    double count = 1;

    for (size_t j = 0; j < self->num_stages && count < 1e15; j++) {
        count *= (double) self->stages[j].num_choices;
    }
    if (count <= (double) max_configurations) {
        return 0;
    }
    (void) snprintf(text, sizeof(text),
        "%s configurations, limit %s (plan.max_configurations)",
        count_text(count, counts[0]),
        count_text((double) max_configurations, counts[1]));
    planned->why_none = spot_arena_text(&planned->memory, text);
    return planned->why_none == NULL ? SPOT_ERR_NO_MEMORY : SPOT_ERR_BAD_PARAM;
}

/* The fastest way from behind each node to the sink. */
static void
find_rests(search_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->planning->pipeline;

    for (size_t j = pipeline->num_nodes; j-- > 0;) {
        const int32_t node_id = pipeline->order[j];
        const spot_serve_pipeline_node_t *node = &pipeline->nodes[node_id];
        int64_t least_ns = node->stage_id < 0 ? 0 : INT64_MAX;

        for (size_t k = 0; k < node->num_children; k++) {
            const int64_t ns = self->from_ns[node->children[k].node_id];

            self->rest_ns[node_id] =
                ns > self->rest_ns[node_id] ? ns : self->rest_ns[node_id];
        }
        for (int32_t k = -1;
             node->stage_id >= 0 && (k = spot_planning_hardware(self->planning,
                                         (size_t) node->stage_id, k, 1)) >= 0;) {
            const spot_service_time_t *time = spot_serve_scenario_time(
                self->planning->scenario, (size_t) node->stage_id, k);
            const int64_t ns = spot_service_time_fastest(time, time->last);

            least_ns = ns < least_ns ? ns : least_ns;
        }
        self->from_ns[node_id] = self->rest_ns[node_id] + least_ns;
    }
}

/* A node that a branch depends on; of several, it belongs to branch 0. */
static void
claim(size_t *branch_of, int32_t node_id, size_t branch_id)
{
    if (node_id >= 0) {
        branch_of[node_id] =
            branch_of[node_id] == NO_BRANCH || branch_of[node_id] == branch_id
                ? branch_id
                : 0;
    }
}

/* Gives each stage to its branch: the ends are the parents of the last join. Without
 * branches, all stages are chosen together. */
static void
divide(search_t *self)
{
    const spot_serve_pipeline_t *pipeline = self->planning->pipeline;
    const spot_serve_pipeline_node_t *sink = &pipeline->nodes[self->planning->sink];
    size_t branch_of[SPOT_SERVE_MAX_NODES];

    if (self->planning->needs_runs) {
        for (size_t j = 0; j < self->num_stages; j++) {
            self->branches[0].stages[self->branches[0].num_stages++] = (int32_t) j;
        }
        return;
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        branch_of[j] = NO_BRANCH;
    }
    self->last = sink->stage_id < 0 ? sink->num_parents : 1;
    for (size_t j = 1; j <= self->last; j++) {
        self->branches[j].end =
            sink->stage_id < 0 ? sink->parents[j - 1] : self->planning->sink;
        claim(branch_of, self->branches[j].end, j);
    }
    for (size_t j = pipeline->num_nodes; j-- > 0;) {
        const int32_t node_id = pipeline->order[j];
        const spot_serve_pipeline_node_t *node = &pipeline->nodes[node_id];

        for (size_t k = 0; k < node->num_parents && branch_of[node_id] != NO_BRANCH;
             k++) {
            claim(branch_of, node->parents[k], branch_of[node_id]);
        }
    }
    for (size_t j = 0; j < pipeline->num_nodes; j++) {
        const int32_t node_id = pipeline->order[j];
        const int32_t stage_id = pipeline->nodes[node_id].stage_id;

        if (stage_id >= 0) {
            branch_t *branch = &self->branches[branch_of[node_id]];

            branch->stages[branch->num_stages++] = stage_id;
        }
    }
}

static void
search(
    search_t *self, double rate_qps, int64_t max_configurations, spot_planned_t *planned)
{
    spot_planning_t *planning = self->planning;

    if (!list_all(self, rate_qps)) {
        return;
    }
    if (planning->needs_runs) {
        planning->error = check_count(self, max_configurations, planned);
    }
    if (planning->error != 0) {
        return;
    }
    find_rests(self);
    divide(self);
    self->num_words = (planning->num_queries + 63) / 64;
    self->merged =
        spot_calloc((self->last + 1) * self->num_words, sizeof(*self->merged));
    if (self->merged == NULL) {
        planning->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    clear_branches(self);
    walk(self, 0, 0, 0);
    memset(planning->is_fresh, false, /* flows are those of no configuration */
        planning->pipeline->num_nodes * sizeof(*planning->is_fresh));
}

/* The least configuration up to a cost whose replicas keep up with a rate. */
static void
find_least(spot_planning_t *planning, int64_t cap_micro, double rate_qps,
    int64_t max_configurations, spot_planned_t *planned)
{
    search_t *self = spot_calloc(1, sizeof(*self));

    if (self == NULL) {
        planning->error = SPOT_ERR_NO_MEMORY;
        return;
    }
    self->planning = planning;
    self->num_stages = planning->pipeline->num_stages;
    self->best_micro = cap_micro;
    search(self, rate_qps, max_configurations, planned);
    if (planning->error == 0 && self->best[0] != NULL) {
        for (size_t j = 0; j < self->num_stages; j++) {
            planning->options[j] = self->best[j]->option;
        }
        spot_planning_take(planning, planned, &planned->plan);
        spot_bug_assert(
            planning->error != 0 || (planned->plan.gate == SPOT_GATE_FEASIBLE &&
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
}

void
spot_plan_exact(spot_planning_t *planning, int64_t cap_micro, spot_planned_t *planned)
{
    find_least(planning, cap_micro, planning->rate_qps, INT64_MAX, planned);
}

void
spot_plan_all(spot_planning_t *planning, int64_t cap_micro, double rate_qps,
    int64_t max_configurations, spot_planned_t *planned)
{
    planning->needs_runs = true;
    find_least(planning, cap_micro, rate_qps, max_configurations, planned);
}
