/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means of the durations of similar jobs: the five levels, against a plain search
 * through all jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "models/job_forecast.h"

typedef struct {
    spot_duration_key_t key;
    int64_t duration_s;
} job_t;

static void must_add(spot_duration_history_t *history, spot_duration_key_t key, int64_t duration_s)
{
    assert_int_equal(spot_duration_history_add(history, key, duration_s), 0);
}

static int64_t estimate(
    const spot_duration_history_t *history, int32_t user, int32_t gpus, int32_t model)
{
    return spot_duration_history_estimate(history, (spot_duration_key_t){user, gpus, model});
}

static void test_levels(void **state)
{
    spot_duration_history_t history = {0};

    (void) state;
    spot_duration_history_verify(&history);
    assert_int_equal(estimate(&history, 1, 1, 1), SPOT_DURATION_UNKNOWN_S);
    must_add(&history, (spot_duration_key_t){1, 8, 5}, 100);
    must_add(&history, (spot_duration_key_t){1, 8, 5}, 101);
    must_add(&history, (spot_duration_key_t){1, 4, 5}, 10);
    must_add(&history, (spot_duration_key_t){1, 4, 6}, 30);
    must_add(&history, (spot_duration_key_t){2, 1, -1}, 7);
    assert_int_equal(estimate(&history, 1, 8, 5), 100); /* 201 / 2 */
    assert_int_equal(estimate(&history, 1, 2, 5), 70);  /* (user, model): 211 / 3 */
    assert_int_equal(estimate(&history, 1, 4, 7), 20);  /* (user, gpu_num) */
    assert_int_equal(estimate(&history, 1, 1, 7), 60);  /* (user): 241 / 4 */
    assert_int_equal(estimate(&history, 3, 8, 5), 49);  /* all: 248 / 5 */
    assert_int_equal(estimate(&history, 2, 1, -1), 7);
    spot_duration_history_verify(&history);
    spot_duration_history_free(&history);
    assert_int_equal(estimate(&history, 1, 8, 5), SPOT_DURATION_UNKNOWN_S);
}

static bool is_similar(const job_t *job, spot_duration_key_t key, int level)
{
    const bool user = job->key.user_id == key.user_id;
    const bool gpus = job->key.gpu_num == key.gpu_num;
    const bool model = job->key.model_id == key.model_id;

    return level == 4 || (user && (gpus || level == 1 || level == 3) && (model || level >= 2));
}

static int64_t estimate_slowly(const job_t *jobs, size_t num_jobs, spot_duration_key_t key)
{
    for (int level = 0; level < 5; level++) {
        int64_t sum_s = 0, count = 0;

        for (size_t j = 0; j < num_jobs; j++) {
            if (is_similar(&jobs[j], key, level)) {
                sum_s += jobs[j].duration_s;
                count++;
            }
        }
        if (count > 0) {
            return sum_s / count;
        }
    }
    return 1000;
}

static void test_random_jobs_against_a_search(void **state)
{
    enum { NUM_JOBS = 1500 };
    static job_t jobs[NUM_JOBS];
    spot_duration_history_t history = {0};
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_TYPE, 0);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        spot_duration_key_t key;

        key.user_id = (int32_t) spot_rng_below(&rng, 30) - 1;
        key.gpu_num = 1 << spot_rng_below(&rng, 4);
        key.model_id = (int32_t) spot_rng_below(&rng, 20) - 1;
        assert_int_equal(
            spot_duration_history_estimate(&history, key), estimate_slowly(jobs, j, key));
        jobs[j].key = key;
        jobs[j].duration_s = (int64_t) spot_rng_below(&rng, 1000000) + 1;
        must_add(&history, key, jobs[j].duration_s);
    }
    spot_duration_history_verify(&history);
    spot_duration_history_free(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_random_jobs_against_a_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
