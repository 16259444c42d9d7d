/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/train/recovery/parcae/lookahead.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The relative difference of sums that are equal but for rounding. */
#define EQUAL_SHARE 1e-12

/* Before the first costs of an answer that is kept: the pair + 1, 0 for none yet, then
 * first_ms, the count and the current pair of its question. */
#define NUM_HEAD 4

/* ---- Memory ---- */

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
           2 * num * (SPOT_PARCAE_MAX_WAYS * sizeof(spot_parcae_way_t)) +
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
    self->ways[1] = self->ways[0] + num * SPOT_PARCAE_MAX_WAYS;
    self->num_ways[0] = (int32_t *) (void *) (self->ways[1] + num * SPOT_PARCAE_MAX_WAYS);
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
    if (num == SPOT_PARCAE_MAX_WAYS) {
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
            self->ways[0][(size_t) to * SPOT_PARCAE_MAX_WAYS] = prolong(&none,
                parcae->pairs[to].speed, question->first_costs[to], (double) question->first_ms);
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
    const spot_parcae_way_t *ways = &self->ways[0][(size_t) from * SPOT_PARCAE_MAX_WAYS];
    const spot_parcae_way_t *best = best_way(question, ways, self->num_ways[0][from]);

    for (int32_t to = 0; to <= parcae->num_pairs; to++) {
        const spot_parcae_pair_t *pair = &parcae->pairs[to];
        spot_parcae_way_t *after = &self->ways[1][(size_t) to * SPOT_PARCAE_MAX_WAYS];
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
        const spot_parcae_way_t *ways = &self->ways[0][(size_t) id * SPOT_PARCAE_MAX_WAYS];

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
        const spot_parcae_way_t *ways = &self->ways[0][(size_t) id * SPOT_PARCAE_MAX_WAYS];

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
    double key[NUM_HEAD + SPOT_PARCAE_MAX_PAIRS + 1];
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
