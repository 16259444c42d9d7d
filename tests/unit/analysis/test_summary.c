/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/analysis/summary.h"

#define T_4 2.7764451051977987 /* Student's 97.5 % point for 4 degrees of freedom */

static spot_metric_t metrics[] = {
    {.name = "a", .unit = "1", .help = ""}, {.name = "b", .unit = "1", .help = ""}};

static spot_study_head_t plain_head(size_t num_points, size_t num_metrics, int64_t num_replications)
{
    return (spot_study_head_t){
        .batch_replications = 64,
        .num_replications = num_replications,
        .num_points = num_points,
        .num_metrics = num_metrics,
        .metrics = metrics,
    };
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * fabs(expected));
}

/* The summary of values of one metric. */
static spot_summary_t summarise(size_t num_values, const double *values)
{
    const spot_study_head_t head = plain_head(1, 1, 100);
    spot_summary_t summary;
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, num_values, values, NULL}), 0);
    assert_int_equal(spot_summarise(store, 0, &summary), 0);
    store->close(store);
    return summary;
}

static void test_known_values(void **state)
{
    static const double values[] = {4, 1, 5, 3, 2};
    const spot_summary_t summary = summarise(5, values);

    (void) state;
    assert_int_equal(summary.num_values, 5);
    assert_int_equal(summary.num_nulls, 0);
    assert_near(summary.value, 3);
    assert_near(summary.std, sqrt(2.5));
    assert_near(summary.stderr_value, sqrt(0.5));
    assert_true(fabs(summary.ci_low - (3 - T_4 * sqrt(0.5))) < 1e-9);
    assert_true(fabs(summary.ci_high - (3 + T_4 * sqrt(0.5))) < 1e-9);
    assert_near(summary.p05, 1.2);
    assert_near(summary.median, 3);
    assert_near(summary.p95, 4.8);
}

static void test_nulls_are_left_out(void **state)
{
    static const double values[] = {(double) NAN, 2, (double) NAN, 4, (double) INFINITY};
    const spot_summary_t summary = summarise(5, values);

    (void) state;
    assert_int_equal(summary.num_values, 2);
    assert_int_equal(summary.num_nulls, 3);
    assert_near(summary.value, 3);
    assert_near(summary.median, 3);
}

static void test_one_value(void **state)
{
    static const double value = 7;
    const spot_summary_t summary = summarise(1, &value);

    (void) state;
    assert_true(summary.value == 7 && summary.median == 7 && summary.p05 == 7);
    assert_true(isnan(summary.std) && isnan(summary.stderr_value));
    assert_true(isnan(summary.ci_low) && isnan(summary.ci_high));
}

static void test_no_values(void **state)
{
    static const double value = (double) NAN;
    const spot_summary_t null = summarise(1, &value);
    const spot_summary_t none = summarise(0, &value);

    (void) state;
    assert_int_equal(null.num_nulls, 1);
    assert_int_equal(null.num_values, 0);
    assert_true(isnan(null.value) && isnan(null.p05) && isnan(null.ci_low));
    assert_int_equal(none.num_nulls, 0);
    assert_int_equal(none.num_values, 0);
    assert_true(isnan(none.value));
}

/* Rows that arrive in another order give the same bits. */
static void test_order_of_arrival_does_not_matter(void **state)
{
    const spot_study_head_t head = plain_head(2, 2, 100);
    spot_summary_t *summaries;
    spot_store_t *store;

    (void) state;
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    for (uint64_t j = 0; j < 100; j++) {
        const uint64_t other = 99 - j;
        const double row[2] = {sin((double) j), 1e9 + cos((double) j)};
        const double other_row[2] = {sin((double) other), 1e9 + cos((double) other)};

        assert_int_equal(store->put(store, &(spot_piece_t){0, (int64_t) j, 1, row, NULL}), 0);
        assert_int_equal(
            store->put(store, &(spot_piece_t){1, (int64_t) other, 1, other_row, NULL}), 0);
    }
    assert_int_equal(spot_summarise_all(store, &summaries), 0);
    assert_memory_equal(&summaries[0], &summaries[2], 2 * sizeof(*summaries));
    assert_true(summaries[0].p05 < summaries[0].median);
    assert_true(summaries[0].median < summaries[0].p95);
    free(summaries);
    store->close(store);
}

