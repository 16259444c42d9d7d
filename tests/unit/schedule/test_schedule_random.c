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

#define NUM_CASES (2000 / SPOT_FEWER)

static const char *const policies[] = {
    "fifo", "sjf", "srtf", "tiresias", "qssf", "efs", "gain"};
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
draw_jobs(spot_rng_t *rng, schedule_case_t *self, int64_t num_vcs)
{
    const int64_t num_jobs = 1 + below(rng, 12);
    int64_t submit_s = 0;

    case_add_scaling(self, 8, sizes, per_s);
    for (int64_t j = 0; j < num_jobs; j++) {
        const int32_t gpus = sizes[below(rng, 1 + below(rng, 8))];
        spot_job_terms_row_t terms;

        submit_s += below(rng, 3) == 0 ? 0 : below(rng, 150);
        draw_terms(rng, &terms, gpus);
        case_add_job(self, (int32_t) below(rng, num_vcs), gpus, submit_s,
            1 + below(rng, below(rng, 2) == 0 ? 60 : 900), &terms);
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

static void
draw_case(schedule_case_t *self, uint64_t seed)
{
    spot_rng_t rng;
    char rows[4096];
    int64_t num_vcs;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    case_start(
        self, (int32_t) (1 + below(&rng, 8)), policies[below(&rng, NUM_POLICIES)]);
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
        char name[2] = {(char) ('a' + j), '\0'};

        case_add_vc(self, name, (int32_t) below(&rng, 5));
        for (int64_t k = below(&rng, 3); k > 0; k--) {
            draw_rows(&rng, rows);
            case_add_pool(self, (int32_t) j, rows, 1 + below(&rng, 60),
                below(&rng, 2) == 0 ? 0 : below(&rng, 120000));
        }
    }
    draw_jobs(&rng, self, num_vcs);
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
        if (row->terms_id >= 0 && schedule->log->terms[row->terms_id].min_gpus == 0) {
            /* all rates are 1 */
            assert_int_equal(running_s,
                row->duration_s + job.overhead_s + job.lost / 1000 + vc->ends_late);
        }
    }
}

static void
test_stepping(void **state)
{
    int64_t num_ended = 0, num_lost = 0, num_resized = 0, num_blocked = 0;

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
        free(text);
        spot_schedule_free(&schedule);
        case_end(&self);
    }
    assert_true(num_ended > NUM_CASES); /* the cases reach what they are to test */
    assert_true(num_lost > NUM_CASES / 10);
    assert_true(num_resized > NUM_CASES / 10);
    assert_true(num_blocked > NUM_CASES / 20);
    print_message("%lld ended, %lld lost, %lld resized, %lld blocked\n",
        (long long) num_ended, (long long) num_lost, (long long) num_resized,
        (long long) num_blocked);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stepping)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
