/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures that the published simulator of Lucid gives for a month of a real cluster,
 * and a week of another one, which visiting every second must not change. Skipped where
 * the logs are not there: they are HeliosData (S-Lab-System-Group, CC-BY-4.0) and
 * philly-traces (Microsoft, CC-BY-4.0). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "schedule_run.h"
#include "tests/unit/base/shared_data.h"

#define FOLDER SHARED_DATA "jobs/"

static void require(const char *file)
{
    need_data(file);
}

static void assert_2_decimals(const char *what, double value, double expected)
{
    if (!(fabs(value - expected) <= 0.005 + 1e-9)) {
        fail_msg("%s: expected %.2f, got %.4f", what, expected, value);
    }
}

typedef struct {
    const char *policy, *compat;
    double avg_jct, avg_queue, queue_p999;
    double jct_large, queue_large, jct_small, queue_small;
    double preemptions;
    double cdf[4]; /* % of the jobs up to 2^6, 2^10, 2^14, 2^18 s */
} venus_case_t;

static const venus_case_t venus_cases[] = {
    {"fifo", "lucid", 65720.54, 53951.27, 587040.84, 35566.86, 22117.98, 69158.71, 57580.95, 0,
        {8.2652, 28.6014, 45.2827, 97.8080}},
    {"fifo", "none", 65720.54, 53951.27, 587040.84, 35566.86, 22117.98, 69158.71, 57580.95, 0,
        {8.2652, 28.6014, 45.2827, 97.8080}},
    {"sjf", "lucid", 21095.02, 9325.75, 322076.80, 20644.07, 7195.19, 21146.44, 9568.68, 0,
        {15.2437, 59.8223, 81.3907, 98.6001}},
    {"sjf", "none", 21095.02, 9325.75, 322076.80, 20644.07, 7195.19, 21146.44, 9568.68, 0,
        {15.2437, 59.8223, 81.3907, 98.6001}},
    {"tiresias", "lucid", 14700.04, 2915.99, 195846.25, 21781.35, 8294.54, 13892.62, 2302.72, 7466,
        {10.6501, 74.4960, 88.8218, 98.7426}},
};

static void open_venus(schedule_run_t *run, const char *policy, const char *compat)
{
    char keys[1200];

    snprintf(keys, sizeof(keys),
        "jobs: {log: %svenus_base.csv.gz}\n"
        "cluster: {vcs: %svenus_vc_config.csv, start: 13219200 s}\n"
        "output: {samples: 0 s}\npolicy: %s\ncompat: %s\n",
        FOLDER, FOLDER, policy, compat);
    schedule_run_open(run, keys);
}

static void check_cdf(const schedule_run_t *run, const double expected[4])
{
    for (size_t j = 0; j < run->recording.num_series; j++) {
        const spot_series_t *series = &run->recording.series[j];

        if (strcmp(series->kind->name, "cdf") == 0) {
            assert_int_equal(series->num_rows, 22);
            for (int k = 0; k < 4; k++) {
                const spot_cell_t *row = &series->cells[2 * (6 + 4 * k)];

                assert_true(row[0].number == ldexp(1, 6 + 4 * k));
                assert_true(fabs(row[1].number - expected[k]) <= 0.00005 + 1e-9);
            }
            return;
        }
    }
    fail_msg("no series cdf");
}

static void test_figures(void **state)
{
    (void) state;
    require(FOLDER "venus_base.csv.gz");
    for (size_t j = 0; j < sizeof(venus_cases) / sizeof(venus_cases[0]); j++) {
        const venus_case_t *expected = &venus_cases[j];
        const spot_job_summary_t *all;
        schedule_run_t run;

        open_venus(&run, expected->policy, expected->compat);
        schedule_run_once(&run, 0, true);
        all = schedule_run_summary(&run, NULL);
        print_message("%s, compat: %s\n", expected->policy, expected->compat);
        assert_int_equal(all->num_jobs, 23859);
        assert_int_equal(all->num_unfinished, 0);
        assert_int_equal(run.schedule.log->users.num_names, 118);
        assert_2_decimals("mean JCT", all->avg_jct, expected->avg_jct);
        assert_2_decimals("mean queue", all->avg_queue, expected->avg_queue);
        assert_2_decimals("queue 99.9 %", all->queue_p999, expected->queue_p999);
        assert_2_decimals("large JCT", all->jct_large, expected->jct_large);
        assert_2_decimals("large queue", all->queue_large, expected->queue_large);
        assert_2_decimals("small JCT", all->jct_small, expected->jct_small);
        assert_2_decimals("small queue", all->queue_small, expected->queue_small);
        assert_true(schedule_run_metric(&run, "preemptions") == expected->preemptions);
        check_cdf(&run, expected->cdf);
        schedule_run_close(&run);
    }
}

