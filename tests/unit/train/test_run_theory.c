/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The theory beside a run: it agrees where its assumptions hold, says which do not where
 * they do not, and keeps silent where it has nothing to say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "sim/train/run_views.h"

/* One instance that is lost every 600 s on average, replaced at once. */
static void bind_poisson(spot_scenario_t *scenario, const char *checkpoint)
{
    char text[1024];

    snprintf(text, sizeof(text),
        "scenario: theory\nhorizon: 3000 h\ntick: 1 ms\n"
        "fleet: {capacity: 1, initial: 1, preparation: 0 s}\n"
        "job:\n  pipeline_depth: 1\n  step_time: {1: 4300 ms}\n"
        "  checkpoint: {%s}\n  reconfiguration: 60 s\n  reload: 30 s\n"
        "trace: {generator: lifetimes, lifetime: {law: exponential, mu: 600}, "
        "refill: {law: exponential, mu: 0.0001}}\n",
        checkpoint);
    bind_good_scenario(scenario, text);
}

static spot_run_theory_t theory_of_run(const char *checkpoint)
{
    spot_run_theory_t theory;
    spot_scenario_t scenario;
    spot_train_result_t result;

    bind_poisson(&scenario, checkpoint);
    result = run_scenario(&scenario, 1, NULL);
    spot_run_theory_init(&theory, &scenario, &result);
    spot_scenario_free(&scenario);
    return theory;
}

typedef struct {
    const char *checkpoint;
    double work_s, period_s;
    double efficiency;  /* of the worked cases, at M = 600 s; 0: none */
    int64_t best_steps; /* 0: not worked out */
    const char *best_busy;
} case_t;

/* The lives are drawn 1 % too long, which the mean time between rollbacks, measured too,
 * takes into account. */
static void check_case(const case_t *self)
{
    const spot_run_theory_t theory = theory_of_run(self->checkpoint);

    print_message("%s: theory %.5f, run %.5f, mtbf %.1f\n", self->checkpoint,
        theory.efficiency.value, theory.simulated, theory.mtbf_s.value);
    assert_null(theory.reason);
    assert_true(theory.num_rollbacks > 10000);
    assert_near(theory.restart_s, 90, 1e-15);
    assert_near(theory.step_s, 4.3, 1e-15);
    assert_near(theory.work_s, self->work_s, 1e-15);
    assert_near(theory.period_s, self->period_s, 1e-15);
    assert_near(theory.simulated, theory.efficiency.value, 0.002);
    assert_true(theory.mtbf_s.low < 600 && theory.mtbf_s.high > 600);
    assert_true(theory.efficiency.low < theory.efficiency.value);
    assert_true(theory.efficiency.high > theory.efficiency.value);
    if (self->efficiency > 0) {
        assert_true(theory.efficiency.low < self->efficiency);
        assert_true(theory.efficiency.high > self->efficiency);
    }
    if (self->best_steps > 0) {
        assert_int_equal(theory.best_steps, self->best_steps);
    }
    if (self->best_busy == NULL) {
        assert_null(theory.best_busy);
    } else {
        assert_string_equal(theory.best_busy, self->best_busy);
    }
    assert_false(theory.doubts[SPOT_DOUBT_FEW_ROLLBACKS]);
    assert_false(theory.doubts[SPOT_DOUBT_FLEET_VARIES]);
    assert_false(theory.doubts[SPOT_DOUBT_OTHER_ROLLBACKS]);
    assert_true(theory.doubts[SPOT_DOUBT_WAITED]); /* a tick, each time */
}

/* Some 15,000 lives each, with every way to be due and to be busy. */
static void test_agrees_where_it_holds(void **state)
{
    static const case_t cases[] = {
        {"every: 10 steps, snapshot: 2 s, write: 45 s, busy: wait", 43, 45, .73477075, 11, "wait"},
        {"every: 10 steps, snapshot: 2 s, write: 45 s, busy: join", 43, 47, .70466238, 11, "join"},
        {"every: 10 steps, snapshot: 2 s, write: 45 s, busy: skip", 86, 88, 0, 11, "wait"},
        {"every: 43 s, snapshot: 2 s, write: 45 s, busy: wait", 43, 45, .73477075, 11, "wait"},
        {"every: back-to-back, snapshot: 2 s, write: 45 s", 47.3, 49.3, 0, 11, "wait"},
        {"mode: sync, every: 10 steps, write: 47 s", 43, 90, .38115587, 0, NULL},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_case(&cases[j]);
    }
}

/* Two hours of 8 instances in pipelines of 4. */
static const spot_train_result_t plain = {
    .horizon_ms = 7200000,
    .ledger = {.instance_ms = {[SPOT_SHARE_PREPPING] = 1234567,
                   [SPOT_SHARE_STANDBY] = 7654321,
                   [SPOT_SHARE_RECONFIGURING] = 6000000,
                   [SPOT_SHARE_USEFUL] = 51600000}},
    .job_ms = {[SPOT_JOB_RECONFIGURING] = 750000, [SPOT_JOB_TRAINING] = 6450000},
    .stalled_ms = 50000,
    .lost_ms = 640000,
    .rollbacks = 30,
    .preemption_events = 30,
};

