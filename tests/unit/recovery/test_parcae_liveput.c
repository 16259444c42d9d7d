/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected costs against all sets of victims one by one, the look-ahead against all
 * sequences of pairs one by one, and forecasts. */
#include "parcae_case.h"

#include "../base/near.h"
#include "sim/train/recovery/parcae/recovery_parcae.h"

#define CAPACITY 20
#define MAX_PAIRS 32

/* An invented model with tables of the repository. */
static void bind_sample(parcae_case_t *self, const char *options)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "job:\n"
        "  samples_per_step: 256\n"
        "  pipeline_depth: 6\n"
        "  step_time: {table: %s/models/sample/steps-48/steps.csv}\n"
        "recovery:\n"
        "  system: parcae\n"
        "  layers: 49\n"
        "  published_defaults: yes\n"
        "%s",
        SPOT_SOURCE_DIR, options);
    assert_int_equal(bind_parcae_case(self, text, CAPACITY), 0);
    assert_in_range(parcae_of(self)->num_pairs, 6, MAX_PAIRS - 1);
}

/* ---- Expected costs ---- */

/* The mean over all sets of k of N victims, straight from the definition. */
static double mean_over_sets(
    const spot_parcae_t *parcae, int32_t from, int32_t to, int32_t num_all, int32_t num_lost)
{
    const spot_parcae_pair_t *pair = &parcae->pairs[from], *next = &parcae->pairs[to];
    const int32_t num_places = pair->num_pipelines * pair->depth;
    double sum = 0, num_sets = 0;

    for (uint32_t set = 0; set < UINT32_C(1) << num_all; set++) {
        uint8_t is_lost[CAPACITY];
        spot_parcae_left_t left = {.num_pipelines = pair->num_pipelines,
            .depth = pair->depth,
            .is_lost = is_lost,
            .num_left = num_places};

        if (__builtin_popcount(set) != num_lost) {
            continue;
        }
        for (int32_t j = 0; j < num_places; j++) {
            is_lost[j] = (set >> j) & 1;
            left.num_left -= is_lost[j];
        }
        num_sets++;
        if (from != to || left.num_left < num_places) {
            sum += spot_parcae_move_ms(&parcae->costs, &left, next->num_pipelines, next->depth);
        }
    }
    return sum / num_sets;
}

static void expect(const spot_parcae_t *parcae, int32_t from, int32_t num_all, int32_t num_lost,
    int64_t num_samples, double *costs)
{
    int32_t numbers[CAPACITY];
    uint8_t is_lost[CAPACITY];
    spot_rng_t rng;
    const spot_parcae_chance_t chance = {.from = from,
        .num_instances = num_all,
        .num_lost = num_lost,
        .num_samples = num_samples,
        .rng = &rng,
        .numbers = numbers,
        .is_lost = is_lost};

    spot_rng_seek(&rng, 1, 0, SPOT_STREAM_RECOVERY, 0);
    (void) spot_parcae_expect(parcae, &chance, costs);
}

/* With many samples all sets are counted; with few the numbers lost of each stage are,
 * for the same depth; with fewer there is a mean of a sample, near the truth. */
static void test_expectations(void **state)
{
    parcae_case_t self;
    const spot_parcae_t *parcae;
    size_t num_compared = 0;

    (void) state;
    bind_sample(&self, "");
    parcae = parcae_of(&self);
    for (int32_t from = 0; from < parcae->num_pairs; from++) {
        for (int32_t num_lost = 0; num_lost <= 4; num_lost++) {
            double exact[MAX_PAIRS], counted[MAX_PAIRS], sampled[MAX_PAIRS];

            if (spot_parcae_size(parcae, from) > 14) {
                continue;
            }
            expect(parcae, from, 14, num_lost, 5000, exact);
            expect(parcae, from, 14, num_lost, 500, counted);
            expect(parcae, from, 14, num_lost, num_lost > 2 ? 60 : 5, sampled);
            for (int32_t to = 0; to < parcae->num_pairs; to++) {
                const bool is_same = parcae->pairs[to].depth == parcae->pairs[from].depth;
                double mean;

                if (spot_parcae_size(parcae, to) > 14 - num_lost) {
                    continue;
                }
                mean = mean_over_sets(parcae, from, to, 14, num_lost);
                assert_near(exact[to] + 1, mean + 1, 1e-9);
                assert_near(counted[to] + 1, mean + 1, is_same ? 1e-9 : 0.05);
                assert_near(sampled[to] + 1, mean + 1, 0.6);
                num_compared++;
            }
        }
    }
    assert_true(num_compared > 30);
    free_parcae_case(&self);
}

