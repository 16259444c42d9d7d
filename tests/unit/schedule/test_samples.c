/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples, lines of progress and tables of a run, with values by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule_run.h"

#define HEAD                                                                                       \
    "time,total_gpu_num,idle_gpu_num,pending_gpu_num,running_gpujob_num,"                          \
    "pending_gpujob_num,pending_job_num_less_8,total_node_num,consolidate_node_num,"               \
    "shared_node_num,sm_util,gmem_util,sm_util_active,gmem_util_active,"                           \
    "gpu_utilization\n"

/* Job 2 has a whole node and half of another one; 3 and 4 wait for it, and 3, which
 * computes nothing, shares a node with 4. VC c has no job. */
static const char workload_log[] =
    "job_id,vc,gpu_num,submit_time,duration,gpu_util,gmem_util,gmem\n"
    "1,a,4,0,100,50,0,1000\n"
    "5,b,8,0,180,90,0,8000\n"
    "2,a,12,10,110,20,0,3000\n"
    "3,a,2,20,60,0,0,0\n"
    "4,a,9,30,20,80,0,500\n";
static const char plain_log[] = "job_id,vc,gpu_num,submit_time,duration\n"
                                "1,a,4,0,100\n5,b,8,0,180\n2,a,12,10,110\n"
                                "3,a,2,20,60\n4,a,9,30,20\n";

static const char samples_of_a[] =
    HEAD "0,16,12,0,1,0,0,2,1,0,12.500,250.000,50.000,1000.000,0.250\n"
         "60,16,0,11,2,2,1,2,1,1,27.500,2500.000,27.500,2500.000,1.000\n"
         "120,16,5,0,2,0,0,2,1,1,45.000,281.250,80.000,500.000,0.688\n";
/* the last row is of the second in which the last job has ended */
static const char samples_of_b[] =
    HEAD "0,8,0,0,1,0,0,1,1,0,90.000,8000.000,90.000,8000.000,1.000\n"
         "60,8,0,0,1,0,0,1,1,0,90.000,8000.000,90.000,8000.000,1.000\n"
         "120,8,0,0,1,0,0,1,1,0,90.000,8000.000,90.000,8000.000,1.000\n"
         "180,8,8,0,0,0,0,1,0,0,0.000,0.000,0.000,0.000,0.000\n";
/* a VC that has ended is idle */
static const char samples_of_all[] =
    HEAD "0,32,20,0,2,0,0,4,2,0,28.750,2125.000,47.500,2500.000,0.375\n"
         "60,32,8,11,3,2,1,4,2,1,36.250,3250.000,36.250,3250.000,0.750\n"
         "120,32,13,0,3,0,0,4,2,1,45.000,2140.625,62.500,2250.000,0.594\n"
         "180,32,32,0,0,0,0,4,0,0,0.000,0.000,0.000,0.000,0.000\n";
static const char samples_cut[] =
    HEAD "0,32,20,0,2,0,0,4,2,0,12.000,250.000,50.000,1000.000,0.375\n"
         "60,32,8,11,3,2,1,4,2,1,27.000,2500.000,27.000,2500.000,0.750\n"
         "120,32,13,0,3,0,0,4,2,1,45.000,281.000,80.000,500.000,0.594\n";
static const char samples_without_use[] = HEAD "0,16,12,0,1,0,0,2,1,0,,,,,0.250\n"
                                               "60,16,0,11,2,2,1,2,1,1,,,,,1.000\n"
                                               "120,16,5,0,2,0,0,2,1,1,,,,,0.688\n";

static void assert_series(const schedule_run_t *run, const char *name, const char *expected)
{
    char *text = schedule_run_series(run, name);

    assert_string_equal(text, expected);
    free(text);
}

static void open_case(schedule_run_t *run, const char *log, const char *more)
{
    char keys[1000];

    snprintf(keys, sizeof(keys),
        "jobs: {log: %s}\ncluster: {vcs: {a: 2, b: 1, c: 1}, start: 0 s}\n%s",
        schedule_file("log.csv", log), more);
    schedule_run_open(run, keys);
    schedule_run_once(run, 0, true);
}

static void test_samples(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run, workload_log, "");
    assert_series(&run, "seq_a", samples_of_a);
    assert_series(&run, "seq_b", samples_of_b);
    assert_series(&run, "seq_c", HEAD);
    assert_series(&run, "seq_all", samples_of_all);
    assert_null(run.schedule.unfinished_text);
    schedule_run_close(&run);
    open_case(&run, workload_log, "quirks: {Q11: on}\n");
    assert_series(&run, "seq_a", samples_of_a);
    assert_series(&run, "seq_all", samples_cut);
    schedule_run_close(&run);
}

