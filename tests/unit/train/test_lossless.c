/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery systems that lose nothing, on random traces and jobs: "ideal" is the integral
 * of the best throughput, and a bound of "checkpoint"; "on-demand" knows no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "random_case.h"
#include "sim/train/metrics.h"
#include "sim/train/run_log.h"

#define NUM_CASES 2000

static double
kept_steps(const spot_train_result_t *result)
{
    return (double) (result->steps_executed - result->steps_lost) +
           result->step_fraction;
}

/* Steps in a second of the fastest pipelines that num_ready instances are enough for. */
static double
best_steps_per_ms(const spot_job_t *job, int64_t num_ready)
{
    double best = 0;

    for (int64_t num = 1; num * job->pipeline_depth <= num_ready; num++) {
        const int64_t step_ms =
            spot_step_time_ms(&job->step_time, num * job->pipeline_depth);

        if (num <= job->max_pipelines) {
            best = fmax(best, 1 / (double) step_ms);
        }
    }
    return best;
}

/* From the instances that were ready at each time, whoever they were. */
static double
integrated_steps(const spot_job_t *job, const spot_event_log_t *log, int64_t horizon_ms)
{
    double steps = 0, steps_per_ms = 0;
    int64_t since_ms = 0;

    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];

        if (record->kind == SPOT_LOG_FLEET) {
            steps += steps_per_ms * (double) (record->time_ms - since_ms);
            steps_per_ms = best_steps_per_ms(job, record->values[1] + record->values[2]);
            since_ms = record->time_ms;
        }
    }
    return steps + steps_per_ms * (double) (horizon_ms - since_ms);
}

/* What is the same whoever recovers. */
static void
assert_same_instances(const spot_train_result_t *a, const spot_train_result_t *b)
{
    assert_int_equal(a->ledger.population_ms, b->ledger.population_ms);
    assert_int_equal(a->preempted, b->preempted);
    assert_int_equal(a->added, b->added);
    assert_int_equal(a->clipped, b->clipped);
}

static void
assert_nothing_lost(const spot_train_result_t *result)
{
    const int64_t *instance_ms = result->ledger.instance_ms;

    assert_int_equal(spot_ledger_total(&result->ledger), result->ledger.population_ms);
    assert_int_equal(result->ledger.population_ms, instance_ms[SPOT_SHARE_PREPPING] +
                                                       instance_ms[SPOT_SHARE_STANDBY] +
                                                       instance_ms[SPOT_SHARE_USEFUL]);
    assert_int_equal(result->steps_lost, 0);
    assert_int_equal(result->rollbacks, 0);
    assert_int_equal(result->steps_durable, result->steps_executed);
    assert_true(result->step_fraction >= 0 && result->step_fraction < 1);
}

static void
test_ideal_is_the_bound(void **state)
{
    size_t num_below = 0;
    spot_event_log_t log;
    case_t self;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t ideal, checkpoint;
        spot_scenario_t scenario;
        double steps;

        draw_case(&self, seed);
        self.setting.until_steps = 0;
        self.is_until_inside = false;
        bind_case(&self, &scenario);
        checkpoint = run_scenario(&scenario, 0, NULL);
        scenario.recovery.system = &spot_recovery_ideal;
        ideal = run_scenario(&scenario, 0, &log);
        steps = integrated_steps(&scenario.job, &log, ideal.horizon_ms);
        assert_near(kept_steps(&ideal) + 1, steps + 1, 1e-9);
        assert_nothing_lost(&ideal);
        assert_same_instances(&ideal, &checkpoint);
        if (kept_steps(&checkpoint) > kept_steps(&ideal) + 1e-6) {
            fail_msg("case %d: checkpoint keeps more", (int) seed);
        }
        num_below += kept_steps(&checkpoint) < 0.9 * kept_steps(&ideal);
        spot_scenario_free(&scenario);
    }
    spot_event_log_free(&log);
    assert_true(num_below > NUM_CASES / 4);
}

/* A job of so many steps ends with them exactly, and not a millisecond later than its
 * work is done. */
static void
test_ideal_finishes(void **state)
{
    size_t num_finished = 0;
    case_t self;

    (void) state;
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        spot_train_result_t finished, shorter;
        spot_scenario_t scenario;

        draw_case(&self, seed);
        self.setting.until_steps = 1 + (int64_t) (seed % 40);
        self.is_until_inside = false;
        bind_case(&self, &scenario);
        scenario.recovery.system = &spot_recovery_ideal;
        finished = run_scenario(&scenario, 0, NULL);
        assert_nothing_lost(&finished);
        if (finished.is_finished) {
            num_finished++;
            assert_int_equal(finished.steps_executed, scenario.until_steps);
            assert_true(finished.step_fraction == 0);
            scenario.until_steps = 0;
            scenario.horizon_ms = finished.horizon_ms - 1;
            if (scenario.horizon_ms > 0) {
                shorter = run_scenario(&scenario, 0, NULL);
                assert_true(
                    kept_steps(&shorter) < (double) finished.steps_executed + 1e-6);
            }
        } else {
            assert_true(kept_steps(&finished) < (double) scenario.until_steps + 1e-6);
        }
        spot_scenario_free(&scenario);
    }
    assert_true(num_finished > NUM_CASES / 10);
}

static const char on_demand_text[] =
    "scenario: rented\n"
    "horizon: 1 h\n"
    "fleet: {capacity: 20, initial: 3, price: {spot: 1, on_demand: 2.5}}\n"
    "job: {pipeline_depth: 4, step_time: {4: 40 s, 8: 25 s, 12: 16 s}}\n"
    "recovery: {system: on-demand, instances: 14}\n"
    "trace:\n"
    "  generator: seed\n"
    "  preemption: {per_minute: 0.9, count: {fixed: 3}}\n"
    "  addition: {per_minute: 0.9, count: {fixed: 3}}\n";

/* 14 instances are 3 pipelines of 4 and 2 to spare: 3600 s / 16 s = 225 steps. */
static void
test_on_demand(void **state)
{
    spot_train_result_t result;
    spot_scenario_t scenario;

    (void) state;
    bind_good_scenario(&scenario, on_demand_text);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        result = run_scenario(&scenario, seed, NULL);
        assert_nothing_lost(&result);
        assert_int_equal(result.initial, 14);
        assert_int_equal(result.preempted + result.added + result.reconfigurations, 0);
        assert_int_equal(result.steps_executed, 225);
        assert_int_equal(
            result.ledger.instance_ms[SPOT_SHARE_STANDBY], INT64_C(2) * 3600000);
        assert_near(result.cost_usd, 14 * 2.5, 1e-12);
        assert_near(
            spot_train_metric(&scenario, &result, "samples_per_s"), 1024 / 16.0, 1e-12);
    }
    spot_scenario_free(&scenario);
}

/* Without a number of its own it has as many instances as the fleet may have. */
static void
test_on_demand_capacity(void **state)
{
    char text[sizeof(on_demand_text)];
    char *instances;
    spot_train_result_t result;
    spot_scenario_t scenario;

    (void) state;
    strcpy(text, on_demand_text);
    instances = strstr(text, ", instances: 14");
    assert_non_null(instances);
    memset(instances, ' ', strlen(", instances: 14"));
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 1, NULL);
    assert_int_equal(result.initial, 20);
    assert_true(result.has_flat_step_time); /* 20 instances are not measured */
    spot_scenario_free(&scenario);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_is_the_bound),
        cmocka_unit_test(test_ideal_finishes),
        cmocka_unit_test(test_on_demand),
        cmocka_unit_test(test_on_demand_capacity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
