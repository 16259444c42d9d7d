/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of all metrics that reports show of a training job contain the true value
 * with their confidence, or are marked as too heavy: on the main scenario and on two
 * with rarer preemptions. The truth is that of many more replications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "sim/bench/analysis/estimate.h"
#include "sim/bench/study/metrics.h"
#include "sim/bench/study/study.h"
#include "sim/bench/study/worker.h"
#include "sim/engines.h"
#include "statistics.h"

#define NUM_STUDIES 400
#define NUM_ROWS 256
#define NUM_ROWS_OF_TRUTH 200000
#define LOWEST 0.92
#define HIGHEST 0.98
#define MAX_METRICS 128

/* One point with all metrics. */
static void read_study(spot_study_t *study, const char *rate)
{
    static const char path[] = SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/study.yaml";
    char sweep[80];
    const char *sets[] = {sweep, "job.pipeline_depth=[16, 8]", "replications.count=100",
        "metrics=[idle_fraction, mean(usd_per_1000_samples), mean(samples_per_usd), "
        "cost_usd, preempted, rollbacks, steps_kept, job_lost_fraction, "
        "same_work_on_demand_usd, saving_fraction, mtbp_s, mean_lifetime_h]"};
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(sweep, sizeof(sweep), "trace.preemption.per_minute=[%s]", rate);
    if (spot_study_read(study, spot_engines, path,
            &(spot_scenario_changes_t){.num_sets = 4, .sets = sets}, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    assert_int_equal(spot_study_keep_ledger(study, NULL), 0);
    assert_true(study->head.num_metrics <= MAX_METRICS);
    spot_diag_free(&diag);
}

static void run_row(
    const spot_study_t *study, spot_study_worker_t *worker, int64_t replication, double *row)
{
    const spot_metric_layout_t *layout = study->yield.layouts;

    assert_int_equal(spot_study_worker_run(worker, replication, NULL, NULL), 0);
    for (size_t j = 0; j < layout->outputs->num_metrics; j++) {
        if (layout->columns[j] >= 0) {
            row[layout->columns[j]] = worker->metrics[j];
        }
    }
    spot_study_derive(&study->head, row);
}

typedef struct {
    int num_held, num_marked, num_shifted;
} tally_t;

static void add_rows(const spot_study_t *study, spot_study_worker_t *worker, int64_t first,
    int64_t num_rows, spot_estimate_t *estimates)
{
    double row[MAX_METRICS];

    for (size_t j = 0; j < study->head.num_metrics; j++) {
        spot_estimate_init(&estimates[j], &study->head, j);
    }
    for (int64_t k = first; k < first + num_rows; k++) {
        run_row(study, worker, k, row);
        for (size_t j = 0; j < study->head.num_metrics; j++) {
            assert_int_equal(spot_estimate_add(&estimates[j], row), 0);
        }
    }
}

static void free_all(const spot_study_t *study, spot_estimate_t *estimates)
{
    for (size_t j = 0; j < study->head.num_metrics; j++) {
        spot_estimate_free(&estimates[j]);
    }
}

static void count(tally_t *tally, const spot_estimate_t *estimate, double truth)
{
    const bool is_marked = spot_estimate_is_heavy(estimate);
    double low, high;
    bool holds;

    spot_estimate_bounds(estimate, SPOT_CONFIDENCE, &low, &high);
    holds = low <= truth && truth <= high;
    tally->num_held += holds;
    tally->num_marked += is_marked;
    tally->num_shifted += low <= truth + (high - low) / 2 && truth + (high - low) / 2 <= high;
}

/* Covers as it claims, or is marked: a mean of ratios in most samples. An interval that
 * was half its width off would be found. */
static bool check_metric(
    const char *rate, const spot_metric_t *metric, const tally_t *tally, double truth)
{
    const double share = (double) tally->num_held / NUM_STUDIES;
    const double marked = (double) tally->num_marked / NUM_STUDIES;
    const bool is_heavy = strcmp(metric->name, "mean(usd_per_1000_samples)") == 0 && marked > 0.6;
    const bool is_good = (share >= LOWEST && share <= HIGHEST && marked < 0.05 &&
                             tally->num_shifted < 0.8 * NUM_STUDIES) ||
                         truth == 0 || is_heavy;

    print_message("%7s %-28s %12.6g: holds %.1f %%, marked %.1f %%%s\n", rate, metric->name, truth,
        100 * share, 100 * marked, is_good ? "" : " WRONG");
    return is_good;
}

static void check_scenario(const char *rate)
{
    spot_study_worker_t worker = {.study = NULL};
    spot_estimate_t estimates[MAX_METRICS];
    tally_t tallies[MAX_METRICS] = {{0}};
    double truths[MAX_METRICS];
    spot_study_t study;
    int num_bad = 0;

    read_study(&study, rate);
    assert_int_equal(spot_study_worker_go(&worker, &study, 0, NULL), 0);
    add_rows(&study, &worker, 1000000, NUM_ROWS_OF_TRUTH, estimates);
    for (size_t j = 0; j < study.head.num_metrics; j++) {
        truths[j] = spot_estimate_value(&estimates[j]);
    }
    free_all(&study, estimates);
    for (int64_t k = 0; k < NUM_STUDIES; k++) {
        add_rows(&study, &worker, k * NUM_ROWS, NUM_ROWS, estimates);
        for (size_t j = 0; j < study.head.num_metrics; j++) {
            count(&tallies[j], &estimates[j], truths[j]);
        }
        free_all(&study, estimates);
    }
    for (size_t j = 0; j < study.head.num_metrics; j++) {
        if (spot_study_shows(&study.head, j)) {
            num_bad += !check_metric(rate, &study.head.metrics[j], &tallies[j], truths[j]);
        }
    }
    spot_study_worker_close(&worker);
    spot_study_free(&study);
    assert_int_equal(num_bad, 0);
}

static void test_main_scenario(void **state)
{
    (void) state;
    check_scenario("0.16338");
}

static void test_rarer(void **state)
{
    (void) state;
    check_scenario("0.02");
}

static void test_rare(void **state)
{
    (void) state;
    check_scenario("0.002");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_main_scenario),
        cmocka_unit_test(test_rarer),
        cmocka_unit_test(test_rare),
    };

    return cmocka_run_group_tests_name("ratio_coverage", tests, NULL, NULL);
}
