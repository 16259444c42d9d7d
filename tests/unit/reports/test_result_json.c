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

#include "base/number.h"
#include "base/yaml.h"
#include "reports/export.h"
#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/summary.h"
#include "tests/unit/reports/sample.h"

static char *write_json(const spot_store_t *store)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_result_json_write(store, out), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(strlen(text), num_bytes);
    return text;
}

/* Numbers that are exact on any machine; a null; a point without rows; texts that need
 * escapes. */
static void test_golden(void **state)
{
    static const double numbers[] = {0, 0.1};
    static const double rows[3][2] = {{0.25, 8}, {0.25, (double) NAN}, {0.25, 8}};
    static const spot_metric_t metrics[] = {{.name = "idle_fraction", .unit = "1", .help = ""},
        {.name = "wait_s", .unit = "s", .help = "", .label = "wait"}};
    spot_study_head_t head = {.seed = UINT64_C(9223372036854775807),
        .batch_replications = 64,
        .num_replications = 3,
        .num_axes = 2,
        .num_points = 4,
        .num_listed = 2,
        .num_metrics = 2};
    spot_store_t *store;
    char *text;

    (void) state;
    head.name = strdup("quoted \"so\", gr\xc3\xb6\xc3\x9f"
                       "er");
    head.question = strdup("A\\B\tC?\n");
    head.axes = calloc(2, sizeof(*head.axes));
    head.metrics = malloc(sizeof(metrics));
    assert_non_null(head.axes);
    assert_non_null(head.metrics);
    memcpy(head.metrics, metrics, sizeof(metrics));
    head.axes[0] = sample_axis("trace.preemption.per_minute", 2, numbers);
    head.axes[1] = sample_axis("recovery", 2, numbers);
    free(head.axes[1].texts[1]);
    head.axes[1].texts[1] = strdup("{system: \"x\", y}");
    head.axes[1].numbers[1] = (double) NAN;
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 3, rows[0], NULL}), 0);
    }
    text = write_json(store);
    sample_assert_golden("result.json", text);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

