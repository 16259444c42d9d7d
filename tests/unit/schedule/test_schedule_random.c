/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random logs, clusters, pools and policies: properties that every run has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "schedule_case.h"

#define NUM_CASES (4000 / SPOT_FEWER)

static const char *const policies[] = {
    "fifo", "sjf", "srtf", "tiresias", "qssf", "efs", "gain", "lucid"};
#define NUM_POLICIES (sizeof(policies) / sizeof(policies[0]))

static const int32_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
static const double per_s[] = {1, 1.9, 2.7, 3.4, 4.6, 5.5, 6.9, 7.7};

static int64_t
below(spot_rng_t *rng, int64_t limit)
{
    return (int64_t) spot_rng_below(rng, (uint64_t) limit);
}

/* ---- Drawing a case ---- */

static void
draw_terms(spot_rng_t *rng, spot_job_terms_row_t *terms, int32_t gpus)
{
    *terms = (spot_job_terms_row_t){.scaling_id = -1, .restart_s = -1};
    if (below(rng, 4) > 0) {
        terms->checkpoint_interval_s = below(rng, 4) == 0 ? 0 : 1 + below(rng, 90);
        terms->checkpoint_write_s = below(rng, 120);
        terms->restart_s = below(rng, 3) == 0 ? -1 : below(rng, 70);
        terms->reconfiguration_s = below(rng, 40);
    }
    for (size_t j = 0; j < 8 && below(rng, 3) == 0; j++) {
        if (sizes[j] <= gpus) {
            terms->min_gpus = sizes[j];
            terms->max_gpus = gpus + (int32_t) below(rng, 12);
            terms->scaling_id = 0;
        }
    }
}

static void
draw_jobs(spot_rng_t *rng, schedule_case_t *self, int64_t num_vcs, bool is_reversed)
{
    const int64_t num_jobs = 1 + below(rng, 12);
    int64_t submit_s = 0;

    case_add_scaling(self, 8, sizes, per_s);
    for (int64_t j = 0; j < num_jobs; j++) {
        const int32_t gpus = sizes[below(rng, 1 + below(rng, 8))];
        const int64_t vc = below(rng, num_vcs);
        spot_job_terms_row_t terms;

        submit_s += below(rng, 3) == 0 ? 0 : below(rng, 150);
        draw_terms(rng, &terms, gpus);
        case_add_job(self, (int32_t) (is_reversed ? num_vcs - 1 - vc : vc), gpus,
            submit_s, 1 + below(rng, below(rng, 2) == 0 ? 60 : 900), &terms);
    }
}

/* The lives of nodes: some at the start, others later; names may come back. */
static void
draw_rows(spot_rng_t *rng, char *rows)
{
    bool lives[6];
    int64_t time_ms = 0;
    int num_initial = 0;
    char *end = rows;

    for (int j = 0; j < 6; j++) {
        lives[j] = below(rng, 2) == 0;
        num_initial += lives[j];
    }
    end += sprintf(end, "0,init,%d,", num_initial);
    for (int j = 0, num = 0; j < 6; j++) {
        if (lives[j]) {
            end += sprintf(end, "%sn%d", num++ > 0 ? " " : "", j);
        }
    }
    end += sprintf(end, "\n");
    for (int64_t j = below(rng, 24); j > 0; j--) {
        const int64_t node = below(rng, 6);

        /* never two rows of one time, whose order would matter to the reader */
        time_ms += below(rng, 4) == 0 ? 1 + below(rng, 800) : 1 + below(rng, 120000);
        end += sprintf(end, "%lld.%03lld,%s,1,n%lld\n", (long long) time_ms / 1000,
            (long long) time_ms % 1000,
            !lives[node]         ? "add"
            : below(rng, 5) == 0 ? "stop"
                                 : "preempt",
            (long long) node);
        lives[node] = !lives[node];
    }
    time_ms += 1;
    for (int j = num_initial = 0; j < 6; j++) {
        num_initial += lives[j];
    }
    sprintf(end, "%lld.%03lld,end,%d,\n", (long long) time_ms / 1000,
        (long long) time_ms % 1000, num_initial);
}