static void bind_small(spot_scenario_t *scenario)
{
    bind_good_scenario(scenario,
        "scenario: small\nhorizon: 2 h\n"
        "job: {pipeline_depth: 4, step_time: {4: 12 s, 8: 7 s, 12: 5 s}}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n");
}

static int count_doubts(const spot_run_theory_t *theory)
{
    int num_doubts = 0;

    for (int j = 0; j < SPOT_NUM_DOUBTS; j++) {
        num_doubts += theory->doubts[j];
    }
    return num_doubts;
}

static void test_numbers_of_a_result(void **state)
{
    spot_train_result_t result = plain;
    spot_run_theory_t theory;
    spot_scenario_t scenario;
    double low, high;

    (void) state;
    bind_small(&scenario);
    spot_run_theory_init(&theory, &scenario, &result);
    assert_null(theory.reason);
    assert_int_equal(count_doubts(&theory), 0);
    assert_near(theory.mtbf_s.value, 215, 1e-15);
    assert_near(theory.simulated, 5760.0 / 7200, 1e-15);
    assert_near(theory.mean_instances, 8, 1e-15);
    assert_near(theory.step_s, 7, 1e-15);
    assert_near(theory.restart_s, 88 + 47, 1e-15);
    assert_near(theory.work_s, 91, 1e-15); /* back-to-back: 13 steps for 89 s */

    /* Garwood's interval of 10 events: 4.7954 to 18.3904. */
    result.rollbacks = 10;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_near(theory.mtbf_s.low, 6450 / 18.3904, 1e-5);
    assert_near(theory.mtbf_s.high, 6450 / 4.7954, 1e-5);
    /* 499 and 500 events: once GSL's quantile, once the approximation. */
    result.rollbacks = 499;
    spot_run_theory_init(&theory, &scenario, &result);
    low = theory.mtbf_s.low * 499 / 6450;
    high = theory.mtbf_s.high * 499 / 6450;
    result.rollbacks = 500;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_near(theory.mtbf_s.low * 500 / 6450, low, 1.5e-4);
    assert_near(theory.mtbf_s.high * 500 / 6450, high, 1.5e-4);
    for (int64_t num = 1; num <= 6000000; num = num < 600 ? num + 1 : num * 7) {
        const double width = 1.959964 / sqrt((double) num);

        result.rollbacks = num;
        spot_run_theory_init(&theory, &scenario, &result);
        assert_true(theory.mtbf_s.low < theory.mtbf_s.value);
        assert_true(theory.mtbf_s.value < theory.mtbf_s.high);
        if (num > 100) {
            assert_near(log(theory.mtbf_s.high / theory.mtbf_s.low), 2 * width, width);
        }
    }
    spot_scenario_free(&scenario);
}

static void test_doubts(void **state)
{
    spot_train_result_t result = plain;
    spot_run_theory_t theory;
    spot_scenario_t scenario;

    (void) state;
    bind_small(&scenario);
    result.rollbacks = 29;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_true(count_doubts(&theory) == 1 && theory.doubts[SPOT_DOUBT_FEW_ROLLBACKS]);
    result.rollbacks = 31;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_true(count_doubts(&theory) == 1 && theory.doubts[SPOT_DOUBT_OTHER_ROLLBACKS]);
    result = plain;
    result.ledger.instance_ms[SPOT_SHARE_USEFUL] -= 4000;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_true(count_doubts(&theory) == 1 && theory.doubts[SPOT_DOUBT_FLEET_VARIES]);
    result = plain;
    result.horizon_ms += 1000; /* and no instance then */
    result.job_ms[SPOT_JOB_WAITING] = 1000;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_true(count_doubts(&theory) == 1 && theory.doubts[SPOT_DOUBT_WAITED]);
    assert_near(theory.simulated, 5760.0 / 7200, 1e-15);
    spot_scenario_free(&scenario);
}

static void test_nothing_to_say(void **state)
{
    const spot_recovery_t *system;
    spot_recovery_t other;
    spot_train_result_t result = plain;
    spot_run_theory_t theory;
    spot_scenario_t scenario;

    (void) state;
    bind_small(&scenario);
    result.rollbacks = 0;
    spot_run_theory_init(&theory, &scenario, &result);
    assert_string_equal(theory.reason, "without a rollback there is no mean time between them");
    system = scenario.recovery.system;
    other = *system;
    other.name = "other";
    spot_recovery_choose(&scenario.recovery, &other);
    spot_run_theory_init(&theory, &scenario, &plain);
    assert_string_equal(theory.reason, "it is for recovery: checkpoint");
    spot_recovery_choose(&scenario.recovery, system);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_where_it_holds),
        cmocka_unit_test(test_numbers_of_a_result),
        cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_nothing_to_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
