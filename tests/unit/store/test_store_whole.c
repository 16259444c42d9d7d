/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store lacks, or has beside what was written, is refused by all that open it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/store/store_merge.h"
#include "sim/bench/store/store_sqlite.h"
#include "store_case.h"

#define POINT_1 "point job.pipeline_depth=8;job.reload=1800 s, batch of replications from "

/* A finished store of 4 points with 5 batches. */
static void make_store(store_case_t *known)
{
    spot_store_t *store;

    case_init(known, 300);
    store = case_open(known);
    case_put_all(store);
    store->close(store);
}

static void merge_refused(const store_case_t *known, const char *words)
{
    const char *paths[] = {known->path};
    char out[300];
    spot_diag_t diag;

    snprintf(out, sizeof(out), "%s.out", known->path);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_merge(out, 1, paths, NULL, NULL, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, words));
    assert_int_equal(access(out, F_OK), -1);
    spot_diag_free(&diag);
}

static void look_refused(const store_case_t *known, const char *words)
{
    spot_store_t *store;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(
        spot_store_look_sqlite(&store, known->path, &known->head, &known->provenance, &diag),
        SPOT_ERR_BAD_INPUT);
    assert_null(store);
    assert_true(case_says(&diag, words));
    spot_diag_free(&diag);
}

/* Whoever opens a store after this SQL refuses it with these words. */
static void refused_after(const char *sql, bool is_sealed, const char *words)
{
    store_case_t known;

    make_store(&known);
    (void) case_sql(&known, sql);
    if (is_sealed) {
        case_seal(&known);
    }
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, words);
    case_refused(&known, SPOT_ERR_BAD_INPUT, words);
    look_refused(&known, words);
    merge_refused(&known, words);
    case_remove(&known);
}

static void test_lost_batches(void **state)
{
    (void) state;
    refused_after("DELETE FROM batch WHERE point = 1", false,
        POINT_1 "0 on: it is missing, rows of it are there");
    refused_after("DELETE FROM batch WHERE point = 1 AND first = 128", false,
        POINT_1 "128 on: it is missing, rows of it are there");
    refused_after("DELETE FROM batch WHERE point = 1 AND first = 256", false,
        POINT_1 "256 on: it is missing, rows of it are there");
    refused_after("DELETE FROM batch WHERE point = 1; DELETE FROM replication WHERE point = 1",
        false, POINT_1 "0 on: it is missing; 15 of 20 batches are there");
    refused_after("DELETE FROM batch WHERE point = 1 AND first = 64; DELETE FROM replication WHERE "
                  "point = 1 AND replication BETWEEN 64 AND 127",
        false, POINT_1 "64 on: it is missing; 19 of 20 batches are there");
    refused_after("DELETE FROM batch WHERE point = 1 AND first = 256; DELETE FROM replication "
                  "WHERE point = 1 AND replication >= 256",
        false, POINT_1 "256 on: it is missing; 19 of 20 batches are there");
}

static void test_other_batches(void **state)
{
    (void) state;
    refused_after("UPDATE batch SET digest = digest + 1 WHERE point = 1 AND first = 64", false,
        POINT_1 "64 on: rows are not as they were written");
    refused_after("UPDATE batch SET replications = 10 WHERE point = 1 AND first = 64", false,
        POINT_1 "64 on: ");
    refused_after("UPDATE batch SET replications = 9223372036854775807 WHERE point = 1", false,
        POINT_1 "0 on: it is none");
    refused_after("UPDATE batch SET first = 65 WHERE point = 1 AND first = 64", false,
        POINT_1 "65 on: it is none");
    refused_after(
        "UPDATE batch SET point = 9 WHERE point = 1", false, "batches are of a point that is none");
    refused_after("UPDATE total SET batch_digest = 0", false,
        "20 batches of 1200 replications were written, these 20 of 1200 are others");
    refused_after("DELETE FROM total", false, "the total of its batches is missing");
    refused_after("INSERT INTO total SELECT * FROM total", false, "the total of its batches");
}

