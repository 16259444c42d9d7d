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
#include "reports/page/page_timeline.h"
#include "tests/unit/reports/sample.h"

/* The page of a run; gnuplot may be missing. */
static char *
write_page(const spot_timeline_t *timeline)
{
    spot_diag_t diag;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_diag_init(&diag);
    assert_int_equal(spot_page_run_write(timeline, "run.html", out, &diag), 0);
    assert_int_equal(diag.num_errors, 0);
    assert_int_equal(diag.num_items, sample_has_gnuplot() ? 0 : 1);
    spot_diag_free(&diag);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void
test_a_page_is_whole(void **state)
{
    spot_timeline_t timeline;
    char *text;

    (void) state;
    sample_timeline(&timeline, 355 * SPOT_MS_PER_MIN, 50);
    text = write_page(&timeline);
    assert_memory_equal(text, "<!DOCTYPE html>", 15);
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_null(strstr(text, "src=\""));
    assert_int_equal(sample_count(text, "<svg"), sample_has_gnuplot());
    assert_int_equal(sample_count(text, "<title>"), 1); /* its own; none of gnuplot's */
    assert_int_equal(sample_count(text, "<desc>"), 0);
    assert_int_equal(sample_count(text, "class=\"timeline-data\""), 1);
    assert_non_null(strstr(text, "<th scope=\"row\">preempted</th>"));
    assert_non_null(strstr(text, "</html>\n"));
    free(text);
    spot_timeline_free(&timeline);
}

static void
test_totals_stand_in_tables(void **state)
{
    static const char *const categories[] = {"useful", "lost", "never"};
    static const char *const marks[] = {"preempted", "added"};
    const spot_timeline_segment_t segments[] = {
        {.start_ms = 0, .heights = {3}}, {.start_ms = 750, .heights = {0, 1}}};
    spot_timeline_t timeline;
    char *text;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.title = "small";
    timeline.height_label = "instances";
    timeline.progress_label = "steps durable";
    timeline.num_categories = 3;
    timeline.category_names = categories;
    timeline.num_mark_kinds = 2;
    timeline.mark_names = marks;
    timeline.end_ms = 1000;
    assert_int_equal(spot_timeline_add_segment(&timeline, &segments[0]), 0);
    assert_int_equal(spot_timeline_add_segment(&timeline, &segments[1]), 0);
    assert_int_equal(spot_timeline_add_mark(&timeline, 750, 0, 2), 0);
    assert_int_equal(spot_timeline_add_mark(&timeline, 900, 0, 5), 0);
    text = write_page(&timeline);
    assert_non_null(
        strstr(text, "<th scope=\"row\">useful</th><td data-value=\"0.9\">90.0 "
                     "%</td><td data-value=\"2.25\">2.25</td>"));
    assert_non_null(
        strstr(text, "<th scope=\"row\">lost</th><td data-value=\"0.1\">10.0 "
                     "%</td><td data-value=\"0.25\">0.25</td>"));
    assert_null(strstr(text, "<th scope=\"row\">never</th>"));
    assert_non_null(strstr(text, "<th scope=\"row\">preempted</th><td data-value=\"2\">2"
                                 "</td><td data-value=\"7\">7</td>"));
    assert_null(strstr(text, "<th scope=\"row\">added</th>"));
    free(text);
    spot_timeline_free(&timeline);
}

static void
test_hostile_names(void **state)
{
    static const char hostile[] = "\"><script>alert('x')</script>&<img src=x>";
    const char *const names[] = {hostile};
    const spot_timeline_segment_t segment = {.heights = {1}};
    spot_timeline_t timeline;
    char *text;

    (void) state;
    spot_timeline_init(&timeline);
    timeline.title = hostile;
    timeline.height_label = hostile;
    timeline.progress_label = hostile;
    snprintf(timeline.note, sizeof(timeline.note), "%s", hostile);
    timeline.num_categories = 1;
    timeline.category_names = names;
    timeline.num_mark_kinds = 1;
    timeline.mark_names = names;
    timeline.end_ms = 1000;
    assert_int_equal(spot_timeline_add_segment(&timeline, &segment), 0);
    assert_int_equal(spot_timeline_add_mark(&timeline, 10, 0, 1), 0);
    text = write_page(&timeline);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "<h1><bdi>&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)"));
    free(text);
    spot_timeline_free(&timeline);
}

static void
test_a_run_without_time(void **state)
{
    spot_timeline_t timeline;
    spot_diag_t diag;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    spot_timeline_init(&timeline);
    timeline.title = "nothing";
    spot_diag_init(&diag);
    assert_int_equal(
        spot_page_run_write(&timeline, "no.html", out, &diag), SPOT_ERR_BAD_PARAM);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(
        diag.items[0].text, "no.html: nothing can be drawn: the run is empty");
    spot_diag_free(&diag);
    fclose(out);
    free(text);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_page_is_whole),
        cmocka_unit_test(test_totals_stand_in_tables),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_a_run_without_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