/* A store that cannot be read. */
static int fail_to_read(const spot_store_t *self, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const double row = 1;

    (void) self;
    (void) point_id;
    (void) first_replication;
    assert_int_equal(function(context, &(spot_row_t){.metrics = &row}), 0);
    return SPOT_ERR_IO;
}

static void test_errors_of_reading(void **state)
{
    const spot_study_head_t head = plain_head(1, 1, 10);
    spot_summary_t summary, *summaries = &summary;
    spot_store_t *store;

    (void) state;
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    store->read = fail_to_read;
    assert_int_equal(spot_summarise(store, 0, &summary), SPOT_ERR_IO);
    assert_int_equal(spot_summarise_all(store, &summaries), SPOT_ERR_IO);
    assert_null(summaries);
    store->close(store);
}

/* A store of as many rows as one likes, in no memory: the whole numbers from 0 on, in
 * another order. */
typedef struct {
    spot_store_t base;
    int64_t num_rows; /* prime, so that all numbers come */
} long_store_t;

static int read_long(const spot_store_t *store, size_t point_id, int64_t first_replication,
    spot_row_function_t function, void *context)
{
    const int64_t num_rows = ((const long_store_t *) store)->num_rows;
    int ret = 0;

    (void) point_id;
    for (int64_t j = first_replication; ret == 0 && j < num_rows; j++) {
        const double row = (double) (j * 7919 % num_rows);

        ret = function(context, &(spot_row_t){.replication = j, .metrics = &row});
    }
    return ret;
}

/* From some number of rows on quantiles are a sketch's, all else stays as it is. */
static void test_many_rows(void **state)
{
    static const int64_t num_rows[] = {SPOT_EXACT_VALUES - 5, 1000003};
    static const double bounds[] = {0, 1.0 / 256};
    const spot_study_head_t head = plain_head(1, 1, 1000003);

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        long_store_t store = {.base = {.head = &head, .read = read_long}, .num_rows = num_rows[j]};
        const double last = (double) (num_rows[j] - 1);
        spot_summary_t summary;

        assert_int_equal(spot_summarise(&store.base, 0, &summary), 0);
        assert_int_equal(summary.num_values, num_rows[j]);
        assert_true(fabs(summary.value - last / 2) <= 1e-9 * last);
        assert_true(fabs(summary.p05 - 0.05 * last) <= (bounds[j] + 1e-12) * 0.05 * last);
        assert_true(fabs(summary.median - last / 2) <= (bounds[j] + 1e-12) * last / 2);
        assert_true(fabs(summary.p95 - 0.95 * last) <= (bounds[j] + 1e-12) * 0.95 * last);
    }
}

/* ---- Events ---- */

enum { COUNT, RATE, SHARE, PART, COST, TOTAL, HOURS, WHOLE, NUM_OF_EVENTS };

static spot_metric_t of_events[NUM_OF_EVENTS] = {
    [COUNT] = {.name = "count", .unit = "1", .help = "", .is_count = true},
    [RATE] =
        {.name = "rate", .unit = "1/h", .help = "", .numerator = "count", .denominator = "hours"},
    [SHARE] = {.name = "share",
        .unit = "1",
        .help = "",
        .kind = SPOT_METRIC_SHARE,
        .numerator = "part",
        .denominator = "whole"},
    [PART] = {.name = "part", .unit = "1", .help = "", .is_count = true, .count_of = "whole"},
    [COST] = {.name = "cost", .unit = "USD", .help = "", .kind = SPOT_METRIC_COST},
    [TOTAL] = {.name = "mean(rate)",
        .unit = "1/h",
        .help = "",
        .numerator = "count",
        .denominator = "hours",
        .estimator = SPOT_ESTIMATOR_MEAN},
    [HOURS] = {.name = "hours", .unit = "h", .help = ""},
    [WHOLE] = {.name = "whole", .unit = "1", .help = ""},
};

