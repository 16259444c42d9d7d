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
#include "reports/timeline_plot.h"
#include "tests/unit/reports/sample.h"

static char *
write_script(const spot_timeline_t *timeline)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_timeline_plot_script(timeline, "run.svg", out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void
assert_drawn(const spot_timeline_t *timeline)
{
    const char *path = sample_path("timeline.svg");
    spot_diag_t diag;

    spot_diag_init(&diag);
    sample_assert_drawn(spot_timeline_plot(timeline, path, &diag), &diag, path);
}

static void
test_golden(void **state)
{
    spot_timeline_t timeline;
    char *text;

    (void) state;
    sample_timeline(&timeline, 355 * SPOT_MS_PER_MIN, 12);
    text = write_script(&timeline);
    sample_assert_golden("timeline.gp", text);
    free(text);
    spot_timeline_free(&timeline);
}

static void
test_the_picture_appears(void **state)
{
    spot_timeline_t timeline;

    (void) state;
    sample_need_gnuplot();
    sample_timeline(&timeline, 355 * SPOT_MS_PER_MIN, 50);
    assert_drawn(&timeline);
    spot_timeline_free(&timeline);
}

static void
test_long_runs_stay_small(void **state)
{
    spot_timeline_t timeline;
    char *text;

    (void) state;
    sample_timeline(&timeline, 30 * SPOT_MS_PER_D, 20000);
    text = write_script(&timeline);
    assert_non_null(strstr(text, "set label 'time (d)' at"));
    assert_true(strlen(text) < 200000);
    free(text);
    assert_drawn(&timeline);
    spot_timeline_free(&timeline);
}

static void
test_units_of_time(void **state)
{
    static const struct {
        int64_t end_ms;
        const char *expected;
    } cases[] = {
        {100 * SPOT_MS_PER_S, "'time (s)'"},
        {3 * SPOT_MS_PER_MIN, "'time (min)'"},
        {179 * SPOT_MS_PER_MIN, "'time (min)'"},
        {180 * SPOT_MS_PER_MIN, "'time (h)'"},
        {71 * SPOT_MS_PER_H, "'time (h)'"},
        {72 * SPOT_MS_PER_H, "'time (d)'"},
    };

    (void) state;
    for (size_t j = 0; j < sizeof(cases) / sizeof(cases[0]); j++) {
        spot_timeline_t timeline;
        char *text;

        sample_timeline(&timeline, cases[j].end_ms, 3);
        text = write_script(&timeline);
        assert_non_null(strstr(text, cases[j].expected));
        free(text);
        spot_timeline_free(&timeline);
    }
}

/* Nothing lives, nothing happens: an empty picture, not an error. */
static void
test_an_empty_fleet(void **state)
{
    static const char *const categories[] = {"useful"};
    const spot_timeline_segment_t segment = {.start_ms = 0};
    spot_timeline_t timeline;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.title = "it's `nothing`";
    timeline.height_label = "instances";
    timeline.progress_label = "steps";
    timeline.num_categories = 1;
    timeline.category_names = categories;
    timeline.end_ms = 1000;
    assert_int_equal(spot_timeline_add_segment(&timeline, &segment), 0);
    assert_drawn(&timeline);
    spot_timeline_free(&timeline);
}

static void
test_a_run_without_time(void **state)
{
    spot_timeline_t timeline;
    spot_diag_t diag;

    (void) state;
    spot_timeline_init(&timeline);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_timeline_plot_script(&timeline, NULL, stderr), SPOT_ERR_BAD_PARAM);
    assert_int_equal(spot_timeline_plot(&timeline, "no.svg", &diag), SPOT_ERR_BAD_PARAM);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(
        diag.items[0].text, "no.svg: nothing can be drawn: the run is empty");
    spot_diag_free(&diag);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_the_picture_appears),
        cmocka_unit_test(test_long_runs_stay_small),
        cmocka_unit_test(test_units_of_time),
        cmocka_unit_test(test_an_empty_fleet),
        cmocka_unit_test(test_a_run_without_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
