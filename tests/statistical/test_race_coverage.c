/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points that a race leaves hold the one that is truly best with the confidence
 * asked for, where it is hardest: several points are equally good and nothing ends the
 * race early. And the race saves runs where points differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/race.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/toy_study.h"

#define NUM_RACES 200
#define CONFIDENCE 0.95

typedef struct {
    const char *name;
    const char *goal;
    const char *over;
    size_t best_id; /* a point with the best mean; others may have it too */
} case_t;

/* Ties: in a stream of their own each; in one stream with skewed differences, against a
 * point that is right when few large values make the others look better or worse; and
 * both. */
static const case_t cases[] = {
    {"independent", "minimise: normal", "stream: [0, 1, 2, 3, 4, 5, 6, 7]", 0},
    {"skewed", "minimise: exponential", "spread: [0.5, 1, 2, 3, 4, 5, 6, 7]", 0},
    {"skewed, independent", "maximise: exponential", "stream: [0, 1, 2, 3], spread: [1, 4]", 1},
};

static void read_case(spot_study_t *study, const case_t *self)
{
    char text[512];

    snprintf(text, sizeof(text),
        "study: toy\nscenario: {}\n"
        "optimise: {%s, over: {%s}, indifference: 0, confidence: %g}\n"
        "replications: {min: 128, max: 768}\nmetrics: [%s]\n",
        self->goal, self->over, CONFIDENCE, strchr(self->goal, ' ') + 1);
    read_toy_study(study, text);
}

/* Whether the race of the rows in a store leaves a point. confidence: of each interval;
 * 0: the race's own. */
static bool is_left(const spot_store_t *store, double confidence, size_t point_id)
{
    spot_race_t race;
    bool is_racing;

    assert_int_equal(spot_race_init(&race, store->head), 0);
    race.confidence = confidence > 0 ? confidence : race.confidence;
    assert_int_equal(spot_race_replay(&race, store), 0);
    is_racing = race.runners[point_id].fate == SPOT_FATE_RACING;
    spot_race_free(&race);
    return is_racing;
}

/* A race whose intervals hold with 95 % each, not all of them together, loses the best
 * point too often: the test would show it. */
static void check_case(const case_t *self)
{
    int num_held = 0, num_held_of_plain = 0;
    spot_study_t study;

    read_case(&study, self);
    for (uint64_t seed = 1; seed <= NUM_RACES; seed++) {
        spot_store_t *store;

        study.head.seed = seed;
        store = run_toy_study(&study, 1);
        num_held += is_left(store, 0, self->best_id);
        num_held_of_plain += is_left(store, CONFIDENCE, self->best_id);
        store->close(store);
    }
    print_message("%s: %d of %d races leave the best point, %d with plain intervals\n", self->name,
        num_held, NUM_RACES, num_held_of_plain);
    assert_true(num_held >= CONFIDENCE * NUM_RACES);
    assert_true(num_held_of_plain < CONFIDENCE * NUM_RACES);
    spot_study_free(&study);
}

static void test_the_best_stays(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_case(&cases[j]);
    }
}

/* Regret: the best point is really worse than the best mean by no more than is said. */
static void test_regret_and_runs(void **state)
{
    double share = 0, sureness = 0;
    int num_held = 0, num_best = 0;
    spot_study_t study;

    (void) state;
    read_toy_study(&study,
        "study: toy\nscenario: {}\n"
        "optimise: {minimise: normal, over: {stream: [0, 1, 2, 3], shift: [0, 0.2, 0.5, "
        "1, 2, 3, 5, 8]}, indifference: 0.01}\n"
        "replications: {min: 64, max: 5000}\nmetrics: [normal]\n");
    for (uint64_t seed = 1; seed <= NUM_RACES / 10; seed++) {
        spot_race_answer_t answer;
        spot_store_t *store;
        double loss;

        study.head.seed = seed;
        store = run_toy_study(&study, 1);
        assert_int_equal(spot_race_answer_init(&answer, store), 0);
        loss = study.head.axes[1].numbers[spot_study_value_id(&study.head, answer.race.best_id, 1)];
        num_held += loss <= answer.regret;
        num_best += loss == 0;
        share += (double) answer.num_runs / (double) answer.num_runs_of_plan;
        sureness += answer.sureness;
        spot_race_answer_free(&answer);
        store->close(store);
    }
    share /= NUM_RACES / 10;
    print_message("regret holds in %d, the best is found in %d of %d races; %.1f %% of "
                  "the runs, sure %.2f\n",
        num_held, num_best, NUM_RACES / 10, 100 * share, sureness / (NUM_RACES / 10));
    assert_true(num_held == NUM_RACES / 10);
    assert_true(num_best == NUM_RACES / 10);
    assert_true(share < 0.25);
    spot_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_best_stays),
        cmocka_unit_test(test_regret_and_runs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
