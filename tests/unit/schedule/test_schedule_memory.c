/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that runs out: each block that a run asks for is refused once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_schedule.h"
#include "tests/unit/base/short_memory.h"

static int run(const spot_schedule_scenario_t *scenario)
{
    const spot_replication_t replication = {.seed = 1, .replication = 0};
    spot_schedule_t schedule;
    int ret;

    memset(&schedule, 0xa5, sizeof(schedule));
    ret = spot_schedule_init(&schedule, scenario);
    ret = ret != 0 ? ret : spot_schedule_run(&schedule, &replication);
    spot_schedule_free(&schedule);
    return ret;
}

static void test_refused(void **state)
{
    size_t num_refused = 0;

    (void) state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        schedule_case_t self;

        draw_case(&self, seed);
        case_set_capacity(&self);
        for (size_t j = 0;; j++) {
            int ret;

            num_left = j;
            ret = run(&self.scenario);
            if (num_left != SIZE_MAX) { /* the run needs no more */
                num_left = SIZE_MAX;
                assert_int_equal(ret, 0);
                break;
            }
            assert_int_equal(ret, SPOT_ERR_NO_MEMORY);
            num_refused++;
        }
        case_end(&self);
    }
    assert_true(num_refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
