/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for a recovery system on every trace and job, whatever it does; and traces
 * by hand. Include after cmocka.h. */
#ifndef SPOT_TESTS_UNIT_TRAIN_POLICY_LAWS_H
#define SPOT_TESTS_UNIT_TRAIN_POLICY_LAWS_H

#include "compare.h"
#include "random_case.h"
#include "set_recovery.h"
#include "sim/train/run_log.h"

static inline double
kept_steps(const spot_train_result_t *result)
{
    return (double) (result->steps_executed - result->steps_lost) +
           result->step_fraction;
}

/* The phases of a log follow upon each other from 0 to the end. */
static inline void
assert_phases_tile(const spot_event_log_t *log, int64_t horizon_ms)
{
    int64_t time_ms = 0;

    for (size_t j = 0; j < log->num_records; j++) {
        if (log->records[j].kind == SPOT_LOG_PHASE) {
            assert_int_equal(log->records[j].time_ms, time_ms);
            time_ms += log->records[j].values[2];
        }
    }
    assert_int_equal(time_ms, horizon_ms);
}

static inline void
assert_same_result(const char *what, uint64_t seed, const spot_train_result_t *a,
    const spot_train_result_t *b)
{
    const char *name = result_difference(a, b);

    if (name != NULL) {
        fail_msg("case %d: %s: %s differs: %lld and %lld", (int) seed, what, name,
            (long long) result_value(a, name), (long long) result_value(b, name));
    }
}

/* No notice, a short one, one of some ticks, or one that tells of all that is to come.
 */
static inline void
draw_notice(case_t *self)
{
    const int64_t tick_ms = self->setting.tick_ms;
    const int64_t notices_ms[] = {0, 1 + (int64_t) mixed(self->seed, 901, 5000),
        (1 + (int64_t) mixed(self->seed, 902, 8)) * tick_ms, self->setting.horizon_ms};

    self->setting.notice_ms = notices_ms[mixed(self->seed, 903, 4)];
}

/* The case with its table and system as the text has it. */
static inline void
bind_policy(
    const case_t *self, bool is_by_pair, const char *system, spot_scenario_t *scenario)
{
    bind_case(self, scenario);
    if (is_by_pair) {
        set_random_table(scenario, self->seed);
    }
    set_recovery(scenario, system);
}

/* One random case: what is lost at an instant counts in any order; a log changes nothing
 * and its phases tile the run; ideal is a bound. The sums of the ledger are verified in
 * each run. Returns the result. */
static inline spot_train_result_t
check_policy(uint64_t seed, const char *system, bool is_bounded, spot_event_log_t *log)
{
    const bool is_by_pair = seed % 3 == 0;
    spot_train_result_t result, other;
    spot_scenario_t scenario;
    case_t self;

    draw_case(&self, seed);
    draw_notice(&self);
    bind_policy(&self, is_by_pair, system, &scenario);
    result = run_scenario(&scenario, 0, NULL);
    other = run_scenario(&scenario, 0, log);
    assert_same_result("a log", seed, &result, &other);
    assert_phases_tile(log, result.horizon_ms);
    if (is_bounded && scenario.until_steps == 0) {
        set_recovery(&scenario, "ideal");
        other = run_scenario(&scenario, 0, NULL);
        if (kept_steps(&result) > kept_steps(&other) + 1e-6) {
            fail_msg("case %d: %s keeps more than ideal", (int) seed, system);
        }
    }
    spot_scenario_free(&scenario);
    self.has_reversed_losses = true;
    bind_policy(&self, is_by_pair, system, &scenario);
    other = run_scenario(&scenario, 0, NULL);
    assert_same_result("the order of losses", seed, &result, &other);
    spot_scenario_free(&scenario);
    return result;
}

/* With the instances that are there from start to end it is like "checkpoint". */
static inline void
check_constant_fleet(uint64_t seed, const char *system)
{
    spot_train_result_t result, other;
    spot_scenario_t scenario;
    size_t num_lives = 0;
    case_t self;

    draw_case(&self, seed);
    for (size_t j = 0; j < self.num_lives; j++) {
        if (self.lives[j].birth_ms < 0) {
            self.lives[num_lives] = self.lives[j];
            self.lives[num_lives++].death_ms = STAYS;
        }
    }
    self.num_lives = num_lives;
    bind_policy(&self, seed % 2 == 0, system, &scenario);
    result = run_scenario(&scenario, 0, NULL);
    set_recovery(&scenario, "checkpoint");
    other = run_scenario(&scenario, 0, NULL);
    assert_same_result("without losses", seed, &result, &other);
    spot_scenario_free(&scenario);
}

