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
    case_add_vc(self, "a", 1);
    case_add_pool(self, 0,
        "0,init,2,a b\n395.2,preempt,1,b\n560.5,preempt,1,a\n700,add,1,c\n"
        "1100,add,1,d\n5000,end,2,\n",
        90, notice_ms);
    case_add_job(self, 0, 8, 10, 1000, &terms);
    terms.min_gpus = 4;
    terms.max_gpus = 16;
    terms.scaling_id = case_add_scaling(self, 3, sizes, per_s);
    case_add_job(self, 0, 16, 0, 600, &terms);
    case_add_job(self, 0, 4, 50, 300, &plain);
    self->log.jobs[0].terms_id = 0;
}

static void
check_case_c(const char *policy, int64_t notice_ms, const char *expected)
{
    schedule_case_t self;
    spot_schedule_t schedule;
    spot_job_row_t first;
    char *text;

    start_case_c(&self, policy, notice_ms);
    first = self.log.jobs[0]; /* the elastic one is the first by time */
    self.log.jobs[0] = self.log.jobs[1];
    self.log.jobs[1] = first;
    self.log.jobs[0].id = "1";
    self.log.jobs[1].id = "2";
    text = case_run(&self, &schedule);
    assert_string_equal(text, expected);
    free(text);
    spot_schedule_free(&schedule);
    case_end(&self);
}

static void
test_case_c(void **state)
{
    (void) state;
    check_case_c("fifo", 0, "?");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_case_c)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
