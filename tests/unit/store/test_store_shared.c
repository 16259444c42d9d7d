/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What others do to a store while it is written: merge into it, remove it, ask it for
 * more, go on with another program. */
#include <setjmp.h>
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

#include "sim/store/store_sqlite_internal.h"
#include "store_case.h"

static void
make_whole(store_case_t *known, int64_t num_replications, spot_keep_t keep)
{
    spot_store_t *store;

    case_init(known, num_replications, keep);
    store = case_open(known);
    case_put_all(store);
    store->close(store);
}

static int
merge_two(const store_case_t *out, const store_case_t *a, const store_case_t *b)
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
static void
test_a_failed_merge_and_a_good_one(void **state)
{
    store_case_t good, wrong, out;
    spot_store_t *store;

    (void) state;
    make_whole(&good, 200, SPOT_KEEP_ROWS);
    make_whole(&wrong, 200, SPOT_KEEP_ROWS);
    (void) case_sql(&wrong, "UPDATE replication SET idle_fraction = 7 WHERE point = 3");
    for (int j = 0; j < 20; j++) {
        pid_t child;
        int status, ret;

        case_init(&out, 200, SPOT_KEEP_ROWS);
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

/* What a failed merge leaves is as good as none. */
static void
test_an_empty_out(void **state)
{
    store_case_t good, wrong, out;
    spot_store_t *store;
    struct stat before, after;

    (void) state;
    make_whole(&good, 200, SPOT_KEEP_ROWS);
    make_whole(&wrong, 200, SPOT_KEEP_ROWS);
    (void) case_sql(&wrong, "UPDATE replication SET idle_fraction = 7 WHERE point = 3");
    case_init(&out, 200, SPOT_KEEP_ROWS);
    assert_int_equal(merge_two(&out, &good, &wrong), SPOT_ERR_BAD_INPUT);
    assert_int_equal(stat(out.path, &before), 0);
    case_reader_refused(&out, SPOT_ERR_BAD_INPUT, "is empty");
    assert_int_equal(merge_two(&out, &good, &good), 0);
    assert_int_equal(stat(out.path, &after), 0);
    assert_true(before.st_ino == after.st_ino);
    store = case_open_reader(&out);
    case_check_all(store);
    store->close(store);
    case_remove(&out);
    assert_int_equal(merge_two(&out, &good, &wrong), SPOT_ERR_BAD_INPUT);
    store = case_open(&out); /* a study starts in it too */
    store->close(store);
    case_remove(&out);
    case_remove(&good);
    case_remove(&wrong);
}

static void
assert_is_lost(spot_store_t *store)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(store->flush(store, &diag), SPOT_ERR_IO);
    assert_int_equal(diag.num_errors, 1);
    assert_true(case_says(&diag, "removed, moved or replaced while it was written"));
    spot_diag_free(&diag);
}

/* Rows that nobody will find are an error, whenever it happens. */
static void
test_a_store_that_is_removed(void **state)
{
    store_case_t known, other;
    spot_store_t *store;

    (void) state;
    for (int j = 0; j < 4; j++) {
        case_init(&known, 100, SPOT_KEEP_ROWS);
        store = case_open(&known);
        case_put(store, 0, 0, 100);
        case_flush(store);
        if (j % 2 == 0) {
            case_remove(&known);
        } else {
            make_whole(&other, 100, SPOT_KEEP_ROWS);
            assert_int_equal(rename(other.path, known.path), 0);
        }
        if (j >= 2) { /* nothing to write any more, or something */
            case_put(store, 1, 0, 100);
        }
        assert_is_lost(store);
        store->close(store);
        case_remove(&known);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_failed_merge_and_a_good_one),
        cmocka_unit_test(test_an_empty_out),
        cmocka_unit_test(test_a_store_that_is_removed),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
