/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random logs, clusters, pools and policies: properties that every run has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_schedule.h"

#define NUM_CASES (4000 / SPOT_FEWER)

/* ---- Properties ---- */

/* jct = queue + running time, whose parts are progress and overhead. */
static void check_jobs(const spot_schedule_t *schedule)
{
    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_job_row_t *row = &schedule->log->jobs[j];
        const spot_job_result_t job = spot_schedule_result(schedule, j);
        const spot_vc_t *vc = &schedule->vcs[row->vc_id];
        int64_t running_s;

        if (job.end_s < 0) {
            continue;
        }
        running_s = job.end_s - row->submit_s - job.queue_s;
        assert_true(job.start_s >= row->submit_s);
        assert_true(running_s >= job.overhead_s);
        if (!spot_lucid_is_policy(schedule->scenario) && row->terms_id >= 0 &&
            schedule->log->terms[row->terms_id].min_gpus == 0) { /* all rates are 1 */
            assert_int_equal(
                running_s, row->duration_s + job.overhead_s + job.lost / 1000 + vc->ends_late);
        }
    }
}

static void test_stepping(void **state)
{
    int64_t num_ended = 0, num_lost = 0, num_resized = 0, num_blocked = 0, num_guests = 0,
            num_clipped = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        schedule_case_t self;
        spot_schedule_t schedule;
        char *text;

        draw_case(&self, seed);
        text = case_run(&self, &schedule);
        check_jobs(&schedule);
        num_ended += schedule.num_ended;
        num_blocked += schedule.is_blocked;
        num_clipped += schedule.num_clipped;
        for (int32_t j = 0; j < schedule.num_vcs; j++) {
            num_lost += schedule.vcs[j].node_preemptions;
            num_resized += schedule.vcs[j].resizes;
        }
        for (int32_t j = 0; j < (int32_t) schedule.log->num_jobs; j++) {
            num_guests += spot_schedule_result(&schedule, j).host_row_id >= 0;
        }
        free(text);
        spot_schedule_free(&schedule);
        case_end(&self);
    }
    assert_true(num_ended > NUM_CASES); /* the cases reach what they are to test */
    assert_true(num_lost > NUM_CASES / 10);
    assert_true(num_clipped > NUM_CASES / 10);
    assert_true(num_guests > NUM_CASES / 100);
    assert_true(num_resized > NUM_CASES / 10);
    assert_true(num_blocked > NUM_CASES / 100);
}

/* Results of jobs do not depend on the order of the VCs. */
static void test_order_of_vcs(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES / 4; seed++) {
        schedule_case_t self, reversed;
        spot_schedule_t first, second;

        draw_case(&self, seed);
        draw_case_with(&reversed, seed, true, false);
        free(case_run(&self, &first));
        free(case_run(&reversed, &second));
        for (int32_t j = 0; j < (int32_t) self.log.num_jobs; j++) {
            const spot_job_result_t one = spot_schedule_result(&first, j);
            const spot_job_result_t other = spot_schedule_result(&second, j);

            assert_memory_equal(&one, &other, offsetof(spot_job_result_t, host_row_id));
        }
        assert_int_equal(first.end_s, second.end_s);
        assert_true(first.spot_node_h == second.spot_node_h);
        spot_schedule_free(&first);
        spot_schedule_free(&second);
        case_end(&self);
        case_end(&reversed);
    }
}

/* Nodes of a pool that never loses one are like reserved ones. */
static void test_quiet_pool(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES / 4; seed++) {
        static const char *const rows[] = {"0,init,0,\n9,end,0,\n", "0,init,1,a\n9,end,1,\n",
            "0,init,2,a b\n9,end,2,\n", "0,init,3,a b c\n9,end,3,\n",
            "0,init,4,a b c d\n9,end,4,\n"};
        schedule_case_t self;
        spot_schedule_t schedule;
        char *reserved, *spot, *cost;

        draw_case_with(&self, seed, false, true);
        reserved = case_run(&self, &schedule);
        spot_schedule_free(&schedule);
        for (int32_t j = 0; j < (int32_t) self.scenario.vcs.num_vcs; j++) {
            int32_t *num_nodes = &self.scenario.vcs.vcs[j].num_nodes;
            const int32_t num_spot = *num_nodes < 4 ? *num_nodes : 4;

            case_add_pool(&self, j, rows[num_spot], 30, 0);
            *num_nodes -= num_spot;
        }
        spot = case_run(&self, &schedule);
        spot_schedule_free(&schedule);
        cost = strstr(reserved, "reserved "); /* the last line */
        *cost = '\0';
        cost = strstr(spot, "reserved ");
        *cost = '\0';
        assert_string_equal(spot, reserved);
        free(spot);
        free(reserved);
        case_end(&self);
    }
}

/* ---- What jobs hold ---- */

typedef struct {
    int64_t gpu_s;
    int64_t num_reports;
} held_t;

static void on_release(void *context, const spot_vc_t *vc, int32_t job, int64_t since_s)
{
    held_t *self = context;
    int32_t num_gpus = 0;

    for (int32_t part = vc->jobs[job].first_part; part >= 0; part = vc->nodes.parts[part].next) {
        num_gpus += __builtin_popcountll(vc->nodes.parts[part].gpus);
    }
    assert_true(since_s < vc->now_s);
    self->gpu_s += (vc->now_s - since_s) * num_gpus;
    self->num_reports++;
}

/* The GPUs that were given back are those that were held, and FIFO starts jobs in order
 * of their submits unless one comes back. */
static void test_releases(void **state)
{
    int64_t num_reports = 0, num_fifo = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        schedule_case_t self;
        spot_schedule_t schedule;
        held_t held = {0};
        int64_t paid = 0, last_s[3] = {0}, num_back = 0;

        draw_case(&self, seed);
        case_set_capacity(&self);
        assert_int_equal(spot_schedule_init(&schedule, &self.scenario), 0);
        schedule.watch = (spot_vc_watch_t){.context = &held, .on_release = on_release};
        free(case_run_once(&self, &schedule, false));
        for (int32_t j = 0; j < schedule.num_vcs; j++) {
            for (int k = SPOT_GPU_USEFUL; k < SPOT_NUM_GPU_TIMES; k++) {
                paid += schedule.vcs[j].ledger[k];
            }
            num_back += schedule.vcs[j].node_preemptions;
        }
        if (spot_lucid_is_policy(&self.scenario)) { /* a shared GPU is held twice */
            assert_true(2 * held.gpu_s >= paid);
        } else {
            assert_int_equal(2 * held.gpu_s, paid);
        }
        num_reports += held.num_reports;
        if (self.scenario.policy_id == 0 && num_back == 0) {
            for (int32_t j = 0; j < (int32_t) self.log.num_jobs; j++) {
                const int64_t start_s = spot_schedule_result(&schedule, j).start_s;
                int64_t *last = &last_s[self.log.jobs[j].vc_id];

                assert_true(start_s < 0 || start_s >= *last);
                *last = !spot_schedule_has_job(&schedule, j) ? *last
                        : start_s < 0                        ? INT64_MAX
                                                             : start_s;
                num_fifo++;
            }
        }
        spot_schedule_free(&schedule);
        case_end(&self);
    }
    assert_true(num_reports > NUM_CASES);
    assert_true(num_fifo > NUM_CASES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stepping),
        cmocka_unit_test(test_order_of_vcs),
        cmocka_unit_test(test_quiet_pool),
        cmocka_unit_test(test_releases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
