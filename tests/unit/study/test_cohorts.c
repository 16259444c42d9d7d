/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that meet the same trace are run from one tape of it: each row is the one that
 * a worker gets which makes the trace for itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/bench/study/worker.h"
#include "sim/engines.h"
#include "tests/unit/train/fixture.h"

#define JOB                                                                                        \
    "    job: {pipeline_depth: 4, step_time: {4: 41 s, 8: 23 s, 12: 17 s, 16: 13 s},\n"            \
    "      checkpoint: {mode: sync, write: 30 s, every: 9 min}}\n"
#define SEED                                                                                       \
    "generator: seed, preemption: {per_minute: 0.1, count: {fixed: 2}}, "                          \
    "addition: {per_minute: 0.12, count: {normal: {mean: 2, std: 1}}}"

typedef struct {
    const char *text;
    size_t num_cohorts;
} case_t;

/* Two systems, one of which is told of preemptions, on another generator. */
#define OTHER(trace)                                                                               \
    "study: x\nscenario:\n    scenario: x\n    horizon: 8 h\n"                                     \
    "    fleet: {capacity: 16, initial: 12}\n" JOB "    trace: " trace "\n"                        \
    "sweep:\n    recovery: [checkpoint, ideal]\n    fleet.notice: [0 s, 2 min]\n"                  \
    "replications: {count: 70}\nmetrics: [idle_fraction, preempted]\n"

static const case_t cases[] = {
    /* Systems and depths; the market of one is another trace. */
    {"study: x\nscenario:\n    scenario: x\n    horizon: 8 h\n"
     "    fleet: {capacity: 16, initial: 12, notice: 2 min}\n" JOB "    trace: {" SEED "}\n"
     "sweep:\n    recovery: [checkpoint, varuna, ideal, on-demand]\n"
     "    job.pipeline_depth: [4, 2]\n"
     "replications: {count: 150}\nmetrics: [idle_fraction, cost_usd, steps_kept]\n",
        2},
    /* Runs of different lengths, and prices that change. */
    {"study: x\nscenario:\n    scenario: x\n    horizon: 2 d\n"
     "    fleet: {capacity: 16, initial: 12, price: {spot: [{from: 0 s, usd_per_h: 1}, "
     "{from: 1 h, usd_per_h: 2}]}}\n" JOB "    trace: {" SEED "}\n"
     "sweep:\n    until.steps: [900, 100, 2000, 30]\n"
     "    fleet.capacity: [16, 20]\n"
     "replications: {count: 150}\nmetrics: [time_to_finish_s, cost_usd, preempted]\n",
        2},
    /* Zones with prices and shocks. */
    {"study: x\nscenario:\n    scenario: x\n    horizon: 8 h\n"
     "    fleet: {capacity: 16}\n" JOB
     "    trace:\n        generator: zones\n        shocks: {per_hour: 1, p_zone: 0.5, "
     "share: 0.5}\n        zones:\n"
     "            a: {price: 1, capacity: 8, initial: 6, " SEED "}\n"
     "            b: {price: 3, capacity: 8, initial: 4, " SEED "}\n"
     "sweep:\n    job.reload: [10 s, 60 s]\n    fleet.notice: [0 s, 1 min]\n"
     "replications: {count: 70}\nmetrics: [idle_fraction, cost_usd]\n",
        1},
    {OTHER("{generator: lifetimes, lifetime: {law: deadline, zeta: 12.2, sigma: 3.6, "
           "deadline_s: 8640, overrun_mean_s: 1356, overrun_max_s: 3000}, refill: "
           "{family: "
           "exponential, mu: 1800}}"),
        1},
    {OTHER("{generator: mrp, p_preempt_after: {preempt: 0.58, add: 0.24}, gaps_s: "
           "{preempt_preempt: {family: exponential, mu: 250}, preempt_add: {family: "
           "exponential, mu: 390}, add_preempt: {family: exponential, mu: 350}, add_add: "
           "{family: exponential, mu: 220}, full: {family: exponential, mu: 520}, empty: "
           "{family: exponential, mu: 350}}, bulk: {preempt: {law: all-or-geometric, "
           "pi_all: "
           "0, p: 0.47}, add: {law: all-or-geometric, pi_all: 0, p: 0.44}}}"),
        1},
};

typedef struct {
    const spot_study_t *study;
    spot_study_worker_t worker;
    size_t point_id, num_rows;
} alone_t;

static int compare_row(void *context, const spot_row_t *row)
{
    alone_t *self = context;
    const size_t num_metrics = self->study->head.num_metrics;
    double *expected = spot_calloc(num_metrics, sizeof(*expected));
    uint32_t warnings;

    assert_non_null(expected);
    assert_int_equal(
        spot_study_worker_row(&self->worker, row->replication, NULL, expected, &warnings), 0);
    assert_memory_equal(row->metrics, expected, num_metrics * sizeof(*expected));
    self->num_rows++;
    free(expected);
    return 0;
}

static void read_study(const case_t *self, spot_study_t *study)
{
    char path[PATH_BYTES];
    spot_diag_t diag;
    int ret;

    temporary_path("cohorts.yaml", path);
    write_file(path, self->text);
    spot_diag_init(&diag);
    ret = spot_study_read(study, spot_engines, path, NULL, &diag);
    if (ret != 0) {
        spot_diag_print(&diag, stderr);
    }
    assert_int_equal(ret, 0);
    assert_int_equal(unlink(path), 0);
    spot_diag_free(&diag);
}

/* On one thread a cohort is one task for each batch, on eight it is cut into parts. */
static void check_case(const case_t *self, int num_threads)
{
    const spot_study_run_t run = {.num_threads = num_threads};
    spot_cohorts_t cohorts;
    spot_store_t *store;
    spot_study_t study;
    spot_diag_t diag;

    spot_diag_init(&diag);
    read_study(self, &study);
    assert_int_equal(spot_cohorts_init(&cohorts, &study), 0);
    assert_int_equal(cohorts.num_cohorts, self->num_cohorts);
    spot_cohorts_free(&cohorts);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, &diag), 0);
    for (size_t j = 0; j < study.head.num_points; j++) {
        alone_t alone = {.study = &study, .point_id = j};

        assert_int_equal(spot_study_worker_go(&alone.worker, &study, j, &diag), 0);
        assert_int_equal(store->read(store, j, 0, compare_row, &alone), 0);
        assert_int_equal(alone.num_rows, study.head.num_replications);
        spot_study_worker_close(&alone.worker);
    }
    store->close(store);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

static void test_rows(void **state)
{
    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_case(&cases[j], 1);
        check_case(&cases[j], 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
