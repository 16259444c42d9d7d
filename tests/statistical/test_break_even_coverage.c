/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The intervals of break-evens hold the true one in 95 % of the studies, counted over
 * studies of other seeds; and an interval that is half as wide does not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "sim/engines.h"

#define NUM_STUDIES 400
#define NUM_ROWS 60
#define NUM_TRUE_ROWS 20000
#define FILE_NAME "break-even-coverage.yaml"

/* The winner pays less for its checkpoints and more for each loss. */
static const char text[] =
    "study: s\n"
    "scenario:\n"
    "  scenario: t\n"
    "  horizon: 6 h\n"
    "  fleet: {capacity: 16, initial: 16, preparation: 60 s}\n"
    "  job:\n"
    "    pipeline_depth: 2\n"
    "    samples_per_step: 64\n"
    "    step_time: {2: 20 s, 16: 4 s}\n"
    "    checkpoint: {every: 10 steps, write: 60 s}\n"
    "  trace:\n"
    "    generator: seed\n"
    "    preemption: {per_minute: 0.1, count: {fixed: 1}}\n"
    "    addition: {per_minute: 0.1, count: {fixed: 1}}\n"
    "sweep:\n"
    "  recovery:\n"
    "    - {system: checkpoint, detection: 5 s}\n"
    "    - {system: checkpoint, detection: 40 s, checkpoint: {every: 4 steps}}\n"
    "best: {key: recovery, maximise: samples_per_s, break_even: [recovery.detection]}\n"
    "metrics: [samples_per_s]\n";

static void find(uint64_t seed, int64_t num_rows, spot_break_even_t *item)
{
    char sets[2][64];
    const char *const list[] = {sets[0], sets[1]};
    const spot_study_run_t run = {.num_threads = 2};
    spot_study_t study;
    spot_store_t *store;
    spot_diag_t diag;

    snprintf(sets[0], sizeof(sets[0]), "replications.seed=%llu", (unsigned long long) seed);
    snprintf(sets[1], sizeof(sets[1]), "replications.count=%lld", (long long) num_rows);
    spot_diag_init(&diag);
    assert_int_equal(spot_study_read(&study, spot_engines, FILE_NAME,
                         &(spot_scenario_changes_t){.num_sets = 2, .sets = list}, &diag),
        0);
    assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
    assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
    assert_int_equal(store->num_break_evens, 1);
    *item = store->break_evens[0];
    store->close(store);
    spot_study_free(&study);
    spot_diag_free(&diag);
}

static void test_coverage(void **state)
{
    const int above = SPOT_BREAK_EVEN_ABOVE;
    spot_break_even_t truth, item;
    int num_held = 0, num_held_by_half = 0, num_found = 0;
    FILE *file = fopen(FILE_NAME, "w");

    (void) state;
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    find(1, NUM_TRUE_ROWS, &truth);
    assert_true(isfinite(truth.sides[above].at));
    for (uint64_t j = 0; j < NUM_STUDIES; j++) {
        const spot_break_even_side_t *side = &item.sides[above];
        double distance;

        find(100 + j, NUM_ROWS, &item);
        assert_int_equal(item.best_id, truth.best_id);
        num_found += isfinite(side->at) && isfinite(side->far);
        distance = truth.sides[above].at - side->at;
        num_held += truth.sides[above].at >= side->near && !(truth.sides[above].at > side->far);
        num_held_by_half +=
            2 * distance >= side->near - side->at && 2 * distance <= side->far - side->at;
    }
    unlink(FILE_NAME);
    printf("true break-even %.2f s; found in %d of %d studies; held by %d intervals, by %d "
           "of half the width\n",
        truth.sides[above].at, num_found, NUM_STUDIES, num_held, num_held_by_half);
    assert_int_equal(num_found, NUM_STUDIES);
    assert_in_range(num_held, (int) (0.92 * NUM_STUDIES), (int) (0.98 * NUM_STUDIES));
    assert_true(num_held_by_half < (int) (0.85 * NUM_STUDIES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
