/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What others do to a store while it is written: merge into it, remove it, ask it for
 * more, go on with another program. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/store/sqlite_rows.h"
#include "sim/bench/store/store_merge.h"
#include "sim/bench/store/store_sqlite.h"
#include "store_case.h"

#define BATCH_ROWS 64 /* of the study */

static void make_whole(store_case_t *known, int64_t num_replications)
{
    spot_store_t *store;

    case_init(known, num_replications);
    store = case_open(known);
    case_put_all(store);
    store->close(store);
}

static int merge_two(const store_case_t *out, const store_case_t *a, const store_case_t *b)
{
    const char *const paths[] = {a->path, b->path};
    spot_diag_t diag;
    int ret;

    spot_diag_init(&diag);
    ret = spot_store_merge(out->path, 2, paths, NULL, NULL, &diag);
    spot_diag_free(&diag);
    return ret;
}

/* A merge that fails takes nothing away that another has begun to fill. */
static void test_a_failed_merge_and_a_good_one(void **state)
{
    store_case_t good, wrong, out;
    spot_store_t *store;

    (void) state;
    make_whole(&good, 200);
    make_whole(&wrong, 200);
    (void) case_sql(&wrong, "UPDATE replication SET idle_fraction = 7 WHERE point = 3");
    case_seal(&wrong);
    for (int j = 0; j < 20; j++) {
        pid_t child;
        int status, ret;

        case_init(&out, 200);
        child = fork();
        if (child == 0) {
            _exit(merge_two(&out, &good, &wrong) != SPOT_ERR_BAD_INPUT);
        }
        ret = merge_two(&out, &good, &good);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(ret, 0);
        store = case_open_reader(&out);
        case_check_all(store);
        store->close(store);
        case_remove(&out);
    }
    case_remove(&good);
    case_remove(&wrong);
}

/* A failed merge leaves nothing, and an OUT that was there as it was. */
static void test_a_failed_merge(void **state)
{
    store_case_t good, wrong, out;
    spot_store_t *store;
    struct stat before, after;

    (void) state;
    make_whole(&good, 200);
    make_whole(&wrong, 200);
    (void) case_sql(&wrong, "UPDATE replication SET idle_fraction = 7 WHERE point = 3");
    case_seal(&wrong);
    case_init(&out, 200);
    assert_int_equal(merge_two(&out, &good, &wrong), SPOT_ERR_BAD_INPUT);
    assert_int_not_equal(access(out.path, F_OK), 0);
    store = case_open(&out);
    case_put(store, 0, 0, 10);
    store->close(store);
    assert_int_equal(stat(out.path, &before), 0);
    assert_int_equal(merge_two(&out, &good, &wrong), SPOT_ERR_BAD_INPUT);
    assert_int_equal(stat(out.path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    store = case_open_reader(&out);
    case_check_point(store, 0, 10);
    case_check_point(store, 3, 0);
    store->close(store);
    case_remove(&out);
    case_remove(&good);
    case_remove(&wrong);
}

static void assert_merge_says(const store_case_t *out, const store_case_t *in, const char *words)
{
    const char *path = in->path;
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_not_equal(spot_store_merge(out->path, 1, &path, NULL, NULL, &diag), 0);
    assert_true(case_says(&diag, words));
    spot_diag_free(&diag);
}

/* One process at a time writes to a store; others are refused at once, with the name of
 * the first. */
static void test_one_writer(void **state)
{
    char words[200];
    store_case_t known, other;
    spot_store_t *store, *reader;

    (void) state;
    make_whole(&other, 200);
    case_init(&known, 200);
    store = case_open(&known);
    case_put(store, 0, 0, 100);
    case_flush(store);
    snprintf(
        words, sizeof(words), "process %ld on m writes to it (spotsim 'x'); wait", (long) getpid());
    case_refused(&known, SPOT_ERR_BAD_INPUT, words);
    assert_merge_says(&known, &other, words);
    reader = case_open_reader(&known);
    case_check_point(reader, 0, 100);
    reader->close(reader);
    case_put(store, 1, 0, 100); /* nothing of this disturbs it */
    case_flush(store);
    store->close(store);
    store = case_open(&known);
    case_check_point(store, 1, 100);
    store->close(store);
    case_remove(&known);
    case_remove(&other);
}

static void assert_is_lost(spot_store_t *store)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_IO);
    assert_int_equal(diag.num_errors, 1);
    assert_true(case_says(&diag, "removed, moved or replaced while it was written"));
    spot_diag_free(&diag);
}

