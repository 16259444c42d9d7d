/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every static part of a page, of studies that have it and of those that have not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/store/stored_study.h"
#include "tests/unit/page/page_case.h"
#include "tests/unit/page/page_sample.h"
#include "tests/unit/reports/sample.h"

static const char *const all_parts[] = {
    "race", "winners", "differences", "sobol-indices", "parameters", "origin"};

#define NUM_PARTS (sizeof(all_parts) / sizeof(all_parts[0]))

static void set_baseline(page_sample_t *sample)
{
    sample->head.has_baseline = true;
    sample->head.baseline_axis_id = 0;
    sample->head.baseline_value_id = 1;
}

static void set_best(page_sample_t *sample)
{
    sample->is_left_out[2] = true;
    sample->head.best = (spot_best_t){
        .is_asked = true, .axis_id = 0, .metric_id = 0, .is_left_out = sample->is_left_out};
}

static void set_optimise(page_sample_t *sample)
{
    sample->head.min_replications = 64;
    sample->head.optimise = (spot_optimise_t){.metric = sample->constraint.metric,
        .is_maximised = false,
        .confidence = 0.95,
        .indifference = 0.01,
        .num_constraints = 1,
        .constraints = &sample->constraint};
}

static void test_differences(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 32);
    set_baseline(&sample);
    page_sample_fill(&sample, 0, true);
    page_assert_golden(sample.store, NULL, "differences", "page-differences.html");
    page_sample_free(&sample);
}

/* A list of points may lack the one that another is compared with. */
static void test_differences_without_partner(void **state)
{
    static uint32_t value_ids[] = {0, 0, 0, 1, 1, 0};
    page_sample_t sample;
    char *text;

    (void) state;
    page_sample_init(&sample, 8);
    set_baseline(&sample);
    sample.head.plan.kind = SPOT_PLAN_LIST;
    sample.head.value_ids = value_ids;
    sample.head.num_points = 3;
    page_sample_fill(&sample, 0, false);
    text = page_part(sample.store, NULL, "differences");
    assert_non_null(strstr(text, "1 of 2 points have no point with recovery.system = "
                                 "b to be compared with</p>"));
    assert_int_equal(sample_count(text, "<th scope=\"row\">a</th>"), 1);
    assert_int_equal(sample_count(text, "<th scope=\"row\">b</th>"), 0);
    free(text);
    page_sample_free(&sample);
}

static void test_winners(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 32);
    set_best(&sample);
    page_sample_fill(&sample, 0, false);
    page_assert_golden(sample.store, NULL, "winners", "page-winners.html");
    page_sample_free(&sample);
}

static void test_race(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 128);
    set_optimise(&sample);
    sample.head.optimise.metric = sample.head.name;
    sample.metrics[0].name = sample.head.name;
    page_sample_fill(&sample, 0, false);
    page_assert_golden(sample.store, NULL, "race", "page-race.html");
    page_sample_free(&sample);
}

static void test_sensitivity(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 8);
    page_sample_make_sensitivity(&sample);
    page_sample_fill(&sample, 0, false);
    page_assert_golden(sample.store, NULL, "sobol-indices", "page-sensitivity.html");
    page_sample_free(&sample);
}

static void test_warnings(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 32);
    page_sample_fill(&sample, 2, true);
    page_assert_golden(sample.store, NULL, "warnings", "page-warnings.html");
    page_sample_free(&sample);
}

static void assert_no_doubts(const page_sample_t *sample)
{
    char *text = page_part(sample->store, NULL, "warnings");

    assert_string_equal(text, "");
    free(text);
}

/* A study with nothing to warn of has no such part, and one that asks for nothing has no
 * winners, no race, no differences and no indices. */
static void test_nothing_to_tell(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 8);
    page_sample_fill(&sample, 0, false);
    for (size_t j = 0; j + 2 < NUM_PARTS; j++) {
        assert_null(page_part(sample.store, NULL, all_parts[j]));
    }
    assert_no_doubts(&sample);
    page_sample_free(&sample);
}

static void assert_warns(const page_sample_t *sample, const char *words)
{
    char *text = page_part(sample->store, NULL, "warnings");

    assert_non_null(text);
    if (strstr(text, words) == NULL) {
        fail_msg("no \"%s\" in:\n%s", words, text);
    }
    free(text);
}

static void test_no_intervals(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 1);
    page_sample_fill(&sample, 0, false);
    assert_warns(&sample, "There are no intervals:");
    page_sample_free(&sample);
    page_sample_init(&sample, 4);
    page_sample_fill(&sample, 100, false);
    assert_warns(&sample, "4 of 48 replications are there");
    page_sample_free(&sample);
}

static void test_until(void **state)
{
    page_sample_t sample;
    char *text;

    (void) state;
    page_sample_init(&sample, 20);
    sample.head.min_replications = 4;
    sample.head.until =
        (spot_until_t){.metric = sample.constraint.metric, .half_width = 1e-9, .confidence = 0.95};
    page_sample_fill(&sample, 1, false);
    assert_warns(&sample, "11 of 12 points need more replications");
    assert_warns(&sample, "is not reached at 1 of 12 points");
    text = page_part(sample.store, NULL, "parameters");
    assert_non_null(strstr(text, "<li>grid of all combinations: 12 points, 4 to 20 "
                                 "replications each until "
                                 "lost_fraction is known within ±1e-09 (95 %)</li>"));
    free(text);
    page_sample_free(&sample);
}

static void test_unfinished_race(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 64);
    set_optimise(&sample);
    page_sample_fill(&sample, 1, false);
    assert_warns(&sample, "its race is not over, 12 points may still win");
    page_sample_free(&sample);
}

