/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/parcae/recovery_parcae.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "sim/train/recovery/layout.h"

#define PARCAE_MAX_WAYS 4
#define PARCAE_MAX_INTERVALS 64

/* The most pairs; a decision takes the square of their number in operations. */
#define PARCAE_MAX_PAIRS 512

/* ---- Expected work ---- */

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

/* ---- Looking ahead ---- */

/* The relative difference of sums that are equal but for rounding. */
#define EQUAL_SHARE 1e-12

/* Before the first costs of an answer that is kept: the pair + 1, 0 for none yet, then
 * first_ms, the count and the current pair of its question. */
#define NUM_HEAD 4

/* ---- Tables of a question ---- */

/* The pairs and waiting. */
static size_t num_states(const spot_parcae_t *parcae)
{
    return (size_t) parcae->num_pairs + 1;
}

static size_t table_bytes(const spot_parcae_t *parcae)
{
    const size_t num = num_states(parcae);

    return sizeof(spot_parcae_moves_t) + num * (num + 1) * sizeof(double);
}

size_t spot_parcae_lookahead_bytes(
    const spot_parcae_t *parcae, int64_t capacity, int32_t num_tables)
{
    const size_t num = num_states(parcae);

    return (size_t) num_tables * table_bytes(parcae) +
           2 * num * (PARCAE_MAX_WAYS * sizeof(spot_parcae_way_t)) +
           (2 * num + (size_t) capacity) * sizeof(int32_t) + (size_t) capacity;
}

void spot_parcae_lookahead_start(spot_parcae_lookahead_t *self, void *memory,
    const spot_parcae_t *parcae, int64_t capacity, int32_t num_tables)
{
    const size_t num = num_states(parcae);
    double *numbers;

    self->parcae = parcae;
    self->num_tables = num_tables;
    self->tables = memory;
    numbers = (double *) (void *) (self->tables + num_tables);
    for (int32_t j = 0; j < num_tables; j++) {
        self->tables[j].costs = numbers;
        self->tables[j].none = numbers + num * num;
        numbers += num * (num + 1);
    }
    self->ways[0] = (spot_parcae_way_t *) (void *) numbers;
    self->ways[1] = self->ways[0] + num * PARCAE_MAX_WAYS;
    self->num_ways[0] = (int32_t *) (void *) (self->ways[1] + num * PARCAE_MAX_WAYS);
    self->num_ways[1] = self->num_ways[0] + num;
    self->numbers = self->num_ways[1] + num;
    self->is_lost = (uint8_t *) (self->numbers + capacity);
}

/* ---- Tables of moves ---- */

/* After waiting no instance has state; waiting itself costs nothing. */
static void fill_waiting(const spot_parcae_t *parcae, spot_parcae_moves_t *moves)
{
    const spot_parcae_left_t no_survivors = {0};
    const size_t num = num_states(parcae);
    double *costs = moves->costs + (num - 1) * num;

    for (int32_t to = 0; to < parcae->num_pairs; to++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[to];

        costs[to] =
            spot_parcae_move_ms(&parcae->costs, &no_survivors, pair->num_pipelines, pair->depth);
    }
    for (size_t from = 0; from < num; from++) {
        moves->costs[from * num + num - 1] = 0;
    }
    moves->none[num - 1] = 1;
}

/* Each number of instances, number of victims and pair has a stream of its own, so the
 * order of questions does not matter. */
static void fill_table(spot_parcae_lookahead_t *self, spot_parcae_moves_t *moves)
{
    const spot_parcae_t *parcae = self->parcae;
    const size_t num = num_states(parcae);
    spot_parcae_chance_t chance = {.num_instances = moves->num_before,
        .num_lost = moves->num_lost,
        .num_samples = self->num_samples,
        .rng = &self->rng,
        .numbers = self->numbers,
        .is_lost = self->is_lost};

    fill_waiting(parcae, moves);
    for (int32_t from = 0; from < parcae->num_pairs; from++) {
        const uint64_t before = (uint64_t) moves->num_before << 40;
        const uint64_t lost = (uint64_t) moves->num_lost << 16;

        if (spot_parcae_size(parcae, from) <= moves->num_before) {
            chance.from = from;
            spot_rng_seek(&self->rng, self->seed, self->replication, SPOT_STREAM_RECOVERY,
                before + lost + (uint64_t) from);
            moves->none[from] =
                spot_parcae_expect(parcae, &chance, moves->costs + (size_t) from * num);
        }
    }
}

static const spot_parcae_moves_t *find_table(
    spot_parcae_lookahead_t *self, int32_t num_before, int32_t num_lost)
{
    const int32_t id = (int32_t) (((int64_t) num_before * 7 + num_lost) % self->num_tables);
    spot_parcae_moves_t *moves = &self->tables[id];

    if (moves->num_before != num_before || moves->num_lost != num_lost) {
        moves->num_before = num_before;
        moves->num_lost = num_lost;
        fill_table(self, moves);
    }
    return moves;
}