/* Rows that nobody will find are an error, whenever it happens. */
static void test_a_store_that_is_removed(void **state)
{
    static const double rows[BATCH_ROWS * CASE_METRICS];
    store_case_t known, other;
    spot_store_t *store;

    (void) state;
    for (int j = 0; j < 4; j++) {
        case_init(&known, 100);
        store = case_open(&known);
        case_put(store, 0, 0, 100);
        case_flush(store);
        if (j % 2 == 0) {
            case_remove(&known);
        } else {
            make_whole(&other, 100);
            assert_int_equal(rename(other.path, known.path), 0);
        }
        if (j >= 2) { /* nothing to write any more, or something */
            assert_int_equal(
                store->put(store, &(spot_piece_t){1, 0, BATCH_ROWS, rows, NULL}), SPOT_ERR_IO);
        }
        assert_is_lost(store);
        store->close(store);
        case_remove(&known);
    }
}

/* Opens the store as another program, which must be said as often, in these words. */
static void open_as(store_case_t *known, const char *version, const char *commit,
    size_t num_warnings, const char *words)
{
    spot_store_t *store;
    spot_diag_t diag;

    known->provenance.version = version;
    known->provenance.commit = commit;
    spot_diag_init(&diag);
    assert_int_equal(
        spot_store_open_sqlite(&store, known->path, &known->head, &known->provenance, &diag), 0);
    store->close(store);
    assert_int_equal(diag.num_items, num_warnings);
    assert_int_equal(diag.num_warnings, num_warnings);
    assert_true(num_warnings == 0 || case_says(&diag, words));
    spot_diag_free(&diag);
}

static void test_rows_of_another_program(void **state)
{
    store_case_t known, other, out;
    const char *const paths[] = {known.path, other.path, known.path};
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    case_init(&known, 10);
    open_as(&known, "0.0.1", "dead", 0, "");
    open_as(&known, "0.1.0", "abc", 0, ""); /* no rows, no matter */
    case_init(&other, 10);
    case_remove(&known);
    known.provenance.version = "0.0.1";
    known.provenance.commit = "deadbeef";
    other.provenance.version = "0.1.0";
    other.provenance.commit = "abc-dirty";
    store = case_open(&known);
    case_put(store, 0, 0, 10);
    store->close(store);
    store = case_open(&other);
    case_put(store, 1, 0, 10);
    store->close(store);
    open_as(&known, "0.0.1", "deadbeef", 0, "");
    open_as(&known, "0.0.1", "deadbeef-dirty", 0, "");
    open_as(&other, "0.1.0", "abc", 0, "");
    open_as(&known, "0.1.0", "abc", 1,
        "has rows of spotsim 0.0.1 (deadbeef); this is 0.1.0 (abc): numbers may differ");
    open_as(&known, "0.0.1", "dead", 1, "has rows of spotsim 0.0.1 (deadbeef)");
    open_as(&other, "0.1.0", "abcd", 1, "has rows of spotsim 0.1.0 (abc-dirty)");
    case_init(&out, 10);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_merge(out.path, 1, paths, NULL, NULL, &diag), 0);
    assert_int_equal(diag.num_items, 0);
    assert_int_equal(spot_store_merge(out.path, 2, &paths[1], NULL, NULL, &diag), 0);
    assert_int_equal(diag.num_items, 1);
    assert_true(case_says(
        &diag, "has rows of spotsim 0.0.1 (deadbeef) and of 0.1.0 (abc-dirty): numbers may"));
    spot_diag_free(&diag);
    case_remove(&known);
    case_remove(&other);
    case_remove(&out);
}

/* Memory is for what there is, not for what there may be. */
static void test_more_replications_than_memory(void **state)
{
    const int64_t last = INT64_C(1) << 40;
    store_case_t known;
    spot_store_t *store;

    (void) state;
    case_init(&known, last);
    known.head.min_replications = 64;
    store = case_open(&known);
    case_put(store, 3, 0, 5000);
    assert_int_equal(store->num_there(store, 3, last - 1024), 0);
    store->close(store);
    store = case_open_reader(&known);
    case_check_point(store, 3, 5000);
    case_check_point(store, 0, 0);
    store->close(store);
    case_remove(&known);
}

