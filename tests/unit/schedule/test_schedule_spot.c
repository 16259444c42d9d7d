/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs on nodes that come and go: checkpoints, losses, notices, sizes and the ledger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule_case.h"

/* ---- Mini case C of the specification ---- */

static void
start_case_c(schedule_case_t *self, const char *policy, int64_t notice_ms)
{
    static const int32_t sizes[] = {4, 8, 16};
    static const double per_s[] = {1.0, 1.8, 3.0};
    spot_job_terms_row_t terms = {.scaling_id = -1,
        .checkpoint_interval_s = 120,
        .checkpoint_write_s = 30,
        .restart_s = 60,
        .reconfiguration_s = 20};
    const spot_job_terms_row_t plain = {
        .scaling_id = -1, .restart_s = 60, .reconfiguration_s = 20};

    case_start(self, 8, policy);
    self->scenario.price_usd_per_h = 8.1;
    case_add_vc(self, "a", 1);
    case_add_pool(self, 0,
        "0,init,2,a b\n395.2,preempt,1,b\n560.5,preempt,1,a\n700,add,1,c\n"
        "1100,add,1,d\n5000,end,2,\n",
        90, notice_ms);
    terms.min_gpus = 4;
    terms.max_gpus = 16;
    terms.scaling_id = case_add_scaling(self, 3, sizes, per_s);
    case_add_job(self, 0, 16, 0, 600, &terms);
    terms.min_gpus = terms.max_gpus = 0;
    terms.scaling_id = -1;
    case_add_job(self, 0, 8, 10, 1000, &terms);
    case_add_job(self, 0, 4, 50, 300, &plain);
}

static void
check_case_c(const char *policy, int64_t notice_ms, const char *expected)
{
    schedule_case_t self;
    spot_schedule_t schedule;
    char *text;

    start_case_c(&self, policy, notice_ms);
    text = case_run(&self, &schedule);
    assert_string_equal(text, expected);
    free(text);
    spot_schedule_free(&schedule);
    case_end(&self);
}

/* a lives to 561, b to 396, c from 700 on and d from 1100 on. */
static void
test_case_c_fifo(void **state)
{
    (void) state;
    check_case_c("fifo", 0,
        "1 0-781 (0) 0 0 1 lost 81000 overhead 20\n"
        "2 10-1601 (385) 0 1 0 lost 146000 overhead 60\n"
        "3 790-1090 (740) 0 0 0 lost 0 overhead 0\n"
        "a: prepping 2880 standby 17312 useful 36960 lost 4928 overhead 1280 unsaved 0 "
        "preempted 0 1 resized 1\n"
        "reserved 1601 s 3.602 USD, spot 2359 s 0.819 USD, end 1601\n");
}

static void
test_case_c_notice(void **state)
{
    (void) state;
    check_case_c("fifo", 45000,
        "1 0-721 (0) 0 0 1 lost 45000 overhead 20\n"
        "2 10-1440 (325) 0 1 0 lost 45000 overhead 60\n"
        "3 790-1090 (740) 0 0 0 lost 0 overhead 0\n"
        "a: prepping 2880 standby 12160 useful 37152 lost 2160 overhead 1280 unsaved 0 "
        "preempted 0 1 resized 1\n"
        "reserved 1440 s 3.240 USD, spot 2037 s 0.707 USD, end 1440\n");
}

static void
test_case_c_efs(void **state)
{
    (void) state;
    check_case_c("efs", 0,
        "1 0-1010 (0) 0 0 3 lost 0 overhead 60\n"
        "2 10-1610 (229) 0 2 0 lost 251000 overhead 120\n"
        "3 50-350 (0) 0 0 0 lost 0 overhead 0\n"
        "a: prepping 2880 standby 18880 useful 34816 lost 4016 overhead 3200 unsaved 0 "
        "preempted 0 2 resized 3\n"
        "reserved 1610 s 3.623 USD, spot 2377 s 0.825 USD, end 1610\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_case_c_fifo),
        cmocka_unit_test(test_case_c_notice), cmocka_unit_test(test_case_c_efs)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
