/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probabilities to finish and to meet a deadline against their exact values. A fleet
 * that only loses instances, each minute one with some probability, trains on a lattice
 * of minutes: steps, checkpoints and pauses are whole minutes. The distribution of the
 * time to finish follows by carrying the probability of each state of the job from
 * minute to minute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sim/bench/analysis/race.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "statistics.h"

#define NUM_SETTINGS 20
#define NUM_ROWS 20000
#define FILE_NAME "deadlines.yaml"

/* All times in minutes. */
typedef struct {
    int depth, num_standby;
    double p; /* of a loss in a minute */
    int step, steps_between, write, pause, num_steps, deadline, horizon;
} setting_t;

static int between(spot_rng_t *rng, int low, int high)
{
    return low + (int) spot_rng_below(rng, (uint64_t) (high - low + 1));
}

static setting_t draw_setting(uint64_t seed)
{
    setting_t self;
    spot_rng_t rng;
    int work;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    self.depth = between(&rng, 2, 6);
    self.num_standby = between(&rng, 6, 20);
    self.p = 0.01 * between(&rng, 3, 12);
    self.step = between(&rng, 1, 4);
    self.steps_between = between(&rng, 1, 5);
    self.write = between(&rng, 0, 2);
    self.pause = between(&rng, 1, 6);
    self.num_steps = between(&rng, 15, 40);
    work = self.num_steps * self.step + self.num_steps / self.steps_between * self.write;
    self.deadline = work + work * between(&rng, 1, 6) / 10;
    self.horizon = self.deadline + between(&rng, 1, 40);
    return self;
}

/* ---- The exact distribution ---- */

/* The probability of each state: segment (between two checkpoints), minute within it or,
 * from length on, minutes of the pause that are left, and instances lost. */
typedef struct {
    const setting_t *setting;
    int num_segments, length, num_places, num_losses;
    double *p; /* [num_segments][num_places][num_losses] */
} states_t;

static double *at(const states_t *self, double *p, int segment, int place, int losses)
{
    return &p[(segment * self->num_places + place) * self->num_losses + losses];
}

/* A minute passes: progress first, then the loss. Returns the probability that the last
 * step ended in it. */
static double pass(const states_t *self, double *next, int segment, int place, int losses, double p)
{
    const setting_t *setting = self->setting;
    const int num_living = setting->depth + setting->num_standby - losses;
    const double hit = setting->p * setting->depth / num_living;

    if (place >= self->length) {
        place = place == self->length ? 0 : place - 1;
    } else if (++place == self->length) {
        segment++;
        place = 0;
    }
    if (place < self->length) {
        const int done = place / setting->step;

        if (segment * setting->steps_between +
                (done < setting->steps_between ? done : setting->steps_between) >=
            setting->num_steps) {
            return p;
        }
    }
    *at(self, next, segment, place, losses) += p * (1 - setting->p);
    if (losses + 1 < self->num_losses) { /* else it waits to the end */
        *at(self, next, segment, place, losses + 1) += p * (setting->p - hit);
        *at(self, next, segment, self->length + setting->pause - 1, losses + 1) += p * hit;
    }
    return 0;
}

/* Sets the probabilities to have finished by the deadline and by the horizon. */
static void solve(const setting_t *setting, double *met, double *finished)
{
    const int length = setting->steps_between * setting->step + setting->write;
    states_t self = {.setting = setting,
        .num_segments = setting->num_steps / setting->steps_between + 2,
        .length = length,
        .num_places = length + setting->pause,
        .num_losses = setting->num_standby + 1};
    const size_t num =
        (size_t) self.num_segments * (size_t) self.num_places * (size_t) self.num_losses;
    double *p = calloc(num, sizeof(*p)), *next = calloc(num, sizeof(*next));

    assert_non_null(p);
    assert_non_null(next);
    *met = *finished = 0;
    p[0] = 1;
    for (int minute = 1; minute <= setting->horizon; minute++) {
        double *swap = p;
        double ended = 0;

        memset(next, 0, num * sizeof(*next));
        for (int j = 0; j < self.num_segments; j++) {
            for (int k = 0; k < self.num_places; k++) {
                for (int l = 0; l < self.num_losses; l++) {
                    const double probability = *at(&self, p, j, k, l);

                    if (probability > 0) {
                        ended += pass(&self, next, j, k, l, probability);
                    }
                }
            }
        }
        p = next;
        next = swap;
        *finished += ended;
        *met += minute <= setting->deadline ? ended : 0;
    }
    free(p);
    free(next);
}

/* ---- The simulation ---- */

static void write_study(const setting_t *self)
{
    FILE *out = fopen(FILE_NAME, "w");

    assert_non_null(out);
    fprintf(out,
        "study: deadlines\n"
        "scenario:\n"
        "  scenario: lattice\n"
        "  horizon: %d min\n"
        "  until: {steps: %d}\n"
        "  deadline: %d min\n"
        "  tick: 60 s\n"
        "  fleet: {capacity: %d, initial: %d}\n"
        "  job:\n"
        "    pipeline_depth: %d\n"
        "    max_pipelines: 1\n"
        "    step_time: {%d: %d min}\n"
        "    checkpoint: {mode: sync, every: %d steps, write: %d min}\n"
        "    reconfiguration: %d min\n"
        "    reload: 0 s\n"
        "  trace:\n"
        "    generator: seed\n"
        "    preemption: {per_minute: %.3f, count: {fixed: 1}}\n"
        "    addition: {per_minute: 0, count: {fixed: 1}}\n"
        "replications: {count: %d, seed: 1}\n"
        "metrics: [met_deadline, finished, probability(time_to_finish_s <= %d min), "
        "probability(time_to_finish_s <= %d)]\n",
        self->horizon, self->num_steps, self->deadline, self->depth + self->num_standby,
        self->depth + self->num_standby, self->depth, self->depth, self->step, self->steps_between,
        self->write, self->pause, self->p, NUM_ROWS, self->deadline, 60 * self->deadline);
    assert_int_equal(fclose(out), 0);
}

