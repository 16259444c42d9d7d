/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an advice searched: markers by market, hollow where the goal is not kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/advice_report.h"
#include "tests/unit/reports/declared.h"

static spot_advice_searched_t searched[] = {
    {"spot", 16, 10, 0.5, false},
    {"spot", 24, 12, 0.97, true},
    {"on demand", 16, 30, 1, true},
    {"mixed", 16, (double) INFINITY, 0, false},
};
static spot_advised_t advised[] = {
    {.kind = "spot", .size = 24, .verdict = SPOT_VERDICT_YES, .figures = {.cost = 12.5}},
};

static char *declared(bool is_yes, double budget)
{
    const spot_advice_result_t result = {.cost_unit = "EUR",
        .budget = budget,
        .verdict = is_yes ? SPOT_VERDICT_YES : SPOT_VERDICT_NO,
        .num_advised = 1,
        .advised = advised,
        .num_searched = sizeof(searched) / sizeof(searched[0]),
        .searched = searched};

    return declared_text(spot_advice_declare, &result);
}

static void assert_says(const char *text, const char *words, bool is_there)
{
    if ((strstr(text, words) != NULL) != is_there) {
        print_message("%s\"%s\" in:\n%s", is_there ? "no " : "", words, text);
        fail();
    }
}

static void test_yes(void **state)
{
    char *text = declared(true, (double) INFINITY);

    (void) state;
    assert_says(text, "4 alternatives", true);
    assert_says(text, "filled: keeps the goal'", true);
    assert_says(text, "'mean cost (EUR)'", true);
    assert_says(text, "points 16 10 hollow\n", true);
    assert_says(text, "points 24 12\n", true);
    assert_says(text, "points 16 30\n", true);
    assert_says(text, "inf", false); /* what has no known cost has no place */
    assert_says(text, "'the answer'", true);
    assert_says(text, "points 24 12.5", true);
    free(text);
}

static void test_no(void **state)
{
    char *text = declared(false, 20);

    (void) state;
    assert_says(text, "filled: keeps the goal and the budget'", true);
    assert_says(text, "'the nearest'", true);
    assert_says(text, "'the answer'", false);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yes),
        cmocka_unit_test(test_no),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
