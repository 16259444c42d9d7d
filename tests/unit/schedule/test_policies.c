/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policies on a small cluster, job by job, and that visiting every second changes
 * nothing. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "schedule_run.h"

/* The help of the key names every policy, and every policy says what it is. */
static void test_help(void **state)
{
    const spot_field_t *field = spot_field_find(spot_schedule_fields, "policy", 6);

    (void) state;
    assert_non_null(field);
    for (size_t j = 0; spot_policies[j] != NULL; j++) {
        assert_non_null(strstr(field->help, spot_policies[j]->name));
        assert_true(strlen(spot_policies[j]->doc) > 20);
    }
}

/* ---- Mini case A of the published rules ---- */

static const char mini_log[] = "job_id,vc,gpu_num,submit_time,duration\n"
                               "1,a,8,0,600\n"
                               "2,a,16,10,300\n"
                               "3,a,4,20,100\n"
                               "4,a,4,20,50\n"
                               "5,a,12,30,200\n"
                               "6,a,1,130,3000\n"
                               "7,a,8,190,30\n";
static const char mini_estimates[] = "job_id,estimate\n"
                                     "1,700\n2,20\n3,150\n4,400\n5,90\n6,5000\n7,10\n";

typedef struct {
    const char *policy, *compat;
    int64_t times[7][3]; /* start, end, queue */
    int32_t preemptions[7];
} mini_case_t;

static const mini_case_t mini_cases[] = {
    {"fifo", "none",
        {{0, 600, 0}, {600, 900, 590}, {900, 1000, 880}, {900, 950, 880}, {950, 1150, 920},
            {1000, 4000, 870}, {1150, 1180, 960}},
        {0}},
    {"fifo", "lucid",
        {{0, 600, 0}, {600, 900, 590}, {900, 1000, 880}, {900, 950, 880}, {950, 1150, 920},
            {1000, 4000, 870}, {1150, 1180, 960}},
        {0}},
    {"sjf", "none",
        {{0, 600, 0}, {800, 1100, 790}, {20, 120, 0}, {20, 70, 0}, {600, 800, 570},
            {1100, 4100, 970}, {190, 220, 0}},
        {0}},
    {"sjf", "lucid",
        {{0, 600, 0}, {800, 1100, 790}, {20, 120, 0}, {20, 70, 0}, {600, 800, 570},
            {1100, 4100, 970}, {190, 220, 0}},
        {0}},
    {"qssf", "none",
        {{0, 600, 0}, {600, 900, 590}, {900, 1000, 880}, {1000, 1050, 980}, {900, 1100, 870},
            {1050, 4050, 920}, {190, 220, 0}},
        {0}},
    {"qssf", "lucid",
        {{0, 600, 0}, {600, 900, 590}, {900, 1000, 880}, {1000, 1050, 980}, {900, 1100, 870},
            {1050, 4050, 920}, {190, 220, 0}},
        {0}},
    {"srtf", "none",
        {{0, 1340, 620}, {10, 710, 340}, {20, 120, 0}, {20, 70, 0}, {70, 360, 70}, {130, 3590, 380},
            {190, 220, 0}},
        {3, 1, 0, 0, 1, 2, 0}},
    {"srtf", "lucid",
        {{0, 1343, 622}, {10, 714, 343}, {20, 121, 0}, {20, 71, 0}, {71, 363, 72}, {130, 3593, 382},
            {190, 221, 0}},
        {3, 1, 0, 0, 1, 2, 0}},
    {"tiresias", "none",
        {{0, 600, 0}, {600, 900, 590}, {60, 160, 40}, {60, 110, 40}, {900, 1100, 870},
            {180, 3520, 350}, {1140, 1170, 950}},
        {0, 0, 0, 0, 0, 1, 0}},
    {"tiresias", "lucid",
        {{0, 601, 0}, {660, 961, 650}, {60, 161, 40}, {60, 111, 40}, {1020, 1221, 990},
            {180, 3581, 410}, {1260, 1291, 1070}},
        {0, 0, 0, 0, 0, 1, 0}},
};

