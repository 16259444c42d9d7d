/* SPDX-License-Identifier: GPL-3.0-or-later */
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

static const spot_labelled_law_t laws[] = {
    {"exponential", {&spot_family_exponential, {100}}},
    {"it's <b>,\"{x}\" 漢字 and more of it", {&spot_family_weibull, {100, 0.5}}},
    {"gamma", {&spot_family_gamma, {2, 50}}},
};

/* Four values, of which 100 is a lower bound: S = 3/4, 3/8 (of two at risk), 0. */
static double values[] = {200, 50, 100, 120};
static bool is_censored[] = {false, false, true, false};

static spot_fitted_sample_t fitted_of(
    spot_sample_t *sample, double *sample_values, bool *censored, size_t num_values)
{
    *sample =
        (spot_sample_t){.num_values = num_values, .values = sample_values, .is_censored = censored};
    return (spot_fitted_sample_t){.kind = SPOT_SAMPLE_LIFETIME, .sample = sample};
}

static void test_survival_alone(void **state)
{
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    const spot_fitted_sample_t fitted = fitted_of(&sample, values, is_censored, 4);
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_survival(&fitted, folder, "x", &diag), &diag, folder,
        "x-lifetime-survival.svg");
    trace_sample_assert_file(folder, "x-lifetime-survival.csv",
        "series,time_s,survival\nrecorded,0,1\nrecorded,50,0.75\nrecorded,120,0.375\n"
        "recorded,200,0\ncensored,100,0.75\n");
    trace_sample_end(folder);
}

/* The curve goes as far as anything was seen. */
static void test_a_censored_tail(void **state)
{
    static double tail[] = {10, 30, 40, 40};
    static bool tail_censored[] = {false, false, true, true};
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    spot_fitted_sample_t fitted = fitted_of(&sample, tail, tail_censored, 4);
    spot_diag_t diag;

    (void) state;
    fitted.kind = SPOT_SAMPLE_UP_SPELL;
    fitted.tick_s = 10;
    fitted.is_obtainable = true;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_survival(&fitted, folder, "x", &diag), &diag, folder,
        "x-up-spell-survival.svg");
    trace_sample_assert_file(folder, "x-up-spell-survival.csv",
        "series,time_s,survival\nrecorded,0,1\nrecorded,10,0.75\nrecorded,30,0.5\n"
        "recorded,40,0.5\ncensored,40,0.5\n");
    trace_sample_end(folder);
}

/* Every law at the times of its row. */
static void test_survival_of_laws(void **state)
{
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    spot_fitted_sample_t fitted = fitted_of(&sample, values, is_censored, 4);
    size_t num_rows = 0;
    spot_diag_t diag;
    char *points;

    (void) state;
    fitted.num_laws = 3;
    fitted.laws = laws;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_survival(&fitted, folder, "x", &diag), &diag, folder, "x-lifetime-fit.svg");
    points = trace_sample_take(folder, "x-lifetime-fit.csv");
    for (const char *line = strstr(points, "\nexponential,"); line != NULL;
         line = strstr(line + 1, "\nexponential,")) {
        double time_s, survival;

        assert_int_equal(sscanf(line, "\nexponential,%lf,%lf", &time_s, &survival), 2);
        assert_true(fabs(survival / exp(-time_s / 100) - 1) < 1e-6);
        assert_true(num_rows > 0 || time_s < 50);
        assert_true(time_s < 301);
        num_rows++;
    }
    assert_true(num_rows > 100);
    assert_non_null(strstr(points, "\n\"it's <b>,\"\"{x}\"\" 漢字 and more of it\","));
    assert_non_null(strstr(points, "\ngamma,"));
    free(points);
    trace_sample_end(folder);
}

/* The steps at their middle: p = 1/8, 7/16, 13/16. Quantiles -100 ln(1 - p). */
static void test_quantiles(void **state)
{
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    spot_fitted_sample_t fitted = fitted_of(&sample, values, is_censored, 4);
    spot_diag_t diag;

    (void) state;
    fitted.num_laws = 1;
    fitted.laws = laws;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_quantiles(&fitted, folder, "x", &diag), &diag, folder, "x-lifetime-qq.svg");
    trace_sample_assert_file(folder, "x-lifetime-qq.csv",
        "series,probability,fitted_s,recorded_s\nexponential,0.125,13.353139,50\n"
        "exponential,0.4375,57.536414,120\nexponential,0.8125,167.39764,200\n");
    trace_sample_end(folder);
}

/* Ties are one point; ticks stand at their middle, and 0 in the first one. Three laws,
 * of which two are drawn. */
