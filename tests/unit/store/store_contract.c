/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store_contract.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BATCH_ROWS 64 /* of the study */

#define NUM_THREADS 4

static int stop_at_100(void *context, const spot_row_t *row)
{
    (void) context;
    return row->replication == 100 ? 42 : 0;
}

/* Reads another point within reading one. */
static int read_another(void *context, const spot_row_t *row)
{
    const spot_store_t *store = context;

    if (row->replication % 50 == 0) {
        case_check_point(store, 3, 100);
    }
    return 0;
}

/* Pieces in parts, again, in any order of batches: each row is there once. */
void contract_rows(contract_open_t open)
{
    store_case_t known;
    spot_store_t *store;

    case_init(&known, 200);
    store = open(&known);
    assert_int_equal(store->num_rows(store, 2), 0);
    assert_int_equal(store->num_there(store, 2, 64), 0);
    case_put(store, 2, 64, 20); /* from the second batch on */
    assert_int_equal(store->num_there(store, 2, 64), 20);
    assert_int_equal(store->num_there(store, 2, 0), 0);
    case_put(store, 2, 0, 64);
    case_put(store, 2, 64, 10);  /* again */
    case_put(store, 2, 80, 120); /* overlaps by 4 */
    assert_int_equal(store->num_there(store, 2, 64), 64);
    assert_int_equal(store->num_there(store, 2, 192), 8);
    case_put(store, 3, 0, 64);
    case_put(store, 3, 64, 36);
    case_flush(store);
    case_check_point(store, 0, 0);
    case_check_point(store, 2, 200);
    case_check_point(store, 3, 100);
    assert_int_equal(store->read(store, 2, 90, stop_at_100, NULL), 42);
    assert_int_equal(store->read(store, 2, 101, stop_at_100, NULL), 0);
    assert_int_equal(store->read(store, 2, 0, read_another, store), 0);
    case_put_all(store);
    case_flush(store);
    case_check_all(store);
    store->close(store);
    case_remove(&known);
}

void contract_refusals(contract_open_t open)
{
    static const double rows[64 * CASE_METRICS];
    static const spot_piece_t outside[] = {{4, 0, 1, rows, NULL}, {0, -1, 1, rows, NULL},
        {0, 100, 1, rows, NULL}, {0, 64, 37, rows, NULL}};
    store_case_t known;
    spot_store_t *store;

    case_init(&known, 100);
    store = open(&known);
    for (size_t j = 0; j < sizeof(outside) / sizeof(outside[0]); j++) {
        assert_int_equal(store->put(store, &outside[j]), SPOT_ERR_BAD_PARAM);
    }
    case_flush(store);
    for (size_t j = 0; j < 4; j++) {
        case_check_point(store, j, 0);
    }
    store->close(store);
    case_remove(&known);
}

typedef struct {
    spot_store_t *store;
    int64_t thread_id;
} worker_t;

static void *put_some_batches(void *context)
{
    const worker_t *self = context;
    const int64_t size = BATCH_ROWS;

    for (int64_t j = self->thread_id; j < 100; j += NUM_THREADS) {
        case_put(self->store, 0, j * size, size);
        case_put(self->store, 1, (99 - j) * size, size);
        assert_int_equal(self->store->num_there(self->store, 0, j * size), size);
        assert_true(self->store->num_rows(self->store, 0) >= size);
    }
    return NULL;
}

void contract_threads(contract_open_t open)
{
    pthread_t threads[NUM_THREADS];
    worker_t workers[NUM_THREADS];
    store_case_t known;
    spot_store_t *store;

    case_init(&known, 6400);
    store = open(&known);
    for (int j = 0; j < NUM_THREADS; j++) {
        workers[j] = (worker_t){store, j};
        assert_int_equal(pthread_create(&threads[j], NULL, put_some_batches, &workers[j]), 0);
    }
    for (int j = 0; j < NUM_THREADS; j++) {
        assert_int_equal(pthread_join(threads[j], NULL), 0);
    }
    case_flush(store);
    case_check_point(store, 0, 6400);
    case_check_point(store, 1, 6400);
    store->close(store);
    case_remove(&known);
}
