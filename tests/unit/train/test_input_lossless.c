/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that wait for data under a recovery system that loses nothing: by hand, and
 * worked out anew from its decisions on random traces and jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "input_case.h"
#include "set_recovery.h"
#include "twin_job.h"

#define NUM_CASES (3000 / SPOT_FEWER)
#define MAX_DECISIONS 1024

/* ---- From its decisions ---- */

typedef struct {
    int64_t now_ms;
    spot_recovery_decision_t decision;
} answer_t;

static size_t num_answers;
static answer_t answers[MAX_DECISIONS];
static const spot_recovery_t *ideal;

static void note_decision(const void *options, void *state, const spot_recovery_view_t *view,
    const spot_recovery_change_t *change, spot_recovery_decision_t *decision)
{
    ideal->decide(options, state, view, change, decision);
    if (decision->is_new) {
        assert_true(num_answers < MAX_DECISIONS);
        answers[num_answers++] = (answer_t){view->now_ms, *decision};
    }
}

/* Notes its decisions. */
static void run_ideal(const case_t *self, spot_train_result_t *result)
{
    spot_recovery_t noted;
    spot_scenario_t scenario;

    bind_case(self, &scenario);
    set_recovery(&scenario, "ideal");
    ideal = scenario.recovery.system;
    noted = *ideal;
    noted.decide = note_decision;
    spot_recovery_choose(&scenario.recovery, &noted);
    num_answers = 0;
    *result = run_scenario(&scenario, 0, NULL);
    spot_recovery_choose(&scenario.recovery, ideal);
    spot_scenario_free(&scenario);
}

/* What a run adds up to. */
typedef struct {
    int64_t training_ms; /* start of training; NEVER: none */
    int64_t reload_ms;   /* all of the run */
    int64_t stalled_ms;
    int64_t stalled_instance_ms;
    double steps;
} sum_t;

/* Of its training each step waits for its data, and a part of a step for a part. */
static void end_training(
    sum_t *self, const twin_t *twin, int64_t start_ms, int64_t world_size, int64_t until_ms)
{
    const int64_t wait_ms = twin->num_pipelines > 0 ? twin_wait_ms(twin) : 0;
    const int64_t trained_ms = until_ms - self->training_ms;
    int64_t stalled_ms;

    if (twin->num_pipelines == 0) {
        return;
    }
    self->reload_ms += SMALLER(until_ms, self->training_ms) - start_ms;
    if (trained_ms > 0) {
        stalled_ms = trained_ms * wait_ms / (twin->step_ms + wait_ms);
        self->stalled_ms += stalled_ms;
        self->stalled_instance_ms += world_size * stalled_ms;
        self->steps += (double) trained_ms / (double) (twin->step_ms + wait_ms);
    }
}

static sum_t add_up(const case_t *from, int64_t horizon_ms)
{
    twin_t twin = {.setting = &from->setting};
    sum_t self = {.training_ms = NEVER};

    for (size_t j = 0; j < num_answers; j++) {
        const spot_recovery_decision_t *decision = &answers[j].decision;
        const int64_t now_ms = answers[j].now_ms;

        twin.num_pipelines = decision->num_pipelines;
        twin.step_ms =
            decision->num_active == 0 ? 0 : twin_step_time_ms(&from->setting, decision->num_active);
        twin.input.is_filled |= self.training_ms <= now_ms;
        self.training_ms = now_ms + twin_begin_loading(&twin, decision, 0, 0);
        twin.input.ready_steps = 0; /* each waits alike */
        end_training(&self, &twin, now_ms, decision->num_active,
            j + 1 < num_answers ? answers[j + 1].now_ms : horizon_ms);
        self.training_ms = twin.num_pipelines > 0 ? self.training_ms : NEVER;
    }
    return self;
}

/* ---- By hand ---- */

/* 2 instances; 2 more are ready at 31 s; all are lost at 60 s, and 2 others are ready at
 * 71 s. For 2 the refill takes 5083 ms, and steps wait for 263 of 413 ms. */
static void set_lossless(case_t *self)
{
    set_fleet(self, 4, 1, 90000);
    self->num_lives = 2;
    self->setting.num_points = 3;
    self->setting.points[0] = (spot_step_point_t){1, 200};
    self->setting.points[1] = (spot_step_point_t){2, 150};
    self->setting.points[2] = (spot_step_point_t){4, 100};
    for (int j = 2; j < 6; j++) {
        self->lives[self->num_lives++] = (life_t){j, j < 4 ? 29500 : 70000, STAYS, false};
    }
    for (int j = 0; j < 4; j++) {
        self->lives[j].death_ms = 60000;
    }
}