/* The VCs in this order, or the other way round. */
static void
draw_case_with(schedule_case_t *self, uint64_t seed, bool is_reversed, bool is_static)
{
    spot_rng_t rng;
    char rows[4096];
    int32_t num_nodes[3];
    int64_t num_vcs;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    case_start(
        self, (int32_t) (1 + below(&rng, 8)), policies[below(&rng, NUM_POLICIES)]);
    self->seed = seed;
    self->scenario.placer = (int) below(&rng, SPOT_NUM_PLACERS);
    self->scenario.elastic.hold_s = below(&rng, 400);
    self->scenario.elastic.interval_s = 1 + below(&rng, 90);
    self->scenario.tiresias.interval_s = 1 + below(&rng, 90);
    self->thresholds_gpu_s[0] = (double) below(&rng, 4000);
    self->scenario.horizon_s = below(&rng, 4) == 0 ? 1 + below(&rng, 2000) : 0;
    for (int j = 0; j < SPOT_NUM_QUIRKS && below(&rng, 4) == 0; j++) {
        self->scenario.quirks[j] = true;
    }
    num_vcs = 1 + below(&rng, 3);
    for (int64_t j = 0; j < num_vcs; j++) {
        num_nodes[j] = (int32_t) below(&rng, 5);
    }
    for (int64_t j = 0; j < num_vcs; j++) {
        const int64_t vc = is_reversed ? num_vcs - 1 - j : j;
        const char name[2] = {(char) ('a' + vc), '\0'};

        case_add_vc(self, name, num_nodes[vc]);
    }
    for (int64_t j = 0; !is_static && j < num_vcs; j++) {
        const int64_t vc = is_reversed ? num_vcs - 1 - j : j;
        spot_rng_t of_vc;

        spot_rng_seek(&of_vc, seed, 0, SPOT_STREAM_OWN, 1 + (uint64_t) vc);
        for (int64_t k = below(&of_vc, 3); k > 0; k--) {
            const int64_t preparation_s = 1 + below(&of_vc, 60);
            const int64_t notice_ms = below(&of_vc, 2) == 0 ? 0 : below(&of_vc, 120000);

            draw_rows(&of_vc, rows);
            case_add_pool(self, (int32_t) j, rows, preparation_s, notice_ms);
        }
    }
    draw_jobs(&rng, self, num_vcs, is_reversed);
    case_add_workloads(self);
}

static void
draw_case(schedule_case_t *self, uint64_t seed)
{
    draw_case_with(self, seed, false, false);
}

/* ---- Properties ---- */

/* jct = queue + running time, whose parts are progress and overhead. */
static void
check_jobs(const spot_schedule_t *schedule)
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
            assert_int_equal(running_s,
                row->duration_s + job.overhead_s + job.lost / 1000 + vc->ends_late);
        }
    }
}

static void
test_stepping(void **state)
{
    int64_t num_ended = 0, num_lost = 0, num_resized = 0, num_blocked = 0,
            num_guests = 0;

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
    assert_true(num_guests > NUM_CASES / 100);
    assert_true(num_resized > NUM_CASES / 10);
    assert_true(num_blocked > NUM_CASES / 100);
}

/* Results of jobs do not depend on the order of the VCs. */
static void
test_order_of_vcs(void **state)
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
static void
test_quiet_pool(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES / 4; seed++) {
        static const char *const rows[] = {"0,init,0,\n9,end,0,\n",
            "0,init,1,a\n9,end,1,\n", "0,init,2,a b\n9,end,2,\n",
            "0,init,3,a b c\n9,end,3,\n", "0,init,4,a b c d\n9,end,4,\n"};
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

static void
on_release(void *context, const spot_vc_t *vc, int32_t job, int64_t since_s)
{
    held_t *self = context;
    int32_t num_gpus = 0;

    for (int32_t part = vc->jobs[job].first_part; part >= 0;
         part = vc->nodes.parts[part].next) {
        num_gpus += __builtin_popcountll(vc->nodes.parts[part].gpus);
    }
    assert_true(since_s < vc->now_s);
    self->gpu_s += (vc->now_s - since_s) * num_gpus;
    self->num_reports++;
}

/* The GPUs that were given back are those that were held, and FIFO starts jobs in order
 * of their submits unless one comes back. */
static void
test_releases(void **state)
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stepping),
        cmocka_unit_test(test_order_of_vcs),
        cmocka_unit_test(test_quiet_pool),
        cmocka_unit_test(test_releases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
