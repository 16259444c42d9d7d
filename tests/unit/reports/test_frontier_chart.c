/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost against objective: lines, their dashes, and objectives without a plan. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/frontier_chart.h"
#include "tests/unit/reports/declared.h"

static char *declared(const spot_frontier_point_t *points, size_t num_points, const char *name)
{
    const spot_frontier_t frontier = {name, 99, num_points, points};

    return declared_text(spot_frontier_declare, &frontier);
}

static void assert_says(const char *text, const char *words)
{
    if (strstr(text, words) == NULL) {
        print_message("no \"%s\" in:\n%s", words, text);
        fail();
    }
}

static void test_lines(void **state)
{
    const double none = (double) NAN;
    const spot_frontier_point_t points[] = {{100, none, none}, {150, 30, none}, {200, 12, 14}};
    char *text = declared(points, 3, "two");

    (void) state;
    assert_says(text, "note 'two \302\267 percentile 99 of the latencies \302\267 3 "
                      "objectives'\n");
    assert_says(text, "y 'cost per hour' from 0 to 32.4\n");
    assert_says(text, "series of area-steps 'no plan' #aab1b8\n"
                      "    area-steps 100 32.4\n    area-steps 150 nan\n"
                      "    area-steps 200 nan\n");
    assert_says(text, "series of steps 'greedy' #d55e00 square hollow dashed\n"
                      "    steps 100 nan\n    steps 150 nan\n    steps 200 14\n");
    assert_says(text, "series of steps 'exact' #0072b2 circle\n"
                      "    steps 100 nan\n    steps 150 30\n    steps 200 12\n");
    free(text);
}

static void test_all_or_none(void **state)
{
    const double none = (double) NAN;
    const spot_frontier_point_t unsolved[] = {{100, none, none}, {150, none, none}};
    const spot_frontier_point_t solved[] = {{100, 6, 6}};
    char *text = declared(unsolved, 2, NULL);

    (void) state;
    assert_says(text, "empty 'no configuration meets any of these objectives'");
    assert_null(strstr(text, "series of"));
    free(text);
    text = declared(solved, 1, NULL);
    assert_says(text, "note 'percentile 99 of the latencies \302\267 1 objective'\n");
    assert_null(strstr(text, "no plan"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_all_or_none)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