#define NUM_MINI_CASES (sizeof(mini_cases) / sizeof(mini_cases[0]))

static void open_mini_case(schedule_run_t *run, const char *policy, const char *compat,
    const char *stepping, const char *more)
{
    char keys[1200];
    const char *log = schedule_file("log.csv", mini_log);
    const char *estimates = schedule_file("estimates.csv", mini_estimates);

    snprintf(keys, sizeof(keys),
        "jobs: {log: %s, estimates: {file: %s}}\n"
        "cluster: {vcs: {a: 2}, start: 0 s}\n"
        "policy: %s\ncompat: %s\nstepping: %s\n"
        "qssf: {estimator: table}\n%s",
        log, estimates, policy, compat, stepping, more);
    schedule_run_open(run, keys);
}

static void test_mini_case(void **state)
{
    static const char *const steppings[] = {"due", "every-second"};

    (void) state;
    for (size_t j = 0; j < 2 * NUM_MINI_CASES; j++) {
        const mini_case_t *expected = &mini_cases[j / 2];
        schedule_run_t run;

        open_mini_case(&run, expected->policy, expected->compat, steppings[j % 2], "");
        schedule_run_once(&run, 0, false);
        for (int32_t k = 0; k < 7; k++) {
            const spot_job_result_t result = spot_schedule_result(&run.schedule, k);

            if (result.start_s != expected->times[k][0] || result.end_s != expected->times[k][1] ||
                result.queue_s != expected->times[k][2] ||
                result.preemptions != expected->preemptions[k]) {
                fail_msg("%s, compat %s, %s: job %d %" PRId64 "-%" PRId64 " (%" PRId64
                         "), %d preemptions",
                    expected->policy, expected->compat, steppings[j % 2], k + 1, result.start_s,
                    result.end_s, result.queue_s, result.preemptions);
            }
            assert_int_equal(result.lost, 0);
        }
        schedule_run_close(&run);
    }
}

/* Q1 alone makes the compatible ends of policies that decrement. */
static void test_late_end_alone(void **state)
{
    schedule_run_t run;

    (void) state;
    open_mini_case(&run, "tiresias", "none", "due", "quirks: {Q1: on}\n");
    schedule_run_once(&run, 0, false);
    assert_int_equal(schedule_run_result(&run, "6").end_s, 3581);
    schedule_run_close(&run);
    open_mini_case(&run, "tiresias", "lucid", "due", "quirks: {Q1: off}\n");
    schedule_run_once(&run, 0, false);
    assert_int_equal(schedule_run_result(&run, "6").end_s, 3520);
    schedule_run_close(&run);
}

/* ---- When durations are estimated ---- */

/* At 100 s two jobs wait, and the one that runs ends in the next second, in which they are
 * ranked. When they were submitted nothing was known of it: both estimates are those of
 * the job that had ended before, and the first one starts. */
static void test_estimates_are_of_the_submit(void **state)
{
    static const char *const histories[] = {"simulated", "nominal"};
    static const char *const methods[] = {"running-mean", "gam"};

    (void) state;
    for (size_t j = 0; j < 8; j++) {
        schedule_run_t run;
        char keys[600];

        snprintf(keys, sizeof(keys),
            "jobs: {log: %s}\ncluster: {vcs: {a: 1}, start: 0 s}\npolicy: qssf\n"
            "stepping: %s\nqssf: {estimator: %s, history: %s}\n",
            schedule_file("log.csv", "job_id,user,vc,gpu_num,submit_time,duration\n"
                                     "before,u,a,8,0,10\nends,v,a,8,10,91\n"
                                     "first,v,a,8,100,20\nsecond,w,a,8,100,30\n"),
            j % 2 == 0 ? "due" : "every-second", methods[j / 4], histories[j / 2 % 2]);
        schedule_run_open(&run, keys);
        schedule_run_once(&run, 0, false);
        assert_int_equal(schedule_run_result(&run, "ends").end_s, 101);
        assert_int_equal(schedule_run_result(&run, "first").start_s, 101);
        assert_int_equal(schedule_run_result(&run, "second").start_s, 121);
        schedule_run_close(&run);
    }
}

