/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lucid: profiler, order, packing and loans, on cases that can be followed by hand and
 * on random ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "schedule_case.h"

#define NUM_CASES (2000 / SPOT_FEWER)

static void start_lucid(schedule_case_t *self, int32_t gpus_per_node)
{
    spot_lucid_setting_t *lucid = &self->scenario.lucid;

    case_start(self, gpus_per_node, "lucid");
    lucid->estimator.source = SPOT_ESTIMATE_ORACLE;
    lucid->packing = SPOT_PACKING_ALWAYS;
    lucid->max_packed_gpus = 8;
    lucid->gpu_memory_bytes = INT64_C(24576) << 20;
    lucid->limit_s = 80;
    lucid->max_gpus = 4;
}

static void set_compatible(schedule_case_t *self)
{
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        self->scenario.quirks[j] = true;
    }
}

/* Runs a case in both modes of stepping and compares the lines of its jobs, up to their
 * queue. */
static void check_jobs(schedule_case_t *self, const char *expected)
{
    spot_schedule_t schedule;
    char *text = case_run(self, &schedule);
    char *rows = calloc(1, strlen(expected) + 64 * self->log.num_jobs + 1);

    assert_non_null(rows);
    for (int32_t j = 0; j < (int32_t) self->log.num_jobs; j++) {
        const spot_job_result_t job = spot_schedule_result(&schedule, j);

        sprintf(rows + strlen(rows), "%d %lld-%lld (%lld)\n", j + 1, (long long) job.start_s,
            (long long) job.end_s, (long long) job.queue_s);
    }
    assert_string_equal(rows, expected);
    free(rows);
    free(text);
    spot_schedule_free(&schedule);
    case_end(self);
}

/* ---- Mini case B of the specification ---- */

static const char pairs[] =
    "model1,dataset1,batchsize1,amp1,speed1,model2,dataset2,batchsize2,amp2,speed2,"
    "gpu_util,gmem_util,gmem\n"
    "X,,0,0,.7,X,,0,0,.7,100,0,9000\n"
    "X,,0,0,.9,Y,,0,0,.8,70,0,9000\n"
    "Y,,0,0,.95,Y,,0,0,.96,40,0,9000\n"
    "X,,0,0,.6,Z,,0,0,.5,100,0,9000\n"
    "Y,,0,0,.85,Z,,0,0,.97,100,0,9000\n"
    "Z,,0,0,.5,Z,,0,0,.5,100,0,9000\n";

static void read_pairs_of_b(schedule_case_t *self)
{
    char path[] = "/tmp/spotsim-pairs-XXXXXX";
    const int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, pairs, sizeof(pairs) - 1), sizeof(pairs) - 1);
    close(file);
    case_read_pairs(self, path);
    unlink(path);
}

static void start_case_b(schedule_case_t *self)
{
    static const struct {
        int32_t gpus;
        int64_t submit_s, duration_s;
        const char *model;
        double gpu_util, gmem_mib, estimate_s;
        int32_t share_score;
    } rows[] = {
        {4, 0, 500, "X", 50, 5000, 400, 1},
        {4, 5, 60, "Y", 20, 3000, 50, 0},
        {4, 10, 700, "Y", 20, 3000, 350, 0},
        {8, 20, 200, "Z", 90, 9000, 250, 2},
        {8, 300, 100, "Y", 20, 3000, 120, 0},
        {2, 310, 90, "Y", 20, 3000, 100, 0},
        {2, 320, 85, "X", 50, 23000, 60, 1},
        {2, 420, 95, "X", 50, 2000, 60, 1},
    };
    static double estimates_s[sizeof(rows) / sizeof(rows[0])];

    start_lucid(self, 8);
    case_profile(self, case_add_vc(self, "a", 3), 2);
    for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++) {
        case_add_job(self, 0, rows[j].gpus, rows[j].submit_s, rows[j].duration_s, NULL);
        case_set_workload(self, case_add_workload(self, rows[j].model, rows[j].gpu_util,
                                    rows[j].gmem_mib, rows[j].share_score));
        estimates_s[j] = rows[j].estimate_s;
    }
    self->scenario.estimates_s = estimates_s;
    self->scenario.lucid.estimator.source = SPOT_ESTIMATE_TABLE;
    read_pairs_of_b(self);
}

