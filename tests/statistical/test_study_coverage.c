/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of what a study says hold in every engine that says it, or lack an end, or are
 * marked: differences of quantiles in training, schedules of small logs and serving, and
 * shares of late queries that few replications have. Each engine runs its replications
 * once. Studies are drawn from these at random, so the truth, which is that of all of
 * them, is exact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/rng.h"
#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/quantiles.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

#define NUM_STUDIES 1000
#define LOWEST 0.93
#define MAX_ROWS 256 /* of a study */
#define NUM_POINTS 2
#define MAX_COUNTS 8

/* All replications of both points of a study. */
typedef struct {
    spot_study_t study;
    size_t num_rows, num_metrics;
    double *rows[NUM_POINTS];              /* [num_rows][num_metrics] */
    double truths[NUM_POINTS][MAX_COUNTS]; /* of counts */
} pool_t;

typedef struct {
    pool_t *pool;
    double *next;
} taker_t;

static int take_row(void *context, const spot_row_t *row)
{
    taker_t *self = context;

    memcpy(self->next, row->metrics, self->pool->num_metrics * sizeof(*self->next));
    self->next += self->pool->num_metrics;
    return 0;
}

static void pool_init(pool_t *self, const char *name, size_t num_sets, const char *const *sets)
{
    const spot_study_run_t run = {.num_threads = 2};
    char path[1000];
    spot_store_t *store;
    spot_diag_t diag;

    spot_diag_init(&diag);
    snprintf(path, sizeof(path), SPOT_SOURCE_DIR "/tests/statistical/coverage/%s.yaml", name);
    if (spot_study_read(&self->study, spot_engines, path,
            &(spot_scenario_changes_t){.num_sets = num_sets, .sets = sets}, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
    assert_int_equal(self->study.head.num_points, NUM_POINTS);
    assert_int_equal(spot_store_open_memory(&store, &self->study.head), 0);
    assert_int_equal(spot_study_run(&self->study, store, &run, NULL), 0);
    self->num_rows = (size_t) self->study.head.num_replications;
    self->num_metrics = self->study.head.num_metrics;
    for (size_t j = 0; j < NUM_POINTS; j++) {
        double *rows = spot_calloc(self->num_rows * self->num_metrics, sizeof(*rows));

        assert_non_null(rows);
        self->rows[j] = rows;
        assert_int_equal(store->read(store, j, 0, take_row, &(taker_t){self, rows}), 0);
    }
    store->close(store);
}

static void pool_free(pool_t *self)
{
    for (size_t j = 0; j < NUM_POINTS; j++) {
        free(self->rows[j]);
    }
    spot_study_free(&self->study);
}

static const double *row_of(const pool_t *self, size_t point_id, size_t row_id)
{
    return &self->rows[point_id][row_id * self->num_metrics];
}

/* Of the studies that are drawn: 42, or SPOT_SEED, with which tests/nightly.sh draws others. */
static uint64_t seed_of_studies(void)
{
    const char *seed = getenv("SPOT_SEED");

    return seed == NULL ? 42 : strtoull(seed, NULL, 10);
}

/* What chance may take from a share of all studies with other seeds: 3 standard errors. With
 * the seed of every day the figures are known, and nothing is taken. */
static double by_chance(double share)
{
    return getenv("SPOT_SEED") == NULL ? 0 : 3 * sqrt(share * (1 - share) / NUM_STUDIES);
}

/* Which replications a study has. */
static void draw(const pool_t *self, uint64_t study_id, size_t num, size_t *drawn)
{
    spot_rng_t rng;

    spot_rng_seek(&rng, seed_of_studies(), study_id, SPOT_STREAM_BOOTSTRAP, 0);
    for (size_t j = 0; j < num; j++) {
        drawn[j] = (size_t) spot_rng_below(&rng, self->num_rows);
    }
}

/* ---- Differences of quantiles ---- */

typedef struct {
    int num_held, num_open, num_sure;
    double width;
} tally_t;

/* The number of a quantile in a replication, INFINITY where it is cut off. */
static double number_of(const pool_t *self, size_t metric_id, size_t point_id, size_t row_id)
{
    const spot_study_head_t *head = &self->study.head;
    const spot_metric_source_t source = spot_study_source(head, metric_id);
    double numbers[2];

    assert_true(spot_line_numbers(
        &head->metrics[metric_id], &source, row_of(self, point_id, row_id), numbers));
    return numbers[0];
}

static double truth_of(const pool_t *self, size_t metric_id)
{
    double *numbers = spot_calloc(self->num_rows, sizeof(*numbers)), quantiles[NUM_POINTS];

    assert_non_null(numbers);
    for (size_t j = 0; j < NUM_POINTS; j++) {
        for (size_t k = 0; k < self->num_rows; k++) {
            numbers[k] = number_of(self, metric_id, j, k);
        }
        spot_sort(numbers, self->num_rows);
        quantiles[j] =
            spot_quantile_known(numbers, self->num_rows, self->study.head.metrics[metric_id].p);
    }
    free(numbers);
    return quantiles[1] - quantiles[0];
}

static tally_t count_differences(const pool_t *self, size_t metric_id, size_t num, double truth)
{
    double x[MAX_ROWS], y[MAX_ROWS];
    size_t drawn[MAX_ROWS];
    tally_t tally = {0};

    for (uint64_t k = 0; k < NUM_STUDIES; k++) {
        spot_paired_t pair = {.is_binary = false};
        double low, high;

        draw(self, k, num, drawn);
        for (size_t j = 0; j < num; j++) {
            x[j] = number_of(self, metric_id, 1, drawn[j]);
            y[j] = number_of(self, metric_id, 0, drawn[j]);
        }
        assert_int_equal(
            spot_quantile_pair((spot_paired_side_t){x, false}, (spot_paired_side_t){y, false}, num,
                self->study.head.metrics[metric_id].p, SPOT_CONFIDENCE, &pair),
            0);
        spot_paired_bounds(&pair, SPOT_CONFIDENCE, &low, &high);
        if (!isfinite(spot_paired_half_width(&pair, SPOT_CONFIDENCE))) {
            assert_int_equal(spot_paired_sign(&pair, SPOT_CONFIDENCE), 0);
            tally.num_open++;
            continue;
        }
        tally.num_held += low <= truth && truth <= high;
        tally.num_sure += spot_paired_sign(&pair, SPOT_CONFIDENCE) != 0;
        tally.width += high - low;
    }
    return tally;
}

/* Of 64 replications none is beyond the 95 % quantile surely enough: no end. Where runs are
 * cut off more may lack one. */
static int check_differences(const pool_t *self, bool are_cut_off)
{
    static const size_t nums[] = {64, 256};
    const spot_study_head_t *head = &self->study.head;
    int num_bad = 0;

    for (size_t j = 0; j < head->num_listed; j++) {
        const spot_metric_t *metric = &head->metrics[j];
        const double truth = metric->estimator == SPOT_ESTIMATOR_QUANTILE ? truth_of(self, j) : 0;
        double widths[2] = {0};

        for (size_t k = 0; metric->estimator == SPOT_ESTIMATOR_QUANTILE && isfinite(truth) && k < 2;
             k++) {
            const tally_t tally = count_differences(self, j, nums[k], truth);
            const int num = NUM_STUDIES - tally.num_open;
            const bool is_open = nums[k] == 64 && metric->p == 0.95;
            bool is_good = is_open ? num == 0
                                   : tally.num_held >= (LOWEST - by_chance(LOWEST)) * num &&
                                         (num > NUM_STUDIES * 9 / 10 || are_cut_off);

            widths[k] = num == 0 ? 0 : tally.width / num;
            is_good = is_good &&
                      (k == 0 || widths[0] == 0 || are_cut_off || widths[1] < 0.75 * widths[0]);
            num_bad += !is_good;
            print_message("%-26s n %3zu, truth %9.4g: holds %5.1f %%, +-%.3g, no end %5.1f %%, "
                          "sure %5.1f %%%s\n",
                metric->name, nums[k], truth, num == 0 ? 0 : 100.0 * tally.num_held / num,
                widths[k] / 2, 100.0 * tally.num_open / NUM_STUDIES,
                100.0 * tally.num_sure / NUM_STUDIES, is_good ? "" : " WRONG");
        }
    }
    return num_bad;
}

static void check(const char *name, size_t num_sets, const char *const *sets, bool are_cut_off)
{
    pool_t pool = {.num_rows = 0};
    int num_bad;

    pool_init(&pool, name, num_sets, sets);
    num_bad = check_differences(&pool, are_cut_off);
    pool_free(&pool);
    assert_int_equal(num_bad, 0);
}

static void test_training(void **state)
{
    (void) state;
    check("train", 0, NULL, false);
}

static void test_times_of_training(void **state)
{
    static const char *const sets[] = {"until.steps=600", "horizon=3 d"};
    static const char *const cut_off[] = {"until.steps=600", "horizon=22000 s"};

    (void) state;
    check("train-time", 2, sets, false);
    check("train-time", 2, cut_off, true);
}

static void test_schedules(void **state)
{
    (void) state;
    check("schedule", 0, NULL, false);
}

/* ---- Shares and tails of serving ---- */

static size_t metric_of(const pool_t *self, const char *name)
{
    const size_t metric_id = spot_study_metric_id(&self->study.head, name);

    assert_true(metric_id < self->num_metrics);
    return metric_id;
}

static double mean_of(const pool_t *self, size_t point_id, size_t metric_id)
{
    spot_estimate_t all;
    double value;

    spot_estimate_init(&all, &self->study.head, metric_id);
    for (size_t j = 0; j < self->num_rows; j++) {
        assert_int_equal(spot_estimate_add(&all, row_of(self, point_id, j)), 0);
    }
    value = spot_estimate_value(&all);
    spot_estimate_free(&all);
    return value;
}

/* The summaries of a study of num replications at a point. */
static void summarise(
    const pool_t *self, size_t point_id, uint64_t study_id, size_t num, spot_summary_t *summaries)
{
    spot_study_head_t head = self->study.head;
    double *rows = spot_calloc(num * self->num_metrics, sizeof(*rows));
    uint32_t *warnings = spot_calloc(num, sizeof(*warnings));
    size_t drawn[MAX_ROWS];
    spot_store_t *store;

    assert_non_null(rows);
    assert_non_null(warnings);
    draw(self, study_id, num, drawn);
    for (size_t j = 0; j < num; j++) {
        memcpy(&rows[j * self->num_metrics], row_of(self, point_id, drawn[j]),
            self->num_metrics * sizeof(*rows));
    }
    head.num_replications = (int64_t) num;
    head.batch_replications = (int64_t) num;
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){point_id, 0, num, rows, warnings}), 0);
    assert_int_equal(spot_summarise(store, point_id, summaries), 0);
    store->close(store);
    free(warnings);
    free(rows);
}

