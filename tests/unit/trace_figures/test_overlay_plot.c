/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/reports/sample.h"
#include "tests/unit/trace_figures/trace_sample.h"
#include "traces/verbs/trace_picture.h"

static const trace_sample_t first = {
    "a", "unknown", "60", "counts", "9", "0,init,2,\n60,add,3,\n180,preempt,4,\n300,end,1,\n"};
static const trace_sample_t second = {
    "b", "unknown", "60", "availability", "9", "0,init,4,\n120,preempt,4,\n240,end,0,\n"};

static char *draw(const spot_overlay_t *overlay, const char *name)
{
    const char *folder = trace_sample_folder();
    char picture[64], points[64];
    spot_diag_t diag;
    char *text;

    snprintf(picture, sizeof(picture), "%s-compare.svg", name);
    snprintf(points, sizeof(points), "%s-compare.csv", name);
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_overlay(overlay, folder, name, &diag), &diag, folder, picture);
    text = trace_sample_take(folder, points);
    trace_sample_end(folder);
    return text;
}

static void test_two_traces_and_a_band(void **state)
{
    static const double time_s[] = {0, 120, 240}, low[] = {1, 0.5, 0}, median[] = {3, 2, 1},
                        high[] = {5, 4, 9};
    spot_overlay_t overlay = {
        .a_label = "it's <A>", .b_label = "漢字", .band = {20, 3, time_s, low, median, high}};
    spot_trace_t a, b;
    char *text;

    (void) state;
    trace_sample_read(&a, &first);
    trace_sample_read(&b, &second);
    overlay.a = &a;
    overlay.b = &b;
    text = draw(&overlay, "x");
    assert_string_equal(text,
        "series,time_s,obtainable,low,high\na,0,2,,\na,60,5,,\na,180,1,,\na,300,1,,\n"
        "b,0,4,,\nb,120,0,,\nb,240,0,,\nband,0,3,1,5\nband,120,2,0.5,4\nband,240,1,0,"
        "9\n");
    free(text);
    spot_trace_free(&a);
    spot_trace_free(&b);
}

static void test_without_band_or_first(void **state)
{
    spot_overlay_t overlay = {.a_label = "A", .b_label = "B"};
    spot_trace_t a, b;
    char *text;

    (void) state;
    trace_sample_read(&a, &first);
    trace_sample_read(&b, &second);
    overlay.b = &a;
    text = draw(&overlay, "x");
    assert_string_equal(text, "series,time_s,running,low,high\nb,0,2,,\nb,60,5,,\n"
                              "b,180,1,,\nb,300,1,,\n");
    free(text);
    overlay.a = &b;
    text = draw(&overlay, "x");
    assert_non_null(strstr(text, "\na,240,0,,\nb,0,2,,\n"));
    free(text);
    spot_trace_free(&a);
    spot_trace_free(&b);
}

#define NUM_TIMES 10007

/* More times than a picture can show: no width of the band is lost. */
static void test_a_long_band(void **state)
{
    static double time_s[NUM_TIMES], low[NUM_TIMES], high[NUM_TIMES];
    spot_overlay_t overlay = {
        .a_label = "A", .b_label = "B", .band = {20, NUM_TIMES, time_s, low, low, high}};
    size_t num_rows = 0, next = 0;
    spot_trace_t b;
    char *text;

    (void) state;
    for (size_t j = 0; j < NUM_TIMES; j++) {
        time_s[j] = (double) j;
        low[j] = j == 5003 ? 0 : 10;
        high[j] = j == 7001 ? 40 : 20 + (double) (j % 5);
    }
    trace_sample_read(&b, &second);
    overlay.b = &b;
    text = draw(&overlay, "x");
    for (const char *line = strstr(text, "\nband,"); line != NULL;
         line = strstr(line + 1, "\nband,")) {
        double start_s, row_low, row_high, end_s = NUM_TIMES;
        const char *follower = strstr(line + 1, "\nband,");

        assert_int_equal(sscanf(line, "\nband,%lf,%*f,%lf,%lf", &start_s, &row_low, &row_high), 3);
        if (follower != NULL) {
            assert_int_equal(sscanf(follower, "\nband,%lf", &end_s), 1);
        }
        assert_true(start_s == (double) next);
        while (next < NUM_TIMES && (double) next < end_s) {
            assert_true(row_low <= low[next] && row_high >= high[next]);
            next++;
        }
        num_rows++;
    }
    assert_int_equal(next, NUM_TIMES);
    assert_true(num_rows > 800 && num_rows <= 1600);
    free(text);
    spot_trace_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_traces_and_a_band),
        cmocka_unit_test(test_without_band_or_first),
        cmocka_unit_test(test_a_long_band),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
