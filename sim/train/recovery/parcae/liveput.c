/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/parcae/liveput.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

/* The most instances to count; beyond, the number of sets may overflow a double. */
#define MOST_COUNTED 50

/* One expectation under way. */
typedef struct {
    const spot_parcae_t *parcae;
    const spot_parcae_chance_t *chance;
    int32_t num_pipelines; /* D, P and D P of the pair in use */
    int32_t depth;
    int32_t num_places;
    int32_t num_after;  /* instances left */
    int32_t first_same; /* the pairs of the same depth */
    int32_t end_same;
    bool counts_stages; /* the same depth is counted by losses of stages */
    double *costs;      /* [num_pairs + 1] result */
    spot_parcae_left_t left;
    int32_t num_lost[SPOT_PARCAE_MAX_LAYERS];   /* [P] by stage */
    double transfer_ms[SPOT_PARCAE_MAX_LAYERS]; /* by new depth, mean so far */
} expectation_t;

/* P(v of the active instances are lost). */
static double probability(const expectation_t *self, int32_t num_active_lost)
{
    const spot_parcae_chance_t *chance = self->chance;

    return gsl_ran_hypergeometric_pdf((unsigned) num_active_lost, (unsigned) self->num_places,
        (unsigned) (chance->num_instances - self->num_places), (unsigned) chance->num_lost);
}

/* n choose k, or a number above limit. */
static double choose(int32_t n, int32_t k, double limit)
{
    double ways = 1;

    if (k > n) {
        return 0;
    }
    k = k < n - k ? k : n - k;
    for (int32_t j = 1; j <= k && ways <= limit; j++) {
        ways *= (double) (n - k + j) / j;
    }
    return ways;
}

static bool fits(const expectation_t *self, int32_t pair_id)
{
    return spot_parcae_size(self->parcae, pair_id) <= self->num_after;
}

/* Adds the costs of pipelines of the same depth, for the losses of each stage. */
static void add_same_depth(expectation_t *self, double weight)
{
    const spot_parcae_t *parcae = self->parcae;
    const bool has_loss = self->left.num_left < self->num_places;

    for (int32_t id = self->first_same; id < self->end_same && fits(self, id); id++) {
        if (id != self->chance->from || has_loss) {
            self->costs[id] += weight * spot_parcae_same_depth_ms(&parcae->costs, &self->left,
                                            self->num_lost, parcae->pairs[id].num_pipelines);
        }
    }
}

/* Adds the transfers of pipelines of other depths. */
static void add_transfers(expectation_t *self, double weight)
{
    const spot_parcae_t *parcae = self->parcae;
    const spot_parcae_costs_t *costs = &parcae->costs;
    int32_t depth = 0;

    for (int32_t id = 0; id < parcae->num_pairs; id++) {
        if (parcae->pairs[id].depth == depth) {
            continue;
        }
        depth = parcae->pairs[id].depth;
        if (depth != self->depth && depth <= self->num_after) {
            self->transfer_ms[depth] +=
                weight *
                spot_parcae_transfer_ms(costs,
                    costs->bytes_per_parameter * spot_parcae_missing(costs, &self->left, depth));
        }
    }
}

/* Adds one outcome: the places that are lost. */
static void add_outcome(
    expectation_t *self, const int32_t *places, int32_t num_places, double weight)
{
    uint8_t *is_lost = self->chance->is_lost;

    for (int32_t j = 0; j < num_places; j++) {
        is_lost[places[j]] = 1;
        self->num_lost[places[j] % self->depth]++;
    }
    self->left.num_left = self->num_places - num_places;
    add_transfers(self, weight);
    if (!self->counts_stages) {
        add_same_depth(self, weight);
    }
    for (int32_t j = 0; j < num_places; j++) {
        is_lost[places[j]] = 0;
        self->num_lost[places[j] % self->depth]--;
    }
}

/* ---- All outcomes ---- */

/* The next set of count numbers below limit in lexical order; false: none. */
static bool next_set(int32_t *numbers, int32_t count, int32_t limit)
{
    int32_t j = count - 1;

    while (j >= 0 && numbers[j] == limit - count + j) {
        j--;
    }
    if (j < 0) {
        return false;
    }
    numbers[j]++;
    for (j++; j < count; j++) {
        numbers[j] = numbers[j - 1] + 1;
    }
    return true;
}

static void add_sets(expectation_t *self, int32_t num_active_lost)
{
    const double weight =
        probability(self, num_active_lost) / choose(self->num_places, num_active_lost, HUGE_VAL);
    int32_t *numbers = self->chance->numbers;

    for (int32_t j = 0; j < num_active_lost; j++) {
        numbers[j] = j;
    }
    do {
        add_outcome(self, numbers, num_active_lost, weight);
    } while (next_set(numbers, num_active_lost, self->num_places));
}

/* Distributes num_more losses over the stages from stage on; weight: of each way. */
static void add_counts(expectation_t *self, int32_t stage, int32_t num_more, double weight)
{
    if (num_more == 0) {
        add_same_depth(self, weight);
        return;
    }
    if (stage == self->depth ||
        (int64_t) num_more > (int64_t) (self->depth - stage) * self->num_pipelines) {
        return;
    }
    for (int32_t j = 0; j <= num_more && j <= self->num_pipelines; j++) {
        self->num_lost[stage] = j;
        add_counts(
            self, stage + 1, num_more - j, weight * choose(self->num_pipelines, j, HUGE_VAL));
    }
    self->num_lost[stage] = 0;
}