int spot_parcae_moves_init(spot_parcae_moves_t *self, const spot_parcae_t *parcae)
{
    const size_t num = num_states(parcae);
    uint8_t *is_lost;

    self->costs = spot_calloc(num * num, sizeof(double));
    self->none = spot_calloc(num, sizeof(double));
    is_lost = spot_calloc((size_t) parcae->num_best, 1);
    if (self->costs == NULL || self->none == NULL || is_lost == NULL) {
        free(is_lost);
        return SPOT_ERR_NO_MEMORY;
    }
    fill_waiting(parcae, self);
    for (int32_t from = 0; from < parcae->num_pairs; from++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[from];
        const spot_parcae_left_t left = {.num_pipelines = pair->num_pipelines,
            .depth = pair->depth,
            .is_lost = is_lost,
            .num_left = pair->num_pipelines * pair->depth};

        self->none[from] = 1;
        for (int32_t to = 0; to < parcae->num_pairs; to++) {
            self->costs[(size_t) from * num + (size_t) to] =
                to == from ? 0
                           : spot_parcae_move_ms(&parcae->costs, &left,
                                 parcae->pairs[to].num_pipelines, parcae->pairs[to].depth);
        }
    }
    free(is_lost);
    return 0;
}

void spot_parcae_moves_free(spot_parcae_moves_t *self)
{
    free(self->costs);
    free(self->none);
    memset(self, 0, sizeof(*self));
}

/* ---- Ways ---- */

static bool is_more(double a, double b)
{
    return a > b + EQUAL_SHARE * fabs(b);
}

/* The present pair comes first, then shallower pipelines; waiting is last. */
static int32_t rank_of(const spot_parcae_question_t *question, int32_t first)
{
    return first == question->current ? -1 : first;
}

/* Whether way a is better than b, without regard to the rest of the pause. */
static bool is_preferred(
    const spot_parcae_question_t *question, const spot_parcae_way_t *a, const spot_parcae_way_t *b)
{
    return is_more(a->samples, b->samples) ||
           (!is_more(b->samples, a->samples) &&
               rank_of(question, a->first) < rank_of(question, b->first));
}

/* Whether way a is at least as good as b in samples and rest. */
static bool beats(
    const spot_parcae_question_t *question, const spot_parcae_way_t *a, const spot_parcae_way_t *b)
{
    return a->rest_ms <= b->rest_ms && !is_preferred(question, b, a);
}

/* Keeps a way unless others beat it; for a state that has ways. */
static void add_to_ways(const spot_parcae_question_t *question, spot_parcae_way_t *ways,
    int32_t *num_ways, const spot_parcae_way_t *way)
{
    int32_t num = 0, worst = 0;

    for (int32_t j = 0; j < *num_ways; j++) {
        if (beats(question, &ways[j], way)) {
            return;
        }
    }
    for (int32_t j = 0; j < *num_ways; j++) {
        if (!beats(question, way, &ways[j])) {
            ways[num++] = ways[j];
        }
    }
    if (num == PARCAE_MAX_WAYS) {
        for (int32_t j = 1; j < num; j++) {
            worst = ways[j].samples < ways[worst].samples ? j : worst;
        }
        if (ways[worst].samples < way->samples) {
            ways[worst] = *way;
        }
    } else {
        ways[num++] = *way;
    }
    *num_ways = num;
}

/* Keeps a way unless others beat it. Most ways are the first of their state, or the
 * first way there has clearly more samples. */
static inline void add_way(const spot_parcae_question_t *question, spot_parcae_way_t *ways,
    int32_t *num_ways, const spot_parcae_way_t *way)
{
    if (*num_ways == 0) {
        ways[(*num_ways)++] = *way;
    } else if (ways[0].rest_ms > way->rest_ms || !is_more(ways[0].samples, way->samples)) {
        add_to_ways(question, ways, num_ways, way);
    }
}

/* The way with the most samples. */
static const spot_parcae_way_t *best_way(
    const spot_parcae_question_t *question, const spot_parcae_way_t *ways, int32_t num_ways)
{
    const spot_parcae_way_t *best = &ways[0];

    for (int32_t j = 1; j < num_ways; j++) {
        best = is_preferred(question, &ways[j], best) ? &ways[j] : best;
    }
    return best;
}

/* fmax(0, value) without a call. */
static inline double positive(double value)
{
    return value > 0 ? value : 0;
}

/* The way prolonged by an interval with a pair, after a pause of cost_ms. */
static spot_parcae_way_t prolong(
    const spot_parcae_way_t *way, double speed, double cost_ms, double interval_ms)
{
    return (spot_parcae_way_t){
        .samples = way->samples + speed * positive(interval_ms - cost_ms),
        .rest_ms = positive(cost_ms - interval_ms),
        .first = way->first,
    };
}

