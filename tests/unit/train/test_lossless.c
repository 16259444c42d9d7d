/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovery systems that lose nothing, on random traces and jobs: "ideal" is the integral
 * of the best throughput, by world size and by (D,P), and a bound of "checkpoint";
 * "on-demand" knows no trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy_laws.h"
#include "random_case.h"
#include "set_recovery.h"
#include "sim/train/job/run_log.h"
#include "sim/train/metrics.h"

#define NUM_CASES (2000 / SPOT_FEWER)

/* Steps in a millisecond of the fastest pipelines of the job's depth that num_ready
 * instances are enough for. */
static double best_of_depth(const spot_job_t *job, int64_t num_ready)
{
    double best = 0;

    for (int64_t num = 1; num * job->pipeline_depth <= num_ready; num++) {
        const int64_t step_ms = spot_step_time_ms(&job->step_time, num * job->pipeline_depth);

        if (num <= job->max_pipelines) {
            best = fmax(best, 1 / (double) step_ms);
        }
    }
    return best;
}

/* The same of all pairs. */
static double best_of_pairs(const spot_job_t *job, int64_t num_ready)
{
    const spot_step_grid_t *grid = &job->step_time.grid;
    double best_ms = (double) INFINITY;

    for (size_t j = 0; j < grid->num_pairs; j++) {
        const spot_step_pair_t *pair = &grid->pairs[j];

        if (pair->num_pipelines * pair->depth <= num_ready &&
            pair->num_pipelines <= job->max_pipelines) {
            best_ms = fmin(best_ms, pair->step_ms);
        }
    }
    return best_ms < (double) INFINITY ? 1 / rint(best_ms) : 0;
}

static double best_steps_per_ms(const spot_job_t *job, int64_t num_ready)
{
    return spot_step_time_is_by_pair(&job->step_time) ? best_of_pairs(job, num_ready)
                                                      : best_of_depth(job, num_ready);
}

/* From the instances that were ready at each time, whoever they were; with an interval
 * the fewest since its latest multiple. */
typedef struct {
    const spot_job_t *job;
    int64_t interval_ms; /* 0: none */
    int64_t num_ready;   /* now */
    int64_t num_counted; /* N that counts now */
    int64_t now_ms;
    double steps;
} integral_t;

static void pass_to(integral_t *self, int64_t time_ms)
{
    while (self->now_ms < time_ms) {
        int64_t until_ms = time_ms;

        if (self->interval_ms > 0) {
            const int64_t multiple_ms = (self->now_ms / self->interval_ms + 1) * self->interval_ms;

            until_ms = multiple_ms < time_ms ? multiple_ms : time_ms;
        }
        self->steps +=
            best_steps_per_ms(self->job, self->num_counted) * (double) (until_ms - self->now_ms);
        self->now_ms = until_ms;
        if (self->interval_ms > 0 && until_ms % self->interval_ms == 0) {
            self->num_counted = self->num_ready;
        }
    }
}

static double integrated_steps(
    const spot_job_t *job, const spot_event_log_t *log, int64_t horizon_ms, int64_t interval_ms)
{
    integral_t self = {.job = job, .interval_ms = interval_ms};

    for (size_t j = 0; j < log->num_records; j++) {
        const spot_log_record_t *record = &log->records[j];

        if (record->kind == SPOT_LOG_FLEET) {
            pass_to(&self, record->time_ms);
            self.num_ready = record->values[1] + record->values[2];
            if (interval_ms == 0 || record->time_ms % interval_ms == 0 ||
                self.num_ready < self.num_counted) {
                self.num_counted = self.num_ready;
            }
        }
    }
    pass_to(&self, horizon_ms);
    return self.steps;
}

/* What is the same whoever recovers. */
static void assert_same_instances(const spot_train_result_t *a, const spot_train_result_t *b)
{
    assert_int_equal(a->ledger.population_ms, b->ledger.population_ms);
    assert_int_equal(a->preempted, b->preempted);
    assert_int_equal(a->added, b->added);
    assert_int_equal(a->clipped, b->clipped);
}

static void assert_nothing_lost(const spot_train_result_t *result)
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

/* One random case: the integral of the best throughput, and the bound of "checkpoint".
 * Tells whether that keeps much less. */
