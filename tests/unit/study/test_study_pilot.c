/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured: one run at least, all points that are to be, none after a stop. No
 * test looks at a clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/keys_study.h"

#define SWEEP "sweep: {first: {from: 0, to: 1, points: 100}}\n"

/* The share of a point is far more than a run of this experiment takes, so that all
 * points that are to be measured are, and more often than a small study runs them. */
static void test_all_of_the_budget(void **state)
{
    const spot_watch_t watch = {.stop = NULL};
    spot_pilot_t pilot;
    spot_study_t study;

    (void) state;
    read_keys_study(&study, SWEEP "replications: {count: 5}\n");
    assert_int_equal(spot_study_measure(&study, 0, &watch, &pilot), 0);
    assert_int_equal(pilot.num_runs, 1); /* however little time there is */
    assert_int_equal(pilot.num_points, 1);
    assert_int_equal(spot_study_measure(&study, 0.3, &watch, &pilot), 0);
    assert_int_equal(pilot.num_points, 32);
    assert_true(pilot.num_runs > 32 * 5);
    assert_true(isfinite(pilot.run_s) && pilot.run_s >= 0);
    assert_true(isfinite(pilot.open_s) && pilot.open_s >= 0);
    spot_study_free(&study);

    read_keys_study(&study, "sweep: {first: [1, 2, 3]}\n");
    assert_int_equal(spot_study_measure(&study, 0.3, &watch, &pilot), 0);
    assert_int_equal(pilot.num_points, 3);
    spot_study_free(&study);
}

static void test_stop(void **state)
{
    atomic_int stop = 1;
    const spot_watch_t watch = {.stop = &stop};
    spot_pilot_t pilot;
    spot_study_t study;

    (void) state;
    read_keys_study(&study, SWEEP);
    assert_int_equal(spot_study_measure(&study, 60, &watch, &pilot), SPOT_ERR_INTERRUPTED);
    assert_int_equal(pilot.num_runs, 0);
    spot_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_of_the_budget),
        cmocka_unit_test(test_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