static void start_ways(spot_parcae_lookahead_t *self, const spot_parcae_question_t *question)
{
    const spot_parcae_t *parcae = self->parcae;

    for (int32_t to = 0; to <= parcae->num_pairs; to++) {
        const spot_parcae_way_t none = {.first = to};

        self->num_ways[0][to] = question->first_costs[to] >= 0;
        if (self->num_ways[0][to] > 0) {
            self->ways[0][(size_t) to * PARCAE_MAX_WAYS] = prolong(&none, parcae->pairs[to].speed,
                question->first_costs[to], (double) question->first_ms);
        }
    }
}

/* Prolongs the ways of one pair to all pairs of the instances and to waiting. */
static void prolong_ways(spot_parcae_lookahead_t *self, const spot_parcae_question_t *question,
    const spot_parcae_moves_t *moves, int32_t from, int32_t num_instances)
{
    const spot_parcae_t *parcae = self->parcae;
    const double *costs = moves->costs + (size_t) from * num_states(parcae);
    const double interval_ms = (double) parcae->interval_ms;
    const spot_parcae_way_t *ways = &self->ways[0][(size_t) from * PARCAE_MAX_WAYS];
    const spot_parcae_way_t *best = best_way(question, ways, self->num_ways[0][from]);

    for (int32_t to = 0; to <= parcae->num_pairs; to++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[to];
        spot_parcae_way_t *after = &self->ways[1][(size_t) to * PARCAE_MAX_WAYS];
        const bool adds_restart =
            parcae->merges_pauses && best->rest_ms > 0 && to < parcae->num_pairs;

        if (spot_parcae_size(parcae, to) > num_instances) {
            continue;
        }
        if (to == from) {
            for (int32_t j = 0; j < self->num_ways[0][from]; j++) {
                const spot_parcae_way_t way = prolong(&ways[j], pair->speed,
                    moves->none[from] * ways[j].rest_ms + costs[to], interval_ms);

                add_way(question, after, &self->num_ways[1][to], &way);
            }
        } else {
            const double restart_ms = adds_restart ? spot_parcae_restart_ms(&parcae->costs,
                                                         pair->num_pipelines, pair->depth, false)
                                                   : 0;
            const spot_parcae_way_t way =
                prolong(best, pair->speed, costs[to] + restart_ms, interval_ms);

            add_way(question, after, &self->num_ways[1][to], &way);
        }
    }
}

static void next_interval(spot_parcae_lookahead_t *self, const spot_parcae_question_t *question,
    int32_t num_before, int32_t num_after)
{
    const int32_t num_pairs = self->parcae->num_pairs;
    const spot_parcae_moves_t *moves =
        num_after >= num_before ? self->sure : find_table(self, num_before, num_before - num_after);
    spot_parcae_way_t *const ways = self->ways[0];
    int32_t *const num_ways = self->num_ways[0];

    memset(self->num_ways[1], 0, num_states(self->parcae) * sizeof(int32_t));
    for (int32_t from = 0; from <= num_pairs; from++) {
        if (num_ways[from] > 0) {
            prolong_ways(self, question, moves, from, num_after);
        }
    }
    self->ways[0] = self->ways[1];
    self->ways[1] = ways;
    self->num_ways[0] = self->num_ways[1];
    self->num_ways[1] = num_ways;
}

/* Whether all ways start with the same pair: later intervals do not change the answer.
 */
static bool is_decided(const spot_parcae_lookahead_t *self)
{
    int32_t first = -1;

    for (int32_t id = 0; id <= self->parcae->num_pairs; id++) {
        const spot_parcae_way_t *ways = &self->ways[0][(size_t) id * PARCAE_MAX_WAYS];

        for (int32_t j = 0; j < self->num_ways[0][id]; j++) {
            if (first >= 0 && ways[j].first != first) {
                return false;
            }
            first = ways[j].first;
        }
    }
    return true;
}

static int32_t find_first(spot_parcae_lookahead_t *self, const spot_parcae_question_t *question)
{
    const spot_parcae_way_t *best = NULL;

    start_ways(self, question);
    for (int32_t j = 1; j < question->num_intervals && !is_decided(self); j++) {
        next_interval(self, question, question->counts[j - 1], question->counts[j]);
    }
    for (int32_t id = 0; id <= self->parcae->num_pairs; id++) {
        const spot_parcae_way_t *ways = &self->ways[0][(size_t) id * PARCAE_MAX_WAYS];

        if (self->num_ways[0][id] > 0) {
            const spot_parcae_way_t *way = best_way(question, ways, self->num_ways[0][id]);

            best = best == NULL || is_preferred(question, way, best) ? way : best;
        }
    }
    spot_bug_assert(best != NULL); /* waiting is always possible */
    /* cppcheck-suppress nullPointer */
    return best->first;
}

/* ---- Answers ---- */

/* Whether the same instances are forecast for all intervals: no dice are in the answer.
 */
