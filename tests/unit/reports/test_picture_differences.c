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

#include "base/memory.h"
#include "reports/study_pictures.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

static const spot_metric_t cost = {.name = "cost_usd", .unit = "USD", .help = "", .label = "cost"};

static char *copy(const char *text)
{
    char *result = spot_text_copy(text, strlen(text));

    assert_non_null(result);
    return result;
}

static char *declared(const spot_report_t *report)
{
    return declared_text(spot_picture_differences.declare, report);
}

/* Systems with these names, compared with the first one. */
static void make_head(spot_study_head_t *head, size_t num_points, const char *const *names)
{
    double *numbers = spot_calloc(num_points, sizeof(*numbers));

    assert_non_null(numbers);
    memset(head, 0, sizeof(*head));
    head->name = copy("compare");
    head->num_replications = 3;
    head->num_axes = 1;
    head->axes = spot_calloc(1, sizeof(*head->axes));
    head->metrics = spot_calloc(1, sizeof(*head->metrics));
    assert_non_null(head->axes);
    assert_non_null(head->metrics);
    head->axes[0] = sample_axis("recovery", num_points, numbers);
    for (size_t j = 0; j < num_points; j++) {
        free(head->axes[0].texts[j]);
        head->axes[0].texts[j] = copy(names[j]);
        head->axes[0].numbers[j] = (double) NAN;
    }
    head->num_points = num_points;
    head->num_listed = 1;
    head->num_metrics = 1;
    head->metrics[0] = cost;
    head->has_baseline = true;
    free(numbers);
}

/* Point j costs costs[j] more than the first one, and one replication that much more or
 * less. */
static spot_store_t *make_store(const spot_study_head_t *head, const double *costs)
{
    spot_store_t *store = NULL;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    for (size_t j = 0; j < head->num_points; j++) {
        const double noise = j == 0 ? 0 : 0.5;
        const double rows[] = {10 + costs[j] - noise, 20 + costs[j], 40 + costs[j] + noise};
        const spot_piece_t piece = {.point_id = j, .num_rows = 3, .rows = rows};

        assert_int_equal(store->put(store, &piece), 0);
    }
    return store;
}

static spot_report_t read_report(const spot_store_t *store)
{
    spot_report_t report = sample_report(store);

    assert_int_equal(spot_report_read_pairs(&report), 0);
    return report;
}

/* Rows: grey where the interval includes 0, which it does for a half of 1.24; hostile
 * names are text. */
static void test_rows(void **state)
{
    static const char *const names[] = {
        "checkpoint", "it's <b>\"quoted\"</b>", "{system: b, f: 1}", "c"};
    static const double costs[] = {0, -5, 1, 2};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    make_head(&head, 4, names);
    store = make_store(&head, costs);
    report = read_report(store);
    assert_null(spot_picture_differences.problem(&report));
    text = declared(&report);
    assert_non_null(strstr(text, "note '← lower cost (USD) than checkpoint · "));
    assert_non_null(strstr(text, "row 'it's <b>\"quoted\"</b>'"));
    sample_assert_golden("picture-differences-rows.txt", text);
    free(text);
    text = declared_csv(&spot_picture_differences, &report);
    assert_string_equal(text,
        "point,recovery,cost_usd_difference_mean,cost_usd_difference_ci95_low,"
        "cost_usd_difference_ci95_high,pairs\n"
        "0,checkpoint,,,,0\n"
        "1,\"it's <b>\"\"quoted\"\"</b>\",-5,-6.2420689,-3.7579311,3\n"
        "2,\"{system: b, f: 1}\",1,-0.24206886,2.2420689,3\n"
        "3,c,2,0.75793114,3.2420689,3\n");
    free(text);
    text = declared_description(&spot_picture_differences, &report);
    assert_string_equal(text,
        "Differences in cost (USD) to checkpoint, replication by replication: from "
        "-5.00 USD at it's <b>\"quoted\"</b> to 2.00 USD at c. Of 3 points 1 is surely "
        "lower "
        "and 1 surely higher.");
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Curves along the probability, in percentage points. */
static void test_curves(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    sample_idle_head(&head, 20);
    head.has_baseline = true;
    head.baseline_axis_id = 1;
    head.baseline_value_id = 1;
    store = sample_idle_store(&head);
    report = read_report(store);
    text = declared(&report);
    assert_int_equal(sample_count(text, "series of line"), 1);
    assert_int_equal(declared_count(text, "line"), 11);
    assert_non_null(strstr(text, " low '↓ less idle than pipeline depth 16'"));
    assert_non_null(strstr(text, "  rule at 0\n"));
    assert_non_null(strstr(text, "'difference (percentage points)'"));
    sample_assert_golden("picture-differences.txt", text);
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Three values along x, or a key of the baseline that is drawn along, are rows. */
static void test_choice(void **state)
{
    (void) state;
    for (size_t axis_id = 0; axis_id < 2; axis_id++) {
        spot_study_head_t head;
        spot_store_t *store;
        spot_report_t report;
        char *text;

        sample_idle_head(&head, 2);
        head.has_baseline = true;
        head.baseline_axis_id = axis_id;
        if (axis_id == 1) {
            free(head.plot.x);
            head.plot.x = copy("nothing that is swept");
        }
        store = sample_idle_store(&head);
        report = read_report(store);
        text = declared(&report);
        assert_int_equal(declared_count(text, "line"), 0);
        assert_int_equal(declared_count(text, "points"), axis_id == 0 ? 20 : 11);
        free(text);
        spot_report_free(&report);
        store->close(store);
        spot_study_head_free(&head);
    }
}

/* Of many points the first ones are drawn, and the note says so. */
static void test_many_points(void **state)
{
    enum { MAX_ROWS = 40, NUM_POINTS = MAX_ROWS + 5 };
    char texts[NUM_POINTS][24];
    const char *names[NUM_POINTS];
    double costs[NUM_POINTS] = {0};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    for (int j = 0; j < NUM_POINTS; j++) {
        snprintf(texts[j], sizeof(texts[j]), "system-%d", j);
        names[j] = texts[j];
    }
    make_head(&head, NUM_POINTS, names);
    store = make_store(&head, costs);
    report = read_report(store);
    text = declared(&report);
    assert_non_null(strstr(text, " · the first 40 of 44 points'"));
    assert_int_equal(declared_count(text, "points"), MAX_ROWS);
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_problems(void **state)
{
    static const char *const names[] = {"a", "b"};
    static const double none[] = {(double) NAN, 1};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;

    (void) state;
    make_head(&head, 2, names);
    store = make_store(&head, none);
    report = sample_report(store);
    assert_string_equal(
        spot_picture_differences.problem(&report), "the differences to the baseline were not read");
    assert_int_equal(spot_report_read_pairs(&report), 0);
    assert_string_equal(spot_picture_differences.problem(&report),
        "no point has replications in common with its baseline");
    for (size_t j = 0; j < head.num_points * head.num_metrics; j++) {
        report.summaries[j].value = (double) NAN;
    }
    assert_string_equal(
        spot_picture_differences.problem(&report), "what it would draw is undefined at all points");
    report.num_rows = 0;
    assert_string_equal(spot_picture_differences.problem(&report), "no point has replications yet");
    head.has_baseline = false;
    assert_non_null(strstr(spot_picture_differences.problem(&report), "baseline: {"));
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_problems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