/* What was committed stays. */
static void test_a_lock_while_it_is_written(void **state)
{
    const spot_sqlite_options_t options = {.timeout_ms = 300};
    static const double rows[BATCH_ROWS * CASE_METRICS];
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;
    sqlite3 *db;
    int ret = 0;

    (void) state;
    case_init(&known, 64 * 100);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_with(
                         &store, known.path, &known.head, &known.provenance, &options, &diag),
        0);
    case_put(store, 0, 0, 64);
    case_flush(store);
    assert_int_equal(sqlite3_open(known.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 10000), SQLITE_OK); /* it may be written */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (int64_t j = 1; ret == 0 && j < 100; j++) {
        ret = store->put(store, &(spot_piece_t){0, j * BATCH_ROWS, BATCH_ROWS, rows, NULL});
    }
    assert_int_equal(ret, SPOT_ERR_IO);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_IO);
    assert_true(case_says(&diag, "another program has locked it for too long"));
    store->close(store);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    assert_true(case_sql(&known, "SELECT count(*) FROM replication") == 64);
    assert_true(case_sql(&known, "SELECT count(*) FROM provenance WHERE ended IS NULL") == 1);
    spot_diag_free(&diag);
    case_remove(&known);
}

/* A run that is stopped does not wait for the hour that it might. */
static void test_a_lock_and_a_stop(void **state)
{
    const spot_sqlite_options_t options = {.timeout_ms = 3600000};
    static const double rows[BATCH_ROWS * CASE_METRICS];
    atomic_int stop = 0;
    store_case_t known;
    spot_store_t *store;
    spot_diag_t diag;
    sqlite3 *db;

    (void) state;
    case_init(&known, 64);
    spot_diag_init(&diag);
    assert_int_equal(spot_store_open_sqlite_with(
                         &store, known.path, &known.head, &known.provenance, &options, &diag),
        0);
    atomic_store(&store->stop, &stop);
    assert_int_equal(sqlite3_open(known.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 10000), SQLITE_OK); /* it may be written */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    atomic_store(&stop, 1);
    assert_int_equal(store->put(store, &(spot_piece_t){0, 0, BATCH_ROWS, rows, NULL}), SPOT_ERR_IO);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_IO);
    assert_true(case_says(&diag, "another program has locked it for too long"));
    store->close(store);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    spot_diag_free(&diag);
    case_remove(&known);
}

static void test_how_a_run_ended(void **state)
{
    static const char *const outcomes[] = {"complete", "stopped", NULL};
    store_case_t known;

    (void) state;
    case_init(&known, 10);
    for (size_t j = 0; j < 3; j++) {
        spot_store_t *store = case_open(&known);

        store->outcome = outcomes[j];
        store->close(store);
    }
    assert_true(case_sql(&known, "SELECT group_concat(outcome) = "
                                 "'complete,stopped,failed' FROM (SELECT outcome FROM "
                                 "provenance ORDER BY rowid)") == 1);
    case_remove(&known);
}

/* Whether SQLite's files lie beside the store. */
static bool is_alone(const store_case_t *self)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal"};
    bool is_alone = true;

    for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
        char path[300];

        snprintf(path, sizeof(path), "%s%s", self->path, ends[j]);
        is_alone = is_alone && access(path, F_OK) != 0;
    }
    return is_alone;
}

/* Reads all rows of a store and is killed with it open. */
static void read_and_die(const store_case_t *known)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        case_check_all(case_open_reader(known));
        raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Writes all rows and is killed, with all of them in the log. */
static void write_and_die(const store_case_t *known)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        spot_store_t *store = case_open(known);

        case_put_all(store);
        case_flush(store);
        raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* A log beside OUT would be taken for that of the new one: who reads with it keeps OUT as it
 * is. Who reads a file that does not change goes on reading the old one. */
static void test_merge_into_one_that_is_read(void **state)
{
    const char *paths[2];
    store_case_t out, in;
    spot_store_t *reader;
    spot_diag_t diag;

    (void) state;
    make_whole(&in, 100);
    paths[0] = in.path;
    case_init(&out, 100);
    write_and_die(&out);
    reader = case_open_reader(&out);
    assert_merge_says(&out, &in, "another program has locked it");
    case_check_all(reader);
    reader->close(reader);
    reader = case_open_reader(&out);
    spot_diag_init(&diag);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(spot_store_merge(out.path, 1, paths, NULL, NULL, &diag), 0);
        case_check_all(reader);
    }
    reader->close(reader);
    assert_true(is_alone(&out));
    reader = case_open_reader(&out);
    case_check_all(reader);
    reader->close(reader);
    spot_diag_free(&diag);
    case_remove(&out);
    case_remove(&in);
}