static bool has_one_count(const spot_parcae_question_t *question)
{
    for (int32_t j = 1; j < question->num_intervals; j++) {
        if (question->counts[j] != question->counts[0]) {
            return false;
        }
    }
    return true;
}

/* The answer to a key, which may still be that to another one. */
static double *place_of(const spot_parcae_lookahead_t *self, const double *key, size_t num_numbers)
{
    const size_t num_answers = SPOT_PARCAE_ANSWERS_BYTES / sizeof(*key) / num_numbers;
    uint64_t hash = 0;

    for (size_t j = 1; j < num_numbers; j++) {
        uint64_t bits;

        memcpy(&bits, &key[j], sizeof(bits));
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
    }
    return self->answers + hash % num_answers * num_numbers;
}

int32_t spot_parcae_look_ahead(
    spot_parcae_lookahead_t *self, const spot_parcae_question_t *question)
{
    const size_t num = num_states(self->parcae), num_numbers = num + NUM_HEAD;
    double key[NUM_HEAD + PARCAE_MAX_PAIRS + 1];
    double *answer;

    if (self->answers == NULL || !has_one_count(question)) {
        return find_first(self, question);
    }
    key[1] = (double) question->first_ms;
    key[2] = question->counts[0];
    key[3] = question->current;
    memcpy(key + NUM_HEAD, question->first_costs, num * sizeof(*key));
    answer = place_of(self, key, num_numbers);
    if (answer[0] == 0 || memcmp(answer + 1, key + 1, (num_numbers - 1) * sizeof(*key)) != 0) {
        memcpy(answer + 1, key + 1, (num_numbers - 1) * sizeof(*key));
        answer[0] = find_first(self, question) + 1;
    }
    return (int32_t) answer[0] - 1;
}

/* ---- Forecasts ---- */

/* phi: the share of a change that recurs in the next one. */
static double persistence(const int32_t *counts, int32_t num_counts)
{
    double squares = 0, products = 0;

    for (int32_t j = 2; j < num_counts; j++) {
        const double before = (double) counts[j - 1] - counts[j - 2];

        squares += before * before;
        products += before * ((double) counts[j] - counts[j - 1]);
    }
    return squares == 0 ? 0 : fmax(-1, fmin(products / squares, 1));
}

static int64_t clip(int64_t value, int64_t min, int64_t max)
{
    const int64_t raised = value < min ? min : value;

    return raised > max ? max : raised;
}

int32_t spot_parcae_forecast(const int32_t *counts, int32_t num_counts,
    const spot_parcae_limits_t *limits, int32_t *forecasts, int32_t num_forecasts)
{
    const double phi = persistence(counts, num_counts);
    double count = counts[num_counts - 1];
    double change = num_counts < 2 ? 0 : count - counts[num_counts - 2];
    int32_t num_clipped = 0;

    for (int32_t j = 0; j < num_forecasts; j++) {
        int64_t rounded, clipped;

        change *= phi;
        count += change;
        rounded = llround(count);
        clipped = clip(rounded, limits->min, limits->max);
        if (j > 0) {
            clipped = clip(clipped, forecasts[0] - limits->range, forecasts[0] + limits->range);
        }
        num_clipped += clipped != rounded;
        forecasts[j] = (int32_t) clipped;
    }
    return num_clipped;
}

/* ---- The system ---- */

/* Parcae: forms the pipelines (D,P) with the most expected samples over the next
 * intervals, including the costs of moves and preemptions. A stage without survivors is
 * read from the last checkpoint; as published a service in memory has it, so that ended
 * steps are always kept. */

enum { PREDICT_LAST, PREDICT_ARIMA, PREDICT_ORACLE };
static const char *const predictor_names[] = {"last", "arima", "oracle", NULL};

enum { NOTICE_DRAIN, NOTICE_IGNORE };
static const char *const notice_names[] = {"drain", "ignore", NULL};

#define MAX_HISTORY 64

/* Memory for tables of expected costs in a run, and bounds of their number. */
#define TABLE_BYTES ((size_t) 4 << 20)
#define FEWEST_TABLES 8
#define MOST_TABLES 64

typedef struct {
    spot_parcae_t parcae;
    int64_t num_intervals;
    int predictor;
    int64_t num_samples;
    int64_t num_history;
    int notice;
    int64_t drain_steps;
    spot_parcae_limits_t limits;
    spot_parcae_moves_t sure; /* moves without losses */
} options_t;

typedef struct {
    spot_layout_t held;   /* the holders of the state */
    spot_layout_t coming; /* the holders after the pause */
    bool is_moving;       /* the pause is under way */
    int32_t pair;         /* in use or coming */
    int32_t num_left;     /* active instances neither lost nor given up */
    int64_t detected_ms;  /* when the latest loss is detected */
    int64_t leave_ms;     /* when the announced instances are given up; 0: never */
    int32_t num_counts;
    int32_t counts[MAX_HISTORY + 1];      /* instances at the latest boundaries */
    const spot_recovery_future_t *future; /* oracle */
    double *first_costs;                  /* [num_pairs + 1] */
    uint8_t *is_lost;                     /* [capacity] by place of held */
    spot_parcae_lookahead_t ahead;
} state_t;

