/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recovery system of a user's own: share/examples/recovery_mine.c, registered as the
 * CMake option SPOT_EXTRA_RECOVERY does it, in a scenario and by the laws for all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixture.h"
#include "policy_laws.h"

#define NUM_CASES 600

extern const spot_recovery_t spot_recovery_mine;

static void test_is_registered(void **state)
{
    size_t num_systems = 0;

    (void) state;
    assert_ptr_equal(spot_recovery_find("mine", NULL), &spot_recovery_mine);
    while (spot_recovery_systems[num_systems] != NULL) {
        num_systems++;
    }
    assert_true(num_systems >= 4); /* beside those of spotsim */
    assert_ptr_equal(spot_recovery_find("checkpoint", NULL), &spot_recovery_checkpoint);
}

/* Its options are checked as those of the others. */
static void test_options(void **state)
{
    static const char text[] = "scenario: own\nhorizon: 1 h\n"
                               "recovery: {system: mine, spares: -1, swop: 1 s}\n"
                               "trace: {generator: seed}\n";
    spot_scenario_t scenario;
    spot_diag_t diag;
    char *report;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(bind_scenario(&scenario, text, &diag), SPOT_ERR_BAD_INPUT);
    spot_scenario_free(&scenario);
    report = diagnostics(&diag);
    assert_non_null(strstr(report, "recovery.spares: expected an integer from 0"));
    assert_non_null(strstr(report, "unknown key \"swop\", did you mean \"swap\"?"));
    free(report);
    spot_diag_free(&diag);
}

static void test_by_hand(void **state)
{
    static const hand_case_t cases[] = {
        /* e replaces b: 7 s and the reload of 40 s, from 92 s on. */
        {"a spare", "{system: mine, spares: 1, swap: 7 s}",
            "0,init,5,a b c d e\n45,preempt,1,b\n132,end,4,\n", 4 + 4, 4, 1, 7000, 40000},
        /* One pipeline and a spare: 60 s, steps of 18 s. */
        {"no spare left", "{system: mine, spares: 1}",
            "0,init,5,a b c d e\n45,preempt,2,b c\n159,end,3,\n", 4 + 3, 4, 1, 20000, 40000},
        {"spares do not train", "{system: mine, spares: 2}", "0,init,5,a b c d e\n180,end,5,\n", 10,
            0, 0, 0, 0},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        check_by_hand(&cases[j]);
    }
}

static void test_laws(void **state)
{
    spot_event_log_t log;

    (void) state;
    spot_event_log_init(&log);
    for (uint64_t seed = 1; seed <= NUM_CASES; seed++) {
        (void) check_policy(seed, seed % 2 == 0 ? "mine" : "{system: mine, spares: 0}", true, &log);
        check_constant_fleet(seed, "{system: mine, spares: 0}");
    }
    spot_event_log_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_registered),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_laws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
