/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/bench/analysis/race.h"
#include "sim/bench/store/store_merge.h"
#include "store_case.h"

#define NUM_SHARDS 12 /* more than SQLite attaches at once */

/* Every num_shards-th batch, in a store of its own. The last shard of rows also has a
 * part of the first one's first batch. */
static void make_shard(
    store_case_t *shard, int64_t num_replications, int64_t shard_id, int64_t num_shards)
{
    spot_store_t *store;
    int64_t batch_id = 0, size;

    case_init(shard, num_replications);
    store = case_open(shard);
    size = spot_study_batch_size(store->head);
    for (size_t j = 0; j < store->head->num_points; j++) {
        for (int64_t k = 0; k < num_replications; k += size, batch_id++) {
            if (batch_id % num_shards == shard_id) {
                case_put(store, j, k, num_replications - k < size ? num_replications - k : size);
            }
        }
    }
    if (shard_id == num_shards - 1) {
        case_put(store, 0, 0, 10);
    }
    store->close(store);
}

/* What a merge added, and what the store has afterwards. */
typedef struct {
    int64_t num_added;
    spot_completeness_t there;
} result_t;

static void merge(
    const store_case_t *out, size_t num_paths, const char *const *paths, result_t *result)
{
    spot_diag_t diag;

    spot_diag_init(&diag);
    if (spot_store_merge(out->path, num_paths, paths, NULL, &result->num_added, &diag) != 0 ||
        spot_completeness_read(out->path, &result->there, &diag) != 0) {
        spot_diag_print(&diag, stderr);
        fail();
    }
    spot_diag_free(&diag);
}

static void refuse(const store_case_t *out, const store_case_t *in, const char *words)
{
    const char *const paths[] = {in->path};
    spot_diag_t diag;

    spot_diag_init(&diag);
    assert_int_equal(spot_store_merge(out->path, 1, paths, NULL, NULL, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, words));
    spot_diag_free(&diag);
}

/* Shards are the whole, in any order, again and in parts. */
static void test_shards(void **state)
{
    static const int64_t num_replications[] = {1000, 10000};
    store_case_t shards[NUM_SHARDS], whole, out;
    const char *paths[NUM_SHARDS];
    spot_summary_t *a, *b;
    result_t result;
    spot_store_t *store;

    (void) state;
    for (int j = 0; j < 2; j++) {
        const int64_t num_all = 4 * num_replications[j];

        for (int k = 0; k < NUM_SHARDS; k++) {
            make_shard(&shards[k], num_replications[j], k, NUM_SHARDS);
            paths[NUM_SHARDS - 1 - k] = shards[k].path;
        }
        case_init(&out, num_replications[j]);
        merge(&out, NUM_SHARDS - 1, paths, &result); /* the first shard is lost */
        assert_true(result.num_added == result.there.num_rows && result.there.num_rows < num_all);
        assert_int_equal(result.there.num_asked, num_all);
        assert_int_equal(result.there.num_points, 4);
        assert_true(result.there.num_unfinished > 0);
        merge(&out, NUM_SHARDS, paths, &result);
        assert_true(result.num_added > 0 && result.num_added < num_all);
        assert_int_equal(result.there.num_rows, num_all);
        assert_int_equal(result.there.num_unfinished, 0);
        merge(&out, NUM_SHARDS, paths, &result);
        assert_int_equal(result.num_added, 0);
        assert_int_equal(result.there.num_rows, num_all);
        assert_true(case_sql(&out, "SELECT count(*) FROM provenance") == (double) NUM_SHARDS);
        make_shard(&whole, num_replications[j], 0, 1);
        store = case_open_reader(&out);
        case_check_all(store);
        assert_int_equal(spot_summarise_all(store, &a), 0);
        store->close(store);
        store = case_open_reader(&whole);
        assert_int_equal(spot_summarise_all(store, &b), 0);
        store->close(store);
        assert_memory_equal(a, b, 4 * CASE_METRICS * sizeof(*a));
        free(a);
        free(b);
        store = case_open(&out); /* and the study may go on in it */
        assert_int_equal(case_put_all(store), 0);
        store->close(store);
        for (int k = 0; k < NUM_SHARDS; k++) {
            case_remove(&shards[k]);
        }
        case_remove(&whole);
        case_remove(&out);
    }
}