/* Without sweep and question. */
static void test_a_plain_study(void **state)
{
    static const double values[] = {1, 2, 4};
    spot_study_head_t head;
    spot_store_t *store;
    char *text;

    (void) state;
    sample_plain_head(&head, 3);
    store = sample_plain_store(&head, 3, values);
    text = write_json(store);
    assert_non_null(strstr(text, "\"values\": {}"));
    assert_non_null(strstr(text, "\"median\": 2"));
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

static void assert_number(const spot_node_t *map, const char *key, double expected)
{
    const spot_node_t *node = spot_node_get(map, key);
    double value = 0;

    assert_non_null(node);
    if (!isfinite(expected)) {
        assert_string_equal(node->text, "null");
    } else {
        assert_int_equal(spot_number_parse(node->text, &value), 0);
        assert_true(value == expected);
    }
}

static void assert_difference(const spot_node_t *metric, const spot_paired_t *pair)
{
    const spot_node_t *difference = spot_node_get(metric, "difference");
    const double mean = spot_paired_mean(pair);
    const double half_width = spot_paired_half_width(pair, 0.95);

    assert_non_null(difference);
    assert_number(difference, "pairs", 20);
    assert_number(difference, "nulls", (double) pair->num_left_out);
    assert_number(difference, "mean", mean);
    assert_number(difference, "ci95_low", mean - half_width);
    assert_number(difference, "ci95_high", mean + half_width);
    assert_number(difference, "gain", spot_paired_gain(pair, 0.95));
}

/* Differences to depth 16; that itself has none, nor has a study without baseline. */
static void assert_differences(bool has_baseline)
{
    spot_study_head_t head;
    spot_paired_t *pairs;
    spot_yaml_t document;
    spot_store_t *store;
    spot_diag_t diag;
    const spot_node_t *points;
    char *text;

    spot_diag_init(&diag);
    sample_idle_head(&head, 20);
    head.has_baseline = has_baseline;
    head.baseline_axis_id = 1;
    head.baseline_value_id = 1;
    store = sample_idle_store(&head);
    text = write_json(store);
    assert_int_equal(spot_store_differences(store, &pairs), 0);
    assert_int_equal(spot_yaml_parse(&document, "json", text, strlen(text), &diag), 0);
    assert_true((strstr(text, "\"baseline\": {\n    \"job.pipeline_depth\": 16\n") != NULL) ==
                has_baseline);
    points = spot_node_get(document.root, "points");
    for (size_t j = 0; j < head.num_points; j++) {
        const spot_node_t *metrics = spot_node_get(points->children[j], "metrics");
        const spot_node_t *warned = spot_node_get(points->children[j], "warnings");

        for (size_t k = 0; k < head.num_warnings; k++) {
            const spot_node_t *count = spot_node_get(warned, head.warnings[k].name);

            const int64_t num_warned = store->num_warned(store, j, k);

            assert_true((count != NULL) == (num_warned > 0));
            assert_true(count == NULL || strtol(count->text, NULL, 10) == num_warned);
        }
        for (size_t k = 0; k < head.num_metrics; k++) {
            const spot_node_t *metric = spot_node_get(metrics, head.metrics[k].name);

            if (has_baseline && j % 2 == 0) {
                assert_difference(metric, &pairs[j * head.num_metrics + k]);
            } else {
                assert_null(spot_node_get(metric, "difference"));
            }
        }
    }
    free(pairs);
    free(text);
    spot_yaml_free(&document);
    store->close(store);
    spot_study_head_free(&head);
    spot_diag_free(&diag);
}

static void test_differences(void **state)
{
    (void) state;
    assert_differences(true);
    assert_differences(false);
}

/* JSON is YAML: the reader of scenarios reads it back. */
static void test_numbers_read_back_exactly(void **state)
{
    spot_study_head_t head;
    spot_summary_t *summaries;
    spot_yaml_t document;
    spot_store_t *store;
    spot_diag_t diag;
    const spot_node_t *points;
    char *text;

    (void) state;
    spot_diag_init(&diag);
    sample_idle_head(&head, 20);
    store = sample_idle_store(&head);
    text = write_json(store);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    assert_int_equal(spot_yaml_parse(&document, "json", text, strlen(text), &diag), 0);
    points = spot_node_get(document.root, "points");
    assert_int_equal(points->num_children, head.num_points);
    for (size_t j = 0; j < head.num_points; j++) {
        const spot_node_t *values = spot_node_get(points->children[j], "values");
        const spot_node_t *metrics = spot_node_get(points->children[j], "metrics");

        assert_string_equal(spot_node_get(values, head.axes[1].path)->text,
            head.axes[1].texts[spot_study_value_id(&head, j, 1)]);
        assert_int_equal(metrics->num_children, head.num_metrics);
        for (size_t k = 0; k < head.num_metrics; k++) {
            const spot_summary_t *summary = &summaries[j * head.num_metrics + k];
            const spot_node_t *metric = spot_node_get(metrics, head.metrics[k].name);

            assert_number(metric, "replications", 20);
            assert_number(metric, "nulls", (double) summary->num_nulls);
            assert_number(metric, "mean", summary->value);
            assert_number(metric, "std", summary->std);
            assert_number(metric, "stderr", summary->stderr_value);
            assert_number(metric, "ci95_low", summary->ci_low);
            assert_number(metric, "ci95_high", summary->ci_high);
            assert_number(metric, "p05", summary->p05);
            assert_number(metric, "median", summary->median);
            assert_number(metric, "p95", summary->p95);
        }
    }
    free(summaries);
    free(text);
    spot_yaml_free(&document);
    store->close(store);
    spot_study_head_free(&head);
    spot_diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_a_plain_study),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_numbers_read_back_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