static bool check_ideal(uint64_t seed, bool is_by_pair, int64_t interval_ms, spot_event_log_t *log)
{
    spot_train_result_t ideal, checkpoint;
    spot_scenario_t scenario;
    char system[64];
    double steps;
    case_t self;

    draw_case(&self, seed);
    self.setting.until_steps = 0;
    self.is_until_inside = false;
    bind_case(&self, &scenario);
    if (is_by_pair) {
        set_random_table(&scenario, seed);
    }
    checkpoint = run_scenario(&scenario, 0, NULL);
    snprintf(system, sizeof(system), "{system: ideal, interval: %d ms}", (int) interval_ms);
    set_recovery(&scenario, system);
    ideal = run_scenario(&scenario, 0, log);
    steps = integrated_steps(&scenario.job, log, ideal.horizon_ms, interval_ms);
    if (!(fabs(kept_steps(&ideal) - steps) <= 1e-9 * (1 + steps))) {
        fail_msg("case %d: %.12g steps, integral %.12g", (int) seed, kept_steps(&ideal), steps);
    }
    assert_nothing_lost(&ideal);
    assert_same_instances(&ideal, &checkpoint);
    if (interval_ms == 0 && kept_steps(&checkpoint) > kept_steps(&ideal) + 1e-6) {
        fail_msg("case %d: checkpoint keeps more", (int) seed);
    }
    spot_scenario_free(&scenario);
    return kept_steps(&checkpoint) < 0.9 * kept_steps(&ideal);
}

static void check_ideal_cases(bool is_by_pair)
{
    size_t num_below = 0;
    spot_event_log_t log;

    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        num_below += check_ideal(seed, is_by_pair, 0, &log);
    }
    spot_event_log_free(&log);
    assert_true(num_below > NUM_CASES / 4);
}

static void test_ideal_is_the_bound(void **state)
{
    (void) state;
    check_ideal_cases(false);
}

static void test_ideal_by_pair(void **state)
{
    (void) state;
    check_ideal_cases(true);
}

/* Intervals from below a tick to longer than the run. */
static void test_ideal_at_intervals(void **state)
{
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        const int64_t interval_ms = 1 + (int64_t) mixed(seed, 0, 1 << mixed(seed, 1, 21));

        (void) check_ideal(seed, seed % 2 == 0, interval_ms, &log);
    }
    spot_event_log_free(&log);
}

/* By hand: 4 instances to start with, 4 more ready at 30 s, one of the 4 lost at 100 s.
 * Steps of 10 s in (1,4), 5 s in (2,4), 6 s in (1,7), 12 s in (3,1). */
static void test_ideal_by_hand(void **state)
{
    static const struct {
        const char *system;
        double steps;
    } cases[] = {
        {"ideal", 3 + 70 / 5.0 + 50 / 6.0},
        /* At 30 s nothing, at 60 s (2,4), at 100 s at once (1,7). */
        {"{system: ideal, interval: 60 s}", 6 + 40 / 5.0 + 50 / 6.0},
        /* At 100 s: of the 4 that count 7 are left, so that still (1,4). */
        {"{system: ideal, interval: 1 h}", 15},
    };
    static const char *const table = "D,P,step_ms\n1,4,10000\n2,4,5000\n1,7,6000\n3,1,12000\n";
    static const char *const trace =
        "# spotsim-trace: 1\n# name: hand\n# start: unknown\n# resolution_s: 1\n"
        "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n"
        "0,init,4,a b c d\n20,add,4,e f g h\n100,preempt,1,b\n150,end,7,\n";
    char table_path[PATH_BYTES], trace_path[PATH_BYTES], text[2048];
    spot_scenario_t scenario;

    (void) state;
    temporary_path("hand-table.csv", table_path);
    temporary_path("hand.csv", trace_path);
    write_file(table_path, table);
    write_file(trace_path, trace);
    snprintf(text, sizeof(text),
        "scenario: hand\nhorizon: 150 s\ntick: 1 s\n"
        "fleet: {capacity: 8, initial: 0, preparation: 10 s}\n"
        "job: {pipeline_depth: 4, step_time: {table: %s}}\ntrace: {file: %s}\n",
        table_path, trace_path);
    bind_good_scenario(&scenario, text);
    remove(table_path);
    remove(trace_path);
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_train_result_t result;

        set_recovery(&scenario, cases[j].system);
        result = run_scenario(&scenario, 0, NULL);
        assert_near(kept_steps(&result), cases[j].steps, 1e-12);
        assert_false(result.lacks_step_time);
    }
    spot_scenario_free(&scenario);
}

/* A job of so many steps ends with them exactly, and not a millisecond later than its
 * work is done. */
static void test_ideal_finishes(void **state)
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
        set_recovery(&scenario, "ideal");
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
                assert_true(kept_steps(&shorter) < (double) finished.steps_executed + 1e-6);
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
static void test_on_demand(void **state)
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
        assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_STANDBY], INT64_C(2) * 3600000);
        assert_near(result.cost_usd, 14 * 2.5, 1e-12);
        assert_near(spot_train_metric(&scenario, &result, "samples_per_s"), 1024 / 16.0, 1e-12);
    }
    spot_scenario_free(&scenario);
}

/* Without a number of its own it has as many instances as the fleet may have. */
static void test_on_demand_capacity(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ideal_is_the_bound),
        cmocka_unit_test(test_ideal_by_pair),
        cmocka_unit_test(test_ideal_at_intervals),
        cmocka_unit_test(test_ideal_by_hand),
        cmocka_unit_test(test_ideal_finishes),
        cmocka_unit_test(test_on_demand),
        cmocka_unit_test(test_on_demand_capacity),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
