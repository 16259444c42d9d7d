/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/jobs/log_text.h"

#define LOG "job_id,vc,gpu_num,submit_time,duration\n7,a,1,0,1\nx,a,1,1,1\n8,a,1,2,1\n"

static int read_column(const char *text, const char *column, double values[3], const char *report)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    char path[PATH_BYTES];
    spot_diag_t diag;
    int ret;

    make_log(&log, &vcs, LOG);
    make_file("estimates.csv", text, path);
    spot_diag_init(&diag);
    ret = spot_job_column_read(&log, path, column, values, &diag);
    assert_report_of(&diag, path, report);
    spot_diag_free(&diag);
    unlink(path);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
    return ret;
}

static void test_join(void **state)
{
    double values[3];

    (void) state;
    assert_int_equal(read_column("est_b,job_id,est\n1,8,-1532\n2,other,5\n3,7,1e3\n"
                                 "4,x,0.5\n",
                         "est", values, ""),
        0);
    assert_true(values[0] == 1000 && values[1] == 0.5 && values[2] == -1532);
    assert_int_equal(read_column("job_id,est_b\n7,1\n8,2\nx,3\n", "est_b", values, ""), 0);
    assert_true(values[0] == 1 && values[1] == 3 && values[2] == 2);
}

static void test_errors(void **state)
{
    double values[3];

    (void) state;
    assert_int_equal(read_column("job_id,est\n7,nan\n8,\n7,3\n", "est", values,
                         ":2:3: est: expected a finite number for job 7, got 'nan'\n"
                         ":3:3: est: expected a finite number for job 8, got ''\n"
                         ":4:1: job_id: '7' is in line 2 too\n"
                         ": est: job x has no row\n"),
        SPOT_ERR_BAD_INPUT);
    assert_int_equal(
        read_column("job_id,est_a\n7,1\n", "est", values, ":1:1: missing columns: est\n"),
        SPOT_ERR_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