/* No share is 0 +-0, and no mean is trusted that lacks its tail: where its interval misses
 * the truth, most are marked. */
static int check_tails(const pool_t *self, size_t point_id, size_t num)
{
    static const char *const names[] = {
        "late_fraction", "mean(late_fraction)", "mean(latency_p99_ms)"};
    spot_summary_t *summaries = spot_calloc(self->num_metrics, sizeof(*summaries));
    int num_held[3] = {0}, num_marked[3] = {0}, num_silent[3] = {0}, num_bad = 0;
    double truths[3];

    assert_non_null(summaries);
    for (size_t j = 0; j < 3; j++) {
        truths[j] = mean_of(self, point_id, metric_of(self, names[j]));
    }
    for (uint64_t k = 0; k < NUM_STUDIES; k++) {
        summarise(self, point_id, k, num, summaries);
        for (size_t j = 0; j < 3; j++) {
            const spot_summary_t *summary = &summaries[metric_of(self, names[j])];
            const bool holds = summary->ci_low <= truths[j] && truths[j] <= summary->ci_high;

            assert_true(summary->ci_low < summary->ci_high);
            num_held[j] += holds;
            num_marked[j] += summary->is_heavy;
            num_silent[j] += !holds && !summary->is_heavy;
        }
    }
    for (size_t j = 0; j < 3; j++) {
        const bool is_share = j < 2;
        const bool is_good =
            is_share ? num_silent[j] <= (1 - LOWEST + by_chance(LOWEST)) * NUM_STUDIES &&
                           num_marked[j] <= 0.02 * NUM_STUDIES
                     : num_silent[j] <= 0.12 * NUM_STUDIES;

        print_message("%-21s n %3zu at point %zu: holds %5.1f %%, marked %5.1f %%, misses in "
                      "silence %5.1f %%%s\n",
            names[j], num, point_id, 100.0 * num_held[j] / NUM_STUDIES,
            100.0 * num_marked[j] / NUM_STUDIES, 100.0 * num_silent[j] / NUM_STUDIES,
            is_good ? "" : " WRONG");
        num_bad += !is_good;
    }
    free(summaries);
    return num_bad;
}