/* 887 is 886 in exact arithmetic: 0.8 is subtracted from a double. */
static void test_case_b_compatible(void **state)
{
    schedule_case_t self;

    (void) state;
    start_case_b(&self);
    set_compatible(&self);
    check_jobs(&self, "1 0-556 (0)\n2 5-65 (0)\n3 10-887 (0)\n4 988-1189 (968)\n"
                      "5 887-988 (587)\n6 310-401 (0)\n7 320-406 (0)\n8 420-516 (0)\n");
}

static void test_case_b_both_recover(void **state)
{
    schedule_case_t self;

    (void) state;
    start_case_b(&self);
    set_compatible(&self);
    self.scenario.quirks[SPOT_QUIRK_SLOW_GUEST] = false;
    check_jobs(&self, "1 0-556 (0)\n2 5-65 (0)\n3 10-821 (0)\n4 922-1123 (902)\n"
                      "5 821-922 (521)\n6 310-401 (0)\n7 320-406 (0)\n8 420-516 (0)\n");
}

static void test_case_b_default(void **state)
{
    schedule_case_t self;

    (void) state;
    start_case_b(&self);
    check_jobs(&self, "1 220-776 (140)\n2 5-65 (0)\n3 220-1032 (130)\n4 20-220 (0)\n"
                      "5 1032-1132 (732)\n6 390-480 (0)\n7 400-485 (0)\n8 500-595 "
                      "(0)\n");
}

/* ---- The rules of packing, one by one ---- */

/* Two jobs of one VC with two nodes of two GPUs, without a profiler. */
static void start_pair(schedule_case_t *self, double gmem_mib, int32_t share_score, int32_t gpus)
{
    start_lucid(self, 2);
    case_add_vc(self, "a", 2);
    case_add_workload(self, "M", 60, 10000, 1);
    case_add_workload(self, "N", 65, gmem_mib, share_score);
    case_add_job(self, 0, 2, 0, 100, NULL);
    case_set_workload(self, 0);
    case_add_job(self, 0, gpus, 10, 100, NULL);
    case_set_workload(self, 1);
    case_read_pairs(self, NULL);
}

/* Without a table both run at 100 / (60 + 65) = 0.8: the last 90 s of the host take 113
 * s; then the guest has 100 - 0.8 * 113 = 9.6 s left. */
static void test_pair_shares(void **state)
{
    schedule_case_t self;

    (void) state;
    start_pair(&self, 14575, 1, 2);
    check_jobs(&self, "1 0-123 (0)\n2 10-133 (0)\n");
}

static void test_pair_does_not_fit(void **state)
{
    static const struct {
        double gmem_mib;
        int32_t share_score, gpus;
    } apart[] = {{14576, 1, 2}, {14575, 2, 2}, {14575, 1, 1}};

    (void) state;
    for (size_t j = 0; j < sizeof(apart) / sizeof(apart[0]); j++) {
        schedule_case_t self;

        start_pair(&self, apart[j].gmem_mib, apart[j].share_score, apart[j].gpus);
        check_jobs(&self, "1 0-100 (0)\n2 10-110 (0)\n");
    }
}

static void test_pair_is_not_urgent(void **state)
{
    schedule_case_t self;

    (void) state;
    start_pair(&self, 1000, 0, 2);
    self.log.jobs[1].duration_s = 201; /* more than twice that of the host */
    check_jobs(&self, "1 0-100 (0)\n2 10-211 (0)\n");
}

static void test_last_resort(void **state)
{
    schedule_case_t self;

    (void) state;
    start_pair(&self, 1000, 0, 2);
    case_add_job(&self, 0, 2, 20, 100, NULL);
    case_set_workload(&self, 1);
    self.scenario.lucid.pack = SPOT_PACK_LAST_RESORT;
    check_jobs(&self, "1 0-120 (0)\n2 10-110 (0)\n3 20-140 (0)\n");
}

/* ---- The switch ---- */

/* While it is off the head of the queue, which asks for all GPUs, keeps the job behind
 * it waiting; the switch goes on at the second row of the forecast, at 600 s. */
