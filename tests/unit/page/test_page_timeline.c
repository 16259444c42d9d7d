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

/* The page of a run. */
static char *
write_page(const spot_run_series_t *run)
{
    spot_diag_t diag;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_diag_init(&diag);
    assert_int_equal(spot_page_run_write(run, "run.html", out, &diag), 0);
    assert_int_equal(diag.num_errors, 0);
    assert_int_equal(diag.num_items, 0);
    spot_diag_free(&diag);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void
test_a_page_is_whole(void **state)
{
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run(&sample, 355 * SPOT_MS_PER_MIN, 50);
    text = write_page(&sample.run);
    assert_memory_equal(text, "<!DOCTYPE html>", 15);
    assert_non_null(strstr(text, "default-src 'none'"));
    assert_null(strstr(text, "src=\""));
    assert_int_equal(sample_count(text, "<svg"), 2); /* wide and narrow */
    assert_int_equal(sample_count(text, "<desc>"), 0);
    assert_int_equal(sample_count(text, "class=\"timeline-data\""), 1);
    assert_non_null(strstr(text, "<th scope=\"row\">preempted</th>"));
    assert_non_null(strstr(text, "</html>\n"));
    free(text);
    sample_run_free(&sample);
}

static void
test_totals_stand_in_tables(void **state)
{
    static const char *const levels[] = {"useful", "lost", "never"};
    static const char *const marks[] = {"preempted", "added", NULL};
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run_begin(&sample, &(sample_words_t){.title = "small",
                                  .num_levels = 3,
                                  .levels = levels,
                                  .unit = "instances",
                                  .marks = marks,
                                  .curve = "steps durable"});
    sample_run_level(&sample, 0, (const double[]){3, 0, 0});
    sample_run_level(&sample, 750, (const double[]){0, 1, 0});
    sample_run_mark(&sample, 750, "preempted", 2);
    sample_run_mark(&sample, 900, "preempted", 5);
    sample_run_end(&sample, 1000, NULL);
    text = write_page(&sample.run);
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
    sample_run_free(&sample);
}

static void
test_hostile_names(void **state)
{
    static const char hostile[] = "\"><script>alert('x')</script>&<img src=x>";
    const char *const names[] = {hostile, NULL};
    sample_run_t sample;
    char *text;

    (void) state;
    sample_run_begin(
        &sample, &(sample_words_t){hostile, 1, names, hostile, names, hostile, hostile});
    strcpy(sample.recording.note, hostile);
    sample_run_level(&sample, 0, (const double[]){1});
    sample_run_mark(&sample, 10, hostile, 1);
    sample_run_end(&sample, 1000, NULL);
    text = write_page(&sample.run);
    assert_null(strstr(text, "<script>alert"));
    assert_null(strstr(text, "<img"));
    assert_non_null(strstr(text, "<h1><bdi>&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)"));
    free(text);
    sample_run_free(&sample);
}

static void
test_a_run_without_time(void **state)
{
    sample_run_t sample;
    spot_diag_t diag;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    sample_run_begin(&sample, &(sample_words_t){.title = "nothing", .curve = "steps"});
    sample_run_end(&sample, 0, NULL);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_page_run_write(&sample.run, "no.html", out, &diag), SPOT_ERR_BAD_PARAM);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(
        diag.items[0].text, "no.html: nothing can be drawn: the run is empty");
    spot_diag_free(&diag);
    sample_run_free(&sample);
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
