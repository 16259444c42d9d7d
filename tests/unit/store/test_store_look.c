/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking at a store on disk: it tells what one that goes on with it would find, refuses
 * what that would refuse, in the same words, and leaves no trace. */
#include <dirent.h>
#include <setjmp.h>
#include <sqlite3.h>
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

#include "store_case.h"

typedef int (*open_function_t)(spot_store_t **store, const char *path,
    const spot_study_head_t *head, const spot_provenance_t *provenance, spot_diag_t *diag);

static spot_store_t *look(const store_case_t *self)
{
    spot_store_t *store = NULL;
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_store_look_sqlite(&store, self->path, &self->head, &self->provenance, &diag) != 0) {
        spot_diag_print(&diag, stderr);
    }
    assert_non_null(store);
    spot_diag_free(&diag);
    return store;
}

/* ---- What is there ---- */

static void assert_same_there(const spot_store_t *looked, const spot_store_t *opened)
{
    const spot_study_head_t *head = opened->head;
    const int64_t size = spot_study_batch_size(head);

    for (size_t j = 0; j < head->num_points; j++) {
        assert_int_equal(looked->num_rows(looked, j), opened->num_rows(opened, j));
        for (int64_t k = 0; k < head->num_replications; k += size) {
            assert_int_equal(looked->num_there(looked, j, k), opened->num_there(opened, j, k));
        }
    }
}

/* Points and replications were added, and points stand in another order. */
static void test_what_a_run_would_find(void **state)
{
    store_case_t known;
    spot_store_t *store, *looked;

    (void) state;
    case_init(&known, 2048);
    store = case_open(&known);
    case_put(store, 1, 0, 1024);
    case_put(store, 3, 0, 2048);
    store->close(store);
    known.head.num_replications = known.head.min_replications = 4096;
    known.axes[0].num_values = 3;
    known.head.num_points = 6;
    for (size_t k = 0; k < 3; k++) { /* 8, 16, 24 are 24, 8, 16 */
        const double numbers[] = {24, 8, 16};
        static char texts[3][3] = {"24", "8", "16"};

        known.axes[0].numbers[k] = numbers[k];
        known.axes[0].texts[k] = texts[k];
    }
    looked = look(&known);
    assert_int_equal(looked->num_rows(looked, 0), 0);
    case_check_point(looked, 3, 1024);
    case_check_point(looked, 5, 2048);
    assert_int_equal(looked->put(looked, &(spot_piece_t){0, 0, 1, NULL, NULL}), SPOT_ERR_STATE);
    store = case_open(&known);
    assert_same_there(looked, store);
    store->close(store);
    looked->close(looked);
    looked = look(&known); /* now that the file has all points */
    case_check_point(looked, 5, 2048);
    looked->close(looked);
    case_remove(&known);
}

/* Points that are the same are the first, the second ... of their kind. */
static void test_points_that_are_the_same(void **state)
{
    store_case_t known;
    spot_store_t *store, *looked;

    (void) state;
    case_init(&known, 100);
    known.axes[0].texts[1] = known.axes[0].texts[0];
    known.axes[0].numbers[1] = known.axes[0].numbers[0];
    store = case_open(&known);
    for (size_t j = 0; j < 4; j++) {
        case_put(store, j, 0, 10 * (int64_t) (j + 1));
    }
    store->close(store);
    known.axes[0].num_values = 3;
    known.axes[0].texts[2] = known.axes[0].texts[0];
    known.axes[0].numbers[2] = known.axes[0].numbers[0];
    known.head.num_points = 6;
    looked = look(&known);
    for (size_t j = 0; j < 6; j++) {
        case_check_point(looked, j, j < 4 ? 10 * (int64_t) (j + 1) : 0);
    }
    looked->close(looked);
    case_remove(&known);
}

/* ---- What is refused ---- */

static char *words_of(const store_case_t *self, open_function_t open, int *error)
{
    spot_store_t *store;
    spot_diag_t diag;
    char *text = NULL;
    size_t num_bytes;
    FILE *out = open_memstream(&text, &num_bytes);

    assert_non_null(out);
    spot_diag_init(&diag);
    *error = open(&store, self->path, &self->head, &self->provenance, &diag);
    assert_null(store);
    spot_diag_print(&diag, out);
    fclose(out);
    spot_diag_free(&diag);
    return text;
}

/* Both refuse, and say the same, which has these words in it. */
static void refused_alike(const store_case_t *self, const char *words)
{
    int looking, opening;
    char *looked = words_of(self, spot_store_look_sqlite, &looking);
    char *opened = words_of(self, spot_store_open_sqlite, &opening);

    assert_int_equal(looking, opening);
    assert_true(looking < 0);
    assert_string_equal(looked, opened);
    assert_non_null(strstr(looked, words));
    free(looked);
    free(opened);
}

static void test_refused_as_a_run_would(void **state)
{
    store_case_t known, other;
    spot_store_t *store;

    (void) state;
    case_init(&known, 100);
    store = case_open(&known);
    case_put(store, 0, 0, 64);
    store->close(store);

    other = known;
    other.provenance.canonical = "fleet:\n  capacity: 64\njob:\n  reconfiguration: 60 s\n";
    refused_alike(&other, "job.reconfiguration was 47 s, is 60 s");
    other = known;
    other.head.seed = 8;
    refused_alike(&other, "replications.seed was 7, is 8");
    other = known;
    other.head.num_replications = 99;
    refused_alike(&other, "replications were 100, are 99");
    other = known;
    other.head.num_metrics = 2;
    refused_alike(&other, "was kept, is not");
    known.axes[0].numbers[0] = 24; /* the axes are the case's own */
    known.axes[0].texts[0] = known.axes[0].texts[2];
    refused_alike(&known, "the point job.pipeline_depth=8;job.reload=30 s was in");
    case_remove(&known);
}

