/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data that the scripts of a page draw from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "reports/page/page.h"
#include "sim/bench/store/stored_study.h"
#include "tests/unit/reports/sample.h"

#define START "<script type=\"application/json\" id=\"data\">"
#define END "</script>\n"

static char *write_data(const spot_report_t *report)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *stream = open_memstream(&text, &num_bytes);
    spot_document_t document;

    assert_non_null(stream);
    spot_document_to_page(&document, stream);
    spot_page_data_write(report, &document);
    assert_int_equal(spot_document_end(&document), 0);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* The text between "KEY": " and the next quote, from the first such place on. */
static const char *column_at(const char *text, const char *key)
{
    char opening[64];
    const char *place;

    snprintf(opening, sizeof(opening), "\"%s\": \"", key);
    place = strstr(text, opening);
    assert_non_null(place);
    return place + strlen(opening);
}

/* Means and half widths of all points read back to their five and three digits. */
static void assert_column(
    const spot_report_t *report, const char *column, size_t metric_id, bool is_mean)
{
    for (size_t j = 0; j < report->head->num_points; j++) {
        const spot_summary_t *summary = spot_report_summary(report, j, metric_id);
        const double wanted = is_mean ? summary->value : summary->half_width;
        const bool is_empty = *column == ' ' || *column == '"';
        char *end;
        const double value = strtod(is_empty ? "0" : column, &end);

        assert_int_equal(is_empty, !isfinite(wanted)); /* an interval without an end */
        if (is_empty) {
            column++;
            continue;
        }
        assert_true(end > column && fabs(value - wanted) <= 0.006 * wanted);
        assert_int_equal(*end, j + 1 < report->head->num_points ? ' ' : '"');
        column = end + 1;
    }
}

static void columns_read_back(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    const char *place;
    char *text;

    (void) state;
    sample_idle_head(&head, 20);
    store = sample_idle_store(&head);
    report = sample_report(store);
    text = write_data(&report);
    place = text;
    for (size_t j = 0; j < head.num_metrics; j++) {
        place = column_at(place, "mean");
        assert_column(&report, place, j, true);
        place = column_at(place, "half_width");
        assert_column(&report, place, j, false);
    }
    place = column_at(text, "value_ids"); /* the first key varies slowest */
    assert_memory_equal(place, "0 0 1 1 2 2 ", 12);
    place = column_at(place, "value_ids");
    assert_memory_equal(place, "0 1 0 1 0 1 ", 12);
    assert_non_null(strstr(text, "\"ledger\": [{\"metric_id\": 0, \"colour\": \"#68b9ea\"}"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Nothing between the tags may look like a tag or a comment, or is unseen. */
static void texts_do_not_end_the_element(void **state)
{
    static const char hostile[] = "</script><!--<script>\"\\\x01\\u0007\n\xc2\x9b"
                                  "\xe2\x80\xae\xd7\x90\x7f.";
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 2);
    free(head.name);
    head.name = spot_text_copy(hostile, strlen(hostile));
    assert_non_null(head.name);
    store = sample_idle_store(&head);
    report = sample_report(store);
    text = write_data(&report);
    assert_memory_equal(text, START, strlen(START));
    assert_string_equal(text + strlen(text) - strlen(END), END);
    text[strlen(text) - strlen(END)] = '\0';
    assert_null(strchr(text + strlen(START), '<'));
    assert_non_null(
        strstr(text, "\"\\u003c/script>\\u003c!--\\u003cscript>\\\"\\\\ \\\\u0007   \xd7\x90 .\""));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* 40,000 points of seven metrics are more numbers than a page should hold: the means of
 * all are there, the intervals of some. Nothing is drawn of summaries that are zero. */
static void what_is_wanted_least_is_left_out(void **state)
{
    enum { NUM_POINTS = 40000 };
    spot_study_head_t head;
    spot_report_t report = {.head = &head};
    char *text;

    (void) state;
    sample_idle_head(&head, 2);
    head.num_points = NUM_POINTS;
    head.value_ids = spot_calloc(2 * NUM_POINTS, sizeof(*head.value_ids));
    report.summaries = spot_calloc(NUM_POINTS * head.num_metrics, sizeof(*report.summaries));
    assert_non_null(head.value_ids);
    assert_non_null(report.summaries);
    text = write_data(&report);
    assert_int_equal(sample_count(text, "\"mean\""), 7);
    assert_int_equal(sample_count(text, "\"half_width\""), 4);
    assert_non_null(strstr(text, "\"num_points\": 40000,"));
    free(text);
    free(report.summaries);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_read_back),
        cmocka_unit_test(texts_do_not_end_the_element),
        cmocka_unit_test(what_is_wanted_least_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