static void test_switch(void **state)
{
    struct spot_forecast_row rows[] = {{9, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {1, 0}, {9, 0}};
    schedule_case_t self;

    (void) state;
    start_lucid(&self, 2);
    case_add_vc(&self, "a", 1);
    case_add_workload(&self, "M", 50, 1000, 0);
    for (int j = 0; j < 3; j++) {
        static const int32_t gpus[] = {1, 2, 1};
        static const int64_t submit_s[] = {0, 10, 20}, duration_s[] = {900, 50, 120};

        case_add_job(&self, 0, gpus[j], submit_s[j], duration_s[j], NULL);
        case_set_workload(&self, 0);
    }
    self.scenario.lucid.packing = SPOT_PACKING_FORECAST;
    self.scenario.lucid.threshold_jobs = 2;
    self.scenario.lucid.forecast = (spot_forecast_t){7, 7, rows};
    case_read_pairs(&self, NULL);
    /* at 600 s the next five rows are 1, 1, 1, 1, 9 */
    check_jobs(&self, "1 0-900 (0)\n2 900-950 (890)\n3 600-720 (580)\n");
}

/* ---- Loans ---- */

/* Four jobs of one GPU wait for the profiler's only GPU; the lender's second node is
 * idle until 25 s, when its own job of two GPUs arrives and must wait. */
static void start_loan(schedule_case_t *self, struct spot_forecast_row *rows, int32_t num_lent)
{
    start_lucid(self, 1);
    case_profile(self, case_add_vc(self, "a", 2), 1);
    case_add_vc(self, "b", num_lent);
    self->scenario.lucid.max_gpus = 1;
    self->scenario.lucid.packing = SPOT_PACKING_NEVER;
    self->scenario.lucid.lender = self->scenario.vcs.vcs[1].name;
    self->scenario.lucid.up_queue = 2;
    self->scenario.lucid.down_queue = 1;
    self->scenario.lucid.forecast = (spot_forecast_t){2, 2, rows};
    for (int j = 0; j < 4; j++) {
        case_add_job(self, 0, 1, 1, 60, NULL);
    }
    case_add_job(self, 1, 2, 25, 500, NULL);
}

static void test_loan(void **state)
{
    struct spot_forecast_row rows[] = {{0, 0}, {0, 5}};
    schedule_case_t self;

    (void) state;
    start_loan(&self, rows, 2);
    /* borrowed at 10 s, used from 11 s on, returned at 200 s */
    check_jobs(&self, "1 1-61 (0)\n2 11-71 (10)\n3 61-121 (60)\n4 71-131 (70)\n"
                      "5 201-701 (176)\n");
}

static void test_no_return_without_forecast(void **state)
{
    struct spot_forecast_row rows[] = {{0, 0}, {0, 6}};
    schedule_case_t self;
    spot_schedule_t schedule;
    char *text;

    (void) state;
    start_loan(&self, rows, 2);
    self.scenario.horizon_s = 1000;
    text = case_run(&self, &schedule);
    assert_int_equal(schedule.profiler.num_events, 1); /* 6 GPUs, then no row is left */
    assert_int_equal(schedule.profiler.events[0].time_s, 10);
    assert_int_equal(spot_schedule_result(&schedule, 4).end_s, -1);
    free(text);
    spot_schedule_free(&schedule);
    case_end(&self);
}

/* The published simulator borrows a node that is not there. */
static void test_blind_loan(void **state)
{
    struct spot_forecast_row rows[] = {{0, 0}, {0, 0}};

    (void) state;
    for (int is_blind = 0; is_blind <= 1; is_blind++) {
        schedule_case_t self;

        start_loan(&self, rows, 2);
        self.log.jobs[4].submit_s = 0; /* it holds both nodes of the lender */
        self.scenario.log = &self.log;
        self.scenario.quirks[SPOT_QUIRK_BLIND_LOANS] = is_blind == 1;
        check_jobs(&self, is_blind == 1 ? "1 1-61 (0)\n2 11-71 (10)\n3 61-121 (60)\n"
                                          "4 71-131 (70)\n5 0-500 (0)\n"
                                        : "1 1-61 (0)\n2 61-121 (60)\n3 121-181 (120)\n"
                                          "4 181-241 (180)\n5 0-500 (0)\n");
    }
}

/* ---- Estimates ---- */

/* Estimates below 0 say nothing; those from 0 to 1 s are raised, but for a quirk. */
static void test_estimates_of_table(void **state)
{
    static const double estimates_s[] = {-3, 0.25, 70.5};
    const spot_replication_t replication = {.seed = 1, .replication = 0};
    spot_estimates_t estimates = {0};
    schedule_case_t self;

    (void) state;
    start_lucid(&self, 1);
    case_add_vc(&self, "a", 1);
    for (int j = 0; j < 3; j++) {
        case_add_job(&self, 0, 1, j, 100, NULL);
    }
    self.scenario.estimates_s = estimates_s;
    self.scenario.lucid.estimator.source = SPOT_ESTIMATE_TABLE;
    for (int has_quirk = 0; has_quirk <= 1; has_quirk++) {
        self.scenario.quirks[SPOT_QUIRK_CLIPPED_ESTIMATES] = has_quirk == 1;
        assert_int_equal(spot_estimates_start(&estimates, &self.scenario,
                             &self.scenario.lucid.estimator, &self.log, NULL, &replication),
            0);
        assert_true(spot_estimates_estimate_s(&estimates, 0, 0) == 1000);
        assert_true(spot_estimates_estimate_s(&estimates, 1, 1) == (has_quirk == 1 ? 0.25 : 1));
        assert_true(spot_estimates_estimate_s(&estimates, 2, 2) == 70.5);
    }
    spot_estimates_free(&estimates);
    case_end(&self);
}

/* The mean of the jobs of the same user that have ended, in this simulation or by name.
 */
static void test_running_mean(void **state)
{
    const spot_replication_t replication = {.seed = 1, .replication = 0};
    spot_estimates_t estimates = {0};
    schedule_case_t self;

    (void) state;
    start_lucid(&self, 1);
    case_add_vc(&self, "a", 1);
    for (int j = 0; j < 4; j++) {
        case_add_job(&self, 0, 1, j, 100 * (j + 1), NULL);
        self.log.jobs[j].user_id = j / 2;
    }
    self.scenario.lucid.estimator.source = SPOT_ESTIMATE_RUNNING_MEAN;
    for (int is_nominal = 0; is_nominal <= 1; is_nominal++) {
        self.scenario.lucid.estimator.is_nominal = is_nominal;
        assert_int_equal(spot_estimates_start(&estimates, &self.scenario,
                             &self.scenario.lucid.estimator, &self.log, NULL, &replication),
            0);
        assert_true(spot_estimates_estimate_s(&estimates, 0, 0) == 1000);
        spot_estimates_learn(&estimates, 1);
        spot_estimates_learn(&estimates, 3);
        /* at 150 s only job 0 has ended by name */
        assert_true(spot_estimates_estimate_s(&estimates, 0, 150) == (is_nominal == 1 ? 100 : 200));
        assert_true(spot_estimates_estimate_s(&estimates, 2, 150) == (is_nominal == 1 ? 100 : 400));
    }
    spot_estimates_free(&estimates);
    case_end(&self);
}

/* Where submits are shifted, jobs end by name so much later too. */
static void test_nominal_ends_are_shifted(void **state)
{
    static const int64_t submit_s[] = {50, 60};
    const spot_replication_t replication = {.seed = 1, .replication = 0};
    spot_estimates_t estimates = {0};
    schedule_case_t self;

    (void) state;
    start_lucid(&self, 1);
    case_add_vc(&self, "a", 1);
    case_add_job(&self, 0, 1, 0, 100, NULL);
    case_add_job(&self, 0, 1, 10, 100, NULL);
    self.scenario.lucid.estimator =
        (spot_estimator_setting_t){.source = SPOT_ESTIMATE_RUNNING_MEAN, .is_nominal = 1};
    assert_int_equal(spot_estimates_start(&estimates, &self.scenario,
                         &self.scenario.lucid.estimator, &self.log, submit_s, &replication),
        0);
    assert_true(spot_estimates_estimate_s(&estimates, 1, 149) == 1000);
    assert_true(spot_estimates_estimate_s(&estimates, 1, 150) == 100);
    spot_estimates_free(&estimates);
    case_end(&self);
}

/* ---- Random cases ---- */

static int64_t below(spot_rng_t *rng, int64_t limit)
{
    return (int64_t) spot_rng_below(rng, (uint64_t) limit);
}

static void draw_jobs(spot_rng_t *rng, schedule_case_t *self, int64_t num_vcs)
{
    static const char *const models[] = {"A", "B", "BERT"};
    const int64_t num_jobs = 4 + below(rng, 24);
    int64_t submit_s = 0;

    for (size_t j = 0; j < 3; j++) {
        case_add_workload(self, models[j], (double) below(rng, 101), (double) below(rng, 14000),
            (int32_t) below(rng, 3));
    }
    for (int64_t j = 0; j < num_jobs; j++) {
        spot_job_terms_row_t terms = {.scaling_id = -1,
            .restart_s = below(rng, 50),
            .checkpoint_interval_s = below(rng, 60),
            .checkpoint_write_s = below(rng, 30)};

        submit_s += below(rng, 2) == 0 ? 0 : below(rng, 60);
        case_add_job(self, (int32_t) below(rng, num_vcs), 1 + (int32_t) below(rng, 4), submit_s,
            1 + below(rng, below(rng, 2) == 0 ? 60 : 900), &terms);
        case_set_workload(self, (int32_t) below(rng, 3));
        self->log.jobs[j].user_id = (int32_t) below(rng, 3);
    }
    case_read_pairs(self, NULL);
}

static void draw_profiler(
    spot_rng_t *rng, schedule_case_t *self, int64_t num_vcs, spot_forecast_t *forecast)
{
    spot_lucid_setting_t *lucid = &self->scenario.lucid;

    lucid->limit_s = 1 + below(rng, 120);
    lucid->max_gpus = 1 + below(rng, 4);
    lucid->up_queue = below(rng, 4);
    lucid->down_queue = below(rng, 4);
    for (size_t j = 0; j < forecast->num_rows; j++) {
        forecast->rows[j].num_jobs = (double) below(rng, 5);
        forecast->rows[j].num_gpus = (double) below(rng, 30);
    }
    lucid->forecast = *forecast;
    case_profile(self, (int32_t) below(rng, num_vcs), 1 + below(rng, 2));
    if (below(rng, 3) > 0) {
        lucid->lender = self->scenario.vcs.vcs[below(rng, num_vcs)].name;
    }
}

static void draw_case(schedule_case_t *self, uint64_t seed, spot_forecast_t *forecast)
{
    static const spot_estimate_source_t sources[] = {
        SPOT_ESTIMATE_ORACLE, SPOT_ESTIMATE_NOISY, SPOT_ESTIMATE_RUNNING_MEAN};
    static const char rows[] = "0,init,2,a b\n150.5,preempt,1,b\n300,add,1,c\n"
                               "420,preempt,1,a\n600,add,1,d\n9000,end,2,\n";
    spot_lucid_setting_t *lucid = &self->scenario.lucid;
    spot_rng_t rng;
    int64_t num_vcs;

    spot_rng_seek(&rng, seed, 0, SPOT_STREAM_OWN, 0);
    start_lucid(self, 4);
    self->scenario.placer = (int) below(&rng, SPOT_NUM_PLACERS);
    self->scenario.horizon_s = below(&rng, 4) == 0 ? 1 + below(&rng, 2000) : 0;
    for (int j = 0; j < SPOT_NUM_QUIRKS; j++) {
        self->scenario.quirks[j] = below(&rng, 3) == 0;
    }
    lucid->packing = (int) below(&rng, 3);
    lucid->pack = (int) below(&rng, 2);
    lucid->threshold_jobs = (double) below(&rng, 4);
    lucid->unknown_pair = 1 + (int) below(&rng, 2);
    lucid->estimator.source = (int) sources[below(&rng, 3)];
    lucid->estimator.sigma = 1;
    lucid->estimator.is_nominal = (int) below(&rng, 2);
    num_vcs = 1 + below(&rng, 3);
    for (int64_t j = 0; j < num_vcs; j++) {
        static const char *const names[] = {"a", "b", "c"};

        case_add_vc(self, names[j], 3 + (int32_t) below(&rng, 2));
    }
    if (below(&rng, 4) == 0) {
        case_add_pool(
            self, 0, rows, 1 + below(&rng, 60), below(&rng, 2) == 0 ? 0 : below(&rng, 90000));
    }
    if (below(&rng, 4) > 0) {
        draw_profiler(&rng, self, num_vcs, forecast);
    }
    draw_jobs(&rng, self, num_vcs);
}

/* jct = queue + time in the profiler + running time, which is that of the work or
 * longer: no pair is faster than its jobs alone. */
static void check_times(const spot_schedule_t *schedule)
{
    const spot_schedule_scenario_t *scenario = schedule->scenario;
    const bool is_free = scenario->quirks[SPOT_QUIRK_FREE_PROFILING];

    for (int32_t j = 0; j < (int32_t) schedule->log->num_jobs; j++) {
        const spot_job_row_t *row = &schedule->log->jobs[j];
        const spot_job_result_t job = spot_schedule_result(schedule, j);
        const bool is_final = job.is_profiled && row->duration_s <= scenario->lucid.limit_s;
        const bool is_cut = job.is_profiled && !is_final;
        int64_t running_s = job.end_s - row->submit_s - job.queue_s;

        if (job.end_s < 0) {
            continue;
        }
        running_s += is_cut ? (is_free ? job.profiled_queue_s : -scenario->lucid.limit_s) : 0;
        if (is_final) {
            assert_int_equal(running_s, row->duration_s);
        } else if (job.host_row_id < 0) {
            assert_true(running_s >= row->duration_s + job.overhead_s);
        }
        assert_true(running_s >= row->duration_s);
        assert_true(job.queue_s >= job.profiled_queue_s);
        assert_true(job.profiled_queue_s >= 0);
    }
}

static void test_random(void **state)
{
    struct spot_forecast_row rows[6];
    int64_t num_ended = 0, num_guests = 0, num_loans = 0, num_lost = 0;

    (void) state;
    for (uint64_t seed = 0; seed < NUM_CASES; seed++) {
        spot_forecast_t forecast = {seed % 7, 6, rows};
        schedule_case_t self;
        spot_schedule_t schedule;
        char *text;

        forecast.num_rows = seed % 7;
        draw_case(&self, seed, &forecast);
        text = case_run(&self, &schedule);
        check_times(&schedule);
        num_ended += schedule.num_ended;
        num_loans += (int64_t) schedule.profiler.num_events;
        for (int32_t j = 0; j < (int32_t) schedule.log->num_jobs; j++) {
            num_guests += spot_schedule_result(&schedule, j).host_row_id >= 0;
            num_lost += spot_schedule_result(&schedule, j).node_preemptions;
        }
        free(text);
        spot_schedule_free(&schedule);
        case_end(&self);
    }
    assert_true(num_ended > 10 * NUM_CASES); /* the cases reach what they are to test */
    assert_true(num_guests > NUM_CASES / 2);
    assert_true(num_loans > NUM_CASES / 20);
    assert_true(num_lost > NUM_CASES / 20);
    print_message("%lld ended, %lld packed, %lld loans and returns, %lld lost\n",
        (long long) num_ended, (long long) num_guests, (long long) num_loans, (long long) num_lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_b_compatible),
        cmocka_unit_test(test_case_b_both_recover),
        cmocka_unit_test(test_case_b_default),
        cmocka_unit_test(test_pair_shares),
        cmocka_unit_test(test_pair_does_not_fit),
        cmocka_unit_test(test_pair_is_not_urgent),
        cmocka_unit_test(test_last_resort),
        cmocka_unit_test(test_switch),
        cmocka_unit_test(test_loan),
        cmocka_unit_test(test_no_return_without_forecast),
        cmocka_unit_test(test_blind_loan),
        cmocka_unit_test(test_estimates_of_table),
        cmocka_unit_test(test_running_mean),
        cmocka_unit_test(test_nominal_ends_are_shifted),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
