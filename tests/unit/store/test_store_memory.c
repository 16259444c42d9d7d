/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/store/store.h"
#include "sim/bench/store/stored_study.h"
#include "store_contract.h"

#define NUM_THREADS 4
#define NUM_ROWS 400
#define BATCH 10

static spot_metric_t metrics[] = {
    {.name = "a", .unit = "1", .help = ""}, {.name = "b", .unit = "s", .help = ""}};
static const spot_warning_t warnings[] = {{"w", "text"}, {"v", "text"}, {"u", "text"}};

static spot_study_head_t plain_head(size_t num_points, int64_t num_replications)
{
    return (spot_study_head_t){
        .batch_replications = 64,
        .num_replications = num_replications,
        .num_points = num_points,
        .num_metrics = 2,
        .metrics = metrics,
        .num_warnings = 3,
        .warnings = warnings,
    };
}

static spot_store_t *open_store(const spot_study_head_t *head)
{
    spot_store_t *store;

    assert_int_equal(spot_store_open_memory(&store, head), 0);
    assert_ptr_equal(store->head, head);
    return store;
}

/* Rows of replication r: r and -r. */
static void put(spot_store_t *store, size_t point_id, uint64_t first, size_t num_rows)
{
    /* Two rows meet warning 2, one of them warning 1 too. */
    static const uint32_t warned[BATCH] = {[3] = 4, [7] = 6};
    double rows[2 * BATCH];

    for (size_t j = 0; j < num_rows; j++) {
        rows[2 * j] = (double) (first + j);
        rows[2 * j + 1] = -(double) (first + j);
    }
    assert_int_equal(
        store->put(store, &(spot_piece_t){point_id, (int64_t) first, num_rows, rows, warned}), 0);
}

static spot_store_t *open_case(const store_case_t *self)
{
    return open_store(&self->head);
}

static void test_contract(void **state)
{
    (void) state;
    contract_rows(open_case);
    contract_refusals(open_case);
    contract_threads(open_case);
}

typedef struct {
    int64_t num_rows;
    int64_t last; /* replication */
    int64_t stop_at;
} reader_t;

static int read_row(void *context, const spot_row_t *row)
{
    reader_t *self = context;

    assert_true(self->num_rows == 0 || row->replication > self->last);
    assert_true(row->metrics[0] == (double) row->replication);
    assert_true(row->metrics[1] == -(double) row->replication);
    self->last = row->replication;
    self->num_rows++;
    return row->replication == self->stop_at ? 42 : 0;
}

static void test_value_ids(void **state)
{
    spot_axis_t axes[] = {{.num_values = 2}, {.num_values = 3}, {.num_values = 4}};
    const spot_study_head_t head = {.num_axes = 3, .axes = axes, .num_points = 24};
    size_t point_id = 0;

    (void) state;
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 3; j++) {
            for (size_t k = 0; k < 4; k++, point_id++) {
                assert_int_equal(spot_study_value_id(&head, point_id, 0), i);
                assert_int_equal(spot_study_value_id(&head, point_id, 1), j);
                assert_int_equal(spot_study_value_id(&head, point_id, 2), k);
            }
        }
    }
}

static void test_half_built_heads_are_freed(void **state)
{
    spot_study_head_t head = {0};

    (void) state;
    spot_study_head_free(&head);
    head.num_axes = 2; /* without the array */
    spot_study_head_free(&head);
    assert_int_equal(head.num_axes, 0);
    head.num_axes = 2;
    head.axes = calloc(2, sizeof(*head.axes));
    assert_non_null(head.axes);
    head.axes[0].num_values = 2;
    head.axes[0].texts = calloc(2, sizeof(*head.axes[0].texts));
    assert_non_null(head.axes[0].texts);
    head.axes[0].texts[0] = calloc(1, 1);
    head.axes[1].num_values = 3;
    head.plot.num_stack = 1;
    head.plot.stack = calloc(1, sizeof(*head.plot.stack));
    spot_study_head_free(&head);
}

static void test_rows_come_back_in_order(void **state)
{
    const spot_study_head_t head = plain_head(3, 30);
    spot_store_t *store = open_store(&head);
    reader_t reader = {.stop_at = 99};

    (void) state;
    put(store, 1, 20, 10);
    put(store, 1, 0, 10);
    assert_int_equal(store->num_rows(store, 0), 0);
    assert_int_equal(store->num_rows(store, 1), 20);
    assert_int_equal(store->num_rows(store, 2), 0);
    assert_int_equal(store->read(store, 1, 0, read_row, &reader), 0);
    assert_int_equal(reader.num_rows, 20); /* what is missing is not read */
    assert_int_equal(reader.last, 29);
    put(store, 1, 10, 10);
    reader = (reader_t){.stop_at = 99};
    assert_int_equal(store->read(store, 1, 0, read_row, &reader), 0);
    assert_int_equal(reader.num_rows, 30);
    reader = (reader_t){.stop_at = 5};
    assert_int_equal(store->read(store, 1, 0, read_row, &reader), 42);
    assert_int_equal(reader.num_rows, 6);
    store->close(store);
}