/* ---- Look-ahead ---- */

#define NUM_INTERVALS 4

typedef struct {
    const spot_parcae_t *parcae;
    const spot_parcae_question_t *question;
    const spot_parcae_moves_t *sure;
    double best[MAX_PAIRS]; /* [num_pairs + 1] by the first pair; < 0: none */
} search_t;

/* All sequences from here on, one after the other, without losses. */
static void search(
    search_t *self, int32_t interval, int32_t from, double rest_ms, double samples, int32_t first)
{
    const spot_parcae_t *parcae = self->parcae;
    const size_t num = (size_t) parcae->num_pairs + 1;

    if (interval == self->question->num_intervals) {
        self->best[first] = fmax(self->best[first], samples);
        return;
    }
    for (int32_t to = 0; to <= parcae->num_pairs; to++) {
        const double length_ms =
            interval == 0 ? (double) self->question->first_ms : (double) parcae->interval_ms;
        double cost_ms = self->question->first_costs[to];

        if (interval > 0) {
            cost_ms = to == from ? rest_ms : self->sure->costs[(size_t) from * num + (size_t) to];
        }
        if (cost_ms < 0 || spot_parcae_size(parcae, to) > self->question->counts[interval]) {
            continue;
        }
        search(self, interval + 1, to, fmax(0, cost_ms - length_ms),
            samples + parcae->pairs[to].speed * fmax(0, length_ms - cost_ms),
            interval == 0 ? to : first);
    }
}

/* The answer is as good as any; of equal ones it is to go on as before. Tells whether it
 * is to move. */
static bool assert_best(
    spot_parcae_lookahead_t *ahead, const spot_parcae_question_t *question, const double *samples)
{
    const int32_t chosen = spot_parcae_look_ahead(ahead, question);
    double best = 0;

    for (int32_t to = 0; to <= ahead->parcae->num_pairs; to++) {
        best = fmax(best, samples[to]);
    }
    assert_true(samples[chosen] >= best * (1 - 1e-11));
    assert_true(chosen == question->current || samples[question->current] < best * (1 - 1e-13) ||
                best == 0);
    return chosen != question->current;
}

/* A look-ahead that is ready to be asked. */
typedef struct {
    parcae_case_t sample;
    const spot_parcae_t *parcae;
    size_t num_states; /* pairs, and to wait */
    spot_parcae_moves_t sure;
    spot_parcae_lookahead_t ahead;
    void *memory;
} asker_t;

static void start_asker(asker_t *self, const char *options)
{
    memset(self, 0, sizeof(*self));
    bind_sample(&self->sample, options);
    self->parcae = parcae_of(&self->sample);
    self->num_states = (size_t) self->parcae->num_pairs + 1;
    assert_int_equal(spot_parcae_moves_init(&self->sure, self->parcae), 0);
    self->memory = calloc(1, spot_parcae_lookahead_bytes(self->parcae, CAPACITY, 16));
    assert_non_null(self->memory);
    spot_parcae_lookahead_start(&self->ahead, self->memory, self->parcae, CAPACITY, 16);
    self->ahead.sure = &self->sure;
    self->ahead.num_samples = 5000;
}

static void free_asker(asker_t *self)
{
    free(self->memory);
    spot_parcae_moves_free(&self->sure);
    free_parcae_case(&self->sample);
}