/* 25917 of the first 31000 ms, 29000 ms of 4 instances, 13917 of the last 19000 ms. */
static void test_lossless(void **state)
{
    const int64_t stalled_ms[] = {16504, 14922, 8862};
    spot_train_result_t result;
    case_t self;
    sum_t sum;

    (void) state;
    set_lossless(&self);
    run_ideal(&self, &result);
    sum = add_up(&self, result.horizon_ms);
    assert_int_equal(sum.reload_ms, 2 * 5083);
    assert_int_equal(sum.stalled_ms, stalled_ms[0] + stalled_ms[1] + stalled_ms[2]);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 11000);
    assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 2 * 5083);
    assert_int_equal(result.input_stalled_ms, stalled_ms[0] + stalled_ms[1] + stalled_ms[2]);
    assert_int_equal(result.stalled_ms, result.input_stalled_ms);
    assert_int_equal(result.input_stalled_instance_ms,
        2 * stalled_ms[0] + 4 * stalled_ms[1] + 2 * stalled_ms[2]);
    assert_int_equal(
        result.ledger.instance_ms[SPOT_SHARE_STALLED], result.input_stalled_instance_ms);
    assert_int_equal(spot_ledger_total(&result.ledger), result.ledger.population_ms);
    assert_near((double) result.steps_executed + result.step_fraction,
        25917 / 413.0 + 29000 / 206.0 + 13917 / 413.0, 1e-12);
}

static void test_lossless_finishes(void **state)
{
    spot_train_result_t result;
    case_t self;

    (void) state;
    set_fleet(&self, 4, 1, 20000);
    self.setting.num_points = 2; /* fewer instances are slower */
    self.setting.points[0] = (spot_step_point_t){1, 200};
    self.setting.points[1] = (spot_step_point_t){4, 100};
    self.setting.until_steps = 10;
    run_ideal(&self, &result);
    assert_true(result.is_finished);
    assert_int_equal(result.horizon_ms, 3431 + 10 * 206);
    assert_int_equal(result.input_stalled_ms, 10 * 106);
    assert_int_equal(result.steps_executed, 10);
}

/* One process that needs 39 ms for a step of 8 ms: of k whole steps of 39 ms exactly
 * 31 k ms are waits. */
static void test_lossless_whole_steps(void **state)
{
    (void) state;
    for (int64_t k = 1; k <= 100; k++) {
        spot_train_result_t result;
        case_t self;

        set_fleet(&self, 1, 1, 39 + 39 * k);
        set_step_ms(&self, 8);
        self.setting.samples_per_step = 1;
        self.setting.input.processes = 1;
        self.setting.input.cost = (spot_loader_cost_t){.decode_ns = 39000000, .collate_batch = 1};
        run_ideal(&self, &result);
        assert_int_equal(result.job_ms[SPOT_JOB_RELOADING], 39);
        assert_int_equal(result.input_stalled_ms, 31 * k);
    }
}

/* ---- On random cases ---- */

static void check_case(const case_t *self, spot_train_result_t *result)
{
    sum_t sum;

    run_ideal(self, result);
    sum = add_up(self, result->horizon_ms);
    if (result->input_stalled_ms != sum.stalled_ms ||
        result->job_ms[SPOT_JOB_RELOADING] != sum.reload_ms) {
        fail_msg("case %d: %lld ms stalled, %lld ms reloading; expected %lld, %lld",
            (int) self->seed, (long long) result->input_stalled_ms,
            (long long) result->job_ms[SPOT_JOB_RELOADING], (long long) sum.stalled_ms,
            (long long) sum.reload_ms);
    }
    assert_int_equal(result->stalled_ms, result->input_stalled_ms);
    assert_int_equal(result->input_stalled_instance_ms, sum.stalled_instance_ms);
    assert_int_equal(result->ledger.instance_ms[SPOT_SHARE_STALLED], sum.stalled_instance_ms);
    assert_int_equal(spot_ledger_total(&result->ledger), result->ledger.population_ms);
    assert_true(fabs((double) result->steps_executed + result->step_fraction - sum.steps) <=
                1e-9 * (1 + sum.steps));
}

static void test_lossless_follows_from_decisions(void **state)
{
    size_t num_waits = 0, num_refills = 0;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t result;
        case_t self;

        draw_input_case(&self, seed);
        self.setting.until_steps = 0;
        self.is_until_inside = false;
        self.setting.input.cache_bytes = 0;
        check_case(&self, &result);
        num_waits += result.input_stalled_ms > 0 && num_answers > 2;
        num_refills += result.job_ms[SPOT_JOB_WAITING] > 0 && result.job_ms[SPOT_JOB_RELOADING] > 0;
    }
    assert_true(num_waits > NUM_CASES / 50);
    assert_true(num_refills > NUM_CASES / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lossless),
        cmocka_unit_test(test_lossless_finishes),
        cmocka_unit_test(test_lossless_whole_steps),
        cmocka_unit_test(test_lossless_follows_from_decisions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
