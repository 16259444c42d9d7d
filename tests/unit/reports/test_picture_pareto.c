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
#include "sim/bench/analysis/pareto.h"
#include "tests/unit/reports/declared.h"
#include "tests/unit/reports/sample.h"

enum { COST, GAIN, NUM_METRICS, MAX_RATES = 10000 };

static const spot_metric_t metrics[NUM_METRICS] = {
    {.name = "usd_per_h", .unit = "USD/h", .help = "", .label = "cost per hour"},
    {.name = "samples_per_s", .unit = "1/s", .help = "", .label = "throughput"}};

static char *copy(const char *text)
{
    char *result = spot_text_copy(text, strlen(text));

    assert_non_null(result);
    return result;
}

/* num_rates values of a key and systems with these names, if any. */
static void make_head(spot_study_head_t *head, const char *path, size_t num_rates,
    size_t num_systems, const char *const *names)
{
    static double numbers[MAX_RATES];

    for (size_t j = 0; j < num_rates; j++) {
        numbers[j] = (double) j;
    }
    memset(head, 0, sizeof(*head));
    head->name = copy("cost");
    head->question = copy("What does more cost?");
    head->num_replications = 2;
    head->num_axes = num_systems > 0 ? 2 : 1;
    head->axes = spot_calloc(head->num_axes, sizeof(*head->axes));
    head->metrics = spot_calloc(NUM_METRICS, sizeof(*head->metrics));
    assert_non_null(head->axes);
    assert_non_null(head->metrics);
    head->axes[0] = sample_axis(path, num_rates, numbers);
    if (num_systems > 0) {
        head->axes[1] = sample_axis("recovery", num_systems, numbers);
    }
    for (size_t j = 0; j < num_systems; j++) {
        free(head->axes[1].texts[j]);
        head->axes[1].texts[j] = copy(names[j]);
        head->axes[1].numbers[j] = (double) NAN;
    }
    head->num_points = num_rates * (num_systems > 0 ? num_systems : 1);
    head->num_listed = NUM_METRICS;
    head->num_metrics = NUM_METRICS;
    memcpy(head->metrics, metrics, sizeof(metrics));
    head->has_overview = true;
    head->overview.cost_id = COST;
    head->overview.gain_id = GAIN;
}

/* Two replications around the means of each point: [num_points][cost, gain]. */
static spot_store_t *make_store(const spot_study_head_t *head, double (*means)[2], double spread)
{
    spot_store_t *store = NULL;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    for (size_t j = 0; j < head->num_points; j++) {
        const double rows[2][2] = {{means[j][0] - spread, means[j][1] - spread},
            {means[j][0] + spread, means[j][1] + spread}};
        const spot_piece_t piece = {.point_id = j, .num_rows = 2, .rows = rows[0]};

        assert_int_equal(store->put(store, &piece), 0);
    }
    return store;
}

static char *declared(const spot_report_t *report)
{
    return declared_text(spot_picture_pareto.declare, report);
}

/* The bytes of the picture. */
static size_t draw(const spot_report_t *report)
{
    char *text = declared_svg(spot_picture_pareto.declare, report);
    const size_t num_bytes = strlen(text);

    free(text);
    return num_bytes;
}

static const char *const systems[] = {"checkpoint", "it's <b>\"quoted\"</b>", "ideal"};

/* At rate 0: two on the front; the bound competes with nobody. At rate 1: one beats the
 * other surely. */
static double two_rates[][2] = {{10, 100}, {20, 150}, {5, 200}, {10, 60}, {20, 40}, {5, 90}};

static void make_two_rates(spot_study_head_t *head)
{
    make_head(head, "trace.preemption.per_minute", 2, 3, systems);
    head->best = (spot_best_t){.is_asked = true,
        .axis_id = 1,
        .metric_id = GAIN,
        .is_left_out = spot_calloc(3, sizeof(bool))};
    assert_non_null(head->best.is_left_out);
    head->best.is_left_out[2] = true;
}

