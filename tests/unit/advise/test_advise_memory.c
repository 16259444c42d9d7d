/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out on the way to an advice: each of the first blocks is refused
 * once, then some of the many of the search, at growing distances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/statistical/advice_case.h"
#include "tests/unit/base/short_memory.h"

/* A job whose search is short. */
#define JOB                                                                                        \
    "scenario: job\nhorizon: 10 min\n"                                                             \
    "fleet: {capacity: 2, initial: 2, price: {spot: 1, on_demand: 3}}\n"                           \
    "job: {pipeline_depth: 2, step_time: {2: 60 s}, max_pipelines: 1,\n"                           \
    "    checkpoint: {mode: sync, write: 60 s, every: 5 min}}\n"                                   \
    "recovery: checkpoint\ntrace: {generator: seed,\n"                                             \
    "    preemption: {per_minute: 0.01, count: {fixed: 1}},\n"                                     \
    "    addition: {per_minute: 0.1, count: {fixed: 1}}}\n"

/* An advice that is given all the same lacks words alone, such as why a recovery system
 * is left out. */
static void test_refused(void **state)
{
    size_t num_refused = 0, num_failed = 0;
    advice_t advice;
    double cost;

    (void) state;
    advice_init(&advice, JOB);
    advice.request.question.num_steps = 5;
    advice.request.question.finish_by_ms = 1800000;
    advice.request.num_threads = 1;
    advice_ask(&advice);
    cost = advice.result.advised[0].figures.cost;
    for (size_t j = 0; num_left == SIZE_MAX; j += 1 + j / 40) {
        spot_diag_t diag;
        int ret;

        advice_reset(&advice);
        num_left = j;
        ret = advice_try(&advice, &diag);
        spot_diag_free(&diag);
        if (ret == 0) {
            assert_true(advice.result.advised[0].figures.cost == cost);
        } else {
            assert_int_equal(ret, SPOT_ERR_NO_MEMORY);
            num_failed++;
        }
        num_refused += num_left == SIZE_MAX; /* else the advice needs no more blocks */
    }
    num_left = SIZE_MAX;
    assert_in_range(num_failed, 200, num_refused);
    assert_true(num_failed >= num_refused * 9 / 10);
    advice_free(&advice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