/* Points of another order have other numbers, and the same keys. */
static void test_points_are_matched_by_their_keys(void **state)
{
    char a[] = "16", b[] = "8.0";
    double numbers[] = {16, 8};
    char *texts[] = {a, b};
    store_case_t first, second;
    result_t result;
    const char *paths[1];
    spot_store_t *store;

    (void) state;
    make_shard(&first, 100, 0, 2);
    case_init(&second, 100);
    second.axes[0].texts = texts;
    second.axes[0].numbers = numbers;
    store = case_open(&second);
    case_put_all(store);
    store->close(store);
    paths[0] = second.path;
    merge(&first, 1, paths, &result);
    assert_int_equal(result.there.num_rows, 400);
    store = case_open_reader(&first);
    assert_string_equal(store->head->axes[0].texts[0], "8");
    case_check_all(store);
    store->close(store);
    case_remove(&first);
    case_remove(&second);
}

static void test_what_does_not_belong_together(void **state)
{
    store_case_t out, other;
    spot_store_t *store;

    (void) state;
    make_shard(&out, 100, 0, 1);
    make_shard(&other, 100, 0, 1);
    (void) case_sql(&other, "UPDATE replication SET idle_fraction = 7 WHERE point = 2 AND "
                            "replication = 71");
    refuse(&out, &other,
        "point job.pipeline_depth=16;job.reload=30 s, batch of replications from 64 on: "
        "rows are not as they were written");
    case_seal(&other);
    refuse(&out, &other,
        "point job.pipeline_depth=16;job.reload=30 s, replication 71, idle_fraction: 7, "
        "but ");
    case_remove(&other);
    make_shard(&other, 100, 0, 1);
    (void) case_sql(&other, "UPDATE study SET canonical = replace(canonical, '47', '60')");
    case_seal(&other);
    refuse(&out, &other, "job.reconfiguration was 47 s, is 60 s");
    refuse(&out, &other, out.path);
    case_remove(&other);
    make_shard(&other, 101, 0, 1);
    refuse(&out, &other, "replications were 100, are 101");
    case_remove(&other);
    case_init(&other, 100);
    other.numbers[0][1] = 32;
    store = case_open(&other);
    store->close(store);
    refuse(&out, &other, "has no point job.pipeline_depth=32;job.reload=30 s");
    (void) case_sql(&other, "DELETE FROM study");
    refuse(&out, &other, "the database is damaged");
    case_remove(&other);
    store = case_open_reader(&out); /* as it was */
    case_check_all(store);
    store->close(store);
    case_remove(&out);
}

static void test_files_that_are_no_store(void **state)
{
    const char *const none[] = {"/nowhere/x.db"};
    store_case_t out, in;
    spot_diag_t diag;
    FILE *file;

    (void) state;
    case_init(&out, 100);
    case_init(&in, 100);
    file = fopen(in.path, "w");
    assert_non_null(file);
    fclose(file);
    refuse(&out, &in, "its task ended before it wrote anything");
    assert_int_not_equal(access(out.path, F_OK), 0); /* nothing is left behind */
    spot_diag_init(&diag);
    assert_int_equal(spot_store_merge(out.path, 1, none, NULL, NULL, &diag), SPOT_ERR_BAD_INPUT);
    assert_true(case_says(&diag, "/nowhere/x.db: the folder /nowhere/"));
    assert_int_not_equal(access(out.path, F_OK), 0);
    spot_diag_free(&diag);
    case_remove(&in);
}

/* The points that a merge calls unfinished. */
static size_t unfinished_after(store_case_t *out, const store_case_t *in)
{
    const char *paths[] = {in->path};
    result_t result;

    merge(out, 1, paths, &result);
    case_remove(out);
    assert_int_equal(result.there.num_asked, 4000);
    return result.there.num_unfinished;
}

static size_t unfinished_of(store_case_t *in, int64_t num_rows)
{
    store_case_t out;
    spot_store_t *store = case_open(in);
    size_t num;

    for (size_t j = 0; j < 4; j++) {
        case_put(store, j, 0, j == 3 ? 64 : num_rows);
    }
    store->close(store);
    case_init(&out, 1000);
    num = unfinished_after(&out, in);
    case_remove(in);
    return num;
}

