/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a plan on what is there, what is left and how long that takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/plan_report.h"
#include "tests/unit/store/store_case.h"

static char *report(const spot_plan_cost_t *cost, bool is_json)
{
    store_case_t known;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    case_init(&known, 100);
    if (is_json) {
        spot_plan_report_json(&known.head, cost, out);
    } else {
        assert_int_equal(
            spot_plan_report_text(&known.head, cost, &(spot_terminal_t){80, false, true}, out), 0);
    }
    fclose(out);
    return text;
}

static void assert_says(const spot_plan_cost_t *cost, bool is_json, const char *line)
{
    char *text = report(cost, is_json);

    if (strstr(text, line) == NULL) {
        assert_string_equal(text, line);
    }
    free(text);
}

static spot_plan_cost_t cost_of(double run_s)
{
    return (spot_plan_cost_t){.num_threads = 1,
        .num_measured = 9,
        .run_s = run_s,
        .shard = "",
        .least_runs = 1,
        .most_runs = 1,
        .least_points = 1,
        .most_points = 1};
}

/* With two figures at least, and never with an exponent. */
static void test_times(void **state)
{
    static const struct {
        double time_s;
        const char *words;
    } cases[] = {{0, "under 1 s"}, {4.6e-5, "under 1 s"}, {0.999, "under 1 s"}, {1, "about 1.0 s"},
        {9.94, "about 9.9 s"}, {10.1, "about 10 s"}, {59.4, "about 59 s"}, {119, "about 119 s"},
        {121, "about 2.0 min"}, {204, "about 3.4 min"}, {3569, "about 59 min"},
        {7100, "about 118 min"}, {7300, "about 2.0 h"}, {100000, "about 28 h"},
        {172800, "about 2.0 d"}, {1e6, "about 12 d"}, {99.6 * 86400, "about 100 d"},
        {12345678, "about 143 d"}, {1e10, "about 115,741 d"}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        const spot_plan_cost_t cost = cost_of(cases[j].time_s);
        char line[100];

        snprintf(
            line, sizeof(line), "\ntime: %s on 1 thread, measured on 9 runs\n", cases[j].words);
        assert_says(&cost, false, line);
    }
}

static void test_what_is_left(void **state)
{
    spot_plan_cost_t cost = cost_of(10);
    char *text = report(&cost, false);

    (void) state;
    assert_null(strstr(text, "there:"));
    assert_null(strstr(text, "left"));
    free(text);
    assert_says(&cost, true, "\"database\": null,");
    cost.store_path = "x.db";
    cost.num_there = 30;
    cost.least_runs = 12;
    cost.most_runs = 360;
    assert_says(
        &cost, false, "\nthere: 30 in x.db\nleft: 12 to 360\ntime: about 2.0 min to 60 min on 1 ");
    assert_says(&cost, true, "\"database\": \"x.db\",");
    assert_says(&cost, true, "\"runs_there\": 30,");
    assert_says(&cost, true, "\"min_runs_left\": 12,");
    assert_says(&cost, true, "\"max_runs_left\": 360,");
    assert_says(&cost, true, "\"min_s\": 120,");
    assert_says(&cost, true, "\"max_s\": 3600,");
    cost.num_threads = 4; /* and a point takes time */
    cost.open_s = 400;
    assert_says(&cost, true, "\"min_s\": 130,");
    cost.run_s = 1e-6;
    cost.open_s = 0;
    assert_says(&cost, false, "\ntime: under 1 s on 4 threads, ");
    cost.shard = "2/3";
    assert_says(&cost, false, "\nleft for shard 2/3: 12 to 360\n");
    cost.least_runs = cost.most_runs = 0;
    cost.shard = "";
    assert_says(&cost, false, "\nleft: 0\ntime: none, all runs are there\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_what_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