/* ---- What a run remembers ---- */

static int32_t num_tables(const options_t *self)
{
    const size_t num = (size_t) self->parcae.num_pairs + 1;
    const size_t count = TABLE_BYTES / (num * num * sizeof(double));

    if (self->predictor == PREDICT_LAST) {
        return 0; /* no loss is forecast */
    }
    return count < FEWEST_TABLES ? FEWEST_TABLES
           : count > MOST_TABLES ? MOST_TABLES
                                 : (int32_t) count;
}

static size_t parcae_state_size(const void *options, const spot_job_t *job, int64_t capacity)
{
    const options_t *self = options;

    (void) job;
    return sizeof(state_t) + ((size_t) self->parcae.num_pairs + 1) * sizeof(double) +
           spot_parcae_lookahead_bytes(&self->parcae, capacity, num_tables(self)) + sizeof(double) +
           2 * spot_layout_bytes(capacity) + (size_t) capacity;
}

static void parcae_start(const void *options, void *state, const spot_recovery_start_t *run)
{
    const options_t *self = options;
    state_t *memory = state;
    const size_t layout_bytes = spot_layout_bytes(run->capacity);
    size_t ahead_bytes =
        spot_parcae_lookahead_bytes(&self->parcae, run->capacity, num_tables(self));
    char *rest;

    ahead_bytes += sizeof(double) - ahead_bytes % sizeof(double);
    memory->pair = self->parcae.num_pairs;
    memory->future = run->future;
    memory->first_costs = (double *) (void *) (memory + 1);
    rest = (char *) (memory->first_costs + self->parcae.num_pairs + 1);
    spot_parcae_lookahead_start(
        &memory->ahead, rest, &self->parcae, run->capacity, num_tables(self));
    memory->ahead.sure = &self->sure;
    memory->ahead.num_samples = self->num_samples;
    memory->ahead.seed = run->seed;
    memory->ahead.replication = run->replication;
    memory->ahead.answers = run->kept;
    spot_layout_start(&memory->held, rest + ahead_bytes, run->capacity);
    spot_layout_start(&memory->coming, rest + ahead_bytes + layout_bytes, run->capacity);
    memory->is_lost = (uint8_t *) (rest + ahead_bytes + 2 * layout_bytes);
}

/* ---- Holders of the state ---- */

/* Follows the end of a pause and losses. */
static void follow(const options_t *options, state_t *self, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change)
{
    if (self->is_moving && view->training_ms <= view->now_ms) {
        const spot_layout_t coming = self->coming;

        self->coming = self->held;
        self->held = coming;
        self->is_moving = false;
    }
    spot_layout_lose(&self->held, change->lost, change->num_lost_active);
    if (self->is_moving) {
        spot_layout_lose(&self->coming, change->lost, change->num_lost_active);
    }
    if (change->num_lost_active > 0) {
        self->detected_ms = view->now_ms + options->parcae.detection_ms;
    }
    self->num_left = view->num_active;
}

static int64_t detection_left_ms(const state_t *self, const spot_recovery_view_t *view)
{
    return self->detected_ms > view->now_ms ? self->detected_ms - view->now_ms : 0;
}

/* Moves the state by a new decision: instances out of use are no survivors. */
static void move(const options_t *options, state_t *self, const spot_recovery_view_t *view)
{
    const spot_parcae_pair_t *pair = &options->parcae.pairs[self->pair];

    spot_layout_form_noticed_last(&self->coming, view->fleet,
        options->notice == NOTICE_DRAIN ? view->deadlines_ms : NULL, pair->num_pipelines,
        pair->depth);
    for (int32_t slot = 0; slot < self->held.capacity; slot++) {
        /* Negative for a holder without a coming place: rare, where each half is not. */
        if ((self->coming.places[slot] & ~self->held.places[slot]) < 0) {
            spot_layout_lose(&self->held, &slot, 1);
        }
    }
    self->is_moving = true;
}

/* ---- Announced preemptions ---- */

static bool takes_notice(const options_t *self, const spot_recovery_view_t *view)
{
    return self->notice == NOTICE_DRAIN && view->deadlines_ms != NULL;
}

/* N without instances with an announced preemption. */
static int64_t num_instances(const options_t *self, const spot_recovery_view_t *view)
{
    return takes_notice(self, view) ? spot_recovery_num_staying(view)
                                    : spot_recovery_num_usable(view);
}

/* Gives up the announced instances. */
static void leave(const options_t *options, state_t *self, const spot_recovery_view_t *view)
{
    self->leave_ms = 0;
    for (int32_t slot = 0; takes_notice(options, view) && slot < self->held.capacity; slot++) {
        if (spot_recovery_is_leaving(view, slot)) {
            spot_layout_lose(&self->held, &slot, 1);
            self->num_left--;
        }
    }
}