/* Points have all that a study asks for before they have all it may run. */
static void test_what_is_not_finished(void **state)
{
    static char idle[] = "idle_fraction";
    store_case_t in;

    (void) state;
    case_init(&in, 1000);
    assert_int_equal(unfinished_of(&in, 128), 4);
    case_init(&in, 1000);
    in.head.until = (spot_until_t){idle, 10, 0, 0.95};
    in.head.min_replications = 64;
    assert_int_equal(unfinished_of(&in, 128), 0);
    case_init(&in, 1000);
    in.head.until = (spot_until_t){idle, 10, 0, 0.95};
    in.head.min_replications = 100;
    assert_int_equal(unfinished_of(&in, 128), 1); /* the last one has 64 */
    case_init(&in, 1000);
    in.head.until = (spot_until_t){idle, 1e-9, 0, 0.95};
    in.head.min_replications = 64;
    assert_int_equal(unfinished_of(&in, 128), 4);
    case_init(&in, 1000);
    in.head.optimise = (spot_optimise_t){.metric = idle, .confidence = 0.9};
    in.head.min_replications = 64;
    in.head.optimise.indifference = 1;
    assert_true(unfinished_of(&in, 64) > 0);
}

/* What a merge that was killed has begun: "OUT.Abc123". */
static void remove_beginnings(const char *path)
{
    char command[400];

    snprintf(command, sizeof(command), "rm -f '%s'.??????", path);
    assert_int_equal(system(command), 0);
}

/* A merge that is killed or stopped leaves OUT as it was. */
static void test_interrupted(void **state)
{
    atomic_int stop = 1;
    double num_before, num_both;
    const spot_watch_t watch = {.stop = &stop};
    store_case_t out, in;
    const char *paths[1];
    result_t result;
    spot_store_t *store;
    spot_diag_t diag;

    (void) state;
    make_shard(&out, 20000, 0, 3);
    make_shard(&in, 20000, 1, 3);
    paths[0] = in.path;
    num_before = case_sql(&out, "SELECT count(*) FROM replication");
    num_both = num_before + case_sql(&in, "SELECT count(*) FROM replication");
    spot_diag_init(&diag);
    assert_int_equal(
        spot_store_merge(out.path, 1, paths, &watch, NULL, &diag), SPOT_ERR_INTERRUPTED);
    for (int j = 0; j < 8; j++) {
        const struct timespec time = {0, 4000000 * j};
        const pid_t child = fork();
        double num_rows;
        int status;

        if (child == 0) {
            _exit(spot_store_merge(out.path, 1, paths, NULL, NULL, &diag) != 0);
        }
        nanosleep(&time, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        num_rows = case_sql(&out, "SELECT count(*) FROM replication");
        assert_true(num_rows == num_before || num_rows == num_both);
        assert_true(case_sql(&out, "SELECT integrity_check = 'ok' FROM "
                                   "pragma_integrity_check") == 1);
    }
    merge(&out, 1, paths, &result);
    assert_true((double) result.there.num_rows == num_both);
    store = case_open(&out);
    case_put_all(store);
    case_flush(store);
    case_check_all(store);
    store->close(store);
    spot_diag_free(&diag);
    remove_beginnings(out.path);
    case_remove(&out);
    case_remove(&in);
}

/* A path may begin with more than one slash, and OUT may be one of the stores. */
static void test_ways_to_name_a_store(void **state)
{
    store_case_t out, in;
    char slashes[sizeof(in.path) + 1];
    const char *paths[] = {slashes, out.path};
    result_t result;

    (void) state;
    make_shard(&out, 100, 0, 2);
    make_shard(&in, 100, 1, 2);
    snprintf(slashes, sizeof(slashes), "/%s", in.path);
    merge(&out, 2, paths, &result);
    assert_true(result.num_added > 0);
    assert_int_equal(result.there.num_rows, 400);
    case_remove(&out);
    case_remove(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shards),
        cmocka_unit_test(test_points_are_matched_by_their_keys),
        cmocka_unit_test(test_what_does_not_belong_together),
        cmocka_unit_test(test_files_that_are_no_store),
        cmocka_unit_test(test_what_is_not_finished),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_ways_to_name_a_store),
    };

    return cmocka_run_group_tests(tests, NULL, case_end);
}
