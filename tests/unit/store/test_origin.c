/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the rows of a store come from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/bench/store/origin.h"
#include "sim/bench/store/store.h"
#include "store_case.h"

/* A process that adds rows [first, first + num_rows) of the first point. */
static void write_rows(const store_case_t *self, int64_t first, int64_t num_rows, char *outcome)
{
    spot_store_t *store = case_open(self);

    case_put(store, 0, first, num_rows);
    case_flush(store);
    store->outcome = outcome;
    store->close(store);
}

static void read_origin(spot_origin_t *self, const store_case_t *known)
{
    spot_store_t *store = case_open_reader(known);

    assert_int_equal(spot_origin_read(self, store), 0);
    store->close(store); /* the texts stay */
}

static void test_writers_in_order(void **state)
{
    char complete[] = "complete", stopped[] = "stopped";
    store_case_t known;
    spot_origin_t origin;

    (void) state;
    case_init(&known, 64);
    write_rows(&known, 0, 5, stopped);
    known.provenance.shard = "2/3";
    known.provenance.num_threads = 16;
    known.provenance.command_line = "spotsim '<b>' \"\xc3\xa9\"\n";
    write_rows(&known, 5, 7, complete);
    case_sql(&known, "UPDATE provenance SET started = '2001-02-03T04:05:06.000Z' WHERE "
                     "threads = 16; UPDATE provenance SET ended = NULL, outcome = NULL "
                     "WHERE threads = 2");
    case_seal(&known);
    read_origin(&origin, &known);
    assert_string_equal(origin.canonical, known.provenance.canonical);
    assert_int_equal(strlen(origin.canonical_sha256), 64);
    assert_int_equal(origin.num_writers, 2);
    assert_string_equal(origin.writers[0].started, "2001-02-03T04:05:06.000Z");
    assert_string_equal(origin.writers[0].outcome, "complete");
    assert_non_null(origin.writers[0].ended);
    assert_int_equal(origin.writers[0].rows_added, 7);
    assert_int_equal(origin.writers[0].num_threads, 16);
    assert_string_equal(origin.writers[0].shard, "2/3");
    assert_string_equal(origin.writers[0].command_line, "spotsim '<b>' \"\xc3\xa9\"\n");
    assert_null(origin.writers[1].ended);
    assert_null(origin.writers[1].outcome);
    assert_int_equal(origin.writers[1].rows_added, 5);
    assert_string_equal(origin.writers[1].canonical_sha256, "0123");
    assert_string_equal(origin.writers[1].version, "1");
    assert_string_equal(origin.writers[1].commit, "c");
    assert_string_equal(origin.writers[1].compiler, "cc");
    assert_string_equal(origin.writers[1].libraries, "l");
    assert_string_equal(origin.writers[1].machine, "m");
    assert_string_equal(origin.writers[1].command_line, "spotsim 'x'");
    assert_string_equal(origin.writers[1].shard, "");
    spot_origin_free(&origin);
    case_remove(&known);
}

/* The store that is being written to says so of itself. */
static void test_of_an_open_store(void **state)
{
    store_case_t known;
    spot_origin_t origin;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    store = case_open(&known);
    assert_int_equal(spot_origin_read(&origin, store), 0);
    assert_int_equal(origin.num_writers, 1);
    assert_null(origin.writers[0].ended);
    assert_string_equal(origin.canonical, known.provenance.canonical);
    spot_origin_free(&origin);
    store->close(store);
    case_remove(&known);
}

static void test_of_memory(void **state)
{
    store_case_t known;
    spot_origin_t origin;
    spot_store_t *store;

    (void) state;
    case_init(&known, 64);
    assert_int_equal(spot_store_open_memory(&store, &known.head), 0);
    assert_int_equal(spot_origin_read(&origin, store), 0);
    assert_int_equal(origin.num_writers, 0);
    assert_null(origin.canonical);
    assert_null(origin.canonical_sha256);
    spot_origin_free(&origin);
    store->close(store);
}

/* A file that another program has changed is refused, with a reason; what it cannot do
 * without is missed even where the digest is right. */
static void test_damaged(void **state)
{
    store_case_t known;

    (void) state;
    case_init(&known, 64);
    write_rows(&known, 0, 5, NULL);
    case_sql(&known, "UPDATE provenance SET machine = 'mm'");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "its provenance is not as it was written");
    case_sql(&known, "CREATE TABLE other AS SELECT * FROM provenance; UPDATE other SET "
                     "machine = NULL; DROP TABLE provenance; ALTER TABLE other RENAME "
                     "TO provenance");
    case_seal(&known);
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "its table provenance is not as it was made");
    case_remove(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writers_in_order),
        cmocka_unit_test(test_of_an_open_store),
        cmocka_unit_test(test_of_memory),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
