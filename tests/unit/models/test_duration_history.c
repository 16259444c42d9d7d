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

static spot_duration_job_t job_of(int32_t user, int32_t gpus, int32_t model, int64_t duration_s)
{
    return (spot_duration_job_t){
        .user_id = user, .gpu_num = gpus, .model_id = model, .duration_s = duration_s};
}

static void start(spot_duration_learner_t *self, const spot_duration_job_t *jobs, size_t num_jobs)
{
    const spot_duration_request_t request = {
        .method = SPOT_DURATION_RUNNING_MEAN, .num_jobs = num_jobs, .jobs = jobs};

    assert_int_equal(spot_duration_learner_init(self, &request), 0);
}

static int64_t estimate(spot_duration_learner_t *self, size_t job_id)
{
    int64_t estimate_s;

    assert_int_equal(spot_duration_learner_estimate(self, (int32_t) job_id, 0, &estimate_s), 0);
    return estimate_s;
}

static void test_levels(void **state)
{
    enum { NUM_ENDED = 5, NUM_JOBS = 12 };
    const spot_duration_job_t jobs[NUM_JOBS] = {job_of(1, 8, 5, 100), job_of(1, 8, 5, 101),
        job_of(1, 4, 5, 10), job_of(1, 4, 6, 30), job_of(2, 1, -1, 7),
        /* only asked about */
        job_of(1, 1, 1, 0), job_of(1, 8, 5, 0), job_of(1, 2, 5, 0), job_of(1, 4, 7, 0),
        job_of(1, 1, 7, 0), job_of(3, 8, 5, 0), job_of(2, 1, -1, 0)};
    spot_duration_learner_t learner;

    (void) state;
    start(&learner, jobs, NUM_JOBS);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_int_equal(estimate(&learner, j), SPOT_DURATION_UNKNOWN_S);
    }
    for (int32_t j = 0; j < NUM_ENDED; j++) {
        assert_int_equal(spot_duration_learner_end(&learner, j), 0);
    }
    assert_int_equal(estimate(&learner, 6), 100); /* 201 / 2 */
    assert_int_equal(estimate(&learner, 7), 70);  /* (user, model): 211 / 3 */
    assert_int_equal(estimate(&learner, 8), 20);  /* (user, gpu_num) */
    assert_int_equal(estimate(&learner, 9), 60);  /* (user): 241 / 4 */
    assert_int_equal(estimate(&learner, 10), 49); /* all: 248 / 5 */
    assert_int_equal(estimate(&learner, 11), 7);
    spot_duration_learner_free(&learner);
    start(&learner, jobs, NUM_JOBS);
    assert_int_equal(estimate(&learner, 6), SPOT_DURATION_UNKNOWN_S);
    spot_duration_learner_free(&learner);
}

static bool is_similar(const spot_duration_job_t *job, const spot_duration_job_t *to, int level)
{
    const bool user = job->user_id == to->user_id;
    const bool gpus = job->gpu_num == to->gpu_num;
    const bool model = job->model_id == to->model_id;

    return level == 4 || (user && (gpus || level == 1 || level == 3) && (model || level >= 2));
}

/* From the jobs before this one. */
static int64_t estimate_slowly(const spot_duration_job_t *jobs, size_t job_id)
{
    for (int level = 0; level < 5; level++) {
        int64_t sum_s = 0, count = 0;

        for (size_t j = 0; j < job_id; j++) {
            if (is_similar(&jobs[j], &jobs[job_id], level)) {
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
    static spot_duration_job_t jobs[NUM_JOBS];
    spot_duration_learner_t learner;
    spot_rng_t rng;

    (void) state;
    spot_rng_seek(&rng, 7, 0, SPOT_STREAM_TYPE, 0);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        jobs[j].user_id = (int32_t) spot_rng_below(&rng, 30) - 1;
        jobs[j].gpu_num = 1 << spot_rng_below(&rng, 4);
        jobs[j].model_id = (int32_t) spot_rng_below(&rng, 20) - 1;
        jobs[j].duration_s = (int64_t) spot_rng_below(&rng, 1000000) + 1;
    }
    start(&learner, jobs, NUM_JOBS);
    for (size_t j = 0; j < NUM_JOBS; j++) {
        assert_int_equal(estimate(&learner, j), estimate_slowly(jobs, j));
        assert_int_equal(spot_duration_learner_end(&learner, (int32_t) j), 0);
    }
    spot_duration_learner_free(&learner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_random_jobs_against_a_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
