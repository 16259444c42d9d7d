/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario of many jobs is when it is bound: defaults, units, quirks, the clock,
 * shared logs, and what is left to chance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/verb/verb.h"
#include "base/yaml.h"
#include "schedule_run.h"
#include "sim/schedule/experiment.h"
#include "traces/jobs/job_file.h"

#define LOG                                                                                        \
    "job_id,vc,gpu_num,submit_time,duration\n"                                                     \
    "1,a,8,130,600\n2,b,4,190,300\n3,a,17,200,100\n"

/* cluster: its keys besides the VCs; more: further keys of the scenario. */
static void open_case(schedule_run_t *run, const char *jobs, const char *cluster, const char *more)
{
    char keys[1200];

    snprintf(keys, sizeof(keys), "jobs: {log: %s%s}\ncluster: {vcs: {a: 3, b: 1}%s}\n%s",
        schedule_file("log.csv", LOG), jobs, cluster, more);
    schedule_run_open(run, keys);
}

static void test_defaults(void **state)
{
    schedule_run_t run;
    const spot_schedule_scenario_t *scenario;

    (void) state;
    open_case(&run, "", "", "");
    scenario = run.scenario;
    assert_string_equal(spot_policies[scenario->policy_id]->name, "fifo");
    assert_int_equal(scenario->placer, SPOT_PLACER_CONSOLIDATE);
    assert_int_equal(scenario->gpus_per_node, 8);
    assert_int_equal(scenario->start_s, 120); /* the first submit, cut to a minute */
    assert_int_equal(scenario->horizon_s, 0);
    assert_int_equal(scenario->sample_s, 60);
    assert_int_equal(scenario->progress_s, 0);
    assert_int_equal(scenario->large_over, 8);
    assert_false(scenario->is_every_second);
    assert_int_equal(scenario->tiresias.interval_s, 60);
    assert_int_equal(scenario->tiresias.num_thresholds, 1);
    assert_true(scenario->tiresias.thresholds_gpu_s[0] == 18000);
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        assert_false(scenario->quirks[j]);
    }
    assert_int_equal(scenario->capacity[0], 24);
    assert_int_equal(scenario->capacity[1], 8);
    assert_false(scenario->outputs.is_random);
    schedule_run_close(&run);
}

static void test_values(void **state)
{
    schedule_run_t run;
    const spot_schedule_scenario_t *scenario;

    (void) state;
    open_case(&run, "",
        ", gpus_per_node: 16, placer: consolidateFirst, start: 2 min, price: 3 USD/h",
        "policy: tiresias\nhorizon: 1 d\nstepping: every-second\n"
        "tiresias: {interval: 2 min, thresholds: [100, 200.5]}\n"
        "output: {samples: 5 min, progress: 1 h, large_over: 4}\n");
    scenario = run.scenario;
    assert_string_equal(spot_policies[scenario->policy_id]->name, "tiresias");
    assert_int_equal(scenario->placer, SPOT_PLACER_CONSOLIDATE_FIRST);
    assert_int_equal(scenario->start_s, 120);
    assert_int_equal(scenario->horizon_s, 86400);
    assert_true(scenario->price_usd_per_h == 3);
    assert_int_equal(scenario->sample_s, 300);
    assert_int_equal(scenario->progress_s, 3600);
    assert_int_equal(scenario->large_over, 4);
    assert_true(scenario->is_every_second);
    assert_int_equal(scenario->tiresias.interval_s, 120);
    assert_int_equal(scenario->tiresias.num_thresholds, 2);
    assert_true(scenario->tiresias.thresholds_gpu_s[1] == 200.5);
    assert_int_equal(scenario->capacity[0], 48);
    schedule_run_close(&run);
}

/* compat: lucid turns all quirks on, and each can be turned off. */
static void test_quirks(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run, "", "", "compat: lucid\nquirks: {Q6: off}\n");
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        assert_int_equal(run.scenario->quirks[j], j != SPOT_QUIRK_SLOW_GUEST);
    }
    assert_int_equal(run.scenario->progress_s, 10000);
    schedule_run_close(&run);
    open_case(&run, "", "", "quirks: {Q12: on}\n");
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        assert_int_equal(run.scenario->quirks[j], j == SPOT_QUIRK_DOUBLE_RATES);
    }
    schedule_run_close(&run);
}

/* Jobs of VCs that the cluster lacks, or whose VC has another name in the log. */
static void test_renaming(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run, ", vcs: {b: \"\"}", "", "");
    assert_int_equal(run.scenario->log->num_jobs, 2);
    assert_int_equal(run.scenario->log->counts.dropped_vc, 1);
    schedule_run_close(&run);
    open_case(&run, ", vcs: {a: b, b: a}, oversize: drop", "", "");
    schedule_run_once(&run, 0, false);
    assert_int_equal(run.schedule.num_oversize, 1);
    assert_int_equal(run.schedule.num_jobs, 2);
    assert_int_equal(schedule_run_summary(&run, "a")->num_jobs, 1);
    assert_int_equal(schedule_run_result(&run, "3").start_s, -1);
    schedule_run_close(&run);
    open_case(&run, ", vcs: {\"*\": a}", "", "");
    schedule_run_once(&run, 0, false);
    assert_int_equal(schedule_run_summary(&run, "a")->num_jobs, 3);
    assert_int_equal(schedule_run_summary(&run, "b")->num_jobs, 0);
    schedule_run_close(&run);
}

