/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine with step times by (D,P): as by world size where both say the same, and no
 * pipelines that have no step time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "fixture.h"
#include "sim/train/metrics.h"

#define TEXT_BYTES 4096

#define GENERATED                                                                                  \
    "scenario: test\nhorizon: 12 h\nfleet: {capacity: 24, initial: 12}\n"                          \
    "trace: {generator: seed, preemption: {per_minute: 0.05, count: {fixed: 2}},\n"                \
    "  addition: {per_minute: 0.05, count: {fixed: 2}}}\n"

/* Pipelines of 4 instances with this table. */
static void bind_with_table(spot_scenario_t *self, const char *table)
{
    char path[PATH_BYTES], text[TEXT_BYTES];

    temporary_path("table.csv", path);
    write_file(path, table);
    snprintf(
        text, sizeof(text), GENERATED "job: {pipeline_depth: 4, step_time: {table: %s}}\n", path);
    bind_good_scenario(self, text);
    remove(path);
}

static void assert_same_runs(const spot_scenario_t *scenario, const spot_scenario_t *other,
    uint64_t num_runs, bool *lacks_step_time)
{
    *lacks_step_time = false;
    for (uint64_t seed = 1; seed <= num_runs; seed++) {
        const spot_train_result_t result = run_scenario(scenario, seed, NULL);
        const spot_train_result_t twin = run_scenario(other, seed, NULL);

        assert_null(result_difference(&result, &twin));
        assert_true(result.cost_usd == twin.cost_usd);
        assert_true(result.steps_executed > 0);
        assert_false(twin.lacks_step_time);
        *lacks_step_time |= result.lacks_step_time;
    }
}

/* Every number of pipelines that can be has a pair and a point: not a bit differs. */
static void test_same_as_by_world_size(void **state)
{
    spot_scenario_t by_pair, by_size;
    bool lacks_step_time;

    (void) state;
    bind_with_table(&by_pair,
        "D,P,step_ms\n1,4,9000.4\n2,4,5000\n3,4,4000\n4,4,3500\n5,4,3200.5\n6,4,3000\n"
        "2,8,1\n");
    bind_good_scenario(&by_size,
        GENERATED "job: {pipeline_depth: 4, step_time: {4: 9 s, 8: 5 s, 12: 4 s,\n"
                  "  16: 3500 ms, 20: 3200 ms, 24: 3 s}}\n");
    assert_same_runs(&by_pair, &by_size, 20, &lacks_step_time);
    assert_false(lacks_step_time);
    spot_scenario_free(&by_pair);
    spot_scenario_free(&by_size);
}

/* A fleet that is larger than the table: it is as if the job could not use more. */
static void test_fleet_beyond_the_table(void **state)
{
    spot_scenario_t by_pair, by_size;
    bool lacks_step_time;

    (void) state;
    bind_with_table(&by_pair, "D,P,step_ms\n1,4,9000\n2,4,5000\n3,4,4000\n4,4,\n");
    bind_good_scenario(&by_size, GENERATED "job: {pipeline_depth: 4, max_pipelines: 3,\n"
                                           "  step_time: {4: 9 s, 8: 5 s, 12: 4 s}}\n");
    assert_same_runs(&by_pair, &by_size, 20, &lacks_step_time);
    assert_true(lacks_step_time);
    spot_scenario_free(&by_pair);
    spot_scenario_free(&by_size);
}

/* 64 samples, stages of 2 layers: M = 16, 8, 6; (M+3) 2 (F+B), and the ring. */
static void test_pipeline_model(void **state)
{
    spot_scenario_t by_model, by_size;
    bool lacks_step_time;

    (void) state;
    bind_good_scenario(&by_model,
        GENERATED "job:\n  pipeline_depth: 4\n  samples_per_step: 64\n"
                  "  step_time: {pipeline: {layers: 8, micro_batch: 4, forward_ms: 50,\n"
                  "    backward_ms: 100, gradient_bytes: 375e6}}\n"
                  "  max_pipelines: 3\n");
    bind_good_scenario(&by_size, GENERATED "job: {pipeline_depth: 4, max_pipelines: 3,\n"
                                           "  samples_per_step: 64,\n"
                                           "  step_time: {4: 5700 ms, 8: 3900 ms, 12: 3500 ms}}\n");
    assert_same_runs(&by_model, &by_size, 20, &lacks_step_time);
    assert_false(lacks_step_time);
    spot_scenario_free(&by_model);
    spot_scenario_free(&by_size);
}

#define LOSS                                                                                       \
    "scenario: test\nhorizon: 200 s\ntick: 1 s\nfleet: {capacity: 3, preparation: 1 "              \
    "s}\ntrace: {file: %s}\n"                                                                      \
    "job: {pipeline_depth: 1, reconfiguration: 0 s, reload: 0 s,\n"                                \
    "  step_time: {table: %s}}\n"