static void test_files_that_are_no_store(void **state)
{
    store_case_t known;
    spot_store_t *store = NULL;
    spot_diag_t diag;
    FILE *file;

    (void) state;
    case_init(&known, 10);
    file = fopen(known.path, "w");
    assert_non_null(file);
    fclose(file);
    spot_diag_init(&diag);
    assert_int_equal(
        spot_store_look_sqlite(&store, known.path, &known.head, &known.provenance, &diag), 0);
    assert_null(store); /* a study would start in it */
    spot_diag_free(&diag);
    file = fopen(known.path, "w");
    assert_non_null(file);
    for (int j = 0; j < 200; j++) {
        fputs("text ", file);
    }
    fclose(file);
    refused_alike(&known, "no SQLite database");
    case_remove(&known);
    (void) case_sql(&known, "CREATE TABLE t (a)");
    refused_alike(&known, "of another program");
    case_remove(&known);
    snprintf(known.path, sizeof(known.path), "%s", case_folder());
    refused_alike(&known, "this is a folder");
}

/* ---- Beside others, and after them ---- */

/* The files of the folder of the tests. */
static int num_files(void)
{
    struct dirent **entries;
    const int num = scandir(case_folder(), &entries, NULL, NULL);

    for (int j = 0; j < num; j++) {
        free(entries[j]);
    }
    free(entries);
    return num - 2;
}

/* Looking finds so many rows of point 0 and leaves no file that was not there. */
static void check_look(const store_case_t *known, int64_t num_rows)
{
    const int num_before = num_files();
    spot_store_t *looked = look(known);

    case_check_point(looked, 0, num_rows);
    looked->close(looked);
    assert_true(num_files() <= num_before);
}

/* The log of one that ended without closing is SQLite's to recover. */
static void test_after_others(void **state)
{
    store_case_t known;
    spot_store_t *store;
    char index[300];
    pid_t child;
    int status;

    (void) state;
    case_init(&known, 200);
    store = case_open(&known);
    case_put(store, 0, 0, 64);
    store->close(store);
    check_look(&known, 64);

    assert_int_equal(chmod(known.path, 0444), 0); /* says nothing where root is */
    check_look(&known, 64);
    assert_int_equal(chmod(known.path, 0644), 0);

    child = fork(); /* one that ends without closing */
    assert_true(child >= 0);
    if (child == 0) {
        store = case_open(&known);
        case_put(store, 0, 64, 64);
        case_flush(store);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    snprintf(index, sizeof(index), "%s-shm", known.path);
    assert_int_equal(unlink(index), 0); /* as copied without it */
    check_look(&known, 128);
    store = case_open(&known); /* nothing was lost */
    case_check_point(store, 0, 128);
    store->close(store);
    case_remove(&known);
}

/* Writes into the log of a store that nobody had open, and ends within the transaction.
 */
static void end_in_transaction(const char *path)
{
    sqlite3 *db;
    const pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        const bool is_written = sqlite3_open(path, &db) == SQLITE_OK &&
                                sqlite3_exec(db,
                                    "PRAGMA cache_size = 1; BEGIN; CREATE TABLE more (bytes); "
                                    "INSERT INTO more VALUES (zeroblob(500000))",
                                    NULL, NULL, NULL) == SQLITE_OK;

        _exit(is_written ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void check_log(const store_case_t *known, off_t num_bytes)
{
    char log[300];
    struct stat about;

    snprintf(log, sizeof(log), "%s-wal", known->path);
    if (num_bytes > 0) {
        assert_int_equal(truncate(log, num_bytes), 0);
    }
    assert_int_equal(stat(log, &about), 0);
    assert_true(about.st_size >= 32);
}

/* The index beside the log is of an older one. */
static void test_killed_in_the_first_transaction(void **state)
{
    static const off_t sizes[] = {0, 32, 33}; /* all of the log, its header, and more */

    (void) state;
    for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
        store_case_t known;
        spot_store_t *store;

        case_init(&known, 200);
        store = case_open(&known);
        case_put(store, 0, 0, 64);
        store->close(store);
        end_in_transaction(known.path);
        check_log(&known, sizes[j]);
        check_look(&known, 64);
        store = case_open(&known);
        case_put(store, 0, 64, 64);
        store->close(store);
        check_look(&known, 128);
        case_remove(&known);
    }
}

/* Others write on, and are seen up to what they committed. */
static void test_beside_one_that_writes(void **state)
{
    store_case_t known;
    spot_store_t *store, *looked;

    (void) state;
    case_init(&known, 200);
    store = case_open(&known);
    check_look(&known, 0);
    case_put(store, 0, 0, 64);
    case_flush(store);
    check_look(&known, 64);
    looked = look(&known);
    case_put(store, 0, 64, 64);
    case_flush(store); /* would fail if it had to wait */
    case_check_point(looked, 0, 64);
    case_check_point(store, 0, 128);
    looked->close(looked);
    check_look(&known, 128);
    store->close(store);
    check_look(&known, 128);
    case_remove(&known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_run_would_find),
        cmocka_unit_test(test_points_that_are_the_same),
        cmocka_unit_test(test_refused_as_a_run_would),
        cmocka_unit_test(test_files_that_are_no_store),
        cmocka_unit_test(test_after_others),
        cmocka_unit_test(test_killed_in_the_first_transaction),
        cmocka_unit_test(test_beside_one_that_writes),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
