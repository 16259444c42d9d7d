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
#include "tests/unit/page/page_case.h"
#include "tests/unit/reports/sample.h"

/* The page of a run. */
static char *write_page(const spot_run_series_t *run)
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

static void test_a_page_is_whole(void **state)
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

static void test_totals_stand_in_tables(void **state)
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
    assert_non_null(strstr(text, "<th scope=\"row\">useful</th><td data-value=\"0.9\">90.0 "
                                 "%</td><td data-value=\"2.25\">2.25</td>"));
    assert_non_null(strstr(text, "<th scope=\"row\">lost</th><td data-value=\"0.1\">10.0 "
                                 "%</td><td data-value=\"0.25\">0.25</td>"));
    assert_null(strstr(text, "<th scope=\"row\">never</th>"));
    assert_non_null(strstr(text, "<th scope=\"row\">preempted</th><td data-value=\"2\">2"
                                 "</td><td data-value=\"7\">7</td>"));
    assert_null(strstr(text, "<th scope=\"row\">added</th>"));
    free(text);
    sample_run_free(&sample);
}

static void test_hostile_names(void **state)
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

/* ---- Spans, distributions and tables ---- */

static const char *const fates[] = {page_hostile, "never", NULL};
static const spot_series_column_t span_columns[] = {
    {.name = "start", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "end", .kind = SPOT_COLUMN_INSTANT, .unit = ""},
    {.name = "node", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "job", .kind = SPOT_COLUMN_TEXT, .unit = ""},
    {.name = "gpus", .kind = SPOT_COLUMN_COUNT, .unit = "1", .label = "<GPUs>"},
    {.name = "fate", .kind = SPOT_COLUMN_CATEGORY, .unit = "", .categories = fates}};
static const spot_series_column_t cdf_columns[] = {
    {.name = "jct", .kind = SPOT_COLUMN_DURATION, .unit = "", .label = page_hostile},
    {.name = "share", .kind = SPOT_COLUMN_NUMBER, .unit = "1"},
    {.name = "vc", .kind = SPOT_COLUMN_TEXT, .unit = ""}};
static const spot_series_column_t table_columns[] = {
    {.name = "vc", .kind = SPOT_COLUMN_TEXT, .unit = "", .label = page_hostile},
    {.name = "jobs", .kind = SPOT_COLUMN_COUNT, .unit = "1"},
    {.name = "queue", .kind = SPOT_COLUMN_NUMBER, .unit = "s", .num_decimals = 2},
    {.name = "load", .kind = SPOT_COLUMN_NUMBER, .unit = "1"}};
static const spot_series_kind_t span_kind = {
    "nodes", page_hostile, SPOT_SERIES_SPANS, 1, 6, .columns = span_columns};
static const spot_series_rule_t cdf_rules[] = {{0, 80, page_hostile}, {1, 0.9, "P 90"}};
static const spot_series_kind_t cdf_kind = {
    "jct", page_hostile, SPOT_SERIES_CDF, 1, 3, cdf_columns, 2, cdf_rules};
static const spot_series_kind_t table_kind = {
    "vcs", page_hostile, SPOT_SERIES_SHOWN_TABLE, 1, 4, .columns = table_columns};
static const spot_series_kind_t hidden_kind = {
    "hidden", "not shown", SPOT_SERIES_TABLE, 1, 4, .columns = table_columns};

/* num_rows of each. */
static void fill_series(spot_recording_t *recording, int64_t num_rows)
{
    static const spot_series_kind_t *const kinds[] = {
        &span_kind, &cdf_kind, &table_kind, &hidden_kind};

    assert_int_equal(spot_recording_init(recording, 4, kinds), 0);
    for (int64_t j = 0; j < num_rows; j++) {
        const spot_cell_t table_row[] = {{.text = page_hostile}, {.integer = 1000 + j},
            {.number = (double) j / 8}, {.number = j == 0 ? (double) NAN : 0.1}};

        assert_int_equal(
            spot_series_add(&recording->series[0],
                (const spot_cell_t[]){{.integer = j}, {.integer = j + 2}, {.text = page_hostile},
                    {.text = page_hostile}, {.integer = 1}, {.text = page_hostile}}),
            0);
        assert_int_equal(spot_series_add(&recording->series[1],
                             (const spot_cell_t[]){{.integer = 1 + j / 2},
                                 {.number = (double) (1 + j / 2) / (double) num_rows},
                                 {.text = j % 2 == 0 ? "a" : page_hostile}}),
            0);
        assert_int_equal(spot_series_add(&recording->series[2], table_row), 0);
        assert_int_equal(spot_series_add(&recording->series[3], table_row), 0);
    }
}

static void test_series_of_all_shapes(void **state)
{
    spot_recording_t recording;
    spot_run_series_t run;
    char *text;

    (void) state;
    fill_series(&recording, 201);
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    assert_true(run.end_ms == 202000);
    text = write_page(&run);
    page_check(text);
    assert_null(strstr(text, "<script>alert"));
    assert_int_equal(sample_count(text, "<svg"), 4); /* spans and the distribution */
    assert_non_null(strstr(text, "\"slots\": 2}], \"colours\": [{\"name\": "));
    assert_non_null(strstr(text, "\"shorter\": 0, \"least_ms\": 0, \"at\": [0,1,1,1,"));
    assert_non_null(strstr(text, "\"to\": [2,2,2,"));
    assert_non_null(strstr(text, "\"slot\": [0,1,0,1,"));
    assert_int_equal(sample_count(text, "class=\"timeline-more\""), 1);
    assert_int_equal(sample_count(text, "id=\"run-0-table-"), 2); /* and its caption */
    assert_null(strstr(text, "not shown"));
    assert_non_null(strstr(text, ">P 90</text>")); /* a rule of the distribution */
    assert_non_null(strstr(text, ">1000</td><td data-value=\"0\">0.00</td><td class=\"none\""));
    assert_non_null(strstr(text, ">1199</td>"));
    assert_null(strstr(text, ">1200</td>"));
    assert_non_null(strstr(text, "The first 200 of 201 rows"));
    assert_non_null(strstr(text, "on average (&lt;GPUs&gt;)"));
    assert_non_null(strstr(text, ">100.0 %</td><td data-value=\"1.99"));
    assert_null(strstr(text, "<th scope=\"row\">never</th>"));
    free(text);
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

static void test_empty_series(void **state)
{
    spot_recording_t recording;
    spot_run_series_t run;
    spot_diag_t diag;

    (void) state;
    fill_series(&recording, 0);
    recording.end_ticks = 10;
    assert_int_equal(spot_run_series_init(&run, &recording, NULL), 0);
    spot_diag_init(&diag);
    assert_false(spot_run_series_check(&run, "run.html", &diag));
    spot_diag_free(&diag);
    spot_run_series_free(&run);
    spot_recording_free(&recording);
}

static void test_a_run_without_time(void **state)
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
    assert_int_equal(spot_page_run_write(&sample.run, "no.html", out, &diag), SPOT_ERR_BAD_PARAM);
    assert_int_equal(diag.num_items, 1);
    assert_string_equal(diag.items[0].text, "no.html: nothing can be drawn: the run is empty");
    spot_diag_free(&diag);
    sample_run_free(&sample);
    fclose(out);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_page_is_whole),
        cmocka_unit_test(test_totals_stand_in_tables),
        cmocka_unit_test(test_hostile_names),
        cmocka_unit_test(test_series_of_all_shapes),
        cmocka_unit_test(test_empty_series),
        cmocka_unit_test(test_a_run_without_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
