/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine against the theory of checkpointing: one instance that is lost at the times
 * of a Poisson process and replaced at once. The useful share of the time has a closed
 * form, with synchronous and asynchronous checkpoints. */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/stats.h"
#include "base/units.h"
#include "models/checkpoint_theory.h"
#include "sim/train/job/train.h"
#include "tests/statistical/statistics.h"
#include "tests/unit/train/fixture.h"

/* A trace without a file: one instance is lost at given times and replaced in the same
 * instant. */
typedef struct {
    spot_model_common_t common;
    size_t num_losses;
    int64_t *times_ms; /* [num_losses] increasing */
} losses_t;

typedef struct {
    const losses_t *losses;
    size_t event_id; /* even: a loss, odd: its replacement */
} losses_state_t;

static void losses_free(void *model)
{
    free(((losses_t *) model)->times_ms);
}

static void losses_start(void *state, const void *model, const spot_dice_t *dice)
{
    losses_state_t *self = state;

    (void) dice;
    self->losses = model;
    self->event_id = 0;
}

static bool losses_next(void *state, spot_event_t *event)
{
    losses_state_t *self = state;
    const size_t loss_id = self->event_id / 2;

    if (loss_id == self->losses->num_losses) {
        return false;
    }
    event->time_ms = self->losses->times_ms[loss_id];
    event->kind = self->event_id % 2 == 0 ? SPOT_EVENT_PREEMPT : SPOT_EVENT_ADD;
    event->count = 1;
    event->name_ids = NULL;
    self->event_id++;
    return true;
}

static const spot_generator_t generator_losses = {
    .name = "losses",
    .model_size = sizeof(losses_t),
    .state_size = sizeof(losses_state_t),
    .free = losses_free,
    .start = losses_start,
    .next = losses_next,
};

/* A run consists of num_lives whole lives, whose useful times and lengths are
 * independent and identically distributed. */
typedef struct {
    const char *name;
    const char *checkpoint; /* as in YAML, without the steps */
    double mtbf_s;
    double stall_s;
    double persist_s; /* 0: synchronous */
    double reconfiguration_s;
    double reload_s;
    int64_t num_steps; /* between checkpoints */
    int64_t step_ms;
    double period_s;
    int num_runs;
    int num_lives; /* a run */
} case_t;

static double work_s(const case_t *self)
{
    return (double) (self->num_steps * self->step_ms) / 1000;
}

static int64_t to_ms(double time_s)
{
    return llround(time_s * 1000);
}

static void make_scenario(spot_scenario_t *scenario, const case_t *self)
{
    losses_t *losses = calloc(1, sizeof(*losses));
    char text[1024];

    snprintf(text, sizeof(text),
        "scenario: theory\nhorizon: 1 h\ntick: 1 ms\n"
        "fleet: {capacity: 1, initial: 1, preparation: 0 s}\n"
        "job:\n  pipeline_depth: 1\n  step_time: {1: %lld ms}\n"
        "  checkpoint: {%s, every: %lld steps}\n"
        "  reconfiguration: %.17g s\n  reload: %.17g s\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n",
        (long long) self->step_ms, self->checkpoint, (long long) self->num_steps,
        self->reconfiguration_s, self->reload_s);
    bind_good_scenario(scenario, text);

    assert_non_null(losses);
    losses->common = *spot_trace_model_common(&scenario->trace);
    losses->num_losses = (size_t) self->num_lives;
    losses->times_ms = calloc(losses->num_losses, sizeof(*losses->times_ms));
    assert_non_null(losses->times_ms);
    spot_trace_model_free(&scenario->trace);
    scenario->trace.generator = &generator_losses;
    scenario->trace.model = losses;
}

/* The times of the losses of one run. The first one, at 1 ms, starts the first life, as
 * the decision at time 0 has no pause. The horizon is the end of the last life. */
static void draw_losses(spot_scenario_t *scenario, const case_t *self, uint64_t run_id)
{
    losses_t *losses = scenario->trace.model;
    int64_t time_ms = 1;
    spot_rng_t rng;

    spot_rng_seek(&rng, 1, run_id, SPOT_STREAM_GAP, 0);
    for (size_t j = 0; j < losses->num_losses; j++) {
        losses->times_ms[j] = time_ms;
        time_ms += 1 + (int64_t) gsl_ran_exponential(spot_rng_gsl(&rng), self->mtbf_s * 1000);
    }
    scenario->horizon_ms = time_ms;
}

/* A life: a tick until the replacement is ready, the pause, then the checkpoints that
 * become durable in time. */
static int64_t useful_by_lives_ms(const spot_scenario_t *scenario, const case_t *self)
{
    const losses_t *losses = scenario->trace.model;
    const int64_t pause_ms = to_ms(self->reconfiguration_s + self->reload_s);
    const int64_t work_ms = self->num_steps * self->step_ms;
    const int64_t first_ms = work_ms + to_ms(self->stall_s + self->persist_s);
    int64_t useful_ms = 0;

    for (size_t j = 0; j < losses->num_losses; j++) {
        const int64_t end_ms =
            j + 1 < losses->num_losses ? losses->times_ms[j + 1] : scenario->horizon_ms;
        const int64_t rest_ms = end_ms - losses->times_ms[j] - 1 - pause_ms - first_ms;

        if (rest_ms >= 0) {
            useful_ms += work_ms * (1 + rest_ms / to_ms(self->period_s));
        }
    }
    return useful_ms;
}