static void bind_loss(spot_scenario_t *self, const char *table)
{
    char trace_path[PATH_BYTES], table_path[PATH_BYTES], text[TEXT_BYTES];

    temporary_path("loss.csv", trace_path);
    temporary_path("table.csv", table_path);
    write_file(trace_path, "# spotsim-trace: 1\n# name: test\n# start: unknown\n# resolution_s: 1\n"
                           "# kind: named\n# capacity: unbounded\ntime_s,event,count,instances\n"
                           "0,init,3,a b c\n100,preempt,1,b\n200,end,2,\n");
    write_file(table_path, table);
    snprintf(text, sizeof(text), LOSS, trace_path, table_path);
    bind_good_scenario(self, text);
    remove(trace_path);
    remove(table_path);
}

/* Two pipelines are not in the table: after a loss one of three is left to train, and
 * one instance stands by. */
static void test_gap(void **state)
{
    unsigned char flags[SPOT_TRAIN_NUM_WARNINGS];
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_loss(&scenario, "D,P,step_ms\n1,1,10000\n3,1,4000\n");
    result = run_scenario(&scenario, 1, NULL);
    assert_int_equal(result.steps_executed, 100 / 4 + 100 / 10);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_STANDBY], 100000);
    assert_int_equal(result.job_ms[SPOT_JOB_TRAINING], 200000);
    spot_train_warning_flags(&result, flags);
    assert_true(flags[4] && !flags[0] && !flags[3] && !flags[5]);
    spot_scenario_free(&scenario);
}

/* What is only fitted is said, if it is used. */
static void test_fitted(void **state)
{
    static const char *const tables[] = {
        "D,P,step_ms,origin\n1,1,1000,fitted\n2,1,900,measured\n3,1,800,measured\n",
        "D,P,step_ms,origin\n1,1,1000,measured\n2,1,900,fitted\n3,1,800,measured\n",
    };

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        unsigned char flags[SPOT_TRAIN_NUM_WARNINGS];
        spot_scenario_t scenario;
        spot_train_result_t result;

        bind_loss(&scenario, tables[j]);
        result = run_scenario(&scenario, 1, NULL);
        spot_train_warning_flags(&result, flags);
        assert_int_equal(flags[5], j);
        assert_false(flags[0] || flags[4]);
        spot_scenario_free(&scenario);
    }
}

/* Nothing is left that has a step time: the job waits, which is said. */
static void test_no_pair_left(void **state)
{
    unsigned char flags[SPOT_TRAIN_NUM_WARNINGS];
    spot_scenario_t scenario;
    spot_train_result_t result;

    (void) state;
    bind_loss(&scenario, "D,P,step_ms\n3,1,4000\n1,2,1000\n");
    result = run_scenario(&scenario, 1, NULL);
    assert_int_equal(result.steps_executed, 25);
    assert_int_equal(result.job_ms[SPOT_JOB_WAITING], 100000);
    assert_int_equal(result.ledger.instance_ms[SPOT_SHARE_STANDBY], 200000);
    assert_true(result.lacks_step_time);
    spot_scenario_free(&scenario);
    bind_loss(&scenario, "D,P,step_ms\n4,1,4000\n");
    result = run_scenario(&scenario, 1, NULL);
    assert_int_equal(result.steps_executed, 0);
    spot_train_warning_flags(&result, flags);
    assert_true(flags[3] && flags[4]);
    spot_scenario_free(&scenario);
}

static void assert_messages(
    const char *table, const char *job, const char *before_path, const char *behind_path)
{
    char path[PATH_BYTES], text[TEXT_BYTES], wanted[TEXT_BYTES];
    spot_scenario_t scenario;
    spot_diag_t diag;
    char *report;

    temporary_path("table.csv", path);
    write_file(path, table);
    snprintf(text, sizeof(text), GENERATED "job: {%s step_time: {table: %s}}\n", job, path);
    spot_diag_init(&diag);
    assert_int_equal(bind_scenario(&scenario, text, &diag), 0);
    report = diagnostics(&diag);
    snprintf(wanted, sizeof(wanted), "%s%s%s", before_path, behind_path[0] == '\0' ? "" : path,
        behind_path);
    assert_string_equal(report, wanted);
    free(report);
    spot_scenario_free(&scenario);
    spot_diag_free(&diag);
    remove(path);
}

/* A table of the same batch is good; throughputs of another one warn. */
static void test_batch_of_the_table(void **state)
{
    (void) state;
    assert_messages(
        "# samples_per_step: 64\nD,P,step_ms\n1,16,100\n", "samples_per_step: 64,", "", "");
    assert_messages("D,P,step_ms,samples_per_s\n1,16,100,643\n2,16,50,1270\n2,4,50,1300\n",
        "samples_per_step: 64,", "warning: ",
        ":4:1: 1300 samples/s in 50 ms are 65 samples a step, but "
        "job.samples_per_step is 64\n");
    assert_messages("D,P,step_ms\n1,8,100\n2,16,\n", "",
        "warning: scenario.yaml:6:19: job.step_time has no feasible pair of "
        "job.pipeline_depth (16)\n",
        "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_by_world_size),
        cmocka_unit_test(test_fleet_beyond_the_table),
        cmocka_unit_test(test_pipeline_model),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_fitted),
        cmocka_unit_test(test_no_pair_left),
        cmocka_unit_test(test_batch_of_the_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