static void test_rows_of_no_point(void **state)
{
    static const char row[] = "INSERT INTO replication (point, replication, warnings) VALUES ";
    char sql[200];

    (void) state;
    snprintf(sql, sizeof(sql), "%s(7, 3, 0)", row);
    refused_after(sql, true, "replication 3 is of point 7, which is none");
    snprintf(sql, sizeof(sql), "%s(-1, 3, 0)", row);
    refused_after(sql, true, "replication 3 is of point -1, which is none");
}

/* Such a row lies before all that are read. */
static int ignore_row(void *context, const spot_row_t *row)
{
    (void) context;
    (void) row;
    return 0;
}

static void test_a_row_before_the_first(void **state)
{
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    make_store(&known);
    (void) case_sql(
        &known, "INSERT INTO replication (point, replication, warnings) VALUES (1, -5, 0)");
    store = case_open_reader(&known);
    spot_diag_init(&diag);
    assert_int_equal(store->read(store, 1, 0, ignore_row, NULL), SPOT_ERR_BAD_INPUT);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, POINT_1 "-5 on: it is missing, rows of it are there"));
    spot_diag_free(&diag);
    store->close(store);
    merge_refused(&known, POINT_1 "-5 on");
    case_remove(&known);
}

static void test_what_wrote_it(void **state)
{
    (void) state;
    refused_after("DELETE FROM provenance", false, "its provenance is not as it was written");
    refused_after("DELETE FROM provenance", true, "it has 1200 rows, but by its provenance 0");
    refused_after("UPDATE provenance SET rows_added = 1199", true,
        "it has 1200 rows, but by its provenance 1199 were added");
    refused_after("UPDATE total SET break_evens = 1", false, "break-evens are not those");
    refused_after("INSERT INTO study SELECT name, question, engine, seed, replications, canonical, "
                  "canonical_sha256, head, 0 FROM study",
        false, "the study in it is not as it was written");
}

/* What SQL shows of a point is what its study has, whatever the digests say. */
static void test_points(void **state)
{
    (void) state;
    refused_after("UPDATE point SET \"job.pipeline_depth\" = 9 WHERE point = 1", true,
        "point job.pipeline_depth=8;job.reload=1800 s: job.pipeline_depth in its row is not 8");
    refused_after("UPDATE point SET \"job.pipeline_depth\" = '8' WHERE point = 1", true,
        "job.pipeline_depth in its row is not 8");
    refused_after("UPDATE point SET \"job.reload\" = NULL WHERE point = 1", true,
        "job.reload in its row is not");
    refused_after(
        "UPDATE point SET position = position + 10", true, "points are not numbered from 0 on");
    refused_after("DELETE FROM point WHERE point = 3", true, "it has 3 of 4 points");
    refused_after("ALTER TABLE point DROP COLUMN \"job.reload\"; ALTER TABLE point ADD COLUMN "
                  "\"job.reload\" ANY AS (30.0)",
        true, "its table point is not as it was made");
}

static void test_tables(void **state)
{
    static const char schema[] = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ";
    char sql[300];

    (void) state;
    snprintf(sql, sizeof(sql), "%sreplace(sql, ' STRICT', '') WHERE name = 'study'", schema);
    refused_after(sql, false, "its table study is not as it was made");
    snprintf(sql, sizeof(sql), "%sreplace(sql, 'REAL', 'ANY') WHERE name = 'replication'", schema);
    refused_after(sql, false, "its table replication is not as it was made");
    refused_after(
        "ALTER TABLE batch ADD COLUMN more TEXT", false, "its table batch is not as it was made");
    refused_after("ALTER TABLE series RENAME TO other", false, "tables are missing");
    refused_after("CREATE TRIGGER t AFTER INSERT ON batch BEGIN DELETE FROM study; END", false,
        "the trigger t on batch is not of spotsim; take it away: DROP TRIGGER \"t\"");
    refused_after("CREATE TABLE mine (a); CREATE TRIGGER t AFTER INSERT ON mine BEGIN DELETE FROM "
                  "study; END",
        false, "the trigger t on mine");
    refused_after("CREATE INDEX i ON replication (idle_fraction)", false,
        "the index i on replication is not of spotsim; take it away: DROP INDEX \"i\"");
}