static void test_serving(void **state)
{
    pool_t pool = {.num_rows = 0};
    int num_bad;

    (void) state;
    pool_init(&pool, "serve", 0, NULL);
    num_bad = check_differences(&pool, false);
    for (size_t j = 0; j < NUM_POINTS; j++) {
        num_bad += check_tails(&pool, j, 24);
        num_bad += check_tails(&pool, j, 96);
    }
    pool_free(&pool);
    assert_int_equal(num_bad, 0);
}

/* ---- Counts of events ---- */

#define LOWEST_OF_EVENTS 0.95 /* these intervals are wide rather than narrow */

/* Both points of a study of num replications: their summaries, [NUM_POINTS][num_metrics], and
 * the differences. */
static void compare_points(const pool_t *self, uint64_t study_id, size_t num,
    spot_summary_t *summaries, spot_paired_t *pairs)
{
    spot_study_head_t head = self->study.head;
    double *rows = spot_calloc(num * self->num_metrics, sizeof(*rows));
    size_t drawn[MAX_ROWS];
    spot_store_t *store;

    assert_non_null(rows);
    draw(self, study_id, num, drawn);
    head.num_replications = (int64_t) num;
    head.batch_replications = (int64_t) num;
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t k = 0; k < NUM_POINTS; k++) {
        for (size_t j = 0; j < num; j++) {
            memcpy(&rows[j * self->num_metrics], row_of(self, k, drawn[j]),
                self->num_metrics * sizeof(*rows));
        }
        assert_int_equal(store->put(store, &(spot_piece_t){k, 0, num, rows, NULL}), 0);
        assert_int_equal(spot_summarise(store, k, &summaries[k * self->num_metrics]), 0);
    }
    assert_int_equal(spot_store_difference(store, 1, 0, pairs), 0);
    store->close(store);
    free(rows);
}