static void count_stages(expectation_t *self, int32_t fewest, int32_t most)
{
    for (int32_t v = fewest; v <= most; v++) {
        self->left.num_left = self->num_places - v;
        add_counts(self, 0, v, probability(self, v) / choose(self->num_places, v, HUGE_VAL));
    }
}

/* ---- A sample ---- */

/* Draws victims: the first of a shuffled list, with the active ones in front. Returns
 * the number of active ones. */
static int32_t draw(expectation_t *self)
{
    const spot_parcae_chance_t *chance = self->chance;
    int32_t *numbers = chance->numbers, num_active = 0;

    for (int32_t j = 0; j < chance->num_lost; j++) {
        const uint64_t num_others = (uint64_t) (chance->num_instances - j);
        const int32_t other = j + (int32_t) spot_rng_below(chance->rng, num_others);
        const int32_t number = numbers[other];

        numbers[other] = numbers[j];
        numbers[j] = number;
        if (number < self->num_places) {
            numbers[j] = numbers[num_active];
            numbers[num_active++] = number;
        }
    }
    return num_active;
}

static void add_sample(expectation_t *self)
{
    const spot_parcae_chance_t *chance = self->chance;
    const double weight = 1 / (double) chance->num_samples;
    int64_t num_whole = 0;

    for (int32_t j = 0; j < chance->num_instances; j++) {
        chance->numbers[j] = j;
    }
    for (int64_t j = 0; j < chance->num_samples; j++) {
        const int32_t num_active = draw(self);

        if (num_active == 0) {
            num_whole++;
        } else {
            add_outcome(self, chance->numbers, num_active, weight);
        }
    }
    if (num_whole > 0) { /* the same for every draw */
        add_outcome(self, chance->numbers, 0, weight * (double) num_whole);
    }
}

/* ---- Together ---- */

/* Selects the possible pairs. */
static void start(expectation_t *self, const spot_parcae_t *parcae,
    const spot_parcae_chance_t *chance, double *costs)
{
    const spot_parcae_pair_t *pair = &parcae->pairs[chance->from];

    memset(self, 0, sizeof(*self));
    self->parcae = parcae;
    self->chance = chance;
    self->costs = costs;
    self->num_pipelines = pair->num_pipelines;
    self->depth = pair->depth;
    self->num_places = pair->num_pipelines * pair->depth;
    self->num_after = chance->num_instances - chance->num_lost;
    self->left.num_pipelines = pair->num_pipelines;
    self->left.depth = pair->depth;
    self->left.is_lost = chance->is_lost;
    memset(chance->is_lost, 0, (size_t) chance->num_instances);
    self->first_same = chance->from;
    while (self->first_same > 0 && parcae->pairs[self->first_same - 1].depth == pair->depth) {
        self->first_same--;
    }
    self->end_same = chance->from + 1;
    while (
        self->end_same < parcae->num_pairs && parcae->pairs[self->end_same].depth == pair->depth) {
        self->end_same++;
    }
    for (int32_t id = 0; id < parcae->num_pairs; id++) {
        if (fits(self, id)) {
            costs[id] = 0;
        }
    }
}

/* Adds the restarts of moves to another depth, with or without added instances. */
static void add_restarts(expectation_t *self, int32_t fewest, int32_t most)
{
    const spot_parcae_t *parcae = self->parcae;

    for (int32_t id = 0; id < parcae->num_pairs; id++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[id];
        const int64_t size = spot_parcae_size(parcae, id);
        double with_additions = 0;

        if (pair->depth == self->depth || !fits(self, id)) {
            continue;
        }
        for (int32_t v = fewest; v <= most; v++) {
            with_additions += size > self->num_places - v ? probability(self, v) : 0;
        }
        for (int has_additions = 0; has_additions <= 1; has_additions++) {
            self->costs[id] +=
                (has_additions ? with_additions : 1 - with_additions) *
                spot_parcae_repartition_ms(&parcae->costs, self->transfer_ms[pair->depth],
                    pair->num_pipelines, pair->depth, has_additions);
        }
    }
}

double spot_parcae_expect(
    const spot_parcae_t *self, const spot_parcae_chance_t *chance, double *costs)
{
    const double limit = (double) chance->num_samples;
    double num_sets = 0, num_counts = 0;
    expectation_t work;
    int32_t fewest, most;

    start(&work, self, chance, costs);
    fewest = chance->num_lost - (chance->num_instances - work.num_places);
    fewest = fewest > 0 ? fewest : 0;
    most = chance->num_lost < work.num_places ? chance->num_lost : work.num_places;
    for (int32_t v = fewest; v <= most && num_sets <= limit; v++) {
        num_sets += choose(work.num_places, v, limit);
    }
    for (int32_t v = fewest; v <= most && num_counts <= limit; v++) {
        num_counts += choose(work.depth + v - 1, v, limit);
    }
    work.counts_stages = num_sets > limit && num_counts <= limit && most <= MOST_COUNTED;
    if (num_sets > limit) {
        add_sample(&work);
    } else {
        for (int32_t v = fewest; v <= most; v++) {
            add_sets(&work, v);
        }
    }
    if (work.counts_stages) {
        count_stages(&work, fewest, most);
    }
    add_restarts(&work, fewest, most);
    return fewest > 0 ? 0 : probability(&work, 0);
}