static void test_readers_leave_nothing(void **state)
{
    store_case_t known;
    spot_store_t *store;

    (void) state;
    make_whole(&known, 200);
    assert_true(is_alone(&known));
    read_and_die(&known);
    assert_true(is_alone(&known));
    case_remove(&known);

    /* After a writer, what it wrote is kept and its files are not. */
    case_init(&known, 200);
    write_and_die(&known);
    assert_false(is_alone(&known));
    store = case_open_reader(&known);
    case_check_all(store);
    store->close(store);
    assert_true(is_alone(&known));
    read_and_die(&known);
    assert_true(is_alone(&known));
    store = case_open_reader(&known);
    case_check_all(store);
    store->close(store);
    assert_true(is_alone(&known));
    case_remove(&known);

    /* After one that is refused, too. */
    make_whole(&known, 200);
    (void) case_sql(&known, "DELETE FROM batch WHERE point = 1");
    case_reader_refused(&known, SPOT_ERR_BAD_INPUT, "it is missing");
    case_refused(&known, SPOT_ERR_BAD_INPUT, "it is missing");
    assert_true(is_alone(&known));
    case_remove(&known);
}

static int64_t num_bytes(const store_case_t *known)
{
    struct stat about;

    assert_int_equal(stat(known->path, &about), 0);
    return about.st_size;
}

/* The file does not change under a reader that opened it before the writer came; who ends
 * last leaves nothing. */
static void test_a_writer_after_a_reader(void **state)
{
    enum { NUM_ROWS = 64 * 2000 }; /* more than what a checkpoint waits for */
    spot_store_t *reader, *other, *store;
    store_case_t known;
    int64_t before;

    (void) state;
    case_init(&known, NUM_ROWS);
    store = case_open(&known);
    for (size_t j = 0; j < 4; j++) {
        case_put(store, j, 0, 64);
    }
    store->close(store);
    before = num_bytes(&known);
    reader = case_open_reader(&known);
    assert_true(is_alone(&known));
    store = case_open(&known);
    for (size_t j = 0; j < 4; j++) {
        case_put(store, j, 0, NUM_ROWS);
    }
    case_flush(store);
    assert_int_equal(num_bytes(&known), before);
    other = case_open_reader(&known);
    assert_int_equal(other->num_rows(other, 3), NUM_ROWS);
    other->close(other);
    store->close(store);
    assert_int_equal(num_bytes(&known), before);
    for (size_t j = 0; j < 4; j++) {
        case_check_point(reader, j, 64);
    }
    reader->close(reader);
    assert_true(is_alone(&known));
    assert_true(num_bytes(&known) > before);
    store = case_open_reader(&known);
    assert_int_equal(store->num_rows(store, 3), NUM_ROWS);
    store->close(store);
    assert_true(is_alone(&known));
    case_remove(&known);
}

/* Without such a reader the log is emptied as it grows. */
static void test_a_log_that_grows(void **state)
{
    enum { NUM_ROWS = 64 * 2000 };
    store_case_t known;
    spot_store_t *store;
    int64_t before;

    (void) state;
    case_init(&known, NUM_ROWS);
    store = case_open(&known);
    before = num_bytes(&known);
    for (size_t j = 0; j < 4; j++) {
        case_put(store, j, 0, NUM_ROWS);
    }
    case_flush(store);
    assert_true(num_bytes(&known) > before + (1 << 20));
    store->close(store);
    assert_true(is_alone(&known));
    case_remove(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_leave_nothing),
        cmocka_unit_test(test_a_writer_after_a_reader),
        cmocka_unit_test(test_a_log_that_grows),
        cmocka_unit_test(test_a_failed_merge_and_a_good_one),
        cmocka_unit_test(test_a_failed_merge),
        cmocka_unit_test(test_one_writer),
        cmocka_unit_test(test_merge_into_one_that_is_read),
        cmocka_unit_test(test_a_store_that_is_removed),
        cmocka_unit_test(test_rows_of_another_program),
        cmocka_unit_test(test_more_replications_than_memory),
        cmocka_unit_test(test_a_lock_while_it_is_written),
        cmocka_unit_test(test_a_lock_and_a_stop),
        cmocka_unit_test(test_how_a_run_ended),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
