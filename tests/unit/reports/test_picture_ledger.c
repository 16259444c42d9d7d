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
#include "reports/pictures/parts.h"
#include "reports/study_pictures.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

enum { NUM_PARTS = 2, NUM_METRICS = 3 };

static const spot_metric_t metrics[NUM_METRICS] = {
    {.name = "goodput_fraction", .unit = "1", .label = "goodput", .kind = SPOT_METRIC_SHARE},
    {.name = "lost_fraction", .unit = "1", .label = "lost", .kind = SPOT_METRIC_SHARE},
    {.name = "usd_per_h", .unit = "USD/h", .label = "USD per hour"}};

static char *copy(const char *text)
{
    char *result = spot_text_copy(text, strlen(text));

    assert_non_null(result);
    return result;
}

/* Points that only have names, as recovery systems do. names: [num_points] */
static void make_head(spot_study_head_t *head, size_t num_points, const char *const *names)
{
    double *numbers = spot_calloc(num_points, sizeof(*numbers));

    assert_non_null(numbers);
    memset(head, 0, sizeof(*head));
    head->name = copy("compare");
    head->question = copy("which is best?");
    head->num_replications = 2;
    head->num_axes = 1;
    head->axes = spot_calloc(1, sizeof(*head->axes));
    head->metrics = spot_calloc(NUM_METRICS, sizeof(*head->metrics));
    head->plot.stack = spot_calloc(NUM_PARTS, sizeof(*head->plot.stack));
    assert_non_null(head->axes);
    assert_non_null(head->metrics);
    assert_non_null(head->plot.stack);
    head->axes[0] = sample_axis("recovery", num_points, numbers);
    for (size_t j = 0; j < num_points; j++) {
        free(head->axes[0].texts[j]);
        head->axes[0].texts[j] = copy(names[j]);
        head->axes[0].numbers[j] = (double) NAN;
    }
    head->num_points = num_points;
    head->num_listed = NUM_METRICS;
    head->num_metrics = NUM_METRICS;
    memcpy(head->metrics, metrics, sizeof(metrics));
    head->plot.num_stack = NUM_PARTS;
    head->plot.second_x = copy("usd_per_h");
    for (int j = 0; j < NUM_PARTS; j++) {
        head->plot.stack[j] = copy(metrics[j].name);
    }
    free(numbers);
}

/* Point j has a goodput of goodputs[j] on average, the rest is lost. */
static spot_store_t *make_store(const spot_study_head_t *head, const double *goodputs)
{
    spot_store_t *store = NULL;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    for (size_t j = 0; j < head->num_points; j++) {
        const double rows[2][NUM_METRICS] = {{goodputs[j] - 0.125, 1.125 - goodputs[j], 10},
            {goodputs[j] + 0.125, 0.875 - goodputs[j], 12}};
        const spot_piece_t piece = {.point_id = j, .num_rows = 2, .rows = rows[0]};

        assert_int_equal(store->put(store, &piece), 0);
    }
    return store;
}

static char *declared(const spot_store_t *store)
{
    spot_report_t report = sample_report(store);
    char *text = declared_text(spot_picture_ledger.declare, &report);

    spot_report_free(&report);
    return text;
}

