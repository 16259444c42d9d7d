/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "base/verb/document.h"
#include "tests/unit/reports/sample.h"
#include "tests/unit/trace_figures/trace_sample.h"
#include "traces/describe/describe.h"
#include "traces/verbs/trace_picture.h"

static void assert_availability(const trace_sample_t *sample, const char *expected)
{
    const char *folder = trace_sample_folder();
    spot_trace_t trace;
    spot_diag_t diag;

    trace_sample_read(&trace, sample);
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_availability(&trace, folder, "x", &diag), &diag,
        folder, "x-availability.svg");
    trace_sample_assert_file(folder, "x-availability.csv", expected);
    trace_sample_end(folder);
    spot_trace_free(&trace);
}

/* Rows of one time are one step; what happens at 0 belongs to the first. */
static void test_steps(void **state)
{
    (void) state;
    assert_availability(&(trace_sample_t){"a", "unknown", "0.5", "counts", "5",
                            "0,init,0,\n0,add,3,\n10,preempt,2,\n10,stop,1,\n10,add,1,\n"
                            "20.5,preempt,1,\n100,end,0,\n"},
        "time_s,running,capacity\n0,3,5\n10,1,5\n20.5,0,5\n100,0,5\n");
}

static void test_obtainable_and_unbounded(void **state)
{
    (void) state;
    assert_availability(&(trace_sample_t){"a", "unknown", "60", "availability", "unbounded",
                            "0,init,2,\n60,add,1,\n120,end,3,\n"},
        "time_s,obtainable,capacity\n0,2,\n60,3,\n120,3,\n");
}

static void test_named(void **state)
{
    (void) state;
    assert_availability(
        &(trace_sample_t){"a", "2021-02-03", "1", "named", "3",
            "0,init,2,a b\n5,preempt,1,a\n5,add,2,c d\n9,preempt,3,b c d\n9,end,0,\n"},
        "time_s,running,capacity\n0,2,3\n5,3,3\n9,0,3\n9,0,3\n");
}

/* Nothing ever runs, for the shortest time that there is. */
static void test_nothing_happens(void **state)
{
    (void) state;
    assert_availability(&(trace_sample_t){"it's <b>&amp; `x` 漢字 ^2 \\n", "unknown", "1", "counts",
                            "unbounded", "0,init,0,\n0.001,end,0,\n"},
        "time_s,running,capacity\n0,0,\n0.001,0,\n");
}

/* Numbers with 8 digits, times to the ms. */
static void test_large_numbers(void **state)
{
    (void) state;
    assert_availability(&(trace_sample_t){"a", "unknown", "0.001", "counts", "2147483646",
                            "0,init,0,\n1000000.001,add,2147483646,\n"
                            "3000000000.999,end,2147483646,\n"},
        "time_s,running,capacity\n0,0,2147483646\n1000000.001,2.1474836e+09,2147483646\n"
        "3000000001,2.1474836e+09,2147483646\n");
}

#define NUM_ROWS 100000

/* A long quiet trace with one short peak and one short fall. */
static char *long_rows(void)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    fputs("0,init,50,\n", out);
    for (int j = 1; j <= NUM_ROWS; j++) {
        const int size = j == 40001 || j == 40002 ? 45 : j == 70001 || j == 70002 ? 49 : 1;
        const bool is_add = j >= 70001 ? j % 2 == 0 : j % 2 == 1;

        fprintf(out, "%d,%s,%d,\n", 60 * j, is_add ? "add" : "preempt", size);
    }
    fprintf(out, "%d,end,50,\n", 60 * NUM_ROWS + 1);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_a_long_trace_keeps_its_peaks(void **state)
{
    const char *folder = trace_sample_folder();
    char *rows = long_rows(), *points;
    spot_trace_t trace;
    spot_diag_t diag;
    size_t num_lines = 0;

    (void) state;
    trace_sample_read(&trace, &(trace_sample_t){"a", "unknown", "60", "counts", "unbounded", rows});
    free(rows);
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_availability(&trace, folder, "x", &diag), &diag,
        folder, "x-availability.svg");
    points = trace_sample_take(folder, "x-availability.csv");
    for (const char *byte = points; *byte != '\0'; byte++) {
        num_lines += *byte == '\n';
    }
    assert_true(num_lines <= 1 + 4 * 800);
    assert_non_null(strstr(points, "\n2400060,95,\n"));
    assert_non_null(strstr(points, "\n4200060,1,\n"));
    assert_non_null(strstr(points, "\n6000001,50,\n"));
    free(points);
    trace_sample_end(folder);
    spot_trace_free(&trace);
}