/* What no column says is empty from the first sample on. */
static void test_without_use(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run, plain_log, "");
    assert_series(&run, "seq_a", samples_without_use);
    assert_series(&run, "seq_c", HEAD);
    schedule_run_close(&run);
}

/* A VC whose jobs have not ended has samples up to the end of the run. */
static void test_horizon(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run, plain_log, "horizon: 120 s\n");
    assert_series(&run, "seq_a", samples_without_use);
    assert_series(&run, "seq_b",
        HEAD "0,8,0,0,1,0,0,1,1,0,,,,,1.000\n"
             "60,8,0,0,1,0,0,1,1,0,,,,,1.000\n"
             "120,8,0,0,1,0,0,1,1,0,,,,,1.000\n");
    assert_series(&run, "jobs",
        "job_id,start,end,queue\n1,0,100,0\n2,10,120,0\n3,100,,80\n4,120,,90\n5,0,,0\n");
    assert_string_equal(run.schedule.unfinished_text,
        "the horizon is reached: 3 jobs have not ended: 5 (8 GPUs in b), 3 (2 GPUs in "
        "a), "
        "4 (9 GPUs in a)");
    schedule_run_close(&run);
}

static void test_intervals(void **state)
{
    schedule_run_t run;
    char *text;

    (void) state;
    open_case(&run, plain_log, "output: {samples: 0 s}\n");
    assert_series(&run, "seq_a", HEAD);
    assert_series(&run, "seq_all", HEAD);
    schedule_run_close(&run);
    open_case(&run, plain_log, "output: {samples: 90 s, progress: 60 s}\n");
    text = schedule_run_series(&run, "seq_b");
    assert_non_null(strstr(text, "\n90,8,0,0,1,"));
    assert_non_null(strstr(text, "\n180,8,8,0,0,"));
    free(text);
    assert_series(&run, "progress",
        "vc,time,total,end,running,pending,avail_nodes\n"
        "a,0,4,0,1,0,2\na,60,4,0,2,2,0\na,120,4,2,2,0,1\n"
        "b,0,1,0,1,0,0\nb,60,1,0,1,0,0\nb,120,1,0,1,0,0\nb,180,1,1,0,0,1\n");
    schedule_run_close(&run);
}

static void test_tables(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run, plain_log, "");
    assert_series(&run, "jobs",
        "job_id,start,end,queue\n"
        "1,0,100,0\n2,10,120,0\n3,100,160,80\n4,120,140,90\n5,0,180,0\n");
    assert_series(&run, "per_vc",
        "vc,avg_jct,avg_queue,queue_p95,jobs,unfinished,nodes,preemptions,"
        "node_preemptions\n"
        "a,115.00,42.50,88.50,4,0,2,0,0\n"
        "b,180.00,0.00,0.00,1,0,1,0,0\n"
        "c,,,,0,0,1,0,0\n"
        "all,128.00,34.00,88.00,5,0,4,0,0\n");
    schedule_run_close(&run);
    open_case(&run, plain_log, "compat: lucid\n");
    assert_series(&run, "per_vc",
        "vc,avg_jct,avg_queue,queue_p95,jobs,unfinished,nodes,preemptions,"
        "node_preemptions\n"
        "a,115.00,42.00,88.50,4,0,2,0,0\n"
        "b,180.00,0.00,0.00,1,0,1,0,0\n"
        "c,,,,0,0,1,0,0\n"
        "all,128.00,34.00,88.00,5,0,4,0,0\n");
    schedule_run_close(&run);
}

/* Ids are numbers if all are, else texts by their bytes. */
static void test_order_of_ids(void **state)
{
    schedule_run_t run;

    (void) state;
    open_case(&run,
        "job_id,vc,gpu_num,submit_time,duration\n"
        "10,a,1,0,5\n9,a,1,0,5\n100,a,1,1,5\n",
        "");
    assert_series(&run, "jobs", "job_id,start,end,queue\n9,0,5,0\n10,0,5,0\n100,1,6,0\n");
    schedule_run_close(&run);
    open_case(&run,
        "job_id,vc,gpu_num,submit_time,duration\n"
        "j10,a,1,0,5\nj9,a,1,0,5\nJ2,a,1,1,5\n",
        "");
    assert_series(&run, "jobs", "job_id,start,end,queue\nJ2,1,6,0\nj10,0,5,0\nj9,0,5,0\n");
    schedule_run_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_without_use),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_order_of_ids),
    };

    return cmocka_run_group_tests(tests, schedule_folder_make, schedule_folder_remove);
}
