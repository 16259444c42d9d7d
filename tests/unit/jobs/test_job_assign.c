/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/job_file.h"

enum { NUM_JOBS = 40000 };

/* Jobs of 1, 2, 3, 5 and 9 GPUs by turns, and 4, 8 and 16. */
static void make_jobs(spot_job_log_t *log, spot_vc_list_t *vcs, size_t num_jobs)
{
    static const int sizes[] = {1, 2, 3, 5, 9, 4, 8, 16};
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *out = open_memstream(&text, &num_bytes);

    fputs("job_id,vc,gpu_num,submit_time,duration,model\n", out);
    for (size_t j = 0; j < num_jobs; j++) {
        fprintf(out, "%zu,a,%d,%zu,1,old\n", j, sizes[j % 8], j);
    }
    assert_int_equal(fclose(out), 0);
    make_log(log, vcs, text);
    free(text);
}

static int assign(spot_job_log_t *log, const char *table, uint64_t seed, const char *report)
{
    char path[PATH_BYTES];
    spot_diag_t diag;
    int ret;

    make_file("workloads.csv", table, path);
    spot_diag_init(&diag);
    ret = spot_job_assign(log, path, seed, &diag);
    assert_report_of(&diag, path, report);
    spot_diag_free(&diag);
    unlink(path);
    return ret;
}

static const char *model_of(const spot_job_log_t *log, size_t job_id)
{
    return log->workloads[log->jobs[job_id].workload_id].model;
}

static const char classes[] = "model,gpu_num,weight,gmem,sharescore\n"
                              "one,1,,10,0\ntwo,2,1,20,1\nfour,4,1,30,2\n"
                              "eight,7,1,40,0\nmore,100,1,50,1\n";

/* The class of a row is that of its gpu_num. */
static void test_classes(void **state)
{
    static const char *const models[] = {
        "one", "two", "four", "eight", "more", "four", "eight", "more"};
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    make_jobs(&log, &vcs, 80);
    assert_int_equal(assign(&log, classes, 1, ""), 0);
    assert_int_equal(log.num_workloads, 5);
    for (size_t j = 0; j < log.num_jobs; j++) {
        assert_string_equal(model_of(&log, j), models[j % 8]);
    }
    assert_true(log.workloads[log.jobs[0].workload_id].gmem_mib == 10);
    assert_int_equal(log.workloads[log.jobs[2].workload_id].share_score, 2);
    spot_job_log_verify(&log);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

/* Of rows for all classes each comes as often as its weight says. */
static void test_weights(void **state)
{
    static const char *const models[] = {"a", "b", "c"};
    static const double shares[] = {0.1, 0.25, 0.65};
    spot_vc_list_t vcs = {0};
    spot_job_log_t log, other;

    (void) state;
    make_jobs(&log, &vcs, NUM_JOBS);
    make_jobs(&other, &vcs, NUM_JOBS);
    assert_int_equal(assign(&log, "model,weight\na,1\nb,2.5\nc,6.5\n", 1, ""), 0);
    for (size_t k = 0; k < 3; k++) {
        const double se = sqrt(NUM_JOBS * shares[k] * (1 - shares[k]));
        double num = 0;

        for (size_t j = 0; j < NUM_JOBS; j++) {
            num += strcmp(model_of(&log, j), models[k]) == 0;
        }
        assert_true(fabs(num - NUM_JOBS * shares[k]) <= 4.5 * se);
        assert_true(se <= 0.03 * NUM_JOBS * shares[k]); /* 15 % more would show */
    }
    assert_int_equal(assign(&other, "model,weight\na,1\nb,2.5\nc,6.5\n", 1, ""), 0);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_string_equal(model_of(&other, j), model_of(&log, j));
    }
    spot_job_log_free(&other);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

/* Another seed draws other rows. */
static void test_seeds(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    char first[200];
    size_t num_same = 0;

    (void) state;
    make_jobs(&log, &vcs, 200);
    assert_int_equal(assign(&log, "model\na\nb\n", 1, ""), 0);
    for (size_t j = 0; j < 200; j++) {
        first[j] = model_of(&log, j)[0];
    }
    assert_int_equal(assign(&log, "model\na\nb\n", 2, ""), 0);
    for (size_t j = 0; j < 200; j++) {
        num_same += first[j] == model_of(&log, j)[0];
    }
    assert_in_range(num_same, 65, 135);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

static void test_errors(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;

    (void) state;
    make_jobs(&log, &vcs, 8);
    assert_int_equal(assign(&log, "model,gpu_num\na,1\nb,8\n", 1,
                         ": no row is for jobs of 2 GPUs, such as job 1\n"
                         ": no row is for jobs of 3 to 4 GPUs, such as job 2\n"
                         ": no row is for jobs of more than 8 GPUs, such as job 4\n"),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(assign(&log, "model,gpu_num,weight,amp\nb,1,0,0\n,1,1,2\n", 1,
                         ":2:5: weight: expected a number from 1e-06 to 1000000, "
                         "got '0'\n"
                         ":3:6: amp: expected an integer from 0 to 1, got '2'\n"),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(assign(&log, "dataset,gpu_num\na,0\n", 1, ":1:1: missing columns: model\n"),
        SPOT_ERR_BAD_INPUT);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