static void test_golden(void **state)
{
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    make_two_rates(&head);
    store = make_store(&head, two_rates, 0.25);
    report = sample_report(store);
    assert_null(spot_picture_pareto.problem(&report));
    text = declared(&report);
    sample_assert_golden("picture-pareto.txt", text);
    free(text);
    text = declared_csv(&spot_picture_pareto, &report);
    assert_non_null(strstr(text, "point,trace.preemption.per_minute,recovery,"
                                 "usd_per_h_mean,usd_per_h_ci95_low,"));
    assert_int_equal(sample_count(text, ",front\n"), 4); /* with the head */
    assert_int_equal(sample_count(text, ",surely worse\n"), 1);
    assert_int_equal(sample_count(text, ",left out\n"), 2);
    free(text);
    text = declared_description(&spot_picture_pareto, &report);
    assert_string_equal(text,
        "What more throughput (1/s) costs, in cost per hour (USD/h). Compared at each "
        "of "
        "2 traces, 3 "
        "of 6 points are on the Pareto front, where nothing gains more for less, most "
        "often checkpoint: at 2 of 2; 1 is worse than another one by more than the "
        "intervals.");
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* The fates in groups are those of each trace alone. */
static void test_groups(void **state)
{
    enum { NUM_RATES = 7, NUM_SYSTEMS = 3 };
    static const char *const names[] = {"a", "b", "c"};
    double means[NUM_RATES * NUM_SYSTEMS][2];
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    spot_fronts_t points;

    (void) state;
    make_head(&head, "trace.preemption.per_minute", NUM_RATES, NUM_SYSTEMS, names);
    for (size_t j = 0; j < head.num_points; j++) {
        means[j][0] = 1 + (double) (j * 7919 % 13);
        means[j][1] = 1 + (double) (j * 104729 % 11);
    }
    store = make_store(&head, means, 0.01);
    report = sample_report(store);
    assert_int_equal(spot_fronts_init(&points, store, report.summaries, 0), 0);
    assert_int_equal(points.num_groups, NUM_RATES);
    for (size_t j = 0; j < NUM_RATES; j++) {
        spot_choice_fate_t fates[NUM_SYSTEMS];

        assert_int_equal(spot_pareto_find(&points.choices[j * NUM_SYSTEMS], NUM_SYSTEMS, fates), 0);
        assert_memory_equal(fates, &points.fates[j * NUM_SYSTEMS], sizeof(fates));
    }
    spot_fronts_free(&points);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Where each point meets a trace of its own there is one front over all, and a note. */
static void test_only_traces(void **state)
{
    double means[][2] = {{1, 1}, {2, 2}, {3, 1}};
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    make_head(&head, "trace", 3, 0, NULL);
    store = make_store(&head, means, 0.01);
    report = sample_report(store);
    text = declared(&report);
    assert_int_equal(sample_count(text, "no two points meet the same trace"), 1);
    assert_int_equal(sample_count(text, "series of steps"), 1);
    free(text);
    text = declared_description(&spot_picture_pareto, &report);
    assert_non_null(
        strstr(text, ", from 0 (1.00 1/s for 1.00 USD/h) to 1 (2.00 1/s for 2.00 USD/h); "
                     "1 is"));
    free(text);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

/* Ten thousand points make a small picture that has all of a front of 150. */
static void test_many_points(void **state)
{
    double(*means)[2] = spot_calloc(MAX_RATES, sizeof(*means));
    uint64_t random = 1;
    spot_study_head_t head;
    spot_store_t *store;
    spot_report_t report;
    char *text;

    (void) state;
    assert_non_null(means);
    make_head(&head, "job.pipeline_depth", MAX_RATES, 0, NULL);
    for (size_t j = 0; j < MAX_RATES; j++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        means[j][0] = 1 + (j < 150 ? (double) j / 150 : (double) (random >> 33) / 2147483648.0);
        means[j][1] = j < 150 ? means[j][0] + 1 : means[j][0] * ((double) (random % 1000) / 1500);
    }
    store = make_store(&head, means, 0);
    report = sample_report(store);
    text = declared(&report);
    assert_int_equal(declared_count(text, "steps"), 150);
    assert_true(declared_count(text, "points") <= 1500 + 150);
    assert_true(declared_count(text, "points") >= 750);
    assert_non_null(strstr(text, " of 10000 points have a dot"));
    free(text);
    assert_true(draw(&report) < 300000);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
    free(means);
}

/* Points without a cost or a gain are left out; where all are there is no picture. */
static void test_problems(void **state)
{
    const double nan = (double) NAN;
    double some[][2] = {{1, 1}, {nan, 2}, {3, nan}}, none[][2] = {{nan, 1}, {nan, 1}, {1, nan}};

    (void) state;
    for (int j = 0; j < 2; j++) {
        spot_study_head_t head;
        spot_store_t *store;
        spot_report_t report;

        make_head(&head, "job.pipeline_depth", 3, 0, NULL);
        store = make_store(&head, j == 0 ? some : none, 0);
        report = sample_report(store);
        if (j == 0) {
            char *text = declared(&report);

            assert_null(spot_picture_pareto.problem(&report));
            assert_null(strstr(text, "nan"));
            assert_non_null(strstr(text, "'1 of 3 points have a dot"));
            free(text);
        } else {
            assert_string_equal(
                spot_picture_pareto.problem(&report), "no point has both a cost and a gain yet");
        }
        head.overview.cost_id = NUM_METRICS;
        assert_non_null(strstr(spot_picture_pareto.problem(&report), "ledger: yes"));
        spot_report_free(&report);
        store->close(store);
        spot_study_head_free(&head);
    }
}

/* After a race points have different numbers of replications, of which only those that
 * all have can be compared: by all of them, point 1 would cost less. */
static void test_common_replications(void **state)
{
    const double first[2][2] = {{10, 5}, {20, 7}};
    const double second[4][2] = {{10, 4}, {20, 6}, {2, 5}, {2, 5}};
    const spot_piece_t pieces[] = {{.point_id = 0, .num_rows = 2, .rows = first[0]},
        {.point_id = 1, .num_rows = 4, .rows = second[0]}};
    spot_study_head_t head;
    spot_fronts_t points;
    spot_report_t report;
    spot_store_t *store = NULL;

    (void) state;
    make_head(&head, "job.pipeline_depth", 2, 0, NULL);
    head.num_replications = 4;
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    assert_int_equal(store->put(store, &pieces[0]), 0);
    assert_int_equal(store->put(store, &pieces[1]), 0);
    report = sample_report(store);
    assert_int_equal(spot_fronts_init(&points, store, report.summaries, 2), 0);
    assert_int_equal(points.num_common, 2);
    assert_true(points.choices[0].cost == 15 && points.choices[1].cost == 15);
    assert_true(points.choices[0].gain == 6 && points.choices[1].gain == 5);
    assert_int_equal(points.fates[0], SPOT_CHOICE_FRONT);
    assert_int_not_equal(points.fates[1], SPOT_CHOICE_FRONT);
    spot_fronts_free(&points);
    spot_report_free(&report);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_only_traces),
        cmocka_unit_test(test_many_points),
        cmocka_unit_test(test_common_replications),
        cmocka_unit_test(test_problems),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