/* No count is 0 +-0, nor is a difference of two. */
static int check_counts(const pool_t *self, size_t num)
{
    const size_t num_metrics = self->num_metrics, num_listed = self->study.head.num_listed;
    spot_summary_t *summaries = spot_calloc(NUM_POINTS * num_metrics, sizeof(*summaries));
    spot_paired_t *pairs = spot_calloc(num_metrics, sizeof(*pairs));
    int(*num_held)[NUM_POINTS + 1] = spot_calloc(num_metrics, sizeof(*num_held));
    int num_bad = 0;

    assert_true(summaries != NULL && pairs != NULL && num_held != NULL);
    for (uint64_t k = 0; k < NUM_STUDIES; k++) {
        compare_points(self, k, num, summaries, pairs);
        for (size_t j = 0; j < num_listed; j++) {
            double truths[NUM_POINTS], low, high;

            for (size_t i = 0; i < NUM_POINTS; i++) {
                const spot_summary_t *summary = &summaries[i * num_metrics + j];

                truths[i] = self->truths[i][j];
                assert_true(summary->ci_low < summary->ci_high);
                num_held[j][i] += summary->ci_low <= truths[i] && truths[i] <= summary->ci_high;
            }
            spot_paired_bounds(&pairs[j], SPOT_CONFIDENCE, &low, &high);
            assert_true(low < high);
            num_held[j][NUM_POINTS] +=
                low <= truths[1] - truths[0] && truths[1] - truths[0] <= high;
        }
    }
    for (size_t j = 0; j < num_listed; j++) {
        bool is_good = true;

        for (size_t i = 0; i <= NUM_POINTS; i++) {
            is_good = is_good && num_held[j][i] >=
                                     (LOWEST_OF_EVENTS - by_chance(LOWEST_OF_EVENTS)) * NUM_STUDIES;
        }
        print_message("%-17s n %3zu, truth %9.4g and %9.4g: holds %5.1f %% and %5.1f %%, the "
                      "difference %5.1f %%%s\n",
            self->study.head.metrics[j].name, num, self->truths[0][j], self->truths[1][j],
            100.0 * num_held[j][0] / NUM_STUDIES, 100.0 * num_held[j][1] / NUM_STUDIES,
            100.0 * num_held[j][2] / NUM_STUDIES, is_good ? "" : " WRONG");
        num_bad += !is_good;
    }
    free(summaries);
    free(pairs);
    free(num_held);
    return num_bad;
}

static void test_counts(void **state)
{
    static const char *const sets[] = {
        "trace.addition.per_minute=0", "trace.preemption.count={fixed: 1}"};
    pool_t pool = {.num_rows = 0};
    int num_bad = 0;

    (void) state;
    pool_init(&pool, "train-events", 2, sets);
    for (size_t j = 0; j < NUM_POINTS; j++) {
        for (size_t k = 0; k < pool.study.head.num_listed; k++) {
            pool.truths[j][k] = mean_of(&pool, j, k);
        }
    }
    num_bad += check_counts(&pool, 24);
    num_bad += check_counts(&pool, 96);
    pool_free(&pool);
    assert_int_equal(num_bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training),
        cmocka_unit_test(test_times_of_training),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_serving),
        cmocka_unit_test(test_counts),
    };

    return cmocka_run_group_tests_name("study_coverage", tests, NULL, NULL);
}
