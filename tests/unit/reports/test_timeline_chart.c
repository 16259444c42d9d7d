/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "reports/run_chart.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

/* The SVG. */
static char *draw(const spot_run_series_t *run)
{
    return declared_svg(spot_timeline_declare, run);
}

static void test_golden(void **state)
{
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run(&sample, 355 * SPOT_MS_PER_MIN, 12);
    text = declared_text(spot_timeline_declare, &sample.run);
    sample_assert_golden("timeline.txt", text);
    free(text);
    sample_run_free(&sample);
}

static void test_long_runs_stay_small(void **state)
{
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run(&sample, 30 * SPOT_MS_PER_D, 20000);
    text = draw(&sample.run);
    assert_non_null(strstr(text, ">time (d)<"));
    assert_true(strlen(text) < 200000);
    free(text);
    sample_run_free(&sample);
}

static void test_units_of_time(void **state)
{
    static const struct {
        int64_t end_ms;
        const char *expected;
    } cases[] = {
        {100 * SPOT_MS_PER_S, ">time (s)<"},
        {3 * SPOT_MS_PER_MIN, ">time (min)<"},
        {179 * SPOT_MS_PER_MIN, ">time (min)<"},
        {180 * SPOT_MS_PER_MIN, ">time (h)<"},
        {71 * SPOT_MS_PER_H, ">time (h)<"},
        {72 * SPOT_MS_PER_H, ">time (d)<"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        sample_run_t sample;
        char *text;

        sample_run(&sample, cases[j].end_ms, 3);
        text = draw(&sample.run);
        assert_non_null(strstr(text, cases[j].expected));
        free(text);
        sample_run_free(&sample);
    }
}

/* Nothing lives, nothing happens: an empty picture, not an error. */
static void test_an_empty_fleet(void **state)
{
    static const char *const levels[] = {"useful"};
    sample_run_t sample;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.title = "it's `nothing`",
                                  .num_levels = 1,
                                  .levels = levels,
                                  .unit = "instances",
                                  .curve = "steps"});
    sample_run_level(&sample, 0, (const double[]){0});
    sample_run_end(&sample, 1000, NULL);
    free(declared_text(spot_timeline_declare, &sample.run));
    sample_run_free(&sample);
}

/* Whatever series an engine has make a picture; the lowest panel has the time. */
static void test_some_series(void **state)
{
    static const char *const levels[] = {"length"};
    static const char *const marks[] = {"left", NULL};
    static const double heights[] = {3};

    (void) state;
    for (unsigned j = 1; j < 8; j++) {
        sample_run_t sample;
        char *text;

        sample_run_begin(&sample, &(sample_words_t){.num_levels = j & 1,
                                      .levels = levels,
                                      .unit = "customers",
                                      .marks = j & 2 ? marks : NULL,
                                      .curve = j & 4 ? "served" : NULL});
        sample_run_level(&sample, 0, heights);
        if (j & 2) {
            sample_run_mark(&sample, 500, "left", 2);
        }
        sample_run_point(&sample, 0, 0);
        sample_run_point(&sample, 700, 8);
        sample_run_end(&sample, 1000, NULL);
        text = declared_text(spot_timeline_declare, &sample.run);
        assert_int_equal(sample_count(text, "\n  x ms 'time'"), sample_count(text, "\npanel"));
        assert_int_equal(sample_count(text, "'customers'"), j & 1);
        assert_int_equal(sample_count(text, "'left, 1 time'"), j >> 1 & 1);
        assert_int_equal(sample_count(text, "'8 served'"), j >> 2);
        free(text);
        text = draw(&sample.run);
        assert_int_equal(sample_count(text, ">time (ms)<"), 1);
        free(text);
        sample_run_free(&sample);
    }
}

static void test_a_run_without_time(void **state)
{
    sample_run_t sample;
    spot_diag_t diag;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.curve = "steps"});
    sample_run_end(&sample, 0, NULL);
    spot_diag_init(&diag);
    assert_false(spot_run_series_check(&sample.run, "no.svg", &diag));
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(diag.items[0].text, "no.svg: nothing can be drawn: the run is empty");
    sample_run_free(&sample);
    sample_run_begin(&sample, &(sample_words_t){.title = "tables only"});
    sample_run_end(&sample, 1000, NULL);
    assert_false(spot_run_series_check(&sample.run, "no.svg", &diag));
    assert_string_equal(
        diag.items[1].text, "no.svg: nothing can be drawn: the run has no series over time");
    sample_run_free(&sample);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_long_runs_stay_small),
        cmocka_unit_test(test_units_of_time),
        cmocka_unit_test(test_an_empty_fleet),
        cmocka_unit_test(test_some_series),
        cmocka_unit_test(test_a_run_without_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
