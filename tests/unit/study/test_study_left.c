/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a study has left is what a run of it then runs: all of it with a count, and
 * between the least and the most where the rows decide, wherever it was stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/bench/study/run.h"
#include "sim/bench/study/study.h"
#include "tests/unit/study/toy_study.h"

#define FIXED                                                                                      \
    "study: toy\nscenario: {shift: 0}\nsweep: {shift: [0, 1, 5]}\n"                                \
    "replications: {count: 1000}\nmetrics: [normal]\n"
#define UNTIL                                                                                      \
    "study: toy\nscenario: {shift: 0}\nsweep: {shift: [0, 1, 5]}\n"                                \
    "replications: {until: {metric: normal, relative_half_width: 0.005}}\n"                        \
    "metrics: [normal]\n"
#define RACE                                                                                       \
    "study: toy\nscenario: {shift: 0}\n"                                                           \
    "optimise: {minimise: normal, over: {shift: [0, 0.3, 2, 5]}}\n"                                \
    "replications: {max: 20000}\n"

typedef struct {
    atomic_int stop;
    int64_t num_calls_left; /* of progress, until the run is stopped */
    int64_t num_run;
} watcher_t;

static void watch(void *context, const spot_study_progress_t *progress)
{
    watcher_t *self = context;

    self->num_run = progress->num_run;
    if (--self->num_calls_left == 0) {
        atomic_store(&self->stop, 1);
    }
}

static spot_study_left_t find_left(
    const spot_study_t *study, const spot_store_t *store, int64_t shard_id, int64_t num_shards)
{
    const spot_study_run_t run = {.shard_id = shard_id, .num_shards = num_shards};
    spot_study_left_t left;

    assert_int_equal(spot_study_find_left(study, store, &run, &left), 0);
    assert_true(0 <= left.least_runs && left.least_runs <= left.most_runs);
    assert_true(left.least_points <= left.most_points);
    assert_int_equal(left.least_runs > 0, left.least_points > 0);
    return left;
}

static int64_t count_rows(const spot_store_t *store)
{
    int64_t num = 0;

    for (size_t j = 0; j < store->head->num_points; j++) {
        num += store->num_rows(store, j);
    }
    return num;
}

/* Stops a run after so many batches and goes on with it to its end. */
static void check_stop(const spot_study_t *study, int64_t num_batches, bool is_fixed)
{
    watcher_t watcher = {.num_calls_left = num_batches};
    const spot_study_run_t run = {
        .num_threads = 2, .stop = &watcher.stop, .progress = watch, .context = &watcher};
    spot_study_left_t left;
    spot_store_t *store;
    int64_t num_before;

    assert_int_equal(spot_store_open_memory(&store, &study->head), 0);
    if (num_batches > 0) {
        assert_int_equal(spot_study_run(study, store, &run, NULL), SPOT_ERR_INTERRUPTED);
    }
    num_before = count_rows(store);
    left = find_left(study, store, 0, 0);
    assert_int_equal(left.num_there, num_before);
    assert_true(left.least_runs > 0);
    watcher = (watcher_t){.num_calls_left = 0};
    assert_int_equal(spot_study_run(study, store, &run, NULL), 0);
    assert_true(left.least_runs <= count_rows(store) - num_before);
    assert_true(left.most_runs >= count_rows(store) - num_before);
    assert_int_equal(left.least_runs == left.most_runs, is_fixed);
    left = find_left(study, store, 0, 0);
    assert_int_equal(left.num_there, count_rows(store));
    assert_int_equal(left.most_runs, 0);
    assert_int_equal(left.most_points, 0);
    store->close(store);
}

static void test_wherever_it_is_stopped(void **state)
{
    static const char *const texts[] = {FIXED, UNTIL, RACE};

    (void) state;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
        spot_study_t study;

        read_toy_study(&study, texts[j]);
        for (int64_t k = 0; k < 6; k++) {
            check_stop(&study, k, j == 0);
        }
        spot_study_free(&study);
    }
}

/* Without a store, nothing is there: the first round at least, the maximum at most. */
static void test_without_a_store(void **state)
{
    spot_study_left_t left;
    spot_study_t study;

    (void) state;
    read_toy_study(&study, FIXED);
    left = find_left(&study, NULL, 0, 0);
    assert_int_equal(left.num_there, 0);
    assert_int_equal(left.least_runs, 3 * 1000);
    assert_int_equal(left.most_runs, 3 * 1000);
    assert_int_equal(left.most_points, 3);
    spot_study_free(&study);
    read_toy_study(&study, UNTIL);
    left = find_left(&study, NULL, 0, 0);
    assert_int_equal(left.least_runs, 3 * study.head.min_replications);
    assert_int_equal(left.most_runs, 3 * study.head.num_replications);
    spot_study_free(&study);
}

/* What the parts have left is what the study has, and what each of them runs. */
static void test_shards(void **state)
{
    static const char *const texts[] = {FIXED, UNTIL};

    (void) state;
    for (size_t j = 0; j < 2; j++) {
        spot_study_t study;
        spot_store_t *store;
        int64_t num_left;

        read_toy_study(&study, texts[j]);
        num_left = find_left(&study, NULL, 0, 0).least_runs;
        for (int64_t k = 0; k < 5; k++) {
            const spot_study_run_t run = {.num_threads = 2, .shard_id = k, .num_shards = 5};
            const spot_study_left_t left = find_left(&study, NULL, k, 5);

            num_left -= left.least_runs;
            assert_int_equal(spot_store_open_memory(&store, &study.head), 0);
            assert_int_equal(spot_study_run(&study, store, &run, NULL), 0);
            assert_true(left.least_runs <= count_rows(store));
            assert_true(left.most_runs >= count_rows(store));
            assert_int_equal(find_left(&study, store, k, 5).most_runs, 0);
            store->close(store);
        }
        assert_int_equal(num_left, 0);
        spot_study_free(&study);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wherever_it_is_stopped),
        cmocka_unit_test(test_without_a_store),
        cmocka_unit_test(test_shards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