/* The summaries of a point of 30 replications, of which the first num have an event. */
static void summarise_events(
    spot_point_kind_t *kind, size_t num, double cost, spot_summary_t *summaries)
{
    spot_study_head_t head = plain_head(1, NUM_OF_EVENTS, 30);
    double rows[30][NUM_OF_EVENTS] = {{0}};
    spot_store_t *store;

    head.metrics = of_events;
    head.num_kinds = kind == NULL ? 0 : 1;
    head.kinds = kind;
    for (size_t j = 0; j < 30; j++) {
        rows[j][COUNT] = rows[j][PART] = j < num ? 1 : 0;
        rows[j][COST] = cost;
        rows[j][HOURS] = 4 + (double) (j % 2);
        rows[j][WHOLE] = 200;
        spot_study_derive(&head, rows[j]);
    }
    assert_int_equal(spot_store_open_memory(&store, &head), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, 30, rows[0], NULL}), 0);
    assert_int_equal(spot_summarise(store, 0, summaries), 0);
    store->close(store);
}

static void assert_interval(const spot_summary_t *self, double low, double high)
{
    assert_near(self->ci_low, low);
    assert_near(self->ci_high, high);
    assert_near(self->half_width, fmax(high - self->value, self->value - low));
}

/* The rule of three of runs, of hours, and of a whole that one event may take. What cannot
 * be a number of events has no ends. */
static void test_no_event_seen(void **state)
{
    spot_summary_t summaries[NUM_OF_EVENTS];

    (void) state;
    summarise_events(NULL, 0, 7, summaries);
    assert_interval(&summaries[COUNT], 0, log(20) / 30);
    assert_interval(&summaries[RATE], 0, log(20) / (30 * 4.5));
    assert_interval(&summaries[SHARE], 0, log(20) / 30);
    assert_interval(&summaries[PART], 0, 200 * log(20) / 30);
    assert_true(isinf(summaries[TOTAL].half_width) && isnan(summaries[TOTAL].ci_high));
    assert_true(isinf(summaries[COST].half_width) && isnan(summaries[COST].ci_low));
    assert_true(summaries[COST].value == 7);
}

/* Events that were seen, and moved the cost not, leave it a constant. */
static void test_events_seen(void **state)
{
    spot_summary_t summaries[NUM_OF_EVENTS];

    (void) state;
    summarise_events(NULL, 10, 7, summaries);
    assert_true(summaries[COUNT].ci_low > 0.1 && summaries[COUNT].ci_high > 0.6);
    assert_interval(&summaries[COST], 7, 7);
    summarise_events(NULL, 30, 7, summaries);
    assert_true(fabs(summaries[COUNT].half_width - log(20) / 30) < 1e-12);
}

/* What rules settle is known. */
static void test_ruled(void **state)
{
    bool is_ruled[NUM_OF_EVENTS] = {[COUNT] = true, [RATE] = true, [COST] = true};
    spot_point_kind_t kind = {.is_ruled = is_ruled};
    spot_summary_t summaries[NUM_OF_EVENTS];

    (void) state;
    summarise_events(&kind, 0, 7, summaries);
    assert_interval(&summaries[COUNT], 0, 0);
    assert_interval(&summaries[RATE], 0, 0);
    assert_interval(&summaries[COST], 7, 7);
    assert_interval(&summaries[SHARE], 0, log(20) / 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_nulls_are_left_out),
        cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_no_values),
        cmocka_unit_test(test_order_of_arrival_does_not_matter),
        cmocka_unit_test(test_errors_of_reading),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_no_event_seen),
        cmocka_unit_test(test_events_seen),
        cmocka_unit_test(test_ruled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