/* The theory for losses at whole milliseconds. A life is 1 + floor(x) ms with x
 * exponential, and its first tick is spent waiting for the replacement: the chance that
 * a checkpoint becomes durable is that of continuous time, and only the mean life
 * differs, by half a millisecond. */
static double expected_efficiency(const case_t *self, double restart_s, double first_s)
{
    const double mtbf_ms = self->mtbf_s * 1000;
    const spot_theory_life_t life = {work_s(self), first_s, work_s(self), self->period_s};

    return spot_theory_life_efficiency(&life, self->mtbf_s, restart_s) * mtbf_ms *
           -expm1(-1 / mtbf_ms);
}

/* Tests a share of the time: if it is the truth, the useful time less this share of the
 * time has mean 0. */
static double z_of_share(const double *useful_s, const double *total_s, int num_runs, double share)
{
    spot_moments_t differences = {0};

    for (int j = 0; j < num_runs; j++) {
        spot_moments_add(&differences, useful_s[j] - share * total_s[j]);
    }
    return spot_moments_mean(&differences) / spot_moments_stderr(&differences);
}

#define MAX_RUNS 100

/* The theory holds, and slightly wrong theories do not. */
static void check_shares(const case_t *self, const double *useful_s, const double *total_s)
{
    const double pause_s = self->reconfiguration_s + self->reload_s;
    const double first_s = work_s(self) + self->stall_s + self->persist_s;
    const double step_s = (double) self->step_ms / 1000;
    const double truth = expected_efficiency(self, pause_s, first_s);
    case_t without_stall = *self;
    const double z = z_of_share(useful_s, total_s, self->num_runs, truth);
    double wrong[5], seen = 0, time_s = 0;

    for (int j = 0; j < self->num_runs; j++) {
        seen += useful_s[j];
        time_s += total_s[j];
    }
    print_message("%s: %.8f, truth %.8f, standard error %.2g, z %.2f\n", self->name, seen / time_s,
        truth, z == 0 ? 0 : (seen / time_s - truth) / z, z);
    assert_z(self->name, z);

    without_stall.period_s -= self->stall_s;
    wrong[0] = truth * 1.01;
    wrong[1] = truth * 0.99;
    wrong[2] = expected_efficiency(self, 0, first_s);
    wrong[3] = self->persist_s > 0 ? expected_efficiency(self, pause_s, first_s - self->persist_s)
                                   : expected_efficiency(&without_stall, pause_s, work_s(self));
    /* The step in flight would be finished, not lost. */
    wrong[4] = expected_efficiency(self, pause_s, first_s - step_s);
    for (int j = 0; j < 5; j++) {
        const double wrong_z = z_of_share(useful_s, total_s, self->num_runs, wrong[j]);

        assert_true(fabs(wrong_z - z) > POWER_Z); /* in standard errors, luck aside */
    }
}

static void check_case(const case_t *self)
{
    double useful_s[MAX_RUNS], total_s[MAX_RUNS];
    spot_scenario_t scenario;
    spot_train_t train;

    assert_true(self->num_runs <= MAX_RUNS);
    assert_true(self->num_runs * self->num_lives >= 100000);
    make_scenario(&scenario, self);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    for (int j = 0; j < self->num_runs; j++) {
        const spot_train_result_t *result = &train.result;
        int64_t useful_ms;

        draw_losses(&scenario, self, (uint64_t) j);
        assert_int_equal(spot_train_run(&train, 1, 0, NULL), 0);
        assert_int_equal(result->preempted, self->num_lives);
        useful_ms = result->ledger.instance_ms[SPOT_SHARE_USEFUL];
        assert_int_equal(useful_ms, useful_by_lives_ms(&scenario, self));
        assert_int_equal(useful_ms, result->steps_durable * self->step_ms);
        useful_s[j] = (double) useful_ms / 1000;
        total_s[j] = (double) (result->horizon_ms - 1) / 1000;
    }
    check_shares(self, useful_s, total_s);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
}

/* Work between checkpoints is Daly's higher order to the nearest step. */
static void test_synchronous_checkpoints(void **state)
{
    static const case_t cases[] = {
        {"synchronous, 24 h", "mode: sync, write: 300 s", 86400, 300, 0, 400, 200, 7, 1000198,
            7301.386, 100, 1300},
        {"synchronous, 6 h", "mode: sync, write: 300 s", 21600, 300, 0, 400, 200, 5, 680556,
            3702.78, 100, 1300},
        {"synchronous, 15 min", "mode: sync, write: 300 s", 900, 300, 0, 400, 200, 3, 182818,
            848.454, 100, 26000},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_case(&cases[j]);
    }
}

static void test_asynchronous_checkpoints(void **state)
{
    static const case_t cases[] = {
        {"asynchronous, A1", "snapshot: 500 ms, write: 20 s, busy: wait", 1800, 0.5, 20, 40, 20, 3,
            10000, 30.5, 100, 1300},
        {"asynchronous, A2", "snapshot: 2 s, write: 45 s, busy: wait", 600, 2, 45, 60, 30, 4, 15000,
            62, 100, 1300},
        {"asynchronous, A3", "snapshot: 2 s, write: 45 s, busy: wait", 600, 2, 45, 60, 30, 4, 10750,
            45, 100, 1300},
        {"asynchronous, A3 with join", "snapshot: 2 s, write: 45 s, busy: join", 600, 2, 45, 60, 30,
            4, 10750, 47, 100, 1300},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_case(&cases[j]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synchronous_checkpoints),
        cmocka_unit_test(test_asynchronous_checkpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