typedef enum {
    ANSWER_NONE, /* no active instance is announced */
    ANSWER_WAIT, /* nothing else is decided until it is given up or lost */
    ANSWER_LEAVE
} answer_t;

/* Drains all steps that are asked for or, without time for them, none; none in a pause.
 * Without a number it drains all steps that end by the deadline. */
static answer_t answer_notice(const options_t *options, state_t *self,
    const spot_recovery_view_t *view, const spot_recovery_decision_t *decision)
{
    const spot_parcae_pair_t *pair = &options->parcae.pairs[self->pair];
    const int64_t first_ms =
        takes_notice(options, view) ? spot_recovery_first_deadline_ms(view, decision) : INT64_MAX;
    const int64_t now_ms = view->now_ms;
    int64_t step_ms = pair->step_ms;

    if (first_ms == INT64_MAX) {
        return ANSWER_NONE;
    }
    if (spot_parcae_rest_ms(view) > 0 || now_ms == self->leave_ms) {
        return ANSWER_LEAVE;
    }
    if (step_ms == 0) {
        step_ms = spot_job_step_ms(view->job, pair->num_pipelines);
    }
    if (self->leave_ms == 0 && options->drain_steps <= (first_ms - now_ms) / step_ms) {
        const int64_t num_ended = (now_ms - view->training_ms) / step_ms;
        const int64_t num_fitting = (first_ms - view->training_ms) / step_ms;

        self->leave_ms =
            view->training_ms +
            (options->drain_steps == 0 ? num_fitting : num_ended + options->drain_steps) * step_ms;
    }
    return ANSWER_WAIT;
}

/* ---- Costs now ---- */

/* Whether the state must be read from storage: no service keeps it, and some stage has
 * no holder. */
static bool needs_storage(const options_t *self, const state_t *state)
{
    const spot_layout_t *held = &state->held;
    bool is_whole = held->num_pipelines > 0;

    for (int32_t stage = 0; is_whole && stage < held->depth; stage++) {
        is_whole = spot_layout_replicas(held, stage) > 0;
    }
    return !self->parcae.keeps_steps && !is_whole;
}

static void find_first_costs(
    const options_t *self, state_t *state, const spot_recovery_view_t *view, bool has_loss)
{
    const int64_t detection_ms = detection_left_ms(state, view);
    const spot_parcae_t *parcae = &self->parcae;
    const spot_parcae_costs_t *costs = &parcae->costs;
    const int64_t rest_ms = spot_parcae_rest_ms(view);
    const int64_t num_usable = num_instances(self, view);
    const int32_t num_places = state->held.num_pipelines * state->held.depth;
    const bool is_from_storage = needs_storage(self, state);
    const spot_parcae_left_t left = {
        .num_pipelines =
            state->held.num_held == 0 || is_from_storage ? 0 : state->held.num_pipelines,
        .depth = state->held.depth,
        .is_lost = state->is_lost,
        .num_left = state->num_left,
    };
    bool is_any = false;

    for (int32_t place = 0; place < num_places; place++) {
        state->is_lost[place] = state->held.slots[place] == SPOT_LAYOUT_NONE;
    }
    for (int32_t id = 0; id < parcae->num_pairs; id++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[id];
        double *cost = &state->first_costs[id];

        if (spot_parcae_size(parcae, id) > num_usable) {
            *cost = -1;
            continue;
        }
        is_any = true;
        if (view->now_ms == 0) { /* the first decision is free */
            *cost = 0;
        } else if (id == state->pair && !has_loss) {
            *cost = (double) rest_ms;
        } else {
            *cost = (double) detection_ms +
                    spot_parcae_move_ms(costs, &left, pair->num_pipelines, pair->depth);
            *cost += parcae->merges_pauses && rest_ms > 0
                         ? spot_parcae_restart_ms(costs, pair->num_pipelines, pair->depth, false)
                         : 0;
        }
    }
    /* To wait does not help before a loss is detected. */
    state->first_costs[parcae->num_pairs] = is_any && detection_ms > 0 ? -1 : 0;
}

/* ---- What was seen, and what is expected ---- */

static void remember(const options_t *self, state_t *state, int64_t num_instances)
{
    if (state->num_counts == self->num_history) {
        memmove(state->counts, state->counts + 1,
            (size_t) (state->num_counts - 1) * sizeof(*state->counts));
        state->num_counts--;
    }
    state->counts[state->num_counts++] = (int32_t) num_instances;
}

