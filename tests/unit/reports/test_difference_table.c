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

#include "reports/study_parts.h"
#include "tests/unit/reports/sample.h"

/* A study of two points, the second of which is compared with the first: x is 1 and 2,
 * wait_s has these values. */
typedef struct {
    spot_study_head_t head;
    spot_axis_t axis;
    spot_metric_t metric;
    spot_store_t *store;
} sample_t;

static void make_sample(sample_t *self, size_t num_rows)
{
    static const double numbers[] = {1, 2};

    *self = (sample_t){.metric = {.name = "wait_s", .unit = "s", .help = "", .label = "wait"}};
    self->axis = sample_axis("x", 2, numbers);
    self->head = (spot_study_head_t){.num_points = 2,
        .num_axes = 1,
        .axes = &self->axis,
        .has_baseline = true,
        .num_listed = 1,
        .num_metrics = 1,
        .metrics = &self->metric,
        .batch_replications = 64,
        .num_replications = (int64_t) num_rows};
    assert_int_equal(spot_store_open_memory(&self->store, &self->head), 0);
}

static void put(sample_t *self, size_t point_id, size_t num_rows, const double *rows)
{
    assert_int_equal(
        self->store->put(self->store, &(spot_piece_t){point_id, 0, num_rows, rows, NULL}), 0);
}

static void write_table(const spot_store_t *store, FILE *out)
{
    const spot_terminal_t terminal = {80, false, true};
    spot_document_t document;
    spot_report_t report;

    assert_int_equal(spot_report_init(&report, store), 0);
    assert_int_equal(spot_report_read_pairs(&report), 0);
    spot_document_to_terminal(&document, &terminal, out);
    spot_differences_write(&report, &document);
    assert_int_equal(spot_document_end(&document), 0);
    spot_report_free(&report);
}

/* Writes the table and closes the study. */
static void assert_table(sample_t *self, const char *expected)
{
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    write_table(self->store, out);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
    self->store->close(self->store);
    for (size_t j = 0; j < 2; j++) {
        free(self->axis.texts[j]);
    }
    free(self->axis.path);
    free(self->axis.texts);
    free(self->axis.numbers);
    free(self->axis.unit);
    free(self->axis.label);
}

static void assert_rows(
    size_t num_rows, const double *base, const double *rows, const char *expected)
{
    sample_t sample;

    make_sample(&sample, num_rows);
    put(&sample, 0, num_rows, base);
    put(&sample, 1, num_rows, rows);
    assert_table(&sample, expected);
}

/* Paired: 2.776 * sqrt(0.01 / 5); unpaired: 2.306 * sqrt((2.5 + 2.41) / 5). */
static void test_pairing_narrows(void **state)
{
    static const double base[] = {1, 2, 3, 4, 5};
    static const double rows[] = {1.5, 2.6, 3.4, 4.6, 5.4};

    (void) state;
    assert_rows(5, base, rows,
        "\nEvery difference with its interval\ndifference to x = 1: mean of 5 pairs of "
        "replications, which met the same events\n"
        "\nx       wait_s\n             s\n2  0.50 ±0.12*\n"
        "\n*: 0 is outside of the interval; where nothing differs, chance does that in "
        "1 "
        "of\n   20\n"
        "\nHow much pairing is worth\npaired intervals are 18.41 times narrower than "
        "unpaired ones of the same\n"
        "replications (median of 1)\n"
        "\n           times                points that\n"
        "        narrower                  differ by\n"
        "metric  (median)   from     to     the same\n"
        "wait_s     18.41  18.41  18.41\n");
}