/* Edges and shares are means, the last bar has no lost part, names lose their frame. */
static void test_golden(void **state)
{
    static const char *const names[] = {
        "checkpoint", "{system: checkpoint, detection: 30 s}", "it's \"quoted\""};
    static const double goodputs[] = {0.5, 0.25, 1};
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    make_head(&head, 3, names);
    store = make_store(&head, goodputs);
    text = declared(store);
    assert_int_equal(sample_count(text, "    bars 50 0 '50 %'\n"), 2);
    assert_non_null(strstr(text, "    bars 25 1 '25 %'\n"));
    assert_int_equal(sample_count(text, "row 'checkpoint, detection: 30 s'"), 1);
    assert_int_equal(sample_count(text, " side '11.0'"), 3);
    sample_assert_golden("picture-ledger.txt", text);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void assert_problem(const spot_store_t *store, const char *expected)
{
    spot_report_t report = sample_report(store);
    const char *problem = spot_picture_ledger.problem(&report);

    if (expected == NULL) {
        assert_null(problem);
    } else {
        assert_string_equal(problem, expected);
    }
    spot_report_free(&report);
}

/* A point whose metrics are null has a name and no bar; so may all. */
static void test_undefined(void **state)
{
    static const char *const names[] = {"a", "b"};
    const double some[] = {0.5, (double) NAN}, none[] = {(double) NAN, (double) NAN};

    (void) state;
    for (int j = 0; j < 2; j++) {
        spot_study_head_t head;
        spot_store_t *store;
        char *text;

        make_head(&head, 2, names);
        store = make_store(&head, j == 0 ? some : none);
        assert_problem(store, j == 0 ? NULL : "what it would draw is undefined at all points");
        text = declared(store);
        assert_int_equal(sample_count(text, "'undefined in all replications'"), (size_t) j + 1);
        assert_int_equal(sample_count(text, "series of bars"), j == 0 ? 2 : 0);
        assert_int_equal(declared_count(text, "bars"), j == 0 ? 2 : 0);
        assert_null(strstr(text, "nan "));
        free(text);
        store->close(store);
        spot_study_head_free(&head);
    }
}

/* Of many points the first ones are drawn, and the picture says so; long names end in
 * an ellipsis. */
static void test_many_points(void **state)
{
    enum { NUM_POINTS = SPOT_MAX_BARS + 3 };
    char texts[NUM_POINTS][80];
    const char *names[NUM_POINTS];
    double goodputs[NUM_POINTS];
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    for (int j = 0; j < NUM_POINTS; j++) {
        snprintf(texts[j], sizeof(texts[j]),
            "{system: a-system, with: %d and an option with a value}", j);
        names[j] = texts[j];
        goodputs[j] = 0.5;
    }
    make_head(&head, NUM_POINTS, names);
    store = make_store(&head, goodputs);
    text = declared(store);
    assert_non_null(strstr(text, " · the first 40 of 43 points'"));
    assert_int_equal(sample_count(text, "'a-system, with: "), SPOT_MAX_BARS);
    assert_int_equal(sample_count(text, "'50 %'"), 2 * SPOT_MAX_BARS);
    assert_non_null(strstr(text, "'a-system, with: 39 and an option... (40)'"));
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_without_a_stack(void **state)
{
    static const char *const names[] = {"a", "b"};
    static const double goodputs[] = {0.5, 0.5};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    spot_chart_t *chart;

    (void) state;
    make_head(&head, 2, names);
    for (size_t j = 0; j < head.plot.num_stack; j++) {
        free(head.plot.stack[j]);
        head.plot.stack[j] = NULL;
    }
    store = make_store(&head, goodputs);
    assert_problem(store, "the study kept no metrics that add up to a whole");
    report = sample_report(store);
    chart = spot_chart_new();
    assert_non_null(chart);
    assert_int_equal(spot_picture_ledger.declare(chart, &report), SPOT_ERR_BAD_PARAM);
    spot_chart_free(chart);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* What is told of a picture: its largest part, and where goodput is lowest. */
static void test_description(void **state)
{
    static const char *const names[] = {"a", "b", "c"};
    static const double goodputs[] = {0.5, 0.25, (double) NAN};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    make_head(&head, 3, names);
    store = make_store(&head, goodputs);
    report = sample_report(store);
    text = declared_description(&spot_picture_ledger, &report);
    assert_string_equal(text,
        "Where the time of each point goes, as a bar of 2 parts. The largest is lost, "
        "62.5 % on average over the points; goodput is from 25.0 % at b to 50.0 % at "
        "a.");
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Parts that are not all of it: the axis says so. */
static void test_rest(void **state)
{
    static const char *const names[] = {"a", "b"};
    static const double goodputs[] = {0.5, 0.25};
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    make_head(&head, 2, names);
    store = make_store(&head, goodputs);
    head.plot.num_stack = 1;
    text = declared(store);
    assert_non_null(strstr(text, "'share; what is not shown makes up the rest'"));
    free(text);
    head.plot.num_stack = 2;
    head.has_overview = true;
    head.overview.num_parts = 2;
    head.overview.part_ids = spot_calloc(2, sizeof(*head.overview.part_ids));
    assert_non_null(head.overview.part_ids);
    head.overview.part_ids[0] = 1; /* in the order of the overview */
    head.overview.part_ids[1] = 0;
    text = declared(store);
    assert_non_null(strstr(text, "'share of the paid time'"));
    assert_true(strstr(text, "series of bars 'lost'") < strstr(text, "series of bars 'goodput'"));
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_without_a_stack),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
