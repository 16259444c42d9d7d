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

#include "tests/unit/reports/sample.h"
#include "tests/unit/trace_figures/trace_sample.h"
#include "traces/verbs/trace_picture.h"
#include "traces/verbs/trace_report.h"

static const double few_s[] = {60, 60, 180, 600};
static const double others_s[] = {120, 240};

static spot_gap_overlay_t overlay_of(
    const double *a_s, size_t num_a, const double *b_s, size_t num_b)
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
static void test_gaps_of_two_traces(void **state)
{
    const spot_gap_overlay_t overlay = overlay_of(few_s, 4, others_s, 2);
    const char *folder = trace_sample_folder();
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag), &diag,
        folder, "x-preempt-gap-compare.svg");
    trace_sample_assert_file(folder, "x-preempt-gap-compare.csv",
        "series,time_s,survival,low,high\na,0,1,,\na,60,0.5,,\na,180,0.25,,\n"
        "a,600,0,,\nb,0,1,,\nb,120,0.5,,\nb,240,0,,\n");
    trace_sample_end(folder);
}

/* The band goes as far as one replication has longer gaps. */
static void test_gaps_over_a_band(void **state)
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
    trace_sample_assert_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag), &diag,
        folder, "x-add-gap-compare.svg");
    trace_sample_assert_file(folder, "x-add-gap-compare.csv",
        "series,time_s,survival,low,high\nb,0,1,,\nb,60,0.5,,\nb,180,0.25,,\n"
        "b,600,0,,\nband,0,1,1,1\nband,60,0.5,0.25,0.75\nband,120,0.25,0,0.5\n");
    trace_sample_end(folder);
}

static void test_too_few_gaps(void **state)
{
    static const double time_s[] = {0, 60}, nothing[] = {(double) NAN, (double) NAN};
    static const struct {
        size_t num_a, num_b;
        const char *problem;
    } cases[] = {{4, 1, "B has fewer than 2 gaps"}, {1, 2, "A has fewer than 2 gaps"},
        {0, 2, "the model makes no gaps"}};

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_gap_overlay_t overlay =
            overlay_of(cases[j].num_a > 0 ? few_s : NULL, cases[j].num_a, others_s, cases[j].num_b);
        const char *folder = trace_sample_folder();
        spot_diag_t diag;

        overlay.band =
            (spot_model_band_t){cases[j].num_a > 0 ? 0 : 20, 2, time_s, nothing, nothing, nothing};
        spot_diag_init(&diag);
        trace_sample_assert_not_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag),
            &diag, folder, "x-preempt-gap-compare.svg", cases[j].problem);
        free(trace_sample_take(folder, "x-preempt-gap-compare.csv"));
        trace_sample_end(folder);
    }
}

#define NUM_GAPS 300000

/* As few points as a picture shows, and those of both ends among them. */
static void test_many_gaps(void **state)
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
    trace_sample_assert_drawn(spot_trace_plot_gap_overlay(&overlay, folder, "x", &diag), &diag,
        folder, "x-preempt-gap-compare.svg");
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

/* Half 2 against half 1, then a trace and a model. */
enum { HALVES = SPOT_COMPARISON_FIRST - 1, TRACE, MODEL, NUM_COLUMNS };

static spot_comparison_column_t columns[NUM_COLUMNS];

static spot_comparison_t comparison_of(void)
{
    static char labels[NUM_COLUMNS][32] = {
        "recorded", "half1", "half2-vs-half1", "it's <b>,\"{x}\"", "mrp"};
    static const spot_comparison_column_kind_t kinds[NUM_COLUMNS] = {
        SPOT_COMPARISON_COLUMN_RECORDED, SPOT_COMPARISON_COLUMN_HALF, SPOT_COMPARISON_COLUMN_HALVES,
        SPOT_COMPARISON_COLUMN_TRACE, SPOT_COMPARISON_COLUMN_MODEL};

    memset(columns, 0, sizeof(columns));
    for (size_t k = 0; k < NUM_COLUMNS; k++) {
        columns[k].kind = kinds[k];
        columns[k].label = labels[k];
        columns[k].num_replications = kinds[k] == SPOT_COMPARISON_COLUMN_MODEL ? 4 : 1;
        for (size_t j = 0; j < SPOT_FIDELITY_NUM_METRICS; j++) {
            columns[k].means[j] = columns[k].sds[j] = columns[k].zs[j] = (double) NAN;
        }
    }
    return (spot_comparison_t){.num_columns = NUM_COLUMNS, .columns = columns};
}

/* Bars of two standard errors for models alone; the logarithm of a ratio to what was
 * recorded, of the halves to the first half. */
static void test_distances(void **state)
{
    const spot_comparison_t comparison = comparison_of();
    const char *folder = trace_sample_folder();
    spot_diag_t diag;
    char *text;

    (void) state;
    columns[HALVES].means[SPOT_FIDELITY_KS_PREEMPT_GAP] = 0.1;
    columns[TRACE].means[SPOT_FIDELITY_KS_PREEMPT_GAP] = 1e-9;
    columns[MODEL].means[SPOT_FIDELITY_KS_PREEMPT_GAP] = 0.5;
    columns[MODEL].sds[SPOT_FIDELITY_KS_PREEMPT_GAP] = 0.25;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_distances(&comparison, folder, "x", &diag), &diag,
        folder, "x-distances.svg");
    text = trace_sample_take(folder, "x-distances.csv");
    trace_sample_assert_start(text,
        "row,series,value,half_width\nks_preempt_gap,half2-vs-half1,0.1,\n"
        "ks_preempt_gap,\"it's <b>,\"\"{x}\"\"\",1e-09,\nks_preempt_gap,mrp,0.5,0.25\n");
    free(text);
    trace_sample_end(folder);
}

static void test_no_distances(void **state)
{
    const spot_comparison_t comparison = comparison_of();
    const char *folder = trace_sample_folder();
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    trace_sample_assert_not_drawn(spot_trace_plot_distances(&comparison, folder, "x", &diag), &diag,
        folder, "x-distances.svg", "all values are undefined");
    free(trace_sample_take(folder, "x-distances.csv"));
    trace_sample_end(folder);
}

/* Only columns with a reference; without any there is no picture. */
static void test_reference(void **state)
{
    const spot_comparison_t comparison = comparison_of();
    const char *folder = trace_sample_folder();
    char expected[128];
    spot_diag_t diag;
    char *text;

    (void) state;
    spot_diag_init(&diag);
    assert_int_equal(spot_trace_plot_reference(&comparison, "/dev/null", "x", &diag), 0);
    columns[MODEL].has_reference = true;
    columns[MODEL].zs[0] = -7;
    trace_sample_assert_drawn(spot_trace_plot_reference(&comparison, folder, "x", &diag), &diag,
        folder, "x-reference.svg");
    text = trace_sample_take(folder, "x-reference.csv");
    snprintf(expected, sizeof(expected), "row,series,value,half_width\n%s,mrp,-7,\n%s,mrp,,\n",
        spot_fidelity_metrics[0].name, spot_fidelity_metrics[1].name);
    trace_sample_assert_start(text, expected);
    free(text);
    trace_sample_end(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps_of_two_traces),
        cmocka_unit_test(test_gaps_over_a_band),
        cmocka_unit_test(test_too_few_gaps),
        cmocka_unit_test(test_many_gaps),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_no_distances),
        cmocka_unit_test(test_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