/* ARIMA; between boundaries the present count follows those of boundaries. */
static int32_t forecast_arima(
    const options_t *self, const state_t *state, bool is_boundary, int32_t *counts)
{
    spot_parcae_limits_t limits = self->limits;
    int32_t history[MAX_HISTORY + 1];
    int32_t num_history = state->num_counts;

    if (limits.max == 0) {
        limits.max = self->parcae.num_best - 1;
    }
    memcpy(history, state->counts, (size_t) num_history * sizeof(*history));
    if (!is_boundary) {
        history[num_history++] = counts[0];
    }
    return spot_parcae_forecast(
        history, num_history, &limits, counts + 1, (int32_t) self->num_intervals - 1);
}

/* Sets counts[num_intervals] to the count now and the forecasts for the next boundaries.
 * Returns how many forecasts were cut off. */
static int32_t forecast(
    const options_t *self, const state_t *state, const spot_recovery_view_t *view, int32_t *counts)
{
    const int64_t interval_ms = self->parcae.interval_ms;
    int64_t boundary_ms = spot_parcae_next_ms(&self->parcae, view->now_ms);

    counts[0] = (int32_t) num_instances(self, view);
    if (self->predictor == PREDICT_ARIMA) {
        return forecast_arima(self, state, view->now_ms % interval_ms == 0, counts);
    }
    for (int64_t j = 1; j < self->num_intervals; j++, boundary_ms += interval_ms) {
        counts[j] = self->predictor == PREDICT_LAST
                        ? counts[0]
                        : (int32_t) spot_recovery_future_count(state->future, boundary_ms);
    }
    return 0;
}

/* ---- Moves ---- */

static void decide_move(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    spot_recovery_decision_t *decision)
{
    const int64_t detection_ms = detection_left_ms(state, view);
    const bool is_from_storage = needs_storage(self, state);
    const spot_parcae_t *parcae = &self->parcae;
    const spot_parcae_pair_t *pair = &parcae->pairs[state->pair];
    const double pause_ms = state->first_costs[state->pair];
    double restart_ms = 0;

    if (pair->num_pipelines > 0) {
        restart_ms = (double) detection_ms +
                     spot_parcae_restart_ms(&parcae->costs, pair->num_pipelines, pair->depth,
                         is_from_storage || pair->num_pipelines * pair->depth > state->num_left);
        restart_ms +=
            parcae->merges_pauses && spot_parcae_rest_ms(view) > 0
                ? spot_parcae_restart_ms(&parcae->costs, pair->num_pipelines, pair->depth, false)
                : 0;
    }
    spot_parcae_decide_pair(
        parcae, state->pair, pause_ms, restart_ms < pause_ms ? restart_ms : pause_ms, decision);
    if (is_from_storage) {
        decision->work = SPOT_WORK_ROLLED_BACK;
    }
    decision->takes_noticed_last = self->notice == NOTICE_DRAIN;
    move(self, state, view);
}

/* Returns whether nothing more is to be decided until a change. */
static bool decide_ahead(const options_t *self, state_t *state, const spot_recovery_view_t *view,
    bool has_loss, spot_recovery_decision_t *decision)
{
    const int64_t interval_ms = self->parcae.interval_ms;
    const bool is_boundary = view->now_ms % interval_ms == 0;
    int32_t counts[PARCAE_MAX_INTERVALS];
    const spot_parcae_question_t question = {
        .first_ms = spot_parcae_next_ms(&self->parcae, view->now_ms) - view->now_ms,
        .num_intervals = (int32_t) self->num_intervals,
        .counts = counts,
        .first_costs = state->first_costs,
        .current = state->pair,
    };
    int32_t chosen;

    decision->num_clipped = forecast(self, state, view, counts);
    spot_decision_note(
        decision, SPOT_NOTE_STEP_UNKNOWN, spot_parcae_lacks_step_time(&self->parcae, view));
    find_first_costs(self, state, view, has_loss);
    chosen = spot_parcae_look_ahead(&state->ahead, &question);
    if (has_loss || chosen != state->pair) {
        state->pair = chosen;
        decide_move(self, state, view, decision);
        return false;
    }
    return is_boundary && spot_parcae_rest_ms(view) == 0;
}

static void parcae_decide(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    const options_t *self = options;
    const bool is_boundary = view->now_ms % self->parcae.interval_ms == 0;
    state_t *memory = state;
    bool has_loss = change->num_lost_active > 0;
    answer_t answer = ANSWER_NONE;
    bool is_settled = false;

    follow(self, memory, view, change);
    if (is_boundary) {
        remember(self, memory, num_instances(self, view));
    }
    if (!has_loss) {
        answer = answer_notice(self, memory, view, decision);
        has_loss = answer == ANSWER_LEAVE;
    }
    if (has_loss) {
        leave(self, memory, view);
    }
    if (has_loss || (is_boundary && answer == ANSWER_NONE)) {
        is_settled = decide_ahead(self, memory, view, has_loss, decision);
    }
    if (!is_settled || self->predictor != PREDICT_LAST) {
        decision->wake_ms = spot_parcae_next_ms(&self->parcae, view->now_ms);
        decision->wakes = SPOT_WAKE_LAST;
    }
    if (memory->leave_ms > view->now_ms && memory->leave_ms < decision->wake_ms) {
        decision->wake_ms = memory->leave_ms;
    }
}

