/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/jobs/log_text.h"
#include "traces/jobs/job_log.h"

/* Jobs that are added keep their texts; the order of addition decides ties. */
static void test_building(void **state)
{
    spot_job_log_t log = {.clock_zero_s = SPOT_JOB_NO_CLOCK};
    spot_job_row_t job = {.duration_s = 1,
        .gpu_num = 1,
        .name_id = -1,
        .state_id = -1,
        .cpu_num = -1,
        .workload_id = -1,
        .terms_id = -1};
    char id[24];

    (void) state;
    for (int j = 0; j < 30000; j++) {
        snprintf(id, sizeof(id), "job-%d", j);
        job.id = id;
        job.submit_s = (30000 - j) / 100;
        job.user_id = -1;
        if (j % 2 == 0) {
            assert_int_equal(spot_names_add(&log.users, "u", 1, &job.user_id), 0);
        }
        assert_int_equal(spot_job_log_add(&log, &job), 0);
    }
    assert_int_equal(log.users.num_names, 1);
    assert_int_equal(spot_job_log_seal(&log), 0);
    spot_job_log_verify(&log);
    assert_string_equal(log.jobs[0].id, "job-29901");
    assert_string_equal(log.jobs[1].id, "job-29902");
    assert_string_equal(log.jobs[29999].id, "job-0");
    assert_int_equal(log.jobs[29999].user_id, 0);
    assert_int_equal(log.jobs[0].user_id, -1);
    spot_job_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_building),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
