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
#include "reports/progress_plot.h"
#include "tests/unit/reports/sample.h"

static char *
write_script(const spot_progress_lines_t *lines, int expected)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_progress_plot_script(lines, "progress.svg", out), expected);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void
assert_drawn(const spot_progress_lines_t *lines)
{
    const char *path = sample_path("progress.svg");
    spot_diag_t diag;

    spot_diag_init(&diag);
    sample_assert_drawn(spot_progress_plot(lines, path, &diag), &diag, path);
}

/* Runs of different length: the axis reaches to the end of the longest. */
static void
test_golden(void **state)
{
    static const char *const names[] = {"checkpoint", "it's slow"};
    sample_run_t samples[2];
    spot_run_series_t runs[2];
    const spot_progress_lines_t lines = {.title = "which is best?",
        .note = "seed 1",
        .num_lines = 2,
        .names = names,
        .runs = runs};
    char *text;

    (void) state;
    sample_run(&samples[0], 355 * SPOT_MS_PER_MIN, 12);
    sample_run(&samples[1], 600 * SPOT_MS_PER_MIN, 6);
    runs[0] = samples[0].run;
    runs[1] = samples[1].run;
    text = write_script(&lines, 0);
    assert_non_null(strstr(text, "set xrange [0:10]"));
    sample_assert_golden("progress.gp", text);
    assert_drawn(&lines);
    free(text);
    sample_run_free(&samples[0]);
    sample_run_free(&samples[1]);
}

/* As many as there may be: no two have the same colour and stroke; names are cut. */
static void
test_many_lines(void **state)
{
    sample_run_t samples[SPOT_MAX_PROGRESS_LINES];
    spot_run_series_t runs[SPOT_MAX_PROGRESS_LINES];
    const char *names[SPOT_MAX_PROGRESS_LINES];
    const spot_progress_lines_t lines = {.title = "t",
        .note = "",
        .num_lines = SPOT_MAX_PROGRESS_LINES,
        .names = names,
        .runs = runs};
    char *text, *strokes[SPOT_MAX_PROGRESS_LINES];
    size_t num_strokes = 0;

    (void) state;
    for (int j = 0; j < SPOT_MAX_PROGRESS_LINES; j++) {
        sample_run(&samples[j], SPOT_MS_PER_H, j);
        runs[j] = samples[j].run;
        names[j] = "a name that is longer than there is room for beside a curve";
    }
    text = write_script(&lines, 0);
    assert_int_equal(sample_count(text, "room for beside"), 0);
    assert_int_equal(sample_count(text, "…  "), SPOT_MAX_PROGRESS_LINES);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char *stroke = strstr(line, " dt ");

        if (stroke != NULL) {
            stroke[strcspn(stroke, ",")] = '\0';
            for (size_t j = 0; j < num_strokes; j++) {
                assert_string_not_equal(stroke, strokes[j]);
            }
            strokes[num_strokes++] = stroke;
        }
    }
    assert_int_equal(num_strokes, SPOT_MAX_PROGRESS_LINES);
    assert_drawn(&lines);
    free(text);
    for (int j = 0; j < SPOT_MAX_PROGRESS_LINES; j++) {
        sample_run_free(&samples[j]);
    }
}

/* One that never got anywhere is a line on the axis; an empty run is no picture. */
static void
test_no_progress(void **state)
{
    static const char *const names[] = {"nothing"};
    sample_run_t sample;
    const spot_progress_lines_t lines = {
        .title = "t", .note = "", .num_lines = 1, .names = names, .runs = &sample.run};

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.curve = "steps durable"});
    sample_run_end(&sample, 0, NULL);
    free(write_script(&lines, SPOT_ERR_BAD_PARAM));
    sample_run_point(&sample, 0, 0);
    sample_run_point(&sample, SPOT_MS_PER_H, 0);
    sample_run_end(&sample, SPOT_MS_PER_H, NULL);
    free(write_script(&lines, 0));
    assert_drawn(&lines);
    sample_run_free(&sample);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_no_progress),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
