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

/* Runs of different length: the axis reaches to the end of the longest. */
static void test_golden(void **state)
{
    static const char *const names[] = {"checkpoint", "it's slow"};
    sample_run_t samples[2];
    spot_run_series_t runs[2];
    const spot_progress_lines_t lines = {
        .title = "which is best?", .note = "seed 1", .num_lines = 2, .names = names, .runs = runs};
    char *text;

    (void) state;
    sample_run(&samples[0], 355 * SPOT_MS_PER_MIN, 12);
    sample_run(&samples[1], 600 * SPOT_MS_PER_MIN, 6);
    runs[0] = samples[0].run;
    runs[1] = samples[1].run;
    text = declared_text(spot_progress_declare, &lines);
    sample_assert_golden("progress.txt", text);
    free(text);
    sample_run_free(&samples[0]);
    sample_run_free(&samples[1]);
}

/* As many as there may be: no two have the same colour and stroke. */
static void test_many_lines(void **state)
{
    sample_run_t samples[SPOT_MAX_PROGRESS_LINES];
    spot_run_series_t runs[SPOT_MAX_PROGRESS_LINES];
    const char *names[SPOT_MAX_PROGRESS_LINES];
    const spot_progress_lines_t lines = {.title = "t",
        .note = "",
        .num_lines = SPOT_MAX_PROGRESS_LINES,
        .names = names,
        .runs = runs};
    char *text, *looks[SPOT_MAX_PROGRESS_LINES];
    size_t num_looks = 0;

    (void) state;
    for (int j = 0; j < SPOT_MAX_PROGRESS_LINES; j++) {
        sample_run(&samples[j], SPOT_MS_PER_H, j);
        runs[j] = samples[j].run;
        names[j] = "a name that is longer than there is room for beside a curve";
    }
    text = declared_text(spot_progress_declare, &lines);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "  series of ", 12) == 0) {
            for (size_t j = 0; j < num_looks; j++) {
                assert_string_not_equal(line, looks[j]);
            }
            looks[num_looks++] = line;
        }
    }
    assert_int_equal(num_looks, SPOT_MAX_PROGRESS_LINES);
    free(text);
    for (int j = 0; j < SPOT_MAX_PROGRESS_LINES; j++) {
        sample_run_free(&samples[j]);
    }
}

/* One that never got anywhere is a line on the axis; an empty run is no picture. */
static void test_no_progress(void **state)
{
    static const char *const names[] = {"nothing"};
    sample_run_t sample;
    const spot_progress_lines_t lines = {
        .title = "t", .note = "", .num_lines = 1, .names = names, .runs = &sample.run};
    spot_chart_t *chart;
    char *text;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.curve = "steps durable"});
    sample_run_end(&sample, 0, NULL);
    chart = spot_chart_new();
    assert_non_null(chart);
    assert_int_equal(spot_progress_declare(chart, &lines), SPOT_ERR_BAD_PARAM);
    spot_chart_free(chart);
    spot_run_series_free(&sample.run);
    sample_run_point(&sample, 0, 0);
    sample_run_point(&sample, SPOT_MS_PER_H, 0);
    sample_run_end(&sample, SPOT_MS_PER_H, NULL);
    text = declared_text(spot_progress_declare, &lines);
    assert_non_null(strstr(text, " 3.6e+06 0\n")); /* its last place: h, and steps */
    free(text);
    sample_run_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_no_progress),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