/* ---- Random logs ---- */

static uint64_t below(spot_rng_t *rng, uint64_t limit)
{
    return spot_rng_bits(rng) % limit;
}

static char *random_log(uint64_t number, int num_jobs)
{
    spot_rng_t rng;
    char *text;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);
    int64_t submit_s = 0;

    assert_non_null(out);
    spot_rng_seek(&rng, 7, number, SPOT_STREAM_OWN, 0);
    fprintf(out, "job_id,vc,gpu_num,submit_time,duration,restart_s,min_gpus,max_gpus,"
                 "scaling,reconfig_s\n");
    for (int j = 0; j < num_jobs; j++) {
        const bool is_far = below(&rng, 4) == 0;
        const uint64_t gpus = 1 + below(&rng, 12);
        const uint64_t duration_s = 1 + below(&rng, is_far ? 3000 : 200);

        fprintf(out, "%d,%s,%d,%" PRId64 ",%d,%s,%s\n", j, j % 3 == 0 ? "b" : "a", (int) gpus,
            submit_s, (int) duration_s, j % 5 == 0 ? "7" : "",
            gpus == 4 || gpus == 8 ? "4,16,4:1 8:1.8 16:3,20" : ",,,");
        submit_s += (int64_t) below(&rng, is_far ? 90 : 3) * 10;
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

/* What must hold after any run: the sums of jobs, and order under policies without
 * overtaking. */
static void check_properties(const schedule_run_t *run, const char *policy)
{
    int64_t last_start_s[2] = {-1, -1};

    assert_int_equal(run->schedule.num_ended, run->schedule.num_jobs);
    for (int32_t j = 0; j < (int32_t) run->schedule.log->num_jobs; j++) {
        const spot_job_row_t *row = &run->schedule.log->jobs[j];
        const spot_job_result_t result = spot_schedule_result(&run->schedule, j);
        const int64_t ran_s = row->duration_s + result.overhead_s;

        assert_int_equal(result.end_s - row->submit_s, result.queue_s + ran_s);
        if (strcmp(policy, "fifo") == 0) {
            assert_true(result.start_s >= last_start_s[row->vc_id]);
            last_start_s[row->vc_id] = result.start_s;
        }
    }
}

static void test_stepping(void **state)
{
    static const char *const policies[] = {
        "fifo", "sjf", "srtf", "tiresias", "qssf", "efs", "gain"};
    static const char *const placers[] = {"consolidate", "random", "consolidateFirst"};

    (void) state;
    for (uint64_t j = 0; j < 84; j++) {
        const char *policy = policies[j % 7], *placer = placers[j / 7 % 3];
        const bool is_compatible = j % 2 == 1;
        char *log = random_log(j, 60), *texts[2];

        for (int k = 0; k < 2; k++) {
            schedule_run_t run;
            char keys[1000];

            snprintf(keys, sizeof(keys),
                "jobs: {log: %s}\ncluster: {vcs: {a: 3, b: 2}, placer: %s}\n"
                "policy: %s\ncompat: %s\nstepping: %s\nqssf: {estimator: oracle}\n"
                "output: {progress: 100 s}\n",
                schedule_file("log.csv", log), placer, policy, is_compatible ? "lucid" : "none",
                k == 0 ? "due" : "every-second");
            schedule_run_open(&run, keys);
            schedule_run_once(&run, 0, true);
            if (!is_compatible && j % 7 < 5) { /* jobs keep their size */
                check_properties(&run, policy);
            }
            texts[k] = schedule_run_all_series(&run);
            schedule_run_close(&run);
        }
        if (strcmp(texts[0], texts[1]) != 0) {
            fail_msg("log %d under %s: the modes of stepping differ", (int) j, policy);
        }
        free(texts[0]);
        free(texts[1]);
        free(log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_mini_case),
        cmocka_unit_test(test_late_end_alone),
        cmocka_unit_test(test_estimates_are_of_the_submit),
        cmocka_unit_test(test_stepping),
    };

    return cmocka_run_group_tests(tests, schedule_folder_make, schedule_folder_remove);
}