/* Kept steps on average over runs of a fleet at its capacity with so many losses a
 * minute, which additions make good for. */
static inline double
mean_kept_steps(const char *system, double per_minute, int num_runs)
{
    spot_scenario_t scenario;
    char text[1024];
    double sum = 0;

    snprintf(text, sizeof(text),
        "scenario: rates\nhorizon: 12 h\nfleet: {capacity: 24, initial: 24}\n"
        "job: {pipeline_depth: 4, step_time: {4: 40 s, 8: 24 s, 12: 18 s, 16: 15 s, "
        "20: 13 s, 24: 12 s}, checkpoint: {every: 50 steps}}\n"
        "trace: {generator: seed, preemption: {per_minute: %.3f, count: {fixed: 2}},\n"
        "  addition: {per_minute: 0.1, count: {fixed: 2}}}\n",
        per_minute);
    bind_good_scenario(&scenario, text);
    set_recovery(&scenario, system);
    for (int j = 0; j < num_runs; j++) {
        const spot_train_result_t result = run_scenario(&scenario, (uint64_t) j, NULL);

        sum += kept_steps(&result) / num_runs;
    }
    spot_scenario_free(&scenario);
    return sum;
}

/* A scenario by hand: pipelines of 2 instances, steps of 10 s with two of them and 18 s
 * with one, a tick of 1 s, no checkpoint that is durable in time; rows as in a trace. */
static inline spot_train_result_t
run_with_notice(const char *system, int notice_s, const char *rows)
{
    char path[PATH_BYTES], text[2048];
    spot_train_result_t result;
    spot_scenario_t scenario;

    temporary_path("hand.csv", path);
    snprintf(text, sizeof(text),
        "# spotsim-trace: 1\n# name: hand\n# start: unknown\n# resolution_s: 1\n"
        "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n%s",
        rows);
    write_file(path, text);
    snprintf(text, sizeof(text),
        "scenario: hand\nhorizon: trace-end\ntick: 1 s\n"
        "fleet: {capacity: 8, initial: 0, preparation: 0 s, notice: %d s}\n"
        "job:\n  pipeline_depth: 2\n  step_time: {2: 18 s, 4: 10 s, 6: 7 s, 8: 5 s}\n"
        "  checkpoint: {every: 3 h}\n  reconfiguration: 20 s\n  reload: 40 s\n"
        "trace: {file: %s}\n",
        notice_s, path);
    bind_good_scenario(&scenario, text);
    set_recovery(&scenario, system);
    result = run_scenario(&scenario, 0, NULL);
    remove(path);
    spot_scenario_free(&scenario);
    return result;
}

/* Without notices. */
static inline spot_train_result_t
run_by_hand(const char *system, const char *rows)
{
    return run_with_notice(system, 0, rows);
}

/* What a run by hand comes to. */
typedef struct {
    const char *what;
    const char *options;
    const char *rows;
    int64_t steps_executed;
    int64_t steps_lost;
    int64_t rollbacks;
    int64_t reconfiguring_ms;
    int64_t reloading_ms;
} hand_case_t;

static inline void
check_with_notice(const hand_case_t *self, int notice_s)
{
    const spot_train_result_t result =
        run_with_notice(self->options, notice_s, self->rows);
    const int64_t values[] = {result.steps_executed, result.steps_lost, result.rollbacks,
        result.job_ms[SPOT_JOB_RECONFIGURING], result.job_ms[SPOT_JOB_RELOADING]};
    const int64_t expected[] = {self->steps_executed, self->steps_lost, self->rollbacks,
        self->reconfiguring_ms, self->reloading_ms};
    static const char *const names[] = {
        "steps executed", "steps lost", "rollbacks", "reconfiguring", "reloading"};

    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
        if (values[j] != expected[j]) {
            fail_msg("%s: %s: %lld, not %lld", self->what, names[j],
                (long long) values[j], (long long) expected[j]);
        }
    }
}

static inline void
check_by_hand(const hand_case_t *self)
{
    check_with_notice(self, 0);
}

#endif