/* ---- Options ---- */

static int parcae_settle(void *options, spot_terms_t *terms)
{
    options_t *self = options;
    spot_bind_t *bind = terms->bind;
    const spot_node_t *node = terms->node;
    const int ret = spot_parcae_settle(&self->parcae, terms);

    terms->traits.knows_future = self->predictor == PREDICT_ORACLE;
    if (ret != 0 || self->parcae.best == NULL) {
        return ret;
    }
    if (self->parcae.num_pairs > PARCAE_MAX_PAIRS) {
        spot_bind_error(bind, node, "recovery",
            "%d (D,P) are more than the look-ahead takes (%d): narrow min_depth to "
            "max_depth, or use parcae-throughput",
            (int) self->parcae.num_pairs, PARCAE_MAX_PAIRS);
        return 0;
    }
    if (self->limits.max > 0 && self->limits.max < self->limits.min) {
        spot_bind_error(bind, node, "recovery", "forecast_max is less than forecast_min");
    }
    return spot_parcae_moves_init(&self->sure, &self->parcae);
}

static void parcae_release(void *options)
{
    options_t *self = options;

    spot_parcae_moves_free(&self->sure);
    spot_parcae_release(&self->parcae);
}

static const spot_field_t parcae_options[] = {
    {SPOT_RANGE(INTEGER, "look_ahead", options_t, num_intervals, 1, PARCAE_MAX_INTERVALS, "8",
         "intervals looked ahead",
         "intervals to plan for, the one that begins included; only the first step is "
         "carried out"),
        SPOT_DECIDES},
    {SPOT_CHOICE("predictor", options_t, predictor, predictor_names, "last", "predictor",
        "how many instances there will be: last: as many as now; arima: ARIMA(1,1,0) on "
        "the latest counts at boundaries; oracle: as many as there are going to be, "
        "which no real system knows (the output calls it clairvoyant)")},
    {SPOT_CHOICE("notice", options_t, notice, notice_names, "drain", "answer to a notice",
        "drain: when the preemption of an instance in use is announced (see "
        "fleet.notice), the job does drain_steps more steps, if they fit before it, and "
        "goes on without that instance, which is paid and idle until it goes: no step "
        "is lost; in a pause at once. Else nothing is planned until the loss. ignore: "
        "as if nothing was announced")},
    {SPOT_RANGE(INTEGER, "drain_steps", options_t, drain_steps, 0, 1e6, "0", "steps before a loss",
        "steps to do after a notice, the one under way included; 2 in the published "
        "program, whose announced instances are idle for the rest of a long notice; 0: "
        "as many as fit before the loss")},
    {SPOT_RANGE(INTEGER, "samples", options_t, num_samples, 1, 1e6, "1000", "draws of victims",
        "draws of victims for an expected cost; where there are no more outcomes than "
        "that, all are counted instead")},
    {SPOT_RANGE(INTEGER, "history", options_t, num_history, 3, MAX_HISTORY, "8",
         "intervals of history", "arima: counts to forecast from"),
        SPOT_DECIDES},
    {SPOT_RANGE(INTEGER, "forecast_min", options_t, limits.min, 0, SPOT_MAX_INSTANCES, "0",
        "arima: least forecast; 8 in the published program; with a warning where it "
        "cuts off")},
    {SPOT_RANGE(INTEGER, "forecast_max", options_t, limits.max, 0, SPOT_MAX_INSTANCES, "0",
        "arima: largest forecast, likewise; 32 in the published program; 0: "
        "fleet.capacity")},
    {SPOT_RANGE(INTEGER, "forecast_range", options_t, limits.range, 0, SPOT_MAX_INSTANCES, "3",
         "most change of a forecast",
         "arima: most that a forecast may differ from the next boundary's, likewise"),
        SPOT_DECIDES},
    {.name = NULL, .fields = spot_parcae_fields},
};

const spot_recovery_t spot_recovery_parcae = {
    .name = "parcae",
    .doc = "the pipelines that are expected to give the most samples over the next "
           "intervals, migrations included; steps that ended are kept while each stage "
           "has a holder",
    .source = "Duan et al., Parcae, NSDI'24",
    .options = parcae_options,
    .options_size = sizeof(options_t),
    .published = SPOT_PARCAE_PUBLISHED,
    .traits = {.has_own_step_time = true,
        .chooses_depth = true,
        .flushes = SPOT_FLUSHES_NEVER,
        .kept_bytes = SPOT_PARCAE_ANSWERS_BYTES},
    .settle = parcae_settle,
    .release = parcae_release,
    .faults = spot_parcae_faults,
    .state_size = parcae_state_size,
    .start = parcae_start,
    .decide = parcae_decide,
};