/* The points of the picture of hours. */
static char *hours_of(const trace_sample_t *sample, bool is_start_known)
{
    const char *folder = trace_sample_folder();
    spot_trace_t trace;
    spot_diag_t diag;
    char *points;

    trace_sample_read(&trace, sample);
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_hours(
            &trace, is_start_known ? spot_hours_start_ms(&trace) : -1, folder, "x", &diag),
        &diag, folder, "x-hours.svg");
    points = trace_sample_take(folder, "x-hours.csv");
    trace_sample_end(folder);
    spot_trace_free(&trace);
    return points;
}

/* From 22:30 for 3 h: an instance runs but for the last half hour. With no event in an
 * exposed hour the Poisson limit is -ln 0.025 = 3.6888795 an hour. */
static void test_hours(void **state)
{
    const trace_sample_t sample = {"a", "2021-02-03T22:30:00Z", "1", "counts", "2",
        "0,init,1,\n1800,preempt,1,\n1800,add,1,\n9000,preempt,1,\n10800,end,0,\n"};
    char *points = hours_of(&sample, true);

    (void) state;
    trace_sample_assert_start(points,
        "event,hour_of_day,events,exposed_h,per_exposed_h,low95_per_h,high95_per_h\n"
        "preempt,0,0,1,0,0,3.6888795\npreempt,1,1,0,,,\npreempt,2,0,0,,,\n");
    assert_non_null(strstr(points, "\npreempt,22,0,0.5,0,0,7.3777589\n"));
    assert_non_null(strstr(points, "\npreempt,23,1,1,1,0.025317808,5.5716434\n"));
    assert_non_null(strstr(points, "\nadd,23,1,1,1,0.025317808,5.5716434\n"));
    assert_non_null(strstr(points, "\nadd,1,0,0.5,0,0,7.3777589\n"));
    free(points);
    points = hours_of(&sample, false);
    trace_sample_assert_start(points, "event,hour_since_start,");
    assert_non_null(strstr(points, "\npreempt,0,1,1,1,0.025317808,5.5716434\n"));
    assert_non_null(strstr(points, "\npreempt,3,0,0,,,\n"));
    free(points);
}

/* Never an instance to lose, never room for another. */
static void test_hours_without_exposure(void **state)
{
    char *points = hours_of(&(trace_sample_t){"a", "unknown", "1", "availability", "unbounded",
                                "0,init,0,\n60,end,0,\n"},
        false);

    (void) state;
    assert_non_null(strstr(points, "\npreempt,0,0,0,,,\n"));
    assert_non_null(strstr(points, "\nadd,0,0,0,,,\n"));
    free(points);
}

static void test_a_hostile_name(void **state)
{
    const char *folder = trace_sample_folder();
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    trace_sample_read(
        &trace, &(trace_sample_t){"a", "unknown", "1", "counts", "5", "0,init,1,\n60,end,1,\n"});
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_availability(&trace, folder, "</svg>'\n`x`/漢\xff", &diag), &diag, folder,
        "__svg____x__漢_-availability.svg");
    free(trace_sample_take(folder, "__svg____x__漢_-availability.csv"));
    trace_sample_end(folder);
    spot_trace_free(&trace);
}

static void test_folders_that_cannot_be(void **state)
{
    spot_trace_t trace;
    spot_diag_t diag;

    (void) state;
    trace_sample_read(
        &trace, &(trace_sample_t){"a", "unknown", "1", "counts", "5", "0,init,1,\n60,end,1,\n"});
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_plot_availability(&trace, "/dev/null", "x", &diag), SPOT_ERR_IO);
    assert_int_equal(
        spot_trace_plot_availability(&trace, "/nowhere/at/all", "x", &diag), SPOT_ERR_IO);
    assert_int_equal(diag.num_errors, 2);
    assert_string_equal(diag.items[0].text, "/dev/null: expected a folder, but this is none");
    assert_string_equal(
        diag.items[1].text, "/nowhere/at/all: cannot make this folder: No such file or directory");
    spot_diag_free(&diag);
    spot_trace_free(&trace);
}

static void test_words(void **state)
{
    static const struct {
        double duration_s;
        const char *expected;
    } cases[] = {{3000 * 86400.0, "3000 d"}, {0, "0 s"}, {0.25, "0.25 s"}, {60, "60 s"},
        {120, "2 min"}, {4000, "66.7 min"}, {7200, "2 h"}, {40920, "11.4 h"}, {172800, "2 d"}};

    spot_texts_t texts = {0};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        assert_string_equal(spot_words_duration(&texts, cases[j].duration_s), cases[j].expected);
    }
    spot_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_obtainable_and_unbounded),
        cmocka_unit_test(test_named),
        cmocka_unit_test(test_nothing_happens),
        cmocka_unit_test(test_large_numbers),
        cmocka_unit_test(test_a_long_trace_keeps_its_peaks),
        cmocka_unit_test(test_hours),
        cmocka_unit_test(test_hours_without_exposure),
        cmocka_unit_test(test_a_hostile_name),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_folders_that_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