static void test_vcs(void **state)
{
    static const struct {
        const char *vc;
        double avg_queue;
    } fifo[] = {{"vcEwI", 106182.14}, {"vcWoR", 75871.42}, {"vcHvQ", 21286.55}, {"vcvGl", 13890.97},
        {"vc8Gr", 68.73}, {"vcKeu", 17763.66}, {"vcKrE", 1474.65}, {"vcYVn", 79536.86},
        {"vchbv", 5205.03}, {"vcLTP", 4646.42}, {"vchA3", 3765.20}, {"vcJsw", 10253.92},
        {"vcefl", 1181.97}, {"vcvlY", 360.43}, {"vcgkz", 3220.76}};
    const size_t num_vcs = sizeof(fifo) / sizeof(fifo[0]);
    schedule_run_t run;

    (void) state;
    require(FOLDER "venus_base.csv.gz");
    open_venus(&run, "fifo", "lucid");
    schedule_run_once(&run, 0, false);
    assert_int_equal(run.scenario->vcs.num_vcs, num_vcs);
    for (size_t j = 0; j < num_vcs; j++) {
        assert_string_equal(run.scenario->vcs.vcs[j].name, fifo[j].vc);
        assert_2_decimals(
            fifo[j].vc, schedule_run_summary(&run, fifo[j].vc)->avg_queue, fifo[j].avg_queue);
    }
    schedule_run_close(&run);
}

/* The first lines that the README of Lucid prints of FIFO, every 10,000 s from 13220000
 * on. */
static void test_progress(void **state)
{
    static const char *const lines[] = {
        "vcEwI | Time: 13220000 | Total Job: 7603 | End job: 13 | Running job: 2 | "
        "Pending job: 0",
        "vcEwI | Time: 13230000 | Total Job: 7603 | End job: 120 | Running job: 4 | "
        "Pending job: 0",
        "vcEwI | Time: 13250000 | Total Job: 7603 | End job: 121 | Running job: 4 | "
        "Pending job: 0",
        "vcEwI | Time: 13260000 | Total Job: 7603 | End job: 162 | Running job: 9 | "
        "Pending job: 0",
        "vcWoR | Time: 13220000 | Total Job: 2826 | End job: 0 | Running job: 0 | "
        "Pending job: 0",
        "vcWoR | Time: 13250000 | Total Job: 2826 | End job: 0 | Running job: 2 | "
        "Pending job: 0",
        "vcHvQ | Time: 13220000 | Total Job: 2654 | End job: 1 | Running job: 1 | "
        "Pending job: 0",
        "vcHvQ | Time: 13230000 | Total Job: 2654 | End job: 2 | Running job: 0 | "
        "Pending job: 0",
        "vcvGl | Time: 13230000 | Total Job: 1452 | End job: 1 | Running job: 2 | "
        "Pending job: 0",
        "vc8Gr | Time: 13230000 | Total Job: 710 | End job: 0 | Running job: 1 | "
        "Pending job: 0",
    };
    schedule_run_t run;
    char *text;
    size_t num_bytes;
    FILE *out;

    (void) state;
    require(FOLDER "venus_base.csv.gz");
    open_venus(&run, "fifo", "lucid");
    schedule_run_once(&run, 0, false);
    out = open_memstream(&text, &num_bytes);
    assert_non_null(out);
    spot_run_recorder_progress_write(&run.recorder, &run.summaries, out);
    assert_int_equal(fclose(out), 0);
    for (size_t j = 0; j < sizeof(lines) / sizeof(lines[0]); j++) {
        const char *found = strstr(text, lines[j]);

        assert_non_null(found);
        assert_int_equal(found[strlen(lines[j])], '\n');
    }
    free(text);
    schedule_run_close(&run);
}

/* ---- Philly ---- */

static char *run_philly(
    const char *where, const char *policy, bool is_compatible, bool every_second)
{
    schedule_run_t run;
    char keys[1600];
    char *text;

    snprintf(keys, sizeof(keys),
        "jobs: {log: %sphilly_week_base.csv.gz,\n"
        "       estimates: {file: %sphilly_week_estimates.csv.gz, column: est_b}%s}\n"
        "cluster: {vcs: %s%s_vc_config.csv, start: 0 s}\n"
        "qssf: {estimator: table}\npolicy: %s\ncompat: %s\nstepping: %s\n"
        "output: {samples: 600 s}\n",
        FOLDER, FOLDER, strcmp(where, "philly_single") == 0 ? ", vcs: {\"*\": philly}" : "", FOLDER,
        where, policy, is_compatible ? "lucid" : "none", every_second ? "every-second" : "due");
    schedule_run_open(&run, keys);
    schedule_run_once(&run, 0, true);
    assert_int_equal(run.schedule.num_jobs, 10650);
    assert_int_equal(run.schedule.num_ended, 10650);
    assert_int_equal(schedule_run_metric(&run, "reserved_node_h") > 0, run.schedule.end_s > 0);
    text = schedule_run_all_series(&run);
    schedule_run_close(&run);
    return text;
}

static void test_philly(void **state)
{
    static const struct {
        const char *where, *policy;
        bool is_compatible;
    } cases[] = {
        {"philly_week", "fifo", false},
        {"philly_single", "qssf", true},
        {"philly_single", "tiresias", true},
    };

    (void) state;
    require(FOLDER "philly_week_base.csv.gz");
    /* with sanitizers the first one only */
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j += SPOT_FEWER) {
        char *texts[2];

        for (int k = 0; k < 2; k++) {
            texts[k] = run_philly(cases[j].where, cases[j].policy, cases[j].is_compatible, k == 1);
        }
        if (strcmp(texts[0], texts[1]) != 0) {
            fail_msg("%s, %s: the modes of stepping differ", cases[j].where, cases[j].policy);
        }
        free(texts[0]);
        free(texts[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_vcs),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_philly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