static void test_warnings_are_counted(void **state)
{
    const spot_study_head_t head = plain_head(2, 30);
    spot_store_t *store = open_store(&head);

    (void) state;
    put(store, 1, 0, 10);
    put(store, 1, 10, 10);
    assert_int_equal(store->num_warned(store, 0, 2), 0);
    assert_int_equal(store->num_warned(store, 1, 0), 0);
    assert_int_equal(store->num_warned(store, 1, 1), 2);
    assert_int_equal(store->num_warned(store, 1, 2), 4);
    store->close(store);
}

static void test_rows_outside_are_refused(void **state)
{
    const spot_study_head_t head = plain_head(2, 30);
    spot_store_t *store = open_store(&head);
    const double rows[8] = {0};
    const spot_piece_t outside[] = {{2, 0, 1, rows, NULL}, {1, 30, 1, rows, NULL},
        {1, 28, 3, rows, NULL}, {1, INT64_MAX, 2, rows, NULL}, {1, -1, 2, rows, NULL}};

    (void) state;
    for (size_t j = 0; j < sizeof(outside) / sizeof(outside[0]); j++) {
        assert_int_equal(store->put(store, &outside[j]), SPOT_ERR_BAD_PARAM);
    }
    assert_int_equal(store->num_rows(store, 1), 0);
    assert_int_equal(store->put(store, &(spot_piece_t){1, 28, 2, rows, NULL}), 0);
    assert_int_equal(store->num_rows(store, 1), 2);
    store->close(store);
}

static void test_rows_are_put_once(void **state)
{
    const spot_study_head_t head = plain_head(2, 100);
    spot_store_t *store = open_store(&head);
    const double other[2] = {7, 7};
    reader_t reader = {.stop_at = 99};

    (void) state;
    assert_int_equal(store->num_there(store, 1, 64), 0);
    put(store, 1, 64, 10);
    put(store, 1, 64, 10);
    assert_int_equal(store->put(store, &(spot_piece_t){1, 66, 1, other, NULL}), 0);
    assert_int_equal(store->num_rows(store, 1), 10);
    assert_int_equal(store->num_warned(store, 1, 2), 2);
    assert_int_equal(store->num_there(store, 1, 0), 0);
    assert_int_equal(store->num_there(store, 1, 64), 10);
    assert_int_equal(store->read(store, 1, 70, read_row, &reader), 0); /* from 70 on */
    assert_int_equal(reader.num_rows, 4);
    put(store, 1, 84, 10); /* behind a gap */
    assert_int_equal(store->num_there(store, 1, 64), 10);
    put(store, 1, 74, 10);
    assert_int_equal(store->num_there(store, 1, 64), 30);
    store->close(store);
}

static void test_a_store_too_large(void **state)
{
    const spot_study_head_t head = plain_head(1000, INT64_MAX);
    spot_store_t *store;

    (void) state;
    assert_int_equal(spot_store_open_memory(&store, &head), SPOT_ERR_NO_MEMORY);
    assert_null(store);
}

typedef struct {
    spot_store_t *store;
    size_t thread_id;
} writer_t;

/* Every NUM_THREADS-th batch of both points; watches the counts meanwhile. */
static void *write_batches(void *argument)
{
    const writer_t *self = argument;
    const size_t step = BATCH * NUM_THREADS;

    for (size_t j = self->thread_id * BATCH; j < NUM_ROWS; j += step) {
        reader_t reader = {.stop_at = INT64_MAX};

        put(self->store, 0, j, BATCH);
        put(self->store, 1, NUM_ROWS - BATCH - j, BATCH);
        assert_true(self->store->num_rows(self->store, 0) >= BATCH);
        assert_int_equal(self->store->read(self->store, 0, 0, read_row, &reader), 0);
    }
    return NULL;
}

static void test_threads(void **state)
{
    const spot_study_head_t head = plain_head(2, NUM_ROWS);
    spot_store_t *store = open_store(&head);
    pthread_t threads[NUM_THREADS];
    writer_t writers[NUM_THREADS];

    (void) state;
    for (size_t j = 0; j < NUM_THREADS; j++) {
        writers[j] = (writer_t){store, j};
        assert_int_equal(pthread_create(&threads[j], NULL, write_batches, &writers[j]), 0);
    }
    for (size_t j = 0; j < NUM_THREADS; j++) {
        assert_int_equal(pthread_join(threads[j], NULL), 0);
    }
    for (size_t point_id = 0; point_id < 2; point_id++) {
        reader_t reader = {.stop_at = INT64_MAX};

        assert_int_equal(store->num_rows(store, point_id), NUM_ROWS);
        assert_int_equal(store->num_warned(store, point_id, 2), 2 * NUM_ROWS / BATCH);
        assert_int_equal(store->read(store, point_id, 0, read_row, &reader), 0);
        assert_int_equal(reader.num_rows, NUM_ROWS);
    }
    store->close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contract),
        cmocka_unit_test(test_value_ids),
        cmocka_unit_test(test_half_built_heads_are_freed),
        cmocka_unit_test(test_rows_come_back_in_order),
        cmocka_unit_test(test_warnings_are_counted),
        cmocka_unit_test(test_rows_outside_are_refused),
        cmocka_unit_test(test_rows_are_put_once),
        cmocka_unit_test(test_a_store_too_large),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
