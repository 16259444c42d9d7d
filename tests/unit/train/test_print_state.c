/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a failing run looks like from inside: every part prints its state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"

/* Three instances in a pipeline of two; one more arrives at every tick with room. */
static const char scenario_text[] =
    "scenario: small\n"
    "horizon: 1 min\n"
    "fleet: {capacity: 4, initial: 3}\n"
    "job: {pipeline_depth: 2, step_time: {2: 10 s}, reconfiguration: 8 s, reload: 2 s}\n"
    "trace:\n"
    "  generator: seed\n"
    "  preemption: {per_minute: 0, count: {fixed: 1}}\n"
    "  addition: {per_minute: 1, count: {fixed: 1}}\n";

static void assert_state(const spot_train_t *train, const char *expected)
{
    char *text = NULL;
    size_t num_bytes = 0;
    FILE *stream = open_memstream(&text, &num_bytes);

    assert_non_null(stream);
    spot_train_print_state(train, stream);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_states_of_a_run(void **state)
{
    spot_scenario_t scenario;
    spot_train_t train;

    (void) state;
    bind_good_scenario(&scenario, scenario_text);
    assert_int_equal(spot_train_init(&train, &scenario), 0);
    spot_train_start(&train, 1, 0, NULL);
    assert_state(&train, "now 0 ms, end 60000 ms; since 0 ms: 0 active in 0 pipelines; "
                         "0 steps executed, 0 durable\n"
                         "living: 3 of 4: 0 1 2\n"
                         "prepping: 3 of 4: 0 1 2\n"
                         "standby: 0 of 4:\n"
                         "active: 0 of 4:\n");
    spot_train_verify(&train);
    assert_int_equal(spot_train_step(&train, 1), 1);
    assert_state(&train, "now 0 ms, end 60000 ms; since 0 ms: 2 active in 1 pipelines, "
                         "training from 0 ms; "
                         "0 steps executed, 0 durable\n"
                         "living: 3 of 4: 0 1 2\n"
                         "prepping: 0 of 4:\n"
                         "standby: 1 of 4: 2\n"
                         "active: 2 of 4: 0 1\n");
    assert_int_equal(spot_train_step(&train, 1), 1);
    assert_state(&train, "now 5000 ms, end 60000 ms; since 0 ms: 2 active in 1 "
                         "pipelines, training from 0 "
                         "ms; 0 steps executed, 0 durable\n"
                         "living: 4 of 4: 0 1 2 3\n"
                         "prepping: 1 of 4: 3\n"
                         "standby: 1 of 4: 2\n"
                         "active: 2 of 4: 0 1\n");
    spot_train_verify(&train);
    assert_int_equal(spot_train_step(&train, 1), 0);
    spot_train_free(&train);
    spot_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_of_a_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