static int add_row(void *context, const spot_row_t *row)
{
    spot_estimate_t *estimates = context;

    for (int j = 0; j < 4; j++) {
        assert_int_equal(spot_estimate_add(&estimates[j], row->metrics), 0);
    }
    return 0;
}

/* Returns the standard errors from the exact value to the estimate. */
static double errors_off(const spot_estimate_t *estimate, double exact)
{
    const double se = sqrt(exact * (1 - exact) / NUM_ROWS);
    const double off = spot_estimate_value(estimate) - exact;

    return se == 0 ? (off == 0 ? 0 : HUGE_VAL) : fabs(off) / se;
}

static void check_setting(uint64_t seed)
{
    const setting_t setting = draw_setting(seed);
    const spot_study_run_t run = {.num_threads = 2};
    double met, finished, off[2];
    spot_estimate_t estimates[4];
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;

    solve(&setting, &met, &finished);
    write_study(&setting);
    spot_diag_init(&diag);
    if (spot_study_read(&study, spot_engines, FILE_NAME, NULL, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
    for (size_t j = 0; j < 4; j++) {
        spot_estimate_init(&estimates[j], &study.head, j);
    }
    assert_int_equal(store->read(store, 0, 0, add_row, estimates), 0);
    off[0] = errors_off(&estimates[0], met);
    off[1] = errors_off(&estimates[1], finished);
    print_message("setting %2d: by the deadline %.4f, exactly %.4f; by the horizon %.4f, "
                  "exactly %.4f\n",
        (int) seed, spot_estimate_value(&estimates[0]), met, spot_estimate_value(&estimates[1]),
        finished);
    assert_true(off[0] <= 4.5 && off[1] <= 4.5);
    for (int j = 2; j < 4; j++) { /* the same in other words */
        assert_true(spot_estimate_value(&estimates[j]) == spot_estimate_value(&estimates[0]));
    }
    for (size_t j = 0; j < 4; j++) {
        spot_estimate_free(&estimates[j]);
    }
    store->close(store);
    spot_study_free(&study);
    assert_int_equal(remove(FILE_NAME), 0);
}

static void test_exact_probabilities(void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= NUM_SETTINGS; seed++) {
        check_setting(seed);
    }
}

/* A deadline that is a minute later is told apart: the settings are not all 0 or 1. */
static void test_power(void **state)
{
    int num_apart = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_SETTINGS; seed++) {
        setting_t setting = draw_setting(seed);
        double met, later, finished;

        solve(&setting, &met, &finished);
        setting.pause++;
        solve(&setting, &later, &finished);
        num_apart += fabs(later - met) > 9 * sqrt(met * (1 - met) / NUM_ROWS) && met > 0;
    }
    print_message("a pause of a minute more shows in %d of %d settings\n", num_apart, NUM_SETTINGS);
    assert_true(num_apart >= NUM_SETTINGS / 2);
}

/* ---- A race with a limit ---- */

#define NUM_RACES 100
#define LIMIT 0.9
#define NUM_FLEETS 7

/* The cheapest fleet that meets the deadline with a probability of 90 %: fewer instances
 * cost less and run out more often. */
static void test_race_finds_the_best_fleet(void **state)
{
    const spot_study_run_t run = {.num_threads = 2};
    setting_t setting = {.depth = 4,
        .num_standby = 14,
        .p = 0.05,
        .step = 2,
        .steps_between = 5,
        .write = 1,
        .pause = 3,
        .num_steps = 30,
        .deadline = 110,
        .horizon = 140};
    const char *sets[] = {"optimise={minimise: cost_usd, over: {fleet.initial: [6, 8, 10, "
                          "12, 14, 16, 18]}, subject_to: "
                          "[\"probability(met_deadline) >= 0.9\"]}",
        "replications={min: 256, max: 20000}"};
    size_t best_id = NUM_FLEETS;
    int num_found = 0;
    spot_study_t study;
    spot_diag_t diag;

    (void) state;
    write_study(&setting);
    spot_diag_init(&diag);
    if (spot_study_read(&study, spot_engines, FILE_NAME,
            &(spot_scenario_changes_t){.num_sets = 2, .sets = sets}, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
    for (size_t j = NUM_FLEETS; j-- > 0;) {
        double met, finished;

        setting.num_standby = 2 + 2 * (int) j;
        solve(&setting, &met, &finished);
        print_message("%d instances: %.4f\n", 4 + setting.num_standby, met);
        best_id = met >= LIMIT ? j : best_id;
    }
    assert_in_range(best_id, 1, NUM_FLEETS - 2);
    for (uint64_t seed = 1; seed <= NUM_RACES; seed++) {
        spot_race_t race;
        spot_store_t *store;

        study.head.seed = seed;
        assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
        assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
        assert_int_equal(spot_race_init(&race, store->head), 0);
        assert_int_equal(spot_race_replay(&race, store), 0);
        num_found += race.has_best && race.best_id == best_id;
        spot_race_free(&race);
        store->close(store);
    }
    print_message("the best was found in %d of %d races\n", num_found, NUM_RACES);
    assert_true(num_found >= 95);
    spot_study_free(&study);
    assert_int_equal(remove(FILE_NAME), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_probabilities),
        cmocka_unit_test(test_power),
        cmocka_unit_test(test_race_finds_the_best_fleet),
    };

    return cmocka_run_group_tests_name("deadlines", tests, NULL, NULL);
}
