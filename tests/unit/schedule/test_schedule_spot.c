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

static void start_case_c(schedule_case_t *self, const char *policy, int64_t notice_ms)
{
    static const int32_t sizes[] = {4, 8, 16};
    static const double per_s[] = {1.0, 1.8, 3.0};
    spot_job_terms_row_t terms = {.scaling_id = -1,
        .checkpoint_interval_s = 120,
        .checkpoint_write_s = 30,
        .restart_s = 60,
        .reconfiguration_s = 20};
    const spot_job_terms_row_t plain = {.scaling_id = -1, .restart_s = 60, .reconfiguration_s = 20};

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

static void check_case_c(const char *policy, int64_t notice_ms, const char *expected)
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
static void test_case_c_fifo(void **state)
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

static void test_case_c_notice(void **state)
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

static void test_case_c_efs(void **state)
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

/* ---- Single rules of pools ---- */

/* Runs jobs of 8 GPUs that are submitted at 0 s for 100 s on one pool. */
static void check_pool(const char *rows, int64_t preparation_s, int64_t notice_ms, int num_jobs,
    const spot_job_terms_row_t *terms, const char *expected)
{
    schedule_case_t self;
    spot_schedule_t schedule;
    char *text;

    case_start(&self, 8, "fifo");
    case_add_vc(&self, "a", 0);
    case_add_pool(&self, 0, rows, preparation_s, notice_ms);
    for (int j = 0; j < num_jobs; j++) {
        case_add_job(&self, 0, 8, 0, 100, terms);
    }
    text = case_run(&self, &schedule);
    assert_string_equal(text, expected);
    free(text);
    spot_schedule_free(&schedule);
    case_end(&self);
}

/* Without preparation a node is ready in the second after it is seen. */
static void test_no_preparation(void **state)
{
    (void) state;
    check_pool("0,init,0,\n10.001,add,1,a\n500,end,1,\n", 1, 0, 1, NULL,
        "1 12-112 (12) 0 0 0 lost 0 overhead 0\n"
        "a: prepping 16 standby 0 useful 1600 lost 0 overhead 0 unsaved 0 preempted 0 0 "
        "resized 0\n"
        "reserved 0 s 0.000 USD, spot 101 s 0.035 USD, end 112\n");
}

/* A node that is lost while it is prepared never comes, one that comes and goes within a
 * second costs nothing, and a name that comes back is a new node. */
static void test_lost_in_preparation(void **state)
{
    (void) state;
    check_pool("0,init,0,\n10,add,1,a\n30.5,preempt,1,a\n40.1,add,1,b\n"
               "40.2,preempt,1,b\n50,add,1,a\n500,end,1,\n",
        40, 0, 1, NULL,
        "1 90-190 (90) 0 0 0 lost 0 overhead 0\n"
        "a: prepping 976 standby 0 useful 1600 lost 0 overhead 0 unsaved 0 preempted 0 "
        "0 resized 0\n"
        "reserved 0 s 0.000 USD, spot 161 s 0.056 USD, end 190\n");
}

/* In one second losses come before nodes that are ready, whatever their order in the
 * trace. A job that comes back stands behind those of its submit time. */
static void test_one_set(void **state)
{
    const spot_job_terms_row_t terms = {.scaling_id = -1, .restart_s = 0};

    (void) state;
    check_pool("0,init,1,a\n20.1,add,1,b\n49.2,add,1,c\n49.4,preempt,1,a\n"
               "500,end,2,\n",
        29, 0, 2, &terms,
        "1 0-179 (29) 0 1 0 lost 50000 overhead 0\n"
        "2 50-150 (50) 0 0 0 lost 0 overhead 0\n" /* on b at once */
        "a: prepping 928 standby 464 useful 3200 lost 800 overhead 0 unsaved 0 "
        "preempted 0 1 resized 0\n"
        "reserved 0 s 0.000 USD, spot 337 s 0.117 USD, end 179\n");
}

/* A noticed node takes no new job, also if it is ready only afterwards; a node that the
 * user stops has no notice. */
static void test_notice(void **state)
{
    const spot_job_terms_row_t terms = {.scaling_id = -1, .restart_s = 0};

    (void) state;
    check_pool("0,init,0,\n10,add,1,a\n60,preempt,1,a\n100,add,1,b\n"
               "200,stop,1,b\n300,add,1,c\n900,end,1,\n",
        20, 45000, 1, &terms,
        "1 120-420 (240) 0 1 0 lost 80000 overhead 0\n"
        "a: prepping 960 standby 480 useful 1600 lost 1280 overhead 0 unsaved 0 "
        "preempted 0 1 resized 0\n"
        "reserved 0 s 0.000 USD, spot 270 s 0.094 USD, end 420\n");
}

/* Nothing can start any more: the run ends with the last event, and says which jobs are
 * left. */
static void test_blocked(void **state)
{
    schedule_case_t self;
    spot_schedule_t schedule;
    char *text;

    (void) state;
    for (size_t j = 0; spot_policies[j] != NULL; j++) {
        case_start(&self, 8, "fifo");
        self.scenario.policy_id = (int) j;
        self.scenario.lucid.estimator.source = SPOT_ESTIMATE_ORACLE;
        case_add_vc(&self, "a", 0);
        case_add_vc(&self, "b", 1);
        case_add_pool(&self, 0, "0,init,1,x\n50,preempt,1,x\n90,end,0,\n", 60, 0);
        case_add_job(&self, 0, 8, 0, 100, NULL);
        case_add_job(&self, 1, 8, 0, 20, NULL);
        case_add_job(&self, 0, 4, 10, 100, NULL);
        text = case_run(&self, &schedule);
        assert_true(schedule.is_blocked);
        assert_int_equal(schedule.end_s, 50);
        assert_string_equal(schedule.unfinished_text,
            "nothing can ever start again: 2 jobs have not ended: 1 (8 GPUs in a), 3 (4 "
            "GPUs in a)");
        assert_int_equal(spot_schedule_result(&schedule, 1).end_s, 20);
        free(text);
        spot_schedule_free(&schedule);
        case_end(&self);
    }
}

/* The horizon ends a run: what runs is unsaved. */
static void test_horizon(void **state)
{
    const spot_job_terms_row_t terms = {
        .scaling_id = -1, .restart_s = 0, .checkpoint_interval_s = 20, .checkpoint_write_s = 5};
    schedule_case_t self;
    spot_schedule_t schedule;
    char *text;

    (void) state;
    case_start(&self, 8, "fifo");
    self.scenario.horizon_s = 50;
    case_add_vc(&self, "a", 1);
    case_add_job(&self, 0, 8, 5, 100, &terms);
    text = case_run(&self, &schedule);
    assert_string_equal(text,
        "1 5--1 (0) 0 0 0 lost 0 overhead 0\n" /* durable: 40 s, at 50 s */
        "a: prepping 0 standby 80 useful 640 lost 0 overhead 0 unsaved 80 preempted 0 0 "
        "resized 0\n"
        "reserved 50 s 0.000 USD, spot 0 s 0.000 USD, end 50\n");
    free(text);
    spot_schedule_free(&schedule);
    case_end(&self);
}

/* Preemptions of nodes that the VC has seen. */
static size_t num_preempted(const spot_pool_t *pool)
{
    size_t num_preempted = 0;

    for (size_t j = 0; j < pool->next_loss; j++) {
        num_preempted +=
            pool->events[j].instance >= 0 && pool->events[j].kind == SPOT_EVENT_PREEMPT;
    }
    return num_preempted;
}

/* Pools of generators have streams of their own, which other pools do not change, and a
 * replication can be repeated. Zones have their prices. */
static void test_generators(void **state)
{
#define TRACE                                                                                      \
    "trace: {generator: seed, preemption: {per_minute: 0.9, count: {fixed: 1}}, "                  \
    "addition: {per_minute: 0.9, count: {fixed: 1}}}"
    static const char yaml[] =
        "pools:\n"
        "  - {vc: a, capacity: 8, initial: 4, " TRACE "}\n"
        "  - {vc: b, capacity: 8, initial: 4, " TRACE
        ", price: {spot: [{from: 0 s, usd_per_h: 2}, {from: 100 s, usd_per_h: 0}]}}\n"
        "  - {preparation: 30 s, " TRACE "}\n";
    schedule_case_t self;
    spot_schedule_t schedule;
    spot_yaml_t document;
    spot_diag_t diag;
    spot_bind_t bind = {.diag = &diag};
    int32_t num_reserved[2];
    const spot_field_t fields[] = {
        {SPOT_POOLS_FIELD(spot_schedule_scenario_t, pools)}, {.name = NULL}};
    char *text, *again;
    int ret;

    (void) state;
    case_start(&self, 8, "fifo");
    case_add_vc(&self, "a", 2);
    case_add_vc(&self, "b", 5);
    for (int32_t j = 0; j < 40; j++) {
        case_add_job(&self, j % 2, 8, 5 * j, 200, NULL);
    }
    spot_diag_init(&diag);
    ret = spot_yaml_parse(&document, "pools", yaml, sizeof(yaml) - 1, &diag);
    ret = ret != 0 ? ret : spot_bind_document(fields, document.root, &diag, &self.scenario);
    ret = ret != 0 ? ret
                   : spot_pool_plans_init(&self.scenario.pools, &bind, document.root,
                         &self.scenario.vcs, 0.5, 0, num_reserved, NULL);
    spot_diag_print(&diag, stderr);
    assert_int_equal(ret, 0);
    self.scenario.num_reserved = num_reserved;
    assert_int_equal(num_reserved[0], 1); /* round(0.5 * 2) and round(0.5 * 5) are spot */
    assert_int_equal(num_reserved[1], 2);
    assert_int_equal(self.scenario.pools.num_pools, 4);
    assert_int_equal(self.scenario.pools.pools[1].capacity, 1);
    assert_int_equal(self.scenario.pools.pools[3].capacity, 3);
    for (size_t j = 0; j < 4; j++) {
        for (size_t k = 0; k < j; k++) {
            assert_true(self.scenario.pools.pools[j].entity != self.scenario.pools.pools[k].entity);
        }
    }
    text = case_run(&self, &schedule);
    again = case_run_once(&self, &schedule, false);
    assert_string_equal(again, text);
    assert_true(num_preempted(&schedule.pools[0]) > 5);
    assert_true(num_preempted(&schedule.pools[0]) != num_preempted(&schedule.pools[2]) ||
                schedule.pools[0].node_s != schedule.pools[2].node_s);
    /* the second price is 0 from 100 s on */
    assert_true(spot_pool_usd(&schedule.pools[2], schedule.end_s) <= 2.0 * 8 * 100 / 3600);
    free(text);
    free(again);
    spot_schedule_free(&schedule);
    spot_yaml_free(&document);
    spot_diag_free(&diag);
    case_end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_c_fifo),
        cmocka_unit_test(test_case_c_notice),
        cmocka_unit_test(test_case_c_efs),
        cmocka_unit_test(test_no_preparation),
        cmocka_unit_test(test_lost_in_preparation),
        cmocka_unit_test(test_one_set),
        cmocka_unit_test(test_notice),
        cmocka_unit_test(test_blocked),
        cmocka_unit_test(test_horizon),
        cmocka_unit_test(test_generators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