static void test_quantiles_on_a_lattice(void **state)
{
    static double ticks[] = {60, 0, 120, 60, 60};
    static bool none[5];
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    spot_fitted_sample_t fitted = fitted_of(&sample, ticks, none, 5);
    spot_diag_t diag;
    char *points;

    (void) state;
    fitted.kind = SPOT_SAMPLE_PREEMPT_GAP;
    fitted.tick_s = 60;
    fitted.num_laws = 3;
    fitted.laws = laws;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(spot_trace_plot_quantiles(&fitted, folder, "x", &diag), &diag, folder,
        "x-preempt-gap-qq.svg");
    points = trace_sample_take(folder, "x-preempt-gap-qq.csv");
    trace_sample_assert_start(points,
        "series,probability,fitted_s,recorded_s\nexponential,0.1,10.536052,30\n"
        "exponential,0.5,69.314718,30\nexponential,0.9,230.25851,90\n\"it's");
    assert_null(strstr(points, "gamma"));
    free(points);
    trace_sample_end(folder);
}

static void assert_no_picture(double *sample_values, bool *censored, size_t num_values,
    const char *problem, const char *points)
{
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    spot_fitted_sample_t fitted = fitted_of(&sample, sample_values, censored, num_values);
    spot_diag_t diag;

    fitted.num_laws = 1;
    fitted.laws = laws;
    spot_diag_init(&diag);
    trace_sample_assert_not_drawn(spot_trace_plot_survival(&fitted, folder, "x", &diag), &diag,
        folder, "x-lifetime-fit.svg", problem);
    trace_sample_assert_file(folder, "x-lifetime-fit.csv", points);
    spot_diag_init(&diag);
    trace_sample_assert_not_drawn(spot_trace_plot_quantiles(&fitted, folder, "x", &diag), &diag,
        folder, "x-lifetime-qq.svg", problem);
    free(trace_sample_take(folder, "x-lifetime-qq.csv"));
    trace_sample_end(folder);
}

static void test_too_little_to_draw(void **state)
{
    static double one[] = {60}, zeros[] = {0, 0}, two[] = {5, 7};
    static bool none[2], all[] = {true, true};

    (void) state;
    assert_no_picture(
        one, none, 0, "fewer than 2 values", "series,time_s,survival\nrecorded,0,1\n");
    assert_no_picture(one, none, 1, "fewer than 2 values",
        "series,time_s,survival\nrecorded,0,1\nrecorded,60,0\n");
    assert_no_picture(zeros, none, 2, "no complete value above 0 s",
        "series,time_s,survival\nrecorded,0,1\nrecorded,0,0\n");
    assert_no_picture(two, all, 2, "no complete value above 0 s",
        "series,time_s,survival\nrecorded,0,1\nrecorded,7,1\ncensored,5,1\ncensored,7,"
        "1\n");
}

static void test_no_law(void **state)
{
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    const spot_fitted_sample_t fitted = fitted_of(&sample, values, is_censored, 4);
    spot_diag_t diag;

    (void) state;
    spot_diag_init(&diag);
    trace_sample_assert_not_drawn(spot_trace_plot_quantiles(&fitted, folder, "x", &diag), &diag,
        folder, "x-lifetime-qq.svg", "no law was fitted");
    free(trace_sample_take(folder, "x-lifetime-qq.csv"));
    trace_sample_end(folder);
}

/* All equal, and laws that are far away from them: curves that end at once, points that
 * no axis reaches. */
static void test_far_laws(void **state)
{
    static const spot_labelled_law_t far[] = {
        {"short", {&spot_family_exponential, {1e-9}}},
        {"long", {&spot_family_lognormal, {600, 30}}},
    };
    static double equal[] = {60, 60, 60};
    static bool none[3];
    const char *folder = trace_sample_folder();
    spot_sample_t sample;
    spot_fitted_sample_t fitted = fitted_of(&sample, equal, none, 3);
    spot_diag_t diag;

    (void) state;
    fitted.num_laws = 2;
    fitted.laws = far;
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_survival(&fitted, folder, "x", &diag), &diag, folder, "x-lifetime-fit.svg");
    free(trace_sample_take(folder, "x-lifetime-fit.csv"));
    spot_diag_init(&diag);
    trace_sample_assert_drawn(
        spot_trace_plot_quantiles(&fitted, folder, "x", &diag), &diag, folder, "x-lifetime-qq.svg");
    free(trace_sample_take(folder, "x-lifetime-qq.csv"));
    trace_sample_end(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_survival_alone),
        cmocka_unit_test(test_a_censored_tail),
        cmocka_unit_test(test_survival_of_laws),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_quantiles_on_a_lattice),
        cmocka_unit_test(test_too_little_to_draw),
        cmocka_unit_test(test_no_law),
        cmocka_unit_test(test_far_laws),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