/* Checks a store, and returns what that gives; its words are in diag. */
static int check(const store_case_t *known, spot_diag_t *diag)
{
    spot_store_t *store = case_open_reader(known);
    int ret = spot_store_check_sqlite(store, diag), flushed;

    flushed = store->flush(store, diag);
    store->close(store);
    return ret == 0 ? flushed : ret;
}

/* Tables and views of others are read past, and named by a check. */
static void test_tables_of_others(void **state)
{
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    make_store(&known);
    spot_diag_init(&diag);
    (void) case_sql(&known, "ANALYZE");
    assert_int_equal(check(&known, &diag), 0);
    (void) case_sql(&known, "CREATE TABLE mine (a PRIMARY KEY); CREATE VIEW best AS SELECT * FROM "
                            "replication");
    store = case_open_reader(&known);
    case_check_all(store);
    store->close(store);
    store = case_open(&known);
    case_check_all(store);
    store->close(store);
    assert_int_equal(check(&known, &diag), SPOT_ERR_BAD_INPUT);
    assert_int_equal(diag.num_errors, 2);
    assert_true(case_says(&diag, "the table mine is not of spotsim"));
    assert_true(case_says(&diag, "the view best is not of spotsim"));
    spot_diag_free(&diag);
    case_remove(&known);
}

/* Of series that nobody draws, too. */
static void test_a_check_reads_all(void **state)
{
    static const char *const changes[] = {
        "UPDATE replication SET idle_fraction = 7 WHERE point = 2 AND replication = 70",
        "INSERT INTO series VALUES (0, 0, 0, 'series_x', NULL, '', 1, 0, 0)"};
    static const char *const words[] = {
        "batch of replications from 64 on: rows are not as they were written",
        "the list of its series is not what was written"};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        store_case_t known;
        spot_diag_t diag;

        make_store(&known);
        spot_diag_init(&diag);
        assert_int_equal(check(&known, &diag), 0);
        (void) case_sql(&known, changes[j]);
        assert_int_equal(check(&known, &diag), SPOT_ERR_BAD_INPUT);
        assert_true(case_says(&diag, words[j]));
        spot_diag_free(&diag);
        case_remove(&known);
    }
}

/* Batches that grow, in several transactions and runs, and in a merge. */
static void test_a_total_that_grows(void **state)
{
    const char *paths[1];
    store_case_t known, merged;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    case_init(&known, 300);
    for (int64_t j = 0; j < 300; j += 50) {
        store = case_open(&known);
        for (size_t k = 0; k < 4; k++) {
            case_put(store, k, j, 50);
        }
        case_flush(store);
        store->close(store);
        store = case_open_reader(&known);
        assert_int_equal(store->num_rows(store, 3), j + 50);
        store->close(store);
    }
    assert_true(case_sql(&known, "SELECT batches = 20 AND replications = 1200 AND writers = 6 "
                                 "FROM total") == 1);
    case_init(&merged, 300);
    paths[0] = known.path;
    spot_diag_init(&diag);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(spot_store_merge(merged.path, 1, paths, NULL, NULL, &diag), 0);
        assert_int_equal(check(&merged, &diag), 0);
        assert_true(case_sql(&merged, "SELECT batches = 20 AND replications = 1200 AND writers = "
                                      "6 FROM total") == 1);
    }
    store = case_open_reader(&merged);
    case_check_all(store);
    store->close(store);
    spot_diag_free(&diag);
    case_remove(&known);
    case_remove(&merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lost_batches),
        cmocka_unit_test(test_other_batches),
        cmocka_unit_test(test_rows_of_no_point),
        cmocka_unit_test(test_a_row_before_the_first),
        cmocka_unit_test(test_what_wrote_it),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_tables_of_others),
        cmocka_unit_test(test_a_check_reads_all),
        cmocka_unit_test(test_a_total_that_grows),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
