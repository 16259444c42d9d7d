/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A store that is only read: its stop flag ends the reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store_case.h"

#define STOP_AFTER 100

typedef struct {
    atomic_int stop;
    int64_t num_rows; /* read so far */
} reading_t;

/* A signal that comes while rows are read. */
static int count_row(void *context, const spot_row_t *row)
{
    reading_t *self = context;

    (void) row;
    self->num_rows++;
    if (self->num_rows == STOP_AFTER) {
        atomic_store(&self->stop, 2);
    }
    return 0;
}

static void test_reading_stops(void **state)
{
    reading_t reading = {.stop = 0};
    spot_diag_t diag;
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, 4096);
    store = case_open(&known);
    case_put(store, 1, 0, 4096);
    store->close(store);
    store = case_open_reader(&known);
    atomic_store(&store->stop, &reading.stop);
    assert_int_equal(store->read(store, 1, 0, count_row, &reading), SPOT_ERR_INTERRUPTED);
    assert_in_range(reading.num_rows, STOP_AFTER, 4095);
    reading.num_rows = 0;
    assert_int_equal(store->read(store, 1, 0, count_row, &reading), SPOT_ERR_INTERRUPTED);
    assert_int_equal(reading.num_rows, 0);
    atomic_store(&reading.stop, 0);
    reading.num_rows = -4096;
    assert_int_equal(store->read(store, 1, 0, count_row, &reading), 0);
    assert_int_equal(reading.num_rows, 0);
    reading.num_rows = 0; /* those that were read before too */
    assert_int_equal(store->read(store, 1, 0, count_row, &reading), SPOT_ERR_INTERRUPTED);
    assert_in_range(reading.num_rows, STOP_AFTER, 4095);
    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), 0); /* the store is not damaged */
    spot_diag_free(&diag);
    store->close(store);
    case_remove(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_stops),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
