/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "policy_laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "random_case.h"
#include "set_recovery.h"
#include "sim/train/job/run_log.h"

double kept_steps(const spot_train_result_t *result)
{
    return (double) (result->steps_executed - result->steps_lost) + result->step_fraction;
}

bool phases_tile(const spot_event_log_t *log, int64_t horizon_ms)
{
    int64_t time_ms = 0;

    for (size_t j = 0; j < log->num_records; j++) {
        if (log->records[j].kind == SPOT_LOG_PHASE) {
            if (log->records[j].time_ms != time_ms) {
                return false;
            }
            time_ms += log->records[j].values[2];
        }
    }
    return time_ms == horizon_ms;
}

/* What the twin does not know. */
static const result_field_t more_fields[] = {
    RESULT_NUMBER(fatal),
    RESULT_NUMBER(clipped_forecasts),
    RESULT_NUMBER(first_training_ms),
    RESULT_FLAG(lacks_step_time),
    RESULT_FLAG(has_fitted_step_time),
    RESULT_FLAG(has_approximate_step_time),
};

const char *all_difference(const spot_train_result_t *a, const spot_train_result_t *b)
{
    for (size_t j = 0; j < sizeof(more_fields) / sizeof(more_fields[0]); j++) {
        if (result_field_value(a, &more_fields[j]) != result_field_value(b, &more_fields[j])) {
            return more_fields[j].name;
        }
    }
    if (memcmp(&a->cost_usd, &b->cost_usd, sizeof(a->cost_usd)) != 0) {
        return "cost_usd";
    }
    if (memcmp(&a->step_fraction, &b->step_fraction, sizeof(a->step_fraction)) != 0) {
        return "step_fraction";
    }
    return result_difference(a, b);
}

void assert_same_result(
    const char *what, uint64_t seed, const spot_train_result_t *a, const spot_train_result_t *b)
{
    const char *name = all_difference(a, b);

    if (name != NULL) {
        fail_msg("case %d: %s: %s differs: %lld and %lld", (int) seed, what, name,
            (long long) result_value(a, name), (long long) result_value(b, name));
    }
}

/* No notice, a short one, one of some ticks, or one that tells of all that is to come.
 */
static void draw_notice(case_t *self)
{
    const int64_t tick_ms = self->setting.tick_ms;
    const int64_t notices_ms[] = {0, 1 + (int64_t) mixed(self->seed, 901, 5000),
        (1 + (int64_t) mixed(self->seed, 902, 8)) * tick_ms, self->setting.horizon_ms};

    self->setting.notice_ms = notices_ms[mixed(self->seed, 903, 4)];
}

/* The case with its table and system as the text has it. */
static void bind_policy(
    const case_t *self, bool is_by_pair, const char *system, spot_scenario_t *scenario)
{
    bind_case(self, scenario);
    if (is_by_pair) {
        set_random_table(scenario, self->seed);
    }
    set_recovery(scenario, system);
}

spot_train_result_t check_policy(
    uint64_t seed, const char *system, bool is_bounded, spot_event_log_t *log)
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
    assert_true(phases_tile(log, result.horizon_ms));
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

void check_policies(
    const char *const *systems, size_t num_systems, uint64_t num_cases, bool is_bounded)
{
    uint64_t num_rolled_back = 0, num_kept = 0;
    spot_event_log_t log;

    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= num_cases; seed++) {
        const spot_train_result_t result =
            check_policy(seed, systems[seed % num_systems], is_bounded, &log);

        num_rolled_back += result.rollbacks > 0;
        num_kept += result.reconfigurations > 0 && result.rollbacks == 0 &&
                    result.steps_executed > result.steps_lost;
    }
    spot_event_log_free(&log);
    assert_true(num_rolled_back > num_cases / 10);
    assert_true(num_kept > num_cases / 10);
}

void check_constant_fleet(uint64_t seed, const char *system)
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

spot_train_result_t run_by_hand(const char *system, int notice_s, const char *rows)
{
    return run_with_checkpoints("{every: 3 h}", system, notice_s, rows);
}

spot_train_result_t run_with_checkpoints(
    const char *checkpoint, const char *system, int notice_s, const char *rows)
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
        "  checkpoint: %s\n  reconfiguration: 20 s\n  reload: 40 s\n"
        "trace: {file: %s}\n",
        notice_s, checkpoint, path);
    bind_good_scenario(&scenario, text);
    set_recovery(&scenario, system);
    result = run_scenario(&scenario, 0, NULL);
    remove(path);
    spot_scenario_free(&scenario);
    return result;
}

void check_with_notice(const hand_case_t *self, int notice_s)
{
    const spot_train_result_t result = run_by_hand(self->options, notice_s, self->rows);
    const int64_t values[] = {result.steps_executed, result.steps_lost, result.rollbacks,
        result.job_ms[SPOT_JOB_RECONFIGURING], result.job_ms[SPOT_JOB_RELOADING]};
    const int64_t expected[] = {self->steps_executed, self->steps_lost, self->rollbacks,
        self->reconfiguring_ms, self->reloading_ms};
    static const char *const names[] = {
        "steps executed", "steps lost", "rollbacks", "reconfiguring", "reloading"};

    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
        if (values[j] != expected[j]) {
            fail_msg("%s: %s: %lld, not %lld", self->what, names[j], (long long) values[j],
                (long long) expected[j]);
        }
    }
}

void check_by_hand(const hand_case_t *self)
{
    check_with_notice(self, 0);
}
