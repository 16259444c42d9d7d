/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of what is held against a trace, but its instances over time: gaps, and
 * values of several series. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/traces/trace_figures.h"
#include "tests/unit/reports/sample.h"
#include "tests/unit/trace_figures/trace_sample.h"

static const double few_s[] = {60, 60, 180, 600};
static const double others_s[] = {120, 240};

static spot_gap_overlay_t
overlay_of(const double *a_s, size_t num_a, const double *b_s, size_t num_b)
{
    return (spot_gap_overlay_t){.kind = SPOT_SAMPLE_PREEMPT_GAP,
        .tick_s = 60,
        .num_a = num_a,
        .a_s = a_s,
        .num_b = num_b,
        .b_s = b_s,
        .a_label = "it's <A>",
        .b_label = "漢字"};
}

/* Equal gaps are one step. */
static void
test_gaps_of_two_traces(void **state)
{
    const spot_gap_overlay_t overlay = overlay_of(few_s, 4, others_s, 2);
    const char *folder = trace_sample_folder();
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag),
        &diag, folder, "x-preempt-gap-compare.svg");
    trace_sample_assert_file(folder, "x-preempt-gap-compare.csv",
        "series,time_s,survival,low,high\na,0,1,,\na,60,0.5,,\na,180,0.25,,\n"
        "a,600,0,,\nb,0,1,,\nb,120,0.5,,\nb,240,0,,\n");
    trace_sample_end(folder);
}

/* The band goes as far as one replication has longer gaps. */
static void
test_gaps_over_a_band(void **state)
{
    static const double time_s[] = {0, 60, 120, 180, 240}, low[] = {1, 0.25, 0, 0, 0},
                        median[] = {1, 0.5, 0.25, 0, 0}, high[] = {1, 0.75, 0.5, 0, 0};
    spot_gap_overlay_t overlay = overlay_of(NULL, 0, few_s, 4);
    const char *folder = trace_sample_folder();
    spot_diag_t diag;

    (void) state;
    overlay.kind = SPOT_SAMPLE_ADD_GAP;
    overlay.is_obtainable = true;
    overlay.band = (spot_model_band_t){20, 5, time_s, low, median, high};
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag),
        &diag, folder, "x-add-gap-compare.svg");
    trace_sample_assert_file(folder, "x-add-gap-compare.csv",
        "series,time_s,survival,low,high\nb,0,1,,\nb,60,0.5,,\nb,180,0.25,,\n"
        "b,600,0,,\nband,0,1,1,1\nband,60,0.5,0.25,0.75\nband,120,0.25,0,0.5\n");
    trace_sample_end(folder);
}

static void
test_too_few_gaps(void **state)
{
    static const double time_s[] = {0, 60}, nothing[] = {(double) NAN, (double) NAN};
    static const struct {
        size_t num_a, num_b;
        const char *problem;
    } cases[] = {{4, 1, "B has fewer than 2 gaps"}, {1, 2, "A has fewer than 2 gaps"},
        {0, 2, "the model makes no gaps"}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_gap_overlay_t overlay = overlay_of(
            cases[j].num_a > 0 ? few_s : NULL, cases[j].num_a, others_s, cases[j].num_b);
        const char *folder = trace_sample_folder();
        spot_diag_t diag;

        overlay.band = (spot_model_band_t){
            cases[j].num_a > 0 ? 0 : 20, 2, time_s, nothing, nothing, nothing};
        spot_diag_init(&diag);
        trace_sample_assert_not_drawn(
            spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag), &diag, folder,
            "x-preempt-gap-compare.svg", cases[j].problem);
        free(trace_sample_take(folder, "x-preempt-gap-compare.csv"));
        trace_sample_end(folder);
    }
}

#define NUM_GAPS 300000

