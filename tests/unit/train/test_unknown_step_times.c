/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever has more instances than step times are known for is told so, whatever the
 * recovery system makes of them; whoever has not, is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"

/* What some systems cannot do without. */
static const char *options_of(const char *system)
{
    static const char *const options[][2] = {
        {"gemini", ", state_bytes: 1e9, net_bytes_per_s: 1e9, remote_bytes_per_s: 1e9, "
                   "restart: 10 s"},
        {"bamboo", ", published_defaults: yes"},
        {"recycle", ", micro_batch: 8"},
        {"oobleck", ", f: 1, published_defaults: yes"},
        {"parcae", ", min_depth: 8, published_defaults: yes"},
        {"parcae-throughput", ", min_depth: 8, published_defaults: yes"},
    };

    for (size_t j = 0; j < sizeof(options) / sizeof(options[0]); j++) {
        if (strcmp(system, options[j][0]) == 0) {
            return options[j][1];
        }
    }
    return "";
}

/* An hour of instances that are never lost. */
static spot_train_result_t run_hour(const char *system, const char *step_time, int num_instances)
{
    char text[2048];
    spot_scenario_t scenario;
    spot_train_result_t result;

    snprintf(text, sizeof(text),
        "scenario: test\nhorizon: 1 h\ntick: 1 s\n"
        "fleet: {capacity: %d, initial: %d, preparation: 0 s}\n"
        "job:\n  pipeline_depth: 8\n  samples_per_step: 64\n  step_time: %s\n"
        "recovery: {system: %s%s}\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n",
        num_instances, num_instances, step_time, system, options_of(system));
    bind_good_scenario(&scenario, text);
    result = run_scenario(&scenario, 1, NULL);
    spot_scenario_free(&scenario);
    assert_true(result.steps_executed > 0);
    return result;
}

static bool is_told(const char *system, const char *step_time, int num_instances)
{
    const spot_train_result_t result = run_hour(system, step_time, num_instances);

    assert_true(result.has_flat_step_time == (result.unmeasured_ms > 0));
    return result.has_flat_step_time || result.lacks_step_time;
}

static void check_systems(const char *step_time)
{
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const char *system = spot_recovery_systems[j]->name;

        print_message("%s\n", system);
        assert_false(is_told(system, step_time, 16));
        assert_true(is_told(system, step_time, 24));
        assert_true(is_told(system, step_time, 40));
    }
}

static void test_by_world_size(void **state)
{
    (void) state;
    check_systems("{8: 10 s, 16: 6 s}");
}

/* Three pipelines of eight are between the pairs of the table. */
static void test_by_pair(void **state)
{
    char path[PATH_BYTES], step_time[PATH_BYTES + 16];

    (void) state;
    temporary_path("pairs.csv", path);
    write_file(path, "# samples_per_step: 64   micro_batch: 8   layers: 16\n"
                     "D,P,step_ms\n1,8,10000\n2,8,6000\n4,8,4000\n");
    snprintf(step_time, sizeof(step_time), "{table: %s}", path);
    check_systems(step_time);
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        assert_false(is_told(spot_recovery_systems[j]->name, step_time, 39));
    }
    remove(path);
}

/* Sixteen do the work of the 24 that were measured, in 9 s where these take 6 s,
 * whatever the system; gemini pays for its copies besides. */
static void test_below(void **state)
{
    (void) state;
    for (size_t j = 0; spot_recovery_systems[j] != NULL; j++) {
        const char *system = spot_recovery_systems[j]->name;
        const bool has_overhead = strcmp(system, "gemini") == 0;
        spot_train_result_t result;

        print_message("%s\n", system);
        result = run_hour(system, "{24: 6 s, 40: 4 s}", 16);
        assert_true(has_overhead ? result.steps_executed < 400 : result.steps_executed == 400);
        assert_int_equal(result.unmeasured_ms, result.job_ms[SPOT_JOB_TRAINING]);
        assert_int_equal(result.unmeasured_ms, 3600000);
        result = run_hour(system, "{24: 6 s, 40: 4 s}\n  outside: flat", 16);
        assert_true(has_overhead ? result.steps_executed < 600 : result.steps_executed == 600);
        assert_int_equal(result.unmeasured_ms, 3600000);
        result = run_hour(system, "{24: 6 s, 40: 4 s}", 24);
        assert_true(has_overhead ? result.steps_executed < 600 : result.steps_executed == 600);
        assert_int_equal(result.unmeasured_ms, 0);
    }
}

/* A choice of the user's is none. */
static void test_max_pipelines(void **state)
{
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_good_scenario(&scenario,
        "scenario: test\nhorizon: 1 h\ntick: 1 s\n"
        "fleet: {capacity: 40, initial: 40, preparation: 0 s}\n"
        "job: {pipeline_depth: 8, max_pipelines: 2, step_time: {8: 10 s, 16: 6 s}}\n"
        "recovery: ideal\n"
        "trace: {generator: seed, preemption: {per_minute: 0, count: {fixed: 1}}, "
        "addition: {per_minute: 0, count: {fixed: 1}}}\n");
    result = run_scenario(&scenario, 1, NULL);
    assert_false(result.lacks_step_time);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_world_size),
        cmocka_unit_test(test_by_pair),
        cmocka_unit_test(test_below),
        cmocka_unit_test(test_max_pipelines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
