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

#include "reports/study_pictures.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

#define MAX_METRICS 64 /* of the study */

static void test_texts(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 32);
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_null(spot_picture_sensitivity.problem(&report));
    text = declared_csv(&spot_picture_sensitivity, &report);
    sample_assert_golden("sensitivity.csv", text);
    free(text);
    text = declared_description(&spot_picture_sensitivity, &report);
    assert_non_null(strstr(text, "most does preemption per minute: "));
    free(text);
    text = declared_text(spot_picture_sensitivity.declare, &report);
    assert_int_equal(sample_count(text, "row 'pipeline depth' note"), 1);
    assert_int_equal(declared_count(text, "bars"), 2);
    assert_int_equal(sample_count(text, " 0 x ") + sample_count(text, " 1 x "), 2);
    assert_int_equal(sample_count(text, "side 'share alone' side 'with others'"), 1);
    assert_null(strstr(text, "nan"));
    sample_assert_golden("picture-sensitivity.txt", text);
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Single replications: bars without intervals, and no noise to tell. */
static void test_without_intervals(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 1);
    store = sample_idle_store(&head);
    report = sample_report(store);
    text = declared_text(spot_picture_sensitivity.declare, &report);
    assert_int_equal(declared_count(text, "bars"), 2);
    assert_int_equal(sample_count(text, " 0 x ") + sample_count(text, " 1 x "), 0);
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_problems(void **state)
{
    static const double values[] = {1, 2};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;

    (void) state;
    sample_plain_head(&head, 2);
    store = sample_plain_store(&head, 2, values);
    report = sample_report(store);
    assert_string_equal(
        spot_picture_sensitivity.problem(&report), "fewer than two keys have two values");
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
    sample_idle_head(&head, 4);
    head.plan.kind = SPOT_PLAN_ZIP;
    store = sample_idle_store(&head);
    report = sample_report(store);
    assert_non_null(strstr(spot_picture_sensitivity.problem(&report), "move together"));
    head.plan.kind = SPOT_PLAN_GRID;
    assert_null(spot_picture_sensitivity.problem(&report));
    for (size_t j = 0; j < head.num_points * head.num_metrics; j++) {
        report.summaries[j].value = (double) NAN;
    }
    assert_non_null(strstr(spot_picture_sensitivity.problem(&report), "undefined at all"));
    report.min_rows = 0;
    assert_non_null(strstr(spot_picture_sensitivity.problem(&report), "not all points"));
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* There is nothing: the same value everywhere. */
static void test_no_effects(void **state)
{
    double row[MAX_METRICS] = {0.25};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 16);
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t j = 0; j < head.num_points * 16; j++) {
        assert_int_equal(
            store->put(store, &(spot_piece_t){j / 16, (int64_t) (j % 16), 1, row, NULL}), 0);
    }
    report = sample_report(store);
    text = declared_text(spot_picture_sensitivity.declare, &report);
    assert_int_equal(declared_count(text, "bars"), 0);
    assert_non_null(strstr(text, " · no effects: "));
    assert_non_null(strstr(text, "panel empty '"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_without_intervals),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_no_effects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
