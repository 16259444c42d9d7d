/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of paired differences between two points of the main study contain the true
 * difference with their confidence, and are narrower than unpaired ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/summary.h"
#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"
#include "statistics.h"

#define NUM_STUDIES 1000
#define NUM_PAIRS "64"
#define NUM_PAIRS_OF_TRUTH "60000"
#define LOWEST 0.93
#define HIGHEST 0.97

#define NUM_METRICS 2 /* idle_fraction, goodput_fraction; those for the plot follow */
#define MAX_METRICS 64

/* Depth 8 and depth 16, to which it is compared, at one preemption rate. */
static void read_study(spot_study_t *study, const char *count, uint64_t seed)
{
    static const char path[] = SPOT_SOURCE_DIR "/reports/studies/idle-vs-preemption/study.yaml";
    const char *sets[] = {
        "trace.preemption.per_minute=[0.15]", "metrics=[idle_fraction, goodput_fraction]", count};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_study_read(study, spot_engines, path,
                         &(spot_scenario_changes_t){.num_sets = 3, .sets = sets}, &diag),
        0);
    assert_true(study->head.has_baseline);
    study->head.seed = seed;
    spot_diag_free(&diag);
}

/* pairs: [num_metrics] */
static void run_study(const spot_study_t *study, spot_paired_t *pairs)
{
    const spot_study_run_t run = {.num_threads = 2};
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    assert_int_equal(spot_store_difference(store, 0, 1, pairs), 0);
    store->close(store);
}

/* Counts over many studies, for one metric. */
typedef struct {
    int num_held;
    int num_held_shifted; /* had the truth been half a width off */
    spot_moments_t means;
    spot_moments_t half_widths;
} tally_t;

static void count_study(tally_t *self, const spot_paired_t *pair, double truth)
{
    const double error = spot_paired_mean(pair) - truth;
    const double half_width = spot_paired_half_width(pair, SPOT_CONFIDENCE);

    self->num_held += fabs(error) <= half_width;
    self->num_held_shifted += fabs(error + half_width) <= half_width;
    spot_moments_add(&self->means, spot_paired_mean(pair));
    spot_moments_add(&self->half_widths, half_width);
}

static void assert_covers(const char *name, const tally_t *tally, const spot_paired_t *truth)
{
    const double share = (double) tally->num_held / NUM_STUDIES;
    const double gain = spot_paired_gain(truth, SPOT_CONFIDENCE);

    print_message("%s: %.1f %% of intervals hold %.5f, %.2f times narrower than unpaired "
                  "ones\n",
        name, 100 * share, spot_paired_mean(truth), gain);
    assert_true(share >= LOWEST && share <= HIGHEST);
    assert_true(tally->num_held_shifted < 0.7 * NUM_STUDIES);
    /* the error of the truth is much smaller than the intervals */
    assert_true(spot_paired_half_width(truth, SPOT_CONFIDENCE) <
                0.05 * spot_moments_mean(&tally->half_widths));
    assert_true(gain > 1.5);
    assert_same_mean(name, &tally->means, &truth->difference, 0.005);
}

static void test_coverage(void **state)
{
    spot_paired_t truth[MAX_METRICS], pairs[MAX_METRICS];
    tally_t tallies[NUM_METRICS] = {{0}};
    spot_study_t study;

    (void) state;
    read_study(&study, "replications.count=" NUM_PAIRS_OF_TRUTH, 1000000);
    run_study(&study, truth);
    spot_study_free(&study);
    read_study(&study, "replications.count=" NUM_PAIRS, 1);
    for (uint64_t seed = 1; seed <= NUM_STUDIES; seed++) {
        study.head.seed = seed;
        run_study(&study, pairs);
        for (size_t j = 0; j < NUM_METRICS; j++) {
            count_study(&tallies[j], &pairs[j], spot_paired_mean(&truth[j]));
        }
    }
    for (size_t j = 0; j < NUM_METRICS; j++) {
        assert_covers(study.head.metrics[j].name, &tallies[j], &truth[j]);
    }
    spot_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
    };

    return cmocka_run_group_tests_name("difference_coverage", tests, NULL, NULL);
}