/* Counts that grow, any pair in use, anywhere between boundaries. */
static void draw_question(const asker_t *self, uint64_t dice, spot_parcae_question_t *question,
    int32_t *counts, double *costs)
{
    counts[0] = 5 + (int32_t) ((dice >> 33) % 16);
    for (int i = 1; i < NUM_INTERVALS; i++) {
        counts[i] = counts[i - 1] + (counts[i - 1] < CAPACITY && (dice >> i & 1));
    }
    *question = (spot_parcae_question_t){
        .first_ms = 1 + (int64_t) ((dice >> 20) % (uint64_t) self->parcae->interval_ms),
        .num_intervals = NUM_INTERVALS,
        .counts = counts,
        .first_costs = costs,
        .current = (int32_t) ((dice >> 40) % self->num_states)};
    if (spot_parcae_size(self->parcae, question->current) > counts[0]) {
        question->current = self->parcae->num_pairs;
    }
    for (size_t to = 0; to < self->num_states; to++) {
        costs[to] = spot_parcae_size(self->parcae, (int32_t) to) > counts[0]
                        ? -1
                        : self->sure.costs[(size_t) question->current * self->num_states + to];
    }
}

static void test_look_ahead(void **state)
{
    static const char *const options[] = {"  interval: 60 s\n", "  interval: 9 s\n"};
    size_t num_moves = 0;
    uint64_t dice = 1;

    (void) state;
    for (int is_short = 0; is_short < 2; is_short++) {
        asker_t self;

        start_asker(&self, options[is_short]);
        for (int j = 0; j < 60; j++) {
            int32_t counts[NUM_INTERVALS];
            double costs[MAX_PAIRS];
            spot_parcae_question_t question;
            search_t all = {.parcae = self.parcae, .question = &question, .sure = &self.sure};

            dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407U;
            draw_question(&self, dice, &question, counts, costs);
            for (size_t to = 0; to < self.num_states; to++) {
                all.best[to] = -1;
            }
            search(&all, 0, question.current, 0, 0, 0);
            num_moves += assert_best(&self.ahead, &question, all.best);
        }
        free_asker(&self);
    }
    assert_in_range(num_moves, 10, 110);
}

#define NUM_QUESTIONS 4000

/* Asks the same random questions at each call, most with equal counts. */
static void ask_all(asker_t *self, int32_t *answers)
{
    uint64_t dice = 5;

    for (int j = 0; j < NUM_QUESTIONS; j++) {
        int32_t counts[NUM_INTERVALS];
        double costs[MAX_PAIRS];
        spot_parcae_question_t question;

        dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407U;
        draw_question(self, dice, &question, counts, costs);
        question.first_ms = 3000 * (1 + question.first_ms % 3);
        for (int i = 1; j % 8 != 0 && i < NUM_INTERVALS; i++) {
            counts[i] = counts[0];
        }
        answers[j] = spot_parcae_look_ahead(&self->ahead, &question);
    }
}

static size_t num_different(const int32_t *answers, const int32_t *others)
{
    size_t count = 0;

    for (int j = 0; j < NUM_QUESTIONS; j++) {
        count += answers[j] != others[j];
    }
    return count;
}

/* Kept answers are those of a look-ahead that keeps none, and they are kept: most are
 * given again where a pair has got faster in between. */
static void test_kept_answers(void **state)
{
    static int32_t fresh[NUM_QUESTIONS], kept[NUM_QUESTIONS], again[NUM_QUESTIONS];
    size_t num_changed;
    asker_t self;

    (void) state;
    start_asker(&self, "  interval: 9 s\n");
    ask_all(&self, fresh);
    self.ahead.answers = calloc(1, SPOT_PARCAE_ANSWERS_BYTES);
    assert_non_null(self.ahead.answers);
    ask_all(&self, kept);
    assert_int_equal(num_different(kept, fresh), 0);
    ask_all(&self, again);
    assert_int_equal(num_different(again, fresh), 0);
    free(self.ahead.answers);
    free_asker(&self);

    start_asker(&self, "  interval: 9 s\n");
    self.ahead.answers = calloc(1, SPOT_PARCAE_ANSWERS_BYTES);
    assert_non_null(self.ahead.answers);
    ask_all(&self, kept);
    self.parcae->pairs[0].speed *= 1000;
    ask_all(&self, again);
    num_changed = num_different(again, fresh);
    free(self.ahead.answers);
    self.ahead.answers = NULL;
    ask_all(&self, again);
    assert_true(num_changed < num_different(again, fresh) / 2);
    free_asker(&self);
}