/* As few points as a picture shows, and those of both ends among them. */
static void
test_many_gaps(void **state)
{
    double *gaps_s = malloc(NUM_GAPS * sizeof(*gaps_s));
    const char *folder = trace_sample_folder();
    spot_gap_overlay_t overlay;
    size_t num_rows = 0;
    spot_diag_t diag;
    char *text;

    (void) state;
    assert_non_null(gaps_s);
    for (size_t j = 0; j < NUM_GAPS; j++) {
        gaps_s[j] = 60 * (double) (j + 1);
    }
    overlay = overlay_of(gaps_s, NUM_GAPS, others_s, 2);
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag),
        &diag, folder, "x-preempt-gap-compare.svg");
    text = trace_sample_take(folder, "x-preempt-gap-compare.csv");
    for (const char *line = text; line != NULL; line = strchr(line + 1, '\n')) {
        num_rows++;
    }
    assert_true(num_rows > 400 && num_rows < 3300);
    assert_non_null(strstr(text, "\na,60,0.99999667,,\n"));
    assert_non_null(strstr(text, "\na,18000000,0,,\n"));
    free(text);
    free(gaps_s);
    trace_sample_end(folder);
}

static const char *const rows[] = {"first", "second", "third"};

static void
test_dots(void **state)
{
    static const double floor[] = {0.1, 0, (double) NAN}, values[] = {0.5, 30, 1e-9},
                        half_widths[] = {0.1, (double) NAN, 1};
    static const spot_dot_series_t series[] = {
        {.label = "halves", .is_floor = true, .values = floor},
        {.label = "it's <b>,\"{x}\"", .values = values, .half_widths = half_widths}};
    spot_dots_t dots = {.what = "distances",
        .title = "title",
        .note = "note",
        .x_name = "distance",
        .is_log = true,
        .low = 1e-3,
        .high = 10,
        .num_rows = 3,
        .rows = rows,
        .num_series = 2,
        .series = series};
    const char *const text = "row,series,value,half_width\nfirst,halves,0.1,\n"
                             "first,\"it's <b>,\"\"{x}\"\"\",0.5,0.1\nsecond,halves,0,\n"
                             "second,\"it's <b>,\"\"{x}\"\"\",30,\nthird,halves,,\n"
                             "third,\"it's <b>,\"\"{x}\"\"\",1e-09,1\n";
    const char *folder = trace_sample_folder();
    spot_diag_t diag;

    (void) state;
    for (int j = 0; j < 2; j++) {
        spot_diag_init(&diag);
        trace_sample_assert_drawn(spot_trace_plot_dots(&dots, folder, "x", &diag), &diag,
            folder, "x-distances.svg");
        trace_sample_assert_file(folder, "x-distances.csv", text);
        dots.is_log = false;
        dots.low = -10;
        dots.limit = 4.5;
    }
    trace_sample_end(folder);
}

static void
test_no_dots(void **state)
{
    static const double values[] = {(double) NAN, (double) NAN, (double) NAN};
    static const spot_dot_series_t series = {.label = "a", .values = values};
    const spot_dots_t dots = {.what = "reference",
        .title = "title",
        .note = "note",
        .x_name = "z",
        .low = -1,
        .high = 1,
        .num_rows = 3,
        .rows = rows,
        .num_series = 1,
        .series = &series};
    const char *folder = trace_sample_folder();
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    trace_sample_assert_not_drawn(spot_trace_plot_dots(&dots, folder, "x", &diag), &diag,
        folder, "x-reference.svg", "all values are undefined");
    trace_sample_assert_file(folder, "x-reference.csv",
        "row,series,value,half_width\nfirst,a,,\nsecond,a,,\nthird,a,,\n");
    trace_sample_end(folder);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps_of_two_traces),
        cmocka_unit_test(test_gaps_over_a_band),
        cmocka_unit_test(test_too_few_gaps),
        cmocka_unit_test(test_many_gaps),
        cmocka_unit_test(test_dots),
        cmocka_unit_test(test_no_dots),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
