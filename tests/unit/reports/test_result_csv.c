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

#include "base/csv.h"
#include "reports/export.h"
#include "sim/bench/analysis/difference.h"
#include "sim/bench/analysis/summary.h"
#include "tests/unit/reports/sample.h"

static char *write_csv(const spot_store_t *store, size_t *num_bytes)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_result_csv_write(store, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void assert_part(
    const spot_store_t *store, double most_s, size_t num_wanted, const char *whole)
{
    char *text = NULL;
    size_t num_bytes = 0, num_points = 99;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    assert_int_equal(spot_result_csv_write_in(store, out, most_s, &num_points), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(num_points, num_wanted);
    if (num_wanted > 0) {
        assert_string_equal(text, whole);
    } else {
        /* The names of the columns alone. */
        assert_int_equal(num_bytes, strcspn(whole, "\n") + 1);
        assert_memory_equal(text, whole, num_bytes);
    }
    free(text);
}

static void test_no_point_is_begun_after_the_time(void **state)
{
    static const double value = 1;
    spot_study_head_t head;
    spot_store_t *store;
    size_t num_bytes;
    char *whole;

    (void) state;
    sample_plain_head(&head, 1);
    store = sample_plain_store(&head, 1, &value);
    whole = write_csv(store, &num_bytes);
    assert_part(store, 1000, head.num_points, whole);
    assert_part(store, -1, 0, whole);
    free(whole);
    store->close(store);
    spot_study_head_free(&head);
}

/* Numbers that are exact on any machine; a null; a point without rows; a value that
 * needs quotes. */
static void test_golden(void **state)
{
    static const double numbers[] = {0, 0.1};
    static const double rows[3][2] = {{0.25, 8}, {0.25, (double) NAN}, {0.25, 8}};
    static const spot_metric_t metrics[] = {{.name = "idle_fraction", .unit = "1", .help = ""},
        {.name = "wait_s", .unit = "s", .help = "", .label = "wait"}};
    spot_study_head_t head = {.batch_replications = 64,
        .num_replications = 3,
        .num_axes = 2,
        .num_points = 4,
        .num_metrics = 2};
    spot_store_t *store;
    size_t num_bytes;
    char *text;

    (void) state;
    head.axes = calloc(2, sizeof(*head.axes));
    head.metrics = malloc(sizeof(metrics));
    assert_non_null(head.axes);
    assert_non_null(head.metrics);
    memcpy(head.metrics, metrics, sizeof(metrics));
    head.axes[0] = sample_axis("trace.preemption.per_minute", 2, numbers);
    head.axes[1] = sample_axis("recovery", 2, numbers);
    free(head.axes[1].texts[1]);
    head.axes[1].texts[1] = strdup("{system: \"x\", y}");
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 3, rows[0], NULL}), 0);
    }
    text = write_csv(store, &num_bytes);
    sample_assert_golden("result.csv", text);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
}

/* Fields from the one named mean on are numbers; empty is not a number. */
static void assert_numbers(const spot_csv_row_t *row, size_t first_field, const double *expected)
{
    for (size_t j = 0; j < 11; j++) {
        const char *field = row->fields[first_field + j];

        if (!isfinite(expected[j])) {
            assert_string_equal(field, "");
        } else {
            assert_true(strtod(field, NULL) == expected[j]);
        }
    }
}

/* has_baseline: with differences to depth 16. */
static void assert_numbers_read_back(bool has_baseline)
{
    spot_study_head_t head;
    spot_summary_t *summaries;
    spot_paired_t *pairs;
    spot_csv_t *csv;
    spot_csv_row_t row;
    spot_store_t *store;
    spot_diag_t diag;
    size_t num_bytes, num_rows = 0;
    char *text;

    spot_diag_init(&diag);
    sample_idle_head(&head, 20);
    head.has_baseline = has_baseline;
    head.baseline_axis_id = 1;
    head.baseline_value_id = 1;
    store = sample_idle_store(&head);
    text = write_csv(store, &num_bytes);
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    assert_int_equal(spot_store_differences(store, &pairs), 0);
    assert_int_equal(spot_csv_open_bytes(&csv, "csv", text, num_bytes, &diag), 0);
    assert_int_equal(spot_csv_next(csv, &row), 1);
    assert_int_equal(row.num_fields, 21);
    while (spot_csv_next(csv, &row) == 1) {
        const spot_summary_t *summary = &summaries[num_rows];
        const double difference = spot_paired_mean(&pairs[num_rows]);
        const double half_width = spot_paired_half_width(&pairs[num_rows], 0.95);
        const double expected[] = {summary->value, summary->std, summary->stderr_value,
            summary->ci_low, summary->ci_high, summary->p05, summary->median, summary->p95,
            difference, difference - half_width, difference + half_width};

        assert_int_equal(row.num_fields, 21);
        assert_int_equal(strtol(row.fields[0], NULL, 10), num_rows / head.num_metrics);
        assert_string_equal(row.fields[3], head.metrics[num_rows % head.num_metrics].name);
        assert_int_equal(strtol(row.fields[5], NULL, 10), 20);
        assert_int_equal(strtol(row.fields[6], NULL, 10), summary->num_nulls);
        assert_numbers(&row, 7, expected);
        assert_string_equal(
            row.fields[18], num_rows / head.num_metrics == 21 ? "trace-ended:3" : "");
        assert_int_equal(
            isfinite(difference), has_baseline && num_rows / head.num_metrics % 2 == 0);
        num_rows++;
    }
    assert_int_equal(num_rows, head.num_points * head.num_metrics);
    spot_csv_close(csv);
    free(pairs);
    free(summaries);
    free(text);
    store->close(store);
    spot_study_head_free(&head);
    spot_diag_free(&diag);
}

static void test_numbers_read_back_exactly(void **state)
{
    (void) state;
    assert_numbers_read_back(false);
    assert_numbers_read_back(true);
}

static void test_a_full_disk(void **state)
{
    static const double value = 1;
    spot_study_head_t head;
    spot_store_t *store;
    FILE *out = fopen("/dev/full", "w");

    (void) state;
    if (out == NULL) {
        print_message("there is no /dev/full\n");
        skip();
    }
    setvbuf(out, NULL, _IONBF, 0);
    sample_plain_head(&head, 1);
    store = sample_plain_store(&head, 1, &value);
    assert_int_equal(spot_result_csv_write(store, out), SPOT_ERR_IO);
    fclose(out);
    store->close(store);
    spot_study_head_free(&head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_numbers_read_back_exactly),
        cmocka_unit_test(test_a_full_disk),
        cmocka_unit_test(test_no_point_is_begun_after_the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