static void test_chance(void **state)
{
    schedule_run_t run;
    int64_t first_s, second_s;

    (void) state;
    open_case(&run, ", jitter: 30 s", "", "");
    assert_true(run.scenario->outputs.is_random);
    schedule_run_once(&run, 0, false);
    first_s = schedule_run_result(&run, "1").start_s;
    assert_true(first_s >= 130 && first_s <= 160);
    for (uint64_t j = 1; j <= 20; j++) { /* replications differ */
        schedule_run_once(&run, j, false);
        second_s = schedule_run_result(&run, "1").start_s;
        assert_true(second_s >= 130 && second_s <= 160);
        if (second_s != first_s) {
            break;
        }
        assert_true(j < 20);
    }
    schedule_run_once(&run, 0, false);
    assert_int_equal(schedule_run_result(&run, "1").start_s, first_s);
    schedule_run_close(&run);
    open_case(&run, "", "", "policy: qssf\nqssf: {estimator: noisy}\n");
    assert_true(run.scenario->outputs.is_random);
    schedule_run_close(&run);
    open_case(&run, "", "", "qssf: {estimator: noisy}\n"); /* not used */
    assert_false(run.scenario->outputs.is_random);
    schedule_run_close(&run);
}

/* Points of a study that name the same files share what is read, and may be freed in
 * any order. */
static void test_shared_log(void **state)
{
    const char *log = schedule_file("log.csv", LOG);
    void *scenarios[3];
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    for (int j = 0; j < 3; j++) {
        char text[600];
        spot_yaml_t document;

        snprintf(text, sizeof(text),
            "scenario: s\nengine: schedule\njobs: {log: %s%s}\n"
            "cluster: {vcs: {a: 3, b: 1}}\npolicy: %s\n",
            log, j == 2 ? ", short: clamp" : "", j == 0 ? "fifo" : "sjf");
        assert_int_equal(spot_yaml_parse(&document, "s.yaml", text, strlen(text), &diag), 0);
        assert_int_equal(spot_schedule_experiment.bind(
                             &scenarios[j], document.root, j == 0 ? NULL : scenarios[0], &diag),
            0);
        spot_yaml_free(&document);
    }
    assert_ptr_equal(((spot_schedule_scenario_t *) scenarios[1])->log,
        ((spot_schedule_scenario_t *) scenarios[0])->log);
    assert_ptr_not_equal(((spot_schedule_scenario_t *) scenarios[2])->log,
        ((spot_schedule_scenario_t *) scenarios[0])->log);
    spot_schedule_experiment.free(scenarios[0]);
    assert_string_equal(((spot_schedule_scenario_t *) scenarios[1])->log->jobs[2].id, "3");
    spot_schedule_experiment.free(scenarios[2]);
    spot_schedule_experiment.free(scenarios[1]);
    spot_diag_free(&diag);
}

/* A comparison has columns of prices and spot nodes only where there are some. */
static void test_compared(void **state)
{
    schedule_run_t run;
    size_t num_without;

    (void) state;
    open_case(&run, "", "", "");
    num_without = run.scenario->outputs.num_compared;
    schedule_run_close(&run);
    open_case(&run, "", ", price: 1", "");
    assert_int_equal(run.scenario->outputs.num_compared, num_without + 1);
    assert_string_equal(run.scenario->outputs.compared[num_without], "cost_usd");
    schedule_run_close(&run);
}

/* All messages of a document come at once. */
static void test_refused(void **state)
{
    char *text = schedule_run_refused("jobs: {log: none.csv, short: no}\n"
                                      "cluster: {vcs: {a: 2}, gpus_per_node: 65}\n"
                                      "policy: lottery\n");

    (void) state;
    assert_non_null(strstr(text, "case.yaml:3:30: jobs.short: expected error"));
    assert_non_null(strstr(text, "case.yaml:4:39: cluster.gpus_per_node: expected an"));
    assert_non_null(strstr(text, "unknown policy \"lottery\": there are fifo, "));
    free(text);
}

/* The help that lists the columns of a log lists all of them. */
static void test_help_has_all_columns(void **state)
{
    (void) state;
    for (size_t j = 0; j < SPOT_NUM_JOB_COLUMNS; j++) {
        if (strstr(spot_verb_schedule_check.doc, spot_job_columns[j].name) == NULL) {
            fail_msg("%s", spot_job_columns[j].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_quirks),
        cmocka_unit_test(test_renaming),
        cmocka_unit_test(test_chance),
        cmocka_unit_test(test_shared_log),
        cmocka_unit_test(test_compared),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_help_has_all_columns),
    };

    return cmocka_run_group_tests(tests, schedule_folder_make, schedule_folder_remove);
}
