/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "tests/unit/base/shared_data.h"
#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/job_log.h"

#define FOLDER SHARED_DATA "jobs/"

static void test_rows(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_coverage_t rows[4];

    (void) state;
    assert_int_equal(spot_vc_list_add(&vcs, "a", 2, 0), 0);
    assert_int_equal(spot_vc_list_add(&vcs, "b", 1, 0), 0);
    assert_int_equal(spot_vc_list_add(&vcs, "c", 1, 0), 0);
    make_log(&log, &vcs,
        "job_id,vc,gpu_num,submit_time,duration,user\n"
        "1,a,8,100,50,u\n2,a,1,150,80,v\n3,a,2,160,10,u\n4,b,4,300,5,u\n");
    assert_int_equal(spot_job_coverage(&log, &vcs, 8, rows), 0);
    assert_string_equal(rows[0].vc, "a");
    assert_int_equal(rows[0].num_gpus, 16);
    assert_int_equal(rows[0].num_jobs, 3);
    assert_int_equal(rows[0].num_users, 2);
    assert_true(rows[0].gpu_s == 500);
    assert_true(rows[0].load == 500.0 / (16 * 200));
    assert_int_equal(rows[0].most_gpus, 8);
    assert_int_equal(rows[0].longest_s, 80);
    assert_int_equal(rows[1].num_users, 1);
    assert_true(rows[1].load == 20.0 / (8 * 200));
    assert_int_equal(rows[2].num_jobs, 0);
    assert_true(rows[2].load == 0);
    assert_string_equal(rows[3].vc, "all");
    assert_int_equal(rows[3].num_nodes, 4);
    assert_int_equal(rows[3].num_jobs, 4);
    assert_int_equal(rows[3].num_users, 2);
    assert_true(rows[3].load == 520.0 / (32 * 200));
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

/* Without nodes, and of one submit, no load is known. */
static void test_unknown_load(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    spot_job_coverage_t rows[2];

    (void) state;
    make_log(&log, &vcs, "job_id,vc,gpu_num,submit_time,duration\n1,a,1,0,1\n2,a,1,5,1\n");
    assert_int_equal(spot_job_coverage(&log, &vcs, 8, rows), 0);
    assert_true(isnan(rows[0].load) && isnan(rows[1].load));
    assert_int_equal(rows[1].num_users, 0);
    spot_job_log_free(&log);
    vcs.vcs[0].num_nodes = 1;
    make_log(&log, &vcs, "job_id,vc,gpu_num,submit_time,duration\n1,a,1,0,1\n");
    assert_int_equal(spot_job_coverage(&log, &vcs, 8, rows), 0);
    assert_true(isnan(rows[1].load));
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

/* The September of Venus, see its README: skipped where the data is not there. */
static void test_venus(void **state)
{
    spot_vc_list_t vcs = {0};
    spot_job_log_t log;
    const spot_job_log_request_t request = {
        .log = FOLDER "venus_base.csv.gz", .vcs = &vcs, .is_strict = true};
    spot_job_coverage_t rows[16];
    spot_diag_t diag;

    (void) state;
    need_data(FOLDER "venus_base.csv.gz");
    spot_diag_init(&diag);
    assert_int_equal(spot_vc_list_read(&vcs, FOLDER "venus_vc_config.csv", false, &diag), 0);
    assert_int_equal(vcs.num_vcs, 15);
    assert_int_equal(spot_job_log_read(&log, &request, &diag), 0);
    assert_report(&diag, "");
    spot_job_log_verify(&log);
    assert_int_equal(spot_job_coverage(&log, &vcs, 8, rows), 0);
    assert_int_equal(rows[15].num_gpus, 1080);
    assert_int_equal(rows[15].num_jobs, 23859);
    assert_int_equal(rows[15].num_users, 118);
    assert_int_equal(rows[15].most_gpus, 160);
    assert_int_equal(rows[15].longest_s, 1286670);
    assert_true(fabs(rows[15].load - 0.893) < 0.0005);
    assert_int_equal(log.jobs[0].submit_s, 13219203);
    assert_int_equal(rows[0].num_jobs, 7603);
    spot_diag_free(&diag);
    spot_job_log_free(&log);
    spot_vc_list_free(&vcs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_unknown_load),
        cmocka_unit_test(test_venus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