/* What two intervals of 60 s come to with a pair in the first: of n instances num_lost
 * are lost between them. */
static double samples_of_two(const asker_t *self, int32_t from, int32_t n, int32_t num_lost)
{
    const spot_parcae_t *parcae = self->parcae;
    double costs[MAX_PAIRS] = {0}, best = 0;

    if (from < parcae->num_pairs) {
        expect(parcae, from, n, num_lost, 5000, costs);
    } else {
        memcpy(costs, self->sure.costs + (size_t) from * self->num_states,
            self->num_states * sizeof(double));
    }
    for (int32_t to = 0; to < parcae->num_pairs; to++) {
        if (spot_parcae_size(parcae, to) <= n - num_lost) {
            best = fmax(best, parcae->pairs[to].speed * fmax(0, 60000 - costs[to]));
        }
    }
    return 60000 * parcae->pairs[from].speed + best;
}

/* With a loss to come: the fastest pipelines are not always the best. */
static void test_losses_ahead(void **state)
{
    size_t num_careful = 0;
    asker_t self;

    (void) state;
    start_asker(&self, "  link_gbps: 3\n");
    for (int32_t n = 6; n <= 14; n++) {
        for (int32_t num_lost = 1; num_lost <= 4; num_lost++) {
            const int32_t counts[] = {n, n - num_lost};
            double first_costs[MAX_PAIRS], samples[MAX_PAIRS];
            const spot_parcae_question_t question = {.first_ms = 60000,
                .num_intervals = 2,
                .counts = counts,
                .first_costs = first_costs,
                .current = self.parcae->num_pairs};

            for (int32_t from = 0; from <= self.parcae->num_pairs; from++) {
                const bool fits = spot_parcae_size(self.parcae, from) <= n;

                first_costs[from] = fits ? 0 : -1;
                samples[from] = fits ? samples_of_two(&self, from, n, num_lost) : -1;
            }
            (void) assert_best(&self.ahead, &question, samples);
            num_careful += spot_parcae_look_ahead(&self.ahead, &question) != self.parcae->best[n];
        }
    }
    assert_true(num_careful > 0);
    free_asker(&self);
}

/* ---- Forecasts ---- */

static void test_forecasts(void **state)
{
    static const int32_t steady[] = {20, 20, 20, 20};
    static const int32_t falling[] = {24, 23, 22, 21};
    static const int32_t fading[] = {100, 84, 76, 72}; /* each change half as large */
    static const spot_parcae_limits_t wide = {.min = 0, .max = 1000, .range = 1000};
    static const spot_parcae_limits_t narrow = {.min = 19, .max = 1000, .range = 3};
    int32_t forecasts[6];

    (void) state;
    assert_int_equal(spot_parcae_forecast(steady, 4, &wide, forecasts, 6), 0);
    assert_int_equal(forecasts[5], 20);
    assert_int_equal(spot_parcae_forecast(falling, 4, &wide, forecasts, 6), 0);
    for (int j = 0; j < 6; j++) {
        assert_int_equal(forecasts[j], 20 - j);
    }
    assert_int_equal(spot_parcae_forecast(fading, 4, &wide, forecasts, 3), 0);
    assert_int_equal(forecasts[0], 70);
    assert_int_equal(forecasts[1], 69);
    assert_int_equal(spot_parcae_forecast(falling, 4, &narrow, forecasts, 6), 4);
    assert_int_equal(forecasts[0], 20);
    assert_int_equal(forecasts[5], 19);
    assert_int_equal(spot_parcae_forecast(falling, 1, &wide, forecasts, 2), 0);
    assert_int_equal(forecasts[1], 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_look_ahead),
        cmocka_unit_test(test_kept_answers),
        cmocka_unit_test(test_losses_ahead),
        cmocka_unit_test(test_forecasts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
