/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/pipeline_templates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Micro-batches per stage for which templates are timed, as in Oobleck's planner. */
#define MICRO_BATCHES_A_STAGE 4

/* The most micro-batches that fit into memory, by bisection: memory grows with them. */
static int64_t most_fitting(const spot_templates_t *self, int32_t depth)
{
    int64_t low = 0, high = self->num_micro_batches;

    if (spot_step_pipeline_fits(self->model, depth, high)) {
        return high;
    }
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;

        if (spot_step_pipeline_fits(self->model, depth, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void time_template(spot_templates_t *self, int32_t n)
{
    const double template_ms =
        spot_step_pipeline_part_ms(self->model, n, MICRO_BATCHES_A_STAGE * (int64_t) n);

    self->weights[n] = (double) n / template_ms;
    self->first_ms[n] = spot_step_pipeline_part_ms(self->model, n, 1);
    /* Every schedule is linear from one multiple of the depth to the next. */
    self->more_ms[n] =
        (spot_step_pipeline_part_ms(self->model, n, 1 + n) - self->first_ms[n]) / (double) n;
    self->fitting[n] = most_fitting(self, n);
}

int spot_templates_init(spot_templates_t *self, const spot_step_pipeline_t *model,
    int64_t samples_per_step, int32_t min_depth, int32_t max_depth, int64_t max_pipelines)
{
    const size_t num_depths = (size_t) max_depth + 1;

    memset(self, 0, sizeof(*self));
    self->model = model;
    self->num_micro_batches = spot_micro_batches(samples_per_step, model->micro_batch, 1);
    self->min_depth = min_depth;
    self->max_depth = max_depth;
    self->max_pipelines =
        max_pipelines < self->num_micro_batches ? max_pipelines : self->num_micro_batches;
    self->weights = spot_calloc(num_depths, sizeof(*self->weights));
    self->first_ms = spot_calloc(num_depths, sizeof(*self->first_ms));
    self->more_ms = spot_calloc(num_depths, sizeof(*self->more_ms));
    self->fitting = spot_calloc(num_depths, sizeof(*self->fitting));
    if (self->weights == NULL || self->first_ms == NULL || self->more_ms == NULL ||
        self->fitting == NULL) {
        return SPOT_ERR_NO_MEMORY;
    }
    for (int32_t n = min_depth; n <= max_depth; n++) {
        time_template(self, n);
    }
    return 0;
}

void spot_templates_free(spot_templates_t *self)
{
    free(self->weights);
    free(self->first_ms);
    free(self->more_ms);
    free(self->fitting);
    memset(self, 0, sizeof(*self));
}

static int64_t num_pipelines_of(const spot_template_set_t *self)
{
    int64_t count = 0;

    for (int32_t j = 0; j < self->num_groups; j++) {
        count += self->groups[j].count;
    }
    return count;
}

int64_t spot_template_set_instances(const spot_template_set_t *self)
{
    int64_t count = 0;

    for (int32_t j = 0; j < self->num_groups; j++) {
        count += (int64_t) self->groups[j].count * self->groups[j].depth;
    }
    return count;
}

/* ---- Micro-batches ---- */

/* Gives one more micro-batch to num_left pipelines, first to those furthest below their
 * due. Of equal groups the deeper one comes first. */
static void share_more(const spot_template_set_t *set, const double *due,
    spot_template_share_t *shares, int64_t num_left)
{
    while (num_left > 0) {
        int32_t best = 0;

        for (int32_t j = 1; j < set->num_groups; j++) {
            if (due[j] - (double) shares[j].least >= due[best] - (double) shares[best].least) {
                best = j;
            }
        }
        if (num_left >= set->groups[best].count) {
            shares[best].least++;
            num_left -= set->groups[best].count;
        } else {
            shares[best].num_more = (int32_t) num_left;
            num_left = 0;
        }
    }
}

/* Takes one micro-batch from num_over pipelines, first from those furthest above their
 * due; each keeps at least 1. */
static void share_less(const spot_template_set_t *set, const double *due,
    spot_template_share_t *shares, int64_t num_over)
{
    while (num_over > 0) {
        int32_t best = 0;
        double best_lack = HUGE_VAL;

        for (int32_t j = 0; j < set->num_groups; j++) {
            const double lack = due[j] - (double) shares[j].least;

            if (shares[j].least > 1 && lack < best_lack) {
                best = j;
                best_lack = lack;
            }
        }
        spot_bug_assert(best_lack < HUGE_VAL);
        shares[best].least--;
        if (num_over < set->groups[best].count) {
            shares[best].num_more = set->groups[best].count - (int32_t) num_over;
            num_over = 0;
        } else {
            num_over -= set->groups[best].count;
        }
    }
}

void spot_template_shares(
    const spot_templates_t *self, const spot_template_set_t *set, spot_template_share_t *shares)
{
    double due[SPOT_TEMPLATES_MAX_GROUPS], weight = 0;
    int64_t num_left = self->num_micro_batches;

    for (int32_t j = 0; j < set->num_groups; j++) {
        weight += set->groups[j].count * self->weights[set->groups[j].depth];
    }
    for (int32_t j = 0; j < set->num_groups; j++) {
        due[j] = (double) self->num_micro_batches * self->weights[set->groups[j].depth] / weight;
        shares[j].least = due[j] < 1 ? 1 : (int64_t) due[j];
        shares[j].num_more = 0;
        num_left -= set->groups[j].count * shares[j].least;
    }
    if (num_left >= 0) {
        share_more(set, due, shares, num_left);
    } else {
        share_less(set, due, shares, -num_left);
    }
}

double spot_templates_step_ms(const spot_templates_t *self, const spot_template_set_t *set)
{
    const int64_t num_pipelines = num_pipelines_of(set);
    spot_template_share_t shares[SPOT_TEMPLATES_MAX_GROUPS];
    double longest_ms = 0;

    for (int32_t j = 0; j < set->num_groups; j++) {
        if (set->groups[j].depth < self->min_depth || set->groups[j].depth > self->max_depth) {
            return 0;
        }
    }
    if (num_pipelines == 0 || num_pipelines > self->max_pipelines) {
        return 0;
    }
    spot_template_shares(self, set, shares);
    for (int32_t j = 0; j < set->num_groups; j++) {
        const int32_t depth = set->groups[j].depth;
        const int64_t most = shares[j].least + (shares[j].num_more > 0);

        if (most > self->fitting[depth]) {
            return 0;
        }
        longest_ms = fmax(longest_ms, spot_step_pipeline_part_ms(self->model, depth, most));
    }
    return longest_ms +
           spot_step_pipeline_sync_ms(self->model, num_pipelines, set->groups[0].depth);
}

/* ---- The fastest set ---- */

/* Most nodes of a search, some 20 ns each. */
#define MAX_NODES 20000

#define MAX_DEPTHS (SPOT_TEMPLATES_MAX_INSTANCES + 2)

typedef struct {
    const spot_templates_t *templates;
    int32_t max_depth; /* of a pipeline in this search */
    int32_t num_pipelines;
    int64_t num_nodes;
    double sync_ms; /* after the slowest pipeline */
    double best_ms; /* of best; without one, a time known to be possible */
    spot_template_set_t best;
    spot_template_set_t set;    /* under construction */
    int64_t most[MAX_DEPTHS];   /* most micro-batches of a pipeline by depth in a better
                                   set; 0: it has no pipeline of that depth */
    double ceiling[MAX_DEPTHS]; /* the least concave function above most */
} search_t;

/* Whether a set whose slowest pipeline takes part_ms is better. */
static bool is_better(const search_t *self, double part_ms)
{
    const double step_ms = part_ms + self->sync_ms;

    return self->best.num_groups == 0 ? step_ms <= self->best_ms : step_ms < self->best_ms;
}

static int64_t most_micro_batches(const search_t *self, int32_t depth)
{
    const spot_templates_t *templates = self->templates;
    const spot_step_pipeline_t *model = templates->model;
    const int64_t fitting = templates->fitting[depth];
    const double first_ms = templates->first_ms[depth];
    double guess;
    int64_t count;

    if (fitting < 1 || !is_better(self, first_ms)) {
        return 0;
    }
    guess = 1 + (self->best_ms - self->sync_ms - first_ms) / templates->more_ms[depth];
    count = guess < (double) fitting ? (int64_t) guess : fitting;
    count = count < 1 ? 1 : count;
    while (count > 1 && !is_better(self, spot_step_pipeline_part_ms(model, depth, count))) {
        count--;
    }
    while (
        count < fitting && is_better(self, spot_step_pipeline_part_ms(model, depth, count + 1))) {
        count++;
    }
    return count;
}

/* Sets ceiling to the upper hull of most over the possible depths. */
static void raise_ceiling(search_t *self, int32_t min_depth)
{
    int32_t corners[MAX_DEPTHS], num_corners = 0;

    for (int32_t n = min_depth; n <= self->max_depth; n++) {
        if (self->most[n] == 0) {
            continue;
        }
        while (num_corners > 1) {
            const int32_t a = corners[num_corners - 2], b = corners[num_corners - 1];

            if ((double) (self->most[b] - self->most[a]) * (n - a) >
                (double) (self->most[n] - self->most[a]) * (b - a)) {
                break;
            }
            num_corners--;
        }
        corners[num_corners++] = n;
    }
    for (int32_t n = min_depth; n <= self->max_depth + 1; n++) {
        self->ceiling[n] = -HUGE_VAL;
    }
    for (int32_t j = 0; j < num_corners; j++) {
        const int32_t a = corners[j], b = corners[j + 1 < num_corners ? j + 1 : j];
        const double slope =
            a == b ? 0 : (double) (self->most[b] - self->most[a]) / (double) (b - a);

        for (int32_t n = a; n <= b; n++) {
            self->ceiling[n] = (double) self->most[a] + slope * (n - a);
        }
    }
}

/* Sets sync_ms, most and ceiling for sets with pipelines of at least min_depth, and with
 * the all-reduce of a set whose shallowest depth is shallowest. */
static void set_limits(search_t *self, int32_t min_depth, int32_t shallowest)
{
    self->sync_ms =
        spot_step_pipeline_sync_ms(self->templates->model, self->num_pipelines, shallowest);
    for (int32_t n = min_depth; n <= self->max_depth; n++) {
        self->most[n] = most_micro_batches(self, n);
    }
    raise_ceiling(self, min_depth);
}

/* Whether num_pipelines more pipelines of num_instances can take num_needed
 * micro-batches. */
static bool is_possible(
    const search_t *self, int32_t num_instances, int32_t num_pipelines, int64_t num_needed)
{
    int32_t depth, rest;
    double most;

    if (num_pipelines == 0) {
        return num_instances == 0 && num_needed <= 0;
    }
    depth = num_instances / num_pipelines;
    rest = num_instances % num_pipelines;
    if (depth > self->max_depth || (depth == self->max_depth && rest > 0)) {
        return false;
    }
    most = self->ceiling[depth] * (num_pipelines - rest);
    most += rest > 0 ? self->ceiling[depth + 1] * rest : 0;
    return most >= (double) num_needed * (1 - 1e-12);
}

/* Takes a complete set if it is better. */
static void try_set(search_t *self)
{
    const double step_ms = spot_templates_step_ms(self->templates, &self->set);
    const int32_t shallowest = self->set.groups[0].depth;

    if (step_ms > 0 &&
        (step_ms < self->best_ms || (self->best.num_groups == 0 && step_ms <= self->best_ms))) {
        self->best_ms = step_ms;
        self->best = self->set;
        set_limits(self, shallowest, shallowest);
    }
}

static void search_from(search_t *self, int32_t depth, int32_t num_instances, int32_t num_pipelines,
    int64_t num_needed);

/* Tries all numbers of pipelines of this depth, the most first. */
static void search_depth(
    search_t *self, int32_t depth, int32_t num_instances, int32_t num_pipelines, int64_t num_needed)
{
    spot_template_group_t *group = &self->set.groups[self->set.num_groups];

    if (self->most[depth] == 0) {
        return;
    }
    self->set.num_groups++;
    for (int32_t count = num_pipelines; count > 0; count--) {
        const int32_t instances_left = num_instances - count * depth;
        const int32_t pipelines_left = num_pipelines - count;
        const int64_t needed = num_needed - count * self->most[depth];

        if (instances_left >= pipelines_left * (depth + 1) &&
            is_possible(self, instances_left, pipelines_left, needed)) {
            *group = (spot_template_group_t){depth, count};
            search_from(self, depth + 1, instances_left, pipelines_left, needed);
        }
    }
    self->set.num_groups--;
}

/* Tries all sets of num_pipelines more pipelines of num_instances, each of at least
 * depth, that take num_needed micro-batches; shallow ones first. */
static void search_from(
    search_t *self, int32_t depth, int32_t num_instances, int32_t num_pipelines, int64_t num_needed)
{
    if (num_pipelines == 0) {
        try_set(self);
        return;
    }
    if (num_pipelines == 1) {
        depth = num_instances; /* the only possible depth */
    }
    for (; depth <= num_instances / num_pipelines && self->num_nodes < MAX_NODES; depth++) {
        self->num_nodes++;
        if (!is_possible(self, num_instances, num_pipelines, num_needed)) {
            return;
        }
        search_depth(self, depth, num_instances, num_pipelines, num_needed);
    }
}

/* Searches the sets of num_pipelines pipelines. */
static void search_pipelines(search_t *self, int32_t num_instances, int32_t num_pipelines)
{
    const spot_templates_t *templates = self->templates;
    const int32_t min_depth = templates->min_depth;
    const int32_t deepest = num_instances / num_pipelines; /* the largest shallowest depth */
    const int64_t num_needed = templates->num_micro_batches;

    self->num_pipelines = num_pipelines;
    self->max_depth = num_instances - (num_pipelines - 1) * min_depth;
    if (self->max_depth > templates->max_depth) {
        self->max_depth = templates->max_depth;
    }
    set_limits(self, min_depth, deepest);
    if (!is_possible(self, num_instances, num_pipelines, num_needed)) {
        return;
    }
    for (int32_t n = min_depth; n <= deepest && n <= self->max_depth; n++) {
        set_limits(self, n, n);
        if (is_possible(self, num_instances, num_pipelines, num_needed)) {
            search_depth(self, n, num_instances, num_pipelines, num_needed);
        }
    }
}

/* Takes the time of num_pipelines pipelines of nearly equal depth as known to be
 * possible. */
static void try_equal(search_t *self, int32_t num_instances, int32_t num_pipelines)
{
    const int32_t depth = num_instances / num_pipelines;
    const int32_t num_deeper = num_instances % num_pipelines;
    const spot_template_set_t set = {
        1 + (num_deeper > 0), {{depth, num_pipelines - num_deeper}, {depth + 1, num_deeper}}};
    const double step_ms = spot_templates_step_ms(self->templates, &set);

    if (step_ms > 0 && step_ms < self->best_ms) {
        self->best_ms = step_ms;
        self->set = set;
    }
}

double spot_templates_best_set(const spot_templates_t *self, int32_t num_instances,
    int32_t min_pipelines, spot_template_set_t *set, bool *is_exact)
{
    const int32_t widest = num_instances / self->min_depth;
    const int32_t max_pipelines =
        widest < self->max_pipelines ? widest : (int32_t) self->max_pipelines;
    search_t search = {.templates = self, .best_ms = HUGE_VAL};
    spot_template_set_t equal;

    spot_bug_assert(num_instances <= SPOT_TEMPLATES_MAX_INSTANCES);
    for (int32_t count = min_pipelines; count <= max_pipelines; count++) {
        try_equal(&search, num_instances, count);
    }
    equal = search.set;
    search.set = (spot_template_set_t){0};
    for (int32_t count = min_pipelines; count <= max_pipelines; count++) {
        search_pipelines(&search, num_instances, count);
    }
    *is_exact = search.num_nodes < MAX_NODES;
    /* A search that stopped early may not have reached the set of equal pipelines. */
    *set = search.best.num_groups > 0 ? search.best : equal;
    return set->num_groups > 0 ? search.best_ms : 0;
}