/* Where one is high, the other is low. Paired: 2.776 * sqrt(10 / 5); unpaired: 2.306. */
static void test_pairing_widens(void **state)
{
    static const double base[] = {1, 2, 3, 4, 5};
    static const double rows[] = {5, 4, 3, 2, 1};

    (void) state;
    assert_rows(5, base, rows,
        "\nEvery difference with its interval\ndifference to x = 1: mean of 5 pairs of "
        "replications, which met the same events\n"
        "\nx    wait_s\n          s\n2  0.0 ±3.9\n"
        "\nHow much pairing is worth\npaired intervals are 1.70 times wider than "
        "unpaired ones of the same\n"
        "replications (median of 1)\n"
        "\n           times              points that\n"
        "        narrower                differ by\n"
        "metric  (median)  from    to     the same\n"
        "wait_s      0.59  0.59  0.59\n"
        "\nbelow 1 paired intervals are wider\n");
}

/* The same difference in all pairs is known for sure, also 0; nulls are counted. */
static void test_no_spread(void **state)
{
    static const double base[] = {1, 2, 3}, rows[] = {1.5, 2.5, 3.5};
    static const double nulls[] = {1, (double) NAN, 3};

    (void) state;
    assert_rows(3, base, rows,
        "\nEvery difference with its interval\ndifference to x = 1: mean of 3 pairs of "
        "replications, which met the same events\n"
        "\nx   wait_s\n         s\n2  0.5 ±0*\n"
        "\n*: 0 is outside of the interval; where nothing differs, chance does that in "
        "1 "
        "of\n   20\n");
    assert_rows(3, base, nulls,
        "\nEvery difference with its interval\ndifference to x = 1: mean of 3 pairs of "
        "replications, which met the same events\n"
        "\nx         wait_s\n               s\n2  0 ±0 (2 of 3)\n");
    assert_rows(1, base, rows,
        "\nEvery difference with its interval\ndifference to x = 1 in the same "
        "replication\n"
        "\nx  wait_s\n        s\n2     0.5\n");
}

/* A point without rows. */
static void test_no_pairs(void **state)
{
    static const double base[] = {1, 2, 3};
    sample_t sample;

    (void) state;
    make_sample(&sample, 3);
    put(&sample, 0, 3, base);
    assert_table(&sample, "\nEvery difference with its interval\ndifference to x = 1: "
                          "mean of 0 pairs of replications, which met the same events\n"
                          "\nx  wait_s\n        s\n2       -\n");
}

/* x = 1 is not there with y = 6: the points of y = 6 are compared with nothing. */
static void test_points_without_a_partner_are_told(void **state)
{
    static const double x[] = {1, 2}, y[] = {5, 6};
    static const double rows[] = {1, 2, 3, 4};
    spot_axis_t axes[] = {sample_axis("x", 2, x), sample_axis("y", 2, y)};
    uint32_t value_ids[] = {0, 0, 1, 0, 1, 1};
    spot_metric_t metric = {.name = "wait_s", .unit = "s", .help = "", .label = "wait"};
    const spot_study_head_t head = {.num_points = 3,
        .num_axes = 2,
        .axes = axes,
        .value_ids = value_ids,
        .has_baseline = true,
        .num_listed = 1,
        .num_metrics = 1,
        .metrics = &metric,
        .batch_replications = 64,
        .num_replications = 4};
    spot_store_t *store;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    (void) state;
    assert_non_null(out);
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (size_t j = 0; j < 3; j++) {
        assert_int_equal(store->put(store, &(spot_piece_t){j, 0, 4, rows, NULL}), 0);
    }
    write_table(store, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "difference to x = 1: mean of 4 pairs"));
    assert_non_null(strstr(text, "\n1 of 2 points have no point with x = 1 to be compared with\n"));
    free(text);
    store->close(store);
    for (size_t j = 0; j < 2; j++) {
        free(axes[j].texts[0]);
        free(axes[j].texts[1]);
        free(axes[j].path);
        free(axes[j].texts);
        free(axes[j].numbers);
        free(axes[j].unit);
        free(axes[j].label);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_without_a_partner_are_told),
        cmocka_unit_test(test_pairing_narrows),
        cmocka_unit_test(test_pairing_widens),
        cmocka_unit_test(test_no_spread),
        cmocka_unit_test(test_no_pairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