static void test_parameters(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 8);
    set_baseline(&sample);
    sample.head.plan.num_excluded = 3;
    page_sample_fill(&sample, 0, false);
    page_assert_golden(sample.store, page_sample_origin(), "parameters", "page-parameters.html");
    page_sample_free(&sample);
}

/* Of many values of a grid all are there, behind their ends. */
static void test_many_values(void **state)
{
    page_sample_t sample;
    char *text;

    (void) state;
    page_sample_init(&sample, 2);
    page_sample_make_sensitivity(&sample);
    sample.head.plan = (spot_plan_t){.kind = SPOT_PLAN_GRID};
    page_sample_fill(&sample, 0, false);
    text = page_part(sample.store, NULL, "parameters");
    assert_int_equal(sample_count(text, "<td>0 to 15: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
                                        "11, 12, 13, 14, 15</td>"),
        2);
    free(text);
    page_sample_free(&sample);
}

/* Of a design the ends are shown, not every value. */
static void test_parameters_of_a_design(void **state)
{
    page_sample_t sample;
    char *text;

    (void) state;
    page_sample_init(&sample, 2);
    page_sample_make_sensitivity(&sample);
    page_sample_fill(&sample, 0, false);
    text = page_part(sample.store, NULL, "parameters");
    assert_int_equal(sample_count(text, "<td>0 to 15</td>"), 2);
    assert_non_null(strstr(text, "<li>256 points (sensitivity, seed 3, 64 base "
                                 "samples), 2 replications each</li>"));
    free(text);
    page_sample_free(&sample);
}

static void test_no_parameters(void **state)
{
    static const double values[] = {1, 2};
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    sample_plain_head(&head, 2);
    store = sample_plain_store(&head, 2, values);
    text = page_part(store, NULL, "parameters");
    assert_non_null(strstr(text, "Nothing was varied"));
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void test_origin(void **state)
{
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 2);
    page_sample_fill(&sample, 0, false);
    page_assert_golden(sample.store, page_sample_origin(), "origin", "page-origin.html");
    page_sample_free(&sample);
}

/* Texts that would be markup, in every place that has text of a study. */
static void test_hostile_texts(void **state)
{
    static char path[256], value[256], metric[256];
    page_sample_t sample;

    (void) state;
    page_sample_init(&sample, 64);
    snprintf(path, sizeof(path), "a.%s", page_hostile);
    snprintf(value, sizeof(value), "%s", page_hostile);
    snprintf(metric, sizeof(metric), "%s_usd", page_hostile);
    sample.axes[0].path = path;
    sample.texts[0][0] = value;
    sample.axes[1].unit = value;
    sample.metrics[0] = (spot_metric_t){.name = metric, .unit = page_hostile, .help = page_hostile};
    sample.warning = (spot_warning_t){page_hostile, page_hostile};
    sample.head.name = value;
    sample.head.question = value;
    set_baseline(&sample);
    set_best(&sample);
    set_optimise(&sample);
    sample.head.optimise.metric = metric;
    sample.constraint.text = value;
    page_sample_fill(&sample, 0, true);
    for (size_t j = 0; j < NUM_PARTS; j++) {
        char *text = page_part(sample.store, page_sample_hostile_origin(), all_parts[j]);

        assert_true(text != NULL || strcmp(all_parts[j], "sobol-indices") == 0);
        assert_true(text == NULL || strstr(text, "<script") == NULL);
        assert_true(text == NULL || strstr(text, "\xff") == NULL);
        assert_true(text == NULL || strstr(text, "&lt;script&gt;") != NULL);
        free(text);
    }
    page_sample_free(&sample);
}

/* All of a list of many values can be unfolded. */
static void test_long_values(void **state)
{
    spot_origin_t noted = *page_sample_origin();
    page_sample_t sample;
    char *text, *canonical = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&canonical, &num_bytes);

    (void) state;
    assert_non_null(out);
    fputs("trace:\n  gaps_s:\n", out);
    for (int j = 0; j < 100; j++) {
        fprintf(out, "    - %d\n", 1000 + j);
    }
    assert_int_equal(fclose(out), 0);
    noted.canonical = canonical;
    page_sample_init(&sample, 2);
    page_sample_fill(&sample, 0, false);
    text = page_part(sample.store, &noted, "parameters");
    assert_non_null(strstr(text, "<th scope=\"row\">trace.gaps_s</th><td><details>"
                                 "<summary>1000, 1001, "));
    assert_non_null(strstr(text, "1098, 1099</details></td>"));
    free(text);
    free(canonical);
    page_sample_free(&sample);
}

/* A text of the study that is none is shown, not read. */
static void test_damaged_canonical(void **state)
{
    static char damaged[] = "a: [";
    spot_origin_t noted = *page_sample_origin();
    page_sample_t sample;
    char *text;

    (void) state;
    noted.canonical = damaged;
    page_sample_init(&sample, 2);
    page_sample_fill(&sample, 0, false);
    text = page_part(sample.store, &noted, "parameters");
    assert_non_null(strstr(text, "cannot be read"));
    free(text);
    text = page_part(sample.store, &noted, "origin");
    assert_non_null(strstr(text, ">a: [</pre>"));
    free(text);
    page_sample_free(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_differences_without_partner),
        cmocka_unit_test(test_winners),
        cmocka_unit_test(test_race),
        cmocka_unit_test(test_sensitivity),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_nothing_to_tell),
        cmocka_unit_test(test_no_intervals),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_unfinished_race),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_parameters_of_a_design),
        cmocka_unit_test(test_no_parameters),
        cmocka_unit_test(test_origin),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_damaged_canonical),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
